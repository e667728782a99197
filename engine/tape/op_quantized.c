// op_quantized.c - products with weights that are kept in fewer bits.
#include <string.h>

#include "engine/tape/op.h"

// ---- quantized_linear: x (…,K) times outputs first .. first+count of a matrix (N,K), plus bias

static bool quantized_linear_shape(Node *node, Error *reason) {
    const Shape *x = &node->inputs[0]->shape;
    const QuantizedMatrix *matrix = node->arguments.quantized.matrix;
    int first = node->arguments.quantized.first;
    int count = node->arguments.quantized.count;
    if (matrix == NULL || shape_rank(x) < 1 || shape_width(x) != matrix->K ||
        first + count > matrix->N) {
        return op_shape_mismatch(node, reason, "x as wide as the kept weight");
    }
    Shape rest = shape_without_last(x);
    node->shape = shape_append(&rest, node->arguments.quantized.axis, count);
    return true;
}

static void quantized_linear_run(const Tape *tape, const Node *node) {
    const Node *x = node->inputs[0];
    Array bias = node->n_inputs == 2 ? node->inputs[1]->array : array_none();
    tape->device->backend->product_quantized(
        tape->device, node->array, x->array, *node->arguments.quantized.matrix, bias,
        node->arguments.quantized.first, node->arguments.quantized.count,
        (int)shape_rows(&x->shape));
}

// Row n of the kept weights, as the device has it: the values, and the scales of WEIGHT_INT8.
typedef struct KeptRow {
    const char *values;
    const float *scales;
} KeptRow;

static size_t number_bytes(WeightFormat format) {
    switch (format) {
    case WEIGHT_INT8:
        return sizeof(int8_t);
    case WEIGHT_BF16:
        return sizeof(uint16_t);
    case WEIGHT_F32:
        break;
    }
    return sizeof(float);
}

static KeptRow read_row(Explanation *explanation, const QuantizedMatrix *matrix, size_t n) {
    Device *device = explanation->tape->device;
    size_t stride = (size_t)matrix->stride;
    size_t row_bytes = stride * number_bytes(matrix->format);
    size_t scales_bytes = stride / QUANTIZED_GROUP * sizeof(float);
    char *values = arena_allocate(&explanation->arena, row_bytes);
    float *scales = arena_allocate(&explanation->arena, scales_bytes);
    const char *from = (const char *)matrix->values + n * row_bytes;
    // After a failure of the device the arena's zeros stay: tape_check says what failed.
    device->backend->read(device, values, from, row_bytes);
    if (matrix->scales != NULL) {
        device->backend->read(device, scales, matrix->scales + n * (stride / QUANTIZED_GROUP),
                              scales_bytes);
    }
    return (KeptRow){values, scales};
}

// The number that a kept weight stands for.
static double kept_weight(const QuantizedMatrix *matrix, const KeptRow *row, size_t k) {
    uint16_t bits = 0;
    float value = 0.0F;
    switch (matrix->format) {
    case WEIGHT_INT8:
        return (double)((const int8_t *)row->values)[k] * (double)row->scales[k / QUANTIZED_GROUP];
    case WEIGHT_BF16:
        memcpy(&bits, row->values + k * sizeof bits, sizeof bits);
        uint32_t wide = (uint32_t)bits << 16;
        memcpy(&value, &wide, sizeof value);
        return (double)value;
    case WEIGHT_F32:
        memcpy(&value, row->values + k * sizeof value, sizeof value);
        return (double)value;
    }
    return 0.0;
}

static void quantized_linear_explain(Explanation *explanation, const Node *node,
                                     const int *indices) {
    const Node *x = node->inputs[0];
    const QuantizedMatrix *matrix = node->arguments.quantized.matrix;
    size_t K = (size_t)matrix->K;
    size_t element = shape_flat(&node->shape, indices);
    size_t row = element / (size_t)shape_width(&node->shape);
    size_t column = element % (size_t)shape_width(&node->shape);
    size_t n = (size_t)node->arguments.quantized.first + column;
    KeptRow kept = read_row(explanation, matrix, n);
    ExprList list = {0};
    for (size_t k = 0; k < K; k++) {
        const Expr *weight = expr_number(explanation, kept_weight(matrix, &kept, k));
        expr_list_append(
            explanation, &list,
            expr_two(explanation, EXPR_PRODUCT, expr_cell(explanation, x, row * K + k), weight));
    }
    if (node->n_inputs == 2) {
        expr_list_append(explanation, &list, expr_cell(explanation, node->inputs[1], column));
    }
    explain_result(explanation, expr_list_close(explanation, &list, EXPR_SUM), EXPLAIN_NOTE_NONE);
}

const Op op_info_quantized_linear = {
    .name = "quantized linear",
    .no_chain = "generation has no gradients",
    .formula = "y = x·Wᵀ + b (W in fewer bits: a small integer times the scale of its group)",
    .shape = quantized_linear_shape,
    .run = quantized_linear_run,
    .explain = quantized_linear_explain,
    .shares_input = -1};

Node *op_quantized_linear(Tape *tape, const char *name, Node *x, const QuantizedMatrix *matrix,
                          int first, int count, Node *bias, const char *axis) {
    OpArguments arguments = {.quantized = {.matrix = matrix, .first = first, .count = count}};
    strncpy(arguments.quantized.axis, axis, sizeof arguments.quantized.axis - 1);
    Node *inputs[] = {x, bias};
    return tape_append(tape, OP_QUANTIZED_LINEAR, name, inputs, bias == NULL ? 1 : 2, &arguments);
}
