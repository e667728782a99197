// workbench_train.c - the model learns by command.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/workbench.h"

bool workbench_do_train(Workbench *bench, const Command *command, Error *err) {
    Training *training = &bench->playground.training;
    if (!playground_end_decode(&bench->playground, err)) {
        return false;
    }
    cursor_look_at_step(&bench->cursor);
    if (command->id == COMMAND_TRAIN_STEP) {
        training->n_wanted = 1;
        pace_begin(&bench->pace, 1);
        return true;
    }
    if (command->rest[0] == '\0' && training_is_running(training)) {
        training->n_wanted = 0;
        workbench_say_training(bench, TEXT_TRAIN_STOPPED);
        return true;
    }
    training->n_wanted = (int)command_count(command, -1);
    training->n_granted = 0;
    pace_begin(&bench->pace, training->n_wanted);
    if (training->run.n_steps > 0) {
        workbench_say_training(bench, TEXT_TRAINING);
    }
    return true;
}

// What no frame holds back runs at full speed anyway.
bool workbench_do_pace(Workbench *bench, const Command *command, Error *err) {
    Pace *pace = &bench->pace;
    Training *training = &bench->playground.training;
    if (command->id == COMMAND_TRAIN_ALL) {
        const Command train = {COMMAND_TRAIN, ""};
        bool ok = training_is_running(training) || workbench_do_train(bench, &train, err);
        pace->is_unlimited = true;
        training->n_granted = 0;
        return ok;
    }
    bool is_changed = pace_change(pace, command->id == COMMAND_FASTER ? 1 : -1);
    char speed[24];
    snprintf(speed, sizeof speed, "%g", pace->speed > 0.0 ? pace->speed : 1.0);
    training->n_granted = 0;
    reply_say(bench->reply, is_changed ? TEXT_PACE : TEXT_PACE_END, speed, NULL);
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

// To a step that is kept; else it says which are.
bool workbench_do_scrub_to(Workbench *bench, const Command *command, Error *err) {
    (void)err;
    Training *training = &bench->playground.training;
    char kept[REPLY_BYTES / 2];
    training->n_wanted = 0;
    if (command->rest[0] != '\0' &&
        playground_scrub_to(&bench->playground, (int)command_count(command, 0))) {
        cursor_changed(&bench->cursor);
        reply_say(bench->reply, TEXT_SCRUBBED, command->rest, NULL);
        return true;
    }
    training_kept(training, kept, sizeof kept);
    reply_say(bench->reply, command->rest[0] == '\0' ? TEXT_SCRUB_KEPT : TEXT_SCRUB_NOT_KEPT, kept,
              command->rest);
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

// What it is called beside the curves of others: as it was opened, or trained here.
static void name_curve(const Workbench *bench, LengthCurve *curve) {
    const Playground *playground = &bench->playground;
    int n_steps = training_step(&playground->training);
    char steps[24];
    snprintf(steps, sizeof steps, "%d", n_steps);
    text_fill(curve->name, sizeof curve->name,
              n_steps > 0 ? reply_text(bench->reply, TEXT_LENGTHS_STEPS) : "{a}",
              playground->opened->named.name, steps);
}

bool workbench_do_lengths(Workbench *bench, const Command *command, Error *err) {
    (void)command;
    LengthCurve curve = {.longest = 0};
    if (!lengths_measure(&curve, bench->playground.opened, err)) {
        return false;
    }
    name_curve(bench, &curve);
    lengths_keep(&bench->lengths, &curve);
    char percents[256] = "";
    size_t length = 0;
    for (int words = curve.shortest; words <= curve.longest; words++) {
        length += (size_t)snprintf(percents + length, sizeof percents - length, "%s%.0f",
                                   length > 0 ? " " : "", (double)curve.right[words]);
    }
    reply_say(bench->reply, TEXT_LENGTHS_DONE, curve.name, percents);
    reply_show(bench->reply, VIEW_OF_LENGTHS);
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
