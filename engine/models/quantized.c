// quantized.c - a model's product weights in fewer bits, for generation, which waits for memory.
#include "engine/models/quantized.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/files/tensor_data.h"

static const char *const FORMAT_NAMES[] = {"f32", "bf16", "int8"};
enum { N_FORMATS = 3, LINE_BYTES = 64, PAGE_BYTES = 2 * 1024 * 1024 };

bool quantized_format_find(const char *name, WeightFormat *format) {
    for (int i = 0; i < N_FORMATS; i++) {
        if (strcmp(name, FORMAT_NAMES[i]) == 0) {
            *format = (WeightFormat)i;
            return true;
        }
    }
    return false;
}

const char *quantized_format_name(WeightFormat format) {
    return FORMAT_NAMES[format];
}

const QuantizedMatrix *quantized_find(const QuantizedWeights *weights, const Parameter *parameter) {
    for (int i = 0; i < weights->n_matrices; i++) {
        if (weights->parameters[i] == parameter) {
            return &weights->matrices[i];
        }
    }
    return NULL;
}

static size_t whole(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

static size_t number_bytes(WeightFormat format) {
    return format == WEIGHT_INT8 ? 1 : format == WEIGHT_BF16 ? 2 : 4;
}

static size_t scales_bytes(const QuantizedMatrix *matrix) {
    bool has_scales = matrix->format == WEIGHT_INT8;
    size_t groups = (size_t)matrix->stride / QUANTIZED_GROUP;
    return has_scales ? whole((size_t)matrix->N * groups * sizeof(float), LINE_BYTES) : 0;
}

static size_t values_bytes(const QuantizedMatrix *matrix) {
    size_t row_bytes = (size_t)matrix->stride * number_bytes(matrix->format);
    return whole((size_t)matrix->N * row_bytes, LINE_BYTES);
}

// A weight of one output as the K numbers that it is multiplied with, then zeros.
typedef struct WeightRow {
    const float *first;
    size_t step;
    int K;
    int n; // with the zeros
} WeightRow;

static float weight_at(const WeightRow *row, int k) {
    return k < row->K ? row->first[(size_t)k * row->step] : 0.0F;
}

// The greatest of a group becomes 127; each number is rounded to the nearest step.
static void write_int8(int8_t *values, float *scales, const WeightRow *row) {
    for (int k = 0; k < row->n; k += QUANTIZED_GROUP) {
        float greatest = 0.0F;
        for (int i = 0; i < QUANTIZED_GROUP; i++) {
            greatest = fmaxf(greatest, fabsf(weight_at(row, k + i)));
        }
        float step = greatest / 127.0F;
        scales[k / QUANTIZED_GROUP] = step;
        for (int i = 0; i < QUANTIZED_GROUP; i++) {
            float value = step > 0.0F ? weight_at(row, k + i) / step : 0.0F;
            values[k + i] = (int8_t)lrintf(value);
        }
    }
}

static void write_row(QuantizedMatrix *matrix, char *values, float *scales, int n,
                      const WeightRow *row) {
    size_t at = (size_t)n * (size_t)matrix->stride;
    switch (matrix->format) {
    case WEIGHT_INT8:
        write_int8((int8_t *)values + at, scales + at / QUANTIZED_GROUP, row);
        return;
    case WEIGHT_BF16:
        for (int k = 0; k < row->n; k++) {
            uint16_t bits = dtype_bf16_from_float(weight_at(row, k));
            memcpy(values + (at + (size_t)k) * sizeof bits, &bits, sizeof bits);
        }
        return;
    case WEIGHT_F32:
        for (int k = 0; k < row->n; k++) {
            float value = weight_at(row, k);
            memcpy(values + (at + (size_t)k) * sizeof value, &value, sizeof value);
        }
        return;
    }
}

// Fills `memory`, which the device will have at `there`.
static void write_matrix(QuantizedMatrix *matrix, char *memory, char *there, const Node *weight,
                         bool out_in) {
    float *scales = (float *)(void *)memory;
    char *values = memory + scales_bytes(matrix);
    const float *numbers = params_values(weight->params, weight->parameter);
    for (int n = 0; n < matrix->N; n++) {
        WeightRow row = {.first = numbers + (size_t)n * (out_in ? (size_t)matrix->K : 1),
                         .step = out_in ? 1 : (size_t)matrix->N,
                         .K = matrix->K,
                         .n = matrix->stride};
        write_row(matrix, values, scales, n, &row);
    }
    bool has_scales = matrix->format == WEIGHT_INT8;
    matrix->scales = has_scales ? (const float *)(const void *)there : NULL;
    matrix->values = there + scales_bytes(matrix);
}

static const Node *weight_of(const Node *product) {
    const Node *weight = product->inputs[1];
    return weight->op == OP_SLICE_ROWS ? weight->inputs[0] : weight;
}

// One matrix a parameter, however many products use it.
static void list_matrices(QuantizedWeights *weights, const Tape *tape, const Node **products) {
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        if (node->op != OP_LINEAR || quantized_find(weights, weight_of(node)->parameter) != NULL) {
            continue;
        }
        const Node *weight = weight_of(node);
        bool out_in = node->arguments.linear.weight_is_out_in;
        QuantizedMatrix *matrix = &weights->matrices[weights->n_matrices];
        *matrix = (QuantizedMatrix){.format = weights->format,
                                    .N = weight->shape.sizes[out_in ? 0 : 1],
                                    .K = weight->shape.sizes[out_in ? 1 : 0]};
        matrix->stride = (int)whole((size_t)matrix->K, QUANTIZED_GROUP);
        weights->block_bytes += scales_bytes(matrix) + values_bytes(matrix);
        products[weights->n_matrices] = node;
        weights->parameters[weights->n_matrices++] = weight->parameter;
    }
}

