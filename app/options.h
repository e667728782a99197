// options.h - a command's long options as a table: name, type, and where the value goes.
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

typedef enum OptionType {
    OPTION_FLAG,  // bool: --name, --no-name, --name=true, --name=false
    OPTION_INT,   // int
    OPTION_REAL,  // double
    OPTION_TEXT,  // const char *
    OPTION_LIST,  // OptionList: repeated, or with commas between
    OPTION_TEXTS, // OptionList: repeated, each as it is
} OptionType;

typedef struct OptionList {
    char **texts; // n_texts
    int n_texts;
} OptionList;

typedef struct Option {
    const char *name;
    char letter; // short form, '\0': none
    OptionType type;
    void *value;
    const char *help; // NULL: an alias, not shown
} Option;

// Reads argv; underscores in names count as hyphens. *first_operand is the place of the first that
// is no option (operands are moved to the end). *given (may be NULL) gets a bit for each option
// that stands there. A wrong one: false, with a sentence.
bool options_read(int argc, char **argv, const Option *options, size_t n_options,
                  int *first_operand, uint64_t *given, Error *err);

bool options_has(const Option *options, size_t n_options, uint64_t given, const char *name);

// An option that has no effect on what the command was told to do.
typedef struct IdleOption {
    const char *name;
    bool is_idle;
    const char *on;
} IdleOption;

// Refuse the first idle one; of a table of options, the first idle one that was given.
bool options_refuse_idle(const IdleOption *idle, size_t n_idle, Error *err);
bool options_refuse_given(const Option *options, size_t n_options, uint64_t given,
                          const IdleOption *idle, size_t n_idle, Error *err);

// One line an option, for --help.
void options_print(const Option *options, size_t n_options);
void option_list_free(OptionList *list);

#endif
