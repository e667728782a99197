// test_gpt2_config.c - tokenizer_config.json beside GPT-2's vocab.json and merges.txt.
#include "tests/support.h"

#include <string.h>

#include "engine/base/buffer.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/folder.h"

static void save(const char *folder, const char *name, const char *text) {
    char path[FOLDER_PATH_BYTES];
    Buffer file = {0};
    Error err = {0};
    buffer_append_text(&file, text);
    support_require(buffer_save(&file, folder_path(folder, name, path), &err), &err);
    buffer_free(&file);
}

static void copy_gpt2_files(const char *folder) {
    static const char *const NAMES[] = {"vocab.json", "merges.txt"};
    const char *root = getenv("ATTEND_ASSETS");
    for (size_t i = 0; i < 2; i++) {
        Buffer file = {0};
        Buffer path = {0};
        Error err = {0};
        buffer_format(&path, "%s/tests/byte_level/%s", root != NULL ? root : ".", NAMES[i]);
        support_require(buffer_load(&file, path.bytes, &err), &err);
        save(folder, NAMES[i], file.bytes);
        buffer_free(&file);
        buffer_free(&path);
    }
}

static void encode_text(const Tokenizer *tokenizer, const char *text, TokenIds *ids) {
    Error err = {0};
    ids->count = 0;
    support_require(tokenizer_encode(tokenizer, text, strlen(text), ids, NULL, &err), &err);
}

static void a_tokenizer_config_beside_vocab_json_is_heeded(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    Tokenizer plain = {0};
    Tokenizer tokenizer = {0};
    TokenIds ids = {0};
    TokenIds expected = {0};
    Error err = {0};
    Buffer config = {0};
    folder_make(folder);
    copy_gpt2_files(folder);
    support_require(tokenizer_load(&plain, folder, &err), &err);
    const int next = plain.n_pieces;
    buffer_format(&config,
                  "{\"add_prefix_space\": true, \"eos_token\": {\"content\": \"<|end|>\"},"
                  "\"added_tokens_decoder\": {\"%d\": {\"content\": \"<own>\", \"special\": false},"
                  "\"%d\": {\"content\": \"<|end|>\", \"special\": true}}}",
                  next, next + 1);
    save(folder, "tokenizer_config.json", config.bytes);
    support_require(tokenizer_load(&tokenizer, folder, &err), &err);
    assert_int_equal(tokenizer.n_pieces, next + 2);
    assert_int_equal(tokenizer.eos_id, next + 1);
    encode_text(&plain, " the cat", &expected);
    encode_text(&tokenizer, "the cat", &ids);
    assert_int_equal(ids.count, expected.count);
    assert_memory_equal(ids.ids, expected.ids, ids.count * sizeof *ids.ids);
    encode_text(&tokenizer, "the cat<own>", &ids);
    assert_int_equal(ids.count, expected.count + 1);
    assert_int_equal(ids.ids[expected.count], next);
    token_ids_free(&ids);
    token_ids_free(&expected);
    buffer_free(&config);
    tokenizer_free(&plain);
    tokenizer_free(&tokenizer);
    static const char WRONG[][2][80] = {
        {"{\"add_bos_token\": true}", "\"add_bos_token\""},
        {"{\"add_eos_token\": true}", "\"add_eos_token\""},
        {"{\"split_special_tokens\": 1}", "\"split_special_tokens\""},
        {"{\"eos_token\": \"<none>\"}", "\"eos_token\": expected a token"},
        {"{\"added_tokens_decoder\": {\"x\": {}}}", "\"added_tokens_decoder\""},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        save(folder, "tokenizer_config.json", WRONG[i][0]);
        err = (Error){0};
        assert_false(tokenizer_load(&tokenizer, folder, &err));
        assert_non_null(strstr(err.text, WRONG[i][1]));
    }
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tokenizer_config_beside_vocab_json_is_heeded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
