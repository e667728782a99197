// test_links.c - links of a lesson lead to a place of another and back, and nothing is lost on the
// way.
#include "tests/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/learn/learn.h"
#include "app/terminal/key.h"

static const char OWN[] =
    "# t\n\n```attend\nopen toy-copy --ids \"1,5,4;1,3,6\" --seed 1 --untrained\n"
    "go encoder.0.self_attn.scores\n```\n\n"
    "```question\nwhich?\n- [ ] a\n- [x] b\n\n"
    "It is [here](lesson:13@decoder.0.self_attn.masked).\n```\n";

static Learn *open_lesson(const char *lesson, Language language) {
    Learn *learn = calloc(1, sizeof *learn);
    assert_non_null(learn);
    const LearnOptions options = {.lesson = lesson, .language = language};
    Error err = {""};
    support_require(learn_init(learn, &options, &err), &err);
    return learn;
}

static Learn *open_own(void) {
    char path[] = "/tmp/attend-links-XXXXXX.md";
    int descriptor = mkstemps(path, 3);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, OWN, strlen(OWN)), strlen(OWN));
    close(descriptor);
    Learn *learn = open_lesson(path, LANGUAGE_EN);
    unlink(path);
    return learn;
}

static void close_lesson(Learn *learn) {
    learn_free(learn);
    free(learn);
}

static void finish(Learn *learn) {
    for (bool is_busy = true; is_busy || player_has_commands(&learn->player);) {
        learn->pause_ms = 0.0;
        is_busy = learn_work(learn, 50.0);
    }
}

static void run(Learn *learn, const char *line) {
    learn->reply.is_bad = false;
    learn_execute_line(learn, line);
    (void)learn_visit(learn);
    if (learn->reply.is_bad) {
        fail_msg("%s: %s", line, learn->reply.text);
    }
    finish(learn);
}

static void press(Learn *learn, char key) {
    const Event event = {.kind = EVENT_KEY, .key = key_of_character((unsigned char)key)};
    learn_handle(learn, &event);
    finish(learn);
}

static void coming_back_finds_everything_as_it_was(void **state) {
    (void)state;
    Learn *learn = open_own();
    finish(learn);
    assert_null(player_link(&learn->player)); // it stands behind the question
    press(learn, 'J');
    assert_int_equal(learn->n_visits, 0);
    run(learn, "answer 2");
    run(learn, "train 12");
    run(learn, "mask off");
    run(learn, "cell encoder.0.self_attn.scores[0,1,2,0]");
    run(learn, "edit 3");
    run(learn, "view attention");
    char *before = learn_state(learn);
    press(learn, 'J');
    assert_int_equal(learn->player.lesson.number, 13);
    assert_string_equal(learn->bench.cursor.place.node->stage, "decoder.0.self_attn.masked");
    assert_int_equal(learn->bench.playground.n_done, 0);
    run(learn, "mask off"); // what is done there stays there
    run(learn, "edit 5");
    run(learn, "language zh");
    press(learn, 'K');
    char *after = learn_state(learn);
    assert_string_equal(after, before);
    assert_true(learn->player.question.is_answered);
    assert_int_equal(learn->player.question.chosen, 2);
    assert_int_equal(learn->reply.language, LANGUAGE_ZH); // but the language is the person's
    run(learn, "undo");
    run(learn, "scrub 4");
    assert_int_equal(training_step(&learn->bench.playground.training), 4);
    press(learn, 'K'); // no further back
    assert_string_equal(learn->reply.text, text_of(LANGUAGE_ZH, TEXT_NO_WAY_BACK));
    free(before);
    free(after);
    close_lesson(learn);
}

static void q_goes_back_too_and_a_goal_keeps_its_start(void **state) {
    (void)state;
    Learn *learn = open_lesson("13", LANGUAGE_EN);
    player_go(&learn->player, learn->player.lesson.n_stops - 1);
    finish(learn);
    assert_non_null(player_try(&learn->player));
    (void)learn_check_try(learn);
    run(learn, "jump 7@2");
    assert_int_equal(learn->player.lesson.number, 7);
    assert_int_equal(learn->player.stop, 1);
    press(learn, 'q');
    assert_false(learn->is_over);
    assert_int_equal(learn->player.lesson.number, 13);
    assert_false(learn_check_try(learn));
    run(learn, "train 300");
    assert_true(learn_check_try(learn));
    press(learn, 'q');
    assert_true(learn->is_over);
    close_lesson(learn);
}

