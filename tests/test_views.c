// test_views.c - what holds for every view: numbers are the engine's, drawing is pure, sizes do not
// matter, and structure comes from the tape.
#include "tests/support.h"
#include "tests/support_node.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/view_world.h"
#include "views/canvas_text.h"
#include "views/screen/view_dots.h"
#include "views/screen/view_map.h"
#include "views/screen/view_pca.h"

static const char OPEN_LINE[] = "toy-copy --ids \"1,5,4;1,3,6\" --seed 1";

static ViewWorld world;
static ViewWorld plane;

static int setup(void **state) {
    (void)state;
    view_world_open(&world, OPEN_LINE);
    view_world_open(&plane, "points-linear");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    view_world_close(&world);
    view_world_close(&plane);
    return 0;
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

static int between(uint32_t *seed, int least, int most) {
    return least + (int)(next_random(seed) % (uint32_t)(most - least + 1));
}

static void open_canvas(Canvas *canvas, int width, int height) {
    Error err = {""};
    support_require(canvas_init(canvas, width, height, &err), &err);
}

// ---- numbers

// What stands in columns x .. end - 1 of a line, blanks left out at both ends.
static void read_text(const Canvas *canvas, int x, int end, int y, char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (; x < end; x++) {
        const Cell *cell = canvas_cell(canvas, x, y);
        bool is_blank = cell == NULL || strcmp(cell->glyph, " ") == 0;
        if (!is_blank || length > 0) {
            length +=
                (size_t)snprintf(text + length, size - length, "%s", is_blank ? " " : cell->glyph);
        }
    }
    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
}

// One cell that the view says stands at (x, y); gives the column after it.
static int check_number(const View *view, const Canvas *canvas, int x, int y, int *n) {
    const Node *node = NULL;
    const Node *other = NULL;
    size_t element = 0;
    size_t other_element = 0;
    int width = canvas->width;
    int height = canvas->height;
    if (!view->hit(&world.state, width, height, x, y, &node, &element)) {
        return x + 1;
    }
    int end = x + 1;
    while (end < width && view->hit(&world.state, width, height, end, y, &other, &other_element) &&
           other == node && other_element == element) {
        end++;
    }
    char text[128];
    read_text(canvas, x, end - 1, y, text, sizeof text);
    double value = node_holds_ids(node) ? (double)support_ids(node)[element]
                                        : (double)support_numbers(node)[element];
    if (text[0] != '\0' && !support_says(text, value)) {
        fail_msg("%s %dx%d: %s[%zu] at (%d,%d) is written \"%s\" and is %.9g", view->name, width,
                 height, node->stage, element, x, y, text, value);
    }
    *n += text[0] != '\0';
    return end;
}

// Compares what stands in some rows of the canvas, from `first` on every `stride`-th; gives how
// many numbers there were.
static int check_numbers(const View *view, const Canvas *canvas, int first, int stride) {
    int n = 0;
    for (int y = first; y < canvas->height; y += stride) {
        int x = 0;
        while (x < canvas->width) {
            bool is_blank = strcmp(canvas_cell(canvas, x, y)->glyph, " ") == 0;
            x = is_blank && x % 4 != 0 ? x + 1 : check_number(view, canvas, x, y, &n);
        }
    }
    return n;
}

// What is prepared in slices is what is prepared at once.
static void a_scatter_plot_in_slices_is_the_same(void **state) {
    (void)state;
    const View *view = view_find("embeddings");
    const int indices[] = {3, 0};
    static ViewWorld large;
    Canvas canvas[2] = {{0}, {0}};
    view_world_open(&large, "gpt2-10m --untrained --ids \"1,2\"");
    assert_true(view_world_look(&large, "transformer.wte.weight", indices));
    for (int i = 0; i < 2; i++) {
        int n_slices = 0;
        double before = 1.0;
        large.state.budget_ms = i == 0 ? 0.0 : 1e-3;
        large.state.n_changes = i;
        do {
            view_prepare(view, &large.state, &large.workspace);
            assert_true(large.workspace.left <= before);
            before = large.workspace.left;
            n_slices++;
        } while (before > 0.0 && n_slices < 1000);
        assert_in_range(n_slices, i == 0 ? 1 : 200, i == 0 ? 1 : 300);
        open_canvas(&canvas[i], 100, 30);
        view_draw(view, &large.state, &canvas[i]);
    }
    assert_memory_equal(canvas[0].cells, canvas[1].cells, 100 * 30 * sizeof(Cell));
    canvas_free(&canvas[0]);
    canvas_free(&canvas[1]);
    view_world_close(&large);
}

static void look_at_random_cell(uint32_t *seed) {
    const Stepper *stepper = &world.playground.stepper;
    const Node *node = stepper->steps[between(seed, 0, stepper->n_steps - 1)];
    size_t count = shape_count(&node->shape);
    view_world_look_at(&world, node, (size_t)between(seed, 0, (int)count - 1));
}

static void every_printed_number_is_the_engines(void **state) {
    (void)state;
    static const char *const NAMES[] = {"tensor", "equation", "attention"};
    uint32_t seed = 7;
    int n = 0;
    for (int walk = 0; walk < 300; walk++) {
        const View *view = view_find(NAMES[walk % 3]);
        look_at_random_cell(&seed);
        if (!view->fits(&world.state)) {
            continue;
        }
        Canvas canvas = {0};
        open_canvas(&canvas, between(&seed, view->min_width, 160),
                    between(&seed, view->min_height, 50));
        view_prepare(view, &world.state, &world.workspace);
        view_draw(view, &world.state, &canvas);
        n += check_numbers(view, &canvas, walk % 4, 4);
        canvas_free(&canvas);
    }
    assert_true(n > 1500);
}

// The element whose cell stands in the cursor's brackets.
static bool cursor_cell(const View *view, const Canvas *canvas, const Node **node,
                        size_t *element) {
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            const Cell *cell = canvas_cell(canvas, x, y);
            if (cell->style == STYLE_CURSOR && strcmp(cell->glyph, "[") == 0) {
                return view->hit(&world.state, canvas->width, canvas->height, x + 1, y, node,
                                 element);
            }
        }
    }
    return false;
}

