// test_explain.c - every number of whole models, redone from the printed text alone.
#include "tests/support_arithmetic.h"
#include "tests/support_tape.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tape/optimizer.h"
#include "engine/files/safetensors.h"

// What a cell's text is held to.
typedef struct Tally {
    long n_cells;
    double worst;    // |stored - redone| in parts of the bound
    double loosest;  // the bound in parts of the magnitude of the terms
    long n_damaged;  // texts in which one digit was changed
    long n_detected; // ... so that the result lies outside of the bound
} Tally;

// A bound wider than this would let faults through.
static const double LOOSEST = 1e-5;

static void fail_cell(const Node *node, size_t element, const char *text, const char *why) {
    char name[256];
    explain_cell_name(node, element, name, sizeof name);
    fail_msg("%s (%s): %s\n%.1200s", name, OPS[node->op]->name, why, text);
}

static bool agrees(double stored, const Redone *redone) {
    if (isinf(stored) || isinf(redone->value)) {
        return stored == redone->value;
    }
    if (redone->is_leaf) {
        return stored == (double)(float)redone->value;
    }
    return fabs(stored - redone->value) <= redone->bound;
}

static void check_text(Tally *tally, const Node *node, size_t element, const char *text) {
    double stored = node_holds_ids(node) ? (double)support_ids(node)[element]
                                         : (double)support_numbers(node)[element];
    Redone redone;
    Redone exact;
    if (!arithmetic_redo(text, ROUNDING_FLOAT32, &redone)) {
        fail_cell(node, element, text, redone.fault);
    }
    arithmetic_redo(text, ROUNDING_DIGITS, &exact);
    if (!agrees(stored, &redone)) {
        char why[160];
        snprintf(why, sizeof why, "stored %.9g, redone %.9g, bound %.3g", stored, redone.value,
                 redone.bound);
        fail_cell(node, element, text, why);
    }
    // The printed result was computed in double from the operands before they were printed.
    double off = fabs(redone.printed - redone.value);
    if (!isinf(redone.printed) && off > exact.bound + 6e-9 * fabs(redone.printed)) {
        fail_cell(node, element, text, "the printed result is not that of the printed operands");
    }
    tally->n_cells++;
    if (redone.is_leaf || isinf(redone.value) || redone.magnitude < 1e-30) {
        return;
    }
    if (!(redone.bound <= LOOSEST * redone.magnitude)) {
        char why[160];
        snprintf(why, sizeof why, "the bound %.3g is wide for terms of size %.3g", redone.bound,
                 redone.magnitude);
        fail_cell(node, element, text, why);
    }
    tally->worst = fmax(tally->worst, fabs(stored - redone.value) / redone.bound);
    tally->loosest = fmax(tally->loosest, redone.bound / redone.magnitude);
}

// The third significant digit of the number that begins there, NULL where it has fewer.
static char *third_digit(char *at) {
    int n_digits = 0;
    for (; isdigit((unsigned char)*at) || *at == '.'; at++) {
        n_digits += *at != '.' && (n_digits > 0 || *at != '0');
        if (n_digits == 3 && *at != '.') {
            return at;
        }
    }
    return NULL;
}

// Adds 3 to the third significant digit of the first operand of the last line that has one.
static bool damage(char *text) {
    char *line = text;
    for (char *end = strchr(line, '\n'); end != NULL && end[1] != '\0'; end = strchr(line, '\n')) {
        line = end + 1;
    }
    for (char *at = strstr(line, " = ") + 3; *at != '\n' && *at != '='; at++) {
        bool is_inside = isalnum((unsigned char)at[-1]) || at[-1] == '.' || at[-1] == '^';
        char *digit = is_inside ? NULL : third_digit(at);
        if (digit != NULL) {
            *digit = (char)('0' + (*digit - '0' + 3) % 10);
            return true;
        }
    }
    return false;
}

static void check_damage(Tally *tally, const Node *node, size_t element, const char *text) {
    char *damaged = strdup(text);
    Redone redone;
    if (damage(damaged)) {
        assert_true(arithmetic_redo(damaged, ROUNDING_FLOAT32, &redone));
        tally->n_damaged++;
        tally->n_detected += !agrees((double)support_numbers(node)[element], &redone);
    }
    free(damaged);
}

