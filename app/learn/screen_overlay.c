// screen_overlay.c - what lies over the panes: menu, help, what can be changed, a number in big.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/terminal/key.h"
#include "app/learn/lesson_files.h"
#include "app/learn/screen_private.h"

// ---- the menu of lessons

typedef struct Menu {
    const Screen *screen;
    Canvas *canvas;
    int at, first;
} Menu;

static void draw_entry(void *context, const char *file) {
    Menu *menu = context;
    const Screen *screen = menu->screen;
    int y = menu->at - menu->first;
    bool is_chosen = menu->at++ == screen->menu_at;
    if (y < 0 || y >= menu->canvas->height) {
        return;
    }
    char name[256];
    char *path = lesson_files_find(file, screen->reply->language, name);
    Lesson lesson = {0};
    bool ok = path != NULL && lesson_load(&lesson, path, NULL);
    Style style = is_chosen ? STYLE_CURSOR : STYLE_TEXT;
    canvas_fill(menu->canvas, (Rect){0, y, menu->canvas->width, 1}, style, " ");
    canvas_format(menu->canvas, 2, y, style, "%2ld", strtol(file, NULL, 10));
    bool is_done = ok && player_reached(name) + 1 >= lesson.n_stops;
    if (is_done) {
        canvas_text(menu->canvas, 0, y, style, menu->canvas->ascii ? "*" : "✓");
    }
    char entry[ABOUT_BYTES];
    canvas_text(menu->canvas, 6, y, style,
                ok ? about_entry(entry, &lesson, screen->reply->language) : file);
    lesson_free(&lesson);
    free(path);
}

static void draw_menu(const Screen *screen, Canvas *canvas) {
    Canvas inside = screen_open_box(screen, canvas, 64, 24, TEXT_MENU_TITLE, TEXT_MENU_HINT);
    int first = screen->menu_at >= inside.height ? screen->menu_at - inside.height + 1 : 0;
    Menu menu = {screen, &inside, 0, first};
    lesson_files_list(draw_entry, &menu);
}

// ---- what can be changed

static void draw_change(const Screen *screen, Canvas *canvas) {
    Canvas inside = screen_open_box(screen, canvas, 60, 13, TEXT_CHANGE_TITLE, TEXT_CHANGE_HINT);
    if (screen->bench->playground.opened == NULL) {
        canvas_text(&inside, 2, 0, STYLE_DIM, reply_text(screen->reply, TEXT_NOTHING_OPEN));
        return;
    }
    const ModelConfig *config = &screen->bench->playground.opened->named.model.config;
    const struct {
        const char *key;
        TextId name;
        bool is_switch, is_off;
        int number;
    } rows[] = {
        {"m", TEXT_MASK, true, config->switches.without_mask, 0},
        {"s", TEXT_SCALE, true, config->switches.without_scale, 0},
        {"r", TEXT_RESIDUAL, true, config->switches.without_residual, 0},
        {"p", TEXT_POSITIONS, true, config->switches.without_positions, 0},
        {"h", TEXT_HEADS, false, false, config->n_heads},
        {"l", TEXT_LAYERS, false, false, config->n_layers},
        {"w", TEXT_WIDTH, false, false, config->d_model},
    };
    int n = (int)(sizeof rows / sizeof rows[0]);
    for (int i = 0; i < n; i++) {
        char value[32];
        snprintf(value, sizeof value, "%d", rows[i].number);
        TextId state = rows[i].is_off ? TEXT_OFF : TEXT_ON;
        canvas_text(&inside, 2, i, STYLE_KEY, rows[i].key);
        canvas_text(&inside, 5, i, STYLE_TEXT, reply_text(screen->reply, rows[i].name));
        canvas_text(&inside, 46, i, rows[i].is_off ? STYLE_CHANGED : STYLE_NUMBER,
                    rows[i].is_switch ? reply_text(screen->reply, state) : value);
    }
    canvas_text(&inside, 2, n, STYLE_KEY, "n");
    canvas_text(&inside, 5, n, STYLE_TEXT, reply_text(screen->reply, TEXT_NORM));
    canvas_text(&inside, 46, n, STYLE_NUMBER, config->norm_first ? "pre" : "post");
    canvas_text(&inside, 2, n + 1, STYLE_KEY, "i");
    canvas_text(&inside, 5, n + 1, STYLE_TEXT, text_help(screen->reply->language, COMMAND_INPUT));
    canvas_text(&inside, 2, n + 2, STYLE_KEY, "d");
    canvas_text(&inside, 5, n + 2, STYLE_TEXT, text_help(screen->reply->language, COMMAND_SEED));
}

void screen_draw_overlay(const Screen *screen, Canvas *canvas) {
    switch (screen->overlay) {
    case OVERLAY_NONE:
        return;
    case OVERLAY_MENU:
        draw_menu(screen, canvas);
        return;
    case OVERLAY_HELP:
        screen_draw_help(screen, canvas);
        return;
    case OVERLAY_CHANGE:
        draw_change(screen, canvas);
        return;
    }
}

// ---- one number in big digits, to be read from the last row

void screen_draw_big(const ViewState *state, Canvas *canvas) {
    if (state->node == NULL) {
        return;
    }
    int width = canvas->width * 3 / 4;
    int height = canvas->height / 2;
    Rect rect = {(canvas->width - width) / 2, (canvas->height - height) / 2, width, height};
    Canvas part = canvas_part(canvas, rect);
    canvas_clear(&part, STYLE_TEXT);
    char cell[256];
    explain_cell_name(state->node, state->element, cell, sizeof cell);
    Canvas inside = canvas_box(&part, (Rect){0, 0, width, height}, STYLE_FOCUS, cell, NULL);
    view_draw_big(state, &inside);
}
