// test_formulas.c - an index formula names the cell that the op reads: it is evaluated as printed.
#include "tests/support_ops.h"

#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"

enum { LETTERS = 128 };

// Values of letters, -1 where not bound; an ellipsis stands for all axes that are not named.
typedef struct Bound {
    int letters[LETTERS];
    int more[SHAPE_MAX_RANK];
    int n_more;
} Bound;

static const char ELLIPSIS[] = "…";

static int count_indices(const char *inside, bool *has_more) {
    int n = 0;
    *has_more = false;
    for (const char *at = inside; *at != ']'; at++) {
        n += *at == ',';
        *has_more = *has_more || strncmp(at, ELLIPSIS, strlen(ELLIPSIS)) == 0;
    }
    return n + 1;
}

// 3, i, 8 + i, h·4 + d, 2 + h·4 + d, up to the next comma or bracket.
static int evaluate(const char **at, const Bound *bound) {
    int sum = 0;
    int factor = 1;
    for (;; (*at)++) {
        if (**at >= '0' && **at <= '9') {
            char *end = NULL;
            factor *= (int)strtol(*at, &end, 10);
            *at = end - 1;
        } else if (**at >= 'a' && **at <= 'z') {
            assert_true(bound->letters[(int)**at] >= 0);
            factor *= bound->letters[(int)**at];
        } else if (**at == '+' || **at == ',' || **at == ']') {
            sum += factor;
            factor = 1;
            if (**at != '+') {
                return sum;
            }
        } else {
            assert_true(**at == ' ' || (unsigned char)**at >= 0x80); // "·"
        }
    }
}

// Binds the plain letters of one side to the indices of an element.
static void bind(Bound *bound, const char *inside, const int *indices, int rank) {
    bool has_more = false;
    int n_named = count_indices(inside, &has_more) - has_more;
    int axis = 0;
    for (const char *at = inside; *at != ']';) {
        if (strncmp(at, ELLIPSIS, strlen(ELLIPSIS)) == 0) {
            bound->n_more = rank - n_named;
            memcpy(bound->more, indices + axis, (size_t)bound->n_more * sizeof(int));
            axis += bound->n_more;
            at += strlen(ELLIPSIS);
        } else if (*at == ',') {
            at++;
        } else {
            assert_true(*at >= 'a' && *at <= 'z' && (at[1] == ',' || at[1] == ']'));
            bound->letters[(int)*at++] = indices[axis++];
        }
    }
    if (!has_more && axis < rank) { // y[i] of a matrix: whole rows
        bound->n_more = rank - axis;
        memcpy(bound->more, indices + axis, (size_t)bound->n_more * sizeof(int));
    }
}

// The other side's indices.
static void apply(const Bound *bound, const char *inside, int indices[SHAPE_MAX_RANK]) {
    bool has_more = false;
    int axis = 0;
    count_indices(inside, &has_more);
    for (const char *at = inside; *at != ']';) {
        if (strncmp(at, ELLIPSIS, strlen(ELLIPSIS)) == 0) {
            memcpy(indices + axis, bound->more, (size_t)bound->n_more * sizeof(int));
            axis += bound->n_more;
            at += strlen(ELLIPSIS);
        } else if (*at == ',') {
            at++;
        } else {
            indices[axis++] = evaluate(&at, bound);
        }
    }
    if (!has_more && bound->n_more > 0) {
        memcpy(indices + axis, bound->more, (size_t)bound->n_more * sizeof(int));
    }
}

static Bound unbound(void) {
    Bound bound = {.n_more = 0};
    for (int i = 0; i < LETTERS; i++) {
        bound.letters[i] = -1;
    }
    return bound;
}

static bool is_plain(const char *inside) {
    size_t length = (size_t)(strchr(inside, ']') - inside);
    return memchr(inside, '+', length) == NULL;
}

static void check_cell(const Tape *tape, const Node *node, const int *y, const Node *input,
                       const int *x, const char *formula) {
    Explanation explanation = {0};
    explain_cell(&explanation, tape, node, shape_flat(&node->shape, y));
    const Expr *cell = explanation.steps[explanation.n_steps - 1].value;
    size_t expected = shape_flat(&input->shape, x);
    if (cell->kind != EXPR_CELL || cell->node != input || cell->element != expected) {
        fail_msg("%s: %s: names element %zu, reads %zu", node->stage, formula, expected,
                 cell->element);
    }
    explain_free(&explanation);
}

