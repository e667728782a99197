// test_train_options.c - every option of train survives an interruption, in every family.
//
// A run of 12 steps is gone back on to its step 6 and finished again, with no word but where it
// lies: log and checkpoint have to come out the same, bit for bit.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/train/train_settings.h"
#include "engine/base/file.h"
#include "engine/models/config.h"
#include "tests/folder.h"
#include "tests/support_log.h"

enum { N_STEPS = 12, COMMAND_BYTES = 4096 };

// What is tried of an option: its value, or why there is nothing to try.
typedef struct Trial {
    const char *name;
    const char *value; // "": a flag; "*": another for each family, see special()
    bool changes;      // the numbers of the log
    const char *reason;
} Trial;

static const char EVERY_RUN[] = "each run here is given it";
static const char OF_WATCHING[] = "nothing is trained with --watch";

static const Trial TRIALS[] = {
    {"data", NULL, false, EVERY_RUN},
    {"output", NULL, false, EVERY_RUN},
    {"steps", NULL, false, EVERY_RUN},
    {"resume-from", NULL, false, EVERY_RUN},
    {"resume", NULL, false, "--resume-from is the same from a step of one's choice"},
    {"dry-run", NULL, false, "nothing is trained"},
    {"help", NULL, false, "nothing is trained"},
    {"watch", NULL, false, OF_WATCHING},
    {"with", NULL, false, OF_WATCHING},
    {"theme", NULL, false, OF_WATCHING},
    {"color", NULL, false, OF_WATCHING},
    {"lang", NULL, false, OF_WATCHING},
    {"ascii", NULL, false, OF_WATCHING},
    {"preset", "*", true, NULL},
    {"config", "*", true, NULL},
    {"tokenizer", "*", false, NULL},
    {"special", "text", false, NULL},
    {"pattern", NULL, false, "of rank files, in test_special.sh"},
    {"vocab-size", "*", true, NULL},
    {"device", "cpu", false, NULL},
    {"threads", "2", false, NULL},
    {"paragraphs", "*", true, NULL},
    {"format", "*", false, NULL},
    {"separator", "*", true, NULL},
    {"field", "*", false, NULL},
    {"held-out", "3", true, NULL},
    {"batch", "3", true, NULL},
    {"accumulate", "2", true, NULL},
    {"length", "5", true, NULL},
    {"optimizer", "sgd", true, NULL},
    {"lr", "0.0123", true, NULL},
    {"schedule", "linear", true, NULL},
    {"warmup", "9", true, NULL},
    {"decay", "0.7", true, NULL},
    {"clip", "0.01", true, NULL},
    {"beta1", "0.5", true, NULL},
    {"beta2", "0.7", true, NULL},
    {"eps", "0.001", true, NULL},
    {"dropout", "0.3000001", true, NULL},
    {"label-smoothing", "0.1000001", true, NULL},
    {"seed", "7", true, NULL},
    {"eval-every", "5", true, NULL},
    {"eval-batches", "1", true, NULL},
    {"sample-every", "4", true, NULL},
    {"prompt", "a dog", true, NULL},
    {"save-every", "3", false, NULL},
    {"keep", "4", false, NULL},
};
enum { N_TRIALS = sizeof TRIALS / sizeof TRIALS[0] };

static const Trial *trial_find(const char *name) {
    for (int i = 0; i < N_TRIALS; i++) {
        if (strcmp(TRIALS[i].name, name) == 0) {
            return &TRIALS[i];
        }
    }
    return NULL;
}

// ---- a place with a model and data of a family

typedef struct Place {
    char folder[FOLDER_PATH_BYTES];
    FamilyKind family;
    const char *name, *preset, *data;
    FileBytes usual; // the log of a run without the option
} Place;

static void save(const Place *place, const char *name, const Buffer *text) {
    char path[FOLDER_PATH_BYTES];
    Error err = {""};
    support_require(buffer_save(text, folder_path(place->folder, name, path), &err), &err);
}

