// train_watch.c - looks at a run by its folder, live or afterwards, alone or beside another.
#include "app/watch/train_watch.h"

#include <string.h>

enum { LEAST_WINDOW = 10, WORTH_SAYING_BYTES = 4 << 20 };

// ---- reading

bool train_watch_has_more(const TrainWatch *watch) {
    return watch->more[0] || watch->more[1];
}

bool train_watch_is_live(const TrainWatch *watch) {
    return watch->follows[0].is_live || watch->follows[1].is_live;
}

bool train_watch_read(TrainWatch *watch, double budget_ms) {
    bool is_new = false;
    for (int i = 0; i < watch->n_runs; i++) {
        bool changed = false;
        bool is_other = train_follow_look(&watch->follows[i]);
        watch->more[i] = train_follow_read(&watch->follows[i], budget_ms / watch->n_runs, &changed);
        is_new = is_new || changed || is_other;
    }
    return is_new;
}

// ---- what the view is told

static WatchState state_of(const TrainFollow *follow) {
    const TrainLogEntry *last = &follow->last;
    if (follow->is_live) {
        return WATCH_RUNNING;
    }
    if (last->n_steps == 0) {
        return WATCH_IDLE;
    }
    return last->step >= last->n_steps ? WATCH_FINISHED : WATCH_STOPPED;
}

static WatchRun run_of(const TrainWatch *watch, int i) {
    const TrainFollow *follow = &watch->follows[i];
    const TrainLogEntry *last = &follow->last;
    const TrainCurves *curves = &watch->curves[i];
    // What a fast run writes meanwhile is not worth a word.
    bool is_whole = !watch->more[i] || follow->size - follow->taken < WORTH_SAYING_BYTES;
    return (WatchRun){
        .name = follow->folder,
        .state = state_of(follow),
        .step = last->step,
        .n_steps = last->n_steps,
        .loss = last->loss,
        .held_out = last->held_out_loss,
        .best = follow->best,
        .norm = last->norm,
        .rate = last->lr,
        .tokens_per_second = last->tokens_per_second,
        .matrix_share = last->matrix_share,
        .seconds_left = train_follow_seconds_left(follow),
        .best_step = follow->best_step,
        .checkpoint = follow->checkpoint,
        .sample = follow->sample,
        .sample_step = follow->sample_step,
        .n_broken = follow->n_broken,
        .first_broken = follow->first_broken,
        .part_read = is_whole ? 1.0 : (double)follow->taken / (double)follow->size,
        .losses = curves->losses,
        .held_outs = curves->held_out,
        .norms = curves->norms,
        .rates = curves->rates,
        .n = curves->n,
        .first = curves->first,
        .stride = curves->stride,
    };
}

ViewWatch train_watch_view(TrainWatch *watch, int width) {
    int64_t step = watch->follows[0].last.step;
    int64_t other_step = watch->has_other ? watch->follows[1].last.step : 0;
    bool is_part = watch->window > 0 && watch->window < step;
    ViewWatch view = {.has_other = watch->has_other,
                      .from = is_part ? step - watch->window + 1 : 1,
                      .to = is_part || step > other_step ? step : other_step,
                      .window = is_part ? watch->window : 0,
                      .scale = watch->scale,
                      .language = watch->language};
    for (int i = 0; i < watch->n_runs; i++) {
        train_history_read(&watch->follows[i].history, view.from, view.to, view_watch_values(width),
                           &watch->curves[i]);
    }
    view.run = run_of(watch, 0);
    if (watch->has_other) {
        view.other = run_of(watch, 1);
        view.other_loss_here = train_history_loss_at(&watch->follows[1].history, step);
    }
    return view;
}

void train_watch_zoom(TrainWatch *watch, int step) {
    int64_t all = watch->follows[0].last.step;
    int64_t now = watch->window > 0 && watch->window < all ? watch->window : all;
    int64_t chosen = 0;
    for (int64_t power = LEAST_WINDOW; power < all; power *= 10) {
        for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            int64_t window = digit * power;
            bool is_larger_found = step < 0 && chosen > 0;
            bool fits = step > 0 ? window < now : window > now && !is_larger_found;
            chosen = fits && window < all ? window : chosen;
        }
    }
    // Nothing smaller: it stays; nothing larger: the whole run.
    watch->window = chosen > 0 || step < 0 ? chosen : watch->window;
}
