// op_loss.c - cross-entropy and the KL divergence from a smoothed target, in two steps or in one.
#include <math.h>

#include "engine/tape/op.h"

static LossShape loss_shape_of(const Node *node, const Node *scores) {
    return (LossShape){.rows = (int)shape_rows(&scores->shape),
                       .V = shape_width(&scores->shape),
                       .smoothing = node->arguments.loss.smoothing,
                       .pad_id = node->arguments.loss.pad_id};
}

// Inputs: log_probs or logits (…,V), labels (…) -> one number
static bool loss_shape(Node *node, Error *reason) {
    const Node *scores = node->inputs[0];
    const Node *labels = node->inputs[1];
    node->shape = (Shape){"", {0}};
    node->saved_count = node->op == OP_CROSS_ENTROPY ? 2 * shape_rows(&scores->shape) : 0;
    return (node_holds_ids(labels) && shape_count(&labels->shape) == shape_rows(&scores->shape)) ||
           op_shape_mismatch(node, reason, "(…,V) and one label for each of its rows");
}

static Node *append(Tape *tape, OpKind op, const char *name, Node *scores, Node *labels,
                    float smoothing, int pad_id) {
    OpArguments arguments = {.loss = {smoothing, pad_id}};
    Node *inputs[] = {scores, labels};
    return tape_append(tape, op, name, inputs, 2, &arguments);
}

// ---- the smoothed target

static bool counts(const LossShape *shape, int32_t label) {
    return label >= 0 && label != shape->pad_id;
}

static double target(const LossShape *shape, int32_t label, int c) {
    if (c == label) {
        return 1.0 - (double)shape->smoothing;
    }
    int others = shape->V - (shape->pad_id >= 0 ? 2 : 1);
    return c == shape->pad_id || others < 1 ? 0.0 : (double)shape->smoothing / others;
}

static int count_labels(const LossShape *shape, const int32_t *labels) {
    int count = 0;
    for (int row = 0; row < shape->rows; row++) {
        count += counts(shape, labels[row]);
    }
    return count;
}

// ---- loss: log_probs

static void loss_run(const Tape *tape, const Node *node) {
    tape->device->backend->loss(tape->device, node->array, node->inputs[0]->array,
                                node->inputs[1]->array, loss_shape_of(node, node->inputs[0]));
}

static void loss_chain(Tape *tape, Node *node, Node *dy, const bool *needs, Node **contributions) {
    if (needs[0]) {
        Node *inputs[] = {dy, node->inputs[1], node->inputs[0]};
        contributions[0] = tape_append(tape, OP_LOSS_GRAD, NULL, inputs, 3, &node->arguments);
    }
}

// ln of the probability of token c in that row: a cell, or from the logits
typedef const Expr *(*LogProbability)(Explanation *explanation, const Node *scores, int row, int c);

static const Expr *log_probability_cell(Explanation *explanation, const Node *scores, int row,
                                        int c) {
    size_t V = (size_t)shape_width(&scores->shape);
    return expr_cell(explanation, scores, (size_t)row * V + (size_t)c);
}

static const Expr *log_probability_of_logits(Explanation *explanation, const Node *scores, int row,
                                             int c) {
    int V = shape_width(&scores->shape);
    const float *logits = tape_values(explanation->tape, scores) + (size_t)row * (size_t)V;
    double max = -(double)INFINITY; // taken off first, as the kernel does: exp cannot overflow
    for (int i = 0; i < V; i++) {
        max = fmax(max, (double)logits[i]);
    }
    ExprList list = {0};
    for (int i = 0; i < V; i++) {
        const Expr *below = expr_two(explanation, EXPR_DIFFERENCE,
                                     log_probability_cell(explanation, scores, row, i),
                                     expr_number(explanation, max));
        expr_list_append(explanation, &list, expr_one(explanation, EXPR_EXP, below));
    }
    const Expr *sum = expr_list_close(explanation, &list, EXPR_SUM);
    const Expr *below =
        expr_two(explanation, EXPR_DIFFERENCE, log_probability_cell(explanation, scores, row, c),
                 expr_number(explanation, max));
    return expr_two(explanation, EXPR_DIFFERENCE, below, expr_one(explanation, EXPR_LOG, sum));
}