enum { MAX_CELLS = 4096 };

// Each cell of an expression is in the list, and counted there.
static void mark_cells(const Expr *expr, const ExplainCell *cells, int n, bool *marks) {
    bool is_listed = expr->node == NULL;
    for (int i = 0; i < n && !is_listed; i++) {
        is_listed = cells[i].node == expr->node && cells[i].element == expr->element;
        marks[i] = marks[i] || is_listed;
    }
    assert_true(is_listed);
    for (int i = 0; i < expr->n_terms; i++) {
        mark_cells(expr->terms[i], cells, n, marks);
    }
}

static long n_normalized; // cells of rows that are normalized

static void check_list_of_cells(const Explanation *explanation) {
    static ExplainCell in_order[MAX_CELLS];
    static ExplainCell by_size[MAX_CELLS];
    bool marks[MAX_CELLS] = {false};
    int n = explain_cells(explanation, in_order, MAX_CELLS, false);
    assert_true(n <= MAX_CELLS);
    assert_int_equal(explain_cells(explanation, by_size, MAX_CELLS, true), n);
    const Node *node = explanation->node;
    if (OPS[node->op]->normalizes && explanation->note == EXPLAIN_NOTE_NONE) {
        assert_true(by_size[0].element == explanation->element);
        assert_true(shape_equal(&by_size[0].node->shape, &node->shape));
        n_normalized++;
    }
    for (int i = 0; i < explanation->n_steps; i++) {
        mark_cells(explanation->steps[i].value, in_order, n, marks);
    }
    for (int i = 0; i < n; i++) {
        assert_true(marks[i]); // and nothing else is
        assert_true(i == 0 || by_size[i].weight <= by_size[i - 1].weight);
        for (int k = 0; k < i; k++) {
            assert_false(in_order[k].node == in_order[i].node &&
                         in_order[k].element == in_order[i].element);
        }
    }
}

static void check_node(Tally *tally, Explanation *explanation, const Tape *tape, const Node *node) {
    for (size_t i = 0; i < support_count(node); i++) {
        explain_cell(explanation, tape, node, i);
        const char *text = explain_text(explanation, EXPLAIN_ALL_TERMS);
        check_text(tally, node, i, text);
        const char *shortened = explain_text(explanation, EXPLAIN_TERMS);
        if (strcmp(shortened, text) != 0) {
            check_text(tally, node, i, shortened);
        }
        if (i % 11 == 0) {
            check_damage(tally, node, i, text);
            check_list_of_cells(explanation);
        }
    }
}

static void check_tape(const char *name, const Tape *tape) {
    Tally tally = {0};
    Explanation explanation = {0};
    for (int i = 0; i < tape->n_nodes; i++) {
        check_node(&tally, &explanation, tape, tape->nodes[i]);
    }
    explain_free(&explanation);
    double detected = (double)tally.n_detected / (double)tally.n_damaged;
    printf("%-30s %7ld texts, worst %.2f of the bound, bound at most %.1e of the terms, "
           "%.1f %% of %ld wrong digits found\n",
           name, tally.n_cells, tally.worst, tally.loosest, 100.0 * detected, tally.n_damaged);
    assert_true(tally.n_cells > 0);
    assert_true(n_normalized > 0);
    assert_true(tally.n_damaged > 0 && detected > 0.8); // the others are multiplied by 0
}

// ---- the cases of tests/reference

static Device *device;

static void set_ids(const Safetensors *file, const Tape *tape, const Node *node, const char *name) {
    const StoredTensor *tensor = safetensors_find(file, name);
    Error err = {""};
    assert_non_null(tensor);
    int32_t *ids = calloc(tensor->count, sizeof *ids);
    assert_non_null(ids);
    support_require(safetensors_copy_ints(tensor, ids, &err), &err);
    tape_set_ids(tape, node, ids);
    free(ids);
}

