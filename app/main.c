// main.c - finds the subcommand and hands it its arguments.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/output.h"

static const Subcommand SUBCOMMANDS[] = {
    {"learn", app_learn, "step through a lesson"},
    {"lessons", app_lessons, "list the lessons"},
    {"trace", app_trace, "print every stage of a run, as numbers"},
    {"explain", app_explain, "print the arithmetic behind one number"},
    {"heatmap", app_heatmap, "draw attention, or any stage, as PNG, SVG or CSV"},
    {"heads", app_heads, "find the head that looks at the right word"},
    {"inspect", app_inspect, "list what is in a file or a model's folder"},
    {"tokenize", app_tokenize, "split a text into tokens: pieces, ids and merges"},
    {"tokenizer", app_tokenizer, "learn a tokenizer from a text"},
    {"train", app_train, "train a model on data, or continue a run"},
    {"generate", app_generate, "continue a text"},
    {"translate", app_translate, "translate a sentence with an encoder-decoder"},
    {"eval", app_eval, "measure loss, perplexity and BLEU on data"},
    {"convert", app_convert, "convert models and tokenizers between formats"},
    {"devices", app_devices, "list the devices that can compute"},
    {"bench", app_bench, "measure this machine"},
    {"version", app_version, "print the version"},
    {"help", NULL, "this list, or how a command is used: attend help train"},
};

static const Subcommand *find(const char *name) {
    for (size_t i = 0; i < sizeof SUBCOMMANDS / sizeof SUBCOMMANDS[0]; i++) {
        if (SUBCOMMANDS[i].run != NULL && strcmp(name, SUBCOMMANDS[i].name) == 0) {
            return &SUBCOMMANDS[i];
        }
    }
    return NULL;
}

int app_version(int argc, char **argv) {
    if (argc > 1) {
        output_say("attend version: \"%s\": unexpected argument", argv[1]);
        return APP_USAGE;
    }
    output_print("%s\n", "attend " ATTEND_VERSION);
    return APP_OK;
}

static int usage(bool is_asked) {
    void (*const write)(const char *format, ...) = is_asked ? output_print : output_say;
    const char *end = is_asked ? "\n" : "";
    write("usage: attend COMMAND [OPTION...]%s", end);
    write("%s", end);
    for (size_t i = 0; i < sizeof SUBCOMMANDS / sizeof SUBCOMMANDS[0]; i++) {
        write("  %-12s %s%s", SUBCOMMANDS[i].name, SUBCOMMANDS[i].summary, end);
    }
    return is_asked ? APP_OK : APP_USAGE;
}

// What a command printed may still fail to arrive: a full disk is known when the last bytes go out.
static int finish(const char *command, int status) {
    errno = 0;
    output_flush();
    if (ferror(stdout) == 0) {
        return status;
    }
    if (errno == 0) { // it failed long ago: asked once more, for the reason
        clearerr(stdout);
        output_text("\n");
        output_flush();
    }
    Error err = {""};
    error_set(&err, "standard output: cannot write: %s", strerror(errno == 0 ? EIO : errno));
    return status == APP_OK ? app_failed(command, &err) : status;
}

static int run(const Subcommand *subcommand, int argc, char **argv) {
    char name[32]; // app_option begins its sentences with it
    snprintf(name, sizeof name, "attend %s", subcommand->name);
    argv[0] = name;
    return finish(subcommand->name, subcommand->run(argc, argv));
}

static int unknown(const char *name) {
    Error err = {""};
    error_set(&err, "unknown command \"%.100s\"; `attend --help` lists them", name);
    output_say("attend: %s", err.text);
    return APP_USAGE;
}

// `attend help` is `attend --help`, `attend help train` is `attend train --help`.
static int help(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], "help") == 0) {
        return finish("help", usage(true));
    }
    const Subcommand *subcommand = find(argv[1]);
    char asked[] = "--help";
    char *words[] = {argv[1], asked, NULL};
    return subcommand != NULL ? run(subcommand, 2, words) : unknown(argv[1]);
}

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); // what passes a file's size limit is told as a full disk is
    if (argc < 2) {
        return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? app_learn(argc, argv) : usage(false);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        return finish("--help", usage(true));
    }
    if (strcmp(argv[1], "--version") == 0) {
        return finish("--version", app_version(argc - 1, argv + 1));
    }
    if (strcmp(argv[1], "help") == 0) {
        return help(argc - 1, argv + 1);
    }
    const Subcommand *subcommand = find(argv[1]);
    return subcommand != NULL ? run(subcommand, argc - 1, argv + 1) : unknown(argv[1]);
}
