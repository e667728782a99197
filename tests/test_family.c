// test_family.c - what every row of the table of families promises, and the marks around texts.
#include "tests/support_tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/generation/generate.h"
#include "engine/models/family.h"
#include "engine/models/text_marks.h"

static const BatchShape SHAPE = {2, 5, 4};

static void every_row_says_what_is_asked_of_it(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        const Family *family = FAMILIES[i];
        assert_true(strlen(family->name) > 0);
        assert_true(family->n_sides == 1 || family->n_sides == 2);
        assert_non_null(family->read);
        assert_non_null(family->write);
        assert_non_null(family->build);
        assert_non_null(family->keeps_state);
        assert_non_null(family->switches);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(family->name, FAMILIES[k]->name);
        }
    }
}

// What is written reads back to the same, with numbers that are not the usual ones.
static void a_configuration_reads_back_as_it_was_written(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        Error err = {""};
        ModelConfig config = support_config((FamilyKind)i);
        config_set_dropout(&config, 0.123456789F);
        config.attention_dropout *= 0.5F;
        config.label_smoothing = 1e-8F;
        FileBytes text = {0};
        assert_true(config_to_text(&config, &text));
        json_t *object = json_text_parse((const char *)text.bytes, strlen((const char *)text.bytes),
                                         "config.json", &err);
        ModelConfig again = {.vocab_size = 0};
        support_require(object != NULL && config_read(&again, object, "config.json", &err), &err);
        assert_int_equal(again.family, i);
        assert_true(config_is_same(&config, &again));
        assert_true(again.dropout == config.dropout);
        assert_true(again.embedding_dropout == config.embedding_dropout);
        assert_true(again.attention_dropout == config.attention_dropout);
        assert_true(again.label_smoothing == config.label_smoothing);
        again.vocab_size *= 2;
        assert_false(config_is_same(&config, &again));
        json_decref(object);
        file_close(&text);
    }
}

// As Hugging Face writes them; a run of before has "dropout" alone, of which the attention weights
// had no part.
static void gpt2_drops_in_three_places(void **state) {
    (void)state;
    static const struct {
        const char *more;
        float residual, embedding, attention;
    } CASES[] = {
        {"\"resid_pdrop\": 0.1, \"embd_pdrop\": 0.2, \"attn_pdrop\": 0.3", 0.1F, 0.2F, 0.3F},
        {"\"attn_pdrop\": 0.3", 0.0F, 0.0F, 0.3F},
        {"\"dropout\": 0.1", 0.1F, 0.1F, 0.0F},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Error err = {""};
        ModelConfig config;
        char text[300];
        snprintf(text, sizeof text,
                 "{\"model_type\": \"gpt2\", \"vocab_size\": 10, \"n_embd\": 4, \"n_head\": 2, "
                 "\"n_layer\": 1, \"n_positions\": 8, %s}",
                 CASES[i].more);
        json_t *object = json_text_parse(text, strlen(text), "config.json", &err);
        support_require(object != NULL && config_read(&config, object, "config.json", &err), &err);
        json_decref(object);
        assert_true(config.dropout == CASES[i].residual);
        assert_true(config.embedding_dropout == CASES[i].embedding);
        assert_true(config.attention_dropout == CASES[i].attention);
        // The nodes of a tape that learns.
        Model model = {.seed = 1};
        ModelTape built = {0};
        Device *device = support_device_open(1);
        int n_dropouts = 0;
        support_require(model_init(&model, &config, 1, &err) &&
                            model_tape_build(&built, &model, TAPE_TRAIN, device,
                                             (BatchShape){1, 3, 0}, TAPE_GRADIENTS, &err),
                        &err);
        for (int k = 0; k < built.tape.n_nodes; k++) {
            n_dropouts += built.tape.nodes[k]->op == OP_DROPOUT;
        }
        const int n_places = (CASES[i].embedding > 0.0F ? 1 : 0) +
                             (CASES[i].residual > 0.0F ? 2 : 0) +
                             (CASES[i].attention > 0.0F ? 1 : 0);
        assert_int_equal(n_dropouts, 2 * n_places); // each with its gradient
        tape_free(&built.tape);
        model_free(&model);
        device_close(device);
    }
}

