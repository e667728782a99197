// test_frames.c - every view against its golden frames; `make frames` (or `test_frames --write`)
// rewrites them, `test_frames --show NAME W H [ascii]` prints one.
#include "tests/support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/files/plugin.h"
#include "tests/support_frames.h"
#include "tests/view_world.h"
#include "views/canvas_text.h"

enum {
    NEEDS_TRAINING = 1,
    NEEDS_BEAM = 2,
    NEEDS_DRAW = 4,
    NEEDS_CHANGE = 8,
    NEEDS_ZOOM = 16,
    UNTRAINED = 32,
    NEEDS_MERGES = 64,
    NEEDS_KEYS = 128,
    NEEDS_ROWS = 256,
    NEEDS_LAYERS = 512,
    NEEDS_LENGTHS = 1024,
    NEEDS_POINTS = 2048,
    NEEDS_SVM = 4096, // and so attend-svm.so
    NEEDS_SIZE = 8192,
    NEEDS_DISTANCES = 16384,
};

typedef struct Scene {
    const char *name;
    const char *view;
    const char *stage;
    int indices[4];
    Language language;
    unsigned needs;
} Scene;

static const Scene SCENES[] = {
    {"tape", "tape", "encoder.0.self_attn.scores", {0, 0, 2, 1}, LANGUAGE_EN, 0},
    {"tensor", "tensor", "encoder.0.self_attn.scores", {0, 0, 2, 1}, LANGUAGE_EN, 0},
    {"tensor-rows", "tensor", "encoder.0.ffn.hidden", {0, 1, 4}, LANGUAGE_EN, NEEDS_ROWS},
    {"tensor-wide", "tensor", "decoder.0.ffn.hidden", {0, 1, 17}, LANGUAGE_ZH, 0},
    {"equation-scores", "equation", "encoder.0.self_attn.scores", {0, 0, 2, 1}, LANGUAGE_EN, 0},
    {"equation-linear", "equation", "encoder.0.self_attn.q_proj", {0, 1, 5}, LANGUAGE_EN, 0},
    {"equation-softmax", "equation", "decoder.0.self_attn.weights", {1, 1, 1, 0}, LANGUAGE_ZH, 0},
    {"equation-norm", "equation", "encoder.0.norm1", {0, 2, 4}, LANGUAGE_EN, 0},
    {"equation-embedding", "equation", "src.embedding", {0, 1, 2}, LANGUAGE_EN, 0},
    {"equation-loss", "equation", "loss", {0}, LANGUAGE_EN, 0},
    {"equation-gradient",
     "equation",
     "grad.decoder.layers.0.linear1.weight",
     {3, 2},
     LANGUAGE_EN,
     0},
    {"attention", "attention", "encoder.0.self_attn.weights", {0, 1, 1, 2}, LANGUAGE_EN, 0},
    {"attention-rows",
     "attention",
     "decoder.0.cross_attn.scores",
     {0, 1, 1, 2},
     LANGUAGE_ZH,
     NEEDS_ROWS},
    {"heads-rows", "heads", "decoder.0.cross_attn.q", {0, 1, 1, 2}, LANGUAGE_EN, NEEDS_ROWS},
    {"heads", "heads", "decoder.0.cross_attn.q", {0, 1, 1, 2}, LANGUAGE_EN, 0},
    {"lines", "lines", "decoder.0.cross_attn.weights", {0, 0, 1, 2}, LANGUAGE_ZH, 0},
    {"map", "map", "decoder.0.cross_attn.weights", {0, 0, 1, 2}, LANGUAGE_EN, 0},
    {"map-backward", "map", "grad.encoder.0.ffn.hidden", {0, 0, 2}, LANGUAGE_ZH, 0},
    {"map-inside", "map", "decoder.0.self_attn.scores", {0, 0, 1, 1}, LANGUAGE_EN, NEEDS_ZOOM},
    {"map-layers", "map", "h.1.attn.scores", {0, 1, 2, 1}, LANGUAGE_EN, NEEDS_LAYERS},
    {"map-layer", "map", "h.1.mlp.hidden", {0, 2, 7}, LANGUAGE_ZH, NEEDS_LAYERS | NEEDS_ZOOM},
    {"predictions", "predictions", "logits", {0, 0, 4}, LANGUAGE_EN, 0},
    {"predictions-draw", "predictions", "logits", {0, 0, 4}, LANGUAGE_ZH, NEEDS_DRAW | UNTRAINED},
    {"beam", "beam", "logits", {0, 1, 4}, LANGUAGE_EN, NEEDS_BEAM},
    {"loss", "loss", "log_probs", {0, 1, 4}, LANGUAGE_EN, UNTRAINED},
    {"training", "training", "loss", {0}, LANGUAGE_EN, NEEDS_TRAINING},
    {"lengths", "lengths", "loss", {0}, LANGUAGE_EN, NEEDS_LENGTHS},
    {"lengths-zh", "lengths", "loss", {0}, LANGUAGE_ZH, NEEDS_LENGTHS},
    {"points", "points", "x", {0, 12, 0}, LANGUAGE_EN, NEEDS_POINTS},
    {"map-points", "map", "decision", {0, 1, 0}, LANGUAGE_EN, NEEDS_POINTS},
    {"points-svm", "points", "kernel", {0, 3, 8}, LANGUAGE_EN, NEEDS_SVM},
    {"points-svm-zh", "points", "decision", {0, 8, 0}, LANGUAGE_ZH, NEEDS_SVM},
    {"size", "size", "loss", {0}, LANGUAGE_EN, NEEDS_SIZE},
    {"size-zh", "size", "loss", {0}, LANGUAGE_ZH, NEEDS_SIZE},
    {"memory", "memory", "loss", {0}, LANGUAGE_EN, NEEDS_SIZE},
    {"memory-zh", "memory", "loss", {0}, LANGUAGE_ZH, NEEDS_SIZE},
    {"time", "time", "loss", {0}, LANGUAGE_EN, NEEDS_SIZE},
    {"time-zh", "time", "loss", {0}, LANGUAGE_ZH, NEEDS_SIZE},
    {"distances", "distances", "loss", {0}, LANGUAGE_EN, NEEDS_DISTANCES},
    {"distances-zh", "distances", "loss", {0}, LANGUAGE_ZH, NEEDS_DISTANCES},
    {"embeddings", "embeddings", "src.embedding", {0, 1, 4}, LANGUAGE_EN, 0},
    {"tokens", "tokens", "src.tokens", {0, 1}, LANGUAGE_EN, NEEDS_MERGES},
    {"change", "change", "encoder.0.self_attn.scores", {0, 0, 2, 1}, LANGUAGE_EN, NEEDS_CHANGE},
    {"big", "big", "encoder.0.self_attn.scores", {0, 0, 2, 1}, LANGUAGE_EN, 0},
    {"help", "help", "loss", {0}, LANGUAGE_EN, NEEDS_KEYS},
    {"help-zh", "help", "loss", {0}, LANGUAGE_ZH, NEEDS_KEYS},
    {"why", "why", "encoder.0.norm1", {0, 1, 3}, LANGUAGE_EN, 0},
};

