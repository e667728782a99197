// cmd_trace.c - `attend trace`: every stage of a run, as text, JSON, safetensors or npy.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/model_options.h"
#include "engine/playground/model_input.h"
#include "app/output_check.h"
#include "app/stages.h"
#include "app/commands/trace_output.h"
#include "app/output.h"

static const char USAGE[] =
    "usage: attend trace --model M INPUT [--stage PATTERN] [--grad] [--format F] [-o FILE]\n\n"
    "Prints every forward stage; one of more than 64 numbers is summarized unless --stage names "
    "it.\n\n";

static const char OPTIONS[] =
    "  --stage PATTERN      only stages that the shell pattern names, whole (may be repeated)\n"
    "  --grad               the backward pass too\n"
    "  --format F           text, json, safetensors or npy (default: text)\n"
    "  -o, --output FILE    write there instead of to standard output; npy: one stage, or a "
    "folder\n"
    "  -h, --help           print this\n";

typedef struct TraceOptions {
    ModelInput input;
    StagePatterns patterns;
    bool with_gradients;
    TraceFormat format;
    const char *output;
    bool help;
} TraceOptions;

enum { OPTION_STAGE = 1, OPTION_GRAD, OPTION_FORMAT };

static const struct option LONG_OPTIONS[] = {
    MODEL_LONG_OPTIONS,
    {"stage", required_argument, NULL, OPTION_STAGE},
    {"grad", no_argument, NULL, OPTION_GRAD},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool take(TraceOptions *options, int option, Error *err) {
    switch (option) {
    case OPTION_STAGE:
        return stages_add_pattern(&options->patterns, optarg, err);
    case OPTION_GRAD:
        options->with_gradients = true;
        return true;
    case OPTION_FORMAT:
        return trace_output_find_format(optarg, &options->format, err);
    case 'o':
        options->output = optarg;
        return true;
    case 'h':
        options->help = true;
        return true;
    default:
        return model_input_take(&options->input, option, optarg, err);
    }
}

static bool trace(const TraceOptions *options, Error *err) {
    bool wants_gradients = options->with_gradients || stages_want_gradients(&options->patterns);
    OpenModel opened;
    if (!output_check(options->output, options->input.model, err) ||
        !model_options_open(&opened, &options->input, TAPE_WATCH,
                            wants_gradients ? TAPE_GRADIENTS : TAPE_LOSS, err)) {
        return false;
    }
    const Tape *tape = &opened.built.tape;
    const char *unmatched = stages_unmatched(tape, &options->patterns);
    Node **nodes = calloc((size_t)tape->n_nodes + 1, sizeof(Node *));
    bool ok = nodes != NULL && unmatched == NULL;
    if (ok) {
        TraceOutput output = {
            .opened = &opened,
            .nodes = nodes,
            .n_nodes = stages_select(tape, &options->patterns, options->with_gradients, nodes),
            .is_whole = options->patterns.count > 0,
            .path = options->output == NULL ? "-" : options->output};
        ok = model_input_run(&opened, err) && trace_output_write(&output, options->format, err);
    } else if (unmatched != NULL) {
        stages_refuse(tape, unmatched, err);
    }
    free(nodes);
    model_input_close(&opened);
    return ok;
}

int app_trace(int argc, char **argv) {
    TraceOptions options = {.format = TRACE_TEXT};
    Error err = {""};
    for (;;) {
        int option = app_option(argc, argv, "o:h", LONG_OPTIONS);
        if (option == -1) {
            break;
        }
        if (option == '?') {
            return app_usage("trace");
        }
        if (!take(&options, option, &err)) {
            return app_wrong("trace", &err);
        }
    }
    if (options.help) {
        output_print("%s%s%s", USAGE, MODEL_OPTIONS_HELP, OPTIONS);
        return APP_OK;
    }
    if (optind < argc) {
        error_set(&err, "\"%s\": unexpected argument; give the input with --input or --ids",
                  argv[optind]);
        return app_wrong("trace", &err);
    }
    return trace(&options, &err) ? APP_OK : app_failed("trace", &err);
}
