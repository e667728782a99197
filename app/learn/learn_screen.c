// learn_screen.c - panes, views, theme, language, export: what changes the screen and not the
// model.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn_actions.h"

// The view after (step 1) or before (-1) that one, going round over those that fit.
static const View *neighbour(const View *view, const ViewState *state, int step) {
    int n = 0;
    int at = 0;
    while (VIEWS[n] != NULL) {
        at = VIEWS[n] == view ? n : at;
        n++;
    }
    for (int i = 1; i <= n; i++) {
        const View *next = VIEWS[(at + i * step + n * n) % n];
        if (next->fits(state)) {
            return next;
        }
    }
    return view;
}

void learn_ask_view(Learn *learn, const View *view) {
    learn->view = view;
    learn->view_looks = learn->bench.cursor.n_looks;
}

// Who looked at another node since has seen what is not of a node.
static bool has_passed(const Learn *learn) {
    return learn->view->is_passing && learn->view_looks != learn->bench.cursor.n_looks;
}

const View *learn_view(const Learn *learn, const ViewState *state) {
    if (learn->view != NULL && !has_passed(learn) && learn->view->fits(state)) {
        return learn->view;
    }
    for (int i = 0; VIEWS[i] != NULL; i++) {
        if (VIEWS[i]->fits(state)) {
            return VIEWS[i];
        }
    }
    return NULL;
}

// A view that has nothing to show just now is remembered for when it has.
static bool name_view(Learn *learn, const char *name, Error *err) {
    const View *view = view_find(name);
    if (view != NULL) {
        learn_ask_view(learn, view);
        return true;
    }
    char names[REPLY_BYTES] = "";
    size_t length = 0;
    for (int i = 0; VIEWS[i] != NULL && length < sizeof names; i++) {
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "",
                                   VIEWS[i]->name);
    }
    return reply_fail(&learn->reply, err, TEXT_NO_VIEW, name, names);
}

bool act_view(Learn *learn, const Command *command, Error *err) {
    if (command->rest[0] != '\0') {
        return name_view(learn, command->rest, err);
    }
    if (learn->bench.cursor.place.node != NULL) {
        if (!stepper_require(&learn->bench.playground.stepper, learn->bench.cursor.place.node,
                             err)) {
            return false;
        }
        cursor_explain(&learn->bench.cursor);
    }
    ViewTraining training;
    ViewState state = learn_view_state(learn, &training);
    learn_ask_view(
        learn, neighbour(learn_view(learn, &state), &state, command->id == COMMAND_VIEW ? 1 : -1));
    return true;
}

// What the lines of a pane are scrolled over: another node, another stop begin at their top.
static int scrolled_of(const Learn *learn, Pane pane) {
    return pane == PANE_VIEW ? learn->bench.cursor.n_looks : learn->player.n_stops_entered;
}

int learn_scroll_of(const Learn *learn, Pane pane) {
    const Scroll *scroll = &learn->scroll[pane];
    return scroll->of == scrolled_of(learn, pane) ? scroll->lines : 0;
}

void learn_scroll_to(Learn *learn, Pane pane, int lines) {
    learn->scroll[pane] = (Scroll){lines < 0 ? 0 : lines, scrolled_of(learn, pane)};
}

static void scroll(Learn *learn, Pane pane, int lines) {
    learn_scroll_to(learn, pane, learn_scroll_of(learn, pane) + lines);
}

bool act_pane(Learn *learn, const Command *command, Error *err) {
    (void)err;
    switch ((int)command->id) {
    case COMMAND_PANE_NEXT:
        learn->focus = (Pane)((learn->focus + 1) % PANE_COUNT);
        return true;
    case COMMAND_PANE_BACK:
        learn->focus = (Pane)((learn->focus + PANE_COUNT - 1) % PANE_COUNT);
        return true;
    default:
        break;
    }
    int lines = command->id == COMMAND_PAGE_UP ? -5 : 5;
    if (learn->overlay == OVERLAY_HELP) {
        int to = learn->overlay_scroll + lines;
        learn->overlay_scroll = to < 0 ? 0 : to;
    } else {
        scroll(learn, learn->focus == PANE_TAPE ? PANE_VIEW : learn->focus, lines);
    }
    return true;
}

bool act_toggle(Learn *learn, const Command *command, Error *err) {
    (void)err;
    bool *flag = command->id == COMMAND_ZOOM        ? &learn->is_zoomed
                 : command->id == COMMAND_SPOTLIGHT ? &learn->has_spotlight
                                                    : &learn->has_big;
    int on = command_switch(command);
    *flag = on < 0 ? !*flag : on == 1;
    return true;
}

bool act_overlay(Learn *learn, const Command *command, Error *err) {
    (void)err;
    learn->overlay = command->id == COMMAND_HELP ? OVERLAY_HELP : OVERLAY_CHANGE;
    learn->overlay_scroll = 0;
    return true;
}

bool act_heat(Learn *learn, const Command *command, Error *err) {
    HeatScale scale = learn->scale == HEAT_LINEAR ? HEAT_PER_ROW : HEAT_LINEAR;
    if (command->rest[0] != '\0' && !heat_scale_find(&scale, command->rest, err)) {
        return false;
    }
    learn->scale = scale;
    reply_say(&learn->reply, scale == HEAT_PER_ROW ? TEXT_HEAT_ROW : TEXT_HEAT_LINEAR, NULL, NULL);
    return true;
}

