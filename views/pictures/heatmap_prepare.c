// heatmap_prepare.c - reads from a tape what a heatmap shows: which stage, layers, heads and
// tokens.
#include "views/pictures/heatmap_prepare.h"
#include "engine/base/plural.h"

#include <assert.h>
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

// The matrices of one kind that were asked for, in the order of the tape.
typedef struct Selection {
    Arena *arena;
    const HeatmapQuery *query;
    const Node *first;       // that matches
    const Node *shown_first; // that has a panel
    const Node *shown_last;
    HeatmapPanel *panels;
    int n_panels, capacity;
    int n_layers, n_heads; // that there are, before the query's choice
    int n_other;
} Selection;

// ---- what a node is

static bool node_matches(const Node *node, const HeatmapQuery *query) {
    if (node_holds_ids(node) || node->stage == NULL || node->stage[0] == '\0') {
        return false;
    }
    if (query->stage == NULL) {
        return node->role == ROLE_ATTENTION_WEIGHTS && node->phase == PHASE_FORWARD;
    }
    return fnmatch(query->stage, node->stage, 0) == 0;
}

// The side of the model it belongs to: the encoder's scope, the decoder's, or neither.
static ScopeKind node_side(const Node *node) {
    for (const Scope *scope = node->scope; scope != NULL; scope = scope->parent) {
        if (scope->kind == SCOPE_ENCODER || scope->kind == SCOPE_DECODER ||
            scope->kind == SCOPE_SOURCE || scope->kind == SCOPE_TARGET) {
            return scope->kind;
        }
    }
    return SCOPE_PLAIN;
}

static ScopeKind node_scope_kind(const Node *node) {
    return node->scope != NULL ? node->scope->kind : SCOPE_PLAIN;
}

// Heads one after the other lie in scopes of their own, numbered within the attention's. -1
// elsewhere.
static int node_own_head(const Node *node) {
    const Scope *scope = node->scope;
    if (scope == NULL || scope->kind != SCOPE_SELF_ATTENTION || scope->parent == NULL ||
        scope->parent->kind != SCOPE_SELF_ATTENTION) {
        return -1;
    }
    return isdigit((unsigned char)scope->name[0]) ? (int)strtol(scope->name, NULL, 10) : -1;
}

// A model of one block has no layers' scopes: its attention is in layer 0.
static int node_layer(const Node *node) {
    int layer = node->scope != NULL ? node->scope->layer : -1;
    bool is_attention = node_scope_kind(node) == SCOPE_SELF_ATTENTION;
    return layer < 0 && is_attention ? 0 : layer;
}

static bool nodes_are_alike(const Node *a, const Node *b) {
    return strcmp(a->name != NULL ? a->name : "", b->name != NULL ? b->name : "") == 0 &&
           a->phase == b->phase && node_scope_kind(a) == node_scope_kind(b) &&
           node_side(a) == node_side(b) && shape_equal(&a->shape, &b->shape);
}

// ---- which matrices

static char axis_letter(const Shape *shape, int axis) {
    char name[4];
    shape_axis_name(shape, axis, name);
    return name[0] != '\0' && name[1] == '\0' ? name[0] : '\0';
}

static void append_panel(Selection *selection, const Node *node, const float *values, int head) {
    const HeatmapQuery *query = selection->query;
    int layer = node_layer(node);
    if (layer + 1 > selection->n_layers) {
        selection->n_layers = layer + 1;
    }
    if (head + 1 > selection->n_heads) {
        selection->n_heads = head + 1;
    }
    if ((query->layer != HEATMAP_ALL && layer != query->layer) ||
        (query->head >= 0 && head != query->head)) {
        return;
    }
    if (selection->n_panels == selection->capacity) {
        int capacity = 2 * selection->capacity + 64;
        HeatmapPanel *panels = arena_allocate(selection->arena, (size_t)capacity * sizeof *panels);
        if (selection->n_panels > 0) {
            memcpy(panels, selection->panels, (size_t)selection->n_panels * sizeof *panels);
        }
        selection->panels = panels;
        selection->capacity = capacity;
    }
    selection->panels[selection->n_panels++] = (HeatmapPanel){values, layer, head};
    selection->shown_first = selection->shown_first != NULL ? selection->shown_first : node;
    selection->shown_last = node;
}

