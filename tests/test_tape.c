// test_tape.c - building a tape: memory, shapes, scopes, roles, values used twice.
#include "tests/support_tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- memory

typedef struct Form {
    FamilyKind family;
    StoryHeads heads;
    bool norm_first;
    bool tied;
    float dropout;
    BatchShape shape;
} Form;

static const Form FORMS[] = {
    {FAMILY_ENCODER_DECODER, STORY_SINGLE, false, false, 0.0F, {2, 3, 4}},
    {FAMILY_ENCODER_DECODER, STORY_SINGLE, true, true, 0.2F, {3, 5, 2}},
    {FAMILY_STORY, STORY_SINGLE, false, false, 0.0F, {2, 4, 0}},
    {FAMILY_STORY, STORY_SEQUENTIAL, false, false, 0.0F, {1, 5, 0}},
    {FAMILY_STORY, STORY_PARALLEL, false, false, 0.0F, {2, 3, 0}},
    {FAMILY_GPT2, STORY_SINGLE, false, true, 0.2F, {2, 6, 0}},
    {FAMILY_GPT2, STORY_SINGLE, false, false, 0.0F, {1, 1, 0}},
    {FAMILY_SEQ2SEQ, STORY_SINGLE, false, false, 0.2F, {2, 3, 4}},
};
enum { N_FORMS = sizeof FORMS / sizeof FORMS[0] };

static void open_form(ModelBench *bench, const Form *form, TapeMode mode) {
    ModelConfig config = support_config(form->family);
    config.heads = form->heads;
    config.n_heads = form->family == FAMILY_STORY && form->heads == STORY_SINGLE ? 1 : 3;
    config.norm_first = form->norm_first;
    config.tie_embeddings = form->tied;
    config_set_dropout(&config, form->dropout);
    model_bench_open(bench, &config, mode, form->shape, 1, 3);
}

static bool is_in_program(const Tape *tape, const Node *node) {
    for (int i = 0; i < tape->n_program; i++) {
        if (tape->program[i] == node) {
            return true;
        }
    }
    return false;
}

// The node whose run writes what this one is read as: views and parts are run by nobody.
static const Node *written_by(const Tape *tape, const Node *node) {
    while (!is_in_program(tape, node) && node->n_inputs > 0) {
        node = node->writer != NULL ? node->writer : node->inputs[0];
    }
    return node;
}

typedef struct Written {
    float *data;
    float *saved;
} Written;

static void keep(Written *written, const Node *node) {
    free(written->data);
    written->data = support_copy(node);
    if (node->saved_count > 0) {
        free(written->saved);
        written->saved = malloc(node->saved_count * sizeof(float));
        assert_non_null(written->saved);
        memcpy(written->saved, support_saved(node), node->saved_count * sizeof(float));
    }
}

static void require_kept(const Written *written, const Node *node, const Node *reader) {
    size_t size_bytes = support_count(node) * sizeof(float);
    if (memcmp(written->data, support_numbers(node), size_bytes) != 0) {
        fail_msg("%s was overwritten before node %d (%s) reads it", node->stage, reader->id,
                 OPS[reader->op]->name);
    }
    if (written->saved != NULL &&
        memcmp(written->saved, support_saved(node), node->saved_count * sizeof(float)) != 0) {
        fail_msg("what %s saved was overwritten before node %d reads it", node->stage, reader->id);
    }
}

// Runs node by node: what a node reads has the bits that were written.
static void check_lives(const Form *form) {
    ModelBench bench;
    open_form(&bench, form, TAPE_TRAIN);
    const Tape *tape = &bench.built.tape;
    Written *written = calloc((size_t)tape->n_nodes, sizeof *written);
    assert_non_null(written);
    for (int i = 0; i < tape->n_program; i++) {
        const Node *node = tape->program[i];
        for (int k = 0; k < node->n_inputs; k++) {
            const Node *input = written_by(tape, node->inputs[k]);
            if (written[input->id].data != NULL) {
                require_kept(&written[input->id], input, node);
            }
        }
        tape_run_node(tape, node);
        keep(&written[node->id], node);
    }
    for (int i = 0; i < tape->n_nodes; i++) { // what is read after the run
        const Node *node = tape->nodes[i];
        // Logits are read afterwards where they have no gradient, which may lie over them.
        bool is_result =
            node == tape->loss ||
            (node->role == ROLE_LOGITS && node->gradient == NULL && node->phase == PHASE_FORWARD);
        is_result = is_result || (node->phase == PHASE_BACKWARD && node->parameter != NULL);
        if (is_result && written[i].data != NULL) {
            require_kept(&(Written){.data = written[i].data}, node, node);
        }
        free(written[i].data);
        free(written[i].saved);
    }
    free(written);
    model_bench_close(&bench);
}