static void explain_mean_loss(Explanation *explanation, const Node *node,
                              LogProbability log_probability) {
    const Node *scores = node->inputs[0];
    const int32_t *labels = tape_ids(explanation->tape, node->inputs[1]);
    LossShape shape = loss_shape_of(node, scores);
    int n_labels = count_labels(&shape, labels);
    ExprList list = {0};
    for (int row = 0; row < shape.rows; row++) {
        for (int c = 0; c < shape.V && counts(&shape, labels[row]); c++) {
            double p = target(&shape, labels[row], c);
            if (p > 0.0) {
                const Expr *difference =
                    expr_two(explanation, EXPR_DIFFERENCE, expr_number(explanation, log(p)),
                             log_probability(explanation, scores, row, c));
                expr_list_append(
                    explanation, &list,
                    expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, p), difference));
            }
        }
    }
    if (n_labels == 0) {
        explain_result(explanation, expr_number(explanation, 0.0), EXPLAIN_NOTE_PADDING_LABEL);
        return;
    }
    explain_result(explanation,
                   expr_two(explanation, EXPR_QUOTIENT,
                            expr_list_close(explanation, &list, EXPR_SUM),
                            expr_number(explanation, n_labels)),
                   EXPLAIN_NOTE_NONE);
}

static void loss_explain(Explanation *explanation, const Node *node, const int *indices) {
    (void)indices;
    explain_mean_loss(explanation, node, log_probability_cell);
}

const Op op_info_loss = {.name = "loss",
                         .signs = {.before = "-mean(", .second = "@", .later = ",", .after = ")"},
                         .formula = "loss = Σ over labels Σ over c of target[c] · (ln target[c] − "
                                    "log_probs[c]) / number of labels",
                         .output = OUTPUT_FLOAT32,
                         .shape = loss_shape,
                         .run = loss_run,
                         .chain = loss_chain,
                         .explain = loss_explain,
                         .shares_input = -1};

Node *op_loss(Tape *tape, const char *name, Node *log_probs, Node *labels, float smoothing,
              int pad_id) {
    return append(tape, OP_LOSS, name, log_probs, labels, smoothing, pad_id);
}

// ---- loss_grad: dloss, labels, log_probs (for its shape) -> (…,V)

static bool loss_grad_shape(Node *node, Error *reason) {
    (void)reason;
    node->shape = node->inputs[2]->shape;
    return true;
}

static void loss_grad_run(const Tape *tape, const Node *node) {
    tape->device->backend->loss_grad(tape->device, node->array, node->inputs[0]->array,
                                     node->inputs[1]->array, loss_shape_of(node, node->inputs[2]));
}

