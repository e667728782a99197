// test_train_progress.c - the progress line: what it says, and what it leaves out where room is
// short.
#include "tests/support.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/train/train_progress.h"
#include "engine/base/file.h"
#include "tests/folder.h"

static TrainProgress told(void) {
    return (TrainProgress){.n_steps = 5000,
                           .step = 1240,
                           .loss = 3.41234,
                           .held_out = 3.52011,
                           .tokens_per_second = 2764.6,
                           .matrix_share = 0.7612,
                           .seconds_left = 725.2};
}

static void the_line_says_everything_where_there_is_room(void **state) {
    (void)state;
    TrainProgress progress = told();
    char text[PROGRESS_LINE_BYTES];
    train_progress_line(&progress, 120, text);
    assert_string_equal(text, "step 1240/5000  loss 3.4123  held-out 3.5201  2765 tokens/s  "
                              "76 % of matrix speed  12 min 05 s left");
    progress.held_out = progress.matrix_share = (double)NAN;
    train_progress_line(&progress, 120, text);
    assert_string_equal(text, "step 1240/5000  loss 3.4123  2765 tokens/s  12 min 05 s left");
}

static void a_narrow_line_keeps_what_matters(void **state) {
    (void)state;
    TrainProgress progress = told();
    char text[PROGRESS_LINE_BYTES];
    train_progress_line(&progress, 79, text);
    assert_string_equal(
        text, "1240/5000  loss 3.4123  held-out 3.5201  2765 tok/s  76 % matrix  12 min left");
    train_progress_line(&progress, 59, text);
    assert_string_equal(text, "1240/5000  loss 3.4123  held-out 3.5201  12 min left");
    train_progress_line(&progress, 39, text);
    assert_string_equal(text, "1240/5000  loss 3.4123  12 min left");
    train_progress_line(&progress, 25, text);
    assert_string_equal(text, "1240/5000  loss 3.4123");
}

static void no_line_is_wider_than_the_screen(void **state) {
    (void)state;
    TrainProgress progress = told();
    progress.n_steps = 1000000000;
    progress.step = 999999999;
    progress.seconds_left = 1e7;
    for (int columns = 0; columns < 160; columns++) {
        char text[PROGRESS_LINE_BYTES];
        train_progress_line(&progress, columns, text);
        assert_true((int)strlen(text) <= columns);
    }
}

// ---- numbers by hand, and lines in a file

// Standard error goes to the file until it is given back.
static int catch_error(const char *path) {
    int saved = dup(STDERR_FILENO);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && file >= 0);
    dup2(file, STDERR_FILENO);
    close(file);
    return saved;
}

static void give_back_error(int saved) {
    dup2(saved, STDERR_FILENO);
    close(saved);
}

static int count_lines(const char *path) {
    FileBytes file;
    Error err = {""};
    int n = 0;
    support_require(file_read(&file, path, 0, &err), &err);
    for (size_t i = 0; i < file.size_bytes; i++) {
        assert_true(file.bytes[i] != '\r' && file.bytes[i] != '\033');
        n += file.bytes[i] == '\n';
    }
    file_close(&file);
    return n;
}

static void numbers_are_those_of_the_time_that_passed(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    folder_make(folder);
    int saved = catch_error(folder_path(folder, "out", path));
    TrainProgress progress;
    train_progress_begin(&progress, 100, 20, false); // taken up after step 20
    progress.start -= 10.0;
    progress.machine_flops = 1e9;
    TrainerReport report = {
        .step = 40, .loss = 2.0, .n_tokens = 5000, .flops = 2.5e9, .seconds = 8.0};
    train_progress_step(&progress, &report, PROGRESS_MUST, NULL);
    give_back_error(saved);
    // 20 steps in 10 s, two of which went elsewhere: 5,000 tokens and 2.5e9 operations in eight.
    // 60 steps are left.
    assert_true(progress.tokens_per_second == 625.0);
    assert_true(progress.matrix_share == 0.3125);
    assert_true(fabs(progress.seconds_left - 30.0) < 0.3);
    assert_true(progress.loss == 2.0);
    assert_int_equal(count_lines(path), 1);
    folder_remove(folder);
}

// Evaluations after every step of a fast run: ten lines at once, then one a second.
static void news_is_told_but_not_without_end(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    folder_make(folder);
    int saved = catch_error(folder_path(folder, "out", path));
    TrainProgress progress;
    train_progress_begin(&progress, 1000, 0, false);
    progress.machine_flops = 1e9;
    for (int step = 1; step <= 100; step++) {
        TrainerReport report = {.step = step, .loss = 1.0};
        train_progress_step(&progress, &report, PROGRESS_NEWS, NULL);
    }
    int n_at_once = count_lines(path);
    progress.last_line -= 3.0; // three seconds later
    for (int step = 101; step <= 200; step++) {
        TrainerReport report = {.step = step, .loss = 1.0};
        train_progress_step(&progress, &report, PROGRESS_NEWS, NULL);
    }
    int n_later = count_lines(path) - n_at_once;
    progress.last_line -= 11.0; // no news for long: a line all the same
    TrainerReport report = {.step = 201, .loss = 1.0};
    train_progress_step(&progress, &report, PROGRESS_NOTHING, NULL);
    train_progress_step(&progress, &report, PROGRESS_NOTHING, NULL);
    int n_last = count_lines(path) - n_at_once - n_later;
    give_back_error(saved);
    assert_in_range(n_at_once, 10, 12);
    assert_in_range(n_later, 3, 5);
    assert_int_equal(n_last, 1);
    folder_remove(folder);
}

static void a_sample_is_whole_and_harmless(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    char sample[700] = "One.\n\x1b[31mTwo\n\n";
    FileBytes file;
    Error err = {""};
    for (int i = 0; i < 60; i++) {
        strncat(sample, "words go on ", sizeof sample - strlen(sample) - 1);
    }
    folder_make(folder);
    int saved = catch_error(folder_path(folder, "out", path));
    TrainProgress progress;
    train_progress_begin(&progress, 100, 7, false);
    train_progress_sample(&progress, sample);
    give_back_error(saved);
    assert_true(count_lines(path) > 10);
    support_require(file_read(&file, path, 0, &err), &err);
    const char *text = (const char *)file.bytes;
    const char *begin =
        "sample after step 7:\n  | One.\n  | \\x1b[31mTwo\n  | \n  | words go on words";
    assert_memory_equal(text, begin, strlen(begin));
    int n_words = 0;
    for (const char *at = text; (at = strstr(at, "words")) != NULL; at++) {
        n_words++;
    }
    assert_int_equal(n_words, (strlen(sample) - 14) / 12);
    file_close(&file);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_says_everything_where_there_is_room),
        cmocka_unit_test(a_narrow_line_keeps_what_matters),
        cmocka_unit_test(no_line_is_wider_than_the_screen),
        cmocka_unit_test(numbers_are_those_of_the_time_that_passed),
        cmocka_unit_test(news_is_told_but_not_without_end),
        cmocka_unit_test(a_sample_is_whole_and_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
