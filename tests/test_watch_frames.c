// test_watch_frames.c - the view of a run against its golden frames; `make frames` (or
// `test_watch_frames --write`) rewrites them, `--show NAME W H [ascii | THEME FILE.png]` shows one.
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support_frames.h"
#include "views/screen/view_watch.h"

enum { STEPS = 400, OTHER_STEPS = 260, EVERY = 40, STRIDE = 8, VALUES = STEPS / STRIDE };

typedef struct MadeRun {
    float losses[VALUES], held_outs[VALUES], norms[VALUES], rates[VALUES];
} MadeRun;

static MadeRun made[2];

// Falls from about 8 to 2 and shakes; an evaluation every 40 steps, a little above.
static void make_run(MadeRun *run, float pace) {
    uint32_t noise = 7;
    for (int i = 0; i < VALUES; i++) {
        noise = noise * 1664525U + 1013904223U;
        float shake = 0.25F * ((float)(noise >> 8U) / 16777216.0F - 0.5F);
        float fall = 6.0F * expf(-(float)i / pace);
        bool is_evaluated = (i + 1) % (EVERY / STRIDE) == 0;
        run->losses[i] = 2.0F + fall + shake;
        run->held_outs[i] = is_evaluated ? 2.3F + fall + 0.004F * (float)i : NAN;
        run->norms[i] = 0.6F + 0.2F * fall + fabsf(shake);
        run->rates[i] = 1e-3F * fminf((float)(i + 1) / 8.0F, 1.0F - 0.8F * (float)i / VALUES);
    }
}

static WatchRun run_of(const MadeRun *run, const char *name, int n_steps) {
    return (WatchRun){.name = name,
                      .state = WATCH_RUNNING,
                      .step = n_steps,
                      .n_steps = 1000,
                      .loss = 2.0713,
                      .held_out = 2.5142,
                      .best = 2.4987,
                      .norm = 0.7411,
                      .rate = 3.6e-4,
                      .tokens_per_second = 2765.0,
                      .matrix_share = 0.76,
                      .seconds_left = 725.0,
                      .best_step = 320,
                      .checkpoint = 400,
                      .part_read = 1.0,
                      .losses = run->losses,
                      .held_outs = run->held_outs,
                      .norms = run->norms,
                      .rates = run->rates,
                      .n = n_steps / STRIDE,
                      .first = 1,
                      .stride = STRIDE};
}

static ViewWatch watch_of(void) {
    make_run(&made[0], 9.0F);
    make_run(&made[1], 14.0F);
    ViewWatch watch = {.run = run_of(&made[0], "runs/stories", STEPS), .from = 1, .to = STEPS};
    watch.run.sample =
        "Once upon a time there was a little girl named Lily. She liked to play with "
        "her ball in the park.\nOne day, the ball was gone.";
    watch.run.sample_step = 400;
    return watch;
}

static void make_live(ViewWatch *watch) {
    watch->run.state = WATCH_RUNNING;
}

static void make_compared(ViewWatch *watch) {
    watch->has_other = true;
    watch->other = run_of(&made[1], "runs/slower", OTHER_STEPS);
    watch->other.state = WATCH_FINISHED;
    watch->other.step = watch->other.n_steps = OTHER_STEPS;
    watch->other.best_step = 240;
    watch->other_loss_here = (double)NAN;
    watch->scale = CHART_LOGARITHMIC;
}

static void make_stopped(ViewWatch *watch) {
    watch->run.state = WATCH_STOPPED;
    watch->run.n_broken = 2;
    watch->run.first_broken = 17;
    watch->scale = CHART_FITTED;
    watch->from = 201;
    watch->window = 200;
    watch->run.sample = NULL;
    watch->run.losses += 25;
    watch->run.held_outs += 25;
    watch->run.norms += 25;
    watch->run.rates += 25;
    watch->run.n = 25;
    watch->run.first = 201;
}

static void make_chinese(ViewWatch *watch) {
    make_compared(watch);
    watch->language = LANGUAGE_ZH;
    watch->scale = CHART_FROM_ZERO;
    watch->run.sample = "从前有一个小女孩，她叫莉莉。她喜欢在公园里玩球。有一天，球不见了。";
}

// Of a log of a run that has only just begun.
static void make_empty(ViewWatch *watch) {
    double none = (double)NAN;
    watch->run = (WatchRun){.name = "runs/new",
                            .state = WATCH_RUNNING,
                            .loss = none,
                            .held_out = none,
                            .best = none,
                            .norm = none,
                            .rate = none,
                            .tokens_per_second = none,
                            .matrix_share = none,
                            .seconds_left = none,
                            .part_read = 1.0};
    watch->to = 0;
}

typedef struct Scene {
    const char *name;
    void (*make)(ViewWatch *watch);
} Scene;

static const Scene SCENES[] = {{"watch", make_live},
                               {"watch-compare", make_compared},
                               {"watch-stopped", make_stopped},
                               {"watch-zh", make_chinese},
                               {"watch-empty", make_empty}};

enum { N_SCENES = sizeof SCENES / sizeof SCENES[0] };

static void draw(void *context, Canvas *canvas) {
    ViewWatch watch = watch_of();
    const Scene *scene = context;
    scene->make(&watch);
    canvas_clear(canvas, STYLE_TEXT);
    view_watch_draw(&watch, canvas);
}

static int each_frame(bool writes) {
    int n_bad = 0;
    for (int i = 0; i < N_SCENES; i++) {
        Scene scene = SCENES[i];
        n_bad += frames_each(scene.name, draw, &scene, writes);
    }
    return n_bad;
}

static void the_view_of_a_run_draws_its_golden_frames(void **state) {
    (void)state;
    assert_int_equal(each_frame(false), 0);
}

// From nothing to everything, in signs of any terminal: nothing is written outside, and no size is
// too small to say so.
static void the_view_of_a_run_takes_every_size(void **state) {
    (void)state;
    for (int width = 1; width <= 130; width += 3) {
        for (int height = 1; height <= 50; height++) {
            Canvas canvas = {.ascii = height % 2 == 0};
            Error err = {""};
            support_require(canvas_init(&canvas, width, height, &err), &err);
            canvas.ascii = height % 2 == 0;
            for (int i = 0; i < N_SCENES; i++) {
                Scene scene = SCENES[i];
                draw(&scene, &canvas);
            }
            canvas_free(&canvas);
        }
    }
}

static int show(int count, char **arguments) {
    for (int i = 0; i < N_SCENES; i++) {
        Scene scene = SCENES[i];
        if (strcmp(scene.name, arguments[0]) == 0) {
            frames_show(draw, &scene, count - 1, arguments + 1);
            return 0;
        }
    }
    fprintf(stderr, "there is no scene \"%s\"\n", arguments[0]);
    return 1;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        return each_frame(true);
    }
    if (argc > 4 && strcmp(argv[1], "--show") == 0) {
        return show(argc - 2, argv + 2);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_view_of_a_run_draws_its_golden_frames),
        cmocka_unit_test(the_view_of_a_run_takes_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
