// view_map.c - the paper's Figure 1 for the whole model, as it was executed: the encoder's tower,
// the decoder's, what crosses, and the place that is looked at (Vaswani et al. 2017).
#include "views/screen/view_depth.h"
#include "views/screen/view_map.h"

#include <stdio.h>
#include <string.h>

#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

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
    case MAP_LAYERS:
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

static void draw_item(const ViewState *state, Canvas *canvas, const Map *map,
                      const MapLayout *layout, int side, int i) {
    const MapTower *tower = &map->towers[side];
    const MapItem *item = &tower->items[i];
    int y = map_row(layout, tower, i);
    int x = layout->x[side] + 4;
    int width = layout->width - layout->inset;
    char text[160];
    map_item_text(state, item, width - 2 * item->is_here, text, sizeof text);
    Style style = style_of(state, map, item);
    if (layout->box_height == 3) {
        canvas_box(canvas, (Rect){x - 1, y - 1, width + 2, 3},
                   item->is_here ? STYLE_FOCUS : STYLE_BORDER, NULL, NULL);
        if (i + 1 < tower->n_items) {
            int above = map_row(layout, tower, i + 1);
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

static bool is_in_stack(const MapItem *item) {
    return item->is_in_layer || item->kind == MAP_LAYERS;
}

// Beside all layers: how many there are.
static void draw_bracket(Canvas *canvas, const Map *map, const MapLayout *layout, int side) {
    const MapTower *tower = &map->towers[side];
    int first = -1;
    int last = -1;
    for (int i = 0; i < tower->n_items; i++) {
        first = is_in_stack(&tower->items[i]) && first < 0 ? i : first;
        last = is_in_stack(&tower->items[i]) ? i : last;
    }
    if (first < 0) {
        return;
    }
    int box = layout->box_height == 3;
    int top = map_row(layout, tower, last) - box - tower->items[last].is_in_layer;
    int bottom = map_row(layout, tower, first) + box + tower->items[first].is_in_layer;
    bool is_left = side == 0 && map->has_encoder;
    int x = is_left ? layout->x[0] - 2 : layout->x[side] + layout->width + 1;
    int middle = (top + bottom) / 2;
    bool ascii = canvas->ascii;
    if (tower->n_layers > 1) {
        canvas_line_down(canvas, x, top, bottom - top + 1, STYLE_HEADING);
        canvas_text(canvas, x, top, STYLE_HEADING, ascii ? "+" : (is_left ? "┌" : "┐"));
        canvas_text(canvas, x, bottom, STYLE_HEADING, ascii ? "+" : (is_left ? "└" : "┘"));
    }
    char number[16];
    snprintf(number, sizeof number, "%d×", tower->n_layers);
    int columns = text_columns(number);
    int number_x = tower->n_layers == 1 ? x - is_left : (is_left ? x - columns : x + 2);
    int last_x = canvas->width - columns; // the bracket gives way to the whole number
    number_x = number_x > last_x ? last_x : number_x;
    canvas_text(canvas, number_x < 0 ? 0 : number_x, middle, STYLE_HEADING, number);
}

// The frame around the items of the layer that shows its inside.
static void draw_frame(const ViewState *state, Canvas *canvas, const Map *map,
                       const MapLayout *layout, int side) {
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
    int top = map_row(layout, tower, last) - margin;
    int bottom = map_row(layout, tower, first) + margin;
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
}

// ---- one layer alone: its scope, and the shape of what leaves each part

static void draw_layer(const ViewState *state, Canvas *canvas, const Map *map,
                       const MapLayout *layout) {
    const MapTower *tower = &map->towers[1];
    char number[16];
    char count[16];
    char text[96];
    snprintf(number, sizeof number, "%d", layout->zoom->layer);
    snprintf(count, sizeof count, "%d", tower->n_layers);
    int x = canvas_text(canvas, 1, 0, STYLE_HEADING, layout->zoom->path);
    canvas_text(canvas, x + 2, 0, STYLE_DIM,
                view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_LAYER_OF),
                               number, count, NULL));
    for (int i = 0; i < tower->n_items; i++) {
        const MapItem *item = &tower->items[i];
        int y = map_row(layout, tower, i);
        if (y < layout->top) {
            continue;
        }
        char sizes[SHAPE_TEXT_BYTES];
        x = canvas_text(canvas, layout->x[1] + layout->width + 2, y, STYLE_DIM,
                        shape_sizes_text(&item->last->shape, sizes));
        map_widths_text(state, item, text, sizeof text);
        if (x + 2 < canvas->width) {
            canvas_text(canvas, x + 2, y, STYLE_CODE, text);
        } else {
            canvas_tell_part(canvas);
        }
        if (item->is_cross) {
            canvas_text(canvas, layout->x[1] - 7, y, STYLE_KEY_LABEL, "k, v ─▸");
        }
    }
}

// ---- what crosses: from the top of the encoder into every attention that reads it

static void draw_crossing(Canvas *canvas, const Map *map, const MapLayout *layout) {
    const MapTower *encoder = &map->towers[0];
    const MapTower *decoder = &map->towers[1];
    if (!map->has_encoder || encoder->n_items == 0) {
        return;
    }
    int from_y = map_row(layout, encoder, encoder->n_items - 1);
    int left = layout->x[0] + layout->width - (layout->box_height == 3 ? 3 : 5);
    int turn = layout->x[1] - 3;
    bool ascii = canvas->ascii;
    for (int i = 0; i < decoder->n_items; i++) {
        if (!decoder->items[i].is_cross) {
            continue;
        }
        int to_y = map_row(layout, decoder, i);
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

static bool is_blank(const Canvas *canvas, int columns, int y) {
    for (int x = 0; x < columns; x++) {
        const Cell *cell = canvas_cell(canvas, x, y);
        if (cell == NULL || strcmp(cell->glyph, " ") != 0) {
            return false;
        }
    }
    return true;
}

// In the first line where the map, which is drawn, leaves room for it.
static void draw_parameters(const ViewState *state, Canvas *canvas) {
    char number[24];
    char text[64];
    snprintf(number, sizeof number, "%zu", params_count(state->tape->params));
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_PARAMETERS), number,
                   NULL, NULL);
    int y = 0;
    while (y < canvas->height && !is_blank(canvas, text_columns(text) + 2, y)) {
        y++;
    }
    if (y < canvas->height) {
        canvas_text(canvas, 1, y, STYLE_DIM, text);
    } else {
        canvas_tell_part(canvas);
    }
}

static void draw_notes(const ViewState *state, Canvas *canvas, const Map *map,
                       const MapLayout *layout) {
    if (layout->note_y < 0) {
        canvas_tell_part(canvas);
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
    if (map->has_blocks && (!map->has_residual || map->towers[1].n_layers > 0)) {
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
    const Scope *zoom = map_zoomed(state);
    if (map_block_scope(zoom) != NULL) {
        map_draw_inside(state, canvas, zoom);
        return;
    }
    Map map;
    MapLayout layout;
    map_prepare(&map, &layout, state, canvas->width, canvas->height);
    for (int side = map.has_encoder ? 0 : 1; side < 2; side++) {
        draw_frame(state, canvas, &map, &layout, side);
        if (zoom == NULL) {
            draw_bracket(canvas, &map, &layout, side);
        }
    }
    for (int side = map.has_encoder ? 0 : 1; side < 2; side++) {
        for (int i = 0; i < map.towers[side].n_items; i++) {
            draw_item(state, canvas, &map, &layout, side, i);
        }
    }
    draw_crossing(canvas, &map, &layout);
    if (zoom != NULL) {
        draw_layer(state, canvas, &map, &layout);
    }
    draw_notes(state, canvas, &map, &layout);
    if (zoom == NULL) {
        draw_parameters(state, canvas);
    }
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    *element = 0;
    const Scope *zoom = map_zoomed(state);
    if (map_block_scope(zoom) != NULL) {
        return map_hit_inside(state, width, height, zoom, x, y, node);
    }
    Map map;
    MapLayout layout;
    map_prepare(&map, &layout, state, width, height);
    for (int side = map.has_encoder ? 0 : 1; side < 2; side++) {
        bool is_inside = x >= layout.x[side] && x < layout.x[side] + layout.width;
        for (int i = 0; is_inside && i < map.towers[side].n_items; i++) {
            int row = map_row(&layout, &map.towers[side], i);
            if (y >= row - layout.box_height / 2 && y <= row + layout.box_height / 2) {
                *node = map.towers[side].items[i].first;
                return true;
            }
        }
    }
    return false;
}

static void measure(const ViewState *state, int *width, int *height) {
    Map map;
    map_make(&map, state, false);
    int needed = map_rows(&map.towers[1], 3);
    int other = map_rows(&map.towers[0], 3);
    *width = 2 * MAP_TOWER + 24;
    *height = (other > needed ? other : needed) + 4;
}

const View view_map = {
    .name = "map",
    .titles = {"map", "全图"},
    .needs = {"a model that is open: :open", "一个打开的模型：:open"},
    .min_width = 46,
    .min_height = 8,
    .is_whole = true,
    .fits = fits,
    .draw = draw,
    .hit = hit,
    .measure = measure,
    .open = view_depth_open,
    .close = view_depth_close,
    .turn = map_turn,
    .subject = VIEW_OF_MAP,
};
