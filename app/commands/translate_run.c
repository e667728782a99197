// translate_run.c - sentences through an encoder-decoder, as `attend translate` was told.
#include "app/commands/translate_run.h"

#include <stdlib.h>
#include <string.h>

#include "app/model_options.h"
#include "engine/models/text_marks.h"
#include "engine/playground/batch.h"
#include "engine/devices/device.h"

static bool make_weights(Translator *translator, WeightFormat format, Error *err) {
    ModelTape built;
    bool ok = model_tape_build(&built, &translator->named.model, TAPE_INFER, translator->device,
                               (BatchShape){1, 1, 1}, TAPE_LOGITS, err) &&
              quantized_make(&translator->weights, &built.tape, format, err);
    model_tape_free(&built);
    return ok;
}

bool translator_open(Translator *translator, const TranslateSettings *settings, Error *err) {
    *translator = (Translator){.device = NULL};
    const ModelChoice *choice = &settings->choice;
    bool ok = model_choice_open(choice, &translator->named, err);
    const ModelConfig *config = &translator->named.model.config;
    if (ok && !config_has_two_sides(config)) {
        ok = error_set(err,
                       "%s is a language model: expected an encoder-decoder; `attend "
                       "generate` runs it",
                       choice->model);
    }
    if (ok && config->bos_id < 0) {
        ok = error_set(err, "%s: config.json names no \"bos_id\", which starts a translation",
                       choice->model);
    }
    if (!ok) {
        translator_close(translator);
    }
    return ok;
}

bool translator_load(Translator *translator, const TranslateSettings *settings, Error *err) {
    const ModelChoice *choice = &settings->choice;
    bool ok = model_choice_load(choice, &translator->named, &translator->device, err) &&
              (choice->weights == WEIGHT_F32 || make_weights(translator, choice->weights, err));
    if (!ok) {
        translator_close(translator);
        return false;
    }
    model_say_notes(&translator->named, choice->untrained, choice->has_seed);
    return true;
}

void translator_close(Translator *translator) {
    quantized_free(&translator->weights);
    preset_close(&translator->named);
    device_close(translator->device);
    *translator = (Translator){.device = NULL};
}

bool translator_encode(const Translator *translator, const char *text, TokenIds *ids,
                       EncodeReport *report, Error *err) {
    const NamedModel *named = &translator->named;
    if (!batch_has_tokenizer(named, "--source-ids", err) ||
        !batch_encode(named, text, ids, report, err)) {
        return false;
    }
    return !batch_is_empty(named, ids) ||
           error_set(err, "the text is empty: expected at least one word");
}

static int end_of(const Translator *translator) {
    const NamedModel *named = &translator->named;
    return text_marks_end(&named->model.config, &named->tokenizer, !named->copies);
}

bool translator_is_cut(const Translator *translator, const TokenIds *source,
                       const Hypothesis *hypothesis) {
    int end_id = end_of(translator);
    bool is_short = hypothesis->n_ids - 1 < decode_longest((int)source->count, end_id);
    return !hypothesis->is_finished && (end_id >= 0 || is_short);
}

bool translator_decode(Translator *translator, const TranslateSettings *settings,
                       const TokenIds *ids, Decoding *decoding, Error *err) {
    const ModelConfig *config = &translator->named.model.config;
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->ids[i] < 0 || ids->ids[i] >= config->vocab_size) {
            return error_set(err, "id %d is outside the vocabulary, expected 0 to %d", ids->ids[i],
                             config->vocab_size - 1);
        }
    }
    int S = (int)ids->count;
    int end_id = end_of(translator);
    BeamConfig beam = {.width = settings->beam,
                       .max_length = settings->max_length > 0 ? settings->max_length
                                                              : decode_longest(S, end_id),
                       .alpha = (float)settings->alpha,
                       .end_id = end_id};
    beam.weights = translator->weights.n_matrices > 0 ? &translator->weights : NULL;
    return decode_beam(decoding, &translator->named.model, translator->device, ids->ids, S, &beam,
                       err);
}

bool translator_text(const Translator *translator, const Hypothesis *hypothesis, char **text,
                     Error *err) {
    size_t length = 0;
    return tokenizer_decode(&translator->named.tokenizer, hypothesis->ids,
                            (size_t)hypothesis->n_ids, text, &length, err);
}
