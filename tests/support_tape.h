// support_tape.h - small tapes over numbers of the test, and models on batches of ids.
#ifndef TESTS_SUPPORT_TAPE_H
#define TESTS_SUPPORT_TAPE_H

#include "tests/support.h"

#include "tests/support_node.h"

#include "engine/tape/gradient.h"
#include "engine/models/model.h"
#include "engine/tape/op.h"
#include "engine/devices/device.h"

enum { BENCH_MAX_GIVEN = 16 };

// A tape whose inputs are parameters and ids that the test gives. Numbers are copied in when it
// starts.
typedef struct Bench {
    Device *device;
    Params params;
    Tape tape;
    Node *given[BENCH_MAX_GIVEN];
    const float *floats[BENCH_MAX_GIVEN];
    const int32_t *ids[BENCH_MAX_GIVEN];
    int n_given;
    Array memory; // of bench_memory
    Node *output; // what the loss is taken of; NULL: the op that is tested
} Bench;

void bench_open(Bench *bench, TapeMode mode);
void bench_close(Bench *bench);

// A parameter of that shape; values may be NULL for zeros, and have to live until bench_start.
Node *bench_floats(Bench *bench, Shape shape, const float *values);
Node *bench_ids(Bench *bench, Shape shape, const int32_t *values);

// Memory of the device that outlives the tape, with these n numbers in it; once a bench.
Array bench_memory(Bench *bench, const float *values, size_t n);
// The same for a kept weight of the host's.
const QuantizedMatrix *bench_matrix(Bench *bench, const QuantizedMatrix *host);

// Allocates, copies the numbers in; the second also runs.
void bench_start(Bench *bench);
void bench_run(Bench *bench);

// Numbers of about size 1, for every parameter: a pure function of seed.
void bench_draw(Bench *bench, uint64_t seed);
float support_draw(uint64_t seed, uint64_t element); // in (-2, 2), mean 0

// A scalar product with fixed weights stands for the loss: adds 0 to y (so that any op may come
// before it), appends the gradients, and after bench_start sets d loss / d y to weights of its own.
Node *bench_append_loss(Bench *bench, Node *y);
void bench_weigh_loss(const Tape *tape, const Node *loss, uint64_t seed);

// The value of a cell in double, from the numbers of its inputs.
double support_exact(Explanation *explanation, const Tape *tape, const Node *node, size_t element);

// A seeded model with a tape of all its gradients, ids set to a batch in which nothing is padding.
typedef struct ModelBench {
    Device *device;
    Model model;
    ModelTape built;
} ModelBench;

ModelConfig support_config(FamilyKind family);
void model_bench_open(ModelBench *bench, const ModelConfig *config, TapeMode mode, BatchShape shape,
                      int n_threads, uint64_t seed);
void model_bench_close(ModelBench *bench);

// Ids 3 .. V-1 (not padding, start or end), labels the tokens moved by one.
void model_bench_set_ids(ModelBench *bench, uint64_t seed);

size_t support_count(const Node *node);
bool support_same_bits(const float *a, const float *b, size_t n); // a NaN is never the same
float *support_copy(const Node *node);                            // of its numbers; the caller's

#endif
