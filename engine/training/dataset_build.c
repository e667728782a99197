// dataset_build.c - tokenizes texts into shards, once.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/training/dataset.h"
#include "engine/files/json_text.h"
#include "kernels/cpu.h"
#include "kernels/random.h"

enum {
    SHARD_TOKENS = 2 * 1024 * 1024,
    SHARD_PAIRS = 256 * 1024,
    JOBS = 64, // texts that are tokenized at a time
    NARROW_VOCABULARY = 65536,
    HELD_OUT_PURPOSE = 0x68656c64,
};

// One text on its way to ids.
typedef struct Job {
    const Tokenizer *tokenizer;
    char *text; // the source; the target follows at once
    size_t length, target_length, capacity;
    bool begins, ends;
    TokenIds ids;
    size_t n_source; // of ids
    EncodeReport report;
    Error err;
    bool ok;
} Job;

// A shard being filled.
typedef struct Filling {
    const char *split;
    int n_shards;
    TokenIds ids;
    ShardItem *items;
    size_t n_items, item_capacity;
} Filling;

typedef struct Builder {
    const char *folder;
    const DatasetPlan *plan;
    DatasetCounts counts;
    TextReader reader;
    Job jobs[JOBS];
    Filling train, held;
    uint64_t n_texts; // decided so far
} Builder;

static bool append_text(Job *job, const char *text, size_t length, size_t at, Error *err) {
    if (at + length > job->capacity) {
        size_t capacity = 2 * (at + length);
        char *larger = realloc(job->text, capacity);
        if (larger == NULL) {
            return error_set(err, "not enough memory for a text of %zu bytes", at + length);
        }
        job->text = larger;
        job->capacity = capacity;
    }
    if (length > 0) {
        memcpy(job->text + at, text, length);
    }
    return true;
}

static void encode_side(Job *job, const TextMarks *marks, const char *text, size_t length) {
    EncodeReport report = {0};
    if (job->begins && marks->bos_id >= 0) {
        token_ids_append(&job->ids, marks->bos_id);
    }
    job->ok =
        job->ok && tokenizer_encode(job->tokenizer, text, length, &job->ids, &report, &job->err);
    if (job->ends && marks->eos_id >= 0) {
        token_ids_append(&job->ids, marks->eos_id);
    }
    if (job->report.n_unknown == 0) {
        memcpy(job->report.first_unknown, report.first_unknown, sizeof report.first_unknown);
    }
    job->report.n_unknown += report.n_unknown;
    job->report.n_invalid_bytes += report.n_invalid_bytes;
}

static void run_job(void *context, int i) {
    Builder *builder = context;
    const TextMarks *marks = &builder->plan->marks;
    Job *job = &builder->jobs[i];
    job->tokenizer = builder->plan->tokenizer;
    job->ids.count = 0;
    job->report = (EncodeReport){0};
    job->err = (Error){""};
    job->ok = true;
    encode_side(job, marks, job->text, job->length);
    job->n_source = job->ids.count;
    if (builder->plan->source.format == TEXT_PAIRS) {
        encode_side(job, marks, job->text + job->length, job->target_length);
    }
}

static void write_ids(FileWriter *writer, const TokenIds *ids, bool is_narrow) {
    enum { PIECE = 4096 };
    uint16_t narrow[PIECE];
    if (!is_narrow) {
        file_writer_write(writer, ids->ids, ids->count * sizeof *ids->ids);
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < ids->count; i++) {
        narrow[n++] = (uint16_t)ids->ids[i];
        if (n == PIECE || i + 1 == ids->count) {
            file_writer_write(writer, narrow, n * sizeof narrow[0]);
            n = 0;
        }
    }
}

static void find_hash(const DatasetPlan *plan, char hash[DATASET_HASH_BYTES]) {
    if (plan->tokenizer_hash != NULL) {
        snprintf(hash, DATASET_HASH_BYTES, "%s", plan->tokenizer_hash);
    } else {
        tokenizer_hash(plan->tokenizer, hash);
    }
}

static bool write_shard(const Builder *builder, Filling *filling, Error *err) {
    char name[64];
    snprintf(name, sizeof name, "%s-%05d.tokens", filling->split, filling->n_shards);
    char *path = file_join(builder->folder, name);
    FileWriter writer;
    if (path == NULL || !file_writer_open(&writer, path, err)) {
        free(path);
        return error_set(err, "not enough memory to write a shard");
    }
    bool is_narrow = builder->plan->tokenizer->n_pieces <= NARROW_VOCABULARY;
    ShardHeader header = {.magic = {'a', 't', 't', 'e', 'n', 'd', 'T', 'K'},
                          .version = 1,
                          .id_bytes = is_narrow ? 2 : 4,
                          .n_tokens = filling->ids.count,
                          .n_items = filling->n_items};
    char hash[DATASET_HASH_BYTES];
    find_hash(builder->plan, hash);
    memcpy(header.tokenizer_hash, hash, sizeof header.tokenizer_hash);
    file_writer_write(&writer, &header, sizeof header);
    write_ids(&writer, &filling->ids, is_narrow);
    static const char PADDING[8] = "";
    file_writer_write(&writer, PADDING, (8 - writer.written_bytes % 8) % 8);
    if (filling->n_items > 0) {
        file_writer_write(&writer, filling->items, filling->n_items * sizeof *filling->items);
    }
    bool ok = file_writer_commit(&writer, err);
    free(path);
    filling->n_shards++;
    filling->ids.count = 0;
    filling->n_items = 0;
    return ok;
}

