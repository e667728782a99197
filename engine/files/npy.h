// npy.h - writes NumPy's .npy files (format 1.0) and tells what one holds.
#ifndef ENGINE_FILES_NPY_H
#define ENGINE_FILES_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/files/tensor_data.h"

enum { NPY_NAME_BYTES = 200 };

// Writes one tensor: '<f4' or, for I32, '<i4', C order, the header padded to 64 bytes. "-" is
// standard output. Whole or not at all. F16 and BF16 are written as '<f4' too.
bool npy_save(const char *path, const NamedTensor *tensor, Error *err);

// Writes each tensor to folder/NAME.npy, NAME made safe; files of other names stay. The folder is
// made if it is not there. A full disk leaves the folder as it was.
bool npy_save_folder(const char *folder, const NamedTensor *tensors, int n_tensors, Error *err);

// The file name of a tensor, without folder: letters, digits, '.', '_' and '-' are kept (no dot or
// dash first), the rest becomes '_', long names are cut; ends in ".npy". Returns text.
const char *npy_safe_name(const char *name, char text[NPY_NAME_BYTES]);

// What the header of a .npy file says.
typedef struct NpyHeader {
    char descr[16]; // "<f4"
    bool fortran_order;
    int rank;
    int64_t sizes[TENSOR_DATA_MAX_RANK];
    size_t item_bytes;
    size_t data_start; // bytes from the start of the file
    size_t count;      // of numbers
} NpyHeader;

// Reads the header at the start of a file of size_bytes bytes and checks it against the size. path
// is for sentences only. Structured dtypes and object arrays are refused.
bool npy_read_header(NpyHeader *header, const char *path, const unsigned char *bytes,
                     size_t size_bytes, Error *err);

#endif