static void what_leads_nowhere_leaves_all_as_it_is(void **state) {
    (void)state;
    static const char *const LINES[][2] = {
        {"jump", "There is no link"},
        {"jump-back", "No link was followed"},
        {"jump 99", "\"99\": no such lesson"},
        {"jump 13@0", "expected a stop from 1 to"},
        {"jump 13@1000", "expected a stop from 1 to"},
        {"jump 13@nowhere", "or a stage that the lesson goes to"},
        {"jump 13@2|dance", "there is no command \"dance\""},
        {"jump |open nothing", "nothing"},
    };
    Learn *learn = open_own();
    finish(learn);
    run(learn, "cell encoder.0.self_attn.scores[0,1,2,0]");
    run(learn, "edit 3");
    char *before = learn_state(learn);
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        learn->reply.text[0] = '\0';
        learn_execute_line(learn, LINES[i][0]);
        (void)learn_visit(learn);
        if (strstr(learn->reply.text, LINES[i][1]) == NULL) {
            fail_msg("%s: expected \"%s\", found \"%s\"", LINES[i][0], LINES[i][1],
                     learn->reply.text);
        }
        char *after = learn_state(learn);
        assert_string_equal(after, before);
        assert_int_equal(learn->n_visits, 0);
        free(after);
    }
    free(before);
    close_lesson(learn);
}

static void links_are_followed_so_far_and_no_further(void **state) {
    (void)state;
    Learn *learn = open_lesson("7", LANGUAGE_EN);
    finish(learn);
    int n = 0;
    learn->reply.is_bad = false;
    while (!learn->reply.is_bad && n < 100) {
        learn_execute_line(learn, n % 2 == 0 ? "jump 13" : "jump 7@3");
        (void)learn_visit(learn);
        finish(learn);
        n++;
    }
    assert_string_equal(learn->reply.text, text_of(LANGUAGE_EN, TEXT_TOO_MANY_LINKS));
    assert_int_equal(n, learn->n_visits + 1);
    run(learn, "jump-back");
    assert_int_equal(learn->n_visits, n - 2);
    close_lesson(learn); // with all of them open
}

// ---- the lessons that ship

static void follow(Learn *learn, int stop, int *n_links) {
    char name[300];
    player_go(&learn->player, stop);
    finish(learn);
    if (player_is_asking(&learn->player)) {
        learn_answer(learn, "1");
    }
    const char *place = player_link(&learn->player);
    if (place == NULL) {
        return;
    }
    int number = learn->player.lesson.number;
    long wanted = strtol(place, NULL, 10);
    snprintf(name, sizeof name, "%.255s, stop %d: \"%s\"", learn->player.file, stop + 1, place);
    learn->reply.is_bad = false;
    press(learn, 'J');
    if (learn->reply.is_bad || learn->n_visits != 1 || learn->player.lesson.number != wanted) {
        fail_msg("%s leads nowhere: %s", name, learn->reply.text);
    }
    press(learn, 'K');
    assert_int_equal(learn->player.lesson.number, number);
    assert_int_equal(learn->player.stop, stop);
    ++*n_links;
}

static void every_link_of_a_lesson_leads_somewhere(void **state) {
    (void)state;
    int n_links[LANGUAGE_COUNT] = {0};
    for (int language = 0; language < LANGUAGE_COUNT; language++) {
        DIR *directory = opendir(language == LANGUAGE_EN ? "lessons/en" : "lessons/zh");
        assert_non_null(directory);
        for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
            char *dot = strstr(entry->d_name, ".md");
            if (dot == NULL) {
                continue;
            }
            *dot = '\0';
            Learn *learn = open_lesson(entry->d_name, (Language)language);
            for (int stop = 0; stop < learn->player.lesson.n_stops; stop++) {
                bool has_link = false;
                for (int i = learn->player.lesson.stops[stop].first;
                     i < learn->player.lesson.stops[stop].end; i++) {
                    const LessonBlock *block = &learn->player.lesson.blocks[i];
                    has_link = has_link || block->text.place != NULL ||
                               (block->question != NULL && block->question->after.place != NULL) ||
                               (block->try != NULL && block->try->ask.place != NULL);
                }
                if (has_link) {
                    follow(learn, stop, &n_links[language]);
                }
            }
            close_lesson(learn);
        }
        closedir(directory);
    }
    assert_int_equal(n_links[LANGUAGE_EN], n_links[LANGUAGE_ZH]);
}

int main(void) {
    setenv("ATTEND_ASSETS", ".", 0);
    setenv("XDG_STATE_HOME", "/dev/null/none", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coming_back_finds_everything_as_it_was),
        cmocka_unit_test(q_goes_back_too_and_a_goal_keeps_its_start),
        cmocka_unit_test(what_leads_nowhere_leaves_all_as_it_is),
        cmocka_unit_test(links_are_followed_so_far_and_no_further),
        cmocka_unit_test(every_link_of_a_lesson_leads_somewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
