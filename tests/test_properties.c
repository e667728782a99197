// test_properties.c - what holds for whole models: no look ahead, nothing on padding, always
// finite.
#include "tests/support_tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"

// Every family and form, each with its sizes.
typedef struct Form {
    const char *name;
    FamilyKind family;
    StoryHeads heads;
    bool norm_first;
    NormKind norm;
    float smoothing;
    BatchShape shape;
} Form;

static const Form FORMS[] = {
    {"post-norm", FAMILY_ENCODER_DECODER, STORY_SINGLE, false, NORM_STANDARD, 0.0F, {2, 5, 4}},
    {"pre-norm", FAMILY_ENCODER_DECODER, STORY_SINGLE, true, NORM_STANDARD, 0.4F, {3, 4, 7}},
    {"annotated", FAMILY_ENCODER_DECODER, STORY_SINGLE, true, NORM_ANNOTATED, 0.1F, {2, 2, 1}},
    {"long", FAMILY_ENCODER_DECODER, STORY_SINGLE, false, NORM_STANDARD, 0.1F, {1, 37, 70}},
    {"single", FAMILY_STORY, STORY_SINGLE, false, NORM_STANDARD, 0.0F, {2, 6, 0}},
    {"sequential", FAMILY_STORY, STORY_SEQUENTIAL, false, NORM_STANDARD, 0.0F, {1, 4, 0}},
    {"parallel", FAMILY_STORY, STORY_PARALLEL, false, NORM_STANDARD, 0.0F, {2, 35, 0}},
    {"gpt2", FAMILY_GPT2, STORY_SINGLE, false, NORM_STANDARD, 0.0F, {2, 6, 0}},
    {"long gpt2", FAMILY_GPT2, STORY_SINGLE, false, NORM_STANDARD, 0.1F, {1, 70, 0}},
    {"lstm", FAMILY_SEQ2SEQ, STORY_SINGLE, false, NORM_STANDARD, 0.1F, {3, 4, 7}},
};
enum { N_FORMS = sizeof FORMS / sizeof FORMS[0], NO_LABEL = -1, PAD = 0 };

static ModelConfig config_of(const Form *form) {
    ModelConfig config = support_config(form->family);
    config.heads = form->heads;
    config.n_heads = form->family == FAMILY_STORY && form->heads == STORY_SINGLE ? 1 : 3;
    config.norm_first = form->norm_first;
    config.layer_norm = form->norm;
    config.label_smoothing = form->smoothing;
    return config;
}

static void open_form(ModelBench *bench, const Form *form, TapeMode mode) {
    ModelConfig config = config_of(form);
    model_bench_open(bench, &config, mode, form->shape, 2, 17);
}

static void for_each_form(void (*check)(const Form *form, TapeMode mode)) {
    for (int i = 0; i < N_FORMS; i++) {
        check(&FORMS[i], TAPE_WATCH);
        check(&FORMS[i], TAPE_TRAIN);
    }
}

static Tape *tape_of(ModelBench *bench) {
    return &bench->built.tape;
}

// ---- the future

// Index of the axis with that letter, -1 where there is none.
static int axis_of(const Shape *shape, char letter) {
    for (int i = 0; i < shape_rank(shape); i++) {
        char name[4];
        shape_axis_name(shape, i, name);
        if (name[0] == letter) {
            return i;
        }
    }
    return -1;
}

// Whether an element stands for what position t may know: scores of later keys are computed, then
// masked.
static bool is_known_at(const Node *node, size_t element, int t) {
    int indices[SHAPE_MAX_RANK];
    shape_indices(&node->shape, element, indices);
    bool is_late_key =
        node->role == ROLE_SCORES && node->scope->kind == SCOPE_SELF_ATTENTION && indices[3] > t;
    int axis = axis_of(&node->shape, 'T');
    return node->counts[axis].first + indices[axis] <= t && !is_late_key;
}

static bool is_compared(const Tape *tape, const Node *node) {
    bool is_kept = tape->mode == TAPE_WATCH || node->role == ROLE_LOGITS;
    return is_kept && node->phase == PHASE_FORWARD && !node_holds_ids(node) &&
           axis_of(&node->shape, 'T') >= 0 && node->op != OP_PARAMETER;
}

static float **copy_all(const Tape *tape) {
    float **copies = calloc((size_t)tape->n_nodes, sizeof *copies);
    assert_non_null(copies);
    for (int i = 0; i < tape->n_nodes; i++) {
        copies[i] = is_compared(tape, tape->nodes[i]) ? support_copy(tape->nodes[i]) : NULL;
    }
    return copies;
}

static void free_all(float **copies, int n) {
    for (int i = 0; i < n; i++) {
        free(copies[i]);
    }
    free(copies);
}

