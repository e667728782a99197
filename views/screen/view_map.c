// view_map.c - the paper's Figure 1 for the whole model, as it was executed: the encoder's tower,
// the decoder's, what crosses, and the place that is looked at (Vaswani et al. 2017).
#include "views/screen/view_map.h"

#include <stdio.h>
#include <string.h>

#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { WIDE_TOWER = 34, NARROW_SCREEN = 72 };

typedef struct Layout {
    int box_height; // 1: lines within the frame of a layer; 3: boxes with arrows between
    int width;      // of a tower
    int x[2];
    int bottom; // the lowest row
    int gap;    // between the towers
    int inset;  // of the items in their tower, left and right together
    int note_y; // from here on there is room for a sentence; -1: none
} Layout;

static int rows_of(const MapTower *tower, int box_height) {
    int pitch = box_height == 3 ? 4 : 1;
    return tower->n_items * pitch + 2;
}

static Layout lay_out(const Map *map, int width, int height) {
    Layout layout = {.box_height = 1, .note_y = -1};
    int needed = rows_of(&map->towers[1], 3);
    int other = rows_of(&map->towers[0], 3);
    needed = other > needed ? other : needed;
    layout.box_height = needed + 3 <= height ? 3 : 1;
    if (layout.box_height == 1) {
        needed = rows_of(&map->towers[1], 1);
        other = rows_of(&map->towers[0], 1);
        needed = other > needed ? other : needed;
    }
    int n_towers = map->has_encoder ? 2 : 1;
    bool is_narrow = width < NARROW_SCREEN && n_towers == 2;
    int margin = is_narrow ? 3 : 6;
    layout.gap = n_towers == 1 ? 0 : (is_narrow ? 7 : 12);
    layout.inset = is_narrow ? 5 : 8;
    int room = (width - layout.gap - 2 * margin) / n_towers;
    layout.width = room > WIDE_TOWER ? WIDE_TOWER : (room < 14 ? 14 : room);
    int left = (width - n_towers * layout.width - layout.gap) / 2;
    layout.x[0] = left;
    layout.x[1] = map->has_encoder ? left + layout.width + layout.gap : left;
    int spare = height - needed;
    layout.note_y = spare >= 3 ? height - 2 : -1;
    layout.bottom = spare >= 3 ? height - 4 : height - 1;
    return layout;
}

// Where an item's text stands: the frame of the layer takes a row below and one above its items.
static int row_of(const Layout *layout, const MapTower *tower, int i) {
    int pitch = layout->box_height == 3 ? 4 : 1;
    int row = layout->bottom - i * pitch - (layout->box_height == 3 ? 1 : 0);
    for (int k = 0; k <= i; k++) {
        bool enters = tower->items[k].is_in_layer && (k == 0 || !tower->items[k - 1].is_in_layer);
        bool leaves = k > 0 && !tower->items[k].is_in_layer && tower->items[k - 1].is_in_layer;
        row -= enters || leaves;
    }
    return row;
}

// Where there is no room for all, what is looked at has to show.
static void scroll_to_here(Layout *layout, const Map *map) {
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < map->towers[side].n_items; i++) {
            int row = row_of(layout, &map->towers[side], i);
            if (map->towers[side].items[i].is_here && row < 2) {
                layout->bottom += 2 - row;
            }
        }
    }
}

static const Node *shown_node(const MapItem *item) {
    return item->last;
}

static Style style_of(const ViewState *state, const Map *map, const MapItem *item) {
    if (item->is_here) {
        return map->is_backward ? STYLE_SOURCE : STYLE_CURSOR;
    }
    bool has_run = state->stepper == NULL || stepper_is_valid(state->stepper, shown_node(item));
    if (!has_run) {
        return STYLE_DIM;
    }
    switch (item->kind) {
    case MAP_ATTENTION:
    case MAP_FEED_FORWARD:
        return STYLE_STRONG;
    case MAP_TOKENS:
        return STYLE_QUERY_LABEL;
    case MAP_LOSS:
        return STYLE_HEADING;
    case MAP_EMBEDDING:
    case MAP_POSITIONS:
    case MAP_ADD:
    case MAP_NORM:
    case MAP_ADD_NORM:
    case MAP_LINEAR:
    case MAP_LOGITS:
    case MAP_SOFTMAX:
        break;
    }
    return STYLE_TEXT;
}

// ---- one tower

static void draw_skip(Canvas *canvas, int x, int y, MapSkip skip) {
    bool ascii = canvas->ascii;
    switch (skip) {
    case MAP_SKIP_NONE:
        return;
    case MAP_SKIP_LEAVES:
        canvas_text(canvas, x, y, STYLE_FORWARD, ascii ? "+-" : "└─");
        return;
    case MAP_SKIP_PASSES:
        canvas_text(canvas, x, y, STYLE_FORWARD, ascii ? "|" : "│");
        return;
    case MAP_SKIP_ENTERS:
        canvas_text(canvas, x, y, STYLE_FORWARD, ascii ? "+>" : "┌▸");
        return;
    }
}

