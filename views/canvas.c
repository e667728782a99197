// canvas.c - a grid of cells that every view of the screen draws on; its readers are curses, text,
// PNG.
#include "views/canvas.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Cell BLANK = {
    .glyph = " ", .width = 1, .style = STYLE_TEXT, .heat_ink = HEAT_NONE, .heat_paper = HEAT_NONE};

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

bool canvas_resize(Canvas *canvas, int width, int height, Error *err) {
    if (width < 1 || height < 1 || width > CANVAS_MAX_SIDE || height > CANVAS_MAX_SIDE) {
        return error_set(err, "a canvas has 1 to %d columns and rows, not %d x %d", CANVAS_MAX_SIDE,
                         width, height);
    }
    size_t n_cells = (size_t)width * (size_t)height;
    Cell *cells = malloc(n_cells * sizeof *cells);
    if (cells == NULL) {
        return error_set(err, "out of memory for a canvas of %d x %d cells", width, height);
    }
    free(canvas->cells);
    *canvas = (Canvas){.cells = cells,
                       .grid_columns = width,
                       .grid_rows = height,
                       .width = width,
                       .height = height,
                       .clip = {0, 0, width, height},
                       .floor = height,
                       .cut = canvas->cut,
                       .ascii = canvas->ascii};
    canvas_clear(canvas, STYLE_TEXT);
    return true;
}

bool canvas_init(Canvas *canvas, int width, int height, Error *err) {
    *canvas = (Canvas){0};
    return canvas_resize(canvas, width, height, err);
}

static int side_of(int size) {
    return size < 1 ? 1 : (size > CANVAS_MAX_SIDE ? CANVAS_MAX_SIDE : size);
}

bool canvas_fit(Canvas *canvas, int width, int height) {
    const int columns = side_of(width);
    const int rows = side_of(height);
    const bool fits = canvas->cells != NULL && canvas->width == columns && canvas->height == rows;
    return fits || canvas_resize(canvas, columns, rows, NULL);
}

void canvas_free(Canvas *canvas) {
    free(canvas->cells);
    *canvas = (Canvas){0};
}

Canvas canvas_part(const Canvas *canvas, Rect rect) {
    Canvas part = *canvas;
    part.x = canvas->x + rect.x;
    part.y = canvas->y + rect.y;
    part.width = larger(rect.width, 0);
    part.height = larger(rect.height, 0);
    part.clip = rect_common(canvas->clip, (Rect){part.x, part.y, part.width, part.height});
    part.floor = smaller(canvas->floor, part.y + part.height);
    return part;
}

// What of a rectangle of the canvas shows, in the grid.
static Rect showing(const Canvas *canvas, Rect rect) {
    Rect in_grid = {canvas->x + rect.x, canvas->y + rect.y, larger(rect.width, 0),
                    larger(rect.height, 0)};
    return rect_common(canvas->clip, in_grid);
}

static Cell *grid_cell(const Canvas *canvas, int grid_x, int grid_y) {
    return &canvas->cells[(size_t)grid_y * (size_t)canvas->grid_columns + (size_t)grid_x];
}

Cell *canvas_cell(const Canvas *canvas, int x, int y) {
    Rect rect = showing(canvas, (Rect){x, y, 1, 1});
    return rect.width == 1 && rect.height == 1 ? grid_cell(canvas, rect.x, rect.y) : NULL;
}

static void blank_glyph(Cell *cell) {
    strcpy(cell->glyph, " ");
    cell->width = 1;
}

// Before columns grid_x .. grid_x + width - 1 are written: a wide glyph that would be cut in half
// by that goes, its other half becomes a space.
static void release_halves(const Canvas *canvas, int grid_x, int grid_y, int width) {
    Cell *first = grid_cell(canvas, grid_x, grid_y);
    if (first->width == 0 && grid_x > 0) {
        blank_glyph(first - 1);
    }
    Cell *last = grid_cell(canvas, grid_x + width - 1, grid_y);
    if (last->width == 2 && grid_x + width < canvas->grid_columns) {
        blank_glyph(last + 1);
    }
}

static void cell_write(Cell *cell, const char *glyph, int width, Style style) {
    *cell = BLANK;
    memcpy(cell->glyph, glyph, strlen(glyph) + 1);
    cell->width = (unsigned char)width;
    cell->style = (unsigned char)style;
}

void canvas_fill(Canvas *canvas, Rect rect, Style style, const char *glyph) {
    assert(strlen(glyph) < TEXT_CLUSTER_BYTES);
    Rect shown = showing(canvas, rect);
    for (int y = shown.y; shown.width > 0 && y < shown.y + shown.height; y++) {
        release_halves(canvas, shown.x, y, shown.width);
        for (int x = shown.x; x < shown.x + shown.width; x++) {
            cell_write(grid_cell(canvas, x, y), glyph, 1, style);
        }
    }
}

