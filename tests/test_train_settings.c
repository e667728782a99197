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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_come_back),
        cmocka_unit_test(a_setting_that_is_missing_or_of_another_type_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
