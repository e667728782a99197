// view_predictions.c - the likeliest next tokens, and how one is drawn: logits, temperature, top-k,
// top-p, the draw.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/screen/view_line.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { TOKEN_COLUMNS = 10, NUMBER_COLUMNS = 9, BAR_COLUMNS = 16, MOST_CANDIDATES = 256 };

// The row of logits at the cursor's item and position.
typedef struct Row {
    const Tape *tape;
    const Node *logits;
    int item, position;
} Row;

static Row row_of(const ViewState *state) {
    Row row = {.tape = state->tape, .logits = state->nodes == NULL ? NULL : state->nodes->logits};
    const Node *node = state->node;
    if (row.logits == NULL || node == NULL || shape_rank(&row.logits->shape) != 3) {
        return (Row){.logits = NULL};
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
    return tape_values(row->tape, row->logits) + shape_flat(&row->logits->shape, indices);
}

// ---- what is drawn from the row

// What is kept from frame to frame: the next token after the cursor's position.
typedef struct Next {
    Sampler sampler; // of that row of logits; V 0: none
    bool has_draw;   // its u is that of a draw
} Next;

static void *open_next(void) {
    return calloc(1, sizeof(Next));
}

static void close_next(void *own) {
    Next *next = own;
    sampler_free(&next->sampler);
    free(next);
}

static const Sampler *sampler_of(const ViewState *state) {
    const Next *next = state->own;
    return next != NULL && next->sampler.V > 0 ? &next->sampler : NULL;
}

static bool is_drawn(const ViewState *state) {
    const Next *next = state->own;
    return next != NULL && next->has_draw;
}

static SamplingConfig config_of(const ViewState *state) {
    SamplingConfig greedy = sampling_defaults();
    greedy.temperature = 0.0;
    return state->sampling != NULL ? *state->sampling : greedy;
}

// The token that stands after the row's, -1: none.
static int32_t token_after(const ViewState *state, const Row *row) {
    const Node *tokens = state->nodes->tokens;
    int T = row->logits->shape.sizes[1];
    return row->position + 1 < T ? tape_ids(row->tape, tokens)[row->item * T + row->position + 1]
                                 : -1;
}

static void choose(Sampler *sampler, const Row *row, double u) {
    sampler_choose(sampler, values_of(row), NULL, 0, u, MOST_CANDIDATES);
}

// A draw shows where one was made: where the token behind it is another, the settings were others.
static void prepare(void *own, const ViewState *state) {
    Next *next = own;
    Row row = row_of(state);
    Error ignored = {""};
    Sampler *sampler = &next->sampler;
    next->has_draw = false;
    int V = row.logits == NULL ? 0 : shape_width(&row.logits->shape);
    SamplingConfig config = config_of(state);
    if (sampler->V != V) {
        sampler_free(sampler);
    }
    if (V == 0 || (sampler->V == 0 && !sampler_init(sampler, &config, V, &ignored))) {
        return;
    }
    sampler->config = config;
    int step = state->first_draw < 0 ? -1 : row.position - state->first_draw;
    if (step >= 0 && !sampling_is_greedy(&config)) {
        choose(sampler, &row, sampling_u(config.seed, (uint64_t)step));
        int32_t after = token_after(state, &row);
        next->has_draw = after < 0 || after == sampler->candidates[sampler->chosen].id;
    }
    if (!next->has_draw) {
        choose(sampler, &row, 0.0);
    }
}

// ---- columns of the table

typedef struct Columns {
    bool has_temperature, has_draw;
    int bar_x; // -1: no room for bars
} Columns;

static Columns columns_of(const ViewState *state, int width) {
    Columns columns = {.bar_x = -1};
    columns.has_temperature = state->sampling != NULL && !sampling_is_greedy(state->sampling);
    columns.has_draw = columns.has_temperature && is_drawn(state);
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
        snprintf(text, sizeof text, "T %.3g", state->sampling->temperature);
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

// Where the bin of a candidate begins.
static double bin_low(const Sampler *sampler, int i) {
    return i > 0 ? sampler->candidates[i - 1].end : 0.0;
}

// What the temperature made of the candidate, and what is left of it. Gives the column behind.
static int draw_heated(Canvas *canvas, int x, int y, const Sampler *sampler, int i, Style style) {
    const SamplingCandidate *candidate = &sampler->candidates[i];
    bool is_in_top_k = i < sampler->n_after_top_k;
    if (is_in_top_k) {
        put_number(canvas, x, y, style, candidate->probability);
    }
    x += NUMBER_COLUMNS;
    if (i < sampler->n_kept) {
        put_number(canvas, x, y, style, candidate->share);
    } else {
        canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM,
                       is_in_top_k ? "✗ top-p" : "✗ top-k");
    }
    return x + NUMBER_COLUMNS;
}

static void draw_candidate(const ViewState *state, Canvas *canvas, int y, const Columns *columns,
                           int i) {
    const Sampler *sampler = sampler_of(state);
    const SamplingCandidate *candidate = &sampler->candidates[i];
    char token[VIEW_TOKEN_BYTES];
    bool is_chosen = i == sampler->chosen;
    bool is_out = columns->has_temperature && i >= sampler->n_kept;
    Style style = is_out ? STYLE_DIM : (is_chosen ? STYLE_GOOD : STYLE_NUMBER);
    canvas_text(canvas, 0, y, STYLE_GOOD, is_chosen ? "▸" : " ");
    canvas_text_in(canvas, 2, y, TOKEN_COLUMNS, ALIGN_LEFT, is_out ? STYLE_DIM : STYLE_KEY_LABEL,
                   view_token(state, candidate->id, token));
    int x = TOKEN_COLUMNS + 3;
    put_number(canvas, x, y, style, (double)candidate->logit);
    x += NUMBER_COLUMNS;
    put_number(canvas, x, y, style, candidate->plain);
    x += NUMBER_COLUMNS;
    if (columns->has_temperature) {
        x = draw_heated(canvas, x, y, sampler, i, style);
    }
    if (columns->has_draw && !is_out) {
        canvas_format(canvas, x, y, style, "%8.4f-%.4f", bin_low(sampler, i), candidate->end);
    }
    if (columns->bar_x >= 0) {
        double part = columns->has_temperature ? candidate->share : candidate->plain;
        draw_bar(canvas, columns->bar_x, y, part, is_chosen ? STYLE_GOOD : STYLE_FORWARD);
    }
}

// ---- the arithmetic of the chosen one

static void write_softmax(ViewLine *line, const Sampler *sampler,
                          const SamplingCandidate *candidate) {
    view_line_text(line, "exp(");
    view_line_number(line, (double)candidate->logit, 7);
    view_line_text(line, ") / Σ exp = exp(");
    view_line_number(line, (double)candidate->logit, 7);
    view_line_text(line, " - ");
    view_line_number(line, sampler->plain_log_sum, 7);
    view_line_text(line, ") = ");
    view_line_number(line, candidate->plain, 7);
}

static void write_choice(ViewLine *line, const ViewState *state, const Sampler *sampler,
                         const SamplingCandidate *candidate) {
    char token[VIEW_TOKEN_BYTES];
    char text[160];
    view_token(state, candidate->id, token);
    if (sampling_is_greedy(&sampler->config)) {
        view_line_text(line, view_text_fill(text, sizeof text,
                                            view_text(state->language, VIEW_TEXT_GREEDY), token,
                                            NULL, NULL));
        return;
    }
    view_line_number(line, candidate->probability, 7);
    view_line_text(line, " / ");
    view_line_number(line, sampler->kept, 7);
    view_line_text(line, " = ");
    view_line_number(line, candidate->share, 7);
    if (is_drawn(state)) {
        char u[24];
        snprintf(u, sizeof u, "%.4f", sampler->u);
        view_line_text(line, "   ");
        view_line_text(line,
                       view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_DRAW),
                                      u, token, NULL));
    }
}

