// test_sentencepiece.c - what a few lines of text teach, and what any bytes do to it.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/buffer.h"
#include "engine/tokenizers/sentencepiece/normalizer.h"
#include "engine/tokenizers/sentencepiece/sentencepiece_train.h"
#include "engine/tokenizers/sentencepiece/word_counts.h"
#include "engine/tokenizers/tokenizer.h"

static void train(Tokenizer *tokenizer, const char *text, size_t length,
                  const SentencePieceOptions *options, SentencePieceReport *report) {
    Error err = {0};
    support_require(sentencepiece_train(tokenizer, text, length, options, report, NULL, NULL, &err),
                    &err);
}

static SentencePieceOptions plain_options(int vocab_size) {
    SentencePieceOptions options;
    sentencepiece_options_init(&options);
    options.vocab_size = vocab_size;
    options.character_coverage = 1.0;
    options.nfkc = false;
    return options;
}

static void train_plain(Tokenizer *tokenizer, const char *text, int vocab_size) {
    const SentencePieceOptions options = plain_options(vocab_size);
    SentencePieceReport report;
    train(tokenizer, text, strlen(text), &options, &report);
}

static void assert_encodes(const Tokenizer *tokenizer, const char *text, size_t length,
                           const char *expected) {
    Error err = {0};
    TokenIds ids = {0};
    Buffer shown = {0};
    support_require(tokenizer_encode(tokenizer, text, length, &ids, NULL, &err), &err);
    buffer_append(&shown, "", 0);
    for (size_t i = 0; i < ids.count; i++) {
        char piece[64];
        tokenizer_piece_text(tokenizer, ids.ids[i], piece, sizeof piece);
        buffer_format(&shown, "%s%s", i > 0 ? " " : "", piece);
    }
    assert_string_equal(shown.bytes, expected);
    buffer_free(&shown);
    token_ids_free(&ids);
}

// Worked by hand: "ab" 3 times, then "▁ab" and "▁abc", which is as frequent as "bc" was before.
static void merges_come_by_count_then_length_then_bytes(void **state) {
    (void)state;
    static const char *const EXPECTED[] = {"<unk>", "<s>", "</s>", "ab", "▁ab", "▁abc",
                                           "▁abd",  "bc",  "bd",   "▁a", "abc", "abd",
                                           "a",     "b",   "▁",    "c",  "d"};
    Tokenizer tokenizer;
    train_plain(&tokenizer, "abc abd\nabc\n", 17);
    assert_int_equal(tokenizer.n_pieces, sizeof EXPECTED / sizeof EXPECTED[0]);
    for (int i = 0; i < tokenizer.n_pieces; i++) {
        assert_string_equal(tokenizer.pieces[i].bytes, EXPECTED[i]);
    }
    assert_int_equal(tokenizer.unknown_id, 0);
    assert_int_equal(tokenizer.bos_id, 1);
    assert_int_equal(tokenizer.eos_id, 2);
    assert_int_equal(tokenizer.pad_id, -1);
    tokenizer_free(&tokenizer);
}

static void a_vocabulary_too_large_is_cut_to_the_maximum(void **state) {
    (void)state;
    Tokenizer tokenizer;
    SentencePieceReport report;
    const SentencePieceOptions options = plain_options(100);
    train(&tokenizer, "abc abd\nabc\n", 12, &options, &report);
    assert_true(report.clamped);
    assert_int_equal(report.maximum, 17);
    assert_int_equal(tokenizer.n_pieces, 17);
    tokenizer_free(&tokenizer);
}

static void a_vocabulary_too_small_for_the_characters_is_refused(void **state) {
    (void)state;
    Tokenizer tokenizer;
    SentencePieceReport report;
    Error err = {0};
    const SentencePieceOptions options = plain_options(5);
    assert_false(
        sentencepiece_train(&tokenizer, "abc abd\n", 8, &options, &report, NULL, NULL, &err));
    assert_non_null(strstr(err.text, "too small"));
    assert_null(tokenizer.pieces);
}

static void suffixes_and_digits_stay_apart(void **state) {
    (void)state;
    Tokenizer tokenizer;
    SentencePieceReport report;
    SentencePieceOptions options = plain_options(40);
    options.whitespace_as_suffix = true;
    options.split_digits = true;
    const char *text = "to 2024 to 2024 to to\n";
    train(&tokenizer, text, strlen(text), &options, &report);
    assert_encodes(&tokenizer, "to 2024", 7, "to▁ 2 0 2 4 ▁");
    tokenizer_free(&tokenizer);
}

