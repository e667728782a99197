// test_points.c - points of a plane: what a classifier says of all places, and what follows when a
// point is moved, added or taken away.
#include "tests/support.h"
#include "tests/support_learn.h"
#include "tests/support_node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/files/plugin.h"
#include "engine/models/accuracy.h"
#include "engine/models/points.h"
#include "engine/playground/plane.h"
#include "engine/playground/playground.h"

static bool has_plugin(void) {
    Error err = {""};
    if (plugin_open("svm", "attend_svm", &err) != NULL) {
        return true;
    }
    printf("skipped: %s\n", err.text);
    return false;
}

static void open_model(Playground *playground, const char *line) {
    Error err = {""};
    *playground = (Playground){.opened = NULL};
    support_require(playground_open(playground, line, &err), &err);
}

static const Node *run_to(Playground *playground, const char *stage) {
    const Node *node = stepper_find(&playground->stepper, stage);
    assert_non_null(node);
    assert_true(stepper_require(&playground->stepper, node, NULL));
    return node;
}

static double accuracy(Playground *playground) {
    const ModelTape *built = &playground->opened->built;
    int n = 0;
    run_to(playground, "logits");
    const int n_right = accuracy_count_right(&built->tape, &built->nodes, -1, &n);
    assert_int_equal(n, built->nodes.labels->shape.sizes[1]);
    return (double)n_right / n;
}

static void train(Playground *playground, int n_steps) {
    Error err = {""};
    playground->training.n_wanted = n_steps;
    while (training_is_running(&playground->training)) {
        int n_done = 0;
        support_require(playground_train(playground, 100.0, &n_done, &err), &err);
    }
}

// Every point is a place of the plane.
static void check_plane(Playground *playground) {
    Plane plane = {.values = NULL};
    assert_true(plane_update(&plane, playground->opened));
    const Node *decision = run_to(playground, "decision");
    const int32_t *ids = support_ids(playground->opened->built.nodes.tokens);
    for (int i = 0; i < decision->shape.sizes[1]; i++) {
        const double at_point = (double)support_numbers(decision)[i];
        const double at_place = (double)plane.values[ids[i] - POINTS_CLASSES];
        assert_true(fabs(at_point - at_place) <= 1e-5 * fmax(1.0, fabs(at_point)));
    }
    plane_free(&plane);
    assert_null(plane.values);
}

static void the_plane_has_the_decision_values_of_its_points(void **state) {
    (void)state;
    static const char *const LINES[] = {"points-linear", "points-features", "svm-polynomial",
                                        "svm-gaussian"};
    for (int i = 0; i < (has_plugin() ? 4 : 2); i++) {
        Playground playground;
        open_model(&playground, LINES[i]);
        check_plane(&playground);
        playground_close(&playground);
    }
}

static void the_plane_follows_the_weights_and_is_of_points_alone(void **state) {
    (void)state;
    Playground playground;
    Plane plane = {.values = NULL};
    open_model(&playground, "points-linear");
    assert_true(plane_update(&plane, playground.opened));
    const float before = plane.values[0];
    const float *same = plane.values;
    assert_true(plane_update(&plane, playground.opened));
    assert_ptr_equal(same, plane.values); // nothing is computed again
    train(&playground, 5);
    assert_true(plane_update(&plane, playground.opened));
    assert_true(plane.values[0] != before);
    playground_close(&playground);
    open_model(&playground, "toy-copy --ids 1,5,4");
    assert_false(plane_update(&plane, playground.opened));
    playground_close(&playground);
}

static void features_separate_what_no_line_does(void **state) {
    (void)state;
    for (int seed = 1; seed <= 5; seed++) {
        char line[64];
        Playground playground;
        snprintf(line, sizeof line, "points-linear --seed %d", seed);
        open_model(&playground, line);
        train(&playground, 300);
        assert_true(accuracy(&playground) < 0.7);
        playground_close(&playground);
        snprintf(line, sizeof line, "points-features --seed %d", seed);
        open_model(&playground, line);
        train(&playground, 300);
        assert_true(accuracy(&playground) == 1.0);
        playground_close(&playground);
    }
}

