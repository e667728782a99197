// test_words.c - the toy's vocabulary: words in, ids out, and a helpful sentence about a word it
// lacks.
#include "tests/support.h"
#include "tests/support_tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/token_stream.h"
#include "engine/tokenizers/tokenizer.h"

static const char *const TOY[] = {"<pad>", "<s>", "</s>", "cat", "run", "dog", "sleep", "eat"};

static void make_toy(Tokenizer *tokenizer) {
    Error err = {0};
    support_require(tokenizer_init_words(tokenizer, TOY, 8, &err), &err);
}

static void the_toy_has_its_ids_and_roles(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    make_toy(&tokenizer);
    assert_int_equal(tokenizer.n_pieces, 8);
    assert_int_equal(tokenizer.pad_id, 0);
    assert_int_equal(tokenizer.bos_id, 1);
    assert_int_equal(tokenizer.eos_id, 2);
    assert_int_equal(tokenizer.unknown_id, -1);
    assert_int_equal(tokenizer.pieces[1].kind, PIECE_CONTROL);
    assert_int_equal(tokenizer.pieces[3].kind, PIECE_NORMAL);
    tokenizer_free(&tokenizer);
}

static void words_become_ids_and_come_back(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    TokenIds ids = {0};
    Error err = {0};
    static const char text[] = " dog\t run \r\n sleep";
    static const int32_t expected[] = {5, 4, 6};
    make_toy(&tokenizer);
    support_require(tokenizer_encode(&tokenizer, text, sizeof text - 1, &ids, NULL, &err), &err);
    assert_int_equal(ids.count, 3);
    assert_memory_equal(ids.ids, expected, sizeof expected);

    const int32_t with_controls[] = {1, 5, 4, 6, 2, 0};
    char *back = NULL;
    size_t length = 0;
    support_require(tokenizer_decode(&tokenizer, with_controls, 6, &back, &length, &err), &err);
    assert_string_equal(back, "dog run sleep");
    free(back);
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
}

static void an_unknown_word_is_answered_with_the_words(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    make_toy(&tokenizer);
    static const char *const texts[] = {"dog bird", "<x>", "Dog", "a\xFF\x62\x1B[31m"};
    for (int i = 0; i < 4; i++) {
        TokenIds ids = {0};
        Error err = {0};
        assert_false(tokenizer_encode(&tokenizer, texts[i], strlen(texts[i]), &ids, NULL, &err));
        assert_non_null(strstr(err.text, "cat run dog sleep eat"));
        assert_null(strchr(err.text, '\x1B'));
        token_ids_free(&ids);
    }
    tokenizer_free(&tokenizer);
}

static void an_unknown_word_becomes_unk_where_there_is_one(void **state) {
    (void)state;
    static const char *const words[] = {"cat", "<unk>", "run"};
    static const int32_t expected[] = {0, 1, 1, 2};
    Tokenizer tokenizer = {0};
    TokenIds ids = {0};
    EncodeReport report;
    Error err = {0};
    support_require(tokenizer_init_words(&tokenizer, words, 3, &err), &err);
    support_require(tokenizer_encode(&tokenizer, "cat bird fish run", 17, &ids, &report, &err),
                    &err);
    assert_int_equal(ids.count, 4);
    assert_memory_equal(ids.ids, expected, sizeof expected);
    assert_int_equal(report.n_unknown, 2);
    assert_string_equal(report.first_unknown, "bird");
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
}

static void words_that_are_none_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"cat", "two words"}, {"cat", ""}, {"cat", "cat"}};
    for (int i = 0; i < 3; i++) {
        Tokenizer tokenizer = {0};
        Error err = {0};
        assert_false(tokenizer_init_words(&tokenizer, bad[i], 2, &err));
        assert_true(error_is_set(&err));
        tokenizer_free(&tokenizer);
    }
}

static void the_text_file_holds_the_same_words(void **state) {
    (void)state;
    Tokenizer first = {0};
    Tokenizer second = {0};
    make_toy(&first);
    support_reload_tokenizer(&first, "", &second);
    assert_int_equal(second.bos_id, 1);
    assert_int_equal(tokenizer_find(&second, "dog", 3), 5);
    tokenizer_free(&first);
    tokenizer_free(&second);
}

static void streamed_words_have_spaces_between(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    TokenStream stream = {0};
    Buffer text = {0};
    Error err = {0};
    make_toy(&tokenizer);
    const int32_t ids[] = {1, 5, 4, 2};
    for (int i = 0; i < 4; i++) {
        support_require(token_stream_append(&stream, &tokenizer, ids[i], &text, &err), &err);
    }
    token_stream_finish(&stream, &text);
    assert_string_equal(text.bytes, "dog run");
    buffer_free(&text);
    tokenizer_free(&tokenizer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_toy_has_its_ids_and_roles),
        cmocka_unit_test(words_become_ids_and_come_back),
        cmocka_unit_test(an_unknown_word_is_answered_with_the_words),
        cmocka_unit_test(an_unknown_word_becomes_unk_where_there_is_one),
        cmocka_unit_test(words_that_are_none_are_refused),
        cmocka_unit_test(the_text_file_holds_the_same_words),
        cmocka_unit_test(streamed_words_have_spaces_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
