// view_depth.h - what a view keeps that can be turned further in and out: a scope of the tape.
#ifndef VIEWS_SCREEN_VIEW_DEPTH_H
#define VIEWS_SCREEN_VIEW_DEPTH_H

#include "views/screen/view.h"

void *view_depth_open(void);
void view_depth_close(void *own);

// The scope that the view was turned to; NULL: none, or it was of another tape.
const Scope *view_depth_scope(const ViewState *state);

// From now on that one; false where it is so already.
bool view_depth_set(void *own, const ViewState *state, const Scope *scope);

#endif
