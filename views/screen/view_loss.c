// view_loss.c - each position's predicted distribution against its (smoothed) target, and the loss
// it adds.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/screen/view_line.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"
#include "views/window.h"

enum { NUMBER_COLUMNS = 9, WIDE = 58 };

typedef struct Parts {
    const Tape *tape;
    const Node *loss;
    const Node *scores; // log probabilities, or logits where the loss takes them itself
    const Node *labels;
    bool are_logits;
    float smoothing;
    int pad_id;
    int B, T, V;
} Parts;

static bool find_parts(const ViewState *state, Parts *parts) {
    const Node *loss = state->tape == NULL ? NULL : state->tape->loss;
    if (loss == NULL || (loss->op != OP_LOSS && loss->op != OP_CROSS_ENTROPY)) {
        return false;
    }
    *parts = (Parts){.tape = state->tape,
                     .loss = loss,
                     .scores = loss->inputs[0],
                     .labels = loss->inputs[1],
                     .are_logits = loss->op == OP_CROSS_ENTROPY,
                     .smoothing = loss->arguments.loss.smoothing,
                     .pad_id = loss->arguments.loss.pad_id};
    if (shape_rank(&parts->scores->shape) != 3 || shape_rank(&parts->labels->shape) != 2) {
        return false;
    }
    parts->B = parts->scores->shape.sizes[0];
    parts->T = parts->scores->shape.sizes[1];
    parts->V = parts->scores->shape.sizes[2];
    return true;
}

// One position of one item.
typedef struct Position {
    int label, likeliest;
    bool counts;
    double log_label; // ln of the probability of the label
    double loss;      // Σ over c of target[c] · (ln target[c] − ln p[c])
} Position;

static double target_of(const Parts *parts, int label, int c) {
    if (parts->smoothing == 0.0F) {
        return c == label ? 1.0 : 0.0;
    }
    // as the loss itself spreads it: over all words but the label and the padding
    int others = parts->V - 1 - (parts->pad_id >= 0);
    if (c == label) {
        return 1.0 - (double)parts->smoothing;
    }
    return c == parts->pad_id || others <= 0 ? 0.0 : (double)parts->smoothing / others;
}

static Position position_of(const Parts *parts, int b, int t) {
    size_t row = (size_t)b * (size_t)parts->T + (size_t)t;
    const float *scores = tape_values(parts->tape, parts->scores) + row * (size_t)parts->V;
    Position position = {.label = tape_ids(parts->tape, parts->labels)[row]};
    double max = -INFINITY;
    for (int c = 0; c < parts->V; c++) {
        if ((double)scores[c] > max) {
            max = (double)scores[c];
            position.likeliest = c;
        }
    }
    double log_sum = 0.0;
    if (parts->are_logits) {
        double sum = 0.0;
        for (int c = 0; c < parts->V; c++) {
            sum += exp((double)scores[c] - max);
        }
        log_sum = sum > 0.0 ? max + log(sum) : 0.0;
    }
    position.counts =
        position.label >= 0 && position.label < parts->V && position.label != parts->pad_id;
    if (!position.counts) {
        return position;
    }
    position.log_label = (double)scores[position.label] - log_sum;
    for (int c = 0; c < parts->V; c++) {
        double target = target_of(parts, position.label, c);
        if (target > 0.0) {
            position.loss += target * (log(target) - ((double)scores[c] - log_sum));
        }
    }
    return position;
}

// ---- the cursor: which item, which position

static void cursor_of(const ViewState *state, const Parts *parts, int *b, int *t) {
    int indices[SHAPE_MAX_RANK] = {0};
    *b = 0;
    *t = 0;
    const Node *node = state->node;
    if (node == NULL || shape_rank(&node->shape) < 2) {
        return;
    }
    shape_indices(&node->shape, state->element, indices);
    if (node->shape.sizes[0] == parts->B && node->shape.sizes[1] == parts->T) {
        *b = indices[0];
        *t = indices[1];
    }
}

// Columns of the place at the left, and of a token.
static int place_columns(const Canvas *canvas) {
    return canvas->width < WIDE ? 8 : 10;
}

