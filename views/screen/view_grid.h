// view_grid.h - a matrix of numbers over heat, with labels, the cursor's cell in brackets, cells it
// comes from marked: what most views are made of.
#ifndef VIEWS_SCREEN_VIEW_GRID_H
#define VIEWS_SCREEN_VIEW_GRID_H

#include "views/screen/view_matrix.h"
#include "views/screen/view_texts.h"

// A column of labels, then for each cell a separator, where its mark stands ("[", "*", "!"), and
// `format.width` columns of digits; one more separator ends a row.
typedef struct ViewGrid {
    ViewMatrix matrix;
    ViewFormat format;
    HeatScale scale;
    double min, max; // of the heat; where each row has its own scale, of all of them
    int row, column; // at work; -1: none
    int first_row, first_column;
    int shown_rows, shown_columns;
    int label_columns;      // 0: rows have no labels
    bool has_column_labels; // one line above
    bool has_heat;
    bool has_cursor;       // (row, column) is the cursor
    bool names_tokens;     // ids are followed by their tokens
    bool is_attention;     // rows are queries, columns keys
    bool is_crossing;      // of one text, keys of another
    TensorRow row_words;   // how rows are called then
    const float *compared; // cells whose number is another there are marked "!"; NULL: none
} ViewGrid;

typedef struct ViewGridOptions {
    int number_columns; // of a cell's digits
    bool has_labels;
    bool has_heat;
    bool has_cursor;
    int most_rows, most_columns; // 0: as many as fit
} ViewGridOptions;

// Chooses labels and the part that shows in a room of width x height, so that (row, column) is in
// it. row and column may be -1.
ViewGrid view_grid_fit(const ViewState *state, const ViewMatrix *matrix, int row, int column,
                       int width, int height, bool ascii, const ViewGridOptions *options);
int view_grid_width(const ViewGrid *grid);
int view_grid_height(const ViewGrid *grid);

void view_grid_draw(const ViewState *state, Canvas *canvas, int x, int y, const ViewGrid *grid);

// The colour scale of a row.
HeatRange view_grid_heat(const ViewGrid *grid, int row);

// The lines that a matrix which takes `needed` of them has of `height`, beside an explanation of
// `panel` lines: all of them where `least` are left, else what the explanation leaves, at least two
// thirds.
int view_grid_room(int needed, int height, int panel, int least);

// The row and column of the cell at a place counted from the grid's corner.
bool view_grid_hit(const ViewGrid *grid, int x, int y, int *row, int *column);

// Appends "rows 2-5/9" (id: VIEW_TEXT_ROWS or VIEW_TEXT_COLUMNS) where not all of them show.
void view_write_part(const ViewState *state, char *text, size_t size, ViewTextId id, int first,
                     int shown, int count);

// The scale in words: of each row by itself that of the row at work is told.
const char *view_grid_scale_text(const ViewState *state, const ViewGrid *grid, char text[128]);

// The scale in words and colours, and which rows and columns show where not all do. One line.
void view_grid_draw_scale(const ViewState *state, Canvas *canvas, int x, int y, int width,
                          const ViewGrid *grid);

// True where the node holds scores, weights or their gradients: queries by keys.
bool view_is_attention(const Node *node);

#endif
