// encode_note.h - what a tokenizer could not keep of a text, on standard error.
#ifndef APP_ENCODE_NOTE_H
#define APP_ENCODE_NOTE_H

#include "engine/tokenizers/tokenizer.h"

// A line for characters that the vocabulary lacks, and one for bytes that are not UTF-8; none where
// nothing was lost.
void encode_note_say(const EncodeReport *report, const Tokenizer *tokenizer);

#endif
