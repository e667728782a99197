// byte_merge_long.c - merges words of any length in n log n time: a row of pieces and a heap of
// pairs.
#include <assert.h>
#include <stdlib.h>

#include "engine/tokenizers/byte_level/byte_merge.h"

// The row has one slot per symbol. A piece keeps its id where it starts and, if it is longer than
// one byte, ~start where it ends, so that both neighbours of a piece are found without further
// links. Slots between are negative.
enum { DEAD = INT32_MIN };

// The heap holds every pair that may be merged next: in a long row only those that come before both
// pairs beside them, of which there are half as many; then a merge may make more of them.
enum { LONG_ROW = 1 << 16, SHORTEST_LONG_ROW = 16 };

typedef struct Row {
    const Merger *merger;
    int32_t *slots;
    uint32_t *ends; // of the piece that starts there; NULL: as its width says
    size_t n;
    uint64_t *heap; // rank << 32 | start, the lowest first; may hold pairs that are gone
    size_t n_heap;
    size_t heap_capacity;
    bool is_long;
} Row;

static size_t piece_end(const Row *row, size_t start) {
    return row->ends != NULL ? row->ends[start] : start + row->merger->widths[row->slots[start]];
}

static const MergePair *pair_at(const Row *row, size_t start) {
    size_t right = piece_end(row, start);
    if (right >= row->n) {
        return NULL;
    }
    return merge_pairs_find(row->merger->pairs, row->slots[start], row->slots[right]);
}

static void sift_down(uint64_t *heap, size_t n, size_t at) {
    uint64_t moved = heap[at];
    for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && heap[child + 1] < heap[child]) {
            child++;
        }
        if (heap[child] >= moved) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static uint64_t heap_entry(const MergePair *pair, size_t start) {
    return (uint64_t)(uint32_t)pair->rank << 32 | start;
}

// A heap of the pairs that are there now. There is room: pairs are fewer than slots, and no two
// side by side both come first.
static void heap_fill(Row *row) {
    const uint64_t none = UINT64_MAX;
    uint64_t before = none;
    uint64_t entry = none; // of the pair before the one at hand
    row->n_heap = 0;
    for (size_t start = 0; start < row->n; start = piece_end(row, start)) {
        const MergePair *pair = pair_at(row, start);
        const uint64_t behind = pair == NULL ? none : heap_entry(pair, start);
        const bool is_first = entry < before && entry < behind;
        if (entry != none && (is_first || !row->is_long)) {
            row->heap[row->n_heap++] = entry;
        }
        before = entry;
        entry = behind;
    }
    for (size_t i = row->n_heap / 2; i > 0; i--) {
        sift_down(row->heap, row->n_heap, i - 1);
    }
}

// Adds the pair that starts here. A full heap is made anew without those that are gone: each time
// at least as many places come free as merges were done, so that this happens log n times; of a
// long row a fifth of the places is free then, and they last for a 24th as many merges as it has
// symbols.
static void heap_push(Row *row, size_t start) {
    const MergePair *pair = pair_at(row, start);
    if (pair == NULL) {
        return;
    }
    if (row->n_heap == row->heap_capacity) {
        heap_fill(row);
        return;
    }
    uint64_t entry = heap_entry(pair, start);
    size_t at = row->n_heap++;
    while (at > 0 && row->heap[(at - 1) / 2] > entry) {
        row->heap[at] = row->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    row->heap[at] = entry;
}

static uint64_t heap_pop(Row *row) {
    uint64_t entry = row->heap[0];
    row->heap[0] = row->heap[--row->n_heap];
    if (row->n_heap > 0) {
        sift_down(row->heap, row->n_heap, 0);
    }
    return entry;
}

static void merge_at(Row *row, size_t start, int32_t id) {
    size_t right = piece_end(row, start);
    size_t end = piece_end(row, right);
    row->slots[right] = DEAD;
    row->slots[start] = id;
    row->slots[end - 1] = ~(int32_t)start;
    if (row->ends != NULL) {
        row->ends[start] = (uint32_t)end;
    }
}

static size_t piece_before(const Row *row, size_t start) {
    const int32_t before = row->slots[start - 1];
    return before < 0 ? (size_t)~before : start - 1;
}

// The new pairs on both sides of the merged piece; and the next ones, which the pairs that are gone
// may have kept back.
static void push_around(Row *row, size_t start) {
    if (start > 0) {
        const size_t before = piece_before(row, start);
        heap_push(row, before);
        if (row->is_long && before > 0) {
            heap_push(row, piece_before(row, before));
        }
    }
    heap_push(row, start);
    const size_t behind = piece_end(row, start);
    if (row->is_long && behind < row->n) {
        heap_push(row, behind);
    }
}

static size_t compact(Row *row) {
    size_t count = 0;
    for (size_t start = 0; start < row->n;) {
        size_t end = piece_end(row, start);
        row->slots[count++] = row->slots[start];
        start = end;
    }
    return count;
}

bool byte_merge_long(const Merger *merger, int32_t *ids, size_t n, size_t *count, Error *err) {
    assert(n > 0 && n < INT32_MAX);
    const size_t longest_short = merger->all_long ? SHORTEST_LONG_ROW : LONG_ROW;
    const bool is_long = n > longest_short;
    const size_t capacity = is_long ? n / 8 * 5 : n;
    Row row = {.merger = merger,
               .slots = ids,
               .n = n,
               .heap = malloc(capacity * sizeof(uint64_t)),
               .heap_capacity = capacity,
               .is_long = is_long};
    row.ends = merger->widths == NULL ? malloc(n * sizeof *row.ends) : NULL;
    if (row.heap == NULL || (row.ends == NULL && merger->widths == NULL)) {
        free(row.ends);
        free(row.heap);
        return error_set(err, "no memory to merge a word of %zu bytes", n);
    }
    for (size_t i = 0; row.ends != NULL && i < n; i++) {
        row.ends[i] = (uint32_t)i + 1;
    }
    heap_fill(&row);
    while (row.n_heap > 0) {
        uint64_t entry = heap_pop(&row);
        size_t start = (uint32_t)entry;
        const MergePair *pair = row.slots[start] < 0 ? NULL : pair_at(&row, start);
        if (pair == NULL || (uint32_t)pair->rank != entry >> 32) {
            continue; // one of the two was merged with another neighbour since
        }
        merge_at(&row, start, pair->id);
        push_around(&row, start);
    }
    *count = compact(&row);
    free(row.ends);
    free(row.heap);
    return true;
}