static void a_moved_point_is_learned_where_it_is(void **state) {
    (void)state;
    Error err = {""};
    Playground playground;
    open_model(&playground, "points-features");
    train(&playground, 300);
    // An outer point right into the middle: the curve cannot follow.
    support_require(playground_move_point(&playground, 12, 0.04, -0.04, &err), &err);
    const Node *x = run_to(&playground, "x");
    assert_true(support_numbers(x)[24] == 0.0F && support_numbers(x)[25] == 0.0F);
    assert_true(accuracy(&playground) < 1.0);
    const float loss = *support_numbers(run_to(&playground, "loss"));
    train(&playground, 100);
    assert_true(*support_numbers(run_to(&playground, "loss")) < loss);
    assert_true(playground_undo(&playground, &err));
    assert_true(support_numbers(run_to(&playground, "x"))[24] == 0.5F);
    assert_false(playground_move_point(&playground, 3, 2.2, 0.0, &err));
    assert_non_null(strstr(err.text, "outside of the plane"));
    playground_close(&playground);
}

static void points_come_and_go_and_come_back(void **state) {
    (void)state;
    Error err = {""};
    Playground playground;
    open_model(&playground, "points-linear");
    support_require(playground_add_point(&playground, 1, -0.5, 1.2, &err), &err);
    assert_int_equal(playground.opened->batch.shape.T, 25);
    assert_true(support_numbers(run_to(&playground, "x"))[49] == 1.2F);
    assert_int_equal(support_ids(playground.opened->built.nodes.labels)[24], 1);
    const float second = support_numbers(run_to(&playground, "x"))[2];
    support_require(playground_remove_point(&playground, 0, &err), &err);
    assert_int_equal(playground.opened->batch.shape.T, 24);
    assert_true(support_numbers(run_to(&playground, "x"))[0] == second);
    assert_true(playground_undo(&playground, &err));
    assert_true(playground_undo(&playground, &err));
    assert_int_equal(playground.opened->batch.shape.T, 24);
    assert_true(support_numbers(run_to(&playground, "x"))[2] == second);
    playground_close(&playground);
    open_model(&playground, "toy-copy --ids 1,5,4");
    assert_false(playground_add_point(&playground, 1, 0.0, 0.0, &err));
    assert_non_null(strstr(err.text, "has no points"));
    playground_close(&playground);
}

static float alpha_of(Playground *playground, int point) {
    return support_numbers(run_to(playground, "alpha"))[point];
}

static void a_machine_is_fitted_again_to_every_change(void **state) {
    (void)state;
    if (!has_plugin()) {
        return;
    }
    Error err = {""};
    Playground playground;
    open_model(&playground, "svm-polynomial");
    const float before = alpha_of(&playground, 8);
    const float decision = support_numbers(run_to(&playground, "decision"))[0];
    assert_true(before != 0.0F);
    support_require(playground_move_point(&playground, 8, -1.0, 0.5, &err), &err);
    assert_true(alpha_of(&playground, 8) != before);
    check_plane(&playground);
    support_require(playground_add_point(&playground, 0, 0.0, 1.1, &err), &err);
    assert_true(alpha_of(&playground, 24) != 0.0F);
    check_plane(&playground);
    assert_true(accuracy(&playground) == 1.0);
    assert_true(playground_undo(&playground, &err) && playground_undo(&playground, &err));
    assert_true(alpha_of(&playground, 8) == before);
    assert_true(support_numbers(run_to(&playground, "decision"))[0] == decision);
    // Two points in one place are refused, and nothing changes.
    assert_false(playground_move_point(&playground, 8, 0.1, 0.2, &err));
    assert_non_null(strstr(err.text, "in the same place"));
    err = (Error){""};
    assert_false(playground_add_point(&playground, 1, 0.1, 0.2, &err));
    assert_true(alpha_of(&playground, 8) == before);
    assert_int_equal(playground.n_done, 0);
    int n_done = 0;
    playground.training.n_wanted = 1;
    assert_false(playground_train(&playground, 10.0, &n_done, &err));
    playground_close(&playground);
}

// A weight that a person set stays set while others are fitted again.
static void a_weight_that_was_set_stays(void **state) {
    (void)state;
    if (!has_plugin()) {
        return;
    }
    Error err = {""};
    Playground playground;
    open_model(&playground, "svm-polynomial");
    Node *bias = tape_find(&playground.opened->built.tape, "bias");
    const float before = *support_numbers(bias);
    support_require(playground_edit(&playground, bias, 0, 3.0F, &err), &err);
    support_require(playground_add_point(&playground, 0, 0.0, 1.1, &err), &err);
    assert_true(*support_numbers(tape_find(&playground.opened->built.tape, "bias")) == 3.0F);
    support_require(playground_move_point(&playground, 3, 0.0, 0.3, &err), &err);
    assert_true(*support_numbers(tape_find(&playground.opened->built.tape, "bias")) == 3.0F);
    while (playground_undo(&playground, &err)) {
    }
    assert_true(*support_numbers(tape_find(&playground.opened->built.tape, "bias")) == before);
    playground_close(&playground);
}

