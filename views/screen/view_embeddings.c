// view_embeddings.c - the words of an embedding table as points on its two main axes, and those
// nearest to the one that is looked at.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "views/screen/view_line.h"
#include "views/screen/view_pca.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { MAX_POINTS = 2048, MAX_NEIGHBOURS = 8, SIDE_COLUMNS = 26, ROWS_AT_ONCE = 256 };

// The table on its two main axes.
typedef struct Cloud {
    const Node *table;              // (V,C); NULL: there is none
    int n_changes;                  // the state's, of whose numbers the axes are
    ViewPca pca;                    // the axes at work
    int row, n_compared;            // whose neighbours they are, among so many rows
    int n_points;                   // its first rows
    float points[2 * MAX_POINTS];   // x, y of each
    double explained[2];            // part of the variance along each axis
    int neighbours[MAX_NEIGHBOURS]; // rows nearest to the cursor's row by cosine, nearest first
    double cosines[MAX_NEIGHBOURS];
    int n_neighbours;
} Cloud;

static void *open_cloud(void) {
    return calloc(1, sizeof(Cloud));
}

static void close_cloud(void *own) {
    Cloud *cloud = own;
    view_pca_free(&cloud->pca);
    free(cloud);
}

// ---- preparing

static const Node *table_of(const ViewState *state) {
    const Node *node = state->node;
    if (node == NULL) {
        return NULL;
    }
    if (node->role == ROLE_EMBEDDING && node->op == OP_EMBEDDING) {
        return node->inputs[0];
    }
    bool is_table = node->parameter != NULL && node->phase == PHASE_FORWARD &&
                    strcmp(node->shape.axes, "VC") == 0;
    return is_table ? node : NULL;
}

// The row of the table that the cursor stands for.
static int row_of(const ViewState *state, const Node *table) {
    const Node *node = state->node;
    int indices[SHAPE_MAX_RANK] = {0};
    shape_indices(&node->shape, state->element, indices);
    if (node == table) {
        return indices[0];
    }
    const Node *ids = node->inputs[1];
    size_t width = (size_t)shape_width(&node->shape);
    return tape_ids(state->tape, ids)[state->element / width];
}

static double cosine(const float *a, const float *b, int width) {
    double both = 0.0;
    double first = 0.0;
    double second = 0.0;
    for (int c = 0; c < width; c++) {
        both += (double)a[c] * (double)b[c];
        first += (double)a[c] * (double)a[c];
        second += (double)b[c] * (double)b[c];
    }
    double lengths = sqrt(first * second);
    return lengths > 0.0 ? both / lengths : 0.0;
}

static void take_neighbour(Cloud *cloud, int v, double near) {
    int n = cloud->n_neighbours;
    bool is_full = n == MAX_NEIGHBOURS;
    if (is_full && near <= cloud->cosines[n - 1]) {
        return;
    }
    int at = is_full ? n - 1 : n;
    for (; at > 0 && cloud->cosines[at - 1] < near; at--) {
        cloud->cosines[at] = cloud->cosines[at - 1];
        cloud->neighbours[at] = cloud->neighbours[at - 1];
    }
    cloud->cosines[at] = near;
    cloud->neighbours[at] = v;
    cloud->n_neighbours = is_full ? n : n + 1;
}

// Compares some more rows with the cursor's; true when all are.
static bool compare_rows(Cloud *cloud, const float *values) {
    int V = cloud->table->shape.sizes[0];
    size_t C = (size_t)cloud->table->shape.sizes[1];
    int end = V - cloud->n_compared < ROWS_AT_ONCE ? V : cloud->n_compared + ROWS_AT_ONCE;
    for (int v = cloud->n_compared; v < end; v++) {
        if (v != cloud->row) {
            take_neighbour(cloud, v,
                           cosine(values + (size_t)v * C, values + (size_t)cloud->row * C, (int)C));
        }
    }
    cloud->n_compared = end;
    return end == V;
}

static void begin(Cloud *cloud, const ViewState *state, const Node *table, int row) {
    bool is_same = state->budget_ms > 0.0 && cloud->table == table &&
                   cloud->n_changes == state->n_changes && cloud->pca.memory != NULL;
    if (!is_same) {
        int V = table->shape.sizes[0];
        cloud->n_points = V < MAX_POINTS ? V : MAX_POINTS;
        bool ok = view_pca_begin(&cloud->pca, tape_values(state->tape, table), cloud->n_points,
                                 table->shape.sizes[1]);
        cloud->table = ok ? table : NULL;
        cloud->n_changes = state->n_changes;
    }
    if (!is_same || cloud->row != row) {
        cloud->row = row;
        cloud->n_compared = 0;
        cloud->n_neighbours = 0;
    }
}

