// test_lesson_keys.c - keys at the learning screen: each that a lesson names does something where
// it is named, also while a question is open.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/learn/lesson_files.h"
#include "app/terminal/key.h"
#include "engine/base/file.h"
#include "tests/support_learn.h"

enum { WIDTH = 140, HEIGHT = 50, MOST_KEYS = 32 };

static Learn *open_lesson(const char *lesson, Language language) {
    return support_learn_open(&(LearnOptions){.lesson = lesson, .language = language});
}

// ---- the keys that a text names

typedef struct Keys {
    int keys[MOST_KEYS];
    int n;
} Keys;

static void add(Keys *keys, int key) {
    for (int i = 0; i < keys->n; i++) {
        if (keys->keys[i] == key) {
            return;
        }
    }
    assert_true(keys->n < MOST_KEYS);
    keys->keys[keys->n++] = key;
}

// Keys as the prose calls them.
static const struct {
    const char *word;
    int key;
} WORDS[] = {{"Space", KEY_CODE_SPACE},         {"空格", KEY_CODE_SPACE},
             {"Enter", KEY_CODE_ENTER},         {"回车", KEY_CODE_ENTER},
             {"Backspace", KEY_CODE_BACKSPACE}, {"退格", KEY_CODE_BACKSPACE},
             {"arrow keys", KEY_CODE_UP},       {"方向键", KEY_CODE_UP},
             {"arrow keys", KEY_CODE_DOWN},     {"方向键", KEY_CODE_DOWN},
             {"arrow keys", KEY_CODE_LEFT},     {"方向键", KEY_CODE_LEFT},
             {"arrow keys", KEY_CODE_RIGHT},    {"方向键", KEY_CODE_RIGHT}};

static bool key_of_label(int *key, const char *label, size_t length) {
    if (label[0] == '`' && length > 2) {
        return key_find(key, label + 1, length - 2);
    }
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (strlen(WORDS[i].word) == length && strncmp(WORDS[i].word, label, length) == 0) {
            *key = WORDS[i].key;
            return true;
        }
    }
    return false;
}

// [`n`](:next), [Enter](:follow): the key has to be one of that command.
static void add_links(Keys *keys, const char *text, size_t length) {
    for (size_t i = 1; i + 3 < length; i++) {
        size_t start = i;
        if (strncmp(text + i, "](:", 3) != 0 || text[i + 3] == ' ') {
            continue;
        }
        while (start > 0 && text[start - 1] != '[') {
            start--;
        }
        int key = 0;
        bool is_key = key_of_label(&key, text + start, i - start);
        CommandId id = is_key ? command_of_key(key) : COMMAND_COUNT;
        size_t size = strcspn(text + i + 3, ")");
        if (id == COMMAND_COUNT || strlen(COMMANDS[id].name) != size ||
            strncmp(COMMANDS[id].name, text + i + 3, size) != 0) {
            fail_msg("no key of that command: %.30s", text + start);
        }
        add(keys, key);
    }
}

// [Press Enter](: "..."): words that only the screen has.
static void add_words(Keys *keys, const char *text, size_t length) {
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        char end[32];
        snprintf(end, sizeof end, "%s](: ", WORDS[i].word);
        if (memmem(text, length, end, strlen(end)) != NULL) {
            add(keys, WORDS[i].key);
        }
    }
}

static size_t offset_of_line(const FileBytes *file, int line) {
    size_t at = 0;
    for (int n = 1; n < line && at < file->size_bytes; at++) {
        n += file->bytes[at] == '\n';
    }
    return at;
}

static Keys keys_of_stop(const Lesson *lesson, const FileBytes *file, int stop) {
    Keys keys = {.n = 0};
    int end = lesson->stops[stop].end;
    size_t from = offset_of_line(file, lesson->blocks[lesson->stops[stop].first].line);
    size_t to =
        end < lesson->n_blocks ? offset_of_line(file, lesson->blocks[end].line) : file->size_bytes;
    add_links(&keys, (const char *)file->bytes + from, to - from);
    add_words(&keys, (const char *)file->bytes + from, to - from);
    return keys;
}

// ---- each does something

