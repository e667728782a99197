// op_update.c - the optimizer as steps: the next parameters beside the old ones, until somebody
// commits them.
#include <string.h>

#include "engine/tape/op.h"

// ---- adamw: parameter, gradient, m, v (, factor) -> next parameter; parts 1 and 2 are next m and
// next v

// What a clipped gradient is multiplied by; NULL where none is clipped.
static const Node *factor_of(const Node *node) {
    int n_alike = node->op == OP_ADAMW ? 4 : 2;
    return node->n_inputs > n_alike ? node->inputs[n_alike] : NULL;
}

static Array factor_array(const Node *node) {
    const Node *factor = factor_of(node);
    return factor == NULL ? array_none() : factor->array;
}

static bool update_shape(Node *node, Error *reason) {
    node->shape = node->inputs[0]->shape;
    for (int i = 1; i < node->n_inputs; i++) {
        if (node->inputs[i] != factor_of(node) &&
            !shape_equal(&node->shape, &node->inputs[i]->shape)) {
            return op_shape_mismatch(node, reason, "a parameter and a gradient of the same shape");
        }
    }
    return true;
}

static void adamw_run(const Tape *tape, const Node *node) {
    tape->device->backend->adamw(
        tape->device, node->array, tape->nodes[node->id + 1]->array,
        tape->nodes[node->id + 2]->array, node->inputs[0]->array, node->inputs[2]->array,
        node->inputs[3]->array, node->inputs[1]->array, shape_count(&node->shape),
        node->arguments.adamw.step, tape_step_block(tape), factor_array(node));
}

// beta · old + (1 − beta) · now
static const Expr *running_mean(Explanation *explanation, float beta, const Expr *old,
                                const Expr *now) {
    return expr_two(
        explanation, EXPR_SUM,
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, beta), old),
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, 1.0 - (double)beta), now));
}

// The gradient times the factor that clips all of them.
static const Expr *clipped(Explanation *explanation, const Node *node, const Expr *gradient) {
    const Node *factor = factor_of(node);
    return factor == NULL
               ? gradient
               : expr_two(explanation, EXPR_PRODUCT, gradient, expr_cell(explanation, factor, 0));
}

typedef struct AdamSteps {
    const Expr *m;
    const Expr *v;
} AdamSteps;

static AdamSteps adam_steps(Explanation *explanation, const Node *node, size_t element) {
    const AdamStep *step = &node->arguments.adamw.step;
    const Expr *g = expr_cell(explanation, node->inputs[1], element);
    g = clipped(explanation, node, g);
    g = explain_step(explanation, "g", g);
    const Expr *square = expr_two(explanation, EXPR_POWER, g, expr_number(explanation, 2.0));
    const Expr *m = expr_cell(explanation, node->inputs[2], element);
    const Expr *v = expr_cell(explanation, node->inputs[3], element);
    return (AdamSteps){running_mean(explanation, step->beta1, m, g),
                       running_mean(explanation, step->beta2, v, square)};
}

void op_adamw_explain_part(Explanation *explanation, const Node *node, int part,
                           const int *indices) {
    AdamSteps steps = adam_steps(explanation, node, shape_flat(&node->shape, indices));
    explain_result(explanation, part == 1 ? steps.m : steps.v, EXPLAIN_NOTE_NONE);
}

static void adamw_explain(Explanation *explanation, const Node *node, const int *indices) {
    const AdamStep *step = &node->arguments.adamw.step;
    const StepBlock *now = &explanation->tape->now;
    size_t element = shape_flat(&node->shape, indices);
    AdamSteps steps = adam_steps(explanation, node, element);
    const Expr *m = explain_step(explanation, "m", steps.m);
    const Expr *v = explain_step(explanation, "v", steps.v);
    const Expr *m_hat = explain_step(
        explanation, "m_hat",
        expr_two(explanation, EXPR_QUOTIENT, m, expr_number(explanation, now->correction1)));
    const Expr *v_hat = explain_step(
        explanation, "v_hat",
        expr_two(explanation, EXPR_QUOTIENT, v, expr_number(explanation, now->correction2)));
    const Expr *lr = expr_number(explanation, now->lr);
    const Expr *w = expr_cell(explanation, node->inputs[0], element);
    const Expr *decay[] = {lr, expr_number(explanation, step->decay), w};
    const Expr *decayed = explain_step(
        explanation, "decayed",
        expr_two(explanation, EXPR_DIFFERENCE, w, expr_of(explanation, EXPR_PRODUCT, decay, 3)));
    const Expr *below = expr_two(explanation, EXPR_SUM, expr_one(explanation, EXPR_ROOT, v_hat),
                                 expr_number(explanation, step->eps));
    const Expr *move =
        expr_two(explanation, EXPR_QUOTIENT, expr_two(explanation, EXPR_PRODUCT, lr, m_hat), below);
    explain_result(explanation, expr_two(explanation, EXPR_DIFFERENCE, decayed, move),
                   EXPLAIN_NOTE_NONE);
}

// Two of the operands are the running means.
const Op op_info_adamw = {.name = "AdamW",
                          .no_chain = "an update",
                          .signs = {.names = {[2] = "m", [3] = "v"}},
                          .formula = "w ← w − lr·decay·w − lr · (m/(1−β1^t)) / (√(v/(1−β2^t)) + "
                                     "ε), m ← β1·m + (1−β1)·g, v ← β2·v + (1−β2)·g²",
                          .output = OUTPUT_FLOAT32,
                          .shape = update_shape,
                          .run = adamw_run,
                          .explain = adamw_explain,
                          .shares_input = -1};

