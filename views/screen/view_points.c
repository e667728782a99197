// view_points.c - points of a plane, the boundary between their classes, and support vectors.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/models/points.h"
#include "views/screen/view_dots.h"
#include "views/screen/view_line.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { SIDE_COLUMNS = 24, WIDE = 46, LEAST_PLANE = 5 };

static const char *const SIGNS[POINTS_CLASSES] = {"●", "○"};
static const Style STYLES[POINTS_CLASSES] = {STYLE_QUERY_LABEL, STYLE_KEY_LABEL};

// ---- what there is to see

typedef struct Points {
    const int32_t *ids, *labels; // of the item that is looked at; labels NULL: none
    const float *weights;        // of support vectors, by id; NULL: it has none
    int n, item;
    int here, other; // the points of the cursor; -1: none
    ViewPlane plane;
} Points;

// The index of the cursor on an axis that counts the points.
static int index_on(const ViewState *state, char axis_letter, int n) {
    int indices[SHAPE_MAX_RANK] = {0};
    const Node *node = state->node;
    const int axis = node == NULL ? -1 : shape_find_axis(&node->shape, axis_letter);
    if (axis < 0 || node->shape.sizes[axis] != n) {
        return -1;
    }
    shape_indices(&node->shape, state->element, indices);
    return indices[axis];
}

static Points points_of(const ViewState *state) {
    const Node *tokens = state->nodes->tokens;
    const Node *alpha = tape_find_role(state->tape, ROLE_ALPHA, 0);
    Points points = {.n = tokens->shape.sizes[1], .plane = state->plane};
    const int item = index_on(state, 'B', tokens->shape.sizes[0]);
    points.item = item < 0 ? 0 : item;
    const size_t first = (size_t)points.item * (size_t)points.n;
    points.ids = tape_ids(state->tape, tokens) + first;
    if (state->nodes->labels != NULL) {
        points.labels = tape_ids(state->tape, state->nodes->labels) + first;
    }
    points.weights = alpha == NULL ? NULL : tape_values(state->tape, alpha->inputs[0]);
    points.here = index_on(state, 'T', points.n);
    points.other = index_on(state, 'S', points.n);
    return points;
}

static float decision_of(const Points *points, int i) {
    return points->plane.values[points->ids[i] - POINTS_CLASSES];
}

static int label_of(const Points *points, int i) {
    return points->labels == NULL ? -1 : points->labels[i];
}

static bool is_wrong(const Points *points, int i) {
    const int label = label_of(points, i);
    return label >= 0 && label != (decision_of(points, i) > 0.0F);
}

static bool is_support(const Points *points, int i) {
    return points->weights != NULL && points->weights[points->ids[i]] != 0.0F;
}

// ---- the plane

static bool is_wide(int width) {
    return width >= WIDE;
}

// A cell is twice as high as wide. Below the plane is a line of its coordinates, and on a narrow
// canvas lines of text.
static Rect plane_rect(int width, int height) {
    const int below = is_wide(width) ? 1 : 3;
    const int room = is_wide(width) ? width - SIDE_COLUMNS : width;
    int rows = height - below;
    int columns = 2 * rows + 1;
    if (columns > room - 4) {
        columns = room - 4;
        rows = columns / 2;
    }
    return (Rect){2, 0, columns < LEAST_PLANE ? LEAST_PLANE : columns,
                  rows < LEAST_PLANE ? LEAST_PLANE : rows};
}

// Between the four places around it; across and up in places.
static double value_between(const ViewPlane *plane, double across, double up) {
    const double most = plane->side - 1;
    across = fmin(fmax(across, 0.0), most);
    up = fmin(fmax(up, 0.0), most);
    const int column = (int)fmin(floor(across), most - 1.0);
    const int row = (int)fmin(floor(up), most - 1.0);
    const double right = across - column;
    const double above = up - row;
    const float *low = plane->values + (size_t)row * (size_t)plane->side + column;
    const float *high = low + plane->side;
    return (1.0 - above) * ((1.0 - right) * (double)low[0] + right * (double)low[1]) +
           above * ((1.0 - right) * (double)high[0] + right * (double)high[1]);
}

// The decision value at a place in cells of the rect, from its upper left corner.
static double value_at(const ViewPlane *plane, const Rect *rect, double x, double y) {
    const double steps = plane->side - 1;
    return value_between(plane, x / (rect->width - 1) * steps,
                         steps - y / (rect->height - 1) * steps);
}

static double value_at_dot(const ViewPlane *plane, const Rect *rect, int x, int y) {
    return value_at(plane, rect, (x + 0.5) / DOTS_ACROSS - 0.5, (y + 0.5) / DOTS_DOWN - 0.5);
}

