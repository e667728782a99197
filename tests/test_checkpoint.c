// test_checkpoint.c - checkpoints come back whole, and damage is found.
#include "tests/support.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/training/checkpoint.h"
#include "tests/support_train.h"

static int open_place(void **state) {
    TrainPlace *place = calloc(1, sizeof *place);
    train_place_open(place, FAMILY_GPT2);
    *state = place;
    return 0;
}

static int close_place(void **state) {
    train_place_close(*state);
    free(*state);
    return 0;
}

static void write_step(const TrainPlace *place, const TrainCase *test, int64_t step,
                       double best_loss, int64_t best_step, int keep) {
    Error err = {""};
    CheckpointState state = {.step = step,
                             .data_position = ((uint64_t)1 << 60) + 1,
                             .seed = 3,
                             .best_loss = best_loss,
                             .best_step = best_step,
                             .settings = json_pack("{s:i}", "batch", 4)};
    memcpy(state.tokenizer_hash, place->hash, sizeof place->hash);
    CheckpointParts parts = {&test->model, &test->trainer.optimizer, &place->tokenizer};
    support_require(checkpoint_write(place->folder, &state, &parts, keep, &err), &err);
    checkpoint_state_free(&state);
}

static void require_steps(const TrainPlace *place, const int64_t *steps, int count) {
    CheckpointList list;
    Error err = {""};
    support_require(checkpoint_list(&list, place->folder, &err), &err);
    assert_int_equal(list.count, count);
    assert_memory_equal(list.steps, steps, (size_t)count * sizeof *steps);
    checkpoint_list_free(&list);
}

static void a_run_goes_on_from_a_checkpoint_bit_for_bit(void **state) {
    TrainPlace *place = *state;
    TrainCase whole;
    TrainCase resumed;
    Error err = {""};
    TrainerOptions options = train_place_options(4, 2);
    config_set_dropout(&place->config, 0.1F);
    train_case_open(&whole, place, &options, NULL);
    for (int step = 0; step < 5; step++) {
        train_case_step(&whole);
    }
    write_step(place, &whole, 5, INFINITY, 0, 2);
    train_case_open(&resumed, place, &options, NULL);
    CheckpointState found;
    char *folder = checkpoint_folder(place->folder, 5);
    support_require(checkpoint_open(&found, folder, &err), &err);
    support_require(checkpoint_load(folder, &resumed.model, &resumed.trainer.optimizer, &err),
                    &err);
    assert_int_equal(found.step, 5);
    assert_true(found.data_position == ((uint64_t)1 << 60) + 1);
    assert_true(isinf(found.best_loss));
    assert_string_equal(found.tokenizer_hash, place->hash);
    assert_int_equal(json_integer_value(json_object_get(found.settings, "batch")), 4);
    resumed.trainer.step = found.step;
    for (int step = 5; step < 9; step++) {
        assert_true(train_case_step(&whole) == train_case_step(&resumed));
    }
    checkpoint_state_free(&found);
    free(folder);
    train_case_close(&whole);
    train_case_close(&resumed);
}

static void the_last_ones_and_the_best_are_kept(void **state) {
    const TrainPlace *place = *state;
    TrainCase test;
    TrainerOptions options = train_place_options(4, 1);
    char target[64] = "";
    char path[400];
    train_case_open(&test, place, &options, NULL);
    write_step(place, &test, 10, 2.0, 10, 2);
    write_step(place, &test, 20, 1.0, 20, 2);
    write_step(place, &test, 30, 1.0, 20, 2);
    write_step(place, &test, 40, 1.0, 20, 2);
    write_step(place, &test, 50, 1.0, 20, 2);
    require_steps(place, (const int64_t[]){20, 40, 50}, 3);
    snprintf(path, sizeof path, "%s/best", place->folder);
    assert_true(readlink(path, target, sizeof target - 1) > 0);
    assert_string_equal(target, "step-00000020");
    Model model;
    Error err = {""};
    support_require(model_load(&model, place->folder, &err), &err); // the run itself is a model
    model_free(&model);
    // Taken up at 30 and written over: what was beyond goes.
    write_step(place, &test, 30, 1.0, 20, 2);
    require_steps(place, (const int64_t[]){20, 30}, 2);
    train_case_close(&test);
}

