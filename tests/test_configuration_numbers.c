// test_configuration_numbers.c - numbers of a config.json that cannot be are refused, in every
// family.
#include "tests/support.h"

#include <string.h>

#include "engine/files/json_text.h"
#include "engine/models/config.h"
#include "engine/models/family.h"

// Every field that is a number, of every family: what cannot be is refused in a sentence that names
// it. The least and the greatest of what can be are taken.
typedef struct NumberField {
    FamilyKind family;
    const char *key;
    const char *bad[8]; // besides those of EVERY
    const char *good[4];
} NumberField;

#define SIZE_FIELD(family, key)                                                                    \
    {                                                                                              \
        family, key, {"0", "1e3", "1.5", "99999999"}, {                                            \
            "2"                                                                                    \
        }                                                                                          \
    }
#define SHARE_FIELD(family, key)                                                                   \
    {                                                                                              \
        family, key, {"-0.1", "1", "2"}, {                                                         \
            "0", "0.0", "0.9"                                                                      \
        }                                                                                          \
    }
#define ID_FIELD(family, key)                                                                      \
    {                                                                                              \
        family, key, {"20", "1.0", "50257"}, {                                                     \
            "0", "19"                                                                              \
        }                                                                                          \
    }

static const NumberField NUMBER_FIELDS[] = {
    {FAMILY_GPT2, "vocab_size", {"0", "1", "1.5", "99999999"}, {"5", "50257"}},
    SIZE_FIELD(FAMILY_GPT2, "n_positions"),
    {FAMILY_GPT2, "n_embd", {"0", "7", "8.0", "99999999"}, {"2", "16"}},
    {FAMILY_GPT2, "n_head", {"0", "3", "16", "2.0"}, {"1", "8"}},
    SIZE_FIELD(FAMILY_GPT2, "n_layer"),
    SIZE_FIELD(FAMILY_GPT2, "n_inner"),
    {FAMILY_GPT2, "layer_norm_epsilon", {"0", "-1e-5", "0.0", "1e-30", "2"}, {"1e-12", "0.5"}},
    {FAMILY_GPT2, "initializer_range", {"0", "-0.02", "11"}, {"0.5", "1"}},
    SHARE_FIELD(FAMILY_GPT2, "resid_pdrop"),
    SHARE_FIELD(FAMILY_GPT2, "embd_pdrop"),
    SHARE_FIELD(FAMILY_GPT2, "attn_pdrop"),
    SHARE_FIELD(FAMILY_GPT2, "label_smoothing"),
    {FAMILY_GPT2, "bos_token_id", {"20", "1.0", "50257", "[1]"}, {"0", "19", "50256", "null"}},
    {FAMILY_GPT2,
     "eos_token_id",
     {"20", "1.0", "50257", "[1, 20]", "[-1]", "[\"a\"]"},
     {"0", "19", "50256", "[1, 50256, 19]"}},
    {FAMILY_STORY, "vocab_size", {"0", "1", "1.5", "99999999"}, {"5"}},
    {FAMILY_STORY, "d_model", {"0", "7", "99999999"}, {"16"}},
    {FAMILY_STORY, "n_heads", {"0", "3"}, {"1", "8"}},
    SHARE_FIELD(FAMILY_STORY, "label_smoothing"),
    {FAMILY_ENCODER_DECODER, "vocab_size", {"0", "1", "1.5", "99999999"}, {"5"}},
    {FAMILY_ENCODER_DECODER, "d_model", {"0", "7", "99999999"}, {"16"}},
    {FAMILY_ENCODER_DECODER, "n_heads", {"0", "3"}, {"1", "8"}},
    SIZE_FIELD(FAMILY_ENCODER_DECODER, "n_layers"),
    SIZE_FIELD(FAMILY_ENCODER_DECODER, "d_ff"),
    ID_FIELD(FAMILY_ENCODER_DECODER, "pad_id"),
    ID_FIELD(FAMILY_ENCODER_DECODER, "bos_id"),
    SHARE_FIELD(FAMILY_ENCODER_DECODER, "dropout"),
    SHARE_FIELD(FAMILY_ENCODER_DECODER, "label_smoothing"),
    {FAMILY_SEQ2SEQ, "vocab_size", {"0", "1", "1.5", "99999999"}, {"5"}},
    {FAMILY_SEQ2SEQ, "d_model", {"0", "99999999"}, {"16"}},
    SIZE_FIELD(FAMILY_SEQ2SEQ, "n_layers"),
    ID_FIELD(FAMILY_SEQ2SEQ, "pad_id"),
    ID_FIELD(FAMILY_SEQ2SEQ, "bos_id"),
    SHARE_FIELD(FAMILY_SEQ2SEQ, "dropout"),
    SHARE_FIELD(FAMILY_SEQ2SEQ, "label_smoothing"),
    {FAMILY_POINTS, "vocab_size", {"0", "1", "1.5", "10", "99999999"}, {"6", "1683"}},
    {FAMILY_SVM, "vocab_size", {"0", "1", "1.5", "10", "99999999"}, {"6", "1683"}},
    {FAMILY_SVM, "gamma", {"0", "1e-7", "1e7"}, {"1e-6", "2"}},
    {FAMILY_SVM, "cost", {"0", "1e-7", "1e7"}, {"1e-6", "10"}},
};

