// test_byte_level.c - byte-level BPE gives the ids of the reference implementations, and every byte
// back.
//
// tests/byte_level/ is made by tests/make_byte_level.py, which says what is in it.
#include "tests/support.h"
#include "tests/support_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/tokenizers/byte_level/byte_level.h"
#include "engine/tokenizers/token_stream.h"

#define GPT2 "../shared/data/gpt2"

static void load(Tokenizer *tokenizer, const char *path) {
    Error err = {0};
    support_require(tokenizer_load(tokenizer, path, &err), &err);
}

static TokenIds encode(const Tokenizer *tokenizer, const char *text, size_t length) {
    TokenIds ids = {0};
    Error err = {0};
    support_require(tokenizer_encode(tokenizer, text, length, &ids, NULL, &err), &err);
    return ids;
}

static void require_round_trip(const Tokenizer *tokenizer, const char *text, size_t length) {
    TokenIds ids = encode(tokenizer, text, length);
    char *back = NULL;
    size_t back_length = 0;
    Error err = {0};
    support_require(tokenizer_decode(tokenizer, ids.ids, ids.count, &back, &back_length, &err),
                    &err);
    assert_int_equal(back_length, length);
    assert_memory_equal(back, text, length);
    free(back);
    token_ids_free(&ids);
}

// A stream of draws that is the same on every machine.
static uint32_t draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

// ---- ids of the references

// Splits the line at its tabs; the fields point into it.
static void cut_line(char *line, char *fields[4]) {
    for (int i = 0; i < 4; i++) {
        fields[i] = line;
        line += strcspn(line, "\t\n");
        if (*line != '\0') {
            *line++ = '\0';
        }
    }
}

static void require_ids(const Tokenizer *tokenizer, const char *escaped, char *expected) {
    Buffer text = {0};
    buffer_append(&text, "", 0);
    assert_true(tokenizer_unescape(&text, escaped, strlen(escaped)));
    TokenIds ids = encode(tokenizer, text.bytes, text.length);
    size_t n = 0;
    for (char *end = expected; *expected != '\0'; expected = end, n++) {
        long id = strtol(expected, &end, 10);
        if (n >= ids.count || ids.ids[n] != id) {
            fail_msg("%s: id %zu is %d of %zu, expected %ld", escaped, n,
                     n < ids.count ? ids.ids[n] : -1, ids.count, id);
        }
    }
    assert_int_equal(n, ids.count);
    token_ids_free(&ids);
    require_round_trip(tokenizer, text.bytes, text.length);
    buffer_free(&text);
}

// Every line of expected.txt of that kind, each with its way to split.
static int require_expected(Tokenizer *tokenizer, const char *kind) {
    FILE *file = fopen("tests/byte_level/expected.txt", "r");
    assert_non_null(file);
    char *line = NULL;
    size_t capacity = 0;
    int n_lines = 0;
    while (getline(&line, &capacity, file) > 0) {
        char *fields[4];
        cut_line(line, fields);
        if (strcmp(fields[0], kind) != 0) {
            continue;
        }
        assert_true(byte_split_named(fields[1], &tokenizer->detail->of.byte_level->split));
        require_ids(tokenizer, fields[2], fields[3]);
        n_lines++;
    }
    free(line);
    fclose(file);
    return n_lines;
}

static void merges_give_the_ids_of_the_reference(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, "tests/byte_level/vocab.json");
    assert_true(require_expected(&tokenizer, "merges") >= 500);
    tokenizer_free(&tokenizer);
}

static void ranks_give_the_ids_of_the_reference(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, "tests/byte_level/ranks.bpe");
    assert_true(require_expected(&tokenizer, "ranks") >= 200);
    tokenizer_free(&tokenizer);
}

