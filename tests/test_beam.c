// test_beam.c - the beam against every possible sentence, and against greedy decoding.
#include "tests/support_tape.h"

#include <math.h>
#include <string.h>

#include "engine/generation/decode.h"

enum { V = 6, PAD = 0, START = 1, END = 2, MOST = 3, S = 4, ALL = 300 };

static const int32_t SOURCE[S] = {3, 5, 4, 3};

static Device *device;

static void open_model(Model *model, uint64_t seed) {
    Error err = {""};
    ModelConfig config = support_config(FAMILY_ENCODER_DECODER);
    config.vocab_size = V;
    support_require(model_init(model, &config, seed, &err), &err);
}

static void decode(Decoding *decoding, Model *model, int width, float alpha) {
    Error err = {""};
    BeamConfig config = {.width = width, .max_length = MOST, .alpha = alpha, .end_id = END};
    support_require(decode_beam(decoding, model, device, SOURCE, S, &config, &err), &err);
}

// log p of every next token after each prefix of ids, one run over the whole target.
static void log_probabilities(Model *model, const int32_t *ids, int T, double rows[MOST][V]) {
    Error err = {""};
    ModelTape built;
    support_require(model_tape_build(&built, model, TAPE_INFER, device, (BatchShape){1, T, S},
                                     TAPE_LOGITS, &err) &&
                        tape_allocate(&built.tape, &err),
                    &err);
    tape_set_ids(&built.tape, built.nodes.source, SOURCE);
    tape_set_ids(&built.tape, built.nodes.tokens, ids);
    tape_run(&built.tape);
    for (int t = 0; t < T; t++) {
        const float *logits = tape_values(&built.tape, built.nodes.logits) + (size_t)t * V;
        double sum = 0.0;
        for (int c = 0; c < V; c++) {
            sum += exp((double)logits[c]);
        }
        for (int c = 0; c < V; c++) {
            rows[t][c] = (double)logits[c] - log(sum);
        }
    }
    model_tape_free(&built);
}

typedef struct Best {
    int32_t ids[MOST + 1];
    int n_ids;
    double score;
} Best;

static void offer(Best *best, const int32_t *ids, int n_ids, double log_p, double alpha) {
    double score = log_p / pow((5.0 + n_ids - 1) / 6.0, alpha);
    if (best->n_ids == 0 || score > best->score) {
        memcpy(best->ids, ids, (size_t)n_ids * sizeof *ids);
        best->n_ids = n_ids;
        best->score = score;
    }
}

// Every finished sentence of at most three tokens: the end token stands last and nowhere else.
static Best search_all(Model *model, double alpha) {
    Best best = {.n_ids = 0};
    for (int32_t a = 1; a < V; a++) {
        for (int32_t b = 1; b < V; b++) {
            int32_t ids[MOST + 1] = {START, a, b, END};
            double rows[MOST][V];
            log_probabilities(model, ids, MOST, rows);
            if (a == END) {
                offer(&best, ids, 2, rows[0][END], alpha);
                break;
            }
            if (b == END) {
                offer(&best, ids, 3, rows[0][a] + rows[1][END], alpha);
                continue;
            }
            offer(&best, ids, 4, rows[0][a] + rows[1][b] + rows[2][END], alpha);
        }
    }
    return best;
}

static void a_wide_beam_finds_the_best_of_all_sentences(void **state) {
    (void)state;
    const float alphas[] = {0.0F, 0.6F, 1.0F, 5.0F};
    bool has_long = false;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        Model model;
        open_model(&model, seed);
        for (int i = 0; i < 4; i++) {
            Decoding decoding;
            Best best = search_all(&model, (double)alphas[i]);
            decode(&decoding, &model, ALL, alphas[i]);
            assert_int_equal(decoding.best->n_ids, best.n_ids);
            assert_memory_equal(decoding.best->ids, best.ids, (size_t)best.n_ids * sizeof(int32_t));
            assert_true(fabs(decoding.best->score - best.score) < 1e-5);
            has_long = has_long || best.n_ids == MOST + 1;
            decode_free(&decoding);
        }
        model_free(&model);
    }
    assert_true(has_long);
}

static void a_finished_hypothesis_has_one_end_token_and_it_is_last(void **state) {
    (void)state;
    Model model;
    open_model(&model, 3);
    Decoding decoding;
    decode(&decoding, &model, 4, 0.6F);
    for (int step = 0; step < decoding.n_steps; step++) {
        for (int i = 0; i < decoding.steps[step].n_hypotheses; i++) {
            const Hypothesis *hypothesis = &decoding.steps[step].hypotheses[i];
            int n_ends = 0;
            for (int k = 0; k < hypothesis->n_ids; k++) {
                n_ends += hypothesis->ids[k] == END;
            }
            assert_int_equal(n_ends, hypothesis->is_finished ? 1 : 0);
            assert_true(!hypothesis->is_finished || hypothesis->ids[hypothesis->n_ids - 1] == END);
        }
    }
    decode_free(&decoding);
    model_free(&model);
}

