// test_view_hits.c - what a click on a view means.
#include "tests/support.h"

#include <string.h>

#include "tests/view_world.h"
#include "views/screen/view_map.h"

static ViewWorld world;

static int setup(void **state) {
    (void)state;
    const int indices[SHAPE_MAX_RANK] = {0, 1, 1, 2};
    view_world_open(&world, "toy-copy --ids \"1,5,4;1,3,6\" --seed 1");
    assert_true(view_world_look(&world, "encoder.0.self_attn.weights", indices));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    view_world_close(&world);
    return 0;
}

static void draw(const View *view, Canvas *canvas, int width, int height) {
    Error err = {""};
    support_require(canvas_init(canvas, width, height, &err), &err);
    view_prepare(view, &world.state, &world.workspace);
    view_draw(view, &world.state, canvas);
}

static bool stands_at(const Canvas *canvas, int x, int y, const char *text) {
    for (; *text != '\0'; text++, x++) {
        const Cell *cell = canvas_cell(canvas, x, y);
        if (cell == NULL || cell->glyph[0] != *text) {
            return false;
        }
    }
    return true;
}

// Clicks where an ASCII text stands, the first from the top left corner.
static bool click(const View *view, const char *text, int width, int height, const Node **node,
                  size_t *element) {
    Canvas canvas = {0};
    bool is_hit = false;
    draw(view, &canvas, width, height);
    for (int y = 0; y < height && !is_hit; y++) {
        for (int x = 0; x < width && !is_hit; x++) {
            is_hit = stands_at(&canvas, x, y, text) &&
                     view->hit(&world.state, width, height, x, y, node, element);
        }
    }
    canvas_free(&canvas);
    return is_hit;
}

static void a_view_says_which_numbers_it_shows(void **state) {
    (void)state;
    const int indices[SHAPE_MAX_RANK] = {1, 1, 2, 0};
    assert_true(view_world_look(&world, "encoder.0.self_attn.q", indices));
    ViewNumbers numbers = view_numbers(view_find("tensor"), &world.state);
    assert_ptr_equal(numbers.node, world.state.node);
    assert_int_equal(numbers.item, 1);
    assert_int_equal(numbers.head, 1);
    numbers = view_numbers(view_find("attention"), &world.state);
    assert_string_equal(numbers.node->stage, "encoder.0.self_attn.weights");
    assert_int_equal(numbers.head, 1);
    numbers = view_numbers(view_find("heads"), &world.state);
    assert_int_equal(numbers.item, 1);
    assert_int_equal(numbers.head, VIEW_ALL);
    assert_true(view_world_look(&world, "encoder.0.norm2", indices));
    assert_int_equal(view_numbers(view_find("tensor"), &world.state).head, VIEW_ALL);
    for (int subject = VIEW_OF_NODE; subject <= VIEW_OF_MERGES; subject++) {
        assert_non_null(view_find_subject((ViewSubject)subject));
    }
}

static void a_stage_of_the_map_leads_to_its_first_node(void **state) {
    (void)state;
    static const int SIZES[][2] = {{80, 24}, {110, 60}};
    const Node *node = NULL;
    size_t element = 0;
    for (int i = 0; i < 2; i++) {
        int width = SIZES[i][0];
        int height = SIZES[i][1];
        const View *map = view_find("map");
        assert_true(click(map, "Cross-Attention", width, height, &node, &element));
        assert_string_equal(node->stage, "decoder.0.cross_attn.q_proj");
        assert_true(click(map, "Linear (logits)", width, height, &node, &element));
        assert_string_equal(node->stage, "logits");
        assert_true(click(map, "<s> dog run", width, height, &node, &element));
        assert_string_equal(node->stage, "src.tokens");
    }
    assert_true(view_turn(view_find("map"), &world.state, &world.workspace, true));
    assert_string_equal(map_zoomed(&world.state)->path, "encoder.0.self_attn");
    assert_true(click(view_find("map"), "context", 80, 24, &node, &element));
    assert_string_equal(node->stage, "encoder.0.self_attn.context");
    assert_true(view_turn(view_find("map"), &world.state, &world.workspace, false));
    assert_null(map_zoomed(&world.state));
}

