// train_signals.h - signals that a run answers: at once while it opens, then after its step.
#ifndef APP_TRAIN_TRAIN_SIGNALS_H
#define APP_TRAIN_TRAIN_SIGNALS_H

#include <stdbool.h>

// From now on SIGTERM, SIGINT, SIGHUP (unless it was ignored, as nohup does) and SIGXCPU, a limit
// on the processor's time, ask to stop and SIGUSR1 to save; a second SIGINT ends the process at
// once. They interrupt reads, so that a run that waits for a pipe can be stopped.
void train_signals_catch(void);

// The run has begun: reads and writes go on after a signal.
void train_signals_restart_calls(void);

// Those that ask to stop, 0 to N_STOPPING_SIGNALS - 1; the first that came to any process counts.
enum { N_STOPPING_SIGNALS = 4 };
int train_signals_stopping(int i);

// They end the process by default again: all that is left is to say why it ends.
void train_signals_release(void);

// What the first SIGINT says at once, on a line of standard error; NULL: nothing. The text has to
// last.
void train_signals_tell(const char *sentence);

// The signal that asks to stop, 0: none.
int train_signals_stop(void);

// Whether SIGUSR1 came since the last call.
bool train_signals_take_save(void);

#endif
