// text_reader.h - the texts of a file, one after the other, in bounded memory.
#ifndef ENGINE_TRAINING_TEXT_READER_H
#define ENGINE_TRAINING_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/training/text_source.h"

// What is read next. A long text comes in several parts, cut where
// their tokens do not change (text_cut_end); begins and ends say which parts are its first and
// last.
typedef struct TextItem {
    const char *text; // valid until the next read; the source of a pair
    size_t length;
    const char *target; // of a pair
    size_t target_length;
    bool begins, ends;
    int64_t line; // of the file, 1 is the first; 0 of a plain text
} TextItem;

typedef struct TextReader {
    TextSource source;
    int descriptor;
    bool is_open;         // the descriptor is; false in a zeroed reader and of made data
    bool at_end;          // nothing more comes from the file
    bool inside;          // the last item did not end its text
    bool after_separator; // what is read next stands right behind one
    bool has_begun;
    char *buffer;
    size_t capacity;
    size_t first; // of what has not been handed out
    size_t end;
    size_t read_bytes; // in all, for progress
    size_t size_bytes; // of the file, 0 where it is not known
    int64_t line;      // of the last line read
    char *field;       // the text of a JSONL line
    uint64_t made;     // pairs made so far
    uint64_t n_blanks; // blank lines (runs of them) inside of plain texts
} TextReader;

bool text_reader_open(TextReader *reader, const TextSource *source, Error *err);
void text_reader_close(TextReader *reader);

// The next item, *found false at the end. Texts are kept as they are; of a plain text file the line
// end before and the one behind a separator, and the one that ends the file, are no part of them.
// Texts of white space alone are passed over. Fails where
// the file cannot be read, and where a line is not of the format, with its number.
bool text_reader_next(TextReader *reader, TextItem *item, bool *found, Error *err);

#endif
