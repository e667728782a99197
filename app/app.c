// app.c - how every subcommand ends when something is wrong.
#include "app/app.h"

#include <stdio.h>

#include "app/output.h"

int app_failed(const char *command, const Error *err) {
    output_flush();
    output_say("attend %s: %s", command, err->text);
    return APP_FAILED;
}

int app_wrong(const char *command, const Error *err) {
    app_failed(command, err);
    return app_usage(command);
}

int app_usage(const char *command) {
    output_say("`attend %s --help` says how it is used", command);
    return APP_USAGE;
}

int app_option(int argc, char **argv, const char *letters, const struct option *options) {
    char all[16];
    snprintf(all, sizeof all, ":%s", letters); // so that a missing value is told apart
    opterr = 0;
    int code = getopt_long(argc, argv, all, options, NULL);
    if (code != ':' && code != '?') {
        return code;
    }
    const char *given = argv[optind - 1];
    Error err = {""};
    if (code == ':') {
        error_set(&err, "option '%.100s' requires an argument", given);
    } else if (optopt > 0 && optopt < 256) {
        error_set(&err, "invalid option -- '%c'", optopt);
    } else if (optopt != 0) {
        error_set(&err, "option '%.100s' doesn't allow an argument", given);
    } else {
        error_set(&err, "unrecognized option '%.100s'", given);
    }
    output_say("%s: %s", argv[0], err.text);
    return '?';
}
