// error.c - one sentence about what went wrong in the world: what, where, and what was expected.
#include "engine/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"

static const char MARK[] = "..."; // something is left out here
enum { MARK_BYTES = sizeof MARK - 1 };

// The beginning of a character that a cut has left at the end of the first `length` bytes goes too.
static size_t whole_characters(const char *text, size_t length) {
    size_t start = length;
    while (start > 0 && utf8_is_inside(text[start - 1])) {
        start--;
    }
    if (start == 0 || (unsigned char)text[start - 1] < 0xC0U) {
        return length; // it ends with a character of one byte, or is no UTF-8
    }
    unsigned char lead = (unsigned char)text[start - 1];
    size_t wanted = lead >= 0xF0U ? 4 : (lead >= 0xE0U ? 3 : 2);
    return length - (start - 1) < wanted ? start - 1 : length;
}

// Puts the mark in the place of n bytes at `at`; what no longer fits is lost at the end.
static void put_mark(char text[ERROR_TEXT_BYTES], size_t at, size_t n) {
    size_t n_rest = strlen(text + at + n);
    size_t room = ERROR_TEXT_BYTES - 1 - at - MARK_BYTES;
    n_rest = n_rest < room ? n_rest : room;
    memmove(text + at + MARK_BYTES, text + at + n, n_rest);
    memcpy(text + at, MARK, MARK_BYTES);
    text[at + MARK_BYTES + n_rest] = '\0';
}

// What the format says of one argument, from behind its '%'.
typedef struct Conversion {
    long most; // bytes of a string, as in "%.40s"; -1: all of it
    int n_stars;
    int n_long;   // 'l', twice for long long
    bool is_size; // 'z'
    char letter;  // 0 for "%%"
} Conversion;

static const char *read_conversion(const char *at, Conversion *conversion) {
    *conversion = (Conversion){.most = -1};
    for (; *at != '\0' && strchr("-+ #0123456789.*lzhjt", *at) != NULL; at++) {
        conversion->n_stars += *at == '*';
        conversion->n_long += *at == 'l';
        conversion->is_size = conversion->is_size || *at == 'z' || *at == 'j' || *at == 't';
        if (*at == '.' && at[1] >= '0' && at[1] <= '9') {
            conversion->most = strtol(at + 1, NULL, 10);
        }
    }
    conversion->letter = *at;
    return *at == '\0' ? at : at + 1;
}

// Takes an argument that is no string.
static void skip(const Conversion *conversion, va_list *arguments) {
    if (strchr("eEfFgGaA", conversion->letter) != NULL) {
        (void)va_arg(*arguments, double);
    } else if (conversion->letter == 'p') {
        (void)va_arg(*arguments, void *);
    } else if (conversion->is_size || conversion->n_long > 0) {
        (void)va_arg(*arguments, long long); // as wide as a long and a size here
    } else if (conversion->letter != '%') {
        (void)va_arg(*arguments, int);
    }
}

// What "%.40s" has cut ends with a whole character and the mark.
static void mark_cuts(char text[ERROR_TEXT_BYTES], const char *format, va_list *arguments) {
    size_t from = 0;
    for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%')) {
        Conversion conversion;
        at = read_conversion(at + 1, &conversion);
        for (int i = 0; i < conversion.n_stars; i++) {
            (void)va_arg(*arguments, int);
        }
        if (conversion.letter != 's') {
            skip(&conversion, arguments);
            continue;
        }
        const char *whole = va_arg(*arguments, const char *);
        bool is_limited = conversion.most > 0 && whole != NULL;
        size_t most = is_limited ? (size_t)conversion.most : 0;
        if (!is_limited || strnlen(whole, most + 1) <= most) {
            continue;
        }
        const char *cut = memmem(text + from, strlen(text + from), whole, most);
        bool has_room = cut != NULL && cut + most + MARK_BYTES < text + ERROR_TEXT_BYTES;
        if (has_room) { // else it lies at the end of the sentence, which is marked as a whole
            size_t kept = whole_characters(whole, most);
            from = (size_t)(cut - text) + kept;
            put_mark(text, from, most - kept);
        }
    }
}

bool error_set(Error *err, const char *format, ...) {
    if (err == NULL || err->text[0] != '\0') {
        return false;
    }
    char text[ERROR_TEXT_BYTES];
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mark_cuts(text, format, &again);
    va_end(again);
    if (length >= (int)sizeof text || strlen(text) == sizeof text - 1) {
        size_t kept = whole_characters(text, sizeof text - 1 - MARK_BYTES);
        text[kept] = '\0';
        put_mark(text, kept, 0);
    }
    // Words from outside stand in it: what would steer a terminal is shown as "\x1b".
    utf8_shown(text, err->text, sizeof err->text);
    return false;
}

bool error_is_set(const Error *err) {
    return err->text[0] != '\0';
}
