// view_beam.c - a beam as a tree that grows to the right: what lives after each step and, below it,
// what was dropped, in the order of their scores; what each came from.
#include <stdio.h>
#include <string.h>

#include "views/screen/view_matrix.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum {
    LEAST_NAME = 5,
    LEAST_NUMBER = 6,
    MOST_COLUMN = 26,
    USUAL_TURNS = 3,
    MOST_TURNS = 8,
    FIRST_ROW = 2,
    MOST_RESULTS = 3,
};

typedef struct Layout {
    int turns;      // columns in which lines go up and down, one a parent while there are enough
    int link;       // those, the arrow and a mark
    int digits;     // of a rank
    int column;     // columns of a step with its link
    int first_step; // that shows
    int shown_steps;
    int rows; // one a rank
    int row_pitch;
} Layout;

// One place in a step's list: a hypothesis that lives, or a candidate that was dropped.
typedef struct Entry {
    int parent;
    int32_t id;
    double score;
    bool is_dropped, is_finished, is_best;
} Entry;

static int larger(int a, int b) {
    return a > b ? a : b;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

// ---- where everything stands

// As many dropped ones show as may live, if so many ranks are known; a last row says how many more
// there are.
static int wanted_rows(const Decoding *decoding, const BeamStep *step) {
    int dropped = smaller(step->n_dropped, larger(decoding->width, 2));
    int rows = step->n_hypotheses + dropped;
    return rows + ((size_t)rows < step->n_ranked);
}

// How many entries show in the rows that there are.
static int shown_entries(const Decoding *decoding, const BeamStep *step, int rows) {
    int known = step->n_hypotheses + step->n_dropped;
    rows = smaller(rows, wanted_rows(decoding, step));
    bool is_all = (size_t)known == step->n_ranked && known <= rows;
    return is_all ? known : larger(rows - 1, step->n_hypotheses);
}

static int least_column(const Layout *layout, int turns) {
    return turns + 2 + layout->digits + 1 + LEAST_NAME + LEAST_NUMBER + 1;
}

// The first step that shows needs no lines before it, the last no blank after it.
static int steps_that_fit(const Layout *layout, int turns, int width, int n_steps) {
    int steps = (width + turns + 2) / least_column(layout, turns);
    return smaller(larger(steps, 1), n_steps);
}

static void choose_columns(Layout *layout, const ViewState *state, int width) {
    int n_steps = state->decoding->n_steps;
    int usual = smaller(state->decoding->width, USUAL_TURNS);
    layout->turns = smaller(state->decoding->width, MOST_TURNS);
    layout->shown_steps = steps_that_fit(layout, usual, width, n_steps);
    while (layout->turns > usual &&
           steps_that_fit(layout, layout->turns, width, n_steps) < layout->shown_steps) {
        layout->turns--;
    }
    layout->link = layout->turns + 2;
    layout->column = smaller((width + layout->link) / layout->shown_steps, MOST_COLUMN);
    layout->first_step = larger(n_steps - layout->shown_steps - state->scroll, 0);
}

static int legend_lines(const Decoding *decoding) {
    return decoding->left_out >= 0 ? 3 : 2;
}

static Layout lay_out(const ViewState *state, int width, int height) {
    const Decoding *decoding = state->decoding;
    int kept = 1;
    int wanted = 1;
    for (int i = 0; i < decoding->n_steps; i++) {
        kept = larger(kept, decoding->steps[i].n_hypotheses);
        wanted = larger(wanted, wanted_rows(decoding, &decoding->steps[i]));
    }
    int room = height - FIRST_ROW - legend_lines(decoding) - 1;
    room -= smaller(decoding->n_best, MOST_RESULTS);
    room = larger(room, kept);
    Layout layout = {.rows = smaller(wanted, room)};
    layout.row_pitch = smaller(larger(room / layout.rows, 1), 3);
    layout.digits = layout.rows >= 10 ? 2 : 1;
    choose_columns(&layout, state, width);
    return layout;
}

static int row_of(const Layout *layout, int i) {
    return FIRST_ROW + i * layout->row_pitch;
}

// ---- what came from what

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

static Entry entry_of(const Decoding *decoding, int number, int i) {
    const BeamStep *step = &decoding->steps[number];
    if (i >= step->n_hypotheses) {
        const BeamDropped *dropped = &step->dropped[i - step->n_hypotheses];
        const Hypothesis *parent = &(step - 1)->hypotheses[dropped->parent];
        bool has_ended = dropped->id < 0;
        return (Entry){.parent = dropped->parent,
                       .id = has_ended ? parent->ids[parent->n_ids - 1] : dropped->id,
                       .score = dropped->score,
                       .is_finished = has_ended,
                       .is_dropped = true};
    }
    const Hypothesis *hypothesis = &step->hypotheses[i];
    Entry entry = {.id = hypothesis->ids[hypothesis->n_ids - 1],
                   .score = hypothesis->score,
                   .is_finished = hypothesis->is_finished};
    entry.parent = number > 0 ? parent_of(step - 1, hypothesis) : 0;
    entry.is_best = decoding->n_best > 0 && begins_with(&decoding->best[0], hypothesis);
    return entry;
}

// ---- drawing

enum { LINE_UP = 1, LINE_DOWN = 2, LINE_LEFT = 4, LINE_RIGHT = 8, LINE_ALL = 15 };

static const char *line_glyph(int ways, bool ascii) {
    static const char *const LINES[LINE_ALL + 1] = {" ", "│", "│", "│", "─", "┘", "┐", "┤",
                                                    "─", "└", "┌", "├", "─", "┴", "┬", "┼"};
    if (!ascii) {
        return LINES[ways];
    }
    bool is_down = (ways & (LINE_LEFT | LINE_RIGHT)) == 0;
    bool is_across = (ways & (LINE_UP | LINE_DOWN)) == 0;
    return is_down ? "|" : (is_across ? "-" : "+");
}

// A piece of a line, joined to what lines are there.
static void put_line(Canvas *canvas, int x, int y, int ways) {
    const Cell *cell = canvas_cell(canvas, x, y);
    int there = LINE_ALL;
    while (there > 0 &&
           (cell == NULL || strcmp(cell->glyph, line_glyph(there, canvas->ascii)) != 0)) {
        there--;
    }
    canvas_text(canvas, x, y, STYLE_BORDER, line_glyph(ways | there, canvas->ascii));
}

// From the parent's row across, down or up in a column of the parent's own, to this row.
static void draw_link(Canvas *canvas, const Layout *layout, int x, int parent, int to) {
    int from = row_of(layout, parent);
    int turn = x + layout->turns - 1 - parent % layout->turns;
    int arrow = x + layout->link - 2;
    for (int i = x; i < turn; i++) {
        put_line(canvas, i, from, LINE_LEFT | LINE_RIGHT);
    }
    for (int y = smaller(from, to) + 1; y < larger(from, to); y++) {
        put_line(canvas, turn, y, LINE_UP | LINE_DOWN);
    }
    if (from == to) {
        put_line(canvas, turn, from, LINE_LEFT | LINE_RIGHT);
    } else {
        put_line(canvas, turn, from, LINE_LEFT | (from < to ? LINE_DOWN : LINE_UP));
        put_line(canvas, turn, to, LINE_RIGHT | (from < to ? LINE_UP : LINE_DOWN));
    }
    for (int i = turn + 1; i < arrow; i++) {
        put_line(canvas, i, to, LINE_LEFT | LINE_RIGHT);
    }
    canvas_text(canvas, arrow, to, STYLE_BORDER, "▸");
}

// "*1 dog  -0.0044", "×3 eat  -6.9281": a mark, the rank, the token, the score.
static void draw_entry(const ViewState *state, Canvas *canvas, const Layout *layout, int x, int y,
                       int rank, const Entry *entry) {
    char token[VIEW_TOKEN_BYTES];
    char text[VIEW_TOKEN_BYTES + 8];
    char number[VIEW_NUMBER_BYTES];
    view_token(state, entry->id, token);
    snprintf(text, sizeof text, "%s%s", token, entry->is_finished ? "■" : "");
    Style style = entry->is_best ? STYLE_GOOD : (entry->is_dropped ? STYLE_DIM : STYLE_TEXT);
    const char *mark = entry->is_best ? "*" : (entry->is_dropped ? "×" : " ");
    canvas_text(canvas, x + layout->link - 1, y, style, mark);
    canvas_format(canvas, x + layout->link, y, STYLE_DIM, "%d", rank);
    int name = x + layout->link + layout->digits + 1;
    int spare = layout->column - least_column(layout, layout->turns);
    int digits = LEAST_NUMBER + (spare > 0) + (spare > 2);
    int columns = x + layout->column - 1 - name - digits;
    canvas_text_in(canvas, name, y, columns, ALIGN_LEFT, style, text);
    canvas_text_in(canvas, name + columns, y, digits, ALIGN_RIGHT,
                   entry->is_dropped ? STYLE_DIM : STYLE_NUMBER,
                   view_number_text(entry->score, digits - 1, number));
}

static void draw_step(const ViewState *state, Canvas *canvas, const Layout *layout, int number,
                      int x) {
    const Decoding *decoding = state->decoding;
    const BeamStep *step = &decoding->steps[number];
    int n = shown_entries(decoding, step, layout->rows);
    char digits[24];
    char text[64];
    snprintf(digits, sizeof digits, "%d", number);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_STEP), digits, NULL,
                   NULL);
    canvas_text(canvas, x + layout->link - 1, 0, STYLE_HEADING, text);
    for (int i = 0; i < n; i++) {
        Entry entry = entry_of(decoding, number, i);
        if (number > layout->first_step) {
            draw_link(canvas, layout, x, entry.parent, row_of(layout, i));
        }
        draw_entry(state, canvas, layout, x, row_of(layout, i), i + 1, &entry);
    }
    if ((size_t)n < step->n_ranked && n < layout->rows) {
        snprintf(digits, sizeof digits, "%zu", step->n_ranked - (size_t)n);
        view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_MORE), digits, NULL,
                       NULL);
        canvas_format(canvas, x + layout->link - 1, row_of(layout, n), STYLE_DIM, "× %s", text);
    }
}

