// npy_header.c - what the header of a .npy file says, checked against the file.
#include "engine/files/npy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"

enum { MAX_HEADER_BYTES = 64 * 1024, LONGEST_DIGITS = 18 };

// Where the dictionary's text is, and how far it is read.
typedef struct Scanner {
    const char *at;
    const char *end;
} Scanner;

static void skip_spaces(Scanner *scanner) {
    while (scanner->at < scanner->end && isspace((unsigned char)*scanner->at)) {
        scanner->at++;
    }
}

// Takes the text when it comes next, spaces before it aside.
static bool take(Scanner *scanner, const char *text) {
    skip_spaces(scanner);
    size_t length = strlen(text);
    if ((size_t)(scanner->end - scanner->at) < length || memcmp(scanner->at, text, length) != 0) {
        return false;
    }
    scanner->at += length;
    return true;
}

// A quoted string without escapes.
static bool take_string(Scanner *scanner, char *text, size_t size) {
    skip_spaces(scanner);
    if (scanner->at >= scanner->end || (*scanner->at != '\'' && *scanner->at != '"')) {
        return false;
    }
    char quote = *scanner->at++;
    size_t used = 0;
    while (scanner->at < scanner->end && *scanner->at != quote && used + 1 < size) {
        text[used++] = *scanner->at++;
    }
    text[used] = '\0';
    return take(scanner, quote == '\'' ? "'" : "\"");
}

static bool take_size(Scanner *scanner, int64_t *size) {
    skip_spaces(scanner);
    const char *first = scanner->at;
    *size = 0;
    while (scanner->at < scanner->end && isdigit((unsigned char)*scanner->at) &&
           scanner->at - first < LONGEST_DIGITS) {
        *size = *size * 10 + (*scanner->at++ - '0');
    }
    return scanner->at > first;
}

// "(2, 3)", "(4,)" or "()".
static bool take_shape(Scanner *scanner, NpyHeader *header) {
    if (!take(scanner, "(")) {
        return false;
    }
    header->rank = 0;
    while (!take(scanner, ")")) {
        if (header->rank == TENSOR_DATA_MAX_RANK ||
            !take_size(scanner, &header->sizes[header->rank])) {
            return false;
        }
        header->rank++;
        if (!take(scanner, ",")) {
            return take(scanner, ")");
        }
    }
    return true;
}

static bool take_dictionary(Scanner *scanner, NpyHeader *header) {
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    if (!take(scanner, "{")) {
        return false;
    }
    bool ended = take(scanner, "}");
    while (!ended) {
        char key[16];
        bool done = take_string(scanner, key, sizeof key) && take(scanner, ":");
        if (done && strcmp(key, "descr") == 0 && !has_descr) {
            has_descr = take_string(scanner, header->descr, sizeof header->descr);
        } else if (done && strcmp(key, "fortran_order") == 0 && !has_order) {
            header->fortran_order = take(scanner, "True");
            has_order = header->fortran_order || take(scanner, "False");
        } else if (done && strcmp(key, "shape") == 0 && !has_shape) {
            has_shape = take_shape(scanner, header);
        } else {
            return false;
        }
        bool goes_on = take(scanner, ",");
        ended = take(scanner, "}");
        if (!goes_on && !ended) {
            return false;
        }
    }
    skip_spaces(scanner);
    return has_descr && has_order && has_shape && scanner->at == scanner->end;
}

// The width in "<f4": a byte order, a letter, the bytes of one number (of one character for U).
static bool read_descr(NpyHeader *header) {
    const char *descr = header->descr;
    if (strchr("<>|=", descr[0]) == NULL || descr[0] == '\0' ||
        strchr("biufcSUVmM", descr[1]) == NULL || descr[1] == '\0') {
        return false;
    }
    char *end;
    unsigned long width = strtoul(descr + 2, &end, 10);
    header->item_bytes = width * (descr[1] == 'U' ? 4 : 1);
    return isdigit((unsigned char)descr[2]) && (*end == '\0' || *end == '[');
}

static bool count_numbers(NpyHeader *header, size_t *needed) {
    header->count = 1;
    for (int i = 0; i < header->rank; i++) {
        if (__builtin_mul_overflow(header->count, (size_t)header->sizes[i], &header->count)) {
            return false;
        }
    }
    return !__builtin_mul_overflow(header->count, header->item_bytes, needed);
}

bool npy_read_header(NpyHeader *header, const char *path, const unsigned char *bytes,
                     size_t size_bytes, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    *header = (NpyHeader){0};
    file_shown(path, shown);
    if (size_bytes < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3) {
        return error_set(err, "%s: expected a .npy file of version 1 to 3, found something else",
                         shown);
    }
    size_t prefix = bytes[6] == 1 ? 10 : 12;
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (prefix == 12) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (length > MAX_HEADER_BYTES || length > size_bytes - prefix) {
        return error_set(err,
                         "%s: the header claims %zu bytes, the file has %zu after its first %zu",
                         shown, length, size_bytes - prefix, prefix);
    }
    header->data_start = prefix + length;
    const char *text = (const char *)bytes + prefix;
    Scanner scanner = {text, text + length};
    if (!take_dictionary(&scanner, header) || !read_descr(header)) {
        return error_set(
            err,
            "%s: expected a header with 'descr' (one number type), 'fortran_order' and "
            "'shape' (at most %d axes)",
            shown, TENSOR_DATA_MAX_RANK);
    }
    size_t needed = 0;
    if (!count_numbers(header, &needed) || needed != size_bytes - header->data_start) {
        char sizes[TENSOR_DATA_SIZES_BYTES];
        return error_set(err, "%s: %s of shape %s does not fit the %zu bytes of data", shown,
                         header->descr, tensor_data_sizes_text(header->sizes, header->rank, sizes),
                         size_bytes - header->data_start);
    }
    return true;
}
