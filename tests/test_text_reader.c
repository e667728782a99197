// test_text_reader.c - texts are read whole, in parts whose tokens are those of the whole.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizers/byte_level/byte_level.h"
#include "engine/tokenizers/sentencepiece/sentencepiece_train.h"
#include "engine/training/dataset.h"
#include "engine/training/text_cut.h"
#include "kernels/random.h"
#include "tests/folder.h"

static char folder[FOLDER_PATH_BYTES];

static int open_place(void **state) {
    char *path = malloc(FOLDER_PATH_BYTES);
    assert_non_null(path);
    folder_make(folder);
    folder_path(folder, "source", path);
    *state = path;
    return 0;
}

static int close_place(void **state) {
    free(*state);
    folder_remove(folder);
    return 0;
}

static void write_source(const char *path, const char *text) {
    Error err = {""};
    support_require(file_save(path, text, strlen(text), &err), &err);
}

static void read_all(const TextSource *source, char *joined, size_t size, int *n_items) {
    TextReader reader = {0};
    TextItem item;
    bool found = true;
    Error err = {""};
    size_t length = 0;
    *n_items = 0;
    support_require(text_reader_open(&reader, source, &err), &err);
    while (found) {
        support_require(text_reader_next(&reader, &item, &found, &err), &err);
        if (found) {
            int n = snprintf(joined + length, size - length, "%s%.*s%s", item.begins ? "[" : "",
                             (int)item.length, item.text, item.ends ? "]" : "");
            length += (size_t)n;
            (*n_items)++;
        }
    }
    text_reader_close(&reader);
}

static void a_separator_parts_texts(void **state) {
    const char *path = *state;
    char joined[256];
    int n = 0;
    write_source(path, "a b\nc<|endoftext|>\n\n  d<|endoftext|><|endoftext|>e\n\nf\n");
    read_all(&(TextSource){.path = path}, joined, sizeof joined, &n);
    assert_string_equal(joined, "[a b\nc][\n  d][e\n\nf]");
    read_all(&(TextSource){.path = path, .paragraphs = true}, joined, sizeof joined, &n);
    assert_string_equal(joined, "[a b\nc][  d][e][f]");
    write_source(path, "a##b#c");
    read_all(&(TextSource){.path = path, .separator = "##"}, joined, sizeof joined, &n);
    assert_string_equal(joined, "[a][b#c]");
}

// Only the line ends of the file's lines are no part of a text.
static void white_space_at_the_ends_is_kept(void **state) {
    const char *path = *state;
    char joined[256];
    int n = 0;
    write_source(path, " a \n<|endoftext|>\n\tb\n\n<|endoftext|> c\r\n<|endoftext|>\r\nd\t\n");
    read_all(&(TextSource){.path = path}, joined, sizeof joined, &n);
    assert_string_equal(joined, "[ a ][\tb\n][ c][d\t]");
    write_source(path, "\na");
    read_all(&(TextSource){.path = path}, joined, sizeof joined, &n);
    assert_string_equal(joined, "[\na]");
    write_source(path, "{\"text\": \" a\\n\"}\n{\"text\": \"\\r\\nb \"}\n{\"text\": \" \"}\n");
    read_all(&(TextSource){.path = path, .format = TEXT_JSONL}, joined, sizeof joined, &n);
    assert_string_equal(joined, "[ a\n][\r\nb ]");
}

static void a_long_text_comes_in_parts_that_join_to_it(void **state) {
    const char *path = *state;
    enum { N = 400 * 1000 };
    char *text = malloc(N + 1);
    char *joined = malloc(2 * N);
    int n = 0;
    for (int i = 0; i < N; i++) {
        text[i] = (char)(i % 97 == 96 ? '\n' : i % 7 == 6 ? ' ' : 'a' + i % 5);
    }
    text[0] = 'x';
    text[N - 1] = 'y';
    text[N] = '\0';
    write_source(path, text);
    read_all(&(TextSource){.path = path}, joined, 2 * N, &n);
    assert_true(n > 4);
    assert_int_equal(joined[0], '[');
    assert_memory_equal(joined + 1, text, N);
    assert_string_equal(joined + 1 + N, "]");
    free(text);
    free(joined);
}