static BatchShape shape_of(const Safetensors *file, bool has_source) {
    const StoredTensor *tokens = safetensors_find(file, has_source ? "tgt.tokens" : "tokens");
    BatchShape shape = {.B = (int)tokens->sizes[0], .T = (int)tokens->sizes[1]};
    if (has_source) {
        shape.S = (int)safetensors_find(file, "src.tokens")->sizes[1];
    }
    return shape;
}

static void update(Optimizer *optimizer, Tape *tape) {
    tape_run(tape);
    optimizer_prepare(optimizer, tape, optimizer->config.lr);
    tape_run(tape);
}

// A second update on top of a first one, so that the running means are not 0.
static void check_case(const char *name, OptimizerKind kind, float clip) {
    Error err = {""};
    char folder[64];
    char path[96];
    Model model;
    ModelTape built;
    Safetensors file = {0};
    Optimizer optimizer;
    snprintf(folder, sizeof folder, "tests/reference/%s", name);
    snprintf(path, sizeof path, "%s/expected.safetensors", folder);
    support_require(model_load(&model, folder, &err), &err);
    support_require(safetensors_open(&file, path, &err), &err);
    bool has_source = config_has_two_sides(&model.config);
    support_require(model_tape_build(&built, &model, TAPE_WATCH, device,
                                     shape_of(&file, has_source), TAPE_GRADIENTS, &err),
                    &err);
    OptimizerConfig config = optimizer_defaults();
    config.kind = kind;
    config.clip = clip;
    assert_true(optimizer_init(&optimizer, &config, &model.params));
    optimizer_append(&optimizer, &built.tape);
    support_require(tape_allocate(&built.tape, &err), &err);
    set_ids(&file, &built.tape, built.nodes.tokens, has_source ? "tgt.tokens" : "tokens");
    set_ids(&file, &built.tape, built.nodes.labels, "labels");
    if (has_source) {
        set_ids(&file, &built.tape, built.nodes.source, "src.tokens");
    }
    update(&optimizer, &built.tape);
    optimizer_commit(&optimizer, &built.tape);
    update(&optimizer, &built.tape);
    check_tape(name, &built.tape);
    model_tape_free(&built);
    optimizer_free(&optimizer);
    safetensors_close(&file);
    model_free(&model);
}

static void every_number_of_the_toy_is_redone_from_its_text(void **state) {
    (void)state;
    check_case("translation-toy", OPTIMIZER_ADAMW, 0.0F);
}

static void smoothing_and_padding_too(void **state) {
    (void)state;
    check_case("translation-smoothed-padded", OPTIMIZER_ADAMW, 0.5F);
}

static void the_annotated_norm_too(void **state) {
    (void)state;
    check_case("translation-annotated-norm", OPTIMIZER_SGD, 0.0F);
}

static void the_story_forms_too(void **state) {
    (void)state;
    check_case("story-single-head", OPTIMIZER_ADAMW, 0.0F);
    check_case("story-sequential-heads", OPTIMIZER_SGD, 0.5F);
    check_case("story-parallel-heads", OPTIMIZER_ADAMW, 0.0F);
    check_case("story-no-mask", OPTIMIZER_ADAMW, 0.0F);
}

static void gpt2_too(void **state) {
    (void)state;
    check_case("gpt2-small", OPTIMIZER_ADAMW, 0.0F);
}

// ---- fused ops, which a watched model does not have

static void append_attention(Bench *bench, int T, int S, int C, bool is_one, bool causal,
                             const int32_t *ids) {
    Node *q = bench_floats(bench, (Shape){"BTC", {2, T, is_one ? 3 * C : C}}, NULL);
    Node *k = is_one ? q : bench_floats(bench, (Shape){"BSC", {2, S, C}}, NULL);
    Node *v = is_one ? q : bench_floats(bench, (Shape){"BSC", {2, S, C}}, NULL);
    Node *keys = ids == NULL ? NULL : bench_ids(bench, (Shape){"BS", {2, S}}, ids);
    OpArguments arguments = {.attention = {.n_heads = 2,
                                           .first_k = is_one ? C : 0,
                                           .first_v = is_one ? 2 * C : 0,
                                           .scale = 0.7F,
                                           .causal = causal}};
    bench_append_loss(bench, op_attention(&bench->tape, "y", q, k, v, keys, &arguments));
}