// Between the boxes of two items the residual goes on where neither ends it.
static void draw_skip_between(Canvas *canvas, int x, int y) {
    for (int k = 1; k < 4; k++) {
        canvas_text(canvas, x, y - k, STYLE_FORWARD, canvas->ascii ? "|" : "│");
    }
}

static void draw_item(const ViewState *state, Canvas *canvas, const Map *map, const Layout *layout,
                      int side, int i) {
    const MapTower *tower = &map->towers[side];
    const MapItem *item = &tower->items[i];
    int y = row_of(layout, tower, i);
    int x = layout->x[side] + 4;
    int width = layout->width - layout->inset;
    char text[160];
    map_item_text(state, item, width - 2 * item->is_here, text, sizeof text);
    Style style = style_of(state, map, item);
    if (layout->box_height == 3) {
        canvas_box(canvas, (Rect){x - 1, y - 1, width + 2, 3},
                   item->is_here ? STYLE_FOCUS : STYLE_BORDER, NULL, NULL);
        if (i + 1 < tower->n_items) {
            int above = row_of(layout, tower, i + 1);
            canvas_text(canvas, x + width / 2, above + 2, STYLE_FORWARD,
                        map->is_backward ? "↓" : "↑");
        }
    }
    canvas_text_in(canvas, x, y, width, ALIGN_CENTRE, style, text);
    if (item->is_here) {
        canvas_text(canvas, x, y, style, "[");
        canvas_text(canvas, x + width - 1, y, style, "]");
    }
    int skip_x = layout->x[side] + 2 - (layout->box_height == 3 ? 1 : 0);
    draw_skip(canvas, skip_x, y, item->skip);
    if (layout->box_height == 3 &&
        (item->skip == MAP_SKIP_LEAVES || item->skip == MAP_SKIP_PASSES)) {
        draw_skip_between(canvas, skip_x, y);
    }
}

// The frame around the items of a layer, with how often it comes.
static void draw_frame(const ViewState *state, Canvas *canvas, const Map *map, const Layout *layout,
                       int side) {
    const MapTower *tower = &map->towers[side];
    int first = -1;
    int last = -1;
    for (int i = 0; i < tower->n_items; i++) {
        first = tower->items[i].is_in_layer && first < 0 ? i : first;
        last = tower->items[i].is_in_layer ? i : last;
    }
    if (first < 0) {
        return;
    }
    int margin = layout->box_height == 3 ? 2 : 1;
    int top = row_of(layout, tower, last) - margin;
    int bottom = row_of(layout, tower, first) + margin;
    char number[16];
    char text[64];
    snprintf(number, sizeof number, "%d", tower->layer);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_LAYER), number, NULL,
                   NULL);
    canvas_box(canvas, (Rect){layout->x[side], top, layout->width, bottom - top + 1}, STYLE_BORDER,
               map->has_encoder
                   ? view_text(state->language, side == 0 ? VIEW_TEXT_ENCODER : VIEW_TEXT_DECODER)
                   : text,
               tower->n_layers > 1 && map->has_encoder ? text : NULL);
    int x = side == 0 && map->has_encoder ? layout->x[0] - 3 : layout->x[side] + layout->width + 1;
    canvas_format(canvas, x, (top + bottom) / 2, STYLE_HEADING, "%d×", tower->n_layers);
}

// ---- what crosses: from the top of the encoder into every attention that reads it

static void draw_crossing(Canvas *canvas, const Map *map, const Layout *layout) {
    const MapTower *encoder = &map->towers[0];
    const MapTower *decoder = &map->towers[1];
    if (!map->has_encoder || encoder->n_items == 0) {
        return;
    }
    int from_y = row_of(layout, encoder, encoder->n_items - 1);
    int left = layout->x[0] + layout->width - (layout->box_height == 3 ? 3 : 5);
    int turn = layout->x[1] - 3;
    bool ascii = canvas->ascii;
    for (int i = 0; i < decoder->n_items; i++) {
        if (!decoder->items[i].is_cross) {
            continue;
        }
        int to_y = row_of(layout, decoder, i);
        canvas_line_across(canvas, left, from_y, turn - left, STYLE_KEY_LABEL);
        int top = from_y < to_y ? from_y : to_y;
        int bottom = from_y < to_y ? to_y : from_y;
        canvas_line_down(canvas, turn, top, bottom - top + 1, STYLE_KEY_LABEL);
        if (from_y != to_y) {
            canvas_text(canvas, turn, from_y, STYLE_KEY_LABEL,
                        ascii ? "+" : (from_y < to_y ? "┐" : "┘"));
            canvas_text(canvas, turn, to_y, STYLE_KEY_LABEL,
                        ascii ? "+" : (from_y < to_y ? "└" : "┌"));
        }
        canvas_line_across(canvas, turn + 1, to_y, layout->x[1] - turn - 1, STYLE_KEY_LABEL);
        canvas_text(canvas, layout->x[1], to_y, STYLE_KEY_LABEL, "▸");
        canvas_text(canvas, left + 2, from_y - 1, STYLE_KEY_LABEL, "k, v");
    }
}