static void an_unknown_family_is_refused_with_the_known_ones(void **state) {
    (void)state;
    ModelConfig config;
    Error err = {""};
    json_t *object = json_pack("{s:s, s:i}", "family", "lstm9", "vocab_size", 10);
    assert_false(config_read(&config, object, "config.json", &err));
    for (int i = 0; i < FAMILY_COUNT; i++) {
        assert_non_null(strstr(err.text, FAMILIES[i]->name));
    }
    json_decref(object);
    err = (Error){""};
    object = json_pack("{s:s, s:i}", "model_type", "bert", "vocab_size", 10);
    assert_false(config_read(&config, object, "config.json", &err));
    assert_non_null(strstr(err.text, "gpt2"));
    assert_null(strstr(err.text, "encoder-decoder"));
    json_decref(object);
}

// ---- switches

// The configuration with that switched; false where a family cannot be written so at all.
static void change(ModelConfig *config, FamilySwitch which) {
    switch (which) {
    case SWITCH_MASK:
        config->switches.without_mask = true;
        return;
    case SWITCH_SCALE:
        config->switches.without_scale = true;
        return;
    case SWITCH_RESIDUAL:
        config->switches.without_residual = true;
        return;
    case SWITCH_POSITIONS:
        config->switches.without_positions = true;
        return;
    case SWITCH_HEADS:
        config->n_heads = 2;
        return;
    case SWITCH_LAYERS:
        config->n_layers = 3;
        return;
    case SWITCH_WIDTH:
        config->d_model = 24;
        return;
    case SWITCH_NORM_PLACE:
        config->norm_first = !config->norm_first;
        return;
    case SWITCH_NORM_FORMULA:
        config->layer_norm = NORM_ANNOTATED;
        return;
    }
}

static bool gives_other_logits(const ModelConfig *config, FamilySwitch which) {
    ModelBench with;
    ModelBench without;
    ModelConfig changed = *config;
    change(&changed, which);
    model_bench_open(&with, config, TAPE_WATCH, SHAPE, 1, 23);
    model_bench_open(&without, &changed, TAPE_WATCH, SHAPE, 1, 23);
    tape_run(&with.built.tape);
    tape_run(&without.built.tape);
    const Node *logits = with.built.nodes.logits;
    bool is_same = memcmp(support_numbers(logits), support_numbers(without.built.nodes.logits),
                          support_count(logits) * sizeof(float)) == 0;
    model_bench_close(&with);
    model_bench_close(&without);
    return !is_same;
}

static void check_switches(const ModelConfig *config) {
    for (unsigned which = SWITCH_MASK; which <= SWITCH_NORM_FORMULA; which <<= 1) {
        bool has_effect = gives_other_logits(config, (FamilySwitch)which);
        if (has_effect != family_has_switch(config, (FamilySwitch)which)) {
            fail_msg("%s: the switch %#x %s", config_family_name(config->family), which,
                     has_effect ? "has an effect, but is not in the row" : "has no effect");
        }
    }
}

static void the_switches_of_a_row_are_those_with_an_effect(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelConfig config = support_config((FamilyKind)i);
        check_switches(&config);
    }
    ModelConfig story = support_config(FAMILY_STORY);
    story.causal = false;
    check_switches(&story);
    story.heads = STORY_SINGLE;
    check_switches(&story);
    story.heads = STORY_SEQUENTIAL;
    check_switches(&story);
    ModelConfig seq2seq = support_config(FAMILY_SEQ2SEQ);
    for (int attention = SEQ2SEQ_NONE; attention <= SEQ2SEQ_GENERAL; attention++) {
        seq2seq.attention = (Seq2SeqAttention)attention;
        check_switches(&seq2seq);
    }
}

// ---- state

// One token after the other gives the logits of the whole text, whether the family keeps something
// or runs it all again.
static void check_steps(const ModelConfig *config) {
    Error err = {""};
    ModelBench whole;
    const int S = SHAPE.S;
    int T = SHAPE.T;
    size_t V = (size_t)config->vocab_size;
    model_bench_open(&whole, config, TAPE_WATCH, (BatchShape){1, T, S}, 1, 23);
    tape_run(&whole.built.tape);
    Generator generator;
    GeneratorConfig options = {.mode = TAPE_INFER, .n_rows = 1, .capacity = T};
    if (whole.built.nodes.source != NULL) {
        options.source = support_ids(whole.built.nodes.source);
        options.S = S;
    }
    support_require(generator_open(&generator, &whole.model, whole.device, &options, &err), &err);
    const bool keeps = family_of(config)->keeps_state(config);
    assert_int_equal(generator.texts == NULL, keeps);
    for (int t = 0; t < T; t++) {
        const float *logits = NULL;
        support_require(
            generator_step(&generator, support_ids(whole.built.nodes.tokens) + t, &logits, &err),
            &err);
        for (size_t c = 0; (keeps || t == T - 1) && c < V; c++) {
            float expected = support_numbers(whole.built.nodes.logits)[(size_t)t * V + c];
            assert_true(fabsf(logits[c] - expected) <= 1e-5F * fmaxf(1.0F, fabsf(expected)));
        }
    }
    generator_close(&generator);
    model_bench_close(&whole);
}

