// test_train_settings.c - the settings of a run come back whole from its checkpoints.
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "app/train/train_settings.h"

static json_t *whole_settings(void) {
    TrainSettings settings;
    train_settings_defaults(&settings);
    settings.data = "text.txt";
    return train_settings_to_json(&settings);
}

static void settings_come_back(void **state) {
    (void)state;
    Arena arena = {0};
    Error err = {""};
    TrainSettings found;
    json_t *object = whole_settings();
    support_require(train_settings_from_json(&found, object, "x", &arena, &err), &err);
    assert_string_equal(found.data, "text.txt");
    assert_string_equal(found.optimizer, "adamw");
    assert_null(found.prompt);
    assert_true(isnan(found.dropout));
    assert_int_equal(found.batch, 8);
    assert_int_equal(found.paragraphs, 0);
    assert_true(found.lr == 1e-3);
    json_decref(object);
    arena_free(&arena);
}

// Without this a run would go on with others, or with NULL.
static void a_setting_that_is_missing_or_of_another_type_is_refused(void **state) {
    (void)state;
    Arena arena = {0};
    TrainSettings found;
    json_t *whole = whole_settings();
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(whole, key, value) {
        for (int wrong = 0; wrong < 2; wrong++) {
            Error err = {""};
            json_t *object = json_deep_copy(whole);
            json_object_del(object, key);
            if (wrong == 1) {
                json_object_set_new(object, key, json_array());
            }
            assert_false(train_settings_from_json(&found, object, "x", &arena, &err));
            assert_non_null(strstr(err.text, key));
            json_decref(object);
        }
    }
    json_decref(whole);
    arena_free(&arena);
}

// What a person types is what is kept, not the float next to it.
static void a_presets_decimals_stay_as_they_were_written(void **state) {
    (void)state;
    Preset preset = {.training = {.batch = 4,
                                  .optimizer = {.lr = 0.002F,
                                                .beta1 = 0.9F,
                                                .beta2 = 0.99F,
                                                .eps = 1e-9F,
                                                .decay = 0.1F,
                                                .clip = 1.0F}}};
    TrainSettings settings;
    train_settings_defaults(&settings);
    assert_true(settings.beta1 == 0.9);
    train_settings_from_preset(&settings, &preset);
    assert_true(settings.lr == 0.002);
    assert_true(settings.beta2 == 0.99);
    assert_true(settings.eps == 1e-9);
}

static void only_what_is_another_in_effect_is_refused(void **state) {
    (void)state;
    const struct {
        TrainSettings given;
        const char *refused; // the option of the sentence; NULL: none
    } CASES[] = {
        {{.lr = 0.002}, NULL},
        {{.lr = (double)0.002F}, NULL},
        {{.lr = 0.003}, "--lr"},
        {{.data = "/dev/./null"}, NULL},
        {{.data = "/dev/zero"}, "--data"},
        {{.format = "text"}, NULL},
        {{.format = "jsonl"}, "--format"},
        {{.separator = "<|endoftext|>"}, NULL},
        {{.separator = "##"}, "--separator"},
        {{.field = "text"}, NULL},
        {{.field = "body"}, "--field"},
        {{.paragraphs = 1}, "--paragraphs"},
        {{.batch = 8}, NULL},
        {{.batch = 9}, "--batch"},
        {{.steps = 7}, NULL},
        {{.prompt = "one"}, NULL},
    };
    TrainSettings stored;
    train_settings_defaults(&stored);
    stored.data = "/dev/null";
    stored.lr = 0.002;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        TrainCommand command;
        Option options[TRAIN_MAX_OPTIONS];
        Error err = {""};
        train_settings_options(&command, options); // nothing is given
        TrainSettings *given = &command.given;
        const TrainSettings *one = &CASES[i].given;
        given->lr = one->lr > 0.0 ? one->lr : given->lr;
        given->data = one->data;
        given->format = one->format;
        given->separator = one->separator;
        given->field = one->field;
        given->prompt = one->prompt;
        given->batch = one->batch > 0 ? one->batch : given->batch;
        given->steps = one->steps > 0 ? one->steps : given->steps;
        given->paragraphs = one->paragraphs > 0 ? one->paragraphs : given->paragraphs;
        bool ok = train_settings_may_resume(&stored, given, "", &err);
        if (ok != (CASES[i].refused == NULL) ||
            (!ok && strncmp(err.text, CASES[i].refused, strlen(CASES[i].refused)) != 0)) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_come_back),
        cmocka_unit_test(a_presets_decimals_stay_as_they_were_written),
        cmocka_unit_test(only_what_is_another_in_effect_is_refused),
        cmocka_unit_test(a_setting_that_is_missing_or_of_another_type_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
