// json_text.h - JSON from and to files: strict reading, typed fields, numbers that come back exact.
#ifndef ENGINE_FILES_JSON_TEXT_H
#define ENGINE_FILES_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "engine/base/error.h"
#include "engine/base/file.h"

enum { JSON_TEXT_FLOAT_BYTES = 24 };

// Parses strictly: duplicate keys, NUL characters, broken UTF-8 and text after the end are errors;
// `where` starts the sentence, "where:LINE: ...". NULL on failure; the caller's to json_decref.
json_t *json_text_parse(const char *text, size_t length, const char *where, Error *err);

// The same for one line of many, with its number; texts may hold NUL characters (\u0000).
json_t *json_text_parse_line(const char *text, size_t length, const char *where, int64_t line,
                             Error *err);

// What both stand on: as jansson's json_loadb, but a number beyond 64 bits or a double does not end
// the reading. It becomes a real number that is out of every range: harmless where nobody needs it,
// refused where a field is read.
json_t *json_text_decode(const char *text, size_t length, size_t flags, json_error_t *fault);

// The same for a file that must hold an object. "-" is standard input.
json_t *json_text_load(const char *path, Error *err);

// The fields of an object, read one after the other without a question in between: the first that
// is wrong sets *err and ok to false, and every later one gives its least value (0, false, "").
//     JsonFields fields = json_text_fields(object, "config.json", err);
//     config->n_heads = json_text_int(&fields, "n_heads", 1, 1024);
//     config->tie = json_text_bool_or(&fields, "tie_embeddings", false);
//     return fields.ok;
// A sentence is `config.json: "n_heads": expected an integer from 1 to 1024, found "x"`. The _or
// forms give `otherwise` where the key is absent (null counts as absent). Borrows object and where.
typedef struct JsonFields {
    json_t *object;
    const char *where;
    Error *err; // may be NULL
    bool ok;
} JsonFields;

JsonFields json_text_fields(json_t *object, const char *where, Error *err);

int json_text_int(JsonFields *fields, const char *key, int min, int max);
int json_text_int_or(JsonFields *fields, const char *key, int min, int max, int otherwise);
double json_text_number(JsonFields *fields, const char *key, double min, double max);
double json_text_number_or(JsonFields *fields, const char *key, double min, double max,
                           double otherwise);
bool json_text_bool(JsonFields *fields, const char *key);
// A field that may be missing, but says nothing else than expected where it is there.
void json_text_bool_only(JsonFields *fields, const char *key, bool expected);
bool json_text_bool_or(JsonFields *fields, const char *key, bool otherwise);

// Borrowed from the object.
const char *json_text_string(JsonFields *fields, const char *key);
const char *json_text_string_or(JsonFields *fields, const char *key, const char *otherwise);

// Text that a person gave, such as a file's name, may be no UTF-8, which a JSON string must be:
// then it is an object, {"bytes": "caf\\xe9.txt"}, whose own backslashes are doubled. NULL: no
// memory.
json_t *json_text_from_bytes(const char *text);
// Reads either form; malloc'ed, the caller's. NULL where it is neither.
char *json_text_to_bytes(const json_t *value);

// The index of the string among n choices; the sentence lists them.
int json_text_choice(JsonFields *fields, const char *key, const char *const *choices, int n);
int json_text_choice_or(JsonFields *fields, const char *key, const char *const *choices, int n,
                        int otherwise);

bool json_text_has(const JsonFields *fields, const char *key);

// The shortest decimal that reads back to the same float32: "0.1", "-1e-45", "16777216"; "inf",
// "-inf", "nan". Always with a '.', whatever the locale. Returns text.
const char *json_text_float(float value, char text[JSON_TEXT_FLOAT_BYTES]);

// As JSON: the same digits; what is not finite stands in quotes, "inf". And a string, quoted;
// control codes, marks that turn the direction of writing and what is invisible are escaped, bytes
// that are not UTF-8 become U+FFFD.
bool json_text_write_float(FileWriter *writer, float value);
bool json_text_write_string(FileWriter *writer, const char *text);

#endif
