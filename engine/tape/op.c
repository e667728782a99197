// op.c - the table of ops, and what their shape rules share.
#include "engine/tape/op.h"

#include <stdio.h>

#define OP_DECLARE(upper, lower) extern const Op op_info_##lower;
OP_LIST(OP_DECLARE)
#undef OP_DECLARE

const Op *const OPS[OP_COUNT] = {
#define OP_ENTRY(upper, lower) [OP_##upper] = &op_info_##lower,
    OP_LIST(OP_ENTRY)
#undef OP_ENTRY
};

bool op_shape_like_first(Node *node, Error *reason) {
    (void)reason;
    node->shape = node->inputs[0]->shape;
    return true;
}

bool op_shape_mismatch(const Node *node, Error *reason, const char *expected) {
    char all[SHAPE_TEXT_BYTES * 3] = "";
    size_t length = 0;
    for (int i = 0; i < node->n_inputs && length + SHAPE_TEXT_BYTES < sizeof all; i++) {
        char axes[SHAPE_TEXT_BYTES];
        char sizes[SHAPE_TEXT_BYTES];
        length +=
            (size_t)snprintf(all + length, sizeof all - length, "%s%s = %s", i == 0 ? "" : ", ",
                             shape_axes_text(&node->inputs[i]->shape, axes),
                             shape_sizes_text(&node->inputs[i]->shape, sizes));
    }
    return error_set(reason, "expected %s, found %s", expected, all);
}

const char *op_formula(const Node *node, char text[OP_FORMULA_BYTES]) {
    if (OPS[node->op]->write_formula == NULL) {
        return OPS[node->op]->formula;
    }
    OPS[node->op]->write_formula(node, text);
    return text;
}
