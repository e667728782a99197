// test_heatmap_prepare.c - what a heatmap reads from a tape is what the tape holds.
#include "tests/support.h"
#include "tests/support_node.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/models/model.h"
#include "views/pictures/heatmap_prepare.h"

static const char *const SOURCE[] = {"<s>", "dog", "run", "<pad>"};
static const char *const TARGET[] = {"<s>", "cat", "sleep"};
static const char *const NEXT[] = {"cat", "sleep", "eat"};
static const HeatmapTokens TOKENS = {
    .source = SOURCE, .n_source = 4, .tokens = TARGET, .n_tokens = 3, .next = NEXT};

typedef struct Subject {
    Device *device;
    Model model;
    ModelTape built;
    Arena arena;
    Heatmap heatmap;
    int n_other;
} Subject;

static ModelConfig two_sides(void) {
    return (ModelConfig){.family = FAMILY_ENCODER_DECODER,
                         .vocab_size = 8,
                         .d_model = 12,
                         .n_heads = 3,
                         .n_layers = 2,
                         .d_ff = 16,
                         .layer_norm_eps = 1e-5F,
                         .pad_id = 0,
                         .bos_id = 1,
                         .eos_id = 2,
                         .causal = true};
}

static void open_subject(Subject *subject, const ModelConfig *config) {
    Error err = {0};
    memset(subject, 0, sizeof *subject);
    support_require(model_init(&subject->model, config, 7, &err), &err);
    subject->device = support_device_open(1);
    bool has_source = config_has_two_sides(config);
    support_require(model_tape_build(&subject->built, &subject->model, TAPE_WATCH, subject->device,
                                     (BatchShape){2, 3, has_source ? 4 : 0}, TAPE_LOGITS, &err),
                    &err);
    support_require(tape_allocate(&subject->built.tape, &err), &err);
    tape_set_ids(&subject->built.tape, subject->built.nodes.tokens,
                 (const int32_t[]){1, 3, 6, 1, 4, 5});
    if (has_source) {
        tape_set_ids(&subject->built.tape, subject->built.nodes.source,
                     (const int32_t[]){1, 5, 4, 0, 1, 3, 6, 7});
    }
    tape_run(&subject->built.tape);
}

static void close_subject(Subject *subject) {
    model_tape_free(&subject->built);
    model_free(&subject->model);
    device_close(subject->device);
    arena_free(&subject->arena);
}

static void prepare(Subject *subject, HeatmapQuery query) {
    Error err = {0};
    subject->heatmap = (Heatmap){.model = "test"};
    support_require(heatmap_prepare(&subject->heatmap, &subject->arena, &subject->built.tape,
                                    &query, &TOKENS, &subject->n_other, &err),
                    &err);
    assert(subject->heatmap.panels != NULL);
}

static void assert_refused(Subject *subject, HeatmapQuery query, const char *sentence) {
    Error err = {0};
    assert_false(heatmap_prepare(&subject->heatmap, &subject->arena, &subject->built.tape, &query,
                                 &TOKENS, &subject->n_other, &err));
    if (strstr(err.text, sentence) == NULL) {
        fail_msg("expected \"%s\", found \"%s\"", sentence, err.text);
    }
}

static const float *matrix(const Subject *subject, const char *stage, int item, int head) {
    const Node *node = tape_find(&subject->built.tape, stage);
    assert_non_null(node);
    const int *sizes = node->shape.sizes;
    size_t size = (size_t)sizes[2] * (size_t)sizes[3];
    return support_numbers(node) + ((size_t)item * (size_t)sizes[1] + (size_t)head) * size;
}

static void all_layers_and_heads_make_a_grid(void **state) {
    (void)state;
    Subject subject;
    ModelConfig config = two_sides();
    open_subject(&subject, &config);
    prepare(&subject, (HeatmapQuery){NULL, HEATMAP_ALL, HEATMAP_ALL, 1});
    const Heatmap *heatmap = &subject.heatmap;
    assert_int_equal(heatmap->form, HEATMAP_GRID);
    assert_int_equal(heatmap->n_panels, 6);
    assert_int_equal(heatmap->panel_rows, 2);
    assert_int_equal(subject.n_other, 4); // decoder self-attention and cross-attention
    for (int i = 0; i < 6; i++) {
        char stage[64];
        snprintf(stage, sizeof stage, "encoder.%d.self_attn.weights", i / 3);
        assert_ptr_equal(heatmap->panels[i].values, matrix(&subject, stage, 1, i % 3));
        assert_int_equal(heatmap->panels[i].layer, i / 3);
        assert_int_equal(heatmap->panels[i].head, i % 3);
    }
    assert_string_equal(heatmap->stage,
                        "encoder.0.self_attn.weights … encoder.1.self_attn.weights");
    assert_string_equal(heatmap->row_axis, "query");
    assert_string_equal(heatmap->column_axis, "key");
    assert_string_equal(heatmap->row_labels[1], "dog");
    assert_null(heatmap->row_next); // one text looks at itself
    assert_true(heatmap->range.minimum == 0.0F && heatmap->range.maximum == 1.0F);
    close_subject(&subject);
}