static void a_wrong_line_is_named(void **state) {
    const char *path = *state;
    struct {
        TextFormat format;
        const char *text, *sentence;
    } cases[] = {
        {TEXT_PAIRS, "a\tb\nc d\n", ":2: expected a source, a tab and a target, found no tab"},
        {TEXT_PAIRS, "\tb\n", ":1: expected a source, a tab and a target, found an empty side"},
        {TEXT_JSONL, "{\"text\": \"a\"}\n{\"text\": 3}\n", ":2: expected an object with a text"},
        {TEXT_JSONL, "{\"text\": \"a\"}\nnope\n", ":2: expected a JSON object in one line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TextReader reader = {0};
        TextItem item;
        Error err = {""};
        bool found = true;
        bool ok = true;
        write_source(path, cases[i].text);
        TextSource source = {.path = path, .format = cases[i].format};
        support_require(text_reader_open(&reader, &source, &err), &err);
        while (ok && found) {
            ok = text_reader_next(&reader, &item, &found, &err);
        }
        text_reader_close(&reader);
        assert_false(ok);
        assert_non_null(strstr(err.text, cases[i].sentence));
    }
}

static void a_json_line_gives_its_field(void **state) {
    const char *path = *state;
    char joined[256];
    int n = 0;
    write_source(path, "{\"story\": \"a\\nb\", \"text\": \"no\"}\n\n{\"story\": \"c\"}");
    TextSource source = {.path = path, .format = TEXT_JSONL, .field = "story"};
    read_all(&source, joined, sizeof joined, &n);
    assert_string_equal(joined, "[a\nb][c]");
}

static void a_blank_line_may_hold_white_space(void **state) {
    const char *path = *state;
    char joined[256];
    int n = 0;
    TextSource source = {.path = path, .paragraphs = true};
    write_source(path, "a\r\n\r\nb\n \t\nc\nd\n\n\ne <|endoftext|>f\n ");
    read_all(&source, joined, sizeof joined, &n);
    assert_string_equal(joined, "[a][b][c\nd][e ][f\n ]");
    source.paragraphs = false;
    write_source(path, "a\r\n\r\nb\n \nc");
    read_all(&source, joined, sizeof joined, &n);
    assert_string_equal(joined, "[a\r\n\r\nb\n \nc]");
}

static void a_mark_of_byte_order_is_no_text(void **state) {
    const char *path = *state;
    char joined[256];
    int n = 0;
    write_source(path, "\xEF\xBB\xBF{\"text\": \"a\"}\n{\"text\": \"\xEF\xBB\xBF\"}\n");
    read_all(&(TextSource){.path = path, .format = TEXT_JSONL}, joined, sizeof joined, &n);
    assert_string_equal(joined, "[a][\xEF\xBB\xBF]");
    write_source(path, "\xEF\xBB\xBFx y");
    read_all(&(TextSource){.path = path}, joined, sizeof joined, &n);
    assert_string_equal(joined, "[x y]");
    write_source(path, "\xEF\xBB");
    read_all(&(TextSource){.path = path}, joined, sizeof joined, &n);
    assert_string_equal(joined, "[\xEF\xBB]");
}

static void a_json_text_may_hold_nul(void **state) {
    const char *path = *state;
    TextReader reader = {0};
    TextItem item;
    bool found = false;
    Error err = {""};
    write_source(path, "{\"text\": \"a\\u0000b\"}\n");
    TextSource source = {.path = path, .format = TEXT_JSONL};
    support_require(text_reader_open(&reader, &source, &err), &err);
    support_require(text_reader_next(&reader, &item, &found, &err), &err);
    assert_true(found);
    assert_int_equal(item.length, 3);
    assert_memory_equal(item.text, "a\0b", 3);
    text_reader_close(&reader);
}

static void only_regular_files_last(void **state) {
    const char *path = *state;
    write_source(path, "a");
    assert_true(text_source_is_lasting(&(TextSource){.path = path}));
    assert_false(text_source_is_lasting(&(TextSource){.path = "-"}));
    assert_false(text_source_is_lasting(&(TextSource){.path = "/dev/null"}));
    assert_true(
        text_source_is_lasting(&(TextSource){.path = "copy", .made = made_data_find("copy")}));
}

// ---- parts

// White space of all kinds between words of all kinds, about `size` bytes.
static void make_text(uint64_t seed, size_t size, Buffer *text) {
    static const char *const WORDS[] = {"once",  "Upon",   "it's", "a",      "3141592", "tree,",
                                        "(see)", "\"No\"", "Änne", "早上好", "end.",    "NASA"};
    static const char *const GAPS[] = {"\n\n", "\n\n", " ",      "  ",    "\n",    "\r\n\r\n",
                                       " \n ", "\t",   "\n\n\n", "   \n", ".\n\n", "\xC2\xA0"};
    enum { N_WORDS = sizeof WORDS / sizeof WORDS[0], N_GAPS = sizeof GAPS / sizeof GAPS[0] };
    text->length = 0;
    for (uint64_t i = 0; text->length < size; i++) {
        buffer_append_text(text, WORDS[random_bits(seed, 1, 0, i) % N_WORDS]);
        buffer_append_text(text, GAPS[random_bits(seed, 2, 0, i) % N_GAPS]);
    }
    buffer_append_text(text, "end");
}

static void require_parts_give_the_whole(const Tokenizer *tokenizer, const char *path,
                                         const Buffer *text) {
    Error err = {""};
    TokenIds whole = {0};
    char data[FOLDER_PATH_BYTES];
    char hash[DATASET_HASH_BYTES];
    folder_path(folder, "data", data);
    support_require(file_save(path, text->bytes, text->length, &err), &err);
    DatasetPlan plan = {.source = {.path = path}, .tokenizer = tokenizer, .marks = {-1, -1}};
    DatasetCounts counts;
    Dataset dataset;
    support_require(tokenizer_encode(tokenizer, text->bytes, text->length, &whole, NULL, &err),
                    &err);
    support_require(dataset_build(data, &plan, &counts, &err), &err);
    assert_int_equal(counts.n_texts, 1);
    tokenizer_hash(tokenizer, hash);
    DatasetOptions options = {.length = 8, .tokenizer_hash = hash};
    support_require(dataset_open(&dataset, data, SPLIT_TRAIN, &options, &err), &err);
    assert_int_equal(dataset.n_shards, 1);
    assert_int_equal(dataset.n_tokens, whole.count);
    for (size_t i = 0; i < whole.count; i++) {
        assert_int_equal(dataset.shards[0].narrow[i], whole.ids[i]);
    }
    dataset_close(&dataset);
    folder_remove(data);
    token_ids_free(&whole);
}

enum { TEXT_BYTES = 300 * 1000, N_SEEDS = 5 };

static void parts_have_the_tokens_of_the_whole_in_bytes(void **state) {
    static const char *const RULES[] = {"gpt2", "cl100k", "llama3", "qwen2", "o200k", "tekken"};
    Error err = {""};
    Tokenizer tokenizer;
    Buffer text = {0};
    support_require(tokenizer_load(&tokenizer, "tests/byte_level/vocab.json", &err), &err);
    SplitRule *rule = &tokenizer.detail->of.byte_level->split;
    for (size_t i = 0; i < sizeof RULES / sizeof RULES[0]; i++) {
        assert_true(byte_split_named(RULES[i], rule));
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
            make_text(seed, TEXT_BYTES, &text);
            require_parts_give_the_whole(&tokenizer, *state, &text);
        }
    }
    buffer_free(&text);
    tokenizer_free(&tokenizer);
}

