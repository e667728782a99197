// train_group.c - one of several processes: finding the others, and failing together.
#include "app/train/train_group.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/files/plugin.h"

static int number_of(const char *variable) {
    const char *text = getenv(variable);
    return text == NULL ? 0 : (int)strtol(text, NULL, 10);
}

// mpirun's variable, or that of every launcher that speaks PMIx, srun --mpi=pmix among them.
static bool has_launcher(void) {
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMIX_RANK") != NULL;
}

// Launchers that Open MPI cannot use: each process would be a run of one, and they would overwrite
// each other's files.
static bool refuse_alone(Error *err) {
    static const char *const COUNTS[][2] = {{"SLURM_NTASKS", "SLURM_PROCID"},
                                            {"PMI_SIZE", "PMI_RANK"}};
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        int n_asked = number_of(COUNTS[i][0]);
        if (n_asked <= 1) {
            continue;
        }
        error_set(err,
                  "%s is %d but this process was started alone: expected `srun --mpi=pmix attend "
                  "train ...` or `mpirun attend train ...`",
                  COUNTS[i][0], n_asked);
        if (number_of(COUNTS[i][1]) > 0) {
            *err = (Error){""};
        }
        return false;
    }
    return true;
}

static TrainGroupOpen find_plugin(Error *err) {
    const void *symbol = plugin_open("mpi", TRAIN_GROUP_SYMBOL, err);
    TrainGroupOpen open_group = NULL;
    memcpy(&open_group, &symbol, sizeof open_group); // ISO C has no cast from data to function
    if (symbol == NULL && (number_of("OMPI_COMM_WORLD_RANK") > 0 || number_of("PMIX_RANK") > 0)) {
        sleep(1); // mpirun ends all when one ends: the first is to speak before that
    }
    return open_group;
}

bool train_group_open(Group *group, Error *err) {
    *group = (Group){.size = 1};
    if (!has_launcher()) {
        return refuse_alone(err);
    }
    int n_asked = number_of("OMPI_COMM_WORLD_SIZE");
    n_asked = n_asked > 0 ? n_asked : number_of("SLURM_NTASKS");
    if (n_asked == 1) {
        return true;
    }
    TrainGroupOpen open_group = find_plugin(err);
    if (open_group == NULL || !open_group(group, err)) {
        return false;
    }
    if (group->size > 1) {
        return true;
    }
    group->close(group);
    return n_asked == 0 ||
           error_set(err,
                     "%d processes were asked for but MPI sees one: expected `srun --mpi=pmix` or "
                     "the mpirun of Open MPI",
                     n_asked);
}

bool train_group_agree(Group *group, bool ok, Error *err) {
    int first_failed = group->size;
    if (group->size == 1) {
        return ok;
    }
    if (!group->first(group, !ok, &first_failed, err)) {
        return false;
    }
    if (first_failed != group->rank) {
        *err = (Error){""};
    }
    return first_failed == group->size;
}

bool train_group_has_same(Group *group, uint32_t number, bool *is_same, Error *err) {
    double first = group->rank == 0 ? (double)number : 0.0;
    bool ok = group->sum_doubles(group, &first, 1, err);
    *is_same = first == (double)number;
    return ok;
}
