// npz.c - tells what is in NumPy's .npz files: a zip archive of .npy files.
//
// Read are the end record, the central directory, and of each entry the local header and the start
// of its data (PKWARE's APPNOTE, sections 4.3 and 4.5.3).
#include "engine/files/npz.h"

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST // what is unpacked is not written to
#include <zlib.h>

#include "engine/base/file.h"

enum {
    END_BYTES = 22,
    LOCATOR_BYTES = 20,
    END_64_BYTES = 56,
    CENTRAL_BYTES = 46,
    LOCAL_BYTES = 30,
    LONGEST_COMMENT = 65535,
    START_BYTES = 66 * 1024, // of an entry's data: its header is in them
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    FLAG_ENCRYPTED = 1,
    EXTRA_64 = 1,
};

static const uint32_t NARROW_FULL = 0xffffffff; // the number is in the extra field

// The archive, and where sentences go.
typedef struct Zip {
    const unsigned char *bytes;
    size_t size;
    const char *path;
    Error *err;
} Zip;

typedef struct ZipEntry {
    const char *name;
    int method, flags;
    uint64_t stored, whole, local; // bytes, bytes unpacked, where its local header is
} ZipEntry;

static uint64_t read_number(const unsigned char *bytes, int n) {
    uint64_t number = 0;
    for (int i = n - 1; i >= 0; i--) {
        number = number << 8 | bytes[i];
    }
    return number;
}

static bool fail(const Zip *zip, const char *what) {
    char shown[FILE_NAME_TEXT_BYTES];
    return error_set(zip->err, "%s: %s: truncated, or no .npz file", file_shown(zip->path, shown),
                     what);
}

// The size bytes at `at` that begin with PK and these two; NULL: they are not there.
static const unsigned char *part_at(const Zip *zip, uint64_t at, size_t size, char a, char b) {
    const char start[4] = {'P', 'K', a, b};
    if (at > zip->size || zip->size - at < size ||
        memcmp(zip->bytes + at, start, sizeof start) != 0) {
        return NULL;
    }
    return zip->bytes + at;
}

// How many entries, and where their list begins.
static bool read_end(const Zip *zip, uint64_t *n_entries, uint64_t *list) {
    const unsigned char *end = NULL;
    size_t at = zip->size < END_BYTES ? 0 : zip->size - END_BYTES;
    for (size_t i = 0; end == NULL && i <= LONGEST_COMMENT && i <= at; i++) {
        end = part_at(zip, at - i, END_BYTES, 5, 6);
    }
    if (end == NULL) {
        return fail(zip, "expected a list of its entries at the end");
    }
    at = (size_t)(end - zip->bytes);
    *n_entries = read_number(end + 10, 2);
    *list = read_number(end + 16, 4);
    const unsigned char *locator =
        at < LOCATOR_BYTES ? NULL : part_at(zip, at - LOCATOR_BYTES, LOCATOR_BYTES, 6, 7);
    const unsigned char *wide =
        locator == NULL ? NULL : part_at(zip, read_number(locator + 8, 8), END_64_BYTES, 6, 6);
    if (wide != NULL) {
        *n_entries = read_number(wide + 32, 8);
        *list = read_number(wide + 48, 8);
    }
    return true;
}

// Numbers that do not fit into 32 bits stand in the extra field, in this order.
static bool read_wide(ZipEntry *entry, const unsigned char *extra, size_t length) {
    uint64_t *const numbers[] = {&entry->whole, &entry->stored, &entry->local};
    while (length >= 4) {
        const size_t id = (size_t)read_number(extra, 2);
        const size_t n = (size_t)read_number(extra + 2, 2);
        if (n > length - 4) {
            return false;
        }
        size_t at = 0;
        for (int i = 0; id == EXTRA_64 && i < 3; i++) {
            if (*numbers[i] != NARROW_FULL) {
                continue;
            }
            if (n - at < 8) {
                return false;
            }
            *numbers[i] = read_number(extra + 4 + at, 8);
            at += 8;
        }
        extra += 4 + n;
        length -= 4 + n;
    }
    return true;
}

