// test_ops.c - every op: its value by hand, its gradient by differences, its explanation.
#include "tests/support_ops.h"
#include "tests/support_node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_cases_of[OP_COUNT];

static void count_case(const OpCase *test) {
    n_cases_of[test->op]++;
}

static void every_op_has_a_row(void **state) {
    (void)state;
    memset(n_cases_of, 0, sizeof n_cases_of);
    op_cases_each(count_case);
    for (int op = 0; op < OP_COUNT; op++) {
        if (n_cases_of[op] == 0) {
            fail_msg("%s has no row", OPS[op]->name);
        }
    }
}

static void every_op_has_a_name_a_formula_and_an_explanation(void **state) {
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        assert_non_null(OPS[op]->shape);
        assert_non_null(OPS[op]->explain);
        assert_true(strlen(OPS[op]->name) > 0);
        assert_true(strlen(OPS[op]->formula) > 4);
        assert_null(strchr(OPS[op]->formula, '\n'));
        for (int other = 0; other < op; other++) {
            assert_string_not_equal(OPS[op]->name, OPS[other]->name);
        }
    }
}

static void an_op_has_a_chain_rule_or_a_reason(void **state) {
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        bool has_chain = OPS[op]->chain != NULL;
        if (has_chain == (OPS[op]->no_chain != NULL)) {
            fail_msg("%s: %s", OPS[op]->name,
                     has_chain ? "says why it has no chain rule" : "has no chain rule");
        }
    }
}

static Node *open_case(Bench *bench, const OpCase *test) {
    bench_open(bench, TAPE_WATCH);
    Node *node = test->build(bench);
    if (node == NULL) {
        fail_msg("%s: %s", test->what, bench->tape.err.text);
        return NULL;
    }
    assert_int_equal(node->op, test->op);
    return node;
}

static double value_at(const Node *node, size_t i) {
    return node_holds_ids(node) ? (double)support_ids(node)[i] : (double)support_numbers(node)[i];
}

static void check_value(const OpCase *test) {
    Bench bench;
    const Node *node = open_case(&bench, test);
    bench_run(&bench);
    assert_int_equal(support_count(node), test->n);
    for (int i = 0; i < test->n; i++) {
        double expected = (double)test->expected[i];
        double found = value_at(node, (size_t)i);
        bool is_same = isinf(expected) ? found == expected
                                       : fabs(found - expected) <= 2e-7 * fmax(1.0, fabs(expected));
        if (!is_same) {
            fail_msg("%s: %s [%d]: expected %.9g, found %.9g", OPS[test->op]->name, test->what, i,
                     expected, found);
        }
    }
    bench_close(&bench);
}

static void values_are_as_worked_out_by_hand(void **state) {
    (void)state;
    op_cases_each(check_value);
}

static void check_explanation(const OpCase *test) {
    Bench bench;
    Explanation explanation = {0};
    const Node *node = open_case(&bench, test);
    bench_run(&bench);
    for (size_t i = 0; i < support_count(node); i++) {
        double exact = support_exact(&explanation, &bench.tape, node, i);
        double stored = value_at(node, i);
        char formula[OP_FORMULA_BYTES];
        assert_string_equal(explanation.formula, op_formula(node, formula));
        assert_true((double)explanation.stored == stored);
        assert_non_null(explain_text(&explanation, EXPLAIN_ALL_TERMS));
        bool is_same =
            isinf(stored) ? exact == stored : fabs(exact - stored) <= 5e-7 * fmax(1.0, fabs(exact));
        if (!is_same) {
            fail_msg("%s: %s: explained as %.9g, is %.9g: %s", OPS[test->op]->name, test->what,
                     exact, stored, explain_text(&explanation, EXPLAIN_ALL_TERMS));
        }
    }
    explain_free(&explanation);
    bench_close(&bench);
}

static void explanations_give_the_value(void **state) {
    (void)state;
    op_cases_each(check_explanation);
}

static void check_runs_twice(const OpCase *test) {
    Bench bench;
    const Node *node = open_case(&bench, test);
    bench_start(&bench);
    bench_draw(&bench, 5);
    tape_run(&bench.tape);
    float *once = support_copy(node);
    tape_run_node(&bench.tape, node);
    assert_memory_equal(once, support_numbers(node), support_count(node) * sizeof(float));
    free(once);
    bench_close(&bench);
}

