// cmd_heatmap.c - `attend heatmap`: a labelled picture of any head, layer or stage, without a
// screen.
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/model_options.h"
#include "app/commands/heatmap_input.h"
#include "app/output.h"
#include "app/output_check.h"
#include "engine/base/plural.h"

static const char HELP[] =
    "usage: attend heatmap --model M INPUT [OPTION...] -o FILE.png|FILE.svg|FILE.csv\n"
    "\n"
    "Draws attention weights, or any other stage, as a labelled picture.\n"
    "\n";

static const char HELP_REST[] =
    "  --item N             which batch item is drawn, from 0 (0)\n"
    "  --layer L            one layer, from 0, or all (all)\n"
    "  --head H             one head, from 0, or all, or mean (all)\n"
    "  --stage PATTERN      stages by name, a shell pattern (the attention weights)\n"
    "  --palette P          viridis, cividis, magma or gray (viridis)\n"
    "  --scale S            the colours: linear over all numbers, or row: each row from\n"
    "                       its least to its greatest (linear)\n"
    "  --values             print the number in each cell\n"
    "  --title TEXT         in place of the model, layer and head\n"
    "  --font FILE          a TrueType font (DejaVu Sans Mono), or builtin\n"
    "  -o, --output FILE    what to write: its name ends in .png, .svg or .csv\n"
    "  -h, --help           this text\n"
    "\n"
    "Weights are drawn on the linear scale 0 to 1, other stages between their least\n"
    "and greatest value; the scale is printed. SVG and CSV hold the same numbers.\n";

typedef struct HeatmapOptions {
    ModelInput input;
    HeatmapQuery query;
    Palette palette;
    HeatScale scale;
    bool has_palette, has_scale, shows_values;
    const char *title;
    const char *font;
    const char *output;
} HeatmapOptions;

enum {
    OPTION_ITEM = 256,
    OPTION_LAYER,
    OPTION_HEAD,
    OPTION_STAGE,
    OPTION_PALETTE,
    OPTION_SCALE,
    OPTION_VALUES,
    OPTION_TITLE,
    OPTION_FONT,
};

static const struct option OPTIONS[] = {
    MODEL_LONG_OPTIONS,
    {"item", required_argument, NULL, OPTION_ITEM},
    {"layer", required_argument, NULL, OPTION_LAYER},
    {"head", required_argument, NULL, OPTION_HEAD},
    {"stage", required_argument, NULL, OPTION_STAGE},
    {"palette", required_argument, NULL, OPTION_PALETTE},
    {"scale", required_argument, NULL, OPTION_SCALE},
    {"values", no_argument, NULL, OPTION_VALUES},
    {"title", required_argument, NULL, OPTION_TITLE},
    {"font", required_argument, NULL, OPTION_FONT},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

// A whole number from 0, in decimal digits alone.
static bool parse_int(const char *option, const char *text, int *number, Error *err) {
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0') {
        return error_set(err, "--%s: expected a whole number from 0, found \"%s\"", option, text);
    }
    if (errno != 0 || value > INT_MAX) {
        return error_set(err, "--%s: %s is too big", option, text);
    }
    *number = (int)value;
    return true;
}

// A layer or a head: a number, "all", or for heads "mean".
static bool parse_place(const char *option, const char *text, bool has_mean, int *place,
                        Error *err) {
    if (strcmp(text, "all") == 0) {
        *place = HEATMAP_ALL;
        return true;
    }
    if (has_mean && strcmp(text, "mean") == 0) {
        *place = HEATMAP_MEAN;
        return true;
    }
    if (text[0] < '0' || text[0] > '9') {
        return error_set(err, "--%s: expected a number from 0%s, found \"%s\"", option,
                         has_mean ? ", all or mean" : " or all", text);
    }
    return parse_int(option, text, place, err);
}

static bool read_option(HeatmapOptions *options, int code, Error *err) {
    switch (code) {
    case OPTION_ITEM:
        return parse_int("item", optarg, &options->query.item, err);
    case OPTION_LAYER:
        return parse_place("layer", optarg, false, &options->query.layer, err);
    case OPTION_HEAD:
        return parse_place("head", optarg, true, &options->query.head, err);
    case OPTION_STAGE:
        options->query.stage = optarg;
        return true;
    case OPTION_PALETTE:
        options->has_palette = true;
        return palette_find(&options->palette, optarg, err);
    case OPTION_SCALE:
        options->has_scale = true;
        return heat_scale_find(&options->scale, optarg, err);
    case OPTION_VALUES:
        options->shows_values = true;
        return true;
    case OPTION_TITLE:
        options->title = optarg;
        return true;
    case OPTION_FONT:
        options->font = optarg;
        return true;
    case 'o':
        options->output = optarg;
        return true;
    default:
        return model_input_take(&options->input, code, optarg, err);
    }
}

// What getopt_long met when it gave '?' or ':'.
static bool refuse_option(int code, char **argv, Error *err) {
    const char *word = argv[optind - 1];
    if (code == ':') {
        return error_set(err, "%s needs a value after it", word);
    }
    if (optopt >= OPTION_ITEM) {
        return error_set(err, "%s takes no value", word);
    }
    return error_set(err, "unknown option \"%s\"", word);
}

