// view_size.c - a model's parameters part by part, as a table that adds up.
#include <stdio.h>

#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { NAME_COLUMNS = 29, NUMBER_COLUMNS = 13, LAYER_COLUMNS = 7, SHARE_COLUMNS = 9 };

// Where columns begin; -1: there is no room for one.
typedef struct Columns {
    int one, layers, all, share, end;
} Columns;

static Columns columns_of(int width) {
    int least = NAME_COLUMNS + LAYER_COLUMNS + NUMBER_COLUMNS;
    bool has_one = width >= least + NUMBER_COLUMNS;
    Columns columns = {.one = has_one ? NAME_COLUMNS : -1};
    columns.layers = NAME_COLUMNS + (has_one ? NUMBER_COLUMNS : 0);
    columns.all = columns.layers + LAYER_COLUMNS;
    columns.end = columns.all + NUMBER_COLUMNS;
    columns.share = width >= columns.end + SHARE_COLUMNS ? columns.end : -1;
    return columns;
}

static void draw_heading(const ViewState *state, Canvas *canvas, int y, const Columns *columns) {
    canvas_text(canvas, 0, y, STYLE_DIM, view_text(state->language, VIEW_TEXT_SIZE_PART));
    if (columns->one >= 0) {
        canvas_text_in(canvas, columns->one, y, NUMBER_COLUMNS, ALIGN_RIGHT, STYLE_DIM,
                       view_text(state->language, VIEW_TEXT_SIZE_ONE));
    }
    canvas_text_in(canvas, columns->layers, y, LAYER_COLUMNS, ALIGN_RIGHT, STYLE_DIM,
                   view_text(state->language, VIEW_TEXT_SIZE_LAYERS));
    canvas_text_in(canvas, columns->all, y, NUMBER_COLUMNS, ALIGN_RIGHT, STYLE_DIM,
                   view_text(state->language, VIEW_TEXT_SIZE_ALL));
}

static void draw_number(Canvas *canvas, int x, int y, size_t number) {
    char text[TEXT_GROUPED_BYTES];
    canvas_text_in(canvas, x, y, NUMBER_COLUMNS, ALIGN_RIGHT, STYLE_NUMBER,
                   text_grouped(number, text));
}

static void draw_part(Canvas *canvas, int y, const Columns *columns, const ModelSize *size,
                      const ModelPart *part) {
    canvas_text_in(canvas, 0, y, NAME_COLUMNS, ALIGN_LEFT, STYLE_TEXT, part->name);
    if (columns->one >= 0) {
        draw_number(canvas, columns->one, y, part->n_parameters / (size_t)part->n_layers);
    }
    canvas_format(canvas, columns->layers + 3, y, STYLE_DIM, "×%3d", part->n_layers);
    draw_number(canvas, columns->all, y, part->n_parameters);
    if (columns->share >= 0) {
        canvas_format(canvas, columns->share, y, STYLE_DIM, "%7.1f %%",
                      100.0 * (double)part->n_parameters / (double)size->n_parameters);
    }
}

static bool fits(const ViewState *state) {
    return state->size != NULL;
}

// The heading stays while the rows are scrolled; the sum is the last row.
static void draw(const ViewState *state, Canvas *canvas) {
    enum { HEAD_ROWS = 2 };
    const ModelSize *size = &state->size->size;
    Columns columns = columns_of(canvas->width);
    char number[TEXT_GROUPED_BYTES];
    char title[128];
    view_text_fill(title, sizeof title, view_text(state->language, VIEW_TEXT_SIZE_PARAMETERS),
                   state->size->name, text_grouped(size->n_parameters, number), NULL);
    canvas_text(canvas, 0, 0, STYLE_HEADING, title);
    draw_heading(state, canvas, 1, &columns);
    Canvas rows =
        canvas_part(canvas, (Rect){0, HEAD_ROWS, canvas->width, canvas->height - HEAD_ROWS});
    int n = size->n_parts + 2;
    int last = n - rows.height;
    int first = last < 0 ? 0 : state->scroll < last ? state->scroll : last;
    canvas_tell_list(&rows, first, n);
    for (int i = first; i < size->n_parts; i++) {
        draw_part(&rows, i - first, &columns, size, &size->parts[i]);
    }
    canvas_line_across(&rows, 0, n - 2 - first, columns.end, STYLE_BORDER);
    canvas_text(&rows, 0, n - 1 - first, STYLE_TEXT,
                view_text(state->language, VIEW_TEXT_SIZE_SUM));
    draw_number(&rows, columns.all, n - 1 - first, size->n_parameters);
}

static void measure(const ViewState *state, int *width, int *height) {
    *width = NAME_COLUMNS + 2 * NUMBER_COLUMNS + LAYER_COLUMNS + SHARE_COLUMNS;
    *height = state->size->size.n_parts + 4;
}

const View view_size = {
    .name = "size",
    .titles = {"parameters", "参数"},
    .needs = {"the numbers of a full size: :size MODEL", "一个模型的完整大小：:size 模型"},
    .min_width = NAME_COLUMNS + NUMBER_COLUMNS + LAYER_COLUMNS,
    .min_height = 4,
    .fits = fits,
    .draw = draw,
    .measure = measure,
    .subject = VIEW_OF_SIZE,
    .spoken = VIEW_SPOKEN_LINES,
    .is_whole = true};