static void no_number_is_overwritten_before_its_last_reader(void **state) {
    (void)state;
    for (int i = 0; i < N_FORMS; i++) {
        check_lives(&FORMS[i]);
    }
}

static bool is_near(double a, double b) {
    return fabs(a - b) <= 1e-5 * fmax(1.0, fabs(b));
}

// Stages that both tapes have, each right after its node ran on the trainer's tape.
static int compare_with_watched(const Tape *train, const Tape *watch) {
    int n_compared = 0;
    for (int i = 0; i < train->n_program; i++) {
        const Node *node = train->program[i];
        tape_run_node(train, node);
        const Node *other = node->stage == NULL ? NULL : tape_find(watch, node->stage);
        if (other == NULL) {
            continue;
        }
        assert_true(shape_equal(&node->shape, &other->shape));
        for (size_t k = 0; k < support_count(node); k++) {
            if (support_numbers(node)[k] != support_numbers(other)[k] && // both are -inf, perhaps
                !is_near((double)support_numbers(node)[k], (double)support_numbers(other)[k])) {
                fail_msg("%s[%zu]: watched %.9g, trained %.9g", node->stage, k,
                         (double)support_numbers(other)[k], (double)support_numbers(node)[k]);
            }
        }
        n_compared++;
    }
    return n_compared;
}

static void a_trainers_tape_has_the_stages_of_a_watched_one(void **state) {
    (void)state;
    for (int i = 0; i < N_FORMS; i++) {
        ModelBench watch;
        ModelBench train;
        open_form(&watch, &FORMS[i], TAPE_WATCH);
        open_form(&train, &FORMS[i], TAPE_TRAIN);
        tape_run(&watch.built.tape);
        assert_true(compare_with_watched(&train.built.tape, &watch.built.tape) > 20);
        assert_true(train.built.tape.block_bytes < watch.built.tape.block_bytes);
        model_bench_close(&watch);
        model_bench_close(&train);
    }
}

static void the_gradient_of_the_loss_may_lie_over_the_logits(void **state) {
    (void)state;
    static const int32_t LABELS[] = {1, 3, 0};
    Bench benches[2];
    for (int i = 0; i < 2; i++) {
        Bench *bench = &benches[i];
        bench_open(bench, i == 0 ? TAPE_WATCH : TAPE_TRAIN);
        Node *x = bench_floats(bench, (Shape){"TC", {3, 6}}, NULL);
        Node *weight = bench_floats(bench, (Shape){"VC", {5, 6}}, NULL);
        Node *labels = bench_ids(bench, (Shape){"T", {3}}, LABELS);
        Node *scores = op_linear(&bench->tape, "scores", x, weight, NULL, true, "V");
        Node *loss = op_cross_entropy(&bench->tape, "loss", scores, labels, 0.1F, -1);
        gradient_append(&bench->tape, loss);
        bench_start(bench);
        bench_draw(bench, 6);
        tape_run(&bench->tape);
        assert_true(scores->gradient->in_place == (i == 1));
        assert_true((support_numbers(scores->gradient) == support_numbers(scores)) == (i == 1));
    }
    for (int k = 0; k < 2; k++) {
        const Node *expected = benches[0].given[k]->gradient;
        assert_memory_equal(support_numbers(expected),
                            support_numbers(benches[1].given[k]->gradient),
                            support_count(expected) * sizeof(float));
    }
    bench_close(&benches[0]);
    bench_close(&benches[1]);
}

