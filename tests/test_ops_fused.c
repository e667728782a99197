// test_ops_fused.c - one node for several: the same numbers and gradients; dropout's draws.
#include "tests/support_tape.h"

#include <math.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>

// ---- attention

typedef struct AttentionCase {
    int B, T, S, H, D;
    bool causal;
    bool is_one;  // [q | k | v] in one row
    bool has_ids; // keys of padding: the last two of item 0, all of the last item
} AttentionCase;

static const AttentionCase ATTENTION_CASES[] = {
    {1, 1, 1, 1, 1, false, false, false},  {2, 3, 3, 2, 4, true, false, false},
    {2, 4, 6, 3, 2, false, false, false},  {2, 4, 6, 3, 2, true, false, false},
    {2, 6, 4, 2, 3, true, false, false},   {3, 4, 5, 2, 4, false, false, true},
    {3, 5, 5, 2, 4, true, false, true},    {2, 5, 5, 2, 4, true, true, false},
    {3, 5, 5, 3, 4, true, true, true},     {2, 5, 5, 1, 8, false, true, true},
    {1, 70, 70, 2, 16, true, true, false}, {2, 33, 70, 2, 8, true, false, true},
};
enum { N_ATTENTION_CASES = sizeof ATTENTION_CASES / sizeof ATTENTION_CASES[0] };
enum { MAX_KEY_IDS = 256, PAD = 0 };

typedef struct Inputs {
    Node *q, *k, *v, *keys;
} Inputs;

static Inputs append_inputs(Bench *bench, const AttentionCase *test, int32_t ids[MAX_KEY_IDS]) {
    Inputs inputs = {0};
    int C = test->H * test->D;
    if (test->is_one) {
        inputs.q = bench_floats(bench, (Shape){"BT3C", {test->B, test->T, 3 * C}}, NULL);
        inputs.k = inputs.q;
        inputs.v = inputs.q;
    } else {
        inputs.q = bench_floats(bench, (Shape){"BTC", {test->B, test->T, C}}, NULL);
        inputs.k = bench_floats(bench, (Shape){"BSC", {test->B, test->S, C}}, NULL);
        inputs.v = bench_floats(bench, (Shape){"BSC", {test->B, test->S, C}}, NULL);
    }
    if (test->has_ids) {
        assert_true(test->B * test->S <= MAX_KEY_IDS);
        for (int i = 0; i < test->B * test->S; i++) {
            bool is_hidden = i / test->S == test->B - 1 || (i < test->S && i >= test->S - 2);
            ids[i] = is_hidden ? PAD : 5;
        }
        inputs.keys = bench_ids(bench, (Shape){"BS", {test->B, test->S}}, ids);
    }
    return inputs;
}

static float scale_of(const AttentionCase *test) {
    return 1.0F / sqrtf((float)test->D);
}

static Node *append_separate(Bench *bench, const AttentionCase *test, const Inputs *inputs) {
    Tape *tape = &bench->tape;
    int n_parts = test->is_one ? 3 : 1;
    Node *q = op_split_heads(tape, "q", inputs->q, test->H, 0, n_parts);
    Node *k = op_split_heads(tape, "k", inputs->k, test->H, test->is_one ? 1 : 0, n_parts);
    Node *v = op_split_heads(tape, "v", inputs->v, test->H, test->is_one ? 2 : 0, n_parts);
    Node *scores = op_matmul(tape, "scores", q, k, false, true, scale_of(test));
    Node *masked = op_mask(tape, "masked", scores, inputs->keys, test->causal, PAD);
    Node *weights = op_softmax(tape, "weights", masked);
    Node *context = op_matmul(tape, "context", weights, v, false, false, 1.0F);
    return op_merge_heads(tape, "y", &context, 1);
}

static Node *append_fused(Bench *bench, const AttentionCase *test, const Inputs *inputs) {
    int C = test->H * test->D;
    OpArguments arguments = {.attention = {.n_heads = test->H,
                                           .first_k = test->is_one ? C : 0,
                                           .first_v = test->is_one ? 2 * C : 0,
                                           .scale = scale_of(test),
                                           .causal = test->causal,
                                           .pad_id = PAD}};
    return op_attention(&bench->tape, "y", inputs->q, inputs->k, inputs->v, inputs->keys,
                        &arguments);
}

