// text_reader.c - the texts of a file, one after the other, in bounded memory.
#include "engine/training/text_reader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/files/json_text.h"
#include "engine/training/text_cut.h"

enum {
    PART_BYTES = 64 * 1024,       // a text that is longer comes in parts
    START_BYTES = 4 * PART_BYTES, // of the buffer
    MAX_LINE_BYTES = 64 * 1024 * 1024,
};

static bool fail_with_errno(const TextReader *reader, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    return error_set(err, "%s: %s", file_shown(reader->source.path, shown), strerror(errno));
}

static bool fail_at_line(const TextReader *reader, const char *expected, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    return error_set(err, "%s:%lld: expected %s", file_shown(reader->source.path, shown),
                     (long long)reader->line, expected);
}

static bool open_file(TextReader *reader, Error *err) {
    bool is_input = strcmp(reader->source.path, "-") == 0;
    reader->descriptor =
        is_input ? dup(STDIN_FILENO) : open(reader->source.path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat about;
    if (reader->descriptor < 0 || fstat(reader->descriptor, &about) != 0) {
        fail_with_errno(reader, err);
        if (reader->descriptor >= 0) {
            close(reader->descriptor);
        }
        return false;
    }
    reader->is_open = true;
    reader->size_bytes = S_ISREG(about.st_mode) ? (size_t)about.st_size : 0;
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return fail_with_errno(reader, err);
    }
    return true;
}

bool text_reader_open(TextReader *reader, const TextSource *source, Error *err) {
    *reader = (TextReader){.source = *source, .capacity = START_BYTES};
    if (reader->source.separator == NULL || reader->source.separator[0] == '\0') {
        reader->source.separator = "<|endoftext|>";
    }
    if (reader->source.field == NULL) {
        reader->source.field = "text";
    }
    reader->buffer = malloc(reader->capacity + 1);
    bool ok = (reader->buffer != NULL || error_set(err, "not enough memory to read texts")) &&
              (source->made != NULL || open_file(reader, err));
    if (!ok) {
        text_reader_close(reader);
    }
    return ok;
}

void text_reader_close(TextReader *reader) {
    if (reader->is_open) {
        close(reader->descriptor);
    }
    free(reader->buffer);
    free(reader->field);
    *reader = (TextReader){0};
}

// As read(): the next lines of data that is made, 0 at its end.
static ssize_t read_made(TextReader *reader) {
    enum { LINES = 64 };
    const TextSource *source = &reader->source;
    Buffer lines = {0};
    for (int i = 0; i < LINES && reader->made < source->n_made; i++) {
        source->made->append(source->first_made + reader->made++, &lines);
    }
    assert(lines.length <= reader->capacity - reader->end); // whole lines: all before were taken
    ssize_t got = (ssize_t)lines.length;
    if (got > 0) {
        memcpy(reader->buffer + reader->end, lines.bytes, lines.length);
    }
    buffer_free(&lines);
    return got;
}

static ssize_t read_file(const TextReader *reader) {
    ssize_t got = 0;
    do {
        got =
            read(reader->descriptor, reader->buffer + reader->end, reader->capacity - reader->end);
    } while (got < 0 && errno == EINTR && !reader->source.may_interrupt);
    return got;
}

// Makes room and reads once; a full buffer grows.
static bool read_more(TextReader *reader, Error *err) {
    if (reader->first > 0) {
        reader->end -= reader->first;
        memmove(reader->buffer, reader->buffer + reader->first, reader->end);
        reader->first = 0;
    }
    if (reader->end == reader->capacity) {
        char *larger = realloc(reader->buffer, 2 * reader->capacity + 1);
        if (larger == NULL) {
            return error_set(err, "not enough memory for a line of %zu bytes", reader->capacity);
        }
        reader->buffer = larger;
        reader->capacity *= 2;
    }
    ssize_t got = reader->source.made != NULL ? read_made(reader) : read_file(reader);
    if (got < 0) {
        return fail_with_errno(reader, err);
    }
    reader->at_end = got == 0;
    reader->end += (size_t)got;
    reader->read_bytes += (size_t)got;
    return true;
}

