// view.c - the table of views, and what they share before and while they draw.
#include "views/screen/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/screen/view_matrix.h"
#include "views/screen/view_private.h"
#include "views/screen/view_texts.h"

const View *const VIEWS[] = {
    &view_tensor,     &view_equation,    &view_attention, &view_heads, &view_lines,    &view_tokens,
    &view_embeddings, &view_predictions, &view_loss,      &view_beam,  &view_training, &view_change,
    &view_map,        &view_explain,     &view_big,       &view_tape,  &view_help,     NULL};

const View *view_find(const char *name) {
    for (int i = 0; VIEWS[i] != NULL; i++) {
        if (strcmp(VIEWS[i]->name, name) == 0) {
            return VIEWS[i];
        }
    }
    return NULL;
}

void view_workspace_free(ViewWorkspace *workspace) {
    free(workspace->sources);
    free(workspace->points);
    free(workspace->point_rows);
    sampler_free(&workspace->sampler);
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

void view_prepare(const View *view, ViewState *state, ViewWorkspace *workspace) {
    prepare_sources(workspace, state);
    if (view != NULL && view->prepare != NULL) {
        view->prepare(workspace, state);
    }
    state->workspace = workspace;
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
