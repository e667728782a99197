// view_map_zoom.c - how deep the map shows: the whole model, a layer, an attention or another part.
#include "views/screen/view_depth.h"
#include "views/screen/view_map.h"

bool map_is_cut_of_parameter(const Node *node) {
    return node->op == OP_SLICE_ROWS && node->inputs[0]->op == OP_PARAMETER;
}

static const Node *first_reader(const Tape *tape, const Node *node) {
    for (int i = 0; i < tape->n_forward; i++) {
        const Node *reader = tape->nodes[i];
        for (int k = 0; k < reader->n_inputs; k++) {
            const Node *input = reader->inputs[k];
            bool reads =
                input == node || (node->parameter != NULL && input->parameter == node->parameter);
            if (reads) {
                return reader;
            }
        }
    }
    return node;
}

const Node *map_forward_node(const ViewState *state) {
    const Node *node = state->node;
    if (node == NULL || state->tape == NULL) {
        return NULL;
    }
    if (node->phase == PHASE_BACKWARD) {
        const Node *of = node->of != NULL ? node->of : node->forward;
        node = of != NULL ? of : node;
    }
    if (node->parameter != NULL) {
        node = first_reader(state->tape, node);
    }
    return map_is_cut_of_parameter(node) ? first_reader(state->tape, node) : node;
}

const Scope *map_layer_scope(const Scope *scope) {
    while (scope != NULL && scope->kind != SCOPE_LAYER) {
        scope = scope->parent;
    }
    return scope;
}

const Scope *map_block_scope(const Scope *scope) {
    const Scope *block = NULL; // heads one after the other have scopes of their own within
    for (; scope != NULL; scope = scope->parent) {
        bool is_block = scope->kind == SCOPE_SELF_ATTENTION ||
                        scope->kind == SCOPE_CROSS_ATTENTION || scope->kind == SCOPE_FEED_FORWARD;
        block = is_block ? scope : block;
    }
    return block;
}

static const Scope *scope_here(const ViewState *state) {
    const Node *node = map_forward_node(state);
    return node == NULL ? NULL : node->scope;
}

const Scope *map_zoomed(const ViewState *state) {
    const Scope *zoom = view_depth_scope(state);
    if (zoom == NULL) {
        return NULL;
    }
    const Scope *here = scope_here(state);
    here = map_block_scope(zoom) != NULL ? map_block_scope(here) : map_layer_scope(here);
    return here != NULL ? here : zoom;
}

// Another layer of the same kind as this one, in its tower.
static bool has_others(const ViewState *state, const Scope *layer) {
    for (const Scope *scope = state->tape->root; scope != NULL; scope = scope->next) {
        if (scope->kind == SCOPE_LAYER && scope->parent == layer->parent && scope != layer) {
            return true;
        }
    }
    return false;
}

// A model of one layer shows its inside anyway.
static const Scope *layer_of_several(const ViewState *state, const Scope *scope) {
    const Scope *layer = map_layer_scope(scope);
    return layer != NULL && has_others(state, layer) ? layer : NULL;
}

// What is looked at may lie outside of all layers: then into the first of them.
static const Scope *first_layer(const ViewState *state) {
    for (const Scope *scope = state->tape->root; scope != NULL; scope = scope->next) {
        if (scope->kind == SCOPE_LAYER && layer_of_several(state, scope) != NULL) {
            return scope;
        }
    }
    return NULL;
}

static const Scope *zoom_in(const ViewState *state) {
    const Scope *zoom = map_zoomed(state);
    const Scope *here = scope_here(state);
    if (here == NULL) {
        return zoom;
    }
    const Scope *layer = layer_of_several(state, here);
    if (zoom == NULL && (layer != NULL || map_block_scope(here) == NULL)) {
        return layer != NULL ? layer : first_layer(state);
    }
    const Scope *block = map_block_scope(here);
    return block != NULL ? block : zoom;
}

static const Scope *zoom_out(const ViewState *state) {
    const Scope *zoom = map_zoomed(state);
    return map_block_scope(zoom) == NULL ? NULL : layer_of_several(state, zoom);
}

bool map_turn(void *own, const ViewState *state, bool is_in) {
    return view_depth_set(own, state, is_in ? zoom_in(state) : zoom_out(state));
}
