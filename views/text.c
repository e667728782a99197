// text.c - text from anywhere, cut into clean clusters of which each fills one or two columns.
#include "views/text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>
#include <wchar.h>

#include "engine/base/utf8.h"

enum { REPLACEMENT = 0xFFFD, CONTROL_PICTURES = 0x2400, DELETE_PICTURE = 0x2421 };

int text_codepoint_columns(int32_t codepoint) {
    int columns = wcwidth((wchar_t)codepoint);
    return columns >= 0 ? columns : utf8proc_charwidth(codepoint);
}

// Reads one code point; a byte that begins none is read as the replacement character.
static int32_t read_codepoint(const char **text, const char *end) {
    size_t length = 0;
    int32_t codepoint = utf8_next(*text, (size_t)(end - *text), &length);
    *text += length;
    return codepoint < 0 ? REPLACEMENT : codepoint;
}

// What is shown in place of a code point that would act on the screen; others stay.
static int32_t harmless(int32_t codepoint) {
    if (codepoint < 0x20) {
        return CONTROL_PICTURES + codepoint;
    }
    if (codepoint == 0x7F) {
        return DELETE_PICTURE;
    }
    bool is_none = (codepoint & 0xFFFE) == 0xFFFE; // a place that Unicode gives to no character
    return is_none || utf8_is_control(codepoint) ? REPLACEMENT : codepoint;
}

static bool is_mark(int32_t codepoint) {
    return codepoint >= 0x300 && codepoint == harmless(codepoint) &&
           text_codepoint_columns(codepoint) == 0;
}

// Joiners, the byte order mark and the like have neither width nor shape.
static bool has_no_shape(int32_t codepoint) {
    return codepoint == 0xAD || (codepoint >= 0x300 && is_mark(codepoint) &&
                                 utf8proc_category(codepoint) == UTF8PROC_CATEGORY_CF);
}

static void cluster_append(TextCluster *cluster, int *n_bytes, int32_t codepoint) {
    utf8proc_uint8_t bytes[4];
    int length = (int)utf8proc_encode_char(codepoint, bytes);
    if (cluster->n_codepoints > TEXT_CLUSTER_MARKS || *n_bytes + length >= TEXT_CLUSTER_BYTES) {
        return;
    }
    memcpy(cluster->glyph + *n_bytes, bytes, (size_t)length);
    *n_bytes += length;
    cluster->glyph[*n_bytes] = '\0';
    cluster->codepoints[cluster->n_codepoints++] = codepoint;
}

static void take_marks(const char **text, const char *end, TextCluster *cluster, int *n_bytes) {
    while (*text < end && (unsigned char)**text >= 0x80) {
        const char *after = *text;
        int32_t codepoint = read_codepoint(&after, end);
        if (!is_mark(codepoint)) {
            return;
        }
        if (!has_no_shape(codepoint)) {
            cluster_append(cluster, n_bytes, codepoint);
        }
        *text = after;
    }
}

bool text_next_cluster(const char **text, const char *end, TextCluster *cluster) {
    int32_t codepoint = 0;
    do {
        if (*text >= end) {
            return false;
        }
        codepoint = read_codepoint(text, end);
    } while (has_no_shape(codepoint));

    int n_bytes = 0;
    cluster->n_codepoints = 0;
    codepoint = harmless(codepoint);
    int columns = text_codepoint_columns(codepoint);
    if (columns == 0) {
        cluster_append(cluster, &n_bytes, ' '); // a mark needs something to sit on
    }
    cluster_append(cluster, &n_bytes, codepoint);
    cluster->width = columns == 2 ? 2 : 1;
    take_marks(text, end, cluster, &n_bytes);
    return true;
}

size_t text_fit(const char *text, int columns, int *used) {
    const char *end = text + strlen(text);
    const char *at = text;
    int taken = 0;
    TextCluster cluster;
    for (;;) {
        const char *after = at;
        if (!text_next_cluster(&after, end, &cluster) || cluster.width > columns - taken) {
            break;
        }
        taken += cluster.width;
        at = after;
    }
    if (used != NULL) {
        *used = taken;
    }
    return (size_t)(at - text);
}

