// test_tape_steps.c - a tape run in pieces, and numbers set by a person.
#include "tests/support_tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void open_family(ModelBench *bench, FamilyKind family, TapeMode mode) {
    ModelConfig config = support_config(family);
    model_bench_open(bench, &config, mode, (BatchShape){2, 4, 3}, 1, 29);
}

// Every number of a watched tape, parameters too.
static float **copy_all(const Tape *tape) {
    float **copies = calloc((size_t)tape->n_nodes, sizeof *copies);
    assert_non_null(copies);
    for (int i = 0; i < tape->n_nodes; i++) {
        copies[i] = support_copy(tape->nodes[i]);
    }
    return copies;
}

static void free_all(float **copies, const Tape *tape) {
    for (int i = 0; i < tape->n_nodes; i++) {
        free(copies[i]);
    }
    free(copies);
}

static bool has_changed(float *const *before, const Node *node) {
    return memcmp(before[node->id], support_numbers(node), support_count(node) * sizeof(float)) !=
           0;
}

static void require_unchanged(float *const *before, const Tape *tape) {
    for (int i = 0; i < tape->n_nodes; i++) {
        if (has_changed(before, tape->nodes[i])) {
            fail_msg("%s has other bits than before", tape->nodes[i]->stage);
        }
    }
}

// ---- stepping

static void erase(const Tape *tape) {
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        if (node->op != OP_PARAMETER && node->op != OP_IDS && node->op != OP_CONSTANT) {
            memset(support_numbers(node), 0xff, support_count(node) * sizeof(float));
        }
    }
}

static void run_in_ranges(const Tape *tape) {
    for (int first = 0; first < tape->n_nodes; first += 7) {
        tape_run_range(tape, first, first + 7);
    }
}

static void run_within_no_time(const Tape *tape) {
    int next = 0;
    int n_calls = 1;
    int before = 0;
    while (!tape_run_for(tape, &next, 0.0)) {
        assert_true(next > before); // at least one node each time
        before = next;
        n_calls++;
    }
    assert_int_equal(n_calls, tape->n_program);
    assert_int_equal(next, tape->n_nodes);
}

static void run_at_once(const Tape *tape) {
    int next = 0;
    assert_true(tape_run_for(tape, &next, 1e9));
    assert_int_equal(next, tape->n_nodes);
    assert_true(tape_run_for(tape, &next, 0.0)); // nothing is left
}

static void back_and_forth(const Tape *tape) {
    int middle = tape->n_nodes / 2;
    tape_run_range(tape, 0, middle);
    for (int i = 0; i < tape->n_nodes; i++) {
        tape_run_range(tape, i > 5 ? i - 5 : 0, i + 1);
    }
}

static void running_in_pieces_is_running_at_once(void **state) {
    (void)state;
    static void (*const RUNS[])(const Tape *) = {run_in_ranges, run_within_no_time, run_at_once,
                                                 back_and_forth};
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelBench bench;
        open_family(&bench, (FamilyKind)i, TAPE_WATCH);
        const Tape *tape = &bench.built.tape;
        tape_run(tape);
        float **whole = copy_all(tape);
        for (size_t k = 0; k < sizeof RUNS / sizeof RUNS[0]; k++) {
            erase(tape);
            RUNS[k](tape);
            require_unchanged(whole, tape);
        }
        free_all(whole, tape);
        model_bench_close(&bench);
    }
}

static void a_trainers_tape_runs_in_pieces_too(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelBench bench;
        open_family(&bench, (FamilyKind)i, TAPE_TRAIN);
        const Tape *tape = &bench.built.tape;
        size_t n = bench.model.params.n_values;
        tape_run(tape);
        float *whole = malloc(n * sizeof *whole);
        assert_non_null(whole);
        memcpy(whole, tape_gradients(tape), n * sizeof *whole);
        run_within_no_time(tape);
        assert_true(support_same_bits(whole, tape_gradients(tape), n));
        run_in_ranges(tape);
        assert_true(support_same_bits(whole, tape_gradients(tape), n));
        free(whole);
        model_bench_close(&bench);
    }
}

// ---- edits

// What an edit can reach: readers of the node, their readers, and the parts that those write.
static bool *find_downstream(const Tape *tape, const Node *edited) {
    bool *reached = calloc((size_t)tape->n_nodes, sizeof *reached);
    assert_non_null(reached);
    reached[edited->id] = true;
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        for (int k = 0; k < node->n_inputs; k++) {
            reached[i] = reached[i] || reached[node->inputs[k]->id];
        }
    }
    return reached;
}

