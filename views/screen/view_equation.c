// view_equation.c - the node just run as its formula: operand blocks, signs and the result block
// side by side; the row and column at work lit, so that a dot product can be followed with a
// finger.
#include "views/screen/view_equation.h"

#include <stdio.h>
#include <string.h>

#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { GAP = 1, HEAD = 1, LEAST_PANEL = 2, LONG_HEAD = 18 };

typedef struct Placed {
    ViewGrid grid;
    int x, y;  // of the grid
    int width; // of the grid, or of the name above it
    int sign_x;
    int line;
} Placed;

typedef struct Layout {
    Equation equation;
    Placed placed[EQUATION_BLOCKS];
    int line_y[EQUATION_BLOCKS], line_height[EQUATION_BLOCKS];
    int n_lines;
    int width, height;
} Layout;

static int larger(int a, int b) {
    return a > b ? a : b;
}

static int sign_columns(const EquationBlock *block) {
    int columns = text_columns(block->sign);
    return columns == 0 ? 0 : columns + 2 * GAP;
}

// How much may be left away: along an axis where one row or column is at work, the others.
typedef struct Room {
    int width, height;
    int digits;
    int neighbours;                  // rows or columns that show there; 0: all
    int result_rows, result_columns; // of the result, at least; the others may be fewer
    int most_head;                   // columns that a name may take beyond its numbers
    bool ascii;
} Room;

static ViewGrid fit_block(const ViewState *state, const EquationBlock *block, const Room *room,
                          int width, bool is_result) {
    ViewGridOptions options = {.number_columns = room->digits,
                               .has_labels = true,
                               .has_heat = is_result,
                               .has_cursor = is_result};
    options.most_rows = block->row >= 0 ? room->neighbours : 0;
    options.most_columns = block->column >= 0 ? room->neighbours : 0;
    if (is_result && room->neighbours > 0) {
        options.most_rows = larger(options.most_rows, room->result_rows);
        options.most_columns = larger(options.most_columns, room->result_columns);
    }
    return view_grid_fit(state, &block->matrix, block->row, block->column, width, room->height,
                         room->ascii, &options);
}

// Name and sizes; "…" where not all of what is at work shows.
static int head_text(const EquationBlock *block, const ViewGrid *grid, char *text, size_t size) {
    bool is_cut = (block->row < 0 && grid->shown_rows < grid->matrix.rows) ||
                  (block->column < 0 && grid->shown_columns < grid->matrix.columns);
    char title[VIEW_TITLE_BYTES];
    char sizes[48] = "";
    const char *mark = grid->format.ascii ? "'" : "ᵀ";
    if (shape_rank(&block->matrix.node->shape) > 0) {
        snprintf(sizes, sizeof sizes, " %dx%d", block->matrix.rows, block->matrix.columns);
    }
    const char *name =
        block->name != NULL ? block->name : view_node_title(block->matrix.node, title);
    snprintf(text, size, "%s%s%s%s", name, block->is_turned ? mark : "", sizes, is_cut ? " …" : "");
    return text_columns(text) + 1;
}

// As wide as the numbers, and a little wider where the name above them is.
static int block_width(const EquationBlock *block, const ViewGrid *grid, int most_head) {
    char text[160];
    int head = head_text(block, grid, text, sizeof text);
    head = head > most_head ? most_head : head;
    int width = view_grid_width(grid);
    return width > head ? width : head;
}

// Sets the blocks one after the other, beginning a new line where there is no room.
static void flow(Layout *layout, const ViewState *state, const Room *room) {
    int x = 0;
    int y = 0;
    int line = 0;
    Equation *equation = &layout->equation;
    layout->width = 0;
    layout->line_y[0] = 0;
    layout->line_height[0] = 0;
    for (int i = 0; i < equation->n_blocks; i++) {
        const EquationBlock *block = &equation->blocks[i];
        Placed *placed = &layout->placed[i];
        int sign = sign_columns(block);
        placed->grid =
            fit_block(state, block, room, room->width - sign, i == equation->n_blocks - 1);
        placed->width = block_width(block, &placed->grid, room->most_head);
        int needed = sign + placed->width;
        if (x > 0 && x + needed > room->width) {
            y += layout->line_height[line] + 1;
            line++;
            layout->line_y[line] = y;
            layout->line_height[line] = 0;
            x = 0;
        }
        placed->sign_x = x + GAP * (sign > 0);
        placed->x = x + sign;
        placed->y = y + HEAD;
        placed->line = line;
        x += needed;
        layout->width = x > layout->width ? x : layout->width;
        int height = view_grid_height(&placed->grid) + HEAD;
        layout->line_height[line] =
            height > layout->line_height[line] ? height : layout->line_height[line];
    }
    layout->n_lines = line + 1;
    layout->height = y + layout->line_height[line];
}

