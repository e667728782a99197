// test_generate.c - going on token by token gives what the whole text gives, alone and in company.
#include "tests/support_tape.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/generation/generate.h"

enum { T = 23, V_MAX = 64 };

static Device *device;

static void open_model(Model *model, FamilyKind family, StoryHeads heads) {
    Error err = {""};
    ModelConfig config = support_config(family);
    config.heads = heads;
    support_require(model_init(model, &config, 7, &err), &err);
}

static void fill_ids(int32_t *ids, int n, int V, int seed) {
    for (int i = 0; i < n; i++) {
        ids[i] = 3 + (i * 7 + seed * 5 + i * i) % (V - 3);
    }
}

// Logits (n,V) of every position from one run over the whole text.
static float *run_whole(Model *model, const int32_t *ids, int n) {
    Error err = {""};
    ModelTape built;
    BatchShape shape = {.B = 1, .T = n};
    support_require(model_tape_build(&built, model, TAPE_INFER, device, shape, TAPE_LOGITS, &err) &&
                        tape_allocate(&built.tape, &err),
                    &err);
    tape_set_ids(&built.tape, built.nodes.tokens, ids);
    tape_run(&built.tape);
    size_t size_bytes = support_count(built.nodes.logits) * sizeof(float);
    float *logits = malloc(size_bytes);
    assert_non_null(logits);
    memcpy(logits, tape_values(&built.tape, built.nodes.logits), size_bytes);
    model_tape_free(&built);
    return logits;
}

static void open_generator(Generator *generator, Model *model, int n_rows,
                           const QuantizedWeights *weights) {
    Error err = {""};
    GeneratorConfig config = {TAPE_INFER, n_rows, T + 1, weights, NULL, 0};
    support_require(generator_open(generator, model, device, &config, &err), &err);
}

static void assert_close(const float *a, const float *b, int n, double tolerance) {
    for (int i = 0; i < n; i++) {
        if (!(fabs((double)a[i] - (double)b[i]) <= tolerance)) {
            fail_msg("[%d]: %.9g and %.9g", i, (double)a[i], (double)b[i]);
        }
    }
}

static void check_model(Model *model, int n_prompt) {
    Error err = {""};
    int32_t ids[T];
    int V = model->config.vocab_size;
    fill_ids(ids, T, V, 1);
    float *whole = run_whole(model, ids, T);
    Generator generator;
    open_generator(&generator, model, 1, NULL);
    support_require(generator_read(&generator, 0, ids, n_prompt, &err), &err);
    for (int t = n_prompt; t < T; t++) {
        const float *logits = NULL;
        support_require(generator_step(&generator, &ids[t], &logits, &err), &err);
        assert_close(logits, whole + t * V, V, 1e-5);
    }
    generator_close(&generator);
    free(whole);
}

static void check_family(FamilyKind family, StoryHeads heads) {
    Model model;
    open_model(&model, family, heads);
    check_model(&model, 0);
    check_model(&model, 1);
    check_model(&model, 11); // in parts of 8, 2 and 1
    model_free(&model);
}

static void steps_give_the_logits_of_the_whole_text(void **state) {
    (void)state;
    check_family(FAMILY_GPT2, STORY_SINGLE);
    check_family(FAMILY_STORY, STORY_SINGLE);
    check_family(FAMILY_STORY, STORY_SEQUENTIAL);
    check_family(FAMILY_STORY, STORY_PARALLEL);
}

static void a_model_without_its_mask_runs_whole_texts(void **state) {
    (void)state;
    Model model;
    Error err = {""};
    ModelConfig config = support_config(FAMILY_STORY);
    config.causal = false;
    support_require(model_init(&model, &config, 7, &err), &err);
    int32_t ids[T];
    fill_ids(ids, T, config.vocab_size, 1);
    Generator generator;
    open_generator(&generator, &model, 1, NULL);
    for (int t = 0; t < 5; t++) {
        const float *logits = NULL;
        support_require(generator_step(&generator, &ids[t], &logits, &err), &err);
        float *whole = run_whole(&model, ids, t + 1);
        assert_close(logits, whole + t * config.vocab_size, config.vocab_size, 0.0);
        free(whole);
    }
    generator_close(&generator);
    model_free(&model);
}

// Logits of the last step of a row, after a prompt of n ids and two more.
static void run_row(Generator *generator, int row, const int32_t *ids, int n, float *last) {
    Error err = {""};
    int n_rows = generator->config.n_rows;
    int V = generator->model->config.vocab_size;
    int32_t tokens[GENERATOR_FEW_ROWS];
    support_require(generator_read(generator, row, ids, n, &err), &err);
    for (int t = n; t < n + 2; t++) {
        const float *logits = NULL;
        for (int i = 0; i < n_rows; i++) {
            tokens[i] = i == row ? ids[t] : -1;
        }
        support_require(generator_step(generator, tokens, &logits, &err), &err);
        memcpy(last, logits + row * V, (size_t)V * sizeof *last);
    }
}

