// byte_merge.c - byte-pair encoding: which pairs merge, and merging one word (Sennrich et al.
// 2016).
#include "engine/tokenizers/byte_level/byte_merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NEVER = INT32_MAX };

// ---- short words: look for the lowest rank again after each merge

static int32_t rank_of(const MergePair *pair) {
    return pair == NULL ? NEVER : pair->rank;
}

// The pair of lowest rank among n - 1, the leftmost of equal ones; -1: nothing merges.
static int lowest(const int32_t *ranks, int n) {
    int best = -1;
    int32_t rank = NEVER;
    for (int i = 0; i + 1 < n; i++) {
        if (ranks[i] < rank) {
            rank = ranks[i];
            best = i;
        }
    }
    return best;
}

int byte_merge_short(const MergePairs *pairs, int32_t *ids, int n) {
    assert(n <= BYTE_MERGE_SHORT);
    int32_t ranks[BYTE_MERGE_SHORT];
    int32_t made[BYTE_MERGE_SHORT];
    for (int i = 0; i + 1 < n; i++) {
        const MergePair *pair = merge_pairs_find(pairs, ids[i], ids[i + 1]);
        ranks[i] = rank_of(pair);
        made[i] = pair == NULL ? 0 : pair->id;
    }
    for (int best = lowest(ranks, n); best >= 0; best = lowest(ranks, n)) {
        ids[best] = made[best];
        n--;
        size_t tail_bytes = (size_t)(n - best - 1) * sizeof *ids;
        memmove(ids + best + 1, ids + best + 2, tail_bytes);
        memmove(ranks + best, ranks + best + 1, tail_bytes);
        memmove(made + best, made + best + 1, tail_bytes);
        for (int i = best > 0 ? best - 1 : 0; i <= best && i + 1 < n; i++) {
            const MergePair *pair = merge_pairs_find(pairs, ids[i], ids[i + 1]);
            ranks[i] = rank_of(pair);
            made[i] = pair == NULL ? 0 : pair->id;
        }
    }
    return n;
}

// ---- with a watcher

static const MergePair *lowest_pair(const Merger *merger, const int32_t *ids, size_t n,
                                    size_t *at) {
    const MergePair *best = NULL;
    for (size_t i = 0; i + 1 < n; i++) {
        const MergePair *pair = merge_pairs_find(merger->pairs, ids[i], ids[i + 1]);
        if (rank_of(pair) < rank_of(best)) {
            best = pair;
            *at = i;
        }
    }
    return best;
}

void byte_merge_watched(const Merger *merger, const char *text, int *starts, int32_t *ids, size_t n,
                        size_t *count, MergeWatcher watcher, void *context) {
    assert(n < INT32_MAX);
    const int length = starts[n];
    size_t at = 0;
    for (const MergePair *pair = lowest_pair(merger, ids, n, &at); pair != NULL;
         pair = lowest_pair(merger, ids, n, &at)) {
        MergeStep step = {
            .text = text,
            .left_start = starts[at],
            .left_end = starts[at + 1],
            .right_end = starts[at + 2],
            .rank = pair->rank,
            .starts = starts,
            .n_pieces = (int)n,
            .text_length = length,
            .id = pair->id,
        };
        watcher(context, &step);
        ids[at] = pair->id;
        n--;
        memmove(ids + at + 1, ids + at + 2, (n - at - 1) * sizeof *ids);
        memmove(starts + at + 1, starts + at + 2, (n - at) * sizeof *starts);
    }
    *count = n;
}
