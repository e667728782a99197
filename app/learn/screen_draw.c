// screen_draw.c - the frame: header, panes, footer, what lies over them.
#include <stdio.h>
#include <string.h>

#include "app/learn/screen_private.h"

// ---- panes

static Style border_of(const Screen *screen, Pane pane) {
    return screen->focus == pane ? STYLE_FOCUS : STYLE_BORDER;
}

static void append(char *text, size_t size, const char *more) {
    size_t length = strlen(text);
    text_print(text + length, size - length, "%s", more);
}

static void append_number(const Screen *screen, char *text, size_t size, TextId id, int number) {
    char a[16];
    char filled[64];
    snprintf(a, sizeof a, "%d", number);
    append(text, size, "  ");
    append(text, size, text_fill(filled, sizeof filled, reply_text(screen->reply, id), a, NULL));
}

// What the view is, then what it shows: the name of the view is never cut off.
static void title_of_view(const Screen *screen, const View *view, int room, char *left, char *right,
                          size_t size) {
    const Node *node = screen->bench->cursor.place.node;
    const Shape *shape = &node->shape;
    char sizes[SHAPE_TEXT_BYTES];
    left[0] = '\0';
    int rank = shape_rank(shape);
    for (int axis = 0; axis + 1 < rank; axis++) {
        char name[4];
        shape_axis_name(shape, axis, name);
        if (strcmp(name, "B") == 0) {
            append_number(screen, left, size, TEXT_ITEM, screen->bench->cursor.place.item);
        } else if (strcmp(name, "H") == 0 && axis < rank - 2) {
            append_number(screen, left, size, TEXT_HEAD, screen->bench->cursor.place.head);
        }
    }
    char place[64];
    text_copy(place, sizeof place, left);
    const char *name = view == NULL ? "" : view->name;
    const char *stage = node->stage;
    int columns = text_columns(name) + 2 + text_columns(place);
    while (columns + text_columns(stage) + (stage != node->stage) > room &&
           strchr(stage, '.') != NULL) {
        stage = strchr(stage, '.') + 1; // the end of it says more than its beginning
    }
    text_print(left, size, "%s%s%s%s%s", name, view == NULL ? "" : ": ",
               stage == node->stage ? "" : "…", stage, place);
    snprintf(right, size, "%s %s", rank == 0 ? "" : shape_sizes_text(shape, sizes), shape->axes);
}

// On the lower edge of the pane: what it has no room for, and the key that shows it.
static void draw_cut(const Screen *screen, Canvas *canvas, Rect rect, const View *view,
                     const CanvasCut *cut) {
    const View *why = view_find_subject(VIEW_OF_ARITHMETIC);
    bool is_alone = screen->is_zoomed && view == why;
    if (is_alone || (cut->lines_below <= 0 && !cut->is_in_parts)) {
        return;
    }
    char lines[16];
    char text[96];
    char way[32];
    snprintf(way, sizeof way, screen->is_zoomed ? ":view %s" : "%s",
             screen->is_zoomed ? why->name : COMMANDS[COMMAND_ZOOM].keys);
    TextId said = cut->lines_below == 1 ? TEXT_MORE_LINE : TEXT_MORE_LINES;
    said = cut->lines_below <= 0 ? TEXT_IN_PARTS : said;
    snprintf(lines, sizeof lines, "%d", cut->lines_below);
    text_fill(text, sizeof text, reply_text(screen->reply, said), lines, way);
    canvas_format(canvas, rect.x + rect.width - text_columns(text) - 4, rect.y + rect.height - 1,
                  STYLE_KEY, " %s ", text);
}

static void draw_view_pane(Screen *screen, Canvas *canvas, Rect rect) {
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    const View *view = state.node == NULL ? NULL : screen_view(screen, &state);
    char left[320] = "";
    char right[160] = "";
    if (screen->bench->cursor.place.node != NULL) {
        title_of_view(screen, view, rect.width - 4, left, right, sizeof right);
    }
    bool has_room = text_columns(left) + text_columns(right) + 8 <= rect.width;
    Canvas inside =
        canvas_box(canvas, rect, border_of(screen, PANE_VIEW), left, has_room ? right : NULL);
    char effect[SCREEN_EFFECT_BYTES];
    int lines = screen_effect(screen, inside.width - 2, effect);
    inside.height -= lines;
    canvas_paragraph(&inside, (Rect){1, inside.height, inside.width - 2, lines}, STYLE_CHANGED,
                     effect);
    if (view != NULL) {
        CanvasCut cut = {.lines_below = 0};
        CanvasCut *asked = inside.cut;
        ScreenPart parts[SCREEN_PARTS];
        int n = screen_parts(&state, view, screen->is_zoomed, inside.width, inside.height, parts);
        for (int i = 1; i < n; i++) {
            screen_draw_part(screen, &inside, &state, &parts[i]);
        }
        Canvas first = canvas_part(&inside, parts[0].rect);
        first.cut = &cut;
        state.budget_ms = screen->budget_ms;
        screen->workspace.is_stopped = screen->stopped_looks == screen->bench->cursor.n_looks;
        view_prepare(view, &state, &screen->workspace);
        view_draw(view, &state, &first);
        draw_cut(screen, canvas, rect, view, &cut);
        if (asked != NULL) {
            asked->texts_beside += cut.texts_beside;
        }
        return;
    }
    TextId text = screen->bench->cursor.place.node == NULL ? TEXT_NOTHING_OPEN : TEXT_WORKING;
    canvas_paragraph(&inside, (Rect){2, 1, inside.width - 4, inside.height - 1}, STYLE_DIM,
                     reply_text(screen->reply, text));
}

