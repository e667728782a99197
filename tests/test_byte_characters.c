// test_byte_characters.c - tokenizer.json files made from SentencePiece models: characters, ▁ and
// bytes.
#include "tests/support.h"
#include "tests/support_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/byte_level/byte_level.h"
#include "engine/tokenizers/token_stream.h"

enum { FIRST_BYTE = 3, MARK = 259, A, B, MARK_A, AB, NI, NI_HAO, HAO };

// Pieces: <unk> <s> </s>, the 256 bytes, then ▁ a b ▁a ab 你 你好 好.
static void write_json(Buffer *json, const char *normalizer, const char *pre_tokenizer,
                       bool bytes) {
    buffer_format(json,
                  "{\"added_tokens\":[{\"id\":1,\"content\":\"<s>\",\"special\":true},"
                  "{\"id\":2,\"content\":\"</s>\",\"special\":true}],\"normalizer\":%s,"
                  "\"pre_tokenizer\":%s,\"decoder\":{\"type\":\"Sequence\",\"decoders\":["
                  "{\"type\":\"Replace\",\"pattern\":{\"String\":\"▁\"},\"content\":\" \"},"
                  "{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
                  "{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]},"
                  "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,"
                  "\"byte_fallback\":%s,\"merges\":[\"▁ a\",\"a b\",\"你 好\"],\"vocab\":{"
                  "\"<unk>\":0,\"<s>\":1,\"</s>\":2,",
                  normalizer, pre_tokenizer, bytes ? "true" : "false");
    for (int byte = 0; byte < 256; byte++) {
        buffer_format(json, "\"<0x%02X>\":%d,", (unsigned)byte, FIRST_BYTE + byte);
    }
    buffer_append_text(json, "\"▁\":259,\"a\":260,\"b\":261,\"▁a\":262,\"ab\":263,\"你\":264,"
                             "\"你好\":265,\"好\":266}}}");
}

#define REPLACE "{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"▁\"}"
#define LLAMA                                                                                      \
    "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\",\"prepend\":\"▁\"}," REPLACE "]}"

static void load(Tokenizer *tokenizer, const char *normalizer, const char *pre_tokenizer,
                 bool bytes) {
    Buffer json = {0};
    Error err = {0};
    write_json(&json, normalizer, pre_tokenizer, bytes);
    support_require(support_load_tokenizer(tokenizer, &json, ".json", &err), &err);
    buffer_free(&json);
}

static void require_ids(const Tokenizer *tokenizer, const char *text, int n,
                        const int32_t *expected) {
    TokenIds ids = {0};
    Error err = {0};
    support_require(tokenizer_encode(tokenizer, text, strlen(text), &ids, NULL, &err), &err);
    assert_int_equal(ids.count, n);
    assert_memory_equal(ids.ids, expected, (size_t)n * sizeof *expected);
    token_ids_free(&ids);
}

static void characters_merge_and_the_rest_become_bytes(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, LLAMA, "null", true);
    require_ids(&tokenizer, "ab 你好", 4, (int32_t[]){MARK_A, B, MARK, NI_HAO});
    require_ids(&tokenizer, "", 0, (int32_t[]){0});
    require_ids(&tokenizer, " a", 2, (int32_t[]){MARK, MARK_A});
    require_ids(&tokenizer, "é", 3, (int32_t[]){MARK, FIRST_BYTE + 0xC3, FIRST_BYTE + 0xA9});
    require_ids(&tokenizer, "\xFF", 2, (int32_t[]){MARK, FIRST_BYTE + 0xFF});
    require_ids(&tokenizer, "<s>a", 2, (int32_t[]){1, MARK_A});
    assert_int_equal(tokenizer.bos_id, 1);
    assert_int_equal(tokenizer.unknown_id, 0);
    tokenizer_free(&tokenizer);
}

static void unknown_characters_side_by_side_are_one(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    TokenIds ids = {0};
    EncodeReport report;
    Error err = {0};
    load(&tokenizer, REPLACE, "null", false);
    support_require(tokenizer_encode(&tokenizer, "aéèb x", 8, &ids, &report, &err), &err);
    assert_int_equal(ids.count, 5);
    assert_memory_equal(ids.ids, ((int32_t[]){A, 0, B, MARK, 0}), 5 * sizeof(int32_t));
    assert_int_equal(report.n_unknown, 3);
    assert_string_equal(report.first_unknown, "é");
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
}

