// trainer_memory.c - what a run will hold, found by laying its tape out without running it.
#include "engine/tape/tape_cost.h"
#include "engine/training/trainer.h"

// Of pairs, tapes of several lengths are kept, together at most twice the widest; what is left free
// below that is less the more lengths there are.
static size_t kept_bytes(const ModelConfig *config, BatchShape shape, size_t widest_bytes) {
    size_t n_lengths = (size_t)dataset_lengths(shape.T) + (size_t)dataset_lengths(shape.S);
    bool has_one = !config_has_two_sides(config) || n_lengths == 2;
    return has_one ? widest_bytes : 2 * widest_bytes - widest_bytes / n_lengths;
}

bool trainer_plan_memory(const ModelConfig *config, const TrainerOptions *options, BatchShape shape,
                         TrainerMemory *memory, size_t *n_parameters, double *flops, Error *err) {
    *memory = (TrainerMemory){0};
    Model model = {.config = *config};
    ModelTape built = {.nodes = {.source = NULL}};
    bool ok = model_tape_build(&built, &model, TAPE_TRAIN, NULL, shape, TAPE_GRADIENTS, err);
    built.tape.borrows_gradients = true;
    ok = ok && tape_lay_out(&built.tape, err);
    if (ok) {
        size_t weights = model.params.n_values * sizeof(float);
        memory->parameters = weights;
        memory->optimizer = options->optimizer.kind == OPTIMIZER_ADAMW ? 2 * weights : 0;
        memory->gradients = options->accumulate > 1 ? 2 * weights : weights;
        memory->tape = kept_bytes(config, shape, built.tape.block_bytes);
        memory->batch = (size_t)options->batch * (size_t)(2 * shape.T + shape.S) * sizeof(int32_t);
        memory->total = memory->parameters + memory->optimizer + memory->gradients + memory->tape +
                        memory->batch;
        *n_parameters = params_count(&model.params);
        *flops = tape_product_flops(&built.tape);
    }
    model_tape_free(&built);
    model_free(&model);
    return ok;
}
