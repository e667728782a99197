// cpu_loss.c - losses against labels and their gradients.
#include "kernels/cpu_device.h"

#include <math.h>

static bool counts(int32_t label, const LossShape *shape) {
    return label >= 0 && !(shape->pad_id >= 0 && label == shape->pad_id);
}

static int count_labels(const int32_t *labels, const LossShape *shape) {
    int n = 0;
    for (int r = 0; r < shape->rows; r++) {
        n += counts(labels[r], shape);
    }
    return n;
}

// What each token that is neither label nor padding gets of the smoothing.
static double smoothing_share(const LossShape *shape) {
    const int others = shape->V - (shape->pad_id >= 0 ? 2 : 1);
    return others > 0 ? (double)shape->smoothing / others : 0;
}

static double target(int c, int32_t label, double share, const LossShape *shape) {
    if (c == label) {
        return 1 - (double)shape->smoothing;
    }
    return c == shape->pad_id ? 0 : share;
}

void cpu_loss(Device *device, float *loss, const float *log_probs, const int32_t *labels,
              LossShape shape) {
    (void)device;
    const double share = smoothing_share(&shape);
    const int n_labels = count_labels(labels, &shape);
    double sum = 0;
    for (int r = 0; r < shape.rows; r++) {
        if (!counts(labels[r], &shape)) {
            continue;
        }
        for (int c = 0; c < shape.V; c++) {
            const double p = target(c, labels[r], share, &shape);
            sum += p > 0 ? p * (log(p) - log_probs[(size_t)r * shape.V + c]) : 0;
        }
    }
    *loss = n_labels > 0 ? (float)(sum / n_labels) : 0;
}

void cpu_loss_grad(Device *device, float *dlog_probs, const float *dloss, const int32_t *labels,
                   LossShape shape) {
    (void)device;
    const double share = smoothing_share(&shape);
    const int n_labels = count_labels(labels, &shape);
    const double factor = n_labels > 0 ? (double)*dloss / n_labels : 0;
    for (int r = 0; r < shape.rows; r++) {
        for (int c = 0; c < shape.V; c++) {
            const double p = counts(labels[r], &shape) ? target(c, labels[r], share, &shape) : 0;
            dlog_probs[(size_t)r * shape.V + c] = p > 0 ? (float)(-p * factor) : 0;
        }
    }
}

void cpu_cross_entropy(Device *device, float *loss, float *row_max_and_lse, const float *logits,
                       const int32_t *labels, LossShape shape) {
    (void)device;
    const double share = smoothing_share(&shape);
    const int n_labels = count_labels(labels, &shape);
    double loss_sum = 0;
    for (int r = 0; r < shape.rows; r++) {
        const float *x = logits + (size_t)r * shape.V;
        float max = -INFINITY;
        for (int c = 0; c < shape.V; c++) {
            max = x[c] > max ? x[c] : max;
        }
        double sum = 0;
        for (int c = 0; c < shape.V; c++) {
            sum += exp((double)x[c] - max);
        }
        const double lse = log(sum);
        row_max_and_lse[(size_t)r * 2] = max;
        row_max_and_lse[(size_t)r * 2 + 1] = (float)lse;
        for (int c = 0; c < shape.V && counts(labels[r], &shape); c++) {
            const double p = target(c, labels[r], share, &shape);
            loss_sum += p > 0 ? p * (log(p) - ((double)x[c] - max - lse)) : 0;
        }
    }
    *loss = n_labels > 0 ? (float)(loss_sum / n_labels) : 0;
}

void cpu_cross_entropy_grad(Device *device, float *dlogits, const float *dloss, const float *logits,
                            const float *row_max_and_lse, const int32_t *labels, LossShape shape) {
    (void)device;
    const double share = smoothing_share(&shape);
    const int n_labels = count_labels(labels, &shape);
    const double factor = n_labels > 0 ? (double)*dloss / n_labels : 0;
    for (int r = 0; r < shape.rows; r++) {
        const double max = row_max_and_lse[(size_t)r * 2];
        const double lse = row_max_and_lse[(size_t)r * 2 + 1];
        for (int c = 0; c < shape.V; c++) {
            const size_t i = (size_t)r * shape.V + c;
            const double p = exp(logits[i] - max - lse) - target(c, labels[r], share, &shape);
            dlogits[i] = counts(labels[r], &shape) ? (float)(p * factor) : 0;
        }
    }
}