static void assert_key_lives(Learn *learn, int stop, int key, bool is_answered) {
    player_go(&learn->player, stop);
    support_learn_finish(learn);
    if (is_answered && player_is_asking(&learn->player)) {
        learn_answer(learn, "1");
        assert_true(learn->player.question.is_answered);
    }
    learn->reply.text[0] = '\0';
    free(support_learn_frame(learn, WIDTH, HEIGHT)); // a frame lays out what the keys move in
    char *before = support_learn_frame(learn, WIDTH, HEIGHT);
    support_learn_press(learn, key);
    char *after = support_learn_frame(learn, WIDTH, HEIGHT);
    if (strcmp(before, after) == 0) {
        char name[KEY_NAME_BYTES];
        key_label(key, false, name);
        fail_msg("%s, stop %d: %s does nothing (question %s)\n%s", learn->player.file, stop + 1,
                 name, is_answered ? "answered" : "open", after);
    }
    free(before);
    free(after);
    // What was opened or begun by it does not outlive it.
    support_learn_press(learn, KEY_CODE_ESCAPE);
    support_learn_press(learn, KEY_CODE_ESCAPE);
    learn->screen.overlay = OVERLAY_NONE;
    learn_end_visits(learn);
    support_learn_finish(learn);
}

static int walk(const char *number, Language language) {
    Learn *learn = open_lesson(number, language);
    FileBytes file = {0};
    Error err = {""};
    int n_keys = 0;
    support_require(file_read(&file, learn->player.lesson.path, 0, &err), &err);
    for (int stop = 0; stop < learn->player.lesson.n_stops; stop++) {
        Keys keys = keys_of_stop(&learn->player.lesson, &file, stop);
        for (int i = 0; i < keys.n; i++) {
            assert_key_lives(learn, stop, keys.keys[i], false);
            assert_key_lives(learn, stop, keys.keys[i], true);
        }
        n_keys += keys.n;
    }
    file_close(&file);
    support_learn_close(learn);
    return n_keys;
}

// The same keys in both languages; in all lessons there are.
static void walk_both(void *context, const char *file) {
    char number[16];
    snprintf(number, sizeof number, "%ld", strtol(file, NULL, 10));
    int n_english = walk(number, LANGUAGE_EN);
    int n_chinese = walk(number, LANGUAGE_ZH);
    if (n_chinese != n_english) {
        fail_msg("%s names %d keys in English and %d in Chinese", file, n_english, n_chinese);
    }
    *(int *)context += n_english;
}

static void every_key_that_a_lesson_names_lives_where_it_is_named(void **state) {
    (void)state;
    int n_keys = 0;
    lesson_files_list(walk_both, &n_keys);
    assert_true(n_keys >= 40);
}

// ---- questions

static const char OWN[] =
    "# t\n\n```attend\nopen toy-copy --ids \"1,5,4;1,3,6\" --seed 1\n"
    "go encoder.0.self_attn.scores\n```\n\n"
    "```question\nwhich?\n- [ ] a\n  Because of a.\n- [x] b\n\nAfter b.\n```\n\n"
    "```attend\ngo encoder.0.self_attn.q\n```\n\n"
    "```question\nhow much?\n= src.input[0,0,0] ± 0.01\n```\n";

static Learn *open_own(const char *text) {
    char path[] = "/tmp/attend-keys-XXXXXX.md";
    int descriptor = mkstemps(path, 3);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    Learn *learn = open_lesson(path, LANGUAGE_EN);
    unlink(path);
    support_learn_finish(learn);
    return learn;
}

static void assert_shows(Learn *learn, const char *text) {
    char *screen = support_learn_frame(learn, WIDTH, HEIGHT);
    if (strstr(screen, text) == NULL) {
        fail_msg("the screen does not show \"%s\"\n%s", text, screen);
    }
    free(screen);
}

