// npz.h - tells what is in NumPy's .npz files: a zip archive of .npy files.
#ifndef ENGINE_FILES_NPZ_H
#define ENGINE_FILES_NPZ_H

#include "engine/base/arena.h"
#include "engine/files/npy.h"

typedef struct NpzEntry {
    const char *name; // without ".npy"
    NpyHeader header;
} NpzEntry;

// True where the bytes begin as such an archive does.
bool npz_recognize(const unsigned char *bytes, size_t size_bytes);

// Reads the headers of all entries, stored or deflated, into *entries, which the arena owns. Lists
// and headers are checked against the file; path is for sentences.
bool npz_read(NpzEntry **entries, int *n_entries, Arena *arena, const char *path,
              const unsigned char *bytes, size_t size_bytes, Error *err);

#endif
