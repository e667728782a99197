// test_glossary.c - the glossary: the same terms in both languages, seen where it says, and no
// lesson that uses a term before the lesson that introduces it.
#include "tests/support.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/lessons/glossary.h"
#include "engine/lessons/lesson.h"
#include "engine/playground/playground.h"

static void load(Glossary *glossary, const char *language) {
    Error err = {""};
    support_require(glossary_load(glossary, language, &err), &err);
}

static void both_languages_explain_the_same_terms(void **state) {
    (void)state;
    Glossary en;
    Glossary zh;
    load(&en, "en");
    load(&zh, "zh");
    assert_int_equal(en.n_terms, zh.n_terms);
    assert_true(en.n_terms > 50);
    for (int i = 0; i < en.n_terms; i++) {
        assert_int_equal(en.terms[i].lesson, zh.terms[i].lesson);
        assert_string_equal(en.terms[i].stage, zh.terms[i].stage);
        assert_ptr_equal(glossary_find(&en, en.terms[i].term), &en.terms[i]); // none is there twice
        assert_ptr_equal(glossary_find(&zh, zh.terms[i].term), &zh.terms[i]);
    }
    glossary_free(&en);
    glossary_free(&zh);
}

static void a_term_is_found_by_each_of_its_forms(void **state) {
    (void)state;
    Glossary glossary;
    load(&glossary, "en");
    const GlossaryTerm *norm = glossary_find(&glossary, "layer normalization");
    assert_non_null(norm);
    assert_ptr_equal(glossary_find(&glossary, "layernorm"), norm);
    assert_ptr_equal(glossary_find(&glossary, "Gradients"), glossary_find(&glossary, "gradient"));
    assert_null(glossary_find(&glossary, "grad"));
    assert_null(glossary_find(&glossary, ""));
    glossary_free(&glossary);
}

static void faults_name_their_line(void **state) {
    (void)state;
    static const char *const CASES[][2] = {
        {"hello\n", "g.md:1: expected \"## term\""},
        {"## a\n- lesson: 1\n- colour: red\n", "g.md:3: expected also, lesson, stage or everyday"},
        {"# g\n\n## a\n\ntext\n", "g.md:3: expected \"- lesson: NUMBER\" and a text for \"a\""},
        {"## a\n- lesson: 3\n", "g.md:1: expected \"- lesson: NUMBER\" and a text for \"a\""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Glossary glossary;
        Error err = {""};
        assert_false(glossary_parse(&glossary, "g.md", CASES[i][0], &err));
        assert_int_equal(strncmp(err.text, CASES[i][1], strlen(CASES[i][1])), 0);
    }
}

// A term is seen at a stage of the toy's walk.
static void every_stage_is_there(void **state) {
    (void)state;
    Playground playground = {0};
    Error err = {""};
    Glossary glossary;
    load(&glossary, "en");
    support_require(playground_open(&playground, "toy-copy --ids \"1,5,4;1,3,6\" --seed 1", &err),
                    &err);
    for (int i = 0; i < glossary.n_terms; i++) {
        const char *stage = glossary.terms[i].stage;
        if (stage[0] != '\0' && tape_find(playground_tape(&playground), stage) == NULL) {
            fail_msg("%s: there is no stage %s", glossary.terms[i].term, stage);
        }
    }
    playground_close(&playground);
    glossary_free(&glossary);
}

// ---- the order of the lessons

enum { MAX_LESSONS = 64 };

typedef struct Course {
    Lesson lessons[MAX_LESSONS];
    int n;
} Course;

static int by_number(const void *a, const void *b) {
    return ((const Lesson *)a)->number - ((const Lesson *)b)->number;
}

static void open_course(Course *course, const char *language) {
    char folder[32];
    snprintf(folder, sizeof folder, "lessons/%s", language);
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    course->n = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strstr(entry->d_name, ".md") != NULL) {
            char path[320];
            Error err = {""};
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            assert_true(course->n < MAX_LESSONS);
            support_require(lesson_load(&course->lessons[course->n++], path, &err), &err);
        }
    }
    closedir(directory);
    qsort(course->lessons, (size_t)course->n, sizeof(Lesson), by_number);
}