// ---- words beside

static void draw_notes(const ViewState *state, Canvas *canvas, const Map *map,
                       const Layout *layout) {
    if (layout->note_y < 0) {
        return;
    }
    int x = 1;
    if (state->node != NULL) {
        ViewTextId here = map->is_backward ? VIEW_TEXT_BACKWARD_HERE : VIEW_TEXT_HERE;
        x = canvas_format(canvas, x, layout->note_y, STYLE_CURSOR, "[%s]",
                          view_text(state->language, here));
        x = canvas_text(canvas, x + 1, layout->note_y, STYLE_CODE,
                        state->node->stage == NULL ? "" : state->node->stage);
    }
    ViewTextId order = map->norm_comes_first ? VIEW_TEXT_PRE_NORM : VIEW_TEXT_POST_NORM;
    order = map->has_residual ? order : VIEW_TEXT_NO_RESIDUAL;
    if (!map->has_residual || map->towers[1].n_layers > 0) {
        canvas_text(canvas, x + 2, layout->note_y, STYLE_DIM, view_text(state->language, order));
    }
    if (state->node != NULL) {
        canvas_text_in(canvas, 1, layout->note_y + 1, canvas->width - 2, ALIGN_LEFT, STYLE_TEXT,
                       sentence_for_node(state->node, state->language));
    }
}

static bool fits(const ViewState *state) {
    return state->tape != NULL && state->tape->n_forward > 0;
}

static void draw(const ViewState *state, Canvas *canvas) {
    if (state->zoom != NULL) {
        map_draw_inside(state, canvas, state->zoom);
        return;
    }
    Map map;
    map_make(&map, state);
    Layout layout = lay_out(&map, canvas->width, canvas->height);
    scroll_to_here(&layout, &map);
    for (int side = map.has_encoder ? 0 : 1; side < 2; side++) {
        draw_frame(state, canvas, &map, &layout, side);
    }
    for (int side = map.has_encoder ? 0 : 1; side < 2; side++) {
        for (int i = 0; i < map.towers[side].n_items; i++) {
            draw_item(state, canvas, &map, &layout, side, i);
        }
    }
    draw_crossing(canvas, &map, &layout);
    draw_notes(state, canvas, &map, &layout);
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    *element = 0;
    if (state->zoom != NULL) {
        return map_hit_inside(state, width, height, state->zoom, x, y, node);
    }
    Map map;
    map_make(&map, state);
    Layout layout = lay_out(&map, width, height);
    scroll_to_here(&layout, &map);
    for (int side = map.has_encoder ? 0 : 1; side < 2; side++) {
        bool is_inside = x >= layout.x[side] && x < layout.x[side] + layout.width;
        for (int i = 0; is_inside && i < map.towers[side].n_items; i++) {
            int row = row_of(&layout, &map.towers[side], i);
            if (y >= row - layout.box_height / 2 && y <= row + layout.box_height / 2) {
                *node = map.towers[side].items[i].first;
                return true;
            }
        }
    }
    return false;
}

const Scope *view_map_zoom_in(const ViewState *state) {
    const Node *node = map_forward_node(state);
    const Scope *scope = node == NULL ? NULL : node->scope;
    while (scope != NULL && scope->kind != SCOPE_SELF_ATTENTION &&
           scope->kind != SCOPE_CROSS_ATTENTION && scope->kind != SCOPE_FEED_FORWARD) {
        scope = scope->parent;
    }
    return scope != NULL ? scope : state->zoom;
}

const Scope *view_map_zoom_out(const ViewState *state) {
    (void)state;
    return NULL;
}

static void measure(const ViewState *state, int *width, int *height) {
    Map map;
    map_make(&map, state);
    int needed = rows_of(&map.towers[1], 3);
    int other = rows_of(&map.towers[0], 3);
    *width = 2 * WIDE_TOWER + 24;
    *height = (other > needed ? other : needed) + 4;
}

const View view_map = {
    .name = "map",
    .titles = {"map", "全图"},
    .min_width = 46,
    .min_height = 8,
    .fits = fits,
    .draw = draw,
    .hit = hit,
    .measure = measure,
};
