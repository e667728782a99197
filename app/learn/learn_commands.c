// learn_commands.c - from a command to the function that carries it out, and what is said of it.
#include <stdio.h>
#include <string.h>

#include "app/learn/learn_actions.h"

static const Action ACTIONS[COMMAND_COUNT] = {
#define X(id, name, keys, argument, needs, function, hint) [COMMAND_##id] = (function),
    COMMAND_LIST(X)
#undef X
};

bool learn_execute(Learn *learn, const Command *command, Error *err) {
    if (COMMANDS[command->id].needs == COMMAND_NEEDS_MODEL && learn->playground.opened == NULL) {
        return error_set(err, "%s", learn_text(learn, TEXT_NOTHING_OPEN));
    }
    learn->is_warned = learn->is_warned && learn->warned == command->id;
    int n_done = learn->playground.n_done;
    bool was_open = learn->playground.opened != NULL;
    bool ok = ACTIONS[command->id](learn, command, err);
    if (learn->playground.n_done > n_done && was_open && command->id != COMMAND_REDO) {
        char what[PROMPT_BYTES];
        snprintf(what, sizeof what, "%s %s", COMMANDS[command->id].name, command->rest);
        what[strlen(what) - (command->rest[0] == '\0')] = '\0';
        playground_name_changes(&learn->playground, n_done, what);
    }
    return ok;
}

void learn_execute_line(Learn *learn, const char *line) {
    char copy[PROMPT_BYTES];
    snprintf(copy, sizeof copy, "%s", line);
    Command command;
    Error err = {""};
    if (!command_parse(&command, copy, &err) || !learn_execute(learn, &command, &err)) {
        learn_complain(learn, err.text);
    }
}

const char *learn_text(const Learn *learn, TextId id) {
    return text_of(learn->language, id);
}

void learn_say(Learn *learn, TextId id, const char *a, const char *b) {
    text_fill(learn->notice, sizeof learn->notice, learn_text(learn, id), a, b);
    learn->notice_is_bad = false;
}

void learn_complain(Learn *learn, const char *sentence) {
    snprintf(learn->notice, sizeof learn->notice, "%s", sentence);
    learn->notice_is_bad = sentence[0] != '\0';
}
