// bench_kernels.c - how fast the kernels are, beside OpenBLAS in the same run. Built by hand:
// make build/tests/bench_kernels && build/tests/bench_kernels
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/cpu.h"
#include "tests/kernel_support.h"

// Of this thread where BENCH_CLOCK=cpu: on a busy machine, with one thread, the fairer clock.
static double seconds(void) {
    static int clock_kind = -1;
    if (clock_kind < 0) {
        clock_kind = getenv("BENCH_CLOCK") != NULL;
    }
    struct timespec now;
    clock_gettime(clock_kind != 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef void Sgemm(int order, int transpose_a, int transpose_b, int M, int N, int K, float alpha,
                   const float *a, int stride_a, const float *b, int stride_b, float beta, float *y,
                   int stride_y);
typedef void SetThreads(int n_threads);

typedef struct Bench {
    Device *device;
    Sgemm *sgemm;
    SetThreads *set_threads;
    float *a, *b, *y, *z;
} Bench;

enum { FLOATS = 60 << 20 };

// The least time of one call, over about `budget` seconds; best starts at a large number.
#define MEASURE(best, budget, call)                                                                \
    do {                                                                                           \
        double spent_ = 0;                                                                         \
        for (int run_ = 0; run_ < 2 || spent_ < (budget); run_++) {                                \
            const double start_ = seconds();                                                       \
            call;                                                                                  \
            const double took_ = seconds() - start_;                                               \
            spent_ += took_;                                                                       \
            best = took_ < best ? took_ : best;                                                    \
        }                                                                                          \
    } while (0)

typedef struct Times {
    double ours, theirs, theirs_alone;
} Times;

static void sgemm(Bench *bench, const Product *p) {
    bench->sgemm(101, p->transpose_a ? 112 : 111, p->transpose_b ? 112 : 111, p->M, p->N, p->K, 1,
                 bench->a, p->stride_a, bench->b, p->stride_b, 0, bench->z, p->N);
}

static void bench_product(Bench *bench, const char *label, int M, int N, int K, bool transpose_a,
                          bool transpose_b) {
    const Product p = {.M = M,
                       .N = N,
                       .K = K,
                       .transpose_a = transpose_a,
                       .transpose_b = transpose_b,
                       .stride_a = transpose_a ? M : K,
                       .stride_b = transpose_b ? K : N,
                       .stride_y = N,
                       .outer = 1,
                       .inner = 1,
                       .scale = 1};
    const double work = 2.0 * M * N * K * 1e-9;
    Times t = {1e9, 1e9, 1e9};
    const double start = seconds();
    // In turns, so that what else the machine does meets all of them.
    for (int run = 0; run < 3 || seconds() - start < 0.3; run++) {
        MEASURE(t.ours, 0,
                bench->device->backend->product(bench->device, &p, kernel_array(bench->y),
                                                kernel_array(bench->a), kernel_array(bench->b),
                                                array_none()));
        if (bench->sgemm != NULL) {
            bench->set_threads(cpu_threads(bench->device));
            MEASURE(t.theirs, 0, sgemm(bench, &p));
            bench->set_threads(1);
            MEASURE(t.theirs_alone, 0, sgemm(bench, &p));
        }
    }
    const double ours = t.ours;
    const double theirs = t.theirs;
    const double theirs_alone = t.theirs_alone;
    float worst = 0;
    for (size_t i = 0; i < (size_t)M * N; i++) {
        const float difference = bench->y[i] - bench->z[i];
        worst = difference > worst ? difference : -difference > worst ? -difference : worst;
    }
    printf("%-22s %5d x %5d x %5d %c%c  ours %7.1f  blas %7.1f  alone %7.1f GFLOP/s "
           "%5.2f  %5.2f  "
           "%8.1f us %6.1f GB/s  diff %.1e\n",
           label, M, N, K, transpose_a ? 'T' : 'n', transpose_b ? 'T' : 'n', work / ours,
           work / theirs, work / theirs_alone, theirs / ours, theirs_alone / ours, ours * 1e6,
           4e-9 * ((double)N * K) / ours, (double)worst);
}

static void bench_products(Bench *bench) {
    static const int WIDE[][3] = {{2048, 1152, 384}, {2048, 384, 384},  {2048, 1536, 384},
                                  {2048, 384, 1536}, {2048, 4096, 384}, {256, 2304, 768},
                                  {256, 3072, 768},  {256, 768, 3072},  {1024, 3072, 768},
                                  {256, 50257, 768}, {1024, 144, 48},   {1024, 192, 48},
                                  {1024, 48, 192},   {1024, 48, 48},    {1024, 256, 48}};
    for (size_t i = 0; i < sizeof WIDE / sizeof WIDE[0]; i++) {
        const int *s = WIDE[i];
        bench_product(bench, "forward", s[0], s[1], s[2], false, false);
        if (s[1] * s[2] < 30000000) {
            bench_product(bench, "dx", s[0], s[2], s[1], false, true);
            bench_product(bench, "dw", s[2], s[1], s[0], true, false);
        }
    }
    bench_product(bench, "tied logits", 256, 50257, 768, false, true);
    bench_product(bench, "tied logits", 2048, 4096, 384, false, true);
    static const int THIN[][2] = {{144, 48},   {48, 192},   {192, 48},   {1152, 384}, {1536, 384},
                                  {384, 1536}, {2304, 768}, {768, 3072}, {50257, 768}};
    for (size_t i = 0; i < sizeof THIN / sizeof THIN[0]; i++) {
        bench_product(bench, "one row", 1, THIN[i][0], THIN[i][1], false, false);
        bench_product(bench, "one row, transposed", 1, THIN[i][0], THIN[i][1], false, true);
    }
}

static void bench_tiny(Bench *bench) {
    static const int SIZES[][3] = {{6, 8, 8}, {6, 32, 8}, {6, 8, 32}, {8, 8, 6}, {32, 8, 6}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        for (int layout = 0; layout < 3; layout++) {
            const int M = SIZES[i][0];
            const int N = SIZES[i][1];
            const int K = SIZES[i][2];
            const Product p = {.M = M,
                               .N = N,
                               .K = K,
                               .transpose_a = layout == 1,
                               .transpose_b = layout == 2,
                               .stride_a = layout == 1 ? M : K,
                               .stride_b = layout == 2 ? K : N,
                               .stride_y = N,
                               .outer = 1,
                               .inner = 1,
                               .scale = 1};
            double best = 1e9;
            MEASURE(
                best, 0.05, for (int r = 0; r < 1000; r++) {
                    bench->device->backend->product(bench->device, &p, kernel_array(bench->y),
                                                    kernel_array(bench->a), kernel_array(bench->b),
                                                    kernel_array(bench->b));
                });
            printf("tiny %d x %d x %d %-12s %6.1f ns\n", M, N, K,
                   layout == 0   ? ""
                   : layout == 1 ? "a transposed"
                                 : "b transposed",
                   best * 1e6);
        }
    }
}

static void report_rows(const char *name, double best, double elements, double useful_bytes) {
    printf("%-28s %9.1f us  %6.3f ns an element  %6.1f GB/s\n", name, best * 1e6,
           best * 1e9 / elements, useful_bytes * elements / best * 1e-9);
}

static void bench_rows(Bench *bench, int rows, int C) {
    Device *d = bench->device;
    const double n = (double)rows * C;
    double best = 1e9;
    printf("rows %d of %d\n", rows, C);
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->gelu(d, kernel_array(bench->y), kernel_array(bench->a), (size_t)rows * C));
    report_rows("gelu", best, n, 8);
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->gelu_grad(d, kernel_array(bench->y), kernel_array(bench->b),
                                  kernel_array(bench->a), (size_t)rows * C));
    report_rows("gelu_grad", best, n, 12);
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->add(d, kernel_array(bench->y), kernel_array(bench->b),
                            kernel_array(bench->a), (size_t)rows * C, (size_t)rows * C));
    report_rows("add", best, n, 12);
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->layer_norm(d, kernel_array(bench->y), kernel_array(bench->z),
                                   kernel_array(bench->a), kernel_array(bench->b),
                                   kernel_array(bench->b), rows, C, 1e-5F, NORM_STANDARD));
    report_rows("layer_norm", best, n, 8);
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->layer_norm_grad(d, kernel_array(bench->y), kernel_array(bench->b),
                                        kernel_array(bench->a), kernel_array(bench->b),
                                        kernel_array(bench->z), rows, C, 1e-5F, NORM_STANDARD));
    report_rows("layer_norm_grad", best, n, 12);
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->layer_norm_weight_grad(d, kernel_array(bench->y), kernel_array(bench->b),
                                               kernel_array(bench->a), kernel_array(bench->z), rows,
                                               C));
    report_rows("layer_norm_weight_grad", best, n, 8);
}

