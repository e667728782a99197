// json_seal.h - JSON files that hold their own checksum: what has changed in them is found.
#ifndef ENGINE_FILES_JSON_SEAL_H
#define ENGINE_FILES_JSON_SEAL_H

#include <jansson.h>

#include "engine/base/error.h"

// Writes the object with a last field "checksum": CRC-32 of the file's bytes, worked out while its
// own digits are 0. Reals have 15 digits, so that 0.1 stays 0.1. NULL is no memory.
bool json_seal_save(json_t *object, const char *path, Error *err);

// Parses the file; any byte that is another than was written is a failure that names it damaged.
// NULL on failure; the caller's to json_decref.
json_t *json_seal_load(const char *path, Error *err);

#endif
