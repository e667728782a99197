// test_axes.c - every axis of positions says whose they are, and readers label it so.
#include "tests/support_tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "views/pictures/heatmap_prepare.h"
#include "views/screen/view_matrix.h"
#include "views/tensor_text.h"

enum { B = 2, T = 3, S = 5 };

static bool is_position(const Node *node, int axis) {
    char name[4];
    shape_axis_name(&node->shape, axis, name);
    return strcmp(name, "T") == 0 || strcmp(name, "S") == 0;
}

// Of all positions of a side: a part of them is labelled by where it was cut.
static bool is_whole_side(const Node *node, int axis) {
    int size = node->shape.sizes[axis];
    return is_position(node, axis) && (size == T || size == S);
}

static bool is_table(const Node *node) {
    return node->parameter != NULL; // rows of a table of positions belong to no text
}

// Source and target of different lengths: an axis that counts a side is as long as that side.
static void check_sides(const ModelBench *bench, const ModelBench *alike) {
    const ModelNodes *nodes = &bench->built.nodes;
    for (int i = 0; i < bench->built.tape.n_nodes; i++) {
        const Node *node = bench->built.tape.nodes[i];
        for (int axis = 0; axis < shape_rank(&node->shape); axis++) {
            const Node *counted = node->counts[axis].ids;
            if (!is_whole_side(node, axis) || node->stage == NULL || is_table(node)) {
                continue;
            }
            const Node *expected = node->shape.sizes[axis] == S ? nodes->source : nodes->tokens;
            if (counted != expected) {
                fail_msg("%s %s, axis %d: counts %s, expected %s", node->stage, node->shape.axes,
                         axis, counted == NULL ? "nothing" : counted->stage, expected->stage);
            }
            const Node *same = tape_find(&alike->built.tape, node->stage);
            assert_non_null(same);
            assert_int_equal(same->counts[axis].ids->id,
                             counted->id); // where both are as long, too
        }
    }
}

static void every_axis_of_every_stage_counts_its_own_side(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT * 4; i++) {
        ModelConfig config = support_config((FamilyKind)(i / 4));
        ModelBench bench;
        ModelBench alike;
        const TapeMode mode = i % 2 == 0 ? TAPE_WATCH : TAPE_TRAIN;
        config.norm_first = i / 2 % 2 == 1;
        config.heads = i / 2 % 2 == 1 ? STORY_SEQUENTIAL : config.heads;
        config.attention = i / 2 % 2 == 1 ? SEQ2SEQ_GENERAL : config.attention;
        config.dropout = 0.1F;
        model_bench_open(&bench, &config, mode, (BatchShape){B, T, S}, 1, 3);
        model_bench_open(&alike, &config, mode, (BatchShape){B, T, T}, 1, 3);
        check_sides(&bench, &alike);
        model_bench_close(&bench);
        model_bench_close(&alike);
    }
}

// ---- what readers write

static const char *word(const void *context, int32_t id, char *text, size_t size) {
    (void)context;
    snprintf(text, size, "w%d", id);
    return text;
}

// Every position of every side has a word of its own; labels that are classes are few.
static void set_words(const ModelNodes *nodes, int n_classes) {
    int32_t next = 0;
    Node *sides[] = {nodes->source, nodes->tokens, nodes->labels};
    for (int side = 0; side < 3; side++) {
        for (size_t i = 0; sides[side] != NULL && i < support_count(sides[side]); i++) {
            bool is_class = n_classes > 0 && sides[side] == nodes->labels;
            array_ids(sides[side]->array)[i] = next++ % (is_class ? n_classes : 13);
        }
    }
}

static const char *expected_word(const ModelNodes *nodes, const Node *node, int axis, int item,
                                 int index, char text[16]) {
    const Node *side = node->shape.sizes[axis] == S ? nodes->source : nodes->tokens;
    if (side == NULL) {
        fail_msg("%s: there is no such side", node->stage);
        return "";
    }
    snprintf(text, 16, "w%d", array_ids(side->array)[item * side->shape.sizes[1] + index]);
    return text;
}