static void a_node_that_runs_twice_gives_the_same_bits(void **state) {
    (void)state;
    op_cases_each(check_runs_twice);
}

// ---- gradients against central differences

// Σ weight · y, in double: from the explanation of each element, which takes the inputs' numbers as
// they are. Fused attention explains itself by a statistic that it keeps in float32: it is taken as
// it is stored.
static double weighted_sum(Bench *bench, const Node *y, const Node *loss) {
    Explanation explanation = {0};
    tape_run_range(&bench->tape, 0, loss->id);
    double sum = 0.0;
    for (size_t i = 0; i < support_count(y); i++) {
        double weight = (double)support_numbers(loss->gradient)[i];
        double value = y->op == OP_ATTENTION ? (double)support_numbers(y)[i]
                                             : support_exact(&explanation, &bench->tape, y, i);
        sum += isinf(value) ? 0.0 : weight * value;
    }
    explain_free(&explanation);
    return sum;
}

// d sum / d x[i] by differences over 2h and 4h, put together so that the h² term goes.
static double difference(Bench *bench, const Node *y, const Node *loss, float *x, double h) {
    float middle = *x;
    double sums[4];
    const double steps[] = {-2.0, -1.0, 1.0, 2.0};
    for (int i = 0; i < 4; i++) {
        *x = (float)((double)middle + steps[i] * h);
        sums[i] = weighted_sum(bench, y, loss);
    }
    *x = middle;
    return (8.0 * (sums[2] - sums[1]) - (sums[3] - sums[0])) / (12.0 * h);
}

static void check_input(Bench *bench, const OpCase *test, const Node *y, const Node *loss,
                        const Node *x) {
    bool is_stored = y->op == OP_ATTENTION;
    // Powers of two: x ± h has no rounding of its own to speak of.
    double h = is_stored ? 0x1p-4 : 0x1p-10;
    double tolerance = is_stored ? 2e-4 : 1e-5;
    if (x->gradient == NULL) {
        fail_msg("%s: %s: %s has no gradient", OPS[test->op]->name, test->what, x->stage);
        return;
    }
    float *gradient = support_copy(x->gradient);
    for (size_t i = 0; i < support_count(x); i++) {
        double expected = difference(bench, y, loss, support_numbers(x) + i, h);
        double found = (double)gradient[i];
        if (!(fabs(found - expected) <= tolerance * fmax(1.0, fabs(expected)))) {
            fail_msg("%s: %s: d / d %s[%zu]: differences give %.9g, the chain rule %.9g",
                     OPS[test->op]->name, test->what, x->stage, i, expected, found);
        }
    }
    free(gradient);
}

static void check_gradient(const OpCase *test) {
    if (OPS[test->op]->chain == NULL) {
        return;
    }
    Bench bench;
    Node *node = open_case(&bench, test);
    Node *y = bench.output == NULL ? node : bench.output;
    Node *loss = bench_append_loss(&bench, y);
    bench_start(&bench);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        bench_draw(&bench, 100 * seed);
        bench_weigh_loss(&bench.tape, loss, seed);
        tape_run(&bench.tape);
        for (int i = 0; i < bench.n_given; i++) {
            if (bench.ids[i] == NULL) {
                check_input(&bench, test, y, loss, bench.given[i]);
                tape_run(&bench.tape);
            }
        }
    }
    bench_close(&bench);
}

static void gradients_are_central_differences_with_their_sign(void **state) {
    (void)state;
    op_cases_each(check_gradient);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_has_a_row),
        cmocka_unit_test(every_op_has_a_name_a_formula_and_an_explanation),
        cmocka_unit_test(an_op_has_a_chain_rule_or_a_reason),
        cmocka_unit_test(values_are_as_worked_out_by_hand),
        cmocka_unit_test(explanations_give_the_value),
        cmocka_unit_test(a_node_that_runs_twice_gives_the_same_bits),
        cmocka_unit_test(gradients_are_central_differences_with_their_sign),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    puts("skipped: no device");
    return failed;
}
