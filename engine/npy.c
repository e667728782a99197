// npy.c - writes NumPy's .npy files (format 1.0) and tells what one holds.
#include "engine/npy.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"

// A file is: the magic, 2 bytes of version, the header's length (2 bytes, 4 from version 2), the
// header (a Python dictionary as text, padded with spaces, ending in a line feed), the numbers.
static const unsigned char MAGIC[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

enum {
    PREFIX_BYTES = sizeof MAGIC + 2 + 2, // before the header, in version 1.0
    ALIGNMENT = 64,
    HEADER_BYTES = 512,
    CHUNK_NUMBERS = 16 * 1024,
};

// The dictionary of a tensor, its padding and line feed included. Returns the length.
static size_t make_header(const NamedTensor *tensor, char text[HEADER_BYTES]) {
    const char *descr = tensor->dtype == DTYPE_I32 ? "<i4" : "<f4";
    size_t used = (size_t)snprintf(text, HEADER_BYTES,
                                   "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < tensor->rank; i++) {
        used += (size_t)snprintf(text + used, HEADER_BYTES - used, i == 0 ? "%d" : ", %d",
                                 tensor->sizes[i]);
    }
    // Python writes a tuple of one with a comma behind it.
    used +=
        (size_t)snprintf(text + used, HEADER_BYTES - used, tensor->rank == 1 ? ",), }" : "), }");
    size_t padded = (PREFIX_BYTES + used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    while (PREFIX_BYTES + used + 1 < padded) {
        text[used++] = ' ';
    }
    text[used++] = '\n';
    return used;
}

bool npy_save(const char *path, const NamedTensor *tensor, Error *err) {
    // float32 is what the caller holds; NumPy has no BF16.
    NamedTensor plain = *tensor;
    plain.dtype = tensor->dtype == DTYPE_I32 ? DTYPE_I32 : DTYPE_F32;
    char header[HEADER_BYTES];
    size_t length = make_header(&plain, header);
    FileWriter writer;
    if (!file_writer_open(&writer, path, err)) {
        return false;
    }
    const unsigned char version_and_length[4] = {1, 0, (unsigned char)(length & 0xff),
                                                 (unsigned char)(length >> 8)};
    file_writer_write(&writer, MAGIC, sizeof MAGIC);
    file_writer_write(&writer, version_and_length, sizeof version_and_length);
    file_writer_write(&writer, header, length);
    file_writer_write(&writer, plain.values, tensor_data_count(&plain) * dtype_bytes(plain.dtype));
    return file_writer_commit(&writer, err);
}

const char *npy_safe_name(const char *name, char text[NPY_NAME_BYTES]) {
    static const char ending[] = ".npy";
    size_t used = 0;
    for (; name[used] != '\0' && used < NPY_NAME_BYTES - sizeof ending; used++) {
        char c = name[used];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        text[used] = is_plain || c == '_' || (used > 0 && (c == '.' || c == '-')) ? c : '_';
    }
    if (used == 0) {
        text[used++] = '_';
    }
    memcpy(text + used, ending, sizeof ending);
    return text;
}

typedef char SafeName[NPY_NAME_BYTES];

static int compare_safe_names(const void *left, const void *right) {
    return strcmp(left, right);
}

// Two tensors must not go into the same file.
static bool check_names(const NamedTensor *tensors, int n_tensors, Error *err) {
    SafeName *names = malloc(((size_t)n_tensors + 1) * sizeof *names);
    if (names == NULL) {
        return error_set(err, "not enough memory for the names of %d tensors", n_tensors);
    }
    for (int i = 0; i < n_tensors; i++) {
        npy_safe_name(tensors[i].name, names[i]);
    }
    qsort(names, (size_t)n_tensors, sizeof *names, compare_safe_names);
    bool done = true;
    for (int i = 1; i < n_tensors && done; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            done = error_set(err, "%s: expected one tensor for this file, found two", names[i]);
        }
    }
    free(names);
    return done;
}

static char *path_in(const char *folder, const char *name) {
    SafeName safe;
    return file_join(folder, npy_safe_name(name, safe));
}

bool npy_save_folder(const char *folder, const NamedTensor *tensors, int n_tensors, Error *err) {
    bool made = false;
    if (!check_names(tensors, n_tensors, err) || !file_make_folder(folder, &made, err)) {
        return false;
    }
    int n_saved = 0;
    bool done = true;
    for (; n_saved < n_tensors && done; n_saved += done ? 1 : 0) {
        char *path = path_in(folder, tensors[n_saved].name);
        done = path != NULL ? npy_save(path, &tensors[n_saved], err)
                            : error_set(err, "not enough memory for the name of a file");
        free(path);
    }
    if (!done && made) {
        for (int i = 0; i < n_saved; i++) {
            char *path = path_in(folder, tensors[i].name);
            if (path != NULL) {
                (void)unlink(path);
            }
            free(path);
        }
        (void)rmdir(folder);
    }
    return done;
}