static void write_config(const Place *place) {
    static const char *const SIZES[FAMILY_COUNT] = {
        [FAMILY_ENCODER_DECODER] = "\"d_model\": 8, \"n_heads\": 2, \"n_layers\": 1, \"d_ff\": 16",
        [FAMILY_STORY] = "\"d_model\": 8, \"n_heads\": 2, \"heads\": \"parallel\"",
        [FAMILY_GPT2] = "\"n_embd\": 8, \"n_head\": 2, \"n_layer\": 1, \"n_positions\": 16",
    };
    Buffer text = {0};
    buffer_format(&text, "{\"family\": \"%s\", \"vocab_size\": 40, %s}\n", place->name,
                  SIZES[place->family]);
    save(place, "config.json", &text);
    buffer_free(&text);
}

static void write_data(const Place *place) {
    static const char *const ANIMALS[] = {"cat", "dog", "bird", "fish", "horse"};
    Buffer plain = {0};
    Buffer lines = {0};
    Buffer pairs = {0};
    for (int i = 0; i < 120; i++) {
        const char *animal = ANIMALS[i % 5];
        const char *other = ANIMALS[i * i % 7 % 5];
        buffer_format(&plain, "the %s runs to a %s%s", animal, other,
                      i % 4 == 3 ? "<|endoftext|>" : "\n\n");
        buffer_format(&lines, "{\"body\": \"the %s runs to a %s\"}\n", animal, other);
        buffer_format(&pairs, "the %s%s\tto a %s\n", animal, i % 3 == 0 ? " runs and runs" : "",
                      other);
    }
    save(place, "plain.txt", &plain);
    save(place, "lines.jsonl", &lines);
    save(place, "pairs.tsv", &pairs);
    buffer_free(&plain);
    buffer_free(&lines);
    buffer_free(&pairs);
}

static void shell(const Place *place, const char *command) {
    if (system(command) != 0) { // NOLINT(cert-env33-c): our own program and folder
        char shown[COMMAND_BYTES];
        snprintf(shown, sizeof shown, "cat '%s/out'", place->folder);
        (void)system(shown); // NOLINT(cert-env33-c): the same
        fail_msg("%s", command);
    }
}

static void train_command(const Place *place, const char *arguments, char command[COMMAND_BYTES]) {
    const char *given = getenv("PROGRAM");
    const char *program = given != NULL ? given : "attend";
    int length = snprintf(command, COMMAND_BYTES, "%s%s train -o '%s/run' %s > '%s/out' 2>&1",
                          strchr(program, '/') == NULL ? "./" : "", program, place->folder,
                          arguments, place->folder);
    assert_true(length < COMMAND_BYTES);
}

static void train(const Place *place, const char *arguments) {
    char command[COMMAND_BYTES];
    train_command(place, arguments, command);
    shell(place, command);
}

static void load(const Place *place, const char *name, FileBytes *bytes) {
    char path[FOLDER_PATH_BYTES];
    Error err = {""};
    support_require(file_read(bytes, folder_path(place->folder, name, path), 1U << 24, &err), &err);
}

// With a sentence that names the option.
static void check_refused(const Place *place, const char *name, const char *arguments) {
    char command[COMMAND_BYTES];
    char option[40];
    FileBytes said = {0};
    train_command(place, arguments, command);
    snprintf(option, sizeof option, "--%s: ", name);
    assert_int_not_equal(system(command), 0); // NOLINT(cert-env33-c): our own program
    load(place, "out", &said);
    assert_non_null(strstr((const char *)said.bytes, option));
    file_close(&said);
}

// ---- the same twice

static bool is_same_file(const Place *place, const char *a, const char *b) {
    FileBytes left = {0};
    FileBytes right = {0};
    load(place, a, &left);
    load(place, b, &right);
    bool is_same = left.size_bytes == right.size_bytes &&
                   memcmp(left.bytes, right.bytes, left.size_bytes) == 0;
    file_close(&left);
    file_close(&right);
    return is_same;
}

