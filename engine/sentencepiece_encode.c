// sentencepiece_encode.c - a text's ids: normalized, cut where no piece reaches across, merged,
// remembered.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sentencepiece.h"

enum { LEAST_SLOTS = 256, MOST_SLOTS = 1 << 16, LONGEST_REMEMBERED = 255 };

// A stretch that was encoded before: where it stands in the text and in the ids.
typedef struct Remembered {
    uint64_t hash;
    size_t start;
    size_t first_id;
    uint32_t length;
    uint32_t n_ids;
} Remembered;

typedef struct EncodeRun {
    const Tokenizer *tokenizer;
    const SentencePiece *own;
    const char *text; // normalized
    size_t length;
    TokenIds *ids;
    EncodeReport *report;
    MergeRow row; // of the stretch at hand
    int capacity;
    size_t start; // where it begins
    uint64_t hash;
    bool after_unknown;
    Remembered *slots;
    size_t n_slots; // a power of two
} EncodeRun;

static bool is_frozen(const EncodeRun *run) {
    return run->own->normalizer.verbatim.n_symbols > 0;
}

static void say_unknown(EncodeRun *run, const char *bytes, size_t length) {
    if (run->report == NULL) {
        return;
    }
    if (run->report->n_unknown++ == 0) {
        tokenizer_clean(bytes, length, run->report->first_unknown,
                        sizeof run->report->first_unknown);
    }
}

// Bytes that no piece spells: one byte piece each, or <unk> once for a whole run of them.
static void append_unknown(EncodeRun *run, const char *bytes, size_t length) {
    const SentencePiece *own = run->own;
    if (own->byte_fallback) {
        for (size_t i = 0; i < length; i++) {
            const int id = own->byte_ids[(unsigned char)bytes[i]];
            token_ids_append(run->ids, id >= 0 ? id : run->tokenizer->unknown_id);
        }
        return;
    }
    say_unknown(run, bytes, length);
    if (!run->after_unknown) {
        token_ids_append(run->ids, run->tokenizer->unknown_id);
    }
    run->after_unknown = true;
}

static void append_symbol(EncodeRun *run, int32_t symbol, const char *bytes, size_t length) {
    if (symbol >= run->own->tables.n_pieces) {
        append_unknown(run, bytes, length);
        return;
    }
    token_ids_append(run->ids, symbol);
    run->after_unknown = symbol == run->tokenizer->unknown_id;
}

// ---- stretches

static void append_row(EncodeRun *run) {
    const char *bytes = run->text + run->start;
    for (int i = 0; i < run->row.n; i++) {
        append_symbol(run, run->row.symbols[i], bytes, (size_t)run->row.lengths[i]);
        bytes += run->row.lengths[i];
    }
}

static bool append_remembered(EncodeRun *run, const Remembered *slot, size_t length) {
    if (slot->hash != run->hash || slot->length != length ||
        memcmp(run->text + slot->start, run->text + run->start, length) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < slot->n_ids; i++) {
        token_ids_append(run->ids, run->ids->ids[slot->first_id + i]);
    }
    run->after_unknown = false;
    return true;
}

static void finish_stretch(EncodeRun *run, size_t end) {
    if (run->row.n == 0) {
        return;
    }
    const size_t length = end - run->start;
    if (run->row.n == 1) {
        append_symbol(run, run->row.symbols[0], run->text + run->start, length);
        run->row.n = 0;
        return;
    }
    Remembered *slot = NULL;
    if (run->n_slots > 0 && length <= LONGEST_REMEMBERED) {
        slot = &run->slots[(run->hash ^ run->hash >> 32) & (run->n_slots - 1)];
        if (append_remembered(run, slot, length)) {
            run->row.n = 0;
            return;
        }
    }
    merge_row(&run->own->tables, &run->row, NULL, NULL);
    const size_t first_id = run->ids->count;
    const size_t n_unknown = run->report == NULL ? 0 : run->report->n_unknown;
    const bool was_after_unknown = run->after_unknown;
    append_row(run);
    // What holds an unknown depends on what stands before it.
    const bool is_whole = !run->after_unknown && !was_after_unknown &&
                          (run->report == NULL || run->report->n_unknown == n_unknown);
    if (slot != NULL && is_whole) {
        *slot = (Remembered){.hash = run->hash,
                             .start = run->start,
                             .first_id = first_id,
                             .length = (uint32_t)length,
                             .n_ids = (uint32_t)(run->ids->count - first_id)};
    }
    run->row.n = 0;
}

static void add_char(EncodeRun *run, int32_t symbol, size_t start, size_t length) {
    if (run->row.n == 0) {
        run->start = start;
        run->hash = 0;
    }
    if (run->row.n == run->capacity) {
        run->capacity = run->capacity == 0 ? 64 : 2 * run->capacity;
        const size_t size = (size_t)run->capacity * sizeof *run->row.symbols;
        run->row.symbols = memory_resize(run->row.symbols, size);
        run->row.lengths = memory_resize(run->row.lengths, size);
    }
    run->row.symbols[run->row.n] = symbol;
    run->row.lengths[run->row.n++] = (int32_t)length;
    run->hash = (run->hash ^ (uint32_t)symbol) * 0x9e3779b97f4a7c15U;
    run->hash ^= run->hash >> 29;
}

