// learn_mouse.c - what a click or the wheel means: whatever lies under it.
#include "app/learn/learn_keys.h"

static bool is_inside(Rect rect, int x, int y) {
    return x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;
}

static void click_view(Learn *learn, const ViewState *state, int width, int height, int x, int y) {
    const View *view = screen_view(&learn->screen, state);
    const Node *node = NULL;
    size_t element = 0;
    if (view == NULL) {
        return;
    }
    ScreenPart parts[SCREEN_PARTS];
    int n = screen_parts(state, view, learn->screen.is_zoomed, width, height, parts);
    bool is_hit = false;
    for (int i = 0; i < n && !is_hit; i++) {
        is_hit = screen_part_hit(&learn->screen, state, &parts[i], x, y, &node, &element);
    }
    if (!is_hit) {
        return;
    }
    if (node != learn->bench.cursor.place.node) {
        cursor_visit(&learn->bench.cursor, node, element);
    } else {
        cursor_set_element(&learn->bench.cursor, element);
    }
}

static void click_pane(Learn *learn, Pane pane, Rect rect, int x, int y) {
    learn->screen.focus = pane;
    if (learn->bench.playground.opened == NULL) {
        return;
    }
    ViewTraining training;
    ViewState state = screen_view_state(&learn->screen, &training);
    int width = rect.width - 2;
    char effect[SCREEN_EFFECT_BYTES];
    int lines = pane == PANE_VIEW ? screen_effect(&learn->screen, width - 2, effect) : 0;
    int height = rect.height - 2 - lines;
    if (pane == PANE_TAPE) {
        const Node *node = NULL;
        size_t element = 0;
        const View *steps = view_find_subject(VIEW_OF_STEPS);
        view_prepare(steps, &state, &learn->screen.workspace);
        if (steps->hit(&state, width, height, x - rect.x - 1, y - rect.y - 1, &node, &element) &&
            stepper_go(&learn->bench.playground.stepper, node)) {
            cursor_look_at_step(&learn->bench.cursor);
        }
    } else if (pane == PANE_VIEW && state.node != NULL) {
        click_view(learn, &state, width, height, x - rect.x - 1, y - rect.y - 1);
    }
}

// PANE_COUNT: none.
static Pane pane_at(const Learn *learn, int x, int y) {
    Layout layout =
        screen_layout(&learn->screen, learn->screen.canvas.width, learn->screen.canvas.height);
    int pane = 0;
    while (pane < PANE_COUNT && !is_inside(layout.panes[pane], x, y)) {
        pane++;
    }
    return (Pane)pane;
}

// The wheel moves what lies under it, whatever pane the keys belong to: sideways only in the view,
// and only the lesson's text while a line that is typed takes the keys.
static int turn_wheel(Learn *learn, const Event *event) {
    bool is_sideways = event->button == MOUSE_WHEEL_LEFT || event->button == MOUSE_WHEEL_RIGHT;
    if (learn->screen.overlay != OVERLAY_NONE) {
        if (!is_sideways && learn->screen.overlay != OVERLAY_CHANGE) {
            return event->button == MOUSE_UP ? KEY_CODE_UP : KEY_CODE_DOWN;
        }
        return 0;
    }
    Pane pane = pane_at(learn, event->x, event->y);
    bool is_taken = learn->screen.prompt.is_open;
    if (pane == PANE_COUNT || (is_sideways && pane != PANE_VIEW) ||
        (is_taken && pane != PANE_LESSON)) {
        return 0;
    }
    Pane focus = learn->screen.focus;
    learn->reply.text[0] = '\0';
    learn->screen.focus = pane;
    const CommandId sideways = event->button == MOUSE_WHEEL_LEFT ? COMMAND_LEFT : COMMAND_RIGHT;
    const CommandId upright = event->button == MOUSE_UP ? COMMAND_UP : COMMAND_DOWN;
    learn_execute_key(learn, is_sideways ? sideways : upright, 0);
    learn->screen.focus = focus;
    return 0;
}

int learn_mouse(Learn *learn, const Event *event) {
    if (event->button >= MOUSE_UP) {
        return turn_wheel(learn, event);
    }
    if (learn->screen.overlay != OVERLAY_NONE || learn->screen.prompt.is_open) {
        return 0;
    }
    Layout layout =
        screen_layout(&learn->screen, learn->screen.canvas.width, learn->screen.canvas.height);
    Pane pane = pane_at(learn, event->x, event->y);
    if (pane < PANE_COUNT) {
        click_pane(learn, pane, layout.panes[pane], event->x, event->y);
        return 0;
    }
    int key = screen_hint_key_at(&learn->screen, event->x);
    return is_inside(layout.footer, event->x, event->y) ? key : 0;
}