static void draw_tape_pane(Screen *screen, Canvas *canvas, Rect rect) {
    Canvas inside = canvas_box(canvas, rect, border_of(screen, PANE_TAPE),
                               reply_text(screen->reply, TEXT_TAPE), NULL);
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    CanvasCut cut = {.lines_below = 0};
    inside.cut = &cut;
    const View *steps = view_find_subject(VIEW_OF_STEPS);
    if (steps->fits(&state)) {
        view_prepare(steps, &state, &screen->workspace);
        view_draw(steps, &state, &inside);
    }
    screen_draw_ends(canvas, rect, cut.lines_above, cut.lines_below);
}

static void draw_lesson_pane(Screen *screen, Canvas *canvas, Rect rect) {
    char title[64];
    snprintf(title, sizeof title, "%s %d/%d", reply_text(screen->reply, TEXT_LESSON),
             screen->player->stop + 1, screen->player->lesson.n_stops);
    Canvas inside = canvas_box(canvas, rect, border_of(screen, PANE_LESSON), title, NULL);
    inside.cut = NULL; // it scrolls
    Canvas text = canvas_part(&inside, (Rect){1, 0, inside.width - 2, inside.height});
    int lines = screen_draw_lesson(screen, &text, 0);
    int last = lines > inside.height ? lines - inside.height : 0;
    int scroll = screen_scroll_of(screen, PANE_LESSON);
    scroll = scroll > last ? last : scroll;
    screen_scroll_to(screen, PANE_LESSON, scroll);
    if (scroll > 0) {
        canvas_clear(&inside, STYLE_TEXT);
        screen_draw_lesson(screen, &text, scroll);
    }
    screen->lesson_rows = inside.height;
    screen->lesson_lines = lines;
    bool has_more = scroll < last;
    bool waits = !screen->player->question.is_open &&
                 screen->player->stop + 1 < screen->player->lesson.n_stops;
    char next[256];
    bool is_end = !waits && !screen->player->question.is_open;
    bool has_next = is_end && player_find_next(screen->player, next);
    if (has_more || waits || has_next) {
        TextId on = has_next ? TEXT_NEXT_LESSON : TEXT_GO_ON;
        const char *hint =
            has_more ? (canvas->ascii ? " v " : " ▼ ") : reply_text(screen->reply, on);
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

static void draw_too_small(const Screen *screen, Canvas *canvas) {
    char needed[32];
    char found[32];
    char text[REPLY_BYTES];
    snprintf(needed, sizeof needed, "%d×%d", SCREEN_MIN_WIDTH, SCREEN_MIN_HEIGHT);
    snprintf(found, sizeof found, "%d×%d", canvas->width, canvas->height);
    text_fill(text, sizeof text, reply_text(screen->reply, TEXT_TOO_SMALL), needed, found);
    canvas_paragraph(canvas, (Rect){0, 0, canvas->width, canvas->height}, STYLE_TEXT, text);
}

// What is said takes as many lines as it needs: a state may be long.
static Rect footer_of(const Screen *screen, const Canvas *canvas) {
    const Rect measured = {0, 0, canvas->width - 2, 0};
    int lines = canvas_paragraph(NULL, measured, STYLE_BAR, screen->reply->text);
    int most = canvas->height - 1;
    lines = lines > most ? most : lines;
    return (Rect){0, canvas->height - lines, canvas->width, lines};
}

void screen_draw(Screen *screen, Canvas *canvas) {
    screen->workspace.left = 0.0; // no view may show
    canvas_clear(canvas, STYLE_TEXT);
    Layout layout = screen_layout(screen, canvas->width, canvas->height);
    if (layout.is_too_small) {
        draw_too_small(screen, canvas);
        return;
    }
    cursor_explain(&screen->bench->cursor);
    screen_draw_header(screen, canvas);
    if (screen->overlay == OVERLAY_MENU) {
        layout.panes[PANE_TAPE].height = 0;
        layout.panes[PANE_VIEW].height = 0;
    }
    if (layout.panes[PANE_TAPE].height > 2) {
        draw_tape_pane(screen, canvas, layout.panes[PANE_TAPE]);
    }
    if (layout.panes[PANE_VIEW].height > 2) {
        draw_view_pane(screen, canvas, layout.panes[PANE_VIEW]);
    }
    if (layout.panes[PANE_LESSON].height > 2 && screen->player->has_lesson) {
        draw_lesson_pane(screen, canvas, layout.panes[PANE_LESSON]);
    }
    bool is_covered = screen->overlay != OVERLAY_NONE || screen->has_big;
    if (screen->has_spotlight || is_covered) {
        dim_others(is_covered ? PANE_COUNT : screen->focus, canvas, &layout);
    }
    if (screen->has_big) {
        ViewTraining training;
        ViewState state = screen_view_state(screen, &training);
        screen_draw_big(&state, canvas);
    }
    screen_draw_overlay(screen, canvas);
    if (!screen->prompt.is_open && screen->reply->text[0] != '\0') {
        layout.footer = footer_of(screen, canvas);
    }
    Canvas footer = canvas_part(canvas, layout.footer);
    screen_draw_footer(screen, &footer);
    if (screen->prompt.is_open && screen->prompt.hint[0] != '\0') {
        canvas_text_in(canvas, 0, canvas->height - 2, canvas->width, ALIGN_LEFT, STYLE_BAR,
                       screen->prompt.hint);
    }
}

void screen_init(Screen *screen, Workbench *bench, const Player *player, Reply *reply) {
    *screen = (Screen){.bench = bench,
                       .player = player,
                       .reply = reply,
                       .focus = PANE_VIEW,
                       .stopped_looks = -1,
                       .overlay = OVERLAY_MENU};
}

void screen_free(Screen *screen) {
    view_workspace_free(&screen->workspace);
    canvas_free(&screen->canvas);
    course_free(&screen->course);
}
