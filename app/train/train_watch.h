// train_watch.h - looks at a run by its log, live or afterwards.
#ifndef APP_TRAIN_TRAIN_WATCH_H
#define APP_TRAIN_TRAIN_WATCH_H

#include "engine/base/error.h"

// Draws what log.jsonl of the run's folder says as the training view; on a terminal it stays while
// somebody trains in the folder. The exit status.
int train_watch(const char *run, Error *err);

#endif
