// learn_claim.c - what claims ask of the learning screen, and whether what a stop asks to be tried
// is done.
#include <string.h>

#include "app/learn/learn.h"

// ---- the answers to a claim's questions

static bool shown(void *context, const char *name, const char **text, Error *err) {
    Learn *learn = context;
    LearnClaims *claims = &learn->claims;
    if (learn->bench.cursor.place.node == NULL) {
        return error_set(err, "nothing is shown");
    }
    if (strcmp(name, "stage") == 0) {
        *text = learn->bench.cursor.place.node->stage;
        return true;
    }
    if (strcmp(name, "cell") == 0) {
        explain_cell_name(learn->bench.cursor.place.node, cursor_element(&learn->bench.cursor),
                          claims->shown, sizeof claims->shown);
        *text = claims->shown;
        return true;
    }
    cursor_explain(&learn->bench.cursor);
    ViewTraining training;
    ViewState state = screen_view_state(&learn->screen, &training);
    const View *view = screen_view(&learn->screen, &state);
    *text = view == NULL ? "none" : view->name;
    return true;
}

static bool stage(void *context, const char *name, ClaimMoment moment, ClaimStage *found,
                  Error *err) {
    return playground_claim_stage(&((Learn *)context)->claims.numbers, name, moment, found, err);
}

static bool scalar(void *context, const char *name, const char *argument, ClaimMoment moment,
                   double *value, Error *err) {
    Learn *learn = context;
    if (strcmp(name, "size") == 0) {
        return size_plan_find(&learn->bench.size, argument, value, err);
    }
    if (strcmp(name, "distances") == 0) {
        return distances_find(&learn->bench.distances, argument, value, err);
    }
    return playground_claim_scalar(&learn->claims.numbers, name, argument, moment, value, err);
}

static bool token(void *context, const char *word, int32_t *id, Error *err) {
    return playground_claim_token(&((Learn *)context)->claims.numbers, word, id, err);
}

ClaimWorld learn_claim_world(Learn *learn) {
    Playground *playground = &learn->bench.playground;
    learn->claims.numbers.playground = playground;
    learn->claims.numbers.run = &playground->training.run;
    return (ClaimWorld){learn, stage, scalar, shown, token};
}

void learn_claim_free(Learn *learn) {
    playground_claims_free(&learn->claims.numbers);
    arena_free(&learn->claims.arena);
}

// ---- what a stop asks to be tried

// What a goal can depend on: while it is the same, the goal is not evaluated again.
static uint64_t signature_of(const Learn *learn) {
    const Playground *playground = &learn->bench.playground;
    const Place *place = &learn->bench.cursor.place;
    const uint64_t parts[] = {playground->n_pushed,
                              (uint64_t)playground->n_done,
                              (uint64_t)playground->n_builds,
                              (uint64_t)playground->training.run.n_steps,
                              (uint64_t)training_step(&playground->training),
                              (uint64_t)learn->bench.cursor.n_looks,
                              (uint64_t)learn->bench.n_sizes,
                              (uint64_t)place->item,
                              (uint64_t)place->head,
                              (uint64_t)place->row,
                              (uint64_t)place->column,
                              (uint64_t)(uintptr_t)learn->screen.view};
    uint64_t signature = 1469598103934665603U; // Fowler, Noll and Vo's
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        signature = (signature ^ parts[i]) * 1099511628211U;
    }
    return signature;
}

void learn_begin_try(Learn *learn) {
    LearnClaims *claims = &learn->claims;
    if (claims->n_stops_entered == learn->player.n_stops_entered) {
        return;
    }
    claims->n_stops_entered = learn->player.n_stops_entered;
    claims->has_begun = false;
    if (player_try(&learn->player) != NULL) {
        (void)learn_claim_world(learn);
        playground_claims_keep(&claims->numbers);
    }
}

bool learn_check_try(Learn *learn) {
    LearnClaims *claims = &learn->claims;
    const LessonTry *try = player_try(&learn->player);
    learn_begin_try(learn);
    if (try == NULL || learn->player.is_try_done || player_has_commands(&learn->player) ||
        learn->bench.playground.opened == NULL) {
        return false;
    }
    uint64_t signature = signature_of(learn);
    if (!claims->has_begun || signature == claims->signature) {
        claims->signature = signature; // what the stop's own commands led to
        claims->has_begun = true;
        return false;
    }
    claims->signature = signature;
    const ClaimWorld world = learn_claim_world(learn);
    const char *found = NULL;
    bool holds = false;
    bool is_known = claim_check(&try->goal, &world, &claims->arena, &holds, &found, NULL);
    arena_free(&claims->arena);
    learn->player.is_try_done = is_known && holds;
    return learn->player.is_try_done;
}