enum { N_SCENES = sizeof SCENES / sizeof SCENES[0] };

static const char OPEN_LINE[] = "toy-copy --ids \"1,5,4;1,3,6\" --seed 1";
static const char OPEN_LAYERS[] = "gpt2-tiny --ids \"1,5,4\" --seed 1 --untrained";
static const char OPEN_UNTRAINED[] = "toy-copy --ids \"1,5,4;1,3,6\" --seed 1 --untrained";

static const char OPEN_POINTS[] = "points-features --seed 1";
static const char OPEN_SVM[] = "svm-polynomial";

static const char *line_of(const Scene *scene) {
    return (scene->needs & NEEDS_LAYERS) != 0   ? OPEN_LAYERS
           : (scene->needs & NEEDS_POINTS) != 0 ? OPEN_POINTS
           : (scene->needs & NEEDS_SVM) != 0    ? OPEN_SVM
           : (scene->needs & UNTRAINED) != 0    ? OPEN_UNTRAINED
                                                : OPEN_LINE;
}

// False, and it is said, where what it needs was not built.
static bool has_all(const Scene *scene) {
    Error err = {""};
    if ((scene->needs & NEEDS_SVM) == 0 || plugin_open("svm", "attend_svm", &err) != NULL) {
        return true;
    }
    printf("skipped: %s: %s\n", scene->name, err.text);
    return false;
}

