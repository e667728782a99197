// playground_private.h - what the files of the playground share.
#ifndef APP_LEARN_PLAYGROUND_PRIVATE_H
#define APP_LEARN_PLAYGROUND_PRIVATE_H

#include "app/learn/playground.h"

enum { PLAYGROUND_MAX_WORDS = 64 };

// A line cut into words at spaces; quotes hold a word together. *n_words gets how many.
bool playground_split(Arena *arena, const char *line, char **words, int *n_words, Error *err);

// The options of an `open` line.
bool playground_read_line(Arena *arena, ModelInput *input, const char *line, Error *err);

#endif
