// test_gradient.c - which nodes get a gradient, and how gradients of parts are put together.
#include "tests/support_tape.h"

static Node *linear(Bench *bench, const char *name, Node *x, Node *weight) {
    return op_linear(&bench->tape, name, x, weight, NULL, true, "C");
}

static void only_what_the_loss_depends_on_has_a_gradient(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    Node *positions = op_sinusoid(&bench.tape, "positions", 3, 4);
    Node *weight = bench_floats(&bench, (Shape){"CC", {4, 4}}, NULL);
    Node *unused = bench_floats(&bench, (Shape){"CC", {4, 4}}, NULL);
    Node *x = linear(&bench, "x", positions, weight);
    Node *aside = linear(&bench, "aside", x, unused);
    Node *loss = op_relu(&bench.tape, "loss", x);
    gradient_append(&bench.tape, loss);
    assert_non_null(weight->gradient);
    assert_non_null(x->gradient);
    assert_null(positions->gradient); // no parameter reaches it
    assert_null(unused->gradient);    // it does not reach the loss
    assert_null(aside->gradient);
    assert_string_equal(weight->gradient->stage, "grad.x0");
    bench_run(&bench);
    for (size_t i = 0; i < support_count(loss); i++) {
        assert_true(loss->gradient->data[i] == 1.0F);
    }
    bench_close(&bench);
}

static void a_part_that_nothing_uses_has_no_gradient(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        Bench bench;
        bench_open(&bench, mode == 0 ? TAPE_WATCH : TAPE_TRAIN);
        Node *x = bench_floats(&bench, (Shape){"BT3C", {1, 2, 6}}, NULL);
        Node *second = op_split_heads(&bench.tape, "second", x, 1, 1, 3);
        gradient_append(&bench.tape, op_relu(&bench.tape, "loss", second));
        bench_start(&bench);
        for (int i = 0; i < 12; i++) {
            x->data[i] = 1.0F;
        }
        tape_run(&bench.tape);
        for (int i = 0; i < 12; i++) {
            bool is_used = i % 6 == 2 || i % 6 == 3;
            assert_true(x->gradient->data[i] == (is_used ? 1.0F : 0.0F));
        }
        bench_close(&bench);
    }
}

static void a_value_cut_and_used_whole_is_refused(void **state) {
    (void)state;
    Bench bench;
    Error err = {""};
    bench_open(&bench, TAPE_WATCH);
    Node *x = bench_floats(&bench, (Shape){"TC", {2, 3}}, NULL);
    Node *row = op_slice_rows(&bench.tape, "row", x, 0, 1, "T");
    Node *sum = op_matmul(&bench.tape, "sum", row, x, false, true, 1.0F);
    gradient_append(&bench.tape, sum);
    assert_false(tape_allocate(&bench.tape, &err));
    assert_string_equal(err.text, "x0: is used whole by one step and cut into parts by another");
    bench_close(&bench);
}

static void a_loss_that_could_not_be_built_is_left_alone(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    gradient_append(&bench.tape, NULL);
    assert_int_equal(bench.tape.n_nodes, 0);
    bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_the_loss_depends_on_has_a_gradient),
        cmocka_unit_test(a_part_that_nothing_uses_has_no_gradient),
        cmocka_unit_test(a_value_cut_and_used_whole_is_refused),
        cmocka_unit_test(a_loss_that_could_not_be_built_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
