// tape_cost.c - how much arithmetic a tape is.
#include "engine/tape/tape_cost.h"

// 2 (B,T,S,C) for the scores and as much for the context; half of it where the future is hidden.
static double attention_flops(const Node *q, const Node *k, const OpArguments *arguments,
                              int width) {
    double T = q->shape.sizes[1];
    double S = k->shape.sizes[1];
    double flops = 4.0 * (double)q->shape.sizes[0] * T * S * width;
    return arguments->attention.causal ? flops / 2.0 : flops;
}

static double node_flops(const Node *node) {
    double count = (double)shape_count(&node->shape);
    // A switch over every op would say nothing here: all others are not products.
    if (node->op == OP_LINEAR) {
        return 2.0 * count * shape_width(&node->inputs[0]->shape);
    }
    if (node->op == OP_WEIGHT_GRAD) {
        return 2.0 * count * (double)shape_rows(&node->inputs[0]->shape);
    }
    if (node->op == OP_MATMUL) {
        const Shape *a = &node->inputs[0]->shape;
        int rank = shape_rank(a);
        int inner = node->arguments.matmul.transpose_a ? a->sizes[rank - 2] : a->sizes[rank - 1];
        return 2.0 * count * inner;
    }
    if (node->op == OP_ATTENTION) {
        return attention_flops(node->inputs[0], node->inputs[1], &node->arguments,
                               shape_width(&node->shape));
    }
    if (node->op == OP_ATTENTION_GRAD) { // dv, dp, dq, dk and the scores again
        return 2.5 * attention_flops(node->inputs[2], node->inputs[3], &node->arguments,
                                     shape_width(&node->inputs[0]->shape));
    }
    return 0.0;
}

double tape_product_flops(const Tape *tape) {
    double flops = 0.0;
    for (int i = 0; i < tape->n_program; i++) {
        flops += node_flops(tape->program[i]);
    }
    return flops;
}
