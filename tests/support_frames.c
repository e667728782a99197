// support_frames.c - golden frames: a drawing at several sizes and in all themes, held against
// files.
#include "tests/support_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support.h"
#include "views/canvas_text.h"
#include "views/pictures/canvas_picture.h"
#include "views/pictures/png.h"

// The last is what the view's pane has on a screen of 80 x 24.
static const int SIZES[][2] = {{80, 24}, {100, 30}, {200, 60}, {50, 12}};

// ---- files

// What each style of the frame looks like in a theme.
static void write_looks(FILE *out, const Canvas *canvas, ThemeName theme) {
    bool is_used[STYLE_COUNT] = {false};
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            is_used[canvas_cell(canvas, x, y)->style] = true;
        }
    }
    fprintf(out, "-- looks of %s: style, ink, paper, attributes\n", theme_name(theme));
    for (int style = 0; style < STYLE_COUNT; style++) {
        if (is_used[style]) {
            Cell cell = {
                .style = (unsigned char)style, .heat_ink = HEAT_NONE, .heat_paper = HEAT_NONE};
            Rgb ink;
            Rgb paper;
            unsigned attributes = 0;
            cell_colours(&cell, theme, &ink, &paper, &attributes);
            fprintf(out, "%c %02x%02x%02x %02x%02x%02x %02x\n", theme_style_letter((Style)style),
                    ink.r, ink.g, ink.b, paper.r, paper.g, paper.b, attributes);
        }
    }
}

// The text of a frame file: all of the frame with the dark theme, with the others only the looks,
// since a theme changes nothing else.
static char *frame_text(const Canvas *canvas, const char *name, ThemeName theme) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (theme == THEME_DARK) {
        char *frame = NULL;
        size_t length = 0;
        Error err = {""};
        support_require(canvas_to_frame(canvas, &frame, &length, &err), &err);
        fwrite(frame, 1, length, out);
        free(frame);
    } else {
        fprintf(out, "glyphs, styles and heat as in %s-%dx%d-dark.txt\n", name, canvas->width,
                canvas->height);
    }
    write_looks(out, canvas, theme);
    fclose(out);
    return text;
}

static void frame_path(char *path, size_t size, const char *name, const int *wh, ThemeName theme) {
    snprintf(path, size, "tests/frames/%s-%dx%d-%s.txt", name, wh[0], wh[1], theme_name(theme));
}

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static int compare_frame(const char *path, const char *text) {
    char *expected = read_all(path);
    if (expected == NULL) {
        print_error("%s: %s; `make frames` writes it\n", path, strerror(errno));
        return 1;
    }
    int line = 1;
    size_t i = 0;
    while (text[i] != '\0' && text[i] == expected[i]) {
        line += text[i] == '\n';
        i++;
    }
    bool differs = text[i] != expected[i];
    if (differs) {
        print_error("%s:%d: the view draws something else; `make frames` rewrites it\n", path,
                    line);
    }
    free(expected);
    return differs;
}

static void write_frame(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

int frames_each(const char *name, FramesDraw draw, void *context, bool writes) {
    int n_bad = 0;
    for (size_t k = 0; k < sizeof SIZES / sizeof SIZES[0]; k++) {
        Canvas canvas = {0};
        Error err = {""};
        support_require(canvas_init(&canvas, SIZES[k][0], SIZES[k][1], &err), &err);
        for (int theme = 0; theme < THEME_COUNT; theme++) {
            char path[256];
            frame_path(path, sizeof path, name, SIZES[k], (ThemeName)theme);
            draw(context, &canvas);
            char *text = frame_text(&canvas, name, (ThemeName)theme);
            if (writes) {
                write_frame(path, text);
            } else {
                n_bad += compare_frame(path, text);
            }
            free(text);
        }
        canvas_free(&canvas);
    }
    return n_bad;
}

// ---- to look at one

static void save_picture(const Canvas *canvas, const char *path, const char *theme_text) {
    ThemeName theme = THEME_DARK;
    Font font = {0};
    Picture picture = {0};
    Error err = {""};
    support_require(theme_find(&theme, theme_text, &err), &err);
    support_require(font_init(&font, NULL, &err), &err);
    support_require(canvas_to_picture(canvas, theme, &font, &picture, &err), &err);
    support_require(png_save(&picture, path, NULL, &err), &err);
    picture_free(&picture);
    font_free(&font);
}

void frames_show(FramesDraw draw, void *context, int count, char **arguments) {
    Canvas canvas = {0};
    Error err = {""};
    int width = (int)strtol(arguments[0], NULL, 10);
    int height = (int)strtol(arguments[1], NULL, 10);
    support_require(canvas_init(&canvas, width, height, &err), &err);
    canvas.ascii = count > 2 && strcmp(arguments[2], "ascii") == 0;
    draw(context, &canvas);
    if (count > 3) {
        save_picture(&canvas, arguments[3], arguments[2]);
    } else {
        char *text = NULL;
        size_t length = 0;
        support_require(canvas_to_text(&canvas, &text, &length, &err), &err);
        fwrite(text, 1, length, stdout);
        free(text);
    }
    canvas_free(&canvas);
}
