// picture.c - a raster of RGB pixels.
#include "views/pictures/picture.h"

#include <stdlib.h>
#include <string.h>

bool picture_init(Picture *picture, int width, int height, Rgb paper, Error *err) {
    *picture = (Picture){0};
    if (width < 1 || height < 1 || width > PICTURE_MAX_SIDE || height > PICTURE_MAX_SIDE ||
        (size_t)width * (size_t)height > PICTURE_MAX_PIXELS) {
        return error_set(err,
                         "a picture of %d x %d pixels cannot be drawn: at most %d on a side and %d "
                         "million in all are",
                         width, height, PICTURE_MAX_SIDE, PICTURE_MAX_PIXELS / (1024 * 1024));
    }
    picture->pixels = malloc((size_t)width * (size_t)height * 3);
    if (picture->pixels == NULL) {
        return error_set(err, "out of memory for a picture of %d x %d pixels", width, height);
    }
    picture->width = width;
    picture->height = height;
    picture_fill(picture, (Rect){0, 0, width, height}, paper);
    return true;
}

void picture_free(Picture *picture) {
    free(picture->pixels);
    *picture = (Picture){0};
}

unsigned char *picture_pixel(const Picture *picture, int x, int y) {
    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height) {
        return NULL;
    }
    return picture->pixels + ((size_t)y * (size_t)picture->width + (size_t)x) * 3;
}

void picture_fill(Picture *picture, Rect rect, Rgb colour) {
    Rect shown = rect_common(rect, (Rect){0, 0, picture->width, picture->height});
    if (shown.width == 0 || shown.height == 0) {
        return;
    }
    unsigned char *first = picture_pixel(picture, shown.x, shown.y);
    for (int x = 0; x < shown.width; x++) {
        first[3 * x] = colour.r;
        first[3 * x + 1] = colour.g;
        first[3 * x + 2] = colour.b;
    }
    for (int y = 1; y < shown.height; y++) {
        memcpy(picture_pixel(picture, shown.x, shown.y + y), first, (size_t)shown.width * 3);
    }
}

void picture_frame(Picture *picture, Rect rect, Rgb colour) {
    picture_fill(picture, (Rect){rect.x, rect.y, rect.width, 1}, colour);
    picture_fill(picture, (Rect){rect.x, rect.y + rect.height - 1, rect.width, 1}, colour);
    picture_fill(picture, (Rect){rect.x, rect.y, 1, rect.height}, colour);
    picture_fill(picture, (Rect){rect.x + rect.width - 1, rect.y, 1, rect.height}, colour);
}

void picture_hatch(Picture *picture, Rect rect, int step, Rgb colour) {
    Rect shown = rect_common(rect, (Rect){0, 0, picture->width, picture->height});
    for (int y = shown.y; y < shown.y + shown.height; y++) {
        int offset = (step - (shown.x + y) % step) % step;
        for (int x = shown.x + offset; x < shown.x + shown.width; x += step) {
            picture_blend(picture, x, y, colour, 255);
        }
    }
}

void picture_blend(Picture *picture, int x, int y, Rgb ink, unsigned coverage) {
    unsigned char *pixel = picture_pixel(picture, x, y);
    if (pixel == NULL) {
        return;
    }
    unsigned rest = 255 - coverage;
    pixel[0] = (unsigned char)((ink.r * coverage + pixel[0] * rest + 127) / 255);
    pixel[1] = (unsigned char)((ink.g * coverage + pixel[1] * rest + 127) / 255);
    pixel[2] = (unsigned char)((ink.b * coverage + pixel[2] * rest + 127) / 255);
}
