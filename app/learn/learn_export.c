// learn_export.c - what is looked at as a file: the view on a page, or its matrix as SVG and CSV.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/commands/heatmap_input.h"
#include "app/learn/learn_actions.h"
#include "engine/base/file.h"
#include "views/canvas_text.h"
#include "views/pictures/canvas_picture.h"
#include "views/pictures/png.h"

// ---- the view on a page of its own, the same at every size of the screen

static bool draw_page(Learn *learn, Canvas *page, Error *err) {
    cursor_explain(&learn->bench.cursor);
    ViewTraining training;
    ViewState state = learn_view_state(learn, &training);
    state.scroll = 0;
    const View *view = learn_view(learn, &state);
    int width = 100;
    int height = 30;
    if (view != NULL) {
        view_prepare(view, &state, &learn->workspace);
        view_measure(view, &state, &width, &height);
    }
    width = width + 2 > CANVAS_MAX_SIDE ? CANVAS_MAX_SIDE : width + 2;
    height = height + 2 > CANVAS_MAX_SIDE ? CANVAS_MAX_SIDE : height + 2;
    if (!canvas_init(page, width, height, err)) {
        return false;
    }
    char cell[256];
    explain_cell_name(learn->bench.cursor.place.node, cursor_element(&learn->bench.cursor), cell,
                      sizeof cell);
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

static bool export_picture(const Canvas *page, ThemeName theme, const char *path, Error *err) {
    Font font = {0};
    Picture picture = {0};
    bool ok = font_init(&font, NULL, err) && canvas_to_picture(page, theme, &font, &picture, err) &&
              png_save(&picture, path, err);
    picture_free(&picture);
    font_free(&font);
    return ok;
}

static bool export_page(Learn *learn, bool is_picture, const char *path, Error *err) {
    Canvas page = {.cells = NULL};
    bool ok =
        draw_page(learn, &page, err) && (is_picture ? export_picture(&page, learn->theme, path, err)
                                                    : export_text(&page, path, err));
    canvas_free(&page);
    if (ok) {
        reply_say(&learn->reply, TEXT_EXPORTED, path, NULL);
    }
    return ok;
}

// ---- the matrix of the view, as `attend heatmap` writes it

enum { MOST_VALUES = 400 }; // cells with their digits in them

// The view says which numbers it shows.
static const Node *shown_matrix(const Learn *learn, HeatmapQuery *query) {
    ViewTraining training;
    ViewState state = learn_view_state(learn, &training);
    const ViewNumbers numbers = view_numbers(learn_view(learn, &state), &state);
    *query = (HeatmapQuery){.stage = numbers.node->stage,
                            .layer = HEATMAP_ALL,
                            .head = numbers.head == VIEW_ALL ? HEATMAP_ALL : numbers.head,
                            .item = numbers.item == VIEW_ALL ? 0 : numbers.item};
    return numbers.node;
}

static bool export_matrix(Learn *learn, const char *path, Error *err) {
    HeatmapQuery query;
    const Node *node = shown_matrix(learn, &query);
    if (!stepper_require(&learn->bench.playground.stepper, node, err)) {
        return false;
    }
    Font font = {0};
    Arena arena = {0};
    Heatmap heatmap = {.palette = PALETTE_VIRIDIS, .scale = learn->scale};
    int n_other = 0;
    bool ok = font_init(&font, NULL, err) &&
              heatmap_input_prepare(&heatmap, &arena, learn->bench.playground.opened, &query,
                                    &n_other, err);
    if (ok) {
        size_t n_cells = (size_t)heatmap.n_rows * (size_t)heatmap.n_columns;
        heatmap.shows_values = n_cells * (size_t)heatmap.n_panels <= MOST_VALUES;
        ok = heatmap_save(&heatmap, &font, path, err);
    }
    if (ok) {
        reply_say(&learn->reply, TEXT_EXPORTED_MATRIX, path, node->stage);
    }
    arena_free(&arena);
    font_free(&font);
    return ok;
}

bool act_export(Learn *learn, const Command *command, Error *err) {
    if (learn->bench.cursor.place.node == NULL) {
        return error_set(err, "%s", reply_text(&learn->reply, TEXT_NOTHING_OPEN));
    }
    const char *path = command->rest;
    if (path[0] == '\0') {
        char line[PROMPT_BYTES];
        snprintf(line, sizeof line, "export %.200s.png", learn->bench.cursor.place.node->stage);
        reply_ask(&learn->reply, line);
        return true;
    }
    bool is_picture = file_has_ending(path, ".png");
    if (!is_picture && !file_has_ending(path, ".txt") && !file_has_ending(path, ".svg") &&
        !file_has_ending(path, ".csv")) {
        return error_set(err,
                         "export: expected a file that ends in .png, .svg, .csv or .txt, found "
                         "\"%s\"",
                         path);
    }
    if (!stepper_require(&learn->bench.playground.stepper, learn->bench.cursor.place.node, err)) {
        return false;
    }
    bool is_page = is_picture || file_has_ending(path, ".txt");
    return is_page ? export_page(learn, is_picture, path, err) : export_matrix(learn, path, err);
}
