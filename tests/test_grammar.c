// test_grammar.c - the English-German grammar: right German, every pair once, and its words.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/preset.h"
#include "engine/training/grammar.h"
#include "engine/training/text_reader.h"
#include "engine/training/toy.h"

enum { SEED = 1, TEXT_BYTES = 256 };

static void join(char text[TEXT_BYTES], const char *const *words, int n_words) {
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < n_words; i++) {
        length += (size_t)snprintf(text + length, TEXT_BYTES - length, "%s%s", i == 0 ? "" : " ",
                                   words[i]);
    }
    assert_true(length < TEXT_BYTES);
}

// One of each kind of sentence, read by a person.
static void german_puts_its_words_where_they_belong(void **state) {
    (void)state;
    static const char *const EXPECTED[][2] = {
        {"the child can sleep", "das Kind kann schlafen"},
        {"the child finds the letter now", "das Kind findet jetzt den Brief"},
        {"the child will read the newspaper happily", "das Kind wird die Zeitung fröhlich lesen"},
        {"the boy will buy the newspaper alone tomorrow",
         "der Junge wird morgen die Zeitung allein kaufen"},
        {"the girl closes the window in the house", "das Mädchen macht das Fenster im Haus zu"},
        {"the man arrives in the city today", "der Mann kommt heute in der Stadt an"},
        {"the father will find the book alone in the school",
         "der Vater wird das Buch allein in der Schule finden"},
        {"the girl plays happily in the house today", "das Mädchen spielt heute fröhlich im Haus"},
        {"now the boy finds the cat", "jetzt findet der Junge die Katze"},
        {"today the woman can bring the bread quietly",
         "heute kann die Frau das Brot leise mitbringen"},
        {"now the mother must sleep in the garden", "jetzt muss die Mutter im Garten schlafen"},
        {"tomorrow the mother will close the window happily in the house",
         "morgen wird die Mutter das Fenster fröhlich im Haus zumachen"},
        {"she says that the child will sleep", "sie sagt, dass das Kind schlafen wird"},
        {"she knows that the woman must bring the apple now",
         "sie weiß, dass die Frau jetzt den Apfel mitbringen muss"},
        {"he knows that the boy sees the friend quietly",
         "er weiß, dass der Junge den Freund leise sieht"},
        {"Anna believes that the man sees the horse alone today",
         "Anna glaubt, dass der Mann heute das Pferd allein sieht"},
        {"Paul knows that the girl must bring the sister in the house",
         "Paul weiß, dass das Mädchen die Schwester im Haus mitbringen muss"},
        {"Anna laughs because the man can wait in the house tomorrow",
         "Anna lacht, weil der Mann morgen im Haus warten kann"},
        {"she knows that the child closed the window quietly in the city",
         "sie weiß, dass das Kind das Fenster leise in der Stadt zugemacht hat"},
        {"she laughs because the child can open the door alone in the school tomorrow",
         "sie lacht, weil das Kind morgen die Tür allein in der Schule aufmachen kann"},
    };
    for (size_t i = 0; i < sizeof EXPECTED / sizeof EXPECTED[0]; i++) {
        SentencePair pair;
        char text[TEXT_BYTES];
        grammar_make(SEED, i, &pair);
        join(text, pair.source, pair.n_source);
        assert_string_equal(text, EXPECTED[i][0]);
        join(text, pair.target, pair.n_target);
        assert_string_equal(text, EXPECTED[i][1]);
    }
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(a, b);
}

static void no_sentence_comes_twice(void **state) {
    (void)state;
    size_t n = (size_t)grammar_count();
    char(*texts)[TEXT_BYTES] = malloc(n * sizeof *texts);
    assert_non_null(texts);
    for (size_t i = 0; i < n; i++) {
        SentencePair pair;
        grammar_make(SEED, i, &pair);
        join(texts[i], pair.source, pair.n_source);
    }
    qsort(texts, n, sizeof *texts, compare_texts);
    for (size_t i = 1; i < n; i++) {
        assert_string_not_equal(texts[i - 1], texts[i]);
    }
    free(texts);
    const MadeData *made = made_data_find("translate");
    assert_true(made->n_pairs + made->n_unseen <= n);
}

static void a_seed_is_a_shuffle(void **state) {
    (void)state;
    int n_same = 0;
    for (uint64_t i = 0; i < 200; i++) {
        SentencePair first;
        SentencePair again;
        SentencePair other;
        char text[TEXT_BYTES];
        char other_text[TEXT_BYTES];
        grammar_make(SEED, i, &first);
        grammar_make(SEED, i, &again);
        assert_memory_equal(&first, &again, sizeof first);
        grammar_make(SEED + 1, i, &other);
        join(text, first.source, first.n_source);
        join(other_text, other.source, other.n_source);
        n_same += strcmp(text, other_text) == 0;
    }
    assert_true(n_same < 10);
}

