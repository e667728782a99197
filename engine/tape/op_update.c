// op_update.c - the optimizer as steps: the next parameters beside the old ones, until somebody
// commits them.
#include "engine/tape/op.h"

// ---- adamw: parameter, gradient, m, v -> next parameter; parts 1 and 2 are next m and next v

static bool update_shape(Node *node, Error *reason) {
    node->shape = node->inputs[0]->shape;
    for (int i = 1; i < node->n_inputs; i++) {
        if (!shape_equal(&node->shape, &node->inputs[i]->shape)) {
            return op_shape_mismatch(node, reason, "a parameter and its gradient alike");
        }
    }
    return true;
}

static void adamw_run(const Tape *tape, const Node *node) {
    tape->device->backend->adamw(tape->device, node->array, tape->nodes[node->id + 1]->array,
                                 tape->nodes[node->id + 2]->array, node->inputs[0]->array,
                                 node->inputs[2]->array, node->inputs[3]->array,
                                 node->inputs[1]->array, shape_count(&node->shape),
                                 node->arguments.adamw.step);
}

// beta · old + (1 − beta) · now
static const Expr *running_mean(Explanation *explanation, float beta, const Expr *old,
                                const Expr *now) {
    return expr_two(
        explanation, EXPR_SUM,
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, beta), old),
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, 1.0 - (double)beta), now));
}

typedef struct AdamSteps {
    const Expr *m;
    const Expr *v;
} AdamSteps;

static AdamSteps adam_steps(Explanation *explanation, const Node *node, size_t element) {
    const AdamStep *step = &node->arguments.adamw.step;
    const Expr *g = expr_cell(explanation, node->inputs[1], element);
    if (step->gradient_scale != 1.0F) {
        g = expr_two(explanation, EXPR_PRODUCT, g, expr_number(explanation, step->gradient_scale));
    }
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
    size_t element = shape_flat(&node->shape, indices);
    AdamSteps steps = adam_steps(explanation, node, element);
    const Expr *m = explain_step(explanation, "m", steps.m);
    const Expr *v = explain_step(explanation, "v", steps.v);
    const Expr *m_hat = explain_step(
        explanation, "m_hat",
        expr_two(explanation, EXPR_QUOTIENT, m, expr_number(explanation, step->correction1)));
    const Expr *v_hat = explain_step(
        explanation, "v_hat",
        expr_two(explanation, EXPR_QUOTIENT, v, expr_number(explanation, step->correction2)));
    const Expr *lr = expr_number(explanation, step->lr);
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
                          .shape = update_shape,
                          .run = adamw_run,
                          .explain = adamw_explain,
                          .shares_input = -1};

Node *op_adamw(Tape *tape, const char *name, Node *parameter, Node *gradient, Node *m, Node *v) {
    Node *inputs[] = {parameter, gradient, m, v};
    return tape_append(tape, OP_ADAMW, name, inputs, 4, NULL);
}

// ---- sgd: parameter, gradient -> next parameter

static void sgd_run(const Tape *tape, const Node *node) {
    tape->device->backend->sgd(tape->device, node->array, node->inputs[0]->array,
                               node->inputs[1]->array, shape_count(&node->shape),
                               node->arguments.sgd.lr, node->arguments.sgd.decay,
                               node->arguments.sgd.gradient_scale);
}

static void sgd_explain(Explanation *explanation, const Node *node, const int *indices) {
    const Expr *w = expr_cell_at(explanation, node->inputs[0], indices);
    const Expr *g = expr_cell_at(explanation, node->inputs[1], indices);
    const Expr *scaled = expr_two(explanation, EXPR_PRODUCT, g,
                                  expr_number(explanation, node->arguments.sgd.gradient_scale));
    const Expr *decay =
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, node->arguments.sgd.decay), w);
    const Expr *move =
        expr_two(explanation, EXPR_PRODUCT, expr_number(explanation, node->arguments.sgd.lr),
                 expr_two(explanation, EXPR_SUM, scaled, decay));
    explain_result(explanation, expr_two(explanation, EXPR_DIFFERENCE, w, move), EXPLAIN_NOTE_NONE);
}

const Op op_info_sgd = {.name = "SGD",
                        .no_chain = "an update",
                        .formula = "w ← w − lr · (g + decay·w)",
                        .shape = update_shape,
                        .run = sgd_run,
                        .explain = sgd_explain,
                        .shares_input = -1};

Node *op_sgd(Tape *tape, const char *name, Node *parameter, Node *gradient) {
    Node *inputs[] = {parameter, gradient};
    return tape_append(tape, OP_SGD, name, inputs, 2, NULL);
}
