// learn_restore.c - the way back to a place in a lesson, by the string that leads there.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn.h"

// "5", or a stage: the first stop that goes there. From 0; -1: there is none.
static int stop_of(const Player *player, const char *text) {
    char *end = NULL;
    long stop = strtol(text, &end, 10);
    bool is_number = end != text && *end == '\0';
    return is_number ? (stop < 1 || stop > INT_MAX ? -1 : (int)stop - 1)
                     : player_find_stage(player, text);
}

static bool restore_lesson(Learn *learn, const char *part, Error *err) {
    const char *sign = strrchr(part, '@');
    char *name = sign == NULL ? strdup(part) : strndup(part, (size_t)(sign - part));
    if (name == NULL) {
        return error_set(err, "out of memory");
    }
    bool is_named = strchr(name, '/') == NULL;
    size_t size = strlen(name);
    if (is_named && size > 3 && strcmp(name + size - 3, ".md") == 0) {
        name[size - 3] = '\0'; // a lesson of ours, not a file of that name here
    }
    bool ok = learn_open_lesson(learn, name, err);
    free(name);
    if (!ok) {
        return false;
    }
    int stop = sign == NULL ? 0 : stop_of(&learn->player, sign + 1);
    if (stop < 0 || stop >= learn->player.lesson.n_stops) {
        return error_set(err,
                         "\"%s\": expected a stop from 1 to %d behind the @, or a stage that "
                         "the lesson goes to",
                         part, learn->player.lesson.n_stops);
    }
    player_go(&learn->player, stop);
    learn->reply.text[0] = '\0';
    return true;
}

bool learn_restore(Learn *learn, const char *state, Error *err) {
    char *copy = strdup(state);
    bool ok = copy != NULL || error_set(err, "out of memory");
    char *rest = copy;
    learn->bench.is_scripted = true;
    bool has_commands = copy != NULL && strchr(copy, '|') != NULL;
    for (bool is_first = true; ok && rest != NULL; is_first = false) {
        char *part = strsep(&rest, "|");
        if (is_first) {
            ok = part[0] == '\0' || restore_lesson(learn, part, err);
            if (has_commands) {
                player_skip_commands(
                    &learn->player); // what follows takes the place of the lesson's own
            }
            continue;
        }
        Command command;
        ok = command_parse(&command, part, err) && learn_execute(learn, &command, err);
        while (ok && learn->bench.playground.training.n_wanted > 0) {
            learn_work(learn, 50.0);
        }
    }
    free(copy);
    learn->bench.is_scripted = false;
    learn->reply.text[0] = '\0';
    return ok;
}
