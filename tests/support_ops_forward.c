// support_ops_forward.c - the ops of a forward pass on numbers worked out by hand.
#include "tests/support_ops.h"

#include <math.h>

// The arrays that cases give have to outlive their builder.
static const float COUNTING[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const float FROM_ZERO[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const float TENS[] = {10, 20, 30, 40};
static const float MIXED[] = {-1, 0, 2};
static const float FIVES[] = {5, 6, 7, 8};
static const float ODDS[] = {0, 1.098612289F}; // ln 3: softmax gives 1/4 and 3/4
static const float STEP_UP[] = {0, 0, 4, 4};
static const float RAMP[] = {0, 2, 4};
static const float MINUS[] = {-1, -2, -3, -4, -5, -6};
static const float HALF_HIDDEN[] = {0, 1.098612289F, -INFINITY, -INFINITY};
static const float KEYS[] = {0, 1};
static const float VALUES[] = {4, 8};
static const float QKV[] = {0, 0, 4, 1.098612289F, 1, 8};
static const float HEADS[] = {0, 1, 4, 5, 2, 3, 6, 7};

static Node *parameter(Bench *bench) {
    return bench_floats(bench, (Shape){"C", {3}}, COUNTING);
}

static Node *ids(Bench *bench) {
    static const int32_t IDS[] = {7, 0, 5};
    return bench_ids(bench, (Shape){"BT", {1, 3}}, IDS);
}

static Node *constant(Bench *bench) {
    return op_constant(&bench->tape, "y", (Shape){"C", {2}}, 2.5F);
}

static Node *sinusoid(Bench *bench) {
    return op_sinusoid(&bench->tape, "y", 2, 4);
}

static Node *embedding(Bench *bench) {
    static const int32_t IDS[] = {2, 0};
    Node *table = bench_floats(bench, (Shape){"VC", {3, 2}}, COUNTING);
    Node *row_ids = bench_ids(bench, (Shape){"BT", {1, 2}}, IDS);
    return op_embedding(&bench->tape, "y", table, row_ids, 2.0F);
}

static Node *slice_rows(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"TC", {3, 2}}, COUNTING);
    return op_slice_rows(&bench->tape, "y", x, 1, 2, "T");
}

static Node *add(Bench *bench) {
    Node *a = bench_floats(bench, (Shape){"TC", {2, 2}}, COUNTING);
    Node *b = bench_floats(bench, (Shape){"C", {2}}, TENS);
    return op_add(&bench->tape, "y", a, b);
}

static Node *add_to_itself(Bench *bench) {
    Node *a = bench_floats(bench, (Shape){"TC", {2, 2}}, COUNTING);
    return op_add(&bench->tape, "y", a, a);
}

static Node *linear_out_in(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BTC", {1, 1, 2}}, COUNTING);
    Node *weight = bench_floats(bench, (Shape){"OC", {2, 2}}, COUNTING);
    Node *bias = bench_floats(bench, (Shape){"O", {2}}, TENS);
    return op_linear(&bench->tape, "y", x, weight, bias, true, "O");
}

static Node *linear_in_out(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"TC", {2, 2}}, COUNTING);
    Node *weight = bench_floats(bench, (Shape){"CO", {2, 2}}, COUNTING);
    return op_linear(&bench->tape, "y", x, weight, NULL, false, "O");
}

static Node *split_heads(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BTC", {1, 2, 4}}, FROM_ZERO);
    return op_split_heads(&bench->tape, "y", x, 2, 0, 1);
}

static Node *split_second_half(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BT2C", {1, 2, 4}}, FROM_ZERO);
    Node *first = op_split_heads(&bench->tape, "first", x, 1, 0, 2);
    Node *second = op_split_heads(&bench->tape, "y", x, 1, 1, 2);
    bench->output = op_add(&bench->tape, "sum", first, second); // a gradient for each half
    return second;
}

