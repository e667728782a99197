// train_watch.h - looks at a run by its folder, live or afterwards, alone or beside another.
#ifndef APP_WATCH_TRAIN_WATCH_H
#define APP_WATCH_TRAIN_WATCH_H

#include "app/terminal/terminal.h"
#include "app/watch/train_follow.h"
#include "app/train/train_settings.h"
#include "views/screen/view_watch.h"

enum { WATCH_RUNS = 2 };

// What is looked at and how.
typedef struct TrainWatch {
    TrainFollow follows[WATCH_RUNS];
    TrainCurves curves[WATCH_RUNS]; // what the view was given last
    bool more[WATCH_RUNS];          // of its log is to be read
    int n_runs;
    bool has_other; // the second run shows
    int64_t window; // the last so many steps; 0: the whole run
    ChartScale scale;
    Language language;
    TerminalOptions terminal;
} TrainWatch;

// ---- train_watch_open.c
// --watch: on a terminal the screen, until a person leaves it; else one picture as text. The exit
// status; APP_USAGE with a sentence where an option is wrong.
int train_watch(const TrainCommand *command, Error *err);

// ---- train_watch.c
// Reads of all runs for about budget_ms, and looks at their folders. True: something is new.
bool train_watch_read(TrainWatch *watch, double budget_ms);
bool train_watch_has_more(const TrainWatch *watch);
bool train_watch_is_live(const TrainWatch *watch);

// For a canvas of that width. Its pointers hold until the next call.
ViewWatch train_watch_view(TrainWatch *watch, int width);

// The next smaller (step 1) or larger (-1) number of last steps to show: 1, 2 or 5 times a power of
// ten.
void train_watch_zoom(TrainWatch *watch, int step);

// ---- train_watch_screen.c
int train_watch_screen(TrainWatch *watch, Error *err);

#endif
