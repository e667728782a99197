// test_gradient.c - which nodes get a gradient, and how gradients of parts are put together.
#include "tests/support_tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        assert_true(support_numbers(loss->gradient)[i] == 1.0F);
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
            support_numbers(x)[i] = 1.0F;
        }
        tape_run(&bench.tape);
        for (int i = 0; i < 12; i++) {
            bool is_used = i % 6 == 2 || i % 6 == 3;
            assert_true(support_numbers(x->gradient)[i] == (is_used ? 1.0F : 0.0F));
        }
        bench_close(&bench);
    }
}

// ---- values with many uses

enum { N_USES = 200, ROWS = 2, WIDTH = 3 };

// y = Σ over i of (i + 1)/100 · x·xᵀ, each term of two uses of x.
static Node *many_products(Bench *bench, Node *x) {
    Node *y = NULL;
    for (int i = 0; i < N_USES / 2; i++) {
        const char *name = arena_format(&bench->tape.arena, "term%d", i);
        const char *sum = arena_format(&bench->tape.arena, "sum%d", i);
        Node *term = op_matmul(&bench->tape, name, x, x, false, true, (float)(i + 1) / 100.0F);
        y = y == NULL ? term : op_add(&bench->tape, sum, y, term);
    }
    return y;
}

// x + x + … with N_USES terms: all uses hand the same gradient on.
static Node *terms(Bench *bench, Node *x, int n) {
    Node *y = x;
    for (int i = 1; i < n; i++) {
        y = op_add(&bench->tape, arena_format(&bench->tape.arena, "sum%d", i), y, x);
    }
    return y;
}

static Node *many_terms(Bench *bench, Node *x) {
    return terms(bench, x, N_USES);
}

// One sum of several calls of the kernel, between other steps: nothing else needs the memory of its
// terms.
static Node *some_terms(Bench *bench, Node *x) {
    Node *inner = op_gelu(&bench->tape, "inner", x);
    return op_gelu(&bench->tape, "outer", terms(bench, inner, 30));
}

// Each row, each pair of rows that overlaps the next, and the whole.
static Node *cut_and_whole(Bench *bench, Node *x) {
    Node *y = op_matmul(&bench->tape, "whole", x, x, false, true, 1.0F);
    for (int i = 0; i < 2; i++) {
        const char *name = arena_format(&bench->tape.arena, "row%d", i);
        Node *row = op_slice_rows(&bench->tape, name, x, i, 1, "T");
        Node *both = op_slice_rows(&bench->tape, "both", x, 0, 2, "T");
        Node *product = op_matmul(&bench->tape, "product", row, both, false, true, 0.5F);
        product = op_slice_rows(&bench->tape, "product_row", product, 0, 1, "S");
        Node *square = op_matmul(&bench->tape, "square", row, row, true, false, 1.0F); // (C,C)
        Node *folded = op_matmul(&bench->tape, "folded", row, square, false, false, 1.0F);
        Node *cube = op_matmul(&bench->tape, "cube", x, folded, false, true, 0.25F); // (T,1)
        y = op_matmul(&bench->tape, "next", y, cube, false, false, 1.0F);            // (T,1)
        y = op_matmul(&bench->tape, "spread", y, product, false, false, 1.0F);       // (T,S)
    }
    return y;
}

// The same thirds of a row cut out twice, and the row whole.
static Node *thirds_twice(Bench *bench, Node *x) {
    Node *row = op_merge_heads(&bench->tape, "row", (Node *const[]){x}, 1); // (B,T,C) of (B,H,T,D)
    Node *parts[4];
    for (int i = 0; i < 4; i++) {
        const char *name = arena_format(&bench->tape.arena, "third%d", i);
        parts[i] = op_split_heads(&bench->tape, name, row, 1, i % 3, 3);
    }
    Node *y = op_matmul(&bench->tape, "y", parts[0], parts[1], false, true, 1.0F);
    y = op_matmul(&bench->tape, "y2", y, parts[3], false, false, 1.0F); // (1,1,T,D)
    return op_matmul(&bench->tape, "y3", y, parts[2], false, true, 1.0F);
}

