// checkpoint_folder.h - folders that appear whole, move and go; checksums of files.
#ifndef ENGINE_TRAINING_CHECKPOINT_FOLDER_H
#define ENGINE_TRAINING_CHECKPOINT_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"

// Says errno with the file's name; always false.
bool checkpoint_fail(const char *path, Error *err);

// CRC-32 (as zlib's) and size of a file, read in pieces.
bool checkpoint_checksum(const char *path, uint32_t *crc, uint64_t *size_bytes, Error *err);

// Puts folder `from` at the place of `to`; a folder that is there changes places with it and is
// removed. Both lie in `run`.
bool checkpoint_place(const char *run, const char *from, const char *to, Error *err);

// Renamed first, so that a half-removed folder is never taken for a whole one.
void checkpoint_remove(const char *run, const char *name);

// A link `name` in `run` to target, which replaces what is there at once: a link, or the file or
// whole checkpoint that a copy of a run has in its place.
bool checkpoint_link(const char *run, const char *name, const char *target, Error *err);

void checkpoint_sync_folder(const char *path);

#endif
