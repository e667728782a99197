// test_dataset.c - texts are tokenized once, and every sequence comes once a round.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/training/dataset.h"
#include "engine/training/permutation.h"

enum { PATH_BYTES = 256 };

typedef struct Place {
    char folder[PATH_BYTES]; // a temporary one
    char source[PATH_BYTES];
    char data[PATH_BYTES];
    Tokenizer tokenizer;
    char hash[DATASET_HASH_BYTES];
} Place;

static const char *const WORDS[] = {"<pad>", "<s>", "</s>", "<unk>", "a", "b", "c",
                                    "d",     "e",   "f",    "g",     "h", "i", "j"};
enum { N_WORDS = sizeof WORDS / sizeof WORDS[0], FIRST_WORD = 4, PAD = 0, BOS = 1, EOS = 2 };

static int open_place(void **state) {
    Place *place = calloc(1, sizeof *place);
    Error err = {""};
    snprintf(place->folder, sizeof place->folder, "/tmp/attend-dataset-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->source, sizeof place->source, "%.200s/source", place->folder);
    snprintf(place->data, sizeof place->data, "%.200s/data", place->folder);
    support_require(tokenizer_init_words(&place->tokenizer, WORDS, N_WORDS, &err), &err);
    tokenizer_hash(&place->tokenizer, place->hash);
    *state = place;
    return 0;
}

static int close_place(void **state) {
    Place *place = *state;
    char command[PATH_BYTES + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", place->folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a folder of our own
    tokenizer_free(&place->tokenizer);
    free(place);
    return 0;
}

static void write_source(const Place *place, const char *text) {
    Error err = {""};
    support_require(file_save(place->source, text, strlen(text), &err), &err);
}

static void build(const Place *place, TextFormat format, int held_out_every,
                  DatasetCounts *counts) {
    DatasetPlan plan = {.source = {.path = place->source, .format = format},
                        .tokenizer = &place->tokenizer,
                        .marks = {BOS, EOS},
                        .held_out_every = held_out_every};
    Error err = {""};
    support_require(dataset_build(place->data, &plan, counts, &err), &err);
    assert_true(dataset_is_built(place->data, &plan));
    plan.marks.eos_id = -1;
    assert_false(dataset_is_built(place->data, &plan));
}

static void open_split(const Place *place, DatasetSplit split, int length, Dataset *dataset) {
    DatasetOptions options = {
        .length = length, .seed = 7, .tokenizer_hash = place->hash, .vocab_size = N_WORDS};
    Error err = {""};
    support_require(dataset_open(dataset, place->data, split, &options, &err), &err);
}

static void read_rows(Dataset *dataset, const BatchRows *rows, int pad_id, DataBatch *batch) {
    Error err = {""};
    support_require(dataset_read_batch(dataset, rows, pad_id, batch, &err), &err);
}

static void read_whole(Dataset *dataset, uint64_t number, int B, int pad_id, DataBatch *batch) {
    read_rows(dataset, &(BatchRows){number, B, 0, B}, pad_id, batch);
}

// ---- shuffling

static void a_shuffle_has_every_item_once(void **state) {
    (void)state;
    const uint64_t sizes[] = {1, 2, 3, 16, 17, 1000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (uint64_t round = 0; round < 3; round++) {
            char seen[1000] = {0};
            for (uint64_t i = 0; i < sizes[k]; i++) {
                uint64_t at = permutation_at(5, 1, round, sizes[k], i);
                assert_true(at < sizes[k]);
                assert_int_equal(seen[at]++, 0);
            }
        }
    }
    int n_same = 0;
    int n_rounds = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        n_same += permutation_at(5, 1, 0, 1000, i) == i;
        n_rounds += permutation_at(5, 1, 0, 1000, i) == permutation_at(5, 1, 1, 1000, i);
    }
    assert_true(n_same < 10); // about one is expected
    assert_true(n_rounds < 10);
}

// ---- batches of plain text

// "a" to "j" over and over with rising runs, so that each sequence of five is told by its ids.
static void write_long_source(const Place *place, int n_texts) {
    FileWriter writer;
    Error err = {""};
    support_require(file_writer_open(&writer, place->source, &err), &err);
    for (int i = 0; i < n_texts; i++) {
        for (int k = 0; k < 6; k++) {
            file_writer_print(&writer, "%s ", WORDS[FIRST_WORD + (i / (k + 1) + k) % 10]);
        }
        file_writer_text(&writer, "<|endoftext|>");
    }
    support_require(file_writer_commit(&writer, &err), &err);
}

static void every_sequence_comes_once_a_round(void **state) {
    Place *place = *state;
    DatasetCounts counts;
    Dataset dataset;
    DataBatch batch = {0};
    Error err = {""};
    enum { LENGTH = 5, B = 3 };
    write_long_source(place, 30);
    build(place, TEXT_PLAIN, 0, &counts);
    assert_int_equal(counts.n_texts, 30);
    assert_int_equal(counts.n_tokens, 30 * 8); // <s> six words </s>
    open_split(place, SPLIT_TRAIN, LENGTH, &dataset);
    assert_int_equal(dataset.count, (240 - 1) / LENGTH);
    int32_t all[240];
    for (uint64_t i = 0; i < dataset.count; i++) {
        support_require(dataset_read_in_order(&dataset, i, 1, -1, &batch, &err), &err);
        memcpy(all + i * LENGTH, batch.tokens, LENGTH * sizeof *all);
    }
    int n_seen[60] = {0};
    for (uint64_t number = 0; number < dataset.count / B; number++) {
        read_whole(&dataset, number, B, -1, &batch);
        for (int row = 0; row < B; row++) {
            const int32_t *tokens = batch.tokens + (ptrdiff_t)row * LENGTH;
            assert_memory_equal(tokens + 1, batch.labels + (ptrdiff_t)row * LENGTH,
                                (LENGTH - 1) * sizeof *tokens);
            uint64_t i = 0;
            while (i < dataset.count &&
                   (n_seen[i] > 0 || memcmp(all + i * LENGTH, tokens, LENGTH * sizeof *all) != 0)) {
                i++;
            }
            assert_true(i < dataset.count); // one that had not come yet
            n_seen[i]++;
        }
    }
    data_batch_free(&batch);
    dataset_close(&dataset);
}

static void a_batch_depends_on_its_number_alone(void **state) {
    Place *place = *state;
    Dataset dataset;
    DataBatch first = {0};
    DataBatch again = {0};
    write_long_source(place, 30);
    build(place, TEXT_PLAIN, 0, NULL);
    open_split(place, SPLIT_TRAIN, 5, &dataset);
    read_whole(&dataset, 37, 4, -1, &first);
    dataset_close(&dataset);
    open_split(place, SPLIT_TRAIN, 5, &dataset);
    read_whole(&dataset, 36, 4, -1, &again);
    assert_memory_not_equal(first.tokens, again.tokens, 4 * 5 * sizeof(int32_t));
    read_whole(&dataset, 37, 4, -1, &again);
    assert_memory_equal(first.tokens, again.tokens, 4 * 5 * sizeof(int32_t));
    read_rows(&dataset, &(BatchRows){37, 4, 1, 2}, -1, &again);
    assert_memory_equal(first.tokens + 5, again.tokens, 2 * 5 * sizeof(int32_t));
    data_batch_free(&first);
    data_batch_free(&again);
    dataset_close(&dataset);
}

static void held_out_texts_are_not_trained_on(void **state) {
    Place *place = *state;
    DatasetCounts counts;
    Dataset held;
    write_long_source(place, 40);
    build(place, TEXT_PLAIN, 10, &counts);
    assert_int_equal(counts.n_held_texts, 4);
    assert_int_equal(counts.n_texts, 36);
    open_split(place, SPLIT_HELD_OUT, 5, &held);
    assert_int_equal(held.n_tokens, 4 * 8);
    dataset_close(&held);
}

static void of_few_texts_the_end_is_held_out(void **state) {
    Place *place = *state;
    DatasetCounts counts;
    Dataset split;
    DataBatch batch = {0};
    Error err = {""};
    write_long_source(place, 6); // of 8 tokens each
    build(place, TEXT_PLAIN, 12, &counts);
    assert_int_equal(counts.n_held_tokens, 6 * 8 / 12);
    assert_int_equal(counts.n_tokens, 6 * 8 - 6 * 8 / 12);
    open_split(place, SPLIT_HELD_OUT, 3, &split);
    assert_int_equal(split.count, 1);
    support_require(dataset_read_in_order(&split, 0, 1, -1, &batch, &err), &err);
    assert_int_equal(batch.labels[2], EOS);
    dataset_close(&split);
    write_source(place, "a b\tc\nd\te f\n");
    build(place, TEXT_PAIRS, 20, &counts);
    assert_int_equal(counts.n_texts, 1);
    assert_int_equal(counts.n_held_texts, 1);
    open_split(place, SPLIT_HELD_OUT, 8, &split);
    assert_int_equal(split.count, 1);
    assert_int_equal(split.n_tokens, 3 + 4);
    dataset_close(&split);
    open_split(place, SPLIT_TRAIN, 8, &split);
    assert_int_equal(split.count, 1);
    dataset_close(&split);
    data_batch_free(&batch);
}

static void too_little_data_says_what_is_needed(void **state) {
    Place *place = *state;
    Dataset dataset;
    Error err = {""};
    write_source(place, "a b c");
    build(place, TEXT_PLAIN, 0, NULL);
    open_split(place, SPLIT_TRAIN, 4, &dataset);
    assert_true(dataset_is_enough(&dataset, 1, "x", &err)); // <s> a b c </s>: one sequence of four
    assert_false(dataset_is_enough(&dataset, 2, "x", &err));
    assert_non_null(strstr(err.text, "5 tokens are too few: a batch of 2 sequences of 4 needs 9"));
    err = (Error){""};
    assert_false(dataset_is_enough(&dataset, 1600000, "x", &err));
    assert_non_null(strstr(err.text, "needs 6400001, about 6.4 MB of English"));
    dataset_close(&dataset);
}

static void another_tokenizers_shards_are_refused(void **state) {
    Place *place = *state;
    Dataset dataset;
    Error err = {""};
    write_source(place, "a b c");
    build(place, TEXT_PLAIN, 0, NULL);
    DatasetOptions options = {.length = 2, .tokenizer_hash = "0123456789abcdef"};
    assert_false(dataset_open(&dataset, place->data, SPLIT_TRAIN, &options, &err));
    assert_non_null(strstr(err.text, "expected 0123456789abcdef"));
}

static void flip_bit(const char *path, size_t at, int bit) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    assert_true(fputc(byte ^ 1 << bit, file) != EOF);
    assert_int_equal(fclose(file), 0);
}

