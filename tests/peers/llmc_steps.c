// llmc_steps.c - times training steps of llm.c, whose train_gpt2.c is included from its own folder:
// prints the milliseconds of the fastest. usage: llmc_steps CHECKPOINT.bin B T STEPS
#define TESTING // leaves out its main
#include <train_gpt2.c>

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: %s CHECKPOINT.bin B T STEPS\n", argv[0]);
        return 2;
    }
    const int B = atoi(argv[2]);
    const int T = atoi(argv[3]);
    GPT2 model;
    gpt2_build_from_checkpoint(&model, argv[1]);
    const size_t n = (size_t)B * T;
    int *tokens = malloc((n + 1) * sizeof *tokens);
    for (size_t i = 0; i <= n; i++) {
        tokens[i] = (int)(3 + i * 7 % (size_t)(model.config.vocab_size - 3));
    }
    double fastest = 1e30;
    for (int step = 1; step <= atoi(argv[4]); step++) {
        const double start = now_ms();
        gpt2_forward(&model, tokens, tokens + 1, B, T);
        gpt2_zero_grad(&model);
        gpt2_backward(&model);
        gpt2_update(&model, 1e-4F, 0.9F, 0.999F, 1e-8F, 0.0F, step);
        const double passed = now_ms() - start;
        fastest = passed < fastest ? passed : fastest;
    }
    fprintf(stderr, "loss %g\n", model.mean_loss);
    printf("\n%f\n", fastest);
    gpt2_free(&model);
    free(tokens);
    return 0;
}
