// safetensors.c - a set of tensors in one file or in the shards of a folder.
#include "engine/base/file.h"
#include "engine/files/safetensors.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "engine/files/json_text.h"
#include "engine/files/safetensors_header.h"

static const char MODEL_FILE[] = "model.safetensors";
static const char INDEX_FILE[] = "model.safetensors.index.json";

static int compare_names(const void *left, const void *right, void *context) {
    const StoredTensor *tensors = context;
    const int *a = left;
    const int *b = right;
    return strcmp(tensors[*a].name, tensors[*b].name);
}

// The order by name, in which find searches; no name may be there twice.
static bool sort_names(Safetensors *set, Error *err) {
    size_t count = (size_t)set->n_tensors;
    set->by_name = malloc((count + 1) * sizeof *set->by_name);
    if (set->by_name == NULL) {
        return error_set(err, "not enough memory for the names of %zu tensors", count);
    }
    for (int i = 0; i < set->n_tensors; i++) {
        set->by_name[i] = i;
    }
    qsort_r(set->by_name, count, sizeof *set->by_name, compare_names, set->tensors);
    for (size_t i = 1; i < count; i++) {
        const StoredTensor *a = &set->tensors[set->by_name[i - 1]];
        const StoredTensor *b = &set->tensors[set->by_name[i]];
        if (strcmp(a->name, b->name) == 0) {
            char name[FILE_NAME_TEXT_BYTES];
            char path[FILE_NAME_TEXT_BYTES];
            char other[FILE_NAME_TEXT_BYTES];
            return error_set(err, "%.180s: tensor \"%.100s\" is also in %.180s",
                             file_shown(b->path, path), file_shown(a->name, name),
                             file_shown(a->path, other));
        }
    }
    return true;
}

static bool append_mapped(Safetensors *set, const char *path, Error *err) {
    FileBytes *files = realloc(set->files, ((size_t)set->n_files + 1) * sizeof *files);
    if (files == NULL) {
        return error_set(err, "not enough memory to open %d files", set->n_files + 1);
    }
    set->files = files;
    FileBytes *file = &files[set->n_files];
    if (!file_map(file, path, err)) {
        return false;
    }
    set->n_files++;
    return safetensors_append_file(set, path, file->bytes, file->size_bytes, err);
}

// The shards' names, each once, in the order in which they first appear: the keys of an object.
// NULL on failure.
static json_t *list_shards(json_t *map, const char *shown_index, Error *err) {
    json_t *shards = json_object();
    const char *name;
    json_t *value;
    json_object_foreach(map, name, value) {
        const char *shard = json_string_value(value);
        bool is_plain =
            shard != NULL && shard[0] != '\0' && shard[0] != '.' && strchr(shard, '/') == NULL;
        if (!is_plain || json_object_set_new(shards, shard, json_true()) != 0) {
            char shown[FILE_NAME_TEXT_BYTES];
            error_set(err,
                      "%s: \"weight_map\": \"%s\": expected the name of a file in the same folder",
                      shown_index, file_shown(name, shown));
            json_decref(shards);
            return NULL;
        }
    }
    return shards;
}

static bool append_shards(Safetensors *set, const char *index_path, json_t *shards, Error *err) {
    const char *slash = strrchr(index_path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - index_path) + 1;
    const char *shard;
    json_t *unused;
    json_object_foreach(shards, shard, unused) {
        const char *path = arena_format(&set->arena, "%.*s%s", (int)length, index_path, shard);
        if (!append_mapped(set, path, err)) {
            return false;
        }
    }
    return true;
}

// Each tensor of the index must be in the file that the index says.
static bool check_map(const Safetensors *set, json_t *map, const char *shown_index, Error *err) {
    const char *name;
    json_t *value;
    json_object_foreach(map, name, value) {
        const StoredTensor *tensor = safetensors_find(set, name);
        const char *file = tensor == NULL ? NULL : strrchr(tensor->path, '/');
        file = file == NULL ? (tensor == NULL ? "" : tensor->path) : file + 1;
        if (strcmp(file, json_string_value(value)) != 0) {
            char shown[FILE_NAME_TEXT_BYTES];
            char shard[FILE_NAME_TEXT_BYTES];
            return error_set(
                err, "%s: tensor \"%.140s\" is not in %.100s, where the index says it is",
                shown_index, file_shown(name, shown), file_shown(json_string_value(value), shard));
        }
    }
    return true;
}

static bool open_index(Safetensors *set, const char *path, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    json_t *index = json_text_load(path, err);
    if (index == NULL) {
        return false;
    }
    file_shown(path, shown);
    json_t *map = json_object_get(index, "weight_map");
    json_t *shards = NULL;
    bool done =
        json_is_object(map) || error_set(err, "%s: expected an object \"weight_map\"", shown);
    if (done) {
        shards = list_shards(map, shown, err);
        done = shards != NULL && append_shards(set, path, shards, err) && sort_names(set, err) &&
               check_map(set, map, shown, err);
    }
    json_decref(shards);
    json_decref(index);
    return done;
}

// Opens what path is: a file, an index, or a folder with one of them.
static bool open_path(Safetensors *set, const char *path, Error *err) {
    if (file_is_folder(path)) {
        const char *slash = file_has_ending(path, "/") ? "" : "/";
        const char *model = arena_format(&set->arena, "%s%s%s", path, slash, MODEL_FILE);
        const char *index = arena_format(&set->arena, "%s%s%s", path, slash, INDEX_FILE);
        if (!file_exists(model) && !file_exists(index)) {
            char shown[FILE_NAME_TEXT_BYTES];
            return error_set(err, "%s: expected %s or %s in this folder, found neither",
                             file_shown(path, shown), MODEL_FILE, INDEX_FILE);
        }
        path = file_exists(model) ? model : index;
    }
    if (file_has_ending(path, ".json")) {
        return open_index(set, path, err);
    }
    return append_mapped(set, path, err) && sort_names(set, err);
}

