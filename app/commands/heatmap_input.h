// heatmap_input.h - a heatmap of what an open model's tape holds: the tokens at its axes, its
// title.
#ifndef APP_COMMANDS_HEATMAP_INPUT_H
#define APP_COMMANDS_HEATMAP_INPUT_H

#include "engine/playground/model_input.h"
#include "views/pictures/heatmap_prepare.h"

// heatmap_prepare with the tokens of the query's batch item; sets the model's name and, where there
// are several items, the note. What the heatmap points to lies in the arena and in the tape, whose
// nodes have to be computed.
bool heatmap_input_prepare(Heatmap *heatmap, Arena *arena, const OpenModel *opened,
                           const HeatmapQuery *query, int *n_other, Error *err);

#endif
