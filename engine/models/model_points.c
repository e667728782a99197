// model_points.c - a linear classifier of points of a plane: in their coordinates, or in the six
// features made from them.
#include "engine/models/family.h"
#include "engine/models/points.h"

static void build(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes) {
    Node *x = points_begin(build, shape, with_loss, nodes);
    if (build->config->feature_map) {
        x = layer_role(op_feature_map(build->tape, "phi", x), ROLE_FEATURES);
    }
    points_end(build,
               layer_linear(build, "decision", ROLE_DECISION, "classifier.", x, 1, "C", true),
               nodes);
}

static void read_config(ModelConfig *config, JsonFields *fields) {
    config->feature_map = json_text_bool_or(fields, "feature_map", false);
    points_read(config, fields);
}

static json_t *write_config(const ModelConfig *config) {
    return json_pack("{s:s, s:i, s:b}", "family", "points", "vocab_size", config->vocab_size,
                     "feature_map", config->feature_map);
}

const Family family_points = {.name = "points",
                              .n_sides = 1,
                              .marks = MARKS_OF_TOKENIZER,
                              .n_classes = POINTS_CLASSES,
                              .read = read_config,
                              .write = write_config,
                              .build = build,
                              .keeps_state = points_keep_state,
                              .switches = points_switches};
