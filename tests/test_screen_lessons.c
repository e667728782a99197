// test_screen_lessons.c - lessons played on the screen, places come back to, values that are true.
#include "tests/support.h"
#include "tests/support_node.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/playground/playground.h"
#include "engine/lessons/lesson.h"
#include "tests/support_screen.h"

static const LessonQuestion *question_of(const Lesson *lesson, int stop) {
    for (int i = lesson->stops[stop].first; i < lesson->stops[stop].end; i++) {
        if (lesson->blocks[i].kind == LESSON_QUESTION) {
            return lesson->blocks[i].question;
        }
    }
    return NULL;
}

// A number that is asked for is read from the engine, not from the screen.
static double value_of(Playground *playground, const char *cell) {
    char stage[128];
    size_t length = strcspn(cell, "[");
    snprintf(stage, sizeof stage, "%.*s", (int)length, cell);
    const Node *node = tape_find(playground_tape(playground), stage);
    assert_non_null(node);
    int indices[SHAPE_MAX_RANK] = {0};
    const char *at = cell + length + 1; // of a single number there is none
    for (int axis = 0; axis < shape_rank(&node->shape); axis++) {
        char *end = NULL;
        indices[axis] = (int)strtol(at, &end, 10);
        at = end + 1;
    }
    stepper_require(&playground->stepper, node, NULL);
    size_t element = shape_flat(&node->shape, indices);
    return node_holds_ids(node) ? support_ids(node)[element]
                                : (double)support_numbers(node)[element];
}

static void answer(Pty *pty, Playground *playground, const LessonQuestion *question, bool right,
                   bool is_chinese) {
    char keys[64];
    if (question->cell != NULL) {
        double value = value_of(playground, question->cell);
        snprintf(keys, sizeof keys, "=%.4f\r", right ? value : value + 3.0);
    } else {
        int choice = 0;
        while (question->choices[choice].is_right != right) {
            choice++;
        }
        snprintf(keys, sizeof keys, "%d", choice + 1);
    }
    // While the lesson trains there is no answer yet: it is given again.
    const char *yes = is_chinese ? "答对了。" : "Right.";
    const char *no = is_chinese ? "不对。" : "No. The answer is: ";
    const char *said = right ? yes : no;
    const char *later = is_chinese ? "计算中" : "computing ...";
    for (int i = 0; i < 100 && !pty_shows(pty, said); i++) {
        pty_send(pty, keys);
        for (int k = 0; k < 500 && !pty_shows(pty, said) && !pty_shows(pty, later); k++) {
            pty_step(pty, 20);
        }
        pty_settle(pty, 150);
    }
    screen_expect(pty, right ? yes : no);
}

static void set_up(Playground *playground, const Lesson *lesson) {
    Error err = {""};
    for (int i = 0; i < lesson->n_blocks; i++) {
        if (lesson->blocks[i].n_commands > 0) {
            support_require(
                playground_open(playground, lesson->blocks[i].commands[0].text + 5, &err), &err);
            if (lesson->blocks[i].n_commands > 1 &&
                strcmp(lesson->blocks[i].commands[1].text, "heads 1") == 0) {
                ModelConfig config = playground->opened->named.model.config;
                config.n_heads = 1;
                support_require(playground_configure(playground, &config, &err), &err);
            }
            return;
        }
    }
}

// Every second question is answered wrong; which ones differs from language to language.
static void walk(const char *file, bool is_chinese) {
    int n_answers = 0;
    char path[128];
    char number[8];
    snprintf(path, sizeof path, "lessons/%s/%s", is_chinese ? "zh" : "en", file);
    snprintf(number, sizeof number, "%d", (int)strtol(file, NULL, 10));
    Lesson lesson;
    Playground playground = {.opened = NULL};
    Error err = {""};
    support_require(lesson_load(&lesson, path, &err), &err);
    set_up(&playground, &lesson);
    const char *const arguments[] = {"learn", number, "--lang", is_chinese ? "zh" : "en", NULL};
    Pty pty;
    pty_start(&pty, SCREEN_KIND, 120, 66, arguments, screen_environment());
    for (int stop = 0; stop < lesson.n_stops; stop++) {
        char place[32];
        snprintf(place, sizeof place, " %d/%d ", stop + 1, lesson.n_stops);
        // A key that comes while the lesson trains is for nothing; on this screen no text scrolls.
        for (int i = 0; i < 20 && !pty_shows(&pty, place); i++) {
            pty_send(&pty, stop > 0 ? " " : "");
            for (int k = 0; k < 100 && !pty_shows(&pty, place); k++) {
                pty_step(&pty, 20);
            }
        }
        screen_expect(&pty, place);
        const LessonQuestion *question = question_of(&lesson, stop);
        if (question != NULL) {
            answer(&pty, &playground, question, n_answers++ % 2 == (int)is_chinese, is_chinese);
        }
    }
    screen_leave(&pty);
    playground_close(&playground);
    lesson_free(&lesson);
}

