// learn.c - the loop of the learning screen: keys, a little work, a frame; asleep when idle.
#include "app/learn/learn.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"

enum { FRAME_MS = 40, SLICE_MS = 5, KEY_MS = 2, PAUSE_MS = 140 };

// What a question asks for.
static bool number_of(void *context, const char *cell, double *value, Error *err) {
    Learn *learn = context;
    const Node *node = NULL;
    size_t element = 0;
    if (learn->bench.playground.opened == NULL) {
        return reply_fail(&learn->reply, err, TEXT_NOTHING_OPEN, NULL, NULL);
    }
    if (!cursor_find_cell(&learn->bench.cursor, cell, &node, &element, err) ||
        !stepper_require(&learn->bench.playground.stepper, node, err)) {
        return false;
    }
    *value = cursor_value(&learn->bench.cursor, node, element);
    return true;
}

bool learn_open_lesson(Learn *learn, const char *name, Error *err) {
    if (!player_open(&learn->player, name, err)) {
        return false;
    }
    workbench_close(&learn->bench); // what was done to it belonged to the lesson before
    learn->overlay = OVERLAY_NONE;
    return true;
}

bool learn_init(Learn *learn, const LearnOptions *options, Error *err) {
    *learn = (Learn){.options = *options,
                     .reply = {.language = options->language, .is_spoken = options->plain},
                     .theme = options->terminal.theme,
                     .focus = PANE_VIEW};
    player_init(&learn->player, &learn->reply, number_of, learn);
    workbench_init(&learn->bench, &learn->reply);
    if (options->state != NULL) {
        return learn_restore(learn, options->state, err);
    }
    if (options->lesson != NULL) {
        return learn_open_lesson(learn, options->lesson, err);
    }
    learn->overlay = OVERLAY_MENU;
    return true;
}

void learn_free(Learn *learn) {
    workbench_free(&learn->bench);
    view_workspace_free(&learn->workspace);
    player_free(&learn->player);
    canvas_free(&learn->canvas);
    free(learn->asked_state);
}

// A lesson waits for the training that it asked for, and so long that each place it goes to is
// seen.
static void run_lesson(Learn *learn) {
    while (learn->bench.playground.training.n_wanted <= 0 && player_has_commands(&learn->player) &&
           clock_ms() >= learn->pause_ms) {
        const Node *before = learn->bench.cursor.place.node;
        learn_run_queue(learn);
        bool is_seen =
            learn->bench.cursor.place.node != before && player_has_commands(&learn->player);
        learn->pause_ms = is_seen ? clock_ms() + PAUSE_MS : 0.0;
    }
}

bool learn_work(Learn *learn, double budget_ms) {
    run_lesson(learn);
    return workbench_work(&learn->bench, budget_ms);
}

static void show(Learn *learn) {
    int width = 1;
    int height = 1;
    terminal_size(learn->terminal, &width, &height);
    (void)canvas_fit(&learn->canvas, width, height); // without memory the frame keeps its size
    if (learn->canvas.cells == NULL) {
        return;
    }
    learn->canvas.ascii = learn->ascii;
    learn_draw(learn, &learn->canvas);
    int x = -1;
    int y = -1;
    learn_prompt_cursor(learn, learn->canvas.height, &x, &y);
    terminal_show(learn->terminal, &learn->canvas, x, y);
}

// Something happens by itself: the next stop, or the answer to a question nobody answers.
static void autoplay(Learn *learn) {
    double now_ms = clock_ms();
    if (learn->options.autoplay_seconds <= 0.0 || now_ms < learn->autoplay_ms ||
        learn->overlay == OVERLAY_MENU) {
        return;
    }
    learn->autoplay_ms = now_ms + 1e3 * learn->options.autoplay_seconds;
    learn->reply.text[0] = '\0';
    if (learn->player.question.is_open) {
        learn->player.question.is_open = false;
        learn->player.question.is_answered = true;
        learn->player.question.was_right = true;
        return;
    }
    int lines = learn_scroll_of(learn, PANE_LESSON);
    if (lines + learn->lesson_rows < learn->lesson_lines) {
        learn_scroll_to(learn, PANE_LESSON,
                        lines + (learn->lesson_rows > 1 ? learn->lesson_rows - 1 : 1));
        return;
    }
    learn_execute_line(learn, "continue");
    if (learn->player.stop + 1 >= learn->player.lesson.n_stops) {
        learn->options.autoplay_seconds =
            learn->player.question.is_open ? learn->options.autoplay_seconds : 0.0;
    }
}

static int time_to_wait(const Learn *learn, bool is_busy) {
    if (is_busy) {
        return 0;
    }
    if (player_has_commands(&learn->player)) {
        double left_ms = learn->pause_ms - clock_ms();
        return left_ms < 1.0 ? 1 : (int)left_ms + 1;
    }
    if (learn->options.autoplay_seconds > 0.0 && learn->overlay != OVERLAY_MENU) {
        double left_ms = learn->autoplay_ms - clock_ms();
        return left_ms < 1.0 ? 1 : (int)left_ms + 1;
    }
    return -1;
}

static void loop(Learn *learn) {
    static const double FIRST_MS = -1e9;
    double shown_ms = FIRST_MS;
    bool needs_frame = true;
    learn->autoplay_ms = clock_ms() + 1e3 * learn->options.autoplay_seconds;
    while (!learn->is_over) {
        // A key is answered before training goes on.
        bool is_busy = learn_work(learn, needs_frame ? KEY_MS : SLICE_MS);
        double now_ms = clock_ms();
        // While something trains a frame is drawn after a key, else now and then.
        if (needs_frame || !is_busy || now_ms - shown_ms >= FRAME_MS) {
            show(learn);
            shown_ms = clock_ms();
        }
        Event event;
        terminal_wait(learn->terminal, time_to_wait(learn, is_busy), &event);
        needs_frame = event.kind != EVENT_NONE;
        if (event.kind == EVENT_KEY) {
            learn->pause_ms = 0.0; // who presses a key has seen enough
        }
        // Keys that came together are answered by one frame.
        while (event.kind != EVENT_NONE && !learn->is_over) {
            learn_handle(learn, &event);
            if (!terminal_has_input(learn->terminal)) {
                break;
            }
            learn_work(learn, KEY_MS);
            terminal_wait(learn->terminal, 0, &event);
        }
        autoplay(learn);
    }
}

int learn_run(const LearnOptions *options, Error *err) {
    Learn *learn = calloc(1, sizeof *learn);
    if (learn == NULL) {
        return error_set(err, "out of memory") ? 0 : 1;
    }
    // Errors in a lesson are told before the screen is taken.
    bool ok = learn_init(learn, options, err);
    learn->terminal = ok ? terminal_open(&options->terminal, err) : NULL;
    int status = 1;
    if (learn->terminal != NULL) {
        learn->ascii = terminal_is_ascii(learn->terminal);
        loop(learn);
        player_save_progress(&learn->player);
        terminal_close(learn->terminal);
        learn->terminal = NULL;
        if (learn->asked_state != NULL) {
            puts(learn->asked_state);
        }
        status = 0;
    }
    int signal = learn->signal;
    learn_free(learn);
    free(learn);
    return signal != 0 ? terminal_end_by(signal) : status;
}