// The last two axes are a matrix; before them there may be the batch and the heads.
static bool append_node(Selection *selection, const Tape *tape, const Node *node, Error *err) {
    const Shape *shape = &node->shape;
    int rank = shape_rank(shape);
    int n_outer = rank > 2 ? rank - 2 : 0;
    int n_heads = 1;
    bool has_heads = false;
    size_t item = 0;
    for (int axis = 0; axis < n_outer; axis++) {
        char letter = axis_letter(shape, axis);
        char sizes[SHAPE_TEXT_BYTES];
        if (letter == 'B' && axis == 0) {
            if (selection->query->item >= shape->sizes[axis]) {
                return error_set(err, "batch item %d: there are %d, counted from 0",
                                 selection->query->item, shape->sizes[axis]);
            }
            item = (size_t)selection->query->item;
        } else if (letter == 'H' && axis == n_outer - 1) {
            n_heads = shape->sizes[axis];
            has_heads = true;
        } else {
            return error_set(err, "%s: expected matrices in a batch and in heads, found shape %s",
                             node->stage, shape_sizes_text(shape, sizes));
        }
    }
    int own_head = node_own_head(node);
    size_t matrix = rank >= 2 ? (size_t)shape->sizes[rank - 2] * (size_t)shape->sizes[rank - 1]
                              : shape_count(shape);
    for (int head = 0; head < n_heads; head++) {
        const float *values =
            tape_values(tape, node) + (item * (size_t)n_heads + (size_t)head) * matrix;
        int shown = own_head >= 0 ? own_head : has_heads ? head : -1;
        append_panel(selection, node, values, shown);
    }
    return true;
}

// Ids match too, but have no place on a scale.
static const Node *whole_numbers(const Tape *tape, const char *stage) {
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        bool has_name = node->stage != NULL && node->stage[0] != '\0';
        if (node_holds_ids(node) && has_name && fnmatch(stage, node->stage, 0) == 0) {
            return node;
        }
    }
    return NULL;
}

static bool none_found(const Selection *selection, const Tape *tape, Error *err) {
    const HeatmapQuery *query = selection->query;
    if (selection->first == NULL && query->stage == NULL) {
        return error_set(err, "this model has no stage of attention weights");
    }
    const Node *ids = selection->first == NULL ? whole_numbers(tape, query->stage) : NULL;
    if (ids != NULL) {
        return error_set(err,
                         "%s holds token ids, which are not quantities, so there is no colour "
                         "scale for them; `attend trace --stage %s` prints them",
                         ids->stage, ids->stage);
    }
    if (selection->first == NULL) {
        const Node *weights = tape_find_role(tape, ROLE_ATTENTION_WEIGHTS, 0);
        return error_set(err, "no stage matches \"%s\"; stages are named like \"%s\"", query->stage,
                         weights != NULL ? weights->stage : "logits");
    }
    const char *stage = selection->first->stage;
    if (query->layer != HEATMAP_ALL && selection->n_layers == 0) {
        return error_set(err, "layer %d: %s lies in no layer", query->layer, stage);
    }
    if (query->layer >= selection->n_layers) {
        return error_set(err, "layer %d: there %s %d layer%s with such a stage, counted from 0",
                         query->layer, selection->n_layers == 1 ? "is" : "are", selection->n_layers,
                         plural(selection->n_layers));
    }
    if (query->head >= 0 && selection->n_heads == 0) {
        return error_set(err, "head %d: %s has no heads", query->head, stage);
    }
    if (query->head >= selection->n_heads) {
        return error_set(err, "head %d: there %s %d head%s, counted from 0", query->head,
                         selection->n_heads == 1 ? "is" : "are", selection->n_heads,
                         plural(selection->n_heads));
    }
    return error_set(err, "%s: no stage that matches lies in layer %d", stage, query->layer);
}

static bool select_panels(Selection *selection, const Tape *tape, Error *err) {
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        if (!node_matches(node, selection->query)) {
            continue;
        }
        if (selection->first == NULL) {
            selection->first = node;
        }
        if (!nodes_are_alike(node, selection->first)) {
            selection->n_other++;
        } else if (!append_node(selection, tape, node, err)) {
            return false;
        }
    }
    return selection->n_panels > 0 || none_found(selection, tape, err);
}

// ---- the mean over heads

// Panels of one layer follow each other, or (heads one after the other) are all in layer 0.
static void average_heads(Selection *selection, size_t matrix) {
    HeatmapPanel *means =
        arena_allocate(selection->arena, (size_t)selection->n_panels * sizeof *means);
    int n_means = 0;
    int begin = 0;
    for (int end = 1; end <= selection->n_panels; end++) {
        int layer = selection->panels[begin].layer;
        if (end < selection->n_panels && selection->panels[end].layer == layer) {
            continue;
        }
        float *mean = arena_allocate(selection->arena, matrix * sizeof *mean);
        for (size_t j = 0; j < matrix; j++) {
            double sum = 0;
            for (int i = begin; i < end; i++) {
                sum += (double)selection->panels[i].values[j];
            }
            mean[j] = (float)(sum / (end - begin));
        }
        means[n_means++] = (HeatmapPanel){mean, layer, -1};
        begin = end;
    }
    selection->panels = means;
    selection->n_panels = n_means;
}

// ---- what stands at the axes

static const char *axis_name(char letter, bool is_attention, bool is_column) {
    if (is_attention) {
        return is_column ? "key" : "query";
    }
    switch (letter) {
    case 'T':
    case 'S':
        return "position";
    case 'C':
    case 'D':
        return "channel";
    case 'F':
        return "hidden unit";
    case 'V':
        return "token";
    case 'H':
        return "head";
    default:
        return is_column ? "column" : "row";
    }
}

