// view_map_items.c - the stages of a model's towers, from the scopes and roles of its tape.
#include <stdio.h>
#include <string.h>

#include "views/screen/view_map.h"

static const Scope *within(const Scope *scope, ScopeKind kind) {
    const Scope *found = NULL; // the outermost of that kind
    for (; scope != NULL; scope = scope->parent) {
        found = scope->kind == kind ? scope : found;
    }
    return found;
}

// ---- one item

static bool masks_future(const Tape *tape, const Scope *scope, bool is_self) {
    for (int i = 0; is_self && i < tape->n_forward; i++) {
        const Node *node = tape->nodes[i];
        bool is_causal = (node->op == OP_MASK && node->arguments.mask.causal) ||
                         (node->op == OP_ATTENTION && node->arguments.attention.causal);
        if (is_causal && (node->scope == scope || node->scope->parent == scope)) {
            return true;
        }
    }
    return false;
}

static MapItem scope_item(const Tape *tape, const Scope *scope, const Node *node) {
    MapItem item = {.scope = scope, .first = node, .last = node, .kind = MAP_ATTENTION};
    if (scope->kind == SCOPE_FEED_FORWARD) {
        item.kind = MAP_FEED_FORWARD;
        item.text = VIEW_TEXT_FEED_FORWARD;
        return item;
    }
    item.is_cross = scope->kind == SCOPE_CROSS_ATTENTION;
    item.text = item.is_cross ? VIEW_TEXT_CROSS_ATTENTION : VIEW_TEXT_SELF_ATTENTION;
    if (masks_future(tape, scope, !item.is_cross)) {
        item.text = VIEW_TEXT_MASKED_ATTENTION;
    }
    return item;
}

typedef struct RoleItem {
    Role role;
    MapKind kind;
    ViewTextId text;
} RoleItem;

static const RoleItem ROLE_ITEMS[] = {
    {ROLE_TOKENS, MAP_TOKENS, VIEW_TEXT_TOKENS},
    {ROLE_EMBEDDING, MAP_EMBEDDING, VIEW_TEXT_EMBEDDING},
    {ROLE_POSITIONS, MAP_POSITIONS, VIEW_TEXT_POSITIONS},
    {ROLE_INPUT, MAP_POSITIONS, VIEW_TEXT_POSITIONS},
    {ROLE_RESIDUAL, MAP_ADD, VIEW_TEXT_ADD},
    {ROLE_NORM, MAP_NORM, VIEW_TEXT_NORM},
    {ROLE_MEMORY, MAP_NORM, VIEW_TEXT_NORM},
    {ROLE_DECODER_OUTPUT, MAP_NORM, VIEW_TEXT_NORM},
    {ROLE_HIDDEN, MAP_LINEAR, VIEW_TEXT_LINEAR_PLAIN},
    {ROLE_CONCAT, MAP_LINEAR, VIEW_TEXT_CONCAT},
    {ROLE_POINTS, MAP_EMBEDDING, VIEW_TEXT_COORDINATES},
    {ROLE_FEATURES, MAP_LINEAR, VIEW_TEXT_FEATURES},
    {ROLE_KERNEL, MAP_LINEAR, VIEW_TEXT_KERNEL},
    {ROLE_DECISION, MAP_LINEAR, VIEW_TEXT_DECISION},
    {ROLE_LOGITS, MAP_LOGITS, VIEW_TEXT_LINEAR},
    {ROLE_LOG_PROBABILITIES, MAP_SOFTMAX, VIEW_TEXT_SOFTMAX},
    {ROLE_LOSS, MAP_LOSS, VIEW_TEXT_LOSS},
};

// The states of an LSTM, a word after the other.
static bool is_recurrent(const Node *node) {
    bool is_output = node->role == ROLE_HIDDEN_STATE || node->role == ROLE_MEMORY ||
                     node->role == ROLE_DECODER_OUTPUT;
    return is_output && node->op == OP_CONCAT_STEPS;
}

static bool role_item(const Node *node, MapItem *item) {
    if (is_recurrent(node)) {
        *item = (MapItem){.kind = MAP_LINEAR, .text = VIEW_TEXT_LSTM, .first = node, .last = node};
        return true;
    }
    for (size_t i = 0; i < sizeof ROLE_ITEMS / sizeof ROLE_ITEMS[0]; i++) {
        if (ROLE_ITEMS[i].role == node->role) {
            *item = (MapItem){.kind = ROLE_ITEMS[i].kind,
                              .text = ROLE_ITEMS[i].text,
                              .first = node,
                              .last = node};
            if (node->role == ROLE_LOGITS && node->op == OP_LAYER_NORM) {
                item->text = VIEW_TEXT_NORM_LOGITS;
            }
            if (node->role == ROLE_LOGITS && node->op == OP_CONCAT) {
                item->text = VIEW_TEXT_CLASS_LOGITS;
            }
            if (node->role == ROLE_KERNEL && node->op == OP_MATMUL) {
                item->text = VIEW_TEXT_FEATURE_PRODUCTS;
            }
            return true;
        }
    }
    return false;
}

// ---- the towers

