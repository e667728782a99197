// test_byte_split.c - the words of a text, by the rules that tokenizer.json files name.
#include "tests/support.h"
#include "tests/support_tokenizer.h"

#include <string.h>

#include "engine/base/buffer.h"
#include "engine/tokenizers/character_class.h"
#include "engine/tokenizers/byte_level/byte_level.h"

// The words with a stroke between; white space that a rule leaves out is left out.
static void require_words(const char *name, const char *text, const char *expected) {
    SplitRule rule;
    Buffer words = {0};
    const size_t length = strlen(text);
    assert_true(byte_split_named(name, &rule));
    assert_string_equal(byte_split_name(&rule), name);
    buffer_append(&words, "", 0);
    for (size_t start = 0; start < length;) {
        const size_t end = byte_split_next(&rule, text, start, length);
        assert_in_range(end, start + 1, length);
        if (!byte_split_drops_spaces(&rule) || !byte_split_is_space(text, start, length)) {
            buffer_append_text(&words, words.length > 0 ? "|" : "");
            buffer_append(&words, text + start, end - start);
        }
        start = end;
    }
    assert_string_equal(words.bytes, expected);
    buffer_free(&words);
}

static void white_space_is_left_out_between_words(void **state) {
    (void)state;
    require_words("spaces", " it's  a_1,\n你好\u3000x\u00a0", "it's|a_1,|你好|x");
    require_words("words", " it's  a_1,-\n你好!\u3000½e\u0301", "it|'|s|a_1|,-|你好|!|½|e\u0301");
    require_words("words", "Ⓐ\u200dx·y", "Ⓐ\u200dx|·|y");
    require_words("spaces", " \t\n", "");
}

static void each_sign_of_punctuation_is_a_word(void **state) {
    (void)state;
    require_words("signs", "it's $5_000 …?!", "it|'|s |$|5|_|000 |…|?|!");
    require_words("signs", "a € b", "a € b"); // a symbol, and none of ASCII's signs
}

static void numbers_are_words_whole_or_one_by_one(void **state) {
    (void)state;
    require_words("digits", "a12½ b", "a|1|2|½| b");
    require_words("numbers", "a12½ b", "a|12½| b");
}

static void clip_splits_letters_numbers_and_the_rest(void **state) {
    (void)state;
    require_words("clip", "it's 12 dogs', e\u0301!?'s", "it|'s|1|2|dogs|',|e|\u0301!?'|s");
    require_words("clip", "we'll  I'M", "we|'ll|I|'|M");
}

static void bytes_that_are_not_utf8_are_signs_to_every_rule(void **state) {
    (void)state;
    require_words("spaces", "a\xFF b", "a\xFF|b");
    require_words("words", "a\xFF\xE4 b", "a|\xFF\xE4|b");
    require_words("signs", "a\xFF.", "a\xFF|.");
    require_words("digits", "1\xFF", "1|\xFF");
    require_words("clip", "a\xFF\xE4", "a|\xFF\xE4");
}

static void properties_of_characters_are_those_of_unicode(void **state) {
    (void)state;
    assert_true(character_class_is_word('_') && character_class_is_word(0x301) &&
                character_class_is_word(0x2160));
    assert_true(character_class_is_word(0x203F) &&
                character_class_is_word(0x24B6)); // a connector; in a ring
    assert_false(character_class_is_word(0xBD) || character_class_is_word('-') ||
                 character_class_is_word(-1));
    assert_true(character_class_is_space(0x85) && character_class_is_space('\v'));
    assert_false(character_class_is_space(0x1F) || character_class_is_space(0x200B));
    assert_true(character_class_is_punctuation('_') && character_class_is_punctuation('+'));
    assert_true(character_class_is_punctuation(0x3002));
    assert_false(character_class_is_punctuation(0xA76)); // since Unicode 11
    assert_false(character_class_is_punctuation(0xD7) || character_class_is_punctuation('a'));
}

static void a_written_tokenizer_json_splits_as_before(void **state) {
    (void)state;
    static const char *const names[] = {"none",  "gpt2",  "cl100k", "llama3",
                                        "qwen2", "o200k", "tekken", "clip"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        Tokenizer first = {0};
        Tokenizer second = {0};
        Error err = {0};
        support_require(tokenizer_load(&first, "tests/byte_level/vocab.json", &err), &err);
        assert_true(byte_split_named(names[i], &first.detail->of.byte_level->split));
        support_reload_tokenizer(&first, ".json", &second);
        assert_string_equal(byte_split_name(&second.detail->of.byte_level->split), names[i]);
        tokenizer_free(&first);
        tokenizer_free(&second);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_space_is_left_out_between_words),
        cmocka_unit_test(each_sign_of_punctuation_is_a_word),
        cmocka_unit_test(numbers_are_words_whole_or_one_by_one),
        cmocka_unit_test(clip_splits_letters_numbers_and_the_rest),
        cmocka_unit_test(bytes_that_are_not_utf8_are_signs_to_every_rule),
        cmocka_unit_test(properties_of_characters_are_those_of_unicode),
        cmocka_unit_test(a_written_tokenizer_json_splits_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