static void a_cut_shard_is_refused(void **state) {
    Place *place = *state;
    Dataset dataset;
    Error err = {""};
    char path[2 * PATH_BYTES];
    write_source(place, "a b c d e f g h");
    build(place, TEXT_PLAIN, 0, NULL);
    snprintf(path, sizeof path, "%s/train-00000.tokens", place->data);
    assert_int_equal(truncate(path, 70), 0);
    DatasetOptions options = {.length = 2, .tokenizer_hash = place->hash, .vocab_size = N_WORDS};
    assert_false(dataset_open(&dataset, place->data, SPLIT_TRAIN, &options, &err));
    assert_non_null(strstr(err.text, "70 bytes, expected"));
}

// Any bit of any file is missed, and the sentence says what to do about it.
static void damage_is_found(void **state) {
    static const char *const FILES[] = {"train-00000.tokens", "held-00000.tokens", "dataset.json"};
    Place *place = *state;
    write_source(place, "a b c d\te f\nb c\td e f g\nc\td\nd\te\n");
    build(place, TEXT_PAIRS, 2, NULL);
    DatasetOptions options = {.length = 6, .tokenizer_hash = place->hash, .vocab_size = N_WORDS};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        char path[2 * PATH_BYTES];
        FileBytes bytes;
        Error err = {""};
        snprintf(path, sizeof path, "%s/%s", place->data, FILES[i]);
        support_require(file_read(&bytes, path, 0, &err), &err);
        for (size_t at = 0; at < bytes.size_bytes; at++) {
            Dataset train = {0};
            Dataset held = {0};
            err = (Error){""};
            flip_bit(path, at, (int)(at % 8));
            bool ok = dataset_open(&train, place->data, SPLIT_TRAIN, &options, &err) &&
                      dataset_open(&held, place->data, SPLIT_HELD_OUT, &options, &err);
            dataset_close(&train);
            if (ok || strstr(err.text, "and it is made again") == NULL) {
                fail_msg("%s, byte %zu: %s", FILES[i], at, err.text);
            }
            flip_bit(path, at, (int)(at % 8));
        }
        file_close(&bytes);
    }
}

