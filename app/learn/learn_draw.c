// learn_draw.c - the frame: header, panes, footer; what the views are handed.
#include <stdio.h>
#include <string.h>

#include "app/learn/learn.h"

// A question is seen whole where there is room for it; all else keeps its place from stop to stop.
static int lesson_height(const Learn *learn, int width, int body, int usual) {
    if (!learn->player.has_lesson) {
        return 0;
    }
    if (learn->player.question.question == NULL) {
        return usual;
    }
    Canvas nowhere = {.width = width - 4}; // nothing shows: it only measures
    int needed = learn_draw_lesson(learn, &nowhere, 0) + 2;
    int most = body * 3 / 5;
    needed = needed < most ? needed : most;
    return needed > usual ? needed : usual;
}

Layout learn_layout(const Learn *learn, int width, int height) {
    Layout layout = {.header = {0, 0, width, 1}, .footer = {0, height - 1, width, 1}};
    layout.is_too_small = width < LEARN_MIN_WIDTH || height < LEARN_MIN_HEIGHT;
    int body = height - 2;
    int lesson = height < 20 ? 6 : (height < 28 ? 8 : (height < 45 ? 10 : 13));
    int tape = width < 78 ? 20 : (width < 108 ? 28 : 34);
    lesson = lesson_height(learn, width, body, lesson);
    if (learn->is_zoomed) {
        layout.panes[learn->focus] = (Rect){0, 1, width, body};
        return layout;
    }
    layout.panes[PANE_TAPE] = (Rect){0, 1, tape, body - lesson};
    layout.panes[PANE_VIEW] = (Rect){tape, 1, width - tape, body - lesson};
    layout.panes[PANE_LESSON] = (Rect){0, 1 + body - lesson, width, lesson};
    return layout;
}

static const char *token_text(const void *context, int32_t id, char *text, size_t size) {
    return model_input_token(context, id, text, size);
}

ViewState learn_view_state(const Learn *learn, ViewTraining *training) {
    const OpenModel *opened = learn->bench.playground.opened;
    ViewState state = {.language = learn->reply.language,
                       .scroll = learn_scroll_of(learn, PANE_VIEW),
                       .scale = learn->scale};
    if (opened == NULL) {
        return state;
    }
    state.tape = &opened->built.tape;
    state.nodes = &opened->built.nodes;
    state.stepper = &learn->bench.playground.stepper;
    state.labels = (TensorLabels){state.tape, state.nodes, token_text, opened};
    if (learn->bench.cursor.place.node != NULL &&
        stepper_is_valid(&learn->bench.playground.stepper, learn->bench.cursor.place.node)) {
        state.node = learn->bench.cursor.place.node;
        state.element = cursor_element(&learn->bench.cursor);
    }
    if (learn->bench.cursor.is_explained) {
        state.explanation = &learn->bench.cursor.explanation;
    }
    state.zoom = learn->zoom_tapes == learn->bench.cursor.n_tapes ? learn->zoom : NULL;
    state.decoding =
        learn->bench.playground.beam.n_steps > 0 ? &learn->bench.playground.beam : NULL;
    state.sampling = &learn->bench.playground.sampling;
    state.first_draw = playground_first_draw(&learn->bench.playground);
    state.merges = learn->bench.merges.steps;
    state.n_merges = learn->bench.merges.n_shown;
    state.before = state.node == NULL ? NULL : before_find(&learn->bench.before, state.node);
    const Training *from = &learn->bench.playground.training;
    if (from->run.n_steps > 0 || from->other.n_steps > 0 || training_is_running(from)) {
        *training =
            (ViewTraining){.run = {from->run.losses, from->run.norms, from->run.n_steps},
                           .other = {from->other.losses, from->other.norms, from->other.n_steps},
                           .shown_step = training_step(from),
                           .is_running = training_is_running(from),
                           .tokens_per_second = from->tokens_per_second,
                           .lr = from->lr};
        state.training = training;
    }
    return state;
}

