// support_train.h - a small model and made-up data for tests of training.
#ifndef TESTS_SUPPORT_TRAIN_H
#define TESTS_SUPPORT_TRAIN_H

#include "tests/support.h"

#include "engine/training/trainer.h"

// A temporary folder with tokenized data, a model over it, and a device.
typedef struct TrainPlace {
    char folder[256];
    char data[300];
    Tokenizer tokenizer;
    char hash[DATASET_HASH_BYTES];
    ModelConfig config;
    Device *device;
} TrainPlace;

// Language model data, or pairs for a model with two sides.
void train_place_open(TrainPlace *place, FamilyKind family);
void train_place_close(TrainPlace *place);

TrainerOptions train_place_options(int batch, int accumulate);

// A model from seed 3 and a trainer over the place's data.
typedef struct TrainCase {
    Model model;
    Dataset train, held;
    Trainer trainer;
} TrainCase;
void train_case_open(TrainCase *test, const TrainPlace *place, const TrainerOptions *options,
                     Group *group);
void train_case_close(TrainCase *test);

// One step; its loss.
double train_case_step(TrainCase *test);

#endif
