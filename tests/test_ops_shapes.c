// test_ops_shapes.c - what each op's shape rule refuses, and the sentence it says.
#include "tests/support_ops.h"

#include <stdio.h>
#include <string.h>

static Node *floats(Bench *bench, const char *axes, int a, int b, int c) {
    Shape shape = {"", {a, b, c}};
    memcpy(shape.axes, axes, strlen(axes) + 1);
    return bench_floats(bench, shape, NULL);
}

static Node *ids(Bench *bench, int a, int b) {
    return bench_ids(bench, (Shape){"BT", {a, b}}, NULL);
}

static Node *append(Bench *bench, OpKind op, Node *a, Node *b) {
    Node *inputs[] = {a, b};
    return tape_append(&bench->tape, op, "y", inputs, 2, NULL);
}

static Node *rows_past_the_end(Bench *bench) {
    return op_slice_rows(&bench->tape, "y", floats(bench, "TC", 3, 2, 0), 2, 2, "T");
}

static Node *rows_before_the_start(Bench *bench) {
    return op_slice_rows(&bench->tape, "y", floats(bench, "TC", 3, 2, 0), -1, 2, "T");
}

static Node *add_other_width(Bench *bench) {
    return op_add(&bench->tape, "y", floats(bench, "TC", 3, 2, 0), floats(bench, "C", 3, 0, 0));
}

static Node *add_larger_second(Bench *bench) {
    return op_add(&bench->tape, "y", floats(bench, "C", 2, 0, 0), floats(bench, "TC", 3, 2, 0));
}

static Node *linear_other_width(Bench *bench) {
    return op_linear(&bench->tape, "y", floats(bench, "BTC", 2, 3, 4), floats(bench, "OC", 5, 3, 0),
                     NULL, true, "O");
}

static Node *linear_transposed(Bench *bench) {
    return op_linear(&bench->tape, "y", floats(bench, "BTC", 2, 3, 4), floats(bench, "OC", 5, 4, 0),
                     NULL, false, "O");
}

static Node *linear_other_bias(Bench *bench) {
    return op_linear(&bench->tape, "y", floats(bench, "BTC", 2, 3, 4), floats(bench, "OC", 5, 4, 0),
                     floats(bench, "O", 4, 0, 0), true, "O");
}

static Node *cache_of_other_rows(Bench *bench) {
    return op_cache(&bench->tape, "y", floats(bench, "BTC", 2, 3, 4), ids(bench, 2, 2), 0,
                    (Shape){"BSC", {2, 5, 4}}, array_none());
}

static Node *carry_of_other_rows(Bench *bench) {
    return op_carry(&bench->tape, "y", floats(bench, "BTC", 2, 1, 4), ids(bench, 3, 1), 5,
                    array_none());
}

static Node *cached_attention_of_other_keys(Bench *bench) {
    OpArguments arguments = {.attention = {.n_heads = 1}};
    return op_cached_attention(&bench->tape, "y", floats(bench, "BTC", 2, 3, 4),
                               floats(bench, "BSC", 2, 9, 4), floats(bench, "BSC", 2, 8, 4),
                               ids(bench, 2, 3), &arguments);
}

static Node *quantized_other_width(Bench *bench) {
    static const QuantizedMatrix MATRIX = {.format = WEIGHT_INT8, .N = 3, .K = 5};
    return op_quantized_linear(&bench->tape, "y", floats(bench, "TC", 3, 4, 0), &MATRIX, 0, 3, NULL,
                               "F");
}

static Node *heads_that_do_not_divide(Bench *bench) {
    return op_split_heads(&bench->tape, "y", floats(bench, "BTC", 2, 3, 8), 3, 0, 1);
}

static Node *merge_of_other_rank(Bench *bench) {
    Node *x = floats(bench, "BTC", 2, 3, 8);
    return op_merge_heads(&bench->tape, "y", &x, 1);
}

static Node *concat_of_other_rows(Bench *bench) {
    Node *inputs[] = {floats(bench, "TC", 3, 2, 0), floats(bench, "TC", 4, 2, 0)};
    return op_concat(&bench->tape, "y", inputs, 2, "C");
}

static Node *columns_past_the_end(Bench *bench) {
    OpArguments arguments = {.columns = {.first = 1, .count = 2, .axis = "C"}};
    Node *x = floats(bench, "TC", 3, 2, 0);
    return tape_append(&bench->tape, OP_COLUMNS, "y", &x, 1, &arguments);
}

static Node *matmul_inner(Bench *bench) {
    return op_matmul(&bench->tape, "y", floats(bench, "BTC", 2, 3, 4),
                     floats(bench, "BTC", 2, 3, 4), false, false, 1.0F);
}

static Node *matmul_batch(Bench *bench) {
    return op_matmul(&bench->tape, "y", floats(bench, "BTC", 2, 3, 4),
                     floats(bench, "BTC", 3, 3, 4), false, true, 1.0F);
}

static Node *mask_of_other_keys(Bench *bench) {
    Node *scores = bench_floats(bench, (Shape){"BHTS", {2, 1, 3, 4}}, NULL);
    return op_mask(&bench->tape, "y", scores, ids(bench, 2, 3), false, 0);
}