// As those are that come behind many others.
static void a_shard_is_checked_before_it_is_first_read(void **state) {
    Place *place = *state;
    Dataset dataset;
    DataBatch batch = {0};
    Error err = {""};
    char path[2 * PATH_BYTES];
    write_source(place, "a b c d e f g j");
    build(place, TEXT_PLAIN, 0, NULL);
    open_split(place, SPLIT_TRAIN, 4, &dataset);
    dataset.shards[0].is_checked = false;
    support_require(dataset_read_in_order(&dataset, 0, 1, PAD, &batch, &err), &err);
    assert_true(dataset.shards[0].is_checked);
    dataset.shards[0].is_checked = false;
    snprintf(path, sizeof path, "%s/train-00000.tokens", place->data);
    flip_bit(path, sizeof(ShardHeader), 0);
    assert_false(dataset_read_in_order(&dataset, 0, 1, PAD, &batch, &err));
    assert_non_null(strstr(err.text, "train-00000.tokens: damaged: expected the checksum"));
    data_batch_free(&batch);
    dataset_close(&dataset);
}

// Whatever a shard's checksum says, no id reaches a model that has no row for it.
static void an_id_beyond_the_vocabulary_is_refused(void **state) {
    Place *place = *state;
    Dataset dataset;
    DataBatch batch = {0};
    Error err = {""};
    write_source(place, "a b c d e f g j");
    build(place, TEXT_PLAIN, 0, NULL);
    DatasetOptions options = {
        .length = 4, .tokenizer_hash = place->hash, .vocab_size = N_WORDS - 1};
    support_require(dataset_open(&dataset, place->data, SPLIT_TRAIN, &options, &err), &err);
    support_require(dataset_read_in_order(&dataset, 0, 1, PAD, &batch, &err), &err);
    assert_false(dataset_read_in_order(&dataset, 1, 1, PAD, &batch, &err));
    assert_non_null(strstr(err.text, "the token 13 is beyond the vocabulary of 13"));
    data_batch_free(&batch);
    dataset_close(&dataset);
}

