// cmd_generate.c - `attend generate`: a language model goes on with a text.
#include <string.h>

#include "app/app.h"
#include "app/commands/generate_run.h"
#include "app/output.h"

enum { MOST_OPTIONS = 24, DEFAULT_TOKENS = 100 };

typedef struct GenerateCommand {
    GenerateSettings settings;
    bool help;
} GenerateCommand;

static size_t list_options(GenerateCommand *command, Option *options) {
    GenerateSettings *settings = &command->settings;
    const Option all[] = {
        MODEL_CHOICE_MODEL(&settings->choice),
        {"prompt", 'p', OPTION_TEXTS, &settings->prompts,
         "the text to continue (-: standard input, without its last line end); may be repeated"},
        {"prompt-ids", 0, OPTION_TEXTS, &settings->prompt_ids,
         "prompts as token ids, \"1,5,4;1,3\""},
        {"tokens", 'n', OPTION_INT, &settings->n_tokens,
         "generate at most this many tokens (default 100)"},
        {"temperature", 't', OPTION_REAL, &settings->sampling.temperature,
         "divides the logits (default 1); 0: always the likeliest token"},
        {"top-k", 'k', OPTION_INT, &settings->sampling.top_k,
         "sample from the N likeliest tokens only"},
        {"top-p", 0, OPTION_REAL, &settings->sampling.top_p,
         "sample from the fewest tokens whose probabilities reach X"},
        {"repetition-penalty", 0, OPTION_REAL, &settings->sampling.repetition_penalty,
         "above 1: makes tokens that have already occurred less likely (default 1)"},
        {"stop", 0, OPTION_TEXTS, &settings->stops, "stop before this text; may be repeated"},
        MODEL_CHOICE_WEIGHTS(&settings->choice),
        {"explain", 'e', OPTION_FLAG, &settings->explain,
         "show how every token was chosen, number by number"},
        {"ids", 0, OPTION_FLAG, &settings->prints_ids, "print ids instead of text"},
        {"only-new", 0, OPTION_FLAG, &settings->hides_prompt, "do not print the prompt"},
        {"speed", 0, OPTION_FLAG, &settings->says_speed, "print the speed at the end"},
        MODEL_CHOICE_OTHERS(&settings->choice, "seed of the random numbers (default 1)"),
        {"help", 'h', OPTION_FLAG, &command->help, "show this"},
    };
    _Static_assert(sizeof all / sizeof all[0] <= MOST_OPTIONS, "room for all options");
    memcpy(options, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static void print_help(const Option *options, size_t n_options) {
    output_text("usage: attend generate --model M --prompt TEXT [OPTION...]\n\n"
                "Prints the prompt and the text with which the model continues it. The same seed "
                "gives the\nsame text, whether the prompt is alone or one of several.\n\n");
    options_print(options, n_options);
}

static bool check(GenerateCommand *command, Error *err) {
    GenerateSettings *settings = &command->settings;
    if (!model_choice_check(&settings->choice, err)) {
        return false;
    }
    if (settings->n_tokens < 0 || settings->n_tokens > 1 << 24) {
        return error_set(err, "--tokens: expected a whole number from 0, found %d",
                         settings->n_tokens);
    }
    for (int i = 0; i < settings->stops.n_texts; i++) {
        if (settings->stops.texts[i][0] == '\0') {
            return error_set(err, "--stop: expected a text that is not empty");
        }
    }
    if (settings->prompts.n_texts == 0 && settings->prompt_ids.n_texts == 0) {
        return error_set(err, "no prompt: expected --prompt TEXT or --prompt-ids \"1,5,4\"");
    }
    settings->sampling.seed = (uint64_t)settings->choice.seed;
    Error reason = {""};
    return sampling_check(&settings->sampling, &reason) || error_set(err, "--%s", reason.text);
}

static bool check_effects(const GenerateCommand *command, const Option *options, size_t n_options,
                          uint64_t given, Error *err) {
    bool is_greedy = command->settings.sampling.temperature == 0.0;
    const IdleOption idle[] = {
        {"top-k", is_greedy, "--temperature 0, which takes the likeliest token"},
        {"top-p", is_greedy, "--temperature 0, which takes the likeliest token"},
    };
    return options_refuse_given(options, n_options, given, idle, sizeof idle / sizeof idle[0], err);
}

static int run(GenerateCommand *command, int argc, char **argv, Error *err) {
    Option options[MOST_OPTIONS];
    size_t n_options = list_options(command, options);
    uint64_t given = 0;
    int first_operand = 0;
    bool ok = options_read(argc, argv, options, n_options, &first_operand, &given, err);
    if (ok && command->help) {
        print_help(options, n_options);
        return APP_OK;
    }
    if (ok && first_operand < argc) {
        ok =
            error_set(err, "expected options only, found \"%.60s\"; the prompt goes after --prompt",
                      argv[first_operand]);
    }
    command->settings.choice.has_seed = options_has(options, n_options, given, "seed");
    if (!ok || !check(command, err) || !check_effects(command, options, n_options, given, err)) {
        return app_wrong("generate", err);
    }
    return generate_run(&command->settings, err) ? APP_OK : app_failed("generate", err);
}

int app_generate(int argc, char **argv) {
    GenerateCommand command = {.settings = {.choice = {.seed = 1}, .n_tokens = DEFAULT_TOKENS}};
    command.settings.sampling = sampling_defaults();
    Error err = {""};
    int status = run(&command, argc, argv, &err);
    option_list_free(&command.settings.prompts);
    option_list_free(&command.settings.prompt_ids);
    option_list_free(&command.settings.stops);
    return status;
}
