// test_special.c - one rule for special tokens that a text spells out, whatever file the tokenizer
// comes from: they are tokens, unless the file or a person says that they stay text.
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/buffer.h"
#include "engine/base/file.h"
#include "engine/tokenizers/sentencepiece/sentencepiece_train.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/folder.h"
#include "tests/support_tokenizer.h"

static size_t count_id(const Tokenizer *tokenizer, const char *text, int id) {
    TokenIds ids = {0};
    Error err = {""};
    size_t n = 0;
    // A vocabulary of words cannot spell it: then it is in no id either.
    if (tokenizer_encode(tokenizer, text, strlen(text), &ids, NULL, &err)) {
        for (size_t i = 0; i < ids.count; i++) {
            n += ids.ids[i] == id;
        }
    } else {
        assert_int_equal(tokenizer->kind, TOKENIZER_WORDS);
    }
    token_ids_free(&ids);
    return n;
}

// The rule holds for this tokenizer, for our own file of it, and for what a person chooses.
static void check_rule(Tokenizer *tokenizer, const char *word) {
    const int id = tokenizer->eos_id;
    Buffer text = {0};
    Error err = {""};
    Tokenizer again = {0};
    assert_true(id >= 0);
    const char *piece = tokenizer->pieces[id].bytes;
    buffer_format(&text, "%s %s %s %s", word, piece, word, piece);
    assert_int_equal(count_id(tokenizer, text.bytes, id), 2);
    support_require(tokenizer_choose(tokenizer, &(TokenizerChoice){.special = "text"}, &err), &err);
    assert_int_equal(count_id(tokenizer, text.bytes, id), 0);
    support_reload_tokenizer(tokenizer, "", &again); // the file keeps it
    assert_int_equal(count_id(&again, text.bytes, id), 0);
    support_require(tokenizer_choose(&again, &(TokenizerChoice){.special = "token"}, &err), &err);
    assert_int_equal(count_id(&again, text.bytes, id), 2);
    tokenizer_free(&again);
    assert_false(tokenizer_choose(tokenizer, &(TokenizerChoice){.special = "yes"}, &err));
    assert_string_equal(err.text, "--special: expected token or text, found \"yes\"");
    tokenizer_free(tokenizer);
    buffer_free(&text);
}

static void whole_words(void **state) {
    (void)state;
    static const char *const WORDS[] = {"<pad>", "<s>", "</s>", "cat"};
    Tokenizer tokenizer = {0};
    Error err = {""};
    support_require(tokenizer_init_words(&tokenizer, WORDS, 4, &err), &err);
    check_rule(&tokenizer, "cat");
}

static void learn(Tokenizer *tokenizer) {
    static const char text[] = "the cat sees the cat\nthe dog sees\n";
    SentencePieceOptions options;
    SentencePieceReport report;
    Error err = {""};
    sentencepiece_options_init(&options);
    options.vocab_size = 30;
    support_require(
        sentencepiece_train(tokenizer, text, sizeof text - 1, &options, &report, NULL, NULL, &err),
        &err);
}

static void sentencepiece_and_its_model_file(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    Tokenizer model = {0};
    learn(&tokenizer);
    support_reload_tokenizer(&tokenizer, ".model", &model);
    check_rule(&tokenizer, "the");
    check_rule(&model, "the");
}

// What stands between them is encoded as a text of its own.
static void what_stands_between_is_a_text_of_its_own(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    TokenIds ids = {0};
    TokenIds part = {0};
    Error err = {""};
    learn(&tokenizer);
    support_require(tokenizer_encode(&tokenizer, "the</s>dog", 10, &ids, NULL, &err), &err);
    support_require(tokenizer_encode(&tokenizer, "the", 3, &part, NULL, &err), &err);
    token_ids_append(&part, tokenizer.eos_id);
    support_require(tokenizer_encode(&tokenizer, "dog", 3, &part, NULL, &err), &err);
    assert_int_equal(ids.count, part.count);
    assert_memory_equal(ids.ids, part.ids, ids.count * sizeof *ids.ids);
    token_ids_free(&ids);
    token_ids_free(&part);
    tokenizer_free(&tokenizer);
}

