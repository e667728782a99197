// safetensors_header.h - the checks between a file's bytes and tensors that may be trusted.
#ifndef ENGINE_FILES_SAFETENSORS_HEADER_H
#define ENGINE_FILES_SAFETENSORS_HEADER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/files/safetensors.h"

enum { SAFETENSORS_MAX_HEADER_BYTES = 100 * 1000 * 1000, SAFETENSORS_LENGTH_BYTES = 8 };

// Appends the tensors of one file to the set, and its metadata where the set has none yet. bytes
// must outlive the set. by_name is left to the caller. On failure the set may hold some of the
// tensors.
bool safetensors_append_file(Safetensors *set, const char *path, const unsigned char *bytes,
                             size_t size_bytes, Error *err);

#endif
