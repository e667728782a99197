// permutation.h - a shuffle as a function: which item stands at a place, without a list in memory.
#ifndef ENGINE_TRAINING_PERMUTATION_H
#define ENGINE_TRAINING_PERMUTATION_H

#include <stdint.h>

// The item at place i (both from 0 to n - 1) of shuffle number `round` of a seed: every item once.
// A Feistel network (Luby and Rackoff 1988) whose round function is Philox; a result beyond n is
// put in again until it is not (cycle walking, Black and Rogaway 2002). purpose tells shuffles of
// one seed apart.
uint64_t permutation_at(uint64_t seed, uint32_t purpose, uint64_t round, uint64_t n, uint64_t i);

#endif