Node *op_adamw(Tape *tape, const char *name, const AdamStep *step, const AdamNodes *nodes) {
    OpArguments arguments = {.adamw = {*step}};
    Node *inputs[] = {nodes->parameter, nodes->gradient, nodes->m, nodes->v, nodes->factor};
    return tape_append(tape, OP_ADAMW, name, inputs, nodes->factor == NULL ? 4 : 5, &arguments);
}

// ---- sgd: parameter, gradient (, factor) -> next parameter

static void sgd_run(const Tape *tape, const Node *node) {
    tape->device->backend->sgd(tape->device, node->array, node->inputs[0]->array,
                               node->inputs[1]->array, shape_count(&node->shape),
                               node->arguments.sgd.decay, tape_step_block(tape),
                               factor_array(node));
}

static void sgd_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *w = expr_cell_at(explanation, node->inputs[0], indices);
    const Expr *g = expr_cell_at(explanation, node->inputs[1], indices);
    const Expr *scaled = clipped(explanation, node, g);
    const Expr *decay =
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, node->arguments.sgd.decay), w);
    const Expr *move =
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, explanation->tape->now.lr),
                 expr_two(explanation, EXPR_SUM, scaled, decay));
    explain_result(explanation, expr_two(explanation, EXPR_DIFFERENCE, w, move), EXPLAIN_NOTE_NONE);
}

const Op op_info_sgd = {.name = "SGD",
                        .no_chain = "an update",
                        .formula = "w ← w − lr · (g + decay·w)",
                        .output = OUTPUT_FLOAT32,
                        .shape = update_shape,
                        .run = sgd_run,
                        .explain = sgd_explain,
                        .shares_input = -1};

Node *op_sgd(Tape *tape, const char *name, Node *parameter, Node *gradient, float decay,
             Node *factor) {
    OpArguments arguments = {.sgd = {decay}};
    Node *inputs[] = {parameter, gradient, factor};
    return tape_append(tape, OP_SGD, name, inputs, factor == NULL ? 2 : 3, &arguments);
}

// ---- clip_scale: all gradients -> (), what they are multiplied by so that their norm is at most
// `clip`. It saves the sum of their squares, a double.

enum { EXPLAINED_GRADIENTS = 64 }; // as many can still be read

static bool clip_scale_shape(Node *node, Error *reason) {
    (void)reason;
    node->shape = (Shape){"", {0}};
    node->saved_count = sizeof(double) / sizeof(float);
    return true;
}

static void clip_scale_run(const Tape *tape, const Node *node) {
    double *square = node->saved.data;
    for (int i = 0; i < node->n_inputs; i++) {
        tape->device->backend->square_sum(tape->device, square, node->inputs[i]->array,
                                          shape_count(&node->inputs[i]->shape), i > 0);
    }
    ClipScale clip = {.scale = 1.0F, .clip = node->arguments.clip_scale.clip};
    tape->device->backend->clip_scale(tape->device, node->array, square, array_none(), clip);
}

// Of more gradients than that the sum of squares stands as the number that it is.
static const Expr *square_of_norm(Explanation *explanation, const Node *node) {
    ExprList list = {0};
    size_t count = 0;
    for (int i = 0; i < node->n_inputs; i++) {
        count += shape_count(&node->inputs[i]->shape);
    }
    if (count > EXPLAINED_GRADIENTS) {
        double square = 0.0;
        memcpy(&square, tape_saved(explanation->tape, node), sizeof square);
        return expr_number(explanation, square);
    }
    for (int i = 0; i < node->n_inputs; i++) {
        for (size_t k = 0; k < shape_count(&node->inputs[i]->shape); k++) {
            expr_list_append(explanation, &list,
                             expr_two(explanation, EXPR_POWER,
                                      expr_cell(explanation, node->inputs[i], k),
                                      expr_number(explanation, 2.0)));
        }
    }
    return expr_list_close(explanation, &list, EXPR_SUM);
}

static void clip_scale_explain(Explanation *explanation, const Node *node, const int *indices) {
    (void)indices;
    double most = (double)node->arguments.clip_scale.clip;
    const Expr *norm = explain_step(
        explanation, "norm", expr_one(explanation, EXPR_ROOT, square_of_norm(explanation, node)));
    bool is_long = norm->value > most;
    explain_result(explanation,
                   is_long
                       ? expr_two(explanation, EXPR_QUOTIENT, expr_number(explanation, most), norm)
                       : expr_number(explanation, 1.0),
                   EXPLAIN_NOTE_NONE);
}

const Op op_info_clip_scale = {.name = "clipping",
                               .formula = "factor = clip / ‖g‖ where ‖g‖ > clip, else 1",
                               .output = OUTPUT_FLOAT32,
                               .shape = clip_scale_shape,
                               .run = clip_scale_run,
                               .no_chain = "an update",
                               .explain = clip_scale_explain,
                               .shares_input = -1};

Node *op_clip_scale(Tape *tape, const char *name, Node *const *gradients, int n, float clip) {
    OpArguments arguments = {.clip_scale = {clip}};
    return tape_append(tape, OP_CLIP_SCALE, name, gradients, n, &arguments);
}
