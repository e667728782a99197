// sentencepiece_encode.c - a text's ids: normalized, cut where no piece reaches across, merged,
// remembered.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/sentencepiece/sentencepiece.h"

enum { N_SLOTS = 1 << 14 };

typedef struct EncodeRun {
    const Tokenizer *tokenizer;
    const SentencePiece *own;
    const char *text; // normalized, with room for eight bytes to be read behind it
    size_t length;
    TokenIds *ids;
    EncodeReport *report;
    RememberedStretch *slots; // NULL: nothing is remembered
    MergeRow row;             // of the stretch at hand
    int capacity;
    bool after_unknown;
    size_t n_spelled; // characters without a piece
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
    run->n_spelled++;
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

static void append_row(EncodeRun *run, size_t start) {
    const char *bytes = run->text + start;
    for (int i = 0; i < run->row.n; i++) {
        append_symbol(run, run->row.symbols[i], bytes, (size_t)run->row.lengths[i]);
        bytes += run->row.lengths[i];
    }
}

static void add_symbol(EncodeRun *run, int32_t symbol, size_t length) {
    if (run->row.n == run->capacity) {
        run->capacity = run->capacity == 0 ? 64 : 2 * run->capacity;
        const size_t size = (size_t)run->capacity * sizeof *run->row.symbols;
        run->row.symbols = memory_resize(run->row.symbols, size);
        run->row.lengths = memory_resize(run->row.lengths, size);
    }
    run->row.symbols[run->row.n] = symbol;
    run->row.lengths[run->row.n++] = (int32_t)length;
}

static void merge_stretch(EncodeRun *run, size_t start, size_t end) {
    run->row.n = 0;
    for (size_t i = start, n = 0; i < end; i += n) {
        const int32_t code = utf8_next(run->text + i, end - i, &n);
        add_symbol(run, merge_tables_char(&run->own->tables, code), n);
    }
    merge_row(&run->own->tables, &run->row, NULL, NULL);
    append_row(run, start);
}

static uint64_t load_bytes(const char *bytes, size_t length) {
    if (length == 0) {
        return 0;
    }
    uint64_t loaded;
    memcpy(&loaded, bytes, sizeof loaded);
    return length >= 8 ? loaded : loaded & (((uint64_t)1 << (8 * length)) - 1);
}

// The slot where these bytes belong; they are in *key then.
static RememberedStretch *find_slot(const EncodeRun *run, const char *bytes, size_t length,
                                    uint64_t key[REMEMBERED_BYTES / 8]) {
    key[0] = load_bytes(bytes, length);
    key[1] = length > 8 ? load_bytes(bytes + 8, length - 8) : 0;
    key[2] = length > 16 ? load_bytes(bytes + 16, length - 16) : 0;
    uint64_t hash = (key[0] ^ length) * 0x9e3779b97f4a7c15U;
    hash = (hash ^ hash >> 32 ^ key[1]) * 0x9fb21c651e98df25U;
    hash = (hash ^ hash >> 32 ^ key[2]) * 0xe7037ed1a0b428dbU;
    return &run->slots[(hash >> 40) & (N_SLOTS - 1)];
}

static bool append_remembered(EncodeRun *run, const RememberedStretch *slot, size_t length,
                              const uint64_t key[REMEMBERED_BYTES / 8]) {
    if (slot->length != length || slot->bytes[0] != key[0] || slot->bytes[1] != key[1] ||
        slot->bytes[2] != key[2]) {
        return false;
    }
    for (int i = 0; i < slot->n_ids; i++) {
        token_ids_append(run->ids, slot->ids[i]);
    }
    run->after_unknown = false;
    return true;
}

static void remember(const EncodeRun *run, RememberedStretch *slot, size_t length,
                     const uint64_t key[REMEMBERED_BYTES / 8], size_t first_id) {
    const size_t n_ids = run->ids->count - first_id;
    if (n_ids > REMEMBERED_IDS) {
        return;
    }
    *slot = (RememberedStretch){
        .bytes = {key[0], key[1], key[2]}, .length = (uint8_t)length, .n_ids = (uint8_t)n_ids};
    memcpy(slot->ids, run->ids->ids + first_id, n_ids * sizeof *slot->ids);
}

// last is the symbol of its last character.
static void append_stretch(EncodeRun *run, size_t start, size_t end, size_t n_chars, int32_t last) {
    const size_t length = end - start;
    if (length == 0) {
        return;
    }
    if (n_chars == 1) {
        append_symbol(run, last, run->text + start, length);
        return;
    }
    if (run->slots == NULL || length > REMEMBERED_BYTES) {
        merge_stretch(run, start, end);
        return;
    }
    uint64_t key[REMEMBERED_BYTES / 8];
    RememberedStretch *slot = find_slot(run, run->text + start, length, key);
    if (append_remembered(run, slot, length, key)) {
        return;
    }
    const size_t first_id = run->ids->count;
    run->n_spelled = 0;
    merge_stretch(run, start, end);
    if (run->n_spelled == 0) { // what is unknown depends on what stands before it
        remember(run, slot, length, key, first_id);
    }
}

// How many ASCII characters from here on, each of which may follow the one before.
static size_t count_ascii(const MergeTables *tables, const char *bytes, size_t length) {
    const unsigned char *text = (const unsigned char *)bytes;
    size_t n = 1;
    while (n < length && text[n] < 0x80 && tables->ascii_neighbours[text[n - 1]][text[n]]) {
        n++;
    }
    return n;
}

// As utf8_next, with the most frequent lengths at hand: with utf8proc alone, encoding takes 6 %
// longer (12 MB of English, 8 MB of Chinese, median of 41 alternating runs of each program).
static inline int32_t next_char(const char *text, size_t length, size_t *n) {
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x80) {
        *n = 1;
        return bytes[0];
    }
    if (length >= 3 && bytes[0] > 0xe0 && bytes[0] < 0xed && utf8_is_inside(text[1]) &&
        utf8_is_inside(text[2])) {
        *n = 3;
        return (bytes[0] & 0xf) << 12 | (bytes[1] & 0x3f) << 6 | (bytes[2] & 0x3f);
    }
    return utf8_next(text, length, n);
}

