// cmd_generate.c - `attend generate`: a language model goes on with a text.
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/generate_run.h"

enum { MOST_OPTIONS = 24, DEFAULT_TOKENS = 100 };

typedef struct GenerateCommand {
    GenerateSettings settings;
    const char *weights;
    bool help;
} GenerateCommand;

static size_t list_options(GenerateCommand *command, Option *options) {
    GenerateSettings *settings = &command->settings;
    const Option all[] = {
        {"model", 'm', OPTION_TEXT, &settings->model, "a preset's name or a model's folder"},
        {"prompt", 'p', OPTION_TEXTS, &settings->prompts,
         "the text to go on with (-: standard input); repeated: several, side by side"},
        {"prompt-ids", 0, OPTION_TEXTS, &settings->prompt_ids, "the same as ids, \"1,5,4;1,3\""},
        {"tokens", 'n', OPTION_INT, &settings->n_tokens, "new tokens at most (default 100)"},
        {"temperature", 't', OPTION_REAL, &settings->sampling.temperature,
         "divides the logits (default 1); 0: always the likeliest token"},
        {"top-k", 'k', OPTION_INT, &settings->sampling.top_k, "draw from the N likeliest only"},
        {"top-p", 0, OPTION_REAL, &settings->sampling.top_p,
         "draw from the fewest whose probabilities reach X"},
        {"repetition-penalty", 0, OPTION_REAL, &settings->sampling.repetition_penalty,
         "makes tokens that were there less likely (default 1: not)"},
        {"seed", 's', OPTION_INT, &settings->seed, "what the draws follow from (default 1)"},
        {"stop", 0, OPTION_TEXTS, &settings->stops, "end before this text; may be repeated"},
        {"weights", 'w', OPTION_TEXT, &command->weights, "f32 (default), bf16 or int8"},
        {"explain", 'e', OPTION_FLAG, &settings->explain, "show the arithmetic of every draw"},
        {"ids", 0, OPTION_FLAG, &settings->prints_ids, "print ids instead of text"},
        {"only-new", 0, OPTION_FLAG, &settings->hides_prompt, "do not print the prompt"},
        {"speed", 0, OPTION_FLAG, &settings->says_speed, "say how fast it was, at the end"},
        {"untrained", 0, OPTION_FLAG, &settings->untrained, "initial weights"},
        {"threads", 0, OPTION_INT, &settings->n_threads, "how many compute (default: all)"},
        {"help", 'h', OPTION_FLAG, &command->help, "show this"},
    };
    _Static_assert(sizeof all / sizeof all[0] <= MOST_OPTIONS, "room for all options");
    memcpy(options, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static void print_help(const Option *options, size_t n_options) {
    puts(
        "usage: attend generate --model M --prompt TEXT [OPTION...]\n\n"
        "Prints the prompt and what the model says next. The same seed gives the same text, alone\n"
        "or beside others.\n");
    options_print(options, n_options);
}

static bool check(GenerateCommand *command, Error *err) {
    GenerateSettings *settings = &command->settings;
    if (settings->model == NULL) {
        return error_set(err, "--model: expected a preset's name or a folder");
    }
    if (settings->n_tokens < 0 || settings->n_tokens > 1 << 24) {
        return error_set(err, "--tokens: expected a whole number from 0, found %d",
                         settings->n_tokens);
    }
    if (settings->seed < 0 || settings->n_threads < 0) {
        return error_set(err, "--%s: expected a whole number from 0",
                         settings->seed < 0 ? "seed" : "threads");
    }
    for (int i = 0; i < settings->stops.n_texts; i++) {
        if (settings->stops.texts[i][0] == '\0') {
            return error_set(err, "--stop: expected a text that is not empty");
        }
    }
    if (command->weights != NULL && !quantized_format_find(command->weights, &settings->weights)) {
        return error_set(err, "--weights: expected f32, bf16 or int8, found \"%.40s\"",
                         command->weights);
    }
    settings->sampling.seed = (uint64_t)settings->seed;
    Error reason = {""};
    return sampling_check(&settings->sampling, &reason) || error_set(err, "--%s", reason.text);
}

static int run(GenerateCommand *command, int argc, char **argv, Error *err) {
    Option options[MOST_OPTIONS];
    size_t n_options = list_options(command, options);
    int first_operand = 0;
    bool ok = options_read(argc, argv, options, n_options, &first_operand, err);
    if (ok && command->help) {
        print_help(options, n_options);
        return APP_OK;
    }
    if (ok && first_operand < argc) {
        ok =
            error_set(err, "expected options only, found \"%.60s\"; the prompt goes after --prompt",
                      argv[first_operand]);
    }
    if (!ok || !check(command, err)) {
        return app_wrong("generate", err);
    }
    return generate_run(&command->settings, err) ? APP_OK : app_failed("generate", err);
}

int app_generate(int argc, char **argv) {
    GenerateCommand command = {.settings = {.n_tokens = DEFAULT_TOKENS, .seed = 1}};
    command.settings.sampling = sampling_defaults();
    Error err = {""};
    int status = run(&command, argc, argv, &err);
    option_list_free(&command.settings.prompts);
    option_list_free(&command.settings.prompt_ids);
    option_list_free(&command.settings.stops);
    return status;
}
