// test_train_watch.c - a run is followed by its log: in bounded memory, whatever happens to the
// log.
#include "tests/support.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/watch/train_watch.h"
#include "engine/base/file.h"
#include "tests/folder.h"

static const double A_WHILE_MS = 60e3;

// ---- curves

static TrainLogEntry entry_of(int64_t step) {
    TrainLogEntry entry = train_log_entry(step);
    entry.loss = 1.0 + (double)(step % 97) / 97.0;
    entry.norm = (double)(step % 31);
    entry.lr = 1.0 / (double)step;
    if (step % 100 == 0) {
        entry.held_out_loss = entry.loss + 0.5;
    }
    return entry;
}

static void fill(TrainHistory *history, int64_t n_steps) {
    Error err = {""};
    support_require(train_history_init(history, &err), &err);
    for (int64_t step = 1; step <= n_steps; step++) {
        TrainLogEntry entry = entry_of(step);
        train_history_append(history, &entry);
    }
}

// Every value is the mean (or the largest, or the last) of the steps that it stands for.
static void require_values(const TrainCurves *curves, int64_t last_step) {
    for (int i = 0; i < curves->n; i++) {
        double loss = 0.0;
        double held_out = 0.0;
        double norm = 0.0;
        double rate = 0.0;
        int n = 0;
        int n_held_out = 0;
        int64_t begin = curves->first + i * curves->stride;
        for (int64_t step = begin; step < begin + curves->stride && step <= last_step; step++) {
            TrainLogEntry entry = entry_of(step);
            loss += entry.loss;
            norm = fmax(norm, entry.norm);
            rate = entry.lr;
            held_out += isnan(entry.held_out_loss) ? 0.0 : entry.held_out_loss;
            n_held_out += !isnan(entry.held_out_loss);
            n++;
        }
        assert_true(fabs((double)curves->losses[i] - loss / n) < 1e-4);
        assert_true(n_held_out == 0
                        ? isnan(curves->held_out[i])
                        : fabs((double)curves->held_out[i] - held_out / n_held_out) < 1e-4);
        assert_true((double)curves->norms[i] == norm);
        assert_true(curves->rates[i] == (float)rate);
    }
}

static void require_window(const TrainHistory *history, int64_t from, int64_t to, int most,
                           int64_t coarsest) {
    TrainCurves curves;
    Error err = {""};
    support_require(train_curves_init(&curves, 512, &err), &err);
    train_history_read(history, from, to, most, &curves);
    assert_in_range(curves.n, 1, most);
    assert_true(curves.stride <= coarsest);
    assert_true(curves.first <= from && from < curves.first + curves.stride);
    int64_t end = curves.first + curves.n * curves.stride;
    assert_true(to < end && end - curves.stride <= to);
    require_values(&curves, history->last_step);
    train_curves_free(&curves);
}

static void a_window_of_a_run_is_what_was_measured_in_it(void **state) {
    (void)state;
    TrainHistory history;
    const int64_t n = 100000;
    fill(&history, n);
    require_window(&history, 1, n, 200, 512);
    require_window(&history, n - 99, n, 200, 1); // near its ends every step is known
    require_window(&history, 1, 150, 200, 1);
    require_window(&history, n - 999, n, 200, 8);
    require_window(&history, 500, 20000, 100, 256);
    require_window(&history, 50000, 50100, 200, 64); // in the middle it is coarser
    require_window(&history, n, n, 10, 1);
    train_history_free(&history);
}

static void a_short_run_is_known_step_by_step(void **state) {
    (void)state;
    TrainHistory history;
    TrainCurves curves;
    Error err = {""};
    fill(&history, 60);
    require_window(&history, 1, 60, 200, 1);
    support_require(train_curves_init(&curves, 512, &err), &err);
    train_history_read(&history, 1, 60, 200, &curves);
    assert_int_equal(curves.n, 60);
    assert_true(fabs(train_history_loss_at(&history, 7) - entry_of(7).loss) < 1e-6);
    assert_true(isnan(train_history_loss_at(&history, 61)));
    assert_true(isnan(train_history_loss_at(&history, 0)));
    train_history_clear(&history);
    train_history_read(&history, 1, 60, 200, &curves);
    assert_int_equal(curves.n, 0);
    train_curves_free(&curves);
    train_history_free(&history);
}

static void steps_that_are_missing_leave_a_gap(void **state) {
    (void)state;
    TrainHistory history;
    TrainCurves curves;
    Error err = {""};
    fill(&history, 10);
    TrainLogEntry entry = entry_of(2147483647); // the last step that there can be
    train_history_append(&history, &entry);
    support_require(train_curves_init(&curves, 512, &err), &err);
    train_history_read(&history, 1, 2147483647, 200, &curves);
    assert_in_range(curves.n, 2, 200);
    assert_false(isnan(curves.losses[0]));
    assert_true(isnan(curves.losses[1]));
    assert_false(isnan(curves.losses[curves.n - 1]));
    train_curves_free(&curves);
    train_history_free(&history);
}

