// screen_box.c - the box in the middle that menu, help and the list of changes stand in.
#include "app/learn/screen_private.h"

#include <stdio.h>

ScreenBox screen_open_box(const Screen *screen, Canvas *canvas, int width, int height, TextId title,
                          const char *sought, TextId hint) {
    width = width > canvas->width - 2 ? canvas->width - 2 : width;
    height = height > canvas->height - 2 ? canvas->height - 2 : height;
    ScreenBox box = {
        .rect = {(canvas->width - width) / 2, (canvas->height - height) / 2, width, height}};
    Canvas part = canvas_part(canvas, box.rect);
    canvas_clear(&part, STYLE_TEXT);
    char whole[REPLY_BYTES];
    text_print(whole, sizeof whole, "%s%s%s", reply_text(screen->reply, title),
               sought[0] == '\0' ? "" : ": ", sought);
    Canvas inside = canvas_box(&part, (Rect){0, 0, width, height}, STYLE_FOCUS, whole, NULL);
    Rect below = {1, inside.height, inside.width - 2, 0};
    below.height = canvas_paragraph(NULL, below, STYLE_DIM, reply_text(screen->reply, hint));
    below.y -= below.height;
    canvas_paragraph(&inside, below, STYLE_DIM, reply_text(screen->reply, hint));
    box.inside = canvas_part(&inside, (Rect){0, 0, inside.width, below.y});
    return box;
}

void screen_draw_ends(Canvas *canvas, Rect rect, int above, int below) {
    const int counts[] = {above, below};
    const int rows[] = {rect.y, rect.y + rect.height - 1};
    static const char *const SIGNS[2][2] = {{"▲", "▼"}, {"^", "v"}};
    for (int i = 0; i < 2; i++) {
        if (counts[i] > 0) {
            char text[32];
            snprintf(text, sizeof text, " %s %d ", SIGNS[canvas->ascii][i], counts[i]);
            canvas_text(canvas, rect.x + rect.width - 2 - text_columns(text), rows[i], STYLE_KEY,
                        text);
        }
    }
}
