// app.h - the subcommands: each gets its own argv, argv[0] being its name, and returns an exit
// status.
#ifndef APP_APP_H
#define APP_APP_H

#include <getopt.h>

#include "engine/base/error.h"

enum { APP_OK = 0, APP_FAILED = 1, APP_USAGE = 2 };

typedef struct Subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} Subcommand;

int app_version(int argc, char **argv);
int app_inspect(int argc, char **argv);
int app_trace(int argc, char **argv);
int app_explain(int argc, char **argv);
int app_learn(int argc, char **argv);
int app_lessons(int argc, char **argv);
int app_train(int argc, char **argv);
int app_generate(int argc, char **argv);
int app_translate(int argc, char **argv);
int app_eval(int argc, char **argv);
int app_convert(int argc, char **argv);
int app_bench(int argc, char **argv);
int app_devices(int argc, char **argv);

// "attend trace: SENTENCE" on standard error; the exit status of what failed, or of wrong usage.
int app_failed(const char *command, const Error *err);
int app_wrong(const char *command, const Error *err);
// After it was said what was wrong.
int app_usage(const char *command);
// getopt_long whose sentences come clean to a terminal; '?' after one.
int app_option(int argc, char **argv, const char *letters, const struct option *options);
int app_tokenize(int argc, char **argv);
int app_tokenizer(int argc, char **argv);
int app_heatmap(int argc, char **argv);
int app_heads(int argc, char **argv);

#endif
