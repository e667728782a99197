// view_pending.c - plain forms of two parts of the screen, until their own files are here.
#include <stdio.h>

#include "views/view.h"

__attribute__((weak)) void view_draw_big(const ViewState *state, Canvas *canvas) {
    double value = state->node->type == DATA_INT ? (double)state->node->ids[state->element]
                                                 : (double)state->node->data[state->element];
    canvas_format(canvas, 2, canvas->height / 2, STYLE_STRONG, "%.6g", value);
}

__attribute__((weak)) int view_draw_help(const ViewState *state, Canvas *canvas) {
    for (int i = state->scroll; i < state->n_keys; i++) {
        int y = i - state->scroll;
        canvas_text_in(canvas, 1, y, 11, ALIGN_RIGHT, STYLE_KEY, state->keys[i].keys);
        canvas_text_in(canvas, 13, y, 13, ALIGN_LEFT, STYLE_CODE, state->keys[i].name);
        canvas_text(canvas, 27, y, STYLE_TEXT, state->keys[i].help);
    }
    return state->n_keys;
}