static bool append_item(Filling *filling, const Job *job, Error *err) {
    if (filling->n_items == filling->item_capacity) {
        size_t capacity = filling->item_capacity == 0 ? 1024 : 2 * filling->item_capacity;
        ShardItem *items = realloc(filling->items, capacity * sizeof *items);
        if (items == NULL) {
            return error_set(err, "not enough memory for %zu pairs", capacity);
        }
        filling->items = items;
        filling->item_capacity = capacity;
    }
    filling->items[filling->n_items++] =
        (ShardItem){.first = (uint32_t)filling->ids.count,
                    .n_source = (uint32_t)job->n_source,
                    .n_target = (uint32_t)(job->ids.count - job->n_source)};
    return true;
}

// One text in every so many, at a place that is drawn, so that no rhythm of the file decides.
static bool is_held_out(const Builder *builder) {
    uint64_t every = (uint64_t)builder->plan->held_out_every;
    if (every == 0) {
        return false;
    }
    uint64_t group = builder->n_texts / every;
    return builder->n_texts % every == random_bits(0, HELD_OUT_PURPOSE, 0, group) % every;
}

static bool keep_ids(Builder *builder, const Job *job, Error *err) {
    if (!job->ok) {
        return error_set(err, "%s: text %" PRIu64 ": %s", builder->plan->source.path,
                         builder->n_texts + 1, job->err.text);
    }
    bool is_held = is_held_out(builder);
    Filling *filling = is_held ? &builder->held : &builder->train;
    DatasetCounts *counts = &builder->counts;
    builder->n_texts++;
    *(is_held ? &counts->n_held_texts : &counts->n_texts) += 1;
    *(is_held ? &counts->n_held_tokens : &counts->n_tokens) += job->ids.count;
    if (counts->report.n_unknown == 0) {
        memcpy(counts->report.first_unknown, job->report.first_unknown,
               sizeof counts->report.first_unknown);
    }
    counts->report.n_unknown += job->report.n_unknown;
    counts->report.n_invalid_bytes += job->report.n_invalid_bytes;
    bool is_pair = builder->plan->source.format == TEXT_PAIRS;
    if (is_pair && !append_item(filling, job, err)) {
        return false;
    }
    for (size_t i = 0; i < job->ids.count; i++) {
        token_ids_append(&filling->ids, job->ids.ids[i]);
    }
    bool is_full = filling->ids.count >= SHARD_TOKENS || filling->n_items >= SHARD_PAIRS;
    return !is_full || write_shard(builder, filling, err);
}

// Fewer texts than `held_out_every`, and none was drawn: the end of them is held out, one token in
// so many, or the last pair.
static bool hold_end_out(Builder *builder, Error *err) {
    Filling *train = &builder->train;
    DatasetCounts *counts = &builder->counts;
    size_t n_held = train->ids.count / (size_t)builder->plan->held_out_every;
    if (train->n_items > 1) {
        const ShardItem last = train->items[--train->n_items];
        const Job pair = {.n_source = last.n_source,
                          .ids.count = (size_t)last.n_source + last.n_target};
        n_held = pair.ids.count;
        counts->n_texts--;
        if (!append_item(&builder->held, &pair, err)) {
            return false;
        }
    } else if (train->n_items == 1 || n_held == 0) {
        return true;
    }
    train->ids.count -= n_held;
    for (size_t i = 0; i < n_held; i++) {
        token_ids_append(&builder->held.ids, train->ids.ids[train->ids.count + i]);
    }
    counts->n_tokens -= n_held;
    counts->n_held_tokens = n_held;
    counts->n_held_texts = 1;
    return true;
}

static bool read_jobs(Builder *builder, int *n_jobs, Error *err) {
    bool found = true;
    for (*n_jobs = 0; *n_jobs < JOBS; (*n_jobs)++) {
        TextItem item;
        if (!text_reader_next(&builder->reader, &item, &found, err)) {
            return false;
        }
        if (!found) {
            return true;
        }
        Job *job = &builder->jobs[*n_jobs];
        job->length = item.length;
        job->target_length = item.target_length;
        job->begins = item.begins;
        job->ends = item.ends;
        if (!append_text(job, item.text, item.length, 0, err) ||
            !append_text(job, item.target, item.target_length, item.length, err)) {
            return false;
        }
    }
    return true;
}

