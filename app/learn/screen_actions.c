// screen_actions.c - panes, views, colours, overlays: commands that change the screen and not the
// model.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/screen.h"

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

// A view that has nothing to show just now is remembered for when it has; a person is told so.
static bool name_view(Screen *screen, const char *name, Error *err) {
    const View *view = view_find(name);
    if (view != NULL) {
        ViewTraining training;
        ViewState state = screen_view_state(screen, &training);
        screen_ask_view(screen, view);
        if (!view->fits(&state) && !screen->bench->is_scripted && !screen->reply->is_spoken) {
            reply_say(screen->reply, TEXT_VIEW_LATER, view->name,
                      view->needs[screen->reply->language]);
        }
        return true;
    }
    char names[REPLY_BYTES] = "";
    size_t length = 0;
    for (int i = 0; VIEWS[i] != NULL && length < sizeof names; i++) {
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "",
                                   VIEWS[i]->name);
    }
    return reply_fail(screen->reply, err, TEXT_NO_VIEW, name, names);
}

bool screen_do_view(Screen *screen, const Command *command, Error *err) {
    if (command->rest[0] != '\0') {
        return name_view(screen, command->rest, err);
    }
    if (screen->bench->cursor.place.node != NULL) {
        if (!stepper_require(&screen->bench->playground.stepper, screen->bench->cursor.place.node,
                             err)) {
            return false;
        }
        cursor_explain(&screen->bench->cursor);
    }
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    screen_ask_view(screen, neighbour(screen_view(screen, &state), &state,
                                      command->id == COMMAND_VIEW ? 1 : -1));
    return true;
}

static void scroll(Screen *screen, Pane pane, int lines) {
    screen_scroll_to(screen, pane, screen_scroll_of(screen, pane) + lines);
}

// Rows of a pane, one of which stays when a page is turned.
static int page_of(const Screen *screen, Pane pane) {
    Layout layout = screen_layout(screen, screen->canvas.width, screen->canvas.height);
    int rows = layout.panes[pane].height - 3;
    return rows > 1 ? rows : 1;
}