// True where all that is at work shows.
static bool is_whole(const Layout *layout, int neighbours) {
    for (int i = 0; i < layout->equation.n_blocks; i++) {
        const EquationBlock *block = &layout->equation.blocks[i];
        const ViewGrid *grid = &layout->placed[i].grid;
        bool may_lack_rows = neighbours > 0 && block->row >= 0;
        bool may_lack_columns = neighbours > 0 && block->column >= 0;
        if ((grid->shown_rows < grid->matrix.rows && !may_lack_rows) ||
            (grid->shown_columns < grid->matrix.columns && !may_lack_columns)) {
            return false;
        }
    }
    return true;
}

// Beside so many lines of the explanation, at most a third of the height.
static int room_for_blocks(int height, int panel) {
    int most = height / 3 > LEAST_PANEL ? height / 3 : LEAST_PANEL;
    int room = height - (panel > most ? most : panel) - 2;
    return room < 3 ? 3 : room;
}

static bool try_lines(Layout *layout, const ViewState *state, Room *room) {
    for (int most_lines = 1; most_lines <= 3; most_lines++) {
        for (int digits = 7; digits >= 5; digits--) {
            room->digits = digits;
            flow(layout, state, room);
            if (layout->n_lines <= most_lines && layout->height <= room->height &&
                is_whole(layout, room->neighbours)) {
                return true;
            }
        }
    }
    return false;
}

static bool fits_with(Layout *layout, const ViewState *state, const Room *room, int n_lines) {
    flow(layout, state, room);
    return layout->n_lines == n_lines && layout->height <= room->height;
}

// Where neighbours are left out, as much more of the result as costs the others nothing.
static void fill_result(Layout *layout, const ViewState *state, Room *room) {
    const ViewMatrix *result = &layout->equation.blocks[layout->equation.n_blocks - 1].matrix;
    int n_lines = layout->n_lines;
    room->result_rows = result->rows < room->height ? result->rows : room->height;
    while (room->result_rows > room->neighbours && !fits_with(layout, state, room, n_lines)) {
        room->result_rows--;
    }
    int most = room->width / room->digits;
    room->result_columns = result->columns < most ? result->columns : most;
    while (room->result_columns > room->neighbours && !fits_with(layout, state, room, n_lines)) {
        room->result_columns--;
    }
    flow(layout, state, room);
}

// Tries long digits on one line first, then shorter ones, then several lines; each of them first
// beside the explanation, then in place of all of it but its first lines; then without the rows and
// columns that are not at work, last with names cut short.
static bool find_layout(Layout *layout, const ViewState *state, Room *room, int beside,
                        int tallest) {
    static const int NEIGHBOURS[] = {0, 8, 5, 3, 2, 1};
    room->most_head = LONG_HEAD;
    room->result_rows = 0;
    room->result_columns = 0;
    for (size_t i = 0; i < 2 * sizeof NEIGHBOURS / sizeof NEIGHBOURS[0]; i++) {
        room->neighbours = NEIGHBOURS[i / 2];
        room->height = i % 2 == 0 ? beside : tallest;
        if (try_lines(layout, state, room)) {
            if (room->neighbours > 0) {
                fill_result(layout, state, room);
            }
            return true;
        }
    }
    room->most_head = 0;
    return try_lines(layout, state, room);
}

// Parts of what is at work, on as few lines as may be.
static void lay_out_parts(Layout *layout, const ViewState *state, Room *room, int height) {
    room->digits = 6;
    room->neighbours = 1;
    room->most_head = 0;
    for (int n_lines = 1; n_lines <= 4; n_lines++) {
        int rows = (height - (n_lines - 1)) / n_lines - HEAD;
        room->height = rows < 2 ? 2 : rows;
        flow(layout, state, room);
        if (layout->height <= height) {
            return;
        }
    }
}

// A long row as a column, beside the column that it is multiplied with.
static bool find_turned(Layout *layout, const ViewState *state, Room *room, int beside,
                        int tallest) {
    EquationBlock *first = &layout->equation.blocks[0];
    if (layout->equation.n_blocks < 2 || first->row < 0) {
        return false;
    }
    equation_turn(first);
    if (find_layout(layout, state, room, beside, tallest)) {
        return true;
    }
    equation_turn(first);
    return false;
}