static Node *merge_heads(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BHTD", {1, 2, 2, 2}}, HEADS);
    return op_merge_heads(&bench->tape, "y", &x, 1);
}

static Node *merge_two(Bench *bench) {
    Node *parts[] = {bench_floats(bench, (Shape){"BHTD", {1, 1, 2, 2}}, COUNTING),
                     bench_floats(bench, (Shape){"BHTD", {1, 1, 2, 2}}, TENS)};
    return op_merge_heads(&bench->tape, "y", parts, 2);
}

static Node *concat(Bench *bench) {
    Node *inputs[] = {bench_floats(bench, (Shape){"TC", {2, 1}}, COUNTING),
                      bench_floats(bench, (Shape){"TC", {2, 2}}, TENS)};
    return op_concat(&bench->tape, "y", inputs, 2, "C");
}

static Node *matmul(Bench *bench, bool transpose_a, bool transpose_b) {
    Node *a = bench_floats(bench, (Shape){"TC", {2, 2}}, COUNTING);
    Node *b = bench_floats(bench, (Shape){"CD", {2, 2}}, FIVES);
    return op_matmul(&bench->tape, "y", a, b, transpose_a, transpose_b, 0.5F);
}

static Node *matmul_plain(Bench *bench) {
    return matmul(bench, false, false);
}

static Node *matmul_b(Bench *bench) {
    return matmul(bench, false, true);
}

static Node *matmul_a(Bench *bench) {
    return matmul(bench, true, false);
}

static Node *matmul_both(Bench *bench) {
    return matmul(bench, true, true);
}

static Node *mask_future(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BHTS", {1, 1, 2, 2}}, COUNTING);
    return op_mask(&bench->tape, "y", x, NULL, true, 0);
}

static Node *mask_padding(Bench *bench) {
    static const int32_t IDS[] = {0, 5};
    Node *x = bench_floats(bench, (Shape){"BHTS", {1, 1, 2, 2}}, COUNTING);
    Node *keys = bench_ids(bench, (Shape){"BS", {1, 2}}, IDS);
    return op_mask(&bench->tape, "y", x, keys, false, 0);
}

// A query's own position lies at the end of the keys when there are more keys than queries.
static Node *mask_later_queries(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BHTS", {1, 1, 1, 3}}, COUNTING);
    return op_mask(&bench->tape, "y", x, NULL, true, 0);
}

static Node *softmax(Bench *bench) {
    return op_softmax(&bench->tape, "y", bench_floats(bench, (Shape){"TS", {2, 2}}, HALF_HIDDEN));
}

static Node *attention(Bench *bench, bool causal, const int32_t *keys) {
    Shape shape = {"BTC", {1, 2, 1}};
    Node *q = bench_floats(bench, shape, ODDS);
    Node *k = bench_floats(bench, shape, KEYS);
    Node *v = bench_floats(bench, shape, VALUES);
    Node *key_ids = keys == NULL ? NULL : bench_ids(bench, (Shape){"BS", {1, 2}}, keys);
    OpArguments arguments = {.attention = {.n_heads = 1, .scale = 1.0F, .causal = causal}};
    return op_attention(&bench->tape, "y", q, k, v, key_ids, &arguments);
}

// The first of three kept rows was there before; the run writes the second.
static Node *cache(Bench *bench) {
    static const float KEPT[] = {1, 2, 0, 0, 9, 9};
    static const int32_t POSITIONS[] = {1};
    Node *x = bench_floats(bench, (Shape){"BTC", {1, 1, 3}}, COUNTING);
    Node *positions = bench_ids(bench, (Shape){"BT", {1, 1}}, POSITIONS);
    return op_cache(&bench->tape, "y", x, positions, 1, (Shape){"BSC", {1, 3, 2}},
                    bench_memory(bench, KEPT, 6));
}

