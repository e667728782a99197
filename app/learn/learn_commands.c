// learn_commands.c - from a command to the function that carries it out, and what is said of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn_actions.h"
#include "views/text.h"

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
        char what[LEARN_TEXT_BYTES];
        text_fill(what, sizeof what, command->rest[0] == '\0' ? "{a}" : "{a} {b}",
                  COMMANDS[command->id].name, command->rest);
        playground_name_changes(&learn->playground, n_done, what);
    }
    return ok;
}

void learn_execute_line(Learn *learn, const char *line) {
    char *copy = strdup(line);
    Command command;
    Error err = {""};
    bool ok = copy != NULL || error_set(&err, "out of memory");
    if (!ok || !command_parse(&command, copy, &err) || !learn_execute(learn, &command, &err)) {
        learn_complain(learn, err.text);
    }
    free(copy);
}

const char *learn_text(const Learn *learn, TextId id) {
    return text_of(learn->language, id);
}

void learn_say(Learn *learn, TextId id, const char *a, const char *b) {
    char *text = text_filled(learn_text(learn, id), a, b);
    text_copy(learn->notice, sizeof learn->notice, text == NULL ? "" : text);
    learn->notice_is_bad = false;
    free(text);
}

void learn_complain(Learn *learn, const char *sentence) {
    text_copy(learn->notice, sizeof learn->notice, sentence);
    learn->notice_is_bad = sentence[0] != '\0';
}

bool learn_fail(const Learn *learn, Error *err, TextId id, const char *a, const char *b) {
    char *sentence = text_filled(learn_text(learn, id), a, b);
    error_set(err, "%s", sentence == NULL ? "out of memory" : sentence);
    free(sentence);
    return false;
}