// ---- panes

static Style border_of(const Learn *learn, Pane pane) {
    return learn->focus == pane ? STYLE_FOCUS : STYLE_BORDER;
}

static void append(char *text, size_t size, const char *more) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

static void append_number(const Learn *learn, char *text, size_t size, TextId id, int number) {
    char a[16];
    char filled[64];
    snprintf(a, sizeof a, "%d", number);
    append(text, size, "  ");
    append(text, size, text_fill(filled, sizeof filled, reply_text(&learn->reply, id), a, NULL));
}

static void title_of_view(const Learn *learn, const View *view, char *left, char *right,
                          size_t size) {
    const Node *node = learn->bench.cursor.place.node;
    const Shape *shape = &node->shape;
    char sizes[SHAPE_TEXT_BYTES];
    snprintf(left, size, "%s", node->stage);
    int rank = shape_rank(shape);
    for (int axis = 0; axis + 1 < rank; axis++) {
        char name[4];
        shape_axis_name(shape, axis, name);
        if (strcmp(name, "B") == 0) {
            append_number(learn, left, size, TEXT_ITEM, learn->bench.cursor.place.item);
        } else if (strcmp(name, "H") == 0 && axis < rank - 2) {
            append_number(learn, left, size, TEXT_HEAD, learn->bench.cursor.place.head);
        }
    }
    snprintf(right, size, "%s %s  %s", rank == 0 ? "" : shape_sizes_text(shape, sizes), shape->axes,
             view == NULL ? "" : view->name);
}

static void draw_view_pane(Learn *learn, Canvas *canvas, Rect rect) {
    ViewTraining training;
    ViewState state = learn_view_state(learn, &training);
    const View *view = state.node == NULL ? NULL : learn_view(learn, &state);
    char left[320] = "";
    char right[160] = "";
    if (learn->bench.cursor.place.node != NULL) {
        title_of_view(learn, view, left, right, sizeof right);
    }
    bool has_room = text_columns(left) + text_columns(right) + 8 <= rect.width;
    Canvas inside =
        canvas_box(canvas, rect, border_of(learn, PANE_VIEW), left, has_room ? right : NULL);
    if (view != NULL) {
        view_prepare(view, &state, &learn->workspace);
        view_draw(view, &state, &inside);
        return;
    }
    TextId text = learn->bench.cursor.place.node == NULL ? TEXT_NOTHING_OPEN : TEXT_WORKING;
    canvas_paragraph(&inside, (Rect){2, 1, inside.width - 4, inside.height - 1}, STYLE_DIM,
                     reply_text(&learn->reply, text));
}

static void draw_tape_pane(const Learn *learn, Canvas *canvas, Rect rect) {
    Canvas inside = canvas_box(canvas, rect, border_of(learn, PANE_TAPE),
                               reply_text(&learn->reply, TEXT_TAPE), NULL);
    ViewTraining training;
    ViewState state = learn_view_state(learn, &training);
    if (state.stepper != NULL) {
        view_draw_tape(&state, &inside);
    }
}

static void draw_lesson_pane(Learn *learn, Canvas *canvas, Rect rect) {
    char title[64];
    snprintf(title, sizeof title, "%s %d/%d", reply_text(&learn->reply, TEXT_LESSON),
             learn->player.stop + 1, learn->player.lesson.n_stops);
    Canvas inside = canvas_box(canvas, rect, border_of(learn, PANE_LESSON), title, NULL);
    Canvas text = canvas_part(&inside, (Rect){1, 0, inside.width - 2, inside.height});
    int lines = learn_draw_lesson(learn, &text, 0);
    int last = lines > inside.height ? lines - inside.height : 0;
    int scroll = learn_scroll_of(learn, PANE_LESSON);
    scroll = scroll > last ? last : scroll;
    learn_scroll_to(learn, PANE_LESSON, scroll);
    if (scroll > 0) {
        canvas_clear(&inside, STYLE_TEXT);
        learn_draw_lesson(learn, &text, scroll);
    }
    learn->lesson_rows = inside.height;
    learn->lesson_lines = lines;
    bool has_more = scroll < last;
    bool waits =
        !learn->player.question.is_open && learn->player.stop + 1 < learn->player.lesson.n_stops;
    if (has_more || waits) {
        const char *hint =
            has_more ? (canvas->ascii ? " v " : " ▼ ") : reply_text(&learn->reply, TEXT_GO_ON);
        int columns = text_columns(hint);
        canvas_format(canvas, rect.x + rect.width - columns - 4, rect.y + rect.height - 1,
                      STYLE_KEY, " %s ", hint);
    }
}

