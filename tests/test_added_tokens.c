// test_added_tokens.c - tokens that a text may name: where they are found, and what they take.
#include "tests/support.h"
#include "tests/support_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/tokenizers/byte_level/byte_level.h"

enum { LETTER_A = 0, SPACE = 26, ADDED = 27, SECOND = 28 };

// Pieces: a to z, the space, then the added tokens, each "id 27 or 28" and what comes after.
static void load(Tokenizer *tokenizer, const char *normalizer, const char *added) {
    Buffer json = {0};
    Error err = {0};
    buffer_format(&json,
                  "{\"added_tokens\":[%s],\"normalizer\":%s,\"pre_tokenizer\":{\"type\":"
                  "\"ByteLevel\",\"add_prefix_space\":false},\"model\":{\"type\":\"BPE\","
                  "\"merges\":[],\"vocab\":{",
                  added, normalizer);
    for (int c = 'a'; c <= 'z'; c++) {
        buffer_format(&json, "\"%c\":%d,", c, c - 'a');
    }
    buffer_append_text(&json, "\"\\u0120\":26}}}");
    support_require(support_load_tokenizer(tokenizer, &json, ".json", &err), &err);
    buffer_free(&json);
}

// expected: a letter for itself, _ for the space, 1 and 2 for the added tokens.
static void require_ids(const Tokenizer *tokenizer, const char *text, const char *expected) {
    TokenIds ids = {0};
    Error err = {0};
    char found[64] = "";
    support_require(tokenizer_encode(tokenizer, text, strlen(text), &ids, NULL, &err), &err);
    assert_true(ids.count < sizeof found);
    for (size_t i = 0; i < ids.count; i++) {
        const int32_t id = ids.ids[i];
        found[i] = (char)(id == SPACE ? '_' : id >= ADDED ? '1' + id - ADDED : 'a' + id - LETTER_A);
    }
    assert_string_equal(found, expected);
    token_ids_free(&ids);
}

#define TOKEN(id, content, options) "{\"id\":" #id ",\"content\":\"" content "\"" options "}"
#define SPECIAL ",\"special\":true"

static void the_longest_token_that_stands_leftmost_is_found(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, "null", TOKEN(27, "ab", "") "," TOKEN(28, "abc d", ""));
    require_ids(&tokenizer, "xabc d", "x2");
    require_ids(&tokenizer, "abab cd", "11_cd");
    require_ids(&tokenizer, "aabb", "a1b");
    tokenizer_free(&tokenizer);
}

static void options_say_where_a_token_is_found_and_what_it_takes(void **state) {
    (void)state;
    static const struct {
        const char *options, *text, *expected;
    } cases[] = {
        {"", "x  <m>  y", "x__1__y"},
        {",\"lstrip\":true", "x  <m>  y", "x1__y"},
        {",\"rstrip\":true", "x  <m>  y", "x__1y"},
        {",\"rstrip\":true", "<m>  <m>", "11"},
        {",\"single_word\":true", "<m> x <m>", "1_x_1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Tokenizer tokenizer = {0};
        char added[128];
        snprintf(added, sizeof added, "{\"id\":27,\"content\":\"<m>\"%s}", cases[i].options);
        load(&tokenizer, "null", added);
        require_ids(&tokenizer, cases[i].text, cases[i].expected);
        tokenizer_free(&tokenizer);
    }
    Tokenizer tokenizer = {0};
    load(&tokenizer, "null", TOKEN(27, "ab", ",\"single_word\":true"));
    require_ids(&tokenizer, "ab xab abx", "1_xab_abx");
    require_ids(&tokenizer, "ab", "1");
    tokenizer_free(&tokenizer);
}

static void a_token_is_looked_for_before_or_after_normalization(void **state) {
    (void)state;
    static const char *const nfkc = "{\"type\":\"NFKC\"}";
    Tokenizer tokenizer = {0};
    load(&tokenizer, nfkc, TOKEN(27, "\\uFB01", ",\"normalized\":true")); // the ligature fi
    require_ids(&tokenizer, "\xEF\xAC\x81 fi", "1_1");
    tokenizer_free(&tokenizer);
    load(&tokenizer, nfkc, TOKEN(27, "\\uFB01", ",\"normalized\":false"));
    require_ids(&tokenizer, "\xEF\xAC\x81 fi", "1_fi");
    tokenizer_free(&tokenizer);
}

static void special_tokens_are_text_where_the_tokenizer_is_told_so(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, "null", TOKEN(27, "eos", SPECIAL) "," TOKEN(28, "mid", ""));
    assert_false(tokenizer.special_as_text);
    require_ids(&tokenizer, "aeosmid", "a12");
    tokenizer.special_as_text = true;
    require_ids(&tokenizer, "aeosmid", "aeos2");
    tokenizer_free(&tokenizer);
}

static void the_text_file_keeps_tokens_and_their_options(void **state) {
    (void)state;
    Tokenizer first = {0};
    Tokenizer second = {0};
    load(&first, "{\"type\":\"NFKC\"}",
         TOKEN(27, "ab", ",\"single_word\":true,\"lstrip\":true,\"normalized\":true") "," TOKEN(
             28, "<s>", SPECIAL ",\"rstrip\":true"));
    support_reload_tokenizer(&first, "", &second);
    require_ids(&second, "x ab <s> cab", "x1_2cab");
    tokenizer_free(&first);
    tokenizer_free(&second);
}

static void settings_of_tokens_that_are_none_are_refused(void **state) {
    (void)state;
    static const char *const values[] = {"9", "-1", "x", "0 sometimes", "0 special,"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        Buffer lines = {0};
        Tokenizer tokenizer = {0};
        Error err = {0};
        buffer_format(&lines,
                      "attend tokenizer 1\nkind byte-level\nunknown -1\nbos -1\neos -1\npad -1\n"
                      "split none\nadded %s\npieces 1\nuser 0 a\n",
                      values[i]);
        assert_false(support_load_tokenizer(&tokenizer, &lines, "", &err));
        buffer_free(&lines);
        assert_non_null(strstr(err.text, ":8: expected a setting"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_token_that_stands_leftmost_is_found),
        cmocka_unit_test(options_say_where_a_token_is_found_and_what_it_takes),
        cmocka_unit_test(a_token_is_looked_for_before_or_after_normalization),
        cmocka_unit_test(special_tokens_are_text_where_the_tokenizer_is_told_so),
        cmocka_unit_test(the_text_file_keeps_tokens_and_their_options),
        cmocka_unit_test(settings_of_tokens_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
