// trainer_tape.c - the trainer's tapes by length, and their gradients on the way to the sum.
#include "engine/training/trainer_tape.h"

#include <stdlib.h>
#include <string.h>

// 1 MiB: long enough for the wire; short, since what the last bucket takes is not hidden behind the
// backward pass.
enum { BUCKET_FLOATS = 256 * 1024, MAX_BUCKETS = 2048 };

void trainer_tape_free(TrainerTape *tape) {
    model_tape_free(&tape->built);
    free(tape->bucket_end);
    *tape = (TrainerTape){.used = 0};
}

static bool has_shape(const TrainerTape *tape, BatchShape shape) {
    const ModelNodes *nodes = &tape->built.nodes;
    bool same_source = nodes->source == NULL || nodes->source->shape.sizes[1] == shape.S;
    return nodes->tokens->shape.sizes[0] == shape.B && nodes->tokens->shape.sizes[1] == shape.T &&
           same_source;
}

static void forget_oldest(Trainer *trainer) {
    int oldest = 0;
    for (int i = 1; i < trainer->n_tapes; i++) {
        if (trainer->tapes[i].used < trainer->tapes[oldest].used) {
            oldest = i;
        }
    }
    trainer_tape_free(&trainer->tapes[oldest]);
    trainer->tapes[oldest] = trainer->tapes[--trainer->n_tapes];
}

// All tapes together hold at most twice what the widest needs.
static void make_room(Trainer *trainer, size_t new_bytes) {
    size_t widest = trainer->widest_bytes > new_bytes ? trainer->widest_bytes : new_bytes;
    trainer->widest_bytes = widest;
    for (;;) {
        size_t held = new_bytes;
        for (int i = 0; i < trainer->n_tapes; i++) {
            held += trainer->tapes[i].built.tape.block_bytes;
        }
        bool fits = trainer->n_tapes < TRAINER_MAX_TAPES - 1 && held <= 2 * widest;
        if (fits || trainer->n_tapes == 0) {
            return;
        }
        forget_oldest(trainer);
    }
}

// ---- buckets

bool trainer_buckets_make(Trainer *trainer, Error *err) {
    const Params *params = &trainer->model->params;
    trainer->buckets = calloc((size_t)params->count + 1, sizeof *trainer->buckets);
    if (trainer->buckets == NULL) {
        return error_set(err, "not enough memory to cut gradients into buckets");
    }
    size_t wanted = trainer->options.bucket_floats;
    wanted = wanted == 0 ? BUCKET_FLOATS : wanted;
    size_t least = params->n_values / MAX_BUCKETS + 1;
    wanted = wanted < least ? least : wanted;
    size_t end = params->n_values;
    for (int i = params->count - 1; i >= 0; i--) {
        size_t first = params->items[i].offset;
        if (end - first >= wanted || i == 0) {
            trainer->buckets[trainer->n_buckets++] = (GradientBucket){first, end - first};
            end = first;
        }
    }
    return true;
}

static int bucket_of(const Trainer *trainer, const Parameter *parameter) {
    int i = 0;
    while (parameter->offset < trainer->buckets[i].first) {
        i++;
    }
    return i;
}

static bool find_bucket_ends(const Trainer *trainer, TrainerTape *tape, Error *err) {
    tape->bucket_end = calloc((size_t)trainer->n_buckets, sizeof *tape->bucket_end);
    if (tape->bucket_end == NULL) {
        return error_set(err, "not enough memory for a tape");
    }
    for (int i = 0; i < trainer->n_buckets; i++) {
        tape->bucket_end[i] = -1;
    }
    const Tape *nodes = &tape->built.tape;
    for (int i = 0; i < nodes->n_forward; i++) {
        const Node *node = nodes->nodes[i];
        if (node->op == OP_PARAMETER && node->gradient != NULL) {
            int *end = &tape->bucket_end[bucket_of(trainer, node->parameter)];
            *end = node->gradient->id > *end ? node->gradient->id : *end;
        }
    }
    return true;
}

// ---- tapes