// The curve on which the decision value is `level`.
static void draw_level(Canvas *canvas, const ViewPlane *plane, const Rect *rect, double level,
                       Style style, int every) {
    for (int y = 0; y < rect->height * DOTS_DOWN - 1; y++) {
        for (int x = 0; x < rect->width * DOTS_ACROSS - 1; x++) {
            const bool is_above = value_at_dot(plane, rect, x, y) > level;
            const bool is_crossed = is_above != (value_at_dot(plane, rect, x + 1, y) > level) ||
                                    is_above != (value_at_dot(plane, rect, x, y + 1) > level);
            if (is_crossed && (x + 2 * y) % every == 0) {
                view_dots_set(canvas, rect->x * DOTS_ACROSS + x, rect->y * DOTS_DOWN + y, style);
            }
        }
    }
}

static void cell_of(const Points *points, const Rect *rect, int i, int *x, int *y) {
    const int side = points->plane.side;
    const int place = points->ids[i] - POINTS_CLASSES;
    const int column = place % side;
    const int row = place / side;
    *x = rect->x + (int)lround((double)column / (side - 1) * (rect->width - 1));
    *y = rect->y + rect->height - 1 - (int)lround((double)row / (side - 1) * (rect->height - 1));
}

static void draw_point(Canvas *canvas, const Points *points, const Rect *rect, int i) {
    int x = 0;
    int y = 0;
    cell_of(points, rect, i, &x, &y);
    const int label = label_of(points, i);
    Style style = label < 0 ? STYLE_TEXT : STYLES[label];
    style = is_wrong(points, i) ? STYLE_BAD : style;
    style = i == points->other ? STYLE_SOURCE : style;
    style = i == points->here ? STYLE_CURSOR : style;
    if (is_support(points, i)) {
        canvas_text(canvas, x - 1, y, STYLE_STRONG, "(");
        canvas_text(canvas, x + 1, y, STYLE_STRONG, ")");
    }
    canvas_text(canvas, x, y, style, label < 0 ? "?" : SIGNS[label]);
}

static void draw_plane(Canvas *canvas, const Points *points, const Rect *rect) {
    for (int y = 0; y < rect->height; y++) {
        for (int x = 0; x < rect->width; x++) {
            if (value_at(&points->plane, rect, x, y) > 0.0) {
                canvas_text(canvas, rect->x + x, rect->y + y, STYLE_DIM, "·");
            }
        }
    }
    if (points->weights != NULL) {
        draw_level(canvas, &points->plane, rect, -1.0, STYLE_DIM, 2);
        draw_level(canvas, &points->plane, rect, 1.0, STYLE_DIM, 2);
    }
    draw_level(canvas, &points->plane, rect, 0.0, STYLE_GOOD, 1);
    for (int pass = 0; pass < 2; pass++) { // those of the cursor lie over the others
        for (int i = 0; i < points->n; i++) {
            const bool is_special = i == points->here || i == points->other;
            if (is_special == (pass == 1)) {
                draw_point(canvas, points, rect, i);
            }
        }
    }
    canvas_text(canvas, rect->x, rect->y + rect->height, STYLE_DIM, "-2");
    canvas_text(canvas, rect->x + rect->width / 2 - 3, rect->y + rect->height, STYLE_DIM, "x1 →");
    canvas_text(canvas, rect->x + rect->width - 1, rect->y + rect->height, STYLE_DIM, "2");
    canvas_text(canvas, 0, rect->y + rect->height - 1, STYLE_DIM, "-2");
    canvas_text(canvas, 0, rect->y + rect->height / 2 - 1, STYLE_DIM, "↑");
    canvas_text(canvas, 0, rect->y + rect->height / 2, STYLE_DIM, "x2");
    canvas_text(canvas, 0, rect->y, STYLE_DIM, " 2");
}

// ---- what stands beside it

// Each puts its line at *y, in canvas, and goes to the next.
static void put(Canvas *canvas, int *y, Style style, const char *text) {
    canvas_text(canvas, 0, (*y)++, style, text);
}

static void put_right(const ViewState *state, Canvas *canvas, int *y, const Points *points) {
    int n = 0;
    int n_right = 0;
    for (int i = 0; i < points->n; i++) {
        n += label_of(points, i) >= 0;
        n_right += label_of(points, i) >= 0 && !is_wrong(points, i);
    }
    char right[16];
    char all[16];
    char percent[16];
    char text[96];
    snprintf(right, sizeof right, "%d", n_right);
    snprintf(all, sizeof all, "%d", n);
    snprintf(percent, sizeof percent, "%.0f", n == 0 ? 0.0 : 100.0 * n_right / n);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_POINTS_RIGHT), right,
                   all, percent);
    put(canvas, y, n_right == n ? STYLE_GOOD : STYLE_BAD, text);
}