// A page of the lesson, up (-1) or down (1); its ends are said.
static void turn_page(Screen *screen, int direction) {
    int last = screen->lesson_lines - screen->lesson_rows;
    int from = screen_scroll_of(screen, PANE_LESSON);
    int to = from + direction * page_of(screen, PANE_LESSON);
    to = to > last ? last : to;
    to = to < 0 ? 0 : to;
    if (to == from) {
        reply_say(screen->reply, direction < 0 ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
    }
    screen_scroll_to(screen, PANE_LESSON, to);
}

// To the step so many lines on; the ends are said.
static void move_in_tape(Screen *screen, int lines) {
    Playground *playground = &screen->bench->playground;
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    view_prepare(view_find_subject(VIEW_OF_STEPS), &state, &screen->workspace);
    const Node *node = view_tape_node_beside(&state, lines);
    if (node == stepper_node(&playground->stepper)) {
        reply_say(screen->reply, lines < 0 ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
        return;
    }
    merges_forget(&screen->bench->merges);
    stepper_go(&playground->stepper, node);
    cursor_look_at_step(&screen->bench->cursor);
}

// A page of the view: of a list that goes back, or of the rows of what is looked at.
static void move_in_view(Screen *screen, int pages, int rows) {
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    const View *view = screen_view(screen, &state);
    Cursor *cursor = &screen->bench->cursor;
    bool moved = false;
    if (view != NULL && view->back != NULL) {
        Rect pane =
            screen_layout(screen, screen->canvas.width, screen->canvas.height).panes[PANE_VIEW];
        int last = view->back(&state, pane.width - 2, pane.height - 2);
        int to = state.scroll - pages * rows; // up leads back
        to = to > last ? last : (to < 0 ? 0 : to);
        moved = to != state.scroll;
        screen_scroll_to(screen, PANE_VIEW, to);
    } else {
        int axis = shape_rank(&cursor->place.node->shape) - 2;
        bool has_cell = view == NULL || !view->is_whole;
        moved = has_cell && axis >= 0 && cursor_move_axis(cursor, axis, pages * rows);
    }
    if (!moved) {
        reply_say(screen->reply, pages < 0 ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
    }
}

bool screen_do_pane(Screen *screen, const Command *command, Error *err) {
    (void)err;
    switch ((int)command->id) {
    case COMMAND_PANE_NEXT:
        screen->focus = (Pane)((screen->focus + 1) % PANE_COUNT);
        return true;
    case COMMAND_PANE_BACK:
        screen->focus = (Pane)((screen->focus + PANE_COUNT - 1) % PANE_COUNT);
        return true;
    default:
        break;
    }
    int pages = command->id == COMMAND_PAGE_UP ? -1 : 1;
    if (screen->focus == PANE_LESSON) {
        turn_page(screen, pages);
    } else if (screen->bench->playground.opened != NULL) {
        int rows = page_of(screen, screen->focus);
        if (screen->focus == PANE_TAPE) {
            move_in_tape(screen, pages * rows);
        } else {
            move_in_view(screen, pages, rows);
        }
    }
    return true;
}

bool screen_do_toggle(Screen *screen, const Command *command, Error *err) {
    (void)err;
    bool *flag = command->id == COMMAND_ZOOM        ? &screen->is_zoomed
                 : command->id == COMMAND_SPOTLIGHT ? &screen->has_spotlight
                                                    : &screen->has_big;
    int on = command_switch(command);
    *flag = on < 0 ? !*flag : on == 1;
    return true;
}

bool screen_do_overlay(Screen *screen, const Command *command, Error *err) {
    (void)command;
    (void)err;
    screen->overlay = OVERLAY_CHANGE;
    return true;
}

bool screen_do_heat(Screen *screen, const Command *command, Error *err) {
    HeatScale scale = screen->scale == HEAT_LINEAR ? HEAT_PER_ROW : HEAT_LINEAR;
    if (command->rest[0] != '\0' && !heat_scale_find(&scale, command->rest, err)) {
        return false;
    }
    screen->scale = scale;
    reply_say(screen->reply, scale == HEAT_PER_ROW ? TEXT_HEAT_ROW : TEXT_HEAT_LINEAR, NULL, NULL);
    return true;
}

bool screen_do_theme(Screen *screen, const Command *command, Error *err) {
    ThemeName theme = (ThemeName)((screen->theme + 1) % THEME_COUNT);
    if (command->rest[0] != '\0' && !theme_find(&theme, command->rest, err)) {
        return false;
    }
    screen->theme = theme;
    if (screen->terminal != NULL) {
        terminal_set_theme(screen->terminal, theme);
    }
    reply_say(screen->reply, TEXT_THEME_SET, theme_name(theme), NULL);
    return true;
}

bool screen_do_copy(Screen *screen, const Command *command, Error *err) {
    (void)command;
    char cell[256];
    char text[REPLY_BYTES];
    const Node *node = screen->bench->cursor.place.node;
    if (!stepper_require(&screen->bench->playground.stepper, node, err)) {
        return false;
    }
    size_t element = cursor_element(&screen->bench->cursor);
    explain_cell_name(node, element, cell, sizeof cell);
    snprintf(text, sizeof text, "%s = %.9g", cell,
             cursor_value(&screen->bench->cursor, node, element));
    if (screen->terminal != NULL) {
        terminal_copy(screen->terminal, text);
    }
    reply_say(screen->reply, TEXT_COPIED, text, NULL);
    return true;
}

bool screen_do_redraw(Screen *screen, const Command *command, Error *err) {
    (void)command;
    (void)err;
    if (screen->terminal != NULL) {
        terminal_repaint(screen->terminal);
    }
    return true;
}

bool screen_do_prompt(Screen *screen, const Command *command, Error *err) {
    (void)command;
    (void)err;
    prompt_begin(&screen->prompt, "", !screen->reply->is_spoken);
    return true;
}

// In a view that has an inside Enter goes into a part of the model and Backspace out of it; in the
// list of steps they fold.
static bool turn_view(Screen *screen, bool is_in) {
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    const View *view =
        screen->focus == PANE_TAPE ? view_find_subject(VIEW_OF_STEPS) : screen_view(screen, &state);
    return view != NULL && view_turn(view, &state, &screen->workspace, is_in);
}

bool screen_do_follow(Screen *screen, const Command *command, Error *err) {
    if (!turn_view(screen, true) && screen->focus == PANE_TAPE) {
        reply_say(screen->reply, TEXT_NO_FOLD, NULL, NULL);
        return true;
    }
    return screen->focus == PANE_TAPE || cursor_do_follow(&screen->bench->cursor, command, err);
}

bool screen_do_return(Screen *screen, const Command *command, Error *err) {
    return turn_view(screen, false) || cursor_do_return(&screen->bench->cursor, command, err);
}

// In the list of steps up and down are lines; in the lesson they scroll; elsewhere the cell moves.
bool screen_do_move(Screen *screen, const Command *command, Error *err) {
    int lines = command->id == COMMAND_UP ? -1 : (command->id == COMMAND_DOWN ? 1 : 0);
    bool is_merging = screen->bench->merges.n > 0;
    if (screen->focus == PANE_TAPE && lines != 0 && is_merging) {
        const Command step = {lines < 0 ? COMMAND_BACK : COMMAND_NEXT, command->rest};
        return workbench_do_step(screen->bench, &step, err);
    }
    if (screen->focus == PANE_TAPE && lines != 0) {
        move_in_tape(screen, lines * (int)command_count(command, 1));
        return true;
    }
    if (screen->focus == PANE_LESSON && lines != 0) {
        scroll(screen, PANE_LESSON, lines);
        return true;
    }
    return cursor_do_move(&screen->bench->cursor, command, err);
}

void screen_take_reply(Screen *screen) {
    Reply *reply = screen->reply;
    if (reply->view != NULL) {
        screen_ask_view(screen, reply->view);
    }
    if (reply->line[0] != '\0') {
        prompt_begin(&screen->prompt, reply->line, !reply->is_spoken);
        prompt_propose(&screen->prompt, reply->proposed);
    }
    reply->view = NULL;
    reply->line[0] = '\0';
}
