// snapshots.h - weights kept on the way of a training; training.h has what others ask of them.
#ifndef ENGINE_PLAYGROUND_SNAPSHOTS_H
#define ENGINE_PLAYGROUND_SNAPSHOTS_H

#include "engine/playground/training.h"

// After a step, or before the first one. Keeps the weights where the step is one of those to keep.
void snapshots_take(Training *training, const Params *params);

// Puts the weights of the end of the run back into the model.
void snapshots_show_newest(Training *training, OpenModel *opened);

void snapshots_forget(Training *training);

#endif
