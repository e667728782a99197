// heatmap_save.c - writes a heatmap as the kind of file that its name asks for.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/file.h"
#include "views/pictures/heatmap.h"
#include "views/pictures/png.h"

HeatmapFile heatmap_kind_of_name(const char *path) {
    static const char *const ENDINGS[] = {
        [HEATMAP_FILE_PNG] = ".png", [HEATMAP_FILE_SVG] = ".svg", [HEATMAP_FILE_CSV] = ".csv"};
    const char *dot = strrchr(path, '.');
    for (int kind = HEATMAP_FILE_PNG; dot != NULL && kind <= HEATMAP_FILE_CSV; kind++) {
        if (strcasecmp(dot, ENDINGS[kind]) == 0) {
            return (HeatmapFile)kind;
        }
    }
    return HEATMAP_FILE_UNKNOWN;
}

static bool save_picture(const Heatmap *heatmap, Font *font, const char *path, Error *err) {
    Picture picture = {0};
    bool ok = heatmap_draw(heatmap, font, &picture, err) && png_save(&picture, path, err);
    picture_free(&picture);
    return ok;
}

bool heatmap_save(const Heatmap *heatmap, Font *font, const char *path, Error *err) {
    char *text = NULL;
    size_t size_bytes = 0;
    bool ok = false;
    switch (heatmap_kind_of_name(path)) {
    case HEATMAP_FILE_UNKNOWN:
        return error_set(err, "%s: expected a name that ends in .png, .svg or .csv", path);
    case HEATMAP_FILE_PNG:
        return save_picture(heatmap, font, path, err);
    case HEATMAP_FILE_SVG:
        ok = heatmap_svg(heatmap, font, &text, &size_bytes, err);
        break;
    case HEATMAP_FILE_CSV:
        ok = heatmap_csv(heatmap, &text, &size_bytes, err);
        break;
    }
    ok = ok && file_save(path, text, size_bytes, err);
    free(text);
    return ok;
}
