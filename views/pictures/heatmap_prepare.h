// heatmap_prepare.h - reads from a tape what a heatmap shows: which stage, layers, heads and
// tokens.
#ifndef VIEWS_PICTURES_HEATMAP_PREPARE_H
#define VIEWS_PICTURES_HEATMAP_PREPARE_H

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/tape/tape.h"
#include "views/pictures/heatmap.h"

enum { HEATMAP_ALL = -1, HEATMAP_MEAN = -2 };

// Which numbers. stage is a shell pattern for trace names, NULL for the attention weights. Of the
// stages that match, the first and those that are the same thing in other layers are drawn: encoder
// self-attention, decoder self-attention and cross-attention are three things.
typedef struct HeatmapQuery {
    const char *stage;
    int layer; // or HEATMAP_ALL
    int head;  // or HEATMAP_ALL, HEATMAP_MEAN
    int item;  // of the batch
} HeatmapQuery;

// The texts of one batch item's tokens; source is NULL where the model has one side. vocabulary
// names the entries of an axis V; NULL gives their numbers.
typedef struct HeatmapTokens {
    const char *const *source;
    int n_source;
    const char *const *tokens;
    int n_tokens;
    const char *const *next; // what each of the tokens is to be followed by, "" for nothing yet
    const char *const *vocabulary;
    int n_vocabulary;
} HeatmapTokens;

// Fills everything in heatmap but title, model, palette, scale and shows_values; the range comes
// from heatmap_scan, so the scale has to be set. What it points to lies in the arena, in the tape
// and in tokens, and lasts as long as they do. *n_other gets how many stages matched that are
// another thing than the one drawn.
bool heatmap_prepare(Heatmap *heatmap, Arena *arena, const Tape *tape, const HeatmapQuery *query,
                     const HeatmapTokens *tokens, int *n_other, Error *err);

#endif
