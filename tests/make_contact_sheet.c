// make_contact_sheet.c - every view in every theme on one picture, to look over.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support_places.h"
#include "views/pictures/canvas_picture.h"
#include "views/pictures/png.h"

enum { COLUMNS = 80, ROWS = 24, SHRINK = 2, ACROSS = 6, GAP = 8, STEP = 42 };

static void stop(const Error *err) {
    fprintf(stderr, "make_contact_sheet: %s\n", err->text);
    exit(1);
}

// Every pixel of the sheet is the mean of SHRINK * SHRINK of the picture, in few levels, which
// makes the file small.
static void put_small(Picture *sheet, int x, int y, const Picture *picture) {
    for (int row = 0; row < picture->height / SHRINK; row++) {
        for (int column = 0; column < picture->width / SHRINK; column++) {
            unsigned char *to = picture_pixel(sheet, x + column, y + row);
            for (int part = 0; part < 3; part++) {
                int sum = 0;
                for (int i = 0; i < SHRINK * SHRINK; i++) {
                    sum += picture_pixel(picture, column * SHRINK + i % SHRINK,
                                         row * SHRINK + i / SHRINK)[part];
                }
                int mean = sum / (SHRINK * SHRINK);
                int level = (mean + 4) / STEP * STEP + STEP / 2; // both papers stay neutral
                to[part] = (unsigned char)(level > 255 ? 255 : level);
            }
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make_contact_sheet FILE.png\n");
        return 2;
    }
    setlocale(LC_CTYPE, "C.UTF-8");
    Error err = {""};
    Font font = {0};
    Canvas canvas = {.cells = NULL};
    Picture sheet = {0};
    Picture picture = {0};
    const int width = (COLUMNS * CANVAS_CELL_WIDTH + 2 * CANVAS_MARGIN) / SHRINK + GAP;
    const int height = (ROWS * CANVAS_CELL_HEIGHT + 2 * CANVAS_MARGIN) / SHRINK + GAP;
    const int n = N_SUPPORT_PLACES * THEME_COUNT;
    if (!font_init(&font, NULL, &err) || !canvas_init(&canvas, COLUMNS, ROWS, &err) ||
        !picture_init(&sheet, ACROSS * width + GAP, (n + ACROSS - 1) / ACROSS * height + GAP,
                      (Rgb){0x80, 0x80, 0x80}, &err)) {
        stop(&err);
    }
    for (int i = 0; i < n; i++) {
        ThemeName theme = (ThemeName)(i % THEME_COUNT);
        LearnOptions options = support_place_options(&SUPPORT_PLACES[i / THEME_COUNT], theme);
        if (!learn_draw_place(&options, &canvas, &err) ||
            !canvas_to_picture(&canvas, theme, &font, &picture, &err)) {
            stop(&err);
        }
        put_small(&sheet, GAP + i % ACROSS * width, GAP + i / ACROSS * height, &picture);
        picture_free(&picture);
    }
    if (!png_save_small(&sheet, argv[1], &err)) {
        stop(&err);
    }
    picture_free(&sheet);
    canvas_free(&canvas);
    font_free(&font);
    return 0;
}
