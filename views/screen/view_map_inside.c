// view_map_inside.c - the inside of an attention or another scope: its stages from the bottom up,
// those of one kind side by side.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "engine/tape/op.h"
#include "views/formulas.h"
#include "views/screen/view_map.h"
#include "views/window.h"

enum { BOX_COLUMNS = 22, BOX_GAP = 2, MAX_ROWS = 32, MAX_ACROSS = 6 };

typedef struct Row {
    const Node *nodes[MAX_ACROSS];
    int n_nodes;
} Row;

typedef struct Inside {
    Row rows[MAX_ROWS]; // from the bottom
    int n_rows;
    int first; // row at the bottom of what shows
    int pitch; // lines from row to row
    int width; // of a box
    int shown;
    const Node *here;
    int here_row;
} Inside;

static bool is_within(const Scope *scope, const Scope *outer) {
    while (scope != NULL && scope != outer) {
        scope = scope->parent;
    }
    return scope != NULL;
}

// q, k and v stand side by side, before and after they are cut into heads.
static bool stands_beside(const Node *node, const Row *row) {
    Role last = row->nodes[row->n_nodes - 1]->role;
    bool is_head = node->role == ROLE_QUERY || node->role == ROLE_KEY || node->role == ROLE_VALUE;
    bool was_head = last == ROLE_QUERY || last == ROLE_KEY || last == ROLE_VALUE;
    bool both = node->role == ROLE_PROJECTION && last == ROLE_PROJECTION;
    return (is_head && was_head) || both;
}

static void list_rows(Inside *inside, const ViewState *state, const Scope *scope) {
    for (int i = 0; i < state->tape->n_forward; i++) {
        const Node *node = state->tape->nodes[i];
        if (node->op == OP_PARAMETER || node->op == OP_SLICE_ROWS ||
            !is_within(node->scope, scope)) {
            continue;
        }
        Row *last = inside->n_rows > 0 ? &inside->rows[inside->n_rows - 1] : NULL;
        if (last != NULL && last->n_nodes < MAX_ACROSS && stands_beside(node, last)) {
            last->nodes[last->n_nodes++] = node;
        } else if (inside->n_rows < MAX_ROWS) {
            inside->rows[inside->n_rows++] = (Row){{node}, 1};
        }
        if (node == inside->here) {
            inside->here_row = inside->n_rows - 1;
        }
    }
}

static void make_inside(Inside *inside, const ViewState *state, const Scope *scope, int width,
                        int height) {
    memset(inside, 0, sizeof *inside);
    inside->here = map_forward_node(state);
    list_rows(inside, state, scope);
    int room = height - 2;
    inside->pitch = inside->n_rows * 3 <= room ? 3 : (inside->n_rows * 2 <= room ? 2 : 1);
    inside->shown = room / inside->pitch;
    inside->first = window_first(inside->here_row, inside->shown, inside->n_rows);
    int fits = (width - 2) / 3 - BOX_GAP;
    inside->width = fits < BOX_COLUMNS ? (fits < 8 ? 8 : fits) : BOX_COLUMNS;
}

static Rect box_of(const Inside *inside, int width, int height, int row, int i) {
    int across = inside->rows[row].n_nodes;
    int total = across * inside->width + (across - 1) * BOX_GAP;
    int x = (width - total) / 2 + i * (inside->width + BOX_GAP);
    int y = height - 1 - (row - inside->first) * inside->pitch - (inside->pitch > 1);
    return (Rect){x, y, inside->width, 1};
}

// How a stage is made, in the letters of its scope.
static const char *how(const Node *node, Language language) {
    if (node->op == OP_LINEAR) {
        return "x·Wᵀ + b";
    }
    if (node->op == OP_MATMUL) {
        bool is_scaled = node->arguments.matmul.scale != 1.0F;
        return node->role == ROLE_CONTEXT ? "weights·v" : (is_scaled ? "q·kᵀ / √D" : "q·kᵀ");
    }
    if (node->op == OP_SPLIT_HEADS) {
        return "B,T,C → B,H,T,D";
    }
    return node->op == OP_MERGE_HEADS ? "B,H,T,D → B,T,C" : formula_op_name(node->op, language);
}

static void draw_stage(const ViewState *state, Canvas *canvas, const Inside *inside, Rect box,
                       const Node *node) {
    bool is_here = node == inside->here;
    bool has_run = state->stepper == NULL || stepper_is_valid(state->stepper, node);
    Style style = has_run ? STYLE_STRONG : STYLE_DIM;
    style = is_here ? STYLE_CURSOR : style;
    char text[96];
    snprintf(text, sizeof text, is_here ? "[%s]" : "%s", view_node_name(node));
    canvas_text_in(canvas, box.x, box.y, box.width, ALIGN_CENTRE, style, text);
    if (inside->pitch > 1) {
        char sizes[SHAPE_TEXT_BYTES];
        canvas_text_in(canvas, box.x, box.y + 1, box.width, ALIGN_CENTRE, STYLE_DIM,
                       inside->pitch > 2 || text_columns(how(node, state->language)) <= box.width
                           ? how(node, state->language)
                           : shape_sizes_text(&node->shape, sizes));
    }
}

void map_draw_inside(const ViewState *state, Canvas *canvas, const Scope *scope) {
    Inside inside;
    make_inside(&inside, state, scope, canvas->width, canvas->height);
    canvas_text(canvas, 1, 0, STYLE_HEADING, scope->path);
    for (int row = inside.first; row < inside.n_rows && row < inside.first + inside.shown; row++) {
        for (int i = 0; i < inside.rows[row].n_nodes; i++) {
            Rect box = box_of(&inside, canvas->width, canvas->height, row, i);
            draw_stage(state, canvas, &inside, box, inside.rows[row].nodes[i]);
        }
        int y = box_of(&inside, canvas->width, canvas->height, row, 0).y - 1;
        if (inside.pitch == 3 && row + 1 < inside.n_rows) {
            canvas_text(canvas, canvas->width / 2, y, STYLE_FORWARD, "↑");
        }
        const Node *node = inside.rows[row].nodes[0];
        assert(node != NULL); // a row begins with its first stage
        char sizes[SHAPE_TEXT_BYTES];
        shape_sizes_text(&node->shape, sizes);
        Rect last =
            box_of(&inside, canvas->width, canvas->height, row, inside.rows[row].n_nodes - 1);
        int room = canvas->width - last.x - last.width - 1;
        if (text_columns(sizes) <= room) {
            canvas_text(canvas, last.x + last.width + 1, last.y, STYLE_DIM, sizes);
        }
        bool has_how = inside.pitch == 1 && 12 + text_columns(how(node, state->language)) <= room;
        if (inside.n_rows > inside.shown || (inside.pitch == 1 && !has_how)) {
            canvas_tell_part(canvas);
        }
        if (has_how) {
            canvas_text(canvas, last.x + last.width + 12, last.y, STYLE_CODE,
                        how(node, state->language));
        }
    }
}

bool map_hit_inside(const ViewState *state, int width, int height, const Scope *scope, int x, int y,
                    const Node **node) {
    Inside inside;
    make_inside(&inside, state, scope, width, height);
    for (int row = inside.first; row < inside.n_rows && row < inside.first + inside.shown; row++) {
        for (int i = 0; i < inside.rows[row].n_nodes; i++) {
            Rect box = box_of(&inside, width, height, row, i);
            bool is_hit = x >= box.x && x < box.x + box.width && y >= box.y &&
                          y < box.y + (inside.pitch > 1 ? 2 : 1);
            if (is_hit) {
                *node = inside.rows[row].nodes[i];
                return true;
            }
        }
    }
    return false;
}
