// learn_picture.c - the screen as a picture, without a terminal: --picture.
#include "app/learn/learn.h"
#include "views/pictures/canvas_picture.h"
#include "views/pictures/png.h"

// Runs to its end what leads to the place; training that goes on until it is stopped is stopped.
static void finish(Learn *learn) {
    bool is_busy = true;
    while (is_busy || player_has_commands(&learn->player)) {
        int *n_wanted = &learn->bench.playground.training.n_wanted;
        *n_wanted = *n_wanted < 0 ? 0 : *n_wanted;
        learn->pause_ms = 0.0;
        is_busy = learn_work(learn, 50.0);
    }
}

bool learn_draw_place(const LearnOptions *options, Canvas *canvas, Error *err) {
    Learn learn;
    bool ok = learn_init(&learn, options, err);
    if (ok) {
        finish(&learn);
        learn.screen.ascii = canvas->ascii;
        screen_draw(&learn.screen, canvas);
    }
    learn_free(&learn);
    return ok;
}

int learn_picture(const LearnOptions *options, Error *err) {
    Canvas canvas = {.cells = NULL};
    Font font = {0};
    Picture picture = {0};
    bool ok = canvas_init(&canvas, options->picture_width, options->picture_height, err);
    canvas.ascii = options->terminal.ascii;
    ok = ok && learn_draw_place(options, &canvas, err) && font_init(&font, NULL, err) &&
         canvas_to_picture(&canvas, options->terminal.theme, &font, &picture, err) &&
         png_save(&picture, options->picture, NULL, err);
    picture_free(&picture);
    font_free(&font);
    canvas_free(&canvas);
    return ok ? 0 : 1;
}
