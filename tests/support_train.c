// support_train.c - a small model and made-up data for tests of training.
#include "tests/support_train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const WORDS[] = {"<pad>", "<s>", "</s>", "<unk>", "a", "b",
                                    "c",     "d",   "e",    "f",     "g", "h"};
enum { N_WORDS = sizeof WORDS / sizeof WORDS[0] };

static void write_texts(FileWriter *writer, bool is_pairs) {
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 2 + i % 5; k++) {
            file_writer_print(writer, "%s ", WORDS[4 + (i * 3 + k * k) % 8]);
        }
        if (is_pairs) {
            file_writer_text(writer, "\t");
            for (int k = 0; k < 1 + i % 7; k++) {
                file_writer_print(writer, "%s ", WORDS[4 + (i + k) % 8]);
            }
        }
        file_writer_text(writer, is_pairs ? "\n" : "<|endoftext|>");
    }
}

static void build_data(const TrainPlace *place, bool is_pairs) {
    char source[300];
    FileWriter writer;
    Error err = {""};
    snprintf(source, sizeof source, "%s/source", place->folder);
    support_require(file_writer_open(&writer, source, &err), &err);
    write_texts(&writer, is_pairs);
    support_require(file_writer_commit(&writer, &err), &err);
    DatasetPlan plan = {.source = {.path = source, .format = is_pairs ? TEXT_PAIRS : TEXT_PLAIN},
                        .tokenizer = &place->tokenizer,
                        .marks = {1, 2},
                        .held_out_every = 6};
    support_require(dataset_build(place->data, &plan, NULL, &err), &err);
}

void train_place_open(TrainPlace *place, FamilyKind family) {
    Error err = {""};
    *place = (TrainPlace){.folder = "/tmp/attend-train-XXXXXX"};
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->data, sizeof place->data, "%s/data", place->folder);
    support_require(tokenizer_init_words(&place->tokenizer, WORDS, N_WORDS, &err), &err);
    tokenizer_hash(&place->tokenizer, place->hash);
    place->config = (ModelConfig){.family = family,
                                  .vocab_size = N_WORDS,
                                  .d_model = 8,
                                  .n_heads = 2,
                                  .n_layers = 2,
                                  .d_ff = 16,
                                  .n_positions = family == FAMILY_GPT2 ? 16 : 0,
                                  .layer_norm_eps = 1e-5F,
                                  .tie_embeddings = true,
                                  .pad_id = family == FAMILY_GPT2 ? -1 : 0,
                                  .bos_id = 1,
                                  .eos_id = 2,
                                  .causal = true};
    place->device = support_device_open(1);
    assert_non_null(place->device);
    build_data(place, family == FAMILY_ENCODER_DECODER);
}

void train_place_close(TrainPlace *place) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", place->folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a folder of our own
    tokenizer_free(&place->tokenizer);
    device_close(place->device);
}

TrainerOptions train_place_options(int batch, int accumulate) {
    OptimizerConfig optimizer = optimizer_defaults();
    optimizer.clip = 1.0F;
    return (TrainerOptions){.batch = batch,
                            .accumulate = accumulate,
                            .optimizer = optimizer,
                            .schedule = {.kind = SCHEDULE_COSINE, .n_warmup = 3, .n_steps = 40},
                            .seed = 3,
                            .eval_batches = 4};
}

void train_case_open(TrainCase *test, const TrainPlace *place, const TrainerOptions *options,
                     Group *group) {
    Error err = {""};
    *test = (TrainCase){.model = {.seed = 3}};
    DatasetOptions data = {
        .length = 10, .seed = 3, .tokenizer_hash = place->hash, .vocab_size = N_WORDS};
    support_require(model_init(&test->model, &place->config, 3, &err), &err);
    support_require(dataset_open(&test->train, place->data, SPLIT_TRAIN, &data, &err), &err);
    support_require(dataset_open(&test->held, place->data, SPLIT_HELD_OUT, &data, &err), &err);
    TrainerParts parts = {&test->model, &test->train, &test->held, place->device, group};
    support_require(trainer_init(&test->trainer, &parts, options, &err), &err);
}

void train_case_close(TrainCase *test) {
    trainer_free(&test->trainer);
    dataset_close(&test->train);
    dataset_close(&test->held);
    model_free(&test->model);
}

double train_case_step(TrainCase *test) {
    TrainerReport report;
    Error err = {""};
    support_require(trainer_step(&test->trainer, &report, &err), &err);
    return report.loss;
}