// The whole model, the layer, the part of it; what is looked at later stays in the picture.
static void the_map_of_several_layers_goes_in_and_out(void **state) {
    (void)state;
    static ViewWorld deep;
    const int indices[SHAPE_MAX_RANK] = {0, 1, 1, 0};
    const View *map = view_find("map");
    const Node *node = NULL;
    size_t element = 0;
    view_world_open(&deep, "gpt2-tiny --ids \"1,5,4\" --untrained");
    assert_true(view_world_look(&deep, "h.1.attn.scores", indices));
    world.state = deep.state;
    for (int height = 12; height <= 60; height += 24) {
        assert_true(click(map, "Masked", 80, height, &node, &element));
        assert_string_equal(node->stage, "h.1.attn.qkv");
    }
    assert_true(click(map, "layer 2", 80, 24, &node, &element));
    assert_int_equal(node->scope->layer, 2);
    assert_true(click(map, "layer 0", 80, 24, &node, &element));
    assert_int_equal(node->scope->layer, 0);
    assert_true(view_turn(map, &world.state, &world.workspace, true));
    assert_string_equal(map_zoomed(&world.state)->path, "h.1");
    assert_true(click(map, "Feed Forward", 80, 24, &node, &element));
    assert_string_equal(node->stage, "h.1.mlp.hidden");
    assert_false(click(map, "Loss", 80, 24, &node, &element));
    assert_true(view_world_look(&deep, "h.2.mlp.hidden", (const int[SHAPE_MAX_RANK]){0, 0, 1}));
    world.state.node = deep.state.node;
    assert_true(click(map, "Feed Forward", 80, 24, &node, &element));
    assert_string_equal(node->stage, "h.2.mlp.hidden");
    assert_true(view_turn(map, &world.state, &world.workspace, true));
    assert_string_equal(map_zoomed(&world.state)->path, "h.2.mlp");
    assert_true(click(map, "activation", 80, 24, &node, &element));
    assert_string_equal(node->stage, "h.2.mlp.activation");
    assert_true(view_turn(map, &world.state, &world.workspace, false));
    assert_string_equal(map_zoomed(&world.state)->path, "h.2");
    assert_true(view_turn(map, &world.state, &world.workspace, false));
    assert_null(map_zoomed(&world.state));
    view_world_close(&deep);
}

static void a_line_of_the_tape_leads_to_its_step(void **state) {
    (void)state;
    const Node *node = NULL;
    size_t element = 0;
    assert_true(click(view_find("tape"), "residual1", 40, 30, &node, &element));
    assert_string_equal(node->stage, "encoder.0.residual1");
    assert_true(click(view_find("tape"), "decoder", 40, 40, &node, &element)); // a folded scope
    assert_string_equal(node->stage, "decoder.0.self_attn.q_proj");
}

static void a_head_of_the_grid_leads_to_its_weights(void **state) {
    (void)state;
    const Node *node = NULL;
    size_t element = 0;
    int indices[SHAPE_MAX_RANK];
    const View *heads = view_find("heads");
    assert_true(click(heads, "[1]", 80, 24, &node, &element)); // the current head's frame
    assert_string_equal(node->stage, "encoder.0.self_attn.weights");
    shape_indices(&node->shape, element, indices);
    assert_int_equal(indices[1], 1);
}

static void a_candidate_leads_to_its_logit(void **state) {
    (void)state;
    const int indices[SHAPE_MAX_RANK] = {1, 0, 0};
    const Node *node = NULL;
    size_t element = 0;
    int found[SHAPE_MAX_RANK];
    assert_true(view_world_look(&world, "logits", indices));
    assert_true(click(view_find("predictions"), "sleep", 80, 24, &node, &element));
    assert_string_equal(node->stage, "logits");
    shape_indices(&node->shape, element, found);
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 0);
    assert_int_equal(found[2], 6);
}

static void a_word_of_the_scatter_leads_to_its_row(void **state) {
    (void)state;
    const int indices[SHAPE_MAX_RANK] = {0, 1, 0};
    const Node *node = NULL;
    size_t element = 0;
    assert_true(view_world_look(&world, "src.embedding", indices));
    assert_true(click(view_find("embeddings"), "eat", 60, 24, &node, &element));
    assert_int_equal(element, 7 * 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stage_of_the_map_leads_to_its_first_node, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_map_of_several_layers_goes_in_and_out, setup, teardown),
        cmocka_unit_test_setup_teardown(a_view_says_which_numbers_it_shows, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_of_the_tape_leads_to_its_step, setup, teardown),
        cmocka_unit_test_setup_teardown(a_head_of_the_grid_leads_to_its_weights, setup, teardown),
        cmocka_unit_test_setup_teardown(a_candidate_leads_to_its_logit, setup, teardown),
        cmocka_unit_test_setup_teardown(a_word_of_the_scatter_leads_to_its_row, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
