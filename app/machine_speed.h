// machine_speed.h - how fast this machine multiplies matrices, to set other work beside it.
#ifndef APP_MACHINE_SPEED_H
#define APP_MACHINE_SPEED_H

#include "kernels/backend.h"

// Multiplications and additions a second of one product of size × size matrices: the best of those
// that fit into so many seconds, three at least. 0 without memory for it (3 size² floats).
double machine_speed_flops(Device *device, int size, double seconds);

#endif
