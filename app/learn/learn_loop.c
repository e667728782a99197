// learn_loop.c - the loop of the learning screen: keys, a little work, a frame; asleep when idle.
#include <stdio.h>
#include <stdlib.h>

#include "app/learn/learn.h"
#include "app/output.h"
#include "engine/base/clock.h"

enum { FRAME_MS = 40, SLICE_MS = 5, KEY_MS = 2, VIEW_MS = 10 };

static void show(Learn *learn) {
    int width = 1;
    int height = 1;
    terminal_size(learn->screen.terminal, &width, &height);
    (void)canvas_fit(&learn->screen.canvas, width,
                     height); // without memory the frame keeps its size
    if (learn->screen.canvas.cells == NULL) {
        return;
    }
    learn->screen.canvas.ascii = learn->screen.ascii;
    screen_draw(&learn->screen, &learn->screen.canvas);
    int x = -1;
    int y = -1;
    screen_prompt_cursor(&learn->screen, learn->screen.canvas.height, &x, &y);
    terminal_show(learn->screen.terminal, &learn->screen.canvas, x, y);
}

// It waits where a question is for people, and while they look around.
static bool autoplay_waits(const Learn *learn) {
    return learn->options.autoplay_seconds <= 0.0 || learn->is_paused ||
           learn->screen.overlay != OVERLAY_NONE || learn->screen.prompt.is_open ||
           learn->player.question.is_open;
}

// The next stop, or the next page of this one, by itself.
static void autoplay(Learn *learn) {
    double now_ms = clock_ms();
    if (autoplay_waits(learn)) {
        learn->autoplay_ms = now_ms + 1e3 * learn->options.autoplay_seconds;
        return;
    }
    if (now_ms < learn->autoplay_ms) {
        return;
    }
    learn->autoplay_ms = now_ms + 1e3 * learn->options.autoplay_seconds;
    learn->reply.text[0] = '\0';
    if (screen_page_lesson(&learn->screen)) {
        return;
    }
    if (learn->player.stop + 1 >= learn->player.lesson.n_stops) {
        learn->options.autoplay_seconds = 0.0;
        return;
    }
    learn_execute_line(learn, "continue");
}

// Any key stops it but those that go on: Space, and the answer to a question.
static void pause_autoplay(Learn *learn, const Event *event, bool was_asking) {
    bool is_of_person =
        event->kind == EVENT_KEY || event->kind == EVENT_PASTE || event->kind == EVENT_MOUSE;
    if (learn->options.autoplay_seconds <= 0.0 || !is_of_person) {
        return;
    }
    bool is_answer = was_asking && learn->player.question.is_answered;
    bool goes_on = is_answer || (event->kind == EVENT_KEY && event->key == KEY_CODE_SPACE);
    if (!goes_on && !learn->is_paused && learn->reply.text[0] == '\0') {
        reply_say(&learn->reply, TEXT_AUTOPLAY_PAUSED, NULL, NULL);
    }
    learn->is_paused = !goes_on;
}

// Training goes on by a few steps a frame, so that it is seen.
static void grant_training(Learn *learn) {
    double now_ms = clock_ms();
    bool is_due = now_ms >= learn->train_ms;
    workbench_grant(&learn->bench, is_due ? FRAME_MS : 0.0);
    learn->train_ms = is_due ? now_ms + FRAME_MS : learn->train_ms;
}

// What the lesson asked to be tried may be done by now.
static void tell_try(Learn *learn) {
    if (learn_check_try(learn)) {
        reply_say(&learn->reply, TEXT_TRY_DONE, player_try(&learn->player)->after.text, NULL);
    }
}

static int time_to_wait(const Learn *learn, bool is_busy) {
    if (is_busy) {
        return 0;
    }
    if (training_is_running(&learn->bench.playground.training)) {
        double left_ms = learn->train_ms - clock_ms();
        return left_ms < 1.0 ? 1 : (int)left_ms + 1;
    }
    if (player_has_commands(&learn->player)) {
        double left_ms = learn->pause_ms - clock_ms();
        return left_ms < 1.0 ? 1 : (int)left_ms + 1;
    }
    if (!autoplay_waits(learn)) {
        double left_ms = learn->autoplay_ms - clock_ms();
        return left_ms < 1.0 ? 1 : (int)left_ms + 1;
    }
    return -1;
}

// Keys and signals that came while a command was carried out are first.
static void next_event(Learn *learn, int timeout_ms, Event *event) {
    if (!waiting_take_event(&learn->waiting, event)) {
        terminal_wait(learn->screen.terminal, timeout_ms, event);
    }
}

static void loop(Learn *learn) {
    static const double FIRST_MS = -1e9;
    double shown_ms = FIRST_MS;
    bool needs_frame = true;
    learn->autoplay_ms = clock_ms() + 1e3 * learn->options.autoplay_seconds;
    while (!learn->is_over) {
        grant_training(learn);
        // A key is answered before training goes on.
        bool is_busy = learn_work(learn, needs_frame ? KEY_MS : SLICE_MS);
        double now_ms = clock_ms();
        // While something trains a frame is drawn after a key, else now and then.
        if (needs_frame || !is_busy || now_ms - shown_ms >= FRAME_MS) {
            tell_try(learn);
            show(learn);
            shown_ms = clock_ms();
        }
        Event event;
        is_busy = is_busy || screen_is_preparing(&learn->screen);
        next_event(learn, time_to_wait(learn, is_busy), &event);
        needs_frame = event.kind != EVENT_NONE;
        if (event.kind == EVENT_KEY) {
            learn->pause_ms = 0.0; // who presses a key has seen enough
        }
        // Keys that came together are answered by one frame.
        while (event.kind != EVENT_NONE && !learn->is_over) {
            bool was_asking = player_is_asking(&learn->player);
            learn_handle(learn, &event);
            pause_autoplay(learn, &event, was_asking);
            if (!waiting_has_event(&learn->waiting) &&
                !terminal_has_input(learn->screen.terminal)) {
                break;
            }
            learn_work(learn, KEY_MS);
            next_event(learn, 0, &event);
        }
        autoplay(learn);
    }
}

int learn_run(const LearnOptions *options, Error *err) {
    Learn *learn = calloc(1, sizeof *learn);
    if (learn == NULL) {
        error_set(err, "out of memory");
        return 1;
    }
    // Errors in a lesson are told before the screen is taken.
    bool ok = learn_init(learn, options, err);
    learn->screen.terminal = ok ? terminal_open(&options->terminal, err) : NULL;
    int status = 1;
    if (learn->screen.terminal != NULL) {
        learn->screen.ascii = terminal_is_ascii(learn->screen.terminal);
        learn->screen.budget_ms = VIEW_MS;
        learn->waiting.terminal = learn->screen.terminal;
        learn->waiting.canvas = &learn->screen.canvas;
        loop(learn);
        player_save_progress(&learn->player);
        terminal_close(learn->screen.terminal);
        learn->screen.terminal = NULL;
        if (learn->asked_state != NULL) {
            output_print("%s\n", learn->asked_state);
        }
        status = 0;
    }
    int signal = learn->signal;
    learn_free(learn);
    free(learn);
    return signal != 0 ? terminal_end_by(signal) : status;
}
