// learn_undo.c - taking changes back: the numbers by the playground, the runs of training here.
#include <stdio.h>
#include <stdlib.h>

#include "app/learn/learn_actions.h"

// ---- runs of training whose weights were put aside, by the number of the change that did it

static KeptTraining *find_training(Learn *learn, int change) {
    for (int i = 0; i < learn->n_trainings; i++) {
        if (learn->trainings[i].change == change) {
            return &learn->trainings[i];
        }
    }
    return NULL;
}

static void forget_trainings_from(Learn *learn, int change) {
    int n = 0;
    for (int i = 0; i < learn->n_trainings; i++) {
        if (learn->trainings[i].change < change) {
            learn->trainings[n++] = learn->trainings[i];
        } else {
            training_free(&learn->trainings[i].training);
        }
    }
    learn->n_trainings = n;
}

void learn_forget_trainings(Learn *learn) {
    forget_trainings_from(learn, 0);
    free(learn->trainings);
    learn->trainings = NULL;
}

void learn_keep_training(Learn *learn) {
    int change = learn->playground.n_done - 1; // -1: nothing before can be taken back
    decode_free(&learn->decoding);             // a beam of the weights before
    forget_trainings_from(learn, change);
    KeptTraining *trainings = NULL;
    if (change >= 0) {
        size_t n = (size_t)learn->n_trainings + 1;
        trainings = realloc(learn->trainings, n * sizeof *trainings);
    }
    if (trainings == NULL) {
        training_free(&learn->training);
        return;
    }
    training_rest(&learn->training);
    learn->training.n_wanted = 0;
    learn->trainings = trainings;
    trainings[learn->n_trainings++] = (KeptTraining){change, learn->training};
    learn->training = (Training){.shown = -1};
}

static void exchange_training(Learn *learn, int change) {
    KeptTraining *kept = find_training(learn, change);
    training_rest(&learn->training);
    if (kept != NULL) {
        const Training training = kept->training;
        learn->training.n_wanted = 0;
        kept->training = learn->training;
        learn->training = training;
    }
}

// ---- the commands

void learn_after_rebuild(Learn *learn, const LearnShown *shown) {
    learn_forget_place(learn);
    const Node *node = shown->stage[0] == '\0'
                           ? NULL
                           : tape_find(playground_tape(&learn->playground), shown->stage);
    if (node != NULL) {
        stepper_require(&learn->playground.stepper, node);
        learn_look_at(learn, node);
    }
    training_rest(&learn->training);
}

LearnShown learn_shown(const Learn *learn) {
    LearnShown shown = {""};
    if (learn->place.node != NULL) {
        snprintf(shown.stage, sizeof shown.stage, "%s", learn->place.node->stage);
    }
    return shown;
}

bool learn_may_lose(Learn *learn, const Command *command) {
    const Playground *playground = &learn->playground;
    bool has_changes = playground->n_done > 0 || training_step(&learn->training) > 0;
    bool is_said = learn->is_warned && learn->warned == command->id;
    learn->is_warned = false;
    if (playground->opened == NULL || !has_changes || playground_can_keep(playground) || is_said ||
        learn->is_scripted) {
        return true;
    }
    learn->is_warned = true;
    learn->warned = command->id;
    learn_say(learn, TEXT_CANNOT_KEEP, COMMANDS[command->id].name, NULL);
    return false;
}

bool act_undo(Learn *learn, const Command *command, Error *err) {
    Playground *playground = &learn->playground;
    Error reason = {""};
    bool is_undo = command->id == COMMAND_UNDO;
    learn_keep_before(learn);
    LearnShown shown = learn_shown(learn);
    int n_builds = playground->n_builds;
    int number = is_undo ? playground->n_done - 1 : playground->n_done;
    bool ok = is_undo ? playground_undo(playground, &reason) : playground_redo(playground, &reason);
    if (!ok && error_is_set(&reason)) {
        return error_set(err, "%s", reason.text);
    }
    if (!ok) {
        learn_say(learn, is_undo ? TEXT_NOTHING_UNDO : TEXT_NOTHING_REDO, NULL, NULL);
        return true;
    }
    const Change *change = &playground->changes[number];
    if (change->kept != NULL && change->kind != CHANGE_IDS) {
        exchange_training(learn, number);
        decode_free(&learn->decoding); // a beam of the other weights
    }
    if (playground->n_builds != n_builds) {
        learn_after_rebuild(learn, &shown);
    }
    learn_changed(learn);
    learn_say(learn, is_undo ? TEXT_UNDONE : TEXT_REDONE, change->what, NULL);
    return true;
}