// What the help is given: enough for two columns and a line that is too long.
static const ViewKey KEYS[LANGUAGE_COUNT][6] = {
    {{"n", "next", "One step forward."},
     {"p", "back", "One step back: nothing is lost by it."},
     {"Space", "continue", "Runs the lesson up to its next stop."},
     {"← h", "left", "Moves the cell to the left."},
     {"Enter", "follow",
      "Follows the number into its largest source; pressed again it takes the "
      "next one, and Backspace leads back."},
     {"", "heads", "Another number of heads."}},
    {{"n", "next", "向前一步。"},
     {"p", "back", "后退一步：什么也不会丢。"},
     {"Space", "continue", "课程走到下一站。"},
     {"← h", "left", "把光标移到左边一格。"},
     {"Enter", "follow", "跟着这个数走到它最大的来源；再按一次去下一个来源，Backspace 回来。"},
     {"", "heads", "换一个头数。"}},
};

static void add_lists(ViewWorld *world, const Scene *scene) {
    static const int STARTS[4][6] = {{0, 1, 2, 3, 4, 5}, {0, 1, 3, 4, 5}, {0, 3, 4, 5}, {0, 3, 4}};
    static const ViewMerge MERGES[] = {
        {"lowers", 6, 6, STARTS[0], 1, 12},
        {"lowers", 6, 5, STARTS[1], 0, 40},
        {"lowers", 6, 4, STARTS[2], 2, 311},
        {"lowers", 6, 3, STARTS[3], 0, -1},
    };
    if ((scene->needs & NEEDS_MERGES) != 0) {
        world->state.merges = MERGES;
        world->state.n_merges = 4;
        world->state.n_all_merges = 4;
    }
    if ((scene->needs & NEEDS_LENGTHS) != 0) {
        view_world_measure(world);
    }
    if ((scene->needs & NEEDS_SIZE) != 0) {
        view_world_count(world);
    }
    if ((scene->needs & NEEDS_DISTANCES) != 0) {
        view_world_time(world);
    }
    if ((scene->needs & NEEDS_KEYS) != 0) {
        world->state.keys = KEYS[scene->language];
        world->state.n_keys = 6;
    }
}

static void set_scene(ViewWorld *world, const Scene *scene) {
    view_world_open(world, line_of(scene));
    assert_true(view_world_look(world, scene->stage, scene->indices));
    world->state.language = scene->language;
    world->state.scale = (scene->needs & NEEDS_ROWS) != 0 ? HEAT_PER_ROW : HEAT_LINEAR;
    if ((scene->needs & NEEDS_TRAINING) != 0) {
        view_world_train(world);
    }
    if ((scene->needs & NEEDS_BEAM) != 0) {
        view_world_decode(world);
    }
    if ((scene->needs & NEEDS_DRAW) != 0) {
        view_world_sample(world, 0.73);
    }
    if ((scene->needs & NEEDS_CHANGE) != 0) {
        view_world_change(world);
    }
    add_lists(world, scene);
    if ((scene->needs & NEEDS_ZOOM) != 0) {
        view_turn(view_find(scene->view), &world->state, &world->workspace, true);
    }
}

static void draw_scene(ViewWorld *world, const Scene *scene, Canvas *canvas) {
    const View *view = view_find(scene->view);
    assert_non_null(view);
    assert_true(view->fits(&world->state));
    view_prepare(view, &world->state, &world->workspace);
    canvas_clear(canvas, STYLE_TEXT);
    view_draw(view, &world->state, canvas);
}

// ---- every scene

typedef struct Shown {
    ViewWorld *world;
    const Scene *scene;
} Shown;

static void draw_shown(void *context, Canvas *canvas) {
    const Shown *shown = context;
    draw_scene(shown->world, shown->scene, canvas);
}

static int each_frame(bool writes) {
    int n_bad = 0;
    static ViewWorld world;
    for (int i = 0; i < N_SCENES; i++) {
        Shown shown = {&world, &SCENES[i]};
        if (!has_all(&SCENES[i])) {
            continue;
        }
        set_scene(&world, &SCENES[i]);
        n_bad += frames_each(SCENES[i].name, draw_shown, &shown, writes);
        view_world_close(&world);
    }
    return n_bad;
}

static void every_view_draws_its_golden_frames(void **state) {
    (void)state;
    assert_int_equal(each_frame(false), 0);
}