static int tower_of(const Node *node) {
    bool is_encoder = within(node->scope, SCOPE_ENCODER) != NULL ||
                      within(node->scope, SCOPE_SOURCE) != NULL || node->role == ROLE_MEMORY;
    return is_encoder ? 0 : 1;
}

static bool continues(const MapItem *last, const MapItem *item, bool folds) {
    if (item->kind == MAP_LAYERS) {
        return last->kind == MAP_LAYERS && (folds || last->layer == item->layer);
    }
    if (item->scope != NULL) {
        return last->scope == item->scope;
    }
    return last->scope == NULL && last->kind == item->kind && item->kind == MAP_POSITIONS;
}

static void take(MapTower *tower, const MapItem *item, bool folds) {
    MapItem *last = tower->n_items > 0 ? &tower->items[tower->n_items - 1] : NULL;
    if (last != NULL && continues(last, item, folds)) {
        last->last = item->last;
        last->layer_end = item->layer_end;
        last->is_here = last->is_here || item->is_here;
        return;
    }
    bool joins = last != NULL && last->kind == MAP_ADD && item->kind == MAP_NORM &&
                 last->is_in_layer && item->is_in_layer;
    // in a pre-norm layer the next norm belongs to what follows: a norm that ends the tower or is
    // read by another addition is told by where its own scope goes on
    if (joins && item->last->inputs[0] == last->last && item->text == VIEW_TEXT_ADD_NORM) {
        last->kind = MAP_ADD_NORM;
        last->text = VIEW_TEXT_ADD_NORM;
        last->last = item->last;
        last->is_here = last->is_here || item->is_here;
        return;
    }
    if (tower->n_items < MAP_ITEMS) {
        tower->items[tower->n_items] = *item;
        if (item->text == VIEW_TEXT_ADD_NORM) {
            tower->items[tower->n_items].text = VIEW_TEXT_NORM;
        }
        tower->n_items++;
    }
}

static void count_layers(Map *map, const ViewState *state) {
    for (int i = 0; i < state->tape->n_forward; i++) {
        const Node *node = state->tape->nodes[i];
        MapTower *tower = &map->towers[tower_of(node)];
        if (node->op != OP_PARAMETER && node->scope->layer + 1 > tower->n_layers) {
            tower->n_layers = node->scope->layer + 1;
        }
        map->has_encoder = map->has_encoder || within(node->scope, SCOPE_ENCODER) != NULL;
        map->has_blocks = map->has_blocks || within(node->scope, SCOPE_SELF_ATTENTION) != NULL;
        map->has_residual = map->has_residual || node->role == ROLE_RESIDUAL;
    }
    const Node *here = map->here;
    if (here != NULL && here->scope->layer >= 0) {
        map->towers[tower_of(here)].layer = here->scope->layer;
    }
    const Scope *zoom = map_zoomed(state);
    if (zoom != NULL && zoom->layer >= 0) {
        map->towers[within(zoom, SCOPE_ENCODER) != NULL ? 0 : 1].layer = zoom->layer;
    }
}

// Pre-norm: the first stage of a layer is a norm.
static bool norm_comes_first(const Tape *tape) {
    for (int i = 0; i < tape->n_forward; i++) {
        const Node *node = tape->nodes[i];
        if (node->scope->layer >= 0 && node->op != OP_PARAMETER) {
            return node->role == ROLE_NORM;
        }
    }
    return false;
}

static void set_skips(MapTower *tower) {
    int first = -1; // of the items since the last addition
    for (int i = 0; i < tower->n_items; i++) {
        MapItem *item = &tower->items[i];
        if (!item->is_in_layer) {
            first = -1;
            continue;
        }
        bool is_addition = item->kind == MAP_ADD || item->kind == MAP_ADD_NORM;
        if (!is_addition) {
            first = first < 0 ? i : first;
            continue;
        }
        for (int k = first; first >= 0 && k < i; k++) {
            tower->items[k].skip = k == first ? MAP_SKIP_LEAVES : MAP_SKIP_PASSES;
        }
        item->skip = first >= 0 ? MAP_SKIP_ENTERS : MAP_SKIP_NONE;
        first = -1;
    }
}

// A norm that ends a layer's part joins the addition before it, which take() sees to.
static bool find_item(const Map *map, const Tape *tape, const Node *node, MapItem *item) {
    const MapTower *tower = &map->towers[tower_of(node)];
    int layer = node->scope->layer;
    if (node->op == OP_PARAMETER || map_is_cut_of_parameter(node)) {
        return false;
    }
    if (layer >= 0 && layer != tower->layer) {
        *item = (MapItem){.kind = MAP_LAYERS,
                          .text = VIEW_TEXT_LAYER,
                          .first = node,
                          .last = node,
                          .layer = layer,
                          .layer_end = layer + 1};
        return true;
    }
    const Scope *scope = map_block_scope(node->scope);
    if (scope != NULL) {
        *item = scope_item(tape, scope, node);
    } else if (!role_item(node, item)) {
        return false;
    }
    item->is_in_layer = layer >= 0;
    item->is_here = node == map->here;
    if (item->kind == MAP_NORM && item->is_in_layer && !map->norm_comes_first) {
        item->text = VIEW_TEXT_ADD_NORM;
    }
    return true;
}

