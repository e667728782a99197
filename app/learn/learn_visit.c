// learn_visit.c - a link leads to another place; what was left stays as it is until one comes back.
#include "app/learn/learn.h"

#include <stdlib.h>
#include <string.h>

// What was left. It is put back where it lay, so that what points into it is right again.
struct Visit {
    Visit *before;
    Workbench bench;
    Player player;
    LearnClaims claims;
    Language language;
    // of the screen
    ViewWorkspace workspace; // what its views keep
    const View *view;
    int view_looks;
    Scroll scroll[PANE_COUNT];
    Pane focus;
    bool is_zoomed, has_big;
};

void learn_begin(Learn *learn) {
    workbench_init(&learn->bench, &learn->reply);
    learn->bench.playground.progress = &learn->waiting.progress;
    learn->bench.playground.device = learn->options.device;
}

static void keep_screen(Visit *visit, Screen *screen) {
    visit->workspace = screen->workspace;
    screen->workspace = (ViewWorkspace){0};
    visit->view = screen->view;
    visit->view_looks = screen->view_looks;
    memcpy(visit->scroll, screen->scroll, sizeof visit->scroll);
    visit->focus = screen->focus;
    visit->is_zoomed = screen->is_zoomed;
    visit->has_big = screen->has_big;
}

static void put_back_screen(const Visit *visit, Screen *screen) {
    view_workspace_free(&screen->workspace);
    screen->workspace = visit->workspace;
    screen->view = visit->view;
    screen->view_looks = visit->view_looks;
    memcpy(screen->scroll, visit->scroll, sizeof screen->scroll);
    screen->focus = visit->focus;
    screen->is_zoomed = visit->is_zoomed;
    screen->has_big = visit->has_big;
    screen->overlay = OVERLAY_NONE;
}

static bool leave(Learn *learn, Error *err) {
    Visit *visit = calloc(1, sizeof *visit);
    if (visit == NULL) {
        return error_set(err, "out of memory");
    }
    visit->before = learn->visits;
    visit->bench = learn->bench;
    visit->player = learn->player;
    visit->claims = learn->claims;
    visit->language = learn->reply.language;
    keep_screen(visit, &learn->screen);
    learn->visits = visit;
    learn->n_visits++;
    learn_begin(learn);
    player_init(&learn->player, &learn->reply, visit->player.number, visit->player.context);
    learn->claims = (LearnClaims){.n_stops_entered = visit->claims.n_stops_entered};
    // Who compares these with those of before sees that all is other.
    learn->bench.cursor.n_looks = visit->bench.cursor.n_looks + 1;
    learn->bench.cursor.n_tapes = visit->bench.cursor.n_tapes + 1;
    learn->player.n_stops_entered = visit->player.n_stops_entered + 1;
    learn->player.from = &visit->player;
    learn->screen.is_zoomed = false;
    learn->screen.has_big = false;
    return true;
}

static void come_back(Learn *learn) {
    Visit *visit = learn->visits;
    const Language language = learn->reply.language;
    learn_claim_free(learn);
    workbench_free(&learn->bench);
    player_free(&learn->player);
    learn->bench = visit->bench;
    learn->player = visit->player;
    learn->claims = visit->claims;
    put_back_screen(visit, &learn->screen);
    learn->reply.language = visit->language;
    player_set_language(&learn->player, language);
    learn->visits = visit->before;
    learn->n_visits--;
    free(visit);
}

void learn_end_visits(Learn *learn) {
    while (learn->visits != NULL) {
        come_back(learn);
    }
}

static bool jump(Learn *learn, const char *place, Error *err) {
    if (!leave(learn, err)) {
        return false;
    }
    if (!learn_restore(learn, place, err)) {
        come_back(learn);
        return false;
    }
    learn->player.is_visited = true;
    reply_say(&learn->reply, TEXT_JUMPED, NULL, NULL);
    return true;
}

bool learn_visit(Learn *learn) {
    char *place = learn->asked_place;
    Error err = {""};
    learn->asked_place = NULL;
    if (place == NULL) {
        return false;
    }
    bool is_back = place[0] == '\0';
    if (is_back) {
        come_back(learn);
        reply_say(&learn->reply, TEXT_JUMPED_BACK, NULL, NULL);
    } else if (!jump(learn, place, &err)) {
        reply_complain(&learn->reply, err.text);
    }
    free(place);
    return !error_is_set(&err);
}