static void a_choice_takes_digits_alone_and_says_why(void **state) {
    (void)state;
    Learn *learn = open_own(OWN);
    assert_shows(learn, "1-2 answer  Esc put aside  n/p step");
    support_learn_type(learn, "l.");
    assert_int_equal(learn->bench.cursor.place.column, 1);
    assert_int_equal(learn->bench.cursor.place.head, 1);
    support_learn_type(learn, " ");
    assert_int_equal(learn->player.stop, 0);
    assert_shows(learn, text_of(LANGUAGE_EN, TEXT_CHOOSE));
    support_learn_type(learn, "3");
    assert_true(learn->player.question.is_open);
    support_learn_type(learn, "1");
    assert_shows(learn, "No. The answer is: b");
    assert_shows(learn, "Because of a.");
    assert_shows(learn, "After b.");
    support_learn_type(learn, " ");
    assert_int_equal(learn->player.stop, 1);
    support_learn_close(learn);
}

static void a_number_is_typed_in_a_line_of_its_own(void **state) {
    (void)state;
    Learn *learn = open_own(OWN);
    support_learn_type(learn, "2 ");
    support_learn_finish(learn);
    assert_int_equal(learn->player.stop, 1);
    assert_shows(learn, "0-9 = answer  Esc put aside");
    int step = learn->bench.playground.stepper.at;
    support_learn_type(learn, "n-");
    assert_int_equal(learn->bench.playground.stepper.at, step + 1);
    support_learn_type(learn, "=-1n");
    assert_int_equal(learn->bench.playground.stepper.at, step + 1);
    assert_shows(learn, "src.input[0,0,0] = -1n");
    support_learn_type(learn, "\r");
    assert_shows(learn, "\"-1n\" is not a number.");
    support_learn_type(learn, "7\033");
    assert_true(learn->player.question.is_open && !learn->screen.prompt.is_open);
    support_learn_type(learn, "7\r");
    assert_true(learn->player.question.is_answered && !learn->player.question.was_right);
    assert_shows(learn, "No. The answer is: ");
    support_learn_close(learn);
}

// ---- editing

static void an_edit_begins_with_what_is_typed(void **state) {
    (void)state;
    Learn *learn = open_own(OWN);
    learn_execute_line(learn, "go encoder.0.norm1");
    learn_execute_line(learn, "edit"); // nothing has run up to there yet
    support_learn_finish(learn);
    char proposed[64];
    snprintf(proposed, sizeof proposed, ":edit %.6g",
             cursor_value(&learn->bench.cursor, learn->bench.cursor.place.node,
                          cursor_element(&learn->bench.cursor)));
    assert_shows(learn, proposed);
    support_learn_press(learn, KEY_CODE_ESCAPE);
    learn_execute_line(learn, "cell encoder.0.self_attn.q[0,1,2,1]");
    support_learn_type(learn, "e");
    assert_shows(learn, ":edit ");
    support_learn_type(learn, "5\r");
    assert_true(cursor_value(&learn->bench.cursor, learn->bench.cursor.place.node,
                             cursor_element(&learn->bench.cursor)) == 5.0);
    support_learn_close(learn);
}

// ---- keys that people expect

static void a_number_before_a_key_counts(void **state) {
    (void)state;
    Learn *learn = open_own(OWN);
    const Stepper *stepper = &learn->bench.playground.stepper;
    learn_execute_line(learn, "aside");
    int step = stepper->at;
    support_learn_type(learn, "10n");
    assert_int_equal(stepper->at, step + 10);
    support_learn_type(learn, "10p2l2.");
    assert_int_equal(stepper->at, step);
    assert_int_equal(learn->bench.cursor.place.column, 2);
    assert_int_equal(learn->bench.cursor.place.head, 1);
    support_learn_type(learn, "5\033p"); // forgotten
    assert_int_equal(stepper->at, step - 1);
    support_learn_type(learn, "5e");
    assert_shows(learn, "\"edit\" takes no number before its key");
    assert_false(learn->screen.prompt.is_open);
    support_learn_type(learn, "G");
    assert_int_equal(stepper->at, stepper->n_steps - 1);
    support_learn_type(learn, "0");
    assert_int_equal(stepper->at, 0);
    support_learn_close(learn);
}

