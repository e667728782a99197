// screen_overlay.c - what lies over the panes: menu, help, what can be changed, a number in big.
#include <stdio.h>

#include "app/learn/screen_private.h"

// ---- what can be changed

static void draw_change(const Screen *screen, Canvas *canvas) {
    Canvas inside =
        screen_open_box(screen, canvas, 60, 13, TEXT_CHANGE_TITLE, "", TEXT_CHANGE_HINT).inside;
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

void screen_draw_overlay(Screen *screen, Canvas *canvas) {
    switch (screen->overlay) {
    case OVERLAY_NONE:
        return;
    case OVERLAY_MENU:
        screen_draw_menu(screen, canvas);
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
