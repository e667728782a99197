// token_print.h - tokens on the terminal: pieces in alternating colours, ids beneath, merges one by
// one.
#ifndef APP_COMMANDS_TOKEN_PRINT_H
#define APP_COMMANDS_TOKEN_PRINT_H

#include <stdbool.h>

#include "engine/tokenizers/tokenizer.h"

typedef struct TokenPrinter {
    const Tokenizer *tokenizer; // set by the caller
    bool prints_pieces, prints_ids;
    bool has_colour;
    int width;   // of the terminal, 0: no terminal, lines are not broken
    int n_steps; // merges printed so far
} TokenPrinter;

// "both", "pieces" or "ids".
bool token_print_knows(const char *format);
void token_print_init(TokenPrinter *printer, const char *format);
void token_print_ids(TokenPrinter *printer, const TokenIds *ids);

// A MergeWatcher whose context is the printer; started anew for each text.
void token_print_start_steps(TokenPrinter *printer);
void token_print_step(void *context, const MergeStep *step);

#endif