// Cuts between characters that stand side by side in no piece: no merge can reach across.
static void run_stretches(EncodeRun *run) {
    const MergeTables *tables = &run->own->tables;
    int32_t before = -1;
    for (size_t i = 0, n = 0; i < run->length; i += n) {
        const char *bytes = run->text + i;
        if (is_frozen(run)) {
            n = symbol_set_match(&run->own->normalizer.verbatim, bytes, run->length - i);
            if (n > 0) {
                finish_stretch(run, i);
                append_symbol(run, tokenizer_find(run->tokenizer, bytes, n), bytes, n);
                before = -1;
                continue;
            }
        }
        const int32_t code = tokenizer_next_char(bytes, run->length - i, &n);
        const int32_t symbol = code < 0 ? -1 : merge_tables_char(tables, code);
        if (before < 0 || symbol < 0 || !merge_tables_neighbours(tables, before, symbol)) {
            finish_stretch(run, i);
        }
        if (symbol < 0) {
            append_unknown(run, bytes, n);
        } else {
            add_char(run, symbol, i, n);
        }
        before = symbol;
    }
    finish_stretch(run, run->length);
}

// ---- watched: the whole text as one row, so that merges come in their true order

typedef struct WatchedRun {
    const EncodeRun *run;
    MergeWatcher watcher;
    void *context;
    int *starts;
} WatchedRun;

static void show_merge(void *context, const MergeRow *row, int left, int32_t made) {
    const WatchedRun *watched = context;
    int at = 0;
    for (int i = 0; i < row->n; i++) {
        watched->starts[i] = at;
        at += row->lengths[i];
    }
    const int left_start = watched->starts[left];
    const int left_end = left_start + row->lengths[left];
    const MergeStep step = {.text = watched->run->text,
                            .left_start = left_start,
                            .left_end = left_end,
                            .right_end = left_end + row->lengths[left + 1],
                            .rank = watched->run->own->tables.ranks[made],
                            .starts = watched->starts,
                            .n_pieces = row->n,
                            .text_length = (int)watched->run->length,
                            .id = made};
    watched->watcher(watched->context, &step);
}

// Symbols from n_symbols on merge with nothing: user-defined ones by their id, then the unknown.
static void fill_whole_row(EncodeRun *run) {
    const MergeTables *tables = &run->own->tables;
    for (size_t i = 0, n = 0; i < run->length; i += n) {
        const char *bytes = run->text + i;
        n = symbol_set_match(&run->own->normalizer.verbatim, bytes, run->length - i);
        if (n > 0) {
            const int id = tokenizer_find(run->tokenizer, bytes, n);
            add_char(run, tables->n_symbols + id, i, n);
            continue;
        }
        const int32_t code = tokenizer_next_char(bytes, run->length - i, &n);
        const int32_t symbol = code < 0 ? -1 : merge_tables_char(tables, code);
        add_char(run, symbol >= 0 ? symbol : tables->n_symbols + tables->n_pieces, i, n);
    }
}

static void run_watched(EncodeRun *run, MergeWatcher watcher, void *context) {
    fill_whole_row(run);
    if (run->row.n == 0) {
        return;
    }
    run->start = 0;
    WatchedRun watched = {.run = run, .watcher = watcher, .context = context};
    watched.starts = memory_resize(NULL, (size_t)run->row.n * sizeof *watched.starts);
    merge_row(&run->own->tables, &run->row, show_merge, &watched);
    free(watched.starts);
    const int n_symbols = run->own->tables.n_symbols;
    for (int i = 0; i < run->row.n; i++) {
        const int32_t symbol = run->row.symbols[i];
        if (symbol >= n_symbols && symbol < n_symbols + run->own->tables.n_pieces) {
            run->row.symbols[i] = symbol - n_symbols;
        }
    }
    append_row(run);
}

// ---- the whole

static bool check_length(size_t length, Error *err) {
    return length < INT32_MAX ||
           error_set(err, "a text of %zu bytes: expected less than 2 GiB at a time", length);
}

bool sentencepiece_encode(const Tokenizer *tokenizer, const char *text, size_t length,
                          TokenIds *ids, EncodeReport *report, MergeWatcher watcher, void *context,
                          Error *err) {
    const SentencePiece *own = tokenizer->detail->of.sentencepiece;
    Buffer normalized = {0};
    size_t n_invalid = 0;
    normalizer_run(&own->normalizer, text, length, &normalized, &n_invalid);
    if (report != NULL) {
        report->n_invalid_bytes = n_invalid;
    }
    if (!check_length(normalized.length, err)) {
        buffer_free(&normalized);
        return false;
    }
    EncodeRun run = {.tokenizer = tokenizer,
                     .own = own,
                     .text = normalized.bytes,
                     .length = normalized.length,
                     .ids = ids,
                     .report = report};
    if (watcher != NULL) {
        run_watched(&run, watcher, context);
    } else {
        if (normalized.length >= 2 * LEAST_SLOTS) {
            for (run.n_slots = LEAST_SLOTS;
                 run.n_slots < MOST_SLOTS && run.n_slots * 4 < normalized.length;) {
                run.n_slots *= 2;
            }
            run.slots = memory_resize(NULL, run.n_slots * sizeof *run.slots);
            memset(run.slots, 0, run.n_slots * sizeof *run.slots);
        }
        run_stretches(&run);
    }
    free(run.slots);
    free(run.row.symbols);
    free(run.row.lengths);
    buffer_free(&normalized);
    return true;
}
