// test_try.c - what a lesson asks to be tried: its hint, and that who does it is told so.
#include "tests/support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buffer.h"
#include "engine/base/file.h"
#include "engine/lessons/lesson.h"
#include "tests/folder.h"

static char folder[FOLDER_PATH_BYTES];

// What the program says when these lines are typed; to be freed.
static char *hear(const char *typed, const char *lesson, const char *language) {
    char in[FOLDER_PATH_BYTES];
    char out[FOLDER_PATH_BYTES];
    char line[3 * FOLDER_PATH_BYTES];
    FileBytes bytes = {0};
    Error err = {""};
    folder_path(folder, "in", in);
    folder_path(folder, "out", out);
    support_require(file_save(in, typed, strlen(typed), &err), &err);
    const char *given = getenv("PROGRAM");
    const char *program = given != NULL ? given : "attend";
    snprintf(line, sizeof line, "%s%s learn %s --plain --lang %s --width 200 < %s > %s",
             program[0] == '/' ? "" : "./", program, lesson, language, in, out);
    assert_int_equal(system(line), 0); // NOLINT(cert-env33-c): the program itself
    support_require(file_read(&bytes, out, 0, &err), &err);
    return (char *)bytes.memory;
}

static int times(const char *text, const char *part) {
    int n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static const LessonTry *find_try(const Lesson *lesson, int *stop) {
    for (*stop = 0; *stop < lesson->n_stops; ++*stop) {
        for (int i = lesson->stops[*stop].first; i < lesson->stops[*stop].end; i++) {
            if (lesson->blocks[i].kind == LESSON_TRY) {
                return lesson->blocks[i].try;
            }
        }
    }
    return NULL;
}

static void check_lesson(const char *path, const char *language, const char *done,
                         const char *one_way) {
    Lesson lesson;
    Error err = {""};
    int stop = 0;
    support_require(lesson_load(&lesson, path, &err), &err);
    const LessonTry *try = find_try(&lesson, &stop);
    if (try != NULL) {
        Buffer typed = {0};
        char number[16];
        char hint[400];
        for (int i = 0; i < stop; i++) {
            buffer_append_text(&typed, "\n");
        }
        snprintf(number, sizeof number, "%d", lesson.number);
        // The hint does nothing, a command that is not the solution neither.
        buffer_append_text(&typed, "hint\nview\n");
        char *before = hear(typed.bytes, number, language);
        assert_int_equal(times(before, done), 0);
        snprintf(hint, sizeof hint, "%s:%s", one_way, try->solution[0].text);
        assert_int_equal(times(before, hint), 1);
        for (int i = 0; i < try->n_solution; i++) {
            buffer_format(&typed, "%s\n", try->solution[i].text);
        }
        buffer_append_text(&typed, "view\n");
        char *after = hear(typed.bytes, number, language);
        buffer_free(&typed);
        if (times(after, done) != 1) {
            fail_msg("%s: \"%s\" is said %d times", path, done, times(after, done));
        }
        free(before);
        free(after);
    }
    lesson_free(&lesson);
}

static void who_does_what_is_asked_is_told_so(void **state) {
    (void)state;
    static const char *const WORDS[][3] = {{"en", "✓ Done. ", "One way to do it: "},
                                           {"zh", "✓ 做到了。", "一种做法："}};
    for (int i = 0; i < 2; i++) {
        char pattern[64];
        glob_t found;
        snprintf(pattern, sizeof pattern, "lessons/%s/*.md", WORDS[i][0]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++) {
            check_lesson(found.gl_pathv[k], WORDS[i][0], WORDS[i][1], WORDS[i][2]);
        }
        globfree(&found);
    }
}

static int make_folder(void **state) {
    (void)state;
    folder_make(folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    folder_remove(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_does_what_is_asked_is_told_so),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
