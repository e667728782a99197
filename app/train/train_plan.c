// train_plan.c - what a run will hold, before it is begun.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/train/train_run.h"
#include "kernels/cpu.h"

enum {
    MAPPED_BYTES = 16 * 1024 * 1024,       // of shards, at most
    CODE_BYTES = 1024 * 1024,              // what of the program a run brings into memory
    TOKENIZER_BYTES = 3 * 1024 * 1024 / 2, // of one that is still to be learned
};

static const double SHORT_SECONDS = 0.02;

size_t train_plan_resident_bytes(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    char line[128] = "";
    if (file == NULL) {
        return 0;
    }
    const char *found = fgets(line, sizeof line, file);
    fclose(file);
    const char *second = found == NULL ? NULL : strchr(line, ' '); // the first is the whole size
    return second == NULL ? 0 : strtoul(second, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

size_t train_plan_peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

static size_t data_bytes(const TrainRun *run) {
    struct stat about;
    if (run->settings.data == NULL || stat(run->settings.data, &about) != 0) {
        return 0;
    }
    size_t ids = (size_t)about.st_size / 2; // about four bytes a token, two bytes an id
    return ids < MAPPED_BYTES ? ids : MAPPED_BYTES;
}

static void print_bytes(const char *what, size_t bytes) {
    printf("%-22s %12zu bytes %9.1f MiB\n", what, bytes, (double)bytes / 1048576.0);
}

// What is there beside the numbers of the model. A run that lasts brings more of the program into
// memory, what the device keeps for itself, and the product that measures the machine's speed.
static size_t program_bytes(const TrainRun *run, double flops) {
    size_t now = train_plan_resident_bytes();
    double machine_flops = train_progress_machine_flops(&CPU_BACKEND, run->device);
    bool is_short = flops < SHORT_SECONDS * machine_flops;
    size_t tokenizer = run->tokenizer.n_pieces == 0 ? TOKENIZER_BYTES : 0;
    return is_short ? now + CODE_BYTES / 2 + tokenizer
                    : train_plan_resident_bytes() + TRAIN_PROGRESS_PRODUCT_BYTES + CODE_BYTES +
                          tokenizer;
}

bool train_plan_print(TrainRun *run, Error *err) {
    int n_processes = run->group.size;
    bool has_source = config_has_two_sides(&run->config);
    BatchShape shape = {.B = run->settings.batch / n_processes,
                        .T = run->settings.length,
                        .S = has_source ? run->settings.length : 0};
    TrainerMemory memory;
    size_t n_parameters = 0;
    double flops = 0.0;
    if (shape.B * n_processes != run->settings.batch) {
        return error_set(err, "a batch of %d sequences cannot be split among %d processes",
                         run->settings.batch, n_processes);
    }
    if (!trainer_plan_memory(&run->config, &run->options, shape, &memory, &n_parameters, &flops,
                             err)) {
        return false;
    }
    if (!train_run_speaks(run)) {
        return true;
    }
    size_t program = program_bytes(run, flops * (double)run->settings.steps);
    size_t data = data_bytes(run);
    double tokens =
        (double)run->settings.batch * run->settings.accumulate * (double)(shape.T + shape.S);
    printf("%-22s %12zu\n", "parameters", n_parameters);
    print_bytes("weights", memory.parameters);
    print_bytes("optimizer", memory.optimizer);
    print_bytes("gradients", memory.gradients);
    print_bytes("tape", memory.tape);
    print_bytes("batch", memory.batch);
    print_bytes("data, mapped", data);
    print_bytes("program", program);
    print_bytes("peak of a process", memory.total + data + program);
    printf("%-22s %12.0f\n", "tokens a step", tokens);
    double all_flops = flops * run->settings.accumulate * (double)n_processes;
    printf("%-22s %12.4g\n", "flops a step", all_flops);
    return true;
}
