// view_tokens.c - the sentences as tokens and their ids, and how a text was merged into them.
#include <stdio.h>
#include <string.h>

#include "views/screen/view_matrix.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

enum { NAME_COLUMNS = 9, LEAST_CELL = 4, MOST_CELL = 14 };

// ---- the sentences

// Which item the cursor is in, and which position of which row.
typedef struct Cursor {
    const Node *ids; // NULL: on none of the rows
    int item, position;
} Cursor;

static Cursor cursor_of(const ViewState *state) {
    Cursor cursor = {NULL, 0, -1};
    const Node *node = state->node;
    if (node == NULL || shape_rank(&node->shape) < 2) {
        return cursor;
    }
    int indices[SHAPE_MAX_RANK] = {0};
    char axis[4];
    shape_axis_name(&node->shape, 0, axis);
    shape_indices(&node->shape, state->element, indices);
    if (strcmp(axis, "B") != 0) {
        return cursor;
    }
    cursor.item = indices[0];
    if (node_holds_ids(node)) {
        cursor.ids = node;
        cursor.position = indices[1];
    }
    if (node->role == ROLE_EMBEDDING && node->op == OP_EMBEDDING) {
        cursor.ids = node->inputs[1];
        cursor.position = indices[1];
    }
    return cursor;
}

static int cell_columns(const ViewState *state, const Node *ids, int item) {
    int columns = LEAST_CELL;
    for (int t = 0; t < ids->shape.sizes[1]; t++) {
        char token[VIEW_TOKEN_BYTES];
        view_token(state, tape_ids(state->tape, ids)[item * ids->shape.sizes[1] + t], token);
        int needed = text_columns(token) + 2;
        columns = needed > columns ? needed : columns;
    }
    return columns > MOST_CELL ? MOST_CELL : columns;
}

// Index, token and id of every position, one under the other; gives the line after them.
static int draw_sentence(const ViewState *state, Canvas *canvas, int y, const Node *ids,
                         ViewTextId name, const Cursor *cursor, Style style) {
    int T = ids->shape.sizes[1];
    int item = cursor->item < ids->shape.sizes[0] ? cursor->item : 0;
    int columns = cell_columns(state, ids, item);
    int room = (canvas->width - NAME_COLUMNS - 1) / (columns + 1);
    room = room < 1 ? 1 : room;
    for (int first = 0; first < T; first += room) {
        if (first == 0) {
            canvas_text_in(canvas, 1, y + 1, NAME_COLUMNS - 1, ALIGN_LEFT, STYLE_HEADING,
                           view_text(state->language, name));
        }
        for (int t = first; t < T && t < first + room; t++) {
            int x = NAME_COLUMNS + 1 + (t - first) * (columns + 1);
            int32_t id = tape_ids(state->tape, ids)[item * T + t];
            bool is_here = ids == cursor->ids && t == cursor->position;
            char token[VIEW_TOKEN_BYTES];
            char text[VIEW_TOKEN_BYTES + 4];
            snprintf(text, sizeof text, is_here ? "[%s]" : "%s", view_token(state, id, token));
            char number[16];
            snprintf(number, sizeof number, "%d", t);
            canvas_text_in(canvas, x, y, columns, ALIGN_CENTRE, STYLE_DIM, number);
            canvas_text_in(canvas, x, y + 1, columns, ALIGN_CENTRE, is_here ? STYLE_CURSOR : style,
                           text);
            snprintf(number, sizeof number, "%d", id);
            canvas_text_in(canvas, x, y + 2, columns, ALIGN_CENTRE, STYLE_NUMBER, number);
        }
        y += 4;
    }
    return y;
}

static int draw_sentences(const ViewState *state, Canvas *canvas, int y) {
    const ModelNodes *nodes = state->nodes;
    Cursor cursor = cursor_of(state);
    char number[16];
    char text[48];
    snprintf(number, sizeof number, "%d", cursor.item);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_ITEM), number, NULL,
                   NULL);
    int x = canvas_text(canvas, 1, y, STYLE_TEXT, text);
    canvas_format(canvas, x + 3, y, STYLE_DIM, "%s / %s / %s",
                  view_text(state->language, VIEW_TEXT_POSITION_WORD),
                  view_text(state->language, VIEW_TEXT_PIECE),
                  view_text(state->language, VIEW_TEXT_ID));
    y += 2;
    if (nodes->source != NULL) {
        y = draw_sentence(state, canvas, y, nodes->source, VIEW_TEXT_SOURCE, &cursor,
                          STYLE_KEY_LABEL);
    }
    if (nodes->tokens != NULL) {
        y = draw_sentence(state, canvas, y, nodes->tokens,
                          nodes->source != NULL ? VIEW_TEXT_TARGET : VIEW_TEXT_TOKENS, &cursor,
                          STYLE_QUERY_LABEL);
    }
    if (nodes->labels != NULL) {
        y = draw_sentence(state, canvas, y, nodes->labels, VIEW_TEXT_LABELS, &cursor, STYLE_GOOD);
    }
    return y;
}

// ---- the merges

enum { STEP_COLUMNS = 8, NOTE_COLUMNS = 25 };

// One piece of a row, as it shows.
static void piece_text(const ViewMerge *merge, int i, char piece[VIEW_TOKEN_BYTES]) {
    int end = i + 1 < merge->n_pieces ? merge->starts[i + 1] : merge->text_length;
    int length = end - merge->starts[i];
    text_print(piece, VIEW_TOKEN_BYTES, "%.*s", length, merge->text + merge->starts[i]);
}

