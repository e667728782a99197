// screen_export.c - what is looked at as a file: the view on a page, or its matrix as SVG and CSV.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/commands/heatmap_input.h"
#include "app/learn/screen.h"
#include "engine/base/file.h"
#include "views/canvas_text.h"
#include "views/pictures/canvas_picture.h"
#include "views/pictures/canvas_svg.h"
#include "views/pictures/png.h"

// ---- the view on a page of its own, the same at every size of the screen

// However many slices that takes.
static bool prepare_whole(Screen *screen, const View *view, ViewState *state, Error *err) {
    enum { SLICE_MS = 10, PARTS = 1000 };
    ViewWorkspace *workspace = &screen->workspace;
    workspace->is_stopped = false;
    state->budget_ms = SLICE_MS;
    do {
        view_prepare(view, state, workspace);
        size_t done = (size_t)(PARTS * (1.0 - workspace->left));
        if (!progress_at(screen->bench->playground.progress, done, PARTS, err)) {
            return false;
        }
    } while (workspace->left > 0.0);
    return true;
}

static bool draw_page(Screen *screen, Canvas *page, Error *err) {
    cursor_explain(&screen->bench->cursor);
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    state.scroll = 0;
    const View *view = screen_view(screen, &state);
    int width = 100;
    int height = 30;
    if (view != NULL) {
        if (!prepare_whole(screen, view, &state, err)) {
            return false;
        }
        view_measure(view, &state, &width, &height);
    }
    width = width + 2 > CANVAS_MAX_SIDE ? CANVAS_MAX_SIDE : width + 2;
    height = height + 2 > CANVAS_MAX_SIDE ? CANVAS_MAX_SIDE : height + 2;
    if (!canvas_init(page, width, height, err)) {
        return false;
    }
    char cell[256];
    explain_cell_name(screen->bench->cursor.place.node, cursor_element(&screen->bench->cursor),
                      cell, sizeof cell);
    Canvas inside = canvas_box(page, (Rect){0, 0, width, height}, STYLE_BORDER, cell, NULL);
    if (view != NULL) {
        view_draw(view, &state, &inside);
    }
    return true;
}

static bool export_text(const Canvas *page, const char *path, Error *err) {
    char *text = NULL;
    size_t length = 0;
    bool ok = canvas_to_text(page, &text, &length, err) && file_save(path, text, length, err);
    free(text);
    return ok;
}

static bool export_picture(const Canvas *page, ThemeName theme, const char *path,
                           Progress *progress, Error *err) {
    Font font = {0};
    Picture picture = {0};
    bool ok = font_init(&font, NULL, err) && canvas_to_picture(page, theme, &font, &picture, err) &&
              png_save(&picture, path, progress, err);
    picture_free(&picture);
    font_free(&font);
    return ok;
}

static bool export_svg(const Canvas *page, ThemeName theme, const char *path, Error *err) {
    char *text = NULL;
    size_t length = 0;
    bool ok = canvas_to_svg(page, theme, &text, &length, err) && file_save(path, text, length, err);
    free(text);
    return ok;
}

static bool save_page(const Screen *screen, const Canvas *page, const char *path, Error *err) {
    if (file_has_ending(path, ".svg")) {
        return export_svg(page, screen->theme, path, err);
    }
    return file_has_ending(path, ".png")
               ? export_picture(page, screen->theme, path, screen->bench->playground.progress, err)
               : export_text(page, path, err);
}

static bool export_page(Screen *screen, const char *path, Error *err) {
    Canvas page = {.cells = NULL};
    bool ok = draw_page(screen, &page, err) && save_page(screen, &page, path, err);
    canvas_free(&page);
    if (ok) {
        reply_say(screen->reply, TEXT_EXPORTED, path, NULL);
    }
    return ok;
}

// ---- the matrix of the view, as `attend heatmap` writes it

enum { MOST_VALUES = 400 }; // cells with their digits in them

// The view says which numbers it shows.
static const Node *shown_matrix(const Screen *screen, HeatmapQuery *query) {
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    const ViewNumbers numbers = view_numbers(screen_view(screen, &state), &state);
    *query = (HeatmapQuery){.stage = numbers.node->stage,
                            .layer = HEATMAP_ALL,
                            .head = numbers.head == VIEW_ALL ? HEATMAP_ALL : numbers.head,
                            .item = numbers.item == VIEW_ALL ? 0 : numbers.item};
    return numbers.node;
}

static bool export_matrix(Screen *screen, const char *path, Error *err) {
    HeatmapQuery query;
    const Node *node = shown_matrix(screen, &query);
    if (!stepper_require(&screen->bench->playground.stepper, node, err)) {
        return false;
    }
    Font font = {0};
    Arena arena = {0};
    Heatmap heatmap = {.palette = PALETTE_VIRIDIS,
                       .scale = screen->scale,
                       .progress = screen->bench->playground.progress};
    int n_other = 0;
    progress_piece(heatmap.progress, 0, 3);
    bool ok = font_init(&font, NULL, err) &&
              heatmap_input_prepare(&heatmap, &arena, screen->bench->playground.opened, &query,
                                    &n_other, err);
    if (ok) {
        size_t n_cells = (size_t)heatmap.n_rows * (size_t)heatmap.n_columns;
        heatmap.shows_values = n_cells * (size_t)heatmap.n_panels <= MOST_VALUES;
        ok = heatmap_save(&heatmap, &font, path, err);
    }
    if (ok) {
        reply_say(screen->reply, TEXT_EXPORTED_MATRIX, path, node->stage);
    }
    arena_free(&arena);
    font_free(&font);
    return ok;
}

// A table of numbers is of a matrix; so is an SVG, unless the view's own picture says more.
static bool is_page(const Screen *screen, const char *path) {
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    const View *view = screen_view(screen, &state);
    bool is_drawing = view != NULL && view->is_drawing;
    return file_has_ending(path, ".png") || file_has_ending(path, ".txt") ||
           (is_drawing && file_has_ending(path, ".svg"));
}

bool screen_do_export(Screen *screen, const Command *command, Error *err) {
    if (screen->bench->cursor.place.node == NULL) {
        return error_set(err, "%s", reply_text(screen->reply, TEXT_NOTHING_OPEN));
    }
    const char *path = command->rest;
    if (path[0] == '\0') {
        char line[PROMPT_BYTES];
        snprintf(line, sizeof line, "export %.200s.png", screen->bench->cursor.place.node->stage);
        reply_ask(screen->reply, line);
        return true;
    }
    if (!file_has_ending(path, ".png") && !file_has_ending(path, ".txt") &&
        !file_has_ending(path, ".svg") && !file_has_ending(path, ".csv")) {
        return error_set(err,
                         "export: expected a file that ends in .png, .svg, .csv or .txt, found "
                         "\"%s\"",
                         path);
    }
    if (!stepper_require(&screen->bench->playground.stepper, screen->bench->cursor.place.node,
                         err)) {
        return false;
    }
    return is_page(screen, path) ? export_page(screen, path, err)
                                 : export_matrix(screen, path, err);
}
