// bench_model.c - a preset's model on a training tape, with its optimizer, to be measured.
#include "app/bench/bench_model.h"

#include "engine/devices/device.h"

static void fill_ids(const Tape *tape, const Node *node, int vocab_size) {
    size_t count = node == NULL ? 0 : shape_count(&node->shape);
    for (size_t i = 0; i < count; i++) {
        tape_set_number(tape, node, i, (float)(3 + (int)(i * 7 % (size_t)(vocab_size - 3))));
    }
}

bool bench_model_build(BenchModel *run, BatchShape shape, Error *err) {
    return model_tape_build(&run->built, &run->model, TAPE_TRAIN, run->device, shape,
                            TAPE_GRADIENTS, err) &&
           tape_allocate(&run->built.tape, err);
}

bool bench_model_open(BenchModel *run, const char *name, BatchShape shape, const char *device,
                      int n_threads, Error *err) {
    *run = (BenchModel){.device = device_open(device, n_threads, NULL, err)};
    bool ok = run->device != NULL && preset_load(&run->preset, name, err) &&
              model_init(&run->model, &run->preset.config, run->preset.seed, err) &&
              bench_model_build(run, shape, err) &&
              optimizer_init(&run->optimizer, &run->preset.training.optimizer, &run->model.params);
    if (ok) {
        int V = run->model.config.vocab_size;
        fill_ids(&run->built.tape, run->built.nodes.source, V);
        fill_ids(&run->built.tape, run->built.nodes.tokens, V);
        fill_ids(&run->built.tape, run->built.nodes.labels, V);
    }
    return ok;
}

void bench_model_close(BenchModel *run) {
    model_tape_free(&run->built);
    optimizer_free(&run->optimizer);
    model_free(&run->model);
    preset_free(&run->preset);
    device_close(run->device);
}

void bench_model_step(void *context) {
    BenchModel *run = context;
    tape_run(&run->built.tape);
    optimizer_step(&run->optimizer, &run->model.params, run->built.tape.gradients, 1e-4F, 1.0F,
                   run->device, NULL);
}
