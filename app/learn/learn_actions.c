// learn_actions.c - the commands that join the lesson, the model and the screen.
#include "app/learn/learn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool learn_do_language(Learn *learn, const Command *command, Error *err) {
    (void)err;
    Language language = learn->reply.language == LANGUAGE_EN ? LANGUAGE_ZH : LANGUAGE_EN;
    if (command->rest[0] != '\0') {
        language = strcmp(command->rest, "zh") == 0 ? LANGUAGE_ZH : LANGUAGE_EN;
    }
    player_set_language(&learn->player, language);
    return true;
}

bool learn_do_state(Learn *learn, const Command *command, Error *err) {
    (void)command;
    char *state = learn_state(learn);
    if (state == NULL) {
        return error_set(err, "out of memory");
    }
    // The line may be too short for it: it goes to the clipboard, and is said again at the end.
    size_t size = strlen(state) + 64;
    char *line = malloc(size);
    if (line != NULL) {
        text_fill(line, size, reply_text(&learn->reply, TEXT_STATE_IS), state, NULL);
        if (learn->screen.terminal != NULL) {
            terminal_copy(learn->screen.terminal, line);
        }
        free(learn->asked_state);
        learn->asked_state = line;
    }
    reply_say(&learn->reply, TEXT_STATE_IS, state, NULL);
    free(state);
    return true;
}

// Whoever gave the command goes there: commands do not know the way.
static bool ask_for_place(Learn *learn, const char *place, Error *err) {
    free(learn->asked_place);
    learn->asked_place = strdup(place);
    return learn->asked_place != NULL || error_set(err, "out of memory");
}

bool learn_do_jump(Learn *learn, const Command *command, Error *err) {
    enum { MOST_VISITS = 8 };
    const bool is_back = command->id == COMMAND_JUMP_BACK;
    const char *place = command->rest[0] != '\0' ? command->rest : player_link(&learn->player);
    if (learn->bench.is_scripted) {
        return error_set(err, "%s: only a person follows links", COMMANDS[command->id].name);
    }
    if (is_back && learn->visits == NULL) {
        return reply_fail(&learn->reply, err, TEXT_NO_WAY_BACK, NULL, NULL);
    }
    if (!is_back && place == NULL) {
        return reply_fail(&learn->reply, err, TEXT_NO_LINK, NULL, NULL);
    }
    if (!is_back && learn->n_visits == MOST_VISITS) {
        return reply_fail(&learn->reply, err, TEXT_TOO_MANY_LINKS, NULL, NULL);
    }
    if (!is_back && !learn->options.plain) {
        player_save_progress(&learn->player);
    }
    return ask_for_place(learn, is_back ? "" : place, err);
}

bool learn_do_leave(Learn *learn, const Command *command, Error *err) {
    bool is_leaving = command->id == COMMAND_QUIT || learn->screen.overlay == OVERLAY_MENU;
    if (!is_leaving && (learn->screen.overlay != OVERLAY_NONE || learn->screen.is_zoomed ||
                        learn->screen.has_big)) {
        screen_close_overlay(&learn->screen);
        learn->screen.is_zoomed = false;
        learn->screen.has_big = false;
        return true;
    }
    if (!is_leaving && learn->visits != NULL) {
        return ask_for_place(learn, "", err);
    }
    bool came_from_menu = learn->options.lesson == NULL && learn->options.state == NULL;
    if (!is_leaving && came_from_menu) {
        player_save_progress(&learn->player);
        screen_open_menu(&learn->screen, "");
        player_leave(&learn->player);
        learn->bench.playground.training.n_wanted = 0;
        return true;
    }
    learn->is_over = true;
    return true;
}

// The menu lies over the lesson, which goes on where it was.
bool learn_do_lessons(Learn *learn, const Command *command, Error *err) {
    player_save_progress(&learn->player);
    return screen_open_menu(&learn->screen, command->rest) ||
           reply_fail(&learn->reply, err, TEXT_MENU_NONE, command->rest, NULL);
}

bool learn_do_search(Learn *learn, const Command *command, Error *err) {
    if (command->id == COMMAND_SEARCH) {
        if (command->rest[0] == '\0') {
            reply_ask(&learn->reply, "search ");
            return true;
        }
        if (strlen(command->rest) >= sizeof learn->bench.cursor.sought) {
            return error_set(err, "search: expected less than %zu bytes",
                             sizeof learn->bench.cursor.sought);
        }
        snprintf(learn->bench.cursor.sought, sizeof learn->bench.cursor.sought, "%s",
                 command->rest);
    }
    if (cursor_search(&learn->bench.cursor, command->id == COMMAND_SEARCH_BACK ? -1 : 1)) {
        reply_say(&learn->reply, TEXT_SEARCH_HINT, NULL, NULL);
        return true;
    }
    int stop = learn->bench.cursor.sought[0] != '\0'
                   ? player_find(&learn->player, learn->bench.cursor.sought)
                   : -1;
    if (stop >= 0) {
        player_go(&learn->player, stop);
        return true;
    }
    return reply_fail(&learn->reply, err, TEXT_NOT_FOUND, learn->bench.cursor.sought, NULL);
}

bool learn_do_aside(Learn *learn, const Command *command, Error *err) {
    (void)command;
    (void)err;
    bool is_all = learn->screen.overlay == OVERLAY_MENU && !learn->player.has_lesson;
    if (!is_all) {
        screen_close_overlay(&learn->screen);
    }
    if (learn->player.question.is_open) {
        learn->player.question.is_open = false;
        reply_say(&learn->reply, TEXT_PUT_ASIDE, NULL, NULL);
    }
    return true;
}