static void gpt2_files_give_the_ids_of_the_reference(void **state) {
    (void)state;
    if (access(GPT2 "/vocab.json", R_OK) != 0) {
        printf("skipped: %s has no vocab.json\n", GPT2);
        return;
    }
    Tokenizer tokenizer = {0};
    load(&tokenizer, GPT2);
    assert_int_equal(tokenizer.n_pieces, 50257);
    assert_int_equal(tokenizer.bos_id, 50256);
    assert_int_equal(tokenizer.eos_id, 50256);
    assert_int_equal(tokenizer.unknown_id, -1);
    assert_int_equal(tokenizer.pieces[50256].kind, PIECE_CONTROL);
    assert_int_equal(tokenizer.pieces[50255].kind, PIECE_NORMAL);
    tokenizer.special_as_text = true; // as in the reference
    assert_true(require_expected(&tokenizer, "gpt2") >= 100);
    tokenizer_free(&tokenizer);
}

// ---- any bytes

static void any_bytes_come_back(void **state) {
    (void)state;
    static const char *const splits[] = {"none", "gpt2", "cl100k", "llama3", "o200k", "tekken"};
    Tokenizer tokenizer = {0};
    load(&tokenizer, "tests/byte_level/vocab.json");
    uint64_t seed = 5;
    char bytes[200];
    for (int round = 0; round < 1200; round++) {
        size_t length = draw(&seed) % sizeof bytes;
        uint32_t range = round % 3 == 0 ? 256 : round % 3 == 1 ? 128 : 8;
        for (size_t i = 0; i < length; i++) {
            bytes[i] = (char)(draw(&seed) % range + (range == 8 ? 0xBC : 0));
        }
        SplitRule *split = &tokenizer.detail->of.byte_level->split;
        assert_true(byte_split_named(splits[round % 6], split));
        require_round_trip(&tokenizer, bytes, length);
    }
    tokenizer_free(&tokenizer);
}

static void a_megabyte_without_spaces_comes_back(void **state) {
    (void)state;
    enum { LENGTH = 1 << 20 };
    Tokenizer tokenizer = {0};
    load(&tokenizer, "tests/byte_level");
    char *text = memory_resize(NULL, LENGTH);
    uint64_t seed = 6;
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < LENGTH; i++) {
            text[i] = kind == 0 ? 'a' : (char)(kind == 1 ? 'a' + draw(&seed) % 26 : draw(&seed));
        }
        require_round_trip(&tokenizer, text, LENGTH);
    }
    free(text);
    tokenizer_free(&tokenizer);
}

static void bytes_that_are_not_utf8_are_counted(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, "tests/byte_level");
    static const char text[] = "abc\xE4\xBD def\xFFghi \xC3\xA4";
    TokenIds ids = {0};
    EncodeReport report;
    Error err = {0};
    support_require(tokenizer_encode(&tokenizer, text, sizeof text - 1, &ids, &report, &err), &err);
    assert_int_equal(report.n_invalid_bytes, 3);
    assert_int_equal(report.n_unknown, 0);
    token_ids_free(&ids);
    tokenizer_free(&tokenizer);
}

// ---- merging

static void ignore_step(void *context, const MergeStep *step) {
    assert_true(step->left_start < step->left_end && step->left_end < step->right_end);
    (*(int *)context)++;
}

static void all_ways_to_merge_agree(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, "tests/byte_level/vocab.json");
    const ByteLevel *level = tokenizer.detail->of.byte_level;
    Merger merger = {.pairs = &level->pairs, .widths = level->widths};
    uint64_t seed = 7;
    for (int round = 0; round < 3000; round++) {
        char word[300];
        int32_t ids[4][300];
        int starts[301];
        size_t n = 1 + draw(&seed) % (round % 2 == 0 ? BYTE_MERGE_SHORT : 300);
        size_t counts[4] = {0};
        int n_steps = 0;
        Error err = {0};
        for (size_t i = 0; i < n; i++) {
            starts[i] = (int)i;
            word[i] = (char)("aeilnrst \xE4\xBD\xA0"[draw(&seed) % (round % 3 == 0 ? 3 : 12)]);
            ids[0][i] = ids[1][i] = ids[2][i] = ids[3][i] = level->byte_ids[(uint8_t)word[i]];
        }
        starts[n] = (int)n;
        byte_merge_watched(&merger, word, starts, ids[0], n, &counts[0], ignore_step, &n_steps);
        support_require(byte_merge_long(&merger, ids[1], n, &counts[1], &err), &err);
        merger.all_long = true;
        support_require(byte_merge_long(&merger, ids[3], n, &counts[3], &err), &err);
        merger.all_long = false;
        assert_int_equal(counts[0], counts[3]);
        assert_memory_equal(ids[0], ids[3], counts[0] * sizeof ids[0][0]);
        assert_int_equal(n_steps, n - counts[0]);
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(ids[0], ids[1], counts[0] * sizeof ids[0][0]);
        if (n <= BYTE_MERGE_SHORT) {
            assert_int_equal(byte_merge_short(&level->pairs, ids[2], (int)n), counts[0]);
            assert_memory_equal(ids[0], ids[2], counts[0] * sizeof ids[0][0]);
        }
    }
    tokenizer_free(&tokenizer);
}