// Runs with that trial, goes back to step 6, and compares.
static void check_resumed(const Place *place, const char *arguments) {
    static const char *const FILES[] = {"model.safetensors", "optimizer.safetensors",
                                        "config.json"};
    FileBytes straight = {0};
    FileBytes resumed = {0};
    int64_t step = 0;
    train(place, "--resume-from 6");
    load(place, "run/after-step-00000006/log.jsonl", &straight);
    load(place, "run/log.jsonl", &resumed);
    if (!support_log_is_same(&straight, &resumed, &step)) {
        fail_msg("%s %s: resumed, step %d of the log is another", place->name, arguments,
                 (int)step);
    }
    file_close(&straight);
    file_close(&resumed);
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        char before[80];
        char after[80];
        snprintf(before, sizeof before, "run/after-step-00000006/step-00000012/%s", FILES[i]);
        snprintf(after, sizeof after, "run/step-00000012/%s", FILES[i]);
        if (!is_same_file(place, before, after)) {
            fail_msg("%s %s: resumed, %s is another", place->name, arguments, FILES[i]);
        }
    }
}

static void remove_run(const Place *place) {
    char command[COMMAND_BYTES];
    snprintf(command, sizeof command, "rm -rf '%s/run'", place->folder);
    shell(place, command);
}

// ---- the trials

// What replaces the model, its tokenizer and its data, in this order; "": nothing.
typedef struct Base {
    char model[COMMAND_BYTES / 4], tokenizer[COMMAND_BYTES / 4], data[COMMAND_BYTES / 4];
} Base;

static void base_usual(Base *base, const Place *place) {
    snprintf(base->model, sizeof base->model, "--config '%s/config.json'", place->folder);
    snprintf(base->tokenizer, sizeof base->tokenizer, "--tokenizer '%s/first'", place->folder);
    snprintf(base->data, sizeof base->data, "--data '%s/%s'", place->folder, place->data);
}

// What train refuses there, because it would have no effect.
static bool is_refused(const Place *place, const char *name) {
    bool is_of_texts = strcmp(name, "separator") == 0 || strcmp(name, "paragraphs") == 0 ||
                       strcmp(name, "field") == 0 || strcmp(name, "prompt") == 0;
    return place->family == FAMILY_STORY ? strcmp(name, "dropout") == 0
                                         : place->family == FAMILY_ENCODER_DECODER && is_of_texts;
}

static void special(Base *base, const Place *place, const Trial *trial) {
    const bool has_pairs = place->family == FAMILY_ENCODER_DECODER;
    const char *name = trial->name;
    if (strcmp(name, "preset") == 0) {
        snprintf(base->model, sizeof base->model, "--preset %s", place->preset);
        base->tokenizer[0] = '\0';
        base->data[0] = '\0';
        if (!has_pairs) {
            snprintf(base->data, sizeof base->data, "--data '%s/plain.txt'", place->folder);
        }
    } else if (strcmp(name, "config") == 0) {
        snprintf(base->model, sizeof base->model, "--config '%s/first'", place->folder);
    } else if (strcmp(name, "tokenizer") == 0 || strcmp(name, "vocab-size") == 0) {
        bool is_size = name[0] == 'v';
        snprintf(base->tokenizer, sizeof base->tokenizer, "%s", is_size ? "--vocab-size 38" : "");
    } else if (strcmp(name, "format") == 0) {
        snprintf(base->data, sizeof base->data, "--data '%s/%s' --format %s", place->folder,
                 place->data, has_pairs ? "tsv" : "text");
    } else if (strcmp(name, "field") == 0) {
        snprintf(base->data, sizeof base->data, "--data '%s/%s' --field body", place->folder,
                 has_pairs ? place->data : "lines.jsonl");
    } else {
        bool is_flag = strcmp(name, "paragraphs") == 0;
        snprintf(base->data, sizeof base->data, "--data '%s/%s' --%s %s", place->folder,
                 place->data, name, is_flag ? "" : "horse");
    }
}

