// generate_run.h - prompts that are gone on with, as `attend generate` was told.
#ifndef APP_COMMANDS_GENERATE_RUN_H
#define APP_COMMANDS_GENERATE_RUN_H

#include "engine/playground/batch.h"
#include "app/model_choice.h"
#include "engine/generation/generate.h"
#include "engine/generation/sampling.h"

typedef struct GenerateSettings {
    ModelChoice choice; // its seed is that of the draws too
    OptionList prompts, prompt_ids, stops;
    int n_tokens; // new ones, at most
    SamplingConfig sampling;
    bool explain; // the arithmetic of every draw
    bool prints_ids, hides_prompt, says_speed;
} GenerateSettings;

// Prints each prompt with what follows it. A single text is printed as it comes.
bool generate_run(const GenerateSettings *settings, Error *err);

// The model's weights in that format, and on standard error how far the logits after these ids move
// by it.
bool generate_weights_make(QuantizedWeights *weights, Model *model, Device *device,
                           WeightFormat format, const int32_t *ids, int n_ids, Error *err);

// The draw just made, as a table: what each step did to the best candidates. text: which one of
// several; -1: there is one.
void generate_explain_formulas(const SamplingConfig *config);
void generate_explain_draw(const Sampler *sampler, const Tokenizer *tokenizer, int text, int step);

// Bytes for a person: whole characters only (else U+FFFD), and on a terminal no control codes but
// newline and tab.
void generate_print_text(const char *bytes, size_t length);

#endif
