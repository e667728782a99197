// app.c - how every subcommand ends when something is wrong.
#include "app/app.h"

#include <stdio.h>

int app_failed(const char *command, const Error *err) {
    fflush(stdout);
    fprintf(stderr, "attend %s: %s\n", command, err->text);
    return APP_FAILED;
}

int app_wrong(const char *command, const Error *err) {
    app_failed(command, err);
    return app_usage(command);
}

int app_usage(const char *command) {
    fprintf(stderr, "`attend %s --help` says how it is used\n", command);
    return APP_USAGE;
}
