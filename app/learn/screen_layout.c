// screen_layout.c - where each part of the screen is.
#include "app/learn/screen_private.h"

// A question is seen whole where there is room for it; all else keeps its place from stop to stop.
static int lesson_height(const Screen *screen, int width, int body, int usual) {
    if (!screen->player->has_lesson) {
        return 0;
    }
    if (screen->player->question.question == NULL) {
        return usual;
    }
    Canvas nowhere = {.width = width - 4}; // nothing shows: it only measures
    int needed = screen_draw_lesson(screen, &nowhere, 0) + 2;
    int most = body * 3 / 5;
    needed = needed < most ? needed : most;
    return needed > usual ? needed : usual;
}

Layout screen_layout(const Screen *screen, int width, int height) {
    Layout layout = {.header = {0, 0, width, 1}, .footer = {0, height - 1, width, 1}};
    layout.is_too_small = width < SCREEN_MIN_WIDTH || height < SCREEN_MIN_HEIGHT;
    int body = height - 2;
    int lesson = height < 20 ? 6 : (height < 28 ? 8 : (height < 45 ? 10 : 13));
    int tape = width < 78 ? 20 : (width < 108 ? 28 : 34);
    lesson = lesson_height(screen, width, body, lesson);
    if (screen->is_zoomed) {
        layout.panes[screen->focus] = (Rect){0, 1, width, body};
        return layout;
    }
    layout.panes[PANE_TAPE] = (Rect){0, 1, tape, body - lesson};
    layout.panes[PANE_VIEW] = (Rect){tape, 1, width - tape, body - lesson};
    layout.panes[PANE_LESSON] = (Rect){0, 1 + body - lesson, width, lesson};
    return layout;
}