static void parts_have_the_tokens_of_the_whole_in_characters(void **state) {
    static const char *const FILES[] = {"assets/tokenizers/stories-512.tokenizer",
                                        "assets/tokenizers/stories-2000.tokenizer"};
    Error err = {""};
    Buffer text = {0};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Tokenizer tokenizer;
        support_require(tokenizer_load(&tokenizer, FILES[i], &err), &err);
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
            make_text(seed, TEXT_BYTES, &text);
            require_parts_give_the_whole(&tokenizer, *state, &text);
        }
        tokenizer_free(&tokenizer);
    }
    buffer_free(&text);
}

// One that puts a space before each text and takes none away.
static void parts_have_the_tokens_of_the_whole_where_spaces_stay(void **state) {
    Error err = {""};
    Buffer text = {0};
    Tokenizer tokenizer;
    SentencePieceReport report;
    SentencePieceOptions options;
    sentencepiece_options_init(&options);
    options.vocab_size = 300;
    options.remove_extra_whitespaces = false;
    make_text(0, TEXT_BYTES, &text);
    support_require(sentencepiece_train(&tokenizer, text.bytes, text.length, &options, &report,
                                        NULL, NULL, &err),
                    &err);
    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        make_text(seed, TEXT_BYTES, &text);
        require_parts_give_the_whole(&tokenizer, *state, &text);
    }
    tokenizer_free(&tokenizer);
    buffer_free(&text);
}

static void a_text_without_a_good_place_is_cut_all_the_same(void **state) {
    (void)state;
    assert_int_equal(text_cut_end("ab cd ef", 8, 7), 5);
    assert_int_equal(text_cut_end("ab  cd", 6, 5), 3); // two spaces: no good place
    assert_int_equal(text_cut_end("ab\ncd 12", 8, 7), 3);
    assert_int_equal(text_cut_end("1 2 3 4", 7, 4), 3);
    assert_int_equal(text_cut_end("\xE6\x97\xA9\xE4\xB8\x8A", 6, 5), 3);
    assert_int_equal(text_cut_end("\x80\x80\x80\x80", 4, 3), 3);
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        PLACE_TEST(a_separator_parts_texts),
        PLACE_TEST(white_space_at_the_ends_is_kept),
        PLACE_TEST(a_long_text_comes_in_parts_that_join_to_it),
        PLACE_TEST(a_wrong_line_is_named),
        PLACE_TEST(a_json_line_gives_its_field),
        PLACE_TEST(a_blank_line_may_hold_white_space),
        PLACE_TEST(a_mark_of_byte_order_is_no_text),
        PLACE_TEST(a_json_text_may_hold_nul),
        PLACE_TEST(only_regular_files_last),
        PLACE_TEST(parts_have_the_tokens_of_the_whole_in_bytes),
        PLACE_TEST(parts_have_the_tokens_of_the_whole_in_characters),
        PLACE_TEST(parts_have_the_tokens_of_the_whole_where_spaces_stay),
        cmocka_unit_test(a_text_without_a_good_place_is_cut_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
