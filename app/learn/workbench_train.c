// workbench_train.c - the model learns by command.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/workbench.h"

static void say_training(Workbench *bench, TextId id) {
    const TrainingRun *run = &bench->playground.training.run;
    char step[24];
    char loss[24];
    snprintf(step, sizeof step, "%d", run->n_steps);
    snprintf(loss, sizeof loss, "%.4f",
             run->n_steps > 0 ? (double)run->losses[run->n_steps - 1] : 0.0);
    reply_say(bench->reply, id, step, loss);
}

bool workbench_do_train(Workbench *bench, const Command *command, Error *err) {
    Training *training = &bench->playground.training;
    if (!playground_end_decode(&bench->playground, err)) {
        return false;
    }
    cursor_look_at_step(&bench->cursor);
    if (command->id == COMMAND_TRAIN_STEP) {
        training->n_wanted = 1;
        return true;
    }
    if (command->rest[0] == '\0' && training_is_running(training)) {
        training->n_wanted = 0;
        say_training(bench, TEXT_TRAIN_STOPPED);
        return true;
    }
    training->n_wanted = (int)command_count(command, -1);
    if (training->run.n_steps > 0) {
        say_training(bench, TEXT_TRAINING);
    }
    return true;
}

bool workbench_do_scrub(Workbench *bench, const Command *command, Error *err) {
    (void)err;
    Training *training = &bench->playground.training;
    training->n_wanted = 0;
    int direction = command->id == COMMAND_SCRUB_BACK ? -1 : 1;
    if (!playground_scrub(&bench->playground, direction)) {
        reply_say(bench->reply, TEXT_NO_SNAPSHOT, NULL, NULL);
        return true;
    }
    cursor_changed(&bench->cursor);
    char step[24];
    snprintf(step, sizeof step, "%d", training_step(training));
    reply_say(bench->reply, TEXT_SCRUBBED, step, NULL);
    return true;
}

bool workbench_do_compare(Workbench *bench, const Command *command, Error *err) {
    if (bench->playground.training.run.n_steps == 0) {
        reply_say(bench->reply, TEXT_NOTHING_COMPARE, NULL, NULL);
        return true;
    }
    if (!workbench_may_lose(bench, command)) {
        return true;
    }
    Shown shown = workbench_shown(bench);
    if (!playground_compare(&bench->playground, err)) {
        return false;
    }
    workbench_after_rebuild(bench, &shown);
    reply_say(bench->reply, TEXT_COMPARING, NULL, NULL);
    return true;
}

bool workbench_stop(Workbench *bench) {
    Playground *playground = &bench->playground;
    Stepper *stepper = &playground->stepper;
    if (training_is_running(&playground->training)) {
        const Command train = {COMMAND_TRAIN, ""}; // says how far it came
        return workbench_do_train(bench, &train, NULL);
    }
    if (playground->opened == NULL || stepper_is_valid(stepper, stepper_node(stepper))) {
        return false;
    }
    stepper_stop(stepper);
    cursor_look_at_step(&bench->cursor);
    return true;
}
