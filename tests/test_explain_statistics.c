// test_explain_statistics.c - numbers that an op keeps of a row can be followed to where they are
// computed.
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "engine/playground/model_input.h"
#include "engine/tape/explain.h"

static bool is_close(double a, double b) {
    return fabs(a - b) <= 1e-5 * fmax(1.0, fabs(b));
}

// One of the steps of that cell is the number, or what it is 1 over.
static bool is_computed(const Tape *tape, const Expr *statistic) {
    Explanation explanation = {0};
    bool found = false;
    explain_cell(&explanation, tape, statistic->node, statistic->element);
    for (int i = 0; i < explanation.n_steps && !found; i++) {
        const double value = explanation.steps[i].value->value;
        found = explanation.steps[i].name[0] != '\0' &&
                (is_close(statistic->value, value) || is_close(statistic->value, 1.0 / value));
    }
    explain_free(&explanation);
    return found;
}

static int count_statistics(const Tape *tape, const Expr *expr) {
    int n = 0;
    if (expr->kind == EXPR_NUMBER && expr->node != NULL) {
        assert_true(is_computed(tape, expr));
        n = 1;
    }
    for (int i = 0; i < expr->n_terms; i++) {
        n += count_statistics(tape, expr->terms[i]);
    }
    return n;
}

static void check_cell(const Tape *tape, const Node *node, size_t element, int n_rows) {
    Explanation explanation = {0};
    ExplainCell cells[64];
    explain_cell(&explanation, tape, node, element);
    // A mean and a deviation for every row; the cell that has both is listed once.
    assert_int_equal(count_statistics(tape, explanation.steps[explanation.n_steps - 1].value),
                     2 * n_rows);
    const int n = explain_cells(&explanation, cells, 64, true);
    int n_listed = 0;
    for (int i = 0; i < n; i++) {
        n_listed += cells[i].is_statistic;
    }
    assert_int_equal(n_listed, n_rows);
    explain_free(&explanation);
}

static void check_model(const char *model, const char *ids, int n_rows) {
    OpenModel opened;
    Error err = {""};
    const ModelInput input = {
        .model = model, .ids = ids, .target_ids = ids, .untrained = true, .seed = 3};
    support_require(model_input_open(&opened, &input, TAPE_WATCH, TAPE_GRADIENTS, &err) &&
                        model_input_run(&opened, &err),
                    &err);
    int n_nodes = 0;
    const Tape *tape = &opened.built.tape;
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        for (size_t c = 0; node->op == OP_LAYER_NORM_WEIGHT_GRAD && c < 3; c++) {
            check_cell(tape, node, c,
                       n_rows > 0 ? n_rows : (int)shape_rows(&node->inputs[1]->shape));
            n_nodes += c == 0;
        }
    }
    assert_true(n_nodes > 0);
    model_input_close(&opened);
}

static void statistics_lead_to_the_cell_that_computes_them(void **state) {
    (void)state;
    check_model("toy-copy", "1,5,4;1,3,6", 0);
    check_model("gpt2-tiny", "1,5,4", 3);
    check_model("story-single-small", "1,5,4,7", 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_lead_to_the_cell_that_computes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