static void a_step_is_written_over_whole(void **state) {
    const TrainPlace *place = *state;
    TrainCase test;
    Error err = {""};
    TrainerOptions options = train_place_options(4, 1);
    train_case_open(&test, place, &options, NULL);
    write_step(place, &test, 10, INFINITY, 0, 1);
    train_case_step(&test);
    write_step(place, &test, 10, INFINITY, 0, 1);
    CheckpointState found;
    char *folder = checkpoint_folder(place->folder, 10);
    support_require(checkpoint_open(&found, folder, &err), &err);
    Model model;
    support_require(model_load(&model, folder, &err), &err);
    assert_memory_equal(model.params.values, test.model.params.values,
                        model.params.n_values * sizeof(float));
    model_free(&model);
    checkpoint_state_free(&found);
    free(folder);
    // Nothing is left beside it.
    DIR *entries = opendir(place->folder);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        assert_null(strstr(entry->d_name, ".new-"));
        assert_null(strstr(entry->d_name, ".old-"));
        assert_null(strstr(entry->d_name, ".link-"));
    }
    closedir(entries);
    train_case_close(&test);
}

static void write_raw(const char *path, const unsigned char *bytes, size_t size_bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size_bytes, file), size_bytes);
    assert_int_equal(fclose(file), 0);
}

// Any byte of any file, and any cut.
static void damage_is_found(void **state) {
    static const char *const FILES[] = {"model.safetensors", "optimizer.safetensors", "config.json",
                                        "tokenizer.tokenizer"};
    const TrainPlace *place = *state;
    TrainCase test;
    TrainerOptions options = train_place_options(4, 1);
    train_case_open(&test, place, &options, NULL);
    char *folder = checkpoint_folder(place->folder, 10);
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        for (int cut = 0; cut < 2; cut++) {
            write_step(place, &test, 10, INFINITY, 0, 1);
            char path[400];
            snprintf(path, sizeof path, "%s/%s", folder, FILES[i]);
            FileBytes bytes;
            Error err = {""};
            support_require(file_read(&bytes, path, 0, &err), &err);
            unsigned char *copy = malloc(bytes.size_bytes);
            memcpy(copy, bytes.bytes, bytes.size_bytes);
            copy[bytes.size_bytes / 2] ^= cut == 0 ? 1 : 0;
            write_raw(path, copy, bytes.size_bytes - (size_t)cut);
            file_close(&bytes);
            free(copy);
            CheckpointState found;
            assert_false(checkpoint_open(&found, folder, &err));
            assert_non_null(strstr(err.text, FILES[i]));
            assert_non_null(strstr(err.text, cut == 0 ? "expected the checksum" : "bytes, found"));
        }
    }
    free(folder);
    train_case_close(&test);
}

static void require_damage(const char *folder, size_t at) {
    CheckpointState found;
    Error err = {""};
    if (checkpoint_open(&found, folder, &err) || strstr(err.text, "state.json: damaged") == NULL) {
        fail_msg("byte %zu: %s", at, err.text);
    }
}

// The settings of a run are in no other file.
static void a_bit_of_the_state_is_missed(void **state) {
    const TrainPlace *place = *state;
    TrainCase test;
    Error err = {""};
    FileBytes bytes;
    char path[400];
    TrainerOptions options = train_place_options(4, 1);
    train_case_open(&test, place, &options, NULL);
    write_step(place, &test, 10, 1.0 / 3.0, 10, 1);
    char *folder = checkpoint_folder(place->folder, 10);
    snprintf(path, sizeof path, "%s/state.json", folder);
    support_require(file_read(&bytes, path, 0, &err), &err);
    unsigned char *copy = malloc(bytes.size_bytes);
    for (size_t i = 0; i < bytes.size_bytes; i++) {
        write_raw(path, bytes.bytes, i);
        require_damage(folder, i);
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, bytes.bytes, bytes.size_bytes);
            copy[i] ^= (unsigned char)(1 << bit);
            write_raw(path, copy, bytes.size_bytes);
            require_damage(folder, i);
        }
    }
    write_raw(path, bytes.bytes, bytes.size_bytes);
    CheckpointState found;
    support_require(checkpoint_open(&found, folder, &err), &err);
    assert_true(found.best_loss == 1.0 / 3.0); // to the last digit: it decides which is the best
    checkpoint_state_free(&found);
    file_close(&bytes);
    free(copy);
    free(folder);
    train_case_close(&test);
}

// Only who holds the folder's lock may remove it: it may be a live run's.
static void what_a_killed_writer_left_is_no_checkpoint(void **state) {
    const TrainPlace *place = *state;
    Error err = {""};
    char path[400];
    char file[500];
    char link[400];
    snprintf(path, sizeof path, "%s/.new-step-00000030", place->folder);
    snprintf(file, sizeof file, "%s/model.safetensors", path);
    snprintf(link, sizeof link, "%s/.link-last", place->folder);
    support_require(file_make_folder(path, NULL, &err), &err);
    support_require(file_save(file, "half", 4, &err), &err);
    assert_int_equal(symlink("data", link), 0);
    require_steps(place, (const int64_t[]){0}, 0);
    assert_true(file_exists(file));
    support_require(checkpoint_clean(place->folder, &err), &err);
    assert_false(file_exists(path));
    assert_false(file_exists(link));
    snprintf(file, sizeof file, "%s/dataset.json", place->data);
    assert_true(file_exists(file)); // what a link points to stays
}

