// cmd_inspect.c - `attend inspect`: what is in a file or a model's folder.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/plural.h"
#include "app/app.h"
#include "app/commands/inspect_model.h"
#include "app/output_check.h"
#include "app/output.h"
#include "engine/base/file.h"
#include "engine/files/inspect_file.h"
#include "engine/files/json_text.h"
#include "engine/models/llmc.h"
#include "views/text.h"

static const char HELP[] =
    "usage: attend inspect [OPTION...] FILE|FOLDER|PRESET\n"
    "\n"
    "Says what is in a .safetensors file (or the shards of a "
    "model.safetensors.index.json), a .npy\n"
    "or .npz file, a .bin of llm.c, a JSON file, or a model's folder: tensors, types, shapes,\n"
    "sizes, metadata, configuration;\n"
    "of a model, or a preset by its name, what it costs: parameters, memory, FLOPs.\n"
    "\n"
    "  --format text|json   a table (the default) or one JSON object\n"
    "  -o, --output FILE    write there instead of to standard output\n"
    "  -h, --help           print this\n";

enum { WIDEST_NAME = 60, NUMBER_BYTES = TEXT_GROUPED_BYTES };

typedef struct Options {
    const char *path;
    const char *output;
    bool as_json;
} Options;

// "256 B", "7.5 KiB"
static const char *readable_size(size_t size_bytes, char text[NUMBER_BYTES]) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (size_bytes < 1024) {
        snprintf(text, NUMBER_BYTES, "%zu B", size_bytes);
        return text;
    }
    double size = (double)size_bytes / 1024.0;
    size_t unit = 0;
    while (size >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]) { // 1024.0 when rounded
        size /= 1024.0;
        unit++;
    }
    snprintf(text, NUMBER_BYTES, "%.1f %s", size, units[unit]);
    return text;
}

// ---- text

// The columns' widths, headings included.
typedef struct Widths {
    int name;
    int type;
    int shape;
    int numbers;
    int size;
} Widths;

static void widen(int *width, const char *text, int most) {
    int length = (int)strlen(text);
    length = length < most ? length : most;
    *width = *width > length ? *width : length;
}

static Widths measure_tensors(const InspectFile *file) {
    Widths widths = {4, 4, 5, 7, 4};
    for (int i = 0; i < file->n_tensors; i++) {
        const InspectTensor *tensor = &file->tensors[i];
        char name[FILE_NAME_TEXT_BYTES];
        char sizes[TENSOR_DATA_SIZES_BYTES];
        char number[NUMBER_BYTES];
        widen(&widths.name, file_shown(tensor->name, name), WIDEST_NAME);
        widen(&widths.type, tensor->type, NUMBER_BYTES);
        widen(&widths.shape, tensor_data_sizes_text(tensor->sizes, tensor->rank, sizes),
              WIDEST_NAME);
        widen(&widths.numbers, text_grouped(tensor->n_numbers, number), NUMBER_BYTES);
        widen(&widths.size, readable_size(tensor->size_bytes, number), NUMBER_BYTES);
    }
    return widths;
}

static void write_tensors(FileWriter *out, const InspectFile *file) {
    const Widths widths = measure_tensors(file);
    file_writer_print(out, "\n%-*s  %-*s  %-*s  %*s  %*s\n", widths.name, "name", widths.type,
                      "type", widths.shape, "shape", widths.numbers, "numbers", widths.size,
                      "size");
    for (int i = 0; i < file->n_tensors; i++) {
        const InspectTensor *tensor = &file->tensors[i];
        char name[FILE_NAME_TEXT_BYTES];
        char sizes[TENSOR_DATA_SIZES_BYTES];
        char numbers[NUMBER_BYTES];
        char size[NUMBER_BYTES];
        file_writer_print(out, "%-*s  %-*s  %-*s  %*s  %*s\n", widths.name,
                          file_shown(tensor->name, name), widths.type, tensor->type, widths.shape,
                          tensor_data_sizes_text(tensor->sizes, tensor->rank, sizes),
                          widths.numbers, text_grouped(tensor->n_numbers, numbers), widths.size,
                          readable_size(tensor->size_bytes, size));
    }
}