static void unknown_characters_are_counted_and_become_one_unknown_a_run(void **state) {
    (void)state;
    Tokenizer tokenizer;
    Error err = {0};
    TokenIds ids = {0};
    EncodeReport report;
    train_plain(&tokenizer, "abc abd\nabc\n", 17);
    const char *text = "ab你好c";
    support_require(tokenizer_encode(&tokenizer, text, strlen(text), &ids, &report, &err), &err);
    assert_int_equal(report.n_unknown, 2);
    assert_string_equal(report.first_unknown, "你");
    assert_int_equal(ids.count, 3);
    assert_int_equal(ids.ids[1], 0);
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
}

static void bytes_spell_what_no_piece_does(void **state) {
    (void)state;
    Tokenizer tokenizer;
    SentencePieceReport report;
    SentencePieceOptions options = plain_options(280);
    options.byte_fallback = true;
    train(&tokenizer, "abc abd\nabc\n", 12, &options, &report);
    assert_encodes(&tokenizer, "abc ä", 6, "▁abc ▁ <C3> <A4>");
    Error err = {0};
    TokenIds ids = {0};
    char *text = NULL;
    size_t length = 0;
    support_require(tokenizer_encode(&tokenizer, "abc ä", 6, &ids, NULL, &err), &err);
    support_require(tokenizer_decode(&tokenizer, ids.ids, ids.count, &text, &length, &err), &err);
    assert_string_equal(text, "abc ä");
    free(text);
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
}

static void given_symbols_are_never_taken_apart(void **state) {
    (void)state;
    static const char *const USER[] = {"<x>", "bca"};
    static const char *const CONTROL[] = {"<c>"};
    Tokenizer tokenizer;
    SentencePieceReport report;
    SentencePieceOptions options = plain_options(60);
    options.user_symbols = USER;
    options.n_user_symbols = 2;
    options.control_symbols = CONTROL;
    options.n_control_symbols = 1;
    train(&tokenizer, "abcabc ab<x>\nabc\n", 18, &options, &report);
    assert_string_equal(tokenizer.pieces[3].bytes, "<c>");
    assert_string_equal(tokenizer.pieces[4].bytes, "<x>");
    assert_encodes(&tokenizer, "abca<x>", 7, "▁a bca <x>");
    tokenizer_free(&tokenizer);
}

typedef struct Seen {
    int n_steps;
    int last_rank;
    int n_pieces;
} Seen;

static void see(void *context, const MergeStep *step) {
    Seen *seen = context;
    seen->n_steps++;
    seen->last_rank = step->rank;
    seen->n_pieces = step->n_pieces;
    assert_int_equal(step->starts[0], 0);
    assert_true(step->left_start < step->left_end && step->left_end < step->right_end);
}

static void watched_merges_lead_to_the_same_ids(void **state) {
    (void)state;
    Tokenizer tokenizer;
    Error err = {0};
    TokenIds watched = {0};
    TokenIds plain = {0};
    Seen seen = {0};
    train_plain(&tokenizer, "abc abd\nabc\n", 17);
    const char *text = "abcd xabd";
    const size_t length = strlen(text);
    support_require(tokenizer_encode_watched(&tokenizer, text, length, &watched, see, &seen, &err),
                    &err);
    support_require(tokenizer_encode(&tokenizer, text, length, &plain, NULL, &err), &err);
    assert_int_equal(watched.count, plain.count);
    assert_memory_equal(watched.ids, plain.ids, plain.count * sizeof *plain.ids);
    assert_int_equal(seen.n_steps, 5); // ab, ab, ▁ab, ▁abc, abd
    token_ids_free(&watched);
    token_ids_free(&plain);
    tokenizer_free(&tokenizer);
}

