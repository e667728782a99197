// view_predictions.c - the likeliest next tokens, and how one is drawn: logits, temperature, top-k,
// top-p, the draw.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/screen/view_choice.h"
#include "views/screen/view_line.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { TOKEN_COLUMNS = 10, NUMBER_COLUMNS = 9, BAR_COLUMNS = 16, BIN_COLUMNS = 18 };

static void *open_choices(void) {
    return calloc(1, sizeof(ViewChoices));
}

static void close_choices(void *own) {
    ViewChoices *choices = own;
    sampler_free(&choices->now);
    free(choices);
}

static double prepare(void *own, const ViewState *state) {
    view_choice_find(own, state);
    return 0.0;
}

static const ViewChoice *shown_of(const ViewState *state) {
    const ViewChoices *choices = state->own;
    return &choices->shown;
}

static bool has_choice(const ViewState *state) {
    const ViewChoices *choices = state->own;
    return choices != NULL && choices->shown.sampler != NULL; // else there is no memory
}

// ---- columns of the table

typedef struct Columns {
    bool has_temperature, has_bins;
    int bar_x; // -1: no room for bars
} Columns;

static Columns columns_of(const ViewChoice *choice, int width) {
    Columns columns = {.bar_x = -1};
    columns.has_temperature = !sampling_is_greedy(&choice->sampler->config);
    int used = TOKEN_COLUMNS + 3 + NUMBER_COLUMNS * (2 + 2 * columns.has_temperature);
    columns.has_bins = choice->has_u && used + BIN_COLUMNS <= width; // the chosen one is told below
    used += columns.has_bins ? BIN_COLUMNS : 0;
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

static void draw_heading(Language language, Canvas *canvas, int y, const Columns *columns,
                         const SamplingConfig *config) {
    int x = TOKEN_COLUMNS + 3;
    canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM,
                   view_text(language, VIEW_TEXT_LOGIT));
    x += NUMBER_COLUMNS;
    canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM,
                   view_text(language, VIEW_TEXT_PROBABILITY));
    x += NUMBER_COLUMNS;
    if (columns->has_temperature) {
        char text[32];
        snprintf(text, sizeof text, "T %.3g", config->temperature);
        canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM, text);
        x += NUMBER_COLUMNS;
        canvas_text_in(canvas, x, y, NUMBER_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM,
                       view_text(language, VIEW_TEXT_KEPT));
        x += NUMBER_COLUMNS;
    }
    if (columns->has_bins) {
        canvas_text_in(canvas, x, y, BIN_COLUMNS - 1, ALIGN_RIGHT, STYLE_DIM,
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

static void write_bin(const SamplingCandidate *candidate, char text[32]) {
    snprintf(text, 32, "%.4f-%.4f", candidate->end - candidate->share, candidate->end);
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
    const Sampler *sampler = shown_of(state)->sampler;
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
    if (columns->has_bins && !is_out) {
        char bin[32];
        write_bin(candidate, bin);
        canvas_text_in(canvas, x, y, BIN_COLUMNS - 1, ALIGN_RIGHT, style, bin);
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

static void write_choice(ViewLine *line, const ViewState *state, const ViewChoice *choice) {
    const Sampler *sampler = choice->sampler;
    const SamplingCandidate *candidate = view_choice_taken(choice);
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
    if (choice->has_u) {
        char u[24];
        char bin[32];
        snprintf(u, sizeof u, "%.4f", sampler->u);
        write_bin(candidate, bin);
        view_line_text(line, "   ");
        view_line_text(line,
                       view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_DRAW),
                                      u, token, bin));
    }
}

// ---- apart from the table: what was chosen last, or what would come next

static void write_settings(ViewLine *line, const Sampler *sampler) {
    const SamplingConfig *config = &sampler->config;
    char text[96];
    snprintf(text, sizeof text, " (T %.3g, top-k %d, top-p %.3g, u = %.4f)", config->temperature,
             config->top_k, config->top_p, sampler->u);
    view_line_text(line, text);
}

static void write_at(ViewLine *line, const ViewState *state, ViewTextId id, int position,
                     const char *what) {
    ViewRow row = view_choice_row(state);
    char number[16];
    char token[VIEW_TOKEN_BYTES];
    char text[VIEW_TOKEN_BYTES * 2 + 256];
    snprintf(number, sizeof number, "%d", position);
    view_index_token(state, row.logits, 1, row.item, position, token);
    view_line_text(line, view_text_fill(text, sizeof text, view_text(state->language, id), number,
                                        token, what));
}

static void write_other(ViewLine *line, const ViewState *state) {
    const ViewChoices *choices = state->own;
    const ViewChoice *other = &choices->other;
    if (choices->is_of_other_model) {
        view_line_text(line, view_text(state->language, VIEW_TEXT_SINCE));
    }
    if (other->sampler == NULL) {
        return;
    }
    char token[VIEW_TOKEN_BYTES];
    char taken[VIEW_TOKEN_BYTES + 32];
    const SamplingCandidate *candidate = view_choice_taken(other);
    snprintf(taken, sizeof taken, "%s, %.4f", view_token(state, candidate->id, token),
             other->has_u ? candidate->share : candidate->plain);
    view_line_text(line, line->length > 0 ? " " : "");
    write_at(line, state, other->is_made ? VIEW_TEXT_DRAWN : VIEW_TEXT_NEXT, other->position,
             taken);
    if (other->has_u) {
        write_settings(line, other->sampler);
    }
}

static int other_lines(const ViewState *state, int width) {
    ViewLine line = {.length = 0};
    write_other(&line, state);
    return line.length == 0
               ? 0
               : canvas_paragraph(NULL, (Rect){1, 0, width - 2, 0}, STYLE_DIM, line.text);
}

// The arithmetic of what was chosen; gives its lines. canvas NULL: measures.
static int draw_arithmetic(const ViewState *state, Canvas *canvas, Rect rect) {
    const ViewChoice *choice = shown_of(state);
    const SamplingCandidate *candidate = view_choice_taken(choice);
    char token[VIEW_TOKEN_BYTES];
    ViewLine line = {.length = 0};
    view_line_text(&line, view_token(state, candidate->id, token));
    view_line_text(&line, ": ");
    write_softmax(&line, choice->sampler, candidate);
    int used = canvas_paragraph(canvas, rect, STYLE_CODE, line.text);
    line.length = 0;
    line.text[0] = '\0';
    write_choice(&line, state, choice);
    rect.y += used;
    rect.height -= used;
    return used + canvas_paragraph(canvas, rect, STYLE_STRONG, line.text);
}

// A line below what stands above y, where there is room for that.
static void draw_other(const ViewState *state, Canvas *canvas, int y) {
    int lines = other_lines(state, canvas->width);
    ViewLine line = {.length = 0};
    write_other(&line, state);
    y = y + 1 + lines > canvas->height ? canvas->height - lines : y + 1;
    canvas_paragraph(canvas, (Rect){1, y, canvas->width - 2, lines}, STYLE_FORWARD, line.text);
}

// ---- the view

static bool fits(const ViewState *state) {
    ViewRow row = view_choice_row(state);
    bool is_of_points = state->plane.values != NULL; // a class comes after nothing
    bool is_near = !is_of_points && state->node != NULL &&
                   (state->node->role == ROLE_LOGITS ||
                    state->node->role == ROLE_LOG_PROBABILITIES || state->sampling != NULL);
    bool is_there = is_near && row.logits != NULL &&
                    (state->stepper == NULL || stepper_is_valid(state->stepper, row.logits));
    // Nothing can be chosen from NaN or infinity: the tensor shows where they are.
    return is_there &&
           sampling_check_logits(view_choice_values(&row), shape_width(&row.logits->shape),
                                 state->left_out, NULL);
}

static void draw_question(const ViewState *state, Canvas *canvas) {
    const ViewChoice *choice = shown_of(state);
    ViewLine line = {.length = 0};
    write_at(&line, state, choice->is_made ? VIEW_TEXT_DRAWN_AT : VIEW_TEXT_PREDICTS,
             choice->position, NULL);
    canvas_text(canvas, 1, 0, STYLE_HEADING, line.text);
}

// Below the table: how many do not show, what cuts, what is never chosen.
static void write_left(ViewLine *line, const ViewState *state, int left) {
    const Sampler *sampler = shown_of(state)->sampler;
    char number[16];
    char text[VIEW_TOKEN_BYTES + 96];
    snprintf(number, sizeof number, "%d", left);
    if (left > 0) {
        view_line_text(line,
                       view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_MORE),
                                      number, NULL, NULL));
    }
    if (!sampling_is_greedy(&sampler->config)) {
        snprintf(text, sizeof text, "%stop-k %d, top-p %.3g", line->length > 0 ? "; " : "",
                 sampler->config.top_k, sampler->config.top_p);
        view_line_text(line, text);
    }
    if (sampler->left_out >= 0) {
        char token[VIEW_TOKEN_BYTES];
        view_line_text(line, line->length > 0 ? "; " : "");
        view_line_text(
            line, view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_LEFT_OUT),
                                 view_token(state, sampler->left_out, token), NULL, NULL));
    }
}