static void bench_scores(Bench *bench, int rows, int C) {
    Device *d = bench->device;
    const double n = (double)rows * C;
    double best = 1e9;
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->sum_rows(d, kernel_array(bench->y), kernel_array(bench->b), rows, C));
    report_rows("sum_rows", best, n, 4);
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->softmax(d, kernel_array(bench->y), kernel_array(bench->a), rows, C));
    report_rows("softmax", best, n, 8);
    best = 1e9;
    const StepBlock now = {.drops = 1};
    const Dropout dropout = {.probability = 0.1F, .item_size = (size_t)rows / 2 * (size_t)C};
    MEASURE(best, 0.1,
            d->backend->dropout(d, kernel_array(bench->y), kernel_array(bench->a),
                                2 * dropout.item_size, dropout, &now));
    report_rows("dropout", best, n, 8);
    int32_t *labels = calloc((size_t)rows, sizeof *labels);
    const LossShape shape = {.rows = rows, .V = C, .pad_id = -1};
    float loss = 0;
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->cross_entropy(d, kernel_array(&loss), kernel_array(bench->z),
                                      kernel_array(bench->a), kernel_ids(labels), shape));
    report_rows("cross_entropy", best, n, 4);
    best = 1e9;
    MEASURE(best, 0.1,
            d->backend->cross_entropy_grad(d, kernel_array(bench->y), kernel_array(&loss),
                                           kernel_array(bench->a), kernel_array(bench->z),
                                           kernel_ids(labels), shape));
    report_rows("cross_entropy_grad", best, n, 8);
    free(labels);
}