static void compare(int number, const char *what, const Node *expected, const Node *found) {
    assert_true(shape_equal(&expected->shape, &found->shape));
    for (size_t i = 0; i < support_count(expected); i++) {
        double want = (double)support_numbers(expected)[i];
        double got = (double)support_numbers(found)[i];
        if (!(fabs(want - got) <= 3e-6 * fmax(1.0, fabs(want)))) {
            fail_msg("case %d: %s[%zu]: the separate nodes give %.9g, the fused one %.9g", number,
                     what, i, want, got);
        }
    }
}

static Node *open_attention(Bench *bench, const AttentionCase *test, bool is_fused,
                            int32_t ids[MAX_KEY_IDS]) {
    bench_open(bench, TAPE_WATCH);
    Inputs inputs = append_inputs(bench, test, ids);
    Node *y = is_fused ? append_fused(bench, test, &inputs) : append_separate(bench, test, &inputs);
    const Node *loss = bench_append_loss(bench, y);
    bench_start(bench);
    bench_draw(bench, 7);
    bench_weigh_loss(&bench->tape, loss, 8);
    tape_run(&bench->tape);
    return y;
}

static void check_attention(int number) {
    const AttentionCase *test = &ATTENTION_CASES[number];
    int32_t ids[MAX_KEY_IDS];
    Bench separate;
    Bench fused;
    const Node *expected = open_attention(&separate, test, false, ids);
    const Node *found = open_attention(&fused, test, true, ids);
    compare(number, "y", expected, found);
    const char *names[] = {test->is_one ? "d[q|k|v]" : "dq", "dk", "dv"};
    for (int i = 0; i < (test->is_one ? 1 : 3); i++) {
        compare(number, names[i], separate.given[i]->gradient, fused.given[i]->gradient);
    }
    bench_close(&separate);
    bench_close(&fused);
}

static void fused_attention_is_the_separate_nodes(void **state) {
    (void)state;
    for (int i = 0; i < N_ATTENTION_CASES; i++) {
        check_attention(i);
    }
}

static bool is_all_zero(const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (x[i] != 0.0F) {
            return false;
        }
    }
    return true;
}

static void a_query_that_sees_no_key_gives_and_gets_nothing(void **state) {
    (void)state;
    for (int is_fused = 0; is_fused < 2; is_fused++) {
        // Of 6 queries on 4 keys the first two come before every key; the last item is padding.
        const AttentionCase test = {3, 6, 4, 2, 3, true, false, true};
        int32_t ids[MAX_KEY_IDS];
        Bench bench;
        const Node *y = open_attention(&bench, &test, is_fused == 1, ids);
        size_t item = (size_t)test.T * 6;
        size_t key_item = (size_t)test.S * 6;
        assert_true(is_all_zero(support_numbers(y), 2 * 6));
        assert_false(is_all_zero(support_numbers(y) + 2 * 6, 6));
        assert_true(is_all_zero(support_numbers(y) + 2 * item, item));
        assert_true(is_all_zero(support_numbers(bench.given[0]->gradient), 2 * 6));
        assert_true(is_all_zero(support_numbers(bench.given[0]->gradient) + 2 * item, item));
        assert_true(
            is_all_zero(support_numbers(bench.given[1]->gradient) + 2 * key_item, key_item));
        assert_true(
            is_all_zero(support_numbers(bench.given[2]->gradient) + 2 * key_item, key_item));
        assert_true(
            is_all_zero(support_numbers(bench.given[2]->gradient) + 2 * 6, 2 * 6)); // hidden keys
        bench_close(&bench);
    }
}

// ---- cross-entropy

typedef struct LossCase {
    int rows, V;
    float smoothing;
    int pad_id;
    int32_t labels[6];
    float size; // of the logits
} LossCase;

static const LossCase LOSS_CASES[] = {
    {1, 2, 0.0F, -1, {1}, 1.0F},           {4, 7, 0.0F, -1, {0, 6, 3, 3}, 1.0F},
    {4, 7, 0.0F, 0, {0, 6, 0, 3}, 1.0F},   {4, 7, 0.1F, 0, {0, 6, 0, 3}, 1.0F},
    {4, 7, 0.1F, -1, {0, 6, -1, 3}, 1.0F}, {6, 5, 0.4F, 0, {2, 1, 0, 4, -1, 2}, 1.0F},
    {3, 40, 0.3F, 2, {2, 2, 2}, 1.0F},     {4, 40, 0.3F, 39, {5, 39, 2, -1}, 40.0F},
    {3, 3, 0.2F, 0, {1, 2, 1}, 5000.0F},
};

