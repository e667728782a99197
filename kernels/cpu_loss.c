// cpu_loss.c - losses against labels and their gradients.
#include "kernels/cpu_device.h"

#include <assert.h>
#include <math.h>

enum { TASK_ELEMENTS = 1 << 13, MAX_TASKS = 256 };

typedef struct Loss {
    const CpuSimd *simd;
    LossShape shape;
    const int32_t *labels;
    const float *x;    // logits or log_probs
    float *y;          // their gradient
    float *statistics; // row_max_and_lse
    const float *statistics_in;
    int rows_each;
    double share;  // of each token that is neither label nor padding
    double kept;   // 1 - smoothing
    double factor; // dloss / n_labels
    double *sums;  // of each task's losses
} Loss;

static bool counts(int32_t label, const LossShape *shape) {
    assert(label < shape->V);
    return label >= 0 && !(shape->pad_id >= 0 && label == shape->pad_id);
}

static int count_labels(const int32_t *labels, const LossShape *shape) {
    int n = 0;
    for (int r = 0; r < shape->rows; r++) {
        n += counts(labels[r], shape);
    }
    return n;
}

static bool has_padding(const LossShape *shape) {
    return shape->pad_id >= 0 && shape->pad_id < shape->V;
}

static double smoothing_share(const LossShape *shape) {
    const int others = shape->V - (shape->pad_id >= 0 ? 2 : 1);
    return others > 0 ? (double)shape->smoothing / others : 0;
}

static double p_log_p(double p) {
    return p > 0 ? p * log(p) : 0;
}

// sum of target * log target: the same for every row.
static double target_entropy(const Loss *e) {
    const int others = e->shape.V - (e->shape.pad_id >= 0 ? 2 : 1);
    return p_log_p(e->kept) + (others > 0 ? others * p_log_p(e->share) : 0);
}

// sum of target * x over a row; the terms without a share are left out, whatever they are.
static double expected(const Loss *e, const float *x, int32_t label) {
    double sum = 0;
    if (e->kept > 0) {
        sum = e->kept * x[label];
    }
    if (e->share > 0) {
        const int V = e->shape.V;
        const int pad = has_padding(&e->shape) ? e->shape.pad_id : label;
        const int low = pad < label ? pad : label;
        const int high = pad < label ? label : pad;
        const double rest = e->simd->sum_of(x, low) +
                            (high > low ? e->simd->sum_of(x + low + 1, high - low - 1) : 0) +
                            e->simd->sum_of(x + high + 1, V - high - 1);
        sum += e->share * rest;
    }
    return sum;
}

static int n_tasks(const Loss *e) {
    return (e->shape.rows + e->rows_each - 1) / e->rows_each;
}

static void prepare(Device *device, Loss *e) {
    const int V = e->shape.V;
    const int rows = e->shape.rows;
    e->simd = &cpu_of(device)->simd;
    e->rows_each = V < TASK_ELEMENTS ? TASK_ELEMENTS / V : 1;
    if (rows > e->rows_each * MAX_TASKS) {
        e->rows_each = (rows + MAX_TASKS - 1) / MAX_TASKS;
    }
    e->kept = 1 - (double)e->shape.smoothing;
    e->share = smoothing_share(&e->shape);
}

static void share(Device *device, PoolTask *task, Loss *e, double ns_each) {
    cpu_share(device, task, e, n_tasks(e), ns_each * e->shape.rows * e->shape.V);
}

static int rows_end(const Loss *e, int i) {
    const int end = (i + 1) * e->rows_each;
    return end < e->shape.rows ? end : e->shape.rows;
}

static float mean_loss(const Loss *e) {
    const int n_labels = count_labels(e->labels, &e->shape);
    if (n_labels == 0) {
        return 0;
    }
    double sum = 0;
    for (int i = 0; i < n_tasks(e); i++) {
        sum += e->sums[i];
    }
    return (float)(sum / n_labels);
}

static void loss_task(void *context, int i, int thread) {
    (void)thread;
    const Loss *e = context;
    const double entropy = target_entropy(e);
    double sum = 0;
    for (int r = i * e->rows_each; r < rows_end(e, i); r++) {
        if (counts(e->labels[r], &e->shape)) {
            sum += entropy - expected(e, e->x + (size_t)r * e->shape.V, e->labels[r]);
        }
    }
    e->sums[i] = sum;
}

void cpu_loss(Device *device, Array loss, Array log_probs, Array labels, LossShape shape) {
    double sums[MAX_TASKS];
    Loss e = {
        .shape = shape, .labels = array_ids(labels), .x = array_floats(log_probs), .sums = sums};
    prepare(device, &e);
    share(device, loss_task, &e, shape.smoothing > 0 ? 0.2 : 0);
    *array_floats(loss) = mean_loss(&e);
}