// ---- to look at one

static int show(int count, char **arguments) {
    static ViewWorld world;
    for (int i = 0; i < N_SCENES; i++) {
        if (strcmp(SCENES[i].name, arguments[0]) != 0) {
            continue;
        }
        Shown shown = {&world, &SCENES[i]};
        set_scene(&world, &SCENES[i]);
        frames_show(draw_shown, &shown, count - 1, arguments + 1);
        view_world_close(&world);
        return 0;
    }
    fprintf(stderr, "there is no scene \"%s\"\n", arguments[0]);
    return 1;
}

// ---- what a view has no room for

// The words of a frame, without digits: at another size a number has other digits.
static bool next_word(const char **text, char word[64]) {
    size_t length = 0;
    while (**text != '\0' && !isalpha((unsigned char)**text)) {
        (*text)++;
    }
    for (; isalpha((unsigned char)**text) && length < 63; (*text)++) {
        word[length++] = **text;
    }
    word[length] = '\0';
    return length > 0;
}

static char *text_of_canvas(const Canvas *canvas) {
    char *text = NULL;
    size_t length = 0;
    Error err = {""};
    support_require(canvas_to_text(canvas, &text, &length, &err), &err);
    return text;
}

// The first word that shows where there is room for everything and not here, NULL: none.
static const char *lost_word(const char *everything, const char *here, char word[64]) {
    while (next_word(&everything, word)) {
        if (strlen(word) > 2 && strstr(here, word) == NULL) {
            return word;
        }
    }
    return NULL;
}

static int check_room(ViewWorld *world, const Scene *scene, const char *everything,
                      const int size[2]) {
    Canvas canvas = {0};
    CanvasCut cut = {.lines_below = 0};
    Error err = {""};
    char word[64];
    support_require(canvas_init(&canvas, size[0], size[1], &err), &err);
    canvas.cut = &cut;
    draw_scene(world, scene, &canvas);
    char *here = text_of_canvas(&canvas);
    bool is_said = cut.lines_below > 0 || cut.is_in_parts || strstr(here, "…") != NULL ||
                   strstr(here, " more") != NULL || strstr(here, "还有") != NULL ||
                   strstr(here, "view needs") != NULL;
    const char *lost = is_said ? NULL : lost_word(everything, here, word);
    int n_bad = (lost != NULL) + (cut.texts_beside > 0);
    if (n_bad > 0) {
        print_error("%s at %dx%d: \"%s\" is lost, %d texts begin beside it\n%s\n", scene->name,
                    size[0], size[1], lost == NULL ? "" : lost, cut.texts_beside, here);
    }
    free(here);
    canvas_free(&canvas);
    return n_bad;
}

// The panes that views have on screens of 80x24, 100x30, 160x45 and 200x60, with and without z.
static void what_has_no_room_is_said(void **state) {
    (void)state;
    static const int ROOMS[][2] = {{50, 8},  {50, 12},  {70, 16},  {78, 20},
                                   {98, 26}, {124, 28}, {158, 41}, {164, 43}};
    int n_bad = 0;
    for (int i = 0; i < N_SCENES; i++) {
        ViewWorld world = {0};
        Canvas canvas = {0};
        Error err = {""};
        if (!has_all(&SCENES[i])) {
            continue;
        }
        set_scene(&world, &SCENES[i]);
        support_require(canvas_init(&canvas, 300, 150, &err), &err);
        draw_scene(&world, &SCENES[i], &canvas);
        char *everything = text_of_canvas(&canvas);
        for (size_t k = 0; k < sizeof ROOMS / sizeof ROOMS[0]; k++) {
            n_bad += check_room(&world, &SCENES[i], everything, ROOMS[k]);
        }
        free(everything);
        canvas_free(&canvas);
        view_world_close(&world);
    }
    assert_int_equal(n_bad, 0);
}

int main(int argc, char **argv) {
    // Last digits differ between instruction sets; every machine has this one.
    setenv("ATTEND_INSTRUCTION_SET", "baseline", 1);
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        return each_frame(true);
    }
    if (argc > 4 && strcmp(argv[1], "--show") == 0) {
        return show(argc - 2, argv + 2);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_view_draws_its_golden_frames),
        cmocka_unit_test(what_has_no_room_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