static int piece_columns(const ViewMerge *merge, int i) {
    char piece[VIEW_TOKEN_BYTES];
    piece_text(merge, i, piece);
    return text_columns(piece) + 1;
}

// The first piece that shows, so that the pair does.
static int first_piece(const ViewMerge *merge, int width) {
    int last = merge->rank >= 0 ? merge->left + 1 : 0;
    int first = 0;
    int columns = 2;
    for (int i = 0; i <= last && i < merge->n_pieces; i++) {
        columns += piece_columns(merge, i);
    }
    while (first < last - 1 && columns > width - 2) {
        columns -= piece_columns(merge, first++);
    }
    return first;
}

// A row of pieces; the two that are merged next stand in brackets.
static void draw_pieces(Canvas *canvas, const ViewMerge *merge) {
    int first = first_piece(merge, canvas->width);
    int x = first > 0 ? canvas_text(canvas, 0, 0, STYLE_DIM, "…") : 0;
    for (int i = first; i < merge->n_pieces && x < canvas->width; i++) {
        char piece[VIEW_TOKEN_BYTES];
        piece_text(merge, i, piece);
        bool is_left = merge->rank >= 0 && i == merge->left;
        bool is_right = merge->rank >= 0 && i == merge->left + 1;
        Style style = is_left || is_right ? STYLE_CURSOR : STYLE_TEXT;
        x = canvas_text(canvas, x, 0, is_left || is_right ? STYLE_CURSOR : STYLE_DIM,
                        is_left ? "[" : " ");
        if (x < canvas->width) {
            x = canvas_text(canvas, x, 0, style, piece);
        }
        if (is_right && x < canvas->width) {
            x = canvas_text(canvas, x, 0, STYLE_CURSOR, "]");
        }
    }
}

static void draw_step(const ViewState *state, Canvas *canvas, int y, int step) {
    const ViewMerge *merge = &state->merges[step];
    char a[16];
    char b[16];
    char text[96];
    bool is_newest = step + 1 == state->n_merges;
    canvas_text(canvas, 0, y, STYLE_ACTIVE, is_newest ? "▸" : " ");
    if (merge->rank >= 0) {
        canvas_format(canvas, 2, y, STYLE_DIM, "%d/%d", step + 1, state->n_all_merges - 1);
    }
    int room = canvas->width - STEP_COLUMNS - NOTE_COLUMNS - 1;
    Canvas part = canvas_part(canvas, (Rect){STEP_COLUMNS, y, room, 1});
    draw_pieces(&part, merge);
    snprintf(a, sizeof a, "%d", merge->rank + 1);
    snprintf(b, sizeof b, "%d", merge->n_pieces);
    view_text_fill(
        text, sizeof text,
        view_text(state->language, merge->rank < 0 ? VIEW_TEXT_NO_MERGES : VIEW_TEXT_MERGE), a, b,
        NULL);
    canvas_text_in(canvas, canvas->width - NOTE_COLUMNS, y, NOTE_COLUMNS - 1, ALIGN_LEFT,
                   is_newest ? STYLE_TEXT : STYLE_DIM, text);
}

// One merge a line, the newest last and always there; scrolled back from it.
static void draw_merges(const ViewState *state, Canvas *canvas) {
    int most = state->n_merges - canvas->height;
    int first = most - state->scroll;
    first = first < 0 ? 0 : first;
    canvas_tell_list(canvas, first, state->n_merges - (most > 0 ? state->scroll : 0));
    for (int i = 0; i < canvas->height && first + i < state->n_merges; i++) {
        draw_step(state, canvas, i, first + i);
    }
}

static bool fits(const ViewState *state) {
    const Node *node = state->node;
    bool has_ids = state->nodes != NULL && node != NULL &&
                   (node_holds_ids(node) || node->role == ROLE_EMBEDDING);
    return has_ids || state->n_merges > 0;
}

// Rows of the merges, and how far they lead back.
static int rows_of_merges(const ViewState *state, int height) {
    enum { LEAST_SENTENCES = 8 };
    int rest = height - state->n_all_merges - 1;
    return rest >= LEAST_SENTENCES ? state->n_all_merges + 1 : height;
}

static int back(const ViewState *state, int width, int height) {
    (void)width;
    int most = state->n_merges - rows_of_merges(state, height);
    return most > 0 ? most : 0;
}

// The merges first; the sentences of the model where they leave room.
static void draw(const ViewState *state, Canvas *canvas) {
    int y = 0;
    if (state->n_merges > 0) {
        y = rows_of_merges(state, canvas->height);
        Canvas list = canvas_part(canvas, (Rect){0, 0, canvas->width, y});
        draw_merges(state, &list);
    }
    if (state->nodes != NULL && y < canvas->height) {
        draw_sentences(state, canvas, y);
    }
    if (state->nodes != NULL && y >= canvas->height) {
        canvas_tell_part(canvas);
    }
}

const View view_tokens = {.name = "tokens",
                          .titles = {"tokens", "词元"},
                          .needs = {"ids, an embedding, or a text that is cut: :tokens TEXT",
                                    "词元编号、嵌入，或一段切开的文本：:tokens 文本"},
                          .min_width = 24,
                          .min_height = 5,
                          .fits = fits,
                          .back = back,
                          .leaves_room = true,
                          .draw = draw,
                          .subject = VIEW_OF_MERGES,
                          .is_passing = true,
                          .spoken = VIEW_SPOKEN_NUMBERS};
