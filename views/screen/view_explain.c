// view_explain.c - why a cell has its value: formula, operands, result, where it comes from.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/tape/op.h"
#include "views/formulas.h"
#include "views/screen/view_line.h"
#include "views/screen/view_texts.h"
#include "engine/base/plain_nan.h"

enum { SHOWN_SOURCES = 3 };

typedef struct Panel {
    Canvas *canvas; // NULL: measures
    int width;
    int y;
} Panel;

static void put(Panel *panel, int indent, Style style, const char *text) {
    if (text[0] == '\0') {
        return;
    }
    // the canvas cuts off, and counts, what lies below it
    Rect rect = {indent, panel->y, panel->width - indent, 1 << 14};
    panel->y += canvas_paragraph(panel->canvas, rect, style, text);
}

static void put_formula(Panel *panel, const ViewState *state, const Explanation *explanation) {
    char line[FORMULA_BYTES];
    OpKind op = explanation->node->op;
    put(panel, 0, STYLE_DIM, formula_line(op, explanation->formula, state->language, line));
}

static void put_step(Panel *panel, const ViewState *state, const Explanation *explanation,
                     const ExplainStep *step) {
    ViewLine line = {.length = 0};
    bool is_result = step->name[0] == '\0';
    if (is_result) {
        view_line_cell(&line, explanation->node, explanation->element);
        view_line_tokens(&line, state, explanation->node, explanation->element);
    } else {
        view_line_text(&line, step->name);
    }
    view_line_text(&line, " = ");
    view_line_expr(&line, step->value);
    if (step->value->n_terms > 0) {
        view_line_text(&line, " ≈ ");
        view_line_number(&line, step->value->value, 7);
    }
    put(panel, 0, is_result ? STYLE_STRONG : STYLE_CODE, line.text);
}

// The value as the engine holds it, all its digits.
static void put_value(Panel *panel, const ViewState *state, const Explanation *explanation) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.9g", plain_nan((double)explanation->stored));
    ViewLine line = {.length = 0};
    if (explain_is_given(explanation)) {
        view_line_cell(&line, explanation->node, explanation->element);
        view_line_tokens(&line, state, explanation->node, explanation->element);
        view_line_text(&line, " ");
    }
    view_line_text(&line, "= ");
    view_line_text(&line, isinf(explanation->stored) ? "-inf" : digits);
    const char *note = sentence_for_note(explanation->note, state->language);
    if (note[0] != '\0') {
        view_line_text(&line, "   ");
        view_line_text(&line, note);
    }
    put(panel, 2, STYLE_NUMBER, line.text);
}

// The heaviest of the prepared cells, without sorting them again: SHOWN_SOURCES passes.
static void put_sources(Panel *panel, const ViewState *state) {
    const ViewWorkspace *workspace = state->workspace;
    if (workspace == NULL || workspace->n_sources == 0 || explain_is_given(state->explanation)) {
        return;
    }
    ViewLine line = {.length = 0};
    view_line_text(&line, view_text(state->language, VIEW_TEXT_FROM));
    int taken[SHOWN_SOURCES];
    int n = 0;
    while (n < SHOWN_SOURCES && n < workspace->n_sources) {
        int best = -1;
        for (int i = 0; i < workspace->n_sources; i++) {
            bool is_taken = false;
            for (int k = 0; k < n; k++) {
                is_taken = is_taken || taken[k] == i;
            }
            bool is_better =
                best < 0 || workspace->sources[i].weight > workspace->sources[best].weight;
            best = !is_taken && is_better ? i : best;
        }
        const ExplainCell *cell = &workspace->sources[best];
        view_line_text(&line, n == 0 ? " " : ", ");
        view_line_cell(&line, cell->node, cell->element);
        view_line_text(&line, " ");
        if (cell->is_statistic) {
            view_line_text(&line, view_text(state->language, VIEW_TEXT_STATISTICS));
        } else if (node_holds_ids(cell->node)) {
            view_line_int(&line, tape_ids(state->tape, cell->node)[cell->element]);
        } else {
            view_line_number(&line, tape_number(state->tape, cell->node, cell->element), 7);
        }
        taken[n++] = best;
    }
    if (workspace->n_all_sources > n) {
        char more[16];
        char text[64];
        snprintf(more, sizeof more, "%d", workspace->n_all_sources - n);
        view_line_text(&line, ", ");
        view_line_text(&line,
                       view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_MORE),
                                      more, NULL, NULL));
    }
    put(panel, 0, STYLE_DIM, line.text);
}

int view_draw_explanation(const ViewState *state, Canvas *canvas, int width) {
    const Explanation *explanation = state->explanation;
    Panel panel = {.canvas = canvas, .width = width};
    if (explanation == NULL || explanation->node == NULL || state->is_beside) {
        return 0;
    }
    // the cell itself first, so that it shows where there is little room; then what it refers to
    bool is_given = explain_is_given(explanation); // "w = w" says nothing
    int last = explanation->n_steps - 1;
    if (!is_given) {
        put_step(&panel, state, explanation, &explanation->steps[last]);
    }
    put_value(&panel, state, explanation);
    for (int i = 0; i < last && !is_given; i++) {
        put_step(&panel, state, explanation, &explanation->steps[i]);
    }
    put_sources(&panel, state);
    put_formula(&panel, state, explanation);
    return panel.y;
}

static bool fits(const ViewState *state) {
    return state->explanation != NULL && state->explanation->node != NULL;
}

static void draw(const ViewState *state, Canvas *canvas) {
    Canvas inside = canvas_part(canvas, (Rect){1, 0, canvas->width - 2, canvas->height});
    Canvas *part = &inside;
    Panel panel = {.canvas = part, .width = inside.width};
    put(&panel, 0, STYLE_TEXT, sentence_for_node(state->explanation->node, state->language));
    Canvas rest = canvas_part(&inside, (Rect){0, panel.y + 1, inside.width, inside.height - 1});
    view_draw_explanation(state, &rest, rest.width);
}

const View view_explain = {.name = "why",
                           .titles = {"why", "为什么"},
                           .needs = {"a number that is explained: a stage that has run",
                                     "一个有解释的数：一个已经算出的步骤"},
                           .min_width = 20,
                           .min_height = 4,
                           .fits = fits,
                           .leaves_room = true,
                           .draw = draw,
                           .subject = VIEW_OF_ARITHMETIC,
                           .spoken = VIEW_SPOKEN_LINES};
