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

// A row of pieces; the two that join next stand in brackets. Gives the column after it.
static void draw_pieces(Canvas *canvas, int y, const ViewMerge *merge) {
    int x = 1;
    for (int i = 0; i < merge->n_pieces && x < canvas->width; i++) {
        int end = i + 1 < merge->n_pieces ? merge->starts[i + 1] : merge->text_length;
        int length = end - merge->starts[i];
        char piece[VIEW_TOKEN_BYTES];
        length = length < (int)sizeof piece - 1 ? length : (int)sizeof piece - 1;
        memcpy(piece, merge->text + merge->starts[i], (size_t)length);
        piece[length] = '\0';
        bool joins = merge->rank >= 0 && (i == merge->left || i == merge->left + 1);
        x = canvas_text(canvas, x, y, joins ? STYLE_CURSOR : STYLE_DIM,
                        joins && i == merge->left ? "[" : " ");
        if (x < canvas->width) {
            x = canvas_text(canvas, x, y, joins ? STYLE_CURSOR : STYLE_TEXT, piece);
        }
        if (joins && i == merge->left + 1 && x < canvas->width) {
            x = canvas_text(canvas, x, y, STYLE_CURSOR, "]");
        }
    }
}

static void draw_merges(const ViewState *state, Canvas *canvas, int y) {
    enum { NOTE_COLUMNS = 30 };
    int room = canvas->height - y;
    int most = state->n_merges - room;
    int first = state->scroll < most ? state->scroll : most;
    first = first < 0 ? 0 : first;
    bool has_notes = canvas->width >= 2 * NOTE_COLUMNS;
    for (int i = 0; i < room && first + i < state->n_merges; i++) {
        const ViewMerge *merge = &state->merges[first + i];
        int width = canvas->width - (has_notes ? NOTE_COLUMNS : 0);
        Canvas part = canvas_part(canvas, (Rect){0, y + i, width, 1});
        draw_pieces(&part, 0, merge);
        char number[16];
        char count[16];
        char rank[16];
        char text[96];
        snprintf(number, sizeof number, "%d", first + i + 1);
        snprintf(count, sizeof count, "%d", state->n_all_merges - 1);
        snprintf(rank, sizeof rank, "%d", merge->rank);
        ViewTextId id = merge->rank < 0 ? VIEW_TEXT_NO_MERGES : VIEW_TEXT_MERGE;
        view_text_fill(text, sizeof text, view_text(state->language, id), number, count, rank);
        if (has_notes) {
            canvas_text_in(canvas, width, y + i, NOTE_COLUMNS - 1, ALIGN_LEFT, STYLE_DIM, text);
        }
    }
}

static bool fits(const ViewState *state) {
    const Node *node = state->node;
    bool has_ids = state->nodes != NULL && node != NULL &&
                   (node_holds_ids(node) || node->role == ROLE_EMBEDDING);
    return has_ids || state->n_merges > 0;
}

static void draw(const ViewState *state, Canvas *canvas) {
    int y = 0;
    if (state->nodes != NULL) {
        int most = state->n_merges > 0 ? canvas->height / 2 : canvas->height;
        Canvas part = canvas_part(canvas, (Rect){0, 0, canvas->width, most});
        y = draw_sentences(state, &part, 0);
        y = y > most ? most : y;
    }
    if (state->n_merges > 0) {
        draw_merges(state, canvas, y);
    }
}

const View view_tokens = {.name = "tokens",
                          .titles = {"tokens", "词元"},
                          .min_width = 24,
                          .min_height = 5,
                          .fits = fits,
                          .leaves_room = true,
                          .draw = draw,
                          .subject = VIEW_OF_MERGES,
                          .is_passing = true,
                          .spoken = VIEW_SPOKEN_NUMBERS};
