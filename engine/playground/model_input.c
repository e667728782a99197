// model_input.c - a model and its ids as the options say them, opened with a tape over them.
#include "engine/playground/model_input.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/playground/batch.h"
#include "engine/devices/device.h"
#include "engine/training/checkpoint.h"

static bool read_count(const char *option, const char *text, unsigned long long max,
                       unsigned long long *value, Error *err) {
    char *end = NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || *value > max) {
        return error_set(err, "%s: expected a whole number from 0 to %llu, found \"%s\"", option,
                         max, text);
    }
    return true;
}

static bool take_item(const char **items, int *count, const char *option, const char *value,
                      Error *err) {
    if (*count == MODEL_INPUT_MAX_ITEMS) {
        return error_set(err, "%s: at most %d items", option, MODEL_INPUT_MAX_ITEMS);
    }
    items[(*count)++] = value;
    return true;
}

bool model_input_take(ModelInput *input, int option, const char *value, Error *err) {
    unsigned long long number = 0;
    switch (option) {
    case MODEL_INPUT_MODEL:
        input->model = value;
        return true;
    case MODEL_INPUT_INPUT:
        return take_item(input->inputs, &input->n_inputs, "--input", value, err);
    case MODEL_INPUT_TARGET:
        return take_item(input->targets, &input->n_targets, "--target", value, err);
    case MODEL_INPUT_IDS:
        input->ids = value;
        return true;
    case MODEL_INPUT_TARGET_IDS:
        input->target_ids = value;
        return true;
    case MODEL_INPUT_SEED:
        if (!read_count("--seed", value, UINT64_MAX, &number, err)) {
            return false;
        }
        input->seed = number;
        input->has_seed = true;
        return true;
    case MODEL_INPUT_THREADS:
        if (!read_count("--threads", value, 1024, &number, err)) {
            return false;
        }
        input->n_threads = (int)number;
        return true;
    case MODEL_INPUT_DEVICE:
        input->device = value;
        return device_check_name(value, err);
    case MODEL_INPUT_SPECIAL:
        input->texts.special = value;
        return tokenizer_choice_check(&input->texts, err);
    case MODEL_INPUT_PATTERN:
        input->texts.pattern = value;
        return tokenizer_choice_check(&input->texts, err);
    case MODEL_INPUT_UNTRAINED:
        input->untrained = true;
        return true;
    default:
        return error_set(err, "unknown option");
    }
}

static bool read_items(ItemList *items, const NamedModel *named, const char *option,
                       const char *ids, const char *const *texts, int n_texts, EncodeReport *report,
                       Error *err) {
    if (ids != NULL && n_texts > 0) {
        return error_set(err, "--%s and --%sids: expected one of the two",
                         option[0] == 't' ? "target" : "input", option[0] == 't' ? "target-" : "");
    }
    const char *ids_option = option[0] == 't' ? "--target-ids" : "--ids";
    if (ids != NULL) {
        return item_list_read_ids(items, ids, ids_option, err);
    }
    for (int i = 0; i < n_texts; i++) {
        if (!batch_has_tokenizer(named, ids_option, err) ||
            !item_list_read_text(items, named, texts[i], report, err)) {
            return false;
        }
        if (batch_is_empty(named, &items->items[items->count - 1])) {
            return error_set(err, "--%s \"%.40s\": the text is empty, expected at least one token",
                             option, texts[i]);
        }
    }
    return true;
}

// Where nothing is said, what the preset runs on.
static ModelInput complete(const ModelInput *input, const NamedModel *named) {
    ModelInput whole = *input;
    bool has_target = input->target_ids != NULL || input->n_targets > 0;
    if (input->ids != NULL || input->n_inputs > 0) {
        return whole;
    }
    if (named->input == NULL) {
        whole.ids = input->otherwise_ids;
        return whole;
    }
    whole.inputs[whole.n_inputs++] = named->input;
    if (!has_target && named->target != NULL) {
        whole.targets[whole.n_targets++] = named->target;
    }
    return whole;
}

bool model_input_batch(Batch *batch, const NamedModel *named, const ModelInput *given, Error *err) {
    const ModelInput whole = complete(given, named);
    const ModelInput *input = &whole;
    ItemList sources = {0};
    ItemList targets = {0};
    EncodeReport report = {0};
    bool ok = read_items(&sources, named, "input", input->ids, input->inputs, input->n_inputs,
                         &report, err) &&
              read_items(&targets, named, "target", input->target_ids, input->targets,
                         input->n_targets, &report, err);
    if (ok && sources.count == 0) {
        ok = error_set(err, "no input: expected --input TEXT or --ids \"1,5,4\"");
    }
    bool is_text_target = input->target_ids == NULL && input->n_targets > 0;
    ok = ok && batch_make(batch, named, &sources, &targets, is_text_target, err);
    batch->report = report;
    item_list_free(&sources);
    item_list_free(&targets);
    return ok;
}

