// options.c - a command's long options as a table: name, type, and where the value goes.
#include "app/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/output.h"
#include "engine/base/buffer.h"

enum { FIRST_CODE = 256, MOST_OPTIONS = 64 };

static bool set_flag(const Option *option, const char *text, bool inverted, Error *err) {
    bool flag = true;
    if (text != NULL && (strcmp(text, "false") == 0 || strcmp(text, "0") == 0)) {
        flag = false;
    } else if (text != NULL && strcmp(text, "true") != 0 && strcmp(text, "1") != 0) {
        return error_set(err, "--%s: expected true or false, found \"%.60s\"", option->name, text);
    }
    *(bool *)option->value = flag != inverted;
    return true;
}

static bool set_int(const Option *option, const char *text, Error *err) {
    char *end = NULL;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX) {
        return error_set(err, "--%s: expected a whole number, found \"%.60s\"", option->name, text);
    }
    *(int *)option->value = (int)number;
    return true;
}

static bool set_real(const Option *option, const char *text, Error *err) {
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number)) {
        return error_set(err, "--%s: expected a number, found \"%.60s\"", option->name, text);
    }
    *(double *)option->value = number;
    return true;
}

static void append_list(OptionList *list, const char *text, const char *separators) {
    for (;;) {
        const size_t length = strcspn(text, separators);
        list->texts = memory_resize(list->texts, (size_t)(list->n_texts + 1) * sizeof *list->texts);
        char *copy = memory_resize(NULL, length + 1);
        memcpy(copy, text, length);
        copy[length] = '\0';
        list->texts[list->n_texts++] = copy;
        if (text[length] == '\0') {
            return;
        }
        text += length + 1;
    }
}

static bool set_option(const Option *option, const char *text, bool inverted, Error *err) {
    switch (option->type) {
    case OPTION_FLAG:
        return set_flag(option, text, inverted, err);
    case OPTION_INT:
        return set_int(option, text, err);
    case OPTION_REAL:
        return set_real(option, text, err);
    case OPTION_TEXT:
        *(const char **)option->value = text;
        return true;
    case OPTION_LIST:
        append_list(option->value, text, ",");
        return true;
    case OPTION_TEXTS:
        append_list(option->value, text, "");
        return true;
    }
    return false;
}

// --vocab_size=9 is --vocab-size=9.
static void replace_underscores(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            continue;
        }
        for (char *c = argv[i]; *c != '\0' && *c != '='; c++) {
            if (*c == '_') {
                *c = '-';
            }
        }
    }
}

// What getopt_long wants: each option, then for each flag its "no-" form.
typedef struct OptionTable {
    struct option longs[2 * MOST_OPTIONS + 1];
    char letters[2 * MOST_OPTIONS + 2];
    Buffer names[MOST_OPTIONS];
} OptionTable;

static void fill_table(OptionTable *table, const Option *options, size_t n_options) {
    assert(n_options <= MOST_OPTIONS);
    size_t n = 0;
    size_t n_letters = 0;
    table->letters[n_letters++] = ':'; // so that a missing value is told apart
    for (size_t i = 0; i < n_options; i++) {
        const bool is_flag = options[i].type == OPTION_FLAG;
        table->longs[n++] =
            (struct option){.name = options[i].name,
                            .has_arg = is_flag ? optional_argument : required_argument,
                            .val = FIRST_CODE + (int)i};
        if (is_flag) {
            buffer_format(&table->names[i], "no-%s", options[i].name);
            table->longs[n++] = (struct option){.name = table->names[i].bytes,
                                                .has_arg = no_argument,
                                                .val = FIRST_CODE + MOST_OPTIONS + (int)i};
        }
        if (options[i].letter != '\0') {
            table->letters[n_letters++] = options[i].letter;
            if (!is_flag) {
                table->letters[n_letters++] = ':';
            }
        }
    }
}

static const Option *find_option(const Option *options, size_t n_options, int code,
                                 bool *inverted) {
    *inverted = code >= FIRST_CODE + MOST_OPTIONS;
    if (code >= FIRST_CODE) {
        return &options[(code - FIRST_CODE) % MOST_OPTIONS];
    }
    for (size_t i = 0; i < n_options; i++) {
        if (options[i].letter == code) {
            return &options[i];
        }
    }
    return NULL;
}

bool options_read(int argc, char **argv, const Option *options, size_t n_options,
                  int *first_operand, uint64_t *given, Error *err) {
    OptionTable table = {0};
    uint64_t found = 0;
    fill_table(&table, options, n_options);
    replace_underscores(argc, argv);
    bool ok = true;
    optind = 0;
    opterr = 0;
    for (int code;
         ok && (code = getopt_long(argc, argv, table.letters, table.longs, NULL)) != -1;) {
        if (code == '?') {
            ok = error_set(err, "unknown option \"%s\"; --help lists them", argv[optind - 1]);
        } else if (code == ':') {
            ok = error_set(err, "option \"%s\" expects a value", argv[optind - 1]);
        } else {
            bool inverted = false;
            const Option *option = find_option(options, n_options, code, &inverted);
            ok = set_option(option, optarg, inverted, err);
            found |= 1ULL << (option - options);
        }
    }
    *first_operand = optind;
    if (given != NULL) {
        *given = found;
    }
    for (size_t i = 0; i < n_options; i++) {
        buffer_free(&table.names[i]);
    }
    return ok;
}

bool options_has(const Option *options, size_t n_options, uint64_t given, const char *name) {
    bool is_given = false;
    for (size_t i = 0; i < n_options; i++) {
        is_given = is_given || ((given & 1ULL << i) != 0 && strcmp(options[i].name, name) == 0);
    }
    return is_given;
}

bool options_refuse_idle(const IdleOption *idle, size_t n_idle, Error *err) {
    for (size_t i = 0; i < n_idle; i++) {
        if (idle[i].is_idle) {
            return error_set(err, "--%s has no effect on %s", idle[i].name, idle[i].on);
        }
    }
    return true;
}

bool options_refuse_given(const Option *options, size_t n_options, uint64_t given,
                          const IdleOption *idle, size_t n_idle, Error *err) {
    for (size_t i = 0; i < n_idle; i++) {
        if (options_has(options, n_options, given, idle[i].name) &&
            !options_refuse_idle(&idle[i], 1, err)) {
            return false;
        }
    }
    return true;
}

void options_print(const Option *options, size_t n_options) {
    static const char *const VALUES[] = {"", " N", " X", " TEXT", " TEXT,...", " TEXT"};
    for (size_t i = 0; i < n_options; i++) {
        const Option *option = &options[i];
        if (option->help == NULL) {
            continue;
        }
        char name[80];
        if (option->letter != '\0') {
            snprintf(name, sizeof name, "-%c, --%s%s", option->letter, option->name,
                     VALUES[option->type]);
        } else {
            const char *no = option->type == OPTION_FLAG ? "[no-]" : "";
            snprintf(name, sizeof name, "    --%s%s%s", no, option->name, VALUES[option->type]);
        }
        output_print("  %-38s %s\n", name, option->help);
    }
}

void option_list_free(OptionList *list) {
    for (int i = 0; i < list->n_texts; i++) {
        free(list->texts[i]);
    }
    free(list->texts);
    *list = (OptionList){0};
}