int text_columns(const char *text) {
    int columns = 0;
    text_fit(text, INT_MAX, &columns);
    return columns;
}

// Chinese marks that must not begin a line.
static bool ends_a_phrase(int32_t codepoint) {
    static const int32_t MARKS[] = {0x3001, 0x3002, 0x300B, 0x300D, 0x300F, 0x3011,
                                    0xFF01, 0xFF09, 0xFF0C, 0xFF1A, 0xFF1B, 0xFF1F};
    for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0]; i++) {
        if (codepoint == MARKS[i]) {
            return true;
        }
    }
    return false;
}

size_t text_wrap(const char *text, int columns, const char **next) {
    const char *newline = strchr(text, '\n');
    const char *end = newline != NULL ? newline : text + strlen(text);
    const char *at = text;
    const char *cut = NULL; // where the line may end, the best place so far
    int taken = 0;
    TextCluster cluster = {0};
    for (;;) {
        const char *after = at;
        if (!text_next_cluster(&after, end, &cluster)) {
            *next = newline != NULL ? newline + 1 : end;
            return (size_t)(end - text);
        }
        bool is_space = cluster.codepoints[0] == ' ';
        if (is_space || (cluster.width == 2 && !ends_a_phrase(cluster.codepoints[0]))) {
            cut = at;
        }
        if (!is_space && cluster.width > columns - taken) {
            break;
        }
        taken += cluster.width;
        at = after;
    }
    if (at == text) {
        text_next_cluster(&at, end, &cluster); // wider than the line: still moves on
    }
    if (cut == NULL || cut == text) {
        cut = at;
    }
    *next = cut + strspn(cut, " ");
    while (cut > text + 1 && cut[-1] == ' ') { // before a wide character a space may stand
        cut--;
    }
    return (size_t)(cut - text);
}

size_t text_trim(char *out) {
    size_t length = strlen(out);
    size_t start = length;
    while (start > 0 && length - start < 3 && ((unsigned char)out[start - 1] & 0xC0U) == 0x80U) {
        start--;
    }
    if (start == 0) {
        return length;
    }
    unsigned char first = (unsigned char)out[start - 1];
    size_t whole = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : first >= 0xC0U ? 2 : 1;
    if (whole > length - start + 1) {
        length = start - 1;
        out[length] = '\0';
    }
    return length;
}

static const char CUT[] = "…";

// The end of a text that did not fit, which is whole but for its last character.
static void mark_cut(char *out, size_t size_bytes) {
    out[size_bytes - sizeof CUT] = '\0';
    memcpy(out + text_trim(out), CUT, sizeof CUT);
}

void text_copy(char *out, size_t size_bytes, const char *text) {
    size_t length = strlen(text);
    if (length < size_bytes) {
        memcpy(out, text, length + 1);
        return;
    }
    memcpy(out, text, size_bytes - sizeof CUT);
    mark_cut(out, size_bytes);
}

const char *text_print(char *out, size_t size_bytes, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out, size_bytes, format, arguments);
    va_end(arguments);
    if (length >= (int)size_bytes && size_bytes >= sizeof CUT) {
        mark_cut(out, size_bytes);
    } else if (length >= (int)size_bytes && size_bytes > 0) {
        (void)text_trim(out); // no room for a sign
    }
    return out;
}

const char *text_duration(double seconds, char text[TEXT_DURATION_BYTES]) {
    const double most = 1e9;                             // what lies above is a fault of a clock
    long whole = lround(fmin(fmax(seconds, 0.0), most)); // NaN becomes 0
    if (whole >= 3600) {
        snprintf(text, TEXT_DURATION_BYTES, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    } else if (whole >= 60) {
        snprintf(text, TEXT_DURATION_BYTES, "%ld min %02ld s", whole / 60, whole % 60);
    } else {
        snprintf(text, TEXT_DURATION_BYTES, "%ld s", whole);
    }
    return text;
}

const char *text_grouped(size_t number, char text[TEXT_GROUPED_BYTES]) {
    char digits[TEXT_GROUPED_BYTES];
    int length = snprintf(digits, sizeof digits, "%zu", number);
    char *at = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *at++ = ',';
        }
        *at++ = digits[i];
    }
    *at = '\0';
    return text;
}
