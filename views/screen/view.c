// view.c - the table of views, and what they share before and while they draw.
#include "views/screen/view.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/screen/view_matrix.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

const View *const VIEWS[] = {
#define X(name) &view_##name,
    VIEW_LIST(X)
#undef X
        NULL};

static_assert(sizeof VIEWS / sizeof VIEWS[0] - 1 <= VIEW_MOST,
              "each view has a place to keep what is its own");

const View *view_find(const char *name) {
    for (int i = 0; VIEWS[i] != NULL; i++) {
        if (strcmp(VIEWS[i]->name, name) == 0) {
            return VIEWS[i];
        }
    }
    return NULL;
}

const View *view_find_subject(ViewSubject subject) {
    int i = 0;
    while (VIEWS[i] != NULL && VIEWS[i]->subject != subject) {
        i++;
    }
    return VIEWS[i];
}

void view_workspace_free(ViewWorkspace *workspace) {
    free(workspace->sources);
    for (int i = 0; VIEWS[i] != NULL; i++) {
        if (workspace->own[i] != NULL) {
            VIEWS[i]->close(workspace->own[i]);
        }
    }
    *workspace = (ViewWorkspace){0};
}

static void prepare_sources(ViewWorkspace *workspace, const ViewState *state) {
    workspace->n_sources = 0;
    workspace->n_all_sources = 0;
    if (state->explanation == NULL || state->explanation->node == NULL) {
        return;
    }
    if (workspace->sources == NULL) {
        workspace->sources = malloc(VIEW_SOURCES * sizeof *workspace->sources);
    }
    if (workspace->sources == NULL) {
        return;
    }
    int count = explain_cells(state->explanation, workspace->sources, VIEW_SOURCES, true);
    workspace->n_all_sources = count;
    workspace->n_sources = count < VIEW_SOURCES ? count : VIEW_SOURCES;
    qsort(workspace->sources, (size_t)workspace->n_sources, sizeof *workspace->sources,
          view_compare_cells);
}

static int index_of(const View *view) {
    int i = 0;
    while (VIEWS[i] != NULL && VIEWS[i] != view) {
        i++;
    }
    assert(VIEWS[i] != NULL);
    return i;
}

static void *open_own(const View *view, ViewWorkspace *workspace) {
    if (view == NULL || view->open == NULL) {
        return NULL;
    }
    void **own = &workspace->own[index_of(view)];
    *own = *own == NULL ? view->open() : *own;
    return *own;
}

void view_prepare(const View *view, ViewState *state, ViewWorkspace *workspace) {
    prepare_sources(workspace, state);
    state->workspace = workspace;
    void *own = open_own(view, workspace);
    state->own = own;
    workspace->left = own != NULL && view->prepare != NULL ? view->prepare(own, state) : 0.0;
}

bool view_turn(const View *view, ViewState *state, ViewWorkspace *workspace, bool is_in) {
    void *own = view->turn == NULL ? NULL : open_own(view, workspace);
    state->own = own;
    return own != NULL && view->turn(own, state, is_in);
}

void view_draw(const View *view, const ViewState *state, Canvas *canvas) {
    if (canvas->width >= view->min_width && canvas->height >= view->min_height) {
        view->draw(state, canvas);
        return;
    }
    char needed[32];
    char found[32];
    char text[256];
    snprintf(needed, sizeof needed, "%dx%d", view->min_width, view->min_height);
    snprintf(found, sizeof found, "%dx%d", canvas->width, canvas->height);
    view_text_fill(text, sizeof text, view_text(state->language, VIEW_TEXT_TOO_SMALL), needed,
                   found, NULL);
    canvas_paragraph(canvas, (Rect){0, 0, canvas->width, canvas->height}, STYLE_DIM, text);
}

void view_measure(const View *view, const ViewState *state, int *width, int *height) {
    *width = 100;
    *height = 30;
    if (view->measure != NULL) {
        view->measure(state, width, height);
    }
    *width = *width < view->min_width ? view->min_width : *width;
    *height = *height < view->min_height ? view->min_height : *height;
}

static int index_on(const ViewState *state, char axis) {
    int indices[SHAPE_MAX_RANK] = {0};
    int at = shape_find_axis(&state->node->shape, axis);
    shape_indices(&state->node->shape, state->element, indices);
    return at < 0 ? VIEW_ALL : indices[at];
}

ViewNumbers view_numbers(const View *view, const ViewState *state) {
    if (view != NULL && view->numbers != NULL) {
        return view->numbers(state);
    }
    return (ViewNumbers){state->node, index_on(state, 'B'), index_on(state, 'H')};
}
