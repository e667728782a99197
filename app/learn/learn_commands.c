// learn_commands.c - from a command to the function that carries it out, and what is said of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn.h"

// The function of a command, by the part that it is a function of.
typedef struct Action {
    bool (*learn)(Learn *learn, const Command *command, Error *err);
    bool (*player)(Player *player, const Command *command, Error *err);
    bool (*cursor)(Cursor *cursor, const Command *command, Error *err);
    bool (*bench)(Workbench *bench, const Command *command, Error *err);
    bool (*screen)(Screen *screen, const Command *command, Error *err);
} Action;

static const Action ACTIONS[COMMAND_COUNT] = {
#define X(id, name, keys, argument, needs, part, function, hint, en, zh, hint_en, hint_zh)         \
    [COMMAND_##id] = {.part = (function)},
    COMMAND_LIST(X)
#undef X
};

static bool carry_out(Learn *learn, const Command *command, Error *err) {
    const Action *action = &ACTIONS[command->id];
    if (action->player != NULL) {
        return action->player(&learn->player, command, err);
    }
    if (action->screen != NULL) {
        return action->screen(&learn->screen, command, err);
    }
    if (action->bench != NULL) {
        return action->bench(&learn->bench, command, err);
    }
    return action->cursor != NULL ? action->cursor(&learn->bench.cursor, command, err)
                                  : action->learn(learn, command, err);
}

// Esc or Ctrl-C: what the lesson would have gone on with rests too.
static void end_command(Learn *learn, const Command *command) {
    (void)workbench_stop(&learn->bench);
    player_skip_commands(&learn->player);
    reply_say(&learn->reply, TEXT_ENDED, COMMANDS[command->id].name, NULL);
}

bool learn_execute(Learn *learn, const Command *command, Error *err) {
    if (COMMANDS[command->id].needs == COMMAND_NEEDS_MODEL &&
        learn->bench.playground.opened == NULL) {
        return error_set(err, "%s", reply_text(&learn->reply, TEXT_NOTHING_OPEN));
    }
    workbench_begin(&learn->bench, command);
    uint64_t n_pushed = learn->bench.playground.n_pushed;
    bool was_open = learn->bench.playground.opened != NULL;
    waiting_begin(&learn->waiting, learn->reply.language, COMMANDS[command->id].name);
    const Place before = learn->bench.cursor.place;
    bool ok = carry_out(learn, command, err);
    if (!ok && learn->waiting.progress.is_ended) {
        end_command(learn, command);
        ok = true;
    }
    if (learn->bench.playground.n_pushed > n_pushed && was_open) {
        char what[REPLY_BYTES];
        text_fill(what, sizeof what, command->rest[0] == '\0' ? "{a}" : "{a} {b}",
                  COMMANDS[command->id].name, command->rest);
        playground_name_changes(&learn->bench.playground, n_pushed, what);
    }
    if (!was_open && learn->bench.playground.opened != NULL &&
        learn->screen.overlay == OVERLAY_MENU) {
        learn->screen.overlay = OVERLAY_NONE; // it would hide what was opened
    }
    screen_follow_cell(&learn->screen, command->id, &before);
    screen_take_reply(&learn->screen);
    return ok;
}

void learn_execute_line(Learn *learn, const char *line) {
    char *copy = strdup(line);
    Command command;
    Error err = {""};
    bool ok = copy != NULL || error_set(&err, "out of memory");
    if (!ok || !command_parse(&command, copy, &err) || !learn_execute(learn, &command, &err)) {
        reply_complain(&learn->reply, err.text);
    }
    free(copy);
}

void learn_execute_key(Learn *learn, CommandId id, int count) {
    const CommandCounts counts = count == 0 ? COMMAND_COUNTS_TIMES : command_counts(id);
    char rest[16] = "";
    if (counts == COMMAND_COUNTS_NOTHING) {
        reply_say(&learn->reply, TEXT_TAKES_NO_COUNT, COMMANDS[id].name, NULL);
        return;
    }
    if (counts == COMMAND_COUNTS_ITSELF) {
        snprintf(rest, sizeof rest, "%d", count);
    }
    const Command command = {id, rest};
    Error err = {""};
    int n = counts == COMMAND_COUNTS_TIMES && count > 0 ? count : 1;
    bool ok = true;
    while (ok && n-- > 0) {
        ok = learn_execute(learn, &command, &err) && !learn->waiting.progress.is_ended;
    }
    if (error_is_set(&err)) {
        reply_complain(&learn->reply, err.text);
    }
}

// ---- the lesson's own

bool learn_run_queue(Learn *learn) {
    Reply *reply = &learn->reply;
    const LessonCommand *command = player_next_command(&learn->player);
    if (command == NULL) {
        return false;
    }
    int line = command->line;
    reply->is_bad = false;
    learn->bench.is_scripted = true;
    learn_execute_line(learn, command->text);
    learn->bench.is_scripted = false;
    if (reply->is_bad) {
        Error reason = {""};
        error_set(&reason, "%s:%d: %s", learn->player.lesson.path, line, reply->text);
        reply_complain(reply, reason.text);
        player_skip_commands(&learn->player);
    }
    return true;
}

// What this stop has begun comes first; false while training takes its time.
static bool finish_queue(Learn *learn) {
    while (player_has_commands(&learn->player) && learn->bench.playground.training.n_wanted <= 0) {
        learn_run_queue(learn);
    }
    return !player_has_commands(&learn->player);
}

void learn_answer(Learn *learn, const char *text) {
    if (!player_is_asking(&learn->player)) {
        reply_say(&learn->reply, TEXT_PLAIN_NO_QUESTION, NULL, NULL);
        return;
    }
    if (!finish_queue(learn) || learn->bench.playground.training.n_wanted > 0) {
        reply_say(&learn->reply, TEXT_WORKING, NULL, NULL);
        return;
    }
    player_answer(&learn->player, text);
}

bool learn_do_answer(Learn *learn, const Command *command, Error *err) {
    (void)err;
    learn_answer(learn, command->rest);
    return true;
}

bool learn_do_continue(Learn *learn, const Command *command, Error *err) {
    (void)command;
    (void)err;
    const Player *player = &learn->player;
    if (!finish_queue(learn)) {
        return true;
    }
    if (!player->has_lesson || player->stop + 1 >= player->lesson.n_stops) {
        reply_say(&learn->reply, TEXT_LESSON_END, NULL, NULL);
        return true;
    }
    player_go(&learn->player, player->stop + 1);
    return true;
}