// Its rank is the one that it has among all tokens after all beginnings.
static void what_is_dropped_ranks_below_what_is_kept(void **state) {
    (void)state;
    enum { WIDTH = 2 };
    Model model;
    open_model(&model, 4);
    Decoding decoding;
    decode(&decoding, &model, WIDTH, 0.0F);
    assert_int_equal(decoding.width, WIDTH);
    assert_int_equal(decoding.steps[0].n_dropped, 0);
    for (int step = 1; step < decoding.n_steps; step++) {
        const BeamStep *before = &decoding.steps[step - 1];
        const BeamStep *now = &decoding.steps[step];
        double all[WIDTH * V] = {0.0};
        int n = 0;
        for (int i = 0; i < before->n_hypotheses; i++) {
            const Hypothesis *start = &before->hypotheses[i];
            double rows[MOST][V];
            log_probabilities(&model, start->ids, start->n_ids, rows);
            for (int32_t c = 1; c < V && !start->is_finished; c++) {
                all[n++] = start->log_probability + rows[start->n_ids - 1][c];
            }
            if (start->is_finished) {
                all[n++] = start->log_probability;
            }
        }
        assert_int_equal(now->n_ranked, n);
        int n_below = n - now->n_hypotheses;
        assert_int_equal(now->n_dropped, n_below < BEAM_RUNNERS_UP ? n_below : BEAM_RUNNERS_UP);
        for (int k = 0; k < now->n_dropped; k++) {
            double fallen = now->dropped[k].log_probability;
            int n_better = 0;
            bool is_there = false;
            for (int i = 0; i < n; i++) {
                is_there = is_there || fabs(all[i] - fallen) < 1e-5;
                n_better += all[i] > fallen + 1e-5;
            }
            assert_true(is_there);
            assert_int_equal(n_better, now->n_hypotheses + k);
        }
    }
    decode_free(&decoding);
    model_free(&model);
}

static void a_beam_of_one_is_greedy(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        Model model;
        open_model(&model, seed);
        int32_t ids[MOST + 1] = {START};
        int n_ids = 1;
        while (n_ids <= MOST && (n_ids == 1 || ids[n_ids - 1] != END)) {
            double rows[MOST][V];
            log_probabilities(&model, ids, n_ids, rows);
            int32_t best = 1; // not the padding
            for (int32_t c = 2; c < V; c++) {
                best = rows[n_ids - 1][c] > rows[n_ids - 1][best] ? c : best;
            }
            ids[n_ids++] = best;
        }
        Decoding decoding;
        decode(&decoding, &model, 1, 0.6F);
        assert_int_equal(decoding.best->n_ids, n_ids);
        assert_memory_equal(decoding.best->ids, ids, (size_t)n_ids * sizeof *ids);
        decode_free(&decoding);
        model_free(&model);
    }
}

static void a_wider_beam_is_never_worse(void **state) {
    (void)state;
    Model model;
    open_model(&model, 5);
    double scores[3];
    const int widths[] = {1, 36, ALL};
    for (int i = 0; i < 3; i++) {
        Decoding decoding;
        decode(&decoding, &model, widths[i], 0.0F);
        scores[i] = decoding.best->is_finished ? decoding.best->score : -INFINITY;
        decode_free(&decoding);
    }
    assert_true(scores[0] <= scores[1] + 1e-9 && scores[1] <= scores[2] + 1e-9);
    model_free(&model);
}

static void without_its_mask_the_decoder_still_decodes(void **state) {
    (void)state;
    Model model;
    open_model(&model, 2);
    model.config.switches.without_mask = true;
    Decoding decoding;
    decode(&decoding, &model, 3, 0.0F);
    assert_true(decoding.n_best >= 1);
    decode_free(&decoding);
    model_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_beam_finds_the_best_of_all_sentences),
        cmocka_unit_test(a_finished_hypothesis_has_one_end_token_and_it_is_last),
        cmocka_unit_test(what_is_dropped_ranks_below_what_is_kept),
        cmocka_unit_test(a_beam_of_one_is_greedy),
        cmocka_unit_test(a_wider_beam_is_never_worse),
        cmocka_unit_test(without_its_mask_the_decoder_still_decodes),
    };
    device = support_device_open(1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(device);
    return failed;
}
