// command.h - the one vocabulary: keys, the `:` prompt, help, lessons and scripts all speak it.
#ifndef APP_LEARN_COMMAND_H
#define APP_LEARN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

// X(ID, "name", "keys, spaces between", ARGUMENT): how it is called, what presses it, and what may
// follow the name. Its line of help is the text of the same ID, see texts.h.
#define COMMAND_LIST(X)                                                                            \
    /* stepping */                                                                                 \
    X(NEXT, "next", "n", COUNT)                                                                    \
    X(BACK, "back", "p", COUNT)                                                                    \
    X(CONTINUE, "continue", "Space", NONE)                                                         \
    X(INTO, "into", "i", NONE)                                                                     \
    X(OUT, "out", "o", NONE)                                                                       \
    X(OVER, "over", "N", NONE)                                                                     \
    X(OVER_BACK, "over-back", "P", NONE)                                                           \
    X(FIRST, "first", "0 Home", NONE)                                                              \
    X(LAST, "last", "$ End", NONE)                                                                 \
    X(LOSS, "loss", "L", NONE)                                                                     \
    X(GO, "go", "", STAGE)                                                                         \
    X(SHOW, "show", "", STAGE)                                                                     \
    X(SEARCH, "search", "/", TEXT)                                                                 \
    X(SEARCH_NEXT, "search-next", "f", NONE)                                                       \
    X(SEARCH_BACK, "search-back", "F", NONE)                                                       \
    /* cells */                                                                                    \
    X(UP, "up", "Up k", COUNT)                                                                     \
    X(DOWN, "down", "Down j", COUNT)                                                               \
    X(LEFT, "left", "Left h", COUNT)                                                               \
    X(RIGHT, "right", "Right l", COUNT)                                                            \
    X(CELL, "cell", "", CELL)                                                                      \
    X(FOLLOW, "follow", "Enter", NONE)                                                             \
    X(RETURN, "return", "Bksp", NONE)                                                              \
    X(HEAD_BACK, "head-back", ",", NONE)                                                           \
    X(HEAD_NEXT, "head-next", ".", NONE)                                                           \
    X(ITEM_BACK, "item-back", "<", NONE)                                                           \
    X(ITEM_NEXT, "item-next", ">", NONE)                                                           \
    X(LAYER_BACK, "layer-back", "-", NONE)                                                         \
    X(LAYER_NEXT, "layer-next", "+ =", NONE)                                                       \
    X(COPY, "copy", "y", NONE)                                                                     \
    /* panes and views */                                                                          \
    X(VIEW, "view", "v", VIEW)                                                                     \
    X(VIEW_BACK, "view-back", "V", NONE)                                                           \
    X(PANE_NEXT, "pane-next", "Tab", NONE)                                                         \
    X(PANE_BACK, "pane-back", "Shift-Tab", NONE)                                                   \
    X(PAGE_UP, "page-up", "PgUp", NONE)                                                            \
    X(PAGE_DOWN, "page-down", "PgDn", NONE)                                                        \
    X(ZOOM, "zoom", "z", SWITCH)                                                                   \
    X(SPOTLIGHT, "spotlight", "s", SWITCH)                                                         \
    X(BIG, "big", "b", SWITCH)                                                                     \
    X(HEAT, "heat", "H", HEAT)                                                                     \
    X(EXPORT, "export", "x", FILE)                                                                 \
    X(THEME, "theme", "d", THEME)                                                                  \
    X(LANGUAGE, "language", "w", LANGUAGE)                                                         \
    X(HELP, "help", "?", NONE)                                                                     \
    X(STATE, "state", "S", NONE)                                                                   \
    X(REDRAW, "redraw", "Ctrl-L", NONE)                                                            \
    /* changing */                                                                                 \
    X(EDIT, "edit", "e", NUMBER)                                                                   \
    X(UNDO, "undo", "u", NONE)                                                                     \
    X(REDO, "redo", "U", NONE)                                                                     \
    X(RESET, "reset", "r", NONE)                                                                   \
    X(CHANGE, "change", "a", NONE)                                                                 \
    X(MASK, "mask", "m", SWITCH)                                                                   \
    X(SCALE, "scale", "", SWITCH)                                                                  \
    X(RESIDUAL, "residual", "", SWITCH)                                                            \
    X(POSITIONS, "positions", "", SWITCH)                                                          \
    X(NORM, "norm", "", NORM)                                                                      \
    X(HEADS, "heads", "", COUNT)                                                                   \
    X(LAYERS, "layers", "", COUNT)                                                                 \
    X(WIDTH, "width", "", COUNT)                                                                   \
    X(SEED, "seed", "", COUNT)                                                                     \
    X(INPUT, "input", "", TEXT)                                                                    \
    X(OPEN, "open", "", OPEN)                                                                      \
    /* learning and using */                                                                       \
    X(TRAIN, "train", "t", COUNT)                                                                  \
    X(TRAIN_STEP, "train-step", "T", NONE)                                                         \
    X(SCRUB_BACK, "scrub-back", "(", NONE)                                                         \
    X(SCRUB_NEXT, "scrub-next", ")", NONE)                                                         \
    X(COMPARE, "compare", "c", NONE)                                                               \
    X(DECODE, "decode", "g", COUNT)                                                                \
    X(BEAM, "beam", "", COUNT)                                                                     \
    X(TEMPERATURE, "temperature", "", NUMBER)                                                      \
    X(TOP_K, "top-k", "", COUNT)                                                                   \
    X(TOP_P, "top-p", "", NUMBER)                                                                  \
    X(TOKENS, "tokens", "", TEXT)                                                                  \
    /* the program */                                                                              \
    X(PROMPT, "prompt", ":", NONE)                                                                 \
    X(ANSWER, "answer", "", TEXT)                                                                  \
    X(ASIDE, "aside", "Esc", NONE)                                                                 \
    X(LESSON_BACK, "lesson-back", "B", NONE)                                                       \
    X(RESUME, "resume", "R", NONE)                                                                 \
    X(LEAVE, "leave", "q", NONE)                                                                   \
    X(QUIT, "quit", "Q", NONE)