static bool read_entry(const Zip *zip, uint64_t *at, Arena *arena, ZipEntry *entry) {
    const unsigned char *part = part_at(zip, *at, CENTRAL_BYTES, 1, 2);
    if (part == NULL) {
        return fail(zip, "an entry of its list is missing");
    }
    const size_t n_name = (size_t)read_number(part + 28, 2);
    const size_t n_extra = (size_t)read_number(part + 30, 2);
    const size_t n_comment = (size_t)read_number(part + 32, 2);
    const size_t left = zip->size - (size_t)(part - zip->bytes) - CENTRAL_BYTES;
    if (n_name + n_extra + n_comment > left) {
        return fail(zip, "an entry of its list passes the end");
    }
    *entry = (ZipEntry){
        .name = arena_format(arena, "%.*s", (int)n_name, (const char *)part + CENTRAL_BYTES),
        .flags = (int)read_number(part + 8, 2),
        .method = (int)read_number(part + 10, 2),
        .stored = read_number(part + 20, 4),
        .whole = read_number(part + 24, 4),
        .local = read_number(part + 42, 4),
    };
    *at += CENTRAL_BYTES + n_name + n_extra + n_comment;
    return read_wide(entry, part + CENTRAL_BYTES + n_name, n_extra) ||
           fail(zip, "an entry's extra field is broken");
}

// As many of the entry's bytes as there is room for.
static bool inflate_start(const unsigned char *data, size_t size, unsigned char *room,
                          size_t *n_room) {
    z_stream stream = {.next_in = data,
                       .avail_in = (uInt)(size < UINT32_MAX ? size : UINT32_MAX),
                       .next_out = room,
                       .avail_out = (uInt)*n_room};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return false;
    }
    const int status = inflate(&stream, Z_SYNC_FLUSH);
    *n_room -= stream.avail_out;
    inflateEnd(&stream);
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
}

static bool read_header(const Zip *zip, const ZipEntry *entry, unsigned char *room,
                        NpyHeader *header) {
    const unsigned char *local = part_at(zip, entry->local, LOCAL_BYTES, 3, 4);
    if (local == NULL || (entry->method != METHOD_STORED && entry->method != METHOD_DEFLATED) ||
        (entry->flags & FLAG_ENCRYPTED) != 0) {
        return fail(zip, "expected entries that are stored or deflated");
    }
    const uint64_t begin =
        entry->local + LOCAL_BYTES + read_number(local + 26, 2) + read_number(local + 28, 2);
    if (begin > zip->size || entry->stored > zip->size - begin) {
        return fail(zip, "an entry's data passes the end");
    }
    const unsigned char *data = zip->bytes + begin;
    if (entry->method == METHOD_STORED && entry->stored == entry->whole) {
        return npy_read_header(header, entry->name, data, (size_t)entry->whole, zip->err);
    }
    size_t n_room = START_BYTES < entry->whole ? START_BYTES : (size_t)entry->whole;
    memset(room, 0, START_BYTES);
    if (entry->method == METHOD_STORED ||
        !inflate_start(data, (size_t)entry->stored, room, &n_room)) {
        return fail(zip, "an entry's data is broken");
    }
    return npy_read_header(header, entry->name, room, (size_t)entry->whole, zip->err);
}

bool npz_recognize(const unsigned char *bytes, size_t size_bytes) {
    return size_bytes >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

bool npz_read(NpzEntry **entries, int *n_entries, Arena *arena, const char *path,
              const unsigned char *bytes, size_t size_bytes, Error *err) {
    const Zip zip = {bytes, size_bytes, path, err};
    uint64_t n = 0;
    uint64_t at = 0;
    *n_entries = 0;
    if (!read_end(&zip, &n, &at)) {
        return false;
    }
    if (n > size_bytes / CENTRAL_BYTES) {
        return fail(&zip, "more entries than it has room for");
    }
    unsigned char *room = malloc(START_BYTES);
    *entries = arena_allocate(arena, ((size_t)n + 1) * sizeof **entries);
    bool ok = room != NULL;
    for (uint64_t i = 0; ok && i < n; i++) {
        ZipEntry entry = {.name = ""};
        NpzEntry *made = &(*entries)[*n_entries];
        ok = read_entry(&zip, &at, arena, &entry);
        if (ok && !file_has_ending(entry.name, ".npy")) {
            ok = error_set(err, "%s: holds \"%.60s\": expected .npy files only", path, entry.name);
        }
        ok = ok && read_header(&zip, &entry, room, &made->header);
        if (ok) {
            made->name = arena_format(arena, "%.*s", (int)strlen(entry.name) - 4, entry.name);
            ++*n_entries;
        }
    }
    free(room);
    return ok || error_set(err, "%s: out of memory", path);
}
