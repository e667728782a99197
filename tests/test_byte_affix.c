// test_byte_affix.c - symbols that are written by their place in the word: </w> at its end, ##
// within.
#include "tests/support.h"
#include "tests/support_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/byte_level/byte_level.h"

typedef struct Model {
    const char *options; // of the model, after its type
    const char *vocab;   // pieces with ids from 0 on
    const char *merges;
    const char *normalizer;
    const char *decoder;
} Model;

// False where the file is refused.
static bool load(const Model *model, Tokenizer *tokenizer, Error *err) {
    Buffer json = {0};
    buffer_format(&json,
                  "{\"normalizer\":%s,\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},"
                  "\"decoder\":%s,\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",%s,\"merges\":"
                  "[%s],\"vocab\":{%s}}}",
                  model->normalizer == NULL ? "null" : model->normalizer,
                  model->decoder == NULL ? "null" : model->decoder, model->options, model->merges,
                  model->vocab);
    const bool ok = support_load_tokenizer(tokenizer, &json, ".json", err);
    buffer_free(&json);
    return ok;
}

static void require_pieces(const Tokenizer *tokenizer, const char *text, const char *pieces) {
    TokenIds ids = {0};
    Error err = {0};
    Buffer found = {0};
    support_require(tokenizer_encode(tokenizer, text, strlen(text), &ids, NULL, &err), &err);
    buffer_append(&found, "", 0);
    for (size_t i = 0; i < ids.count; i++) {
        const Piece *piece = &tokenizer->pieces[ids.ids[i]];
        buffer_append_text(&found, i > 0 ? " " : "");
        buffer_append(&found, piece->bytes, (size_t)piece->length);
    }
    assert_string_equal(found.bytes, pieces);
    buffer_free(&found);
    token_ids_free(&ids);
}

static void require(const Tokenizer *tokenizer, const char *text, const char *pieces,
                    const char *decoded) {
    TokenIds ids = {0};
    Error err = {0};
    char *back = NULL;
    size_t length = 0;
    require_pieces(tokenizer, text, pieces);
    support_require(tokenizer_encode(tokenizer, text, strlen(text), &ids, NULL, &err), &err);
    support_require(tokenizer_decode(tokenizer, ids.ids, ids.count, &back, &length, &err), &err);
    assert_string_equal(back, decoded);
    token_ids_free(&ids);
    free(back);
}

static const Model SUFFIX = {
    .options = "\"end_of_word_suffix\":\"</w>\"",
    .vocab = "\"?\":0,\"a\":1,\"b\":2,\"a</w>\":3,\"b</w>\":4,\"ab\":5,\"ab</w>\":6,\"aab</w>\":7",
    .merges = "\"a b</w>\",\"a b\",\"a ab</w>\"",
    .decoder = "{\"type\":\"BPEDecoder\",\"suffix\":\"</w>\"}",
};
static const Model PREFIX = {
    .options = "\"continuing_subword_prefix\":\"##\"",
    .vocab = "\"?\":0,\"a\":1,\"b\":2,\"##a\":3,\"##b\":4,\"ab\":5,\"##ab\":6,\"aab\":7",
    .merges = "\"##a ##b\",\"a ##b\",\"a ##ab\"",
};

static void the_last_symbol_of_a_word_has_the_suffix(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    Error err = {0};
    support_require(load(&SUFFIX, &tokenizer, &err), &err);
    require(&tokenizer, "ab  aba a\n", "ab</w> ab a</w> a</w>", "ab aba a");
    require(&tokenizer, "aab bb", "aab</w> b b</w>", "aab bb");
    require(&tokenizer, "ax", "a ?", "a?");
    tokenizer_free(&tokenizer);
}

static void symbols_after_the_first_have_the_prefix(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    Error err = {0};
    support_require(load(&PREFIX, &tokenizer, &err), &err);
    require(&tokenizer, "aab ab ba", "aab ab b ##a", "aab ab ba");
    require(&tokenizer, "abab", "ab ##ab", "abab");
    tokenizer_free(&tokenizer);
}

static void long_words_merge_as_short_ones_do(void **state) {
    (void)state;
    const Model *const models[] = {&SUFFIX, &PREFIX};
    for (int i = 0; i < 2; i++) {
        enum { N_PAIRS = 3000 };
        Tokenizer tokenizer = {0};
        TokenIds ids = {0};
        Error err = {0};
        Buffer text = {0};
        support_require(load(models[i], &tokenizer, &err), &err);
        for (int k = 0; k < N_PAIRS; k++) {
            buffer_append_text(&text, "ab");
        }
        support_require(tokenizer_encode(&tokenizer, text.bytes, text.length, &ids, NULL, &err),
                        &err);
        assert_int_equal(ids.count, N_PAIRS);
        for (int k = 0; k < N_PAIRS; k++) {
            const bool is_plain = i == 0 ? k + 1 < N_PAIRS : k == 0;
            assert_int_equal(ids.ids[k], is_plain ? 5 : 6);
        }
        buffer_free(&text);
        token_ids_free(&ids);
        tokenizer_free(&tokenizer);
    }
}