// As the run goes on from the checkpoint that the weights are of; else as it begins.
static bool open_optimizer(OpenModel *opened, const ModelInput *input, Error *err) {
    const NamedModel *named = &opened->named;
    Optimizer *optimizer = &opened->optimizer;
    OptimizerConfig config = named->has_training ? named->training.optimizer : optimizer_defaults();
    char *checkpoint = named->weights == NULL ? NULL : checkpoint_of_weights(named->weights);
    bool ok =
        optimizer_init(optimizer, &config, &named->model.params) || error_set(err, "out of memory");
    ok = ok && (checkpoint == NULL || checkpoint_load_optimizer(checkpoint, optimizer, err));
    free(checkpoint);
    const int64_t step = optimizer->step + 1;
    opened->lr = input->lr >= 0.0F     ? input->lr
                 : named->has_training ? schedule_lr(&named->training.schedule, config.lr, step)
                                       : config.lr;
    return ok;
}

static bool open_tape(OpenModel *opened, const ModelInput *input, TapeMode mode, TapeParts parts,
                      Error *err) {
    bool has_labels = opened->batch.labels != NULL;
    if (parts == TAPE_GRADIENTS && !has_labels) {
        return error_set(err,
                         "there is no target, so no loss and no gradient: expected --target or "
                         "--target-ids");
    }
    bool ok = batch_fit(&opened->batch, &opened->named.model, err) &&
              model_tape_build(&opened->built, &opened->named.model, mode, opened->device,
                               opened->batch.shape, has_labels ? parts : TAPE_LOGITS, err);
    if (ok && input->with_updates) {
        ok = open_optimizer(opened, input, err);
        optimizer_append(&opened->optimizer, &opened->built.tape);
    }
    ok = ok && tape_allocate(&opened->built.tape, err);
    if (ok) {
        batch_fill(&opened->batch, &opened->built);
    }
    return ok;
}

bool model_input_load(OpenModel *opened, const ModelInput *input, Progress *progress, Error *err) {
    *opened = (OpenModel){.device = NULL};
    if (input->model == NULL) {
        return error_set(err, "--model: expected a preset's name or a folder");
    }
    NamedModel *named = &opened->named;
    bool ok = preset_open_bare(named, input->model, input->untrained, input->seed, err) &&
              preset_choose(named, &input->texts, err) &&
              model_input_batch(&opened->batch, named, input, err) &&
              model_check_batch(&named->model.config, opened->batch.shape, err);
    opened->device = ok ? device_open(input->device, input->n_threads, &opened->notice, err) : NULL;
    if (opened->device == NULL || !preset_load_weights(named, progress, err)) {
        model_input_close(opened);
        return error_set(err, "out of memory");
    }
    return true;
}

bool model_input_open(OpenModel *opened, const ModelInput *input, TapeMode mode, TapeParts parts,
                      Error *err) {
    if (!model_input_load(opened, input, NULL, err)) {
        return false;
    }
    if (!open_tape(opened, input, mode, parts, err)) {
        model_input_close(opened);
        return false;
    }
    return true;
}

bool model_input_run(OpenModel *opened, Error *err) {
    Tape *tape = &opened->built.tape;
    int n_gradients = tape->n_nodes;
    for (int i = tape->n_nodes - 1; i >= 0 && tape->nodes[i]->phase == PHASE_UPDATE; i--) {
        n_gradients = i;
    }
    tape_run_range(tape, 0, n_gradients);
    if (n_gradients < tape->n_nodes) {
        optimizer_prepare(&opened->optimizer, tape, opened->lr);
        tape_run_range(tape, n_gradients, tape->n_nodes);
    }
    return tape_check(tape, err);
}

void model_input_close(OpenModel *opened) {
    optimizer_free(&opened->optimizer);
    model_tape_free(&opened->built);
    batch_free(&opened->batch);
    preset_close(&opened->named);
    device_close(opened->device);
    *opened = (OpenModel){.device = NULL};
}

const char *model_input_token(const OpenModel *opened, int32_t id, char *text, size_t size) {
    if (id >= 0 && id < opened->named.tokenizer.n_pieces) {
        tokenizer_piece_text(&opened->named.tokenizer, id, text, size);
    } else {
        snprintf(text, size, "%d", id);
    }
    return text;
}