static void draw_legend(const ViewState *state, Canvas *canvas, int y) {
    const Decoding *decoding = state->decoding;
    char width[16];
    char text[160];
    int x = canvas_format(canvas, 1, y, STYLE_DIM, "%s = log p",
                          view_text(state->language, VIEW_TEXT_SCORE));
    if (decoding->alpha != 0.0F) {
        x = canvas_format(canvas, x, y, STYLE_DIM, " / ((5 + n) / 6)^%g", (double)decoding->alpha);
    }
    canvas_format(canvas, x + 2, y, STYLE_DIM, "* %s  ■ %s",
                  view_text(state->language, VIEW_TEXT_BEST),
                  view_text(state->language, VIEW_TEXT_FINISHED));
    snprintf(width, sizeof width, "%d", decoding->width);
    canvas_format(canvas, 1, y + 1, STYLE_DIM, "× %s",
                  view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_DROPPED),
                                 width, NULL, NULL));
    if (decoding->left_out >= 0) {
        char token[VIEW_TOKEN_BYTES];
        view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_LEFT_OUT),
                       view_token(state, decoding->left_out, token), NULL, NULL);
        canvas_text(canvas, 1, y + 2, STYLE_DIM, text);
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
        draw_step(state, canvas, &layout, layout.first_step + i,
                  1 - layout.link + i * layout.column);
    }
    int y = row_of(&layout, layout.rows - 1) + 1 + (layout.row_pitch > 1);
    draw_legend(state, canvas, y);
    draw_results(state, canvas, y + legend_lines(state->decoding));
}

static int back(const ViewState *state, int width, int height) {
    ViewState newest = *state;
    newest.scroll = 0;
    return lay_out(&newest, width, height).first_step;
}

const View view_beam = {.name = "beam",
                        .titles = {"beam", "束搜索"},
                        .needs = {"a beam: :beam 2", "一次束搜索：:beam 2"},
                        .min_width = 40,
                        .min_height = 6,
                        .fits = fits,
                        .back = back,
                        .draw = draw,
                        .subject = VIEW_OF_BEAM,
                        .is_passing = true,
                        .spoken = VIEW_SPOKEN_LINES};