static int token_columns(const Canvas *canvas) {
    return canvas->width < WIDE ? 6 : 10;
}

static void draw_heading(const ViewState *state, Canvas *canvas, int y) {
    static const ViewTextId TEXTS[] = {VIEW_TEXT_LABEL, VIEW_TEXT_PREDICTED};
    int x = place_columns(canvas);
    int columns = token_columns(canvas);
    canvas_text_in(canvas, x, y, columns, ALIGN_LEFT, STYLE_DIM,
                   view_text(state->language, VIEW_TEXT_QUERY_TOKEN));
    x += columns + 1;
    for (int i = 0; i < 2; i++) {
        canvas_text_in(canvas, x, y, columns, ALIGN_LEFT, STYLE_DIM,
                       view_text(state->language, TEXTS[i]));
        x += columns + 1;
    }
    canvas_text_in(canvas, x, y, NUMBER_COLUMNS, ALIGN_RIGHT, STYLE_DIM, "p(label)");
    canvas_text_in(canvas, x + NUMBER_COLUMNS, y, NUMBER_COLUMNS + 2, ALIGN_RIGHT, STYLE_DIM,
                   view_text(state->language, VIEW_TEXT_LOSS_HERE));
}

static void draw_bar(Canvas *canvas, int x, int y, double loss, double most) {
    int room = canvas->width - x - 1;
    room = room > 30 ? 30 : room;
    int length = most > 0.0 ? (int)lround(loss / most * room) : 0;
    for (int i = 0; i < room; i++) {
        canvas_text(canvas, x + i, y, i < length ? STYLE_BAD : STYLE_DIM, i < length ? "█" : "·");
    }
}

static void draw_position(const ViewState *state, Canvas *canvas, int y, const Parts *parts, int b,
                          int t, bool is_here, double most) {
    Position position = position_of(parts, b, t);
    char token[VIEW_TOKEN_BYTES];
    char number[VIEW_NUMBER_BYTES];
    canvas_format(canvas, 0, y, is_here ? STYLE_CURSOR : STYLE_DIM, "%s%2d,%-3d",
                  is_here ? "▸" : " ", b, t);
    int x = place_columns(canvas);
    int columns = token_columns(canvas);
    view_index_token(state, parts->scores, 1, b, t, token);
    canvas_text_in(canvas, x, y, columns, ALIGN_LEFT, STYLE_QUERY_LABEL, token);
    x += columns + 1;
    if (!position.counts) {
        canvas_text(canvas, x, y, STYLE_MASKED,
                    view_text(state->language, VIEW_TEXT_PADDING_POSITION));
        return;
    }
    canvas_text_in(canvas, x, y, columns, ALIGN_LEFT, STYLE_KEY_LABEL,
                   view_token(state, position.label, token));
    x += columns + 1;
    bool is_right = position.likeliest == position.label;
    canvas_text_in(canvas, x - 1, y, 1, ALIGN_LEFT, is_right ? STYLE_GOOD : STYLE_BAD,
                   is_right ? "✓" : "✗");
    canvas_text_in(canvas, x + 1, y, columns - 1, ALIGN_LEFT, is_right ? STYLE_GOOD : STYLE_BAD,
                   view_token(state, position.likeliest, token));
    x += columns + 1;
    canvas_text_in(canvas, x, y, NUMBER_COLUMNS, ALIGN_RIGHT, STYLE_NUMBER,
                   view_number_text(exp(position.log_label), 8, number));
    canvas_text_in(canvas, x + NUMBER_COLUMNS + 2, y, NUMBER_COLUMNS, ALIGN_RIGHT,
                   is_here ? STYLE_CURSOR : STYLE_NUMBER,
                   view_number_text(position.loss, 8, number));
    draw_bar(canvas, x + 2 * NUMBER_COLUMNS + 3, y, position.loss, most);
}

// ---- below the table: the target in words, the mean, the cursor's arithmetic

