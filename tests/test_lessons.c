// test_lessons.c - the lessons that ship: both languages alike, and every text of the screen there.
#include "tests/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/texts.h"
#include "engine/lessons/lesson.h"

enum { MAX_LESSONS = 64 };

typedef struct Names {
    char names[MAX_LESSONS][256];
    int count;
} Names;

static int compare(const void *a, const void *b) {
    return strcmp(a, b);
}

static void list(const char *folder, Names *names) {
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    names->count = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strstr(entry->d_name, ".md") != NULL && names->count < MAX_LESSONS) {
            snprintf(names->names[names->count++], 256, "%s", entry->d_name);
        }
    }
    closedir(directory);
    qsort(names->names, (size_t)names->count, 256, compare);
}

static void assert_same_claim(const char *name, const Claim *en, const Claim *zh) {
    if ((en == NULL) != (zh == NULL) || (en != NULL && strcmp(en->text, zh->text) != 0)) {
        fail_msg("%s: the claims of line %d and line %d differ", name, en == NULL ? 0 : en->line,
                 zh == NULL ? 0 : zh->line);
    }
}

static void compare_tries(const char *name, const LessonTry *en, const LessonTry *zh) {
    assert_same_claim(name, &en->goal, &zh->goal);
    assert_int_equal(en->n_solution, zh->n_solution);
    for (int i = 0; i < en->n_solution; i++) {
        assert_string_equal(en->solution[i].text, zh->solution[i].text);
    }
}

static void compare_questions(const char *name, const LessonBlock *a, const LessonBlock *b) {
    const LessonQuestion *en = a->question;
    const LessonQuestion *zh = b->question;
    if (en->n_choices != zh->n_choices || (en->cell == NULL) != (zh->cell == NULL)) {
        fail_msg("%s: lines %d and %d ask in different ways", name, a->line, b->line);
    }
    for (int i = 0; i < en->n_choices; i++) {
        assert_same_claim(name, en->choices[i].claim, zh->choices[i].claim);
        if (en->choices[i].is_right != zh->choices[i].is_right) {
            fail_msg("%s: lines %d and %d: choice %d is right in one language alone", name, a->line,
                     b->line, i + 1);
        }
    }
    if (en->cell != NULL) {
        assert_string_equal(en->cell, zh->cell);
        assert_float_equal(en->tolerance, zh->tolerance, 0.0);
    }
}

static void compare_blocks(const char *name, const LessonBlock *a, const LessonBlock *b) {
    if (a->kind != b->kind || a->level != b->level || a->n_commands != b->n_commands) {
        fail_msg("%s: line %d in English and line %d in Chinese hold different blocks", name,
                 a->line, b->line);
    }
    for (int i = 0; i < a->n_commands; i++) {
        assert_string_equal(a->commands[i].text, b->commands[i].text);
    }
    assert_int_equal(a->n_claims, b->n_claims);
    for (int i = 0; i < a->n_claims; i++) {
        assert_same_claim(name, &a->claims[i], &b->claims[i]);
    }
    if (a->kind == LESSON_QUESTION) {
        compare_questions(name, a, b);
    }
    if (a->kind == LESSON_TRY) {
        compare_tries(name, a->try, b->try);
    }
}

// The next block that is no prose: a language may need a paragraph more.
static const LessonBlock *next_block(const Lesson *lesson, int *at) {
    while (*at < lesson->n_blocks && lesson->blocks[*at].kind == LESSON_PROSE) {
        ++*at;
    }
    return *at < lesson->n_blocks ? &lesson->blocks[(*at)++] : NULL;
}

// Where the prose of a stop leads; "": nowhere.
static const char *place_of(const Lesson *lesson, int stop) {
    const char *place = "";
    for (int i = lesson->stops[stop].first; i < lesson->stops[stop].end; i++) {
        const LessonBlock *block = &lesson->blocks[i];
        bool is_question = block->kind == LESSON_QUESTION;
        const char *found = is_question ? block->question->after.place : block->text.place;
        place = found == NULL ? place : found;
    }
    return place;
}

static void compare_links(const char *name, int stop, const Lesson *en, const Lesson *zh) {
    if (strcmp(place_of(en, stop), place_of(zh, stop)) != 0) {
        fail_msg("%s: the links of stop %d lead to \"%s\" and \"%s\"", name, stop + 1,
                 place_of(en, stop), place_of(zh, stop));
    }
}

static void compare_lessons(const char *name, const Lesson *en, const Lesson *zh) {
    int at[2] = {0, 0};
    for (const LessonBlock *block = next_block(en, &at[0]); block != NULL;
         block = next_block(en, &at[0])) {
        const LessonBlock *other = next_block(zh, &at[1]);
        if (other == NULL) {
            fail_msg("%s: line %d in English has no like in Chinese", name, block->line);
            return;
        }
        compare_blocks(name, block, other);
    }
    assert_null(next_block(zh, &at[1]));
    assert_int_equal(en->n_stops, zh->n_stops);
    for (int i = 0; i < en->n_stops; i++) {
        compare_links(name, i, en, zh);
    }
}

static void both_languages_have_the_same_blocks(void **state) {
    (void)state;
    static Names en;
    static Names zh;
    list("lessons/en", &en);
    list("lessons/zh", &zh);
    assert_int_equal(en.count, zh.count);
    for (int i = 0; i < en.count; i++) {
        char path[300];
        Lesson lessons[2];
        Error err = {""};
        assert_string_equal(en.names[i], zh.names[i]);
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "lessons/%s/%.255s", k == 0 ? "en" : "zh", en.names[i]);
            support_require(lesson_load(&lessons[k], path, &err), &err);
        }
        compare_lessons(en.names[i], &lessons[0], &lessons[1]);
        lesson_free(&lessons[0]);
        lesson_free(&lessons[1]);
    }
}

static int times_in(const char *text, const char *part) {
    int n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static void every_text_is_there_in_every_language(void **state) {
    (void)state;
    for (int id = 0; id < TEXT_COUNT; id++) {
        const char *en = text_of(LANGUAGE_EN, (TextId)id);
        const char *zh = text_of(LANGUAGE_ZH, (TextId)id);
        if (en == NULL || zh == NULL) {
            fail_msg("text %d is missing", id);
            return;
        }
        assert_int_equal(times_in(en, "{a}"), times_in(zh, "{a}"));
        assert_int_equal(times_in(en, "{b}"), times_in(zh, "{b}"));
    }
    for (int id = 0; id < COMMAND_COUNT; id++) {
        for (int language = 0; language < LANGUAGE_COUNT; language++) {
            if (text_help((Language)language, (CommandId)id) == NULL) {
                fail_msg("help of \"%s\" is missing", COMMANDS[id].name);
            }
        }
    }
}

static void a_text_is_filled_in_and_never_overruns(void **state) {
    (void)state;
    char out[16];
    assert_string_equal(text_fill(out, sizeof out, "{b}: {a}.", "x", "y"), "y: x.");
    assert_string_equal(text_fill(out, sizeof out, "{a}", "0123456789abcdefgh", NULL),
                        "0123456789ab…"); // which takes three bytes
    assert_string_equal(text_fill(out, sizeof out, "[{a}]", NULL, NULL), "[]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_languages_have_the_same_blocks),
        cmocka_unit_test(every_text_is_there_in_every_language),
        cmocka_unit_test(a_text_is_filled_in_and_never_overruns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
