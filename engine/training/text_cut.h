// text_cut.h - where texts part: blank lines between them, and places inside a long one at which
// its tokens do not change.
#ifndef ENGINE_TRAINING_TEXT_CUT_H
#define ENGINE_TRAINING_TEXT_CUT_H

#include <stdbool.h>
#include <stddef.h>

// The first blank line of text: the offset of the line end before it, *blank_bytes up to the last
// line end of the run (a blank line may hold spaces, tabs and carriage returns). false: there is
// none, or it is not known yet, since text ends inside what may become one.
bool text_cut_find_blank(const char *text, size_t length, size_t *offset, size_t *blank_bytes);

// Where the first part of text ends, 1 to most; most < length. It is the last place where the
// tokens of both parts, encoded apart, are those of the whole: one space, after something else and
// before a letter, since the patterns of all byte-level tokenizers part words there, and
// SentencePiece its ▁. Without one: a single line end before a letter, then any white space, then
// between two characters.
size_t text_cut_end(const char *text, size_t length, size_t most);

// The same inside a line that is to be learned from: behind its last space up to most, else between
// two characters.
size_t text_cut_line(const char *line, size_t length, size_t most);

#endif
