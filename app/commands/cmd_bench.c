// cmd_bench.c - `attend bench`: what is fast, measured on this machine, beside what it is compared
// with.
#include <getopt.h>
#include <string.h>

#include "app/app.h"
#include "app/bench/bench.h"
#include "app/output.h"
#include "engine/devices/device.h"

static const Bench BENCHES[] = {
    {"toy", bench_toy, "training steps of the copy toy, one core"},
    {"tape", bench_tape, "building and allocating a tape"},
    {"trace", bench_trace, "`attend trace` of the toy, whole process"},
    {"heatmap", bench_heatmap, "12 × 12 heads of 64 tokens as PNG, whole process"},
    {"train-tiny", bench_train_tiny, "training a GPT of 3 × 48, batch 16 × 64"},
    {"train-10m", bench_train_10m, "training a GPT of 6 × 384, batch 8 × 256"},
    {"train-10m-long", bench_train_10m_long, "the same, batch 1 × 2,048"},
    {"train-124m", bench_train_124m, "training GPT-2, 12 × 768, batch 1 × 256"},
    {"train-124m-wide", bench_train_124m_wide, "the same, batch 4 × 256"},
    {"generate-tiny", bench_generate_tiny, "one text of a GPT of 3 × 48, float32, bf16 and int8"},
    {"generate-10m", bench_generate_10m, "the same, 6 × 384"},
    {"generate-124m", bench_generate_124m, "the same, GPT-2's size"},
    {"tokenizer", bench_tokenizer, "SentencePiece training and encoding of 20 MB"},
};

enum { N_BENCHES = sizeof BENCHES / sizeof BENCHES[0] };

static void print_help(void) {
    output_text("usage: attend bench [NAME...] [OPTION...]\n"
                "\n"
                "  --format F           text or json\n"
                "  --device D           what computes: cpu, cuda, or auto: a GPU if there is one;\n"
                "                       the tokenizer is always measured on the CPU\n"
                "\n");
    for (int i = 0; i < N_BENCHES; i++) {
        output_print("  %-16s %s\n", BENCHES[i].name, BENCHES[i].summary);
    }
}

static const Bench *find_bench(const char *name) {
    for (int i = 0; i < N_BENCHES; i++) {
        if (strcmp(BENCHES[i].name, name) == 0) {
            return &BENCHES[i];
        }
    }
    return NULL;
}

// Whether it can be had; that "auto" is the CPU here is said once.
static bool choose_device(const char **name, Error *err) {
    Error notice = {""};
    Device *device = device_open(*name, 1, &notice, err);
    device_close(device);
    if (error_is_set(&notice)) {
        output_say("attend: %s", notice.text);
        *name = "cpu";
    }
    return device != NULL;
}

static bool check_names(char **names, int n_names, Error *err) {
    for (int i = 0; i < n_names; i++) {
        if (find_bench(names[i]) == NULL) {
            return error_set(err, "\"%s\": no such measurement; `attend bench --help` lists them",
                             names[i]);
        }
    }
    return true;
}

static int run_benches(char **names, int n_names, BenchReport *report) {
    output_text(report->format == BENCH_JSON ? "[" : "");
    for (int i = 0; i < N_BENCHES; i++) {
        bool is_wanted = n_names == 0;
        for (int k = 0; k < n_names; k++) {
            is_wanted = is_wanted || strcmp(names[k], BENCHES[i].name) == 0;
        }
        if (is_wanted) {
            BENCHES[i].run(report);
        }
    }
    output_text(report->format == BENCH_JSON ? "\n]\n" : "");
    return error_is_set(&report->err) ? app_failed("bench", &report->err) : APP_OK;
}

int app_bench(int argc, char **argv) {
    static const struct option LONG_OPTIONS[] = {{"format", required_argument, NULL, 'f'},
                                                 {"device", required_argument, NULL, 'd'},
                                                 {"help", no_argument, NULL, 'h'},
                                                 {NULL, 0, NULL, 0}};
    BenchReport report = {.format = BENCH_TEXT};
    Error err = {""};
    for (;;) {
        int option = app_option(argc, argv, "h", LONG_OPTIONS);
        if (option == -1) {
            break;
        }
        if (option == 'h') {
            print_help();
            return APP_OK;
        }
        if (option == '?') {
            return app_usage("bench");
        }
        if (option == 'd') {
            report.device = optarg;
            if (!device_check_name(optarg, &err)) {
                return app_wrong("bench", &err);
            }
            continue;
        }
        report.format = strcmp(optarg, "json") == 0 ? BENCH_JSON : BENCH_TEXT;
        if (report.format == BENCH_TEXT && strcmp(optarg, "text") != 0) {
            error_set(&err, "--format: expected text or json, found \"%s\"", optarg);
            return app_wrong("bench", &err);
        }
    }
    if (!check_names(argv + optind, argc - optind, &err)) {
        return app_wrong("bench", &err);
    }
    if (!choose_device(&report.device, &err)) {
        return app_failed("bench", &err);
    }
    return run_benches(argv + optind, argc - optind, &report);
}
