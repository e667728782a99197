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

// It was drawn to its end; what is left is the file.
static bool is_drawn(const Heatmap *heatmap, Error *err) {
    bool ok = progress_at(heatmap->progress, 1, 1, err);
    progress_piece(heatmap->progress, 2, 3);
    return ok;
}

static bool save_picture(const Heatmap *heatmap, Font *font, const char *path, Error *err) {
    Picture picture = {0};
    bool ok = heatmap_draw(heatmap, font, &picture, err) && is_drawn(heatmap, err) &&
              png_save(&picture, path, heatmap->progress, err);
    picture_free(&picture);
    return ok;
}

static bool save_text(const Heatmap *heatmap, Font *font, bool is_svg, const char *path,
                      Error *err) {
    char *text = NULL;
    size_t size_bytes = 0;
    bool ok = (is_svg ? heatmap_svg(heatmap, font, &text, &size_bytes, err)
                      : heatmap_csv(heatmap, &text, &size_bytes, err)) &&
              is_drawn(heatmap, err) &&
              file_save_watched(path, text, size_bytes, heatmap->progress, err);
    free(text);
    return ok;
}

bool heatmap_save(const Heatmap *heatmap, Font *font, const char *path, Error *err) {
    const HeatmapFile kind = heatmap_kind_of_name(path);
    if (kind == HEATMAP_FILE_UNKNOWN) {
        return error_set(err, "%s: expected a name that ends in .png, .svg or .csv", path);
    }
    progress_piece(heatmap->progress, 1, 3); // after heatmap_scan
    bool ok = kind == HEATMAP_FILE_PNG
                  ? save_picture(heatmap, font, path, err)
                  : save_text(heatmap, font, kind == HEATMAP_FILE_SVG, path, err);
    progress_piece(heatmap->progress, 0, 0);
    return ok;
}
