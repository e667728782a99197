// device.h - what computes: opened in one place, read in one way.
#ifndef ENGINE_DEVICES_DEVICE_H
#define ENGINE_DEVICES_DEVICE_H

#include "engine/base/error.h"
#include "kernels/backend.h"

// "cpu" (also NULL), another device's name ("cuda": what attend-cuda.so opens), or "auto": a GPU
// where there is one that can be used, else the CPU; *notice (may be NULL) then gets the sentence
// that says why. n_threads 0: as many as the process may run on. NULL with a sentence where it
// cannot be had. It outlives whatever has memory of it.
Device *device_open(const char *name, int n_threads, Error *notice, Error *err);
void device_close(Device *device); // takes NULL

// Whether there is a device of that name: ours, or one whose attend-NAME.so is there. Whether it
// can be used is seen when it is opened.
bool device_check_name(const char *name, Error *err);

// Of the CPU: from now on OpenBLAS computes its wide products. False where it is not there.
bool device_use_blas(Device *device);

// To the host; waits for all that was called before. False with a sentence where something failed;
// then `to` is as it was.
bool device_read(Device *device, void *to, const void *from, size_t size_bytes, Error *err);

#endif
