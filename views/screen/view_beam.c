// view_beam.c - a beam as a tree that grows to the right: what lives after each step, what it came
// from, its log probability.
#include <stdio.h>
#include <string.h>

#include "views/screen/view_matrix.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { COLUMN = 24, LINK = 6, LEAST_COLUMN = 16 };

typedef struct Layout {
    int column;     // columns of a step
    int first_step; // that shows
    int shown_steps;
    int row_pitch;
} Layout;

static int widest_step(const Decoding *decoding) {
    int widest = 1;
    for (int i = 0; i < decoding->n_steps; i++) {
        int n = decoding->steps[i].n_hypotheses;
        widest = n > widest ? n : widest;
    }
    return widest;
}

static Layout lay_out(const ViewState *state, int width, int height) {
    const Decoding *decoding = state->decoding;
    Layout layout = {.column = COLUMN};
    layout.shown_steps = width / layout.column;
    if (layout.shown_steps < decoding->n_steps) {
        layout.column = LEAST_COLUMN;
        layout.shown_steps = width / layout.column;
    }
    layout.shown_steps = layout.shown_steps < 1 ? 1 : layout.shown_steps;
    if (layout.shown_steps > decoding->n_steps) {
        layout.shown_steps = decoding->n_steps;
    }
    layout.first_step = decoding->n_steps - layout.shown_steps - state->scroll;
    layout.first_step = layout.first_step < 0 ? 0 : layout.first_step;
    int pitch = (height - 6) / widest_step(decoding);
    layout.row_pitch = pitch > 3 ? 3 : (pitch < 1 ? 1 : pitch);
    return layout;
}

static bool begins_with(const Hypothesis *whole, const Hypothesis *start) {
    return start->n_ids <= whole->n_ids &&
           memcmp(whole->ids, start->ids, (size_t)start->n_ids * sizeof *start->ids) == 0;
}

// Which hypothesis of the step before this one goes on from.
static int parent_of(const BeamStep *before, const Hypothesis *hypothesis) {
    int found = 0;
    int longest = -1;
    for (int i = 0; i < before->n_hypotheses; i++) {
        const Hypothesis *start = &before->hypotheses[i];
        if (begins_with(hypothesis, start) && start->n_ids > longest) {
            found = i;
            longest = start->n_ids;
        }
    }
    return found;
}

static int row_of(const Layout *layout, int i) {
    return 2 + i * layout->row_pitch;
}

// A piece of a line; where it crosses another both go on.
static void put_line(Canvas *canvas, int x, int y, bool is_down) {
    const Cell *cell = canvas_cell(canvas, x, y);
    const char *across = canvas->ascii ? "-" : "─";
    const char *down = canvas->ascii ? "|" : "│";
    bool crosses = cell != NULL && strcmp(cell->glyph, is_down ? across : down) == 0;
    const char *glyph = is_down ? down : across;
    canvas_text(canvas, x, y, STYLE_BORDER, crosses ? (canvas->ascii ? "+" : "┼") : glyph);
}

// From the parent's row across, down or up in a column of the parent's own, to this row.
static void draw_link(Canvas *canvas, int x, int parent, int from, int to) {
    bool ascii = canvas->ascii;
    int turn = x + LINK - 3 - parent % (LINK - 3);
    for (int i = x; i < turn; i++) {
        put_line(canvas, i, from, false);
    }
    for (int i = turn + 1; i < x + LINK - 1; i++) {
        put_line(canvas, i, to, false);
    }
    int top = from < to ? from : to;
    int bottom = from < to ? to : from;
    for (int y = top + 1; y < bottom; y++) {
        put_line(canvas, turn, y, true);
    }
    if (from == to) {
        put_line(canvas, turn, from, false);
    } else {
        canvas_text(canvas, turn, from, STYLE_BORDER, ascii ? "+" : (from < to ? "┐" : "┘"));
        canvas_text(canvas, turn, to, STYLE_BORDER, ascii ? "+" : (from < to ? "└" : "┌"));
    }
    canvas_text(canvas, x + LINK - 2, to, STYLE_BORDER, "▸");
}

