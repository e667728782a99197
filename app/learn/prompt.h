// prompt.h - the line that takes commands: editing and history.
#ifndef APP_LEARN_PROMPT_H
#define APP_LEARN_PROMPT_H

#include "app/learn/reply.h"

enum { PROMPT_BYTES = REPLY_LINE_BYTES, PROMPT_HISTORY = 32 };

// A zeroed one is closed.
typedef struct Prompt {
    bool is_open;
    char text[PROMPT_BYTES];
    size_t length, cursor; // in bytes
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
PromptWants prompt_key(Prompt *prompt, const Reply *reply, int key);

// A pasted text is typed, its line ends as spaces: nothing runs before Enter. What does not fit is
// left out whole, and said.
void prompt_paste(Prompt *prompt, const Reply *reply, const char *text);

// Completes the last word, which begins at `start` in the text, to what n names have in common, and
// lists them; is_command: the only one is followed by a space.
void prompt_complete(Prompt *prompt, const Reply *reply, const char *start,
                     const char *const *names, int n, bool is_command);

#endif
