// screen_beside.c - where there is room: what shows in the pane of the view beside the view itself.
#include <stdio.h>
#include <string.h>

#include "app/learn/screen_private.h"

// The view keeps so much; what comes beside it has a title line, and so many more.
enum {
    LEAST_HEIGHT = 24,
    LEAST_WIDTH = 96,
    MAP_WIDTH = 48,
    MAP_BESIDE_WIDTH = 120,
    STRIP = 13,
    TWO_STRIPS_HEIGHT = 40,
    ARITHMETIC = 8,
    CELL = 8
};

typedef struct Room {
    Rect rest; // that is not given away yet
    ScreenPart *parts;
    int n;
} Room;

static void add(Room *room, const View *view, const Node *node, Rect rect) {
    room->parts[room->n++] = (ScreenPart){view, node, rect};
}

// A strip at the lower end of the rest, below a line with its title.
static Rect take_strip(Room *room) {
    Rect *rest = &room->rest;
    rest->height -= STRIP + 1;
    return (Rect){rest->x, rest->y + rest->height + 1, rest->width, STRIP};
}

static int rows_of(const Node *node) {
    int rank = shape_rank(&node->shape);
    return rank < 2 ? 1 : node->shape.sizes[rank - 2];
}

// A matrix that the whole pane shows and the rest of it would not keeps the pane.
static bool needs(int needed, int all, int rest) {
    return needed > rest && needed <= all;
}

// What the number's gradient is in, or what it is the gradient of.
static const Node *other_side(const Node *node) {
    return node->of != NULL ? node->of : node->gradient;
}

static const Node *map_beside(Room *room, const ViewState *state, int width) {
    int columns = shape_width(&state->node->shape) * CELL + ARITHMETIC;
    if (width < MAP_BESIDE_WIDTH || needs(columns, width, width - MAP_WIDTH - 1)) {
        return NULL;
    }
    room->rest.width -= MAP_WIDTH + 1;
    add(room, view_find_subject(VIEW_OF_MAP), state->node,
        (Rect){room->rest.width + 1, 1, MAP_WIDTH, room->rest.height - 1});
    return state->node;
}

// Depends on the sizes, the view and the node alone: nothing moves while a person looks at it.
int screen_parts(const ViewState *state, const View *view, bool is_zoomed, int width, int height,
                 ScreenPart parts[SCREEN_PARTS]) {
    Room room = {.rest = {0, 0, width, height}, .parts = parts, .n = 1};
    bool has_room = view->leaves_room && !is_zoomed && width >= LEAST_WIDTH && state->node != NULL;
    if (has_room && height >= LEAST_HEIGHT) {
        bool has_map = map_beside(&room, state, width) != NULL;
        const View *operands = view_find_subject(VIEW_OF_OPERANDS);
        const Node *other = other_side(state->node);
        bool has_operands = view != operands && operands->fits(state);
        bool is_high = height >= TWO_STRIPS_HEIGHT;
        int n_strips = has_operands + (other != NULL);
        n_strips = n_strips > 1 && !is_high ? 1 : n_strips;
        n_strips = n_strips == 0 && !has_map ? 1 : n_strips;
        int rest = height - n_strips * (STRIP + 1) - ARITHMETIC;
        if (n_strips > 0 && !needs(rows_of(state->node), height - ARITHMETIC, rest)) {
            bool has_other = other != NULL && (is_high || !has_operands);
            Rect strip = has_other ? take_strip(&room) : (Rect){0, 0, 0, 0};
            if (has_other) {
                add(&room, view_find_subject(VIEW_OF_NODE), other, strip);
            }
            strip = has_operands || !has_other ? take_strip(&room) : strip;
            Rect *last = has_operands || !has_other ? &strip : &parts[room.n - 1].rect;
            if (!has_map) { // side by side with it
                int half = last->width / 2;
                add(&room, view_find_subject(VIEW_OF_MAP), state->node,
                    (Rect){half + 1, last->y, last->width - half - 1, STRIP});
                last->width = half;
            }
            if (has_operands) {
                add(&room, operands, state->node, strip);
            }
        }
    }
    parts[0] = (ScreenPart){view, state->node, room.rest};
    return room.n;
}

static ViewState state_of(const ViewState *state, const ScreenPart *part) {
    ViewState own = *state;
    own.is_beside = true;
    if (part->node != state->node) {
        own.node = part->node;
        own.explanation = NULL;
        own.before = NULL;
    }
    return own;
}

bool screen_part_hit(Screen *screen, const ViewState *state, const ScreenPart *part, int x, int y,
                     const Node **node, size_t *element) {
    const Rect rect = part->rect;
    bool is_inside =
        x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;
    bool has_run = part->node == state->node || stepper_is_valid(state->stepper, part->node);
    if (!is_inside || !has_run || part->view->hit == NULL) {
        return false;
    }
    ViewState own = part->view == screen_view(screen, state) ? *state : state_of(state, part);
    view_prepare(part->view, &own, &screen->workspace);
    return part->view->hit(&own, rect.width, rect.height, x - rect.x, y - rect.y, node, element);
}

static void draw_title(const Screen *screen, Canvas *canvas, const ScreenPart *part,
                       const CanvasCut *cut) {
    Rect rect = part->rect;
    char title[320];
    bool is_other = part->node != screen->bench->cursor.place.node;
    const char *name = is_other ? part->node->stage : part->view->titles[screen->reply->language];
    canvas_line_across(canvas, rect.x, rect.y - 1, rect.width, STYLE_BORDER);
    text_print(title, sizeof title, " %s%s ", name,
               cut->is_in_parts || cut->lines_below > 0 ? " …" : "");
    canvas_text_in(canvas, rect.x + 1, rect.y - 1,
                   text_columns(title) < rect.width - 2 ? text_columns(title) : rect.width - 2,
                   ALIGN_LEFT, STYLE_DIM, title);
    for (int y = rect.y - 1; rect.x > 0 && y < rect.y + rect.height; y++) {
        canvas_line_down(canvas, rect.x - 1, y, 1, STYLE_BORDER);
    }
}

void screen_draw_part(Screen *screen, Canvas *canvas, const ViewState *state,
                      const ScreenPart *part) {
    ViewState own = state_of(state, part);
    Canvas inside = canvas_part(canvas, part->rect);
    CanvasCut cut = {.lines_below = 0};
    inside.cut = &cut;
    if (part->node == state->node || stepper_is_valid(state->stepper, part->node)) {
        view_prepare(part->view, &own, &screen->workspace);
        view_draw(part->view, &own, &inside);
    } else {
        canvas_text(&inside, 1, 0, STYLE_DIM, reply_text(screen->reply, TEXT_NOT_RUN_YET));
    }
    draw_title(screen, canvas, part, &cut);
}
