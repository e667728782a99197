// test_chinese.c - the screen in Chinese shows no English sentence: at every stop of every lesson,
// in several views, in the help, in what commands say.
#include "tests/support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/learn/learn.h"
#include "app/learn/lesson_files.h"
#include "engine/base/file.h"
#include "views/canvas_text.h"

// Wide enough that the state string and the tables are whole.
enum { WIDTH = 140, HEIGHT = 60, MOST_VIEWS = 6, ENGLISH_WORDS = 3 };

// Words that stand side by side without being a sentence: tokens of the examples, names of stages
// and of commands' arguments in the help.
static const char *const ALLOWED[] = {
    "pad",  "cat",  "run",   "dog",     "sleep",  "eat",    "the",   "sat",   "on",     "mat",
    "he",   "runs", "ran",   "running", "runner", "sun",    "PgUp",  "PgDn",  "Ctrl",   "Shift",
    "Tab",  "Home", "End",   "Left",    "Right",  "Up",     "Down",  "Enter", "Esc",    "Space",
    "Alt",  "toy",  "copy",  "ids",     "seed",   "attend", "learn", "BTC",   "tensor", "BHTS",
    "bird", "fish", "horse", "sing",    "jump",   "He",     "his",
};

// A word of the model's own list, with what stands behind it there: "glaubt,".
static bool is_of_model(const OpenModel *opened, const char *word, size_t length) {
    bool has_words = opened != NULL && opened->named.tokenizer.kind == TOKENIZER_WORDS;
    for (int32_t i = 0; has_words && i < opened->named.tokenizer.n_pieces; i++) {
        char own[64];
        model_input_token(opened, i, own, sizeof own);
        if (strncmp(own, word, length) == 0 && !isalpha((unsigned char)own[length])) {
            return true;
        }
    }
    return false;
}

// A word of the text that the model reads.
static bool is_of_text(const OpenModel *opened, const char *word, size_t length) {
    const Node *tokens = opened == NULL ? NULL : opened->built.nodes.tokens;
    size_t count = tokens == NULL ? 0 : shape_count(&tokens->shape);
    for (size_t i = 0; i < count; i++) {
        char own[64];
        model_input_token(opened, tape_ids(&opened->built.tape, tokens)[i], own, sizeof own);
        const char *letters = own;
        while (*letters != '\0' && !isalpha((unsigned char)*letters)) {
            letters++; // the mark of a space before it
        }
        if (strncmp(letters, word, length) == 0 && letters[length] == '\0') {
            return true;
        }
    }
    return false;
}