static void the_cursors_cell_always_shows(void **state) {
    (void)state;
    const View *view = view_find("tensor");
    uint32_t seed = 3;
    for (int walk = 0; walk < 300; walk++) {
        Canvas canvas = {0};
        const Node *node = NULL;
        size_t element = 0;
        look_at_random_cell(&seed);
        open_canvas(&canvas, between(&seed, view->min_width, 120),
                    between(&seed, view->min_height, 40));
        view_prepare(view, &world.state, &world.workspace);
        view_draw(view, &world.state, &canvas);
        assert_true(cursor_cell(view, &canvas, &node, &element));
        assert_ptr_equal(node, world.state.node);
        assert_int_equal(element, world.state.element);
        canvas_free(&canvas);
    }
}

// ---- drawing

static void fill_world(ViewWorld *filled) {
    static const ViewKey KEYS[] = {{"n", "next", "One step forward."}, {"", "heads", "x"}};
    const int indices[SHAPE_MAX_RANK] = {0, 0, 1, 1};
    assert_true(view_world_look(filled, "encoder.0.self_attn.scores", indices));
    view_world_train(filled);
    view_world_measure(filled);
    view_world_count(filled);
    view_world_time(filled);
    view_world_decode(filled);
    view_world_sample(filled, 0.5);
    view_world_change(filled);
    filled->state.keys = KEYS;
    filled->state.n_keys = 2;
}

// Something that the view can show: the toy, or points of a plane.
static ViewState *look_for(const View *view) {
    const int indices[SHAPE_MAX_RANK] = {0, 0, 1, 1};
    const char *stage = "encoder.0.self_attn.scores";
    ViewWorld *in = &world;
    if (strcmp(view->name, "points") == 0) {
        in = &plane;
        stage = "x";
    } else if (strcmp(view->name, "loss") == 0 || strcmp(view->name, "predictions") == 0) {
        stage = "logits";
    } else if (strcmp(view->name, "embeddings") == 0 || strcmp(view->name, "tokens") == 0) {
        stage = "src.embedding";
    }
    assert_true(view_world_look(in, stage, indices));
    assert_true(view->fits(&in->state));
    view_prepare(view, &in->state, &in->workspace);
    return &in->state;
}

static void every_view_survives_every_size(void **state) {
    (void)state;
    fill_world(&world);
    for (int i = 0; VIEWS[i] != NULL; i++) {
        ViewState *shown = look_for(VIEWS[i]);
        for (int height = 1; height <= 31; height += 3) {
            for (int width = 1; width <= 121; width += 5) {
                Canvas canvas = {0};
                open_canvas(&canvas, width, height);
                canvas.ascii = width % 2 == 0;
                shown->language = height % 2 == 0 ? LANGUAGE_ZH : LANGUAGE_EN;
                view_draw(VIEWS[i], shown, &canvas);
                VIEWS[i]->draw(shown, &canvas); // also where view_draw says it is too small
                canvas_free(&canvas);
            }
        }
        int width = 0;
        int height = 0;
        view_measure(VIEWS[i], shown, &width, &height);
        assert_true(width >= VIEWS[i]->min_width && height >= VIEWS[i]->min_height);
    }
}

static char *drawn(const View *view, const ViewState *shown, int width, int height, bool ascii) {
    Canvas canvas = {0};
    char *text = NULL;
    size_t length = 0;
    Error err = {""};
    open_canvas(&canvas, width, height);
    canvas.ascii = ascii;
    view_draw(view, shown, &canvas);
    support_require(canvas_to_frame(&canvas, &text, &length, &err), &err);
    canvas_free(&canvas);
    return text;
}

