// app.h - the subcommands: each gets its own argv, argv[0] being its name, and returns an exit
// status.
#ifndef APP_APP_H
#define APP_APP_H

enum { APP_OK = 0, APP_FAILED = 1, APP_USAGE = 2 };

typedef struct Subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} Subcommand;

int app_version(int argc, char **argv);
int app_heatmap(int argc, char **argv);

#endif
