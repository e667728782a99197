// test_screen_model.c - the learning screen says what model is open: in a sentence and on the map.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "tests/support_learn.h"

static const char *const MODELS[] = {
    "toy-copy --ids \"1,5,4\"",         "toy-copy --ids \"1,5,4\" --untrained --seed 3",
    "gpt2-tiny --ids \"1,5,4\"",        "story-single-small --ids \"1,20,30\"",
    "seq2seq-additive --ids \"1,5,4\"", "story-parallel-small --ids \"1,20,30\"",
};
enum { N_MODELS = sizeof MODELS / sizeof MODELS[0] };

static Learn *open_model(const char *line, Language language) {
    char state[256];
    snprintf(state, sizeof state, "|open %s", line);
    Learn *learn = support_learn_open(&(LearnOptions){.state = state, .language = language});
    support_learn_finish(learn);
    return learn;
}

static void assert_says(const char *said, const char *part, const char *what) {
    if (strstr(said, part) == NULL) {
        fail_msg("%s: \"%s\" is not in: %s", what, part, said);
    }
}

static void a_model_says_what_it_is(void **state) {
    (void)state;
    for (int i = 0; i < N_MODELS; i++) {
        for (int language = 0; language < LANGUAGE_COUNT; language++) {
            Learn *learn = open_model(MODELS[i], (Language)language);
            const NamedModel *named = &learn->bench.playground.opened->named;
            char number[64];
            learn_execute_line(learn, "model");
            assert_false(learn->reply.is_bad);
            assert_says(learn->reply.text, named->name, MODELS[i]);
            assert_says(learn->reply.text, config_family_name(named->model.config.family),
                        MODELS[i]);
            snprintf(number, sizeof number, "%zu ", params_count(&named->model.params));
            assert_says(learn->reply.text, number, MODELS[i]);
            snprintf(number, sizeof number, "%s %d", text_of((Language)language, TEXT_LAYERS),
                     named->model.config.n_layers);
            assert_says(learn->reply.text, number, MODELS[i]);
            snprintf(number, sizeof number, "%llu", (unsigned long long)named->model.seed);
            assert_says(learn->reply.text, named->is_trained ? named->weights : number, MODELS[i]);
            learn_execute_line(learn, "train 3");
            support_learn_finish(learn);
            learn_execute_line(learn, "model");
            char trained[REPLY_BYTES];
            text_fill(trained, sizeof trained, text_of((Language)language, TEXT_MODEL_SINCE), "3",
                      NULL);
            assert_says(learn->reply.text, trained, MODELS[i]);
            support_learn_close(learn);
        }
    }
}

// At every size the map has the number, or says that it shows only a part.
static void the_map_counts_the_parameters(void **state) {
    (void)state;
    static const int SIZES[][2] = {{80, 24}, {100, 30}, {140, 40}, {200, 60}};
    for (int i = 0; i < N_MODELS; i++) {
        Learn *learn = open_model(MODELS[i], LANGUAGE_EN);
        char number[64];
        learn_execute_line(learn, "view map");
        learn->reply.text[0] = '\0';
        snprintf(number, sizeof number, "%zu parameters",
                 params_count(&learn->bench.playground.opened->named.model.params));
        for (size_t k = 0; k < sizeof SIZES / sizeof SIZES[0]; k++) {
            char *screen = support_learn_text(learn, SIZES[k][0], SIZES[k][1]);
            bool is_said = strstr(screen, "only a part is shown") != NULL && SIZES[k][1] < 24;
            assert_says(screen, is_said ? "map" : number, MODELS[i]);
            free(screen);
        }
        support_learn_close(learn);
    }
}

int main(void) {
    setenv("ATTEND_ASSETS", ".", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_says_what_it_is),
        cmocka_unit_test(the_map_counts_the_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