static void every_lesson_is_walked_with_right_and_wrong_answers(void **state) {
    (void)state;
    static const char *const FILES[] = {"07-one-head.md", "12-backwards.md",
                                        "13-the-whole-transformer.md", "14-using-it.md"};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        walk(FILES[i], false);
        walk(FILES[i], true);
    }
}

// Between the brackets of the cursor stands the number, in as many digits as there is room for;
// those of an index stand after a name and hold whole numbers, from the first column on.
static bool read_cursor(const Pty *pty, char *text, size_t size) {
    for (int y = 1; y < pty->height - 1; y++) {
        const char *row = pty_row(pty, y);
        for (const char *at = strchr(row, '['); at != NULL; at = strchr(at + 1, '[')) {
            const char *start = at + 1 + strspn(at + 1, " ");
            size_t length = strcspn(start, " ]");
            bool is_index = at > row && isalpha((unsigned char)at[-1]) &&
                            strspn(at + 1, "0123456789") == strcspn(at + 1, "]");
            if (!is_index && length > 0 && memchr(start, ',', length) == NULL) {
                snprintf(text, size, "%.*s", (int)length, start);
                return true;
            }
        }
    }
    return false;
}

// The line "  = 0.25" below the arithmetic, in nine digits. It is missing where the number was
// given, or where the arithmetic takes the room that it has.
static bool read_result(const Pty *pty, double *result) {
    for (int y = 1; y < pty->height - 1; y++) {
        const char *equals = strstr(pty_row(pty, y), "│   = ");
        if (equals != NULL) {
            *result = strtod(equals + strlen("│   = "), NULL);
            return true;
        }
    }
    return false;
}

// What y copies names the cell and its number; the engine must hold that number there, the cursor
// stand on it, and the line of the result say it.
static bool check_move(Pty *pty, Playground *playground) {
    char cell[256];
    char notice[sizeof cell + 16];
    char shown[64] = "";
    char digits[32];
    screen_copy_cell(pty, cell, sizeof cell);
    snprintf(notice, sizeof notice, "Copied: %s", cell); // in the last row: the frame is whole
    screen_expect(pty, notice);
    char *equals = strstr(cell, " = ");
    assert_non_null(equals);
    *equals = '\0';
    double value = value_of(playground, cell);
    snprintf(digits, sizeof digits, "%.9g", value);
    double result = value;
    bool has_result = read_result(pty, &result);
    bool same = isinf(value) ? isinf(result) : fabs(result - value) <= 1e-6 * (1.0 + fabs(value));
    bool is_right = strcmp(equals + 3, digits) == 0 && read_cursor(pty, shown, sizeof shown) &&
                    support_says(shown, value) && same;
    if (!is_right) {
        pty_print(pty);
        fail_msg("%s: the engine has %s, copied is %s, shown \"%s\" and %.9g", cell, digits,
                 equals + 3, shown, result);
    }
    return has_result;
}

