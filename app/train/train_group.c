// train_group.c - finds out whether this process was started as one of several.
#include "app/train/train_group.h"

#include <stdlib.h>
#include <string.h>

#include "engine/files/plugin.h"

static int number_of(const char *variable) {
    const char *text = getenv(variable);
    return text == NULL ? 0 : (int)strtol(text, NULL, 10);
}

static bool has_launcher(void) {
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMIX_RANK") != NULL;
}

bool train_group_open(Group *group, bool *is_group, Error *err) {
    *group = (Group){.size = 1};
    *is_group = false;
    int n_asked = number_of("OMPI_COMM_WORLD_SIZE");
    int n_tasks = number_of("SLURM_NTASKS");
    if (!has_launcher() && n_tasks <= 1) {
        return true;
    }
    // Slurm's own start without PMIx makes every task a run of one: they would overwrite each
    // other's files.
    if (!has_launcher()) {
        return error_set(err,
                         "SLURM_NTASKS is %d but this process was started alone: expected `srun "
                         "--mpi=pmix attend train ...` or `mpirun attend train ...`",
                         n_tasks);
    }
    const void *symbol = plugin_open("mpi", TRAIN_GROUP_SYMBOL, err);
    if (symbol == NULL) {
        return n_asked == 1 && n_tasks <= 1;
    }
    TrainGroupOpen open_group = NULL;
    memcpy(&open_group, &symbol, sizeof open_group); // ISO C has no cast from data to function
    if (!open_group(group, err)) {
        return false;
    }
    if (group->size == 1 && n_asked != 1 && n_tasks > 1) {
        group->close(group);
        return error_set(err,
                         "SLURM_NTASKS is %d but MPI sees one process: expected `srun --mpi=pmix`",
                         n_tasks);
    }
    *is_group = group->size > 1;
    if (!*is_group) {
        group->close(group);
    }
    return true;
}
