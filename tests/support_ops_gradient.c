// support_ops_gradient.c - the ops of gradients and updates on numbers worked out by hand.
#include "tests/support_ops.h"

static const float COUNTING[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const float TENS[] = {10, 20, 30, 40};
static const float HUNDREDS[] = {100, 200};
static const float ONES[] = {1, 1, 1, 1};
static const float FIRST[] = {1, 0, 0, 0};
static const float FIVES[] = {5, 6, 7};
static const float MIXED[] = {-1, 0, 2};
static const float ODDS[] = {0, 1.098612289F};
static const float QUARTERS[] = {0.25F, 0.75F};
static const float LOG_QUARTERS[] = {-1.38629436F, -0.287682072F};
static const float KEYS[] = {0, 1};
static const float VALUES[] = {4, 8};
static const float STEP_UP[] = {0, 0, 4, 4};
static const float RAMP[] = {0, 2, 4};
static const float TWO[] = {2};
static const float HALVES[] = {0.5F, -0.5F};

static Node *row(Bench *bench, int n, const float *values) {
    return bench_floats(bench, (Shape){"C", {n}}, values);
}

static Node *two(Bench *bench, OpKind op, Node *a, Node *b, const OpArguments *arguments) {
    Node *inputs[] = {a, b};
    return tape_append(&bench->tape, op, "y", inputs, 2, arguments);
}

static Node *embedding_grad(Bench *bench) {
    static const int32_t IDS[] = {2, 0, 2};
    OpArguments arguments = {.embedding = {.scale = 2.0F, .V = 3}};
    Node *dy = bench_floats(bench, (Shape){"BTC", {1, 3, 2}}, COUNTING);
    return two(bench, OP_EMBEDDING_GRAD, dy, bench_ids(bench, (Shape){"BT", {1, 3}}, IDS),
               &arguments);
}

// Rows 0 and 2 are used, the last twice; gradient_append puts their gradients in place.
static Node *join_rows(Bench *bench) {
    Tape *tape = &bench->tape;
    Node *x = bench_floats(bench, (Shape){"TC", {3, 2}}, COUNTING);
    Node *top = op_slice_rows(tape, "top", x, 0, 1, "T");
    Node *bottom = op_slice_rows(tape, "bottom", x, 2, 1, "T");
    Node *twice = op_add(tape, "twice", bottom, bottom);
    gradient_append(tape, op_add(tape, "loss", top, twice));
    return x->gradient;
}

static Node *accumulate(Bench *bench) {
    Node *inputs[] = {row(bench, 2, COUNTING), row(bench, 2, TENS), row(bench, 2, HUNDREDS)};
    return tape_append(&bench->tape, OP_ACCUMULATE, "y", inputs, 3, NULL);
}

static Node *pass(Bench *bench) {
    Node *x = row(bench, 3, MIXED);
    return tape_append(&bench->tape, OP_PASS, "y", &x, 1, NULL);
}

static Node *sum_rows(Bench *bench) {
    OpArguments arguments = {.rows = {.count = 1}};
    Node *x = bench_floats(bench, (Shape){"BTC", {2, 1, 2}}, COUNTING);
    return tape_append(&bench->tape, OP_SUM_ROWS, "y", &x, 1, &arguments);
}

static Node *weight_grad(Bench *bench) {
    Node *a = bench_floats(bench, (Shape){"TO", {2, 2}}, COUNTING);
    return two(bench, OP_WEIGHT_GRAD, a, bench_floats(bench, (Shape){"TC", {2, 1}}, TENS), NULL);
}

static Node *columns(Bench *bench) {
    OpArguments arguments = {.columns = {.first = 1, .count = 2, .axis = "C"}};
    Node *x = bench_floats(bench, (Shape){"TC", {2, 3}}, COUNTING);
    return tape_append(&bench->tape, OP_COLUMNS, "y", &x, 1, &arguments);
}

static Node *mask_grad(Bench *bench) {
    static const int32_t IDS[] = {0, 5};
    OpArguments arguments = {.mask = {.causal = true, .pad_id = 0}};
    Node *dy = bench_floats(bench, (Shape){"BHTS", {1, 1, 2, 2}}, COUNTING);
    return two(bench, OP_MASK_GRAD, dy, bench_ids(bench, (Shape){"BS", {1, 2}}, IDS), &arguments);
}

static Node *softmax_grad(Bench *bench) {
    return two(bench, OP_SOFTMAX_GRAD, row(bench, 2, FIRST), row(bench, 2, QUARTERS), NULL);
}

static Node *log_softmax_grad(Bench *bench) {
    return two(bench, OP_LOG_SOFTMAX_GRAD, row(bench, 2, FIRST), row(bench, 2, LOG_QUARTERS), NULL);
}

// The first query weighs 4 and 8 by a half each, gives 6: ds = (4-6)/2, (8-6)/2; keys are 0 and 1.
static Node *attention_grad(Bench *bench) {
    Tape *tape = &bench->tape;
    Shape shape = {"BTC", {1, 2, 1}};
    Node *q = bench_floats(bench, shape, ODDS);
    Node *k = bench_floats(bench, shape, KEYS);
    Node *v = bench_floats(bench, shape, VALUES);
    Node *dy = bench_floats(bench, shape, FIRST);
    OpArguments arguments = {.attention = {.n_heads = 1, .scale = 1.0F}};
    Node *y = op_attention(tape, "forward", q, k, v, NULL, &arguments);
    Node *inputs[] = {dy, y, q, k, v};
    Node *dq = tape_append(tape, OP_ATTENTION_GRAD, "y", inputs, 5, &arguments);
    op_part(tape, "dk", dq, 1);
    op_part(tape, "dv", dq, 2);
    return dq;
}

static Node *part(Bench *bench) {
    Node *dq = attention_grad(bench);
    return bench->tape.nodes[dq->id + 2];
}

static Node *layer_norm_grad(Bench *bench, int C, const float *x, float eps, NormKind kind) {
    Node *input = row(bench, C, x);
    Node *weight = row(bench, C, ONES);
    Node *y = op_layer_norm(&bench->tape, "forward", input, weight, row(bench, C, ONES), eps, kind);
    Node *inputs[] = {row(bench, C, FIRST), input, weight, y};
    return tape_append(&bench->tape, OP_LAYER_NORM_GRAD, "y", inputs, 4, &y->arguments);
}

static Node *layer_norm_grad_standard(Bench *bench) {
    return layer_norm_grad(bench, 4, STEP_UP, 0.0F, NORM_STANDARD);
}

static Node *layer_norm_grad_annotated(Bench *bench) {
    return layer_norm_grad(bench, 3, RAMP, 2.0F, NORM_ANNOTATED);
}

static Node *layer_norm_weight_grad(Bench *bench) {
    Node *x = row(bench, 4, STEP_UP);
    Node *y = op_layer_norm(&bench->tape, "forward", x, row(bench, 4, ONES), row(bench, 4, ONES),
                            0.0F, NORM_STANDARD);
    Node *inputs[] = {row(bench, 4, COUNTING), x, y};
    return tape_append(&bench->tape, OP_LAYER_NORM_WEIGHT_GRAD, "y", inputs, 3, &y->arguments);
}

static Node *relu_grad(Bench *bench) {
    return two(bench, OP_RELU_GRAD, row(bench, 3, FIVES), row(bench, 3, MIXED), NULL);
}

static Node *gelu_grad(Bench *bench) {
    static const float X[] = {1, -1, 0};
    static const float DY[] = {2, 1, 4};
    return two(bench, OP_GELU_GRAD, row(bench, 3, DY), row(bench, 3, X), NULL);
}

static const int32_t LABELS[] = {2, 0, -1};

static Node *loss_grad(Bench *bench) {
    OpArguments arguments = {.loss = {.smoothing = 0.4F, .pad_id = 0}};
    Node *dloss = bench_floats(bench, (Shape){"", {0}}, TWO);
    Node *labels = bench_ids(bench, (Shape){"T", {2}}, LABELS);
    Node *inputs[] = {dloss, labels, bench_floats(bench, (Shape){"TV", {2, 5}}, NULL)};
    return tape_append(&bench->tape, OP_LOSS_GRAD, "y", inputs, 3, &arguments);
}

static Node *cross_entropy_grad(Bench *bench) {
    static const int32_t LABEL[] = {1};
    Node *logits = bench_floats(bench, (Shape){"TV", {1, 2}}, ODDS);
    Node *labels = bench_ids(bench, (Shape){"T", {1}}, LABEL);
    Node *y = op_cross_entropy(&bench->tape, "forward", logits, labels, 0.0F, -1);
    Node *inputs[] = {bench_floats(bench, (Shape){"", {0}}, TWO), logits, labels, y};
    return tape_append(&bench->tape, OP_CROSS_ENTROPY_GRAD, "y", inputs, 4, &y->arguments);
}

// The first step: m/(1-β1) is the gradient, v/(1-β2) its square, so w moves by lr and by decay.
static Node *adamw(Bench *bench) {
    AdamStep step = {.beta1 = 0.9F, .beta2 = 0.99F, .eps = 0.0F, .decay = 0.5F};
    StepBlock now = {.lr = 0.1F, .correction1 = 0.1F, .correction2 = 0.01F};
    AdamNodes nodes = {.parameter = row(bench, 2, ONES),
                       .gradient = row(bench, 2, HALVES),
                       .m = row(bench, 2, NULL),
                       .v = row(bench, 2, NULL)};
    tape_set_step(&bench->tape, &now);
    Node *y = op_adamw(&bench->tape, "y", &step, &nodes);
    op_part(&bench->tape, "m", y, 1);
    op_part(&bench->tape, "v", y, 2);
    return y;
}

static Node *adamw_m(Bench *bench) {
    Node *y = adamw(bench);
    return bench->tape.nodes[y->id + 1];
}

static Node *adamw_v(Bench *bench) {
    Node *y = adamw(bench);
    return bench->tape.nodes[y->id + 2];
}

static Node *sgd(Bench *bench) {
    Node *factor = bench_floats(bench, (Shape){"", {0}}, TWO);
    tape_set_step(&bench->tape, &(StepBlock){.lr = 0.1F});
    return op_sgd(&bench->tape, "y", row(bench, 2, ONES), row(bench, 2, HALVES), 0.5F, factor);
}

// Gradients 1, 1 and 2, -2 have the norm √10.
static Node *clip_scale(Bench *bench, float most) {
    static const float TWOS[] = {2, -2};
    Node *gradients[] = {row(bench, 2, ONES), row(bench, 2, TWOS)};
    return op_clip_scale(&bench->tape, "y", gradients, 2, most);
}

static Node *clipped(Bench *bench) {
    return clip_scale(bench, 0.31622777F);
}

static Node *short_enough(Bench *bench) {
    return clip_scale(bench, 3.2F);
}

const OpCase OP_CASES_GRADIENT[] = {
    {"embedding", embedding_grad, OP_EMBEDDING_GRAD, 6, {6, 8, 0, 0, 12, 16}},
    {"rows", join_rows, OP_JOIN_ROWS, 6, {1, 1, 0, 0, 2, 2}},
    {"three uses", accumulate, OP_ACCUMULATE, 2, {111, 222}},
    {"pass", pass, OP_PASS, 3, {-1, 0, 2}},
    {"sum of rows", sum_rows, OP_SUM_ROWS, 2, {4, 6}},
    {"aᵀ b", weight_grad, OP_WEIGHT_GRAD, 2, {70, 100}},
    {"columns", columns, OP_COLUMNS, 4, {2, 3, 5, 6}},
    {"mask", mask_grad, OP_MASK_GRAD, 4, {0, 0, 0, 4}},
    {"softmax", softmax_grad, OP_SOFTMAX_GRAD, 2, {0.1875F, -0.1875F}},
    {"dq", attention_grad, OP_ATTENTION_GRAD, 2, {1, 0}},
    {"dv", part, OP_PART, 2, {0.5F, 0.5F}},
    {"standard", layer_norm_grad_standard, OP_LAYER_NORM_GRAD, 4, {0.25F, -0.25F, 0, 0}},
    // g - mean(g) = 2/3, -1/3, -1/3 over 4; Σ g n = -1/2; (x - mean)·Σ g n / (4 · 2 · 2)
    {"annotated",
     layer_norm_grad_annotated,
     OP_LAYER_NORM_GRAD,
     3,
     {0.104166667F, -0.0833333333F, -0.0208333333F}},
    {"dweight", layer_norm_weight_grad, OP_LAYER_NORM_WEIGHT_GRAD, 4, {-1, -2, 3, 4}},
    {"relu", relu_grad, OP_RELU_GRAD, 3, {0, 0, 7}},
    {"gelu", gelu_grad, OP_GELU_GRAD, 3, {2.16592817F, -0.0829640838F, 2}},
    {"log-softmax", log_softmax_grad, OP_LOG_SOFTMAX_GRAD, 2, {0.75F, -0.75F}},
    {"smoothed, one of padding",
     loss_grad,
     OP_LOSS_GRAD,
     10,
     {0, -0.266666667F, -1.2F, -0.266666667F, -0.266666667F, 0, 0, 0, 0, 0}},
    {"cross-entropy", cross_entropy_grad, OP_CROSS_ENTROPY_GRAD, 2, {0.5F, -0.5F}},
    {"first step", adamw, OP_ADAMW, 2, {0.85F, 1.05F}},
    {"next m", adamw_m, OP_PART, 2, {0.05F, -0.05F}},
    {"next v", adamw_v, OP_PART, 2, {0.0025F, 0.0025F}},
    {"sgd", sgd, OP_SGD, 2, {0.85F, 1.05F}},
    {"clipped", clipped, OP_CLIP_SCALE, 1, {0.1F}},
    {"short enough", short_enough, OP_CLIP_SCALE, 1, {1.0F}},
};
const int N_OP_CASES_GRADIENT = sizeof OP_CASES_GRADIENT / sizeof OP_CASES_GRADIENT[0];
