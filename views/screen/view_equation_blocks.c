// view_equation_blocks.c - which operands a node has, which part of each is at work, and the signs
// between them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/tape/op.h"
#include "views/screen/view_equation.h"

// The cells of one operand among the prepared ones.
typedef struct Span {
    const ExplainCell *cells;
    int count;
} Span;

static Span span_of(const ViewState *state, const Node *node) {
    Span span = {NULL, 0};
    const ViewWorkspace *workspace = state->workspace;
    for (int i = 0; workspace != NULL && i < workspace->n_sources; i++) {
        if (workspace->sources[i].node != node) {
            continue;
        }
        span.cells = span.cells == NULL ? &workspace->sources[i] : span.cells;
        span.count++;
    }
    return span;
}

// All items one under the other, where an operand is summed over all of them.
static void flatten(ViewMatrix *matrix) {
    size_t width = (size_t)shape_width(&matrix->node->shape);
    matrix->base = 0;
    matrix->item = 0;
    matrix->is_flat = true;
    matrix->rows = (int)(shape_count(&matrix->node->shape) / width);
}

// The row and the column that all of the cells share, -1 where they share none.
static void find_active(EquationBlock *block, Span span) {
    for (int i = 0; i < span.count; i++) {
        int row = -1;
        int column = -1;
        view_matrix_find(&block->matrix, span.cells[i].element, &row, &column);
        block->row = i == 0 || block->row == row ? row : -1;
        block->column = i == 0 || block->column == column ? column : -1;
        if (block->row < 0 && block->column < 0) {
            return;
        }
    }
}

static EquationBlock make_block(const Tape *tape, const Node *node, Span span) {
    EquationBlock block = {.row = -1, .column = -1};
    size_t first = span.cells[0].element;
    size_t last = span.cells[span.count - 1].element;
    block.matrix = view_matrix_of(tape, node, first);
    int row = 0;
    int column = 0;
    bool is_one = view_matrix_find(&block.matrix, last, &row, &column);
    if (!is_one && shape_rank(&node->shape) == 3) {
        flatten(&block.matrix);
    }
    find_active(&block, span);
    return block;
}

void equation_turn(EquationBlock *block) {
    block->matrix = view_matrix_transposed(&block->matrix);
    block->is_turned = !block->is_turned;
    int row = block->row;
    block->row = block->column;
    block->column = row;
}

// ---- signs

// " / √4" where a product is scaled by one over a root, else " · 0.5".
static void write_scale(char *text, size_t size, float scale) {
    double square = 1.0 / ((double)scale * (double)scale);
    if (scale == 1.0F) {
        text[0] = '\0';
    } else if (fabs(square - round(square)) < 1e-3 && square > 1.0) {
        snprintf(text, size, "/ √%.0f ", square);
    } else {
        snprintf(text, size, "· %.4g ", (double)scale);
    }
}

static void write_signs(Equation *equation, const Node *node) {
    const OpSigns *signs = &OPS[node->op]->signs;
    bool has_signs = signs->before != NULL;
    int n_operands = equation->n_blocks - 1;
    for (int i = 0; i < n_operands; i++) {
        char *sign = equation->blocks[i].sign;
        if (i == 0 && !has_signs) {
            snprintf(sign, EQUATION_SIGN_BYTES, "%s(", OPS[node->op]->name);
        } else if (i == 0) {
            snprintf(sign, EQUATION_SIGN_BYTES, "%s", signs->before);
        } else {
            snprintf(sign, EQUATION_SIGN_BYTES, "%s",
                     !has_signs ? "," : (i == 1 ? signs->second : signs->later));
        }
    }
    char scale[EQUATION_SIGN_BYTES / 2] = "";
    if (signs->scale != NULL) {
        write_scale(scale, sizeof scale, signs->scale(node));
    }
    const char *after = has_signs ? signs->after : ")";
    if (n_operands > 0) {
        snprintf(equation->blocks[n_operands].sign, EQUATION_SIGN_BYTES, "%s%s%s=", after,
                 after[0] != '\0' ? " " : "", scale);
    }
}

// ---- the whole

static bool has_block(const Equation *equation, const Node *node) {
    for (int i = 0; i < equation->n_blocks; i++) {
        if (equation->blocks[i].matrix.node == node) {
            return true;
        }
    }
    return false;
}

static void add_operand(Equation *equation, const ViewState *state, const Node *node, int input) {
    Span span = span_of(state, node);
    bool has_room = equation->n_blocks < EQUATION_BLOCKS - 1;
    if (span.count == 0 || !has_room || has_block(equation, node)) {
        return;
    }
    EquationBlock *block = &equation->blocks[equation->n_blocks++];
    *block = make_block(state->tape, node, span);
    if (input < 0) {
        return;
    }
    const OpSigns *signs = &OPS[state->node->op]->signs;
    if (signs->turns != NULL && signs->turns(state->node, input)) {
        equation_turn(block);
    }
    block->name = input < OP_MAX_INPUTS ? signs->names[input] : NULL;
}

void equation_make(Equation *equation, const ViewState *state) {
    const Node *node = state->node;
    memset(equation, 0, sizeof *equation);
    for (int i = 0; i < node->n_inputs; i++) {
        add_operand(equation, state, node->inputs[i], i);
    }
    const ViewWorkspace *workspace = state->workspace;
    for (int i = 0; workspace != NULL && i < workspace->n_sources; i++) {
        if (workspace->sources[i].node != node) {
            add_operand(equation, state, workspace->sources[i].node, -1);
        }
    }
    EquationBlock *result = &equation->blocks[equation->n_blocks++];
    result->matrix = view_matrix_of(state->tape, node, state->element);
    view_matrix_find(&result->matrix, state->element, &result->row, &result->column);
    for (int i = 0; i < equation->n_blocks; i++) {
        ViewMatrix *matrix = &equation->blocks[i].matrix;
        view_matrix_range(matrix, &matrix->min, &matrix->max);
        matrix->has_range = true;
    }
    write_signs(equation, node);
}