// A byte order mark, with which some programs begin a file, is no part of its first text.
static bool skip_mark(TextReader *reader, Error *err) {
    static const char MARK[] = "\xEF\xBB\xBF";
    while (!reader->at_end && reader->end - reader->first < sizeof MARK - 1) {
        if (!read_more(reader, err)) {
            return false;
        }
    }
    reader->has_begun = true;
    if (reader->end - reader->first >= sizeof MARK - 1 &&
        memcmp(reader->buffer + reader->first, MARK, sizeof MARK - 1) == 0) {
        reader->first += sizeof MARK - 1;
    }
    return true;
}

static bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// ---- plain texts

// Where the text that begins at `first` ends and how long the separator behind it is; false where
// neither a separator nor the file's end is in the buffer.
static bool find_end(const TextReader *reader, size_t *end, size_t *separator_bytes) {
    const char *begin = reader->buffer + reader->first;
    size_t length = reader->end - reader->first;
    const char *separator = reader->source.separator;
    size_t blank = 0;
    size_t blank_bytes = 0;
    bool is_parted =
        reader->source.paragraphs && text_cut_find_blank(begin, length, &blank, &blank_bytes);
    *separator_bytes = strlen(separator);
    // Only as far as it matters: a separator that begins behind the blank line is the next text's.
    size_t within = is_parted ? blank + *separator_bytes : length;
    const char *hit = memmem(begin, within < length ? within : length, separator, *separator_bytes);
    if (hit == NULL && is_parted) {
        hit = begin + blank;
        *separator_bytes = blank_bytes;
    }
    if (hit == NULL) {
        *separator_bytes = 0;
        *end = reader->end;
        return reader->at_end;
    }
    *end = reader->first + (size_t)(hit - begin);
    return true;
}

static void count_blanks(TextReader *reader, const TextItem *item) {
    size_t offset = 0;
    size_t bytes = 0;
    for (size_t at = 0; text_cut_find_blank(item->text + at, item->length - at, &offset, &bytes);
         at += offset + bytes) {
        reader->n_blanks++;
    }
}

static bool is_white(const TextItem *item) {
    size_t at = 0;
    while (at < item->length && is_space(item->text[at])) {
        at++;
    }
    return at == item->length;
}

// How many bytes of a line end stand there: "\n" or "\r\n".
static size_t line_end_at(const char *text, size_t length) {
    size_t n = length > 1 && text[0] == '\r' ? 1 : 0;
    return n < length && text[n] == '\n' ? n + 1 : 0;
}

// A separator may stand in a line of its own, and a file ends with a line end: these line ends, one
// on each side, are no part of the text. All else is. Before a blank line only its '\r' is left.
static void take_line_ends(const TextReader *reader, TextItem *item, bool before_blank) {
    size_t n = item->begins && reader->after_separator ? line_end_at(item->text, item->length) : 0;
    item->text += n;
    item->length -= n;
    if (!item->ends || item->length == 0) {
        return;
    }
    bool has_end = item->text[item->length - 1] == '\n';
    item->length -= has_end ? 1 : 0;
    if ((has_end || before_blank) && item->length > 0 && item->text[item->length - 1] == '\r') {
        item->length--;
    }
}

static bool next_plain(TextReader *reader, TextItem *item, bool *found, Error *err) {
    for (;;) {
        size_t end = 0;
        size_t separator_bytes = 0;
        bool is_whole = find_end(reader, &end, &separator_bytes);
        size_t held = reader->end - reader->first;
        if (!is_whole && held <= 2 * (size_t)PART_BYTES) {
            if (!read_more(reader, err)) {
                return false;
            }
            continue;
        }
        bool ends = is_whole && end - reader->first <= PART_BYTES;
        if (!ends) {
            end = reader->first + text_cut_end(reader->buffer + reader->first, held, PART_BYTES);
            separator_bytes = 0;
        }
        *item = (TextItem){.text = reader->buffer + reader->first,
                           .length = end - reader->first,
                           .begins = !reader->inside,
                           .ends = ends};
        bool is_last = ends && reader->at_end && end == reader->end;
        bool before_blank = ends && separator_bytes > 0 && reader->buffer[end] == '\n';
        reader->first = end + separator_bytes;
        reader->inside = !ends;
        take_line_ends(reader, item, before_blank);
        reader->after_separator = ends && !before_blank;
        if (item->begins && ends && is_white(item)) {
            item->length = 0;
        }
        // The end of a text that came in parts is told even where nothing but space was left.
        if (item->length > 0 || (ends && !item->begins)) {
            count_blanks(reader, item);
            *found = true;
            return true;
        }
        if (is_last) {
            *found = false;
            return true;
        }
    }
}