static Node *open_loss(Bench *bench, const LossCase *test, bool is_fused) {
    bench_open(bench, TAPE_WATCH);
    Tape *tape = &bench->tape;
    Node *logits = bench_floats(bench, (Shape){"TV", {test->rows, test->V}}, NULL);
    Node *labels = bench_ids(bench, (Shape){"T", {test->rows}}, test->labels);
    Node *y = is_fused ? op_cross_entropy(tape, "y", logits, labels, test->smoothing, test->pad_id)
                       : op_loss(tape, "y", op_log_softmax(tape, "log_probs", logits), labels,
                                 test->smoothing, test->pad_id);
    gradient_append(tape, y);
    bench_start(bench);
    bench_draw(bench, 3);
    for (size_t i = 0; i < support_count(logits); i++) {
        support_numbers(logits)[i] *= test->size;
    }
    tape_run(tape);
    assert_true(isfinite(support_numbers(y)[0]));
    return y;
}

static void fused_cross_entropy_is_log_softmax_and_loss(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof LOSS_CASES / sizeof LOSS_CASES[0]; i++) {
        Bench separate;
        Bench fused;
        const Node *expected = open_loss(&separate, &LOSS_CASES[i], false);
        const Node *found = open_loss(&fused, &LOSS_CASES[i], true);
        compare((int)i, "loss", expected, found);
        compare((int)i, "dlogits", separate.given[0]->gradient, fused.given[0]->gradient);
        bench_close(&separate);
        bench_close(&fused);
    }
}

// The gradient of log_probs is -target / number of labels: the smoothed target, row by row.
static void the_smoothed_target_is_the_papers(void **state) {
    (void)state;
    static const int32_t LABELS[] = {2};
    static const float TARGET[] = {0.0F, 0.4F / 3.0F, 0.6F, 0.4F / 3.0F, 0.4F / 3.0F};
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    Node *log_probs = bench_floats(&bench, (Shape){"TV", {1, 5}}, NULL);
    Node *labels = bench_ids(&bench, (Shape){"T", {1}}, LABELS);
    gradient_append(&bench.tape, op_loss(&bench.tape, "y", log_probs, labels, 0.4F, 0));
    bench_run(&bench);
    for (int c = 0; c < 5; c++) {
        assert_true(fabsf(-support_numbers(log_probs->gradient)[c] - TARGET[c]) < 1e-7F);
    }
    bench_close(&bench);
}

// ---- dropout

enum { N_DROPPED = 4096, N_ITEMS = 4, ITEM_SIZE = N_DROPPED / N_ITEMS };

// A dropout of items first .. first + n_items - 1, after others on the same tape.
static Node *open_dropout(Bench *bench, int n_items, int n_before) {
    bench_open(bench, TAPE_WATCH);
    Node *x = bench_floats(bench, (Shape){"BC", {n_items, ITEM_SIZE}}, NULL);
    op_constant(&bench->tape, "before", (Shape){"", {0}}, 0.0F); // other ops do not matter
    for (int i = 0; i < n_before; i++) {
        op_dropout(&bench->tape, "before", x, 0.3F);
    }
    Node *y = op_dropout(&bench->tape, "y", x, 0.3F);
    Node *loss = bench_append_loss(bench, y);
    bench_start(bench);
    bench_draw(bench, 11);
    bench_weigh_loss(&bench->tape, loss, 12);
    return y;
}

static float *draw_of(uint64_t seed, uint64_t step, int n_before) {
    Bench bench;
    const Node *y = open_dropout(&bench, N_ITEMS, n_before);
    bench.tape.seed = seed;
    tape_set_draw(&bench.tape, step);
    tape_run(&bench.tape);
    float *copy = support_copy(y);
    bench_close(&bench);
    return copy;
}

static bool differs(const float *a, float *b) {
    bool is_other = !support_same_bits(a, b, N_DROPPED);
    free(b);
    return is_other;
}

static void dropout_is_a_pure_function_of_seed_step_node_and_element(void **state) {
    (void)state;
    float *first = draw_of(1, 2, 0);
    assert_false(differs(first, draw_of(1, 2, 0)));
    assert_true(differs(first, draw_of(2, 2, 0)));
    assert_true(differs(first, draw_of(1, 3, 0)));
    assert_true(differs(first, draw_of(1, 2, 1)));
    free(first);
}

