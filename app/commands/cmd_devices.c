// cmd_devices.c - `attend devices`: what this machine computes with.
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "kernels/cpu.h"

int app_devices(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs("usage: attend devices\n\nLists what this machine can compute with.\n", stdout);
        return APP_OK;
    }
    Error err = {""};
    if (argc > 1) {
        error_set(&err, "\"%s\": unexpected argument", argv[1]);
        return app_wrong("devices", &err);
    }
    Device *device = cpu_open(0);
    if (device == NULL) {
        error_set(&err, "out of memory");
        return app_failed("devices", &err);
    }
    int n_threads = cpu_threads(device);
    printf("cpu   %d thread%s, %s, products by %s\n", n_threads, n_threads == 1 ? "" : "s",
           cpu_instruction_set(device), cpu_products_by(device));
    puts("cuda  not in this build");
    cpu_close(device);
    return APP_OK;
}
