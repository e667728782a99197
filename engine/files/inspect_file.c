// inspect_file.c - what is in a file of tensors, a JSON file or a model's folder, without its
// numbers.
#include "engine/files/inspect_file.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "engine/base/file.h"
#include "engine/base/plural.h"
#include "engine/files/json_text.h"
#include "engine/files/npz.h"
#include "engine/files/safetensors.h"

enum { LONGEST_VALUE = 160 };

const char *inspect_file_kind_name(InspectKind kind) {
    static const char *const names[INSPECT_KIND_COUNT] = {
        [INSPECT_SAFETENSORS] = "safetensors",
        [INSPECT_NPY] = "npy",
        [INSPECT_NPZ] = "npz",
        [INSPECT_LLMC] = "llm.c",
        [INSPECT_JSON] = "json",
        [INSPECT_FOLDER] = "folder",
    };
    return names[kind];
}

// Hugging Face's older GPT-2 files carry (1,1,T,T) masks and one number that stands for -infinity.
static bool is_mask(const StoredTensor *tensor) {
    return (file_has_ending(tensor->name, "attn.bias") && tensor->rank == 4) ||
           (file_has_ending(tensor->name, "attn.masked_bias") && tensor->rank == 0);
}

void inspect_file_start(InspectFile *file, InspectKind kind, int n_tensors) {
    file->kind = kind;
    file->n_files = 1;
    file->tensors = arena_allocate(&file->arena, ((size_t)n_tensors + 1) * sizeof *file->tensors);
}

void inspect_file_add(InspectFile *file, const InspectTensor *tensor) {
    file->tensors[file->n_tensors++] = *tensor;
    file->n_numbers += tensor->n_numbers;
    file->n_parameters += tensor->is_parameter ? tensor->n_numbers : 0;
    file->size_bytes += tensor->size_bytes;
}

static void copy_set(InspectFile *file, const Safetensors *set) {
    Arena *arena = &file->arena;
    inspect_file_start(file, file->kind, set->n_tensors);
    for (int i = 0; i < set->n_tensors; i++) {
        const StoredTensor *stored = &set->tensors[i];
        InspectTensor tensor = {
            .name = arena_text(arena, stored->name),
            .path = arena_text(arena, stored->path),
            .type = dtype_name(stored->dtype),
            .rank = stored->rank,
            .n_numbers = stored->count,
            .size_bytes = stored->size_bytes,
            .is_parameter = dtype_is_float(stored->dtype) && !is_mask(stored),
        };
        memcpy(tensor.sizes, stored->sizes, sizeof tensor.sizes);
        inspect_file_add(file, &tensor);
    }
    file->n_files = set->n_files;
    file->metadata = arena_allocate(arena, ((size_t)set->n_metadata + 1) * sizeof *file->metadata);
    file->n_metadata = set->n_metadata;
    for (int i = 0; i < set->n_metadata; i++) {
        file->metadata[i] = (InspectPair){arena_text(arena, set->metadata[i].key),
                                          arena_text(arena, set->metadata[i].value)};
    }
}

static bool open_set(InspectFile *file, const char *path, Error *err) {
    Safetensors set;
    if (!safetensors_open(&set, path, err)) {
        return false;
    }
    copy_set(file, &set);
    safetensors_close(&set);
    return true;
}

// name: the arena's.
static void add_array(InspectFile *file, const char *name, const NpyHeader *header) {
    InspectTensor tensor = {
        .name = name,
        .path = file->path,
        .type = arena_text(&file->arena, header->descr),
        .rank = header->rank,
        .n_numbers = header->count,
        .size_bytes = header->count * header->item_bytes,
        .is_parameter = header->descr[1] == 'f',
    };
    memcpy(tensor.sizes, header->sizes, sizeof tensor.sizes);
    inspect_file_add(file, &tensor);
}

static bool open_npy(InspectFile *file, const char *path, const FileBytes *bytes, Error *err) {
    NpyHeader header;
    if (!npy_read_header(&header, path, bytes->bytes, bytes->size_bytes, err)) {
        return false;
    }
    const char *slash = strrchr(path, '/');
    inspect_file_start(file, INSPECT_NPY, 1);
    add_array(file, arena_text(&file->arena, slash == NULL ? path : slash + 1), &header);
    return true;
}

