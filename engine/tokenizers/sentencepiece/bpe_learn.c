// bpe_learn.c - finds merge after merge: the pair seen most often, in counted words.
#include "engine/tokenizers/sentencepiece/bpe_learn.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/tokenizer_private.h"

enum { REFRESH_EVERY = 100, BOUNDARY = -1, COVERED = -2 };

// The words one after the other, a boundary around each. A symbol stands in the cell of its first
// character; the cell of its last knows where it begins. Kept in three arrays by cell.
typedef struct Learner {
    BpeSymbols symbols;
    BpeActive active;
    WordCounts chosen; // pieces already learned: one text can be two pairs
    int32_t *head;     // symbol, BOUNDARY or COVERED
    int32_t *start;    // of the symbol that ends here
    uint32_t *weight;  // how often the word stands in the text
    size_t n_cells;
    int32_t *stale; // pairs whose count is to be taken again
    size_t n_stale, stale_capacity;
    bool needs_order; // a tie was met that only the reference's order can decide
    LearnedPieces *pieces;
    LearnedMergeWatcher watcher;
    void *context;
} Learner;

void learned_pieces_append(LearnedPieces *pieces, const char *text, size_t length) {
    if (pieces->n_pieces == pieces->capacity) {
        pieces->capacity = pieces->capacity == 0 ? 1024 : 2 * pieces->capacity;
        pieces->ends = memory_resize(pieces->ends, (size_t)pieces->capacity * sizeof *pieces->ends);
    }
    buffer_append(&pieces->texts, text, length);
    pieces->ends[pieces->n_pieces++] = pieces->texts.length;
}

void learned_pieces_free(LearnedPieces *pieces) {
    buffer_free(&pieces->texts);
    free(pieces->ends);
    *pieces = (LearnedPieces){0};
}

// ---- counts

static bool stands_at(const Learner *learner, const BpeSymbol *pair, int32_t position) {
    if (learner->head[position] != pair->left) {
        return false;
    }
    const uint32_t n_chars = learner->symbols.symbols[pair->left].n_chars;
    return learner->head[(uint32_t)position + n_chars] == pair->right;
}

// Of three equal symbols in a row only one pair can be merged: every other one counts. As in the
// reference, what does not count now is forgotten, even where a later merge would make room for it;
// so it matters when this is done.
static void recount(Learner *learner, int32_t symbol) {
    BpeSymbol *pair = &learner->symbols.symbols[symbol];
    const int32_t n_chars = (int32_t)learner->symbols.symbols[pair->left].n_chars;
    int64_t count = 0;
    uint32_t n_kept = 0;
    int32_t before = -1; // where the last counted pair's right symbol stands
    for (uint32_t i = 0; i < pair->n_positions; i++) {
        const int32_t position = pair->positions[i];
        if (!stands_at(learner, pair, position) || before == position) {
            before = -1;
            continue;
        }
        count += learner->weight[position];
        before = position + n_chars;
        pair->positions[n_kept++] = position;
    }
    pair->n_positions = n_kept;
    pair->is_stale = false;
    if (pair->is_known) {
        learner->symbols.counts[symbol] = count;
    }
}

// Whether three or more of the same symbol stand in a row somewhere: then it matters when the pair
// is counted.
static bool stands_in_rows(const Learner *learner, const BpeSymbol *pair) {
    const int32_t n_chars = (int32_t)learner->symbols.symbols[pair->left].n_chars;
    int32_t right = -1;
    for (uint32_t i = 0; i < pair->n_positions; i++) {
        const int32_t position = pair->positions[i];
        if (stands_at(learner, pair, position)) {
            if (position == right) {
                return true;
            }
            right = position + n_chars;
        }
    }
    return false;
}

static void make_stale(Learner *learner, int32_t symbol) {
    BpeSymbol *pair = &learner->symbols.symbols[symbol];
    if (pair->is_stale) {
        return;
    }
    pair->is_stale = true;
    if (learner->n_stale == learner->stale_capacity) {
        learner->stale_capacity = learner->stale_capacity == 0 ? 64 : 2 * learner->stale_capacity;
        learner->stale =
            memory_resize(learner->stale, learner->stale_capacity * sizeof *learner->stale);
    }
    learner->stale[learner->n_stale++] = symbol;
}

