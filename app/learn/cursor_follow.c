// cursor_follow.c - from a number to those it came from, and back.
#include <string.h>

#include "app/learn/cursor.h"

static void push(Cursor *cursor) {
    if (cursor->n_trail == CURSOR_TRAIL) {
        memmove(cursor->trail, cursor->trail + 1, (CURSOR_TRAIL - 1) * sizeof cursor->trail[0]);
        cursor->n_trail--;
    }
    cursor->trail[cursor->n_trail++] = cursor->place;
}

bool cursor_do_follow(Cursor *cursor, const Command *command, Error *err) {
    (void)command;
    enum { MAX_SOURCES = 64 };
    ExplainCell cells[MAX_SOURCES];
    if (!stepper_require(&cursor->playground->stepper, cursor->place.node, err)) {
        return false;
    }
    cursor_explain(cursor);
    int n_all = explain_cells(&cursor->explanation, cells, MAX_SOURCES, true);
    if (n_all == 0 || (n_all == 1 && cells[0].node == cursor->place.node)) {
        return error_set(err, "%s", reply_text(cursor->reply, TEXT_GIVEN));
    }
    int source = cursor->place.next_source % (n_all < MAX_SOURCES ? n_all : MAX_SOURCES);
    cursor->place.next_source = source + 1;
    push(cursor);
    const Node *node = cells[source].node;
    size_t element = cells[source].element;
    cursor_look_at(cursor, node);
    cursor_set_element(cursor, element);
    return true;
}

bool cursor_do_return(Cursor *cursor, const Command *command, Error *err) {
    (void)command;
    if (cursor->n_trail == 0) {
        return error_set(err, "%s", reply_text(cursor->reply, TEXT_NO_RETURN));
    }
    cursor->place = cursor->trail[--cursor->n_trail];
    cursor->is_explained = false;
    return true;
}
