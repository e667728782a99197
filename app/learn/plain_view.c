// plain_view.c - the views for who hears them: those of words and numbers as lines, of the others
// that they are pictures.
#include <stdlib.h>
#include <string.h>

#include "app/learn/plain.h"
#include "engine/base/utf8.h"
#include "views/canvas_text.h"

enum { INDENT = 2, MOST_LINES = 200 };

// Lines, bars, shades and dots: nothing for who hears them.
static bool is_drawing(int32_t code) {
    return (code >= 0x2500 && code <= 0x259F) || (code >= 0x2800 && code <= 0x28FF);
}

// The dots that stand for the empty part of a bar: a dot alone multiplies.
static bool is_rest_of_bar(const char *at, bool is_after_dot) {
    static const char DOT[] = "·";
    size_t length = sizeof DOT - 1;
    bool is_run = is_after_dot || strncmp(at + length, DOT, length) == 0;
    return strncmp(at, DOT, length) == 0 && is_run;
}

// A line of the view without what is only drawn; nothing where no word is left.
static void tell_line(FileWriter *lines, char *line) {
    size_t used = 0;
    bool is_after_dot = false; // or after what else is drawn of a bar
    for (const char *at = line; *at != '\0';) {
        int32_t code = 0;
        size_t length = utf8_character(at, &code);
        is_after_dot = is_drawing(code) || is_rest_of_bar(at, is_after_dot);
        if (is_after_dot) {
            line[used++] = ' ';
            at += length;
            continue;
        }
        memmove(line + used, at, length);
        used += length;
        at += length;
    }
    while (used > 0 && line[used - 1] == ' ') {
        used--;
    }
    if (used > 0) {
        file_writer_print(lines, "%*s%.*s\n", INDENT, "", (int)used, line);
    }
}

// The view as it is drawn, at the width of the page.
static void tell_drawn(Plain *plain, const View *view, ViewState *state) {
    Learn *learn = &plain->learn;
    Canvas canvas = {.cells = NULL};
    int width = 0;
    int height = 0;
    char *text = NULL;
    size_t length = 0;
    state->scroll = 0;
    view_prepare(view, state, &learn->screen.workspace);
    view_measure(view, state, &width, &height);
    height = height > MOST_LINES ? MOST_LINES : height;
    if (!canvas_init(&canvas, plain->page.width - INDENT, height, NULL)) {
        return;
    }
    view_draw(view, state, &canvas);
    if (canvas_to_text(&canvas, &text, &length, NULL)) {
        char *rest = text;
        for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
            tell_line(&plain->page.lines, line);
        }
        file_writer_text(&plain->page.lines, "\n");
        free(text);
    }
    canvas_free(&canvas);
}

static void say(Plain *plain, TextId id, const View *view) {
    reply_say(&plain->learn.reply, id, view->name, NULL);
    plain_tell_notice(plain);
}

// The operands one after the other, then the result, each as far as item and head go.
static bool tell_operands(Plain *plain, const ViewState *state) {
    const ViewNumbers part = view_numbers(NULL, state);
    for (int i = 0; i < state->node->n_inputs; i++) {
        const Node *input = state->node->inputs[i];
        if (!node_holds_ids(input) && input->stage != NULL) {
            plain_tell_part(plain, input, part.item, part.head);
        }
    }
    return plain_tell_part(plain, state->node, part.item, part.head);
}

static void tell_spoken(Plain *plain, const View *view, ViewState *state) {
    if (view->spoken == VIEW_SPOKEN_LINES) {
        tell_drawn(plain, view, state);
        return;
    }
    if (plain->learn.bench.merges.n > 0 || state->node == NULL) {
        plain_tell_numbers(plain);
        return;
    }
    bool is_all = true;
    if (view->spoken == VIEW_SPOKEN_OPERANDS) {
        is_all = tell_operands(plain, state);
    } else if (view->spoken == VIEW_SPOKEN_NUMBERS) {
        const ViewNumbers part = view_numbers(view, state);
        is_all = plain_tell_part(plain, part.node, part.item, part.head);
    }
    if (!is_all) {
        plain_page_text(&plain->page, "  ", reply_text(&plain->learn.reply, TEXT_PLAIN_OTHERS));
    }
    plain_tell_cell(plain);
    file_writer_text(&plain->page.lines, "\n");
}

void plain_tell_view(Plain *plain) {
    Learn *learn = &plain->learn;
    const Node *node = learn->bench.cursor.place.node;
    if (node != NULL) {
        (void)stepper_require(&learn->bench.playground.stepper, node, NULL);
        cursor_explain(&learn->bench.cursor);
    }
    ViewTraining training;
    ViewState state = screen_view_state(&learn->screen, &training);
    const View *view =
        learn->screen.view != NULL ? learn->screen.view : screen_view(&learn->screen, &state);
    plain->told_view = learn->screen.view;
    if (view == NULL) {
        return;
    }
    if (!view->fits(&state)) {
        reply_say(&learn->reply, TEXT_VIEW_LATER, view->name, view->needs[learn->reply.language]);
        plain_tell_notice(plain);
        return;
    }
    if (view->spoken == VIEW_SPOKEN_PICTURE) {
        say(plain, TEXT_PLAIN_PICTURE, view);
        return;
    }
    say(plain, TEXT_PLAIN_VIEW, view);
    tell_spoken(plain, view, &state);
}

void plain_tell_lines(Plain *plain) {
    ViewTraining training;
    ViewState state = screen_view_state(&plain->learn.screen, &training);
    const View *view = plain->learn.screen.view;
    bool is_told = view == NULL || state.node == NULL || view->spoken == VIEW_SPOKEN_NUMBERS;
    plain->told_view = view;
    if (!is_told && view->fits(&state)) {
        plain_tell_view(plain);
    }
}

void plain_tell_place(Plain *plain) {
    bool is_new = plain_tell_numbers(plain);
    if (is_new || plain->learn.screen.view != plain->told_view) {
        plain_tell_lines(plain);
    }
}
