// command.h - the one vocabulary: keys, the `:` prompt, help, lessons and scripts all speak it.
#ifndef APP_LEARN_COMMAND_H
#define APP_LEARN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

// X(ID, "name", "keys, spaces between", ARGUMENT, NEEDS, part, function, hint): how it is called,
// what presses it, what may follow the name, whether a model has to be open, which part of the
// program carries it out with which function (learn_execute alone calls it), and where its keys
// stand in the line of keys (two of the same number share a place, 0: nowhere). Its line of help
// and the word of its hint are texts of the same ID, see texts.h.
#define COMMAND_LIST(X)                                                                            \
    /* stepping */                                                                                 \
    X(NEXT, "next", "n", COUNT, MODEL, bench, workbench_do_step, 2)                                \
    X(BACK, "back", "p", COUNT, MODEL, bench, workbench_do_step, 2)                                \
    X(CONTINUE, "continue", "Space", NONE, NOTHING, learn, learn_do_continue, 1)                   \
    X(INTO, "into", "i", NONE, MODEL, bench, workbench_do_step, 6)                                 \
    X(OUT, "out", "o", NONE, MODEL, bench, workbench_do_step, 6)                                   \
    X(OVER, "over", "N", NONE, MODEL, bench, workbench_do_step, 0)                                 \
    X(OVER_BACK, "over-back", "P", NONE, MODEL, bench, workbench_do_step, 0)                       \
    X(FIRST, "first", "0 Home", NONE, MODEL, bench, workbench_do_step, 0)                          \
    X(LAST, "last", "$ End G", NONE, MODEL, bench, workbench_do_step, 0)                           \
    X(LOSS, "loss", "L", NONE, MODEL, bench, workbench_do_step, 0)                                 \
    X(GO, "go", "", STAGE, MODEL, bench, workbench_do_go, 0)                                       \
    X(SHOW, "show", "", STAGE, MODEL, bench, workbench_do_go, 0)                                   \
    X(SEARCH, "search", "/", TEXT, NOTHING, learn, learn_do_search, 0)                             \
    X(SEARCH_NEXT, "search-next", "f", NONE, MODEL, learn, learn_do_search, 0)                     \
    X(SEARCH_BACK, "search-back", "F", NONE, MODEL, learn, learn_do_search, 0)                     \
    /* cells */                                                                                    \
    X(UP, "up", "Up k", COUNT, MODEL, screen, screen_do_move, 0)                                   \
    X(DOWN, "down", "Down j", COUNT, MODEL, screen, screen_do_move, 0)                             \
    X(LEFT, "left", "Left h", COUNT, MODEL, screen, screen_do_move, 0)                             \
    X(RIGHT, "right", "Right l", COUNT, MODEL, screen, screen_do_move, 0)                          \
    X(CELL, "cell", "", CELL, MODEL, cursor, cursor_do_cell, 0)                                    \
    X(FOLLOW, "follow", "Enter", NONE, MODEL, screen, screen_do_follow, 4)                         \
    X(RETURN, "return", "Bksp", NONE, MODEL, screen, screen_do_return, 0)                          \
    X(HEAD_BACK, "head-back", ",", NONE, MODEL, cursor, cursor_do_slice, 7)                        \
    X(HEAD_NEXT, "head-next", ".", NONE, MODEL, cursor, cursor_do_slice, 7)                        \
    X(ITEM_BACK, "item-back", "<", NONE, MODEL, cursor, cursor_do_slice, 8)                        \
    X(ITEM_NEXT, "item-next", ">", NONE, MODEL, cursor, cursor_do_slice, 8)                        \
    X(LAYER_BACK, "layer-back", "-", NONE, MODEL, cursor, cursor_do_layer, 0)                      \
    X(LAYER_NEXT, "layer-next", "+ =", NONE, MODEL, cursor, cursor_do_layer, 0)                    \
    X(COPY, "copy", "y", NONE, MODEL, screen, screen_do_copy, 0)                                   \
    /* panes and views */                                                                          \
    X(VIEW, "view", "v", VIEW, NOTHING, screen, screen_do_view, 5)                                 \
    X(VIEW_BACK, "view-back", "V", NONE, NOTHING, screen, screen_do_view, 0)                       \
    X(PANE_NEXT, "pane-next", "Tab", NONE, NOTHING, screen, screen_do_pane, 9)                     \
    X(PANE_BACK, "pane-back", "Shift-Tab", NONE, NOTHING, screen, screen_do_pane, 0)               \
    X(PAGE_UP, "page-up", "PgUp", NONE, NOTHING, screen, screen_do_pane, 0)                        \
    X(PAGE_DOWN, "page-down", "PgDn", NONE, NOTHING, screen, screen_do_pane, 0)                    \
    X(ZOOM, "zoom", "z", SWITCH, NOTHING, screen, screen_do_toggle, 0)                             \
    X(SPOTLIGHT, "spotlight", "s", SWITCH, NOTHING, screen, screen_do_toggle, 0)                   \
    X(BIG, "big", "b", SWITCH, NOTHING, screen, screen_do_toggle, 0)                               \
    X(HEAT, "heat", "H", HEAT, NOTHING, screen, screen_do_heat, 0)                                 \
    X(EXPORT, "export", "x", FILE, NOTHING, screen, screen_do_export, 0)                           \
    X(THEME, "theme", "d", THEME, NOTHING, screen, screen_do_theme, 0)                             \
    X(LANGUAGE, "language", "w", LANGUAGE, NOTHING, learn, learn_do_language, 0)                   \
    X(HELP, "help", "? F1", NONE, NOTHING, screen, screen_do_overlay, 3)                           \
    X(STATE, "state", "S", NONE, NOTHING, learn, learn_do_state, 0)                                \
    X(REDRAW, "redraw", "Ctrl-L", NONE, NOTHING, screen, screen_do_redraw, 0)                      \
    /* changing */                                                                                 \
    X(EDIT, "edit", "e", NUMBER, MODEL, bench, workbench_do_edit, 10)                              \
    X(UNDO, "undo", "u", NONE, MODEL, bench, workbench_do_undo, 0)                                 \
    X(REDO, "redo", "U", NONE, MODEL, bench, workbench_do_undo, 0)                                 \
    X(RESET, "reset", "r", NONE, MODEL, bench, workbench_do_reset, 0)                              \
    X(CHANGE, "change", "a", NONE, NOTHING, screen, screen_do_overlay, 0)                          \
    X(MASK, "mask", "m", SWITCH, MODEL, bench, workbench_do_switch, 11)                            \
    X(SCALE, "scale", "", SWITCH, MODEL, bench, workbench_do_switch, 0)                            \
    X(RESIDUAL, "residual", "", SWITCH, MODEL, bench, workbench_do_switch, 0)                      \
    X(POSITIONS, "positions", "", SWITCH, MODEL, bench, workbench_do_switch, 0)                    \
    X(NORM, "norm", "", NORM, MODEL, bench, workbench_do_size, 0)                                  \
    X(SMOOTHING, "smoothing", "", NUMBER, MODEL, bench, workbench_do_smoothing, 0)                 \
    X(HEADS, "heads", "", COUNT, MODEL, bench, workbench_do_size, 0)                               \
    X(LAYERS, "layers", "", COUNT, MODEL, bench, workbench_do_size, 0)                             \
    X(WIDTH, "width", "", COUNT, MODEL, bench, workbench_do_size, 0)                               \
    X(SEED, "seed", "", COUNT, MODEL, bench, workbench_do_open, 0)                                 \
    X(INPUT, "input", "", TEXT, MODEL, bench, workbench_do_open, 0)                                \
    X(OPEN, "open", "", OPEN, NOTHING, bench, workbench_do_open, 0)                                \
    /* learning and using */                                                                       \
    X(TRAIN, "train", "t", COUNT, MODEL, bench, workbench_do_train, 12)                            \
    X(TRAIN_STEP, "train-step", "T", NONE, MODEL, bench, workbench_do_train, 0)                    \
    X(SLOWER, "slower", "{", NONE, MODEL, bench, workbench_do_pace, 0)                             \
    X(FASTER, "faster", "}", NONE, MODEL, bench, workbench_do_pace, 0)                             \
    X(TRAIN_ALL, "train-all", "E", NONE, MODEL, bench, workbench_do_pace, 0)                       \
    X(SCRUB_BACK, "scrub-back", "(", NONE, MODEL, bench, workbench_do_scrub, 0)                    \
    X(SCRUB_NEXT, "scrub-next", ")", NONE, MODEL, bench, workbench_do_scrub, 0)                    \
    X(SCRUB, "scrub", "", COUNT, MODEL, bench, workbench_do_scrub_to, 0)                           \
    X(COMPARE, "compare", "c", NONE, MODEL, bench, workbench_do_compare, 0)                        \
    X(DECODE, "decode", "g", COUNT, MODEL, bench, workbench_do_decode, 0)                          \
    X(BEAM, "beam", "", COUNT, MODEL, bench, workbench_do_decode, 0)                               \
    X(TEMPERATURE, "temperature", "", NUMBER, MODEL, bench, workbench_do_sampling, 0)              \
    X(TOP_K, "top-k", "", COUNT, MODEL, bench, workbench_do_sampling, 0)                           \
    X(TOP_P, "top-p", "", NUMBER, MODEL, bench, workbench_do_sampling, 0)                          \
    X(TOKENS, "tokens", "", TEXT, MODEL, bench, workbench_do_tokens, 0)                            \
    /* the program */                                                                              \
    X(PROMPT, "prompt", ":", NONE, NOTHING, screen, screen_do_prompt, 13)                          \
    X(ANSWER, "answer", "", TEXT, NOTHING, learn, learn_do_answer, 0)                              \
    X(HINT, "hint", "", NONE, NOTHING, player, player_do_hint, 0)                                  \
    X(ASIDE, "aside", "Esc", NONE, NOTHING, learn, learn_do_aside, 0)                              \
    X(LESSON_BACK, "lesson-back", "B", NONE, NOTHING, player, player_do_back, 0)                   \
    X(RESUME, "resume", "R", NONE, NOTHING, player, player_do_resume, 0)                           \
    X(LEAVE, "leave", "q F10", NONE, NOTHING, learn, learn_do_leave, 14)                           \
    X(QUIT, "quit", "Q", NONE, NOTHING, learn, learn_do_leave, 0)

typedef enum CommandId {
#define X(id, name, keys, argument, needs, part, function, hint) COMMAND_##id,
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

typedef enum CommandNeeds { COMMAND_NEEDS_NOTHING, COMMAND_NEEDS_MODEL } CommandNeeds;

typedef struct CommandInfo {
    const char *name;
    const char *keys;
    CommandArgument argument;
    CommandNeeds needs;
    int hint; // its place in the line of keys, from 1; 0: none
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

// What a number typed before the key of a command does: "10n", "3u".
typedef enum CommandCounts {
    COMMAND_COUNTS_NOTHING, // it takes none
    COMMAND_COUNTS_ITSELF,  // the number is its argument
    COMMAND_COUNTS_TIMES,   // it is carried out so often
} CommandCounts;
CommandCounts command_counts(CommandId id);

// The command of a key, COMMAND_COUNT where it has none.
CommandId command_of_key(int key);

// The whole number in rest, or `otherwise` where it is empty.
long command_count(const Command *command, long otherwise);

// 1 for "on", 0 for "off", -1 for nothing.
int command_switch(const Command *command);

// Names that begin with start: at most max are written, how many there are is returned.
int command_complete(const char *start, const char **names, int max);

#endif