static void every_printed_value_equals_the_engines(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Error err = {""};
    support_require(
        playground_open(&playground, "toy-copy --ids \"1,5,4;1,3,6\" --seed 1 --untrained", &err),
        &err);
    const char *const arguments[] = {"learn", "13", "--lang", "en", NULL};
    Pty pty;
    pty_start(&pty, SCREEN_KIND, 140, 44, arguments, screen_environment());
    screen_show_numbers(&pty);
    static const char *const KEYS[] = {"n",      "p",      "N",      "P",      "i",      "o",
                                       "\033[A", "\033[B", "\033[C", "\033[C", "\033[D", ".",
                                       ",",      ">",      "<",      "j",      "l"};
    unsigned random = 20;
    int n_results = 0;
    for (int i = 0; i < 300; i++) {
        random = random * 1664525U + 1013904223U;
        pty_send(&pty, KEYS[(random >> 16) % (sizeof KEYS / sizeof KEYS[0])]);
        if (i % 40 == 39) {
            pty_resize(&pty, 90 + (int)((random >> 20) % 100), 30 + (int)((random >> 12) % 20));
            pty_settle(&pty, 1000);
        }
        pty_settle(&pty, 20);
        n_results += check_move(&pty, &playground);
    }
    assert_true(n_results > 200);
    screen_leave(&pty);
    playground_close(&playground);
}

// What stands between quotes after --at in the notice.
static void read_state(const Pty *pty, char *text, size_t size) {
    const char *row = pty_row(pty, pty->height - 1);
    const char *at = strstr(row, "--at '");
    assert_non_null(at);
    snprintf(text, size, "%.*s", (int)strcspn(at + 6, "'"), at + 6);
}

static void a_state_string_leads_back(void **state) {
    (void)state;
    const char *const arguments[] = {"learn", "13", "--lang", "en", NULL};
    Pty pty;
    pty_start(&pty, SCREEN_KIND, 238, 40, arguments, screen_environment());
    screen_expect(&pty, "step 1 of ");
    pty_send(&pty, " ");
    screen_expect(&pty, " 2/35 ");
    pty_send(&pty, ":norm pre\r");
    screen_expect(&pty, ": pre");
    pty_send(&pty,
             ":cell src.input[1,2,3]\r:edit 2.5\r:cell encoder.0.self_attn.scores[1,1,2,0]\r");
    screen_expect(&pty, "scores[1,1,2,0] ");
    screen_expect(&pty, ", linear");
    pty_send(&pty, "H");
    screen_expect(&pty, "scale per row, this row ");
    pty_send(&pty, "S");
    char text[512];
    screen_expect(&pty, "--at '");
    read_state(&pty, text, sizeof text);
    char first[512];
    snprintf(first, sizeof first, "%s", pty_row(&pty, 0));
    screen_leave(&pty);
    const char *const again[] = {"learn", "--lang", "en", "--at", text, NULL};
    pty_start(&pty, SCREEN_KIND, 238, 40, again, screen_environment());
    screen_expect(&pty, "scores[1,1,2,0] ");
    screen_expect(&pty, " 2/35 ");
    assert_string_equal(pty_row(&pty, 0), first);
    pty_send(&pty, "S");
    screen_expect(&pty, "--at '");
    char second[512];
    read_state(&pty, second, sizeof second);
    assert_string_equal(second, text);
    screen_leave(&pty);
}

static void progress_is_kept_and_offered(void **state) {
    (void)state;
    const char *const arguments[] = {"learn", "12", "--lang", "en", NULL};
    Pty pty;
    char path[128];
    snprintf(path, sizeof path, "%s/attend/progress", screen_folder());
    unlink(path);
    pty_start(&pty, SCREEN_KIND, 100, 30, arguments, screen_environment());
    screen_expect(&pty, "step 66 of ");
    pty_send(&pty, " ");
    screen_expect(&pty, " 2/");
    pty_send(&pty, " ");
    screen_expect(&pty, " 3/");
    screen_leave(&pty);
    pty_start(&pty, SCREEN_KIND, 100, 30, arguments, screen_environment());
    screen_expect(&pty, "Last time you got to 3 of ");
    pty_send(&pty, "R");
    screen_expect(&pty, " 3/");
    screen_leave(&pty);
}

static void the_menu_opens_lessons_and_takes_back(void **state) {
    (void)state;
    const char *const arguments[] = {"learn", "--lang", "en", NULL};
    Pty pty;
    pty_start(&pty, SCREEN_KIND, 100, 30, arguments, screen_environment());
    screen_expect(&pty, "Enter opens");
    pty_send(&pty, "7\r");
    screen_expect(&pty, "One head");
    screen_expect(&pty, "lesson 1/13");
    pty_send(&pty, "q");
    screen_expect(&pty, "Enter opens");
    pty_send(&pty, "13\r");
    screen_expect(&pty, "lesson 1/35");
    pty_send(&pty, "qq");
    assert_int_equal(pty_end(&pty), 0);
}