typedef Node *BuildUses(Bench *bench, Node *x);

static double scalar_product(const Node *y, const Node *loss) {
    double sum = 0.0;
    for (size_t i = 0; i < support_count(y); i++) {
        sum += (double)support_numbers(y)[i] * (double)support_numbers(loss->gradient)[i];
    }
    return sum;
}

static void check_uses(BuildUses *build, Shape shape, TapeMode mode) {
    Bench bench;
    bench_open(&bench, mode);
    Node *x = bench_floats(&bench, shape, NULL);
    Node *y = build(&bench, x);
    Node *loss = bench_append_loss(&bench, y);
    y->is_kept = true;
    loss->gradient->is_kept = true;
    bench_start(&bench);
    bench_draw(&bench, 3);
    bench_weigh_loss(&bench.tape, loss, 5);
    tape_run(&bench.tape);
    float *found = support_copy(x->gradient);
    for (size_t i = 0; i < support_count(x); i++) {
        const float middle = support_numbers(x)[i];
        const double h = 0x1p-7;
        double sums[2];
        for (int side = 0; side < 2; side++) {
            support_numbers(x)[i] = (float)((double)middle + (side == 0 ? -h : h));
            tape_run(&bench.tape);
            sums[side] = scalar_product(y, loss);
        }
        support_numbers(x)[i] = middle;
        double expected = (sums[1] - sums[0]) / (2.0 * h);
        assert_true(fabs((double)found[i] - expected) <= 2e-3 * fmax(1.0, fabs(expected)));
    }
    tape_run(&bench.tape);
    assert_memory_equal(found, support_numbers(x->gradient), support_count(x) * sizeof *found);
    free(found);
    bench_close(&bench);
}

static void gradients_of_many_uses_are_central_differences(void **state) {
    (void)state;
    const TapeMode modes[] = {TAPE_WATCH, TAPE_TRAIN};
    for (int i = 0; i < 2; i++) {
        check_uses(many_products, (Shape){"TC", {ROWS, WIDTH}}, modes[i]);
        check_uses(many_terms, (Shape){"TC", {ROWS, WIDTH}}, modes[i]);
        check_uses(some_terms, (Shape){"TC", {ROWS, WIDTH}}, modes[i]);
        check_uses(cut_and_whole, (Shape){"TC", {ROWS, WIDTH}}, modes[i]);
        check_uses(thirds_twice, (Shape){"BHTD", {1, 1, ROWS, WIDTH}}, modes[i]);
    }
}

// Terms are added from the left, the last use of the forward pass first, in whatever number of
// steps.
static void a_sum_of_many_uses_is_shown_and_has_a_fixed_order(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    Node *x = bench_floats(&bench, (Shape){"TC", {ROWS, WIDTH}}, NULL);
    Node *y = many_products(&bench, x);
    Node *loss = bench_append_loss(&bench, y);
    bench_start(&bench);
    bench_draw(&bench, 3);
    bench_weigh_loss(&bench.tape, loss, 5);
    tape_run(&bench.tape);
    const Node *whole = tape_find(&bench.tape, "grad.x0");
    assert_ptr_equal(whole, x->gradient);
    assert_int_equal(whole->op, OP_ACCUMULATE);
    float *sum = calloc(support_count(x), sizeof *sum);
    int n_terms = 0;
    for (int i = N_USES / 2 - 1; i >= 0; i--) {
        char stage[64];
        snprintf(stage, sizeof stage, "grad.x0@term%d", i);
        for (int k = bench.tape.n_forward; k < bench.tape.n_nodes; k++) {
            const Node *term = bench.tape.nodes[k];
            bool is_term = term->stage != NULL && strcmp(term->stage, stage) == 0;
            for (size_t e = 0; is_term && e < support_count(x); e++) {
                sum[e] =
                    n_terms == 0 ? support_numbers(term)[e] : sum[e] + support_numbers(term)[e];
            }
            n_terms += is_term;
        }
    }
    assert_int_equal(n_terms, N_USES);
    assert_memory_equal(sum, support_numbers(whole), support_count(x) * sizeof *sum);
    const Node *so_far = tape_find(&bench.tape, "grad.x0@uses.0-63");
    assert_non_null(so_far);
    assert_ptr_equal(tape_find(&bench.tape, "grad.x0@uses.0-126")->inputs[0], so_far);
    free(sum);
    bench_close(&bench);
}