static void put_legend(const ViewState *state, Canvas *canvas, int *y, const Points *points) {
    int x = 0;
    char token[VIEW_TOKEN_BYTES];
    for (int label = 0; label < POINTS_CLASSES; label++) {
        x = canvas_format(canvas, x, *y, STYLES[label], "%s %s", SIGNS[label],
                          view_token(state, label, token)) +
            2;
    }
    ++*y;
    put(canvas, y, STYLE_GOOD, view_text(state->language, VIEW_TEXT_BOUNDARY));
    if (points->weights == NULL) {
        return;
    }
    int n = 0;
    for (int i = 0; i < points->n; i++) {
        n += is_support(points, i);
    }
    char number[16];
    char text[96];
    snprintf(number, sizeof number, "%d", n);
    put(canvas, y, STYLE_DIM, view_text(state->language, VIEW_TEXT_MARGIN));
    put(canvas, y, STYLE_STRONG,
        view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_SUPPORT_VECTORS),
                       number, NULL, NULL));
}

static void put_name(const ViewState *state, Canvas *canvas, int *y, const Points *points, int i,
                     const char *letter, Style style) {
    char token[VIEW_TOKEN_BYTES];
    canvas_format(canvas, 0, (*y)++, style, "%s = (%s)  [%d]", letter,
                  view_token(state, points->ids[i], token), i);
}

// The kernel of the two points, and the product of their features.
static void put_pair(const ViewState *state, Canvas *canvas, int *y, const Points *points) {
    static const char *const NAMES[][2] = {{"φ(x)·φ(z)", "k(x,z)"}, {"phi(x)phi(z)", "k(x,z)"}};
    put_name(state, canvas, y, points, points->other, "z", STYLE_SOURCE);
    for (int k = 0;; k++) {
        const Node *node = tape_find_role(state->tape, ROLE_KERNEL, k);
        if (node == NULL) {
            return;
        }
        const int indices[SHAPE_MAX_RANK] = {points->item, points->here, points->other};
        if (stepper_is_valid(state->stepper, node)) {
            canvas_format(
                canvas, 0, (*y)++, STYLE_NUMBER, "%-9s = %.7g",
                NAMES[canvas->ascii][node->op == OP_KERNEL],
                (double)tape_values(state->tape, node)[shape_flat(&node->shape, indices)]);
        }
    }
}

static void put_point(const ViewState *state, Canvas *canvas, int *y, const Points *points) {
    char token[VIEW_TOKEN_BYTES];
    const double decision = (double)decision_of(points, points->here);
    put_name(state, canvas, y, points, points->here, "x", STYLE_HEADING);
    canvas_format(canvas, 0, (*y)++, STYLE_NUMBER, "f(x) = %.5g → %s", decision,
                  view_token(state, decision > 0.0, token));
    if (points->weights != NULL) {
        canvas_format(canvas, 0, (*y)++, STYLE_NUMBER, "%s = %.5g", canvas->ascii ? "alpha" : "α",
                      (double)points->weights[points->ids[points->here]]);
    }
    if (points->other >= 0) {
        put_pair(state, canvas, y, points);
    }
}

// ---- the view

static bool fits(const ViewState *state) {
    return state->plane.values != NULL;
}

static void draw(const ViewState *state, Canvas *canvas) {
    const Points points = points_of(state);
    const Rect rect = plane_rect(canvas->width, canvas->height);
    draw_plane(canvas, &points, &rect);
    const bool has_side = is_wide(canvas->width);
    Canvas side = canvas_part(
        canvas, has_side ? (Rect){rect.x + rect.width + 3, 0, canvas->width - rect.width - 5,
                                  canvas->height}
                         : (Rect){0, rect.height + 1, canvas->width, canvas->height - rect.height});
    int y = 0;
    put_right(state, &side, &y, &points);
    if (!has_side && points.here >= 0) {
        put_point(state, &side, &y, &points);
        return;
    }
    put_legend(state, &side, &y, &points);
    if (points.here >= 0) {
        y++;
        put_point(state, &side, &y, &points);
    }
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    const Points points = points_of(state);
    const Rect rect = plane_rect(width, height);
    for (int i = 0; i < points.n; i++) {
        int at_x = 0;
        int at_y = 0;
        cell_of(&points, &rect, i, &at_x, &at_y);
        if (x == at_x && y == at_y) {
            *node = tape_find_role(state->tape, ROLE_POINTS, 0);
            *element = 2 * ((size_t)points.item * (size_t)points.n + (size_t)i);
            return true;
        }
    }
    return false;
}

static void measure(const ViewState *state, int *width, int *height) {
    (void)state;
    *width = 2 * 41 + SIDE_COLUMNS + 6; // every place of the shipped grid has a row of its own
    *height = 42;
}

const View view_points = {.name = "points",
                          .titles = {"points", "平面上的点"},
                          .needs = {"a model of points in the plane: lesson 1 opens one",
                                    "平面上的点的模型：第 1 课会打开一个"},
                          .min_width = 30,
                          .min_height = 8,
                          .fits = fits,
                          .draw = draw,
                          .hit = hit,
                          .measure = measure,
                          .spoken = VIEW_SPOKEN_LINES,
                          .is_drawing = true};
