// cmd_convert.c - `attend convert`: models between folders and llm.c's files, tokenizers between
// their formats.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/model_options.h"
#include "app/options.h"
#include "app/output.h"
#include "app/output_check.h"
#include "engine/base/buffer.h"
#include "engine/base/file.h"
#include "engine/base/plain_nan.h"
#include "engine/base/plural.h"
#include "engine/models/llmc.h"
#include "engine/models/preset.h"
#include "engine/training/checkpoint.h"

typedef struct ConvertCommand {
    const char *from, *to, *dtype_name;
    Dtype dtype;
    bool is_untrained, allows_infinite, help;
    const char *pattern; // of a rank file; NULL: not given
} ConvertCommand;

static bool holds_file(const char *folder, const char *name) {
    char *path = file_join(folder, name);
    bool is_there = path != NULL && file_exists(path);
    free(path);
    return is_there;
}

// ---- models

// What stands beside a model and belongs to its tokenizer, as it is.
static bool is_of_tokenizer(const char *name) {
    static const char *const ENDS[] = {"tokenizer.json", "tokenizer.txt", "tokenizer_config.json",
                                       "vocab.json",     "merges.txt",    "encoder.json",
                                       ".tokenizer",     ".model",        ".bpe",
                                       ".tiktoken"};
    bool is_one = false;
    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++) {
        is_one = is_one || (name[0] != '.' && file_has_ending(name, ENDS[i]));
    }
    return is_one;
}

static bool copy_tokenizer(const char *from, const char *to, Error *err) {
    DIR *entries = opendir(from);
    if (entries == NULL) {
        return error_set(err, "%s: %s", from, strerror(errno));
    }
    bool ok = true;
    for (const struct dirent *entry; ok && (entry = readdir(entries)) != NULL;) {
        ok = !is_of_tokenizer(entry->d_name) || file_copy(entry->d_name, from, to, err);
    }
    closedir(entries);
    return ok;
}

// A preset's own words go along as a tokenizer file.
static bool save_words(const NamedModel *named, const char *folder, Error *err) {
    if (named->tokenizer.n_pieces == 0) {
        return true;
    }
    char *path = file_join(folder, "model.tokenizer");
    bool ok = path != NULL && tokenizer_save(&named->tokenizer, path, err);
    free(path);
    return ok;
}

// Others read byte-level tokenizers from a tokenizer.json, or a vocab.json.
static bool save_json(const NamedModel *named, const char *folder, Error *err) {
    const Tokenizer *tokenizer = &named->tokenizer;
    if (tokenizer->n_pieces == 0 || holds_file(folder, "tokenizer.json") ||
        holds_file(folder, "vocab.json") || !tokenizer_fits_json(tokenizer, NULL)) {
        return true;
    }
    char *path = file_join(folder, "tokenizer.json");
    bool ok = path != NULL && tokenizer_save(tokenizer, path, err);
    free(path);
    return ok;
}

// What stands in its folder is links to its checkpoints, or copies of them.
static bool holds_run(const char *folder) {
    CheckpointList list = {0};
    bool is_run = file_is_folder(folder) && checkpoint_list(&list, folder, NULL) && list.count > 0;
    checkpoint_list_free(&list);
    return is_run || holds_file(folder, "log.jsonl") || holds_file(folder, "state.json");
}

// ---- a folder, whole or not at all

static void remove_files(const char *folder) {
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        (void)unlinkat(dirfd(entries), entry->d_name, 0); // of . and .. it does nothing
    }
    if (entries != NULL) {
        closedir(entries);
    }
    (void)rmdir(folder);
}

