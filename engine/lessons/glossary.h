// glossary.h - the terms of the field, each explained once, with the lesson that introduces it.
//
// assets/glossary/LANGUAGE.md is Markdown: a heading "## term", a list of "- also: ...",
// "- lesson: N", "- stage: NAME" (where it can be seen) and "- everyday: yes" (a word that is also
// used in its everyday meaning), then one paragraph.
#ifndef ENGINE_LESSONS_GLOSSARY_H
#define ENGINE_LESSONS_GLOSSARY_H

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"

typedef struct GlossaryTerm {
    const char *term;
    const char *also;  // other forms, ", " between them; "" for none
    int lesson;        // that introduces it
    const char *stage; // of the toy's tape, where it can be seen; "" for none
    const char *text;
    bool is_everyday; // the word alone does not say that the term is meant
    int line;
} GlossaryTerm;

// A zeroed one is empty; what it holds lives until glossary_free.
typedef struct Glossary {
    Arena arena;
    GlossaryTerm *terms; // n_terms, in the order of the file
    int n_terms;
} Glossary;

// language is "en" or "zh". A fault in the file is told with its line.
bool glossary_load(Glossary *glossary, const char *language, Error *err);
bool glossary_parse(Glossary *glossary, const char *path, const char *text, Error *err);
void glossary_free(Glossary *glossary);

// The term of that name or form, whatever its capitals; NULL where there is none.
const GlossaryTerm *glossary_find(const Glossary *glossary, const char *name);

#endif
