// sentencepiece_merge.c - puts a row of characters together: lowest rank first, leftmost among
// equals.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/sentencepiece/sentencepiece.h"

enum { SHORT_ROW = 32, NO_MERGE = INT32_MAX };

// ---- short rows: look at all pairs each time

static void close_gap(MergeRow *row, int32_t *made, int at) {
    const size_t after = (size_t)(row->n - at - 1);
    memmove(row->symbols + at, row->symbols + at + 1, after * sizeof *row->symbols);
    memmove(made + at, made + at + 1, after * sizeof *made);
    if (row->lengths != NULL) {
        memmove(row->lengths + at, row->lengths + at + 1, after * sizeof *row->lengths);
    }
    row->n--;
}

static void merge_short(const MergeTables *tables, MergeRow *row, MergeCalled called,
                        void *context) {
    int32_t made[SHORT_ROW]; // by each symbol with the next, -1: nothing
    for (int i = 0; i + 1 < row->n; i++) {
        made[i] = merge_tables_pair(tables, row->symbols[i], row->symbols[i + 1]);
    }
    while (row->n > 1) {
        int best = -1;
        int32_t best_rank = NO_MERGE;
        for (int i = 0; i + 1 < row->n; i++) {
            if (made[i] >= 0 && tables->ranks[made[i]] < best_rank) {
                best = i;
                best_rank = tables->ranks[made[i]];
            }
        }
        if (best < 0) {
            return;
        }
        if (called != NULL) {
            called(context, row, best, made[best]);
        }
        row->symbols[best] = made[best];
        if (row->lengths != NULL) {
            row->lengths[best] += row->lengths[best + 1];
        }
        close_gap(row, made, best + 1);
        if (best > 0) {
            made[best - 1] = merge_tables_pair(tables, row->symbols[best - 1], row->symbols[best]);
        }
        if (best + 1 < row->n) {
            made[best] = merge_tables_pair(tables, row->symbols[best], row->symbols[best + 1]);
        }
    }
}

// ---- long rows: a heap of pairs, and links between the symbols that are left

typedef struct PendingMerge {
    int32_t rank, left, right;
    int32_t made;
} PendingMerge;

typedef struct LongRow {
    const MergeTables *tables;
    MergeRow *row;
    int32_t *previous, *next; // places in the row, -1: none
    PendingMerge *heap;
    size_t n_heap, capacity;
} LongRow;

static bool comes_first(const PendingMerge *a, const PendingMerge *b) {
    return a->rank != b->rank ? a->rank < b->rank : a->left < b->left;
}

static void push(LongRow *whole, int32_t left, int32_t right) {
    if (left < 0 || right < 0) {
        return;
    }
    const int32_t made =
        merge_tables_pair(whole->tables, whole->row->symbols[left], whole->row->symbols[right]);
    if (made < 0) {
        return;
    }
    if (whole->n_heap == whole->capacity) {
        whole->capacity = whole->capacity == 0 ? 256 : 2 * whole->capacity;
        whole->heap = memory_resize(whole->heap, whole->capacity * sizeof *whole->heap);
    }
    const PendingMerge added = {whole->tables->ranks[made], left, right, made};
    size_t at = whole->n_heap++;
    while (at > 0 && comes_first(&added, &whole->heap[(at - 1) / 2])) {
        whole->heap[at] = whole->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    whole->heap[at] = added;
}

static PendingMerge pop(LongRow *whole) {
    const PendingMerge first = whole->heap[0];
    const PendingMerge moved = whole->heap[--whole->n_heap];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < whole->n_heap; at = child) {
        if (child + 1 < whole->n_heap &&
            comes_first(&whole->heap[child + 1], &whole->heap[child])) {
            child++;
        }
        if (!comes_first(&whole->heap[child], &moved)) {
            break;
        }
        whole->heap[at] = whole->heap[child];
    }
    if (whole->n_heap > 0) {
        whole->heap[at] = moved;
    }
    return first;
}

// The row as it stands, without the places that are gone, is what the caller sees.
static void call(const LongRow *whole, const PendingMerge *merge, MergeCalled called,
                 void *context) {
    const MergeRow *row = whole->row;
    MergeRow seen = {.symbols = memory_resize(NULL, (size_t)row->n * sizeof *row->symbols),
                     .lengths = memory_resize(NULL, (size_t)row->n * sizeof *row->lengths)};
    int left = 0;
    for (int32_t i = 0; i >= 0; i = whole->next[i]) {
        if (i == merge->left) {
            left = seen.n;
        }
        seen.symbols[seen.n] = row->symbols[i];
        seen.lengths[seen.n++] = row->lengths == NULL ? 0 : row->lengths[i];
    }
    called(context, &seen, left, merge->made);
    free(seen.symbols);
    free(seen.lengths);
}

static void close_gaps(const LongRow *whole) {
    MergeRow *row = whole->row;
    int n = 0;
    for (int32_t i = 0; i >= 0; i = whole->next[i], n++) {
        row->symbols[n] = row->symbols[i];
        if (row->lengths != NULL) {
            row->lengths[n] = row->lengths[i];
        }
    }
    row->n = n;
}

static void merge_long(const MergeTables *tables, MergeRow *row, MergeCalled called,
                       void *context) {
    LongRow whole = {.tables = tables, .row = row};
    const size_t n = (size_t)row->n;
    whole.previous = memory_resize(NULL, 2 * n * sizeof *whole.previous);
    whole.next = whole.previous + n;
    for (int32_t i = 0; i < row->n; i++) {
        whole.previous[i] = i - 1;
        whole.next[i] = i + 1 < row->n ? i + 1 : -1;
    }
    for (int32_t i = 0; i + 1 < row->n; i++) {
        push(&whole, i, i + 1);
    }
    while (whole.n_heap > 0) {
        const PendingMerge merge = pop(&whole);
        const int32_t left = merge.left;
        const int32_t right = merge.right;
        if (row->symbols[left] < 0 || whole.next[left] != right ||
            merge_tables_pair(tables, row->symbols[left], row->symbols[right]) != merge.made) {
            continue; // one of the two has been merged meanwhile
        }
        if (called != NULL) {
            call(&whole, &merge, called, context);
        }
        row->symbols[left] = merge.made;
        row->symbols[right] = -1;
        if (row->lengths != NULL) {
            row->lengths[left] += row->lengths[right];
        }
        whole.next[left] = whole.next[right];
        if (whole.next[left] >= 0) {
            whole.previous[whole.next[left]] = left;
        }
        push(&whole, whole.previous[left], left);
        push(&whole, left, whole.next[left]);
    }
    close_gaps(&whole);
    free(whole.previous);
    free(whole.heap);
}

void merge_row(const MergeTables *tables, MergeRow *row, MergeCalled called, void *context) {
    if (row->n <= SHORT_ROW) {
        merge_short(tables, row, called, context);
    } else {
        merge_long(tables, row, called, context);
    }
}
