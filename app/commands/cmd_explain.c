// cmd_explain.c - `attend explain`: the arithmetic behind one number.
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/model_options.h"
#include "app/options.h"
#include "engine/playground/model_input.h"
#include "app/commands/explain_term.h"
#include "app/screen_options.h"
#include "app/stages.h"
#include "app/output.h"
#include "engine/tape/op.h"
#include "views/sentences.h"
#include "engine/base/plain_nan.h"

static const char USAGE[] = "usage: attend explain --model M INPUT STAGE[i,j,...]\n"
                            "       attend explain TERM\n\n"
                            "Prints the formula of the number, every operand as digits, the "
                            "result, and the cells it came from.\n"
                            "Stages: those of `attend trace`, \"grad.\" + a stage or parameter, "
                            "\"update.\" + a parameter.\n"
                            "With a term of the field, such as softmax, it prints what the "
                            "glossary says of it.\n\n";

static const char OPTIONS[] =
    "  --all                every operand, also beyond 16\n"
    "  --lr X               of an update: the learning rate (default: that step's)\n"
    "  --terms              every term of the glossary\n"
    "  --lang en|zh         the language of the glossary\n"
    "  -h, --help           print this\n";

typedef struct ExplainOptions {
    ModelInput input;
    const char *cell;  // "encoder.0.self_attn.scores[0,1,2,1]"
    Language language; // of the glossary
    bool has_language;
    bool all;
    bool terms;
    bool help;
} ExplainOptions;

enum { OPTION_ALL = 1, OPTION_LR, OPTION_TERMS, OPTION_LANG };

