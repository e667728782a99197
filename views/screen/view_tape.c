// view_tape.c - the program as a list: scopes that fold, steps done and to come, the current one.
#include <string.h>

#include "views/screen/view_depth.h"
#include "views/screen/view_matrix.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"
#include "views/window.h"

enum { MAX_DEPTH = 16 };

// A line: a scope's (scope set) or a step's. What the current step lies in is unfolded, unless a
// person folded it; any other scope is one line.
typedef struct Line {
    const Scope *scope;
    const Node *node; // the step, or the first step of the scope
    int depth;
    bool is_open;
    bool is_current;
} Line;

typedef struct Walk Walk;
struct Walk {
    const Stepper *stepper;
    const Scope *folded; // that holds the current step, and is one line all the same; NULL: none
    int n_lines;
    int current; // line of the current step
    // for a second walk, that draws or looks a line up
    void (*visit)(Walk *walk, int number, const Line *line);
    const ViewState *state;
    Canvas *canvas;
    int first;
    int wanted;
    const Node *found;
};

static bool is_within(const Scope *scope, const Scope *outer) {
    while (scope != NULL && scope != outer) {
        scope = scope->parent;
    }
    return scope != NULL;
}

static int depth_of(const Scope *scope) {
    int depth = 0;
    for (; scope->parent != NULL; scope = scope->parent) {
        depth++;
    }
    return depth;
}

// The outermost scope of `scope` that does not hold `here`; NULL where all hold it.
static const Scope *fold_of(const Scope *scope, const Scope *here) {
    const Scope *found = NULL;
    while (scope != NULL && !is_within(here, scope)) {
        found = scope;
        scope = scope->parent;
    }
    return found;
}

static void give(Walk *walk, Line line) {
    if (line.is_current) {
        walk->current = walk->n_lines;
    }
    if (walk->visit != NULL) {
        walk->visit(walk, walk->n_lines, &line);
    }
    walk->n_lines++;
}

// Headers of the scopes below what `from` has in common with `to`, down to `to`.
static void give_headers(Walk *walk, const Scope *from, const Scope *to, const Node *node) {
    const Scope *path[MAX_DEPTH];
    int n = 0;
    for (const Scope *at = to; at != NULL && !is_within(from, at) && n < MAX_DEPTH;
         at = at->parent) {
        path[n++] = at;
    }
    while (n-- > 0) {
        give(walk, (Line){path[n], node, depth_of(path[n]) - 1, true, false});
    }
}

// Of several lines of the scope, those of a pass each, the one of the current pass.
static bool holds_current(const Walk *walk, const Scope *scope, const Node *first) {
    const Node *current = stepper_node(walk->stepper);
    return scope == walk->folded && first->phase == current->phase;
}

static void walk_lines(Walk *walk) {
    const Stepper *stepper = walk->stepper;
    const Scope *here = walk->folded != NULL ? walk->folded->parent : stepper_node(stepper)->scope;
    const Scope *last_folded = NULL;
    const Scope *last = stepper->tape->root;
    Phase phase = PHASE_FORWARD;
    walk->n_lines = 0;
    for (int i = 0; i < stepper->n_steps; i++) {
        const Node *node = stepper->steps[i];
        if (node->phase != phase) {
            phase = node->phase;
            last = stepper->tape->root;
            last_folded = NULL;
            give(walk, (Line){NULL, node, -1, true, false}); // a heading: the phase
        }
        const Scope *fold = fold_of(node->scope, here);
        if (fold != NULL) {
            if (fold != last_folded) {
                give_headers(walk, last, fold->parent, node);
                give(walk, (Line){fold, node, depth_of(fold) - 1, false,
                                  holds_current(walk, fold, node)});
            }
            last_folded = fold;
            last = fold->parent;
            continue;
        }
        last_folded = NULL;
        give_headers(walk, last, node->scope, node);
        last = node->scope;
        give(walk, (Line){NULL, node, depth_of(node->scope), false, i == stepper->at});
    }
}

static Style style_of(const Stepper *stepper, const Line *line) {
    if (line->node->id >= stepper->n_valid) {
        return STYLE_DIM;
    }
    return line->node->phase == PHASE_FORWARD ? STYLE_TEXT : STYLE_BACKWARD;
}

static void draw_heading(Walk *walk, int y, const Line *line) {
    ViewTextId id = line->node->phase == PHASE_BACKWARD ? VIEW_TEXT_BACKWARD : VIEW_TEXT_UPDATE;
    canvas_line_across(walk->canvas, 0, y, walk->canvas->width, STYLE_BORDER);
    canvas_format(walk->canvas, 2, y, STYLE_HEADING, " %s ", view_text(walk->state->language, id));
}

// The whole name; where there is no room for it its end, which tells one from another.
static void draw_name(Canvas *canvas, int x, int y, int room, Style style, const Node *node) {
    const char *name = node->name != NULL ? node->name : view_node_name(node);
    int length = (int)strlen(name); // stages are ASCII
    if (length <= room || room < 2) {
        canvas_text_in(canvas, x, y, room, ALIGN_LEFT, style, name);
        return;
    }
    int after = canvas_text(canvas, x, y, style, "…");
    canvas_text(canvas, after, y, style, name + length - (room - 1));
}