// As `cp -rL` and `scp -r` make them.
static void a_copy_without_links_gets_them_again(void **state) {
    const TrainPlace *place = *state;
    TrainCase test;
    char command[1200];
    TrainerOptions options = train_place_options(4, 1);
    train_case_open(&test, place, &options, NULL);
    write_step(place, &test, 10, 1.0, 10, 2);
    snprintf(command, sizeof command,
             "cd '%s' && cp -rL . ../copy-of-$$ && rm -r -- * && mv ../copy-of-$$/* . && "
             "rm -r ../copy-of-$$ && [ ! -L last ] && [ ! -L model.safetensors ]",
             place->folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a folder of our own
    write_step(place, &test, 20, 1.0, 10, 2);
    static const char *const LINKS[][2] = {{"last", "step-00000020"},
                                           {"best", "step-00000010"},
                                           {"model.safetensors", "best/model.safetensors"},
                                           {"tokenizer.tokenizer", "best/tokenizer.tokenizer"}};
    for (size_t i = 0; i < sizeof LINKS / sizeof LINKS[0]; i++) {
        char path[400];
        char target[64] = "";
        snprintf(path, sizeof path, "%s/%s", place->folder, LINKS[i][0]);
        assert_true(readlink(path, target, sizeof target - 1) > 0);
        assert_string_equal(target, LINKS[i][1]);
    }
    require_steps(place, (const int64_t[]){10, 20}, 2);
    train_case_close(&test);
}

static void numbers_that_are_none_are_not_written(void **state) {
    const TrainPlace *place = *state;
    TrainCase test;
    TrainerOptions options = train_place_options(4, 1);
    train_case_open(&test, place, &options, NULL);
    write_step(place, &test, 10, INFINITY, 0, 1);
    CheckpointState next = {.step = 20, .best_loss = INFINITY};
    CheckpointParts parts = {&test.model, &test.trainer.optimizer, &place->tokenizer};
    float *const NUMBERS[] = {test.model.params.values, test.trainer.optimizer.m.values,
                              test.trainer.optimizer.v.values};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        Error err = {""};
        float before = NUMBERS[i][5];
        NUMBERS[i][5] = i == 0 ? NAN : -INFINITY;
        assert_false(checkpoint_write(place->folder, &next, &parts, 1, &err));
        assert_non_null(strstr(err.text, "NaN or infinite"));
        NUMBERS[i][5] = before;
    }
    require_steps(place, (const int64_t[]){10}, 1);
    train_case_close(&test);
}

static void a_checkpoint_that_cannot_be_written_leaves_the_others(void **state) {
    const TrainPlace *place = *state;
    TrainCase test;
    Error err = {""};
    char blocked[400];
    TrainerOptions options = train_place_options(4, 1);
    train_case_open(&test, place, &options, NULL);
    write_step(place, &test, 10, INFINITY, 0, 1);
    // Something in the way of the new folder that is no folder: even root cannot write there.
    snprintf(blocked, sizeof blocked, "%s/.new-step-00000020", place->folder);
    support_require(file_save(blocked, "x", 1, &err), &err);
    CheckpointState next = {.step = 20, .best_loss = INFINITY};
    CheckpointParts parts = {&test.model, &test.trainer.optimizer, &place->tokenizer};
    assert_false(checkpoint_write(place->folder, &next, &parts, 1, &err));
    assert_true(error_is_set(&err));
    require_steps(place, (const int64_t[]){10}, 1);
    CheckpointState found;
    char *folder = checkpoint_folder(place->folder, 10);
    err = (Error){""};
    support_require(checkpoint_open(&found, folder, &err), &err);
    checkpoint_state_free(&found);
    free(folder);
    train_case_close(&test);
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        PLACE_TEST(a_run_goes_on_from_a_checkpoint_bit_for_bit),
        PLACE_TEST(the_last_ones_and_the_best_are_kept),
        PLACE_TEST(a_step_is_written_over_whole),
        PLACE_TEST(damage_is_found),
        PLACE_TEST(a_bit_of_the_state_is_missed),
        PLACE_TEST(what_a_killed_writer_left_is_no_checkpoint),
        PLACE_TEST(a_copy_without_links_gets_them_again),
        PLACE_TEST(numbers_that_are_none_are_not_written),
        PLACE_TEST(a_checkpoint_that_cannot_be_written_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
