// trainer.c - steps of training: batches, gradients over micro-batches and processes, updates.
#include "engine/training/trainer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/plural.h"
#include "engine/base/clock.h"
#include "engine/devices/device.h"
#include "engine/tape/tape_cost.h"
#include "engine/training/trainer_tape.h"

static Array allocate_floats(Device *device, size_t n_values) {
    Array values = array_of(device->backend->allocate(device, n_values * sizeof(float)));
    if (values.data != NULL) {
        device->backend->fill(device, values, 0.0F, n_values); // the gaps between parameters stay 0
    }
    return values;
}

static int n_processes(const Trainer *trainer) {
    return trainer->group == NULL ? 1 : trainer->group->size;
}

bool trainer_init(Trainer *trainer, const TrainerParts *parts, const TrainerOptions *options,
                  Error *err) {
    *trainer = (Trainer){.options = *options,
                         .model = parts->model,
                         .train = parts->train,
                         .held = parts->held,
                         .device = parts->device,
                         .group = parts->group};
    const Params *params = &trainer->model->params;
    if (options->batch % n_processes(trainer) != 0) {
        return error_set(err, "a batch of %d sequence%s cannot be split among %d processes",
                         options->batch, plural(options->batch), n_processes(trainer));
    }
    if (trainer->group != NULL && !trainer->device->backend->is_host) {
        return error_set(err, "several processes train on CPUs alone: expected --device cpu");
    }
    trainer->gradients = allocate_floats(trainer->device, params->n_values);
    if (options->accumulate > 1) {
        trainer->sum = allocate_floats(trainer->device, params->n_values);
    }
    trainer->losses = allocate_floats(trainer->device, (size_t)options->accumulate);
    trainer->shares = calloc((size_t)options->accumulate, sizeof *trainer->shares);
    trainer->read = calloc((size_t)options->accumulate, sizeof *trainer->read);
    bool ok = trainer->losses.data != NULL && trainer->shares != NULL && trainer->read != NULL &&
              trainer->gradients.data != NULL &&
              (trainer->sum.data != NULL || options->accumulate == 1) &&
              optimizer_init(&trainer->optimizer, &options->optimizer, params);
    if (!ok) {
        error_set(err, "not enough memory: gradients and the optimizer's state need %zu MiB",
                  params->n_values * 3 * sizeof(float) >> 20);
    }
    ok = ok && (trainer->group == NULL || trainer_buckets_make(trainer, err));
    if (!ok) {
        trainer_free(trainer);
    }
    return ok;
}

void trainer_free(Trainer *trainer) {
    for (int i = 0; i < trainer->n_tapes; i++) {
        trainer_tape_free(&trainer->tapes[i]);
    }
    optimizer_free(&trainer->optimizer);
    data_batch_free(&trainer->batch);
    if (trainer->device != NULL) {
        trainer->device->backend->free(trainer->device, trainer->gradients.data);
        trainer->device->backend->free(trainer->device, trainer->sum.data);
        trainer->device->backend->free(trainer->device, trainer->losses.data);
    }
    free(trainer->buckets);
    free(trainer->shares);
    free(trainer->read);
    *trainer = (Trainer){.model = NULL};
}

// ---- a step

static bool read_batch(Trainer *trainer, int micro, Error *err) {
    const TrainerOptions *options = &trainer->options;
    BatchRows rows = {.number = (uint64_t)trainer->step,
                      .B = options->batch * options->accumulate,
                      .first = micro * options->batch,
                      .count = options->batch};
    return dataset_read_batch(trainer->train, &rows, trainer->model->config.pad_id, &trainer->batch,
                              err);
}

static bool count_labels(Trainer *trainer, TrainerReport *report, Error *err) {
    for (int micro = 0; micro < trainer->options.accumulate; micro++) {
        if (!read_batch(trainer, micro, err)) {
            return false;
        }
        const DataBatch *batch = &trainer->batch;
        report->n_labels += data_batch_labels(batch, 0, batch->B, trainer->model->config.pad_id);
        report->n_tokens += (uint64_t)batch->B * (uint64_t)(batch->T + batch->S);
    }
    return true;
}

