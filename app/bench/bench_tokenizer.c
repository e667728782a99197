// bench_tokenizer.c - how fast SentencePiece's kind is trained and encodes, beside spm_train and
// spm_encode.
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/bench/bench.h"
#include "engine/base/buffer.h"
#include "engine/base/clock.h"

enum { TEXT_BYTES = 20000000, N_WORDS = 60000, WORD_BYTES = 14, N_ROUNDS = 3, PATH_BYTES = 300 };
static const double MEGA = 1e6;

// Files of a measurement, in a folder of its own.
typedef struct BenchFiles {
    char folder[PATH_BYTES / 2];
    char text[PATH_BYTES], model[PATH_BYTES], prefix[PATH_BYTES + 16], theirs[PATH_BYTES + 16];
} BenchFiles;

static uint32_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*seed >> 33);
}

// Words whose frequency falls with their rank, as in languages (Zipf 1935); letters as uneven as in
// English.
static void make_text(Buffer *text) {
    static const char LETTERS[] =
        "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrr"
        "ddddllllccuummmwwffggyyppbbvkjxqz";
    uint64_t seed = 1;
    char(*words)[WORD_BYTES] = memory_resize(NULL, N_WORDS * sizeof *words);
    for (int i = 0; i < N_WORDS; i++) {
        const size_t length = 1 + next_random(&seed) % 5 + next_random(&seed) % (i < 200 ? 2 : 7);
        for (size_t k = 0; k < length; k++) {
            words[i][k] = LETTERS[next_random(&seed) % (sizeof LETTERS - 1)];
        }
        words[i][length] = '\0';
    }
    while (text->length < TEXT_BYTES) {
        // Uniform in the logarithm of the rank.
        uint32_t rank = 1U << next_random(&seed) % 16;
        rank += next_random(&seed) % rank;
        buffer_append_text(text, words[rank % N_WORDS]);
        buffer_append_text(text, next_random(&seed) % 16 == 0 ? ".\n" : " ");
    }
    free(words);
}

// One run of a program found by PATH, "" for this one; its standard output and error are thrown
// away. Seconds, or below 0 where it failed; *peak_bytes its largest memory.
static double run_program(const char *const *arguments, double *peak_bytes) {
    enum { MOST_ARGUMENTS = 32 };
    char *argv[MOST_ARGUMENTS] = {NULL}; // posix_spawn's array is not const
    for (int i = 0; i + 1 < MOST_ARGUMENTS && arguments[i] != NULL; i++) {
        memcpy(&argv[i], &arguments[i], sizeof argv[i]);
    }
    const char *program = strcmp(arguments[0], "attend") == 0 ? "/proc/self/exe" : arguments[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    int status = -1;
    struct rusage usage = {0};
    const double start = clock_seconds();
    const bool ran = posix_spawnp(&child, program, &actions, NULL, argv, environ) == 0 &&
                     wait4(child, &status, 0, &usage) == child;
    const double time = clock_seconds() - start;
    posix_spawn_file_actions_destroy(&actions);
    *peak_bytes = 1024.0 * (double)usage.ru_maxrss;
    return ran && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? time : -1.0;
}

static double run_fastest(const char *const *arguments, int n_rounds, double *peak_bytes) {
    double fastest = run_program(arguments, peak_bytes);
    for (int i = 1; i < n_rounds && fastest >= 0.0; i++) {
        const double time = run_program(arguments, peak_bytes);
        fastest = time < fastest ? time : fastest;
    }
    return fastest;
}

static void record_speed(BenchReport *report, const char *name, double ours_s, double theirs_s,
                         const char *theirs) {
    if (ours_s < 0.0) {
        error_set(&report->err, "%s: the program failed", name);
        return;
    }
    const BenchRecord record = {.name = name,
                                .value = TEXT_BYTES / MEGA / ours_s,
                                .unit = "MB/s",
                                .compared_to = theirs_s > 0.0 ? theirs : NULL,
                                .compared = theirs_s > 0.0 ? TEXT_BYTES / MEGA / theirs_s : 0.0};
    bench_record(report, &record);
}

static void measure(BenchReport *report, const BenchFiles *files) {
    double ours_bytes = 0.0;
    double other_bytes = 0.0;
    const char *const train[] = {"attend", "tokenizer",  "train",        "--data", files->text,
                                 "-o",     files->model, "--vocab-size", "8000",   NULL};
    const char *const their_train[] = {"spm_train",   "--model_type=bpe", "--vocab_size=8000",
                                       files->theirs, files->prefix,      NULL};
    const double train_s = run_fastest(train, N_ROUNDS, &ours_bytes);
    record_speed(report, "tokenizer: training, 20 MB, 8,000 pieces", train_s,
                 run_fastest(their_train, 1, &other_bytes), "spm_train");
    const BenchRecord memory = {.name = "tokenizer: training, memory by text",
                                .value = ours_bytes / TEXT_BYTES,
                                .unit = "×",
                                .compared_to = "at most",
                                .compared = 12.0};
    bench_record(report, &memory);
    char model[PATH_BYTES + 16];
    snprintf(model, sizeof model, "--model=%s", files->model);
    const char *const encode[] = {"attend", "tokenize", "-t",        files->model, "--format",
                                  "ids",    "--input",  files->text, NULL};
    const char *const their_encode[] = {"spm_encode", model, "--output_format=id", files->text,
                                        NULL};
    const double encode_s = run_fastest(encode, N_ROUNDS, &ours_bytes);
    record_speed(report, "tokenizer: encoding, ids printed", encode_s,
                 run_fastest(their_encode, 1, &other_bytes), "spm_encode");
}

void bench_tokenizer(BenchReport *report) {
    BenchFiles files;
    const char *temporary = getenv("TMPDIR");
    snprintf(files.folder, sizeof files.folder, "%s/attend-XXXXXX",
             temporary != NULL && strlen(temporary) < PATH_BYTES / 4 ? temporary : "/tmp");
    if (mkdtemp(files.folder) == NULL) {
        error_set(&report->err, "%s: no folder could be made there", files.folder);
        return;
    }
    snprintf(files.text, sizeof files.text, "%s/text", files.folder);
    snprintf(files.model, sizeof files.model, "%s/ours.model", files.folder);
    snprintf(files.prefix, sizeof files.prefix, "--model_prefix=%s/theirs", files.folder);
    snprintf(files.theirs, sizeof files.theirs, "--input=%s", files.text);
    Buffer text = {0};
    make_text(&text);
    if (buffer_save(&text, files.text, &report->err)) {
        measure(report, &files);
    }
    buffer_free(&text);
    static const char *const MADE[] = {"text", "ours.model", "theirs.model", "theirs.vocab"};
    for (size_t i = 0; i < sizeof MADE / sizeof MADE[0]; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", files.folder, MADE[i]);
        unlink(path);
    }
    rmdir(files.folder);
}
