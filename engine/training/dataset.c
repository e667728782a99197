// dataset.c - opens tokenized shards and reads batches of plain text from them.
#include "engine/training/dataset.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/base/plural.h"
#include "engine/training/dataset_pairs.h"
#include "engine/training/dataset_shard.h"
#include "engine/files/json_seal.h"
#include "engine/files/json_text.h"
#include "engine/training/permutation.h"
#include "kernels/random.h"

enum {
    SHUFFLE_PURPOSE = 0x73687566,
    SHIFT_PURPOSE = 0x73686966,
    MAX_SHARDS = 1 << 20,
    TOUCHED_BYTES = 16 * 1024 * 1024, // mapped pages that may stay in memory
    PAGE_BYTES = 4096,
    CHECKED_BYTES = 64 * 1024 * 1024, // of shards that are checked before a run: under 0.1 s
};

// ---- opening

static char *manifest_path(const char *folder) {
    return file_join(folder, "dataset.json");
}

static void read_split(JsonFields *fields, Dataset *dataset, uint32_t *crc) {
    bool is_train = dataset->split == SPLIT_TRAIN;
    dataset->n_shards =
        json_text_int(fields, is_train ? "train_shards" : "held_shards", 0, MAX_SHARDS);
    dataset->is_pairs = json_text_int(fields, "format", 0, TEXT_JSONL) == TEXT_PAIRS;
    const char *hash = json_text_string(fields, "hash");
    char digits[9] = "";
    if (strlen(hash) == DATASET_HASH_BYTES - 1) {
        memcpy(digits, hash + (is_train ? 0 : 8), 8);
    }
    *crc = (uint32_t)strtoul(digits, NULL, 16);
}

static bool read_manifest(Dataset *dataset, uint32_t *crc, Error *err) {
    char *path = manifest_path(dataset->folder);
    json_t *object = path == NULL ? NULL : json_seal_load(path, err);
    bool ok = object != NULL;
    if (ok) {
        JsonFields fields = json_text_fields(object, path, err);
        read_split(&fields, dataset, crc);
        ok = fields.ok;
    }
    json_decref(object);
    free(path);
    return ok;
}

bool dataset_hash(const char *folder, char hash[DATASET_HASH_BYTES], Error *err) {
    char *path = manifest_path(folder);
    json_t *object = path == NULL ? NULL : json_seal_load(path, err);
    bool ok = object != NULL;
    if (ok) {
        JsonFields fields = json_text_fields(object, path, err);
        snprintf(hash, DATASET_HASH_BYTES, "%s", json_text_string(&fields, "hash"));
        ok = fields.ok;
    }
    json_decref(object);
    free(path);
    return ok || error_set(err, "%s: not enough memory", folder);
}

static bool open_shards(Dataset *dataset, const DatasetOptions *options, uint32_t wanted,
                        Error *err) {
    uint32_t crc = 0;
    size_t checked_bytes = 0;
    for (int i = 0; i < dataset->n_shards; i++) {
        Shard *shard = &dataset->shards[i];
        char *path = shard_path(dataset->folder, dataset->split, i);
        bool ok = path != NULL && shard_open(shard, path, options->tokenizer_hash, err);
        ok = ok && (checked_bytes >= CHECKED_BYTES || shard_check(shard, path, err));
        free(path);
        if (!ok) {
            return error_set(err, "not enough memory for %d shards", dataset->n_shards);
        }
        checked_bytes += shard->file.size_bytes;
        dataset->touched_bytes += shard->file.size_bytes;
        dataset_give_back(dataset);
        crc = shard_chain(crc, shard->crc);
        uint64_t length = (uint64_t)dataset->length;
        // A sequence needs a label for its last token, too.
        shard->n_windows = shard->n_tokens < 2 ? 0 : (shard->n_tokens - 1) / length;
        shard->first_window = dataset->count;
        dataset->count += shard->n_windows;
        dataset->n_tokens += shard->n_tokens;
    }
    return crc == wanted ||
           error_set(err, "%s: damaged: its shards are not those that dataset.json lists",
                     dataset->folder);
}

static bool open_split(Dataset *dataset, const DatasetOptions *options, Error *err) {
    uint32_t crc = 0;
    if (!read_manifest(dataset, &crc, err)) {
        return false;
    }
    dataset->shards = calloc((size_t)dataset->n_shards + 1, sizeof *dataset->shards);
    if (dataset->shards == NULL) {
        return error_set(err, "not enough memory for %d shards", dataset->n_shards);
    }
    return open_shards(dataset, options, crc, err);
}