static void check_round_trip(const Tokenizer *tokenizer, const char *ending) {
    Error err = {0};
    char path[64];
    char before[17];
    char after[17];
    Tokenizer read;
    snprintf(path, sizeof path, "/tmp/attend-test-%ld%s", (long)getpid(), ending);
    support_require(tokenizer_save(tokenizer, path, &err), &err);
    const bool ok = tokenizer_load(&read, path, &err);
    unlink(path);
    support_require(ok, &err);
    tokenizer_hash(tokenizer, before);
    tokenizer_hash(&read, after);
    assert_string_equal(before, after);
    assert_int_equal(read.n_pieces, tokenizer->n_pieces);
    assert_encodes(&read, "abc ﬁ ½", 11, "▁abc ▁ <unk> ▁ <unk>");
    tokenizer_free(&read);
}

static void both_files_keep_the_tokenizer(void **state) {
    (void)state;
    Tokenizer tokenizer;
    SentencePieceReport report;
    SentencePieceOptions options = plain_options(60);
    options.nfkc = true;
    train(&tokenizer, "abc abd\nabc\n", 12, &options, &report);
    check_round_trip(&tokenizer, ".tokenizer");
    check_round_trip(&tokenizer, ".model");
    tokenizer_free(&tokenizer);
}

static void damaged_files_are_refused_with_a_sentence(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        "attend tokenizer 1\n",
        "attend tokenizer 1\nkind other\n",
        "attend tokenizer 1\nkind sentencepiece\nunknown 7\nbos -1\neos -1\npad -1\npieces 1\n"
        "unknown 0 <unk>\n",
        "attend tokenizer 1\nkind sentencepiece\nunknown 0\nbos -1\neos -1\npad -1\npieces 2\n"
        "unknown 0 <unk>\n",
        "attend tokenizer 1\nkind sentencepiece\nunknown 0\nbos -1\neos -1\npad -1\nmap 00zz\n"
        "pieces 1\nunknown 0 <unk>\n",
        "attend tokenizer 1\nkind sentencepiece\nunknown 0\nbos -1\neos -1\npad -1\nmap 00000000\n"
        "pieces 1\nunknown 0 <unk>\n",
        "attend tokenizer 1\nkind sentencepiece\nunknown 0\nbos -1\neos -1\npad -1\ncolour 1\n"
        "pieces 1\nunknown 0 <unk>\n",
        "\n\x0e\n\x05<unk",
    };
    char path[64];
    snprintf(path, sizeof path, "/tmp/attend-test-%ld.damaged", (long)getpid());
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        Error err = {0};
        Tokenizer tokenizer;
        Buffer text = {0};
        buffer_append_text(&text, TEXTS[i]);
        support_require(buffer_save(&text, path, &err), &err);
        buffer_free(&text);
        assert_false(tokenizer_load(&tokenizer, path, &err));
        assert_true(error_is_set(&err));
        assert_null(tokenizer.pieces);
    }
    unlink(path);
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

static void any_bytes_can_be_trained_on_and_encoded(void **state) {
    (void)state;
    uint32_t seed = 5;
    for (int round = 0; round < 60; round++) {
        char bytes[600];
        const size_t length = next_random(&seed) % sizeof bytes;
        for (size_t i = 0; i < length; i++) {
            const uint32_t kind = next_random(&seed) % 4;
            bytes[i] = kind == 0 ? (char)next_random(&seed) : "ab \n\t\r"[next_random(&seed) % 6];
        }
        SentencePieceOptions options = plain_options(900);
        options.nfkc = round % 8 == 0;
        options.byte_fallback = round % 3 == 0;
        options.remove_extra_whitespaces = round % 5 != 0;
        Tokenizer tokenizer;
        SentencePieceReport report;
        Error err = {0};
        if (!sentencepiece_train(&tokenizer, bytes, length, &options, &report, NULL, NULL, &err)) {
            assert_true(error_is_set(&err));
            continue;
        }
        TokenIds ids = {0};
        char *text = NULL;
        size_t n = 0;
        support_require(tokenizer_encode(&tokenizer, bytes, length, &ids, NULL, &err), &err);
        support_require(tokenizer_decode(&tokenizer, ids.ids, ids.count, &text, &n, &err), &err);
        free(text);
        token_ids_free(&ids);
        tokenizer_free(&tokenizer);
    }
}

