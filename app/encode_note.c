// encode_note.c - what a tokenizer could not keep of a text, on standard error.
#include "app/encode_note.h"

#include "app/output.h"

void encode_note_say(const EncodeReport *report, const Tokenizer *tokenizer) {
    if (report->n_unknown > 0) {
        char unknown[64] = "<unk>";
        if (tokenizer->unknown_id >= 0) {
            tokenizer_piece_text(tokenizer, tokenizer->unknown_id, unknown, sizeof unknown);
        }
        output_say("attend: characters not in the vocabulary, now %s: %zu, the first \"%s\"",
                   unknown, report->n_unknown, report->first_unknown);
    }
    if (report->n_invalid_bytes > 0) {
        const bool are_kept = tokenizer->kind == TOKENIZER_BYTE_LEVEL;
        output_say("attend: bytes that are not UTF-8, each %s: %zu",
                   are_kept ? "kept as it is" : "read as U+FFFD", report->n_invalid_bytes);
    }
}
