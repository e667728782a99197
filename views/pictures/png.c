// png.c - pictures as PNG files: signature, header, one block of deflated rows, end.
#include "views/pictures/png.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "engine/base/file.h"

// Flat colours make long runs: the quickest level already finds them.
enum { QUICK_LEVEL = 1, SMALL_LEVEL = 9 };

enum { HEADER_BYTES = 13, CHUNK_EXTRA_BYTES = 12, UNFILTERED = 0 };

static const unsigned char SIGNATURE[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

_Static_assert((size_t)PICTURE_MAX_PIXELS * 4 < INT_MAX, "zlib counts bytes in 32 bits");

static void put_number(unsigned char *to, size_t number) {
    for (int i = 0; i < 4; i++) {
        to[i] = (unsigned char)(number >> (24 - 8 * i));
    }
}

// Length, kind and check around the bytes that stand after the first two already; gives its end.
static unsigned char *close_chunk(unsigned char *chunk, const char *kind, size_t n_bytes) {
    put_number(chunk, n_bytes);
    memcpy(chunk + 4, kind, 4);
    put_number(chunk + 8 + n_bytes, crc32(0, chunk + 4, (uInt)(n_bytes + 4)));
    return chunk + CHUNK_EXTRA_BYTES + n_bytes;
}

static unsigned char *put_header(unsigned char *to, const Picture *picture) {
    static const unsigned char EIGHT_BITS_RGB[5] = {8, 2, 0, 0, 0};
    memcpy(to, SIGNATURE, sizeof SIGNATURE);
    to += sizeof SIGNATURE;
    put_number(to + 8, (size_t)picture->width);
    put_number(to + 12, (size_t)picture->height);
    memcpy(to + 16, EIGHT_BITS_RGB, sizeof EIGHT_BITS_RGB);
    return close_chunk(to, "IHDR", HEADER_BYTES);
}

// Each row of pixels with the number of its filter before it.
static bool deflate_rows(z_stream *stream, const Picture *picture, Progress *progress, Error *err) {
    unsigned char filter = UNFILTERED;
    size_t row_bytes = 3 * (size_t)picture->width;
    for (int y = 0; y < picture->height; y++) {
        if (!progress_at(progress, (size_t)y, (size_t)picture->height, err)) {
            return false;
        }
        stream->next_in = &filter;
        stream->avail_in = 1;
        (void)deflate(stream, Z_NO_FLUSH); // there is room for all of it
        stream->next_in = picture->pixels + (size_t)y * row_bytes;
        stream->avail_in = (uInt)row_bytes;
        (void)deflate(stream, Z_NO_FLUSH);
    }
    return deflate(stream, Z_FINISH) == Z_STREAM_END ||
           error_set(err, "a PNG of %d x %d pixels cannot be compressed", picture->width,
                     picture->height);
}

static bool encode(const Picture *picture, int level, Progress *progress, unsigned char **bytes,
                   size_t *size_bytes, Error *err) {
    z_stream stream = {0};
    bool has_begun = deflateInit(&stream, level) == Z_OK;
    size_t all = (1 + 3 * (size_t)picture->width) * (size_t)picture->height;
    size_t room = has_begun ? deflateBound(&stream, all) : 0;
    *bytes =
        has_begun ? malloc(room + sizeof SIGNATURE + HEADER_BYTES + 3 * CHUNK_EXTRA_BYTES) : NULL;
    if (*bytes == NULL) {
        (void)deflateEnd(&stream);
        return error_set(err, "out of memory for a PNG of %d x %d pixels", picture->width,
                         picture->height);
    }
    unsigned char *at = put_header(*bytes, picture);
    stream.next_out = at + 8;
    stream.avail_out = (uInt)room;
    bool ok = deflate_rows(&stream, picture, progress, err);
    if (ok) {
        at = close_chunk(at, "IDAT", stream.total_out);
        *size_bytes = (size_t)(close_chunk(at, "IEND", 0) - *bytes);
    } else {
        free(*bytes);
        *bytes = NULL;
    }
    (void)deflateEnd(&stream);
    return ok;
}

bool png_encode(const Picture *picture, unsigned char **bytes, size_t *size_bytes, Error *err) {
    return encode(picture, QUICK_LEVEL, NULL, bytes, size_bytes, err);
}

static bool save(const Picture *picture, int level, const char *path, Progress *progress,
                 Error *err) {
    unsigned char *bytes = NULL;
    size_t size_bytes = 0;
    bool ok = encode(picture, level, progress, &bytes, &size_bytes, err) &&
              file_save_watched(path, bytes, size_bytes, progress, err);
    free(bytes);
    return ok;
}

bool png_save(const Picture *picture, const char *path, Progress *progress, Error *err) {
    return save(picture, QUICK_LEVEL, path, progress, err);
}

bool png_save_small(const Picture *picture, const char *path, Error *err) {
    return save(picture, SMALL_LEVEL, path, NULL, err);
}
