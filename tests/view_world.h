// view_world.h - the toy model, stepped and looked at: what tests of views draw.
#ifndef TESTS_VIEW_WORLD_H
#define TESTS_VIEW_WORLD_H

#include "engine/playground/plane.h"
#include "engine/playground/playground.h"
#include "views/screen/view.h"

enum { WORLD_STEPS = 120 };

// A zeroed one is empty.
typedef struct ViewWorld {
    Playground playground;
    Explanation explanation;
    ViewWorkspace workspace;
    Decoding decoding;
    float losses[2][WORLD_STEPS], norms[2][WORLD_STEPS], rates[WORLD_STEPS];
    ViewTraining training;
    SamplingConfig sampling;
    SamplingDraw draw;
    float before[4096];
    Plane plane;
    ViewState state;
} ViewWorld;

// The lessons' toy over two sentences, run to its end, from a line as `open` takes it.
void view_world_open(ViewWorld *world, const char *line);
void view_world_close(ViewWorld *world);

// Looks at one cell of a stage: moves there, runs, explains it. False where there is no such stage.
bool view_world_look(ViewWorld *world, const char *stage, const int *indices);
void view_world_look_at(ViewWorld *world, const Node *node, size_t element);

// Made-up curves of two runs, and of two models by the length of sentences; a beam of width 3 over
// "dog run"; a draw after position 0, u to four digits; numbers before an edit.
void view_world_train(ViewWorld *world);
void view_world_measure(ViewWorld *world);
void view_world_time(ViewWorld *world);  // four ways to compute distances, no GPU
void view_world_count(ViewWorld *world); // transformer-base as two processes train it
void view_world_decode(ViewWorld *world);
void view_world_sample(ViewWorld *world, double u);
void view_world_change(ViewWorld *world);

// Counts calls of malloc, calloc and realloc while on; gives how many there were since it was last
// turned on. Not under a sanitizer, which has its own.
size_t support_count_allocations(bool on);

#endif