static void save(const char *folder, const char *name, const char *text) {
    Buffer file = {0};
    Error err = {""};
    char path[FOLDER_PATH_BYTES];
    buffer_append_text(&file, text);
    support_require(buffer_save(&file, folder_path(folder, name, path), &err), &err);
    buffer_free(&file);
}

// A vocab.json that knows three letters; b is made by no merge and is no special piece.
static void load_vocabulary(Tokenizer *tokenizer, const char *config) {
    char folder[FOLDER_PATH_BYTES];
    Error err = {""};
    Buffer vocab = {0};
    folder_make(folder);
    buffer_append_text(&vocab, "{\"<|endoftext|>\": 0, \"caret\": 1");
    int id = 2;
    for (const char *c = "<|endoftx>cardpsĠ"; *c != '\0'; c++) { // each byte's letter once
        if (strchr("<|endoftx>cardpsĠ", *c) == c && (*c & 0x80) == 0) {
            buffer_format(&vocab, ", \"%c\": %d", *c, id++);
        }
    }
    buffer_format(&vocab, ", \"Ġ\": %d}", id);
    save(folder, "vocab.json", vocab.bytes);
    save(folder, "merges.txt", "#version: 0.2\n");
    if (config != NULL) {
        save(folder, "tokenizer_config.json", config);
    }
    support_require(tokenizer_load(tokenizer, folder, &err), &err);
    buffer_free(&vocab);
    folder_remove(folder);
}

static void vocab_json_and_tokenizer_json(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    Tokenizer json = {0};
    load_vocabulary(&tokenizer, NULL);
    support_reload_tokenizer(&tokenizer, ".json", &json);
    assert_int_equal(count_id(&tokenizer, "a caret", 1), 0); // no merge makes it
    check_rule(&tokenizer, "car");
    json.eos_id = 0;
    check_rule(&json, "car");
}

static void tokenizer_config_says_otherwise(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    Error err = {""};
    load_vocabulary(&tokenizer, "{\"split_special_tokens\": true, \"colour\": 1, "
                                "\"eos_token\": \"caret\", \"mask_token\": \"<mask>\"}");
    assert_int_equal(tokenizer.eos_id, 1);
    assert_int_equal(count_id(&tokenizer, "a <|endoftext|>", 0), 0);
    assert_int_equal(count_id(&tokenizer, "a caret", 1), 0);
    assert_non_null(strstr(tokenizer_notes(&tokenizer), "\"colour\" is not known"));
    assert_non_null(strstr(tokenizer_notes(&tokenizer), "\"<mask>\" is not in the vocabulary"));
    support_require(tokenizer_choose(&tokenizer, &(TokenizerChoice){.special = "token"}, &err),
                    &err);
    assert_int_equal(count_id(&tokenizer, "a caret", 1), 1);
    assert_false(tokenizer_fits_json(&tokenizer, NULL) && tokenizer.special_as_text);
    tokenizer_free(&tokenizer);
}

// A rank file of a size that says which it is: 256 bytes, and pairs of them.
static void rank_files(void **state) {
    (void)state;
    static const char LETTERS[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    Buffer file = {0};
    for (unsigned i = 0; i < 50256; i++) {
        const unsigned first = i < 256 ? i : (i - 256) / 256;
        const unsigned second = i < 256 ? 0 : i % 256;
        buffer_format(&file, "%c%c%c= %u\n", LETTERS[first >> 2],
                      LETTERS[(first << 4 | second >> 4) & 63], LETTERS[second << 2 & 63], i);
        if (i < 256) { // a single byte ends in two signs
            file.length -= strlen(strrchr(file.bytes, '=')) + 1;
            buffer_format(&file, "== %u\n", i);
        }
    }
    Tokenizer tokenizer = {0};
    Error err = {""};
    support_require(support_load_tokenizer(&tokenizer, &file, ".bpe", &err), &err);
    check_rule(&tokenizer, "ab");
    buffer_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_words),
        cmocka_unit_test(sentencepiece_and_its_model_file),
        cmocka_unit_test(what_stands_between_is_a_text_of_its_own),
        cmocka_unit_test(vocab_json_and_tokenizer_json),
        cmocka_unit_test(tokenizer_config_says_otherwise),
        cmocka_unit_test(rank_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
