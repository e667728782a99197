// test_byte_files.c - the files that hold byte-level tokenizers: what is read, and how faults are
// told.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/tokenizers/byte_level/byte_level.h"

// A folder of the test's own, and files in it.
typedef struct Folder {
    char path[64];
    char *file[4];
    int n_files;
} Folder;

static void folder_open(Folder *folder) {
    *folder = (Folder){"/tmp/attend-test-XXXXXX", {NULL}, 0};
    assert_non_null(mkdtemp(folder->path));
}

static const char *folder_write(Folder *folder, const char *name, const char *bytes,
                                size_t length) {
    Buffer path = {0};
    buffer_format(&path, "%s/%s", folder->path, name);
    folder->file[folder->n_files++] = path.bytes;
    FILE *file = fopen(path.bytes, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    return path.bytes;
}

static void folder_close(Folder *folder) {
    for (int i = 0; i < folder->n_files; i++) {
        unlink(folder->file[i]);
        free(folder->file[i]);
    }
    rmdir(folder->path);
}

static void require_fault(const char *path, const char *told) {
    Tokenizer tokenizer = {0};
    Error err = {0};
    assert_false(tokenizer_load(&tokenizer, path, &err));
    if (strstr(err.text, told) == NULL) {
        fail_msg("the sentence is: %s\nexpected in it: %s", err.text, told);
    }
    tokenizer_free(&tokenizer);
}

// ---- vocab.json and merges.txt

static void faults_of_vocab_and_merges_are_told_with_their_line(void **state) {
    (void)state;
    static const struct {
        const char *vocab, *merges, *told;
    } cases[] = {
        {"{\"a\": 0, \"b\": 1, \"ab\": 2}", "#version: 0.2\na b\nab\n",
         "merges.txt:3: expected two pieces"},
        {"{\"a\": 0, \"b\": 1, \"ab\": 2}", "a b\nb a\n", "merges.txt:2: the merge makes \"ba\""},
        {"{\"a\": 0, \"b\": 1, \"ab\": 2}", "a c\n", "merges.txt:1: the merge takes \"c\""},
        {"{\"a\": 0, \"b\": 1, \"ab\": 2}", "a b c\n", "merges.txt:1: expected two pieces"},
        {"{\"a\": 0, \"b\": 1, \"ab\": 2}", "\xE4\xBD\xA0 b\n",
         "merges.txt:1: expected characters of GPT-2's"},
        {"{\"a\": 0, \"b</w>\": 1, \"ab</w>\": 2}", "a b</w>\n", "1 merges end in </w>"},
        {"{\"a\": 0, \"b\": 0}", "", "vocab.json:1: expected each id once"},
        {"{\"a\": 0,\n \"a\": 1}", "", "piece 1 is \"a\" again"},
        {"{\"a\": 0,\n \"b\": -1}", "", "vocab.json:2: expected an id"},
        {"{\"a\": 0,\n \"b\": 1.5}", "", "vocab.json:2: expected } or ,"},
        {"{\"a\": 99999999999}", "", "vocab.json:1: expected an id below"},
        {"{\"a\": 0, \"b\": 9999999}", "", "expected few holes"},
        {"{\"a\": 0", "", "vocab.json:1: expected } or ,"},
        {"{\"a", "", "expected a closing quote"},
        {"{\"\\q\": 0}", "", "expected an escape"},
        {"{\"\\ud800\": 0}", "", "expected an escape"},
        {"{\"\xFF\": 0}", "", "expected UTF-8"},
        {"{\"a\": 0,}", "", "expected a piece in quotes"},
        {"{\"a\": 0} x", "", "expected the end of the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Folder folder;
        folder_open(&folder);
        const char *vocab =
            folder_write(&folder, "vocab.json", cases[i].vocab, strlen(cases[i].vocab));
        folder_write(&folder, "merges.txt", cases[i].merges, strlen(cases[i].merges));
        require_fault(vocab, cases[i].told);
        folder_close(&folder);
    }
}

static void a_byte_without_a_piece_is_refused_in_a_sentence(void **state) {
    (void)state;
    static const char vocab[] =
        "{\"a\": 0, \"b\": 1, \"ab\": 2, \"\\u0120\": 3, \"<pad>\": 4, \"\\ud83d\\ude00\": 5}";
    Folder folder;
    Tokenizer tokenizer = {0};
    TokenIds ids = {0};
    Error err = {0};
    folder_open(&folder);
    const char *path = folder_write(&folder, "vocab.json", vocab, sizeof vocab - 1);
    folder_write(&folder, "merges.txt", "a b\r\n", 5);
    support_require(tokenizer_load(&tokenizer, path, &err), &err);
    assert_int_equal(tokenizer.pad_id, 4);
    assert_string_equal(tokenizer.pieces[3].bytes, " ");
    assert_string_equal(tokenizer.pieces[5].bytes, "\xF0\x9F\x98\x80");
    support_require(tokenizer_encode(&tokenizer, "ab a", 4, &ids, NULL, &err), &err);
    assert_int_equal(ids.count, 3);
    assert_int_equal(ids.ids[0], 2);
    assert_false(tokenizer_encode(&tokenizer, "abc", 3, &ids, NULL, &err));
    assert_non_null(strstr(err.text, "no token for c in \"abc\""));
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
    folder_close(&folder);
}

// A vocabulary over a and b whose merges were drawn, not trained: halves in any order, ranks
// anyhow.
static void write_drawn(Folder *folder, uint32_t *seed) {
    char pieces[40][16] = {"a", "b"};
    int n = 2;
    Buffer vocab = {0};
    Buffer merges = {0};
    buffer_append_text(&vocab, "{\"a\": 0, \"b\": 1");
    for (int tries = 0; tries < 60 && n < 40; tries++) {
        *seed = *seed * 1103515245U + 12345U;
        const char *left = pieces[(*seed >> 8) % (uint32_t)n];
        const char *right = pieces[(*seed >> 20) % (uint32_t)n];
        char whole[32];
        snprintf(whole, sizeof whole, "%s%s", left, right);
        int found = 0;
        while (found < n && strcmp(pieces[found], whole) != 0) {
            found++;
        }
        if (strlen(whole) >= sizeof pieces[0]) {
            continue;
        }
        if (found == n) {
            snprintf(pieces[n], sizeof pieces[0], "%.15s", whole);
            buffer_format(&vocab, ", \"%s\": %d", whole, n);
            n++;
        }
        buffer_format(&merges, "%s %s\n", left, right);
    }
    buffer_append_text(&vocab, "}");
    folder_write(folder, "vocab.json", vocab.bytes, vocab.length);
    folder_write(folder, "merges.txt", merges.bytes == NULL ? "" : merges.bytes, merges.length);
    buffer_free(&vocab);
    buffer_free(&merges);
}

// Whether the table of whole words says of each piece what merging its bytes gives.
static void require_words_are_merges(const Tokenizer *tokenizer) {
    const ByteLevel *level = tokenizer->detail->of.byte_level;
    const Merger merger = {.pairs = &level->pairs, .widths = level->widths};
    for (int id = 0; id < tokenizer->n_pieces; id++) {
        const Piece *piece = &tokenizer->pieces[id];
        size_t length = (size_t)piece->length;
        if (piece->kind != PIECE_NORMAL || length > WORD_KEY_BYTES) {
            continue;
        }
        int32_t ids[WORD_KEY_BYTES];
        for (size_t i = 0; i < length; i++) {
            ids[i] = level->byte_ids[(uint8_t)piece->bytes[i]];
        }
        size_t count = 0;
        Error err = {0};
        support_require(byte_merge_long(&merger, ids, length, &count, &err), &err);
        int32_t merged = count == 1 ? ids[0] : -1;
        int32_t known = word_table_find(&level->words, word_key(piece->bytes, length, length));
        if (merged != known) {
            fail_msg("%s: merged to %d, the table has %d", piece->bytes, merged, known);
        }
    }
}

static void whole_words_are_what_their_merges_give(void **state) {
    (void)state;
    uint32_t seed = 11;
    for (int round = 0; round < 400; round++) {
        Folder folder;
        Tokenizer tokenizer = {0};
        Error err = {0};
        folder_open(&folder);
        write_drawn(&folder, &seed);
        support_require(tokenizer_load(&tokenizer, folder.file[0], &err), &err);
        require_words_are_merges(&tokenizer);
        tokenizer_free(&tokenizer);
        folder_close(&folder);
    }
    if (access("../shared/data/gpt2/vocab.json", R_OK) == 0) {
        Tokenizer tokenizer = {0};
        Error err = {0};
        support_require(tokenizer_load(&tokenizer, "../shared/data/gpt2", &err), &err);
        require_words_are_merges(&tokenizer);
        tokenizer_free(&tokenizer);
    }
}

// ---- rank files

static void faults_of_rank_files_are_told_with_their_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *told;
    } cases[] = {
        {"YQ== 0\nYg=\n", ":2: expected base64"},
        {"YQ== 0\nYg== x\n", ":2: expected base64"},
        {"YQ== 0\nY!== 1\n", ":2: expected base64"},
        {"YQ== 0\nYg== 0\n", ":2: expected each rank once"},
        {"YQ== 0\nYg== 99999999999999999999\n", ":2: expected base64"},
        {"YQ== 0\nYQ== 1\n", "piece 1 is \"a\" again"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Folder folder;
        folder_open(&folder);
        require_fault(folder_write(&folder, "x.bpe", cases[i].text, strlen(cases[i].text)),
                      cases[i].told);
        folder_close(&folder);
    }
}

// ---- tokenizer.json

// The parts of a file; NULL takes what GPT-2 has.
typedef struct JsonParts {
    const char *model_options;
    const char *normalizer;
    const char *pre_tokenizer;
    const char *decoder;
    const char *added;
    const char *merges;
    const char *truncation, *padding;
} JsonParts;

#define BYTES_AT_LAST                                                                              \
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":"      \
    "false}"
#define BYTES_ALONE                                                                                \
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":true}"

static const char *or_else(const char *text, const char *otherwise) {
    return text == NULL ? otherwise : text;
}

// Pieces: ! to ~ are 0 to 93, the space 94, then "ab" 95, " a" 96, "11" 97, and 98 for \xC3, 99 for
// \xA9.
static const char *write_json(Folder *folder, const JsonParts *parts) {
    Buffer json = {0};
    buffer_format(&json,
                  "{\"version\":\"1.0\",\"truncation\":%s,\"padding\":%s,\"added_tokens\":[%s],"
                  "\"normalizer\":%s,\"pre_tokenizer\":%s,\"post_processor\":null,\"decoder\":%s,"
                  "\"model\":{%s,\"merges\":[%s],\"vocab\":{",
                  or_else(parts->truncation, "null"), or_else(parts->padding, "null"),
                  or_else(parts->added, ""), or_else(parts->normalizer, "null"),
                  or_else(parts->pre_tokenizer, BYTES_ALONE), or_else(parts->decoder, BYTES_ALONE),
                  or_else(parts->model_options, "\"type\":\"BPE\",\"dropout\":null"),
                  or_else(parts->merges, "\"a b\",\"\\u0120 a\",\"1 1\""));
    for (int c = '!'; c <= '~'; c++) {
        buffer_format(&json, "\"%s%c\":%d,", c == '"' || c == '\\' ? "\\" : "", c, c - '!');
    }
    buffer_append_text(
        &json,
        "\"\\u0120\":94,\"ab\":95,\"\\u0120a\":96,\"11\":97,\"\\u00c3\":98,\"\\u00a9\":99}}}");
    const char *path = folder_write(folder, "tokenizer.json", json.bytes, json.length);
    buffer_free(&json);
    return path;
}

static void require_json_ids(const JsonParts *parts, const char *text, int n,
                             const int32_t *expected) {
    Folder folder;
    Tokenizer tokenizer = {0};
    TokenIds ids = {0};
    Error err = {0};
    folder_open(&folder);
    support_require(tokenizer_load(&tokenizer, write_json(&folder, parts), &err), &err);
    support_require(tokenizer_encode(&tokenizer, text, strlen(text), &ids, NULL, &err), &err);
    assert_int_equal(ids.count, n);
    assert_memory_equal(ids.ids, expected, (size_t)n * sizeof *expected);
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
    folder_close(&folder);
}

static void parts_of_tokenizer_json_change_the_ids_as_they_should(void **state) {
    (void)state;
    const int32_t a = 'a' - '!', b = 'b' - '!', one = '1' - '!';
    const JsonParts plain = {0};
    require_json_ids(&plain, "ab a11", 3, (int32_t[]){95, 96, 97});
    const JsonParts pairs = {.merges = "[\"a\",\"b\"],[\"\\u0120\",\"a\"]"};
    require_json_ids(&pairs, "ab a11", 4, (int32_t[]){95, 96, one, one});
    const JsonParts prefix = {.pre_tokenizer =
                                  "{\"type\":\"ByteLevel\",\"add_prefix_space\":true}"};
    require_json_ids(&prefix, "ab", 2, (int32_t[]){94, 95});
    const JsonParts digits = {.pre_tokenizer =
                                  "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Digits\","
                                  "\"individual_digits\":true}," BYTES_ALONE "]}"};
    require_json_ids(&digits, "ab11", 3, (int32_t[]){95, one, one});
    const JsonParts nfc = {.normalizer = "{\"type\":\"NFC\"}"};
    require_json_ids(&nfc, "ae\xCC\x81", 3, (int32_t[]){a, 98, 99});
    const JsonParts added = {
        .added = "{\"id\":100,\"content\":\"b a\",\"single_word\":false,\"lstrip\":false,"
                 "\"rstrip\":false,\"normalized\":true,\"special\":false},"
                 "{\"id\":102,\"content\":\"<s>\",\"special\":true}"};
    require_json_ids(&added, "ab ab", 3, (int32_t[]){a, 100, b});
    require_json_ids(&added, "a<s>", 2, (int32_t[]){a, 102});
}

static void what_is_not_understood_in_tokenizer_json_is_refused(void **state) {
    (void)state;
    static const struct {
        JsonParts parts;
        const char *told;
    } cases[] = {
        {{.model_options = "\"type\":\"Unigram\""}, "model.type is \"Unigram\", expected BPE"},
        {{.model_options = "\"type\":\"BPE\",\"byte_fallback\":true"},
         "model.byte_fallback is true"},
        {{.model_options = "\"type\":\"BPE\",\"dropout\":0.1"}, "model.dropout is 0.1"},
        {{.model_options = "\"type\":\"BPE\",\"type\":\"BPE\""}, "duplicate"},
        {{.model_options = "\"type\":\"BPE\",\"news\":1"}, "model has \"news\""},
        {{.model_options = "\"type\":\"BPE\",\"unk_token\":\"<unk>\""},
         "model.unk_token is \"<unk>\""},
        {{.normalizer = "{\"type\":\"StripAccents\"}"}, "normalizer is \"StripAccents\""},
        {{.pre_tokenizer = "null"}, "pre_tokenizer is null"},
        {{.pre_tokenizer = "{\"type\":\"Metaspace\"}"}, "pre_tokenizer.replacement is missing"},
        {{.pre_tokenizer = "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\","
                           "\"pattern\":{\"Regex\":\"x+\"},"
                           "\"behavior\":\"Isolated\",\"invert\":false}," BYTES_AT_LAST "]}"},
         "pre_tokenizer.pattern is \"x+\""},
        {{.pre_tokenizer =
              "{\"type\":\"Sequence\",\"pretokenizers\":[" BYTES_ALONE "," BYTES_ALONE "]}"},
         "nothing after ByteLevel"},
        {{.truncation = "{\"max_length\":8}"}, "truncation is {\"max_length\":8}, expected null"},
        {{.padding = "{\"strategy\":\"BatchLongest\"}"}, "padding is {"},
        {{.decoder = "{\"type\":\"WordPiece\"}"}, "decoder is \"WordPiece\""},
        {{.added = "{\"id\":3,\"content\":\"x y\",\"special\":false}"}, "each id once"},
        {{.merges = "\"a b c\""}, "a merge is \"a b c\""},
        {{.merges = "[\"a\",1]"}, "a merge is"},
        {{.merges = "\"b a\""}, "makes \"ba\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Folder folder;
        folder_open(&folder);
        require_fault(write_json(&folder, &cases[i].parts), cases[i].told);
        folder_close(&folder);
    }
}

// Every file that is cut short or has one byte changed is read or refused, never worse.
static void damaged_files_do_not_crash(void **state) {
    (void)state;
    static const char *const sources[] = {
        "tests/byte_level/vocab.json", "tests/byte_level/merges.txt", "tests/byte_level/ranks.bpe"};
    static const char *const names[] = {"vocab.json", "merges.txt", "ranks.bpe"};
    uint32_t seed = 9;
    for (int i = 0; i < 150; i++) {
        Folder folder;
        folder_open(&folder);
        for (int k = 0; k < 3; k++) {
            Buffer bytes = {0};
            Error err = {0};
            support_require(buffer_load(&bytes, sources[k], &err), &err);
            seed = seed * 1103515245U + 12345U;
            size_t at = seed / 7 % bytes.length;
            bytes.bytes[at] = (char)(seed >> 24);
            folder_write(&folder, names[k], bytes.bytes, i % 3 == 0 ? at : bytes.length);
            buffer_free(&bytes);
        }
        for (int k = 0; k < 3; k += 2) {
            Tokenizer tokenizer = {0};
            Error err = {0};
            assert_true(tokenizer_load(&tokenizer, folder.file[k], &err) || error_is_set(&err));
            tokenizer_free(&tokenizer);
        }
        folder_close(&folder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_vocab_and_merges_are_told_with_their_line),
        cmocka_unit_test(a_byte_without_a_piece_is_refused_in_a_sentence),
        cmocka_unit_test(whole_words_are_what_their_merges_give),
        cmocka_unit_test(faults_of_rank_files_are_told_with_their_line),
        cmocka_unit_test(parts_of_tokenizer_json_change_the_ids_as_they_should),
        cmocka_unit_test(what_is_not_understood_in_tokenizer_json_is_refused),
        cmocka_unit_test(damaged_files_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