// What a row of cross-attention writes next: its label, which no side has at that place.
static void add_next_word(const ModelNodes *nodes, const Node *node, int item, int row,
                          char text[40]) {
    size_t length = strlen(text);
    if (node_crosses(node)) {
        snprintf(text + length, 40 - length, " → w%d",
                 array_ids(nodes->labels->array)[item * T + row]);
    }
}

static void check_screen(const ModelBench *bench, const Node *node, int axis) {
    const ModelNodes *nodes = &bench->built.nodes;
    ViewState state = {
        .tape = &bench->built.tape, .nodes = nodes, .labels = {.nodes = nodes, .token = word}};
    char found[VIEW_TOKEN_BYTES];
    char expected[16];
    for (int item = 0; item < B; item++) {
        for (int index = 0; index < node->shape.sizes[axis]; index++) {
            char whole[40];
            assert_string_equal(view_index_token(&state, node, axis, item, index, found),
                                expected_word(nodes, node, axis, item, index, expected));
            snprintf(whole, sizeof whole, "%s", expected);
            add_next_word(nodes, node, item, index, whole);
            if (axis == shape_rank(&node->shape) - 2) {
                char row[VIEW_ROW_BYTES];
                assert_string_equal(
                    view_row_token(&state, node, item, index, TENSOR_ROW_WHOLE, row), whole);
            }
        }
    }
}

// The first word of each row of numbers, and the words above the columns.
static void check_text(const ModelBench *bench, const Node *node) {
    const ModelNodes *nodes = &bench->built.nodes;
    const TensorLabels labels = {&bench->built.tape, nodes, word, NULL};
    FileWriter writer = {0};
    FileBytes bytes = {0};
    int last = shape_rank(&node->shape) - 1;
    int n_rows = 0;
    int n_each = node->shape.sizes[last - 1];
    size_t rows = shape_rows(&node->shape);
    int per_item = (int)rows / B;
    if (per_item == 0) {
        fail_msg("%s: there are no rows", node->stage);
        return;
    }
    assert_true(file_writer_open_memory(&writer, NULL));
    tensor_text_numbers(&writer, node, &labels);
    assert_true(file_writer_take(&writer, &bytes, NULL));
    char *text = strndup((const char *)bytes.bytes, bytes.size_bytes);
    char expected[16];
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        char first[32] = "";
        char second[32] = "";
        const char *words = strstr(line, "reads → writes");
        words = words == NULL ? line : words + strlen("reads → writes");
        if (sscanf(words, " %31s %31s", first, second) != 2 || first[0] != 'w') {
            continue;
        }
        if (second[0] == 'w' && !is_position(node, last)) { // the vocabulary
            continue;
        }
        if (second[0] == 'w') { // above the columns
            assert_string_equal(first,
                                expected_word(nodes, node, last, n_rows / per_item, 0, expected));
            assert_string_equal(second,
                                expected_word(nodes, node, last, n_rows / per_item, 1, expected));
            continue;
        }
        assert_string_equal(first, expected_word(nodes, node, last - 1, n_rows / per_item,
                                                 n_rows % n_each, expected));
        char next[40] = "";
        add_next_word(nodes, node, n_rows / per_item, n_rows % n_each, next);
        assert_non_null(strstr(line, next));
        n_rows++;
    }
    assert_int_equal(n_rows, rows);
    free(text);
    file_close(&bytes);
}

static const char *const *words_of(Arena *arena, const Node *ids, int item) {
    int n = ids->shape.sizes[1];
    const char **words = arena_allocate(arena, (size_t)n * sizeof *words);
    for (int i = 0; i < n; i++) {
        words[i] = arena_format(arena, "w%d", array_ids(ids->array)[item * n + i]);
    }
    return words;
}

