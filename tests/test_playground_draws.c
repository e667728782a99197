// test_playground_draws.c - a lesson's model decodes what `attend generate` writes.
#include "tests/support.h"
#include "tests/support_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/playground/playground.h"

enum { N_TOKENS = 24, COMMAND_BYTES = 1024 };

// The new ids of `attend generate`, as text.
static void generate(const char *model, const char *prompt, const SamplingConfig *sampling,
                     char *text, size_t size) {
    char command[COMMAND_BYTES];
    char cuts[96] = ""; // a greedy choice takes none
    if (!sampling_is_greedy(sampling)) {
        snprintf(cuts, sizeof cuts, "--top-k %d --top-p %.17g", sampling->top_k, sampling->top_p);
    }
    snprintf(command, sizeof command,
             "./%s generate --model %s --prompt-ids %s --tokens %d --seed %llu --temperature %.17g "
             "%s --ids --only-new 2>/dev/null",
             getenv("PROGRAM") != NULL ? getenv("PROGRAM") : "attend", model, prompt, N_TOKENS,
             (unsigned long long)sampling->seed, sampling->temperature, cuts);
    FILE *pipe = popen(command, "r"); // NOLINT(cert-env33-c): the program itself, as people run it
    assert_non_null(pipe);
    size_t n = fread(text, 1, size - 1, pipe);
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    assert_int_equal(pclose(pipe), 0);
}

static void decode(const char *model, const char *prompt, const SamplingConfig *sampling,
                   char *text, size_t size) {
    Playground playground = {.opened = NULL};
    Error err = {""};
    char line[COMMAND_BYTES];
    snprintf(line, sizeof line, "%s --ids \"%s\" --seed %llu", model, prompt,
             (unsigned long long)sampling->seed);
    support_require(playground_open(&playground, line, &err), &err);
    support_require(playground_sample(&playground, sampling, &err), &err);
    size_t length = 0;
    for (int i = 0; i < N_TOKENS; i++) {
        int32_t token = -1;
        support_require(playground_decode(&playground, 0, &token, &err), &err);
        if (token < 0) {
            break;
        }
        assert_true(length + 16 < size);
        length += (size_t)snprintf(text + length, size - length, "%s%d", i > 0 ? "," : "", token);
    }
    playground_close(&playground);
}

static void the_same_seed_gives_the_same_tokens(void **state) {
    (void)state;
    static const struct {
        const char *model, *prompt;
    } MODELS[] = {{"gpt2-tiny", "1,5,4"}, {"story-single-small", "1,20,30,40"}};
    for (int i = 0; i < 8; i++) {
        SamplingConfig sampling = sampling_defaults();
        sampling.seed = (uint64_t)i + 1;
        sampling.temperature = i == 0 ? 0.0 : 0.5 * i;
        sampling.top_k = i % 3 == 1 ? 20 : 0;
        sampling.top_p = i % 2 == 0 ? 1.0 : 0.8;
        char of_lesson[COMMAND_BYTES] = "";
        char of_program[COMMAND_BYTES] = "";
        decode(MODELS[i % 2].model, MODELS[i % 2].prompt, &sampling, of_lesson, sizeof of_lesson);
        generate(MODELS[i % 2].model, MODELS[i % 2].prompt, &sampling, of_program,
                 sizeof of_program);
        assert_string_equal(of_lesson, of_program);
    }
}

// Each decoded token keeps what it was drawn from: number p - 2 at position p, with the settings
// of that moment.
static void every_draw_is_kept_as_it_was_made(void **state) {
    (void)state;
    Playground playground = {.opened = NULL};
    Error err = {""};
    SamplingConfig hot = sampling_defaults();
    hot.temperature = 3.0;
    support_require(playground_open(&playground, "gpt2-tiny --ids \"1,5,4\" --seed 3", &err), &err);
    support_require(playground_sample(&playground, &hot, &err), &err);
    assert_int_equal(playground.sampling.seed, 3);
    assert_int_equal(playground_next_draw(&playground), -1);
    for (int i = 0; i < 4; i++) {
        int32_t token = -1;
        hot.temperature = 3.0 - 0.5 * i;
        hot.top_k = 10 * i;
        support_require(playground_sample(&playground, &hot, &err), &err);
        support_require(playground_decode(&playground, 0, &token, &err), &err);
        assert_int_equal(playground_next_draw(&playground), i + 1);
        assert_int_equal(playground.text.draws->position, 2 + i);
    }
    support_require(playground_sample(&playground,
                                      &(SamplingConfig){.top_p = 1.0, .repetition_penalty = 1.0},
                                      &err),
                    &err);
    const Node *logits = playground.opened->built.nodes.logits;
    support_require(stepper_require(&playground.stepper, logits, &err), &err);
    int V = shape_width(&logits->shape);
    for (int position = 2; position < 6; position++) {
        const SamplingDraw *draw = sampling_find_draw(playground.text.draws, position);
        assert_non_null(draw);
        Sampler again;
        support_require(sampler_init(&again, &draw->made.config, V, &err), &err);
        int32_t token = sampler_draw(&again, support_numbers(logits) + (size_t)position * (size_t)V,
                                     NULL, 0, (uint64_t)(position - 2), SAMPLING_SHOWN);
        assert_int_equal(token, playground.opened->batch.tokens[position + 1]);
        assert_int_equal(token, draw->made.candidates[draw->made.chosen].id);
        assert_true(draw->made.config.temperature == 4.0 - 0.5 * position);
        assert_true(draw->made.u == again.u);
        for (int i = 0; i < draw->made.n_candidates && i < SAMPLING_SHOWN; i++) {
            const SamplingCandidate *made = &draw->made.candidates[i];
            assert_float_equal(made->logit, again.candidates[i].logit, 1e-5F);
            assert_float_equal((float)made->share, (float)again.candidates[i].share, 1e-5F);
        }
        sampler_free(&again);
    }
    support_require(playground_end_decode(&playground, &err), &err);
    assert_int_equal(playground_next_draw(&playground), -1);
    assert_null(playground.text.draws);
    support_require(playground_undo(&playground, &err), &err);
    assert_int_equal(playground_next_draw(&playground), 4);
    support_require(playground_undo(&playground, &err), &err);
    assert_int_equal(playground.text.draws->position, 4);
    playground_close(&playground);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_tokens),
        cmocka_unit_test(every_draw_is_kept_as_it_was_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