static void steps_of_every_family_give_the_logits_of_the_whole_text(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelConfig config = support_config((FamilyKind)i);
        if (FAMILIES[i]->n_classes > 0) { // it writes nothing
            continue;
        }
        check_steps(&config);
        config.switches.without_mask = true;
        check_steps(&config);
    }
    ModelConfig seq2seq = support_config(FAMILY_SEQ2SEQ);
    for (int attention = SEQ2SEQ_NONE; attention <= SEQ2SEQ_GENERAL; attention++) {
        seq2seq.attention = (Seq2SeqAttention)attention;
        check_steps(&seq2seq);
    }
}

// Two texts of one source change places: each row goes on from its new beginning.
static void check_reordered(const ModelConfig *config) {
    static const int32_t STEPS[][2] = {{3, 4}, {5, 6}, {7, 8}};
    static const int32_t TEXTS[][3] = {{4, 6, 7}, {4, 6, 8}}; // both go on from the second row
    static const int PARENTS[] = {1, 1};
    Error err = {""};
    const float *logits = NULL;
    size_t V = (size_t)config->vocab_size;
    ModelBench whole;
    Generator generator;
    model_bench_open(&whole, config, TAPE_WATCH, (BatchShape){1, 3, SHAPE.S}, 1, 23);
    GeneratorConfig options = {.mode = TAPE_INFER,
                               .n_rows = 2,
                               .capacity = 3,
                               .source = support_ids(whole.built.nodes.source),
                               .S = SHAPE.S};
    support_require(generator_open(&generator, &whole.model, whole.device, &options, &err), &err);
    for (int t = 0; t < 3; t++) {
        support_require(t < 2 || generator_reorder(&generator, PARENTS, &err), &err);
        support_require(generator_step(&generator, STEPS[t], &logits, &err), &err);
    }
    for (int row = 0; row < 2; row++) {
        memcpy(support_ids(whole.built.nodes.tokens), TEXTS[row], sizeof TEXTS[row]);
        tape_run(&whole.built.tape);
        for (size_t c = 0; c < V; c++) {
            float expected = support_numbers(whole.built.nodes.logits)[2 * V + c];
            assert_float_equal(logits[(size_t)row * V + c], expected, 1e-5F);
        }
    }
    generator_close(&generator);
    model_bench_close(&whole);
}

static void rows_that_change_places_take_their_state_along(void **state) {
    (void)state;
    ModelConfig config = support_config(FAMILY_ENCODER_DECODER);
    check_reordered(&config);
    config = support_config(FAMILY_SEQ2SEQ);
    for (int attention = SEQ2SEQ_NONE; attention <= SEQ2SEQ_GENERAL; attention++) {
        config.attention = (Seq2SeqAttention)attention;
        check_reordered(&config);
    }
}

static void a_state_has_as_many_blocks_as_a_model_asks_for(void **state) {
    (void)state;
    ModelConfig config = support_config(FAMILY_GPT2);
    config.n_layers = 300;
    check_steps(&config);
}

// ---- marks

static Tokenizer tokenizer_of(TokenizerKind kind, int bos_id, int eos_id) {
    return (Tokenizer){.kind = kind, .n_pieces = 9, .bos_id = bos_id, .eos_id = eos_id};
}

static void check_marks(TextMarks marks, int bos_id, int eos_id) {
    assert_int_equal(marks.bos_id, bos_id);
    assert_int_equal(marks.eos_id, eos_id);
}