// Counts those in the race again, or all of them.
static void recount_stale(Learner *learner, bool all) {
    size_t n_kept = 0;
    for (size_t i = 0; i < learner->n_stale; i++) {
        const int32_t symbol = learner->stale[i];
        const BpeSymbol *pair = &learner->symbols.symbols[symbol];
        const uint8_t race = learner->symbols.race[symbol];
        const bool in_rows = race == RACE_UNDECIDED && stands_in_rows(learner, pair);
        if (all || race == RACE_ACTIVE || (race == RACE_UNDECIDED && !in_rows)) {
            recount(learner, symbol);
        } else {
            learner->needs_order = learner->needs_order || in_rows;
            learner->stale[n_kept++] = symbol;
        }
    }
    learner->n_stale = n_kept;
}

// ---- the start

static void fill_cells(Learner *learner, const WordCounts *words) {
    learner->n_cells = word_counts_cells(words);
    assert(learner->n_cells < INT32_MAX);
    learner->head = memory_resize(NULL, learner->n_cells * sizeof *learner->head);
    learner->start = memory_resize(NULL, learner->n_cells * sizeof *learner->start);
    learner->weight = memory_resize(NULL, learner->n_cells * sizeof *learner->weight);
    size_t cell = 0;
    for (size_t w = 0; w < words->n_words; w++) {
        const CountedWord *word = &words->words[w];
        const char *bytes = words->bytes.bytes + word->start;
        learner->head[cell++] = BOUNDARY;
        for (size_t i = 0, n = 0; i < word->length; i += n) {
            const int32_t code = utf8_next(bytes + i, word->length - i, &n);
            assert(code >= 0);
            learner->weight[cell] = (uint32_t)word->count;
            learner->head[cell++] = bpe_symbols_of_char(&learner->symbols, code, bytes + i, n);
        }
    }
    learner->head[cell++] = BOUNDARY;
    assert(cell == learner->n_cells);
}

static bool may_pair(const Learner *learner, int32_t left, int32_t right) {
    const int32_t unknown = learner->symbols.of_char[BPE_UNKNOWN_CHAR];
    return left >= 0 && right >= 0 && left != unknown && right != unknown;
}

static void count_first_pairs(Learner *learner) {
    BpeSymbols *symbols = &learner->symbols;
    for (size_t i = 0; i + 1 < learner->n_cells; i++) { // start is free yet: it keeps the pair
        const int32_t left = learner->head[i];
        const int32_t right = learner->head[i + 1];
        learner->start[i] = -1;
        if (!may_pair(learner, left, right)) {
            continue;
        }
        const int32_t pair = bpe_symbols_of_pair(symbols, left, right);
        learner->start[i] = pair;
        if (pair >= 0) {
            symbols->symbols[pair].capacity++;
            symbols->counts[pair] += learner->weight[i];
            if (left == right) {
                make_stale(learner, pair);
            }
        }
    }
    for (int32_t i = 0; i < symbols->n_symbols; i++) {
        BpeSymbol *symbol = &symbols->symbols[i];
        if (symbol->capacity > 0) {
            symbol->positions = memory_resize(NULL, symbol->capacity * sizeof *symbol->positions);
        }
    }
    for (size_t i = 0; i < learner->n_cells; i++) {
        if (i + 1 < learner->n_cells && learner->start[i] >= 0) {
            bpe_symbols_append_position(symbols, learner->start[i], (int32_t)i);
        }
        learner->start[i] = (int32_t)i;
    }
}

// ---- one merge

