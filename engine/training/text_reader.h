// text_reader.h - the texts of a file, one after the other, in bounded memory.
#ifndef ENGINE_TRAINING_TEXT_READER_H
#define ENGINE_TRAINING_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/training/made_data.h"

typedef enum TextFormat {
    TEXT_PLAIN, // texts parted by a separator
    TEXT_PAIRS, // a line a pair: source, tab, target
    TEXT_JSONL, // a line a JSON object with a text in one field
} TextFormat;

typedef struct TextSource {
    const char *path; // "-" is standard input; of made data, its name
    TextFormat format;
    const char *separator; // TEXT_PLAIN; NULL is "<|endoftext|>"
    bool paragraphs;       // TEXT_PLAIN: a blank line parts texts too
    const char *field;     // TEXT_JSONL; NULL is "text"
    bool may_interrupt;    // a signal whose handler interrupts ends the reading, with a sentence
    const MadeData *made;  // TEXT_PAIRS: not a file but these pairs, n_made of them from first_made
    uint64_t first_made, n_made;
} TextSource;

#define TEXT_SOURCE_MADE "made:"

// Finds out what path is: data that is made (all that a run learns from), "made:copy", or "copy"
// unless a file has that name; else a file of this format, "text", "tsv" or "jsonl", or, where
// format is NULL, of the one that its name's end says. option names it in a sentence.
bool text_source_choose(TextSource *source, const char *option, const char *format, Error *err);

// Whether it can be read again: made data or a regular file, not standard input or a pipe.
bool text_source_is_lasting(const TextSource *source);

// What is read next. A long text comes in several parts, cut where
// their tokens do not change (text_cut_end); begins and ends say which parts are its first and
// last.
typedef struct TextItem {
    const char *text; // valid until the next read; the source of a pair
    size_t length;
    const char *target; // of a pair
    size_t target_length;
    bool begins, ends;
} TextItem;

typedef struct TextReader {
    TextSource source;
    int descriptor;
    bool is_open; // the descriptor is; false in a zeroed reader and of made data
    bool at_end;  // nothing more comes from the file
    bool inside;  // the last item did not end its text
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

// The next item, *found false at the end. Texts of white space alone are passed over. Fails where
// the file cannot be read, and where a line is not of the format, with its number.
bool text_reader_next(TextReader *reader, TextItem *item, bool *found, Error *err);

#endif
