// group.h - several processes that train one model: what the trainer asks of them.
//
// Filled by a plugin (plugins/mpi). A run of one process has none: NULL.
#ifndef ENGINE_TRAINING_GROUP_H
#define ENGINE_TRAINING_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

typedef struct Group Group;
struct Group {
    int rank; // from 0
    int size;
    void *state;

    // Begins to sum n numbers over all processes, in place, in the order of the ranks: everybody
    // gets the same bits, in every run. Every process begins the same sums in the same order;
    // values are left alone until sum_wait.
    bool (*sum_begin)(Group *group, float *values, size_t n, Error *err);

    // Lets sums that were begun get on. Called between the nodes of a backward pass.
    bool (*sum_poll)(Group *group, Error *err);
    bool (*sum_wait)(Group *group, Error *err);

    // The same for a few numbers, at once.
    bool (*sum_doubles)(Group *group, double *values, int n, Error *err);

    // The lowest rank of the processes that claim something, size where none does; at once.
    bool (*first)(Group *group, bool claims, int *rank, Error *err);

    // Ends every process of the group: this one has failed.
    void (*abort)(Group *group, int status);
    void (*close)(Group *group);
};

#endif