// ---- the commands

static void expect_answer(Learn *learn, const char *line, const char *answer) {
    learn_execute_line(learn, line);
    if (strstr(learn->reply.text, answer) == NULL) {
        fail_msg("%s: expected \"%s\", found \"%s\"", line, answer, learn->reply.text);
    }
}

static void commands_move_add_and_take_away(void **state) {
    (void)state;
    Learn *learn = support_learn_open(&(LearnOptions){.lesson = NULL});
    learn_execute_line(learn, "open points-linear");
    learn_execute_line(learn, "cell x[0,12,0]");
    support_learn_finish(learn);
    expect_answer(learn, "move 0.5,1.0", "0.5,1.4 moved to 0.5,1.0");
    expect_answer(learn, "add outer -0.5,1.2", "a point added: outer, at -0.5,1.2");
    expect_answer(learn, "remove", "a point taken away: outer, at 0.5,1.0");
    expect_answer(learn, "undo", "remove");
    expect_answer(learn, "move 3,0", "3,0 is outside of the plane");
    expect_answer(learn, "move up", "move: expected two coordinates, such as 0.5,-0.2");
    expect_answer(learn, "move 1,2 3", "move: expected two coordinates");
    expect_answer(learn, "add 1,1", "add: expected inner or outer and two coordinates");
    expect_answer(learn, "add inner", "add: expected two coordinates");
    learn_execute_line(learn, "go loss");
    expect_answer(learn, "move 1,1", "no point is looked at");
    expect_answer(learn, "remove", "no point is looked at");
    learn_execute_line(learn, "open toy-copy --ids 1,5,4");
    expect_answer(learn, "add inner 1,1", "expected a model of points");
    support_learn_close(learn);
}

// Points that were added come back with the state.
static void a_state_comes_back_to_the_points(void **state) {
    (void)state;
    Learn *learn = support_learn_open(&(LearnOptions){.lesson = NULL});
    learn_execute_line(learn, "open points-linear --seed 3");
    learn_execute_line(learn, "cell x[0,0,0]");
    support_learn_finish(learn);
    learn_execute_line(learn, "add outer -0.5,1.2");
    learn_execute_line(learn, "move 0.3,0.3");
    char *text = learn_state(learn);
    assert_non_null(text);
    support_learn_close(learn);
    learn = support_learn_open(&(LearnOptions){.state = text});
    support_learn_finish(learn);
    const Playground *playground = &learn->bench.playground;
    assert_int_equal(playground->opened->batch.shape.T, 25);
    assert_int_equal(playground->opened->batch.labels[24], 1);
    assert_true(support_numbers(tape_find(playground_tape(playground), "x"))[0] == 0.3F);
    support_learn_close(learn);
    free(text);
}

static void the_picture_is_written_as_svg(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/attend-points-%d.svg", (int)getpid());
    char line[96];
    snprintf(line, sizeof line, "export %s", path);
    Learn *learn = support_learn_open(&(LearnOptions){.lesson = NULL});
    learn_execute_line(learn, "open points-features");
    learn_execute_line(learn, "cell x[0,0,0]");
    learn_execute_line(learn, "view points");
    support_learn_finish(learn);
    learn_execute_line(learn, line);
    support_learn_finish(learn);
    FileBytes bytes = {0};
    Error err = {""};
    support_require(file_read(&bytes, path, 1 << 20, &err), &err);
    const char *text = (const char *)bytes.bytes;
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_non_null(strstr(text, "<circle ")); // the boundary
    assert_non_null(strstr(text, ">●</text>"));
    assert_null(strstr(text, "<text x=\"0\" y=\"0\"> </text>"));
    file_close(&bytes);
    remove(path);
    support_learn_close(learn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plane_has_the_decision_values_of_its_points),
        cmocka_unit_test(the_plane_follows_the_weights_and_is_of_points_alone),
        cmocka_unit_test(features_separate_what_no_line_does),
        cmocka_unit_test(a_moved_point_is_learned_where_it_is),
        cmocka_unit_test(points_come_and_go_and_come_back),
        cmocka_unit_test(a_machine_is_fitted_again_to_every_change),
        cmocka_unit_test(a_weight_that_was_set_stays),
        cmocka_unit_test(commands_move_add_and_take_away),
        cmocka_unit_test(a_state_comes_back_to_the_points),
        cmocka_unit_test(the_picture_is_written_as_svg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