static void no_key_is_without_an_answer(void **state) {
    (void)state;
    Learn *learn = open_own(OWN);
    support_learn_press(learn, KEY_CODE_F1);
    assert_int_equal(learn->screen.overlay, OVERLAY_HELP);
    support_learn_press(learn, KEY_CODE_ESCAPE);
    support_learn_type(learn, "~");
    assert_shows(learn, "The key ~ does nothing here");
    support_learn_type(learn, "R");
    assert_shows(learn, text_of(LANGUAGE_EN, TEXT_PLAIN_NO_RESUME));
    support_learn_type(learn, "B");
    assert_shows(learn, text_of(LANGUAGE_EN, TEXT_AT_START));
    support_learn_press(learn, KEY_CODE_F10);
    assert_true(learn->is_over);
    learn->is_over = false;
    support_learn_type(learn, ":q\r");
    assert_true(learn->is_over);
    support_learn_close(learn);
}

// ---- views

static const char *view_of(Learn *learn) {
    ViewTraining training;
    ViewState state = screen_view_state(&learn->screen, &training);
    return screen_view(&learn->screen, &state)->name;
}

static void a_view_without_a_cell_gives_way_to_the_cell(void **state) {
    (void)state;
    static const char *const KEYS[] = {"l", "j", ".", ":cell src.input[0,1,2]\r", "\r"};
    Learn *learn = open_own(OWN);
    learn_execute_line(learn, "aside");
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        learn_execute_line(learn, "go encoder.0.self_attn.q");
        learn_execute_line(learn, "view map");
        support_learn_finish(learn);
        support_learn_type(learn, "np"); // along the map
        support_learn_finish(learn);
        assert_string_equal(view_of(learn), "map");
        for (int k = 0; k < 8 && strcmp(view_of(learn), "map") == 0; k++) { // into its parts first
            support_learn_type(learn, KEYS[i]);
            support_learn_finish(learn);
        }
        assert_string_equal(view_of(learn), "tensor");
    }
    support_learn_close(learn);
}

static void a_lesson_leads_to_the_next(void **state) {
    (void)state;
    Learn *learn = open_lesson("12", LANGUAGE_EN);
    player_go(&learn->player, learn->player.lesson.n_stops - 1);
    support_learn_finish(learn);
    free(support_learn_frame(learn, WIDTH, HEIGHT));
    assert_shows(learn, text_of(LANGUAGE_EN, TEXT_NEXT_LESSON));
    support_learn_type(learn, " ");
    support_learn_finish(learn);
    assert_int_equal(learn->player.lesson.number, 13);
    assert_int_equal(learn->player.stop, 0);
    assert_string_equal(view_of(learn), "map");
    support_learn_close(learn);
}

static void pages_stop_at_the_ends_of_the_text(void **state) {
    (void)state;
    Learn *learn = open_lesson("13", LANGUAGE_EN);
    Error err = {""};
    support_learn_finish(learn);
    support_require(canvas_init(&learn->screen.canvas, 80, 20, &err), &err);
    screen_draw(&learn->screen, &learn->screen.canvas);
    learn->screen.focus = PANE_LESSON;
    int last = learn->screen.lesson_lines - learn->screen.lesson_rows;
    assert_true(last > 0);
    for (int i = 0; i < 30; i++) {
        support_learn_press(learn, KEY_CODE_PAGE_DOWN);
    }
    assert_int_equal(screen_scroll_of(&learn->screen, PANE_LESSON), last);
    assert_string_equal(learn->reply.text, text_of(LANGUAGE_EN, TEXT_AT_END));
    support_learn_press(learn, KEY_CODE_PAGE_UP);
    assert_true(screen_scroll_of(&learn->screen, PANE_LESSON) < last);
    support_learn_close(learn);
}

int main(void) {
    setenv("ATTEND_ASSETS", ".", 0);
    setenv("XDG_STATE_HOME", "/dev/null/none", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_that_a_lesson_names_lives_where_it_is_named),
        cmocka_unit_test(a_choice_takes_digits_alone_and_says_why),
        cmocka_unit_test(an_edit_begins_with_what_is_typed),
        cmocka_unit_test(a_number_before_a_key_counts),
        cmocka_unit_test(no_key_is_without_an_answer),
        cmocka_unit_test(a_view_without_a_cell_gives_way_to_the_cell),
        cmocka_unit_test(a_lesson_leads_to_the_next),
        cmocka_unit_test(pages_stop_at_the_ends_of_the_text),
        cmocka_unit_test(a_number_is_typed_in_a_line_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