// Everything but one pane steps back; PANE_COUNT: all of them.
static void dim_others(Pane lit, const Canvas *canvas, const Layout *layout) {
    for (int pane = 0; pane < PANE_COUNT; pane++) {
        Rect rect = layout->panes[pane];
        for (int y = rect.y; pane != (int)lit && y < rect.y + rect.height; y++) {
            for (int x = rect.x; x < rect.x + rect.width; x++) {
                Cell *cell = canvas_cell(canvas, x, y);
                if (cell != NULL) {
                    cell->style = STYLE_DIM;
                    cell->heat_ink = HEAT_NONE;
                    cell->heat_paper = HEAT_NONE;
                }
            }
        }
    }
}

static void draw_too_small(const Learn *learn, Canvas *canvas) {
    char needed[32];
    char found[32];
    char text[REPLY_BYTES];
    snprintf(needed, sizeof needed, "%d×%d", LEARN_MIN_WIDTH, LEARN_MIN_HEIGHT);
    snprintf(found, sizeof found, "%d×%d", canvas->width, canvas->height);
    text_fill(text, sizeof text, reply_text(&learn->reply, TEXT_TOO_SMALL), needed, found);
    canvas_paragraph(canvas, (Rect){0, 0, canvas->width, canvas->height}, STYLE_TEXT, text);
}

void learn_draw(Learn *learn, Canvas *canvas) {
    canvas_clear(canvas, STYLE_TEXT);
    Layout layout = learn_layout(learn, canvas->width, canvas->height);
    if (layout.is_too_small) {
        draw_too_small(learn, canvas);
        return;
    }
    cursor_explain(&learn->bench.cursor);
    learn_draw_header(learn, canvas);
    if (learn->overlay == OVERLAY_MENU) {
        layout.panes[PANE_TAPE].height = 0;
        layout.panes[PANE_VIEW].height = 0;
    }
    if (layout.panes[PANE_TAPE].height > 2) {
        draw_tape_pane(learn, canvas, layout.panes[PANE_TAPE]);
    }
    if (layout.panes[PANE_VIEW].height > 2) {
        draw_view_pane(learn, canvas, layout.panes[PANE_VIEW]);
    }
    if (layout.panes[PANE_LESSON].height > 2 && learn->player.has_lesson) {
        draw_lesson_pane(learn, canvas, layout.panes[PANE_LESSON]);
    }
    bool is_covered = learn->overlay != OVERLAY_NONE || learn->has_big;
    if (learn->has_spotlight || is_covered) {
        dim_others(is_covered ? PANE_COUNT : learn->focus, canvas, &layout);
    }
    if (learn->has_big) {
        ViewTraining training;
        ViewState state = learn_view_state(learn, &training);
        learn_draw_big(&state, canvas);
    }
    learn_draw_overlay(learn, canvas);
    Canvas footer = canvas_part(canvas, layout.footer);
    learn_draw_footer(learn, &footer);
    if (learn->prompt.is_open && learn->prompt.hint[0] != '\0') {
        canvas_text_in(canvas, 0, canvas->height - 2, canvas->width, ALIGN_LEFT, STYLE_BAR,
                       learn->prompt.hint);
    }
}
