// params_place.c - parameters on a device whose memory is not the host's, and which side is newer.
#include "engine/tape/params.h"

#include <math.h>
#include <stdlib.h>

#include "engine/devices/device.h"

typedef enum Newer { NEWER_NONE, NEWER_HOST, NEWER_DEVICE } Newer;

struct ParamsPlace {
    Device *device;
    void *memory; // n_values floats
    Newer newer;
};

static size_t offset_of(const Parameter *parameter) {
    return parameter == NULL ? 0 : parameter->offset;
}

// After a failure of the device the numbers are NaN: they must not look like good ones.
static void fetch(const Params *params) {
    ParamsPlace *place = params->place;
    if (place == NULL || place->newer != NEWER_DEVICE) {
        return;
    }
    Error failure = {""};
    size_t size_bytes = params->n_values * sizeof(float);
    if (!device_read(place->device, params->values, place->memory, size_bytes, &failure)) {
        for (size_t i = 0; i < params->n_values; i++) {
            params->values[i] = NAN;
        }
    }
    place->newer = NEWER_NONE;
}

const float *params_values(const Params *params, const Parameter *parameter) {
    fetch(params);
    return params->values + offset_of(parameter);
}

float *params_change(Params *params, const Parameter *parameter) {
    fetch(params);
    if (params->place != NULL) {
        params->place->newer = NEWER_HOST;
    }
    return params->values + offset_of(parameter);
}

bool params_place(Params *params, Device *device, Error *err) {
    ParamsPlace *place = params->place;
    if (place != NULL) {
        return place->device == device ||
               error_set(err, "the parameters lie on another device (%s)",
                         place->device->backend->name);
    }
    if (device->backend->is_host) {
        return true;
    }
    place = malloc(sizeof *place);
    void *memory = device->backend->allocate(device, params->n_values * sizeof(float));
    if (place == NULL || memory == NULL) {
        device->backend->free(device, memory);
        free(place);
        return error_set(err, "out of memory: the parameters need %zu MiB on %s",
                         params->n_values * sizeof(float) >> 20, device->backend->name);
    }
    *place = (ParamsPlace){.device = device, .memory = memory, .newer = NEWER_HOST};
    params->place = place;
    return true;
}

Array params_array(const Params *params, const Parameter *parameter) {
    void *memory = params->place == NULL ? params->values : params->place->memory;
    return array_at((Array){memory, FORMAT_F32}, offset_of(parameter));
}

void params_send(Params *params) {
    ParamsPlace *place = params->place;
    if (place != NULL && place->newer == NEWER_HOST) {
        place->device->backend->write(place->device, place->memory, params->values,
                                      params->n_values * sizeof(float));
        place->newer = NEWER_NONE;
    }
}

void params_changed(Params *params) {
    if (params->place != NULL) {
        params->place->newer = NEWER_DEVICE;
    }
}

void params_leave(Params *params) {
    if (params->place == NULL) {
        return;
    }
    fetch(params);
    params->place->device->backend->free(params->place->device, params->place->memory);
    free(params->place);
    params->place = NULL;
}