static void write_step(void *context, const MergeStep *step) {
    Buffer *steps = context;
    for (int i = 0; i < step->n_pieces; i++) {
        int end = i + 1 < step->n_pieces ? step->starts[i + 1] : step->text_length;
        buffer_append(steps, i == 0 ? "" : "|", i == 0 ? 0 : 1);
        buffer_append(steps, step->text + step->starts[i], (size_t)(end - step->starts[i]));
    }
    buffer_format(steps, " %.*s+%.*s\n", step->left_end - step->left_start,
                  step->text + step->left_start, step->right_end - step->left_end,
                  step->text + step->left_end);
}

static void each_merge_is_shown_with_the_row_before_it(void **state) {
    (void)state;
    if (access(GPT2 "/vocab.json", R_OK) != 0) {
        printf("skipped: %s has no vocab.json\n", GPT2);
        return;
    }
    Tokenizer tokenizer = {0};
    load(&tokenizer, GPT2);
    Buffer steps = {0};
    TokenIds ids = {0};
    Error err = {0};
    support_require(
        tokenizer_encode_watched(&tokenizer, "lower it", 8, &ids, write_step, &steps, &err), &err);
    assert_string_equal(steps.bytes, "l|o|w|e|r e+r\n"
                                     "l|o|w|er o+w\n"
                                     "l|ow|er ow+er\n"
                                     "l|ower l+ower\n"
                                     " |i|t i+t\n"
                                     " |it  +it\n");
    assert_int_equal(ids.count, 2);
    token_ids_free(&ids);
    buffer_free(&steps);
    tokenizer_free(&tokenizer);
}

static void count_step(void *context, const MergeStep *step) {
    assert_true(step->n_pieces > 1);
    (*(int *)context)++;
}

static void merges_are_shown_of_words_that_are_taken_whole(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, "tests/byte_level/ranks.bpe");
    assert_true(tokenizer.detail->of.byte_level->whole_words);
    for (int id = 256; id < tokenizer.n_pieces; id++) {
        const Piece *piece = &tokenizer.pieces[id];
        TokenIds watched = {0};
        Error err = {0};
        int n_steps = 0;
        TokenIds ids = encode(&tokenizer, piece->bytes, (size_t)piece->length);
        support_require(tokenizer_encode_watched(&tokenizer, piece->bytes, (size_t)piece->length,
                                                 &watched, count_step, &n_steps, &err),
                        &err);
        assert_int_equal(ids.count, watched.count);
        assert_memory_equal(ids.ids, watched.ids, ids.count * sizeof *ids.ids);
        assert_true(ids.count > 1 || n_steps == piece->length - 1);
        token_ids_free(&ids);
        token_ids_free(&watched);
    }
    tokenizer_free(&tokenizer);
}

// ---- shown, streamed, saved

static int find(const Tokenizer *tokenizer, const char *bytes) {
    int id = tokenizer_find(tokenizer, bytes, strlen(bytes));
    assert_true(id >= 0);
    return id;
}

static void part_of_a_character_is_shown_as_its_bytes(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, "tests/byte_level/ranks.bpe");
    char text[32];
    tokenizer_piece_text(&tokenizer, find(&tokenizer, "\xE4"), text, sizeof text);
    assert_string_equal(text, "<E4>");
    tokenizer_piece_text(&tokenizer, find(&tokenizer, " "), text, sizeof text);
    assert_string_equal(text, "Ġ");
    tokenizer_piece_text(&tokenizer, find(&tokenizer, "\n"), text, sizeof text);
    assert_string_equal(text, "Ċ");
    tokenizer_free(&tokenizer);
}