static const struct option LONG_OPTIONS[] = {
    MODEL_LONG_OPTIONS,
    {"all", no_argument, NULL, OPTION_ALL},
    {"lr", required_argument, NULL, OPTION_LR},
    {"terms", no_argument, NULL, OPTION_TERMS},
    {"lang", required_argument, NULL, OPTION_LANG},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

// Of "name[i,j]" the name, owned by the caller; *indices is what follows it.
static char *cut_cell(const char *cell, const char **indices, Error *err) {
    size_t length = strcspn(cell, "[");
    *indices = cell + length;
    bool is_closed = **indices == '\0' || cell[strlen(cell) - 1] == ']';
    char *name = length > 0 && is_closed ? strndup(cell, length) : NULL;
    if (name == NULL) {
        error_set(err, "\"%s\": expected STAGE[i,j,...], as in encoder.0.self_attn.scores[0,1,2,1]",
                  cell);
    }
    return name;
}

static bool read_indices(const Node *node, const char *text, size_t *element, Error *err) {
    int indices[SHAPE_MAX_RANK] = {0};
    Error reason = {""};
    // A scalar's shape is (1) where trace writes it to a file.
    bool is_one = shape_rank(&node->shape) == 0 && strcmp(text, "[0]") == 0;
    if (!is_one && !shape_read_indices(&node->shape, text, indices, &reason)) {
        return error_set(err, "%s: %s", node->stage, reason.text);
    }
    *element = shape_flat(&node->shape, indices);
    return true;
}

static void print_sources(const Explanation *explanation) {
    enum { MAX_CELLS = 16 };
    ExplainCell cells[MAX_CELLS];
    int count = explain_cells(explanation, cells, MAX_CELLS, true);
    if (count > 0) {
        output_print("from %d cell%s, the largest influence first:\n", count,
                     count == 1 ? "" : "s");
    }
    for (int i = 0; i < count && i < MAX_CELLS; i++) {
        char name[256];
        const Node *node = cells[i].node;
        explain_cell_name(node, cells[i].element, name, sizeof name);
        double value = tape_number(explanation->tape, node, cells[i].element);
        output_print("  %-48s %.9g%s\n", name, plain_nan(value),
                     cells[i].is_statistic ? ", of whose row the mean and 1/deviation are used"
                                           : "");
    }
    if (count > MAX_CELLS) {
        output_print("  … and %d more\n", count - MAX_CELLS);
    }
}

static void print_explanation(const Tape *tape, const Node *node, size_t element, bool all) {
    Explanation explanation = {0};
    explain_cell(&explanation, tape, node, element);
    output_print("%s: %s\n", OPS[node->op]->name, explanation.formula);
    output_text(explain_text(&explanation, all ? EXPLAIN_ALL_TERMS : EXPLAIN_TERMS));
    const char *note = sentence_for_note(explanation.note, LANGUAGE_EN);
    if (note[0] != '\0') {
        output_print("(%s)\n", note);
    }
    output_print("stored: %.9g\n", plain_nan((double)explanation.stored));
    if (!explain_is_given(&explanation)) { // it would be its own source
        print_sources(&explanation);
    }
    explain_free(&explanation);
}

// Which step of what it is.
static void print_step(const OpenModel *opened) {
    const int64_t done = opened->optimizer.step;
    output_print("update %" PRId64 "%s, learning rate %.9g, with the gradient of this input",
                 done + 1, opened->named.has_training ? "" : " of the default optimizer",
                 (double)opened->lr);
    if (done > 0) {
        output_print("; m and v are as step %" PRId64 " of the run left them", done);
    }
    output_text("\n");
}

static bool explain_in(OpenModel *opened, const char *name, const char *indices, bool all,
                       Error *err) {
    const Tape *tape = &opened->built.tape;
    const Node *node = tape_find(tape, name);
    size_t element = 0;
    if (node == NULL) {
        return stages_refuse(tape, name, err);
    }
    if (!read_indices(node, indices, &element, err)) {
        return false;
    }
    print_explanation(tape, node, element, all);
    if (node->phase == PHASE_UPDATE) {
        print_step(opened);
    }
    return true;
}

static bool explain(const ExplainOptions *options, Error *err) {
    const char *indices = NULL;
    char *name = cut_cell(options->cell, &indices, err);
    if (name == NULL) {
        return false;
    }
    ModelInput input = options->input;
    input.with_updates = strncmp(name, "update.", 7) == 0;
    bool needs_gradients = input.with_updates || strncmp(name, "grad.", 5) == 0;
    OpenModel opened;
    bool ok = model_options_open(&opened, &input, TAPE_WATCH,
                                 needs_gradients ? TAPE_GRADIENTS : TAPE_LOSS, err);
    if (ok) {
        ok = model_input_run(&opened, err) && explain_in(&opened, name, indices, options->all, err);
        model_input_close(&opened);
    }
    free(name);
    return ok;
}

static bool check_effects(const ExplainOptions *options, bool is_term, Error *err) {
    const ModelInput *input = &options->input;
    bool is_update = options->cell != NULL && strncmp(options->cell, "update.", 7) == 0;
    const char *term = "terms of the glossary";
    const IdleOption idle[] = {
        {"lr", input->lr >= 0.0F && is_term, term},
        {"lr", input->lr >= 0.0F && !is_update, "a number that is no update"},
        {"all", options->all && is_term, term},
        {"input", input->n_inputs > 0 && is_term, term},
        {"target", input->n_targets > 0 && is_term, term},
        {"ids", input->ids != NULL && is_term, term},
        {"target-ids", input->target_ids != NULL && is_term, term},
        {"lang", options->has_language && !is_term, "a number; it belongs to the glossary"},
    };
    return options_refuse_idle(idle, sizeof idle / sizeof idle[0], err);
}

static bool take(ExplainOptions *options, int option, Error *err) {
    char *end = NULL;
    switch (option) {
    case OPTION_ALL:
        options->all = true;
        return true;
    case OPTION_LR:
        options->input.lr = strtof(optarg, &end);
        return (end != optarg && *end == '\0' && isfinite(options->input.lr) &&
                options->input.lr >= 0.0F) ||
               error_set(err, "--lr: expected a number from 0, found \"%s\"", optarg);
    case OPTION_TERMS:
        options->terms = true;
        return true;
    case OPTION_LANG:
        options->has_language = true;
        return screen_language_find(&options->language, optarg, err);
    case 'h':
        options->help = true;
        return true;
    default:
        return model_input_take(&options->input, option, optarg, err);
    }
}

int app_explain(int argc, char **argv) {
    ExplainOptions options = {.input = {.lr = -1.0F}, .language = screen_language_of_locale()};
    Error err = {""};
    for (;;) {
        int option = app_option(argc, argv, "h", LONG_OPTIONS);
        if (option == -1) {
            break;
        }
        if (option == '?') {
            return app_usage("explain");
        }
        if (!take(&options, option, &err)) {
            return app_wrong("explain", &err);
        }
    }
    if (options.help) {
        output_print("%s%s%s", USAGE, MODEL_OPTIONS_HELP, OPTIONS);
        return APP_OK;
    }
    if (options.terms) {
        if (optind < argc) {
            error_set(&err, "--terms lists all of them, found also \"%.60s\"", argv[optind]);
        }
        if (error_is_set(&err) || !check_effects(&options, true, &err)) {
            return app_wrong("explain", &err);
        }
        return explain_term(NULL, options.language, &err) ? APP_OK : app_failed("explain", &err);
    }
    options.cell = optind < argc ? argv[optind++] : NULL;
    if (options.cell == NULL || optind < argc) {
        error_set(&err, "expected one STAGE[i,j,...]%s%s", optind < argc ? ", found also " : "",
                  optind < argc ? argv[optind] : "");
        return app_wrong("explain", &err);
    }
    bool is_term = options.input.model == NULL && strchr(options.cell, '[') == NULL;
    if (!check_effects(&options, is_term, &err)) {
        return app_wrong("explain", &err);
    }
    if (is_term) {
        return explain_term(options.cell, options.language, &err) ? APP_OK
                                                                  : app_failed("explain", &err);
    }
    return explain(&options, &err) ? APP_OK : app_failed("explain", &err);
}