static void lose_pair(Learner *learner, int32_t left, int32_t right, int32_t best) {
    BpeSymbols *symbols = &learner->symbols;
    if (!may_pair(learner, learner->head[left], learner->head[right])) {
        return;
    }
    const int32_t pair = bpe_symbols_of_pair(symbols, learner->head[left], learner->head[right]);
    if (pair < 0 || pair == best || symbols->symbols[pair].n_positions == 0) {
        return;
    }
    if (learner->head[left] == learner->head[right]) {
        make_stale(learner, pair);
    } else {
        symbols->counts[pair] -= learner->weight[left];
    }
}

static void gain_pair(Learner *learner, int32_t left, int32_t right) {
    BpeSymbols *symbols = &learner->symbols;
    if (!may_pair(learner, learner->head[left], learner->head[right])) {
        return;
    }
    const int32_t pair = bpe_symbols_of_pair(symbols, learner->head[left], learner->head[right]);
    if (pair < 0) {
        return;
    }
    bpe_symbols_append_position(symbols, pair, left);
    if (learner->head[left] == learner->head[right]) {
        make_stale(learner, pair);
    } else {
        symbols->counts[pair] += learner->weight[left];
    }
}

static void merge_at(Learner *learner, int32_t best, int32_t left) {
    const BpeSymbol pair = learner->symbols.symbols[best];
    if (!stands_at(learner, &pair, left)) {
        return;
    }
    const int32_t right = left + (int32_t)learner->symbols.symbols[pair.left].n_chars;
    const int32_t next = left + (int32_t)pair.n_chars;
    const int32_t previous =
        learner->head[left - 1] == BOUNDARY ? left - 1 : learner->start[left - 1];
    lose_pair(learner, previous, left, best);
    lose_pair(learner, right, next, best);
    learner->head[left] = best;
    learner->head[right] = COVERED;
    learner->start[next - 1] = left;
    gain_pair(learner, previous, left);
    gain_pair(learner, left, next);
}

static void merge_everywhere(Learner *learner, int32_t best) {
    BpeSymbols *symbols = &learner->symbols;
    const int32_t n_before = symbols->n_symbols;
    const uint32_t n_positions = symbols->symbols[best].n_positions;
    for (uint32_t i = 0; i < n_positions; i++) {
        merge_at(learner, best, symbols->symbols[best].positions[i]);
    }
    for (int32_t i = n_before; i < symbols->n_symbols; i++) {
        symbols->race[i] = symbols->symbols[i].n_positions > 0 ? RACE_ACTIVE : RACE_OUT;
    }
    recount_stale(learner, false);
    for (int32_t i = n_before; i < symbols->n_symbols; i++) {
        if (symbols->race[i] == RACE_ACTIVE) {
            bpe_active_append(&learner->active, symbols, i);
        }
    }
}

// ---- showing it

static bool beats(const Learner *learner, int32_t a, int32_t b) {
    const int64_t *counts = learner->symbols.counts;
    return counts[a] != counts[b] ? counts[a] > counts[b]
                                  : bpe_symbols_compare(&learner->symbols, a, b) < 0;
}

// The best few pairs of the race, the first first.
static int find_best(Learner *learner, int32_t found[LEARNED_MERGE_CANDIDATES]) {
    int n = 0;
    for (size_t i = 0; i < learner->active.n; i++) {
        const int32_t symbol = learner->active.heap[i].symbol;
        int at = n < LEARNED_MERGE_CANDIDATES ? n++ : LEARNED_MERGE_CANDIDATES;
        while (at > 0 && beats(learner, symbol, found[at - 1])) {
            if (at < LEARNED_MERGE_CANDIDATES) {
                found[at] = found[at - 1];
            }
            at--;
        }
        if (at < LEARNED_MERGE_CANDIDATES) {
            found[at] = symbol;
        }
    }
    return n;
}

static const char *append_text(const BpeSymbols *symbols, int32_t symbol, size_t *end,
                               char *texts) {
    const BpeSymbol *shown = &symbols->symbols[symbol];
    char *text = texts + *end;
    memcpy(text, symbols->texts.bytes + shown->start, shown->length);
    text[shown->length] = '\0';
    *end += shown->length + 1;
    return text;
}

