// permutation.c - a shuffle as a function: which item stands at a place, without a list in memory.
#include "engine/training/permutation.h"

#include <assert.h>

#include "kernels/random.h"

enum { N_ROUNDS = 6, MAX_HALF_BITS = 31 };

static uint64_t feistel(uint64_t seed, uint32_t purpose, uint64_t round, int half_bits,
                        uint64_t value) {
    const uint64_t mask = ((uint64_t)1 << half_bits) - 1;
    uint64_t left = value >> half_bits;
    uint64_t right = value & mask;
    for (uint32_t i = 0; i < N_ROUNDS; i++) {
        uint64_t mixed = random_bits(seed, purpose + i, round, right << 2);
        uint64_t next = (left ^ mixed) & mask;
        left = right;
        right = next;
    }
    return left << half_bits | right;
}

uint64_t permutation_at(uint64_t seed, uint32_t purpose, uint64_t round, uint64_t n, uint64_t i) {
    assert(i < n);
    int half_bits = 1;
    while (half_bits < MAX_HALF_BITS && (uint64_t)1 << (2 * half_bits) < n) {
        half_bits++;
    }
    uint64_t at = i;
    do {
        at = feistel(seed, purpose, round, half_bits, at);
    } while (at >= n);
    return at;
}
