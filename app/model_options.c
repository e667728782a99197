// model_options.c - the options that say which model runs on what, shared by trace, explain and
// heatmap.
#include "app/model_options.h"

#include <string.h>

#include "app/encode_note.h"
#include "app/output.h"
#include "engine/models/family.h"

const char MODEL_OPTIONS_HELP[] =
    "  --model M            a preset's name, or a folder with config.json and model.safetensors\n"
    "  --input TEXT         an item of the batch as text (may be repeated)\n"
    "  --ids LISTS          the items as token ids: \"1,5,4;1,3,6\"\n"
    "  --target TEXT        the target side's text, one for each item\n"
    "  --target-ids LISTS   its ids; of a language model: the labels, one for each id\n"
    "  --special R          <|endoftext|> and the like in a text: token (default) or text\n"
    "  --pattern P          how a rank file of one's own splits text: gpt2 (default), cl100k, …\n"
    "  --untrained          the initial weights instead of the trained ones\n"
    "  --seed N             what the initial weights are drawn from\n"
    "  --device D           what computes: cpu, cuda, or auto: a GPU if there is one\n"
    "  --threads N          how many threads compute (default: all)\n";

void model_say_notes(const NamedModel *named, bool is_asked_for, bool has_seed) {
    bool is_fitted = family_of(&named->model.config)->fit != NULL;
    if (!named->is_trained && !is_asked_for && !is_fitted) {
        output_say("attend: %s has no trained weights: these are its initial ones, seed %llu",
                   named->name, (unsigned long long)named->model.seed);
    }
    if (has_seed && (named->is_trained || is_fitted)) {
        output_say("attend: --seed has no effect: the weights of %s are not drawn", named->name);
    }
    output_say_lines("attend", named->model.notes.length > 0 ? named->model.notes.bytes : "");
}

bool model_refuse_loss(const char *model, Error *err) {
    return error_set(
        err, "the loss is not a finite number: the weights of %s are damaged, or training diverged",
        model);
}

bool model_options_open(OpenModel *opened, const ModelInput *input, TapeMode mode, TapeParts parts,
                        Error *err) {
    if (!model_input_open(opened, input, mode, parts, err)) {
        return false;
    }
    if (error_is_set(&opened->notice)) {
        output_say("attend: %s", opened->notice.text);
    }
    model_say_notes(&opened->named, input->untrained, input->has_seed);
    encode_note_say(&opened->batch.report, &opened->named.tokenizer);
    return true;
}
