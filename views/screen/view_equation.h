// view_equation.h - a node as blocks of numbers: its operands, with signs between them, and the
// result.
#ifndef VIEWS_SCREEN_VIEW_EQUATION_H
#define VIEWS_SCREEN_VIEW_EQUATION_H

#include "views/screen/view_grid.h"

enum { EQUATION_BLOCKS = 7, EQUATION_SIGN_BYTES = 40 };

typedef struct EquationBlock {
    ViewMatrix matrix;
    bool is_turned;                 // written with a ᵀ
    int row, column;                // at work, -1: none or several
    char sign[EQUATION_SIGN_BYTES]; // before it
} EquationBlock;

typedef struct Equation {
    EquationBlock blocks[EQUATION_BLOCKS]; // the result is the last
    int n_blocks;
} Equation;

// The equation of the state's node at the cursor, from the cells its explanation uses (they have to
// be prepared; without them there is the result alone).
void equation_make(Equation *equation, const ViewState *state);

// Rows against columns; the block is then marked with a ᵀ, or no longer.
void equation_turn(EquationBlock *block);

#endif