static const char *const *numbers(Arena *arena, int n) {
    const char **labels = arena_allocate(arena, (size_t)n * sizeof *labels);
    for (int i = 0; i < n; i++) {
        labels[i] = arena_format(arena, "%d", i);
    }
    return labels;
}

// Tokens along positions of the side that the axis counts, the vocabulary along V, numbers else.
static const char *const *axis_labels(Arena *arena, const Node *node, int axis,
                                      const HeatmapTokens *tokens) {
    int n = node->shape.sizes[axis];
    char letter = axis_letter(&node->shape, axis);
    const Counted counted = node->counts[axis];
    if (letter == 'V' && tokens->vocabulary != NULL && n == tokens->n_vocabulary) {
        return tokens->vocabulary;
    }
    if (counted.ids != NULL) {
        bool is_source = node_side(counted.ids) == SCOPE_SOURCE;
        if (counted.first + n <= (is_source ? tokens->n_source : tokens->n_tokens)) {
            return (is_source ? tokens->source : tokens->tokens) + counted.first;
        }
    }
    return numbers(arena, n);
}

static const char *quantity_name(const Node *node) {
    if (node->phase == PHASE_BACKWARD) {
        return "gradient";
    }
    if (node->role == ROLE_ATTENTION_WEIGHTS) {
        return "attention weight";
    }
    if (node->role == ROLE_SCORES || node->role == ROLE_MASKED_SCORES) {
        return "score";
    }
    return node->name != NULL ? node->name : "value";
}

static void describe_axes(Heatmap *heatmap, Arena *arena, const Node *node,
                          const HeatmapTokens *tokens) {
    const Shape *shape = &node->shape;
    int rank = shape_rank(shape);
    char column = rank >= 1 ? axis_letter(shape, rank - 1) : '\0';
    char row = rank >= 2 ? axis_letter(shape, rank - 2) : '\0';
    heatmap->n_rows = rank >= 2 ? shape->sizes[rank - 2] : 1;
    heatmap->n_columns = rank >= 1 ? shape->sizes[rank - 1] : 1;
    bool is_attention = (row == 'T' || row == 'S') && (column == 'S' || column == 'T');
    heatmap->row_axis = axis_name(row, is_attention, false);
    heatmap->column_axis = axis_name(column, is_attention, true);
    heatmap->row_labels =
        rank >= 2 ? axis_labels(arena, node, rank - 2, tokens) : numbers(arena, heatmap->n_rows);
    heatmap->column_labels =
        rank >= 1 ? axis_labels(arena, node, rank - 1, tokens) : numbers(arena, heatmap->n_columns);
    if (node_crosses(node) && tokens->next != NULL) {
        heatmap->row_next = tokens->next + node->counts[rank - 2].first;
    }
    heatmap->quantity = quantity_name(node);
}

static int count_distinct_layers(const Selection *selection) {
    int n = 1;
    for (int i = 1; i < selection->n_panels; i++) {
        n += selection->panels[i].layer != selection->panels[i - 1].layer;
    }
    return n;
}

bool heatmap_prepare(Heatmap *heatmap, Arena *arena, const Tape *tape, const HeatmapQuery *query,
                     const HeatmapTokens *tokens, int *n_other, Error *err) {
    Selection selection = {.arena = arena, .query = query};
    if (!select_panels(&selection, tape, err)) {
        return false;
    }
    *n_other = selection.n_other;
    const Node *node = selection.first;
    assert(node != NULL && selection.shown_first != NULL); // there is a panel
    describe_axes(heatmap, arena, node, tokens);
    heatmap->n_heads = selection.n_heads;
    heatmap->is_mean = query->head == HEATMAP_MEAN && selection.n_heads > 0;
    if (heatmap->is_mean) {
        average_heads(&selection, (size_t)heatmap->n_rows * (size_t)heatmap->n_columns);
    }
    heatmap->panels = selection.panels;
    heatmap->n_panels = selection.n_panels;
    int n_rows = count_distinct_layers(&selection);
    heatmap->panel_rows = n_rows;
    heatmap->panel_columns = selection.n_panels / n_rows;
    bool is_grid = n_rows > 1 && heatmap->panel_columns > 1 &&
                   heatmap->panel_columns * n_rows == selection.n_panels;
    heatmap->form = selection.n_panels == 1 ? HEATMAP_ONE : is_grid ? HEATMAP_GRID : HEATMAP_HEADS;
    heatmap->stage = selection.shown_first->stage;
    if (selection.shown_last != selection.shown_first) {
        heatmap->stage = arena_format(arena, "%s … %s", selection.shown_first->stage,
                                      selection.shown_last->stage);
    }
    heatmap_scan(heatmap, node->role == ROLE_ATTENTION_WEIGHTS && node->phase == PHASE_FORWARD);
    return true;
}