static Node *mask_of_floats(Bench *bench) {
    Node *scores = bench_floats(bench, (Shape){"BHTS", {2, 1, 3, 4}}, NULL);
    return op_mask(&bench->tape, "y", scores, floats(bench, "BS", 2, 4, 0), false, 0);
}

static Node *attention(Bench *bench, Node *q, Node *k, Node *v, Node *keys, int n_heads) {
    OpArguments arguments = {.attention = {.n_heads = n_heads, .scale = 1.0F}};
    return op_attention(&bench->tape, "y", q, k, v, keys, &arguments);
}

static Node *attention_heads(Bench *bench) {
    Node *x = floats(bench, "BTC", 2, 3, 8);
    return attention(bench, x, floats(bench, "BSC", 2, 4, 8), floats(bench, "BSC", 2, 4, 8), NULL,
                     3);
}

static Node *attention_key_width(Bench *bench) {
    return attention(bench, floats(bench, "BTC", 2, 3, 8), floats(bench, "BSC", 2, 4, 4),
                     floats(bench, "BSC", 2, 4, 4), NULL, 2);
}

static Node *attention_key_ids(Bench *bench) {
    return attention(bench, floats(bench, "BTC", 2, 3, 8), floats(bench, "BSC", 2, 4, 8),
                     floats(bench, "BSC", 2, 4, 8), ids(bench, 2, 3), 2);
}

static Node *attention_not_thirds(Bench *bench) {
    Node *x = floats(bench, "BTC", 2, 3, 8);
    return attention(bench, x, x, x, NULL, 1);
}

static Node *norm_of_other_width(Bench *bench) {
    return op_layer_norm(&bench->tape, "y", floats(bench, "TC", 3, 8, 0),
                         floats(bench, "C", 8, 0, 0), floats(bench, "C", 4, 0, 0), 1e-5F,
                         NORM_STANDARD);
}

static Node *norm_with_a_matrix(Bench *bench) {
    return op_layer_norm(&bench->tape, "y", floats(bench, "TC", 3, 8, 0),
                         floats(bench, "CC", 8, 8, 0), floats(bench, "C", 8, 0, 0), 1e-5F,
                         NORM_STANDARD);
}

static Node *embedding_by_floats(Bench *bench) {
    return op_embedding(&bench->tape, "y", floats(bench, "VC", 5, 2, 0),
                        floats(bench, "T", 3, 0, 0), 1.0F);
}

static Node *embedding_of_a_row(Bench *bench) {
    return op_embedding(&bench->tape, "y", floats(bench, "C", 5, 0, 0), ids(bench, 1, 3), 1.0F);
}

static Node *loss_of_too_few_labels(Bench *bench) {
    return op_loss(&bench->tape, "y", floats(bench, "BTV", 2, 3, 5), ids(bench, 2, 2), 0.0F, -1);
}

static Node *cross_entropy_of_too_few_labels(Bench *bench) {
    return op_cross_entropy(&bench->tape, "y", floats(bench, "BTV", 2, 3, 5), ids(bench, 2, 2),
                            0.0F, -1);
}

static Node *accumulate_other_shapes(Bench *bench) {
    return append(bench, OP_ACCUMULATE, floats(bench, "C", 3, 0, 0), floats(bench, "C", 4, 0, 0));
}

static Node *weight_grad_other_rows(Bench *bench) {
    return append(bench, OP_WEIGHT_GRAD, floats(bench, "TC", 3, 2, 0),
                  floats(bench, "TC", 4, 2, 0));
}

static Node *adamw_other_shapes(Bench *bench) {
    Node *w = floats(bench, "C", 3, 0, 0);
    AdamNodes nodes = {w, w, floats(bench, "C", 4, 0, 0), w, NULL};
    return op_adamw(&bench->tape, "y", &(AdamStep){.eps = 1.0F}, &nodes);
}

static Node *sgd_other_shapes(Bench *bench) {
    return op_sgd(&bench->tape, "y", floats(bench, "C", 3, 0, 0), floats(bench, "C", 4, 0, 0), 0.0F,
                  NULL);
}

