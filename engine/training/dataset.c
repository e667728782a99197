// dataset.c - opens tokenized shards and reads batches of plain text from them.
#include "engine/training/dataset.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/training/dataset_pairs.h"
#include "engine/files/json_text.h"
#include "engine/training/permutation.h"
#include "kernels/random.h"

enum {
    SHUFFLE_PURPOSE = 0x73687566,
    SHIFT_PURPOSE = 0x73686966,
    MAX_SHARDS = 1 << 20,
    TOUCHED_BYTES = 16 * 1024 * 1024, // mapped pages that may stay in memory
    PAGE_BYTES = 4096,
};

// ---- opening

static bool check_header(const Shard *shard, const char *path, const char *hash, Error *err) {
    ShardHeader header;
    char shown[FILE_NAME_TEXT_BYTES];
    file_shown(path, shown);
    if (shard->file.size_bytes < sizeof header) {
        return error_set(err, "%s: %zu bytes, expected a shard's header of %zu", shown,
                         shard->file.size_bytes, sizeof header);
    }
    memcpy(&header, shard->file.bytes, sizeof header);
    bool is_known = memcmp(header.magic, "attendTK", 8) == 0 && header.version == 1 &&
                    (header.id_bytes == 2 || header.id_bytes == 4);
    if (!is_known) {
        return error_set(err, "%s: expected a shard of tokens, version 1", shown);
    }
    if (memcmp(header.tokenizer_hash, hash, 16) != 0) {
        return error_set(err, "%s: made with the tokenizer %.16s, expected %s", shown,
                         header.tokenizer_hash, hash);
    }
    uint64_t most = UINT64_MAX / 64;
    uint64_t ids_bytes = (header.n_tokens % most * header.id_bytes + 7) / 8 * 8;
    uint64_t size = sizeof header + ids_bytes + header.n_items % most * sizeof(ShardItem);
    if (header.n_tokens >= most || header.n_items >= most || size != shard->file.size_bytes) {
        return error_set(err, "%s: %zu bytes, expected %" PRIu64 " by its header", shown,
                         shard->file.size_bytes, size);
    }
    return true;
}

static bool check_items(const Shard *shard, const char *path, Error *err) {
    for (uint64_t i = 0; i < shard->n_items; i++) {
        const ShardItem *item = &shard->items[i];
        uint64_t end = (uint64_t)item->first + item->n_source + item->n_target;
        if (end > shard->n_tokens) {
            return error_set(err, "%s: pair %" PRIu64 " ends at token %" PRIu64 " of %" PRIu64,
                             path, i, end, shard->n_tokens);
        }
    }
    return true;
}

static bool open_shard(Shard *shard, const char *path, const char *hash, Error *err) {
    if (!file_map(&shard->file, path, err) || !check_header(shard, path, hash, err)) {
        return false;
    }
    ShardHeader header;
    memcpy(&header, shard->file.bytes, sizeof header);
    const unsigned char *ids = shard->file.bytes + sizeof header;
    uint64_t ids_bytes = (header.n_tokens * header.id_bytes + 7) / 8 * 8;
    shard->n_tokens = header.n_tokens;
    shard->n_items = header.n_items;
    shard->narrow = header.id_bytes == 2 ? (const void *)ids : NULL;
    shard->wide = header.id_bytes == 4 ? (const void *)ids : NULL;
    shard->items = (const void *)(ids + ids_bytes);
    return check_items(shard, path, err);
}

static bool read_manifest(const char *folder, DatasetSplit split, int *n_shards, bool *is_pairs,
                          Error *err) {
    char *path = file_join(folder, "dataset.json");
    json_t *object = path == NULL ? NULL : json_text_load(path, err);
    JsonFields fields = json_text_fields(object, path, err);
    const char *key = split == SPLIT_TRAIN ? "train_shards" : "held_shards";
    bool ok = object != NULL;
    if (ok) {
        *n_shards = json_text_int(&fields, key, 0, MAX_SHARDS);
        *is_pairs = json_text_int(&fields, "format", 0, TEXT_JSONL) == TEXT_PAIRS;
        ok = fields.ok;
    }
    json_decref(object);
    free(path);
    return ok;
}

