// random.h - every draw is a pure function of (seed, purpose, step, element): Philox4x32-10.
#ifndef KERNELS_RANDOM_H
#define KERNELS_RANDOM_H

#include <stdint.h>

// Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3". Key: the seed. Counter:
// (element low, element high ^ purpose, step low, step high).
static inline void random_philox(uint64_t seed, const uint32_t counter[4], uint32_t out[4]) {
    uint32_t key0 = (uint32_t)seed;
    uint32_t key1 = (uint32_t)(seed >> 32);
    uint32_t c0 = counter[0];
    uint32_t c1 = counter[1];
    uint32_t c2 = counter[2];
    uint32_t c3 = counter[3];
    for (int round = 0; round < 10; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53U * c0;
        uint64_t product1 = (uint64_t)0xCD9E8D57U * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ key0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ key1;
        c3 = (uint32_t)product0;
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

// Four draws in one go: the bits of elements 4*block .. 4*block+3.
static inline void random_block(uint64_t seed, uint32_t purpose, uint64_t step, uint64_t block,
                                uint32_t out[4]) {
    uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32) ^ (purpose * 0x9E3779B1U),
                           (uint32_t)step, (uint32_t)(step >> 32) ^ purpose};
    random_philox(seed, counter, out);
}

// 32 random bits for one element. purpose: which draw this is (a parameter's number, a dropout
// node's).
static inline uint32_t random_bits(uint64_t seed, uint32_t purpose, uint64_t step,
                                   uint64_t element) {
    uint32_t out[4];
    random_block(seed, purpose, step, element / 4, out);
    return out[element % 4];
}

// The element that stands at place i of a batch item: its draw is then the same wherever the item
// lies, in whatever part of a batch. Items have fewer than 2^34 elements, batches fewer than 2^30
// items.
static inline uint64_t random_element(uint64_t item, uint64_t i) {
    return item << 34 | i;
}

// In [0, 1), 24 bits.
static inline float random_uniform(uint64_t seed, uint32_t purpose, uint64_t step,
                                   uint64_t element) {
    return (float)(random_bits(seed, purpose, step, element) >> 8) * 0x1p-24F;
}

#endif