// One row is at its beginning, one goes on after position 1.
static Node *carry(Bench *bench) {
    static const float KEPT[] = {0, 0, 0, 0, 9, 9, 5, 6};
    static const int32_t POSITIONS[] = {0, 2};
    Node *first = bench_floats(bench, (Shape){"BTC", {1, 1, 2}}, COUNTING);
    Node *positions = bench_ids(bench, (Shape){"BT", {2, 1}}, POSITIONS);
    return op_carry(&bench->tape, "y", first, positions, 2, bench_memory(bench, KEPT, 8));
}

// Scores 0 and ln 3 of two keys, the third being later: weights 1/4 and 3/4 of the values 4 and 8.
static Node *cached_attention(Bench *bench) {
    static const float LATER_KEYS[] = {0, 1, 50};
    static const float LATER_VALUES[] = {4, 8, 99};
    static const int32_t POSITIONS[] = {1};
    Node *q = bench_floats(bench, (Shape){"BTC", {1, 1, 1}}, ODDS + 1);
    Node *k = bench_floats(bench, (Shape){"BSC", {1, 3, 1}}, LATER_KEYS);
    Node *v = bench_floats(bench, (Shape){"BSC", {1, 3, 1}}, LATER_VALUES);
    Node *positions = bench_ids(bench, (Shape){"BT", {1, 1}}, POSITIONS);
    OpArguments arguments = {.attention = {.n_heads = 1, .scale = 1.0F, .causal = true}};
    return op_cached_attention(&bench->tape, "y", q, k, v, positions, &arguments);
}

// Integers 2 and 3 with scale 0.5, 4 and 5 with scale 2; the second output alone, plus a bias.
static Node *quantized_linear(Bench *bench) {
    static const int8_t VALUES_INT8[2 * QUANTIZED_GROUP] = {
        [0] = 2, [1] = 3, [QUANTIZED_GROUP] = 4, [QUANTIZED_GROUP + 1] = 5};
    static const float SCALES[] = {0.5F, 2.0F};
    static const QuantizedMatrix MATRIX = {WEIGHT_INT8, 2, 2, QUANTIZED_GROUP, VALUES_INT8, SCALES};
    Node *x = bench_floats(bench, (Shape){"TC", {2, 2}}, COUNTING);
    Node *bias = bench_floats(bench, (Shape){"F", {1}}, TENS);
    return op_quantized_linear(&bench->tape, "y", x, bench_matrix(bench, &MATRIX), 1, 1, bias, "F");
}

static Node *quantized_to_bf16(Bench *bench) {
    static const uint16_t BITS[2 * QUANTIZED_GROUP] = {[0] = 0x3F80, [1] = 0x4000}; // 1 and 2
    static const QuantizedMatrix MATRIX = {WEIGHT_BF16, 2, 2, QUANTIZED_GROUP, BITS, NULL};
    Node *x = bench_floats(bench, (Shape){"TC", {1, 2}}, COUNTING);
    return op_quantized_linear(&bench->tape, "y", x, bench_matrix(bench, &MATRIX), 0, 2, NULL, "F");
}

static Node *attention_all(Bench *bench) {
    return attention(bench, false, NULL);
}

static Node *attention_causal(Bench *bench) {
    return attention(bench, true, NULL);
}

static Node *attention_padding(Bench *bench) {
    static const int32_t IDS[] = {0, 5};
    return attention(bench, false, IDS);
}

static Node *attention_in_one(Bench *bench) {
    Node *qkv = bench_floats(bench, (Shape){"BT3C", {1, 2, 3}}, QKV);
    OpArguments arguments = {
        .attention = {.n_heads = 1, .first_k = 1, .first_v = 2, .scale = 1.0F}};
    return op_attention(&bench->tape, "y", qkv, qkv, qkv, NULL, &arguments);
}

