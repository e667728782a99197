// train_group.h - one of several processes: finding the others, and failing together.
#ifndef APP_TRAIN_TRAIN_GROUP_H
#define APP_TRAIN_TRAIN_GROUP_H

#include <stdint.h>

#include "engine/training/group.h"

// What the plugin attend-mpi.so exports under this name. Fills *group; called once.
#define TRAIN_GROUP_SYMBOL "attend_group_open"
typedef bool (*TrainGroupOpen)(Group *group, Error *err);

// The processes of mpirun or srun, by the plugin; size 1, and nothing to close, where the
// environment shows no launcher. Refuses to train alone where several were asked for; where all are
// refused alike, the first alone has a sentence.
bool train_group_open(Group *group, Error *err);

// Called by every process at the same places: true where all got so far. Else all leave, and err
// has a sentence in one process alone, the first of those that failed. A group of one: ok.
bool train_group_agree(Group *group, bool ok, Error *err);

// Whether this process has the first one's number; every process of several calls this.
bool train_group_has_same(Group *group, uint32_t number, bool *is_same, Error *err);

#endif
