// png.c - pictures as PNG files.
#include "views/pictures/png.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "engine/base/file.h"

// Flat colours make long runs: the quickest level already finds them.
enum { QUICK_LEVEL = 1, SMALL_LEVEL = 9, ROW_FILTER = 0 };

// What stb calls in place of its own, slower deflate. The bytes are freed with free().
static unsigned char *compress_with_zlib(unsigned char *data, int size, int *compressed_size,
                                         int quality) {
    uLongf room = compressBound((uLong)size);
    unsigned char *bytes = malloc(room);
    if (bytes == NULL || room > INT_MAX ||
        compress2(bytes, &room, data, (uLong)size, quality) != Z_OK) {
        free(bytes);
        return NULL;
    }
    *compressed_size = (int)room;
    return bytes;
}

// The library is one header, compiled here and nowhere else; as a system header it is let be by the
// compilers' warnings, and the analyzer, which is for our code, does not get to see it.
#ifdef __clang_analyzer__
int stbi_write_png_compression_level, stbi_write_force_png_filter;
unsigned char *stbi_write_png_to_mem(const unsigned char *pixels, int stride_bytes, int x, int y,
                                     int n, int *length);
#else
#define STBIW_ZLIB_COMPRESS compress_with_zlib
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#endif

_Static_assert((size_t)PICTURE_MAX_PIXELS * 4 < INT_MAX, "stb counts bytes in an int");

static bool encode(const Picture *picture, int level, unsigned char **bytes, size_t *size_bytes,
                   Error *err) {
    stbi_write_png_compression_level = level;
    stbi_write_force_png_filter = ROW_FILTER;
    int length = 0;
    *bytes = stbi_write_png_to_mem(picture->pixels, picture->width * 3, picture->width,
                                   picture->height, 3, &length);
    if (*bytes == NULL) {
        return error_set(err, "out of memory for a PNG of %d x %d pixels", picture->width,
                         picture->height);
    }
    *size_bytes = (size_t)length;
    return true;
}

bool png_encode(const Picture *picture, unsigned char **bytes, size_t *size_bytes, Error *err) {
    return encode(picture, QUICK_LEVEL, bytes, size_bytes, err);
}

static bool save(const Picture *picture, int level, const char *path, Error *err) {
    unsigned char *bytes = NULL;
    size_t size_bytes = 0;
    if (!encode(picture, level, &bytes, &size_bytes, err)) {
        return false;
    }
    bool ok = file_save(path, bytes, size_bytes, err);
    free(bytes);
    return ok;
}

bool png_save(const Picture *picture, const char *path, Error *err) {
    return save(picture, QUICK_LEVEL, path, err);
}

bool png_save_small(const Picture *picture, const char *path, Error *err) {
    return save(picture, SMALL_LEVEL, path, err);
}
