// test_utf8.c - every character is read as it was written, and nothing else is a character.
#include "engine/base/utf8.h"

#include <string.h>
#include <utf8proc.h>

#include "engine/base/error.h"
#include "tests/support.h"

static void every_code_point_is_read_as_written(void **state) {
    (void)state;
    for (int32_t code = 0; code <= 0x10FFFF; code++) {
        char bytes[5] = "";
        size_t length = utf8_write(code, bytes);
        size_t n = 0;
        int32_t found = utf8_next(bytes, sizeof bytes, &n);
        if (code >= 0xD800 && code <= 0xDFFF) { // surrogates are no characters
            assert_int_equal(found, -1);
            assert_int_equal(n, 1);
            continue;
        }
        assert_int_equal(found, code);
        assert_int_equal(n, length);
        for (size_t i = 0; i < length; i++) {
            assert_int_equal(utf8_is_inside(bytes[i]), i > 0);
        }
        if (code > 0) {
            assert_int_equal(utf8_character(bytes, &found), length);
            assert_int_equal(found, code);
        }
        if (length > 1) { // cut short
            assert_int_equal(utf8_next(bytes, length - 1, &n), -1);
            assert_int_equal(n, 1);
        }
    }
}

static void what_is_no_character_is_one_byte_or_one_sign(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n_replaced; // the bytes that one U+FFFD stands for
    } CASES[] = {
        {"\x80", 1},         {"\xC0\x80", 1},         {"\xC1\xBF", 1}, {"\xC3(", 1},
        {"\xE0\x80\x80", 1}, {"\xE2\x96", 2},         {"\xE2(", 1},    {"\xED\xA0\x80", 1},
        {"\xF0\x9F\x98", 3}, {"\xF4\x90\x80\x80", 1}, {"\xF5", 1},     {"\xFF", 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        size_t n = 0;
        int32_t code = 0;
        assert_int_equal(utf8_next(CASES[i].bytes, strlen(CASES[i].bytes), &n), -1);
        assert_int_equal(n, 1);
        assert_int_equal(utf8_character(CASES[i].bytes, &code), CASES[i].n_replaced);
        assert_int_equal(code, -1);
    }
}

static void codes_that_act_on_a_terminal_are_control_codes(void **state) {
    (void)state;
    static const int32_t ACTS[] = {-1, 0, 0x1B, 0x7F, 0x9B, 0x061C, 0x200F, 0x2028, 0x202E, 0x2066};
    static const int32_t STAYS[] = {' ', 'a', 0xA0, 0xE9, 0x200D, 0x2581, 0x4E2D, 0x1F600};
    for (size_t i = 0; i < sizeof ACTS / sizeof ACTS[0]; i++) {
        assert_true(utf8_is_control(ACTS[i]));
    }
    for (size_t i = 0; i < sizeof STAYS / sizeof STAYS[0]; i++) {
        assert_false(utf8_is_control(STAYS[i]));
    }
}

// Words from outside that a sentence cuts end with a whole character; bytes that were broken before
// are shown.
static void sentences_cut_words_at_a_character(void **state) {
    (void)state;
    static const char *const SIGNS[] = {"é", "中", "\xF0\x9F\x81\xA2"};
    for (size_t sign = 0; sign < 3; sign++) {
        for (size_t before = 0; before < 44; before++) {
            char words[64] = "";
            memset(words, 'a', before);
            size_t width = strlen(SIGNS[sign]);
            for (size_t at = before; at + width < sizeof words; at += width) {
                memcpy(words + at, SIGNS[sign], width);
            }
            size_t kept = before >= 40 ? 40 : before + (40 - before) / width * width;
            char expected[80] = "found \"";
            strncat(expected, words, kept);
            size_t end = 7 + kept;
            bool is_cut = strlen(words) > 40;
            memcpy(expected + end, is_cut ? "...\"" : "\"", is_cut ? 5 : 2);
            Error err = {""};
            assert_false(error_set(&err, "found \"%.40s\"", words));
            assert_string_equal(err.text, expected);
            err.text[0] = '\0';
            expected[strlen(expected) - 1] = '\0';
            assert_false(error_set(&err, "%.40s", words));
            assert_string_equal(err.text, expected + 7);
        }
    }
    Error err = {""};
    error_set(&err, "found \"%.40s\"", "a\xE4\xB8");
    assert_string_equal(err.text, "found \"a\\xe4\\xb8\"");
}

// Every format character is one of these: it acts, it is invisible, or it has its place in a
// script.
static void format_characters_are_shown_unless_a_script_needs_them(void **state) {
    (void)state;
    static const int32_t KEPT[][2] = {
        {0x200c, 0x200d},                                         // joiners
        {0x0600, 0x0605},   {0x06dd, 0x06dd},   {0x070f, 0x070f}, // signs that can be seen, around
        {0x0890, 0x0891},   {0x08e2, 0x08e2},                     // the digits behind them
        {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
    };
    int n_shown = 0;
    for (int32_t code = 0; code <= 0x10ffff; code++) {
        if (utf8proc_category(code) != UTF8PROC_CATEGORY_CF) {
            continue;
        }
        bool is_kept = false;
        for (size_t i = 0; i < sizeof KEPT / sizeof KEPT[0]; i++) {
            is_kept = is_kept || (code >= KEPT[i][0] && code <= KEPT[i][1]);
        }
        if (utf8_is_hidden(code) == is_kept) {
            fail_msg("U+%04X is %s", (unsigned)code, is_kept ? "hidden" : "let through");
        }
        n_shown += !is_kept;
    }
    assert_true(n_shown > 100);
    // Letters, marks, selectors and spaces stay, and so does every emoji.
    for (int32_t code = 0x20; code <= 0x10ffff; code++) {
        const utf8proc_category_t category = utf8proc_category(code);
        const bool is_filler = code == 0x034f || code == 0x3164 || code == 0xffa0;
        if (category != UTF8PROC_CATEGORY_CF && category != UTF8PROC_CATEGORY_CC &&
            category != UTF8PROC_CATEGORY_CN && category != UTF8PROC_CATEGORY_ZL &&
            category != UTF8PROC_CATEGORY_ZP && !is_filler) {
            assert_false(utf8_is_hidden(code));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_is_read_as_written),
        cmocka_unit_test(what_is_no_character_is_one_byte_or_one_sign),
        cmocka_unit_test(codes_that_act_on_a_terminal_are_control_codes),
        cmocka_unit_test(format_characters_are_shown_unless_a_script_needs_them),
        cmocka_unit_test(sentences_cut_words_at_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