typedef enum CommandId {
#define X(id, name, keys, argument) COMMAND_##id,
    COMMAND_LIST(X)
#undef X
        COMMAND_COUNT,
} CommandId;

typedef enum CommandArgument {
    ARGUMENT_NONE,
    ARGUMENT_COUNT,  // a whole number, may be left out
    ARGUMENT_NUMBER, // a number
    ARGUMENT_STAGE,
    ARGUMENT_CELL, // stage[i,j]
    ARGUMENT_TEXT,
    ARGUMENT_VIEW,
    ARGUMENT_SWITCH, // on, off, or nothing: the other
    ARGUMENT_FILE,
    ARGUMENT_THEME,
    ARGUMENT_LANGUAGE,
    ARGUMENT_HEAT, // linear, row, or nothing: the other
    ARGUMENT_NORM, // pre or post, standard or annotated
    ARGUMENT_OPEN, // preset and options
} CommandArgument;

typedef struct CommandInfo {
    const char *name;
    const char *keys;
    CommandArgument argument;
} CommandInfo;

extern const CommandInfo COMMANDS[COMMAND_COUNT];

// A line as a person types it, taken apart; `rest` points into the line.
typedef struct Command {
    CommandId id;
    const char *rest; // what follows the name, without spaces around; "" for nothing
} Command;

// Fails for an unknown name or an argument that cannot be one, with a sentence that says what is
// expected. Changes line (ends it where spaces follow).
bool command_parse(Command *command, char *line, Error *err);

// The command of a key, COMMAND_COUNT where it has none.
CommandId command_of_key(int key);

// The whole number in rest, or `otherwise` where it is empty.
long command_count(const Command *command, long otherwise);

// 1 for "on", 0 for "off", -1 for nothing.
int command_switch(const Command *command);

// Names that begin with start: at most max are written, how many there are is returned.
int command_complete(const char *start, const char **names, int max);

#endif
