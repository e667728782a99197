// bpe_active.c - the pairs that may become the next merge, and which of them wins.
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/sentencepiece/bpe_learn.h"

enum { LEAST_ACTIVE = 1000 };
static const float ACTIVE_SHARE = 0.05F;

// ---- a heap whose first is the winner

static bool wins(const BpeSymbols *symbols, BpeCandidate a, BpeCandidate b) {
    if (a.count != b.count) {
        return a.count > b.count;
    }
    return bpe_symbols_compare(symbols, a.symbol, b.symbol) < 0;
}

static void sink(BpeActive *active, const BpeSymbols *symbols, size_t at) {
    const BpeCandidate moved = active->heap[at];
    for (size_t child; (child = 2 * at + 1) < active->n; at = child) {
        if (child + 1 < active->n && wins(symbols, active->heap[child + 1], active->heap[child])) {
            child++;
        }
        if (!wins(symbols, active->heap[child], moved)) {
            break;
        }
        active->heap[at] = active->heap[child];
    }
    active->heap[at] = moved;
}

static void put(BpeActive *active, BpeSymbols *symbols, int32_t symbol) {
    symbols->race[symbol] = RACE_ACTIVE;
    if (active->n == active->capacity) {
        active->capacity = active->capacity == 0 ? 2048 : 2 * active->capacity;
        active->heap = memory_resize(active->heap, active->capacity * sizeof *active->heap);
    }
    active->heap[active->n++] = (BpeCandidate){.count = symbols->counts[symbol], .symbol = symbol};
}

void bpe_active_append(BpeActive *active, BpeSymbols *symbols, int32_t symbol) {
    put(active, symbols, symbol);
    const BpeCandidate added = active->heap[active->n - 1];
    size_t at = active->n - 1;
    while (at > 0 && wins(symbols, added, active->heap[(at - 1) / 2])) {
        active->heap[at] = active->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    active->heap[at] = added;
}

void bpe_active_remove_first(BpeActive *active, const BpeSymbols *symbols) {
    active->heap[0] = active->heap[--active->n];
    if (active->n > 0) {
        sink(active, symbols, 0);
    }
}

int32_t bpe_active_pick(BpeActive *active, const BpeSymbols *symbols) {
    while (active->n > 0) {
        BpeCandidate *first = &active->heap[0];
        if (first->count == symbols->counts[first->symbol]) {
            return first->count <= active->undecided ? -2 : first->symbol;
        }
        first->count = symbols->counts[first->symbol];
        sink(active, symbols, 0);
    }
    return active->undecided >= 0 ? -2 : -1;
}

void bpe_active_free(BpeActive *active) {
    free(active->heap);
    *active = (BpeActive){0};
}

// ---- choosing the set

// The count that stands at position rank once counts are sorted, the largest first. Reorders them.
static int64_t count_at_rank(int64_t *counts, size_t n, size_t rank) {
    size_t low = 0;
    size_t high = n - 1;
    while (low < high) {
        const int64_t pivot = counts[low + (high - low) / 2];
        size_t i = low;
        size_t j = high;
        while (i <= j) {
            while (counts[i] > pivot) {
                i++;
            }
            while (counts[j] < pivot) {
                j--;
            }
            if (i > j) {
                break;
            }
            const int64_t swapped = counts[i];
            counts[i++] = counts[j];
            counts[j] = swapped;
            if (j == 0) {
                break;
            }
            j--;
        }
        if (rank <= j && j < high) {
            high = j;
        } else if (rank >= i) {
            low = i;
        } else {
            return counts[rank];
        }
    }
    return counts[rank];
}

// Which of the tied pairs stay is left open.
static void choose_by_count(BpeActive *active, BpeSymbols *symbols, size_t limit) {
    int64_t *counts = memory_resize(NULL, (size_t)symbols->n_symbols * sizeof *counts);
    size_t n = 0;
    for (int32_t i = 0; i < symbols->n_symbols; i++) {
        if (symbols->counts[i] >= 0) {
            counts[n++] = symbols->counts[i];
        }
    }
    int64_t least = 0;
    active->undecided = -1;
    if (n > limit) {
        const int64_t last = count_at_rank(counts, n, limit - 1);
        size_t n_ties = 0;
        size_t n_above = 0;
        for (size_t i = 0; i < n; i++) {
            n_above += counts[i] > last;
            n_ties += counts[i] == last;
        }
        const bool all_ties_stay = n_above + n_ties == limit;
        least = all_ties_stay ? last : last + 1;
        active->undecided = all_ties_stay ? -1 : last;
    }
    free(counts);
    for (int32_t i = 0; i < symbols->n_symbols; i++) {
        if (symbols->counts[i] >= least) {
            put(active, symbols, i);
        } else if (symbols->counts[i] >= 0 && symbols->counts[i] == active->undecided) {
            symbols->race[i] = RACE_UNDECIDED;
        }
    }
}

// Moves the hole at `at` down to a leaf along the rarer children, then value up from there: the
// order of steps in which the C++ library's heaps do it, which decides where ties end.
static void settle(const int64_t *counts, int32_t *heap, size_t n, size_t at, int32_t value) {
    const size_t top = at;
    size_t child = at;
    while (2 * child + 2 < n) {
        child = 2 * child + 2;
        if (counts[heap[child]] > counts[heap[child - 1]]) {
            child--;
        }
        heap[at] = heap[child];
        at = child;
    }
    if (2 * child + 2 == n) {
        heap[at] = heap[2 * child + 1];
        at = 2 * child + 1;
    }
    while (at > top && counts[heap[(at - 1) / 2]] > counts[value]) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = value;
}

static void choose_in_order(BpeActive *active, BpeSymbols *symbols, size_t limit) {
    int32_t *pairs = memory_resize(NULL, (size_t)symbols->n_symbols * sizeof *pairs);
    size_t n = 0;
    for (int32_t node = symbols->order.next[0]; node >= 0; node = symbols->order.next[node]) {
        if (symbols->symbols[node - 1].left >= 0) {
            pairs[n++] = node - 1;
        }
    }
    if (n > limit) {
        for (size_t i = limit / 2; i > 0; i--) {
            settle(symbols->counts, pairs, limit, i - 1, pairs[i - 1]);
        }
        for (size_t i = limit; i < n; i++) {
            if (symbols->counts[pairs[i]] > symbols->counts[pairs[0]]) {
                settle(symbols->counts, pairs, limit, 0, pairs[i]);
            }
        }
        n = limit;
    }
    active->undecided = -1;
    for (size_t i = 0; i < n; i++) {
        put(active, symbols, pairs[i]);
    }
    free(pairs);
}

void bpe_active_refresh(BpeActive *active, BpeSymbols *symbols) {
    const size_t share = (size_t)((float)symbols->n_known * ACTIVE_SHARE);
    const size_t limit = share > LEAST_ACTIVE ? share : LEAST_ACTIVE;
    active->n = 0;
    if (symbols->n_symbols > 0) {
        memset(symbols->race, RACE_OUT, (size_t)symbols->n_symbols);
    }
    if (symbols->n_symbols == 0) {
        active->undecided = -1;
    } else if (symbols->keeps_order) {
        choose_in_order(active, symbols, limit);
    } else {
        choose_by_count(active, symbols, limit);
    }
    for (size_t i = active->n / 2; i > 0; i--) {
        sink(active, symbols, i - 1);
    }
}