static void a_character_appears_with_its_last_byte(void **state) {
    (void)state;
    Tokenizer tokenizer = {0};
    load(&tokenizer, "tests/byte_level/ranks.bpe");
    static const char *const bytes[] = {"a", "\xE4", "\xBD", "\xA0", "\xE4", "b", "\xF0", "\x9F"};
    static const char *const shown[] = {"a", "", "", "\xE4\xBD\xA0", "", "\xE4\x62", "", ""};
    TokenStream stream = {0};
    Buffer text = {0};
    Error err = {0};
    for (int i = 0; i < 8; i++) {
        text.length = 0;
        buffer_append(&text, "", 0);
        support_require(
            token_stream_append(&stream, &tokenizer, find(&tokenizer, bytes[i]), &text, &err),
            &err);
        assert_string_equal(text.bytes, shown[i]);
    }
    token_stream_finish(&stream, &text);
    assert_string_equal(text.bytes, "\xF0\x9F");
    assert_false(token_stream_append(&stream, &tokenizer, tokenizer.n_pieces, &text, &err));
    buffer_free(&text);
    tokenizer_free(&tokenizer);
}

static void our_text_file_holds_the_same_tokenizer(void **state) {
    (void)state;
    static const char *const sources[] = {"tests/byte_level/vocab.json",
                                          "tests/byte_level/ranks.bpe"};
    for (int i = 0; i < 2; i++) {
        Tokenizer first = {0};
        Tokenizer second = {0};
        load(&first, sources[i]);
        support_reload_tokenizer(&first, "", &second);
        assert_true(require_expected(&second, i == 0 ? "merges" : "ranks") > 0);
        tokenizer_free(&first);
        tokenizer_free(&second);
    }
}

static void a_written_tokenizer_json_holds_the_same_tokenizer(void **state) {
    (void)state;
    char path[] = "/tmp/attend-test-XXXXXX.json";
    int file = mkstemps(path, 5);
    assert_true(file >= 0);
    close(file);
    Tokenizer first = {0};
    Tokenizer second = {0};
    Error err = {0};
    load(&first, "tests/byte_level/vocab.json");
    support_require(tokenizer_fits_json(&first, &err), &err);
    support_require(tokenizer_save(&first, path, &err), &err);
    load(&second, path);
    unlink(path);
    assert_int_equal(second.n_pieces, first.n_pieces);
    assert_int_equal(second.eos_id, first.eos_id);
    assert_true(require_expected(&second, "merges") > 0);
    tokenizer_free(&first);
    tokenizer_free(&second);
    // What such a file cannot say is refused, and nothing is written.
    load(&first, "tests/byte_level/ranks.bpe");
    assert_false(tokenizer_save(&first, path, &err));
    assert_non_null(strstr(err.text, "made of ranks"));
    assert_int_equal(access(path, F_OK), -1);
    tokenizer_free(&first);
    static const char *const words[] = {"<s>", "cat"};
    err = (Error){""};
    support_require(tokenizer_init_words(&first, words, 2, &err), &err);
    assert_false(tokenizer_save(&first, path, &err));
    assert_non_null(strstr(err.text, "byte-level kind only"));
    tokenizer_free(&first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_give_the_ids_of_the_reference),
        cmocka_unit_test(ranks_give_the_ids_of_the_reference),
        cmocka_unit_test(gpt2_files_give_the_ids_of_the_reference),
        cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(a_megabyte_without_spaces_comes_back),
        cmocka_unit_test(bytes_that_are_not_utf8_are_counted),
        cmocka_unit_test(all_ways_to_merge_agree),
        cmocka_unit_test(each_merge_is_shown_with_the_row_before_it),
        cmocka_unit_test(merges_are_shown_of_words_that_are_taken_whole),
        cmocka_unit_test(part_of_a_character_is_shown_as_its_bytes),
        cmocka_unit_test(a_character_appears_with_its_last_byte),
        cmocka_unit_test(our_text_file_holds_the_same_tokenizer),
        cmocka_unit_test(a_written_tokenizer_json_holds_the_same_tokenizer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