static void memory_is_counted_by_what_it_is_for(void **state) {
    (void)state;
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    Node *x = bench_floats(&bench, (Shape){"TC", {3, 20}}, NULL);
    Node *weight = bench_floats(&bench, (Shape){"C", {20}}, NULL);
    Node *bias = bench_floats(&bench, (Shape){"C", {20}}, NULL);
    Node *y = op_layer_norm(&bench.tape, "y", x, weight, bias, 1e-5F, NORM_STANDARD);
    gradient_append(&bench.tape, y);
    bench_run(&bench);
    TapeMemory memory = tape_memory(&bench.tape);
    assert_int_equal(memory.activations, 60 * sizeof(float));
    assert_int_equal(memory.gradients, (60 + 60 + 20 + 20) * sizeof(float)); // dy, dx, dw, db
    assert_int_equal(memory.saved, 6 * sizeof(float));
    assert_int_equal(memory.total, bench.tape.block_bytes);
    // Six pieces, each rounded up to lines of 64 bytes; one line more.
    size_t used = memory.activations + memory.gradients + memory.saved;
    assert_true(memory.total >= used && memory.total <= used + 7 * 64);
    bench_close(&bench);
}

// ---- shapes

static void the_first_wrong_shape_is_reported(void **state) {
    (void)state;
    Bench bench;
    Error err = {""};
    bench_open(&bench, TAPE_WATCH);
    Node *x = bench_floats(&bench, (Shape){"BTC", {2, 3, 8}}, NULL);
    Node *weight = bench_floats(&bench, (Shape){"FC", {4, 6}}, NULL);
    tape_enter(&bench.tape, "encoder", SCOPE_ENCODER);
    tape_enter_layer(&bench.tape, 1);
    Node *hidden = op_linear(&bench.tape, "hidden", x, weight, NULL, true, "F");
    assert_null(hidden);
    assert_null(op_relu(&bench.tape, "activation", hidden)); // nothing in, nothing out
    assert_null(op_add(&bench.tape, "second", x, weight));
    gradient_append(&bench.tape, hidden);
    assert_false(tape_allocate(&bench.tape, &err));
    assert_string_equal(err.text, "encoder.1.hidden: linear: expected x (…,C) and a weight (O,C), "
                                  "found (B,T,C) = (2,3,8), (F,C) = (4,6)");
    bench_close(&bench);
}

// ---- scopes and roles

static void a_scope_entered_again_is_the_same(void **state) {
    (void)state;
    Tape tape;
    tape_init(&tape, TAPE_WATCH, NULL, NULL);
    tape_enter(&tape, "encoder", SCOPE_ENCODER);
    tape_enter_layer(&tape, 2);
    tape_enter(&tape, "self_attn", SCOPE_SELF_ATTENTION);
    const Scope *first = tape.scope;
    assert_string_equal(first->path, "encoder.2.self_attn");
    assert_string_equal(first->name, "self_attn");
    assert_int_equal(first->layer, 2);
    assert_int_equal(first->kind, SCOPE_SELF_ATTENTION);
    const Node *node = op_constant(&tape, "one", (Shape){"", {0}}, 1.0F);
    assert_string_equal(node->stage, "encoder.2.self_attn.one");
    assert_ptr_equal(node->scope, first);
    tape_leave(&tape);
    tape_leave(&tape);
    tape_leave(&tape);
    assert_ptr_equal(tape.scope, tape.root);
    assert_int_equal(tape.scope->layer, -1);
    int n_scopes = tape.n_scopes;
    tape_enter(&tape, "encoder", SCOPE_ENCODER);
    tape_enter_layer(&tape, 2);
    tape_enter(&tape, "self_attn", SCOPE_SELF_ATTENTION);
    assert_ptr_equal(tape.scope, first);
    assert_int_equal(tape.n_scopes, n_scopes);
    tape_free(&tape);
}

static void stages_are_unique_and_found_by_name_and_role(void **state) {
    (void)state;
    for (int i = 0; i < N_FORMS; i++) {
        ModelBench bench;
        open_form(&bench, &FORMS[i], TAPE_WATCH);
        const Tape *tape = &bench.built.tape;
        int n_of_role[ROLE_COUNT] = {0};
        for (int k = 0; k < tape->n_nodes; k++) {
            Node *node = tape->nodes[k];
            if (node->stage == NULL) {
                fail_msg("node %d (%s) has no stage", k, OPS[node->op]->name);
            } else if (tape_find(tape, node->stage) != node) {
                fail_msg("there are two stages %s", node->stage);
            }
            assert_ptr_equal(tape_find_role(tape, node->role, n_of_role[node->role]++), node);
        }
        assert_null(tape_find(tape, "no.such.stage"));
        assert_null(tape_find_role(tape, ROLE_LOGITS, 9));
        model_bench_close(&bench);
    }
}

