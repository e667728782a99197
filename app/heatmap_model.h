// heatmap_model.h - opens the model and runs the input that a heatmap is to show.
#ifndef APP_HEATMAP_MODEL_H
#define APP_HEATMAP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/arena.h"
#include "engine/error.h"
#include "engine/model.h"
#include "views/heatmap_prepare.h"

enum { INPUT_MAX_ITEMS = 64 };

// What the command line says; texts are borrowed from it.
typedef struct InputOptions {
    const char *model;
    const char *inputs[INPUT_MAX_ITEMS]; // --input, one item each
    int n_inputs;
    const char *targets[INPUT_MAX_ITEMS];
    int n_targets;
    const char *ids; // "1,5,4;1,3,6"
    const char *target_ids;
    bool wants_gradients;
    bool is_untrained;
    uint64_t seed;
    int n_threads;
    int item; // whose tokens are wanted
} InputOptions;

// A zeroed one may be freed.
typedef struct HeatmapModel {
    Model model;
    ModelTape built;
    Device *device;
    Arena arena;
    HeatmapTokens tokens; // of the wanted item, in the arena
} HeatmapModel;

bool heatmap_model_open(HeatmapModel *opened, const InputOptions *options, Error *err);
void heatmap_model_close(HeatmapModel *opened);

#endif
