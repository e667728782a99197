// test_translate.c - the translating toy as it ships: right German, and cross-attention that
// crosses.
#include "tests/support.h"
#include "tests/support_node.h"

#include <stdio.h>
#include <string.h>

#include "engine/generation/decode.h"
#include "engine/models/preset.h"
#include "engine/training/grammar.h"
#include "engine/training/made_data.h"

enum {
    SEED = 1,
    N_PAIRS = 200, // that no run has seen
    MOST_HEADS = 8,
    // The head that the README names: it looks at the English word that a German one comes from.
    ALIGNING_HEAD = 1,
};

static Device *device;
static NamedModel toy;

static uint64_t unseen(int i) {
    return made_data_find("translate")->n_pairs + (uint64_t)i;
}

// <s>, the words, and where it is asked for </s>.
static int encode(const char *const *words, int n_words, bool ends, int32_t *ids) {
    int n = 0;
    ids[n++] = toy.model.config.bos_id;
    for (int i = 0; i < n_words; i++) {
        ids[n++] = tokenizer_find(&toy.tokenizer, words[i], strlen(words[i]));
    }
    if (ends) {
        ids[n++] = toy.model.config.eos_id;
    }
    return n;
}

static void unseen_sentences_are_translated(void **state) {
    (void)state;
    int n_right = 0;
    for (int i = 0; i < N_PAIRS; i++) {
        SentencePair pair;
        Decoding decoding;
        Error err = {""};
        int32_t source[GRAMMAR_MAX_WORDS + 2];
        int32_t target[GRAMMAR_MAX_WORDS + 2];
        grammar_make(SEED, unseen(i), &pair);
        int S = encode(pair.source, pair.n_source, true, source);
        int T = encode(pair.target, pair.n_target, true, target);
        BeamConfig greedy = {.width = 1,
                             .max_length = decode_longest(S, toy.model.config.eos_id),
                             .end_id = toy.model.config.eos_id};
        support_require(decode_beam(&decoding, &toy.model, device, source, S, &greedy, &err), &err);
        const Hypothesis *best = decoding.best;
        n_right += best->n_ids == T && memcmp(best->ids, target, (size_t)T * sizeof *target) == 0;
        decode_free(&decoding);
    }
    printf("%d of %d unseen sentences translated\n", n_right, N_PAIRS);
    assert_true(n_right >= N_PAIRS * 99 / 100);
}

// ---- where it looks

// The cross-attention of layer 0 on a pair: (H,T,S); row t is the position that writes word t.
static void run_watched(const SentencePair *pair, ModelTape *built, int *T, int *S) {
    Error err = {""};
    int32_t source[GRAMMAR_MAX_WORDS + 2];
    int32_t target[GRAMMAR_MAX_WORDS + 2];
    *S = encode(pair->source, pair->n_source, true, source);
    *T = encode(pair->target, pair->n_target, false, target);
    BatchShape shape = {1, *T, *S};
    support_require(
        model_tape_build(built, &toy.model, TAPE_WATCH, device, shape, TAPE_LOGITS, &err) &&
            tape_allocate(&built->tape, &err),
        &err);
    tape_set_ids(&built->tape, built->nodes.source, source);
    tape_set_ids(&built->tape, built->nodes.tokens, target);
    tape_run(&built->tape);
}

// The English word that a head looks at most when word t is written: its place in the pair, -1 for
// <s>.
static int looked_at(const ModelTape *built, int head, int t, int T, int S) {
    const Node *weights = tape_find(&built->tape, "decoder.0.cross_attn.weights");
    assert_non_null(weights);
    const float *row =
        tape_values(&built->tape, weights) + ((size_t)head * (size_t)T + (size_t)t) * (size_t)S;
    int largest = 0;
    for (int s = 1; s < S; s++) {
        largest = row[s] > row[largest] ? s : largest;
    }
    return largest - 1;
}

// Words that say nothing of their own: their form follows from other words, or they stand for the
// tense alone.
static bool is_content(const char *word) {
    static const char *const OTHERS[] = {"der",  "die", "das", "den",  "in",   "im",  "dass",
                                         "weil", "hat", "ist", "muss", "kann", "wird"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        if (strcmp(word, OTHERS[i]) == 0) {
            return false;
        }
    }
    return true;
}

static void cross_attention_finds_the_word_that_is_translated(void **state) {
    (void)state;
    int n_found[MOST_HEADS] = {0};
    int n_moved[MOST_HEADS] = {0};
    int n_words = 0;
    int n_out_of_order = 0;
    int H = toy.model.config.n_heads;
    for (int i = 0; i < N_PAIRS; i++) {
        SentencePair pair;
        ModelTape built;
        int T = 0;
        int S = 0;
        grammar_make(SEED, unseen(i), &pair);
        run_watched(&pair, &built, &T, &S);
        for (int t = 0; t < pair.n_target; t++) {
            // The English word stands before that of the word before: the lines cross.
            bool is_moved = t > 0 && pair.aligned[t] < pair.aligned[t - 1];
            bool counts = is_content(pair.target[t]);
            n_words += counts;
            n_out_of_order += counts && is_moved;
            for (int head = 0; counts && head < H; head++) {
                bool found = looked_at(&built, head, t, T, S) == pair.aligned[t];
                n_found[head] += found;
                n_moved[head] += found && is_moved;
            }
        }
        model_tape_free(&built);
    }
    for (int head = 0; head < H; head++) {
        printf("layer 0 head %d: %d of %d words, %d of %d that cross\n", head, n_found[head],
               n_words, n_moved[head], n_out_of_order);
    }
    assert_true(n_found[ALIGNING_HEAD] >= n_words * 97 / 100);
    assert_true(n_moved[ALIGNING_HEAD] >= n_out_of_order * 97 / 100);
}

static void a_participle_at_the_end_looks_back_at_its_verb(void **state) {
    (void)state;
    static const char *const ENGLISH[] = {"Anna",   "says",  "that",     "the",     "girl",
                                          "opened", "the",   "door",     "quietly", "in",
                                          "the",    "house", "yesterday"};
    static const char *const GERMAN[] = {"Anna",    "sagt,",      "dass", "das",   "Mädchen",
                                         "gestern", "die",        "Tür",  "leise", "im",
                                         "Haus",    "aufgemacht", "hat"};
    SentencePair pair = {.n_source = 13, .n_target = 13};
    memcpy(pair.source, ENGLISH, sizeof ENGLISH);
    memcpy(pair.target, GERMAN, sizeof GERMAN);
    ModelTape built;
    int T = 0;
    int S = 0;
    run_watched(&pair, &built, &T, &S);
    static const struct {
        int t, place;
    } EXPECTED[] = {{0, 0}, {1, 1}, {4, 4}, {5, 12}, {7, 7}, {8, 8}, {10, 11}, {11, 5}};
    for (size_t i = 0; i < sizeof EXPECTED / sizeof EXPECTED[0]; i++) {
        assert_int_equal(looked_at(&built, ALIGNING_HEAD, EXPECTED[i].t, T, S), EXPECTED[i].place);
    }
    model_tape_free(&built);
}

int main(void) {
    Error err = {""};
    device = support_device_open(1);
    if (device == NULL || !preset_open(&toy, "toy-translate", false, 0, NULL, &err)) {
        printf("%s\n", err.text);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unseen_sentences_are_translated),
        cmocka_unit_test(cross_attention_finds_the_word_that_is_translated),
        cmocka_unit_test(a_participle_at_the_end_looks_back_at_its_verb),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    preset_close(&toy);
    device_close(device);
    return failed;
}