// How many numbers of positions > t changed; those of positions <= t must not.
static int compare_known(const Tape *tape, float *const *before, int t) {
    int n_changed = 0;
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        for (size_t k = 0; before[i] != NULL && k < support_count(node); k++) {
            bool is_same = support_same_bits(&before[i][k], &support_numbers(node)[k], 1);
            if (!is_same && is_known_at(node, k, t)) {
                char name[256];
                explain_cell_name(node, k, name, sizeof name);
                fail_msg("token %d changed %s", t + 1, name);
            }
            n_changed += !is_same;
        }
    }
    return n_changed;
}

static void change_token(Node *tokens, int t) {
    int T = tokens->shape.sizes[1];
    for (int b = 0; b < tokens->shape.sizes[0]; b++) {
        int32_t *id = support_ids(tokens) + b * T + t;
        *id = *id == 3 ? 4 : 3;
    }
}

static void check_future(const Form *form, TapeMode mode) {
    ModelBench bench;
    open_form(&bench, form, mode);
    Tape *tape = tape_of(&bench);
    int T = form->shape.T;
    tape_run_range(tape, 0, tape->n_forward);
    float **before = copy_all(tape);
    for (int t = 0; t + 1 < T; t += T > 10 ? 11 : 1) {
        change_token(bench.built.nodes.tokens, t + 1);
        tape_run_range(tape, 0, tape->n_forward);
        assert_true(compare_known(tape, before, t) > 0);
        model_bench_set_ids(&bench, 17);
    }
    free_all(before, tape->n_nodes);
    model_bench_close(&bench);
}

static void a_later_token_changes_nothing_before_it(void **state) {
    (void)state;
    for_each_form(check_future);
}

static void label_only(ModelBench *bench, int t) {
    Node *labels = bench->built.nodes.labels;
    int T = labels->shape.sizes[1];
    for (size_t i = 0; i < support_count(labels); i++) {
        support_ids(labels)[i] = (int)i % T == t ? 4 : NO_LABEL;
    }
}

static Node *target_embedding(ModelBench *bench) {
    Tape *tape = tape_of(bench);
    bool has_two_sides = config_has_two_sides(&bench->model.config);
    Node *node = tape_find_role(tape, ROLE_EMBEDDING, has_two_sides ? 1 : 0);
    assert_non_null(node);
    assert_non_null(node->gradient);
    return node;
}

static void check_loss_of_one(const Form *form, TapeMode mode) {
    ModelBench bench;
    open_form(&bench, form, mode);
    Tape *tape = tape_of(&bench);
    const Node *gradient = target_embedding(&bench)->gradient;
    int T = form->shape.T;
    int C = bench.model.config.d_model;
    for (int t = 0; t<T; t += T> 10 ? 9 : 1) {
        label_only(&bench, t);
        tape_run_range(tape, 0, gradient->id + 1); // later nodes of a trainer's tape may reuse it
        double sum = 0.0;
        for (size_t i = 0; i < support_count(gradient); i++) {
            int position = (int)(i / (size_t)C) % T;
            if (position > t) {
                assert_true(support_numbers(gradient)[i] == 0.0F);
            }
            sum += fabs((double)support_numbers(gradient)[i]);
        }
        assert_true(sum > 1e-6);
    }
    model_bench_close(&bench);
}

static void the_loss_of_a_position_has_no_gradient_behind_it(void **state) {
    (void)state;
    for_each_form(check_loss_of_one);
}

static void without_its_mask_a_story_looks_ahead(void **state) {
    (void)state;
    for (int i = 0; i < N_FORMS; i++) {
        if (FORMS[i].family != FAMILY_STORY) {
            continue;
        }
        ModelConfig config = config_of(&FORMS[i]);
        config.causal = false;
        ModelBench bench;
        model_bench_open(&bench, &config, TAPE_WATCH, FORMS[i].shape, 1, 17);
        Tape *tape = tape_of(&bench);
        tape_run(tape);
        float *before = support_copy(bench.built.nodes.logits);
        change_token(bench.built.nodes.tokens, 1);
        tape_run(tape);
        size_t row = (size_t)config.vocab_size;
        assert_memory_not_equal(before, support_numbers(bench.built.nodes.logits),
                                row * sizeof(float));
        free(before);
        model_bench_close(&bench);
    }
}

// ---- padding

// Item 0 has padding at its end, the last item (of three) is padding alone.
static void pad(ModelBench *bench) {
    Node *sides[] = {bench->built.nodes.source, bench->built.nodes.tokens};
    for (int i = 0; i < 2; i++) {
        int B = sides[i]->shape.sizes[0];
        int T = sides[i]->shape.sizes[1];
        support_ids(sides[i])[T - 1] = PAD;
        for (int t = 0; t < T; t++) {
            support_ids(sides[i])[(B - 1) * T + t] = PAD;
        }
    }
}

static const int32_t *key_ids_of(const ModelBench *bench, const Node *weights) {
    bool is_decoder_self =
        weights->scope->kind == SCOPE_SELF_ATTENTION && strncmp(weights->stage, "decoder", 7) == 0;
    return is_decoder_self ? support_ids(bench->built.nodes.tokens)
                           : support_ids(bench->built.nodes.source);
}