// This process' rows of one micro-batch. The gradient of the loss is seeded with its share of all
// labels, so that parts add up to what one big batch would give.
static bool run_micro(Trainer *trainer, int micro, TrainerReport *report, Error *err) {
    const DataBatch *batch = &trainer->batch;
    if (trainer->options.accumulate > 1 && !read_batch(trainer, micro, err)) {
        return false;
    }
    int n_rows = batch->B / n_processes(trainer);
    int first_row = trainer->group == NULL ? 0 : trainer->group->rank * n_rows;
    TrainerTape *tape = trainer_tape_get(trainer, (BatchShape){n_rows, batch->T, batch->S}, err);
    if (tape == NULL) {
        return false;
    }
    size_t n_labels = data_batch_labels(batch, first_row, n_rows, trainer->model->config.pad_id);
    trainer->shares[micro] = (double)n_labels / fmax((double)report->n_labels, 1.0);
    Tape *nodes = &tape->built.tape;
    StepBlock now = nodes->now;
    now.loss_gradient = (float)trainer->shares[micro];
    now.drops = 1;
    now.draw = (uint64_t)trainer->step;
    now.first_item = (uint64_t)micro * (uint64_t)batch->B + (uint64_t)first_row;
    tape_set_step(nodes, &now);
    trainer_tape_fill(tape, batch, first_row);
    bool is_last = micro + 1 == trainer->options.accumulate;
    if (!trainer_tape_run(trainer, tape, micro == 0, is_last, err)) {
        return false;
    }
    trainer->device->backend->copy(trainer->device, array_at(trainer->losses, (size_t)micro).data,
                                   nodes->loss->array.data, sizeof(float));
    report->flops += tape_product_flops(nodes);
    return true;
}

// Waits for the losses of all micro-batches and adds them up, over the processes too.
static bool read_loss(Trainer *trainer, TrainerReport *report, Error *err) {
    int n = trainer->options.accumulate;
    if (!device_read(trainer->device, trainer->read, trainer->losses.data,
                     (size_t)n * sizeof(float), err)) {
        return false;
    }
    report->loss = 0.0;
    for (int micro = 0; micro < n; micro++) {
        report->loss += trainer->shares[micro] * (double)trainer->read[micro];
    }
    Group *group = trainer->group;
    return group == NULL || group->sum_doubles(group, &report->loss, 1, err);
}

bool trainer_diverged(const TrainerReport *report) {
    return !isfinite(report->loss) || !isfinite(report->norm);
}

static bool refuse_update(const TrainerReport *report, const char *what, Error *err) {
    return error_set(
        err,
        "step %lld: the %s is not a finite number, nothing was updated; a smaller learning rate "
        "(--lr), a longer warm-up (--warmup) or clipped gradients (--clip 1) may help",
        (long long)report->step, what);
}

// Several processes have to agree on whether the loss is a number before any of them updates; one
// alone asks the device once, after the update, which the device leaves out by itself.
static bool update_parameters(Trainer *trainer, TrainerReport *report, Error *err) {
    const TrainerOptions *options = &trainer->options;
    bool is_alone = trainer->group == NULL;
    if (!is_alone && !read_loss(trainer, report, err)) {
        return false;
    }
    if (!is_alone && !isfinite(report->loss)) {
        return refuse_update(report, "loss", err);
    }
    report->lr = (double)schedule_lr(&options->schedule, options->optimizer.lr, report->step);
    Update update = {.gradients = trainer->sum.data != NULL ? trainer->sum : trainer->gradients,
                     .lr = (float)report->lr,
                     .scale = 1.0F,
                     .measures = true,
                     .losses = trainer->losses,
                     .n_losses = options->accumulate};
    bool updated = false;
    if (!optimizer_begin(&trainer->optimizer, &trainer->model->params, &update, trainer->device,
                         err) ||
        !optimizer_end(&trainer->optimizer, &update, &report->norm, &updated, err) ||
        (is_alone && !read_loss(trainer, report, err))) {
        return false;
    }
    return updated ||
           refuse_update(report, isfinite(report->loss) ? "gradient's norm" : "loss", err);
}