static void draw_step(Walk *walk, int y, const Line *line, Style style) {
    Canvas *canvas = walk->canvas;
    int x = 1 + 2 * line->depth;
    char sizes[SHAPE_TEXT_BYTES] = "";
    if (shape_rank(&line->node->shape) > 0) {
        shape_sizes_text(&line->node->shape, sizes);
    }
    int columns = text_columns(sizes);
    const char *name = line->node->name != NULL ? line->node->name : view_node_name(line->node);
    bool has_room = x + 2 + text_columns(name) + 1 + columns <= canvas->width;
    int room = canvas->width - x - 2 - (has_room ? columns + 1 : 0);
    draw_name(canvas, x + 2, y, room, style, line->node);
    // a dot before what has been computed, so that it shows without colour too
    canvas_text(canvas, x, y, style, line->node->id < walk->stepper->n_valid ? "·" : " ");
    if (has_room) {
        canvas_text(canvas, canvas->width - columns, y, STYLE_DIM, sizes);
    }
}

static void mark_current(Canvas *canvas, int y) {
    canvas_set_style(canvas, (Rect){0, y, canvas->width, 1}, STYLE_ACTIVE);
    canvas_text(canvas, 0, y, STYLE_ACTIVE, "▸");
    canvas_add_attributes(canvas, (Rect){0, y, canvas->width, 1}, LOOK_BOLD);
}

static void draw_line(Walk *walk, int number, const Line *line) {
    int y = number - walk->first;
    if (y < 0 || y >= walk->canvas->height) {
        return;
    }
    if (line->depth < 0) {
        draw_heading(walk, y, line);
        return;
    }
    Style style = style_of(walk->stepper, line);
    if (line->scope == NULL) {
        draw_step(walk, y, line, style);
    } else {
        Style scope_style = line->is_open && style == STYLE_TEXT ? STYLE_STRONG : style;
        int x = 1 + 2 * line->depth;
        canvas_text(walk->canvas, x, y, scope_style, line->is_open ? "▾" : "▸");
        canvas_text_in(walk->canvas, x + 2, y, walk->canvas->width - x - 2, ALIGN_LEFT, scope_style,
                       line->scope->name);
    }
    if (line->is_current) {
        mark_current(walk->canvas, y);
    }
}

// What a person folded, as long as the current step lies in it.
static Walk start_walk(const ViewState *state) {
    const Scope *folded = view_depth_scope(state);
    bool holds = folded != NULL && is_within(stepper_node(state->stepper)->scope, folded);
    return (Walk){.stepper = state->stepper, .state = state, .folded = holds ? folded : NULL};
}

// In folds what the current step lies in, or unfolds it; out folds one scope more around it.
static bool turn(void *own, const ViewState *state, bool is_in) {
    const Walk walk = start_walk(state);
    const Scope *root = state->tape->root;
    const Scope *folded = walk.folded;
    const Scope *around = folded != NULL ? folded->parent : stepper_node(state->stepper)->scope;
    if (is_in && folded != NULL) {
        return view_depth_set(own, state, NULL);
    }
    return around != root && view_depth_set(own, state, around);
}

// A step outside of what was folded unfolds it.
static double prepare(void *own, const ViewState *state) {
    if (start_walk(state).folded == NULL) {
        view_depth_set(own, state, NULL);
    }
    return 0.0;
}

static void draw(const ViewState *state, Canvas *canvas) {
    Walk walk = start_walk(state);
    walk.canvas = canvas;
    walk_lines(&walk);
    walk.first = window_first(walk.current, canvas->height, walk.n_lines);
    canvas_tell_list(canvas, walk.first, walk.n_lines);
    walk.visit = draw_line;
    walk_lines(&walk);
}

static void look_up(Walk *walk, int number, const Line *line) {
    if (number == walk->wanted) {
        walk->found = line->node;
    }
}

static const Node *node_of_line(Walk *walk, int wanted) {
    walk->wanted = wanted;
    walk->visit = look_up;
    walk_lines(walk);
    return walk->found;
}

const Node *view_tape_node_beside(const ViewState *state, int lines) {
    Walk walk = start_walk(state);
    walk_lines(&walk);
    int step = lines < 0 ? -1 : 1;
    int last = walk.n_lines - 1;
    int wanted = walk.current + lines;
    wanted = wanted > last ? last : (wanted < 0 ? 0 : wanted);
    const Node *found = node_of_line(&walk, wanted);
    // The line of a scope stands for its first step, which may be the current one.
    while (found == stepper_node(state->stepper) && wanted + step >= 0 && wanted + step <= last) {
        wanted += step;
        found = node_of_line(&walk, wanted);
    }
    return found;
}

static bool fits(const ViewState *state) {
    return state->stepper != NULL && state->stepper->n_steps > 0;
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    (void)x;
    (void)width;
    Walk walk = start_walk(state);
    walk_lines(&walk);
    *node = y < 0 || y >= height
                ? NULL
                : node_of_line(&walk, window_first(walk.current, height, walk.n_lines) + y);
    *element = 0;
    return *node != NULL;
}

const View view_tape = {.name = "tape",
                        .titles = {"tape", "计算带"},
                        .needs = {"a model that is open: :open", "一个打开的模型：:open"},
                        .min_width = 10,
                        .min_height = 1,
                        .is_whole = true,
                        .fits = fits,
                        .open = view_depth_open,
                        .close = view_depth_close,
                        .prepare = prepare,
                        .draw = draw,
                        .turn = turn,
                        .subject = VIEW_OF_STEPS,
                        .hit = hit,
                        .spoken = VIEW_SPOKEN_LINES};