// No ReLU has its kink where differences are taken.
static void open_relus(Model *model) {
    for (int i = 0; i < model->params.count; i++) {
        const Parameter *parameter = &model->params.items[i];
        float *values = params_change(&model->params, parameter);
        bool is_before = strstr(parameter->name, "linear1.bias") != NULL;
        for (size_t k = 0; is_before && k < shape_count(&parameter->shape); k++) {
            values[k] = 5.0F;
        }
    }
}

// Keys and values of every decoder layer use the encoder's output: twice as many uses as layers.
static void check_layers(int n_layers, TapeMode mode) {
    ModelConfig config = support_config(FAMILY_ENCODER_DECODER);
    ModelBench bench;
    config.n_layers = n_layers;
    config.norm_first = true;
    model_bench_open(&bench, &config, mode, (BatchShape){2, 3, 4}, 1, 7);
    open_relus(&bench.model);
    tape_run(&bench.built.tape);
    const Parameter *bias = params_find(&bench.model.params, "encoder.norm.bias");
    float *values = params_change(&bench.model.params, bias);
    const Node *memory = tape_find_role(&bench.built.tape, ROLE_MEMORY, 0);
    assert_non_null(memory->gradient);
    const Node *whole = NULL;
    for (int i = 0; i < bench.built.tape.n_nodes; i++) {
        const Node *node = bench.built.tape.nodes[i];
        whole = node->phase == PHASE_BACKWARD && node->parameter == bias ? node : whole;
    }
    if (whole == NULL) {
        fail_msg("%s has no gradient", bias->name);
        return;
    }
    const double h = 0x1p-6;
    for (size_t i = 0; i < 4; i++) {
        const float middle = values[i];
        double found = (double)support_numbers(whole)[i];
        const double steps[] = {-2.0, -1.0, 1.0, 2.0};
        double losses[4];
        for (int side = 0; side < 4; side++) {
            values[i] = (float)((double)middle + steps[side] * h);
            tape_run(&bench.built.tape);
            losses[side] = (double)support_numbers(bench.built.nodes.loss)[0];
        }
        values[i] = middle;
        tape_run(&bench.built.tape);
        double expected = (8.0 * (losses[2] - losses[1]) - (losses[3] - losses[0])) / (12.0 * h);
        if (fabs(found - expected) > 5e-3 * fmax(0.05, fabs(expected))) {
            fail_msg("%d layers, bias %zu: %g by differences, found %g", n_layers, i, expected,
                     found);
        }
        assert_true(fabs(found) > 1e-4);
    }
    model_bench_close(&bench);
}

static void models_of_many_layers_have_their_gradients(void **state) {
    (void)state;
    const int layers[] = {32, 33, 100};
    for (int i = 0; i < 3; i++) {
        check_layers(layers[i], TAPE_WATCH);
        check_layers(layers[i], TAPE_TRAIN);
    }
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
        cmocka_unit_test(gradients_of_many_uses_are_central_differences),
        cmocka_unit_test(a_sum_of_many_uses_is_shown_and_has_a_fixed_order),
        cmocka_unit_test(models_of_many_layers_have_their_gradients),
        cmocka_unit_test(a_loss_that_could_not_be_built_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