static json_t *config_of(FamilyKind family) {
    static const char *const TEXTS[FAMILY_COUNT] = {
        [FAMILY_GPT2] = "{\"model_type\": \"gpt2\", \"vocab_size\": 20, \"n_positions\": 8, "
                        "\"n_embd\": 8, \"n_layer\": 1, \"n_head\": 2}",
        [FAMILY_STORY] = "{\"family\": \"story\", \"vocab_size\": 20, \"d_model\": 8, "
                         "\"n_heads\": 2, \"heads\": \"parallel\"}",
        [FAMILY_ENCODER_DECODER] = "{\"family\": \"encoder-decoder\", \"vocab_size\": 20, "
                                   "\"d_model\": 8, \"n_heads\": 2, \"n_layers\": 1, "
                                   "\"d_ff\": 8}",
        [FAMILY_SEQ2SEQ] = "{\"family\": \"seq2seq\", \"vocab_size\": 20, \"d_model\": 8}",
        [FAMILY_POINTS] = "{\"family\": \"points\", \"vocab_size\": 11}",
        [FAMILY_SVM] = "{\"family\": \"svm\", \"vocab_size\": 11}",
    };
    Error err = {""};
    assert_non_null(TEXTS[family]);
    json_t *object = json_text_parse(TEXTS[family], strlen(TEXTS[family]), "config.json", &err);
    support_require(object != NULL, &err);
    return object;
}

static void check_number(const NumberField *field, const char *value, bool is_good) {
    json_t *object = config_of(field->family);
    ModelConfig config;
    Error err = {""};
    char text[200];
    snprintf(text, sizeof text, "{\"value\": %s}", value);
    json_t *holder = json_text_parse(text, strlen(text), "value", &err);
    support_require(holder != NULL, &err);
    json_object_set(object, field->key, json_object_get(holder, "value"));
    const bool ok = config_read(&config, object, "config.json", &err);
    if (ok != is_good) {
        fail_msg("%s: %s is %s", field->key, value, ok ? "taken" : err.text);
    }
    if (!ok && strstr(err.text, field->key) == NULL && strstr(err.text, "heads do not") == NULL) {
        fail_msg("%s: %s: the sentence does not name it: %s", field->key, value, err.text);
    }
    json_decref(holder);
    json_decref(object);
}

static void numbers_that_cannot_be_are_refused(void **state) {
    (void)state;
    static const char *const EVERY[] = {"-1",    "-2147483649", "1e999", "123456789012345678901",
                                        "\"2\"", "true",        "{}"};
    for (size_t i = 0; i < sizeof NUMBER_FIELDS / sizeof NUMBER_FIELDS[0]; i++) {
        const NumberField *field = &NUMBER_FIELDS[i];
        for (size_t k = 0; k < sizeof EVERY / sizeof EVERY[0]; k++) {
            check_number(field, EVERY[k], false);
        }
        for (size_t k = 0; k < 8 && field->bad[k] != NULL; k++) {
            check_number(field, field->bad[k], false);
        }
        for (size_t k = 0; k < 4 && field->good[k] != NULL; k++) {
            check_number(field, field->good[k], true);
        }
    }
}

// No number of any family's configuration is missing above.
static void every_number_of_a_configuration_is_tried(void **state) {
    (void)state;
    for (int family = 0; family < FAMILY_COUNT; family++) {
        json_t *object = config_of((FamilyKind)family);
        ModelConfig config;
        FileBytes text = {0};
        Error err = {""};
        support_require(config_read(&config, object, "config.json", &err), &err);
        json_decref(object);
        assert_true(config_to_text(&config, &text));
        object = json_text_parse((const char *)text.bytes, text.size_bytes, "config.json", &err);
        support_require(object != NULL, &err);
        const char *key = NULL;
        json_t *value = NULL;
        json_object_foreach(object, key, value) {
            bool is_tried =
                !json_is_number(value) || strcmp(key, "eos_id") == 0; // -1 is none there
            for (size_t i = 0; i < sizeof NUMBER_FIELDS / sizeof NUMBER_FIELDS[0]; i++) {
                is_tried = is_tried || (NUMBER_FIELDS[i].family == (FamilyKind)family &&
                                        strcmp(NUMBER_FIELDS[i].key, key) == 0);
            }
            if (!is_tried) {
                fail_msg("family %d: \"%s\" is not tried", family, key);
            }
        }
        json_decref(object);
        file_close(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(every_number_of_a_configuration_is_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
