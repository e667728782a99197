// cpu.h - the CPU as a device: a pool of threads of our own, kernels chosen for the machine it runs
// on.
#ifndef KERNELS_CPU_H
#define KERNELS_CPU_H

#include "kernels/backend.h"

// n_threads 0: as many as the process may run on. The pool's threads start at the first kernel that
// is worth waking them. NULL when there is no memory. Close waits for them.
Device *cpu_open(int n_threads);
void cpu_close(Device *device);

int cpu_threads(Device *device);

// "baseline", "avx2" or "avx512": what was chosen. ATTEND_INSTRUCTION_SET in the environment asks
// for one; where the machine lacks it, the best that it has is taken.
const char *cpu_instruction_set(Device *device);

// "own kernels", or "OpenBLAS" where it is there, computes right on this machine and computes some
// wide products faster. The first call looks for the library, as the first such product does;
// ATTEND_PRODUCTS=own or openblas in the environment decides otherwise.
const char *cpu_products_by(Device *device);

// From now on OpenBLAS computes all wide products of this device. False where it is not there, or
// computes wrong on this machine; then nothing changes.
bool cpu_use_blas(Device *device);

#endif
