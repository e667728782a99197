// view_predictions.c - the likeliest next tokens, and how one is drawn: logits, temperature, top-k,
// top-p, the draw.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/screen/view_line.h"
#include "views/screen/view_private.h"
#include "engine/playground/view_sampling.h"
#include "views/screen/view_texts.h"

enum { TOKEN_COLUMNS = 10, NUMBER_COLUMNS = 9, BAR_COLUMNS = 16 };

// The row of logits at the cursor's item and position.
typedef struct Row {
    const Node *logits;
    int item, position;
} Row;

static Row row_of(const ViewState *state) {
    Row row = {.logits = state->nodes == NULL ? NULL : state->nodes->logits};
    const Node *node = state->node;
    if (row.logits == NULL || node == NULL || shape_rank(&row.logits->shape) != 3) {
        return (Row){NULL, 0, 0};
    }
    int indices[SHAPE_MAX_RANK] = {0};
    shape_indices(&node->shape, state->element, indices);
    const int *sizes = row.logits->shape.sizes;
    bool is_like = shape_rank(&node->shape) >= 2 && node->shape.sizes[0] == sizes[0] &&
                   node->shape.sizes[1] == sizes[1];
    row.item = is_like ? indices[0] : 0;
    row.position = is_like ? indices[1] : sizes[1] - 1;
    return row;
}

static const float *values_of(const Row *row) {
    assert(row->logits != NULL); // or the view does not fit
    const int indices[SHAPE_MAX_RANK] = {row->item, row->position, 0};
    return row->logits->data + shape_flat(&row->logits->shape, indices);
}

// ---- columns of the table

typedef struct Columns {
    bool has_temperature, has_draw;
    int bar_x; // -1: no room for bars
} Columns;

static Columns columns_of(const ViewState *state, int width) {
    Columns columns = {.bar_x = -1};
    const ViewSampling *options = state->sampling;
    columns.has_temperature = options != NULL && options->temperature > 0.0F;
    columns.has_draw = columns.has_temperature && options->has_draw;
    int used = TOKEN_COLUMNS + 3 + NUMBER_COLUMNS * (2 + 2 * columns.has_temperature) +
               (columns.has_draw ? 18 : 0);
    if (used + BAR_COLUMNS + 1 <= width) {
        columns.bar_x = used + 1;
    }
    return columns;
}

static void put_number(Canvas *canvas, int x, int y, Style style, double value) {
    char text[VIEW_NUMBER_BYTES];
    canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, style,
                   view_number_text(value, NUMBER_COLUMNS - 2, text));
}

static void draw_heading(const ViewState *state, Canvas *canvas, int y, const Columns *columns) {
    const Language language = state->language;
    int x = TOKEN_COLUMNS + 3;
    canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM,
                   view_text(language, VIEW_TEXT_LOGIT));
    x += NUMBER_COLUMNS;
    canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM,
                   view_text(language, VIEW_TEXT_PROBABILITY));
    x += NUMBER_COLUMNS;
    if (columns->has_temperature) {
        char text[32];
        snprintf(text, sizeof text, "T %.3g", (double)state->sampling->temperature);
        canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM, text);
        x += NUMBER_COLUMNS;
        canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM,
                       view_text(language, VIEW_TEXT_KEPT));
        x += NUMBER_COLUMNS;
    }
    if (columns->has_draw) {
        canvas_text_in(canvas, x, y, 17, ALIGN_RIGHT, STYLE_DIM,
                       view_text(language, VIEW_TEXT_BINS));
    }
}

static void draw_bar(Canvas *canvas, int x, int y, double part, Style style) {
    int room = canvas->width - x - 1;
    room = room > 2 * BAR_COLUMNS ? 2 * BAR_COLUMNS : room;
    int length = (int)lround(part * room);
    for (int i = 0; i < room; i++) {
        canvas_text(canvas, x + i, y, i < length ? style : STYLE_DIM, i < length ? "█" : "·");
    }
}

static void draw_candidate(const ViewState *state, Canvas *canvas, int y, const Columns *columns,
                           const Candidate *candidate, bool is_chosen) {
    char token[VIEW_TOKEN_BYTES];
    bool is_out = columns->has_temperature && !candidate->in_top_p;
    Style style = is_out ? STYLE_DIM : (is_chosen ? STYLE_GOOD : STYLE_NUMBER);
    canvas_text(canvas, 0, y, STYLE_GOOD, is_chosen ? "▸" : " ");
    canvas_text_in(canvas, 2, y, TOKEN_COLUMNS, ALIGN_LEFT, is_out ? STYLE_DIM : STYLE_KEY_LABEL,
                   view_token(state, candidate->id, token));
    int x = TOKEN_COLUMNS + 3;
    put_number(canvas, x, y, style, candidate->logit);
    x += NUMBER_COLUMNS;
    put_number(canvas, x, y, style, candidate->probability);
    x += NUMBER_COLUMNS;
    if (columns->has_temperature) {
        const char *why = candidate->in_top_k ? "✗ top-p" : "✗ top-k";
        if (candidate->in_top_k) {
            put_number(canvas, x, y, style, candidate->heated);
        }
        x += NUMBER_COLUMNS;
        if (is_out) {
            canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM, why);
        } else {
            put_number(canvas, x, y, style, candidate->kept);
        }
        x += NUMBER_COLUMNS;
    }
    if (columns->has_draw && !is_out) {
        canvas_format(canvas, x, y, style, "%8.4f-%.4f", candidate->bin_low, candidate->bin_up);
    }
    if (columns->bar_x >= 0) {
        double part = columns->has_temperature ? candidate->kept : candidate->probability;
        draw_bar(canvas, columns->bar_x, y, part, is_chosen ? STYLE_GOOD : STYLE_FORWARD);
    }
}

