// test_json_text.c - JSON is read strictly, and numbers come back exact.
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/files/json_text.h"

static json_t *parse(const char *text, Error *err) {
    return json_text_parse(text, strlen(text), "config.json", err);
}

static void faults_name_file_and_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {"{\n\"a\": 1,\n\"a\": 2}", "config.json:3: expected valid JSON"},
        {"{\"a\": tru}", "config.json:1: "},
        {"", "config.json:1: "},
        {"{} x", "config.json:1: "},
        {"{\"a\\u0000\": 1}", "config.json:1: "},
        {"{\"\xff\": 1}", "config.json:1: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error err = {0};
        assert_null(parse(cases[i].text, &err));
        assert_non_null(strstr(err.text, cases[i].sentence));
        assert_null(strchr(err.text, '\n'));
    }
}

static void fields_are_read_by_their_type(void **state) {
    (void)state;
    static const char *const norms[] = {"standard", "annotated"};
    Error err = {0};
    json_t *object =
        parse("{\"n\": 3, \"eps\": 1e-5, \"one\": 1, \"tie\": true, \"name\": \"toy\", "
              "\"norm\": \"annotated\", \"none\": null}",
              &err);
    JsonFields in = json_text_fields(object, "config.json", &err);
    assert_int_equal(json_text_int(&in, "n", 1, 8), 3);
    assert_int_equal(json_text_int_or(&in, "absent", 1, 8, 7), 7);
    assert_int_equal(json_text_int_or(&in, "none", 1, 8, 7), 7);
    assert_true(json_text_number(&in, "eps", 0.0, 1.0) == 1e-5);
    assert_true(json_text_number(&in, "one", 0.0, 1.0) == 1.0);
    assert_true(json_text_bool(&in, "tie"));
    assert_true(json_text_bool_or(&in, "absent", true));
    assert_string_equal(json_text_string(&in, "name"), "toy");
    assert_string_equal(json_text_string_or(&in, "absent", "x"), "x");
    assert_int_equal(json_text_choice(&in, "norm", norms, 2), 1);
    assert_int_equal(json_text_choice_or(&in, "absent", norms, 2, 0), 0);
    assert_true(in.ok);
    json_decref(object);
}

static void the_first_wrong_field_is_told(void **state) {
    (void)state;
    static const char *const norms[] = {"standard", "annotated", "none"};
    Error err = {0};
    json_t *object = parse("{\"n_head\": \"x\", \"norm\": \"bad\"}", &err);
    JsonFields in = json_text_fields(object, "config.json", &err);
    assert_int_equal(json_text_int(&in, "n_head", 1, 1024), 0);
    assert_int_equal(json_text_int(&in, "other", 1, 1024), 0);
    assert_string_equal(json_text_string(&in, "other"), "");
    assert_false(in.ok);
    assert_string_equal(err.text, "config.json: \"n_head\": expected an integer from 1 to 1024, "
                                  "found \"x\"");
    err = (Error){0};
    in = json_text_fields(object, "config.json", &err);
    json_text_choice(&in, "norm", norms, 3);
    assert_string_equal(err.text, "config.json: \"norm\": expected \"standard\", \"annotated\" or "
                                  "\"none\", found \"bad\"");
    err = (Error){0};
    in = json_text_fields(object, "config.json", &err);
    json_text_number(&in, "missing", 0.0, 1.0);
    assert_string_equal(
        err.text, "config.json: \"missing\": expected a number from 0 to 1, found no such key");
    json_decref(object);
}

static void numbers_outside_their_range_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"{\"n\": 0}",    "{\"n\": 9}",          "{\"n\": 3.0}",
                                        "{\"n\": true}", "{\"n\": 4294967297}", "{\"n\": [3]}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        Error err = {0};
        json_t *object = parse(texts[i], &err);
        JsonFields in = json_text_fields(object, "config.json", &err);
        json_text_int(&in, "n", 1, 8);
        assert_false(in.ok);
        assert_non_null(strstr(err.text, "expected an integer from 1 to 8, found "));
        json_decref(object);
    }
}

static void assert_digits(float value, const char *digits) {
    char text[JSON_TEXT_FLOAT_BYTES];
    assert_string_equal(json_text_float(value, text), digits);
}

static void floats_are_as_short_as_can_be(void **state) {
    (void)state;
    assert_digits(0.1F, "0.1");
    assert_digits(-0.0F, "-0");
    assert_digits(1.0F, "1");
    assert_digits(1.0F / 3.0F, "0.33333334");
    assert_digits(16777216.0F, "16777216");
    assert_digits(3.4028235e38F, "3.4028235e+38");
    assert_digits(1e-45F, "1e-45");
    assert_digits(1.17549435e-38F, "1.1754944e-38");
    assert_digits(INFINITY, "inf");
    assert_digits(-INFINITY, "-inf");
    assert_digits(NAN, "nan");
}

