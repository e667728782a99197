// canvas_picture.c - reads a canvas as a picture: a screen for a README, without a terminal.
#include "views/pictures/canvas_picture.h"

#include <string.h>

#include "views/dots.h"

enum { BASE_LINE = 14, UNDERLINE = 16 };

// Two thirds of the ink, as terminals show faint.
static Rgb faint(Rgb ink, Rgb paper) {
    return (Rgb){(unsigned char)((2 * ink.r + paper.r) / 3),
                 (unsigned char)((2 * ink.g + paper.g) / 3),
                 (unsigned char)((2 * ink.b + paper.b) / 3)};
}

// How far the four arms of a line of box drawing reach: left, right, up, down.
static const char *line_arms(const char *glyph) {
    static const char *const ARMS[][2] = {
        {"─", "lr"},  {"│", "ud"},  {"┌", "rd"},  {"┐", "ld"},  {"└", "ru"},   {"┘", "lu"},
        {"├", "udr"}, {"┤", "udl"}, {"┬", "lrd"}, {"┴", "lru"}, {"┼", "lrud"},
    };
    if ((unsigned char)glyph[0] != 0xE2) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof ARMS / sizeof ARMS[0]; i++) {
        if (strcmp(glyph, ARMS[i][0]) == 0) {
            return ARMS[i][1];
        }
    }
    return NULL;
}

// Lines are drawn, not written, so that they meet from cell to cell.
static void draw_arms(Picture *picture, int x, int y, const char *arms, int thick, Rgb ink) {
    int middle_x = x + CANVAS_CELL_WIDTH / 2;
    int middle_y = y + CANVAS_CELL_HEIGHT / 2;
    int right = x + CANVAS_CELL_WIDTH - middle_x;
    int down = y + CANVAS_CELL_HEIGHT - middle_y;
    for (const char *arm = arms; *arm != '\0'; arm++) {
        Rect rect = {0};
        if (*arm == 'l') {
            rect = (Rect){x, middle_y, middle_x - x + 1, thick};
        } else if (*arm == 'r') {
            rect = (Rect){middle_x, middle_y, right, thick};
        } else if (*arm == 'u') {
            rect = (Rect){middle_x, y, thick, middle_y - y + 1};
        } else {
            rect = (Rect){middle_x, middle_y, thick, down};
        }
        picture_fill(picture, rect, ink);
    }
}

// Blocks fill their cells: full, upper half, lower eighths, and three shades.
static bool draw_block(Picture *picture, Rect rect, const char *glyph, Rgb ink, Rgb paper) {
    static const char *const SHADES[] = {"░", "▒", "▓"};
    static const char *const EIGHTHS[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    for (int i = 0; i < 8; i++) {
        if (strcmp(glyph, EIGHTHS[i]) == 0) {
            int height = rect.height * (i + 1) / 8;
            int top = rect.y + rect.height - height;
            picture_fill(picture, (Rect){rect.x, top, rect.width, height}, ink);
            return true;
        }
    }
    if (strcmp(glyph, "▀") == 0) {
        picture_fill(picture, (Rect){rect.x, rect.y, rect.width, rect.height / 2}, ink);
        return true;
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(glyph, SHADES[i]) == 0) {
            int part = 1 + i; // quarters
            Rgb shade = {(unsigned char)((ink.r * part + paper.r * (4 - part)) / 4),
                         (unsigned char)((ink.g * part + paper.g * (4 - part)) / 4),
                         (unsigned char)((ink.b * part + paper.b * (4 - part)) / 4)};
            picture_fill(picture, rect, shade);
            return true;
        }
    }
    return false;
}

// Dots are points of a curve: fonts draw those that are missing too.
static bool draw_dots(Picture *picture, Rect rect, const char *glyph, Rgb ink) {
    const unsigned dots = dots_of_glyph(glyph);
    for (int i = 0; i < DOTS_ACROSS * DOTS_DOWN; i++) {
        const int across = i % DOTS_ACROSS;
        const int down = i / DOTS_ACROSS;
        if ((dots & dots_bit(across, down)) != 0) {
            const int x = rect.x + rect.width * (2 * across + 1) / 4;
            const int y = rect.y + rect.height * (2 * down + 1) / 8;
            picture_fill(picture, (Rect){x - 1, y - 1, 3, 3}, ink);
        }
    }
    return dots != 0;
}

static void draw_cell(const Cell *cell, int x, int y, ThemeName theme, Font *font,
                      Picture *picture) {
    Rgb ink;
    Rgb paper;
    unsigned attributes = 0;
    cell_colours(cell, theme, &ink, &paper, &attributes);
    if ((attributes & LOOK_DIM) != 0) {
        ink = faint(ink, paper);
    }
    Rect rect = {x, y, CANVAS_CELL_WIDTH * cell->width, CANVAS_CELL_HEIGHT};
    picture_fill(picture, rect, paper);
    bool is_bold = (attributes & LOOK_BOLD) != 0;
    const char *glyph = cell_glyph(cell, theme != THEME_MONO);
    const char *arms = line_arms(glyph);
    if (arms != NULL) {
        draw_arms(picture, x, y, arms, is_bold ? 2 : 1, ink);
    } else if (!draw_block(picture, rect, glyph, ink, paper) &&
               !draw_dots(picture, rect, glyph, ink)) {
        const TextStyle style = {.column = CANVAS_CELL_WIDTH, .is_bold = is_bold, .ink = ink};
        font_draw(font, picture, x, y + BASE_LINE, &style, glyph);
    }
    if ((attributes & LOOK_UNDERLINE) != 0) {
        picture_fill(picture, (Rect){x, y + UNDERLINE, rect.width, 1}, ink);
    }
}

bool canvas_to_picture(const Canvas *canvas, ThemeName theme, Font *font, Picture *picture,
                       Error *err) {
    Rgb paper = theme_look(theme, STYLE_TEXT).paper;
    if (!picture_init(picture, canvas->width * CANVAS_CELL_WIDTH + 2 * CANVAS_MARGIN,
                      canvas->height * CANVAS_CELL_HEIGHT + 2 * CANVAS_MARGIN, paper, err)) {
        return false;
    }
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            const Cell *cell = canvas_cell(canvas, x, y);
            if (cell != NULL && cell->width > 0) {
                draw_cell(cell, CANVAS_MARGIN + x * CANVAS_CELL_WIDTH,
                          CANVAS_MARGIN + y * CANVAS_CELL_HEIGHT, theme, font, picture);
            }
        }
    }
    return true;
}
