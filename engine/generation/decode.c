// decode.c - sentences out of a trained encoder-decoder: greedy, and a beam with length penalty.
#include "engine/generation/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/generation/sampling.h"

// One token that may follow one hypothesis.
typedef struct Candidate {
    int parent; // which hypothesis
    int32_t id; // -1: a finished hypothesis that stays as it is
    double log_probability;
    double score;
} Candidate;

typedef struct Search {
    Decoding *decoding;
    Model *model;
    const BeamConfig *config;
    Generator generator; // a row for each hypothesis
    int32_t *tokens;     // width
    int *parents;        // width
    int n_offered;       // tokens after each hypothesis
    int32_t *likeliest;  // n_offered
    Hypothesis *alive;   // width at most
    int n_alive;
    Candidate *candidates; // width · n_offered
    int n_candidates;
    size_t n_ranked; // the candidates and the tokens that were not offered
} Search;

int decode_longest(int S, int end_id) {
    int most = end_id < 0 ? S - 1 : 2 * S + 8;
    return most > 1 ? most : 1;
}

static double length_penalty(const BeamConfig *config, int length) {
    return pow((5.0 + length) / 6.0, (double)config->alpha);
}

static Hypothesis copy_hypothesis(Decoding *decoding, const Hypothesis *from, int room) {
    Hypothesis copy = *from;
    copy.ids = arena_allocate(&decoding->arena, (size_t)(from->n_ids + room) * sizeof *copy.ids);
    memcpy(copy.ids, from->ids, (size_t)from->n_ids * sizeof *copy.ids);
    return copy;
}

static void keep_step(Search *search) {
    Decoding *decoding = search->decoding;
    BeamStep *step = &decoding->steps[decoding->n_steps++];
    step->n_hypotheses = search->n_alive;
    step->hypotheses =
        arena_allocate(&decoding->arena, (size_t)search->n_alive * sizeof *step->hypotheses);
    for (int i = 0; i < search->n_alive; i++) {
        step->hypotheses[i] = copy_hypothesis(decoding, &search->alive[i], 0);
    }
    step->n_ranked = search->n_ranked;
    int n = search->n_candidates - search->n_alive;
    step->n_dropped = n < 0 ? 0 : (n < BEAM_RUNNERS_UP ? n : BEAM_RUNNERS_UP);
    step->dropped =
        arena_allocate(&decoding->arena, (size_t)step->n_dropped * sizeof *step->dropped);
    for (int i = 0; i < step->n_dropped; i++) {
        const Candidate *candidate = &search->candidates[search->n_alive + i];
        step->dropped[i] = (BeamDropped){candidate->parent, candidate->id,
                                         candidate->log_probability, candidate->score};
    }
}

// What every living hypothesis says next; each has a row of the generator.
static bool run_model(Search *search, const float **logits, Error *err) {
    for (int row = 0; row < search->config->width; row++) {
        bool is_idle = row >= search->n_alive || search->alive[row].is_finished;
        search->tokens[row] = is_idle ? -1 : search->alive[row].ids[search->alive[row].n_ids - 1];
    }
    return generator_step(&search->generator, search->tokens, logits, err);
}

static double log_sum_exp(const float *logits, int V) {
    double max = -INFINITY;
    for (int c = 0; c < V; c++) {
        max = fmax(max, (double)logits[c]);
    }
    double sum = 0.0;
    for (int c = 0; c < V; c++) {
        sum += exp((double)logits[c] - max);
    }
    return max + log(fmax(sum, 1.0)); // the greatest alone gives 1
}

static void add_candidate(Search *search, int parent, int32_t id, double log_probability,
                          int length) {
    search->candidates[search->n_candidates++] = (Candidate){
        parent, id, log_probability, log_probability / length_penalty(search->config, length)};
}

static bool is_likelier(const float *logits, int32_t a, int32_t b) {
    return logits[a] == logits[b] ? a < b : logits[a] > logits[b];
}

// The likeliest tokens after one hypothesis, in order.
static int find_likeliest(const Search *search, const float *logits, int32_t *ids) {
    int n = 0;
    for (int32_t c = 0; c < search->model->config.vocab_size; c++) {
        bool is_full = n == search->n_offered;
        if (c == search->model->config.pad_id || (is_full && !is_likelier(logits, c, ids[n - 1]))) {
            continue;
        }
        int at = is_full ? n - 1 : n++;
        for (; at > 0 && is_likelier(logits, c, ids[at - 1]); at--) {
            ids[at] = ids[at - 1];
        }
        ids[at] = c;
    }
    return n;
}

static bool find_candidates(Search *search, const float *all_logits, int T, Error *err) {
    int V = search->model->config.vocab_size;
    search->n_candidates = 0;
    search->n_ranked = 0;
    for (int b = 0; b < search->n_alive; b++) {
        const Hypothesis *hypothesis = &search->alive[b];
        if (hypothesis->is_finished) {
            add_candidate(search, b, -1, hypothesis->log_probability, hypothesis->n_ids - 1);
            search->n_ranked++;
            continue;
        }
        const float *logits = all_logits + (size_t)b * (size_t)V;
        if (!sampling_check_logits(logits, V, search->model->config.pad_id, err)) {
            return false;
        }
        double total = log_sum_exp(logits, V);
        int n = find_likeliest(search, logits, search->likeliest);
        search->n_ranked += (size_t)(V - (search->model->config.pad_id >= 0));
        for (int i = 0; i < n; i++) {
            int32_t c = search->likeliest[i];
            add_candidate(search, b, c, hypothesis->log_probability + (double)logits[c] - total, T);
        }
    }
    return true;
}

