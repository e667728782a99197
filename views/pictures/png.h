// png.h - pictures as PNG files.
#ifndef VIEWS_PICTURES_PNG_H
#define VIEWS_PICTURES_PNG_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/progress.h"
#include "views/pictures/picture.h"

// 8-bit RGB. *bytes is malloc'ed and the caller's. The same picture gives the same bytes.
bool png_encode(const Picture *picture, unsigned char **bytes, size_t *size_bytes, Error *err);

// Writes path whole or not at all, see engine/base/file.h. progress is of who waits; NULL: nobody.
bool png_save(const Picture *picture, const char *path, Progress *progress, Error *err);

// The same as a file that is smaller and takes longer to write: one that is kept.
bool png_save_small(const Picture *picture, const char *path, Error *err);

#endif