void canvas_clear(Canvas *canvas, Style style) {
    Rect all = {0, 0, canvas->width, canvas->height};
    if (canvas->clip.width == canvas->grid_columns && canvas->clip.height == canvas->grid_rows) {
        size_t n_cells = (size_t)canvas->grid_columns * (size_t)canvas->grid_rows;
        for (size_t i = 0; i < n_cells; i++) {
            cell_write(&canvas->cells[i], " ", 1,
                       style); // also what a fresh canvas needs: no halves
        }
        return;
    }
    canvas_fill(canvas, all, style, " ");
}

// Signs of ours that --ascii replaces; what a person brought, such as Chinese tokens, stays.
static const char *ascii_sign(const char *glyph) {
    static const char *const SIGNS[][2] = {
        {"…", "~"}, {"▸", ">"}, {"▾", "v"}, {"●", "*"}, {"○", "o"},  {"·", "."},
        {"░", "."}, {"▒", ":"}, {"▓", "#"}, {"█", "@"}, {"→", ">"},  {"←", "<"},
        {"↑", "^"}, {"↓", "v"}, {"√", "/"}, {"≈", "~"}, {"×", "x"},  {"−", "-"},
        {"✓", "+"}, {"✗", "x"}, {"–", "-"}, {"—", "-"}, {"▀", "\""}, {"▄", "_"},
        {"ᵀ", "'"}, {"Σ", "S"}, {"∞", "~"}, {"■", "#"}, {"≤", "<"},  {"³", "3"},
        {"²", "2"}, {"β", "b"}, {"π", "p"}, {"÷", "/"}, {"┊", "!"},  {"│", "|"},
    };
    if ((unsigned char)glyph[0] < 0x80) {
        return glyph;
    }
    for (size_t i = 0; i < sizeof SIGNS / sizeof SIGNS[0]; i++) {
        if (strcmp(glyph, SIGNS[i][0]) == 0) {
            return SIGNS[i][1];
        }
    }
    return glyph;
}

// Writes one cluster at a column of the canvas, as much of it as shows.
static void put_cluster(Canvas *canvas, int x, int y, Style style, const TextCluster *cluster) {
    Rect shown = showing(canvas, (Rect){x, y, cluster->width, 1});
    if (shown.width == 0 || shown.height == 0) {
        return;
    }
    release_halves(canvas, shown.x, shown.y, shown.width);
    Cell *cell = grid_cell(canvas, shown.x, shown.y);
    if (shown.width < cluster->width) {
        cell_write(cell, " ", 1, style);
        return;
    }
    cell_write(cell, canvas->ascii ? ascii_sign(cluster->glyph) : cluster->glyph, cluster->width,
               style);
    if (cluster->width == 2) {
        cell_write(cell + 1, "", 0, style);
    }
}

static int put_bytes(Canvas *canvas, int x, int y, Style style, const char *text, size_t length) {
    const char *end = text + length;
    TextCluster cluster;
    while (text_next_cluster(&text, end, &cluster)) {
        put_cluster(canvas, x, y, style, &cluster);
        x += cluster.width;
    }
    return x;
}

static void mark_cut(Canvas *canvas, int x, int y, int end, Style style) {
    const char *glyph = "…";
    TextCluster cluster;
    if (x < canvas->width && end > canvas->width &&
        text_next_cluster(&glyph, glyph + strlen(glyph), &cluster)) {
        put_cluster(canvas, canvas->width - 1, y, style, &cluster);
    }
}

static void count_text(const Canvas *canvas, int x, int y, const char *text) {
    if (canvas->cut == NULL || text[strspn(text, " ")] == '\0') {
        return;
    }
    if (canvas->y + y >= canvas->floor) {
        int below = canvas->y + y + 1 - canvas->floor;
        canvas->cut->lines_below = larger(canvas->cut->lines_below, below);
    } else {
        canvas->cut->texts_beside += x >= canvas->width && y >= 0;
    }
}

void canvas_tell_list(const Canvas *canvas, int first, int n) {
    if (canvas->cut != NULL) {
        canvas->cut->lines_above = larger(canvas->cut->lines_above, first);
        canvas->cut->lines_below =
            larger(canvas->cut->lines_below, n - first - (canvas->floor - canvas->y));
    }
}

void canvas_tell_part(const Canvas *canvas) {
    if (canvas->cut != NULL) {
        canvas->cut->is_in_parts = true;
    }
}

int canvas_text(Canvas *canvas, int x, int y, Style style, const char *text) {
    count_text(canvas, x, y, text);
    int end = put_bytes(canvas, x, y, style, text, strlen(text));
    mark_cut(canvas, x, y, end, style);
    return end;
}

int canvas_format(Canvas *canvas, int x, int y, Style style, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return canvas_text(canvas, x, y, style, text);
}

