// awkward.h - a device for the tests that does everything as late as it may: one mapped block of
// memory that nobody can touch but its queue while it runs.
#ifndef TESTS_AWKWARD_AWKWARD_H
#define TESTS_AWKWARD_AWKWARD_H

#include "kernels/backend.h"

// A call to be made on the CPU later; kept: its arguments.
typedef void AwkwardRun(Device *cpu, const void *kept);

// Copies the arguments to the end of the queue.
void awkward_keep(Device *device, AwkwardRun *run, const void *arguments, size_t size_bytes);

// Fills in all that is arithmetic, and fill and copy.
void awkward_fill_table(Backend *table);

// Remember that something else than the device's memory was given; what may be none may be NULL.
void awkward_check_array(Device *device, const Array *array);
void awkward_check_terms(Device *device, const Terms *terms);
void awkward_check_mask(Device *device, const Mask *mask);
void awkward_check_attention(Device *device, const AttentionShape *shape);
void awkward_check_matrix(Device *device, const QuantizedMatrix *matrix);
void awkward_check_step(Device *device, const StepBlock *const *now);
void awkward_check_sum(Device *device, double *const *sum);
void awkward_check_square(Device *device, const double *const *square);
void awkward_check_to(Device *device, void *const *to);
void awkward_check_from(Device *device, const void *const *from);
void awkward_check_none(Device *device, const void *argument);

#endif
