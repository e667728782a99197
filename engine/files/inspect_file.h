// inspect_file.h - what is in a file of tensors, a JSON file or a model's folder, without its
// numbers.
#ifndef ENGINE_FILES_INSPECT_FILE_H
#define ENGINE_FILES_INSPECT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/files/tensor_data.h"

typedef enum InspectKind {
    INSPECT_SAFETENSORS, // a file, or the shards of an index
    INSPECT_NPY,
    INSPECT_NPZ,
    INSPECT_LLMC, // engine/models/llmc.h
    INSPECT_JSON,
    INSPECT_FOLDER, // a config.json, a safetensors set, or both
    INSPECT_KIND_COUNT,
} InspectKind;

typedef struct InspectTensor {
    const char *name;
    const char *path; // of the file that it is in
    const char *type; // as the file writes it: "F32", "<f4"
    int rank;
    int64_t sizes[TENSOR_DATA_MAX_RANK];
    size_t n_numbers;
    size_t size_bytes;
    bool is_parameter; // floats, and no causal mask that old GPT-2 files carry along
} InspectTensor;

typedef struct InspectPair {
    const char *key;
    const char *value; // of metadata: the text; of a configuration: valid JSON
} InspectPair;

// All pointers belong to it.
typedef struct InspectFile {
    InspectKind kind;
    const char *path;
    InspectTensor *tensors; // as they stand in the file
    int n_tensors;
    int n_files; // of tensors
    size_t n_numbers;
    size_t n_parameters; // numbers of the tensors that are parameters
    size_t size_bytes;   // of the tensors
    InspectPair *metadata;
    int n_metadata;
    InspectPair
        *config; // the keys of the JSON; a long value is replaced by a string that says what it is
    int n_config;
    bool has_config;
    Arena arena;
} InspectFile;

// "safetensors", "npy", "npz", "llm.c", "json", "folder"
const char *inspect_file_kind_name(InspectKind kind);

// The headers are checked whole. On failure it is left as after close.
bool inspect_file_open(InspectFile *file, const char *path, Error *err);
// For a file of another kind: room for n tensors of one file, which are then added.
void inspect_file_start(InspectFile *file, InspectKind kind, int n_tensors);
void inspect_file_add(InspectFile *file, const InspectTensor *tensor);
void inspect_file_close(InspectFile *file);

#endif