static void write_pairs(FileWriter *out, const char *title, const InspectPair *pairs, int n) {
    int width = 0;
    for (int i = 0; i < n; i++) {
        char key[FILE_NAME_TEXT_BYTES];
        widen(&width, file_shown(pairs[i].key, key), WIDEST_NAME);
    }
    file_writer_print(out, "\n%s\n", title);
    for (int i = 0; i < n; i++) {
        char key[FILE_NAME_TEXT_BYTES];
        char value[FILE_NAME_TEXT_BYTES];
        file_writer_print(out, "  %-*s  %s\n", width, file_shown(pairs[i].key, key),
                          file_shown(pairs[i].value, value));
    }
}

static void write_text(FileWriter *out, const InspectFile *file, const ModelSize *size) {
    char path[FILE_NAME_TEXT_BYTES];
    file_writer_print(out, "%s: ", file_shown(file->path, path));
    if (file->n_files > 0) {
        char numbers[NUMBER_BYTES];
        char bytes[NUMBER_BYTES];
        file_writer_print(out, "%d tensor%s in %d file%s, %s number%s, %s\n", file->n_tensors,
                          plural(file->n_tensors), file->n_files, plural(file->n_files),
                          text_grouped(file->n_numbers, numbers),
                          plural((long long)file->n_numbers),
                          readable_size(file->size_bytes, bytes));
    } else {
        file_writer_print(out, "%d key%s, no tensors\n", file->n_config, plural(file->n_config));
    }
    if (file->has_config) {
        write_pairs(out, file->kind == INSPECT_FOLDER ? "config.json" : "keys", file->config,
                    file->n_config);
    }
    if (file->n_metadata > 0) {
        write_pairs(out, "metadata", file->metadata, file->n_metadata);
    }
    if (file->n_tensors > 0) {
        write_tensors(out, file);
    }
    if (size != NULL) {
        inspect_model_write_text(out, size);
    }
}

// ---- JSON

static void write_json_tensor(FileWriter *out, const InspectTensor *tensor) {
    file_writer_text(out, "{\"name\":");
    json_text_write_string(out, tensor->name);
    file_writer_text(out, ",\"file\":");
    json_text_write_string(out, tensor->path);
    file_writer_text(out, ",\"type\":");
    json_text_write_string(out, tensor->type);
    file_writer_text(out, ",\"shape\":[");
    for (int i = 0; i < tensor->rank; i++) {
        file_writer_print(out, i == 0 ? "%lld" : ",%lld", (long long)tensor->sizes[i]);
    }
    file_writer_print(out, "],\"numbers\":%zu,\"size_bytes\":%zu}", tensor->n_numbers,
                      tensor->size_bytes);
}

// values_are_json: of a configuration; else they are texts.
static void write_json_pairs(FileWriter *out, const InspectPair *pairs, int n,
                             bool values_are_json) {
    for (int i = 0; i < n; i++) {
        file_writer_text(out, i == 0 ? "" : ",");
        json_text_write_string(out, pairs[i].key);
        file_writer_text(out, ":");
        if (values_are_json) {
            file_writer_text(out, pairs[i].value);
        } else {
            json_text_write_string(out, pairs[i].value);
        }
    }
}

static void write_json(FileWriter *out, const InspectFile *file, const ModelSize *size) {
    file_writer_text(out, "{\"path\":");
    json_text_write_string(out, file->path);
    file_writer_print(out,
                      ",\"kind\":\"%s\",\"files\":%d,\"numbers\":%zu,\"parameters\":%zu,"
                      "\"size_bytes\":%zu,\n\"config\":{",
                      inspect_file_kind_name(file->kind), file->n_files, file->n_numbers,
                      file->n_parameters, file->size_bytes);
    write_json_pairs(out, file->config, file->n_config, true);
    file_writer_text(out, "},\n\"metadata\":{");
    write_json_pairs(out, file->metadata, file->n_metadata, false);
    file_writer_text(out, "},\n\"tensors\":[");
    for (int i = 0; i < file->n_tensors; i++) {
        file_writer_text(out, i == 0 ? "\n" : ",\n");
        write_json_tensor(out, &file->tensors[i]);
    }
    file_writer_text(out, "]");
    if (size != NULL) {
        inspect_model_write_json(out, size);
    }
    file_writer_text(out, "}\n");
}

