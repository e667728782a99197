// points.c - points of a plane as tokens.
#include "engine/models/points.h"

#include <math.h>

int points_side(const ModelConfig *config) {
    return (int)sqrt((double)(config->vocab_size - POINTS_CLASSES));
}

void points_place(const ModelConfig *config, int32_t id, double place[2]) {
    const int side = points_side(config);
    const double middle = (side - 1) / 2.0;
    const int column = (id - POINTS_CLASSES) % side;
    const int row = (id - POINTS_CLASSES) / side;
    place[0] = 2.0 * (column - middle) / middle;
    place[1] = 2.0 * (row - middle) / middle;
}

int32_t points_nearest(const ModelConfig *config, double x, double y) {
    const int side = points_side(config);
    const double middle = (side - 1) / 2.0;
    const double column = round(x * middle / 2.0 + middle);
    const double row = round(y * middle / 2.0 + middle);
    const bool is_inside = column >= 0.0 && column < side && row >= 0.0 && row < side;
    return is_inside ? (int32_t)row * side + (int32_t)column + POINTS_CLASSES : -1;
}

Node *points_begin(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes) {
    layer_tokens(build, nodes, shape.B, shape.T);
    if (with_loss) {
        layer_role(layer_labels(build, nodes), ROLE_CLASSES);
    }
    return layer_role(
        op_grid(build->tape, "x", nodes->tokens, POINTS_CLASSES, points_side(build->config)),
        ROLE_POINTS);
}

void points_end(Build *build, Node *decision, ModelNodes *nodes) {
    Tape *tape = build->tape;
    const Shape *tokens = &nodes->tokens->shape;
    Node *zero = op_constant(tape, "zero", shape_append(tokens, "C", 1), 0.0F);
    zero->counts[1].ids = nodes->tokens;
    Node *scores[] = {zero, decision};
    nodes->logits = layer_role(op_concat(tape, "logits", scores, POINTS_CLASSES, "V"), ROLE_LOGITS);
    if (nodes->labels != NULL) {
        nodes->loss = layer_loss(build, nodes->logits, nodes->labels);
    }
}

void points_read(ModelConfig *config, JsonFields *fields) {
    config->d_model = 2;
    config->n_heads = 1;
    config->n_layers = 1;
    const int side = points_side(config);
    if (fields->ok && (side < 2 || side * side + POINTS_CLASSES != config->vocab_size)) {
        fields->ok =
            error_set(fields->err,
                      "%s: \"vocab_size\": expected 2 classes and a square of places, such "
                      "as 1683 = 2 + 41 x 41, found %d",
                      fields->where, config->vocab_size);
    }
}

bool points_keep_state(const ModelConfig *config) {
    (void)config;
    return false;
}

unsigned points_switches(const ModelConfig *config) {
    (void)config;
    return 0;
}