static void draw_sums(const ViewState *state, Canvas *canvas, int y, const Parts *parts, int b,
                      int t) {
    Position position = position_of(parts, b, t);
    char own[VIEW_NUMBER_BYTES];
    char other[VIEW_NUMBER_BYTES];
    char text[160];
    int n = 0;
    for (int i = 0; i < parts->B * parts->T; i++) {
        n += position_of(parts, i / parts->T, i % parts->T).counts;
    }
    if (position.counts) {
        ViewLine line = {.length = 0};
        view_line_text(&line, "-ln(");
        view_line_number(&line, exp(position.log_label), 8);
        view_line_text(&line, ") = ");
        view_line_number(&line, -position.log_label, 8);
        canvas_text(canvas, 1, y, STYLE_CODE, line.text);
    }
    int wrong = position.label == 0 ? 1 : 0;
    wrong = wrong == parts->pad_id ? wrong + 1 : wrong;
    wrong = wrong == position.label ? wrong + 1 : wrong;
    view_number_text(target_of(parts, position.label, position.label), 7, own);
    view_number_text(target_of(parts, position.label, wrong), 7, other);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_SMOOTHED), own, other,
                   NULL);
    canvas_text(canvas, 1, y + 1, STYLE_DIM, text);
    char count[16];
    snprintf(count, sizeof count, "%d", n);
    view_number_text((double)*tape_values(state->tape, parts->loss), 8, own);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_MEAN_LOSS), own, count,
                   NULL);
    canvas_text(canvas, 1, y + 2, STYLE_STRONG, text);
}

static bool fits(const ViewState *state) {
    Parts parts;
    const Node *node = state->node;
    bool is_near =
        node != NULL &&
        (node->role == ROLE_LOSS || node->role == ROLE_LABELS || node->role == ROLE_CLASSES ||
         node->role == ROLE_LOG_PROBABILITIES || node->role == ROLE_LOGITS);
    return is_near && find_parts(state, &parts) &&
           (state->stepper == NULL || stepper_is_valid(state->stepper, parts.loss));
}

static int rows_that_show(const Parts *parts, int height) {
    int rows = height - 6;
    rows = rows < 1 ? 1 : rows;
    return rows < parts->B * parts->T ? rows : parts->B * parts->T;
}

static void draw(const ViewState *state, Canvas *canvas) {
    Parts parts;
    if (!find_parts(state, &parts)) {
        return;
    }
    int b = 0;
    int t = 0;
    cursor_of(state, &parts, &b, &t);
    int shown = rows_that_show(&parts, canvas->height);
    int first = window_first(b * parts.T + t, shown, parts.B * parts.T);
    double most = 0.0;
    for (int i = 0; i < shown; i++) {
        double loss = position_of(&parts, (first + i) / parts.T, (first + i) % parts.T).loss;
        most = loss > most ? loss : most;
    }
    draw_heading(state, canvas, 0);
    for (int i = 0; i < shown; i++) {
        int item = (first + i) / parts.T;
        int position = (first + i) % parts.T;
        draw_position(state, canvas, 1 + i, &parts, item, position, item == b && position == t,
                      most);
    }
    draw_sums(state, canvas, 2 + shown, &parts, b, t);
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    (void)x;
    (void)width;
    Parts parts;
    if (!find_parts(state, &parts)) {
        return false;
    }
    int b = 0;
    int t = 0;
    cursor_of(state, &parts, &b, &t);
    int shown = rows_that_show(&parts, height);
    int first = window_first(b * parts.T + t, shown, parts.B * parts.T);
    if (y < 1 || y > shown) {
        return false;
    }
    size_t row = (size_t)(first + y - 1);
    *node = parts.scores;
    int label = tape_ids(state->tape, parts.labels)[row];
    bool has_label = label >= 0 && label < parts.V;
    *element = row * (size_t)parts.V + (size_t)(has_label ? label : 0);
    return true;
}

const View view_loss = {
    .name = "loss",
    .titles = {"loss by position", "逐位置的损失"},
    .needs = {"the loss or a stage right before it: :loss", "损失或它前面的步骤：:loss"},
    .min_width = 49,
    .min_height = 7,
    .fits = fits,
    .leaves_room = true,
    .draw = draw,
    .hit = hit,
    .spoken = VIEW_SPOKEN_LINES};