static void fill(QuantizedWeights *weights, char *memory, const Node *const *products) {
    char *there = weights->block;
    for (int i = 0; i < weights->n_matrices; i++) {
        QuantizedMatrix *matrix = &weights->matrices[i];
        assert(products[i] != NULL);
        bool out_in = products[i]->arguments.linear.weight_is_out_in;
        write_matrix(matrix, memory, there, weight_of(products[i]), out_in);
        memory += scales_bytes(matrix) + values_bytes(matrix);
        there += scales_bytes(matrix) + values_bytes(matrix);
    }
}

// On the CPU they are written where they will be read; elsewhere they are sent there.
static bool fill_on_device(QuantizedWeights *weights, const Node *const *products) {
    Device *device = weights->device;
    if (device->backend->is_host) {
        fill(weights, weights->block, products);
        return true;
    }
    char *memory = malloc(weights->block_bytes);
    if (memory == NULL) {
        return false;
    }
    fill(weights, memory, products);
    device->backend->write(device, weights->block, memory, weights->block_bytes);
    free(memory);
    return true;
}

bool quantized_make(QuantizedWeights *weights, const Tape *tape, WeightFormat format, Error *err) {
    *weights = (QuantizedWeights){.format = format, .device = tape->device};
    size_t n = (size_t)tape->n_nodes;
    const Node **products = calloc(n, sizeof(const Node *));
    weights->matrices = calloc(n, sizeof *weights->matrices);
    weights->parameters = calloc(n, sizeof(const Parameter *));
    bool ok = products != NULL && weights->matrices != NULL && weights->parameters != NULL;
    if (ok) {
        list_matrices(weights, tape, products);
        bool is_big = weights->block_bytes >= 4 * (size_t)PAGE_BYTES;
        weights->block_bytes = whole(weights->block_bytes + 1, is_big ? PAGE_BYTES : LINE_BYTES);
        weights->block = tape->device->backend->allocate(tape->device, weights->block_bytes);
        ok = weights->block != NULL && fill_on_device(weights, products);
    }
    free(products);
    if (!ok) {
        error_set(err, "out of memory: the weights as %s need %zu MiB", FORMAT_NAMES[format],
                  weights->block_bytes >> 20);
        quantized_free(weights);
    }
    return ok;
}

void quantized_free(QuantizedWeights *weights) {
    if (weights->device != NULL) {
        weights->device->backend->free(weights->device, weights->block);
    }
    free(weights->matrices);
    free(weights->parameters);
    *weights = (QuantizedWeights){.n_matrices = 0};
}
