// view_map.h - the model as the stages of its one or two towers, read from an executed tape.
#ifndef VIEWS_SCREEN_VIEW_MAP_H
#define VIEWS_SCREEN_VIEW_MAP_H

#include "views/screen/view_matrix.h"
#include "views/screen/view_texts.h"

enum { MAP_ITEMS = 40, MAP_TOWER = 34 }; // columns of a tower where there is room

typedef enum MapKind {
    MAP_TOKENS,
    MAP_EMBEDDING,
    MAP_POSITIONS,
    MAP_ATTENTION,
    MAP_FEED_FORWARD,
    MAP_ADD,
    MAP_NORM,
    MAP_ADD_NORM, // an addition and the norm right after it
    MAP_LINEAR,
    MAP_LOGITS,
    MAP_SOFTMAX,
    MAP_LOSS,
    MAP_LAYERS, // those that do not show their inside
} MapKind;

// How a residual runs past an item: it leaves the main way below the first and comes back at the
// addition.
typedef enum MapSkip { MAP_SKIP_NONE, MAP_SKIP_LEAVES, MAP_SKIP_PASSES, MAP_SKIP_ENTERS } MapSkip;

typedef struct MapItem {
    MapKind kind;
    ViewTextId text;
    const Scope *scope;       // of attention and feed-forward; NULL: an item of single nodes
    const Node *first, *last; // of its nodes
    MapSkip skip;
    int layer, layer_end; // of MAP_LAYERS: the first and one more than the last
    bool is_in_layer;     // of the layer that shows its inside
    bool is_cross;        // reads the other tower
    bool is_here;
} MapItem;

// From the bottom to the top. One layer shows its inside, the others stand above and below it.
typedef struct MapTower {
    MapItem items[MAP_ITEMS];
    int n_items;
    int n_layers, layer; // how many there are, which one shows its inside
} MapTower;

typedef struct Map {
    MapTower towers[2]; // encoder and decoder; of a language model only the second
    bool has_encoder;
    bool has_blocks; // of self-attention, which residual connections and norms belong to
    bool has_residual;
    bool norm_comes_first; // in its layers
    const Node *here;      // the forward node that is looked at, or whose gradient is
    bool is_backward;
} Map;

// folds: the layers below the one that shows its inside are one item, those above it another.
void map_make(Map *map, const ViewState *state, bool folds);

// Leaves one tower with the items of one layer, and one below and one above them.
void map_keep_layer(Map *map, const Scope *layer);

// What an item is called in so many columns, with a number of its own where it has one; the tokens
// of a bottom one.
void map_item_text(const ViewState *state, const MapItem *item, int columns, char *text,
                   size_t size);

// How wide an item is inside, in the letters of its axes: "H 3 D 16", "F 192"; "" where it has no
// inside.
void map_widths_text(const ViewState *state, const MapItem *item, char *text, size_t size);

// ---- view_map_layout.c
typedef struct MapLayout {
    int box_height; // 1: lines within the frame of a layer; 3: boxes with arrows between
    int width;      // of a tower
    int x[2];
    int bottom;        // the lowest row
    int gap;           // between the towers
    int inset;         // of the items in their tower, left and right together
    int note_y;        // from here on there is room for a sentence; -1: none
    int top;           // rows above the map
    const Scope *zoom; // the layer that alone shows; NULL: all of the model
} MapLayout;

// All layers where there is room for them, else folded; of a layer that was zoomed into only that,
// below a title.
void map_prepare(Map *map, MapLayout *layout, const ViewState *state, int width, int height);

// Where the text of item i of a tower stands; how many rows a tower takes.
int map_row(const MapLayout *layout, const MapTower *tower, int i);
int map_rows(const MapTower *tower, int box_height);

// ---- view_map_zoom.c
// The forward node behind what is looked at: itself, what it is the gradient of, or the first that
// reads a parameter.
const Node *map_forward_node(const ViewState *state);

// Rows of a parameter belong to it: no step of their own.
bool map_is_cut_of_parameter(const Node *node);

// The scope of the layer that a scope is or lies in; NULL: none.
const Scope *map_layer_scope(const Scope *scope);

// The attention or feed-forward that it is or lies in; NULL: none.
const Scope *map_block_scope(const Scope *scope);

// What the map shows the inside of: as deep as it was turned, around what is looked at.
const Scope *map_zoomed(const ViewState *state);

// Into the scope that holds the current node, or out of it.
bool map_turn(void *own, const ViewState *state, bool is_in);

// ---- view_map_inside.c
// The inside of a scope, as rows of stages.
void map_draw_inside(const ViewState *state, Canvas *canvas, const Scope *scope);
bool map_hit_inside(const ViewState *state, int width, int height, const Scope *scope, int x, int y,
                    const Node **node);

#endif