static double part_of(const Cloud *cloud) {
    double compared = (double)cloud->n_compared / cloud->table->shape.sizes[0];
    bool is_done = compared >= 1.0; // however sums of parts are rounded
    return is_done ? 1.0 : 0.7 * view_pca_part(&cloud->pca) + 0.3 * compared;
}

// The axes first, then the neighbours.
static double prepare(void *own, const ViewState *state) {
    Cloud *cloud = own;
    double end_ms = clock_ms() + state->budget_ms;
    const Node *table = table_of(state);
    if (table == NULL) {
        cloud->table = NULL;
        return 0.0;
    }
    begin(cloud, state, table, row_of(state, table));
    if (cloud->table == NULL) {
        return 0.0;
    }
    const float *values = tape_values(state->tape, table);
    bool is_done = false;
    bool goes_on = !state->workspace->is_stopped;
    while (goes_on && !is_done) {
        is_done = view_pca_step(&cloud->pca, cloud->points, cloud->explained) &&
                  compare_rows(cloud, values);
        goes_on = state->budget_ms <= 0.0 || clock_ms() < end_ms;
    }
    return 1.0 - part_of(cloud);
}

// ---- drawing

typedef struct Field {
    Rect rect;
    float min[2], max[2];
} Field;

static Field field_of(const Cloud *cloud, int width, int height) {
    int side = width >= 62 ? SIDE_COLUMNS : 0;
    Field field = {.rect = {1, 1, width - side - 2, height - 3},
                   .min = {INFINITY, INFINITY},
                   .max = {-INFINITY, -INFINITY}};
    for (int i = 0; i < cloud->n_points; i++) {
        for (int axis = 0; axis < 2; axis++) {
            field.min[axis] = fminf(field.min[axis], cloud->points[2 * i + axis]);
            field.max[axis] = fmaxf(field.max[axis], cloud->points[2 * i + axis]);
        }
    }
    return field;
}

static int place_of(float value, float min, float max, int room) {
    return max > min ? (int)lroundf((value - min) / (max - min) * (float)(room - 1)) : room / 2;
}

static void cell_of(const Field *field, const Cloud *cloud, int i, int *x, int *y) {
    int room = field->rect.width - 8; // words stand to the right of their points
    *x = field->rect.x +
         place_of(cloud->points[2 * i], field->min[0], field->max[0], room < 1 ? 1 : room);
    *y = field->rect.y + field->rect.height - 1 -
         place_of(cloud->points[2 * i + 1], field->min[1], field->max[1], field->rect.height);
}

static bool is_neighbour(const Cloud *cloud, int row) {
    bool is_known = cloud->n_compared == cloud->table->shape.sizes[0];
    for (int i = 0; is_known && i < cloud->n_neighbours && i < 3; i++) {
        if (cloud->neighbours[i] == row) {
            return true;
        }
    }
    return false;
}

static bool is_free(const Canvas *canvas, int x, int y, int columns) {
    for (int i = 0; i < columns; i++) {
        const Cell *cell = canvas_cell(canvas, x + i, y);
        if (cell == NULL || strcmp(cell->glyph, " ") != 0) {
            return false;
        }
    }
    return true;
}

static void draw_point(const ViewState *state, Canvas *canvas, const Field *field, int i, int here,
                       bool has_name) {
    const Cloud *cloud = state->own;
    int x = 0;
    int y = 0;
    cell_of(field, cloud, i, &x, &y);
    bool is_here = i == here;
    bool is_near = is_neighbour(cloud, i);
    Style style = is_here ? STYLE_CURSOR : (is_near ? STYLE_SOURCE : STYLE_TEXT);
    char token[VIEW_TOKEN_BYTES];
    char text[VIEW_TOKEN_BYTES + 4];
    view_token(state, i, token);
    snprintf(text, sizeof text, is_here ? "[%s]" : (is_near ? "*%s" : "%s"), token);
    if (has_name || is_here || is_near) {
        int columns = text_columns(text);
        int at = is_here || is_free(canvas, x + 2, y, columns) ? x + 2 : -1;
        canvas_text(canvas, at < 0 ? x : at, y, style, at < 0 ? "" : text);
    }
    canvas_text(canvas, x, y, style, "●");
}

static void draw_neighbours(const ViewState *state, Canvas *canvas, int here) {
    const Cloud *cloud = state->own;
    char token[VIEW_TOKEN_BYTES];
    char text[160];
    view_token(state, here, token);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_NEIGHBOURS), token, NULL,
                   NULL);
    int y = canvas_paragraph(canvas, (Rect){0, 0, canvas->width, 2}, STYLE_HEADING, text);
    for (int i = 0; i < cloud->n_neighbours; i++) {
        canvas_text(canvas, 0, y + i, STYLE_SOURCE, i < 3 ? "*" : " ");
        canvas_text_in(canvas, 2, y + i, 12, ALIGN_LEFT, STYLE_KEY_LABEL,
                       view_token(state, cloud->neighbours[i], token));
        canvas_format(canvas, 14, y + i, STYLE_NUMBER, "%8.4f", cloud->cosines[i]);
    }
}

