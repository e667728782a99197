// learn_follow.c - from a number to those it came from, and back.
#include <string.h>

#include "app/learn/learn_actions.h"

static void push(Learn *learn) {
    if (learn->n_trail == LEARN_TRAIL) {
        memmove(learn->trail, learn->trail + 1, (LEARN_TRAIL - 1) * sizeof learn->trail[0]);
        learn->n_trail--;
    }
    learn->trail[learn->n_trail++] = learn->place;
}

// In a view that has an inside Enter goes into a part of the model and Backspace out of it.
static bool zoom_view(Learn *learn, bool is_in) {
    ViewTraining training;
    ViewState state = learn_view_state(learn, &training);
    const View *view = learn_view(learn, &state);
    if (view == NULL || view->zoom == NULL) {
        return false;
    }
    const Scope *scope = view->zoom(&state, is_in);
    bool moved = scope != learn->zoom;
    learn->zoom = scope;
    return moved;
}

bool act_follow(Learn *learn, const Command *command, Error *err) {
    (void)command;
    if (zoom_view(learn, true)) {
        return true;
    }
    enum { MAX_SOURCES = 64 };
    ExplainCell cells[MAX_SOURCES];
    stepper_require(&learn->playground.stepper, learn->place.node);
    learn_explain(learn);
    int n_all = explain_cells(&learn->explanation, cells, MAX_SOURCES, true);
    if (n_all == 0 || (n_all == 1 && cells[0].node == learn->place.node)) {
        return error_set(err, "%s", reply_text(&learn->reply, TEXT_GIVEN));
    }
    int source = learn->place.next_source % (n_all < MAX_SOURCES ? n_all : MAX_SOURCES);
    learn->place.next_source = source + 1;
    push(learn);
    const Node *node = cells[source].node;
    size_t element = cells[source].element;
    learn_look_at(learn, node);
    learn_set_element(learn, element);
    return true;
}

bool act_return(Learn *learn, const Command *command, Error *err) {
    (void)command;
    if (zoom_view(learn, false)) {
        return true;
    }
    if (learn->n_trail == 0) {
        return error_set(err, "%s", reply_text(&learn->reply, TEXT_NO_RETURN));
    }
    learn->place = learn->trail[--learn->n_trail];
    learn->is_explained = false;
    return true;
}
