// test_byte_ranks.c - rank files that lack a byte which their tokens hold: the ids are tiktoken's.
#include "tests/support.h"
#include "tests/support_tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/tokenizer.h"

// a c ab abc d bd abd cb: there is no token for b alone.
static const char RANKS[] = "YQ== 0\nYw== 1\nYWI= 2\nYWJj 3\nZA== 4\nYmQ= 5\nYWJk 6\nY2I= 7\n";

static void load(Tokenizer *tokenizer) {
    Buffer text = {0};
    Error err = {""};
    buffer_append_text(&text, RANKS);
    support_require(support_load_tokenizer(tokenizer, &text, ".tiktoken", &err), &err);
    buffer_free(&text);
}

static void require_ids(const Tokenizer *tokenizer, const char *text, const int32_t *ids,
                        size_t n) {
    TokenIds found = {0};
    Error err = {""};
    support_require(tokenizer_encode(tokenizer, text, strlen(text), &found, NULL, &err), &err);
    assert_int_equal(found.count, n);
    assert_memory_equal(found.ids, ids, n * sizeof *ids);
    token_ids_free(&found);
}

static void a_byte_without_a_token_may_be_merged(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        int32_t ids[4];
    } CASES[] = {
        {"abd", 1, {6}}, {"cabd", 2, {1, 6}}, {"dbd", 2, {4, 5}},       {"acbd", 3, {0, 1, 5}},
        {"cb", 1, {7}},  {"aabc", 2, {0, 3}}, {"dabcab", 3, {4, 3, 2}},
    };
    Tokenizer tokenizer = {0};
    Tokenizer again = {0};
    load(&tokenizer);
    support_reload_tokenizer(&tokenizer, "", &again);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        require_ids(&tokenizer, CASES[i].text, CASES[i].ids, CASES[i].n);
        require_ids(&again, CASES[i].text, CASES[i].ids, CASES[i].n);
    }
    enum { N_TIMES = 40 }; // a long word is merged in another way
    char text[4 * N_TIMES + 1] = "";
    int32_t ids[2 * N_TIMES];
    for (int i = 0; i < N_TIMES; i++) {
        memcpy(text + 4 * (size_t)i, "dabc", 5);
        ids[2 * i] = 4;
        ids[2 * i + 1] = 3;
    }
    require_ids(&tokenizer, text, ids, 2 * N_TIMES);
    tokenizer_free(&again);
    tokenizer_free(&tokenizer);
}

static void one_that_is_left_over_is_refused(void **state) {
    (void)state;
    static const char *const TEXTS[] = {"b", "abcbb", "dddddddddddddddddddddddddddddddddddddddb"};
    Tokenizer tokenizer = {0};
    load(&tokenizer);
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        TokenIds ids = {0};
        Error err = {""};
        assert_false(tokenizer_encode(&tokenizer, TEXTS[i], strlen(TEXTS[i]), &ids, NULL, &err));
        assert_non_null(strstr(err.text, "the vocabulary has no token for b in "));
        token_ids_free(&ids);
    }
    tokenizer_free(&tokenizer);
}

// A small rank file does not say how it splits its text; one that was chosen is kept.
static void a_pattern_is_chosen_where_none_is_said(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    Error err = {""};
    load(&tokenizer);
    assert_true(tokenizer.assumes_pattern);
    assert_false(tokenizer_choose(&tokenizer, &(TokenizerChoice){.pattern = "none such"}, &err));
    assert_non_null(strstr(err.text, "--pattern: expected gpt2, cl100k"));
    err = (Error){""};
    support_require(tokenizer_choose(&tokenizer, &(TokenizerChoice){NULL, NULL}, &err), &err);
    assert_non_null(strstr(tokenizer_notes(&tokenizer), "--pattern P chooses"));
    support_require(tokenizer_choose(&tokenizer, &(TokenizerChoice){.pattern = "cl100k"}, &err),
                    &err);
    support_require(tokenizer_choose(&tokenizer, &(TokenizerChoice){.pattern = "cl100k"}, &err),
                    &err);
    assert_false(tokenizer_choose(&tokenizer, &(TokenizerChoice){.pattern = "gpt2"}, &err));
    assert_non_null(strstr(err.text, "the tokenizer's file says"));
    tokenizer_free(&tokenizer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_is_chosen_where_none_is_said),
        cmocka_unit_test(a_byte_without_a_token_may_be_merged),
        cmocka_unit_test(one_that_is_left_over_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
