// view_matrix.h - a slice of a node as rows and columns: its place in the tensor, its labels, its
// numbers as digits.
#ifndef VIEWS_SCREEN_VIEW_MATRIX_H
#define VIEWS_SCREEN_VIEW_MATRIX_H

#include "views/screen/view.h"

enum {
    VIEW_TOKEN_BYTES = 64,
    VIEW_ROW_BYTES = 136,
    VIEW_NUMBER_BYTES = 32,
    VIEW_TITLE_BYTES = 128
};

// The last two axes of a node at given outer indices; a vector is one row, a number one cell.
typedef struct ViewMatrix {
    const Tape *tape;
    const Node *node;
    const float *values; // instead of the node's own; NULL: those
    const float *minus;  // taken off from each; NULL: nothing
    size_t base;         // its first element
    size_t row_stride, column_stride;
    int rows, columns;
    int row_axis, column_axis; // of the node; -1: none
    int item;                  // on axis B; 0 where there is none
    bool is_flat;              // the rows of all items one under the other
    bool has_range;            // min and max are set, so that they are not sought again
    double min, max;
} ViewMatrix;

// The one that holds an element; where `element` lies in it.
ViewMatrix view_matrix_of(const Tape *tape, const Node *node, size_t element);
ViewMatrix view_matrix_transposed(const ViewMatrix *matrix);
size_t view_matrix_element(const ViewMatrix *matrix, int row, int column);
bool view_matrix_find(const ViewMatrix *matrix, size_t element, int *row, int *column);
double view_matrix_value(const ViewMatrix *matrix, int row, int column);

// Least and greatest of its finite numbers; of very large ones, of the first million.
void view_matrix_range(const ViewMatrix *matrix, double *min, double *max);

// The same of one row.
HeatRange view_matrix_row_range(const ViewMatrix *matrix, int row);

// How numbers are written, the same all over a matrix: as many decimals as fit. A number that would
// show as 0 though it is none is written with an exponent; exactly 0 is "0".
typedef struct ViewFormat {
    int width; // columns
    int decimals;
    bool is_int;
    bool ascii; // -inf for −∞
} ViewFormat;
ViewFormat view_format_of(const ViewMatrix *matrix, int width, bool ascii);
const char *view_format_number(const ViewFormat *format, double value,
                               char text[VIEW_NUMBER_BYTES]);

// A number by itself, in at most `width` columns.
const char *view_number_text(double value, int width, char text[VIEW_NUMBER_BYTES]);

// What an index of an axis is called: its token, or "" where there is none.
const char *view_token(const ViewState *state, int32_t id, char text[VIEW_TOKEN_BYTES]);
const char *view_index_token(const ViewState *state, const Node *node, int axis, int item,
                             int index, char text[VIEW_TOKEN_BYTES]);

// The same of a row, which in cross-attention is called by what it reads and what it writes next.
const char *view_row_token(const ViewState *state, const Node *node, int item, int row,
                           TensorRow how, char text[VIEW_ROW_BYTES]);

// Orders ExplainCells by node and element.
int view_compare_cells(const void *a, const void *b);

// True when the element is one the cursor's cell comes from.
bool view_is_source(const ViewState *state, const Node *node, size_t element);

// The short name of a node: the last part of its stage.
const char *view_node_name(const Node *node);

// The same, said to be a gradient ("d q") or a next value ("next weight") where it is one.
const char *view_node_title(const Node *node, char text[VIEW_TITLE_BYTES]);

#endif