static void bench_both(Bench *bench, int rows, int C) {
    bench_rows(bench, rows, C);
    bench_scores(bench, rows, C);
}

static void bench_updates(Bench *bench, size_t n) {
    const AdamStep step = {.beta1 = 0.9F, .beta2 = 0.999F, .eps = 1e-8F, .decay = 0.1F};
    const StepBlock now = {.lr = 1e-3F, .correction1 = 0.5F, .correction2 = 0.5F, .drops = 1};
    double best = 1e9;
    float *w = bench->a;
    float *m = w + n;
    float *v = m + n;
    memset(v, 0, n * sizeof *v);
    best = 1e9;
    MEASURE(best, 0.3,
            bench->device->backend->adamw(bench->device, kernel_array(w), kernel_array(m),
                                          kernel_array(v), kernel_array(w), kernel_array(m),
                                          kernel_array(v), kernel_array(bench->b), n, step, &now,
                                          array_none()));
    printf("adamw of %zu: %.3f ns a parameter\n", n, best * 1e9 / (double)n);
    double sum = 0;
    best = 1e9;
    MEASURE(
        best, 0.3,
        bench->device->backend->square_sum(bench->device, &sum, kernel_array(bench->b), n, false));
    printf("square_sum of %zu: %.3f ns an element, %.1f GB/s (%g)\n", n, best * 1e9 / (double)n,
           4e-9 * (double)n / best, sum);
}

static void bench_attention(Bench *bench, int B, int T, int H, int D) {
    const int C = H * D;
    const AttentionShape shape = {.B = B,
                                  .T = T,
                                  .S = T,
                                  .H = H,
                                  .D = D,
                                  .stride_q = 3 * C,
                                  .stride_k = 3 * C,
                                  .stride_v = 3 * C,
                                  .stride_y = C,
                                  .scale = 0.125F,
                                  .mask = {.causal = true}};
    const double work = 4.0 * B * H * D * (T * (T + 1) / 2.0) * 1e-9;
    float *dqkv = bench->b;
    float *lse = bench->z;
    double best = 1e9;
    best = 1e9;
    MEASURE(best, 0.2,
            bench->device->backend->attention(
                bench->device, kernel_array(bench->y), kernel_array(lse), kernel_array(bench->a),
                kernel_array(bench->a + C), kernel_array(bench->a + 2 * C), shape));
    printf("attention %2d x %4d, %2d heads of %2d: forward %8.1f us %6.1f useful GFLOP/s", B, T, H,
           D, best * 1e6, work / best);
    best = 1e9;
    MEASURE(best, 0.2,
            bench->device->backend->attention_grad(
                bench->device, kernel_array(dqkv), kernel_array(dqkv + C),
                kernel_array(dqkv + 2 * C), kernel_array(bench->y), kernel_array(bench->a),
                kernel_array(bench->a + C), kernel_array(bench->a + 2 * C), kernel_array(bench->y),
                kernel_array(lse), shape));
    printf("  backward %8.1f us %6.1f\n", best * 1e6, 2.5 * work / best);
}

static float *floats(void) {
    float *x = malloc((size_t)FLOATS * sizeof *x);
    for (size_t i = 0; i < FLOATS; i++) {
        x[i] = (float)((i * 7919) % 1013) / 1013.0F - 0.5F;
    }
    return x;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    Bench bench = {.device = cpu_open(argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0),
                   .a = floats(),
                   .b = floats(),
                   .y = floats(),
                   .z = floats()};
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
        *(void **)&bench.sgemm = dlsym(library, "cblas_sgemm");
        *(void **)&bench.set_threads = dlsym(library, "openblas_set_num_threads");
    }
    const char *what = argc > 1 ? argv[1] : "all";
    const bool all = strcmp(what, "all") == 0;
    printf("%d threads, %s\n", cpu_threads(bench.device), cpu_instruction_set(bench.device));
    if (all || strcmp(what, "tiny") == 0) {
        bench_tiny(&bench);
    }
    if (all || strcmp(what, "products") == 0) {
        bench_products(&bench);
    }
    if (all || strcmp(what, "rows") == 0) {
        bench_both(&bench, 2048, 384);
        bench_both(&bench, 1024, 48);
        bench_both(&bench, 256, 50257);
        bench_both(&bench, 6, 8);
    }
    if (all || strcmp(what, "updates") == 0) {
        bench_updates(&bench, 3000);
        bench_updates(&bench, 10 << 20);
    }
    if (all || strcmp(what, "attention") == 0) {
        bench_attention(&bench, 16, 64, 3, 16);
        bench_attention(&bench, 8, 256, 6, 64);
        bench_attention(&bench, 1, 2048, 6, 64);
        bench_attention(&bench, 4, 256, 12, 64);
    }
    cpu_close(bench.device);
    return 0;
}