static void check_edit(ModelBench *bench, Node *node, size_t element, float value) {
    Tape *tape = &bench->built.tape;
    float **before = copy_all(tape);
    bool *reached = find_downstream(tape, node);
    tape_edit(tape, node, element, value);
    tape_run_range(tape, node->id, tape->n_nodes);
    assert_true(support_numbers(node)[element] == value);
    assert_true(has_changed(before, bench->built.nodes.logits) ||
                node->id > bench->built.nodes.logits->id);
    float **after = copy_all(tape);
    tape_run(tape); // the number is kept when its own node runs again
    require_unchanged(after, tape);
    for (int i = 0; i < tape->n_nodes; i++) {
        if (!reached[i] && has_changed(before, tape->nodes[i])) {
            fail_msg("an edit of %s changed %s", node->stage, tape->nodes[i]->stage);
        }
    }
    for (size_t i = 0; i < support_count(node); i++) {
        assert_true(i == element ||
                    support_same_bits(&before[node->id][i], &support_numbers(node)[i], 1));
    }
    assert_true(tape_undo(tape));
    assert_true(support_same_bits(&before[node->id][element], &support_numbers(node)[element], 1));
    tape_run_range(tape, node->id, tape->n_nodes);
    require_unchanged(before, tape);
    assert_false(tape_undo(tape));
    free_all(before, tape);
    free_all(after, tape);
    free(reached);
}

static void an_edit_changes_what_comes_after_it_and_undo_restores_every_bit(void **state) {
    (void)state;
    static const Role ROLES[] = {
        ROLE_EMBEDDING, ROLE_QUERY,  ROLE_SCORES, ROLE_PARAMETER, ROLE_ATTENTION_WEIGHTS,
        ROLE_HIDDEN,    ROLE_LOGITS, ROLE_POINTS, ROLE_ALPHA,     ROLE_DECISION};
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelBench bench;
        open_family(&bench, (FamilyKind)i, TAPE_WATCH);
        tape_run(&bench.built.tape);
        assert_true(tape_find_role(&bench.built.tape, ROLE_EMBEDDING, 0) != NULL ||
                    tape_find_role(&bench.built.tape, ROLE_POINTS, 0) != NULL);
        for (size_t k = 0; k < sizeof ROLES / sizeof ROLES[0]; k++) {
            Node *node = tape_find_role(&bench.built.tape, ROLES[k], 0);
            if (node == NULL) { // a family without attention
                continue;
            }
            // The last position sees all keys; of a table, a row that the tokens use.
            bool is_table = node->op == OP_PARAMETER && node->shape.axes[0] == 'V';
            int id = config_has_two_sides(&bench.model.config)
                         ? support_ids(bench.built.nodes.source)[0]
                         : support_ids(bench.built.nodes.tokens)[0];
            size_t element =
                is_table ? (size_t)(id * node->shape.sizes[1]) : support_count(node) - 1;
            check_edit(&bench, node, element, 2.5F);
        }
        check_edit(&bench, bench.built.nodes.logits->gradient, 3, -1.0F);
        model_bench_close(&bench);
    }
}

static void several_edits_of_a_cell_are_taken_back_one_by_one(void **state) {
    (void)state;
    ModelBench bench;
    open_family(&bench, FAMILY_GPT2, TAPE_WATCH);
    Tape *tape = &bench.built.tape;
    tape_run(tape);
    float **before = copy_all(tape);
    Node *weights = tape_find_role(tape, ROLE_ATTENTION_WEIGHTS, 1);
    Node *parameter = tape_find_role(tape, ROLE_PARAMETER, 2);
    float first = support_numbers(weights)[0];
    tape_edit(tape, weights, 0, 0.25F);
    tape_run(tape);
    tape_edit(tape, weights, 0, 0.75F);
    tape_edit(tape, parameter, 5, 4.0F);
    tape_edit(tape, weights, 1, 0.5F);
    tape_edit(tape, parameter, 5, 8.0F);
    tape_run(tape);
    assert_true(support_numbers(weights)[0] == 0.75F && support_numbers(weights)[1] == 0.5F);
    assert_true(support_numbers(parameter)[5] == 8.0F);
    assert_true(tape_undo(tape));
    assert_true(support_numbers(parameter)[5] == 4.0F);
    assert_true(tape_undo(tape));
    assert_true(support_numbers(weights)[0] == 0.75F && support_numbers(weights)[1] != 0.5F);
    assert_true(tape_undo(tape));
    assert_true(tape_undo(tape));
    assert_true(support_numbers(weights)[0] == 0.25F);
    tape_run(tape);
    assert_true(support_numbers(weights)[0] == 0.25F);
    assert_true(tape_undo(tape));
    assert_true(support_numbers(weights)[0] == first && !weights->edited);
    assert_false(tape_undo(tape));
    tape_run(tape);
    require_unchanged(before, tape);
    free_all(before, tape);
    model_bench_close(&bench);
}