// A piece may then be made of one symbol here and of three there. The ids are those that the
// package tokenizers gives.
static void a_text_may_hold_the_prefix_itself(void **state) {
    (void)state;
    static const Model MODEL = {
        .options = "\"continuing_subword_prefix\":\"##\"",
        .vocab = "\"?\":0,\"#\":1,\"a\":2,\"##a\":3,\"###\":4,\"##\":5,\"##aa\":6,\"##aaaa\":7",
        .merges = "\"# ###\",\"## ##a\",\"##a ##a\",\"##aa ##aa\"",
    };
    static const struct {
        const char *start;
        const char *end;
        const char *first; // pieces, before those of four letters
        const char *last;
        int n_more; // letters a between start and end
        int n_fours;
    } CASES[] = {
        {"##a", "", "##a", "", 0, 0},
        {"a##a", "", "a ### ### ##a", "", 0, 0},
        {"##aaa", "", "##aa ##a", "", 0, 0},
        {"##", "", "", " ##a", 41, 10},
        {"#", "#", "#", " ###", 40, 10},
        {"a", "##aaaaa", "a", " ##aa ### ### ##aaaa ##a", 34, 8},
    };
    Tokenizer tokenizer = {0};
    Error err = {0};
    support_require(load(&MODEL, &tokenizer, &err), &err);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Buffer text = {0};
        Buffer pieces = {0};
        buffer_append_text(&text, CASES[i].start);
        for (int k = 0; k < CASES[i].n_more; k++) {
            buffer_append_text(&text, "a");
        }
        buffer_append_text(&text, CASES[i].end);
        buffer_append_text(&pieces, CASES[i].first);
        for (int k = 0; k < CASES[i].n_fours; k++) {
            buffer_append_text(&pieces, pieces.length > 0 ? " ##aaaa" : "##aaaa");
        }
        buffer_append_text(&pieces, CASES[i].last);
        require_pieces(&tokenizer, text.bytes, pieces.bytes);
        buffer_free(&text);
        buffer_free(&pieces);
    }
    tokenizer_free(&tokenizer);
}

static void capitals_are_read_as_small_letters(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    Error err = {0};
    Model model = SUFFIX;
    model.normalizer = "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"},{\"type\":"
                       "\"Replace\",\"pattern\":{\"Regex\":\"\\\\s+\"},\"content\":\" \"},"
                       "{\"type\":\"Lowercase\"}]}";
    support_require(load(&model, &tokenizer, &err), &err);
    require(&tokenizer, "AaB\t\tAB", "aab</w> ab</w>", "aab ab");
    tokenizer_free(&tokenizer);
}

static void the_text_file_keeps_prefix_and_suffix(void **state) {
    (void)state;
    const Model *const models[] = {&SUFFIX, &PREFIX};
    for (int i = 0; i < 2; i++) {
        Tokenizer first = {0};
        Tokenizer second = {0};
        Error err = {0};
        support_require(load(models[i], &first, &err), &err);
        support_reload_tokenizer(&first, "", &second);
        require(&second, "aab", i == 0 ? "aab</w>" : "aab", "aab");
        tokenizer_free(&first);
        tokenizer_free(&second);
    }
}

static void what_does_not_fit_a_prefix_or_suffix_is_refused(void **state) {
    (void)state;
    enum { N_CASES = 5 };
    Model cases[N_CASES] = {SUFFIX, PREFIX, SUFFIX, PREFIX, SUFFIX};
    const char *const told[N_CASES] = {
        "expected a text of at most 15", "expected ## before it",   "false beside a prefix",
        "which is not in the voca",      "decoder.suffix is \"$\"",
    };
    cases[0].options = "\"end_of_word_suffix\":\"</a long one/>\\u00e9\"";
    cases[1].merges = "\"a b\"";
    cases[2].options = "\"end_of_word_suffix\":\"</w>\",\"byte_fallback\":true";
    cases[3].merges = "\"b ##b\"";
    cases[4].decoder = "{\"type\":\"BPEDecoder\",\"suffix\":\"$\"}";
    for (int i = 0; i < N_CASES; i++) {
        Tokenizer tokenizer = {0};
        Error err = {0};
        assert_false(load(&cases[i], &tokenizer, &err));
        if (strstr(err.text, told[i]) == NULL) {
            fail_msg("the sentence is: %s\nexpected in it: %s", err.text, told[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_symbol_of_a_word_has_the_suffix),
        cmocka_unit_test(symbols_after_the_first_have_the_prefix),
        cmocka_unit_test(long_words_merge_as_short_ones_do),
        cmocka_unit_test(a_text_may_hold_the_prefix_itself),
        cmocka_unit_test(capitals_are_read_as_small_letters),
        cmocka_unit_test(the_text_file_keeps_prefix_and_suffix),
        cmocka_unit_test(what_does_not_fit_a_prefix_or_suffix_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
