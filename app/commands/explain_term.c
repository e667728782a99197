// explain_term.c - a term of the field instead of a number: what the glossary says of it.
#include "app/commands/explain_term.h"

#include <stdio.h>
#include <string.h>

#include "app/output.h"
#include "engine/lessons/glossary.h"

static void print_term(const GlossaryTerm *term, Language language) {
    bool is_chinese = language == LANGUAGE_ZH;
    output_print("%s", term->term);
    if (term->also[0] != '\0') {
        output_print(is_chinese ? "（也作 %s）" : " (also %s)", term->also);
    }
    output_print("\n  %s\n  ", term->text);
    output_print(is_chinese ? "第 %d 课" : "lesson %d", term->lesson);
    if (term->stage[0] != '\0') {
        output_print(is_chinese ? "，阶段 %s" : ", stage %s", term->stage);
    }
    output_print("\n");
}

static bool refuse(const Glossary *glossary, const char *name, Error *err) {
    char near[256] = "";
    for (int i = 0; i < glossary->n_terms; i++) {
        const GlossaryTerm *term = &glossary->terms[i];
        size_t length = strlen(near);
        if ((strcasestr(term->term, name) != NULL || strcasestr(term->also, name) != NULL) &&
            length + strlen(term->term) + 8 < sizeof near) {
            snprintf(near + length, sizeof near - length, "%s%s", length > 0 ? ", " : "",
                     term->term);
        }
    }
    if (near[0] != '\0') {
        return error_set(err, "the glossary has no term \"%.100s\"; it has: %s", name, near);
    }
    return error_set(err,
                     "\"%.100s\": expected STAGE[i,j,...] with --model, or a term of the glossary; "
                     "`attend explain --terms` lists them",
                     name);
}

bool explain_term(const char *name, Language language, Error *err) {
    Glossary glossary;
    if (!glossary_load(&glossary, language == LANGUAGE_ZH ? "zh" : "en", err)) {
        return false;
    }
    const GlossaryTerm *term = name == NULL ? NULL : glossary_find(&glossary, name);
    bool ok = name == NULL || term != NULL || refuse(&glossary, name, err);
    for (int i = 0; name == NULL && i < glossary.n_terms; i++) {
        print_term(&glossary.terms[i], language);
    }
    if (term != NULL) {
        print_term(term, language);
    }
    glossary_free(&glossary);
    return ok;
}