// However often numbers are set, the list stays short, and the last ones are taken back one by one.
static void edits_that_nobody_takes_back_are_forgotten(void **state) {
    (void)state;
    enum { EDITS = 20000, CELLS = 7, BOUND = 4 * TAPE_UNDO_EDITS };
    ModelBench bench;
    open_family(&bench, FAMILY_ENCODER_DECODER, TAPE_WATCH);
    Tape *tape = &bench.built.tape;
    tape_run(tape);
    Node *node = tape_find_role(tape, ROLE_INPUT, 0);
    for (int i = 0; i < EDITS; i++) {
        tape_edit(tape, node, (size_t)(i % CELLS), (float)i);
        assert_in_range(tape->n_edits, 1, BOUND);
        assert_in_range(tape->edit_capacity, 1, BOUND);
    }
    for (int i = EDITS - 1; i >= EDITS - TAPE_UNDO_EDITS; i--) {
        assert_true(tape_number(tape, node, (size_t)(i % CELLS)) == (double)i);
        assert_true(tape_undo(tape));
    }
    tape_run_node(tape, node);
    for (int i = EDITS - TAPE_UNDO_EDITS - 1; i >= EDITS - TAPE_UNDO_EDITS - CELLS; i--) {
        assert_true(tape_number(tape, node, (size_t)(i % CELLS)) == (double)i);
    }
    model_bench_close(&bench);
}

static void clearing_edits_restores_every_bit(void **state) {
    (void)state;
    ModelBench bench;
    open_family(&bench, FAMILY_ENCODER_DECODER, TAPE_WATCH);
    Tape *tape = &bench.built.tape;
    tape_run(tape);
    float **before = copy_all(tape);
    for (int i = 0; i < 40; i++) {
        Node *node = tape->nodes[i * 5];
        bool is_id = node_holds_ids(node);
        tape_edit(tape, node, (size_t)i % support_count(node), is_id ? 5.0F : (float)i);
        tape_run(tape);
    }
    while (tape_undo(tape)) {
    }
    assert_int_equal(tape->n_edits, 0);
    tape_run(tape);
    require_unchanged(before, tape);
    free_all(before, tape);
    model_bench_close(&bench);
}

static void an_edited_token_is_looked_up_anew(void **state) {
    (void)state;
    ModelBench bench;
    open_family(&bench, FAMILY_STORY, TAPE_WATCH);
    Tape *tape = &bench.built.tape;
    Node *tokens = bench.built.nodes.tokens;
    const Node *table = tape_find(tape, "token_embedding.weight");
    const Node *embedding = tape_find(tape, "embedding");
    tape_run(tape);
    int32_t id = support_ids(tokens)[2];
    tape_edit(tape, tokens, 2, 1.0F);
    tape_run(tape);
    assert_int_equal(support_ids(tokens)[2], 1);
    assert_memory_equal(support_numbers(embedding) + 2 * 12, support_numbers(table) + 12,
                        12 * sizeof(float));
    assert_true(tape_undo(tape));
    assert_int_equal(support_ids(tokens)[2], id);
    model_bench_close(&bench);
}

static void an_edited_number_is_explained_as_set_by_a_person(void **state) {
    (void)state;
    ModelBench bench;
    Explanation explanation = {0};
    open_family(&bench, FAMILY_GPT2, TAPE_WATCH);
    Tape *tape = &bench.built.tape;
    tape_run(tape);
    Node *scores = tape_find_role(tape, ROLE_SCORES, 0);
    explain_cell(&explanation, tape, scores, 0);
    assert_int_equal(explanation.note, EXPLAIN_NOTE_NONE);
    tape_edit(tape, scores, 0, 7.0F);
    explain_cell(&explanation, tape, scores, 0);
    assert_int_equal(explanation.note, EXPLAIN_NOTE_EDITED);
    assert_true(explanation.stored == 7.0F);
    explain_cell(&explanation, tape, scores, 1);
    assert_int_equal(explanation.note, EXPLAIN_NOTE_NONE);
    tape_undo(tape);
    explain_cell(&explanation, tape, scores, 0);
    assert_int_equal(explanation.note, EXPLAIN_NOTE_NONE);
    explain_free(&explanation);
    model_bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_in_pieces_is_running_at_once),
        cmocka_unit_test(a_trainers_tape_runs_in_pieces_too),
        cmocka_unit_test(an_edit_changes_what_comes_after_it_and_undo_restores_every_bit),
        cmocka_unit_test(several_edits_of_a_cell_are_taken_back_one_by_one),
        cmocka_unit_test(edits_that_nobody_takes_back_are_forgotten),
        cmocka_unit_test(clearing_edits_restores_every_bit),
        cmocka_unit_test(an_edited_token_is_looked_up_anew),
        cmocka_unit_test(an_edited_number_is_explained_as_set_by_a_person),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
