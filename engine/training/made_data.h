// made_data.h - data that a rule makes: pairs that need no file, named by a preset's "data".
#ifndef ENGINE_TRAINING_MADE_DATA_H
#define ENGINE_TRAINING_MADE_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/buffer.h"

typedef struct MadeData {
    const char *name;
    uint64_t n_pairs;      // that a run learns from, those that it holds out among them
    uint64_t n_unseen;     // the pairs after them, for an evaluation: no run has seen them
    int held_out_every;    // one pair in so many is held out; 0: none
    bool has_end;          // sentences end with a mark; else where their source ends
    int shortest, longest; // words of a source: each length in turn, from pair 0 on; 0: no rule
    // Appends pair `number` as a line: source, tab, target.
    void (*append)(uint64_t number, Buffer *lines);
} MadeData;

// NULL where no data of this name is made.
const MadeData *made_data_find(const char *name);

#endif