// ---- pairs

static void pairs_are_shifted_and_padded(void **state) {
    Place *place = *state;
    Dataset dataset;
    DataBatch batch = {0};
    Error err = {""};
    write_source(place, "a b\tc\nd\te f g\n");
    build(place, TEXT_PAIRS, 0, NULL);
    open_split(place, SPLIT_TRAIN, 6, &dataset);
    assert_int_equal(dataset.count, 2);
    support_require(dataset_read_in_order(&dataset, 0, 2, PAD, &batch, &err), &err);
    assert_int_equal(batch.S, 6); // eight, but at most the length
    assert_int_equal(batch.T, 6);
    const int32_t source[] = {BOS, 4, 5, EOS, PAD, PAD, BOS, 7, EOS, PAD, PAD, PAD};
    const int32_t tokens[] = {BOS, 6, PAD, PAD, PAD, PAD, BOS, 8, 9, 10, PAD, PAD};
    const int32_t labels[] = {6, EOS, PAD, PAD, PAD, PAD, 8, 9, 10, EOS, PAD, PAD};
    assert_memory_equal(batch.source, source, sizeof source);
    assert_memory_equal(batch.tokens, tokens, sizeof tokens);
    assert_memory_equal(batch.labels, labels, sizeof labels);
    assert_int_equal(data_batch_labels(&batch, 0, 2, PAD), 6);
    assert_int_equal(data_batch_labels(&batch, 1, 1, PAD), 4);
    data_batch_free(&batch);
    dataset_close(&dataset);
}

