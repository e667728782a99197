// screen_view.c - which view shows, how far panes are scrolled, and what views are handed.
#include "app/learn/screen.h"

#include <stdio.h>
#include <string.h>

#include "views/screen/view_matrix.h"

void screen_ask_view(Screen *screen, const View *view) {
    screen->view = view;
    screen->view_looks = screen->bench->cursor.n_looks;
    screen->stopped_looks = -1;
}

bool screen_is_preparing(const Screen *screen) {
    return screen->workspace.left > 0.0 && !screen->workspace.is_stopped;
}

bool screen_stop(Screen *screen) {
    bool is_at_work = screen_is_preparing(screen);
    if (is_at_work) {
        screen->stopped_looks = screen->bench->cursor.n_looks;
    }
    return is_at_work;
}

// Who looked at another node since has seen what is not of a node.
static bool has_passed(const Screen *screen) {
    return screen->view->is_passing && screen->view_looks != screen->bench->cursor.n_looks;
}

const View *screen_view(const Screen *screen, const ViewState *state) {
    if (screen->view != NULL && !has_passed(screen) && screen->view->fits(state)) {
        return screen->view;
    }
    for (int i = 0; VIEWS[i] != NULL; i++) {
        if (VIEWS[i]->fits(state)) {
            return VIEWS[i];
        }
    }
    return NULL;
}

static bool moves_cell(CommandId id) {
    static const CommandId IDS[] = {
        COMMAND_UP,        COMMAND_DOWN,      COMMAND_LEFT,      COMMAND_RIGHT,
        COMMAND_CELL,      COMMAND_FOLLOW,    COMMAND_RETURN,    COMMAND_HEAD_BACK,
        COMMAND_HEAD_NEXT, COMMAND_ITEM_BACK, COMMAND_ITEM_NEXT,
    };
    for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
        if (IDS[i] == id) {
            return true;
        }
    }
    return false;
}

void screen_follow_cell(Screen *screen, CommandId id, const Place *before) {
    const Place *now = &screen->bench->cursor.place;
    bool is_step = screen->focus == PANE_TAPE && (id == COMMAND_UP || id == COMMAND_DOWN);
    bool has_moved = now->node != before->node || now->item != before->item ||
                     now->head != before->head || now->row != before->row ||
                     now->column != before->column;
    bool is_asked = id == COMMAND_CELL || (has_moved && moves_cell(id) && !is_step);
    if (is_asked && screen->view != NULL && screen->view->is_whole) {
        screen_ask_view(screen, NULL);
    }
}

// What the lines of a pane are scrolled over: another node, another stop begin at their top.
static int scrolled_of(const Screen *screen, Pane pane) {
    return pane == PANE_VIEW ? screen->bench->cursor.n_looks : screen->player->n_stops_entered;
}

int screen_scroll_of(const Screen *screen, Pane pane) {
    const Scroll *scroll = &screen->scroll[pane];
    return scroll->of == scrolled_of(screen, pane) ? scroll->lines : 0;
}

void screen_scroll_to(Screen *screen, Pane pane, int lines) {
    screen->scroll[pane] = (Scroll){lines < 0 ? 0 : lines, scrolled_of(screen, pane)};
}

static const char *token_text(const void *context, int32_t id, char *text, size_t size) {
    return model_input_token(context, id, text, size);
}

static ViewRun view_run(const TrainingRun *run) {
    return (ViewRun){run->losses, run->norms, run->n_steps, run->steps, run->n_kept};
}

