// cmd_devices.c - `attend devices`: list the devices that can compute.
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/output.h"
#include "engine/devices/device.h"

// Closes it.
static void say(const char *name, Device *device) {
    char text[256] = "";
    device->backend->describe(device, text, sizeof text);
    output_print("%-5s %s\n", name, text);
    device_close(device);
}

int app_devices(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        output_text(
            "usage: attend devices\n\nLists the devices of this machine that can compute.\n");
        return APP_OK;
    }
    Error err = {""};
    if (argc > 1) {
        error_set(&err, "\"%s\": unexpected argument", argv[1]);
        return app_wrong("devices", &err);
    }
    Device *cpu = device_open(NULL, 0, NULL, &err);
    if (cpu == NULL) {
        return app_failed("devices", &err);
    }
    say("cpu", cpu);
    Device *cuda = device_open("cuda", 0, NULL, &err);
    if (cuda == NULL) {
        output_print("%-5s %s\n", "cuda", err.text);
        return APP_OK;
    }
    say("cuda", cuda);
    return APP_OK;
}
