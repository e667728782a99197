// accuracy.c - how often the largest logit is that of the label.
#include "engine/models/accuracy.h"

static bool is_right(const float *logits, int n, int32_t label) {
    for (int i = 0; i < n; i++) {
        if (logits[i] > logits[label] || (i < label && logits[i] == logits[label])) {
            return false;
        }
    }
    return true;
}

int accuracy_count_right(const Tape *tape, const ModelNodes *nodes, int pad_id, int *n) {
    int n_right = 0;
    *n = 0;
    if (nodes->labels == NULL) {
        return 0;
    }
    const int32_t *labels = tape_ids(tape, nodes->labels);
    const float *logits = tape_values(tape, nodes->logits);
    const int width = shape_width(&nodes->logits->shape);
    for (size_t i = 0; i < shape_count(&nodes->labels->shape); i++) {
        if (labels[i] >= 0 && labels[i] < width && labels[i] != pad_id) {
            n_right += is_right(logits + i * (size_t)width, width, labels[i]);
            ++*n;
        }
    }
    return n_right;
}