static void metaspace_says_where_a_mark_is_put(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        int32_t first;
    } cases[] = {{"always", MARK_A}, {"first", MARK_A}, {"never", AB}};
    for (int i = 0; i < 3; i++) {
        Tokenizer tokenizer = {0};
        char metaspace[128];
        snprintf(metaspace, sizeof metaspace,
                 "{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"prepend_scheme\":\"%s\","
                 "\"split\":true}",
                 cases[i].scheme);
        load(&tokenizer, "null", metaspace, true);
        const int32_t ids[] = {cases[i].first, B};
        require_ids(&tokenizer, "ab", cases[i].first == AB ? 1 : 2, ids);
        require_ids(&tokenizer, " ab", 2, (int32_t[]){MARK_A, B});
        tokenizer_free(&tokenizer);
    }
}

static void decoding_undoes_marks_and_bytes(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    Error err = {0};
    load(&tokenizer, LLAMA, "null", true);
    const int32_t ids[] = {1, MARK_A, B, MARK, NI_HAO, FIRST_BYTE + 0xC3, FIRST_BYTE + 0xA9, 2};
    char *text = NULL;
    size_t length = 0;
    support_require(tokenizer_decode(&tokenizer, ids, 8, &text, &length, &err), &err);
    assert_string_equal(text, "ab 你好é");
    free(text);

    TokenStream stream = {0};
    Buffer streamed = {0};
    for (int i = 0; i < 8; i++) {
        support_require(token_stream_append(&stream, &tokenizer, ids[i], &streamed, &err), &err);
        assert_true(i != 5 || strcmp(streamed.bytes, "ab 你好") == 0);
    }
    assert_string_equal(streamed.bytes, "ab 你好é");
    buffer_free(&streamed);

    char shown[16];
    tokenizer_piece_text(&tokenizer, FIRST_BYTE + 0xE4, shown, sizeof shown);
    assert_string_equal(shown, "<E4>");
    tokenizer_piece_text(&tokenizer, MARK_A, shown, sizeof shown);
    assert_string_equal(shown, "▁a");
    tokenizer_free(&tokenizer);
}

static void check_step(void *context, const MergeStep *step) {
    int *n_steps = context;
    if ((*n_steps)++ == 1) { // ▁a | 你 | 好, after ▁ + a
        assert_int_equal(step->n_pieces, 3);
        assert_int_equal(step->left_start, 4);
        assert_int_equal(step->left_end, 7);
        assert_int_equal(step->right_end, 10);
        assert_int_equal(step->text_length, 10);
        assert_int_equal(step->id, NI_HAO);
    }
}

static void steps_are_told_in_bytes_of_the_text(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    TokenIds ids = {0};
    Error err = {0};
    int n_steps = 0;
    load(&tokenizer, LLAMA, "null", true);
    support_require(
        tokenizer_encode_watched(&tokenizer, "a你好", 7, &ids, check_step, &n_steps, &err), &err);
    assert_int_equal(n_steps, 2);
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
}

static void the_text_file_keeps_all_of_it(void **state) {
    (void)state;
    Tokenizer first = {0};
    Tokenizer second = {0};
    load(&first, LLAMA, "null", true);
    support_reload_tokenizer(&first, "", &second);
    require_ids(&second, "ab é", 5,
                (int32_t[]){MARK_A, B, MARK, FIRST_BYTE + 0xC3, FIRST_BYTE + 0xA9});
    tokenizer_free(&first);
    tokenizer_free(&second);
}

static void byte_pieces_that_are_none_are_refused(void **state) {
    (void)state;
    static const char *const pieces[] = {"byte 0 x", "byte 0 <0x41>\nbyte 0 <0x41>",
                                         "byte 0 <0xZZ>"};
    static const char *const flags[] = {"yes", "yes", "yes", "no"};
    for (int i = 0; i < 4; i++) {
        Buffer text = {0};
        Tokenizer tokenizer = {0};
        Error err = {0};
        buffer_format(&text,
                      "attend tokenizer 1\nkind byte-level\nunknown -1\nbos -1\neos -1\npad -1\n"
                      "split none\nnormalizer none\nmark spaces\ncharacters yes\nbyte_fallback "
                      "%s\npieces %d\n%s\n",
                      flags[i], i == 1 ? 2 : 1, i == 3 ? "byte 0 <0x41>" : pieces[i]);
        assert_false(support_load_tokenizer(&tokenizer, &text, "", &err));
        assert_non_null(strstr(err.text, "a byte piece is none of"));
        buffer_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_merge_and_the_rest_become_bytes),
        cmocka_unit_test(unknown_characters_side_by_side_are_one),
        cmocka_unit_test(metaspace_says_where_a_mark_is_put),
        cmocka_unit_test(decoding_undoes_marks_and_bytes),
        cmocka_unit_test(steps_are_told_in_bytes_of_the_text),
        cmocka_unit_test(byte_pieces_that_are_none_are_refused),
        cmocka_unit_test(the_text_file_keeps_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