static bool build(Trainer *trainer, TrainerTape *tape, BatchShape shape, Error *err) {
    if (!model_tape_build(&tape->built, trainer->model, TAPE_TRAIN, trainer->device, shape,
                          TAPE_GRADIENTS, err)) {
        return false;
    }
    tape->built.tape.gradients = trainer->gradients;
    tape->built.tape.borrows_gradients = true;
    tape->built.tape.seed = trainer->options.seed;
    if (!tape_allocate(&tape->built.tape, err)) {
        return false;
    }
    return trainer->group == NULL || find_bucket_ends(trainer, tape, err);
}

TrainerTape *trainer_tape_get(Trainer *trainer, BatchShape shape, Error *err) {
    trainer->clock++;
    for (int i = 0; i < trainer->n_tapes; i++) {
        if (has_shape(&trainer->tapes[i], shape)) {
            trainer->tapes[i].used = trainer->clock;
            return &trainer->tapes[i];
        }
    }
    TrainerTape tape = {.used = trainer->clock};
    if (!build(trainer, &tape, shape, err)) {
        trainer_tape_free(&tape);
        return NULL;
    }
    make_room(trainer, tape.built.tape.block_bytes);
    trainer->tapes[trainer->n_tapes] = tape;
    return &trainer->tapes[trainer->n_tapes++];
}

void trainer_tape_fill(const TrainerTape *tape, const DataBatch *batch, int first_row) {
    const ModelNodes *nodes = &tape->built.nodes;
    size_t tokens = (size_t)first_row * (size_t)batch->T;
    tape_set_ids(&tape->built.tape, nodes->tokens, batch->tokens + tokens);
    tape_set_ids(&tape->built.tape, nodes->labels, batch->labels + tokens);
    if (nodes->source != NULL) {
        tape_set_ids(&tape->built.tape, nodes->source,
                     batch->source + (size_t)first_row * (size_t)batch->S);
    }
}

// ---- running

static void add_range(const Trainer *trainer, size_t first, size_t count) {
    Array sum = array_at(trainer->sum, first);
    Terms terms = {2, {sum, array_at(trainer->gradients, first)}};
    trainer->device->backend->sum(trainer->device, sum, &terms, count);
}

static void collect_range(const Trainer *trainer, bool is_first, size_t first, size_t count) {
    if (trainer->sum.data == NULL) {
        return;
    }
    if (is_first) {
        trainer->device->backend->copy(trainer->device, array_at(trainer->sum, first).data,
                                       array_at(trainer->gradients, first).data,
                                       count * sizeof(float));
    } else {
        add_range(trainer, first, count);
    }
}

static Array result_of(const Trainer *trainer) {
    return trainer->sum.data != NULL ? trainer->sum : trainer->gradients;
}

// Begins the sums of the buckets that are whole once node `id` has run. Always in the order of the
// buckets, since every process has to begin the same ones.
static bool begin_sums(Trainer *trainer, const TrainerTape *tape, int id, bool first, int *next,
                       Error *err) {
    Group *group = trainer->group;
    while (*next < trainer->n_buckets && tape->bucket_end[*next] <= id) {
        const GradientBucket *bucket = &trainer->buckets[*next];
        collect_range(trainer, first, bucket->first, bucket->count);
        if (!group->sum_begin(group, array_floats(result_of(trainer)) + bucket->first,
                              bucket->count, err)) {
            return false;
        }
        (*next)++;
    }
    return *next == 0 || group->sum_poll(group, err);
}

bool trainer_tape_run(Trainer *trainer, const TrainerTape *tape, bool first, bool last,
                      Error *err) {
    const Tape *nodes = &tape->built.tape;
    if (trainer->group == NULL || !last) {
        tape_run(nodes);
        collect_range(trainer, first, 0, trainer->model->params.n_values);
        return true;
    }
    int next = 0;
    for (int i = 0; i < nodes->n_program; i++) {
        const Node *node = nodes->program[i];
        tape_run_node(nodes, node);
        bool is_backward = node->id >= nodes->n_forward;
        if (is_backward && !begin_sums(trainer, tape, node->id, first, &next, err)) {
            return false;
        }
    }
    return begin_sums(trainer, tape, nodes->n_nodes, first, &next, err) &&
           trainer->group->sum_wait(trainer->group, err);
}
