// view_map_layout.c - where the stages of the map stand.
#include "views/screen/view_map.h"

#include <stdio.h>

enum { NARROW_SCREEN = 72 };

int map_rows(const MapTower *tower, int box_height) {
    int pitch = box_height == 3 ? 4 : 1;
    return tower->n_items * pitch + 2;
}

// Of how many layers there are, which may stand over the bracket beside them.
static int columns_beside(const Map *map) {
    int most = map->towers[1].n_layers;
    most = map->towers[0].n_layers > most ? map->towers[0].n_layers : most;
    char number[16];
    return snprintf(number, sizeof number, "%dx", most);
}

static MapLayout lay_out(const Map *map, int width, int height) {
    MapLayout layout = {.box_height = 1, .note_y = -1};
    int needed = map_rows(&map->towers[1], 3);
    int other = map_rows(&map->towers[0], 3);
    needed = other > needed ? other : needed;
    layout.box_height = needed + 3 <= height ? 3 : 1;
    if (layout.box_height == 1) {
        needed = map_rows(&map->towers[1], 1);
        other = map_rows(&map->towers[0], 1);
        needed = other > needed ? other : needed;
    }
    int n_towers = map->has_encoder ? 2 : 1;
    bool is_narrow = width < NARROW_SCREEN && n_towers == 2;
    int margin = is_narrow ? 3 : 6;
    int beside = columns_beside(map);
    margin = beside > margin ? beside : margin;
    layout.gap = n_towers == 1 ? 0 : (is_narrow ? 7 : 12);
    layout.inset = is_narrow ? 5 : 8;
    int room = (width - layout.gap - 2 * margin) / n_towers;
    layout.width = room > MAP_TOWER ? MAP_TOWER : (room < 14 ? 14 : room);
    int left = (width - n_towers * layout.width - layout.gap) / 2;
    layout.x[0] = left;
    layout.x[1] = map->has_encoder ? left + layout.width + layout.gap : left;
    int spare = height - needed;
    layout.note_y = spare >= 3 ? height - 2 : -1;
    layout.bottom = spare >= 3 ? height - 4 : height - 1;
    return layout;
}

// The frame of the layer takes a row below and one above its items.
int map_row(const MapLayout *layout, const MapTower *tower, int i) {
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
static void scroll_to_here(MapLayout *layout, const Map *map) {
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < map->towers[side].n_items; i++) {
            int row = map_row(layout, &map->towers[side], i);
            if (map->towers[side].items[i].is_here && row < layout->top + 2) {
                layout->bottom += layout->top + 2 - row;
            }
        }
    }
}

static bool is_too_high(const MapTower *tower, int height) {
    return map_rows(tower, 1) > height || tower->n_items == MAP_ITEMS;
}

void map_prepare(Map *map, MapLayout *layout, const ViewState *state, int width, int height) {
    const Scope *zoom = map_zoomed(state);
    int room = zoom != NULL ? 2 * MAP_ITEMS : height; // of the others two stay
    map_make(map, state, false);
    if (is_too_high(&map->towers[0], room) || is_too_high(&map->towers[1], room)) {
        map_make(map, state, true);
    }
    if (zoom != NULL) {
        map_keep_layer(map, zoom);
    }
    int top = zoom != NULL ? 2 : 0;
    *layout = lay_out(map, width, height - top);
    layout->zoom = zoom;
    layout->top = top;
    layout->bottom += top;
    layout->note_y += layout->note_y < 0 ? 0 : top;
    scroll_to_here(layout, map);
}
