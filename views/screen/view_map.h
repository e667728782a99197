// view_map.h - the model as the stages of its one or two towers, read from an executed tape.
#ifndef VIEWS_SCREEN_VIEW_MAP_H
#define VIEWS_SCREEN_VIEW_MAP_H

#include "views/screen/view_matrix.h"
#include "views/screen/view_texts.h"

enum { MAP_ITEMS = 40 };

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
    bool is_in_layer;
    bool is_cross; // reads the other tower
    bool is_here;
} MapItem;

// From the bottom to the top.
typedef struct MapTower {
    MapItem items[MAP_ITEMS];
    int n_items;
    int n_layers, layer; // how many there are, which one shows
} MapTower;

typedef struct Map {
    MapTower towers[2]; // encoder and decoder; of a language model only the second
    bool has_encoder;
    bool has_residual;
    bool norm_comes_first; // in its layers
    const Node *here;      // the forward node that is looked at, or whose gradient is
    bool is_backward;
} Map;

void map_make(Map *map, const ViewState *state);

// What an item is called in so many columns, with a number of its own where it has one; the tokens
// of a bottom one.
void map_item_text(const ViewState *state, const MapItem *item, int columns, char *text,
                   size_t size);

// The forward node behind what is looked at: itself, what it is the gradient of, or the first that
// reads a parameter.
const Node *map_forward_node(const ViewState *state);

// The inside of a scope, as rows of stages.
void map_draw_inside(const ViewState *state, Canvas *canvas, const Scope *scope);
bool map_hit_inside(const ViewState *state, int width, int height, const Scope *scope, int x, int y,
                    const Node **node);

#endif
