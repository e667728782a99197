// train_group.h - finds out whether this process was started as one of several.
#ifndef APP_TRAIN_TRAIN_GROUP_H
#define APP_TRAIN_TRAIN_GROUP_H

#include "engine/training/group.h"

// What the plugin attend-mpi.so exports under this name. Fills *group; called once.
#define TRAIN_GROUP_SYMBOL "attend_group_open"
typedef bool (*TrainGroupOpen)(Group *group, Error *err);

// The processes of mpirun or srun, by the plugin; *is_group false where the environment shows no
// launcher. Refuses to train alone where several were asked for.
bool train_group_open(Group *group, bool *is_group, Error *err);

#endif