// ---- lines

static bool next_line(TextReader *reader, char **line, size_t *length, bool *found, Error *err) {
    for (;;) {
        char *begin = reader->buffer + reader->first;
        char *end = memchr(begin, '\n', reader->end - reader->first);
        if (end == NULL && !reader->at_end) {
            if (reader->end - reader->first > MAX_LINE_BYTES) {
                reader->line++;
                return fail_at_line(reader, "a line of at most 64 MiB", err);
            }
            if (!read_more(reader, err)) {
                return false;
            }
            continue;
        }
        *found = end != NULL || reader->first < reader->end;
        *line = begin;
        *length = end == NULL ? reader->end - reader->first : (size_t)(end - begin);
        reader->first += *length + (end == NULL ? 0 : 1);
        if (*length > 0 && begin[*length - 1] == '\r') {
            (*length)--;
        }
        begin[*length] = '\0';
        reader->line++;
        return true;
    }
}

static bool read_pair(const TextReader *reader, char *line, size_t length, TextItem *item,
                      Error *err) {
    char *tab = memchr(line, '\t', length);
    if (tab == NULL) {
        return fail_at_line(reader, "a source, a tab and a target, found no tab", err);
    }
    char *second = memchr(tab + 1, '\t', length - (size_t)(tab + 1 - line));
    const char *end = second == NULL ? line + length : second; // further columns: comments
    *item = (TextItem){.text = line,
                       .length = (size_t)(tab - line),
                       .target = tab + 1,
                       .target_length = (size_t)(end - tab - 1),
                       .begins = true,
                       .ends = true};
    if (item->length == 0 || item->target_length == 0) {
        return fail_at_line(reader, "a source, a tab and a target, found an empty side", err);
    }
    return true;
}

// Its text may hold NUL characters.
static bool keep_field(TextReader *reader, const json_t *text, Error *err) {
    size_t length = json_string_length(text);
    free(reader->field);
    reader->field = malloc(length + 1);
    if (reader->field == NULL) {
        return error_set(err, "not enough memory to read texts");
    }
    memcpy(reader->field, json_string_value(text), length + 1);
    return true;
}

static bool read_object(TextReader *reader, const char *line, size_t length, TextItem *item,
                        Error *err) {
    json_t *object = json_text_parse_line(line, length, reader->source.path, reader->line, err);
    if (object == NULL) {
        return false;
    }
    const json_t *text = json_object_get(object, reader->source.field);
    bool ok = json_is_string(text) && keep_field(reader, text, err);
    if (!json_is_string(text)) {
        char expected[FILE_NAME_TEXT_BYTES + 64];
        char shown[FILE_NAME_TEXT_BYTES];
        snprintf(expected, sizeof expected, "an object with a text in the field %s",
                 file_shown(reader->source.field, shown));
        fail_at_line(reader, expected, err);
    }
    if (ok) {
        *item = (TextItem){.text = reader->field,
                           .length = json_string_length(text),
                           .begins = true,
                           .ends = true};
        item->length = is_white(item) ? 0 : item->length;
    }
    json_decref(object);
    return ok;
}

// Lines of white space hold nothing; in pairs a tab parts two sides, be they empty.
static bool next_of_line(TextReader *reader, TextItem *item, bool *found, Error *err) {
    const char separator = reader->source.format == TEXT_PAIRS ? '\t' : '\n';
    for (;;) {
        char *line = NULL;
        size_t length = 0;
        if (!next_line(reader, &line, &length, found, err)) {
            return false;
        }
        if (!*found) {
            return true;
        }
        assert(line != NULL);
        if (strspn(line, " \t\r") == length && memchr(line, separator, length) == NULL) {
            continue;
        }
        bool ok = reader->source.format == TEXT_PAIRS
                      ? read_pair(reader, line, length, item, err)
                      : read_object(reader, line, length, item, err);
        item->line = reader->line;
        if (!ok || item->length > 0) {
            return ok;
        }
    }
}

bool text_reader_next(TextReader *reader, TextItem *item, bool *found, Error *err) {
    *item = (TextItem){0};
    *found = false;
    if (!reader->has_begun && !skip_mark(reader, err)) {
        return false;
    }
    return reader->source.format == TEXT_PLAIN ? next_plain(reader, item, found, err)
                                               : next_of_line(reader, item, found, err);
}
