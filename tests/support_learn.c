// support_learn.c - the learning screen without a terminal: keys go in, frames come out.
#include "tests/support.h"

#include "tests/support_learn.h"

#include <stdlib.h>

#include "app/terminal/key.h"
#include "views/canvas_text.h"

Learn *support_learn_open(const LearnOptions *options) {
    Learn *learn = calloc(1, sizeof *learn);
    Error err = {""};
    assert_non_null(learn);
    support_require(learn_init(learn, options, &err), &err);
    return learn;
}

void support_learn_close(Learn *learn) {
    learn_free(learn);
    free(learn);
}

void support_learn_finish(Learn *learn) {
    for (bool is_busy = true; is_busy || player_has_commands(&learn->player);) {
        learn->pause_ms = 0.0;
        is_busy = learn_work(learn, 50.0);
    }
}

void support_learn_press(Learn *learn, int key) {
    const Event event = {.kind = EVENT_KEY, .key = key};
    learn_handle(learn, &event);
}

void support_learn_type(Learn *learn, const char *keys) {
    for (; *keys != '\0'; keys++) {
        support_learn_press(learn, key_of_character((unsigned char)*keys));
    }
}

static char *draw(Learn *learn, int width, int height,
                  bool (*write)(const Canvas *, char **, size_t *, Error *)) {
    Canvas canvas;
    Error err = {""};
    char *text = NULL;
    size_t length = 0;
    support_require(canvas_init(&canvas, width, height, &err), &err);
    canvas.ascii = learn->screen.ascii;
    screen_draw(&learn->screen, &canvas);
    support_require(write(&canvas, &text, &length, &err), &err);
    canvas_free(&canvas);
    return text;
}

char *support_learn_frame(Learn *learn, int width, int height) {
    return draw(learn, width, height, canvas_to_frame);
}

char *support_learn_text(Learn *learn, int width, int height) {
    return draw(learn, width, height, canvas_to_text);
}
