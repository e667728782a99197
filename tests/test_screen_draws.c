// test_screen_draws.c - a token that was drawn shows as it was drawn, whatever is set afterwards.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_learn.h"
#include "views/canvas_text.h"

enum { WIDTH = 160, HEIGHT = 50, STATE_BYTES = 512 };

static char *draw_place(const char *state, Language language) {
    const LearnOptions options = {.state = state, .language = language};
    Canvas canvas = {0};
    Error err = {""};
    char *text = NULL;
    size_t length = 0;
    support_require(canvas_init(&canvas, WIDTH, HEIGHT, &err), &err);
    support_require(learn_draw_place(&options, &canvas, &err), &err);
    support_require(canvas_to_text(&canvas, &text, &length, &err), &err);
    canvas_free(&canvas);
    return text;
}

// From that text on.
static void cut_before(char *text, const char *start) {
    char *from = strstr(text, start);
    if (from == NULL) {
        fail_msg("\"%s\" does not show:\n%s", start, text);
        return;
    }
    memmove(text, from, strlen(from) + 1);
}

// The heading of a table, its first lines, and the one that says how the token was chosen: between
// them there are as many lines as there is room for.
static void cut_table(char *text, const char *heading, const char *end) {
    enum { LINES = 9 };
    cut_before(text, heading);
    size_t length = 0;
    for (int i = 0; i < LINES; i++) {
        length += strcspn(text + length, "\n") + 1;
    }
    char *last = strstr(text, end);
    assert_non_null(last);
    size_t rest = strcspn(last, "\n");
    memmove(text + length, last, rest);
    text[length + rest] = '\0';
}

static const char *const MODELS[] = {"toy-copy --ids \"1,5,4\" --seed 1",
                                     "gpt2-tiny --ids \"1,5,4\" --seed 3"};
enum { N_MODELS = sizeof MODELS / sizeof MODELS[0] };

// Each of them draws another token, or from another table.
static const char *const SETTINGS[] = {
    "temperature 0", "temperature 3", "temperature 30", "top-k 1", "top-p 0.05", "smoothing 0.2",
    "residual off",  "positions off", "scale off",      "heads 1", "decode",     "mask off"};
enum { N_SETTINGS = sizeof SETTINGS / sizeof SETTINGS[0] };

static void check_setting(const char *model, const char *before, const char *setting,
                          Language language) {
    static const char *const HEADINGS[] = {"Chosen as the token after", "之后选定了："};
    static const char *const DRAWN[] = {"falls into", "落在"};
    static const char *const GREEDY[] = {"greedy takes", "贪心取"};
    bool is_greedy = strstr(before, "temperature 0") != NULL;
    const char *end = is_greedy ? GREEDY[language] : DRAWN[language];
    char state[STATE_BYTES];
    snprintf(state, sizeof state, "|zoom on|open %s|%s|decode", model, before);
    char *made = draw_place(state, language);
    int position = strstr(model, "gpt2") != NULL ? 2 : 0;
    snprintf(state, sizeof state,
             "|zoom on|open %s|%s|decode|%s|go logits|cell logits[0,%d,0]|view "
             "predictions",
             model, before, setting, position);
    char *after = draw_place(state, language);
    cut_table(made, HEADINGS[language], end);
    cut_table(after, HEADINGS[language], end);
    if (strcmp(made, after) != 0) {
        fail_msg("%s, %s, then %s:\n%s\nbecame\n%s", model, before, setting, made, after);
    }
    free(made);
    free(after);
}

static void a_drawn_token_shows_as_it_was_drawn(void **state) {
    (void)state;
    for (int i = 0; i < N_SETTINGS; i++) {
        for (int model = 0; model < N_MODELS; model++) {
            Language language = i % 2 == 0 ? LANGUAGE_EN : LANGUAGE_ZH;
            check_setting(MODELS[model], "temperature 4", SETTINGS[i], language);
            check_setting(MODELS[model], "temperature 0", SETTINGS[i], language);
        }
    }
}