static void write_pairs(const Place *place, int n) {
    FileWriter writer;
    Error err = {""};
    support_require(file_writer_open(&writer, place->source, &err), &err);
    for (int i = 0; i < n; i++) {
        // The target spells the pair's number, behind as many words as i % 20.
        for (int k = 0; k < i % 20; k++) {
            file_writer_text(&writer, "j ");
        }
        file_writer_print(&writer, "a\t%s %s %s\n", WORDS[FIRST_WORD + i / 100 % 10],
                          WORDS[FIRST_WORD + i / 10 % 10], WORDS[FIRST_WORD + i % 10]);
    }
    support_require(file_writer_commit(&writer, &err), &err);
}

static void every_pair_comes_once_a_round_among_its_like(void **state) {
    Place *place = *state;
    enum { N = 600, B = 4 };
    Dataset dataset;
    DataBatch batch = {0};
    write_pairs(place, N);
    build(place, TEXT_PAIRS, 0, NULL);
    open_split(place, SPLIT_TRAIN, 32, &dataset);
    assert_int_equal(dataset.count, N);
    for (uint64_t round = 0; round < 2; round++) {
        char seen[N] = {0};
        int padding = 0;
        for (uint64_t i = 0; i < N / B; i++) {
            read_whole(&dataset, round * (N / B) + i, B, PAD, &batch);
            for (int row = 0; row < B; row++) {
                const int32_t *t = batch.tokens + (ptrdiff_t)row * batch.T;
                int number =
                    100 * (t[1] - FIRST_WORD) + 10 * (t[2] - FIRST_WORD) + t[3] - FIRST_WORD;
                assert_int_equal(seen[number]++, 0);
                padding += batch.S - (number % 20 + 3);
            }
        }
        assert_true(padding < 6 * N); // eights and a little; unsorted it would be about 12
    }
    data_batch_free(&batch);
    dataset_close(&dataset);
}

static void too_long_pairs_are_left_out_and_counted(void **state) {
    Place *place = *state;
    Dataset dataset;
    write_pairs(place, 40);
    build(place, TEXT_PAIRS, 0, NULL);
    open_split(place, SPLIT_TRAIN, 12, &dataset);
    assert_int_equal(dataset.count, 2 * 10); // <s>, 0 to 9 words, one more, </s>
    assert_int_equal(dataset.n_too_long, 2 * 10);
    dataset_close(&dataset);
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shuffle_has_every_item_once),
        PLACE_TEST(every_sequence_comes_once_a_round),
        PLACE_TEST(a_batch_depends_on_its_number_alone),
        PLACE_TEST(held_out_texts_are_not_trained_on),
        PLACE_TEST(of_few_texts_the_end_is_held_out),
        PLACE_TEST(too_little_data_says_what_is_needed),
        PLACE_TEST(another_tokenizers_shards_are_refused),
        PLACE_TEST(a_cut_shard_is_refused),
        PLACE_TEST(damage_is_found),
        PLACE_TEST(a_shard_is_checked_before_it_is_first_read),
        PLACE_TEST(an_id_beyond_the_vocabulary_is_refused),
        PLACE_TEST(pairs_are_shifted_and_padded),
        PLACE_TEST(every_pair_comes_once_a_round_among_its_like),
        PLACE_TEST(too_long_pairs_are_left_out_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
