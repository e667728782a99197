// lengths.c - how many sentences a model gets right, by their length.
#include "engine/playground/lengths.h"

#include <assert.h>
#include <string.h>

#include "engine/playground/training_batch.h"

static bool is_likeliest(const float *logits, int V, int32_t label) {
    for (int c = 0; c < V; c++) {
        if (c != label && logits[c] >= logits[label]) {
            return false;
        }
    }
    return true;
}

static int count_right(const Batch *batch, const float *logits, int V, int pad_id) {
    int T = batch->shape.T;
    int n_right = 0;
    for (int b = 0; b < batch->shape.B; b++) {
        bool is_right = true;
        for (int i = b * T; i < (b + 1) * T; i++) {
            int32_t label = batch->labels[i];
            is_right = is_right && (label < 0 || label == pad_id ||
                                    is_likeliest(logits + (size_t)i * (size_t)V, V, label));
        }
        n_right += is_right;
    }
    return n_right;
}

static bool measure_batch(const Batch *batch, OpenModel *opened, float *percent, Error *err) {
    Model *model = &opened->named.model;
    ModelTape built = {0};
    bool ok = model_tape_build(&built, model, TAPE_INFER, opened->device, batch->shape, TAPE_LOGITS,
                               err) &&
              tape_allocate(&built.tape, err);
    if (ok) {
        batch_fill(batch, &built);
        tape_run(&built.tape);
        int n_right = count_right(batch, tape_values(&built.tape, built.nodes.logits),
                                  model->config.vocab_size, model->config.pad_id);
        *percent = 100.0F * (float)n_right / (float)batch->shape.B;
        ok = tape_check(&built.tape, err);
    }
    model_tape_free(&built);
    return ok;
}

bool lengths_measure(LengthCurve *curve, OpenModel *opened, Error *err) {
    TrainingSource source = training_source_find(opened);
    const MadeData *made = source.made;
    if (made == NULL || made->longest == 0) {
        return error_set(err,
                         "%s does not learn from sentences of several lengths: expected such "
                         "a model as seq2seq-fixed",
                         opened->named.name);
    }
    assert(made->longest <= LENGTHS_MOST);
    source.length = 0; // all are of one length
    curve->shortest = made->shortest;
    curve->longest = made->longest;
    int n_lengths = made->longest - made->shortest + 1;
    assert(made->n_pairs % (uint64_t)n_lengths == 0); // so that the first unseen pair is a shortest
    bool ok = true;
    for (int i = 0; ok && i < n_lengths; i++) {
        Batch batch = {0};
        uint64_t numbers[LENGTHS_SENTENCES];
        for (int k = 0; k < LENGTHS_SENTENCES; k++) {
            numbers[k] = made->n_pairs + (uint64_t)(k * n_lengths + i);
        }
        ok = training_batch_pairs(&batch, &source, opened, numbers, LENGTHS_SENTENCES, err) &&
             measure_batch(&batch, opened, &curve->right[made->shortest + i], err);
        batch_free(&batch);
    }
    return ok;
}

void lengths_keep(LengthCurves *curves, const LengthCurve *curve) {
    for (int i = 0; i < curves->n; i++) {
        if (strcmp(curves->items[i].name, curve->name) == 0) {
            curves->items[i] = *curve;
            return;
        }
    }
    if (curves->n == LENGTHS_CURVES) {
        curves->n--;
        memmove(curves->items, curves->items + 1, (size_t)curves->n * sizeof *curve);
    }
    curves->items[curves->n++] = *curve;
}