// ---- the arithmetic of the chosen one

static void write_softmax(ViewLine *line, const Sampling *sampling, const Candidate *candidate) {
    view_line_text(line, "exp(");
    view_line_number(line, candidate->logit, 7);
    view_line_text(line, ") / Σ exp = exp(");
    view_line_number(line, candidate->logit, 7);
    view_line_text(line, " - ");
    view_line_number(line, sampling->log_sum, 7);
    view_line_text(line, ") = ");
    view_line_number(line, candidate->probability, 7);
}

static void write_choice(ViewLine *line, const ViewState *state, const Sampling *sampling,
                         const Candidate *candidate) {
    char token[VIEW_TOKEN_BYTES];
    char text[160];
    view_token(state, candidate->id, token);
    const ViewSampling *options = state->sampling;
    if (options == NULL || options->temperature <= 0.0F) {
        view_line_text(line, view_text_fill(text, sizeof text,
                                            view_text(state->language, VIEW_TEXT_GREEDY), token,
                                            NULL, NULL));
        return;
    }
    view_line_number(line, candidate->heated, 7);
    view_line_text(line, " / ");
    view_line_number(line, sampling->kept_sum, 7);
    view_line_text(line, " = ");
    view_line_number(line, candidate->kept, 7);
    if (options->has_draw) {
        char u[24];
        snprintf(u, sizeof u, "%.4f", options->u);
        view_line_text(line, "   ");
        view_line_text(line,
                       view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_DRAW),
                                      u, token, NULL));
    }
}

static void draw_arithmetic(const ViewState *state, Canvas *canvas, int y,
                            const Sampling *sampling) {
    if (sampling->chosen < 0) {
        return;
    }
    const Candidate *candidate = &sampling->candidates[sampling->chosen];
    char token[VIEW_TOKEN_BYTES];
    ViewLine line = {.length = 0};
    view_line_text(&line, view_token(state, candidate->id, token));
    view_line_text(&line, ": ");
    write_softmax(&line, sampling, candidate);
    Rect rect = {1, y, canvas->width - 2, canvas->height - y};
    int used = canvas_paragraph(canvas, rect, STYLE_CODE, line.text);
    line.length = 0;
    line.text[0] = '\0';
    write_choice(&line, state, sampling, candidate);
    rect.y += used;
    rect.height -= used;
    canvas_paragraph(canvas, rect, STYLE_STRONG, line.text);
}

// ---- the view

static bool fits(const ViewState *state) {
    Row row = row_of(state);
    bool is_near = state->node != NULL &&
                   (state->node->role == ROLE_LOGITS ||
                    state->node->role == ROLE_LOG_PROBABILITIES || state->sampling != NULL);
    return is_near && row.logits != NULL &&
           (state->stepper == NULL || stepper_is_valid(state->stepper, row.logits));
}

static void draw_question(const ViewState *state, Canvas *canvas, const Row *row) {
    char position[16];
    char token[VIEW_TOKEN_BYTES];
    char text[160];
    snprintf(position, sizeof position, "%d", row->position);
    view_index_token(state, row->logits, 1, row->item, row->position, token);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_PREDICTS), position,
                   token, NULL);
    canvas_text(canvas, 1, 0, STYLE_HEADING, text);
}

// Which of all candidates show: rows that fit, as far as there is something to see.
static int rows_that_show(const Sampling *sampling, int height) {
    int rows = height - 6;
    rows = rows < 1 ? 1 : rows;
    return rows < sampling->n_candidates ? rows : sampling->n_candidates;
}

static void draw(const ViewState *state, Canvas *canvas) {
    Sampling sampling;
    Row row = row_of(state);
    sampling_make(&sampling, values_of(&row), shape_width(&row.logits->shape), state->sampling);
    Columns columns = columns_of(state, canvas->width);
    draw_question(state, canvas, &row);
    draw_heading(state, canvas, 1, &columns);
    int shown = rows_that_show(&sampling, canvas->height);
    for (int i = 0; i < shown; i++) {
        draw_candidate(state, canvas, 2 + i, &columns, &sampling.candidates[i],
                       i == sampling.chosen);
    }
    int left = sampling.V - shown;
    if (left > 0) {
        char number[16];
        char text[64];
        snprintf(number, sizeof number, "%d", left);
        view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_MORE), number, NULL,
                       NULL);
        canvas_text(canvas, 2, 2 + shown, STYLE_DIM, text);
    }
    const ViewSampling *options = state->sampling;
    if (columns.has_temperature) {
        canvas_format(canvas, 20, 2 + shown, STYLE_DIM, "top-k %d   top-p %.3g", options->top_k,
                      (double)options->top_p);
    }
    draw_arithmetic(state, canvas, 3 + shown, &sampling);
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    (void)x;
    (void)width;
    Sampling sampling;
    Row row = row_of(state);
    sampling_make(&sampling, values_of(&row), shape_width(&row.logits->shape), state->sampling);
    int i = y - 2;
    if (i < 0 || i >= rows_that_show(&sampling, height)) {
        return false;
    }
    const int indices[SHAPE_MAX_RANK] = {row.item, row.position, sampling.candidates[i].id};
    *node = row.logits;
    *element = shape_flat(&row.logits->shape, indices);
    return true;
}

const View view_predictions = {
    .name = "predictions",
    .titles = {"predictions", "预测"},
    .min_width = 34,
    .min_height = 8,
    .fits = fits,
    .draw = draw,
    .hit = hit,
};
