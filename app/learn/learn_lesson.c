// learn_lesson.c - a lesson at work: opened over an empty workbench, its commands at a pace that is
// seen.
#include "app/learn/learn.h"
#include "engine/base/clock.h"

enum { PAUSE_MS = 140 };

bool learn_open_lesson(Learn *learn, const char *name, Error *err) {
    if (!player_open(&learn->player, name, err)) {
        return false;
    }
    workbench_close(&learn->bench); // what was done to it belonged to the lesson before
    learn->screen.overlay = OVERLAY_NONE;
    screen_ask_view(&learn->screen, NULL);
    return true;
}

// A lesson waits for the training that it asked for, and so long that each place it goes to is
// seen.
static void run_lesson(Learn *learn) {
    while (learn->bench.playground.training.n_wanted <= 0 && player_has_commands(&learn->player) &&
           clock_ms() >= learn->pause_ms) {
        const Node *before = learn->bench.cursor.place.node;
        bool repeats = player_repeats(&learn->player);
        learn_run_queue(learn);
        bool is_seen = learn->bench.cursor.place.node != before && !repeats &&
                       player_has_commands(&learn->player);
        learn->pause_ms = is_seen ? clock_ms() + PAUSE_MS : 0.0;
    }
}

bool learn_work(Learn *learn, double budget_ms) {
    learn_begin_try(learn);
    run_lesson(learn);
    const Training *training = &learn->bench.playground.training;
    if (training_is_running(training) &&
        !training->is_built) { // which takes long where it is large
        waiting_begin(&learn->waiting, learn->reply.language, COMMANDS[COMMAND_TRAIN].name);
    }
    return workbench_work(&learn->bench, budget_ms);
}
