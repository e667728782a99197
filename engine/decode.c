// decode.c - sentences out of a trained encoder-decoder: greedy, and a beam with length penalty.
#include "engine/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    const Backend *backend;
    Device *device;
    const int32_t *source;
    int S;
    const BeamConfig *config;
    Hypothesis *alive; // width at most
    int n_alive;
    Candidate *candidates; // width · (V + 1)
    int n_candidates;
} Search;

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
}

// The whole model on every living hypothesis; all have the same length T. The tape reads the last
// row of logits.
static bool run_model(Search *search, int T, ModelTape *built, Error *err) {
    int B = search->n_alive;
    BatchShape shape = {B, T, search->S};
    if (!model_tape_build(built, search->model, TAPE_INFER, search->backend, search->device, shape,
                          TAPE_LOGITS, err) ||
        !tape_allocate(&built->tape, err)) {
        return false;
    }
    const ModelConfig *model = &search->model->config;
    int32_t *source = built->nodes.source->ids;
    int32_t *tokens = built->nodes.tokens->ids;
    for (int b = 0; b < B; b++) {
        memcpy(source + (size_t)b * (size_t)search->S, search->source,
               (size_t)search->S * sizeof *source);
        const Hypothesis *hypothesis = &search->alive[b];
        for (int t = 0; t < T; t++) { // a finished one is shorter; it is not read
            tokens[b * T + t] = t < hypothesis->n_ids ? hypothesis->ids[t] : model->pad_id;
        }
    }
    tape_run(&built->tape);
    return true;
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
    return max + log(sum);
}

static void add_candidate(Search *search, int parent, int32_t id, double log_probability,
                          int length) {
    search->candidates[search->n_candidates++] = (Candidate){
        parent, id, log_probability, log_probability / length_penalty(search->config, length)};
}

static void find_candidates(Search *search, const ModelTape *built, int T) {
    int V = search->model->config.vocab_size;
    search->n_candidates = 0;
    for (int b = 0; b < search->n_alive; b++) {
        const Hypothesis *hypothesis = &search->alive[b];
        if (hypothesis->is_finished) {
            add_candidate(search, b, -1, hypothesis->log_probability, hypothesis->n_ids - 1);
            continue;
        }
        const float *logits =
            built->nodes.logits->data + ((size_t)b * (size_t)T + (size_t)T - 1) * (size_t)V;
        double total = log_sum_exp(logits, V);
        for (int c = 0; c < V; c++) {
            if (c != search->model->config.pad_id) {
                add_candidate(search, b, c, hypothesis->log_probability + (double)logits[c] - total,
                              T);
            }
        }
    }
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

bool decode_beam(Decoding *decoding, Model *model, const Backend *backend, Device *device,
                 const int32_t *source, int S, const BeamConfig *config, Error *err) {
    *decoding = (Decoding){.n_steps = 0};
    Search search = {.decoding = decoding,
                     .model = model,
                     .backend = backend,
                     .device = device,
                     .source = source,
                     .S = S,
                     .config = config,
                     .n_alive = 1};
    Arena *arena = &decoding->arena;
    size_t n_candidates = (size_t)config->width * ((size_t)model->config.vocab_size + 1);
    search.candidates = arena_allocate(arena, n_candidates * sizeof *search.candidates);
    decoding->steps =
        arena_allocate(arena, ((size_t)config->max_length + 1) * sizeof *decoding->steps);
    search.alive = arena_allocate(arena, sizeof *search.alive);
    search.alive->ids = arena_allocate(arena, sizeof *search.alive->ids);
    search.alive->ids[search.alive->n_ids++] = model->config.bos_id;
    keep_step(&search);
    for (int T = 1; T <= config->max_length && !all_finished(&search); T++) {
        ModelTape built;
        bool ok = run_model(&search, T, &built, err);
        if (ok) {
            find_candidates(&search, &built, T);
            keep_best(&search);
            keep_step(&search);
        }
        model_tape_free(&built);
        if (!ok) {
            decode_free(decoding);
            return false;
        }
    }
    order_best(&search);
    return true;
}

void decode_free(Decoding *decoding) {
    arena_free(&decoding->arena);
    *decoding = (Decoding){.n_steps = 0};
}