// Apart from it stands what would come next, and that is what comes.
static void what_would_come_next_comes(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++) {
        for (int hot = 0; hot < 4; hot++) {
            char place[STATE_BYTES];
            char drawn[2 * STATE_BYTES];
            snprintf(place, sizeof place,
                     "|zoom on|open %s|temperature 5|decode|temperature %d|go logits",
                     MODELS[model], hot * hot);
            snprintf(drawn, sizeof drawn, "%s|cell logits[0,%d,0]|view predictions", place,
                     model == 0 ? 0 : 2);
            char *before = draw_place(drawn, LANGUAGE_EN);
            snprintf(drawn, sizeof drawn, "%s|decode|view predictions", place);
            char *after = draw_place(drawn, LANGUAGE_EN);
            cut_before(before, "Next, after position");
            cut_before(after, "Chosen as the token after position");
            const char *token = strstr(before, ": ") + 2;
            char chosen[64];
            snprintf(chosen, sizeof chosen, "▸ %.*s ", (int)strcspn(token, ","), token);
            if (strstr(after, chosen) == NULL) {
                fail_msg("%s\nbut then, without \"%s\":\n%s", before, chosen, after);
            }
            free(before);
            free(after);
        }
    }
}

// ---- padding

// Its logit is the greatest by far: it is left out all the same, greedily, by a draw and by a beam,
// and each of them says so in the same words.
static void padding_is_never_chosen_and_each_view_says_so(void **state) {
    (void)state;
    static const char *const SENTENCES[] = {"<pad> is padding: it is never chosen",
                                            "<pad> 是填充，不会被选中"};
    static const char *const WAYS[] = {"temperature 0|decode", "temperature 2|decode",
                                       "temperature 2|top-k 3|decode|decode",
                                       "temperature 9|top-p 0.5|decode|temperature 1", "beam 2"};
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++) {
        for (int language = 0; language < LANGUAGE_COUNT; language++) {
            char place[STATE_BYTES];
            snprintf(place, sizeof place, "|zoom on|open %s|cell generator.bias[0]|edit 99|%s",
                     MODELS[0], WAYS[i]);
            char *text = draw_place(place, (Language)language);
            if (strstr(text, SENTENCES[language]) == NULL || strstr(text, "▸ <pad>") != NULL ||
                strstr(text, "* <pad>") != NULL) {
                fail_msg("%s:\n%s", place, text);
            }
            free(text);
        }
    }
}

// ---- the state leads back to each draw

static void check_state(const char *place) {
    Learn *first = support_learn_open(&(LearnOptions){.state = place});
    char *line = learn_state(first);
    assert_non_null(line);
    Learn *second = support_learn_open(&(LearnOptions){.state = line});
    const Playground *was = &first->bench.playground;
    const Playground *is = &second->bench.playground;
    int n = was->opened->batch.shape.T;
    assert_int_equal(is->opened->batch.shape.T, n);
    assert_memory_equal(is->opened->batch.tokens, was->opened->batch.tokens,
                        (size_t)n * sizeof(int32_t));
    assert_true(is->sampling.temperature == was->sampling.temperature);
    assert_true(is->sampling.top_p == was->sampling.top_p);
    assert_int_equal(is->sampling.top_k, was->sampling.top_k);
    const SamplingDraw *draw = is->text.draws;
    for (const SamplingDraw *made = was->text.draws; made != NULL; made = made->earlier) {
        assert_non_null(draw);
        assert_int_equal(draw->position, made->position);
        assert_true(draw->made.config.temperature == made->made.config.temperature);
        assert_true(draw->made.u == made->made.u);
        draw = draw->earlier;
    }
    assert_null(draw);
    free(line);
    support_learn_close(first);
    support_learn_close(second);
}

static void a_state_leads_back_to_every_draw(void **state) {
    (void)state;
    static const char *const DONE[] = {
        "temperature 1.3",
        "decode",
        "temperature 3|decode|temperature 30|top-k 4|decode",
        "temperature 3|top-p 0.7|decode|temperature 0|top-p 1|decode",
        "top-k 3|temperature 9|decode|undo|temperature 2|decode",
    };
    for (size_t i = 0; i < sizeof DONE / sizeof DONE[0]; i++) {
        for (int model = 0; model < N_MODELS; model++) {
            char place[STATE_BYTES];
            snprintf(place, sizeof place, "|open %s|%s", MODELS[model], DONE[i]);
            check_state(place);
        }
    }
    check_state(
        "|open toy-copy --ids \"1,5,4;1,3,6\" --seed 1|go logits|cell logits[1,0,0]|decode");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drawn_token_shows_as_it_was_drawn),
        cmocka_unit_test(what_would_come_next_comes),
        cmocka_unit_test(padding_is_never_chosen_and_each_view_says_so),
        cmocka_unit_test(a_state_leads_back_to_every_draw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