static Node *norm(Bench *bench, int C, const float *x, float eps, NormKind kind) {
    return op_layer_norm(&bench->tape, "y", bench_floats(bench, (Shape){"BTC", {1, 1, C}}, x),
                         bench_floats(bench, (Shape){"C", {C}}, COUNTING),
                         bench_floats(bench, (Shape){"C", {C}}, TENS), eps, kind);
}

static Node *layer_norm_standard(Bench *bench) {
    return norm(bench, 4, STEP_UP, 0.0F, NORM_STANDARD);
}

static Node *layer_norm_annotated(Bench *bench) {
    return norm(bench, 3, RAMP, 2.0F, NORM_ANNOTATED); // the sample deviation is 2
}

static Node *relu(Bench *bench) {
    return op_relu(&bench->tape, "y", bench_floats(bench, (Shape){"C", {3}}, MIXED));
}

static Node *gelu(Bench *bench) {
    static const float X[] = {1, -1, 0};
    return op_gelu(&bench->tape, "y", bench_floats(bench, (Shape){"C", {3}}, X));
}

// Kept are the elements whose draw is at least p. Seed 0, step 0, the tape's first dropout draw
// 0.24, 0.29, 0.99, 0.48 for the first item and 0.68, 0.00, 0.23, 0.75 for the second.
static Node *dropout(Bench *bench) {
    Node *x = bench_floats(bench, (Shape){"BC", {2, 4}}, COUNTING);
    return op_dropout(&bench->tape, "y", x, 0.5F);
}

static Node *log_softmax(Bench *bench) {
    return op_log_softmax(&bench->tape, "y", bench_floats(bench, (Shape){"TV", {1, 2}}, ODDS));
}

static Node *loss(Bench *bench, bool fused, int rows, int V, const float *scores,
                  const int32_t *labels, float smoothing, int pad_id) {
    Node *x = bench_floats(bench, (Shape){"BTV", {1, rows, V}}, scores);
    Node *y = bench_ids(bench, (Shape){"BT", {1, rows}}, labels);
    return fused ? op_cross_entropy(&bench->tape, "y", x, y, smoothing, pad_id)
                 : op_loss(&bench->tape, "y", x, y, smoothing, pad_id);
}

static const int32_t LABELS_1_2[] = {1, 2};
static const int32_t LABELS_2[] = {2, 0, -1};

static Node *loss_plain(Bench *bench) {
    return loss(bench, false, 2, 3, MINUS, LABELS_1_2, 0.0F, -1);
}

static const float ALL_MINUS_ONE[] = {-1, -1, -1, -1, -1, -9, -9, -9, -9, -9, -7, -7, -7, -7, -7};

// One label, one of padding, one that says "none".
static Node *loss_smoothed(Bench *bench) {
    return loss(bench, false, 3, 5, ALL_MINUS_ONE, LABELS_2, 0.4F, 0);
}

static Node *cross_entropy(Bench *bench) {
    return loss(bench, true, 1, 2, ODDS, LABELS_1_2, 0.0F, -1);
}

static Node *cross_entropy_smoothed(Bench *bench) {
    return loss(bench, true, 3, 5, ALL_MINUS_ONE, LABELS_2, 0.4F, 0);
}

