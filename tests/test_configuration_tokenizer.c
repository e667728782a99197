// test_configuration_tokenizer.c - each field of tokenizer_config.json does what the docs say of
// it.
#include "tests/support.h"

#include <string.h>

#include "engine/base/buffer.h"
#include "engine/tokenizers/tokenizer_private.h"
#include "tests/folder.h"
#include "tests/support_docs.h"

// What transformers writes of GPT-2's tokenizer, now and in older versions; the values differ from
// the usual.
static const char *const TOKENIZER_FIELDS[][2] = {
    {"add_prefix_space", "true"},
    {"split_special_tokens", "true"},
    {"bos_token", "\"ab\""},
    {"eos_token", "{\"__type\": \"AddedToken\", \"content\": \"ab\"}"},
    {"pad_token", "\"ab\""},
    {"unk_token", "\"ab\""},
    {"cls_token", "\"ab\""},
    {"sep_token", "\"ab\""},
    {"mask_token", "\"ab\""},
    {"additional_special_tokens", "[\"ab\"]"},
    {"extra_special_tokens", "{\"image\": \"ab\"}"},
    {"model_specific_special_tokens", "{\"image\": \"ab\"}"},
    {"added_tokens_decoder", "{\"4\": {\"content\": \"own\", \"special\": false}}"},
    {"add_bos_token", "true"},
    {"add_eos_token", "true"},
    {"model_max_length", "1000000000000000019884624838656"},
    {"max_length", "5"},
    {"stride", "1"},
    {"truncation_side", "\"left\""},
    {"truncation_strategy", "\"longest_first\""},
    {"padding_side", "\"left\""},
    {"pad_to_multiple_of", "8"},
    {"pad_token_type_id", "1"},
    {"clean_up_tokenization_spaces", "true"},
    {"errors", "\"strict\""},
    {"do_lower_case", "true"},
    {"chat_template", "\"x\""},
    {"model_input_names", "[]"},
    {"return_token_type_ids", "true"},
    {"tokenizer_class", "\"GPT2Tokenizer\""},
    {"processor_class", "\"x\""},
    {"auto_map", "{}"},
    {"backend", "\"tokenizers\""},
    {"use_fast", "true"},
    {"from_slow", "true"},
    {"legacy", "true"},
    {"name_or_path", "\"gpt2\""},
    {"tokenizer_file", "\"x\""},
    {"special_tokens_map_file", "\"x\""},
    {"is_local", "true"},
    {"local_files_only", "true"},
};

// The lines of our own file: everything that a tokenizer does, beside its note.
static bool load_with(const char *folder, const char *field, const char *value, Buffer *lines,
                      Buffer *notes, Error *err) {
    char path[FOLDER_PATH_BYTES];
    Buffer file = {0};
    Tokenizer tokenizer = {0};
    buffer_append_text(&file, "{");
    if (field != NULL) {
        buffer_format(&file, "\"%s\": %s", field, value);
    }
    buffer_append_text(&file, "}");
    support_require(buffer_save(&file, folder_path(folder, "tokenizer_config.json", path), err),
                    err);
    buffer_free(&file);
    if (!tokenizer_load(&tokenizer, folder, err)) {
        return false;
    }
    tokenizer_write_lines(&tokenizer, lines);
    buffer_append_text(notes, tokenizer_notes(&tokenizer));
    tokenizer_free(&tokenizer);
    return true;
}

static void check_tokenizer_field(const char *folder, const char *usual, const char *field,
                                  const char *value, const char *effect) {
    Buffer lines = {0};
    Buffer notes = {0};
    Error err = {""};
    const bool ok = load_with(folder, field, value, &lines, &notes, &err);
    if (ok == (strcmp(effect, "refused") == 0)) {
        fail_msg("%s: \"%s\" in the docs: %s", field, effect, ok ? "it is taken" : err.text);
    }
    assert_true(ok || strstr(err.text, field) != NULL);
    assert_int_equal(notes.length, 0);
    const bool is_same = lines.bytes != NULL && usual != NULL && strcmp(usual, lines.bytes) == 0;
    if (ok && is_same == (strcmp(effect, "used") == 0)) {
        fail_msg("%s: \"%s\" in the docs, but the tokenizer is %s", field, effect,
                 is_same ? "the same" : "another");
    }
    buffer_free(&lines);
    buffer_free(&notes);
}

static void every_field_of_a_tokenizer_does_what_the_docs_say(void **state) {
    (void)state;
    static const char *const FILES[][2] = {
        {"vocab.json", "{\"a\": 0, \"b\": 1, \"ab\": 2, \"Ġ\": 3}"},
        {"merges.txt", "#version: 0.2\n"},
    };
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    Buffer docs = {0};
    Buffer usual = {0};
    Buffer notes = {0};
    Error err = {""};
    support_docs_read(&docs);
    folder_make(folder);
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Buffer file = {0};
        buffer_append_text(&file, FILES[i][1]);
        support_require(buffer_save(&file, folder_path(folder, FILES[i][0], path), &err), &err);
        buffer_free(&file);
    }
    support_require(load_with(folder, NULL, NULL, &usual, &notes, &err), &err);
    for (size_t i = 0; i < sizeof TOKENIZER_FIELDS / sizeof TOKENIZER_FIELDS[0]; i++) {
        char effect[16] = "";
        const char *field = TOKENIZER_FIELDS[i][0];
        if (!support_docs_effect(&docs, "\n## Tokenizers\n", field, effect)) {
            fail_msg("docs/configuration.md has no row for %s", field);
        }
        check_tokenizer_field(folder, usual.bytes, field, TOKENIZER_FIELDS[i][1], effect);
    }
    support_require(load_with(folder, "rope", "1", &usual, &notes, &err), &err);
    assert_non_null(strstr(notes.bytes, "tokenizer_config.json: \"rope\" is not known"));
    folder_remove(folder);
    buffer_free(&docs);
    buffer_free(&usual);
    buffer_free(&notes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_tokenizer_does_what_the_docs_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
