// learn_commands.c - from a command to the function that carries it out, and what is said of it.
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn_actions.h"

// The function of a command, by the part that it is a function of.
typedef struct Action {
    bool (*learn)(Learn *learn, const Command *command, Error *err);
    bool (*cursor)(Cursor *cursor, const Command *command, Error *err);
} Action;

static const Action ACTIONS[COMMAND_COUNT] = {
#define X(id, name, keys, argument, needs, part, function, hint)                                   \
    [COMMAND_##id] = {.part = (function)},
    COMMAND_LIST(X)
#undef X
};

static bool carry_out(Learn *learn, const Command *command, Error *err) {
    const Action *action = &ACTIONS[command->id];
    return action->cursor != NULL ? action->cursor(&learn->cursor, command, err)
                                  : action->learn(learn, command, err);
}

// What the command leaves to the screen.
static void take_reply(Learn *learn) {
    Reply *reply = &learn->reply;
    if (reply->view != NULL) {
        learn_ask_view(learn, reply->view);
    }
    if (reply->line[0] != '\0') {
        learn_prompt_open(learn, reply->line);
    }
    reply->view = NULL;
    reply->line[0] = '\0';
}

bool learn_execute(Learn *learn, const Command *command, Error *err) {
    if (COMMANDS[command->id].needs == COMMAND_NEEDS_MODEL && learn->playground.opened == NULL) {
        return error_set(err, "%s", reply_text(&learn->reply, TEXT_NOTHING_OPEN));
    }
    learn->is_warned = learn->is_warned && learn->warned == command->id;
    int n_done = learn->playground.n_done;
    bool was_open = learn->playground.opened != NULL;
    bool ok = carry_out(learn, command, err);
    if (learn->playground.n_done > n_done && was_open && command->id != COMMAND_REDO) {
        char what[REPLY_BYTES];
        text_fill(what, sizeof what, command->rest[0] == '\0' ? "{a}" : "{a} {b}",
                  COMMANDS[command->id].name, command->rest);
        playground_name_changes(&learn->playground, n_done, what);
    }
    take_reply(learn);
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