// Gives its lines. canvas NULL: measures.
static int draw_left(const ViewState *state, Canvas *canvas, Rect rect, int left) {
    ViewLine line = {.length = 0};
    write_left(&line, state, left);
    return line.length == 0 ? 0 : canvas_paragraph(canvas, rect, STYLE_DIM, line.text);
}

// Which of all candidates show: rows that fit, as far as there is something to see.
static int rows_that_show(const ViewState *state, int width, int height) {
    const Sampler *sampler = shown_of(state)->sampler;
    int needed = 2 + other_lines(state, width);
    needed += draw_arithmetic(state, NULL, (Rect){1, 0, width - 2, 0});
    needed += draw_left(state, NULL, (Rect){2, 0, width - 3, 0}, sampler->V);
    int most = sampler->n_candidates < SAMPLING_SHOWN ? sampler->n_candidates : SAMPLING_SHOWN;
    int room = height - needed;
    return room > most ? most : (room < 1 ? 1 : room);
}

// The candidate in a row: the best ones, and the chosen one in any case.
static int candidate_of_row(const ViewState *state, int row, int n_rows) {
    int chosen = shown_of(state)->sampler->chosen;
    return row == n_rows - 1 && chosen > row ? chosen : row;
}

static void draw(const ViewState *state, Canvas *canvas) {
    if (!has_choice(state)) {
        return;
    }
    const ViewChoice *choice = shown_of(state);
    const SamplingConfig *config = &choice->sampler->config;
    Columns columns = columns_of(choice, canvas->width);
    draw_question(state, canvas);
    draw_heading(state->language, canvas, 1, &columns, config);
    int shown = rows_that_show(state, canvas->width, canvas->height);
    for (int i = 0; i < shown; i++) {
        draw_candidate(state, canvas, 2 + i, &columns, candidate_of_row(state, i, shown));
    }
    int left = choice->sampler->V - (choice->sampler->left_out >= 0) - shown;
    int y = 2 + shown;
    int room = canvas->height - y - other_lines(state, canvas->width);
    int used = draw_left(state, canvas, (Rect){2, y, canvas->width - 3, room}, left);
    y += used;
    room -= used;
    y += draw_arithmetic(state, canvas, (Rect){1, y, canvas->width - 2, room});
    draw_other(state, canvas, y);
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    (void)x;
    int i = y - 2;
    int rows = has_choice(state) ? rows_that_show(state, width, height) : 0;
    if (i < 0 || i >= rows) {
        return false;
    }
    ViewRow row = view_choice_row(state);
    const Sampler *sampler = shown_of(state)->sampler;
    const int indices[SHAPE_MAX_RANK] = {row.item, row.position,
                                         sampler->candidates[candidate_of_row(state, i, rows)].id};
    *node = row.logits;
    *element = shape_flat(&row.logits->shape, indices);
    return true;
}

const View view_predictions = {
    .name = "predictions",
    .titles = {"predictions", "预测"},
    .needs = {"the logits of this text: :go logits", "这段文本的 logit：:go logits"},
    .min_width = 34,
    .min_height = 8,
    .fits = fits,
    .leaves_room = true,
    .open = open_choices,
    .close = close_choices,
    .prepare = prepare,
    .draw = draw,
    .hit = hit,
    .subject = VIEW_OF_NEXT_TOKEN,
    .spoken = VIEW_SPOKEN_LINES};