static int by_score(const void *a, const void *b) {
    const Candidate *left = a;
    const Candidate *right = b;
    if (left->score != right->score) {
        return left->score > right->score ? -1 : 1;
    }
    return left->parent != right->parent ? left->parent - right->parent : left->id - right->id;
}

static void keep_best(Search *search) {
    qsort(search->candidates, (size_t)search->n_candidates, sizeof *search->candidates, by_score);
    int count =
        search->config->width < search->n_candidates ? search->config->width : search->n_candidates;
    Hypothesis *next = arena_allocate(&search->decoding->arena, (size_t)count * sizeof *next);
    for (int row = 0; row < search->config->width; row++) {
        search->parents[row] = row < count ? search->candidates[row].parent : 0;
    }
    for (int i = 0; i < count; i++) {
        const Candidate *candidate = &search->candidates[i];
        const Hypothesis *parent = &search->alive[candidate->parent];
        next[i] = copy_hypothesis(search->decoding, parent, 1);
        next[i].log_probability = candidate->log_probability;
        next[i].score = candidate->score;
        if (candidate->id >= 0) {
            next[i].ids[next[i].n_ids++] = candidate->id;
            next[i].is_finished = candidate->id == search->config->end_id;
        }
    }
    search->alive = next;
    search->n_alive = count;
}

static bool all_finished(const Search *search) {
    for (int i = 0; i < search->n_alive; i++) {
        if (!search->alive[i].is_finished) {
            return false;
        }
    }
    return true;
}

static bool by_finished_first(const Hypothesis *a, const Hypothesis *b) {
    return a->is_finished && !b->is_finished;
}

// Finished hypotheses first, each group in the order of its scores.
static void order_best(Search *search) {
    Decoding *decoding = search->decoding;
    decoding->best = search->alive;
    decoding->n_best = search->n_alive;
    for (int i = 1; i < decoding->n_best; i++) {
        for (int k = i; k > 0 && by_finished_first(&decoding->best[k], &decoding->best[k - 1]);
             k--) {
            Hypothesis swap = decoding->best[k];
            decoding->best[k] = decoding->best[k - 1];
            decoding->best[k - 1] = swap;
        }
    }
}

static void start(Search *search) {
    Arena *arena = &search->decoding->arena;
    size_t width = (size_t)search->config->width;
    search->n_offered = search->config->width + BEAM_RUNNERS_UP;
    size_t n_offered = (size_t)search->n_offered;
    search->candidates = arena_allocate(arena, width * n_offered * sizeof *search->candidates);
    search->tokens = arena_allocate(arena, width * sizeof *search->tokens);
    search->parents = arena_allocate(arena, width * sizeof *search->parents);
    search->likeliest = arena_allocate(arena, n_offered * sizeof *search->likeliest);
    search->decoding->steps =
        arena_allocate(arena, ((size_t)search->config->max_length + 1) * sizeof(BeamStep));
    search->alive = arena_allocate(arena, sizeof *search->alive);
    search->alive->ids = arena_allocate(arena, sizeof *search->alive->ids);
    search->alive->ids[search->alive->n_ids++] = search->model->config.bos_id;
    search->n_alive = 1;
    search->n_ranked = 1;
    keep_step(search);
}

static bool run(Search *search, Error *err) {
    for (int T = 1; T <= search->config->max_length && !all_finished(search); T++) {
        const float *logits = NULL;
        if (!progress_at(search->config->progress, (size_t)T - 1,
                         (size_t)search->config->max_length, err) ||
            !run_model(search, &logits, err) || !find_candidates(search, logits, T, err)) {
            return false;
        }
        keep_best(search);
        keep_step(search);
        if (!generator_reorder(&search->generator, search->parents, err)) {
            return false;
        }
    }
    order_best(search);
    return true;
}

bool decode_beam(Decoding *decoding, Model *model, Device *device, const int32_t *source, int S,
                 const BeamConfig *config, Error *err) {
    *decoding = (Decoding){
        .width = config->width, .alpha = config->alpha, .left_out = model->config.pad_id};
    Search search = {.decoding = decoding, .model = model, .config = config};
    GeneratorConfig generator = {.mode = TAPE_INFER,
                                 .n_rows = config->width,
                                 .capacity = config->max_length,
                                 .weights = config->weights,
                                 .source = source,
                                 .S = S};
    if (!generator_open(&search.generator, model, device, &generator, err)) {
        return false;
    }
    start(&search);
    bool ok = run(&search, err);
    generator_close(&search.generator);
    if (!ok) {
        decode_free(decoding);
    }
    return ok;
}

void decode_free(Decoding *decoding) {
    arena_free(&decoding->arena);
    *decoding = (Decoding){.n_steps = 0};
}