bool safetensors_open(Safetensors *set, const char *path, Error *err) {
    *set = (Safetensors){0};
    set->path = arena_text(&set->arena, path);
    if (!open_path(set, path, err)) {
        safetensors_close(set);
        return false;
    }
    return true;
}

bool safetensors_open_bytes(Safetensors *set, const char *path, const unsigned char *bytes,
                            size_t size_bytes, Error *err) {
    *set = (Safetensors){0};
    set->path = arena_text(&set->arena, path);
    if (!safetensors_append_file(set, path, bytes, size_bytes, err) || !sort_names(set, err)) {
        safetensors_close(set);
        return false;
    }
    return true;
}

void safetensors_close(Safetensors *set) {
    for (int i = 0; i < set->n_files; i++) {
        file_close(&set->files[i]);
    }
    free(set->files);
    free(set->tensors);
    free(set->by_name);
    arena_free(&set->arena);
    *set = (Safetensors){0};
}

const StoredTensor *safetensors_find(const Safetensors *set, const char *name) {
    int low = 0;
    int high = set->n_tensors;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const StoredTensor *tensor = &set->tensors[set->by_name[middle]];
        int order = strcmp(name, tensor->name);
        if (order == 0) {
            return tensor;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

const char *safetensors_sizes_text(const StoredTensor *tensor, char text[TENSOR_DATA_SIZES_BYTES]) {
    return tensor_data_sizes_text(tensor->sizes, tensor->rank, text);
}

static bool has_shape(const StoredTensor *tensor, const Shape *shape) {
    if (tensor->rank != shape_rank(shape)) {
        return false;
    }
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] != shape->sizes[i]) {
            return false;
        }
    }
    return true;
}

// The tensor of this name and shape, NULL with a sentence where there is none.
static const StoredTensor *find_shaped(const Safetensors *set, const char *name, const Shape *shape,
                                       Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    char shown_name[FILE_NAME_TEXT_BYTES];
    char expected[SHAPE_TEXT_BYTES];
    const StoredTensor *tensor = safetensors_find(set, name);
    if (tensor == NULL) {
        error_set(err, "%s: expected a tensor \"%s\" of shape %s, found none of that name",
                  file_shown(set->path, shown), file_shown(name, shown_name),
                  shape_sizes_text(shape, expected));
        return NULL;
    }
    if (!has_shape(tensor, shape)) {
        char found[TENSOR_DATA_SIZES_BYTES];
        error_set(err, "%s: tensor \"%s\": expected shape %s, found %s",
                  file_shown(tensor->path, shown), file_shown(name, shown_name),
                  shape_sizes_text(shape, expected), safetensors_sizes_text(tensor, found));
        return NULL;
    }
    return tensor;
}

bool safetensors_copy_floats(const StoredTensor *tensor, float *values, Error *err) {
    if (!dtype_is_float(tensor->dtype)) {
        char path[FILE_NAME_TEXT_BYTES];
        char name[FILE_NAME_TEXT_BYTES];
        return error_set(err, "%s: tensor \"%s\": expected F32, F16, BF16 or F64, found %s",
                         file_shown(tensor->path, path), file_shown(tensor->name, name),
                         dtype_name(tensor->dtype));
    }
    tensor_data_to_floats(values, tensor->bytes, tensor->dtype, tensor->count);
    size_t first = 0;
    size_t n = tensor_data_overflows(tensor->bytes, tensor->dtype, tensor->count, &first);
    if (n > 0) {
        double number = 0.0;
        char path[FILE_NAME_TEXT_BYTES];
        char name[FILE_NAME_TEXT_BYTES];
        memcpy(&number, tensor->bytes + first * sizeof number, sizeof number);
        return error_set(err,
                         "%s: tensor \"%s\": %zu number%s beyond what float32 holds (3.4e38), the "
                         "first, number %zu, is %g",
                         file_shown(tensor->path, path), file_shown(tensor->name, name), n,
                         n == 1 ? " is" : "s are", first, number);
    }
    return true;
}

bool safetensors_copy_ints(const StoredTensor *tensor, int32_t *values, Error *err) {
    char path[FILE_NAME_TEXT_BYTES];
    char name[FILE_NAME_TEXT_BYTES];
    size_t bad = 0;
    if (!dtype_is_integer(tensor->dtype)) {
        return error_set(err, "%s: tensor \"%s\": expected integers, found %s",
                         file_shown(tensor->path, path), file_shown(tensor->name, name),
                         dtype_name(tensor->dtype));
    }
    if (!tensor_data_to_ints(values, tensor->bytes, tensor->dtype, tensor->count, &bad)) {
        return error_set(err, "%s: tensor \"%s\": number %zu is beyond 32 bits",
                         file_shown(tensor->path, path), file_shown(tensor->name, name), bad);
    }
    return true;
}

bool safetensors_read_floats(const Safetensors *set, const char *name, const Shape *shape,
                             float *values, Error *err) {
    const StoredTensor *tensor = find_shaped(set, name, shape, err);
    return tensor != NULL && safetensors_copy_floats(tensor, values, err);
}