static void draw_arithmetic(const ViewState *state, Canvas *canvas, int y, const Sampler *sampler) {
    const SamplingCandidate *candidate = &sampler->candidates[sampler->chosen];
    char token[VIEW_TOKEN_BYTES];
    ViewLine line = {.length = 0};
    view_line_text(&line, view_token(state, candidate->id, token));
    view_line_text(&line, ": ");
    write_softmax(&line, sampler, candidate);
    Rect rect = {1, y, canvas->width - 2, canvas->height - y};
    int used = canvas_paragraph(canvas, rect, STYLE_CODE, line.text);
    line.length = 0;
    line.text[0] = '\0';
    write_choice(&line, state, sampler, candidate);
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
    bool is_there = is_near && row.logits != NULL &&
                    (state->stepper == NULL || stepper_is_valid(state->stepper, row.logits));
    // Nothing can be chosen from NaN or infinity: the tensor shows where they are.
    return is_there &&
           sampling_check_logits(values_of(&row), shape_width(&row.logits->shape), NULL);
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
static int rows_that_show(const Sampler *sampler, int height) {
    int rows = height > 6 ? height - 6 : 1;
    int most = sampler->n_candidates < MOST_CANDIDATES ? sampler->n_candidates : MOST_CANDIDATES;
    return rows < most ? rows : most;
}

static void draw(const ViewState *state, Canvas *canvas) {
    Row row = row_of(state);
    const Sampler *sampler = sampler_of(state);
    if (sampler == NULL) {
        return; // without memory
    }
    Columns columns = columns_of(state, canvas->width);
    draw_question(state, canvas, &row);
    draw_heading(state, canvas, 1, &columns);
    int shown = rows_that_show(sampler, canvas->height);
    for (int i = 0; i < shown; i++) {
        draw_candidate(state, canvas, 2 + i, &columns, i);
    }
    int left = sampler->V - shown;
    if (left > 0) {
        char number[16];
        char text[64];
        snprintf(number, sizeof number, "%d", left);
        view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_MORE), number, NULL,
                       NULL);
        canvas_text(canvas, 2, 2 + shown, STYLE_DIM, text);
    }
    if (columns.has_temperature) {
        canvas_format(canvas, 20, 2 + shown, STYLE_DIM, "top-k %d   top-p %.3g",
                      state->sampling->top_k, state->sampling->top_p);
    }
    draw_arithmetic(state, canvas, 3 + shown, sampler);
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    (void)x;
    (void)width;
    Row row = row_of(state);
    const Sampler *sampler = sampler_of(state);
    int i = y - 2;
    if (sampler == NULL || i < 0 || i >= rows_that_show(sampler, height)) {
        return false;
    }
    const int indices[SHAPE_MAX_RANK] = {row.item, row.position, sampler->candidates[i].id};
    *node = row.logits;
    *element = shape_flat(&row.logits->shape, indices);
    return true;
}

const View view_predictions = {.name = "predictions",
                               .titles = {"predictions", "预测"},
                               .min_width = 34,
                               .min_height = 8,
                               .fits = fits,
                               .leaves_room = true,
                               .open = open_next,
                               .close = close_next,
                               .prepare = prepare,
                               .draw = draw,
                               .hit = hit,
                               .subject = VIEW_OF_NEXT_TOKEN,
                               .spoken = VIEW_SPOKEN_LINES};
