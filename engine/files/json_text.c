// json_text.c - JSON from and to files: strict reading, typed fields, numbers that come back exact.
#include "engine/files/json_text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"

static const double LARGEST = 1e308; // what stands for the numbers that a double does not hold

json_t *json_text_parse(const char *text, size_t length, const char *where, Error *err) {
    json_error_t fault;
    json_t *value = json_text_decode(text, length, JSON_REJECT_DUPLICATES, &fault);
    if (value == NULL) {
        char shown_where[FILE_NAME_TEXT_BYTES];
        char shown[FILE_NAME_TEXT_BYTES];
        error_set(err, "%s:%d: expected valid JSON, column %d: %s", file_shown(where, shown_where),
                  fault.line > 0 ? fault.line : 1, fault.column > 0 ? fault.column : 1,
                  file_shown(fault.text, shown));
    }
    return value;
}

json_t *json_text_parse_line(const char *text, size_t length, const char *where, int64_t line,
                             Error *err) {
    json_error_t fault;
    json_t *value = json_text_decode(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &fault);
    if (value == NULL) {
        char shown_where[FILE_NAME_TEXT_BYTES];
        char shown[FILE_NAME_TEXT_BYTES];
        error_set(err, "%s:%lld: expected a JSON object in one line, column %d: %s",
                  file_shown(where, shown_where), (long long)line,
                  fault.column > 0 ? fault.column : 1, file_shown(fault.text, shown));
    }
    return value;
}

json_t *json_text_load(const char *path, Error *err) {
    FileBytes file;
    if (!file_read(&file, path, 0, err)) {
        return NULL;
    }
    const char *where = strcmp(path, "-") == 0 ? "standard input" : path;
    json_t *value = json_text_parse((const char *)file.bytes, file.size_bytes, where, err);
    file_close(&file);
    if (value != NULL && !json_is_object(value)) {
        char shown[FILE_NAME_TEXT_BYTES];
        error_set(err, "%s:1: expected a JSON object, {...}", file_shown(where, shown));
        json_decref(value);
        return NULL;
    }
    return value;
}

JsonFields json_text_fields(json_t *object, const char *where, Error *err) {
    return (JsonFields){.object = object, .where = where, .err = err, .ok = true};
}

// A short form of what was found, for the end of a sentence.
static const char *found_text(const json_t *value, char text[FILE_NAME_TEXT_BYTES]) {
    if (value == NULL) {
        return "no such key";
    }
    if (json_is_object(value) || json_is_array(value)) {
        return json_is_object(value) ? "an object" : "an array";
    }
    if (json_is_real(value) && fabs(json_real_value(value)) >= LARGEST) {
        return "a number that is too large";
    }
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    file_shown(dumped == NULL ? "?" : dumped, text);
    free(dumped);
    if (strlen(text) > 60) {
        snprintf(text + 57, sizeof "...", "...");
    }
    return text;
}

// Ends the reading with a sentence; later calls return at once.
static void fail(JsonFields *fields, const char *key, const char *expected) {
    char where[FILE_NAME_TEXT_BYTES];
    char found[FILE_NAME_TEXT_BYTES];
    error_set(fields->err, "%s: \"%s\": expected %s, found %s", file_shown(fields->where, where),
              key, expected, found_text(json_object_get(fields->object, key), found));
    fields->ok = false;
}

// The value of key; NULL where reading has failed already.
static const json_t *value_of(const JsonFields *fields, const char *key) {
    return fields->ok ? json_object_get(fields->object, key) : NULL;
}

bool json_text_has(const JsonFields *fields, const char *key) {
    const json_t *value = json_object_get(fields->object, key);
    return value != NULL && !json_is_null(value);
}

int json_text_int(JsonFields *fields, const char *key, int min, int max) {
    const json_t *value = value_of(fields, key);
    if (json_is_integer(value) && json_integer_value(value) >= min &&
        json_integer_value(value) <= max) {
        return (int)json_integer_value(value);
    }
    if (fields->ok) {
        char expected[80];
        snprintf(expected, sizeof expected,
                 max == INT_MAX ? "an integer from %d up" : "an integer from %d to %d", min, max);
        fail(fields, key, expected);
    }
    return 0;
}