static void marks_of_a_configuration_stand_around_every_text(void **state) {
    (void)state;
    ModelConfig config = support_config(FAMILY_ENCODER_DECODER);
    const Tokenizer other = tokenizer_of(TOKENIZER_WORDS, 5, 6);
    check_marks(text_marks_learned(&config, &other, true), 1, 2);
    check_marks(text_marks_shown(&config, &other, true), 1, 2);
    assert_int_equal(text_marks_end(&config, &other, true), 2);
    check_marks(text_marks_learned(&config, &other, false), 1, -1); // the copy toy's sentences
    check_marks(text_marks_shown(&config, &other, false), 1, -1);
    assert_int_equal(text_marks_end(&config, &other, false), -1);
    VocabularyMarks marks;
    assert_true(text_marks_vocabulary(&config, &marks));
    assert_int_equal(marks.pad_id, config.pad_id);
    assert_int_equal(marks.bos_id, config.bos_id);
    assert_int_equal(marks.eos_id, config.eos_id);
}

static void marks_of_a_tokenizer_depend_on_what_a_text_is_for(void **state) {
    (void)state;
    ModelConfig config = support_config(FAMILY_GPT2);
    const Tokenizer words = tokenizer_of(TOKENIZER_WORDS, 1, 2);
    const Tokenizer pieces = tokenizer_of(TOKENIZER_SENTENCEPIECE, 1, 2);
    const Tokenizer bytes = tokenizer_of(TOKENIZER_BYTE_LEVEL, 8, 8); // <|endoftext|> for both
    const Tokenizer plain = tokenizer_of(TOKENIZER_BYTE_LEVEL, -1, -1);
    check_marks(text_marks_learned(&config, &words, true), 1, 2);
    check_marks(text_marks_learned(&config, &bytes, true), -1, 8);
    check_marks(text_marks_learned(&config, &plain, true), -1, -1);
    check_marks(text_marks_shown(&config, &words, true), 1, -1);
    check_marks(text_marks_shown(&config, &pieces, true), -1, -1);
    check_marks(text_marks_shown(&config, &bytes, true), -1, -1);
    assert_int_equal(text_marks_start(&pieces), 1);
    assert_int_equal(text_marks_start(&bytes), 8);
    assert_int_equal(text_marks_start(&plain), -1);
    assert_int_equal(text_marks_before_prompt(&pieces, 3, 4), 1);
    assert_int_equal(text_marks_before_prompt(&pieces, 3, 1), -1); // it is there
    assert_int_equal(text_marks_before_prompt(&bytes, 3, 4), -1);
    assert_int_equal(text_marks_before_prompt(&bytes, 0, -1), 8);
    assert_int_equal(text_marks_before_prompt(&plain, 0, -1), -1);
    assert_int_equal(text_marks_end(&config, &pieces, true), 2);
    assert_int_equal(text_marks_end(&config, &plain, true), -1);
    config.eos_id = 7;
    assert_int_equal(text_marks_end(&config, &plain, true), 7);
    check_marks(text_marks_learned(&config, &plain, true), -1, 7); // the model's own
    const Tokenizer none = {.n_pieces = 0};
    assert_int_equal(text_marks_end(&config, &none, true), 7);
    VocabularyMarks marks;
    assert_false(text_marks_vocabulary(&config, &marks));
}

static void labels_that_count_are_neither_padding_nor_missing(void **state) {
    (void)state;
    const int32_t labels[] = {0, 3, -1, 0, 4};
    assert_int_equal(text_marks_count_labels(labels, 5, 0), 2);
    assert_int_equal(text_marks_count_labels(labels, 5, -1), 4);
    assert_int_equal(text_marks_count_labels(labels, 0, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_says_what_is_asked_of_it),
        cmocka_unit_test(a_configuration_reads_back_as_it_was_written),
        cmocka_unit_test(gpt2_drops_in_three_places),
        cmocka_unit_test(an_unknown_family_is_refused_with_the_known_ones),
        cmocka_unit_test(the_switches_of_a_row_are_those_with_an_effect),
        cmocka_unit_test(steps_of_every_family_give_the_logits_of_the_whole_text),
        cmocka_unit_test(rows_that_change_places_take_their_state_along),
        cmocka_unit_test(a_state_has_as_many_blocks_as_a_model_asks_for),
        cmocka_unit_test(marks_of_a_configuration_stand_around_every_text),
        cmocka_unit_test(marks_of_a_tokenizer_depend_on_what_a_text_is_for),
        cmocka_unit_test(labels_that_count_are_neither_padding_nor_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