static bool open_npz(InspectFile *file, const char *path, const FileBytes *bytes, Error *err) {
    NpzEntry *entries = NULL;
    int n_entries = 0;
    if (!npz_read(&entries, &n_entries, &file->arena, path, bytes->bytes, bytes->size_bytes, err)) {
        return false;
    }
    inspect_file_start(file, INSPECT_NPZ, n_entries);
    for (int i = 0; i < n_entries; i++) {
        add_array(file, entries[i].name, &entries[i].header);
    }
    return true;
}

// The value as JSON; one too long to read becomes a string.
static const char *value_text(Arena *arena, const json_t *value) {
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    const char *text = NULL;
    if (dumped != NULL && strlen(dumped) <= LONGEST_VALUE) {
        text = arena_text(arena, dumped);
    } else if (json_is_object(value)) {
        text = arena_format(arena, "\"an object of %zu key%s\"", json_object_size(value),
                            plural((long long)json_object_size(value)));
    } else if (json_is_array(value)) {
        text = arena_format(arena, "\"an array of %zu value%s\"", json_array_size(value),
                            plural((long long)json_array_size(value)));
    } else {
        text = arena_format(arena, "\"a string of %zu byte%s\"", json_string_length(value),
                            plural((long long)json_string_length(value)));
    }
    free(dumped);
    return text;
}

static bool open_config(InspectFile *file, const char *path, Error *err) {
    json_t *object = json_text_load(path, err);
    if (object == NULL) {
        return false;
    }
    size_t size = json_object_size(object);
    file->config = arena_allocate(&file->arena, (size + 1) * sizeof *file->config);
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        file->config[file->n_config++] =
            (InspectPair){arena_text(&file->arena, key), value_text(&file->arena, value)};
    }
    file->has_config = true;
    json_decref(object);
    return true;
}

static bool open_folder(InspectFile *file, const char *path, Error *err) {
    const char *slash = file_has_ending(path, "/") ? "" : "/";
    const char *config = arena_format(&file->arena, "%s%sconfig.json", path, slash);
    const char *model = arena_format(&file->arena, "%s%smodel.safetensors", path, slash);
    const char *index = arena_format(&file->arena, "%s%smodel.safetensors.index.json", path, slash);
    bool has_set = file_exists(model) || file_exists(index);
    file->kind = INSPECT_FOLDER;
    if (!has_set && !file_exists(config)) {
        char shown[FILE_NAME_TEXT_BYTES];
        return error_set(err,
                         "%s: expected config.json or model.safetensors in this folder, found "
                         "neither",
                         file_shown(path, shown));
    }
    return (!file_exists(config) || open_config(file, config, err)) &&
           (!has_set || open_set(file, path, err));
}

static bool open_path(InspectFile *file, const char *path, Error *err) {
    if (file_is_folder(path)) {
        return open_folder(file, path, err);
    }
    if (file_has_ending(path, ".json") && !file_has_ending(path, ".safetensors.index.json")) {
        file->kind = INSPECT_JSON;
        return open_config(file, path, err);
    }
    FileBytes bytes;
    if (!file_map(&bytes, path, err)) {
        return false;
    }
    bool is_npy = file_has_ending(path, ".npy") ||
                  (bytes.size_bytes >= 6 && memcmp(bytes.bytes, "\x93NUMPY", 6) == 0);
    bool is_npz = file_has_ending(path, ".npz") || npz_recognize(bytes.bytes, bytes.size_bytes);
    bool done = is_npy   ? open_npy(file, path, &bytes, err)
                : is_npz ? open_npz(file, path, &bytes, err)
                         : true;
    file_close(&bytes);
    return is_npy || is_npz ? done : open_set(file, path, err);
}

bool inspect_file_open(InspectFile *file, const char *path, Error *err) {
    *file = (InspectFile){0};
    file->path = arena_text(&file->arena, path);
    if (!open_path(file, path, err)) {
        inspect_file_close(file);
        return false;
    }
    return true;
}

void inspect_file_close(InspectFile *file) {
    arena_free(&file->arena);
    *file = (InspectFile){0};
}
