// toy.c - the copy toy: all pairs of its five words, and how many of them a model copies.
#include "engine/training/toy.h"

#include <string.h>

#include "engine/generation/decode.h"

enum { START = 1, FIRST_WORD = 3, N_WORDS = 5 };

void toy_pairs(int32_t ids[TOY_PAIRS * TOY_LENGTH]) {
    for (int pair = 0; pair < TOY_PAIRS; pair++) {
        ids[pair * TOY_LENGTH] = START;
        ids[pair * TOY_LENGTH + 1] = FIRST_WORD + pair / N_WORDS;
        ids[pair * TOY_LENGTH + 2] = FIRST_WORD + pair % N_WORDS;
    }
}

bool toy_count_copied(Model *model, Device *device, int *n_copied, Error *err) {
    int32_t pairs[TOY_PAIRS * TOY_LENGTH];
    toy_pairs(pairs);
    *n_copied = 0;
    // It emits no end token: decoding stops at the source's length.
    BeamConfig greedy = {.width = 1, .max_length = TOY_LENGTH - 1, .end_id = -1};
    for (int pair = 0; pair < TOY_PAIRS; pair++) {
        Decoding decoding;
        const int32_t *source = pairs + (size_t)pair * TOY_LENGTH;
        if (!decode_beam(&decoding, model, device, source, TOY_LENGTH, &greedy, err)) {
            return false;
        }
        *n_copied += memcmp(decoding.best[0].ids, source, TOY_LENGTH * sizeof *source) == 0;
        decode_free(&decoding);
    }
    return true;
}
