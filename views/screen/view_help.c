// view_help.c - all commands: their keys, their names, what they do.
#include <stdio.h>
#include <string.h>

#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { MOST_KEYS = 14, MOST_NAME = 14, GAP = 2 };

typedef struct Widths {
    int keys, name, help;
} Widths;

static Widths widths_of(const ViewState *state) {
    Widths widths = {4, 4, 10};
    for (int i = 0; i < state->n_keys; i++) {
        const ViewKey *key = &state->keys[i];
        int keys = text_columns(key->keys);
        int name = text_columns(key->name);
        int help = text_columns(key->help);
        widths.keys = keys > widths.keys ? keys : widths.keys;
        widths.name = name > widths.name ? name : widths.name;
        widths.help = help > widths.help ? help : widths.help;
    }
    widths.keys = widths.keys > MOST_KEYS ? MOST_KEYS : widths.keys;
    widths.name = widths.name > MOST_NAME ? MOST_NAME : widths.name;
    return widths;
}

static int indent_of(const Widths *widths) {
    return widths->keys + widths->name + 2 * GAP;
}

// One entry; help that is too long goes on below itself. Gives the lines it takes.
static int draw_entry(Canvas *canvas, const ViewKey *key, const Widths *widths, int x, int y,
                      int width) {
    int indent = indent_of(widths);
    int room = width - indent;
    int lines = canvas_paragraph(NULL, (Rect){0, 0, room, 1}, STYLE_TEXT, key->help);
    if (y + lines > 0 && y < canvas->height) {
        canvas_text_in(canvas, x, y, widths->keys, ALIGN_RIGHT, STYLE_KEY, key->keys);
        canvas_text_in(canvas, x + widths->keys + GAP, y, widths->name, ALIGN_LEFT, STYLE_CODE,
                       key->name);
        canvas_paragraph(canvas, (Rect){x + indent, y, room, lines}, STYLE_TEXT, key->help);
    }
    return lines < 1 ? 1 : lines;
}

int view_draw_help(const ViewState *state, Canvas *canvas) {
    Widths widths = widths_of(state);
    int natural = indent_of(&widths) + widths.help + GAP;
    int n_columns = canvas->width / natural;
    n_columns = n_columns < 1 ? 1 : (n_columns > 3 ? 3 : n_columns);
    int width = canvas->width / n_columns - 1;
    int per_column = (state->n_keys + n_columns - 1) / n_columns;
    int most = 0;
    for (int column = 0; column < n_columns; column++) {
        int y = -state->scroll;
        for (int i = column * per_column; i < (column + 1) * per_column && i < state->n_keys; i++) {
            y += draw_entry(canvas, &state->keys[i], &widths, 1 + column * (width + 1), y,
                            width - 1);
        }
        most = y + state->scroll > most ? y + state->scroll : most;
    }
    return most;
}

static bool fits(const ViewState *state) {
    return state->n_keys > 0;
}

static void draw(const ViewState *state, Canvas *canvas) {
    view_draw_help(state, canvas);
}

const View view_help = {
    .name = "help",
    .titles = {"help", "帮助"},
    .needs = {"the help itself: ?", "帮助本身：?"},
    .min_width = 30,
    .min_height = 3,
    .is_whole = true,
    .fits = fits,
    .draw = draw,
};

const char *view_help_title(Language language) {
    return view_help.titles[language];
}
