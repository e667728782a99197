// view_private.h - the views by themselves, for the table.
#ifndef VIEWS_SCREEN_VIEW_PRIVATE_H
#define VIEWS_SCREEN_VIEW_PRIVATE_H

#include "views/screen/view.h"

extern const View view_tensor;
extern const View view_equation;
extern const View view_explain;
extern const View view_attention;
extern const View view_heads;
extern const View view_lines;
extern const View view_map;
extern const View view_tokens;
extern const View view_predictions;
extern const View view_beam;
extern const View view_loss;
extern const View view_training;
extern const View view_embeddings;
extern const View view_change;
extern const View view_tape;
extern const View view_big;
extern const View view_help;

// Reads an embedding table onto its two main axes, and the cursor's neighbours.
void view_embeddings_prepare(ViewWorkspace *workspace, const ViewState *state);

#endif