// Cuts between characters that stand side by side in no piece: no merge can reach across.
static void run_stretches(EncodeRun *run) {
    const MergeTables *tables = &run->own->tables;
    const bool has_frozen = is_frozen(run);
    int32_t before = -1;
    size_t start = 0;
    size_t n_chars = 0;
    for (size_t i = 0, n = 0; i < run->length; i += n) {
        const char *bytes = run->text + i;
        if (has_frozen &&
            (n = symbol_set_match(&run->own->normalizer.verbatim, bytes, run->length - i)) > 0) {
            append_stretch(run, start, i, n_chars, before);
            append_symbol(run, tokenizer_find(run->tokenizer, bytes, n), bytes, n);
            before = -1;
            n_chars = 0;
            start = i + n;
            continue;
        }
        const int32_t code = next_char(bytes, run->length - i, &n);
        int32_t symbol = code < 0 ? -1 : merge_tables_char(tables, code);
        if (before < 0 || symbol < 0 || !merge_tables_neighbours(tables, before, symbol)) {
            append_stretch(run, start, i, n_chars, before);
            start = i;
            n_chars = 0;
        }
        if (symbol < 0) {
            append_unknown(run, bytes, n);
            start = i + n;
        } else if (code < 0x80 && !has_frozen) {
            n = count_ascii(tables, bytes, run->length - i);
            symbol = tables->ascii[(unsigned char)bytes[n - 1]];
            n_chars += n;
        } else {
            n_chars++;
        }
        before = symbol;
    }
    append_stretch(run, start, run->length, n_chars, before);
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
            add_symbol(run, tables->n_symbols + id, n);
            continue;
        }
        const int32_t code = utf8_next(bytes, run->length - i, &n);
        const int32_t symbol = code < 0 ? -1 : merge_tables_char(tables, code);
        add_symbol(run, symbol >= 0 ? symbol : tables->n_symbols + tables->n_pieces, n);
    }
}

static void run_watched(EncodeRun *run, MergeWatcher watcher, void *context) {
    fill_whole_row(run);
    if (run->row.n == 0) {
        return;
    }
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
    append_row(run, 0);
}

// ---- the whole

static void run_remembering(EncodeRun *run) {
    EncodeMemory *memory = run->own->memory;
    const bool is_mine =
        !atomic_flag_test_and_set_explicit(&memory->is_taken, memory_order_acquire);
    if (is_mine) {
        if (memory->slots == NULL) {
            memory->slots = memory_resize(NULL, N_SLOTS * sizeof *memory->slots);
            memset(memory->slots, 0, N_SLOTS * sizeof *memory->slots);
        }
        run->slots = memory->slots;
    }
    run_stretches(run);
    if (is_mine) {
        atomic_flag_clear_explicit(&memory->is_taken, memory_order_release);
    }
}

typedef struct EncodeCall {
    const Tokenizer *tokenizer;
    TokenIds *ids;
    EncodeReport *report;
    MergeWatcher watcher;
    void *context;
} EncodeCall;

// A text in which no special piece is to be found.
static bool encode_part(const EncodeCall *call, const char *text, size_t length, Error *err) {
    const SentencePiece *own = call->tokenizer->detail->of.sentencepiece;
    Buffer normalized = {0};
    size_t n_invalid = 0;
    normalizer_run(&own->normalizer, text, length, &normalized, &n_invalid);
    if (call->report != NULL) {
        call->report->n_invalid_bytes += n_invalid;
    }
    if (normalized.length >= INT32_MAX) {
        buffer_free(&normalized);
        return error_set(err, "a text of %zu bytes: expected less than 2 GiB at a time", length);
    }
    buffer_reserve(&normalized, sizeof(uint64_t));
    EncodeRun run = {.tokenizer = call->tokenizer,
                     .own = own,
                     .text = normalized.bytes,
                     .length = normalized.length,
                     .ids = call->ids,
                     .report = call->report};
    if (call->watcher != NULL) {
        run_watched(&run, call->watcher, call->context);
    } else {
        run_remembering(&run);
    }
    free(run.row.symbols);
    free(run.row.lengths);
    buffer_free(&normalized);
    return true;
}

// What stands between special pieces is encoded as a text of its own, with its dummy prefix.
bool sentencepiece_encode(const Tokenizer *tokenizer, const char *text, size_t length,
                          TokenIds *ids, EncodeReport *report, MergeWatcher watcher, void *context,
                          Error *err) {
    const EncodeCall call = {tokenizer, ids, report, watcher, context};
    const AddedTokens *special = &tokenizer->detail->of.sentencepiece->special;
    AddedScan scan = {0};
    AddedMatch match = {0};
    size_t start = 0;
    while (!tokenizer->special_as_text &&
           added_tokens_next(special, true, text, length, &scan, &match)) {
        if (match.start > start && !encode_part(&call, text + start, match.start - start, err)) {
            return false;
        }
        token_ids_append(ids, match.id);
        start = match.end;
    }
    return (start == length && start > 0) || encode_part(&call, text + start, length - start, err);
}