static void a_text_gets_the_same_bits_alone_and_beside_others(void **state) {
    (void)state;
    Error err = {""};
    Model model;
    open_model(&model, FAMILY_GPT2, STORY_SINGLE);
    int V = model.config.vocab_size;
    int32_t ids[GENERATOR_FEW_ROWS][T];
    int lengths[GENERATOR_FEW_ROWS] = {3, 9, 1, 14};
    Generator together;
    open_generator(&together, &model, GENERATOR_FEW_ROWS, NULL);
    for (int row = 0; row < GENERATOR_FEW_ROWS; row++) {
        fill_ids(ids[row], T, V, row);
        support_require(generator_read(&together, row, ids[row], lengths[row], &err), &err);
    }
    const float *logits = NULL;
    for (int t = 0; t < 2; t++) {
        int32_t tokens[GENERATOR_FEW_ROWS];
        for (int row = 0; row < GENERATOR_FEW_ROWS; row++) {
            tokens[row] = ids[row][lengths[row] + t];
        }
        support_require(generator_step(&together, tokens, &logits, &err), &err);
    }
    for (int row = 0; row < GENERATOR_FEW_ROWS; row++) {
        float alone[V_MAX];
        Generator single;
        open_generator(&single, &model, 1, NULL);
        run_row(&single, 0, ids[row], lengths[row], alone);
        assert_memory_equal(alone, logits + row * V, (size_t)V * sizeof(float));
        generator_close(&single);
    }
    generator_close(&together);
    model_free(&model);
}

static void rows_that_are_reordered_go_on_from_their_parents(void **state) {
    (void)state;
    Error err = {""};
    Model model;
    open_model(&model, FAMILY_GPT2, STORY_SINGLE);
    int V = model.config.vocab_size;
    Generator generator;
    open_generator(&generator, &model, 3, NULL);
    const float *logits = NULL;
    const int32_t first[3] = {3, 4, 5};
    const int32_t same[3] = {6, 6, 6};
    const int parents[3] = {2, 0, 2};
    support_require(generator_step(&generator, first, &logits, &err), &err);
    support_require(generator_reorder(&generator, parents, &err), &err);
    support_require(generator_step(&generator, same, &logits, &err), &err);
    for (int row = 0; row < 3; row++) {
        int32_t ids[2] = {first[parents[row]], 6};
        float *whole = run_whole(&model, ids, 2);
        assert_close(logits + row * V, whole + V, V, 1e-5);
        free(whole);
    }
    generator_close(&generator);
    model_free(&model);
}

static void a_rewound_row_goes_on_from_there(void **state) {
    (void)state;
    Model model;
    open_model(&model, FAMILY_GPT2, STORY_SINGLE);
    int V = model.config.vocab_size;
    int32_t ids[T];
    fill_ids(ids, T, V, 2);
    float once[V_MAX];
    float again[V_MAX];
    Generator generator;
    open_generator(&generator, &model, 1, NULL);
    run_row(&generator, 0, ids, 4, once);
    generator_rewind(&generator, 0, 0);
    run_row(&generator, 0, ids, 4, again);
    assert_memory_equal(once, again, (size_t)V * sizeof(float));
    generator_close(&generator);
    model_free(&model);
}

// A decoder step sees its memory and what it wrote; the encoder ran once, for all rows.
static void a_decoder_goes_on_as_the_whole_target_says(void **state) {
    (void)state;
    enum { S = 6, STEPS = 5, B = 2 };
    Error err = {""};
    Model model;
    open_model(&model, FAMILY_ENCODER_DECODER, STORY_SINGLE);
    int V = model.config.vocab_size;
    int32_t source[2 * S];
    int32_t target[B * STEPS];
    fill_ids(source, S, V, 3);
    source[S - 1] = model.config.pad_id;
    for (int i = 0; i < S; i++) {
        source[S + i] = source[i];
    }
    fill_ids(target, B * STEPS, V, 4);
    ModelTape built;
    support_require(model_tape_build(&built, &model, TAPE_INFER, device, (BatchShape){B, STEPS, S},
                                     TAPE_LOGITS, &err) &&
                        tape_allocate(&built.tape, &err),
                    &err);
    tape_set_ids(&built.tape, built.nodes.source, source);
    tape_set_ids(&built.tape, built.nodes.tokens, target);
    tape_run(&built.tape);
    Generator generator;
    GeneratorConfig config = {TAPE_INFER, B, STEPS, NULL, source, S};
    support_require(generator_open(&generator, &model, device, &config, &err), &err);
    for (int t = 0; t < STEPS; t++) {
        const float *logits = NULL;
        const int32_t tokens[B] = {target[t], target[STEPS + t]};
        support_require(generator_step(&generator, tokens, &logits, &err), &err);
        for (int b = 0; b < B; b++) {
            assert_close(logits + b * V,
                         tape_values(&built.tape, built.nodes.logits) + (b * STEPS + t) * V, V,
                         1e-5);
        }
    }
    generator_close(&generator);
    model_tape_free(&built);
    model_free(&model);
}