// One item at a time, as many processes or micro-batches would run them.
static void parts_of_a_batch_drop_what_the_whole_drops(void **state) {
    (void)state;
    Bench whole;
    Bench part;
    const Node *y = open_dropout(&whole, N_ITEMS, 0);
    const Node *y_part = open_dropout(&part, 1, 0);
    tape_run(&whole.tape);
    bool differs_from_first = false;
    for (int item = 0; item < N_ITEMS; item++) {
        const float *expected = support_numbers(y) + (ptrdiff_t)item * ITEM_SIZE;
        size_t size_bytes = ITEM_SIZE * sizeof(float);
        StepBlock now = part.tape.now;
        now.first_item = (uint64_t)item;
        tape_set_step(&part.tape, &now);
        memcpy(support_numbers(part.given[0]),
               support_numbers(whole.given[0]) + (ptrdiff_t)item * ITEM_SIZE, size_bytes);
        tape_run(&part.tape);
        assert_memory_equal(support_numbers(y_part), expected, size_bytes);
        for (int i = 0; i < ITEM_SIZE; i++) {
            differs_from_first |= (expected[i] == 0.0F) != (support_numbers(y)[i] == 0.0F);
        }
    }
    assert_true(differs_from_first);
    bench_close(&whole);
    bench_close(&part);
}

static void dropouts_gradient_uses_the_same_draw(void **state) {
    (void)state;
    Bench bench;
    const Node *y = open_dropout(&bench, N_ITEMS, 0);
    const float *x = support_numbers(bench.given[0]);
    const float *dx = support_numbers(bench.given[0]->gradient);
    const float *dy = support_numbers(y->gradient);
    for (uint64_t step = 0; step < 2; step++) {
        tape_set_draw(&bench.tape, step);
        tape_run(&bench.tape);
        int n_kept = 0;
        for (int i = 0; i < N_DROPPED; i++) {
            bool is_kept = support_numbers(y)[i] != 0.0F;
            n_kept += is_kept;
            float factor = is_kept ? 1.0F / 0.7F : 0.0F;
            assert_true(fabsf(support_numbers(y)[i] - x[i] * factor) < 1e-6F);
            assert_true(fabsf(dx[i] - dy[i] * factor) < 1e-6F);
        }
        // Five deviations of a draw of 4096 with p = 0.3.
        assert_true(abs(n_kept - 2867) < 147);
    }
    bench_close(&bench);
}

// What is taken away is told by the draw: a 0 that stays is still a 0.
static void a_kept_zero_is_explained_as_kept(void **state) {
    (void)state;
    enum { N = 40 };
    Bench bench;
    Explanation explanation = {0};
    bench_open(&bench, TAPE_WATCH);
    Node *x = bench_floats(&bench, (Shape){"BC", {2, N / 2}}, NULL);
    const Node *y = op_dropout(&bench.tape, "y", x, 0.5F);
    bench.tape.seed = 3;
    bench_start(&bench);
    bool is_kept[N];
    int n_kept = 0;
    for (int i = 0; i < N; i++) {
        support_numbers(x)[i] = 1.0F;
    }
    tape_run(&bench.tape);
    for (int i = 0; i < N; i++) {
        is_kept[i] = support_numbers(y)[i] != 0.0F;
        n_kept += is_kept[i];
        support_numbers(x)[i] = 0.0F;
    }
    tape_run(&bench.tape);
    for (size_t i = 0; i < N; i++) {
        explain_cell(&explanation, &bench.tape, y, i);
        assert_int_equal(explanation.note, is_kept[i] ? EXPLAIN_NOTE_KEPT : EXPLAIN_NOTE_DROPPED);
        assert_true(explanation.stored == 0.0F);
    }
    assert_true(n_kept > 5 && n_kept < N - 5);
    explain_free(&explanation);
    bench_close(&bench);
}

static void dropout_of_nothing_is_no_node(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    Node *x = bench_floats(&bench, (Shape){"C", {3}}, NULL);
    assert_ptr_equal(op_dropout(&bench.tape, "y", x, 0.0F), x);
    bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_attention_is_the_separate_nodes),
        cmocka_unit_test(a_query_that_sees_no_key_gives_and_gets_nothing),
        cmocka_unit_test(fused_cross_entropy_is_log_softmax_and_loss),
        cmocka_unit_test(the_smoothed_target_is_the_papers),
        cmocka_unit_test(dropout_is_a_pure_function_of_seed_step_node_and_element),
        cmocka_unit_test(parts_of_a_batch_drop_what_the_whole_drops),
        cmocka_unit_test(dropouts_gradient_uses_the_same_draw),
        cmocka_unit_test(a_kept_zero_is_explained_as_kept),
        cmocka_unit_test(dropout_of_nothing_is_no_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