static bool is_allowed(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof ALLOWED / sizeof ALLOWED[0]; i++) {
        if (strlen(ALLOWED[i]) == length && strncmp(word, ALLOWED[i], length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_word(char c) {
    return isalpha((unsigned char)c) || c == '\'';
}

// The length of a run of words with one space between at `at`, as long as a sentence; else 0.
static size_t english_at(const char *at, const OpenModel *opened) {
    int n_words = 0;
    int n_unknown = 0;
    size_t length = 0;
    while (is_word(at[length])) {
        size_t word = length;
        while (is_word(at[length])) {
            length++;
        }
        bool counts = length - word > 1; // a letter alone is a piece of a text, or of a formula
        n_words += counts;
        n_unknown += counts && !is_allowed(at + word, length - word) &&
                     !is_of_model(opened, at + word, length - word) &&
                     !is_of_text(opened, at + word, length - word);
        if (at[length] != ' ' || !is_word(at[length + 1])) {
            break;
        }
        length++;
    }
    return n_words >= ENGLISH_WORDS && n_unknown > 1 ? length : 0;
}

// Behind a text between quotation marks, which is an example's own; at itself where none begins.
static const char *after_quoted(const char *at) {
    static const char OPEN[] = "“";
    static const char CLOSE[] = "”";
    const char *end = strncmp(at, OPEN, sizeof OPEN - 1) == 0 ? strstr(at, CLOSE) : NULL;
    return end == NULL ? at : end;
}

static void assert_chinese(const char *where, const char *text, const OpenModel *opened) {
    for (const char *at = text; *at != '\0'; at++) {
        at = after_quoted(at);
        bool begins = at == text || !is_word(at[-1]);
        size_t length = begins ? english_at(at, opened) : 0;
        if (length > 0) {
            fail_msg("%s: English on the screen: \"%.*s\"", where, (int)length, at);
        }
    }
}

// Draws the screen and reads the part before the styles.
static void check_screen(Learn *learn, const char *where) {
    Canvas canvas;
    Error err = {""};
    char *text = NULL;
    size_t length = 0;
    support_require(canvas_init(&canvas, WIDTH, HEIGHT, &err), &err);
    screen_draw(&learn->screen, &canvas);
    support_require(canvas_to_frame(&canvas, &text, &length, &err), &err);
    canvas_free(&canvas);
    int n_lines = 0;
    for (char *at = text; *at != '\0'; at++) {
        n_lines += *at == '\n';
        if (n_lines == HEIGHT) {
            at[1] = '\0'; // what follows are letters of styles
        }
    }
    assert_chinese(where, text, learn->bench.playground.opened);
    free(text);
}

static void finish(Learn *learn) {
    for (bool is_busy = true; is_busy || player_has_commands(&learn->player);) {
        learn->pause_ms = 0.0;
        is_busy = learn_work(learn, 50.0);
    }
}

static Learn *open_lesson(const char *lesson) {
    Learn *learn = calloc(1, sizeof *learn);
    assert_non_null(learn);
    const LearnOptions options = {.lesson = lesson, .language = LANGUAGE_ZH};
    Error err = {""};
    support_require(learn_init(learn, &options, &err), &err);
    finish(learn);
    return learn;
}

static void close_lesson(Learn *learn) {
    learn_free(learn);
    free(learn);
}

static void walk(void *context, const char *file) {
    int *n_lessons = context;
    char number[16];
    snprintf(number, sizeof number, "%ld", strtol(file, NULL, 10));
    Learn *learn = open_lesson(number);
    for (int stop = 0; stop < learn->player.lesson.n_stops; stop++) {
        char where[300];
        snprintf(where, sizeof where, "%s, stop %d", file, stop + 1);
        for (int view = 0; view < MOST_VIEWS; view++) {
            check_screen(learn, where);
            learn_execute_line(learn, "view");
        }
        learn_execute_line(learn, "continue");
        finish(learn);
    }
    close_lesson(learn);
    (*n_lessons)++;
}

static void no_stop_of_a_lesson_shows_english(void **state) {
    (void)state;
    int n_lessons = 0;
    lesson_files_list(walk, &n_lessons);
    assert_true(n_lessons >= 5);
}

// What commands say, the help and what can be changed.
static void no_notice_is_english(void **state) {
    (void)state;
    static const char *const LINES[] = {
        "help",           "aside",          "change",        "aside",       "mask off",
        "scale off",      "residual off",   "positions off", "norm pre",    "heads 4",
        "layers 2",       "width 16",       "undo",          "redo",        "reset",
        "seed 3",         "input cat",      "train-step",    "scrub-back",  "compare",
        "decode",         "beam 2",         "temperature 1", "top-k 2",     "top-p 0.5",
        "loss",           "follow",         "return",        "return",      "go nowhere",
        "cell logits[9]", "search nothing", "view nothing",  "layer-next",  "edit 3",
        "heat",           "theme light",    "first",         "back",        "last",
        "next",           "tokens cat run", "answer 9",      "lesson-back", "state",
    };
    Learn *learn = open_lesson("13");
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        learn_execute_line(learn, LINES[i]);
        finish(learn);
        check_screen(learn, LINES[i]);
        assert_chinese(LINES[i], learn->reply.text, NULL);
    }
    close_lesson(learn);
}

static void the_menu_is_not_english(void **state) {
    (void)state;
    Learn *learn = open_lesson(NULL);
    check_screen(learn, "menu");
    close_lesson(learn);
}

int main(void) {
    setenv("ATTEND_ASSETS", ".", 0);
    setenv("XDG_STATE_HOME", "/dev/null/none", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_stop_of_a_lesson_shows_english),
        cmocka_unit_test(no_notice_is_english),
        cmocka_unit_test(the_menu_is_not_english),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
