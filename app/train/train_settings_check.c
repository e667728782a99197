// train_settings_check.c - the settings of a run, checked and turned into what the engine takes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/train/train_settings.h"

enum { MAX_BATCH = 1 << 20 };

typedef struct IntRange {
    const char *name;
    int value, min, max;
} IntRange;

typedef struct RealRange {
    const char *name;
    double value, min, max;
} RealRange;

bool train_settings_check(const TrainSettings *settings, Error *err) {
    const IntRange ints[] = {
        {"batch", settings->batch, 1, MAX_BATCH},
        {"accumulate", settings->accumulate, 1, MAX_BATCH},
        {"length", settings->length, 1, 1 << 20},
        {"steps", settings->steps, 1, 1 << 30},
        {"warmup", settings->warmup, 0, 1 << 30},
        {"held-out", settings->held_out, 0, 1 << 30},
        {"seed", settings->seed, 0, 0x7fffffff},
        {"eval-every", settings->eval_every, 0, 1 << 30},
        {"eval-batches", settings->eval_batches, 1, 1 << 30},
        {"sample-every", settings->sample_every, 0, 1 << 30},
        {"save-every", settings->save_every, 0, 1 << 30},
        {"keep", settings->keep, 1, 1 << 20},
    };
    const double LEAST_EPS = 1e-30; // 0 / (0 + eps) is a step; without eps it would be NaN
    const RealRange reals[] = {
        {"lr", settings->lr, 0.0, 1e6},
        {"decay", settings->decay, 0.0, 10.0},
        {"clip", settings->clip, 0.0, 1e9},
        {"beta1", settings->beta1, 0.0, 0.999999},
        {"beta2", settings->beta2, 0.0, 0.99999999},
        {"eps", settings->eps, LEAST_EPS, 1.0},
    };
    for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++) {
        if (ints[i].value < ints[i].min || ints[i].value > ints[i].max) {
            return error_set(err, "--%s: expected %d to %d, found %d", ints[i].name, ints[i].min,
                             ints[i].max, ints[i].value);
        }
    }
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        if (!(reals[i].value >= reals[i].min && reals[i].value <= reals[i].max)) {
            return error_set(err, "--%s: expected %g to %g, found %g", reals[i].name, reals[i].min,
                             reals[i].max, reals[i].value);
        }
    }
    if (settings->held_out == 1) {
        return error_set(err, "--held-out: expected 0 (none) or one text in 2 and more, found 1");
    }
    if (settings->separator != NULL && settings->separator[0] == '\0') {
        return error_set(err, "--separator: expected a text, found an empty one");
    }
    if ((int64_t)settings->batch * settings->accumulate > MAX_BATCH) {
        return error_set(err, "--batch %d --accumulate %d: expected at most %d sequences a step",
                         settings->batch, settings->accumulate, MAX_BATCH);
    }
    const RealRange shares[] = {{"dropout", settings->dropout, 0.0, 0.999},
                                {"label-smoothing", settings->smoothing, 0.0, 0.999}};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        bool fits = shares[i].value >= shares[i].min && shares[i].value <= shares[i].max;
        if (!isnan(shares[i].value) && !fits) {
            return error_set(err, "--%s: expected 0 to 0.999, found %g", shares[i].name,
                             shares[i].value);
        }
    }
    return true;
}

static bool find_name(const char *option, const char *name, const char *const *names, int n,
                      int *found, Error *err) {
    for (*found = 0; *found < n; (*found)++) {
        if (strcmp(names[*found], name) == 0) {
            return true;
        }
    }
    char list[128] = "";
    for (int i = 0; i < n; i++) {
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    return error_set(err, "--%s: expected %s, found \"%.40s\"", option, list, name);
}

bool train_settings_trainer(const TrainSettings *settings, int d_model, TrainerOptions *options,
                            Error *err) {
    int optimizer = 0;
    int schedule = 0;
    if (!find_name("optimizer", settings->optimizer, OPTIMIZER_NAMES, N_OPTIMIZERS, &optimizer,
                   err) ||
        !find_name("schedule", settings->schedule, SCHEDULE_NAMES, N_SCHEDULES, &schedule, err)) {
        return false;
    }
    *options = (TrainerOptions){.batch = settings->batch,
                                .accumulate = settings->accumulate,
                                .optimizer = {.kind = (OptimizerKind)optimizer,
                                              .lr = (float)settings->lr,
                                              .beta1 = (float)settings->beta1,
                                              .beta2 = (float)settings->beta2,
                                              .eps = (float)settings->eps,
                                              .decay = (float)settings->decay,
                                              .clip = (float)settings->clip},
                                .schedule = {.kind = (ScheduleKind)schedule,
                                             .n_warmup = settings->warmup,
                                             .n_steps = settings->steps,
                                             .d_model = d_model},
                                .seed = (uint64_t)settings->seed,
                                .eval_batches = settings->eval_batches};
    return true;
}

bool train_settings_source(const TrainSettings *settings, TextSource *source, Error *err) {
    *source = (TextSource){.path = settings->data,
                           .separator = settings->separator,
                           .paragraphs = settings->paragraphs == 1,
                           .field = settings->field,
                           .may_interrupt = true};
    return text_source_choose(source, "--format", settings->format, err);
}