// ---- the command

static int usage_error(const char *expected, const char *found) {
    Error err = {""};
    error_set(&err, "expected %s, found %.60s", expected, found);
    return app_wrong("inspect", &err);
}

// APP_OK and a path, or what to exit with. *is_done: the help was printed.
static int read_options(int argc, char **argv, Options *options, bool *is_done) {
    static const struct option names[] = {{"format", required_argument, NULL, 'f'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    *options = (Options){.output = "-"};
    *is_done = false;
    for (int c; (c = app_option(argc, argv, "o:h", names)) != -1;) {
        switch (c) {
        case 'f':
            options->as_json = strcmp(optarg, "json") == 0;
            if (!options->as_json && strcmp(optarg, "text") != 0) {
                return usage_error("text or json after --format", optarg);
            }
            break;
        case 'o':
            options->output = optarg;
            break;
        case 'h':
            output_text(HELP);
            *is_done = true;
            return APP_OK;
        default: // it was said what it did not understand
            return APP_USAGE;
        }
    }
    if (argc - optind != 1) {
        return usage_error("one file or folder", argc == optind ? "none" : "more");
    }
    options->path = argv[optind];
    return APP_OK;
}

// Costs where the folder's config.json is one of ours or Hugging Face's; a folder of another kind
// has none.
static bool find_size(const InspectFile *file, const char *path, ModelSize *size) {
    if (file->kind != INSPECT_FOLDER || !file->has_config) {
        return false;
    }
    Error ignored = {""};
    ModelConfig config;
    char *config_path = file_join(path, "config.json");
    json_t *object = config_path == NULL ? NULL : json_text_load(config_path, &ignored);
    bool ok = object != NULL && config_read(&config, object, config_path, &ignored) &&
              model_size_count(size, &config, model_size_shape(&config, NULL), &ignored);
    json_decref(object);
    free(config_path);
    return ok;
}

static bool open_file(InspectFile *file, ModelSize *size, bool *has_size, const char *path,
                      Error *err) {
    ModelConfig config;
    if (llmc_recognize(path)) {
        if (!llmc_inspect(file, &config, path, err)) {
            return false;
        }
        *has_size = model_size_count(size, &config, model_size_shape(&config, NULL), NULL);
        return true;
    }
    if (!inspect_file_open(file, path, err)) {
        return false;
    }
    *has_size = find_size(file, path, size);
    return true;
}

static bool inspect_path(const Options *options, FileWriter *out, Error *err) {
    if (!file_exists(options->path) && preset_exists(options->path)) {
        return inspect_model_write_preset(out, options->path, options->as_json, err);
    }
    InspectFile file;
    ModelSize size;
    bool has_size = false;
    if (!open_file(&file, &size, &has_size, options->path, err)) {
        return false;
    }
    if (options->as_json) {
        write_json(out, &file, has_size ? &size : NULL);
    } else {
        write_text(out, &file, has_size ? &size : NULL);
    }
    inspect_file_close(&file);
    return true;
}

int app_inspect(int argc, char **argv) {
    Options options;
    bool is_done;
    int status = read_options(argc, argv, &options, &is_done);
    if (status != APP_OK || is_done) {
        return status;
    }
    FileWriter out = {0};
    Error err = {0};
    bool done = output_check(options.output, options.path, &err) &&
                file_writer_open(&out, options.output, &err);
    if (done && inspect_path(&options, &out, &err)) {
        done = file_writer_commit(&out, &err);
    } else {
        done = false;
        file_writer_abandon(&out);
    }
    return done ? APP_OK : app_failed("inspect", &err);
}
