// eval_run.h - how well a model says what a text says next, as `attend eval` was told.
#ifndef APP_COMMANDS_EVAL_RUN_H
#define APP_COMMANDS_EVAL_RUN_H

#include "app/commands/translate_run.h"
#include "engine/generation/bleu.h"
#include "engine/training/text_reader.h"

typedef struct EvalSettings {
    ModelChoice choice;
    TextSource source;
    // Tokens that are seen together; 0: as many as the model was trained on where its run says so,
    // else its positions, or 256 where it has none.
    int length;
    int limit; // texts or pairs at most; 0: all
    int beam;
    double alpha;
    bool has_bleu; // pairs: also decode
} EvalSettings;

typedef struct EvalResult {
    double loss_sum;        // nats; without label smoothing,
    double label_smoothing; // whatever the model learned with
    int64_t n_labels;
    int64_t n_texts;
    int length; // tokens at a time; 0: pairs
    bool has_bleu;
    Bleu bleu;
    int64_t n_exact; // translations that are the reference itself
} EvalResult;

bool eval_run(EvalResult *result, const EvalSettings *settings, Error *err);

#endif