// What the cross-attention has to learn: German words that stand elsewhere than the English ones.
static void most_translations_cross(void **state) {
    (void)state;
    enum { N = 2000 };
    int n_crossed = 0;
    for (uint64_t i = 0; i < N; i++) {
        SentencePair pair;
        bool crosses = false;
        grammar_make(SEED, i, &pair);
        for (int k = 0; k < pair.n_target; k++) {
            assert_in_range(pair.aligned[k], 0, pair.n_source - 1);
            crosses = crosses || (k > 0 && pair.aligned[k] < pair.aligned[k - 1]);
        }
        n_crossed += crosses;
    }
    printf("%d of %d translations cross\n", n_crossed, N);
    assert_true(n_crossed > N * 3 / 4);
}

// ---- the preset

static void the_preset_has_just_these_words(void **state) {
    (void)state;
    Preset preset;
    Tokenizer tokenizer = {0};
    Error err = {""};
    bool is_used[1024] = {false};
    support_require(preset_load(&preset, "toy-translate", &err), &err);
    const char *const *words = (const char *const *)(void *)preset.words;
    support_require(tokenizer_init_words(&tokenizer, words, preset.n_words, &err), &err);
    for (uint64_t i = 0; i < grammar_count(); i++) {
        SentencePair pair;
        grammar_make(SEED, i, &pair);
        assert_true(pair.n_source + 2 <= preset.training.length);
        assert_true(pair.n_target + 1 <= preset.training.length);
        for (int k = 0; k < pair.n_source + pair.n_target; k++) {
            const char *word = k < pair.n_source ? pair.source[k] : pair.target[k - pair.n_source];
            int id = tokenizer_find(&tokenizer, word, strlen(word));
            assert_true(id > 0);
            is_used[id] = true;
        }
    }
    for (int id = preset.config.eos_id + 1; id < preset.n_words; id++) {
        assert_true(is_used[id]);
    }
    tokenizer_free(&tokenizer);
    preset_free(&preset);
}

static void made_pairs_are_read_like_a_file(void **state) {
    (void)state;
    TextSource source = {.path = "translate"};
    TextReader reader;
    TextItem item;
    Error err = {""};
    bool found = true;
    uint64_t n = 0;
    support_require(text_source_choose(&source, "--format", NULL, &err), &err);
    assert_int_equal(source.format, TEXT_PAIRS);
    support_require(text_reader_open(&reader, &source, &err), &err);
    while (found) {
        support_require(text_reader_next(&reader, &item, &found, &err), &err);
        SentencePair pair;
        if (found) {
            char text[TEXT_BYTES];
            grammar_make(SEED, n++, &pair);
            join(text, pair.source, pair.n_source);
            assert_int_equal(item.length, strlen(text));
            assert_memory_equal(item.text, text, item.length);
            join(text, pair.target, pair.n_target);
            assert_int_equal(item.target_length, strlen(text));
            assert_memory_equal(item.target, text, item.target_length);
        }
    }
    assert_int_equal(n, made_data_find("translate")->n_pairs);
    text_reader_close(&reader);
}

static void the_copy_pairs_are_the_toys(void **state) {
    (void)state;
    NamedModel toy;
    Error err = {""};
    int32_t expected[TOY_PAIRS * TOY_LENGTH];
    toy_pairs(expected);
    support_require(preset_open(&toy, "toy-copy", true, 0, NULL, &err), &err);
    assert_true(toy.copies);
    for (int i = 0; i < TOY_PAIRS; i++) {
        Buffer line = {0};
        TokenIds ids = {0};
        made_data_find("copy")->append((uint64_t)i, &line);
        support_require(tokenizer_encode(&toy.tokenizer, line.bytes, line.length, &ids, NULL, &err),
                        &err);
        assert_int_equal(ids.count, 4);
        assert_memory_equal(ids.ids, expected + (size_t)i * TOY_LENGTH + 1, 2 * sizeof *ids.ids);
        assert_memory_equal(ids.ids + 2, expected + (size_t)i * TOY_LENGTH + 1,
                            2 * sizeof *ids.ids);
        buffer_free(&line);
        token_ids_free(&ids);
    }
    preset_close(&toy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(german_puts_its_words_where_they_belong),
        cmocka_unit_test(no_sentence_comes_twice),
        cmocka_unit_test(a_seed_is_a_shuffle),
        cmocka_unit_test(most_translations_cross),
        cmocka_unit_test(the_preset_has_just_these_words),
        cmocka_unit_test(made_pairs_are_read_like_a_file),
        cmocka_unit_test(the_copy_pairs_are_the_toys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