void canvas_text_in(Canvas *canvas, int x, int y, int width, Align align, Style style,
                    const char *text) {
    if (width <= 0) {
        return;
    }
    count_text(canvas, x, y, text);
    canvas_fill(canvas, (Rect){x, y, width, 1}, style, " ");
    int used = 0;
    size_t length = text_fit(text, width, &used);
    if (text[length] != '\0') {
        length = text_fit(text, width - 1, &used);
        int after = put_bytes(canvas, x, y, style, text, length);
        canvas_text(canvas, after, y, style, "…");
        return;
    }
    int room = width - used;
    int left = align == ALIGN_LEFT ? 0 : align == ALIGN_RIGHT ? room : room / 2;
    put_bytes(canvas, x + left, y, style, text, length);
}

int canvas_paragraph(Canvas *canvas, Rect rect, Style style, const char *text) {
    int n_lines = 0;
    while (*text != '\0' && rect.width > 0) {
        const char *next = NULL;
        size_t length = text_wrap(text, rect.width, &next);
        if (canvas != NULL && n_lines < rect.height) {
            put_bytes(canvas, rect.x, rect.y + n_lines, style, text, length);
        }
        n_lines++;
        text = next;
    }
    if (canvas != NULL && canvas->cut != NULL) {
        int shown = smaller(larger(rect.height, 0), canvas->floor - canvas->y - rect.y);
        canvas->cut->lines_below = larger(canvas->cut->lines_below, n_lines - shown);
    }
    return n_lines;
}

void canvas_line_across(Canvas *canvas, int x, int y, int width, Style style) {
    canvas_fill(canvas, (Rect){x, y, width, 1}, style, canvas->ascii ? "-" : "─");
}

void canvas_line_down(Canvas *canvas, int x, int y, int height, Style style) {
    canvas_fill(canvas, (Rect){x, y, 1, height}, style, canvas->ascii ? "|" : "│");
}

Canvas canvas_box(Canvas *canvas, Rect rect, Style border, const char *title, const char *right) {
    int last_x = rect.x + rect.width - 1;
    int last_y = rect.y + rect.height - 1;
    if (rect.width >= 2 && rect.height >= 2) {
        canvas_line_across(canvas, rect.x, rect.y, rect.width, border);
        canvas_line_across(canvas, rect.x, last_y, rect.width, border);
        canvas_line_down(canvas, rect.x, rect.y, rect.height, border);
        canvas_line_down(canvas, last_x, rect.y, rect.height, border);
        bool ascii = canvas->ascii;
        canvas_text(canvas, rect.x, rect.y, border, ascii ? "+" : "┌");
        canvas_text(canvas, last_x, rect.y, border, ascii ? "+" : "┐");
        canvas_text(canvas, rect.x, last_y, border, ascii ? "+" : "└");
        canvas_text(canvas, last_x, last_y, border, ascii ? "+" : "┘");
    }
    int room = rect.width - 4; // a title stands between a corner, a space, a space and a corner
    if (title != NULL && title[0] != '\0' && room > 0) {
        int columns = smaller(text_columns(title), room);
        canvas_fill(canvas, (Rect){rect.x + 1, rect.y, columns + 2, 1}, border, " ");
        canvas_text_in(canvas, rect.x + 2, rect.y, columns, ALIGN_LEFT, STYLE_TITLE, title);
        room -= columns + 3;
    }
    if (right != NULL && right[0] != '\0' && room > 0) {
        int columns = smaller(text_columns(right), room);
        canvas_fill(canvas, (Rect){last_x - columns - 2, rect.y, columns + 2, 1}, border, " ");
        canvas_text_in(canvas, last_x - columns - 1, rect.y, columns, ALIGN_LEFT, STYLE_TITLE,
                       right);
    }
    return canvas_part(canvas, (Rect){rect.x + 1, rect.y + 1, rect.width - 2, rect.height - 2});
}

void canvas_set_style(Canvas *canvas, Rect rect, Style style) {
    Rect shown = showing(canvas, rect);
    for (int y = shown.y; y < shown.y + shown.height; y++) {
        for (int x = shown.x; x < shown.x + shown.width; x++) {
            grid_cell(canvas, x, y)->style = (unsigned char)style;
        }
    }
}

void canvas_add_attributes(Canvas *canvas, Rect rect, unsigned attributes) {
    Rect shown = showing(canvas, rect);
    for (int y = shown.y; y < shown.y + shown.height; y++) {
        for (int x = shown.x; x < shown.x + shown.width; x++) {
            Cell *cell = grid_cell(canvas, x, y);
            cell->attributes = (unsigned char)(cell->attributes | attributes);
        }
    }
}

void canvas_set_heat(Canvas *canvas, Rect rect, Palette palette, int ink, int paper) {
    Rect shown = showing(canvas, rect);
    for (int y = shown.y; y < shown.y + shown.height; y++) {
        for (int x = shown.x; x < shown.x + shown.width; x++) {
            Cell *cell = grid_cell(canvas, x, y);
            cell->palette = (unsigned char)palette;
            cell->heat_ink = ink != HEAT_NONE ? (int16_t)ink : cell->heat_ink;
            cell->heat_paper = paper != HEAT_NONE ? (int16_t)paper : cell->heat_paper;
        }
    }
}
