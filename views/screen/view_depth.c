// view_depth.c - what a view keeps that can be turned further in and out: a scope of the tape.
#include "views/screen/view_depth.h"

#include <stdlib.h>

typedef struct Depth {
    const Scope *scope;
    int n_tapes; // the state's when it was set
} Depth;

void *view_depth_open(void) {
    return calloc(1, sizeof(Depth));
}

void view_depth_close(void *own) {
    free(own);
}

const Scope *view_depth_scope(const ViewState *state) {
    const Depth *depth = state->own;
    return depth == NULL || depth->n_tapes != state->n_tapes ? NULL : depth->scope;
}

bool view_depth_set(void *own, const ViewState *state, const Scope *scope) {
    Depth *depth = own;
    bool is_other = view_depth_scope(state) != scope;
    *depth = (Depth){scope, state->n_tapes};
    return is_other;
}
