// toy.c - the copy toy: all pairs of its five words, its training, and whether it copies them.
#include "engine/training/toy.h"

#include <string.h>

#include "engine/generation/decode.h"

enum { START = 1, FIRST_WORD = 3, N_WORDS = 5 };

void toy_pairs(int32_t ids[TOY_PAIRS * TOY_LENGTH]) {
    for (int pair = 0; pair < TOY_PAIRS; pair++) {
        ids[pair * TOY_LENGTH] = START;
        ids[pair * TOY_LENGTH + 1] = FIRST_WORD + pair / N_WORDS;
        ids[pair * TOY_LENGTH + 2] = FIRST_WORD + pair % N_WORDS;
    }
}

static void fill(const ModelNodes *nodes) {
    int32_t pairs[TOY_PAIRS * TOY_LENGTH];
    int32_t tokens[TOY_PAIRS * (TOY_LENGTH - 1)];
    int32_t labels[TOY_PAIRS * (TOY_LENGTH - 1)];
    toy_pairs(pairs);
    for (int pair = 0; pair < TOY_PAIRS; pair++) {
        for (int t = 0; t < TOY_LENGTH - 1; t++) {
            tokens[pair * (TOY_LENGTH - 1) + t] = pairs[pair * TOY_LENGTH + t];
            labels[pair * (TOY_LENGTH - 1) + t] = pairs[pair * TOY_LENGTH + t + 1];
        }
    }
    tape_set_ids(nodes->source, pairs);
    tape_set_ids(nodes->tokens, tokens);
    tape_set_ids(nodes->labels, labels);
}

bool toy_open(Toy *toy, Model *model, const TrainingConfig *training, Device *device, Error *err) {
    *toy = (Toy){.model = model, .schedule = training->schedule, .device = device};
    BatchShape shape = {TOY_PAIRS, TOY_LENGTH - 1, TOY_LENGTH};
    if (!optimizer_init(&toy->optimizer, &training->optimizer, &model->params)) {
        return error_set(err, "out of memory");
    }
    if (!model_tape_build(&toy->built, model, TAPE_TRAIN, device, shape, TAPE_GRADIENTS, err) ||
        !tape_allocate(&toy->built.tape, err)) {
        toy_close(toy);
        return false;
    }
    fill(&toy->built.nodes);
    return true;
}

void toy_close(Toy *toy) {
    model_tape_free(&toy->built);
    optimizer_free(&toy->optimizer);
    *toy = (Toy){.model = NULL};
}

float toy_step(Toy *toy) {
    Tape *tape = &toy->built.tape;
    tape->step = (uint64_t)toy->optimizer.step;
    tape_run(tape);
    float lr = schedule_lr(&toy->schedule, toy->optimizer.config.lr, toy->optimizer.step + 1);
    optimizer_step(&toy->optimizer, &toy->model->params, tape->gradients, lr, 1.0F, toy->device,
                   NULL);
    return *tape->loss->data;
}

bool toy_count_copied(Model *model, Device *device, int *n_copied, Error *err) {
    int32_t pairs[TOY_PAIRS * TOY_LENGTH];
    toy_pairs(pairs);
    *n_copied = 0;
    // It emits no end token: decoding stops at the source's length.
    BeamConfig greedy = {.width = 1, .max_length = TOY_LENGTH - 1, .end_id = -1};
    for (int pair = 0; pair < TOY_PAIRS; pair++) {
        Decoding decoding;
        const int32_t *source = pairs + (size_t)pair * TOY_LENGTH;
        if (!decode_beam(&decoding, model, device, source, TOY_LENGTH, &greedy, err)) {
            return false;
        }
        *n_copied += memcmp(decoding.best[0].ids, source, TOY_LENGTH * sizeof *source) == 0;
        decode_free(&decoding);
    }
    return true;
}