const OpCase OP_CASES_FORWARD[] = {
    {"parameter", parameter, OP_PARAMETER, 3, {1, 2, 3}},
    {"ids", ids, OP_IDS, 3, {7, 0, 5}},
    {"constant", constant, OP_CONSTANT, 2, {2.5F, 2.5F}},
    {"sinusoid",
     sinusoid,
     OP_SINUSOID,
     8,
     {0, 1, 0, 1, 0.841470985F, 0.540302306F, 0.00999983333F, 0.999950000F}},
    {"embedding", embedding, OP_EMBEDDING, 4, {10, 12, 2, 4}},
    {"rows", slice_rows, OP_SLICE_ROWS, 4, {3, 4, 5, 6}},
    {"add a row", add, OP_ADD, 4, {11, 22, 13, 24}},
    {"x + x", add_to_itself, OP_ADD, 4, {2, 4, 6, 8}},
    {"linear, weight (O,C)", linear_out_in, OP_LINEAR, 2, {15, 31}},
    {"linear, weight (C,O)", linear_in_out, OP_LINEAR, 4, {7, 10, 15, 22}},
    {"two heads", split_heads, OP_SPLIT_HEADS, 8, {0, 1, 4, 5, 2, 3, 6, 7}},
    {"second half", split_second_half, OP_SPLIT_HEADS, 4, {2, 3, 6, 7}},
    {"two heads", merge_heads, OP_MERGE_HEADS, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"two parts", merge_two, OP_MERGE_HEADS, 8, {1, 2, 10, 20, 3, 4, 30, 40}},
    {"concat", concat, OP_CONCAT, 6, {1, 10, 20, 2, 30, 40}},
    {"a b", matmul_plain, OP_MATMUL, 4, {9.5F, 11, 21.5F, 25}},
    {"a bᵀ", matmul_b, OP_MATMUL, 4, {8.5F, 11.5F, 19.5F, 26.5F}},
    {"aᵀ b", matmul_a, OP_MATMUL, 4, {13, 15, 19, 22}},
    {"aᵀ bᵀ", matmul_both, OP_MATMUL, 4, {11.5F, 15.5F, 17, 23}},
    {"future", mask_future, OP_MASK, 4, {1, -INFINITY, 3, 4}},
    {"padding", mask_padding, OP_MASK, 4, {-INFINITY, 2, -INFINITY, 4}},
    {"the last of three", mask_later_queries, OP_MASK, 3, {1, 2, 3}},
    {"softmax", softmax, OP_SOFTMAX, 4, {0.25F, 0.75F, 0, 0}},
    {"all keys", attention_all, OP_ATTENTION, 2, {6, 7}},
    {"the second row of three", cache, OP_CACHE, 6, {1, 2, 2, 3, 9, 9}},
    {"first, and what position 1 left", carry, OP_CARRY, 4, {1, 2, 5, 6}},
    {"two of three kept keys", cached_attention, OP_CACHED_ATTENTION, 1, {7}},
    {"int8", quantized_linear, OP_QUANTIZED_LINEAR, 2, {38, 74}},
    {"bf16", quantized_to_bf16, OP_QUANTIZED_LINEAR, 2, {5, 0}},
    {"causal", attention_causal, OP_ATTENTION, 2, {4, 7}},
    {"padding", attention_padding, OP_ATTENTION, 2, {8, 8}},
    {"[q | k | v]", attention_in_one, OP_ATTENTION, 2, {6, 7}},
    {"standard", layer_norm_standard, OP_LAYER_NORM, 4, {9, 18, 33, 44}},
    {"annotated", layer_norm_annotated, OP_LAYER_NORM, 3, {9.5F, 20, 31.5F}},
    {"relu", relu, OP_RELU, 3, {0, 0, 2}},
    {"gelu", gelu, OP_GELU, 3, {0.841191991F, -0.158808009F, 0}},
    {"dropout", dropout, OP_DROPOUT, 8, {0, 0, 6, 0, 10, 0, 0, 16}},
    {"log-softmax", log_softmax, OP_LOG_SOFTMAX, 2, {-1.38629436F, -0.287682072F}},
    {"cross-entropy", loss_plain, OP_LOSS, 1, {4}},
    {"KL of a smoothed target", loss_smoothed, OP_LOSS, 1, {-0.112456582F}},
    {"cross-entropy", cross_entropy, OP_CROSS_ENTROPY, 1, {0.287682072F}},
    // The logits of the row are alike: ln 5 instead of 1.
    {"KL, fused", cross_entropy_smoothed, OP_CROSS_ENTROPY, 1, {0.49698133F}},
};
const int N_OP_CASES_FORWARD = sizeof OP_CASES_FORWARD / sizeof OP_CASES_FORWARD[0];