int json_text_int_or(JsonFields *fields, const char *key, int min, int max, int otherwise) {
    return json_text_has(fields, key) ? json_text_int(fields, key, min, max) : otherwise;
}

double json_text_number(JsonFields *fields, const char *key, double min, double max) {
    const json_t *value = value_of(fields, key);
    if (json_is_number(value) && json_number_value(value) >= min &&
        json_number_value(value) <= max) {
        return json_number_value(value);
    }
    if (fields->ok) {
        char expected[80];
        snprintf(expected, sizeof expected, "a number from %g to %g", min, max);
        fail(fields, key, expected);
    }
    return 0.0;
}

double json_text_number_or(JsonFields *fields, const char *key, double min, double max,
                           double otherwise) {
    return json_text_has(fields, key) ? json_text_number(fields, key, min, max) : otherwise;
}

bool json_text_bool(JsonFields *fields, const char *key) {
    const json_t *value = value_of(fields, key);
    if (!json_is_boolean(value) && fields->ok) {
        fail(fields, key, "true or false");
    }
    return json_is_true(value);
}

bool json_text_bool_or(JsonFields *fields, const char *key, bool otherwise) {
    return json_text_has(fields, key) ? json_text_bool(fields, key) : otherwise;
}

void json_text_bool_only(JsonFields *fields, const char *key, bool expected) {
    if (json_text_bool_or(fields, key, expected) != expected && fields->ok) {
        fail(fields, key, expected ? "true" : "false");
    }
}

const char *json_text_string(JsonFields *fields, const char *key) {
    const json_t *value = value_of(fields, key);
    if (json_is_string(value)) {
        return json_string_value(value);
    }
    if (fields->ok) {
        fail(fields, key, "a string");
    }
    return "";
}

const char *json_text_string_or(JsonFields *fields, const char *key, const char *otherwise) {
    return json_text_has(fields, key) ? json_text_string(fields, key) : otherwise;
}

int json_text_choice(JsonFields *fields, const char *key, const char *const *choices, int n) {
    const char *text = json_string_value(value_of(fields, key));
    for (int i = 0; text != NULL && i < n; i++) {
        if (strcmp(text, choices[i]) == 0) {
            return i;
        }
    }
    if (fields->ok) {
        char expected[160] = "";
        size_t used = 0;
        for (int i = 0; i < n && used < sizeof expected; i++) {
            const char *between = i == 0 ? "" : i == n - 1 ? " or " : ", ";
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s\"%s\"", between,
                                     choices[i]);
        }
        fail(fields, key, expected);
    }
    return 0;
}

int json_text_choice_or(JsonFields *fields, const char *key, const char *const *choices, int n,
                        int otherwise) {
    return json_text_has(fields, key) ? json_text_choice(fields, key, choices, n) : otherwise;
}

bool json_text_write_float(FileWriter *writer, float value) {
    char text[JSON_TEXT_FLOAT_BYTES];
    json_text_float(value, text);
    if (value == 0.0F && signbit(value)) { // readers take -0 for the integer 0 and lose its sign
        return file_writer_text(writer, "-0.0");
    }
    if (isfinite(value)) {
        return file_writer_text(writer, text);
    }
    return file_writer_print(writer, "\"%s\"", text);
}

// Beyond four digits it takes two.
static void write_escape(FileWriter *writer, uint32_t code) {
    if (code < 0x10000) {
        file_writer_print(writer, "\\u%04x", code);
        return;
    }
    code -= 0x10000;
    file_writer_print(writer, "\\u%04x\\u%04x", 0xd800 | code >> 10, 0xdc00 | (code & 0x3ff));
}

bool json_text_write_string(FileWriter *writer, const char *text) {
    file_writer_text(writer, "\"");
    for (const char *at = text; *at != '\0';) {
        int32_t code = 0;
        size_t length = utf8_character(at, &code);
        if (code < 0) {
            file_writer_text(writer, "\xef\xbf\xbd");
        } else if (code == '"' || code == '\\') {
            file_writer_print(writer, "\\%c", (int)code);
        } else if (utf8_is_hidden(code)) {
            write_escape(writer, (uint32_t)code);
        } else {
            file_writer_write(writer, at, length);
        }
        at += length;
    }
    return file_writer_text(writer, "\"");
}
