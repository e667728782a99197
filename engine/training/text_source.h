// text_source.h - where texts come from: a file and its format, or data that is made.
#ifndef ENGINE_TRAINING_TEXT_SOURCE_H
#define ENGINE_TRAINING_TEXT_SOURCE_H

#include <stdbool.h>
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

#endif
