// points.h - points of a plane as tokens: the first ids are the two classes, the others the places
// of a square grid, row by row, from -2 to 2 in both directions.
#ifndef ENGINE_MODELS_POINTS_H
#define ENGINE_MODELS_POINTS_H

#include "engine/models/layers.h"

enum { POINTS_CLASSES = 2 };

// Places in a row of the grid, and the coordinates of a place.
int points_side(const ModelConfig *config);
void points_place(const ModelConfig *config, int32_t id, double place[2]);

// The place nearest to these coordinates; -1: outside of the grid.
int32_t points_nearest(const ModelConfig *config, double x, double y);

// Appends tokens, with_loss labels, and the coordinates (B,T,C) of each point, which it gives.
Node *points_begin(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes);

// From one number a point, (B,T,C) with C 1, whose sign is its class: beside a 0 it is the logit of
// the second class, so that the loss is that of logistic regression.
void points_end(Build *build, Node *decision, ModelNodes *nodes);

// For the families' read: a sentence in the fields' error where the vocabulary is no such grid.
void points_read(ModelConfig *config, JsonFields *fields);

// For the families' rows: no state between steps, no switches.
bool points_keep_state(const ModelConfig *config);
unsigned points_switches(const ModelConfig *config);

#endif
