// device.c - what computes: opened in one place, read in one way.
#include "engine/devices/device.h"

#include <string.h>

#include "engine/files/plugin.h"
#include "kernels/cpu.h"
#include "kernels/device_plugin.h"

static Device *open_cpu(int n_threads, Error *err) {
    Device *device = cpu_open(n_threads);
    if (device == NULL) {
        error_set(err, "not enough memory to start threads");
    }
    return device;
}

static Device *open_plugin(const char *name, int n_threads, Error *err) {
    const DevicePlugin *plugin = plugin_open(name, "attend_device", err);
    if (plugin == NULL) {
        return NULL;
    }
    char sentence[ERROR_TEXT_BYTES] = "";
    Device *device = plugin->open(n_threads, sentence, sizeof sentence);
    if (device == NULL) {
        error_set(err, "%s", sentence);
    }
    return device;
}

// Names of plugins become names of files.
bool device_check_name(const char *name, Error *err) {
    static const char *const OURS[] = {"cpu", "cuda", "auto"};
    for (size_t i = 0; i < sizeof OURS / sizeof OURS[0]; i++) {
        if (strcmp(name, OURS[i]) == 0) {
            return true;
        }
    }
    bool is_plain = name[0] != '\0' && strspn(name, "abcdefghijklmnopqrstuvwxyz") == strlen(name);
    return (is_plain && plugin_exists(name)) ||
           error_set(err, "--device: expected cpu, cuda or auto, found \"%.40s\"", name);
}

Device *device_open(const char *name, int n_threads, Error *notice, Error *err) {
    if (name == NULL || strcmp(name, "cpu") == 0) {
        return open_cpu(n_threads, err);
    }
    if (!device_check_name(name, err)) {
        return NULL;
    }
    Error reason = {""};
    bool is_auto = strcmp(name, "auto") == 0;
    bool is_cuda = is_auto || strcmp(name, "cuda") == 0;
    Device *device = open_plugin(is_auto ? "cuda" : name, n_threads, &reason);
    if (device != NULL) {
        return device;
    }
    if (is_auto) {
        error_set(notice, "--device auto: the CPU computes: there is no CUDA here: %s",
                  reason.text);
        return open_cpu(n_threads, err);
    }
    error_set(err, "%s: %s", is_cuda ? "there is no CUDA here" : name, reason.text);
    return NULL;
}

void device_close(Device *device) {
    if (device != NULL) {
        device->backend->close(device);
    }
}

bool device_use_blas(Device *device) {
    return device->backend->is_host && cpu_use_blas(device);
}

bool device_read(Device *device, void *to, const void *from, size_t size_bytes, Error *err) {
    const char *failure = device->backend->read(device, to, from, size_bytes);
    return failure == NULL || error_set(err, "%s: %s", device->backend->name, failure);
}