static bool open_shards(Dataset *dataset, const char *folder, DatasetSplit split, const char *hash,
                        Error *err) {
    for (int i = 0; i < dataset->n_shards; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%05d.tokens", split == SPLIT_TRAIN ? "train" : "held", i);
        char *path = file_join(folder, name);
        Shard *shard = &dataset->shards[i];
        bool ok = path != NULL && open_shard(shard, path, hash, err);
        free(path);
        if (!ok) {
            return error_set(err, "not enough memory for %d shards", dataset->n_shards);
        }
        uint64_t length = (uint64_t)dataset->length;
        // A sequence needs a label for its last token, too.
        shard->n_windows = shard->n_tokens < 2 ? 0 : (shard->n_tokens - 1) / length;
        shard->first_window = dataset->count;
        dataset->count += shard->n_windows;
        dataset->n_tokens += shard->n_tokens;
    }
    return true;
}

bool dataset_open(Dataset *dataset, const char *folder, DatasetSplit split,
                  const DatasetOptions *options, Error *err) {
    *dataset = (Dataset){.length = options->length, .seed = options->seed};
    bool ok = read_manifest(folder, split, &dataset->n_shards, &dataset->is_pairs, err);
    if (ok) {
        dataset->shards = calloc((size_t)dataset->n_shards + 1, sizeof *dataset->shards);
        ok = (dataset->shards != NULL ||
              error_set(err, "not enough memory for %d shards", dataset->n_shards)) &&
             open_shards(dataset, folder, split, options->tokenizer_hash, err);
    }
    if (ok && dataset->is_pairs) {
        ok = dataset_pairs_list(dataset, err);
    }
    if (!ok) {
        dataset_close(dataset);
    }
    return ok;
}

void dataset_close(Dataset *dataset) {
    for (int i = 0; dataset->shards != NULL && i < dataset->n_shards; i++) {
        file_close(&dataset->shards[i].file);
    }
    free(dataset->shards);
    free(dataset->pairs);
    free(dataset->pool.places);
    *dataset = (Dataset){0};
}

bool dataset_is_enough(const Dataset *dataset, int B, const char *name, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    if (dataset->count >= (uint64_t)B) {
        return true;
    }
    if (dataset->is_pairs) {
        return error_set(err,
                         "%s: %" PRIu64 " pairs of at most %d tokens (and %" PRIu64
                         " longer ones) are too few: a batch needs %d",
                         file_shown(name, shown), dataset->count, dataset->length,
                         dataset->n_too_long, B);
    }
    double needed = (double)B * dataset->length * 4.0; // bytes, about four a token
    bool is_big = needed >= 1e6;
    return error_set(err,
                     "%s: %" PRIu64
                     " tokens are too few: a batch of %d sequences of %d needs %" PRId64
                     ", about %.1f %s of English",
                     file_shown(name, shown), dataset->n_tokens, B, dataset->length,
                     (int64_t)B * dataset->length + 1,
                     is_big ? needed / 1e6 : fmax(needed / 1e3, 0.1), is_big ? "MB" : "kB");
}

// ---- ids

void dataset_copy_ids(Dataset *dataset, const Shard *shard, uint64_t first, size_t n,
                      int32_t *ids) {
    assert(first + n <= shard->n_tokens);
    if (shard->wide != NULL) {
        memcpy(ids, shard->wide + first, n * sizeof *ids);
    } else {
        for (size_t i = 0; i < n; i++) {
            ids[i] = shard->narrow[first + i];
        }
    }
    dataset->touched_bytes += n * sizeof *ids + PAGE_BYTES;
}

// Mapped pages would stay as long as there is memory: what a huge file leaves behind is given back.
void dataset_give_back(Dataset *dataset) {
    if (dataset->touched_bytes < TOUCHED_BYTES) {
        return;
    }
    dataset->touched_bytes = 0;
    for (int i = 0; i < dataset->n_shards; i++) {
        const FileBytes *file = &dataset->shards[i].file;
        if (file->is_mapped) {
            // madvise takes no const, though nothing is written.
            // NOLINTNEXTLINE(performance-no-int-to-ptr)
            madvise((void *)(uintptr_t)file->bytes, file->size_bytes, MADV_DONTNEED);
        }
    }
}

// ---- batches