static bool is_on_best_way(const Decoding *decoding, const Hypothesis *hypothesis) {
    return decoding->n_best > 0 && begins_with(&decoding->best[0], hypothesis);
}

static void draw_hypothesis(const ViewState *state, Canvas *canvas, const Layout *layout, int x,
                            int y, const Hypothesis *hypothesis) {
    char token[VIEW_TOKEN_BYTES];
    bool is_best = is_on_best_way(state->decoding, hypothesis);
    view_token(state, hypothesis->ids[hypothesis->n_ids - 1], token);
    Style style = is_best ? STYLE_GOOD : STYLE_TEXT;
    int room = layout->column - LINK;
    char text[VIEW_TOKEN_BYTES + 8];
    snprintf(text, sizeof text, "%s%s%s", is_best ? "*" : "", token,
             hypothesis->is_finished ? " ■" : "");
    int name = room - 9 < 4 ? room : room - 9;
    canvas_text_in(canvas, x, y, name, ALIGN_LEFT, style, text);
    if (name < room) {
        char number[VIEW_NUMBER_BYTES];
        canvas_text_in(canvas, x + name, y, 8, ALIGN_RIGHT, STYLE_NUMBER,
                       view_number_text(hypothesis->log_probability, 8, number));
    }
}

static void draw_step(const ViewState *state, Canvas *canvas, const Layout *layout, int number,
                      int x) {
    const BeamStep *step = &state->decoding->steps[number];
    char digits[16];
    char text[48];
    snprintf(digits, sizeof digits, "%d", number);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_STEP), digits, NULL,
                   NULL);
    canvas_text(canvas, x + LINK, 0, STYLE_HEADING, text);
    for (int i = step->n_hypotheses - 1; i >= 0 && number > layout->first_step; i--) {
        int parent = parent_of(&state->decoding->steps[number - 1], &step->hypotheses[i]);
        draw_link(canvas, x, parent, row_of(layout, parent), row_of(layout, i));
    }
    for (int i = 0; i < step->n_hypotheses; i++) {
        draw_hypothesis(state, canvas, layout, x + LINK, row_of(layout, i), &step->hypotheses[i]);
    }
}

// The finished sentences with their scores.
static void draw_results(const ViewState *state, Canvas *canvas, int y) {
    const Decoding *decoding = state->decoding;
    for (int i = 0; i < decoding->n_best && y + i < canvas->height; i++) {
        const Hypothesis *hypothesis = &decoding->best[i];
        char number[VIEW_NUMBER_BYTES];
        int x = canvas_format(canvas, 1, y + i, i == 0 ? STYLE_GOOD : STYLE_TEXT, "%s %s %8s  ",
                              i == 0 ? "*" : " ", view_text(state->language, VIEW_TEXT_SCORE),
                              view_number_text(hypothesis->score, 8, number));
        for (int t = 0; t < hypothesis->n_ids; t++) {
            char token[VIEW_TOKEN_BYTES];
            x = canvas_text(canvas, x, y + i, i == 0 ? STYLE_GOOD : STYLE_TEXT,
                            view_token(state, hypothesis->ids[t], token)) +
                1;
        }
    }
}

static bool fits(const ViewState *state) {
    return state->decoding != NULL && state->decoding->n_steps > 0;
}

static void draw(const ViewState *state, Canvas *canvas) {
    Layout layout = lay_out(state, canvas->width, canvas->height);
    for (int i = 0; i < layout.shown_steps; i++) {
        draw_step(state, canvas, &layout, layout.first_step + i, i * layout.column);
    }
    int y = row_of(&layout, widest_step(state->decoding)) + 1;
    canvas_format(canvas, 1, y - 1, STYLE_DIM, "■ %s   * %s   log p",
                  view_text(state->language, VIEW_TEXT_FINISHED),
                  view_text(state->language, VIEW_TEXT_BEST));
    draw_results(state, canvas, y);
}

const View view_beam = {
    .name = "beam",
    .titles = {"beam", "束搜索"},
    .min_width = 40,
    .min_height = 6,
    .fits = fits,
    .draw = draw,
};