static void watch(Learner *learner) {
    const BpeSymbols *symbols = &learner->symbols;
    int32_t found[LEARNED_MERGE_CANDIDATES] = {0};
    LearnedMerge step = {.number = learner->pieces->n_pieces};
    step.n_candidates = find_best(learner, found);
    size_t size = 0;
    for (int i = 0; i < step.n_candidates; i++) {
        size += 2 * symbols->symbols[found[i]].length + 3;
    }
    char *texts = memory_resize(NULL, size);
    size_t end = 0;
    for (int i = 0; i < step.n_candidates; i++) {
        const BpeSymbol *pair = &symbols->symbols[found[i]];
        step.candidates[i] =
            (MergeCandidate){.piece = append_text(symbols, found[i], &end, texts),
                             .left = append_text(symbols, pair->left, &end, texts),
                             .right = append_text(symbols, pair->right, &end, texts),
                             .count = (uint64_t)symbols->counts[found[i]]};
    }
    if (step.n_candidates > 1 && symbols->counts[found[0]] == symbols->counts[found[1]]) {
        step.reason = symbols->symbols[found[0]].n_chars < symbols->symbols[found[1]].n_chars
                          ? MERGE_BY_LENGTH
                          : MERGE_BY_ORDER;
    }
    learner->watcher(learner->context, &step);
    free(texts);
}

// ---- the whole

// False where it met a tie that only the reference's order can decide.
static bool learn(Learner *learner, int n_wanted) {
    bool (*is_stopped)(void) = learner->symbols.rules->is_stopped;
    while (learner->pieces->n_pieces < n_wanted && (is_stopped == NULL || !is_stopped())) {
        if (learner->pieces->n_pieces % REFRESH_EVERY == 0) {
            recount_stale(learner, true);
            bpe_active_refresh(&learner->active, &learner->symbols);
        }
        const int32_t best = bpe_active_pick(&learner->active, &learner->symbols);
        if (learner->needs_order) {
            return false;
        }
        if (best < 0) {
            return best == -1;
        }
        const BpeSymbol *symbol = &learner->symbols.symbols[best];
        const char *text = learner->symbols.texts.bytes + symbol->start;
        const size_t n_chosen = learner->chosen.n_words;
        word_counts_add(&learner->chosen, text, symbol->length, 1);
        const bool is_new = learner->chosen.n_words > n_chosen;
        if (is_new && learner->watcher != NULL) {
            watch(learner);
        }
        bpe_active_remove_first(&learner->active, &learner->symbols);
        if (is_new) {
            learned_pieces_append(learner->pieces, text, symbol->length);
            merge_everywhere(learner, best);
        }
        bpe_symbols_forget(&learner->symbols, best);
    }
    return true;
}

static bool learn_once(const WordCounts *words, const BpeRules *rules, int n_wanted,
                       bool keeps_order, LearnedPieces *pieces, LearnedMergeWatcher watcher,
                       void *context) {
    Learner learner = {.pieces = pieces, .watcher = watcher, .context = context};
    bpe_symbols_init(&learner.symbols, rules, keeps_order);
    fill_cells(&learner, words);
    count_first_pairs(&learner);
    const bool ok = learn(&learner, n_wanted);
    bpe_symbols_free(&learner.symbols);
    bpe_active_free(&learner.active);
    word_counts_free(&learner.chosen);
    free(learner.head);
    free(learner.start);
    free(learner.weight);
    free(learner.stale);
    return ok;
}

void bpe_learn(const WordCounts *words, const BpeRules *rules, int n_wanted, LearnedPieces *pieces,
               LearnedMergeWatcher watcher, void *context) {
    // A watcher is told each merge once, so it gets the run that never has to begin again.
    if (watcher == NULL && learn_once(words, rules, n_wanted, false, pieces, NULL, NULL)) {
        return;
    }
    learned_pieces_free(pieces);
    const bool ok = learn_once(words, rules, n_wanted, true, pieces, watcher, context);
    assert(ok);
    (void)ok;
}
