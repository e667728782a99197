// prompt.h - the line that takes commands: editing and history.
#ifndef APP_LEARN_PROMPT_H
#define APP_LEARN_PROMPT_H

#include "app/learn/reply.h"

enum { PROMPT_BYTES = REPLY_LINE_BYTES, PROMPT_HISTORY = 32 };

// X(ID, "keys, spaces between"): what a key does in the line; TEXT_LINE_ID says it in the help.
#define PROMPT_KEY_LIST(X)                                                                         \
    X(RUN, "Enter")                                                                                \
    X(CLOSE, "Esc")                                                                                \
    X(COMPLETE, "Tab")                                                                             \
    X(EARLIER, "Up Ctrl-p")                                                                        \
    X(LATER, "Down Ctrl-n")                                                                        \
    X(START, "Ctrl-a Home")                                                                        \
    X(END, "Ctrl-e End")                                                                           \
    X(BACK, "Left Ctrl-b")                                                                         \
    X(FORWARD, "Right Ctrl-f")                                                                     \
    X(WORD_BACK, "Alt-b Ctrl-Left")                                                                \
    X(WORD_FORWARD, "Alt-f Ctrl-Right")                                                            \
    X(ERASE_BACK, "Bksp")                                                                          \
    X(ERASE, "Del Ctrl-d")                                                                         \
    X(ERASE_WORD_BACK, "Ctrl-w Alt-Bksp")                                                          \
    X(ERASE_WORD, "Alt-d")                                                                         \
    X(ERASE_TO_START, "Ctrl-u")                                                                    \
    X(ERASE_TO_END, "Ctrl-k")                                                                      \
    X(YANK, "Ctrl-y")

typedef enum PromptKey {
#define X(id, keys) PROMPT_##id,
    PROMPT_KEY_LIST(X)
#undef X
        PROMPT_KEY_COUNT,
} PromptKey;

extern const char *const PROMPT_KEYS[PROMPT_KEY_COUNT];

// A zeroed one is closed.
typedef struct Prompt {
    bool is_open;
    char text[PROMPT_BYTES];
    size_t length, cursor; // in bytes
    size_t proposed;       // what stands from here on is replaced by what is typed; 0: nothing is
    char erased[PROMPT_BYTES]; // last, to be put in again
    char history[PROMPT_HISTORY][PROMPT_BYTES];
    int n_history, at; // at: the line of history that is shown, n_history: a new one
    char saved[PROMPT_BYTES];
    char hint[REPLY_BYTES]; // completions, or why a key was not taken
} Prompt;

// What is left to whoever handed the key on.
typedef enum PromptWants {
    PROMPT_WANTS_NOTHING,
    PROMPT_WANTS_RUN,        // the line is whole: prompt->text
    PROMPT_WANTS_COMPLETION, // names for what stands before the cursor
} PromptWants;

// Begins a line, which shows where is_open.
void prompt_begin(Prompt *prompt, const char *start, bool is_open);
// What stands behind the first `proposed` bytes is a proposal: the first character that is typed
// takes its place, any other key leaves it to be changed.
void prompt_propose(Prompt *prompt, size_t proposed);
PromptWants prompt_key(Prompt *prompt, const Reply *reply, int key);

// A pasted text is typed, its line ends as spaces: nothing runs before Enter. What does not fit is
// left out whole, and said.
void prompt_paste(Prompt *prompt, const Reply *reply, const char *text);

// Completes the last word, which begins at `start` in the text, to what n names have in common, and
// lists them; is_command: the only one is followed by a space.
void prompt_complete(Prompt *prompt, const Reply *reply, const char *start,
                     const char *const *names, int n, bool is_command);

#endif
