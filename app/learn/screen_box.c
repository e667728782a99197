// screen_box.c - the box in the middle that menu, help and the list of changes stand in.
#include "app/learn/screen_private.h"

Canvas screen_open_box(const Screen *screen, Canvas *canvas, int width, int height, TextId title,
                       TextId hint) {
    width = width > canvas->width - 2 ? canvas->width - 2 : width;
    height = height > canvas->height - 2 ? canvas->height - 2 : height;
    Rect rect = {(canvas->width - width) / 2, (canvas->height - height) / 2, width, height};
    Canvas part = canvas_part(canvas, rect);
    canvas_clear(&part, STYLE_TEXT);
    Canvas inside = canvas_box(&part, (Rect){0, 0, width, height}, STYLE_FOCUS,
                               reply_text(screen->reply, title), NULL);
    canvas_text_in(&inside, 1, inside.height - 1, inside.width - 2, ALIGN_LEFT, STYLE_DIM,
                   reply_text(screen->reply, hint));
    return canvas_part(&inside, (Rect){0, 0, inside.width, inside.height - 1});
}
