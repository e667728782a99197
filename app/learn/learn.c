// learn.c - the lesson, the model and the screen joined.
#include "app/learn/learn.h"

#include <stdlib.h>

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

bool learn_init(Learn *learn, const LearnOptions *options, Error *err) {
    *learn = (Learn){.options = *options,
                     .reply = {.language = options->language, .is_spoken = options->plain}};
    player_init(&learn->player, &learn->reply, number_of, learn);
    learn_begin(learn);
    screen_init(&learn->screen, &learn->bench, &learn->player, &learn->reply);
    learn->screen.theme = options->terminal.theme;
    learn->screen.overlay = OVERLAY_NONE;
    waiting_begin(&learn->waiting, options->language, "");
    if (options->state != NULL) {
        return learn_restore(learn, options->state, err);
    }
    if (options->lesson != NULL) {
        return learn_open_lesson(learn, options->lesson, err);
    }
    screen_open_menu(&learn->screen, "");
    return true;
}

void learn_free(Learn *learn) {
    learn_end_visits(learn);
    learn_claim_free(learn);
    workbench_free(&learn->bench);
    screen_free(&learn->screen);
    player_free(&learn->player);
    free(learn->asked_state);
    free(learn->asked_place);
}
