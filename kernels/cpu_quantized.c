// cpu_quantized.c - products with weights in fewer bits: tasks of some outputs each.
#include "kernels/cpu_device.h"

typedef struct Job {
    const CpuSimd *simd;
    QuantizedTile tile;
    int task_outputs;
} Job;

static void quantized_task(void *context, int i, int thread) {
    (void)thread;
    const Job *job = context;
    QuantizedTile tile = job->tile;
    const int first = i * job->task_outputs;
    const int left = tile.outputs - first;
    tile.y += first;
    tile.bias = tile.bias != NULL ? tile.bias + first : NULL;
    tile.first += first;
    tile.outputs = left < job->task_outputs ? left : job->task_outputs;
    job->simd->product_quantized(&tile);
}

void cpu_product_quantized(Device *device, Array y, Array x, QuantizedMatrix matrix, Array bias,
                           int first, int count, int rows) {
    // A task reads about this many weights: many times what it costs to hand it out.
    enum { TASK_WEIGHTS = 1 << 16 };
    int outputs = TASK_WEIGHTS / matrix.stride / 4 * 4;
    outputs = outputs < 16 ? 16 : outputs;
    Job job = {.simd = &cpu_of(device)->simd,
               .tile = {.matrix = &matrix,
                        .y = array_floats(y),
                        .x = array_floats(x),
                        .bias = array_floats(bias),
                        .stride_y = (size_t)count,
                        .first = first,
                        .outputs = count,
                        .rows = rows},
               .task_outputs = outputs};
    cpu_share(device, quantized_task, &job, (count + outputs - 1) / outputs,
              (double)count * matrix.K * rows / 8);
}
