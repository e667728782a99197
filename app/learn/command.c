// command.c - the one vocabulary: keys, the `:` prompt, help, lessons and scripts all speak it.
#include "app/learn/command.h"

#include <stdlib.h>
#include <string.h>

#include "app/terminal/key.h"

const CommandInfo COMMANDS[COMMAND_COUNT] = {
#define X(id, name, keys, argument, needs, part, function, hint, en, zh, hint_en, hint_zh)         \
    [COMMAND_##id] = {name, keys, ARGUMENT_##argument, COMMAND_NEEDS_##needs, hint},
    COMMAND_LIST(X)
#undef X
};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_one_of(const char *text, const char *const *words, int n) {
    for (int i = 0; i < n; i++) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_whole(const char *text) {
    char *end = NULL;
    long number = strtol(text, &end, 10);
    return end != text && *end == '\0' && number >= 0 && number <= 1000000000L;
}

static bool is_number(const char *text) {
    char *end = NULL;
    (void)strtof(text, &end);
    return end != text && *end == '\0';
}

static bool wants(Error *err, const char *name, const char *expected, const char *found) {
    if (found[0] == '\0') {
        return error_set(err, "%s: expected %s after it", name, expected);
    }
    return error_set(err, "%s: expected %s, found \"%s\"", name, expected, found);
}

static bool check_argument(const Command *command, Error *err) {
    static const char *const SWITCHES[] = {"", "on", "off"};
    static const char *const SCALES[] = {"", "linear", "row"};
    static const char *const NORMS[] = {"", "pre", "post", "standard", "annotated"};
    static const char *const THEMES[] = {"", "dark", "light", "mono"};
    static const char *const LANGUAGES[] = {"", "en", "zh"};
    const CommandInfo *info = &COMMANDS[command->id];
    const char *rest = command->rest;
    bool is_empty = rest[0] == '\0';
    switch (info->argument) {
    case ARGUMENT_NONE:
        return is_empty || wants(err, info->name, "nothing after it", rest);
    case ARGUMENT_COUNT:
        return is_empty || is_whole(rest) || wants(err, info->name, "a whole number", rest);
    case ARGUMENT_NUMBER:
        return is_empty || is_number(rest) || wants(err, info->name, "a number", rest);
    case ARGUMENT_SWITCH:
        return is_one_of(rest, SWITCHES, 3) || wants(err, info->name, "on or off", rest);
    case ARGUMENT_HEAT:
        return is_one_of(rest, SCALES, 3) || wants(err, info->name, "linear or row", rest);
    case ARGUMENT_NORM:
        return is_one_of(rest, NORMS, 5) ||
               wants(err, info->name, "pre, post, standard or annotated", rest);
    case ARGUMENT_THEME:
        return is_one_of(rest, THEMES, 4) || wants(err, info->name, "dark, light or mono", rest);
    case ARGUMENT_LANGUAGE:
        return is_one_of(rest, LANGUAGES, 3) || wants(err, info->name, "en or zh", rest);
    case ARGUMENT_STAGE:
        return !is_empty || wants(err, info->name, "a stage, such as encoder.0.self_attn.q", rest);
    case ARGUMENT_CELL:
        return !is_empty || wants(err, info->name, "a cell, such as logits[0,1,5]", rest);
    case ARGUMENT_OPEN:
        return !is_empty || wants(err, info->name, "a model, such as toy-copy", rest);
    case ARGUMENT_TEXT:
    case ARGUMENT_VIEW:
    case ARGUMENT_FILE:
        return true;
    }
    return true;
}

// Names that other programs have for the same.
static const struct {
    const char *name;
    CommandId id;
} ALIASES[] = {{"q", COMMAND_QUIT}, {"q!", COMMAND_QUIT}, {"exit", COMMAND_QUIT}};

// COMMAND_COUNT: there is none.
static CommandId find_name(const char *name, size_t length) {
    for (int id = 0; id < COMMAND_COUNT; id++) {
        if (strlen(COMMANDS[id].name) == length && strncmp(name, COMMANDS[id].name, length) == 0) {
            return (CommandId)id;
        }
    }
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++) {
        if (strlen(ALIASES[i].name) == length && strncmp(name, ALIASES[i].name, length) == 0) {
            return ALIASES[i].id;
        }
    }
    return COMMAND_COUNT;
}

bool command_parse(Command *command, char *line, Error *err) {
    while (is_space(*line)) {
        line++;
    }
    size_t length = strlen(line);
    while (length > 0 && is_space(line[length - 1])) {
        line[--length] = '\0';
    }
    size_t size = strcspn(line, " \t");
    const CommandId id = find_name(line, size);
    if (id < COMMAND_COUNT) {
        *command = (Command){id, line + size + strspn(line + size, " \t")};
        return check_argument(command, err);
    }
    line[size] = '\0';
    return error_set(err, "there is no command \"%.40s\"; `help` lists them", line);
}

CommandCounts command_counts(CommandId id) {
    static const CommandId TIMES[] = {
        COMMAND_INTO,        COMMAND_OUT,         COMMAND_OVER,       COMMAND_OVER_BACK,
        COMMAND_SEARCH_NEXT, COMMAND_SEARCH_BACK, COMMAND_FOLLOW,     COMMAND_RETURN,
        COMMAND_HEAD_BACK,   COMMAND_HEAD_NEXT,   COMMAND_ITEM_BACK,  COMMAND_ITEM_NEXT,
        COMMAND_LAYER_BACK,  COMMAND_LAYER_NEXT,  COMMAND_PAGE_UP,    COMMAND_PAGE_DOWN,
        COMMAND_UNDO,        COMMAND_REDO,        COMMAND_TRAIN_STEP, COMMAND_SCRUB_BACK,
        COMMAND_SCRUB_NEXT,  COMMAND_LESSON_BACK,
    };
    for (size_t i = 0; i < sizeof TIMES / sizeof TIMES[0]; i++) {
        if (TIMES[i] == id) {
            return COMMAND_COUNTS_TIMES;
        }
    }
    bool is_argument = COMMANDS[id].argument == ARGUMENT_COUNT;
    return is_argument ? COMMAND_COUNTS_ITSELF : COMMAND_COUNTS_NOTHING;
}

CommandId command_of_key(int key) {
    int id = 0;
    while (id < COMMAND_COUNT && !key_is_among(key, COMMANDS[id].keys)) {
        id++;
    }
    return (CommandId)id;
}

long command_count(const Command *command, long otherwise) {
    return command->rest[0] == '\0' ? otherwise : strtol(command->rest, NULL, 10);
}

int command_switch(const Command *command) {
    if (command->rest[0] == '\0') {
        return -1;
    }
    return strcmp(command->rest, "on") == 0;
}

int command_complete(const char *start, const char **names, int max) {
    size_t length = strlen(start);
    int n = 0;
    for (int id = 0; id < COMMAND_COUNT; id++) {
        if (strncmp(COMMANDS[id].name, start, length) == 0) {
            if (n < max) {
                names[n] = COMMANDS[id].name;
            }
            n++;
        }
    }
    return n;
}