static void the_language_changes_at_once_and_keeps_the_place(void **state) {
    (void)state;
    const char *const arguments[] = {"learn", "13", "--lang", "en", NULL};
    Pty pty;
    pty_start(&pty, SCREEN_KIND, 100, 50, arguments, screen_environment());
    screen_expect(&pty, "step 1 of ");
    pty_send(&pty, " ");
    screen_expect(&pty, " 2/35 ");
    pty_send(&pty, "w");
    screen_expect(&pty, "课文 2/35");
    screen_expect(&pty, "完整的 Transformer");
    pty_send(&pty, "w");
    screen_expect(&pty, "lesson 2/35");
    screen_leave(&pty);
}

static void autoplay_goes_to_the_end(void **state) {
    (void)state;
    const char *const arguments[] = {"learn", "14", "--lang", "en", "--autoplay", "0.05", NULL};
    char place[16];
    Lesson lesson;
    Error err = {""};
    int n_answers = 0;
    support_require(lesson_load(&lesson, "lessons/en/14-using-it.md", &err), &err);
    snprintf(place, sizeof place, " %d/%d ", lesson.n_stops, lesson.n_stops);
    Pty pty;
    pty_start(&pty, SCREEN_KIND, 100, 60, arguments, screen_environment());
    // It leaves questions to people; their answer lets it go on.
    const char *const hints[] = {"Press the number", "Type a number"};
    const char *const answers[] = {"1", "=1\r"};
    for (int i = 0; i < 3000 && !pty_shows(&pty, place); i++) {
        for (int k = 0; k < 2; k++) {
            if (pty_shows(&pty, hints[k])) {
                pty_settle(&pty, 300);
                assert_true(pty_shows(&pty, hints[k]));
                pty_send(&pty, answers[k]);
                n_answers++;
                for (int wait = 0; wait < 500 && pty_shows(&pty, hints[k]); wait++) {
                    pty_step(&pty, 20);
                }
            }
        }
        pty_step(&pty, 20);
    }
    assert_true(n_answers > 0);
    screen_expect(&pty, place);
    lesson_free(&lesson);
    screen_leave(&pty);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void an_export_is_the_same_at_every_size(void **state) {
    (void)state;
    static const int SIZES[][2] = {{80, 24}, {200, 60}};
    static const char *const ENDS[] = {"txt", "png"};
    const char *const arguments[] = {"learn", "13", "--lang", "en", NULL};
    for (int end = 0; end < 2; end++) {
        char *bytes[2];
        size_t sizes[2];
        for (int i = 0; i < 2; i++) {
            Pty pty;
            char line[160];
            char path[96];
            pty_start(&pty, SCREEN_KIND, SIZES[i][0], SIZES[i][1], arguments, screen_environment());
            screen_expect(&pty, "step 1 of ");
            snprintf(path, sizeof path, "%s/out.%s", screen_folder(), ENDS[end]);
            snprintf(line, sizeof line, ":go encoder.0.self_attn.weights\r:export %s\r", path);
            pty_send(&pty, line);
            screen_expect(&pty, "Written: ");
            screen_leave(&pty);
            bytes[i] = read_file(path, &sizes[i]);
            unlink(path);
        }
        assert_true(sizes[0] > 100);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(bytes[0], bytes[1], sizes[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lesson_is_walked_with_right_and_wrong_answers),
        cmocka_unit_test(every_printed_value_equals_the_engines),
        cmocka_unit_test(a_state_string_leads_back),
        cmocka_unit_test(progress_is_kept_and_offered),
        cmocka_unit_test(the_menu_opens_lessons_and_takes_back),
        cmocka_unit_test(the_language_changes_at_once_and_keeps_the_place),
        cmocka_unit_test(autoplay_goes_to_the_end),
        cmocka_unit_test(an_export_is_the_same_at_every_size),
    };
    return cmocka_run_group_tests(tests, screen_make_folder, screen_remove_folder);
}