// Beside the explanation, else without it; last parts, the way that shows more of them.
static void lay_out(Layout *layout, const ViewState *state, int width, int height, bool ascii) {
    equation_make(&layout->equation, state);
    int beside = room_for_blocks(height, view_draw_explanation(state, NULL, width - 2));
    int tallest = state->is_beside ? height - 1 : room_for_blocks(height, LEAST_PANEL);
    Room room = {.width = width, .ascii = ascii};
    if (find_layout(layout, state, &room, beside, tallest) ||
        find_turned(layout, state, &room, beside, tallest) ||
        find_layout(layout, state, &room, height - 1, height - 1)) {
        return;
    }
    lay_out_parts(layout, state, &room, beside);
    int shown_across = layout->placed[0].grid.shown_columns;
    if (layout->equation.n_blocks < 2 || layout->equation.blocks[0].row < 0 ||
        find_turned(layout, state, &room, height - 1, height - 1)) {
        return;
    }
    equation_turn(&layout->equation.blocks[0]);
    lay_out_parts(layout, state, &room, beside);
    if (layout->placed[0].grid.shown_rows < shown_across) {
        equation_turn(&layout->equation.blocks[0]);
        lay_out_parts(layout, state, &room, beside);
    }
}

static void draw_head(Canvas *canvas, const EquationBlock *block, const Placed *placed) {
    char text[160];
    head_text(block, &placed->grid, text, sizeof text);
    canvas_text_in(canvas, placed->x + 1, placed->y - HEAD, placed->width - 1, ALIGN_LEFT,
                   placed->grid.has_cursor ? STYLE_HEADING : STYLE_CODE, text);
}

static void draw_blocks(const ViewState *state, Canvas *canvas, const Layout *layout) {
    for (int i = 0; i < layout->equation.n_blocks; i++) {
        const Placed *placed = &layout->placed[i];
        const EquationBlock *block = &layout->equation.blocks[i];
        int line_height = layout->line_height[placed->line];
        int middle = layout->line_y[placed->line] + HEAD + 1 + (line_height - HEAD - 1) / 2;
        int last = layout->line_y[placed->line] + line_height - 1;
        canvas_text(canvas, placed->sign_x, middle > last ? last : middle, STYLE_STRONG,
                    block->sign);
        draw_head(canvas, block, placed);
        view_grid_draw(state, canvas, placed->x, placed->y, &placed->grid);
    }
}

static bool fits(const ViewState *state) {
    return state->node != NULL && state->explanation != NULL &&
           !explain_is_given(state->explanation) && state->node->n_inputs > 0;
}

static void draw(const ViewState *state, Canvas *canvas) {
    Layout layout;
    lay_out(&layout, state, canvas->width, canvas->height, canvas->ascii);
    draw_blocks(state, canvas, &layout);
    const Placed *result = &layout.placed[layout.equation.n_blocks - 1];
    view_grid_draw_scale(state, canvas, 1, layout.height, canvas->width - 2, &result->grid);
    Canvas panel = canvas_part(canvas, (Rect){1, layout.height + 2, canvas->width - 2,
                                              canvas->height - layout.height - 2});
    int used = view_draw_explanation(state, &panel, panel.width);
    if (used > 0 && used + 1 < panel.height) {
        canvas_text(&panel, 0, used + 1, STYLE_DIM, view_text(state->language, VIEW_TEXT_LIT));
    }
}

static bool hit(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element) {
    Layout layout;
    lay_out(&layout, state, width, height, false);
    for (int i = 0; i < layout.equation.n_blocks; i++) {
        const Placed *placed = &layout.placed[i];
        int row = 0;
        int column = 0;
        if (view_grid_hit(&placed->grid, x - placed->x, y - placed->y, &row, &column)) {
            *node = placed->grid.matrix.node;
            *element = view_matrix_element(&placed->grid.matrix, row, column);
            return true;
        }
    }
    return false;
}

static void measure(const ViewState *state, int *width, int *height) {
    Layout layout;
    lay_out(&layout, state, 160, 40, false);
    *width = layout.width < 72 ? 72 : layout.width;
    *height = layout.height + 3 + view_draw_explanation(state, NULL, *width - 2);
    *height += *height / 2;
}

const View view_equation = {.name = "equation",
                            .titles = {"equation", "算式"},
                            .needs = {"a stage that is computed from others: go on with n",
                                      "一个由其他步骤算出的步骤：按 n 前进"},
                            .min_width = 30,
                            .min_height = 6,
                            .fits = fits,
                            .draw = draw,
                            .hit = hit,
                            .measure = measure,
                            .subject = VIEW_OF_OPERANDS,
                            .leaves_room = true,
                            .spoken = VIEW_SPOKEN_OPERANDS};