static void check_bench(Bench *bench, const char *name) {
    bench_start(bench);
    bench_draw(bench, 4);
    bench_weigh_loss(&bench->tape, bench->tape.loss, 5);
    tape_run(&bench->tape);
    check_tape(name, &bench->tape);
    bench_close(bench);
}

static void fused_attention_too(void **state) {
    (void)state;
    static const int32_t IDS[40] = {5, 0, 5, 5, 0, 0, 0, 0};
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    append_attention(&bench, 3, 4, 4, false, false, IDS); // the second item is padding
    check_bench(&bench, "attention, padding");
    bench_open(&bench, TAPE_WATCH);
    append_attention(&bench, 4, 4, 4, true, true, NULL);
    check_bench(&bench, "attention in one row, causal");
    bench_open(&bench, TAPE_WATCH);
    append_attention(&bench, 2, 20, 4, false, true, NULL);
    check_bench(&bench, "attention, many keys");
}

static void fused_cross_entropy_too(void **state) {
    (void)state;
    static const int32_t LABELS[] = {2, 0, 19, -1};
    for (int is_smoothed = 0; is_smoothed < 2; is_smoothed++) {
        Bench bench;
        bench_open(&bench, TAPE_WATCH);
        Node *logits = bench_floats(&bench, (Shape){"TV", {4, 20}}, NULL);
        Node *labels = bench_ids(&bench, (Shape){"T", {4}}, LABELS);
        float smoothing = is_smoothed == 1 ? 0.3F : 0.0F;
        bench_append_loss(&bench, op_cross_entropy(&bench.tape, "y", logits, labels, smoothing, 0));
        check_bench(&bench, "cross-entropy");
    }
}

static void dropout_too(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    Node *x = bench_floats(&bench, (Shape){"BC", {3, 10}}, NULL);
    bench.tape.seed = 5;
    tape_set_step(&bench.tape, &(StepBlock){.drops = 1, .draw = 6, .first_item = 7});
    bench_append_loss(&bench, op_dropout(&bench.tape, "y", x, 0.4F));
    check_bench(&bench, "dropout");
}

// ---- the text itself

static void long_sums_show_the_first_the_largest_the_last_and_the_rest(void **state) {
    (void)state;
    static const float X[20] = {1,  2,  3,  4,  5,  6,  -30, 8,  9,  10,
                                11, 12, 13, 14, 15, 16, 17,  18, 19, 20};
    static const float ONES[20] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.1F};
    Bench bench;
    Explanation explanation = {0};
    bench_open(&bench, TAPE_WATCH);
    Node *x = bench_floats(&bench, (Shape){"TC", {1, 20}}, X);
    Node *weight = bench_floats(&bench, (Shape){"OC", {1, 20}}, ONES);
    const Node *y = op_linear(&bench.tape, "y", x, weight, NULL, true, "O");
    bench_run(&bench);
    explain_cell(&explanation, &bench.tape, y, 0);
    assert_string_equal(explain_text(&explanation, EXPLAIN_TERMS),
                        "y[0,0] = 1·1 + … + -30·1 + … + 20·0.100000001 + (17 more: 182) = 155\n");
    ExplainCell largest[2];
    assert_int_equal(explain_cells(&explanation, largest, 2, true), 40);
    assert_int_equal(largest[0].element, 6);
    assert_int_equal(largest[1].element, 6);
    explain_free(&explanation);
    bench_close(&bench);
}

int main(void) {
    device = support_device_open(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_the_toy_is_redone_from_its_text),
        cmocka_unit_test(smoothing_and_padding_too),
        cmocka_unit_test(the_annotated_norm_too),
        cmocka_unit_test(the_story_forms_too),
        cmocka_unit_test(gpt2_too),
        cmocka_unit_test(fused_attention_too),
        cmocka_unit_test(fused_cross_entropy_too),
        cmocka_unit_test(dropout_too),
        cmocka_unit_test(long_sums_show_the_first_the_largest_the_last_and_the_rest),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(device);
    return failed;
}
