// support_ops_steps.c - the ops of gates and of positions on numbers worked out by hand.
#include "tests/support_ops.h"

static const float COUNTING[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const float TENS[] = {10, 20, 30, 40};
static const float ODDS[] = {0, 1.098612289F, -1.098612289F}; // ln 3: its powers are 1, 3 and 1/3
static const float FIVES[] = {5, 6, 7};
static const float OUTPUTS[] = {0, 0.5F, -0.75F};

static Node *row(Bench *bench, const float *values) {
    return bench_floats(bench, (Shape){"C", {3}}, values);
}

static Node *two(Bench *bench, OpKind op, const float *a, const float *b) {
    Node *inputs[] = {row(bench, a), row(bench, b)};
    return tape_append(&bench->tape, op, "y", inputs, 2, NULL);
}

// (e^x − e^−x) / (e^x + e^−x): (3 − 1/3) / (3 + 1/3) is 4/5.
static Node *tanh_row(Bench *bench) {
    return op_tanh(&bench->tape, "y", row(bench, ODDS));
}

static Node *tanh_grad(Bench *bench) {
    return two(bench, OP_TANH_GRAD, FIVES, OUTPUTS);
}

static Node *sigmoid(Bench *bench) {
    return op_sigmoid(&bench->tape, "y", row(bench, ODDS));
}

static Node *sigmoid_grad(Bench *bench) {
    return two(bench, OP_SIGMOID_GRAD, FIVES, OUTPUTS);
}

static Node *multiply(Bench *bench) {
    return op_multiply(&bench->tape, "y", row(bench, COUNTING), row(bench, FIVES));
}

static Node *square(Bench *bench) {
    Node *x = row(bench, COUNTING);
    return op_multiply(&bench->tape, "y", x, x);
}

// Ids from 2 on are the nine places of a grid from −2 to 2.
static Node *grid(Bench *bench) {
    static const int32_t IDS[] = {2, 6, 9};
    return op_grid(&bench->tape, "y", bench_ids(bench, (Shape){"BT", {1, 3}}, IDS), 2, 3);
}

static Node *points(Bench *bench, int n, const float *values) {
    return bench_floats(bench, (Shape){"BTC", {1, n, 2}}, values);
}

static Node *feature_map(Bench *bench) {
    return op_feature_map(&bench->tape, "y", points(bench, 2, COUNTING));
}

static Node *kernel_polynomial(Bench *bench) {
    Node *x = points(bench, 2, COUNTING);
    return op_kernel(&bench->tape, "y", x, points(bench, 1, TENS), KERNEL_POLYNOMIAL, 0.0F);
}

static Node *kernel_gaussian(Bench *bench) {
    Node *x = points(bench, 2, COUNTING);
    return op_kernel(&bench->tape, "y", x, x, KERNEL_GAUSSIAN, 0.125F);
}

static Node *grid_of_numbers(Bench *bench) {
    return op_grid(&bench->tape, "y", row(bench, COUNTING), 2, 3);
}

static Node *features_of_three(Bench *bench) {
    return op_feature_map(&bench->tape, "y", row(bench, COUNTING));
}

static Node *kernel_of_other_width(Bench *bench) {
    Node *x = points(bench, 2, COUNTING);
    Node *z = bench_floats(bench, (Shape){"BTC", {1, 1, 3}}, COUNTING);
    return op_kernel(&bench->tape, "y", x, z, KERNEL_GAUSSIAN, 1.0F);
}

static Node *slice_middle(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BTC", {2, 3, 2}}, COUNTING);
    return op_slice_steps(&bench->tape, "y", x, 1, 1);
}

// Two that overlap, one that is left out, and the whole.
static Node *slice_of_slices(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BTC", {1, 4, 2}}, COUNTING);
    Node *whole = op_relu(&bench->tape, "whole", x);
    Node *first = op_slice_steps(&bench->tape, "first", x, 0, 2);
    Node *second = op_slice_steps(&bench->tape, "y", x, 1, 2);
    Node *parts[] = {first, second};
    Node *joined = op_concat_steps(&bench->tape, "joined", parts, 2);
    bench->output = op_add(&bench->tape, "sum", whole, joined);
    return second;
}

static Node *slice_heads(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BTHD", {1, 3, 2, 2}}, COUNTING);
    return op_slice_steps(&bench->tape, "y", x, 1, 2);
}

static Node *concat(Bench *bench) {
    Node *inputs[] = {bench_floats(bench, (Shape){"BTC", {2, 1, 2}}, COUNTING),
                      bench_floats(bench, (Shape){"BTC", {2, 2, 2}}, COUNTING)};
    return op_concat_steps(&bench->tape, "y", inputs, 2);
}

static Node *concat_ids(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BT", {2, 2}}, TENS);
    Node *inputs[] = {x, x};
    return op_concat_steps(&bench->tape, "y", inputs, 2);
}

// (B,H,T,S): the positions are the third axis.
static Node *slice_of_heads(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BHTS", {1, 2, 3, 2}}, COUNTING);
    return op_slice_steps(&bench->tape, "y", x, 1, 2);
}

static Node *concat_of_heads(Bench *bench) {
    Node *inputs[] = {bench_floats(bench, (Shape){"BHTS", {1, 2, 1, 2}}, COUNTING),
                      bench_floats(bench, (Shape){"BHTS", {1, 2, 2, 2}}, COUNTING)};
    return op_concat_steps(&bench->tape, "y", inputs, 2);
}

// One sentence that fills its row, one with padding behind it.
static const int32_t PADDED[] = {5, 6, 7, 8, 0, 0};

static Node *last_step(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BTC", {2, 3, 2}}, COUNTING);
    Node *ids = bench_ids(bench, (Shape){"BT", {2, 3}}, PADDED);
    return op_last_step(&bench->tape, "y", x, ids, 0);
}

static Node *last_step_grad(Bench *bench) {
    OpArguments arguments = {.last_step = {.pad_id = 0, .T = 3}};
    Node *inputs[] = {bench_floats(bench, (Shape){"BTC", {2, 1, 2}}, TENS),
                      bench_ids(bench, (Shape){"BT", {2, 3}}, PADDED)};
    return tape_append(&bench->tape, OP_LAST_STEP_GRAD, "y", inputs, 2, &arguments);
}

static Node *last_step_of_other_ids(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BTC", {2, 2, 2}}, COUNTING);
    Node *ids = bench_ids(bench, (Shape){"BT", {2, 3}}, PADDED);
    return op_last_step(&bench->tape, "y", x, ids, 0);
}

static Node *last_step_grad_of_two(Bench *bench) {
    OpArguments arguments = {.last_step = {.pad_id = 0, .T = 3}};
    Node *inputs[] = {bench_floats(bench, (Shape){"BTC", {2, 2, 2}}, COUNTING),
                      bench_ids(bench, (Shape){"BT", {2, 3}}, PADDED)};
    return tape_append(&bench->tape, OP_LAST_STEP_GRAD, "y", inputs, 2, &arguments);
}

static Node *multiply_other_width(Bench *bench) {
    Node *a = bench_floats(bench, (Shape){"TC", {2, 2}}, TENS);
    return op_multiply(&bench->tape, "y", a, bench_floats(bench, (Shape){"C", {2}}, TENS));
}

static Node *slice_past_the_end(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BTC", {1, 2, 2}}, TENS);
    return op_slice_steps(&bench->tape, "y", x, 1, 2);
}

static Node *slice_of_a_row(Bench *bench) {
    return op_slice_steps(&bench->tape, "y", row(bench, FIVES), 0, 1);
}

static Node *concat_other_width(Bench *bench) {
    Node *inputs[] = {bench_floats(bench, (Shape){"BTC", {1, 2, 2}}, TENS),
                      bench_floats(bench, (Shape){"BTC", {1, 3, 1}}, TENS)};
    return op_concat_steps(&bench->tape, "y", inputs, 2);
}

const OpCase OP_CASES_STEPS[] = {
    {"tanh", tanh_row, OP_TANH, 3, {0, 0.8F, -0.8F}},
    {"tanh", tanh_grad, OP_TANH_GRAD, 3, {5, 4.5F, 3.0625F}},
    {"sigmoid", sigmoid, OP_SIGMOID, 3, {0.5F, 0.75F, 0.25F}},
    {"sigmoid", sigmoid_grad, OP_SIGMOID_GRAD, 3, {0, 1.5F, -9.1875F}},
    {"three of nine places", grid, OP_GRID, 6, {-2, -2, 0, 0, 0, 2}},
    {"(1,2) and (3,4)",
     feature_map,
     OP_FEATURE_MAP,
     12,
     {1, 1.41421356F, 2.82842712F, 1, 4, 2.82842712F, 1, 4.24264069F, 5.65685425F, 9, 16,
      16.9705627F}},
    {"(1 + 10 + 40)² and (1 + 30 + 80)²", kernel_polynomial, OP_KERNEL, 2, {2601, 12321}},
    {"e to the power of −8/8", kernel_gaussian, OP_KERNEL, 4, {1, 0.367879441F, 0.367879441F, 1}},
    {"a ⊙ b", multiply, OP_MULTIPLY, 3, {5, 12, 21}},
    {"x ⊙ x", square, OP_MULTIPLY, 3, {1, 4, 9}},
    {"the second of three positions", slice_middle, OP_SLICE_STEPS, 4, {3, 4, 9, 10}},
    {"slices that overlap", slice_of_slices, OP_SLICE_STEPS, 4, {3, 4, 5, 6}},
    {"rank 4", slice_heads, OP_SLICE_STEPS, 8, {5, 6, 7, 8, 9, 10, 11, 12}},
    {"positions of heads", slice_of_heads, OP_SLICE_STEPS, 8, {3, 4, 5, 6, 9, 10, 11, 12}},
    {"positions of heads",
     concat_of_heads,
     OP_CONCAT_STEPS,
     12,
     {1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 7, 8}},
    {"the last that is no padding", last_step, OP_LAST_STEP, 4, {5, 6, 7, 8}},
    {"the last that is no padding",
     last_step_grad,
     OP_LAST_STEP_GRAD,
     12,
     {0, 0, 0, 0, 10, 20, 30, 40, 0, 0, 0, 0}},
    {"one and two positions", concat, OP_CONCAT_STEPS, 12, {1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 7, 8}},
    {"x after x", concat_ids, OP_CONCAT_STEPS, 8, {10, 20, 10, 20, 30, 40, 30, 40}},
};
const int N_OP_CASES_STEPS = sizeof OP_CASES_STEPS / sizeof OP_CASES_STEPS[0];

const OpRefusal OP_REFUSALS_STEPS[] = {
    {OP_GRID, grid_of_numbers, "ids of a grid"},
    {OP_FEATURE_MAP, features_of_three, "points of two coordinates"},
    {OP_KERNEL, kernel_of_other_width, "x (B,T,C) and z (B,S,C)"},
    {OP_MULTIPLY, multiply_other_width,
     "two inputs of the same shape, found (T,C) = (2,2), (C) = (2)"},
    {OP_SLICE_STEPS, slice_past_the_end, "positions 1 to 2 are wanted, there are 2"},
    {OP_SLICE_STEPS, slice_of_a_row, "x (B,T,…), found (C) = (3)"},
    {OP_LAST_STEP, last_step_of_other_ids,
     "x (B,T,C) and ids (B,T), found (B,T,C) = (2,2,2), (B,T) = (2,3)"},
    {OP_LAST_STEP_GRAD, last_step_grad_of_two, "dy (B,1,C) and ids (B,T)"},
    {OP_CONCAT_STEPS, concat_other_width,
     "that differ in T only, found (B,T,C) = (1,2,2), (B,T,C) = (1,3,1)"},
};
const int N_OP_REFUSALS_STEPS = sizeof OP_REFUSALS_STEPS / sizeof OP_REFUSALS_STEPS[0];