bool act_theme(Learn *learn, const Command *command, Error *err) {
    ThemeName theme = (ThemeName)((learn->theme + 1) % THEME_COUNT);
    if (command->rest[0] != '\0' && !theme_find(&theme, command->rest, err)) {
        return false;
    }
    learn->theme = theme;
    if (learn->terminal != NULL) {
        terminal_set_theme(learn->terminal, theme);
    }
    reply_say(&learn->reply, TEXT_THEME_SET, theme_name(theme), NULL);
    return true;
}

bool act_language(Learn *learn, const Command *command, Error *err) {
    (void)err;
    Language language = learn->reply.language == LANGUAGE_EN ? LANGUAGE_ZH : LANGUAGE_EN;
    if (command->rest[0] != '\0') {
        language = strcmp(command->rest, "zh") == 0 ? LANGUAGE_ZH : LANGUAGE_EN;
    }
    player_set_language(&learn->player, language);
    return true;
}

bool act_copy(Learn *learn, const Command *command, Error *err) {
    (void)command;
    (void)err;
    char cell[256];
    char text[REPLY_BYTES];
    const Node *node = learn->bench.cursor.place.node;
    size_t element = cursor_element(&learn->bench.cursor);
    explain_cell_name(node, element, cell, sizeof cell);
    snprintf(text, sizeof text, "%s = %.9g", cell,
             cursor_value(&learn->bench.cursor, node, element));
    if (learn->terminal != NULL) {
        terminal_copy(learn->terminal, text);
    }
    reply_say(&learn->reply, TEXT_COPIED, text, NULL);
    return true;
}

bool act_state(Learn *learn, const Command *command, Error *err) {
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
        if (learn->terminal != NULL) {
            terminal_copy(learn->terminal, line);
        }
        free(learn->asked_state);
        learn->asked_state = line;
    }
    reply_say(&learn->reply, TEXT_STATE_IS, state, NULL);
    free(state);
    return true;
}

bool act_redraw(Learn *learn, const Command *command, Error *err) {
    (void)command;
    (void)err;
    if (learn->terminal != NULL) {
        terminal_repaint(learn->terminal);
    }
    return true;
}

bool act_leave(Learn *learn, const Command *command, Error *err) {
    (void)err;
    bool is_leaving = command->id == COMMAND_QUIT || learn->overlay == OVERLAY_MENU;
    if (!is_leaving && (learn->overlay != OVERLAY_NONE || learn->is_zoomed || learn->has_big)) {
        learn->overlay = OVERLAY_NONE;
        learn->is_zoomed = false;
        learn->has_big = false;
        return true;
    }
    bool came_from_menu = learn->options.lesson == NULL && learn->options.state == NULL;
    if (!is_leaving && came_from_menu) {
        player_save_progress(&learn->player);
        learn->overlay = OVERLAY_MENU;
        player_leave(&learn->player);
        learn->bench.playground.training.n_wanted = 0;
        return true;
    }
    learn->is_over = true;
    return true;
}

bool act_prompt(Learn *learn, const Command *command, Error *err) {
    (void)command;
    (void)err;
    learn_prompt_open(learn, "");
    return true;
}

// In a view that has an inside Enter goes into a part of the model and Backspace out of it.
static bool zoom_view(Learn *learn, bool is_in) {
    ViewTraining training;
    ViewState state = learn_view_state(learn, &training);
    const View *view = learn_view(learn, &state);
    if (view == NULL || view->zoom == NULL) {
        return false;
    }
    const Scope *scope = view->zoom(&state, is_in);
    bool moved = scope != state.zoom;
    learn->zoom = scope;
    learn->zoom_tapes = learn->bench.cursor.n_tapes;
    return moved;
}

bool act_follow(Learn *learn, const Command *command, Error *err) {
    return zoom_view(learn, true) || cursor_do_follow(&learn->bench.cursor, command, err);
}

bool act_return(Learn *learn, const Command *command, Error *err) {
    return zoom_view(learn, false) || cursor_do_return(&learn->bench.cursor, command, err);
}

// In the list of steps up and down are steps; in the lesson they scroll; elsewhere the cell moves.
bool act_move(Learn *learn, const Command *command, Error *err) {
    int lines = command->id == COMMAND_UP ? -1 : (command->id == COMMAND_DOWN ? 1 : 0);
    if (learn->focus == PANE_TAPE && lines != 0) {
        const Command step = {lines < 0 ? COMMAND_BACK : COMMAND_NEXT, command->rest};
        return workbench_do_step(&learn->bench, &step, err);
    }
    if (learn->focus == PANE_LESSON && lines != 0) {
        scroll(learn, PANE_LESSON, lines);
        return true;
    }
    return cursor_do_move(&learn->bench.cursor, command, err);
}

bool act_search(Learn *learn, const Command *command, Error *err) {
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

bool act_aside(Learn *learn, const Command *command, Error *err) {
    (void)command;
    (void)err;
    learn->overlay = learn->overlay == OVERLAY_MENU ? OVERLAY_MENU : OVERLAY_NONE;
    if (learn->player.question.is_open) {
        learn->player.question.is_open = false;
        reply_say(&learn->reply, TEXT_PUT_ASIDE, NULL, NULL);
    }
    return true;
}