// What to do about any damage.
static bool fail_damaged(const Dataset *dataset, const Error *reason, Error *err) {
    return error_set(err, "%.400s; delete %s and it is made again", reason->text, dataset->folder);
}

bool dataset_open(Dataset *dataset, const char *folder, DatasetSplit split,
                  const DatasetOptions *options, Error *err) {
    Error reason = {""};
    *dataset = (Dataset){.folder = strdup(folder),
                         .split = split,
                         .vocab_size = options->vocab_size,
                         .length = options->length,
                         .seed = options->seed};
    bool ok = dataset->folder != NULL || error_set(err, "not enough memory to open %s", folder);
    ok = ok && (open_split(dataset, options, &reason) || fail_damaged(dataset, &reason, err));
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
    free(dataset->folder);
    free(dataset->shards);
    free(dataset->pairs);
    free(dataset->pool.places);
    *dataset = (Dataset){0};
}

double dataset_bytes_a_token(int vocab_size) {
    return fmax(1.0, fmin(0.5 * log2((double)vocab_size) - 1.75, 4.3));
}

bool dataset_is_enough(const Dataset *dataset, int B, const char *name, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    if (dataset->count >= (uint64_t)B) {
        return true;
    }
    if (dataset->is_pairs) {
        return error_set(err,
                         "%s: %" PRIu64 " pair%s of at most %d token%s (and %" PRIu64
                         " longer) are too few: a batch needs %d",
                         file_shown(name, shown), dataset->count, plural((long long)dataset->count),
                         dataset->length, plural(dataset->length), dataset->n_too_long, B);
    }
    double needed = (double)B * dataset->length * dataset_bytes_a_token(dataset->vocab_size);
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

static bool check_shard(Dataset *dataset, Shard *shard, Error *err) {
    Error reason = {""};
    char *path = shard_path(dataset->folder, dataset->split, (int)(shard - dataset->shards));
    bool ok = path != NULL && shard_check(shard, path, &reason);
    free(path);
    dataset->touched_bytes += shard->file.size_bytes;
    return ok || fail_damaged(dataset, &reason, err);
}

bool dataset_copy_ids(Dataset *dataset, Shard *shard, uint64_t first, size_t n, int32_t *ids,
                      Error *err) {
    assert(first + n <= shard->n_tokens);
    if (!shard->is_checked && !check_shard(dataset, shard, err)) {
        return false;
    }
    if (shard->wide != NULL) {
        memcpy(ids, shard->wide + first, n * sizeof *ids);
    } else {
        for (size_t i = 0; i < n; i++) {
            ids[i] = shard->narrow[first + i];
        }
    }
    dataset->touched_bytes += n * sizeof *ids + PAGE_BYTES;
    for (size_t i = 0; i < n; i++) {
        if ((uint32_t)ids[i] >= (uint32_t)dataset->vocab_size) {
            return error_set(err,
                             "%s: the token %" PRId32
                             " is beyond the vocabulary of %d; delete the folder and it is made "
                             "again",
                             dataset->folder, ids[i], dataset->vocab_size);
        }
    }
    return true;
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
    return text_marks_count_labels(labels, (size_t)n_rows * T, pad_id);
}

static Shard *shard_of_window(const Dataset *dataset, uint64_t window) {
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
static bool copy_window(Dataset *dataset, uint64_t window, uint64_t shift, int32_t *tokens,
                        int32_t *labels, Error *err) {
    Shard *shard = shard_of_window(dataset, window);
    size_t T = (size_t)dataset->length;
    uint64_t first = (window - shard->first_window) * T + shift;
    for (size_t done = 0; done < T;) {
        uint64_t at = (first + done) % (shard->n_tokens - 1);
        uint64_t left = shard->n_tokens - 1 - at;
        size_t n = T - done < left ? T - done : (size_t)left;
        if (!dataset_copy_ids(dataset, shard, at, n, tokens + done, err) ||
            !dataset_copy_ids(dataset, shard, at + 1, n, labels + done, err)) {
            return false;
        }
        done += n;
    }
    return true;
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
        if (!copy_window(dataset, window, shift, batch->tokens + (size_t)row * T,
                         batch->labels + (size_t)row * T, err)) {
            return false;
        }
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
        if (!copy_window(dataset, first + (uint64_t)row, 0, batch->tokens + (size_t)row * T,
                         batch->labels + (size_t)row * T, err)) {
            return false;
        }
    }
    dataset_give_back(dataset);
    return true;
}

uint64_t dataset_round(const Dataset *dataset, int B) {
    return dataset->count / (uint64_t)B;
}