static void a_long_line_without_spaces_is_encoded_in_reasonable_time(void **state) {
    (void)state;
    Tokenizer tokenizer;
    Error err = {0};
    TokenIds ids = {0};
    train_plain(&tokenizer, "ab abab abababab\n", 40);
    Buffer line = {0};
    while (line.length < 1000000) {
        buffer_append(&line, "ab", 2);
    }
    support_require(tokenizer_encode(&tokenizer, line.bytes, line.length, &ids, NULL, &err), &err);
    assert_true(ids.count > 0 && ids.count < line.length / 2);
    buffer_free(&line);
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
}

static void the_map_composes_and_cleans(void **state) {
    (void)state;
    static const char *const CASES[][2] = {
        {"e\u0301", "é"},       {"ﬁ①½", "fi11\u20442"},
        {"\uff76\uff9e", "ガ"}, {"\u1100\u1161\u11a8", "각"},
        {"a\u200bb", "a b"},    {"x\x01y", "xy"},
        {"～", "～"},           {"\ufeffz", " z"},
    };
    Buffer map = {0};
    Normalizer normalizer = {0};
    Error err = {0};
    charsmap_append_nfkc(&map);
    support_require(normalizer_prepare(&normalizer, map.bytes, map.length, &err), &err);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Buffer out = {0};
        normalizer_run(&normalizer, CASES[i][0], strlen(CASES[i][0]), &out, NULL);
        assert_string_equal(out.bytes, CASES[i][1]);
        buffer_free(&out);
    }
    normalizer_free(&normalizer);
    buffer_free(&map);
}

typedef struct Told {
    int n_steps;
    MergeReason reasons[16];
} Told;

static void take_step(void *context, const LearnedMerge *step) {
    Told *told = context;
    assert_int_equal(step->number, told->n_steps);
    if (told->n_steps < 16) {
        told->reasons[told->n_steps] = step->reason;
    }
    told->n_steps++;
    if (step->number == 0) {
        assert_string_equal(step->candidates[0].left, "a");
        assert_string_equal(step->candidates[0].right, "b");
        assert_int_equal(step->candidates[0].count, 3);
        assert_string_equal(step->candidates[1].piece, "▁a");
    }
}

static void training_tells_why_a_pair_won(void **state) {
    (void)state;
    const SentencePieceOptions options = plain_options(13);
    Tokenizer tokenizer;
    SentencePieceReport report;
    Error err = {0};
    Told told = {0};
    support_require(sentencepiece_train(&tokenizer, "abc abd\nabc\n", 12, &options, &report,
                                        take_step, &told, &err),
                    &err);
    assert_int_equal(told.n_steps, 5);
    assert_int_equal(told.reasons[0], MERGE_BY_ORDER); // "ab" before "▁a", both 3 times
    tokenizer_free(&tokenizer);
}

static void words_that_are_too_many_are_refused(void **state) {
    (void)state;
    char text[] = "añb";
    WordCounts words = {.n_words = 2, .bytes = {.bytes = text, .length = sizeof text - 1}};
    Error err = {0};
    assert_int_equal(word_counts_cells(&words), 3 + 2 + 1);
    assert_true(word_counts_fit(&words, &err));
    words.n_words = (size_t)INT32_MAX - 5;
    assert_true(word_counts_fit(&words, &err));
    words.n_words++;
    assert_false(word_counts_fit(&words, &err));
    assert_non_null(strstr(err.text, "expected fewer than 2147483647"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_come_by_count_then_length_then_bytes),
        cmocka_unit_test(a_vocabulary_too_large_is_cut_to_the_maximum),
        cmocka_unit_test(a_vocabulary_too_small_for_the_characters_is_refused),
        cmocka_unit_test(suffixes_and_digits_stay_apart),
        cmocka_unit_test(unknown_characters_are_counted_and_become_one_unknown_a_run),
        cmocka_unit_test(bytes_spell_what_no_piece_does),
        cmocka_unit_test(given_symbols_are_never_taken_apart),
        cmocka_unit_test(watched_merges_lead_to_the_same_ids),
        cmocka_unit_test(both_files_keep_the_tokenizer),
        cmocka_unit_test(damaged_files_are_refused_with_a_sentence),
        cmocka_unit_test(any_bytes_can_be_trained_on_and_encoded),
        cmocka_unit_test(a_long_line_without_spaces_is_encoded_in_reasonable_time),
        cmocka_unit_test(the_map_composes_and_cleans),
        cmocka_unit_test(training_tells_why_a_pair_won),
        cmocka_unit_test(words_that_are_too_many_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