// "y[…] = x[…]", one of the sides with letters alone. Of several inputs the p-th.
static void check_copy(const Tape *tape, const Node *node, const char *formula) {
    const char *left = strchr(formula, '[') + 1;
    const char *right = strchr(left, '[') + 1;
    bool from_left = is_plain(left);
    for (int p = 0; p < (from_left ? 1 : node->n_inputs); p++) {
        const Node *given = from_left ? node : node->inputs[p];
        for (size_t i = 0; i < shape_count(&given->shape); i++) {
            Bound bound = unbound();
            int indices[SHAPE_MAX_RANK];
            int other[SHAPE_MAX_RANK] = {0};
            shape_indices(&given->shape, i, indices);
            bound.letters['p'] = p;
            bind(&bound, from_left ? left : right, indices, shape_rank(&given->shape));
            apply(&bound, from_left ? right : left, other);
            check_cell(tape, node, from_left ? indices : other, node->inputs[p],
                       from_left ? other : indices, formula);
        }
    }
}

// The first product of a sum over k.
static const Expr *first_product(const Expr *value) {
    while (value->kind != EXPR_PRODUCT || value->terms[0]->kind != EXPR_CELL) {
        value = value->terms[0];
    }
    return value;
}

static void check_product(const Tape *tape, const Node *node, const char *formula) {
    const char *a = strstr(formula, "a[") + 2;
    const char *b = strstr(formula, "b[") + 2;
    int rank = shape_rank(&node->shape);
    for (size_t i = 0; i < shape_count(&node->shape); i++) {
        Explanation explanation = {0};
        int at[SHAPE_MAX_RANK];
        int inside[SHAPE_MAX_RANK];
        shape_indices(&node->shape, i, at);
        Bound bound = unbound();
        bound.letters['i'] = at[rank - 2];
        bound.letters['j'] = at[rank - 1];
        bound.letters['k'] = 0;
        explain_cell(&explanation, tape, node, i);
        const Expr *product = first_product(explanation.steps[explanation.n_steps - 1].value);
        for (int k = 0; k < 2; k++) {
            memcpy(inside, at, sizeof inside);
            apply(&bound, k == 0 ? a : b, inside + rank - 2);
            assert_ptr_equal(product->terms[k]->node, node->inputs[k]);
            assert_int_equal(product->terms[k]->element,
                             shape_flat(&node->inputs[k]->shape, inside));
        }
        explain_free(&explanation);
    }
}

static int check_node(const Tape *tape, const Node *node) {
    char text[OP_FORMULA_BYTES];
    const char *formula = op_formula(node, text);
    bool is_copy = strncmp(formula, "y[", 2) == 0 &&
                   (strstr(formula, "] = x[") != NULL || strstr(formula, "] = xp[") != NULL) &&
                   formula[strlen(formula) - 1] == ']';
    if (node->op == OP_MATMUL) {
        check_product(tape, node, formula);
    } else if (is_copy) {
        check_copy(tape, node, formula);
    }
    return node->op == OP_MATMUL || is_copy;
}

static void check_case(const OpCase *test) {
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    const Node *node = test->build(&bench);
    bench_start(&bench);
    tape_run(&bench.tape);
    check_node(&bench.tape, node);
    bench_close(&bench);
}

static void formulas_of_all_ops_name_the_cells_that_are_read(void **state) {
    (void)state;
    op_cases_each(check_case);
}

static void formulas_in_models_name_the_cells_that_are_read(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelConfig config = support_config((FamilyKind)i);
        config.n_layers = 1;
        ModelBench bench;
        model_bench_open(&bench, &config, TAPE_WATCH, (BatchShape){2, 3, 2}, 1, 3);
        tape_run(&bench.built.tape);
        int n = 0;
        for (int k = 0; k < bench.built.tape.n_nodes; k++) {
            n += check_node(&bench.built.tape, bench.built.tape.nodes[k]);
        }
        assert_true(n > 0);
        model_bench_close(&bench);
    }
}

// Without a bias, and with weights stored either way, the formula says what is computed.
static void a_linear_formula_says_how_the_weight_is_stored(void **state) {
    (void)state;
    char text[OP_FORMULA_BYTES];
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    Node *x = bench_floats(&bench, (Shape){"TC", {2, 3}}, NULL);
    Node *out_in = bench_floats(&bench, (Shape){"OC", {4, 3}}, NULL);
    Node *in_out = bench_floats(&bench, (Shape){"CO", {3, 4}}, NULL);
    Node *bias = bench_floats(&bench, (Shape){"O", {4}}, NULL);
    Tape *tape = &bench.tape;
    assert_string_equal(op_formula(op_linear(tape, "a", x, out_in, bias, true, "O"), text),
                        "y = x·Wᵀ + b, W (out, in)");
    assert_string_equal(op_formula(op_linear(tape, "b", x, in_out, bias, false, "O"), text),
                        "y = x·W + b, W (in, out)");
    assert_string_equal(op_formula(op_linear(tape, "c", x, out_in, NULL, true, "O"), text),
                        "y = x·Wᵀ, W (out, in)");
    bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_of_all_ops_name_the_cells_that_are_read),
        cmocka_unit_test(formulas_in_models_name_the_cells_that_are_read),
        cmocka_unit_test(a_linear_formula_says_how_the_weight_is_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