static void try_option(Place *place, const Trial *trial) {
    Base base;
    char more[80] = "";
    char arguments[COMMAND_BYTES];
    base_usual(&base, place);
    if (strcmp(trial->value, "*") == 0) {
        special(&base, place, trial);
    } else if (strcmp(trial->name, "prompt") == 0) {
        snprintf(more, sizeof more, "--prompt 'a dog' --sample-every 4");
    } else {
        snprintf(more, sizeof more, "--%s %s", trial->name, trial->value);
    }
    snprintf(arguments, sizeof arguments,
             "%s %s %s --batch 2 --length 8 --steps %d --warmup 2 --save-every 6 --eval-every 6 "
             "--sample-every 0 --keep 9 --threads 1 %s",
             base.model, base.tokenizer, base.data, N_STEPS, more);
    if (is_refused(place, trial->name)) {
        check_refused(place, trial->name, arguments);
        return;
    }
    FileBytes log = {0};
    int64_t step = 0;
    train(place, arguments);
    load(place, "run/log.jsonl", &log);
    if (trial->changes && support_log_is_same(&place->usual, &log, &step)) {
        fail_msg("%s --%s changes nothing", place->name, trial->name);
    }
    file_close(&log);
    check_resumed(place, arguments);
    remove_run(place);
}

// The first run learns the tokenizer, of which the others are given the folder.
static void begin(Place *place) {
    char command[COMMAND_BYTES];
    // Several hundred checkpoints are written through to the disk: in memory, where there is such.
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0) {
        setenv("TMPDIR", "/dev/shm", 0);
    }
    folder_make(place->folder);
    write_config(place);
    write_data(place);
    snprintf(command, sizeof command,
             "--config '%s/config.json' --data '%s/%s' --batch 2 --length 8 --steps %d --warmup 2 "
             "--save-every 6 --eval-every 6 --sample-every 0 --keep 9 --threads 1",
             place->folder, place->folder, place->data, N_STEPS);
    train(place, command);
    load(place, "run/log.jsonl", &place->usual);
    snprintf(command, sizeof command, "mv '%s/run' '%s/first'", place->folder, place->folder);
    shell(place, command);
}

static void walk(FamilyKind family) {
    static const char *const PRESETS[FAMILY_COUNT] = {[FAMILY_ENCODER_DECODER] = "toy-translate",
                                                      [FAMILY_STORY] = "story-single-small",
                                                      [FAMILY_GPT2] = "gpt2-tiny"};
    Place place = {.family = family,
                   .name = config_family_name(family),
                   .preset = PRESETS[family],
                   .data = family == FAMILY_ENCODER_DECODER ? "pairs.tsv" : "plain.txt"};
    TrainCommand command;
    Option options[TRAIN_MAX_OPTIONS];
    size_t n_options = train_settings_options(&command, options);
    begin(&place);
    for (size_t i = 0; i < n_options; i++) {
        const Trial *trial = trial_find(options[i].name);
        if (trial == NULL) {
            fail_msg("--%s: neither a value to try nor a reason why not", options[i].name);
        } else if (trial->value != NULL) {
            try_option(&place, trial);
        }
    }
    file_close(&place.usual);
    char remove[COMMAND_BYTES];
    snprintf(remove, sizeof remove, "rm -rf '%s'", place.folder);
    assert_int_equal(system(remove), 0); // NOLINT(cert-env33-c): a folder of our own
}

static void an_encoder_decoder_keeps_every_option(void **state) {
    (void)state;
    walk(FAMILY_ENCODER_DECODER);
}

static void a_story_model_keeps_every_option(void **state) {
    (void)state;
    walk(FAMILY_STORY);
}

static void gpt2_keeps_every_option(void **state) {
    (void)state;
    walk(FAMILY_GPT2);
}

// A trial of an option that is gone tells nothing.
static void every_trial_is_of_an_option(void **state) {
    (void)state;
    TrainCommand command;
    Option options[TRAIN_MAX_OPTIONS];
    size_t n_options = train_settings_options(&command, options);
    for (int i = 0; i < N_TRIALS; i++) {
        bool is_known = false;
        for (size_t k = 0; k < n_options; k++) {
            is_known = is_known || strcmp(options[k].name, TRIALS[i].name) == 0;
        }
        assert_true(is_known);
        assert_true((TRIALS[i].value == NULL) == (TRIALS[i].reason != NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trial_is_of_an_option),
        cmocka_unit_test(an_encoder_decoder_keeps_every_option),
        cmocka_unit_test(a_story_model_keeps_every_option),
        cmocka_unit_test(gpt2_keeps_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