static void check_weights(FamilyKind family, WeightFormat format, double tolerance) {
    Error err = {""};
    Model model;
    open_model(&model, family, STORY_PARALLEL);
    int V = model.config.vocab_size;
    int32_t ids[T];
    fill_ids(ids, T, V, 5);
    float exact[V_MAX];
    float narrow[V_MAX];
    Generator generator;
    open_generator(&generator, &model, 1, NULL);
    run_row(&generator, 0, ids, 12, exact);
    QuantizedWeights weights;
    support_require(quantized_make(&weights, &generator.step.tape, format, &err), &err);
    assert_true(weights.n_matrices > 0);
    generator_close(&generator);
    open_generator(&generator, &model, 1, &weights);
    run_row(&generator, 0, ids, 12, narrow);
    double greatest = 0.0;
    double size = 0.0;
    for (int i = 0; i < V; i++) {
        greatest = fmax(greatest, fabs((double)exact[i] - (double)narrow[i]));
        size = fmax(size, fabs((double)exact[i]));
    }
    if (!(greatest <= tolerance * size) || (format != WEIGHT_F32 && greatest == 0.0)) {
        fail_msg("%s: the logits differ by %g of %g", quantized_format_name(format), greatest,
                 size);
    }
    generator_close(&generator);
    quantized_free(&weights);
    model_free(&model);
}

static void narrow_weights_give_nearly_the_same_logits(void **state) {
    (void)state;
    check_weights(FAMILY_GPT2, WEIGHT_F32, 1e-5);
    check_weights(FAMILY_GPT2, WEIGHT_BF16, 0.02);
    check_weights(FAMILY_GPT2, WEIGHT_INT8, 0.05);
    check_weights(FAMILY_STORY, WEIGHT_BF16, 0.05);
    check_weights(FAMILY_STORY, WEIGHT_INT8, 0.1);
}

static void a_step_allocates_nothing(void **state) {
    (void)state;
    Error err = {""};
    Model model;
    open_model(&model, FAMILY_GPT2, STORY_SINGLE);
    Generator generator;
    open_generator(&generator, &model, 2, NULL);
    const int32_t tokens[2] = {3, 4};
    const float *logits = NULL;
    support_require(generator_step(&generator, tokens, &logits, &err), &err);
    size_t before = mallinfo2().uordblks; // always 0 under a sanitizer
    for (int i = 0; i < 10; i++) {
        support_require(generator_step(&generator, tokens, &logits, &err), &err);
    }
    assert_int_equal(mallinfo2().uordblks, before);
    generator_close(&generator);
    model_free(&model);
}

static void more_tokens_than_there_is_room_for_are_refused(void **state) {
    (void)state;
    Error err = {""};
    Model model;
    open_model(&model, FAMILY_GPT2, STORY_SINGLE);
    Generator generator;
    int n_positions = model.config.n_positions;
    GeneratorConfig config = {TAPE_INFER, 1, n_positions + 1, NULL, NULL, 0};
    assert_false(generator_open(&generator, &model, device, &config, &err));
    assert_non_null(strstr(err.text, "positions"));
    open_generator(&generator, &model, 1, NULL);
    int32_t ids[T + 2] = {0};
    err = (Error){""};
    assert_false(generator_read(&generator, 0, ids, T + 2, &err));
    err = (Error){""};
    const float *logits = NULL;
    support_require(generator_read(&generator, 0, ids, T + 1, &err), &err);
    assert_false(generator_step(&generator, ids, &logits, &err));
    generator_close(&generator);
    model_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_give_the_logits_of_the_whole_text),
        cmocka_unit_test(a_model_without_its_mask_runs_whole_texts),
        cmocka_unit_test(a_text_gets_the_same_bits_alone_and_beside_others),
        cmocka_unit_test(rows_that_are_reordered_go_on_from_their_parents),
        cmocka_unit_test(a_rewound_row_goes_on_from_there),
        cmocka_unit_test(a_decoder_goes_on_as_the_whole_target_says),
        cmocka_unit_test(narrow_weights_give_nearly_the_same_logits),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(more_tokens_than_there_is_room_for_are_refused),
    };
    device = support_device_open(2);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(device);
    return failed;
}