static void close_course(Course *course) {
    for (int i = 0; i < course->n; i++) {
        lesson_free(&course->lessons[i]);
    }
}

static bool is_letter(char c) {
    return isalnum((unsigned char)c) || c == '-' || c == '_';
}

// Whether the text has the word, not as a part of another and not as code; with mark 'e' only where
// it is emphasized, as a term is where it is introduced.
static bool has_word(const LessonText *text, const char *word, size_t length, char mark) {
    for (const char *at = strcasestr(text->text, word); at != NULL; at = strcasestr(at + 1, word)) {
        size_t place = (size_t)(at - text->text);
        bool is_word = (unsigned char)word[0] >= 0x80 ||
                       ((place == 0 || !is_letter(at[-1])) && !is_letter(at[length]));
        char found = text->marks[place];
        if (is_word && (mark == 'e' ? found == 'e' : found != '`')) {
            return true;
        }
    }
    return false;
}

// One of the term's forms.
static bool has_term(const LessonText *text, const GlossaryTerm *term, char mark) {
    char forms[512];
    snprintf(forms, sizeof forms, "%s, %s", term->term, term->also);
    for (char *form = strtok(forms, ","); form != NULL; form = strtok(NULL, ",")) {
        form += strspn(form, " ");
        if (*form != '\0' && has_word(text, form, strlen(form), mark)) {
            return true;
        }
    }
    return false;
}

static bool lesson_has_term(const Lesson *lesson, const GlossaryTerm *term, char mark, int *line) {
    for (int i = 0; i < lesson->n_blocks; i++) {
        const LessonBlock *block = &lesson->blocks[i];
        bool is_text = block->kind == LESSON_PROSE || block->kind == LESSON_QUESTION;
        const LessonText *text =
            block->kind == LESSON_QUESTION ? &block->question->ask : &block->text;
        bool is_there = is_text && has_term(text, term, mark);
        if (block->kind == LESSON_QUESTION && !is_there) {
            is_there = has_term(&block->question->after, term, mark);
        }
        if (is_there) {
            *line = block->line;
            return true;
        }
    }
    return false;
}

static void check_order(const char *language) {
    static Course course;
    Glossary glossary;
    load(&glossary, language);
    open_course(&course, language);
    int n_faults = 0;
    for (int i = 0; i < glossary.n_terms; i++) {
        const GlossaryTerm *term = &glossary.terms[i];
        for (int k = 0; k < course.n; k++) {
            const Lesson *lesson = &course.lessons[k];
            int line = 0;
            bool is_early = lesson->number < term->lesson && !term->is_everyday &&
                            lesson_has_term(lesson, term, '.', &line);
            bool is_missing =
                lesson->number == term->lesson && !lesson_has_term(lesson, term, 'e', &line);
            if (is_early) {
                print_error("%s:%d: \"%s\" is used before lesson %d introduces it\n", lesson->path,
                            line, term->term, term->lesson);
            }
            if (is_missing) {
                print_error("%s: the lesson does not introduce *%s*\n", lesson->path, term->term);
            }
            n_faults += is_early + is_missing;
        }
    }
    close_course(&course);
    glossary_free(&glossary);
    assert_int_equal(n_faults, 0);
}

static void no_lesson_uses_a_term_before_it_is_introduced(void **state) {
    (void)state;
    check_order("en");
    check_order("zh");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_languages_explain_the_same_terms),
        cmocka_unit_test(a_term_is_found_by_each_of_its_forms),
        cmocka_unit_test(faults_name_their_line),
        cmocka_unit_test(every_stage_is_there),
        cmocka_unit_test(no_lesson_uses_a_term_before_it_is_introduced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