static bool check_options(const HeatmapOptions *options, Error *err) {
    const ModelInput *input = &options->input;
    if (input->model == NULL) {
        return error_set(err, "--model is missing: a preset or a folder with config.json and "
                              "model.safetensors");
    }
    if ((input->ids != NULL) == (input->n_inputs > 0)) {
        return error_set(err, "expected either --input TEXT or --ids LIST, found %s",
                         input->ids != NULL ? "both" : "neither");
    }
    if (input->target_ids != NULL && input->n_targets > 0) {
        return error_set(err, "expected either --target or --target-ids, found both");
    }
    if (options->output == NULL) {
        return error_set(err, "-o is missing: a file whose name ends in .png, .svg or .csv");
    }
    if (heatmap_kind_of_name(options->output) == HEATMAP_FILE_UNKNOWN) {
        return error_set(err, "%s: expected a name that ends in .png, .svg or .csv",
                         options->output);
    }
    const char *idle = options->has_palette     ? "--palette"
                       : options->has_scale     ? "--scale"
                       : options->shows_values  ? "--values"
                       : options->title != NULL ? "--title"
                       : options->font != NULL  ? "--font"
                                                : NULL;
    return idle == NULL || heatmap_kind_of_name(options->output) != HEATMAP_FILE_CSV ||
           error_set(err, "%s has no effect on a .csv file, which holds the numbers alone", idle);
}

// True with *is_help where there is nothing more to do.
static bool read_options(HeatmapOptions *options, int argc, char **argv, bool *is_help,
                         Error *err) {
    optind = 0; // starts getopt anew
    opterr = 0;
    for (;;) {
        int code = getopt_long(argc, argv, ":o:h", OPTIONS, NULL);
        if (code == -1) {
            break;
        }
        if (code == 'h') {
            *is_help = true;
            return true;
        }
        if (code == '?' || code == ':') {
            return refuse_option(code, argv, err);
        }
        if (!read_option(options, code, err)) {
            return false;
        }
    }
    if (optind < argc) {
        return error_set(err, "unexpected \"%s\"; a model is named with --model, text with --input",
                         argv[optind]);
    }
    return check_options(options, err);
}

// Runs the model and finds in its tape what is to be drawn.
static bool heatmap_read(OpenModel *opened, Arena *arena, Heatmap *heatmap,
                         const HeatmapOptions *options, Error *err) {
    const HeatmapQuery *query = &options->query;
    bool is_gradient = query->stage != NULL && strncmp(query->stage, "grad", 4) == 0;
    TapeParts parts = is_gradient ? TAPE_GRADIENTS : TAPE_LOSS;
    if (!model_options_open(opened, &options->input, TAPE_WATCH, parts, err)) {
        return false;
    }
    tape_run(&opened->built.tape);
    int n_other = 0;
    if (!heatmap_input_prepare(heatmap, arena, opened, query, &n_other, err)) {
        return false;
    }
    if (n_other > 0) {
        bool is_one = n_other == 1;
        const char *match = is_one ? "matches" : "match";
        const char *hold = is_one ? "holds attention weights" : "hold attention weights";
        output_say("attend heatmap: drawing %s; %d other stage%s %s too, choose with --stage",
                   heatmap->stage, n_other, plural(n_other), query->stage != NULL ? match : hold);
    }
    return true;
}

static bool draw(const HeatmapOptions *options, Error *err) {
    if (!output_check(options->output, options->input.model, err) ||
        !output_check(options->output, options->font, err)) {
        return false;
    }
    OpenModel opened = {0};
    Arena arena = {0};
    Font font = {0};
    Heatmap heatmap = {.title = options->title,
                       .palette = options->palette,
                       .scale = options->scale,
                       .shows_values = options->shows_values};
    bool ok = font_init(&font, options->font, err) &&
              heatmap_read(&opened, &arena, &heatmap, options, err);
    if (ok && heatmap.has_nan) {
        output_say("attend heatmap: some of its numbers are NaN");
    }
    ok = ok && heatmap_save(&heatmap, &font, options->output, err);
    if (ok && font.n_missing > 0) {
        output_say("attend heatmap: %d character%s in no font, drawn as boxes; the package unifont "
                   "has most",
                   font.n_missing, plural(font.n_missing));
    }
    font_free(&font);
    model_input_close(&opened);
    arena_free(&arena);
    return ok;
}

int app_heatmap(int argc, char **argv) {
    HeatmapOptions options = {.query = {.layer = HEATMAP_ALL, .head = HEATMAP_ALL}};
    Error err = {0};
    bool is_help = false;
    if (!read_options(&options, argc, argv, &is_help, &err)) {
        output_say("attend heatmap: %s; see `attend heatmap --help`", err.text);
        return APP_USAGE;
    }
    if (is_help) {
        output_text(HELP);
        output_text(MODEL_OPTIONS_HELP);
        output_text(HELP_REST);
        return APP_OK;
    }
    if (!draw(&options, &err)) {
        output_say("attend heatmap: %s", err.text);
        return APP_FAILED;
    }
    return APP_OK;
}
