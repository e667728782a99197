// terminal_show.c - a canvas goes to curses cell by cell: glyphs, colours, the cursor.
#define NCURSES_WIDECHAR 1
#include "app/terminal/terminal_private.h"

#include <string.h>
#include <wchar.h>

#include <curses.h>

#include "app/terminal/terminal_guard.h"
#include "app/terminal/terminal_restore.h"

void terminal_set_theme(Terminal *terminal, ThemeName theme) {
    terminal->theme = theme;
    terminal->is_stale = true;
}

static attr_t curses_attributes(const Terminal *terminal, unsigned attributes) {
    return ((attributes & LOOK_BOLD) != 0 ? A_BOLD : 0) |
           ((attributes & LOOK_UNDERLINE) != 0 ? A_UNDERLINE : 0) |
           ((attributes & LOOK_REVERSE) != 0 ? A_REVERSE : 0) |
           ((attributes & LOOK_DIM) != 0 && terminal->has_faint ? A_DIM : 0) |
           ((attributes & LOOK_ITALIC) != 0 ? A_ITALIC : 0);
}

// The glyph as wide characters; false where the C library, by which curses counts columns, does not
// know it or gives it other columns than the canvas.
static bool read_glyph(const Terminal *terminal, const Cell *cell, wchar_t wide[CCHARW_MAX + 1]) {
    const char *glyph = cell_glyph(cell, colour_shows_heat(terminal->theme, terminal->depth));
    mbstate_t state = {0};
    size_t n = mbsrtowcs(wide, &glyph, CCHARW_MAX, &state);
    if (n == (size_t)-1 || n == 0 || wcwidth(wide[0]) != cell->width) {
        return false;
    }
    size_t kept = 1; // and the marks that stand on it
    while (kept < n && wcwidth(wide[kept]) == 0) {
        kept++;
    }
    wide[kept] = L'\0';
    return !terminal->ascii || wide[0] < 127;
}

static bool is_plain(const CellColours *colours) {
    return (colours->attributes & (LOOK_UNDERLINE | LOOK_REVERSE)) == 0;
}

// What curses is told of a cell besides its glyph. A blank shows no ink: it keeps that of the cell
// on its left where the paper is the same, since each change of ink is as many bytes as a word.
static CellColours colours_beside(const Terminal *terminal, const Cell *cell,
                                  const CellColours *left) {
    CellColours colours = colour_of_cell(cell, terminal->theme, terminal->depth);
    const char *glyph = cell_glyph(cell, colour_shows_heat(terminal->theme, terminal->depth));
    bool is_blank = strcmp(glyph, " ") == 0;
    bool may_keep = left != NULL && left->paper == colours.paper && is_plain(left);
    return is_blank && may_keep && is_plain(&colours) ? *left : colours;
}

// False where there is no room for one more pair of colours.
static bool put_cell(Terminal *terminal, int x, int y, const Cell *cell,
                     const CellColours *colours) {
    int pair = 0;
    bool is_new = false;
    if (terminal->depth != COLOUR_NONE) {
        pair = colour_pairs_find(&terminal->pairs, colours->ink, colours->paper, COLOR_PAIRS - 1,
                                 &is_new);
    }
    if (is_new) {
        init_extended_pair(pair, colours->ink, colours->paper);
    }
    wchar_t wide[CCHARW_MAX + 1] = {0};
    int columns = 1;
    if (!read_glyph(terminal, cell, wide)) {
        wide[0] = terminal->ascii ? L'?' : L'\uFFFD';
        wide[1] = L'\0';
        columns = cell->width;
    }
    bool has_pair = pair >= 0;
    pair = has_pair ? pair : 0;
    attr_t attributes = curses_attributes(terminal, colours->attributes);
    for (int i = 0; i < columns; i++) { // a replacement has the columns of what it stands for
        cchar_t character;
        setcchar(&character, i == 0 ? wide : L" ", attributes, 0, &pair);
        mvadd_wchnstr(y, x + i, &character, 1);
    }
    return has_pair;
}

static bool fit_shown(Terminal *terminal, const Canvas *canvas) {
    Canvas *shown = &terminal->shown;
    if (shown->cells != NULL && shown->width == canvas->width && shown->height == canvas->height) {
        return true;
    }
    terminal->is_stale = true;
    return shown->cells == NULL ? canvas_init(shown, canvas->width, canvas->height, NULL)
                                : canvas_resize(shown, canvas->width, canvas->height, NULL);
}

static bool put_row(Terminal *terminal, int y, const Cell *cells, int width) {
    bool has_pairs = true;
    CellColours colours = {0};
    for (int x = 0; x < width; x++) {
        if (cells[x].width > 0) {
            colours = colours_beside(terminal, &cells[x], x > 0 ? &colours : NULL);
            has_pairs = put_cell(terminal, x, y, &cells[x], &colours) && has_pairs;
        }
    }
    return has_pairs;
}

// The rows that differ.
static bool put_cells(Terminal *terminal, const Canvas *canvas) {
    bool has_pairs = true;
    for (int y = 0; y < canvas->height; y++) {
        const Cell *cells = &canvas->cells[y * canvas->grid_columns];
        Cell *old = &terminal->shown.cells[y * terminal->shown.grid_columns];
        size_t size = (size_t)canvas->width * sizeof *cells;
        if (terminal->is_stale || memcmp(cells, old, size) != 0) {
            has_pairs = put_row(terminal, y, cells, canvas->width) && has_pairs;
            memcpy(old, cells, size);
        }
    }
    return has_pairs;
}

void terminal_show(Terminal *terminal, const Canvas *canvas, int cursor_x, int cursor_y) {
    if (!fit_shown(terminal, canvas) || !restore_is_up()) {
        return; // without memory, or another job has the terminal
    }
    guard_begin_frame();
    restore_finish();
    if (!put_cells(terminal, canvas)) { // those of earlier frames make room for this one's
        colour_pairs_clear(&terminal->pairs);
        terminal->is_stale = true;
        put_cells(terminal, canvas);
    }
    terminal->is_stale = false;
    curs_set(cursor_x >= 0 ? 1 : 0);
    move(cursor_x >= 0 ? cursor_y : 0, cursor_x >= 0 ? cursor_x : 0);
    refresh();
    guard_end_frame();
}

void terminal_repaint(Terminal *terminal) {
    clearok(curscr, TRUE);
    terminal->is_stale = true;
}
