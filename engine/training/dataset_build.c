// dataset_build.c - tokenizes texts into shards, once.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/training/dataset_manifest.h"
#include "engine/training/dataset_shard.h"
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
    int64_t line; // as of a TextItem
    TokenIds ids;
    size_t n_source; // of ids
    EncodeReport report;
    Error err;
    bool ok;
} Job;

// A shard being filled.
typedef struct Filling {
    DatasetSplit split;
    int n_shards;
    uint32_t crc; // of their checksums
    TokenIds ids;
    ShardItem *items;
    size_t n_items, item_capacity;
    uint64_t last_text; // 1 + the number of the text that came last, 0: none
} Filling;

typedef struct Builder {
    const char *folder;
    const DatasetPlan *plan;
    DatasetCounts counts;
    TextReader reader;
    Job jobs[JOBS];
    Filling train, held;
    uint64_t n_texts; // that have ended
    bool doubles_space;
    uint64_t n_parts; // of texts, each decided on its own
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

// Whether a space that begins a part would come twice, since the tokenizer puts one before every
// text and takes none away.
static bool doubles_space(const Tokenizer *tokenizer) {
    static const char MARK[] = "\xE2\x96\x81"; // of a space
    TokenIds plain = {0};
    TokenIds spaced = {0};
    bool ok = tokenizer_encode(tokenizer, "a", 1, &plain, NULL, NULL) &&
              tokenizer_encode(tokenizer, " a", 2, &spaced, NULL, NULL) && plain.count > 0;
    const Piece *first = ok ? &tokenizer->pieces[plain.ids[0]] : NULL;
    bool has_mark = first != NULL && first->length >= (int)sizeof MARK - 1 &&
                    memcmp(first->bytes, MARK, sizeof MARK - 1) == 0;
    bool is_same = plain.count == spaced.count &&
                   (!ok || memcmp(plain.ids, spaced.ids, plain.count * sizeof *plain.ids) == 0);
    token_ids_free(&plain);
    token_ids_free(&spaced);
    return has_mark && !is_same;
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
    encode_report_add(&job->report, &report);
}

static void run_job(void *context, int i, int thread) {
    (void)thread;
    Builder *builder = context;
    const TextMarks *marks = &builder->plan->marks;
    Job *job = &builder->jobs[i];
    job->tokenizer = builder->plan->tokenizer;
    job->ids.count = 0;
    job->report = (EncodeReport){0};
    job->err = (Error){""};
    job->ok = true;
    size_t skipped =
        builder->doubles_space && !job->begins && job->length > 0 && job->text[0] == ' ' ? 1 : 0;
    encode_side(job, marks, job->text + skipped, job->length - skipped);
    job->n_source = job->ids.count;
    if (builder->plan->source.format == TEXT_PAIRS) {
        encode_side(job, marks, job->text + job->length, job->target_length);
    }
}

static bool write_shard(const Builder *builder, Filling *filling, Error *err) {
    char hash[DATASET_HASH_BYTES];
    uint32_t crc = 0;
    dataset_plan_hash(builder->plan, hash);
    ShardContent content = {.ids = filling->ids.ids,
                            .n_ids = filling->ids.count,
                            .items = filling->items,
                            .n_items = filling->n_items,
                            .is_narrow = builder->plan->tokenizer->n_pieces <= NARROW_VOCABULARY,
                            .tokenizer_hash = hash};
    char *path = shard_path(builder->folder, filling->split, filling->n_shards);
    bool ok = path != NULL && shard_save(path, &content, &crc, err);
    free(path);
    filling->crc = shard_chain(filling->crc, crc);
    filling->n_shards++;
    filling->ids.count = 0;
    filling->n_items = 0;
    return ok || error_set(err, "not enough memory to write a shard");
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

// One text (or part of a long one) in every so many, at a place that is drawn, so that no rhythm of
// the file decides.
static bool is_held_out(const Builder *builder) {
    uint64_t every = (uint64_t)builder->plan->held_out_every;
    if (every == 0) {
        return false;
    }
    uint64_t group = builder->n_parts / every;
    return builder->n_parts % every == random_bits(0, HELD_OUT_PURPOSE, 0, group) % every;
}

// Where the text is: a line of its file, or how many texts it is behind the first.
static bool fail_at_text(const Builder *builder, const Job *job, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    file_shown(builder->plan->source.path, shown);
    if (job->line > 0) {
        return error_set(err, "%s:%" PRId64 ": %s", shown, job->line, job->err.text);
    }
    return error_set(err, "%s: text %" PRIu64 ": %s", shown, builder->n_texts + 1, job->err.text);
}

static bool keep_ids(Builder *builder, const Job *job, Error *err) {
    if (!job->ok) {
        return fail_at_text(builder, job, err);
    }
    bool is_held = is_held_out(builder);
    Filling *filling = is_held ? &builder->held : &builder->train;
    DatasetCounts *counts = &builder->counts;
    builder->n_parts++;
    if (filling->last_text != builder->n_texts + 1) {
        *(is_held ? &counts->n_held_texts : &counts->n_texts) += 1;
        filling->last_text = builder->n_texts + 1;
    }
    builder->n_texts += job->ends;
    *(is_held ? &counts->n_held_tokens : &counts->n_tokens) += job->ids.count;
    encode_report_add(&counts->report, &job->report);
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
        job->line = item.line;
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
        if (plan->pool != NULL) {
            pool_run(plan->pool, run_job, builder, n_jobs);
        }
        for (int i = 0; i < n_jobs; i++) {
            if (plan->pool == NULL) {
                run_job(builder, i, 0);
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
    builder->counts.n_whole = builder->n_texts;
    builder->counts.n_blanks = builder->reader.n_blanks;
    if (plan->held_out_every > 0 && builder->counts.n_held_texts == 0 &&
        !hold_end_out(builder, err)) {
        return false;
    }
    return (builder->train.ids.count == 0 || write_shard(builder, &builder->train, err)) &&
           (builder->held.ids.count == 0 || write_shard(builder, &builder->held, err));
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

static bool write_manifest(const Builder *builder, Error *err) {
    const Filling *train = &builder->train;
    const Filling *held = &builder->held;
    char hash[DATASET_HASH_BYTES];
    snprintf(hash, sizeof hash, "%08" PRIx32 "%08" PRIx32, train->crc, held->crc);
    return dataset_manifest_write(builder->folder, builder->plan, &builder->counts, hash,
                                  train->n_shards, held->n_shards, err);
}

bool dataset_build(const char *folder, const DatasetPlan *plan, DatasetCounts *counts, Error *err) {
    Builder *builder = calloc(1, sizeof *builder);
    if (builder == NULL) {
        return error_set(err, "not enough memory to tokenize");
    }
    builder->folder = folder;
    builder->plan = plan;
    builder->train.split = SPLIT_TRAIN;
    builder->held.split = SPLIT_HELD_OUT;
    builder->doubles_space = doubles_space(plan->tokenizer);
    bool ok = text_reader_open(&builder->reader, &plan->source, err) &&
              file_make_folder(folder, NULL, err);
    if (ok) {
        dataset_remove(folder);
        ok = build_shards(builder, err) && write_manifest(builder, err);
        if (!ok) {
            dataset_remove(folder); // without dataset.json the shards are of no use
        }
    }
    if (counts != NULL) {
        *counts = builder->counts;
    }
    free_builder(builder);
    return ok;
}
