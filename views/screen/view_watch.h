// view_watch.h - a run of training on disk: loss and held-out loss, gradient norm, learning rate,
// how far it is, what it last said; two runs compared.
#ifndef VIEWS_SCREEN_VIEW_WATCH_H
#define VIEWS_SCREEN_VIEW_WATCH_H

#include "views/screen/view_chart.h"
#include "views/sentences.h"

typedef enum WatchState {
    WATCH_RUNNING,
    WATCH_FINISHED, // all its steps are done
    WATCH_STOPPED,  // they are not, and nobody trains in its folder
    WATCH_IDLE,     // nobody trains there, and how many steps there were to be is not known
} WatchState;

// Texts and numbers are borrowed. What is not known: NaN, 0, NULL.
typedef struct WatchRun {
    const char *name; // its folder
    WatchState state;
    int64_t step, n_steps; // step 0: none is done yet
    double loss, held_out, best, norm, rate, tokens_per_second, matrix_share, seconds_left;
    int64_t best_step, checkpoint;
    const char *sample;
    int64_t sample_step;
    int64_t n_broken, first_broken; // lines of its log
    double part_read;               // of its log; 1: all
    // n values of each curve, value i of the `stride` steps from first + i * stride on: the mean
    // loss, the mean held-out loss, the largest norm, the last rate.
    const float *losses, *held_outs, *norms, *rates;
    int n;
    int64_t first, stride;
} WatchRun;

typedef struct ViewWatch {
    WatchRun run;
    bool has_other;
    WatchRun other;         // to be compared with
    double other_loss_here; // of the other at the step where run is
    int64_t from, to;       // steps that the charts show
    int64_t window;         // the last so many are asked for; 0: the whole run
    ChartScale scale;       // of the loss
    Language language;
} ViewWatch;

// How many values of a curve are worth having on a canvas of that width.
int view_watch_values(int width);

// The whole canvas. Draws the same whenever it is called with the same.
void view_watch_draw(const ViewWatch *watch, Canvas *canvas);

// How the curves and marks of the loss are told apart, in the chart and where their values stand.
typedef enum WatchSignId {
    WATCH_SIGN_LOSS,
    WATCH_SIGN_HELD_OUT,
    WATCH_SIGN_OTHER_LOSS,
    WATCH_SIGN_OTHER_HELD_OUT,
} WatchSignId;
typedef struct WatchSign {
    const char *text;
    Style style;
} WatchSign;

// ---- view_watch_facts.c

WatchSign view_watch_sign(WatchSignId id, bool ascii);

// What is to be read beside the charts: a line each; gives the lines drawn.
int view_watch_draw_facts(const ViewWatch *watch, Canvas *canvas);
// The same in few lines, as much as fits, for a narrow canvas.
void view_watch_draw_short_facts(const ViewWatch *watch, Canvas *canvas);
// What is to be known of a run in words, from line y on; gives the line after it.
int view_watch_draw_sentences(const ViewWatch *watch, const WatchRun *run, Canvas *canvas, int y);
void view_watch_draw_header(const ViewWatch *watch, Canvas *canvas);

#endif
