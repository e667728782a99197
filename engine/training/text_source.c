// text_source.c - where texts come from: a file and its format, or data that is made.
#include "engine/training/text_source.h"

#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"

// By the name's end: .tsv pairs, .jsonl (or .ndjson) JSON lines, else plain.
static TextFormat guess_format(const char *path) {
    const char *dot = strrchr(path, '.');
    if (dot != NULL && strcmp(dot, ".tsv") == 0) {
        return TEXT_PAIRS;
    }
    bool is_lines = dot != NULL && (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".ndjson") == 0);
    return is_lines ? TEXT_JSONL : TEXT_PLAIN;
}

bool text_source_choose(TextSource *source, const char *option, const char *format, Error *err) {
    static const char *const FORMATS[] = {
        [TEXT_PLAIN] = "text", [TEXT_PAIRS] = "tsv", [TEXT_JSONL] = "jsonl"};
    static const char MADE[] = TEXT_SOURCE_MADE;
    bool must_be_made = strncmp(source->path, MADE, sizeof MADE - 1) == 0;
    const char *name = must_be_made ? source->path + sizeof MADE - 1 : source->path;
    source->made = !must_be_made && file_exists(source->path) ? NULL : made_data_find(name);
    if (must_be_made && source->made == NULL) {
        return error_set(err, "%.60s: there is no generated data of this name", source->path);
    }
    if (source->path[0] == '\0') {
        return error_set(err, "expected the name of a file, found an empty one");
    }
    source->n_made = source->made != NULL ? source->made->n_pairs : 0;
    source->format = source->made != NULL ? TEXT_PAIRS : guess_format(source->path);
    bool is_known = format == NULL;
    for (size_t i = 0; !is_known && i < sizeof FORMATS / sizeof FORMATS[0]; i++) {
        is_known = strcmp(FORMATS[i], format) == 0;
        source->format = is_known ? (TextFormat)i : source->format;
    }
    if (!is_known) {
        return error_set(err, "%s: expected text, tsv or jsonl, found \"%.40s\"", option, format);
    }
    return source->made == NULL || source->format == TEXT_PAIRS ||
           error_set(err, "%s %s: %s is generated data, which is pairs", option, format, name);
}

bool text_source_is_lasting(const TextSource *source) {
    struct stat about;
    return source->made != NULL || (strcmp(source->path, "-") != 0 &&
                                    stat(source->path, &about) == 0 && S_ISREG(about.st_mode));
}
