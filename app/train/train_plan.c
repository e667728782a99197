// train_plan.c - what a run will hold, before it is begun.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/train/train_run.h"
#include "app/output.h"

// What a run keeps beside its numbers, as measured (docs/performance.md).
enum {
    MAPPED_BYTES = 21 * 1024 * 1024, // of shards, at most: 16 MiB, the one that goes over, held out
    MADE_PAIR_BYTES = 40,            // ids in a shard, its item and its place
    RUN_BYTES = 600 * 1024,          // what of the program a run brings into memory, and its lists
    TEXT_BYTES = 1600 * 1024,        // of code and tables to tokenize a text
    LEARN_BYTES = 1600 * 1024,       // of a tokenizer that is still to be learned
};

static const double SHORT_SECONDS = 0.02;

// A line of /proc/self/status, which counts this program alone: getrusage's peak may be that of the
// process that started it. 0 where there is none.
static size_t status_bytes(const char *name) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[128] = "";
    size_t kilobytes = 0;
    while (file != NULL && kilobytes == 0 && fgets(line, sizeof line, file) != NULL) {
        bool is_it = strncmp(line, name, strlen(name)) == 0;
        kilobytes = is_it ? strtoul(line + strlen(name), NULL, 10) : 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return kilobytes * 1024;
}

size_t train_plan_resident_bytes(void) {
    return status_bytes("VmRSS:");
}

size_t train_plan_peak_bytes(void) {
    return status_bytes("VmHWM:");
}

static size_t data_bytes(const TrainRun *run) {
    struct stat about;
    if (run->source.made != NULL) {
        return (size_t)run->source.n_made * MADE_PAIR_BYTES;
    }
    if (run->setup.settings.data == NULL || stat(run->setup.settings.data, &about) != 0) {
        return 0;
    }
    double tokens = (double)about.st_size / dataset_bytes_a_token(run->setup.config.vocab_size);
    return (size_t)fmin(2.0 * tokens, MAPPED_BYTES); // bytes an id
}

static void print_bytes(const char *what, size_t bytes) {
    output_print("%-22s %12zu bytes %9.1f MiB\n", what, bytes, (double)bytes / 1048576.0);
}

// What the process will bring in beside the numbers of the model. A run that lasts measures the
// machine's speed, whose product needs memory of its own.
static size_t brought_bytes(const TrainRun *run, double flops) {
    size_t before = train_plan_resident_bytes();
    double machine_flops = train_progress_machine_flops(run->device);
    size_t scratch = train_plan_resident_bytes() - before;
    bool lasts = flops > SHORT_SECONDS * machine_flops;
    size_t text = run->source.made != NULL       ? 0
                  : run->tokenizer.n_pieces == 0 ? TEXT_BYTES + LEARN_BYTES
                                                 : TEXT_BYTES;
    return RUN_BYTES + text + (lasts ? scratch + TRAIN_PROGRESS_PRODUCT_BYTES : 0);
}

// Dropout of attention weights needs them stored, (B,H,T,S) in every layer, where the fused
// attention keeps none of them: what of the tape goes with it.
static void print_attention_weights(const TrainRun *run, BatchShape shape,
                                    const TrainerMemory *memory) {
    ModelConfig config = run->setup.config;
    TrainerMemory fused;
    size_t n_parameters = 0;
    double flops = 0.0;
    if (config.attention_dropout <= 0.0F) {
        return;
    }
    config.attention_dropout = 0.0F;
    if (trainer_plan_memory(&config, &run->options, shape, &fused, &n_parameters, &flops, NULL) &&
        memory->tape > fused.tape) {
        print_bytes("  attention weights", memory->tape - fused.tape);
        output_print("  (stored, as attention weights are dropped too; \"attn_pdrop\": 0 in "
                     "config.json keeps none)\n");
    }
}

bool train_plan_print(TrainRun *run, Error *err) {
    int n_processes = run->group.size;
    bool has_source = config_has_two_sides(&run->setup.config);
    BatchShape shape = {.B = run->setup.settings.batch / n_processes,
                        .T = run->setup.settings.length,
                        .S = has_source ? run->setup.settings.length : 0};
    TrainerMemory memory;
    size_t n_parameters = 0;
    double flops = 0.0;
    size_t resident = train_plan_resident_bytes();
    if (!trainer_plan_memory(&run->setup.config, &run->options, shape, &memory, &n_parameters,
                             &flops, err)) {
        return false;
    }
    if (!train_run_speaks(run)) {
        return true;
    }
    size_t program = resident + brought_bytes(run, flops * (double)run->setup.settings.steps);
    size_t data = data_bytes(run);
    double tokens = (double)run->setup.settings.batch * run->setup.settings.accumulate *
                    (double)(shape.T + shape.S);
    output_print("%-22s %12zu\n", "parameters", n_parameters);
    print_bytes("weights", memory.parameters);
    print_bytes("optimizer", memory.optimizer);
    print_bytes("gradients", memory.gradients);
    print_bytes("tape", memory.tape);
    print_attention_weights(run, shape, &memory);
    print_bytes("batch", memory.batch);
    print_bytes("data, mapped", data);
    print_bytes("program", program);
    print_bytes("peak of a process", memory.total + data + program);
    output_print("%-22s %12.0f\n", "tokens a step", tokens);
    double all_flops = flops * run->setup.settings.accumulate * (double)n_processes;
    output_print("%-22s %12.4g\n", "flops a step", all_flops);
    return true;
}