static void gradients_lie_in_scopes_like_those_of_their_values(void **state) {
    (void)state;
    ModelBench bench;
    open_form(&bench, &FORMS[0], TAPE_WATCH);
    const Tape *tape = &bench.built.tape;
    const Node *weights = tape_find(tape, "encoder.0.self_attn.weights");
    assert_string_equal(weights->gradient->scope->path, "grad.encoder.0.self_attn");
    assert_int_equal(weights->gradient->scope->kind, SCOPE_SELF_ATTENTION);
    assert_string_equal(weights->gradient->stage, "grad.encoder.0.self_attn.weights");
    assert_ptr_equal(weights->gradient->of, weights);
    assert_int_equal(weights->gradient->role, ROLE_ATTENTION_WEIGHTS);
    assert_int_equal(weights->gradient->phase, PHASE_BACKWARD);
    for (int i = 0; i < tape->n_nodes; i++) {
        assert_int_equal(tape->nodes[i]->id, i);
        assert_true((tape->nodes[i]->phase == PHASE_FORWARD) == (i < tape->n_forward));
    }
    model_bench_close(&bench);
}

// ---- values used several times

// y = x Wᵀ Wᵀ with one W, and with two alike: the gradient of the one is the sum of the two.
static Node *twice(Bench *bench, bool is_tied) {
    Node *x = bench_floats(bench, (Shape){"TC", {2, 3}}, NULL);
    Node *first = bench_floats(bench, (Shape){"CC", {3, 3}}, NULL);
    Node *second = is_tied ? first : bench_floats(bench, (Shape){"CC", {3, 3}}, NULL);
    Node *hidden = op_linear(&bench->tape, "hidden", x, first, NULL, true, "C");
    Node *loss =
        bench_append_loss(bench, op_linear(&bench->tape, "y", hidden, second, NULL, true, "C"));
    bench_start(bench);
    bench_draw(bench, 2);
    memcpy(support_numbers(second), support_numbers(first), 9 * sizeof(float));
    bench_weigh_loss(&bench->tape, loss, 3);
    tape_run(&bench->tape);
    return first;
}

static void a_parameter_used_twice_has_the_sum_of_both_gradients(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        Bench tied;
        Bench apart;
        bench_open(&tied, mode == 0 ? TAPE_WATCH : TAPE_TRAIN);
        bench_open(&apart, TAPE_WATCH);
        const Node *gradient = twice(&tied, true)->gradient;
        twice(&apart, false);
        assert_int_equal(gradient->op, OP_ACCUMULATE);
        assert_string_equal(gradient->stage, "grad.x1");
        assert_string_equal(gradient->inputs[0]->stage, "grad.x1@y");
        assert_string_equal(gradient->inputs[1]->stage, "grad.x1@hidden");
        for (int i = 0; i < 9; i++) {
            float sum = support_numbers(apart.given[1]->gradient)[i] +
                        support_numbers(apart.given[2]->gradient)[i];
            assert_true(is_near((double)support_numbers(gradient)[i], (double)sum));
        }
        if (mode == 1) { // where the optimizer looks for it
            assert_ptr_equal(support_numbers(gradient),
                             tape_gradients(&tied.tape) + tied.given[1]->parameter->offset);
        }
        bench_close(&tied);
        bench_close(&apart);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_number_is_overwritten_before_its_last_reader),
        cmocka_unit_test(a_trainers_tape_has_the_stages_of_a_watched_one),
        cmocka_unit_test(the_gradient_of_the_loss_may_lie_over_the_logits),
        cmocka_unit_test(memory_is_counted_by_what_it_is_for),
        cmocka_unit_test(the_first_wrong_shape_is_reported),
        cmocka_unit_test(a_scope_entered_again_is_the_same),
        cmocka_unit_test(stages_are_unique_and_found_by_name_and_role),
        cmocka_unit_test(gradients_lie_in_scopes_like_those_of_their_values),
        cmocka_unit_test(a_parameter_used_twice_has_the_sum_of_both_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