static void fill(float *y, float value, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = value;
    }
}

static void loss_grad_task(void *context, int i, int thread) {
    (void)thread;
    const Loss *e = context;
    const float rest = e->share > 0 ? (float)(-e->share * e->factor) : 0;
    for (int r = i * e->rows_each; r < rows_end(e, i); r++) {
        float *row = e->y + (size_t)r * e->shape.V;
        if (!counts(e->labels[r], &e->shape)) {
            fill(row, 0, e->shape.V);
            continue;
        }
        fill(row, rest, e->shape.V);
        if (has_padding(&e->shape)) {
            row[e->shape.pad_id] = 0;
        }
        row[e->labels[r]] = e->kept > 0 ? (float)(-e->kept * e->factor) : 0;
    }
}

static void set_factor(Loss *e, float dloss) {
    const int n_labels = count_labels(e->labels, &e->shape);
    e->factor = n_labels > 0 ? (double)dloss / n_labels : 0;
}

void cpu_loss_grad(Device *device, Array dlog_probs, Array dloss, Array labels, LossShape shape) {
    Loss e = {.shape = shape, .labels = array_ids(labels), .y = array_floats(dlog_probs)};
    prepare(device, &e);
    set_factor(&e, *array_floats(dloss));
    share(device, loss_grad_task, &e, 0.1);
}

static void cross_entropy_task(void *context, int i, int thread) {
    (void)thread;
    const Loss *e = context;
    const int V = e->shape.V;
    const int first = i * e->rows_each;
    e->simd->row_max_and_lse(e->statistics + 2 * (size_t)first, e->x + (size_t)first * V,
                             rows_end(e, i) - first, V);
    const double entropy = target_entropy(e);
    double sum = 0;
    for (int r = first; r < rows_end(e, i); r++) {
        if (counts(e->labels[r], &e->shape)) {
            const float *statistics = e->statistics + 2 * (size_t)r;
            const double lse = (double)statistics[0] + statistics[1];
            const double weight = V > (e->shape.pad_id >= 0 ? 2 : 1) ? 1 : e->kept;
            sum += entropy + weight * lse - expected(e, e->x + (size_t)r * V, e->labels[r]);
        }
    }
    e->sums[i] = sum;
}

void cpu_cross_entropy(Device *device, Array loss, Array row_max_and_lse, Array logits,
                       Array labels, LossShape shape) {
    double sums[MAX_TASKS];
    Loss e = {.shape = shape,
              .labels = array_ids(labels),
              .x = array_floats(logits),
              .statistics = array_floats(row_max_and_lse),
              .sums = sums};
    prepare(device, &e);
    share(device, cross_entropy_task, &e, 0.6);
    *array_floats(loss) = mean_loss(&e);
}

static void cross_entropy_grad_task(void *context, int i, int thread) {
    (void)thread;
    const Loss *e = context;
    const int V = e->shape.V;
    const float factor = (float)e->factor;
    for (int r = i * e->rows_each; r < rows_end(e, i); r++) {
        const int32_t label = e->labels[r];
        const float *x = e->x + (size_t)r * V;
        float *row = e->y + (size_t)r * V;
        if (!counts(label, &e->shape)) {
            fill(row, 0, V);
            continue;
        }
        const float *statistics = e->statistics_in + 2 * (size_t)r;
        // Kept before the row is overwritten: y may be x.
        const double label_x = x[label];
        const double pad_x = has_padding(&e->shape) ? x[e->shape.pad_id] : 0;
        e->simd->cross_entropy_grad(row, x, statistics, V, (float)e->share, factor);
        if (has_padding(&e->shape)) {
            row[e->shape.pad_id] = (float)(e->factor * exp(pad_x - statistics[0] - statistics[1]));
        }
        row[label] = (float)(e->factor * (exp(label_x - statistics[0] - statistics[1]) - e->kept));
    }
}

void cpu_cross_entropy_grad(Device *device, Array dlogits, Array dloss, Array logits,
                            Array row_max_and_lse, Array labels, LossShape shape) {
    Loss e = {.shape = shape,
              .labels = array_ids(labels),
              .x = array_floats(logits),
              .y = array_floats(dlogits),
              .statistics_in = array_floats(row_max_and_lse)};
    prepare(device, &e);
    set_factor(&e, *array_floats(dloss));
    share(device, cross_entropy_grad_task, &e, 0.5);
}