ViewState screen_view_state(const Screen *screen, ViewTraining *training) {
    const OpenModel *opened = screen->bench->playground.opened;
    ViewState state = {.language = screen->reply->language,
                       .scroll = screen_scroll_of(screen, PANE_VIEW),
                       .scale = screen->scale};
    state.distances =
        screen->bench->distances.is_there[DISTANCE_LOOP] ? &screen->bench->distances : NULL;
    state.size = screen->bench->size.name[0] != '\0' ? &screen->bench->size : NULL;
    if (opened == NULL) {
        return state;
    }
    state.n_changes = screen->bench->cursor.n_changes;
    state.tape = &opened->built.tape;
    state.nodes = &opened->built.nodes;
    state.stepper = &screen->bench->playground.stepper;
    state.labels = (TensorLabels){state.tape, state.nodes, token_text, opened};
    if (screen->bench->cursor.place.node != NULL &&
        stepper_is_valid(&screen->bench->playground.stepper, screen->bench->cursor.place.node)) {
        state.node = screen->bench->cursor.place.node;
        state.element = cursor_element(&screen->bench->cursor);
    }
    if (screen->bench->cursor.is_explained) {
        state.explanation = &screen->bench->cursor.explanation;
    }
    state.n_tapes = screen->bench->cursor.n_tapes;
    state.decoding =
        screen->bench->playground.beam.n_steps > 0 ? &screen->bench->playground.beam : NULL;
    state.lengths = screen->bench->lengths.n > 0 ? &screen->bench->lengths : NULL;
    Workbench *bench = screen->bench;
    if (plane_update(&bench->plane, bench->playground.opened)) {
        state.plane = (ViewPlane){bench->plane.values, bench->plane.side};
    }
    state.sampling = &screen->bench->playground.sampling;
    state.draws = screen->bench->playground.text.draws;
    state.left_out = opened->named.model.config.pad_id;
    state.next_draw = playground_next_draw(&screen->bench->playground);
    state.merges = screen->bench->merges.steps;
    state.n_merges = screen->bench->merges.n_shown;
    state.n_all_merges = screen->bench->merges.n;
    state.before = state.node == NULL ? NULL : before_find(&screen->bench->before, state.node);
    const Training *from = &screen->bench->playground.training;
    if (from->run.n_steps > 0 || from->other.n_steps > 0 || training_is_running(from)) {
        *training = (ViewTraining){.run = view_run(&from->run),
                                   .other = view_run(&from->other),
                                   .shown_step = training_step(from),
                                   .is_running = training_is_running(from),
                                   .tokens_per_second = from->tokens_per_second,
                                   .lr = from->lr};
        state.training = training;
    }
    return state;
}

bool screen_page_lesson(Screen *screen) {
    int lines = screen_scroll_of(screen, PANE_LESSON);
    if (lines + screen->lesson_rows >= screen->lesson_lines) {
        return false;
    }
    int page = screen->lesson_rows > 1 ? screen->lesson_rows - 1 : 1;
    screen_scroll_to(screen, PANE_LESSON, lines + page);
    return true;
}

static const char EFFECT_GAP[] = "   ";

static void append_effect(const Screen *screen, char text[SCREEN_EFFECT_BYTES], TextId id,
                          const float values[2]) {
    char from[VIEW_NUMBER_BYTES];
    char to[VIEW_NUMBER_BYTES];
    size_t length = strlen(text);
    view_number_text((double)values[0], 7, from);
    view_number_text((double)values[1], 7, to);
    snprintf(text + length, SCREEN_EFFECT_BYTES - length, "%s", length > 0 ? EFFECT_GAP : "");
    length = strlen(text);
    text_fill(text + length, SCREEN_EFFECT_BYTES - length, reply_text(screen->reply, id), from, to);
}

int screen_effect(const Screen *screen, int columns, char text[SCREEN_EFFECT_BYTES]) {
    const Workbench *bench = screen->bench;
    const Node *node = bench->cursor.place.node;
    float values[2];
    text[0] = '\0';
    if (node == NULL || bench->before.n == 0) {
        return 0;
    }
    const Node *loss = playground_tape(&bench->playground)->loss;
    if (before_effect(&bench->before, &bench->playground, loss, 0, values)) {
        append_effect(screen, text, TEXT_EFFECT_LOSS, values);
    }
    if (node != loss && before_effect(&bench->before, &bench->playground, node,
                                      cursor_element(&bench->cursor), values)) {
        append_effect(screen, text, TEXT_EFFECT_NUMBER, values);
    }
    char *second = strstr(text, EFFECT_GAP);
    if (second == NULL || text_columns(text) <= columns) {
        return text[0] != '\0';
    }
    second[0] = '\n';
    memmove(second + 1, second + strlen(EFFECT_GAP), strlen(second + strlen(EFFECT_GAP)) + 1);
    return 2;
}