static void floats_come_back_with_all_their_bits(void **state) {
    (void)state;
    uint32_t bits = 12345;
    for (int i = 0; i < 200000; i++) {
        char text[JSON_TEXT_FLOAT_BYTES];
        float value;
        float back;
        bits = bits * 1664525U + 1013904223U;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        back = strtof(json_text_float(value, text), NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

// The shortest of printf's forms with 1 to 9 digits that reads back.
static size_t least_length(float value) {
    char text[64];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) {
            break;
        }
    }
    return strlen(text);
}

static void no_shorter_decimal_reads_back(void **state) {
    (void)state;
    static const float chosen[] = {999999.9F, 1e-4F, 9.9999e-5F, 1e22F, 1e10F, 8388608.5F};
    uint32_t bits = 4321;
    for (int i = 0; i < 40000; i++) {
        bits = bits * 1664525U + 1013904223U;
        float value = (float)(bits >> 8) * 0x1p-24F * (i % 2 == 0 ? 1.0F : 1000.0F);
        value = i < (int)(sizeof chosen / sizeof chosen[0]) ? chosen[i] : value;
        if (value > 0) {
            char text[JSON_TEXT_FLOAT_BYTES];
            assert_in_range(strlen(json_text_float(value, text)), 1, least_length(value));
        }
    }
}

static void written_json_is_valid(void **state) {
    (void)state;
    FileWriter writer;
    FileBytes text;
    Error err = {0};
    support_require(file_writer_open_memory(&writer, &err), &err);
    file_writer_text(&writer, "[");
    json_text_write_float(&writer, -INFINITY);
    file_writer_text(&writer, ",");
    json_text_write_float(&writer, 2.5e-7F);
    file_writer_text(&writer, ",");
    json_text_write_string(
        &writer, "a\"\\\n\x7f\xc2\x9b \xe4\xb8\xad\xff\xe2\x80\xa8\xe2\x80\x8b\xf3\xa0\x81\x81");
    file_writer_text(&writer, "]");
    support_require(file_writer_take(&writer, &text, &err), &err);
    assert_string_equal((const char *)text.bytes,
                        "[\"-inf\",2.5e-07,\"a\\\"\\\\\\u000a\\u007f\\u009b "
                        "\xe4\xb8\xad\xef\xbf\xbd\\u2028\\u200b\\udb40\\udc41\"]");
    json_t *value = parse((const char *)text.bytes, &err);
    assert_non_null(value);
    assert_string_equal(
        json_string_value(json_array_get(value, 2)),
        "a\"\\\n\x7f\xc2\x9b \xe4\xb8\xad\xef\xbf\xbd\xe2\x80\xa8\xe2\x80\x8b\xf3\xa0\x81\x81");
    json_decref(value);
    file_close(&text);
}

// Such as transformers' model_max_length, 1000000000000000019884624838656.
static void numbers_too_wide_harm_only_where_they_are_read(void **state) {
    (void)state;
    char digits[401] = "";
    memset(digits, '7', sizeof digits - 1);
    const char *const wide[] = {"9223372036854775808",
                                "-9223372036854775809",
                                "1000000000000000019884624838656",
                                "1e999",
                                "-1E+999",
                                "1.5e99999",
                                digits};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        char text[1000];
        Error err = {""};
        snprintf(text, sizeof text,
                 "{\"wide\": %s, \"1e999\": \"1e999 \\\" 1e999\", \"e\": [true, %s], \"n\": 3}",
                 wide[i], wide[i]);
        json_t *object = parse(text, &err);
        support_require(object != NULL, &err);
        JsonFields fields = json_text_fields(object, "config.json", &err);
        assert_int_equal(json_text_int(&fields, "n", 0, 9), 3);
        assert_string_equal(json_text_string(&fields, "1e999"), "1e999 \" 1e999");
        const double value = json_number_value(json_object_get(object, "wide"));
        assert_true(wide[i][0] == '-' ? value < -9e18 : value > 9e18);
        assert_int_equal(json_text_int(&fields, "wide", 0, 9), 0);
        assert_false(fields.ok);
        assert_non_null(strstr(err.text, "\"wide\": expected an integer from 0 to 9, found "));
        json_decref(object);
    }
    Error err = {""};
    assert_null(parse("{\"a\": 1e999,\n\"b\": 1e999, tru}", &err));
    assert_non_null(
        strstr(err.text, "config.json:2: expected valid JSON, column 15")); // where tru ends
}

static void bytes_that_are_no_text_come_back(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        "", "plain \\x41.txt", "caf\xc3\xa9", "caf\xe9.txt", "\\x41\xff\\", "\xf0\x9f\x98"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        json_t *value = json_text_from_bytes(TEXTS[i]);
        char *written = json_dumps(value, JSON_ENCODE_ANY);
        json_t *read = json_loads(written, JSON_DECODE_ANY, NULL);
        char *bytes = json_text_to_bytes(read);
        assert_string_equal(bytes, TEXTS[i]);
        free(bytes);
        free(written);
        json_decref(read);
        json_decref(value);
    }
    json_t *number = json_integer(1);
    assert_null(json_text_to_bytes(number));
    json_decref(number);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_name_file_and_line),
        cmocka_unit_test(fields_are_read_by_their_type),
        cmocka_unit_test(the_first_wrong_field_is_told),
        cmocka_unit_test(numbers_outside_their_range_are_refused),
        cmocka_unit_test(numbers_too_wide_harm_only_where_they_are_read),
        cmocka_unit_test(bytes_that_are_no_text_come_back),
        cmocka_unit_test(floats_are_as_short_as_can_be),
        cmocka_unit_test(floats_come_back_with_all_their_bits),
        cmocka_unit_test(no_shorter_decimal_reads_back),
        cmocka_unit_test(written_json_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