static bool move_files(const char *from, const char *to, Error *err) {
    DIR *entries = opendir(from);
    bool ok = entries != NULL;
    for (const struct dirent *entry; ok && (entry = readdir(entries)) != NULL;) {
        char *target = file_join(to, entry->d_name);
        ok = entry->d_name[0] == '.' ||
             (target != NULL && renameat(dirfd(entries), entry->d_name, AT_FDCWD, target) == 0);
        free(target);
    }
    if (!ok) {
        char shown[FILE_NAME_TEXT_BYTES];
        error_set(err, "%s: cannot write: %s", file_shown(to, shown), strerror(errno));
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return ok;
}

static bool fill_folder(const ConvertCommand *command, const NamedModel *named, const char *folder,
                        Error *err) {
    return model_save_as(&named->model, folder, command->dtype, err) &&
           (file_is_folder(command->from) ? copy_tokenizer(command->from, folder, err)
                                          : save_words(named, folder, err)) &&
           save_json(named, folder, err);
}

// A file of the model or tokenizer that is in the folder already, and that the new one has no file
// for, would be read as its own.
static bool check_left(const char *folder, const char *beside, Error *err) {
    DIR *entries = opendir(folder);
    bool ok = true;
    for (const struct dirent *entry; ok && entries != NULL && (entry = readdir(entries)) != NULL;) {
        bool counts = is_of_tokenizer(entry->d_name) ||
                      file_has_ending(entry->d_name, ".safetensors") ||
                      strcmp(entry->d_name, "generation_config.json") == 0;
        if (counts && !holds_file(beside, entry->d_name)) {
            char shown[FILE_NAME_TEXT_BYTES];
            ok = error_set(err,
                           "%s holds %s of another model, which would be read with this one: "
                           "delete it, or expected another folder",
                           file_shown(folder, shown), entry->d_name);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return ok;
}

// Everything is written beside its place first.
static bool save_folder(const ConvertCommand *command, const NamedModel *named, Error *err) {
    Buffer beside = {0};
    buffer_append_text(&beside, command->to);
    while (beside.length > 1 && beside.bytes[beside.length - 1] == '/') {
        beside.length--;
    }
    buffer_format(&beside, ".%ld.tmp", (long)getpid());
    bool ok = fill_folder(command, named, beside.bytes, err) &&
              check_left(command->to, beside.bytes, err);
    if (ok && (file_is_folder(command->to) || rename(beside.bytes, command->to) != 0)) {
        ok = file_make_folder(command->to, NULL, err) && move_files(beside.bytes, command->to, err);
    }
    remove_files(beside.bytes);
    buffer_free(&beside);
    return ok;
}

// Weights of which something is to be said: how many, and the first.
typedef struct Found {
    size_t n, first;
    const char *name;
    double value;
} Found;

typedef size_t (*Counter)(Dtype dtype, const float *values, size_t count, size_t *first);

static Found find_numbers(const Model *model, Dtype dtype, Counter count) {
    Found found = {.n = 0};
    for (int i = 0; i < model->params.count; i++) {
        const Parameter *parameter = &model->params.items[i];
        const float *values = params_values(&model->params, parameter);
        size_t first = 0;
        size_t n = count(dtype, values, shape_count(&parameter->shape), &first);
        if (n > 0 && found.n == 0) {
            found = (Found){.first = first, .name = parameter->name, .value = values[first]};
        }
        found.n += n;
    }
    return found;
}

static void say_numbers(const Found *found, const char *what) {
    if (found->n > 0) {
        output_say("attend convert: %zu number%s %s; the first, number %zu of %s, is %g", found->n,
                   plural((long long)found->n), what, found->first, found->name,
                   plain_nan(found->value));
    }
}

// Weights that are too large for the narrower numbers would become infinite; those that are too
// small become 0, and what was not finite stays so.
static bool check_range(const ConvertCommand *command, const Model *model, Error *err) {
    const Found damaged = find_numbers(model, command->dtype, dtype_not_finite);
    const Found small = find_numbers(model, command->dtype, dtype_vanishes);
    const Found large = find_numbers(model, command->dtype, dtype_overflows);
    const char *name = command->dtype == DTYPE_F16 ? "f16 holds (65504)" : "bf16 holds (3.39e38)";
    if (large.n > 0 && !command->allows_infinite) {
        return error_set(err,
                         "%zu number%s beyond what %s would become infinite; the first, number "
                         "%zu of %s, is %g; --allow-infinite writes them anyway",
                         large.n, plural((long long)large.n), name, large.first, large.name,
                         large.value);
    }
    if (large.n > 0) {
        output_say("attend convert: %zu number%s beyond what %s became infinite; the "
                   "first, number %zu of %s, was %g",
                   large.n, plural((long long)large.n), name, large.first, large.name, large.value);
    }
    say_numbers(&damaged, "not finite, written as they are");
    say_numbers(&small, command->dtype == DTYPE_F16 ? "too small for f16 (below 3e-8), written as 0"
                                                    : "too small for bf16, written as 0");
    return true;
}

static bool say_left_behind(const NamedModel *named) {
    if (named->tokenizer.n_pieces > 0 || named->model.config.eos_id >= 0 ||
        named->model.ends.n_ids > 0 || config_has_dropout(&named->model.config)) {
        output_say("attend convert: a .bin of llm.c holds sizes and weights: the tokenizer, the "
                   "tokens that end a text and dropout stay behind");
    }
    return true;
}

static bool save_model(const ConvertCommand *command, const NamedModel *named, Error *err) {
    if (!check_range(command, &named->model, err)) {
        return false;
    }
    if (file_has_ending(command->to, ".bin")) {
        if (command->dtype == DTYPE_F16) {
            return error_set(err, "--dtype: llm.c's files hold f32 or bf16");
        }
        return llmc_save(&named->model, command->to, command->dtype, err) && say_left_behind(named);
    }
    if (file_exists(command->to) && !file_is_folder(command->to)) {
        return error_set(err, "%s: expected a folder, or a name that ends in .bin for llm.c",
                         command->to);
    }
    if (holds_run(command->to)) {
        return error_set(err,
                         "%s: this folder holds a run of `attend train`: expected another folder",
                         command->to);
    }
    return save_folder(command, named, err);
}

static bool convert_model(const ConvertCommand *command, Error *err) {
    NamedModel named = {.is_trained = false};
    bool is_file = llmc_recognize(command->from);
    bool ok = is_file ? llmc_load(&named.model, command->from, err)
                      : preset_open(&named, command->from, command->is_untrained, 0, NULL, err);
    ok = ok && save_model(command, &named, err);
    if (ok) {
        model_say_notes(&named, command->is_untrained || is_file, false);
        output_say("attend convert: %zu parameter%s written to %s",
                   params_count(&named.model.params),
                   plural((long long)params_count(&named.model.params)), command->to);
    }
    preset_close(&named);
    return ok;
}

// ---- tokenizers

static bool convert_tokenizer(const ConvertCommand *command, Error *err) {
    Tokenizer tokenizer;
    if (!tokenizer_load(&tokenizer, command->from, err)) {
        return false;
    }
    const TokenizerChoice choice = {.pattern = command->pattern};
    bool ok = tokenizer_choose(&tokenizer, &choice, err);
    if (ok) {
        output_say_lines("attend convert", tokenizer_notes(&tokenizer));
    }
    ok = ok && tokenizer_save(&tokenizer, command->to, err);
    if (ok) {
        output_say("attend convert: %d piece%s written to %s", tokenizer.n_pieces,
                   plural(tokenizer.n_pieces), command->to);
    }
    tokenizer_free(&tokenizer);
    return ok;
}

static bool is_model(const char *from) {
    if (file_is_folder(from)) {
        return holds_file(from, "config.json");
    }
    return llmc_recognize(from) || (!file_exists(from) && preset_exists(from));
}

static bool convert(const ConvertCommand *command, Error *err) {
    if (!output_check(command->to, command->from, err)) {
        return false;
    }
    if (is_model(command->from) && command->pattern != NULL) {
        return error_set(err, "--pattern: expected a tokenizer, found the model %s", command->from);
    }
    if (is_model(command->from)) {
        return convert_model(command, err);
    }
    if (!file_exists(command->from)) {
        return error_set(err,
                         "%s: expected a model's folder, a file of llm.c, a preset's name or "
                         "a tokenizer; there is nothing of that name",
                         command->from);
    }
    if (file_has_ending(command->from, ".bin")) {
        return error_set(err, "%s: expected a checkpoint of llm.c, which begins with 20240326",
                         command->from);
    }
    return convert_tokenizer(command, err);
}

static bool check(ConvertCommand *command, Error *err) {
    static const char *const NAMES[] = {"f32", "f16", "bf16"};
    static const Dtype DTYPES[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    command->dtype = DTYPE_F32;
    for (int i = 0; command->dtype_name != NULL && i < 3; i++) {
        if (strcmp(command->dtype_name, NAMES[i]) == 0) {
            command->dtype = DTYPES[i];
            return true;
        }
    }
    const TokenizerChoice choice = {.pattern = command->pattern};
    if (!tokenizer_choice_check(&choice, err)) {
        return false;
    }
    return command->dtype_name == NULL ||
           error_set(err, "--dtype: expected f32, f16 or bf16, found \"%.40s\"",
                     command->dtype_name);
}

int app_convert(int argc, char **argv) {
    ConvertCommand command = {.from = NULL};
    const Option options[] = {
        {"dtype", 0, OPTION_TEXT, &command.dtype_name,
         "type of the weights: f32 (default), f16 or bf16"},
        {"untrained", 0, OPTION_FLAG, &command.is_untrained, "write a preset's initial weights"},
        {"allow-infinite", 0, OPTION_FLAG, &command.allows_infinite,
         "write weights that are too large for --dtype as infinity"},
        {"pattern", 0, OPTION_TEXT, &command.pattern,
         "how a rank file of one's own splits text: gpt2 (default), cl100k, o200k, …"},
        {"help", 'h', OPTION_FLAG, &command.help, "show this"},
    };
    enum { N_OPTIONS = sizeof options / sizeof options[0] };
    int first = 0;
    Error err = {""};
    bool ok = options_read(argc, argv, options, N_OPTIONS, &first, NULL, &err);
    if (ok && command.help) {
        output_text(
            "usage: attend convert FROM TO [--dtype f32|f16|bf16] [--allow-infinite]\n\n"
            "FROM is a model's folder (safetensors), a .bin of llm.c (version 3 or 5), a preset's\n"
            "name, or any tokenizer. TO is a folder, a name that ends in .bin, or, of a\n"
            "tokenizer, a .model (SentencePiece), a .json (byte-level) or our own text file.\n\n");
        options_print(options, N_OPTIONS);
        return APP_OK;
    }
    if (ok && argc - first != 2) {
        ok = error_set(&err, "expected FROM and TO, found %d name%s", argc - first,
                       plural(argc - first));
    }
    if (!ok || !check(&command, &err)) {
        return app_wrong("convert", &err);
    }
    command.from = argv[first];
    command.to = argv[first + 1];
    return convert(&command, &err) ? APP_OK : app_failed("convert", &err);
}
