// glossary.c - reads the glossary, one line after the other, and finds terms in it.
#include "engine/lessons/glossary.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/file.h"
#include "engine/files/assets.h"

enum { MAX_GLOSSARY_BYTES = 1 << 20 };

// The value of a line "- key: value", NULL where it is of another key.
static const char *field(const char *line, const char *key) {
    size_t length = strlen(key);
    bool is_field = strncmp(line, "- ", 2) == 0 && strncmp(line + 2, key, length) == 0 &&
                    strncmp(line + 2 + length, ": ", 2) == 0;
    return is_field ? line + 2 + length + 2 : NULL;
}

static GlossaryTerm *append(Glossary *glossary, const char *name, int line) {
    GlossaryTerm *term = &glossary->terms[glossary->n_terms++];
    *term = (GlossaryTerm){.term = name, .also = "", .stage = "", .text = "", .line = line};
    return term;
}

static bool read_line(Glossary *glossary, const char *path, const char *line, int number,
                      Error *err) {
    if (strncmp(line, "## ", 3) == 0) {
        append(glossary, line + 3, number);
        return true;
    }
    if (line[0] == '\0' || strncmp(line, "# ", 2) == 0) {
        return true;
    }
    if (glossary->n_terms == 0) {
        return error_set(err, "%s:%d: expected \"## term\", found \"%s\"", path, number, line);
    }
    GlossaryTerm *term = &glossary->terms[glossary->n_terms - 1];
    const char *value = NULL;
    if ((value = field(line, "also")) != NULL) {
        term->also = value;
    } else if ((value = field(line, "stage")) != NULL) {
        term->stage = value;
    } else if ((value = field(line, "lesson")) != NULL) {
        term->lesson = (int)strtol(value, NULL, 10);
    } else if (field(line, "everyday") != NULL) {
        term->is_everyday = true;
    } else if (line[0] == '-') {
        return error_set(err, "%s:%d: expected also, lesson, stage or everyday, found \"%s\"", path,
                         number, line);
    } else {
        term->text = term->text[0] == '\0'
                         ? line
                         : arena_format(&glossary->arena, "%s %s", term->text, line);
    }
    return true;
}

static bool check_terms(const Glossary *glossary, const char *path, Error *err) {
    for (int i = 0; i < glossary->n_terms; i++) {
        const GlossaryTerm *term = &glossary->terms[i];
        if (term->lesson < 1 || term->text[0] == '\0') {
            return error_set(err, "%s:%d: expected \"- lesson: NUMBER\" and a text for \"%s\"",
                             path, term->line, term->term);
        }
    }
    return true;
}

bool glossary_parse(Glossary *glossary, const char *path, const char *text, Error *err) {
    *glossary = (Glossary){.n_terms = 0};
    size_t n_lines = 1;
    for (const char *at = text; *at != '\0'; at++) {
        n_lines += *at == '\n';
    }
    glossary->terms = arena_allocate(&glossary->arena, n_lines * sizeof *glossary->terms);
    bool ok = true;
    for (int number = 1; ok && *text != '\0'; number++) {
        size_t length = strcspn(text, "\n");
        const char *line = arena_format(&glossary->arena, "%.*s", (int)length, text);
        ok = read_line(glossary, path, line, number, err);
        text += length + (text[length] == '\n');
    }
    ok = ok && check_terms(glossary, path, err);
    if (!ok) {
        glossary_free(glossary);
    }
    return ok;
}

bool glossary_load(Glossary *glossary, const char *language, Error *err) {
    char relative[64] = "assets/glossary/";
    strncat(relative, language, 8);
    strncat(relative, ".md", 4);
    char *path = assets_find(relative);
    FileBytes file = {0};
    *glossary = (Glossary){.n_terms = 0};
    bool ok = path == NULL ? error_set(err, "%s is not beside the program", relative)
                           : file_read(&file, path, MAX_GLOSSARY_BYTES, err) &&
                                 glossary_parse(glossary, path, (const char *)file.bytes, err);
    file_close(&file);
    free(path);
    return ok;
}

void glossary_free(Glossary *glossary) {
    arena_free(&glossary->arena);
    *glossary = (Glossary){.n_terms = 0};
}

// Whether name is one of the forms between ", ".
static bool is_form(const char *forms, const char *name) {
    size_t length = strlen(name);
    while (*forms != '\0') {
        size_t form = strcspn(forms, ",");
        if (form == length && strncasecmp(forms, name, form) == 0) {
            return true;
        }
        forms += form;
        forms += strspn(forms, ", ");
    }
    return false;
}

const GlossaryTerm *glossary_find(const Glossary *glossary, const char *name) {
    for (int i = 0; i < glossary->n_terms; i++) {
        const GlossaryTerm *term = &glossary->terms[i];
        if (strcasecmp(term->term, name) == 0 || is_form(term->also, name)) {
            return term;
        }
    }
    return NULL;
}