static void check_row(const float *row, const int32_t *ids, int S) {
    double sum = 0.0;
    bool may_see = false;
    for (int s = 0; s < S; s++) {
        bool is_hidden = ids != NULL && ids[s] == PAD;
        may_see = may_see || !is_hidden;
        assert_false(is_hidden && row[s] != 0.0F);
        assert_true(row[s] >= 0.0F);
        sum += (double)row[s];
    }
    assert_true(fabs(sum - (may_see ? 1.0 : 0.0)) <= 1e-6);
}

static int check_weights(const ModelBench *bench, bool has_padding) {
    const Tape *tape = &bench->built.tape;
    int n_rows = 0;
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        if (node->role != ROLE_ATTENTION_WEIGHTS || node->phase != PHASE_FORWARD) {
            continue;
        }
        const int *sizes = node->shape.sizes;
        const int32_t *ids = has_padding ? key_ids_of(bench, node) : NULL;
        for (int row = 0; row < sizes[0] * sizes[1] * sizes[2]; row++) {
            const int32_t *keys = ids == NULL ? NULL : ids + row / sizes[2] / sizes[1] * sizes[3];
            check_row(support_numbers(node) + (size_t)row * (size_t)sizes[3], keys, sizes[3]);
            n_rows++;
        }
    }
    return n_rows;
}

static void rows_of_weights_sum_to_one_and_padding_has_none(void **state) {
    (void)state;
    for (int i = 0; i < N_FORMS; i++) {
        ModelBench bench;
        open_form(&bench, &FORMS[i], TAPE_WATCH);
        bool has_padding = FAMILIES[FORMS[i].family]->n_sides == 2 && FORMS[i].shape.B > 1;
        if (has_padding) {
            pad(&bench);
        }
        tape_run(tape_of(&bench));
        assert_true(check_weights(&bench, has_padding) > 0);
        model_bench_close(&bench);
    }
}

static bool item_is_zero(const Node *node, int item) {
    size_t n = support_count(node) / (size_t)node->shape.sizes[0];
    for (size_t i = 0; i < n; i++) {
        if (support_numbers(node)[(size_t)item * n + i] != 0.0F) {
            return false;
        }
    }
    return true;
}

static void an_item_of_padding_alone_attends_to_nothing(void **state) {
    (void)state;
    ModelBench bench;
    open_form(&bench, &FORMS[1], TAPE_WATCH);
    pad(&bench);
    tape_run(tape_of(&bench));
    int n_checked = 0;
    for (int i = 0; i < tape_of(&bench)->n_nodes; i++) {
        const Node *node = tape_of(&bench)->nodes[i];
        bool is_output = node->phase == PHASE_FORWARD &&
                         (node->role == ROLE_ATTENTION_WEIGHTS || node->role == ROLE_CONTEXT);
        bool is_asked =
            node->phase == PHASE_FORWARD && (node->role == ROLE_QUERY || node->role == ROLE_KEY ||
                                             node->role == ROLE_VALUE || node->role == ROLE_SCORES);
        if (is_output || is_asked) {
            const Node *zero = is_output ? node : node->gradient;
            assert_true(item_is_zero(zero, 2));
            assert_false(item_is_zero(zero, 1));
            n_checked++;
        }
    }
    assert_int_equal(n_checked, 6 * 6); // of two layers: three attentions each
    model_bench_close(&bench);
}

static void require_zero(const char *name, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (x[i] != 0.0F) {
            fail_msg("%s[%zu] is %g", name, i, (double)x[i]);
        }
    }
}

static void check_no_labels(const Form *form, TapeMode mode) {
    ModelBench bench;
    open_form(&bench, form, mode);
    const Tape *tape = tape_of(&bench);
    Node *labels = bench.built.nodes.labels;
    for (size_t i = 0; i < support_count(labels); i++) {
        support_ids(labels)[i] = bench.model.config.pad_id; // -1 where there is no padding
    }
    tape_run(tape);
    assert_true(*support_numbers(tape->loss) == 0.0F);
    if (mode == TAPE_TRAIN) {
        require_zero("gradients", tape_gradients(tape), bench.model.params.n_values);
    }
    for (int i = 0; mode == TAPE_WATCH && i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        if (node->phase == PHASE_BACKWARD && node->op != OP_CONSTANT) {
            require_zero(node->stage, support_numbers(node), support_count(node));
        }
    }
    model_bench_close(&bench);
}

static void a_batch_without_labels_has_no_loss_and_no_gradient(void **state) {
    (void)state;
    for_each_form(check_no_labels);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_token_changes_nothing_before_it),
        cmocka_unit_test(the_loss_of_a_position_has_no_gradient_behind_it),
        cmocka_unit_test(without_its_mask_a_story_looks_ahead),
        cmocka_unit_test(rows_of_weights_sum_to_one_and_padding_has_none),
        cmocka_unit_test(an_item_of_padding_alone_attends_to_nothing),
        cmocka_unit_test(a_batch_without_labels_has_no_loss_and_no_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
