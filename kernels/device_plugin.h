// device_plugin.h - what a shared object attend-NAME.so exports to be the device NAME.
#ifndef KERNELS_DEVICE_PLUGIN_H
#define KERNELS_DEVICE_PLUGIN_H

#include "kernels/backend.h"

// Exported under the name attend_device.
typedef struct DevicePlugin {
    // n_threads: of the host, where it computes there; 0: all. NULL where there is no such device,
    // or it cannot be used: then `sentence` (at most size bytes) says why and what was expected.
    Device *(*open)(int n_threads, char *sentence, size_t size);
} DevicePlugin;

#endif