// ---- the log

typedef struct Place {
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    TrainFollow follow;
} Place;

static void append_text(const Place *place, const char *text) {
    FILE *file = fopen(place->path, "a");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void append_step(const Place *place, int64_t step) {
    char line[128];
    snprintf(line, sizeof line, "{\"step\":%lld,\"loss\":%g,\"seconds\":%g}\n", (long long)step,
             1.0 / (double)step, (double)step / 2.0);
    append_text(place, line);
}

static void open_place(Place *place) {
    Error err = {""};
    folder_make(place->folder);
    folder_path(place->folder, "log.jsonl", place->path);
    append_text(place, "");
    support_require(train_follow_open(&place->follow, place->folder, &err), &err);
}

static void close_place(Place *place) {
    train_follow_close(&place->follow);
    folder_remove(place->folder);
}

// Reads all there is; true where something was new.
static bool read_all(Place *place) {
    bool changed = false;
    assert_false(train_follow_read(&place->follow, A_WHILE_MS, &changed));
    return changed;
}

static void only_what_is_new_is_read(void **state) {
    (void)state;
    Place place;
    open_place(&place);
    assert_false(read_all(&place)); // a log without a line
    assert_int_equal(place.follow.last.step, 0);
    append_step(&place, 1);
    append_text(&place, "{\"step\":2,\"loss\":0.");
    assert_true(read_all(&place));
    assert_int_equal(place.follow.last.step, 1);
    append_text(&place, "5,\"held_out_loss\":3,\"steps\":9}\n"); // the writer has gone on
    assert_true(read_all(&place));
    assert_int_equal(place.follow.last.step, 2);
    assert_true(place.follow.last.loss == 0.5);
    assert_true(place.follow.best == 3.0 && place.follow.best_step == 2);
    assert_int_equal(place.follow.last.n_steps, 9);
    assert_false(read_all(&place));
    assert_int_equal(place.follow.n_broken, 0);
    close_place(&place);
}

static void broken_lines_are_counted_and_passed_over(void **state) {
    (void)state;
    Place place;
    open_place(&place);
    append_step(&place, 1);
    append_text(&place, "{\"step\":2,\"lo\n"); // line 2
    append_text(&place, "[1]\n\n{\"step\":-3}\n{\"step\":99999999999}\n");
    append_step(&place, 3);
    read_all(&place);
    assert_int_equal(place.follow.last.step, 3);
    assert_int_equal(place.follow.n_broken, 5);
    assert_int_equal(place.follow.first_broken, 2);
    close_place(&place);
}

static void a_line_without_end_takes_no_memory(void **state) {
    (void)state;
    Place place;
    open_place(&place);
    append_step(&place, 1);
    FILE *file = fopen(place.path, "a");
    assert_non_null(file);
    for (int i = 0; i < 3 * FOLLOW_LONGEST_LINE; i++) {
        fputc('x', file);
    }
    fclose(file);
    read_all(&place);
    append_text(&place, "}\n");
    append_step(&place, 2);
    read_all(&place);
    assert_int_equal(place.follow.last.step, 2);
    assert_int_equal(place.follow.n_broken, 1);
    close_place(&place);
}

// `train --resume` cuts the log to its checkpoint and goes on.
static void a_log_that_was_cut_is_read_anew(void **state) {
    (void)state;
    Place place;
    open_place(&place);
    for (int64_t step = 1; step <= 20; step++) {
        append_step(&place, step);
    }
    read_all(&place);
    FileBytes file;
    Error err = {""};
    support_require(file_read(&file, place.path, 0, &err), &err);
    const char *tenth = strstr((const char *)file.bytes, "{\"step\":11");
    off_t kept = (off_t)(tenth - (const char *)file.bytes);
    file_close(&file);
    // Seen while it is short.
    assert_int_equal(truncate(place.path, kept), 0);
    assert_true(read_all(&place));
    assert_int_equal(place.follow.last.step, 10);
    // Seen only after it has grown again, to more than there was.
    for (int64_t step = 11; step <= 40; step++) {
        append_step(&place, step);
    }
    read_all(&place);
    assert_int_equal(truncate(place.path, kept), 0);
    for (int64_t step = 11; step <= 60; step++) {
        char line[128];
        snprintf(line, sizeof line, "{\"step\":%lld,\"loss\":7.25,\"norm\":1}\n", (long long)step);
        append_text(&place, line);
    }
    read_all(&place);
    read_all(&place);
    assert_int_equal(place.follow.last.step, 60);
    assert_true(train_history_loss_at(&place.follow.history, 12) == 7.25);
    assert_int_equal(place.follow.n_broken, 0);
    close_place(&place);
}

static void steps_that_fall_are_faults_of_the_log(void **state) {
    (void)state;
    Place place;
    open_place(&place);
    for (int i = 0; i < 3; i++) {
        for (int64_t step = 1; step <= 50; step++) {
            append_step(&place, step);
        }
    }
    read_all(&place);
    assert_int_equal(place.follow.last.step, 50);
    assert_int_equal(place.follow.n_broken, 100);
    assert_int_equal(place.follow.first_broken, 51);
    close_place(&place);
}

static void the_time_left_is_that_of_the_last_process(void **state) {
    (void)state;
    Place place;
    open_place(&place);
    append_text(&place, "{\"step\":1,\"loss\":1,\"seconds\":4,\"steps\":10}\n");
    append_text(&place, "{\"step\":2,\"loss\":1,\"seconds\":8}\n");
    read_all(&place);
    assert_true(train_follow_seconds_left(&place.follow) == 32.0);               // 8 steps of 4 s
    append_text(&place, "{\"step\":3,\"loss\":1,\"seconds\":2,\"steps\":20}\n"); // taken up
    append_text(&place, "{\"step\":4,\"loss\":1,\"seconds\":3}\n");
    read_all(&place);
    assert_true(train_follow_seconds_left(&place.follow) == 24.0); // 16 steps of 1.5 s
    append_text(&place, "{\"step\":5,\"loss\":1,\"seconds\":4,\"steps\":20}\n"); // seconds go on
    append_text(&place, "{\"step\":6,\"loss\":1,\"seconds\":7}\n");
    read_all(&place);
    assert_true(train_follow_seconds_left(&place.follow) == 28.0); // 14 steps of 2 s
    close_place(&place);
}

static void logs_of_before_are_read(void **state) {
    (void)state;
    Place place;
    open_place(&place);
    append_step(&place, 1);
    append_step(&place, 2);
    read_all(&place);
    assert_int_equal(place.follow.last.n_steps, 0);
    assert_true(isnan(train_follow_seconds_left(&place.follow)));
    assert_true(isnan(place.follow.last.matrix_share));
    close_place(&place);
}

static void who_looks_is_not_taken_for_who_trains(void **state) {
    (void)state;
    Place place;
    char path[FOLDER_PATH_BYTES];
    open_place(&place);
    int lock = open(folder_path(place.folder, "lock", path), O_RDWR | O_CREAT, 0600);
    int looks = open(path, O_RDONLY);
    assert_true(lock >= 0 && looks >= 0);
    assert_false(train_follow_look(&place.follow));
    assert_int_equal(flock(looks, LOCK_SH | LOCK_NB), 0);
    train_follow_look(&place.follow);
    assert_false(place.follow.is_live);
    assert_int_equal(flock(looks, LOCK_UN), 0);
    assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
    assert_true(train_follow_look(&place.follow));
    assert_true(place.follow.is_live);
    close(lock);
    close(looks);
    close_place(&place);
}

static void a_folder_that_is_no_run_is_refused(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    TrainFollow follow;
    Error err = {""};
    folder_make(folder);
    assert_false(train_follow_open(&follow, folder, &err));
    assert_non_null(strstr(err.text, "holds no run: expected log.jsonl"));
    train_follow_close(&follow);
    err.text[0] = '\0';
    assert_false(train_follow_open(&follow, "/nothing/there", &err));
    assert_string_equal(err.text, "/nothing/there: expected the folder of a run, found nothing");
    train_follow_close(&follow);
    folder_remove(folder);
}

// ---- zoom

static void the_zoom_goes_through_round_numbers(void **state) {
    (void)state;
    static const int64_t CLOSER[] = {500, 200, 100, 50, 20, 10, 10};
    static const int64_t WIDER[] = {20, 50, 100, 200, 500, 0, 0};
    TrainWatch watch = {.n_runs = 1};
    watch.follows[0].last.step = 700;
    for (size_t i = 0; i < sizeof CLOSER / sizeof CLOSER[0]; i++) {
        train_watch_zoom(&watch, 1);
        assert_int_equal(watch.window, CLOSER[i]);
    }
    for (size_t i = 0; i < sizeof WIDER / sizeof WIDER[0]; i++) {
        train_watch_zoom(&watch, -1);
        assert_int_equal(watch.window, WIDER[i]);
    }
    watch.follows[0].last.step = 3; // too short for any
    train_watch_zoom(&watch, 1);
    assert_int_equal(watch.window, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_of_a_run_is_what_was_measured_in_it),
        cmocka_unit_test(a_short_run_is_known_step_by_step),
        cmocka_unit_test(steps_that_are_missing_leave_a_gap),
        cmocka_unit_test(only_what_is_new_is_read),
        cmocka_unit_test(broken_lines_are_counted_and_passed_over),
        cmocka_unit_test(a_line_without_end_takes_no_memory),
        cmocka_unit_test(a_log_that_was_cut_is_read_anew),
        cmocka_unit_test(steps_that_fall_are_faults_of_the_log),
        cmocka_unit_test(the_time_left_is_that_of_the_last_process),
        cmocka_unit_test(logs_of_before_are_read),
        cmocka_unit_test(who_looks_is_not_taken_for_who_trains),
        cmocka_unit_test(a_folder_that_is_no_run_is_refused),
        cmocka_unit_test(the_zoom_goes_through_round_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
