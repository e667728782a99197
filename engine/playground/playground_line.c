// playground_line.c - the line that opens a model: a name and the options of the command line.
#include <stdlib.h>
#include <string.h>

#include "engine/playground/playground_private.h"

bool playground_split(Arena *arena, const char *line, char **words, int *n_words, Error *err) {
    *n_words = 0;
    while (*(line += strspn(line, " \t")) != '\0') {
        char quote = *line == '"' || *line == '\'' ? *line : '\0';
        line += quote != '\0';
        size_t length =
            quote != '\0' ? strcspn(line, quote == '"' ? "\"" : "'") : strcspn(line, " \t");
        if (quote != '\0' && line[length] == '\0') {
            return error_set(err, "open: expected a closing %c after \"%.40s\"", quote, line);
        }
        if (*n_words == PLAYGROUND_MAX_WORDS) {
            return error_set(err, "open: expected at most %d words", PLAYGROUND_MAX_WORDS);
        }
        words[(*n_words)++] = arena_format(arena, "%.*s", (int)length, line);
        line += length + (quote != '\0');
    }
    return *n_words > 0 || error_set(err, "open: expected a model, such as toy-copy, after it");
}

static int option_of(const char *word) {
    static const struct {
        const char *name;
        int option;
    } OPTIONS[] = {
        {"--input", MODEL_INPUT_INPUT},
        {"--target", MODEL_INPUT_TARGET},
        {"--ids", MODEL_INPUT_IDS},
        {"--target-ids", MODEL_INPUT_TARGET_IDS},
        {"--seed", MODEL_INPUT_SEED},
        {"--threads", MODEL_INPUT_THREADS},
        {"--device", MODEL_INPUT_DEVICE},
        {"--model", MODEL_INPUT_MODEL},
        {"--special", MODEL_INPUT_SPECIAL},
        {"--pattern", MODEL_INPUT_PATTERN},
        {"--untrained", MODEL_INPUT_UNTRAINED},
    };
    for (size_t i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++) {
        if (strcmp(OPTIONS[i].name, word) == 0) {
            return OPTIONS[i].option;
        }
    }
    return 0;
}

bool playground_read_line(Arena *arena, ModelInput *input, const char *line, Error *err) {
    char *words[PLAYGROUND_MAX_WORDS];
    int n_words = 0;
    if (!playground_split(arena, line, words, &n_words, err)) {
        return false;
    }
    *input = (ModelInput){.model = words[0], .n_threads = 1};
    for (int i = 1; i < n_words; i++) {
        int option = option_of(words[i]);
        bool has_value = option != MODEL_INPUT_UNTRAINED;
        if (option == 0) {
            return error_set(err,
                             "open: unknown option \"%.40s\": expected --ids, --input, --target, "
                             "--target-ids, --special, --pattern, --seed or --untrained",
                             words[i]);
        }
        if (has_value && i + 1 == n_words) {
            return error_set(err, "open: expected a value after %s", words[i]);
        }
        if (!model_input_take(input, option, has_value ? words[i + 1] : NULL, err)) {
            return false;
        }
        i += has_value;
    }
    input->otherwise_ids = "0,1,2"; // of a lesson that only wants the tokenizer
    return true;
}

bool playground_check(const char *line, Error *err) {
    Arena arena = {0};
    ModelInput input;
    bool ok = playground_read_line(&arena, &input, line, err);
    arena_free(&arena);
    return ok;
}