static bool build_shards(Builder *builder, Error *err) {
    const DatasetPlan *plan = builder->plan;
    int n_jobs = JOBS;
    while (n_jobs == JOBS) {
        if (!read_jobs(builder, &n_jobs, err)) {
            return false;
        }
        if (plan->cpu != NULL) {
            cpu_run(plan->cpu, run_job, builder, n_jobs);
        }
        for (int i = 0; i < n_jobs; i++) {
            if (plan->cpu == NULL) {
                run_job(builder, i);
            }
            if (!keep_ids(builder, &builder->jobs[i], err)) {
                return false;
            }
        }
        if (plan->progress != NULL && !plan->progress(plan->context, builder->reader.read_bytes,
                                                      builder->reader.size_bytes)) {
            return error_set(err, "%s: tokenizing was stopped", plan->source.path);
        }
    }
    builder->counts.n_bytes = builder->reader.read_bytes;
    if (plan->held_out_every > 0 && builder->counts.n_held_texts == 0 &&
        !hold_end_out(builder, err)) {
        return false;
    }
    return (builder->train.ids.count == 0 || write_shard(builder, &builder->train, err)) &&
           (builder->held.ids.count == 0 || write_shard(builder, &builder->held, err));
}

// What tells one dataset from another.
static json_t *describe(const DatasetPlan *plan) {
    char hash[DATASET_HASH_BYTES];
    struct stat about = {0};
    find_hash(plan, hash);
    if (plan->source.made != NULL) {
        about.st_size = (off_t)plan->source.n_made;
    } else if (stat(plan->source.path, &about) != 0) {
        about.st_size = -1;
    }
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:i, s:s, s:b, s:s, s:i, s:i, s:i}", "tokenizer", hash, "source",
        plan->source.path, "size_bytes", (json_int_t)about.st_size, "changed",
        (json_int_t)about.st_mtime, "format", (int)plan->source.format, "separator",
        plan->source.separator == NULL ? "<|endoftext|>" : plan->source.separator, "paragraphs",
        plan->source.paragraphs, "field", plan->source.field == NULL ? "text" : plan->source.field,
        "bos_id", plan->marks.bos_id, "eos_id", plan->marks.eos_id, "held_out_every",
        plan->held_out_every);
}

static bool write_manifest(const Builder *builder, Error *err) {
    json_t *object = describe(builder->plan);
    const DatasetCounts *counts = &builder->counts;
    json_t *made =
        json_pack("{s:i, s:i, s:I, s:I, s:I, s:I}", "train_shards", builder->train.n_shards,
                  "held_shards", builder->held.n_shards, "texts", (json_int_t)counts->n_texts,
                  "held_texts", (json_int_t)counts->n_held_texts, "tokens",
                  (json_int_t)counts->n_tokens, "held_tokens", (json_int_t)counts->n_held_tokens);
    char *path = file_join(builder->folder, "dataset.json");
    bool ok = object != NULL && made != NULL && json_object_update(object, made) == 0;
    char *text = ok ? json_dumps(object, JSON_INDENT(2)) : NULL;
    ok = text != NULL && path != NULL ? file_save(path, text, strlen(text), err)
                                      : error_set(err, "not enough memory for dataset.json");
    free(text);
    free(path);
    json_decref(object);
    json_decref(made);
    return ok;
}

static void free_builder(Builder *builder) {
    text_reader_close(&builder->reader);
    for (int i = 0; i < JOBS; i++) {
        free(builder->jobs[i].text);
        token_ids_free(&builder->jobs[i].ids);
    }
    token_ids_free(&builder->train.ids);
    token_ids_free(&builder->held.ids);
    free(builder->train.items);
    free(builder->held.items);
    free(builder);
}

static void remove_manifest(const char *folder) {
    char *path = file_join(folder, "dataset.json");
    if (path != NULL) {
        (void)unlink(path);
    }
    free(path);
}

bool dataset_build(const char *folder, const DatasetPlan *plan, DatasetCounts *counts, Error *err) {
    Builder *builder = calloc(1, sizeof *builder);
    if (builder == NULL) {
        return error_set(err, "not enough memory to tokenize");
    }
    builder->folder = folder;
    builder->plan = plan;
    builder->train.split = "train";
    builder->held.split = "held";
    bool ok = text_reader_open(&builder->reader, &plan->source, err) &&
              file_make_folder(folder, NULL, err);
    if (ok) {
        remove_manifest(folder); // from here on the folder is unfinished
        ok = build_shards(builder, err) && write_manifest(builder, err);
    }
    if (counts != NULL) {
        *counts = builder->counts;
    }
    free_builder(builder);
    return ok;
}

bool dataset_is_built(const char *folder, const DatasetPlan *plan) {
    char *path = file_join(folder, "dataset.json");
    Error ignored = {""};
    json_t *found = path != NULL && file_exists(path) ? json_text_load(path, &ignored) : NULL;
    json_t *wanted = found == NULL ? NULL : describe(plan);
    bool is_same = wanted != NULL;
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(wanted, key, value) {
        is_same = is_same && json_equal(value, json_object_get(found, key));
    }
    free(path);
    json_decref(found);
    json_decref(wanted);
    return is_same;
}
