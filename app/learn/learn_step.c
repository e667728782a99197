// learn_step.c - moving along the tape: steps, stages by name, search.
#include <stdio.h>
#include <string.h>

#include "app/learn/learn_actions.h"

static StepMove move_of(CommandId id) {
    switch ((int)id) {
    case COMMAND_BACK:
        return STEP_BACK;
    case COMMAND_INTO:
        return STEP_INTO;
    case COMMAND_OUT:
        return STEP_OUT;
    case COMMAND_OVER:
        return STEP_OVER;
    case COMMAND_OVER_BACK:
        return STEP_OVER_BACK;
    case COMMAND_FIRST:
        return STEP_FIRST;
    case COMMAND_LAST:
        return STEP_LAST;
    case COMMAND_LOSS:
        return STEP_LOSS;
    default:
        return STEP_NEXT;
    }
}

bool act_step(Learn *learn, const Command *command, Error *err) {
    (void)err;
    Stepper *stepper = &learn->playground.stepper;
    StepMove move = move_of(command->id);
    bool is_back = move == STEP_BACK || move == STEP_OVER_BACK || move == STEP_FIRST;
    bool is_counted = COMMANDS[command->id].argument == ARGUMENT_COUNT;
    if ((move == STEP_NEXT || move == STEP_BACK) && learn->merges.n > 0 &&
        learn_step_merges(learn, is_back ? -1 : 1)) {
        return true;
    }
    learn_forget_merges(learn);
    long n = is_counted ? command_count(command, 1) : 1;
    bool moved = false;
    while (n-- > 0 && stepper_move(stepper, move)) {
        moved = true;
    }
    learn_look_at_step(learn);
    if (!moved && move != STEP_LOSS) {
        reply_say(&learn->reply, is_back ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
    }
    return true;
}

bool act_go(Learn *learn, const Command *command, Error *err) {
    learn_forget_merges(learn);
    Stepper *stepper = &learn->playground.stepper;
    const Node *node = stepper_find(stepper, command->rest);
    if (node == NULL) {
        return reply_fail(&learn->reply, err, TEXT_NO_STAGE, command->rest, NULL);
    }
    stepper_go(stepper, node);
    if (command->id == COMMAND_SHOW) {
        stepper_require(stepper, node);
        learn_look_at(learn, node);
        learn->n_trail = 0;
    } else {
        learn_look_at_step(learn);
    }
    return true;
}

// The next stop after the present one whose prose holds the text; -1.
static int find_in_lesson(const Learn *learn, const char *text) {
    const Lesson *lesson = &learn->lesson;
    for (int i = 1; learn->has_lesson && i <= lesson->n_stops; i++) {
        int stop = (learn->stop + i) % lesson->n_stops;
        for (int block = lesson->stops[stop].first; block < lesson->stops[stop].end; block++) {
            const char *prose = lesson->blocks[block].text.text;
            if (prose != NULL && strstr(prose, text) != NULL) {
                return stop;
            }
        }
    }
    return -1;
}

bool act_search(Learn *learn, const Command *command, Error *err) {
    if (command->id == COMMAND_SEARCH) {
        if (command->rest[0] == '\0') {
            reply_ask(&learn->reply, "search ");
            return true;
        }
        if (strlen(command->rest) >= sizeof learn->sought) {
            return error_set(err, "search: expected less than %zu bytes", sizeof learn->sought);
        }
        snprintf(learn->sought, sizeof learn->sought, "%s", command->rest);
    }
    int direction = command->id == COMMAND_SEARCH_BACK ? -1 : 1;
    Stepper *stepper = &learn->playground.stepper;
    bool is_open = learn->playground.opened != NULL;
    int hit = is_open && learn->sought[0] != '\0'
                  ? stepper_search(stepper, learn->sought, stepper->at, direction)
                  : -1;
    if (hit >= 0) {
        stepper->at = hit;
        learn_look_at_step(learn);
        reply_say(&learn->reply, TEXT_SEARCH_HINT, NULL, NULL);
        return true;
    }
    int stop = learn->sought[0] != '\0' ? find_in_lesson(learn, learn->sought) : -1;
    if (stop >= 0) {
        learn_go_to_stop(learn, stop);
        return true;
    }
    return reply_fail(&learn->reply, err, TEXT_NOT_FOUND, learn->sought, NULL);
}
