// accuracy.h - how often the largest logit is that of the label.
#ifndef ENGINE_MODELS_ACCURACY_H
#define ENGINE_MODELS_ACCURACY_H

#include "engine/models/model.h"

// Of a tape that ran; *n gets how many labels there are, padding left out. 0 where there are none.
int accuracy_count_right(const Tape *tape, const ModelNodes *nodes, int pad_id, int *n);

#endif
