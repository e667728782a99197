// view_line.h - a line of text of bounded length, put together without allocation.
#ifndef VIEWS_SCREEN_VIEW_LINE_H
#define VIEWS_SCREEN_VIEW_LINE_H

#include "views/screen/view_matrix.h"

// A zeroed one is empty. What does not fit is cut off at a whole character.
typedef struct ViewLine {
    char text[4096];
    size_t length;
} ViewLine;

void view_line_text(ViewLine *line, const char *text);
void view_line_number(ViewLine *line, double value, int width);
void view_line_int(ViewLine *line, int number);

// An expression with its operands rounded to about four digits.
void view_line_expr(ViewLine *line, const Expr *expr);

// "q[0,1,2,0]", the short name of the node and the indices.
void view_line_cell(ViewLine *line, const Node *node, size_t element);

// The tokens that stand for the cell's row and column: " run, dog"; nothing where there are none.
void view_line_tokens(ViewLine *line, const ViewState *state, const Node *node, size_t element);

#endif