bool data_batch_reserve(DataBatch *batch, int B, int T, int S, Error *err) {
    size_t rows = (size_t)B;
    size_t needed = rows * (2 * (size_t)T + (size_t)S);
    if (needed > batch->capacity) {
        int32_t *ids = realloc(batch->tokens, needed * sizeof *ids);
        if (ids == NULL) {
            return error_set(err, "not enough memory for a batch of %zu tokens", needed);
        }
        batch->tokens = ids;
        batch->capacity = needed;
    }
    batch->B = B;
    batch->T = T;
    batch->S = S;
    batch->labels = batch->tokens + rows * (size_t)T;
    batch->source = S > 0 ? batch->labels + rows * (size_t)T : NULL;
    return true;
}

void data_batch_free(DataBatch *batch) {
    free(batch->tokens);
    *batch = (DataBatch){0};
}

size_t data_batch_labels(const DataBatch *batch, int first_row, int n_rows, int pad_id) {
    size_t T = (size_t)batch->T;
    const int32_t *labels = batch->labels + (size_t)first_row * T;
    size_t count = 0;
    for (size_t i = 0; i < (size_t)n_rows * T; i++) {
        count += labels[i] >= 0 && labels[i] != pad_id;
    }
    return count;
}

static const Shard *shard_of_window(const Dataset *dataset, uint64_t window) {
    int low = 0;
    int high = dataset->n_shards - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (dataset->shards[middle].first_window <= window) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return &dataset->shards[low];
}

// A sequence and, one further on, its labels. A shift moves the cuts between sequences; the last
// sequence of a shard then wraps around to its start.
static void copy_window(Dataset *dataset, uint64_t window, uint64_t shift, int32_t *tokens,
                        int32_t *labels) {
    const Shard *shard = shard_of_window(dataset, window);
    size_t T = (size_t)dataset->length;
    uint64_t first = (window - shard->first_window) * T + shift;
    for (size_t done = 0; done < T;) {
        uint64_t at = (first + done) % (shard->n_tokens - 1);
        uint64_t left = shard->n_tokens - 1 - at;
        size_t n = T - done < left ? T - done : (size_t)left;
        dataset_copy_ids(dataset, shard, at, n, tokens + done);
        dataset_copy_ids(dataset, shard, at + 1, n, labels + done);
        done += n;
    }
}

static bool read_windows(Dataset *dataset, const BatchRows *rows, DataBatch *batch, Error *err) {
    size_t T = (size_t)dataset->length;
    if (!data_batch_reserve(batch, rows->count, dataset->length, 0, err)) {
        return false;
    }
    uint64_t first = rows->number * (uint64_t)rows->B + (uint64_t)rows->first;
    for (int row = 0; row < rows->count; row++) {
        uint64_t place = first + (uint64_t)row;
        uint64_t round = place / dataset->count;
        uint64_t window = permutation_at(dataset->seed, SHUFFLE_PURPOSE, round, dataset->count,
                                         place % dataset->count);
        uint64_t shift = round == 0 ? 0 : random_bits(dataset->seed, SHIFT_PURPOSE, round, 0) % T;
        copy_window(dataset, window, shift, batch->tokens + (size_t)row * T,
                    batch->labels + (size_t)row * T);
    }
    dataset_give_back(dataset);
    return true;
}

bool dataset_read_batch(Dataset *dataset, const BatchRows *rows, int pad_id, DataBatch *batch,
                        Error *err) {
    assert(dataset->count >= (uint64_t)rows->B);
    assert(rows->first >= 0 && rows->count > 0 && rows->first + rows->count <= rows->B);
    return dataset->is_pairs ? dataset_pairs_read(dataset, rows, pad_id, batch, err)
                             : read_windows(dataset, rows, batch, err);
}

bool dataset_read_in_order(Dataset *dataset, uint64_t first, int B, int pad_id, DataBatch *batch,
                           Error *err) {
    assert(first < dataset->count);
    uint64_t left = dataset->count - first;
    B = left < (uint64_t)B ? (int)left : B;
    if (dataset->is_pairs) {
        return dataset_pairs_read_places(dataset, dataset->pairs + first, B, pad_id, batch, err);
    }
    size_t T = (size_t)dataset->length;
    if (!data_batch_reserve(batch, B, dataset->length, 0, err)) {
        return false;
    }
    for (int row = 0; row < B; row++) {
        copy_window(dataset, first + (uint64_t)row, 0, batch->tokens + (size_t)row * T,
                    batch->labels + (size_t)row * T);
    }
    dataset_give_back(dataset);
    return true;
}

uint64_t dataset_round(const Dataset *dataset, int B) {
    return dataset->count / (uint64_t)B;
}
