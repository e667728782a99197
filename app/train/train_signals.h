// train_signals.h - signals that a run answers after its step.
#ifndef APP_TRAIN_TRAIN_SIGNALS_H
#define APP_TRAIN_TRAIN_SIGNALS_H

#include <stdbool.h>

// From now on SIGUSR1 asks to save: after the first step where it comes before that.
void train_signals_catch_save(void);

// From now on SIGINT and SIGTERM ask to stop; a second SIGINT ends at once.
void train_signals_catch_stop(void);

// The signal that asks to stop, 0: none.
int train_signals_stop(void);

// Whether SIGUSR1 came since the last call.
bool train_signals_take_save(void);

#endif