static const OpRefusal REFUSALS[] = {
    {OP_SLICE_ROWS, rows_past_the_end, "rows 2 to 3 are wanted, there are 3"},
    {OP_SLICE_ROWS, rows_before_the_start, "rows -1 to 0 are wanted, there are 3"},
    {OP_ADD, add_other_width, "found (T,C) = (3,2), (C) = (3)"},
    {OP_ADD, add_larger_second, "found (C) = (2), (T,C) = (3,2)"},
    {OP_LINEAR, linear_other_width, "a weight (O,C), found (B,T,C) = (2,3,4), (O,C) = (5,3)"},
    {OP_LINEAR, linear_transposed, "a weight (C,O), found (B,T,C) = (2,3,4), (O,C) = (5,4)"},
    {OP_LINEAR, linear_other_bias, "a bias as long as the weight's output, found"},
    {OP_CACHE, cache_of_other_rows, "found (B,T,C) = (2,3,4), (B,T) = (2,2)"},
    {OP_CARRY, carry_of_other_rows, "and positions (B,1), found (B,T,C) = (2,1,4), (B,T) = (3,1)"},
    {OP_CACHED_ATTENTION, cached_attention_of_other_keys, "(B,S,C) = (2,9,4), (B,S,C) = (2,8,4)"},
    {OP_QUANTIZED_LINEAR, quantized_other_width, "as wide as the kept weight, found (T,C) = (3,4)"},
    {OP_SPLIT_HEADS, heads_that_do_not_divide, "3 heads do not divide the channels of (2,3,8)"},
    {OP_MERGE_HEADS, merge_of_other_rank,
     "parts (B,H,T,D) of equal shapes, found (B,T,C) = (2,3,8)"},
    {OP_CONCAT, concat_of_other_rows, "found (T,C) = (3,2), (T,C) = (4,2)"},
    {OP_COLUMNS, columns_past_the_end, "found (T,C) = (3,2)"},
    {OP_MATMUL, matmul_inner, "a (…,M,K) and b (…,K,N), found (B,T,C) = (2,3,4), (B,T,C)"},
    {OP_MATMUL, matmul_batch, "found (B,T,C) = (2,3,4), (B,T,C) = (3,3,4)"},
    {OP_MASK, mask_of_other_keys, "found (B,H,T,S) = (2,1,3,4), (B,T) = (2,3)"},
    {OP_MASK, mask_of_floats, "scores (B,H,T,S) and key ids (B,S)"},
    {OP_ATTENTION, attention_heads, "C a multiple of the heads"},
    {OP_ATTENTION, attention_key_width, "(B,T,C) = (2,3,8), (B,S,C) = (2,4,4)"},
    {OP_ATTENTION, attention_key_ids, "(B,T) = (2,3)"},
    {OP_ATTENTION, attention_not_thirds, "(B,T,C) = (2,3,8)"},
    {OP_LAYER_NORM, norm_of_other_width, "found (T,C) = (3,8), (C) = (8), (C) = (4)"},
    {OP_LAYER_NORM, norm_with_a_matrix, "found (T,C) = (3,8), (C,C) = (8,8)"},
    {OP_EMBEDDING, embedding_by_floats, "a table (V,C) and ids (B,T)"},
    {OP_EMBEDDING, embedding_of_a_row, "a table (V,C) and ids (B,T), found (C) = (5)"},
    {OP_LOSS, loss_of_too_few_labels, "found (B,T,V) = (2,3,5), (B,T) = (2,2)"},
    {OP_CROSS_ENTROPY, cross_entropy_of_too_few_labels, "(B,T) = (2,2)"},
    {OP_ACCUMULATE, accumulate_other_shapes,
     "gradients of the same shape, found (C) = (3), (C) = (4)"},
    {OP_WEIGHT_GRAD, weight_grad_other_rows, "as many rows in both"},
    {OP_ADAMW, adamw_other_shapes, "a parameter and a gradient of the same shape"},
    {OP_SGD, sgd_other_shapes, "a parameter and a gradient of the same shape"},
};
enum { N_REFUSALS = sizeof REFUSALS / sizeof REFUSALS[0] };

static bool is_tested[OP_COUNT];

// These get their shape from the op whose chain rule appends them, or have one of their own.
static bool takes_any(const Op *op) {
    return op->shape == op_shape_like_first || op->no_chain != NULL;
}

static void every_op_refuses_or_takes_any_shape(void **state) {
    (void)state;
    for (int i = 0; i < N_OP_REFUSALS_STEPS; i++) {
        is_tested[OP_REFUSALS_STEPS[i].op] = true;
    }
    for (int i = 0; i < N_REFUSALS; i++) {
        is_tested[REFUSALS[i].op] = true;
    }
    for (int op = 0; op < OP_COUNT; op++) {
        if (!is_tested[op] && !takes_any(OPS[op])) {
            fail_msg("%s: no test of what its shape rule refuses", OPS[op]->name);
        }
    }
}

static void check_refusal(const OpRefusal *refusal) {
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    tape_enter(&bench.tape, "encoder", SCOPE_ENCODER);
    const Node *node = refusal->build(&bench);
    const char *text = bench.tape.err.text;
    char start[64];
    snprintf(start, sizeof start, "encoder.y: %s: ", OPS[refusal->op]->name);
    if (node != NULL || strncmp(text, start, strlen(start)) != 0 ||
        strstr(text, refusal->sentence) == NULL) {
        fail_msg("expected \"%s ... %s\", found \"%s\"", start, refusal->sentence, text);
    }
    bench_close(&bench);
}

static void wrong_shapes_are_sentences(void **state) {
    (void)state;
    for (int i = 0; i < N_REFUSALS; i++) {
        check_refusal(&REFUSALS[i]);
    }
    for (int i = 0; i < N_OP_REFUSALS_STEPS; i++) {
        check_refusal(&OP_REFUSALS_STEPS[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_refuses_or_takes_any_shape),
        cmocka_unit_test(wrong_shapes_are_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