static void drawing_again_gives_the_same(void **state) {
    (void)state;
    fill_world(&world);
    for (int i = 0; VIEWS[i] != NULL; i++) {
        ViewState *shown = look_for(VIEWS[i]);
        char *first = drawn(VIEWS[i], shown, 90, 30, false);
        look_for(VIEWS[i]);
        char *second = drawn(VIEWS[i], shown, 90, 30, false);
        assert_string_equal(first, second);
        free(first);
        free(second);
    }
}

static void with_ascii_nothing_else_is_drawn(void **state) {
    (void)state;
    fill_world(&world);
    for (int i = 0; VIEWS[i] != NULL; i++) {
        ViewState *shown = look_for(VIEWS[i]);
        shown->language = LANGUAGE_EN;
        char *text = drawn(VIEWS[i], shown, 110, 40, true);
        for (const char *at = text; *at != '\0'; at++) {
            if ((unsigned char)*at >= 0x80) {
                fail_msg("%s draws \"%.12s\"", VIEWS[i]->name, at);
            }
        }
        free(text);
    }
}

#if !defined(__SANITIZE_ADDRESS__)
static void drawing_allocates_nothing(void **state) {
    (void)state;
    fill_world(&world);
    Canvas canvas = {0};
    open_canvas(&canvas, 150, 50);
    for (int i = 0; VIEWS[i] != NULL; i++) {
        ViewState *shown = look_for(VIEWS[i]);
        view_draw(VIEWS[i], shown, &canvas); // what the library keeps once is there now
        support_count_allocations(true);
        view_draw(VIEWS[i], shown, &canvas);
        size_t n = support_count_allocations(false);
        if (n > 0) {
            fail_msg("%s allocates %zu times", VIEWS[i]->name, n);
        }
    }
    canvas_free(&canvas);
}
#endif

// ---- structure

static const MapItem *find_item(const MapTower *tower, MapKind kind, ViewTextId text) {
    for (int i = 0; i < tower->n_items; i++) {
        if (tower->items[i].kind == kind && tower->items[i].text == text) {
            return &tower->items[i];
        }
    }
    return NULL;
}

static void configure(const ModelConfig *config) {
    Error err = {""};
    support_require(playground_configure(&world.playground, config, &err), &err);
    world.state.tape = playground_tape(&world.playground);
    world.state.node = NULL;
}

static void the_map_is_read_from_the_executed_tape(void **state) {
    (void)state;
    Map map;
    ModelConfig config = world.playground.config;
    map_make(&map, &world.state, false);
    assert_true(map.has_encoder && map.has_residual && !map.norm_comes_first);
    assert_non_null(find_item(&map.towers[1], MAP_ATTENTION, VIEW_TEXT_MASKED_ATTENTION));
    assert_null(find_item(&map.towers[0], MAP_ATTENTION, VIEW_TEXT_MASKED_ATTENTION));
    assert_int_equal(map.towers[0].items[3].kind, MAP_ATTENTION);
    assert_int_equal(map.towers[0].items[4].kind, MAP_ADD_NORM);

    config.norm_first = true;
    configure(&config);
    map_make(&map, &world.state, false);
    assert_true(map.norm_comes_first);
    assert_int_equal(map.towers[0].items[3].kind, MAP_NORM);
    assert_int_equal(map.towers[0].items[4].kind, MAP_ATTENTION);
    assert_int_equal(map.towers[0].items[5].kind, MAP_ADD);

    config.norm_first = false;
    config.switches.without_mask = true;
    config.switches.without_residual = true;
    config.n_layers = 2;
    configure(&config);
    map_make(&map, &world.state, false);
    assert_null(find_item(&map.towers[1], MAP_ATTENTION, VIEW_TEXT_MASKED_ATTENTION));
    assert_false(map.has_residual);
    assert_int_equal(map.towers[1].n_layers, 2);
}

static void a_gradient_stands_where_its_forward_node_does(void **state) {
    (void)state;
    const int indices[SHAPE_MAX_RANK] = {0};
    assert_true(view_world_look(&world, "grad.encoder.0.ffn.hidden", indices));
    assert_string_equal(map_forward_node(&world.state)->stage, "encoder.0.ffn.hidden");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_printed_number_is_the_engines, setup, teardown),
        cmocka_unit_test(a_scatter_plot_in_slices_is_the_same),
        cmocka_unit_test_setup_teardown(the_cursors_cell_always_shows, setup, teardown),
        cmocka_unit_test_setup_teardown(every_view_survives_every_size, setup, teardown),
        cmocka_unit_test_setup_teardown(drawing_again_gives_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(with_ascii_nothing_else_is_drawn, setup, teardown),
#if !defined(__SANITIZE_ADDRESS__)
        cmocka_unit_test_setup_teardown(drawing_allocates_nothing, setup, teardown),
#endif
        cmocka_unit_test_setup_teardown(the_map_is_read_from_the_executed_tape, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gradient_stands_where_its_forward_node_does, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
