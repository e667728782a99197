// workbench.c - the model that is looked at: opened and closed, warned of, worked at.
#include "app/learn/workbench.h"

#include <stdio.h>

#include "engine/base/clock.h"

enum { LEAST_TRAINING_MS = 5 };

void workbench_init(Workbench *bench, Reply *reply) {
    *bench = (Workbench){.reply = reply};
    cursor_init(&bench->cursor, &bench->playground, reply);
}

void workbench_close(Workbench *bench) {
    before_forget(&bench->before);
    cursor_close(&bench->cursor);
    playground_close(&bench->playground);
    bench->lengths.n = 0;
    plane_free(&bench->plane);
    bench->size.name[0] = '\0';
    bench->distances.is_there[DISTANCE_LOOP] = false;
}

void workbench_free(Workbench *bench) {
    workbench_close(bench);
    merges_forget(&bench->merges);
}

void workbench_say_training(Workbench *bench, TextId id) {
    const TrainingRun *run = &bench->playground.training.run;
    char step[24];
    char loss[24];
    snprintf(step, sizeof step, "%d", run->n_steps);
    snprintf(loss, sizeof loss, "%.4f", (double)training_run_loss(run));
    reply_say(bench->reply, id, step, loss);
}

bool workbench_say_end(Workbench *bench) {
    const Training *training = &bench->playground.training;
    if (training->is_learned || training->is_flat) {
        workbench_say_training(bench, training->is_learned ? TEXT_TRAIN_LEARNED : TEXT_TRAIN_FLAT);
        return true;
    }
    return false;
}

static bool train_a_little(Workbench *bench, double budget_ms) {
    Error err = {""};
    int n_done = 0;
    if (!playground_train(&bench->playground, budget_ms, &n_done, &err)) {
        const Progress *progress = bench->playground.progress;
        bench->playground.training.n_wanted = 0;
        if (progress != NULL && progress->is_ended) {
            reply_say(bench->reply, TEXT_ENDED, COMMANDS[COMMAND_TRAIN].name, NULL);
        } else {
            reply_complain(bench->reply, err.text);
        }
        return false;
    }
    if (n_done > 0) {
        cursor_changed(&bench->cursor);
        workbench_say_end(bench);
    }
    const Training *training = &bench->playground.training;
    return training_is_running(training) && !training_waits(training);
}

void workbench_grant(Workbench *bench, double frame_ms) {
    Training *training = &bench->playground.training;
    training->is_paced = true;
    if (training_is_running(training) && training->n_granted <= 0) {
        training->n_granted = pace_next(&bench->pace, frame_ms);
    }
}

// What a change did to the loss shows at once; the numbers before it were computed to their end.
static void run_to_loss(Workbench *bench) {
    if (bench->before.n > 0 && bench->playground.opened != NULL) {
        const Node *loss = playground_tape(&bench->playground)->loss;
        if (loss != NULL) {
            (void)stepper_require(&bench->playground.stepper, loss, NULL);
        }
    }
}

bool workbench_work(Workbench *bench, double budget_ms) {
    double end_ms = clock_ms() + budget_ms;
    const Training *training = &bench->playground.training;
    bool is_busy = training_is_running(training) && !training_waits(training);
    if (is_busy && budget_ms >= LEAST_TRAINING_MS) {
        is_busy = train_a_little(bench, budget_ms);
    }
    if (bench->playground.opened != NULL) {
        double left_ms = end_ms - clock_ms();
        is_busy =
            !stepper_run(&bench->playground.stepper, left_ms > 1.0 ? left_ms : 1.0) || is_busy;
    }
    if (!is_busy) {
        run_to_loss(bench);
    }
    return is_busy;
}

void workbench_begin(Workbench *bench, const Command *command) {
    bench->is_warned = bench->is_warned && bench->warned == command->id;
}

void workbench_after_rebuild(Workbench *bench, const Shown *shown) {
    cursor_forget(&bench->cursor);
    const Node *node = shown->stage[0] == '\0'
                           ? NULL
                           : tape_find(playground_tape(&bench->playground), shown->stage);
    if (node != NULL) {
        (void)stepper_require(&bench->playground.stepper, node, NULL); // or it is run later
        cursor_look_at(&bench->cursor, node);
    }
}

Shown workbench_shown(const Workbench *bench) {
    Shown shown = {""};
    if (bench->cursor.place.node != NULL) {
        snprintf(shown.stage, sizeof shown.stage, "%s", bench->cursor.place.node->stage);
    }
    return shown;
}

bool workbench_may_lose(Workbench *bench, const Command *command) {
    const Playground *playground = &bench->playground;
    bool has_changes = playground->n_done > 0 || training_step(&bench->playground.training) > 0;
    bool is_said = bench->is_warned && bench->warned == command->id;
    bench->is_warned = false;
    if (playground->opened == NULL || !has_changes || playground_can_keep(playground) || is_said ||
        bench->is_scripted) {
        return true;
    }
    bench->is_warned = true;
    bench->warned = command->id;
    reply_say(bench->reply, TEXT_CANNOT_KEEP, COMMANDS[command->id].name, NULL);
    return false;
}