void map_make(Map *map, const ViewState *state, bool folds) {
    const Tape *tape = state->tape;
    memset(map, 0, sizeof *map);
    map->here = map_forward_node(state);
    map->is_backward = state->node != NULL && state->node->phase != PHASE_FORWARD;
    map->norm_comes_first = norm_comes_first(tape);
    count_layers(map, state);
    for (int i = 0; i < tape->n_forward; i++) {
        MapItem item;
        if (find_item(map, tape, tape->nodes[i], &item)) {
            take(&map->towers[tower_of(tape->nodes[i])], &item, folds);
        }
    }
    set_skips(&map->towers[0]);
    set_skips(&map->towers[1]);
}

void map_keep_layer(Map *map, const Scope *layer) {
    int side = within(layer, SCOPE_ENCODER) != NULL ? 0 : 1;
    MapTower tower = map->towers[side];
    int first = 0;
    int end = tower.n_items;
    while (first < end && !tower.items[first].is_in_layer) {
        first++;
    }
    while (end > first && !tower.items[end - 1].is_in_layer) {
        end--;
    }
    first -= first > 0;
    end += end < tower.n_items;
    tower.n_items = end - first;
    memmove(tower.items, tower.items + first, (size_t)tower.n_items * sizeof tower.items[0]);
    map->towers[1] = tower;
    map->has_encoder = false;
}

// ---- texts

static void token_row(const ViewState *state, const Node *ids, char *text, size_t size) {
    int indices[SHAPE_MAX_RANK] = {0};
    if (state->node != NULL) {
        shape_indices(&state->node->shape, state->element, indices);
    }
    char axis[4] = "";
    if (state->node != NULL && shape_rank(&state->node->shape) > 0) {
        shape_axis_name(&state->node->shape, 0, axis);
    }
    int item = strcmp(axis, "B") == 0 && indices[0] < ids->shape.sizes[0] ? indices[0] : 0;
    size_t length = 0;
    text[0] = '\0';
    for (int t = 0; t < ids->shape.sizes[1] && length + 1 < size; t++) {
        char token[VIEW_TOKEN_BYTES];
        view_token(state, tape_ids(state->tape, ids)[item * ids->shape.sizes[1] + t], token);
        length += (size_t)snprintf(text + length, size - length, "%s%s", t > 0 ? " " : "", token);
    }
}

static ViewTextId shorter(ViewTextId id) {
    if (id == VIEW_TEXT_SELF_ATTENTION) {
        return VIEW_TEXT_SELF_SHORT;
    }
    if (id == VIEW_TEXT_MASKED_ATTENTION) {
        return VIEW_TEXT_MASKED_SHORT;
    }
    if (id == VIEW_TEXT_NORM_LOGITS) {
        return VIEW_TEXT_NORM;
    }
    if (id == VIEW_TEXT_LINEAR) {
        return VIEW_TEXT_LINEAR_PLAIN;
    }
    return id == VIEW_TEXT_CROSS_ATTENTION ? VIEW_TEXT_CROSS_SHORT : id;
}

void map_item_text(const ViewState *state, const MapItem *item, int columns, char *text,
                   size_t size) {
    const char *name = view_text(state->language, item->text);
    if (text_columns(name) > columns) {
        name = view_text(state->language, shorter(item->text));
    }
    if (item->kind == MAP_TOKENS) {
        token_row(state, item->first, text, size);
        return;
    }
    if (item->kind == MAP_LAYERS) {
        bool is_one = item->layer + 1 == item->layer_end;
        char first[16];
        char last[16];
        snprintf(first, sizeof first, "%d", item->layer);
        snprintf(last, sizeof last, "%d", item->layer_end - 1);
        name = view_text(state->language, is_one ? VIEW_TEXT_LAYER : VIEW_TEXT_LAYERS);
        view_text_fill(text, size, name, first, last, NULL);
        return;
    }
    bool has_run = state->stepper == NULL || stepper_is_valid(state->stepper, item->last);
    if (item->kind == MAP_LOSS && has_run) {
        snprintf(text, size, "%s %.4f", name, tape_number(state->tape, item->last, 0));
        return;
    }
    snprintf(text, size, "%s", name);
}

void map_widths_text(const ViewState *state, const MapItem *item, char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; item->scope != NULL && i < state->tape->n_forward; i++) {
        const Node *node = state->tape->nodes[i];
        int heads = shape_find_axis(&node->shape, 'H');
        int width = shape_find_axis(&node->shape, 'D');
        int hidden = shape_find_axis(&node->shape, 'F');
        bool is_inside = map_block_scope(node->scope) == item->scope && node->op != OP_PARAMETER;
        if (is_inside && heads >= 0 && width >= 0) {
            snprintf(text, size, "H %d D %d", node->shape.sizes[heads], node->shape.sizes[width]);
            return;
        }
        if (is_inside && hidden >= 0) {
            snprintf(text, size, "F %d", node->shape.sizes[hidden]);
            return;
        }
    }
}