static void loss_grad_explain(Explanation *explanation, const Node *node, const int *indices) {
    const int32_t *labels = tape_ids(explanation->tape, node->inputs[1]);
    LossShape shape = loss_shape_of(node, node->inputs[2]);
    size_t element = shape_flat(&node->shape, indices);
    int32_t label = labels[element / (size_t)shape.V];
    if (!counts(&shape, label)) {
        explain_result(explanation, expr_number(explanation, 0.0), EXPLAIN_NOTE_PADDING_LABEL);
        return;
    }
    double p = target(&shape, label, (int)(element % (size_t)shape.V));
    const Expr *factors[] = {expr_number(explanation, -p),
                             expr_cell(explanation, node->inputs[0], 0)};
    explain_result(explanation,
                   expr_two(explanation, EXPR_QUOTIENT,
                            expr_of(explanation, EXPR_PRODUCT, factors, 2),
                            expr_number(explanation, count_labels(&shape, labels))),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_loss_grad = {.name = "loss gradient",
                              .no_chain = "a gradient",
                              .formula = "dlog_probs[c] = −target[c] · dloss / number of labels",
                              .shape = loss_grad_shape,
                              .run = loss_grad_run,
                              .explain = loss_grad_explain,
                              .shares_input = -1};

// ---- cross_entropy: logits, without log_probs in memory

static void cross_entropy_run(const Tape *tape, const Node *node) {
    tape->device->backend->cross_entropy(tape->device, node->array, node->saved,
                                         node->inputs[0]->array, node->inputs[1]->array,
                                         loss_shape_of(node, node->inputs[0]));
}

static void cross_entropy_chain(Tape *tape, Node *node, Node *dy, const bool *needs,
                                Node **contributions) {
    if (needs[0]) {
        Node *inputs[] = {dy, node->inputs[0], node->inputs[1], node};
        contributions[0] =
            tape_append(tape, OP_CROSS_ENTROPY_GRAD, NULL, inputs, 4, &node->arguments);
    }
}

static void cross_entropy_explain(Explanation *explanation, const Node *node, const int *indices) {
    (void)indices;
    explain_mean_loss(explanation, node, log_probability_of_logits);
}

const Op op_info_cross_entropy = {.name = "cross-entropy",
                                  .formula = "loss = Σ over labels Σ over c of target[c] · (ln "
                                             "target[c] − (x[c] − max − ln Σ exp(x − max))) / "
                                             "number of labels",
                                  .output = OUTPUT_FLOAT32,
                                  .shape = loss_shape,
                                  .run = cross_entropy_run,
                                  .chain = cross_entropy_chain,
                                  .explain = cross_entropy_explain,
                                  .shares_input = -1};

Node *op_cross_entropy(Tape *tape, const char *name, Node *logits, Node *labels, float smoothing,
                       int pad_id) {
    return append(tape, OP_CROSS_ENTROPY, name, logits, labels, smoothing, pad_id);
}

// ---- cross_entropy_grad: dloss, logits, labels, the forward node -> (…,V); may lie over the
// logits

static bool cross_entropy_grad_shape(Node *node, Error *reason) {
    (void)reason;
    node->shape = node->inputs[1]->shape;
    return true;
}

static void cross_entropy_grad_run(const Tape *tape, const Node *node) {
    tape->device->backend->cross_entropy_grad(
        tape->device, node->array, node->inputs[0]->array, node->inputs[1]->array,
        node->inputs[3]->saved, node->inputs[2]->array, loss_shape_of(node, node->inputs[1]));
}

static void cross_entropy_grad_explain(Explanation *explanation, const Node *node,
                                       const int *indices) {
    const int32_t *labels = tape_ids(explanation->tape, node->inputs[2]);
    LossShape shape = loss_shape_of(node, node->inputs[1]);
    size_t element = shape_flat(&node->shape, indices);
    int row = (int)(element / (size_t)shape.V);
    int c = (int)(element % (size_t)shape.V);
    if (!counts(&shape, labels[row])) {
        explain_result(explanation, expr_number(explanation, 0.0), EXPLAIN_NOTE_PADDING_LABEL);
        return;
    }
    const Expr *probability = expr_one(
        explanation, EXPR_EXP, log_probability_of_logits(explanation, node->inputs[1], row, c));
    const Expr *difference = expr_two(explanation, EXPR_DIFFERENCE, probability,
                                      expr_number(explanation, target(&shape, labels[row], c)));
    const Expr *scaled =
        expr_two(explanation, EXPR_PRODUCT, difference, expr_cell(explanation, node->inputs[0], 0));
    explain_result(explanation,
                   expr_two(explanation, EXPR_QUOTIENT, scaled,
                            expr_number(explanation, count_labels(&shape, labels))),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_cross_entropy_grad = {
    .name = "cross-entropy gradient",
    .no_chain = "a gradient",
    .formula = "dx[c] = (softmax(x)[c] − target[c]) · dloss / number of labels",
    .shape = cross_entropy_grad_shape,
    .run = cross_entropy_grad_run,
    .explain = cross_entropy_grad_explain,
    .shares_input = -1};