bool trainer_step(Trainer *trainer, TrainerReport *report, Error *err) {
    const double start = clock_seconds();
    *report = (TrainerReport){.step = trainer->step + 1};
    if (!count_labels(trainer, report, err)) {
        return false;
    }
    for (int micro = 0; micro < trainer->options.accumulate; micro++) {
        if (!run_micro(trainer, micro, report, err)) {
            return false;
        }
    }
    if (!update_parameters(trainer, report, err)) {
        return false;
    }
    trainer->step = report->step;
    report->seconds = clock_seconds() - start;
    return true;
}

// ---- evaluation: the forward half of the training tapes, with nothing dropped

// Fills a batch up to B rows with rows that count for nothing.
static bool pad_batch(DataBatch *batch, int B, Error *err) {
    if (batch->B == B) {
        return true;
    }
    size_t size = (size_t)B * (2 * (size_t)batch->T + (size_t)batch->S);
    int32_t *ids = calloc(size, sizeof *ids);
    if (ids == NULL) {
        return error_set(err, "not enough memory for a batch");
    }
    size_t T = (size_t)batch->T;
    size_t rows = (size_t)batch->B;
    int32_t *labels = ids + (size_t)B * T;
    int32_t *source = labels + (size_t)B * T;
    for (size_t i = 0; i < (size_t)B * T; i++) {
        labels[i] = -1;
    }
    memcpy(ids, batch->tokens, rows * T * sizeof *ids);
    memcpy(labels, batch->labels, rows * T * sizeof *ids);
    if (batch->S > 0) {
        memcpy(source, batch->source, rows * (size_t)batch->S * sizeof *ids);
    }
    free(batch->tokens);
    batch->tokens = ids;
    batch->labels = labels;
    batch->source = batch->S > 0 ? source : NULL;
    batch->B = B;
    batch->capacity = size;
    return true;
}

static bool evaluate_batch(Trainer *trainer, int B, double *sum, double *n_labels, Error *err) {
    DataBatch *batch = &trainer->batch;
    if (!pad_batch(batch, B, err)) {
        return false;
    }
    TrainerTape *tape = trainer_tape_get(trainer, (BatchShape){B, batch->T, batch->S}, err);
    if (tape == NULL) {
        return false;
    }
    Tape *nodes = &tape->built.tape;
    double n = (double)data_batch_labels(batch, 0, B, trainer->model->config.pad_id);
    trainer_tape_fill(tape, batch, 0);
    StepBlock now = nodes->now;
    now.drops = 0;
    tape_set_step(nodes, &now);
    tape_run_range(nodes, 0, nodes->n_forward);
    *sum += n * (double)*tape_values(nodes, nodes->loss);
    *n_labels += n;
    return tape_check(nodes, err);
}

bool trainer_evaluate(Trainer *trainer, double *loss, Error *err) {
    assert(trainer->held != NULL && trainer->held->count > 0);
    int B = trainer->options.batch / n_processes(trainer);
    double sum = 0.0;
    double n_labels = 0.0;
    // As many sequences, however a batch is shared and cut.
    uint64_t most = (uint64_t)trainer->options.eval_batches * (uint64_t)trainer->options.batch *
                    (uint64_t)trainer->options.accumulate;
    uint64_t end = trainer->held->count < most ? trainer->held->count : most;
    for (uint64_t first = 0; first < end; first += (uint64_t)B) {
        int n = end - first < (uint64_t)B ? (int)(end - first) : B;
        if (!dataset_read_in_order(trainer->held, first, n, trainer->model->config.pad_id,
                                   &trainer->batch, err) ||
            !evaluate_batch(trainer, B, &sum, &n_labels, err)) {
            return false;
        }
    }
    *loss = sum / fmax(n_labels, 1.0);
    return true;
}
