// safetensors.h - reads and writes .safetensors files and sharded folders of them.
//
// A file is: 8 bytes, the header's length N, little-endian; N bytes of JSON, padded with spaces,
// {"name": {"dtype": "F32", "shape": [2,3], "data_offsets": [0,24]}, ..., "__metadata__": {...}};
// then the data, without gaps. Offsets count from the data's start.
#ifndef ENGINE_FILES_SAFETENSORS_H
#define ENGINE_FILES_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/files/tensor_data.h"

// One tensor in an opened set; all pointers belong to the set.
typedef struct StoredTensor {
    const char *name;
    const char *path; // of the file it is in
    Dtype dtype;
    int rank;
    int64_t sizes[TENSOR_DATA_MAX_RANK];
    size_t count; // of numbers; 0 where a size is 0
    const unsigned char *bytes;
    size_t size_bytes;
} StoredTensor;

// A pair of `__metadata__`.
typedef struct SafetensorsPair {
    const char *key;
    const char *value;
} SafetensorsPair;

// One file, or the shards that a model.safetensors.index.json lists, as one set of tensors. Files
// are mapped, so opening a big one is quick and its numbers are read when they are asked for.
typedef struct Safetensors {
    StoredTensor *tensors; // in the order of the files and, within one, of the data
    int n_tensors;
    SafetensorsPair *metadata; // of the first file
    int n_metadata;
    FileBytes *files;
    int n_files;
    int *by_name;     // indices of tensors, sorted by name
    const char *path; // as given to open
    Arena arena;      // names and paths
} Safetensors;

// path is a .safetensors file, a .safetensors.index.json, or a folder that holds model.safetensors
// or model.safetensors.index.json. Everything in the headers is checked before it returns; the
// sentence names the file and the tensor. On failure the set is left as after close.
bool safetensors_open(Safetensors *set, const char *path, Error *err);
void safetensors_close(Safetensors *set);

// The same for bytes in memory, which must outlive the set; path is for sentences only.
bool safetensors_open_bytes(Safetensors *set, const char *path, const unsigned char *bytes,
                            size_t size_bytes, Error *err);

// NULL where there is none of that name.
const StoredTensor *safetensors_find(const Safetensors *set, const char *name);

// All numbers of the tensor called name into values. Fails with name and place where it is missing,
// where its shape is not that of `shape` (the sentence has both), and where its dtype is not a
// float.
bool safetensors_read_floats(const Safetensors *set, const char *name, const Shape *shape,
                             float *values, Error *err);

// The same for a tensor that was found, without a question about its shape: values holds
// tensor->count numbers. Integers: the dtype is one, and int32 can hold them.
bool safetensors_copy_floats(const StoredTensor *tensor, float *values, Error *err);
bool safetensors_copy_ints(const StoredTensor *tensor, int32_t *values, Error *err);

// "(2,3,8)" of the tensor.
const char *safetensors_sizes_text(const StoredTensor *tensor, char text[TENSOR_DATA_SIZES_BYTES]);

// Writes the tensors and metadata (in that order; NULL and 0 for none) to path, "-" for standard
// output: whole or not at all, as by FileWriter. Tensors of wider numbers come first, so that each
// is aligned; else the order is kept. The same input gives the same bytes. Two tensors or two keys
// of one name, or the name "__metadata__", are errors.
bool safetensors_save(const char *path, const NamedTensor *tensors, int n_tensors,
                      const SafetensorsPair *metadata, int n_metadata, Error *err);

#endif
