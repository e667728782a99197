// json_seal.c - JSON files that hold their own checksum: what has changed in them is found.
#include "engine/files/json_seal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "engine/base/file.h"
#include "engine/files/json_text.h"

// In a string of the file its quotes would stand behind backslashes.
static const char MARK[] = "\"checksum\": \"";
static const char ZEROS[] = "00000000";
enum { MARK_LENGTH = sizeof MARK - 1, N_DIGITS = sizeof ZEROS - 1, REAL_DIGITS = 15 };

// The checksum of a text whose digits are at `at`, which are set to 0 for it.
static void seal_of(char *text, size_t length, char *at, char digits[N_DIGITS + 1]) {
    memcpy(at, ZEROS, N_DIGITS);
    uLong sum = crc32(crc32(0L, Z_NULL, 0), (const Bytef *)text, (uInt)length);
    snprintf(digits, N_DIGITS + 1, "%08" PRIx32, (uint32_t)sum);
}

bool json_seal_save(json_t *object, const char *path, Error *err) {
    bool ok = object != NULL && path != NULL &&
              json_object_set_new(object, "checksum", json_string(ZEROS)) == 0;
    char *text = ok ? json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS)) : NULL;
    char *mark = text == NULL ? NULL : strstr(text, MARK);
    if (mark == NULL) {
        free(text);
        return error_set(err, "%s: not enough memory to write it", path == NULL ? "" : path);
    }
    char digits[N_DIGITS + 1];
    size_t length = strlen(text);
    seal_of(text, length, mark + MARK_LENGTH, digits);
    memcpy(mark + MARK_LENGTH, digits, N_DIGITS);
    ok = file_save(path, text, length, err);
    free(text);
    return ok;
}

json_t *json_seal_load(const char *path, Error *err) {
    FileBytes file;
    char shown[FILE_NAME_TEXT_BYTES];
    if (!file_read(&file, path, 0, err)) {
        return NULL;
    }
    char *text = file.memory;
    char *mark = memmem(text, file.size_bytes, MARK, MARK_LENGTH);
    bool is_long =
        mark != NULL && (size_t)(text + file.size_bytes - mark) >= MARK_LENGTH + N_DIGITS;
    char found[N_DIGITS + 1] = "none";
    char wanted[N_DIGITS + 1];
    if (is_long) {
        memcpy(found, mark + MARK_LENGTH, N_DIGITS);
        found[N_DIGITS] = '\0';
        seal_of(text, file.size_bytes, mark + MARK_LENGTH, wanted);
    }
    json_t *object = NULL;
    if (!is_long) {
        error_set(err, "%s: damaged: it does not hold its checksum", file_shown(path, shown));
    } else if (strcmp(found, wanted) != 0) {
        error_set(err, "%s: damaged: its bytes have the checksum %s, it says \"%s\"",
                  file_shown(path, shown), wanted, found);
    } else {
        object = json_text_parse(text, file.size_bytes, path, err);
    }
    file_close(&file);
    return object;
}