static void draw_axes(const ViewState *state, Canvas *canvas, const Field *field) {
    const Cloud *cloud = state->own;
    int x = 1;
    for (int axis = 0; axis < 2; axis++) {
        char number[8];
        char percent[16];
        char text[96];
        snprintf(number, sizeof number, "%d", axis + 1);
        snprintf(percent, sizeof percent, "%.1f", 100.0 * cloud->explained[axis]);
        view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_AXIS_PART), number,
                       percent, NULL);
        x = canvas_format(canvas, x, canvas->height - 1, STYLE_DIM, "%s%s", axis == 0 ? "→ " : "↑ ",
                          text) +
            3;
    }
    int V = cloud->table->shape.sizes[0];
    if (cloud->n_points < V) {
        char shown[16];
        char all[16];
        char text[96];
        snprintf(shown, sizeof shown, "%d", cloud->n_points);
        snprintf(all, sizeof all, "%d", V);
        canvas_text(canvas, x, canvas->height - 1, STYLE_DIM,
                    view_text_fill(text, sizeof text,
                                   view_text(state->language, VIEW_TEXT_ROWS_LEFT_OUT), shown, all,
                                   NULL));
    }
    (void)field;
}

static bool fits(const ViewState *state) {
    return table_of(state) != NULL;
}

// How far what is not there yet is.
static void draw_part(const ViewState *state, Canvas *canvas, int y) {
    char percent[16];
    char text[160];
    bool is_stopped = state->workspace->is_stopped;
    snprintf(percent, sizeof percent, "%d %%", (int)(100.0 * part_of(state->own)));
    view_text_fill(text, sizeof text,
                   view_text(state->language, is_stopped ? VIEW_TEXT_LEFT_SO : VIEW_TEXT_AT_WORK),
                   percent, NULL, NULL);
    canvas_paragraph(canvas, (Rect){1, y, canvas->width - 2, canvas->height - y}, STYLE_DIM, text);
}

static void draw(const ViewState *state, Canvas *canvas) {
    const Cloud *cloud = state->own;
    if (cloud == NULL || cloud->table == NULL || cloud->n_points == 0) {
        return;
    }
    int here = row_of(state, cloud->table);
    Field field = field_of(cloud, canvas->width, canvas->height);
    char title[VIEW_TITLE_BYTES];
    snprintf(title, sizeof title, "%s (%d,%d)",
             cloud->table->stage == NULL ? "" : cloud->table->stage, cloud->table->shape.sizes[0],
             cloud->table->shape.sizes[1]);
    canvas_text(canvas, 1, 0, STYLE_HEADING, title);
    if (view_pca_part(&cloud->pca) < 1.0) {
        draw_part(state, canvas, 2);
        return;
    }
    bool has_names = cloud->n_points <= 200;
    for (int pass = 0; pass < 2; pass++) { // the cursor's row lies over the others
        for (int i = 0; i < cloud->n_points; i++) {
            bool is_special = i == here || is_neighbour(cloud, i);
            if (is_special == (pass == 0)) {
                draw_point(state, canvas, &field, i, here, has_names);
            }
        }
    }
    draw_axes(state, canvas, &field);
    if (canvas->width >= 62) {
        Canvas side = canvas_part(canvas, (Rect){canvas->width - SIDE_COLUMNS + 1, 1,
                                                 SIDE_COLUMNS - 2, canvas->height - 2});
        if (cloud->n_compared < cloud->table->shape.sizes[0]) {
            draw_part(state, &side, 0);
        } else {
            draw_neighbours(state, &side, here);
        }
    }
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    const Cloud *cloud = state->own;
    if (cloud == NULL || cloud->table == NULL || view_pca_part(&cloud->pca) < 1.0) {
        return false;
    }
    Field field = field_of(cloud, width, height);
    for (int i = 0; i < cloud->n_points; i++) {
        int at_x = 0;
        int at_y = 0;
        cell_of(&field, cloud, i, &at_x, &at_y);
        if (y == at_y && x >= at_x && x < at_x + 6) {
            *node = cloud->table;
            *element = (size_t)i * (size_t)shape_width(&cloud->table->shape);
            return true;
        }
    }
    return false;
}

const View view_embeddings = {
    .name = "embeddings",
    .titles = {"embeddings", "词向量散点"},
    .needs = {"an embedding: a table or its rows", "嵌入：整张表或其中的行"},
    .min_width = 36,
    .min_height = 8,
    .fits = fits,
    .open = open_cloud,
    .close = close_cloud,
    .prepare = prepare,
    .draw = draw,
    .hit = hit,
};