static void check_picture(const ModelBench *bench, const Node *node) {
    const ModelNodes *nodes = &bench->built.nodes;
    Arena arena = {0};
    Error err = {""};
    Heatmap heatmap = {.model = "test"};
    int n_other = 0;
    int last = shape_rank(&node->shape) - 1;
    const int item = 1;
    HeatmapTokens tokens = {.tokens = words_of(&arena, nodes->tokens, item), .n_tokens = T};
    if (nodes->source != NULL) {
        tokens.source = words_of(&arena, nodes->source, item);
        tokens.n_source = S;
    }
    const HeatmapQuery query = {node->stage, HEATMAP_ALL, HEATMAP_ALL, item};
    support_require(
        heatmap_prepare(&heatmap, &arena, &bench->built.tape, &query, &tokens, &n_other, &err),
        &err);
    char *csv = NULL;
    size_t size = 0;
    support_require(heatmap_csv(&heatmap, &csv, &size, &err), &err);
    for (int axis = last - 1; axis <= last; axis++) {
        const char *const *found = axis == last ? heatmap.column_labels : heatmap.row_labels;
        for (int i = 0; is_position(node, axis) && i < node->shape.sizes[axis]; i++) {
            char expected[16];
            char field[24];
            assert_string_equal(found[i], expected_word(nodes, node, axis, item, i, expected));
            snprintf(field, sizeof field, ",%s,", expected);
            assert_non_null(strstr(csv, field));
        }
    }
    free(csv);
    arena_free(&arena);
}

static void screen_text_picture_and_table_write_the_words_of_that_side(void **state) {
    (void)state;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        ModelConfig config = support_config((FamilyKind)i);
        ModelBench bench;
        model_bench_open(&bench, &config, TAPE_WATCH, (BatchShape){B, T, S}, 1, 3);
        set_words(&bench.built.nodes, family_of(&config)->n_classes);
        tape_run(&bench.built.tape);
        int n_checked = 0;
        for (int k = 0; k < bench.built.tape.n_nodes; k++) {
            const Node *node = bench.built.tape.nodes[k];
            int rank = shape_rank(&node->shape);
            bool has_items = rank >= 3 && node->shape.axes[0] == 'B' && node->stage != NULL;
            if (!has_items || !is_whole_side(node, rank - 2) || strchr(node->stage, '@') != NULL) {
                continue;
            }
            check_screen(&bench, node, rank - 2);
            check_text(&bench, node);
            check_picture(&bench, node);
            n_checked++;
        }
        assert_true(n_checked > 5);
        model_bench_close(&bench);
    }
}

// Positions that were cut out keep their words, and have them where they are put together again.
static void parts_of_a_sequence_count_from_where_they_were_cut(void **state) {
    (void)state;
    static const int32_t IDS[] = {4, 5, 6, 7, 8, 9};
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    Tape *tape = &bench.tape;
    Node *ids = bench_ids(&bench, (Shape){"BT", {2, 3}}, IDS);
    Node *table = bench_floats(&bench, (Shape){"VC", {10, 2}}, NULL);
    Node *x = op_embedding(tape, "x", table, ids, 1.0F);
    Node *parts[] = {op_slice_steps(tape, "first", x, 0, 1),
                     op_tanh(tape, "rest", op_slice_steps(tape, "cut", x, 1, 2))};
    Node *whole = op_concat_steps(tape, "whole", parts, 2);
    Node *turned[] = {parts[1], parts[0]};
    Node *other = op_concat_steps(tape, "other", turned, 2);
    bench_run(&bench);
    int32_t id = -1;
    assert_true(tape_id_at(tape, parts[1], 1, 1, 0, &id));
    assert_int_equal(id, 8);
    assert_true(tape_id_at(tape, whole, 1, 1, 2, &id));
    assert_int_equal(id, 9);
    assert_false(tape_id_at(tape, other, 1, 1, 0, &id)); // in another order: nobody's positions
    assert_false(tape_id_at(tape, whole, 2, 0, 0, &id));
    bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_axis_of_every_stage_counts_its_own_side),
        cmocka_unit_test(parts_of_a_sequence_count_from_where_they_were_cut),
        cmocka_unit_test(screen_text_picture_and_table_write_the_words_of_that_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