static void cross_attention_asks_the_source(void **state) {
    (void)state;
    Subject subject;
    ModelConfig config = two_sides();
    open_subject(&subject, &config);
    prepare(&subject, (HeatmapQuery){"decoder.*.cross_attn.weights", 1, 2, 0});
    const Heatmap *heatmap = &subject.heatmap;
    assert_int_equal(heatmap->form, HEATMAP_ONE);
    assert_ptr_equal(heatmap->panels[0].values,
                     matrix(&subject, "decoder.1.cross_attn.weights", 0, 2));
    assert_string_equal(heatmap->stage, "decoder.1.cross_attn.weights");
    assert_int_equal(heatmap->n_rows, 3);
    assert_int_equal(heatmap->n_columns, 4);
    assert_string_equal(heatmap->row_labels[2], "sleep");
    assert_string_equal(heatmap->row_next[2], "eat");
    char text[HEATMAP_ROW_BYTES];
    assert_string_equal(heatmap_row_text(heatmap, 2, text), "sleep → eat");
    assert_string_equal(heatmap->column_labels[2], "run");
    close_subject(&subject);
}

static void the_mean_is_over_the_heads_of_each_layer(void **state) {
    (void)state;
    Subject subject;
    ModelConfig config = two_sides();
    open_subject(&subject, &config);
    prepare(&subject, (HeatmapQuery){NULL, HEATMAP_ALL, HEATMAP_MEAN, 0});
    const Heatmap *heatmap = &subject.heatmap;
    assert_int_equal(heatmap->n_panels, 2);
    assert_true(heatmap->is_mean);
    for (int j = 0; j < 16; j++) {
        double sum = 0;
        for (int head = 0; head < 3; head++) {
            sum += (double)matrix(&subject, "encoder.1.self_attn.weights", 0, head)[j];
        }
        assert_true(heatmap->panels[1].values[j] == (float)(sum / 3));
    }
    char title[HEATMAP_TITLE_BYTES];
    heatmap_title(heatmap, title);
    assert_string_equal(title, "test · 2 layers · mean of 3 heads");
    close_subject(&subject);
}

static void masked_scores_keep_their_infinities(void **state) {
    (void)state;
    Subject subject;
    ModelConfig config = two_sides();
    open_subject(&subject, &config);
    prepare(&subject, (HeatmapQuery){"decoder.0.self_attn.masked", HEATMAP_ALL, 0, 0});
    assert_true(subject.heatmap.has_masked);
    assert_true(isinf(subject.heatmap.panels[0].values[1]));
    assert_true(isfinite(subject.heatmap.range.minimum));
    assert_string_equal(subject.heatmap.quantity, "score");
    close_subject(&subject);
}

static void stages_without_heads_are_drawn_whole(void **state) {
    (void)state;
    Subject subject;
    ModelConfig config = two_sides();
    open_subject(&subject, &config);
    prepare(&subject, (HeatmapQuery){"memory", HEATMAP_ALL, HEATMAP_ALL, 1});
    const Node *memory = tape_find(&subject.built.tape, "memory");
    assert_ptr_equal(subject.heatmap.panels[0].values, support_numbers(memory) + 4 * 12);
    assert_string_equal(subject.heatmap.row_labels[1], "dog");
    assert_string_equal(subject.heatmap.row_axis, "position");
    assert_string_equal(subject.heatmap.column_labels[11], "11");
    prepare(&subject, (HeatmapQuery){"encoder.*.ffn.hidden", HEATMAP_ALL, HEATMAP_ALL, 0});
    assert_int_equal(subject.heatmap.n_panels, 2);
    assert_int_equal(subject.heatmap.form, HEATMAP_HEADS);
    close_subject(&subject);
}

static void heads_one_after_the_other_are_heads(void **state) {
    (void)state;
    Subject subject;
    ModelConfig config = {.family = FAMILY_STORY,
                          .vocab_size = 8,
                          .d_model = 8,
                          .n_heads = 3,
                          .n_layers = 1,
                          .layer_norm_eps = 1e-5F,
                          .pad_id = -1,
                          .bos_id = -1,
                          .eos_id = -1,
                          .heads = STORY_SEQUENTIAL,
                          .causal = true};
    open_subject(&subject, &config);
    prepare(&subject, (HeatmapQuery){NULL, 0, HEATMAP_ALL, 0});
    assert_int_equal(subject.heatmap.n_panels, 3);
    assert_int_equal(subject.heatmap.panels[2].head, 2);
    assert_ptr_equal(subject.heatmap.panels[2].values,
                     matrix(&subject, "attention.2.weights", 0, 0));
    prepare(&subject, (HeatmapQuery){NULL, HEATMAP_ALL, HEATMAP_MEAN, 0});
    assert_int_equal(subject.heatmap.n_panels, 1);
    close_subject(&subject);
}

static void what_is_not_there_is_named(void **state) {
    (void)state;
    Subject subject;
    ModelConfig config = two_sides();
    open_subject(&subject, &config);
    assert_refused(&subject, (HeatmapQuery){NULL, 2, HEATMAP_ALL, 0},
                   "layer 2: there are 2 layers");
    assert_refused(&subject, (HeatmapQuery){NULL, 0, 3, 0}, "head 3: there are 3 heads");
    assert_refused(&subject, (HeatmapQuery){"memory", 0, HEATMAP_ALL, 0}, "lies in no layer");
    assert_refused(&subject, (HeatmapQuery){"memory", HEATMAP_ALL, 0, 0}, "has no heads");
    assert_refused(&subject, (HeatmapQuery){"x", HEATMAP_ALL, 0, 0}, "no stage matches \"x\"");
    assert_refused(&subject, (HeatmapQuery){NULL, 0, 0, 2}, "batch item 2: there are 2");
    close_subject(&subject);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layers_and_heads_make_a_grid),
        cmocka_unit_test(cross_attention_asks_the_source),
        cmocka_unit_test(the_mean_is_over_the_heads_of_each_layer),
        cmocka_unit_test(masked_scores_keep_their_infinities),
        cmocka_unit_test(stages_without_heads_are_drawn_whole),
        cmocka_unit_test(heads_one_after_the_other_are_heads),
        cmocka_unit_test(what_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
