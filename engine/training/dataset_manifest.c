// dataset_manifest.c - dataset.json: what a folder of shards was made from.
#include "engine/training/dataset_manifest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/files/json_seal.h"
#include "engine/files/json_text.h"

void dataset_plan_hash(const DatasetPlan *plan, char hash[DATASET_HASH_BYTES]) {
    if (plan->tokenizer_hash != NULL) {
        snprintf(hash, DATASET_HASH_BYTES, "%s", plan->tokenizer_hash);
    } else {
        tokenizer_hash(plan->tokenizer, hash);
    }
}

// What tells one dataset from another.
static json_t *describe(const DatasetPlan *plan) {
    char hash[DATASET_HASH_BYTES];
    struct stat about = {0};
    dataset_plan_hash(plan, hash);
    if (plan->source.made != NULL) {
        about.st_size = (off_t)plan->source.n_made;
    } else if (stat(plan->source.path, &about) != 0) {
        about.st_size = -1;
    }
    const char *separator =
        plan->source.separator == NULL ? "<|endoftext|>" : plan->source.separator;
    const char *field = plan->source.field == NULL ? "text" : plan->source.field;
    return json_pack("{s:s, s:o, s:I, s:I, s:i, s:o, s:b, s:o, s:i, s:i, s:i}", "tokenizer", hash,
                     "source", json_text_from_bytes(plan->source.path), "size_bytes",
                     (json_int_t)about.st_size, "changed", (json_int_t)about.st_mtime, "format",
                     (int)plan->source.format, "separator", json_text_from_bytes(separator),
                     "paragraphs", plan->source.paragraphs, "field", json_text_from_bytes(field),
                     "bos_id", plan->marks.bos_id, "eos_id", plan->marks.eos_id, "held_out_every",
                     plan->held_out_every);
}

bool dataset_manifest_write(const char *folder, const DatasetPlan *plan,
                            const DatasetCounts *counts, const char *hash, int n_train, int n_held,
                            Error *err) {
    json_t *object = describe(plan);
    json_t *made =
        json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:I}", "hash", hash, "train_shards", n_train,
                  "held_shards", n_held, "texts", (json_int_t)counts->n_texts, "held_texts",
                  (json_int_t)counts->n_held_texts, "tokens", (json_int_t)counts->n_tokens,
                  "held_tokens", (json_int_t)counts->n_held_tokens);
    char *path = file_join(folder, "dataset.json");
    bool ok = object != NULL && made != NULL && json_object_update(object, made) == 0;
    ok = ok && json_seal_save(object, path, err);
    free(path);
    json_decref(object);
    json_decref(made);
    return ok || error_set(err, "not enough memory for dataset.json");
}

static bool is_shard(const char *name) {
    const char *dot = strrchr(name, '.');
    bool is_split = strncmp(name, "train-", 6) == 0 || strncmp(name, "held-", 5) == 0;
    return is_split && dot != NULL && strcmp(dot, ".tokens") == 0;
}

void dataset_remove(const char *folder) {
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return;
    }
    (void)unlinkat(dirfd(entries), "dataset.json", 0);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (is_shard(entry->d_name)) {
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    closedir(entries);
}

bool dataset_is_built(const char *folder, const DatasetPlan *plan) {
    char *path = file_join(folder, "dataset.json");
    Error ignored = {""};
    bool may_be_same = path != NULL && file_exists(path) && text_source_is_lasting(&plan->source);
    json_t *found = may_be_same ? json_seal_load(path, &ignored) : NULL;
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
