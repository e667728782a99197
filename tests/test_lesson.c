// test_lesson.c - lessons as Markdown: blocks, stops, questions, and faults with their lines.
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

#include "engine/lessons/lesson.h"

static const char TEXT[] = "# The title\n"
                           "\n"
                           "Some *prose* with `code`\n"
                           "over two lines.\n"
                           "\n"
                           "```attend\n"
                           "open toy-copy --seed 1\n"
                           "\n"
                           "  go scores\n"
                           "```\n"
                           "\n"
                           "中文一行\n"
                           "接着一行。\n"
                           "\n"
                           "```question\n"
                           "Which one?\n"
                           "\n"
                           "- [ ] this\n"
                           "- [x] **that**\n"
                           "\n"
                           "That it is.\n"
                           "```\n"
                           "\n"
                           "1. one\n"
                           "2. two\n"
                           "\n"
                           "```question\n"
                           "How much?\n"
                           "= scores[0,1] ± 0.01\n"
                           "```\n";

static void parse(Lesson *lesson, const char *text) {
    Error err = {""};
    support_require(lesson_parse(lesson, "a/07-test.md", text, strlen(text), &err), &err);
}

static void blocks_come_in_order_with_their_lines(void **state) {
    (void)state;
    Lesson lesson;
    parse(&lesson, TEXT);
    static const LessonBlockKind KINDS[] = {LESSON_HEADING, LESSON_PROSE,    LESSON_COMMANDS,
                                            LESSON_PROSE,   LESSON_QUESTION, LESSON_PROSE,
                                            LESSON_PROSE,   LESSON_QUESTION};
    assert_int_equal(lesson.n_blocks, 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(lesson.blocks[i].kind, KINDS[i]);
    }
    assert_int_equal(lesson.number, 7);
    assert_string_equal(lesson.title, "The title");
    assert_int_equal(lesson.blocks[2].commands[1].line, 9);
    assert_string_equal(lesson.blocks[2].commands[1].text, "go scores");
    assert_string_equal(lesson.blocks[5].text.text, "1. one");
    lesson_free(&lesson);
}

static void prose_is_one_text_with_marks(void **state) {
    (void)state;
    Lesson lesson;
    parse(&lesson, TEXT);
    assert_string_equal(lesson.blocks[1].text.text, "Some prose with code over two lines.");
    assert_string_equal(lesson.blocks[1].text.marks, ".....eeeee......````................");
    assert_string_equal(lesson.blocks[3].text.text, "中文一行接着一行。");
    lesson_free(&lesson);
}

static void questions_have_answers_and_an_afterword(void **state) {
    (void)state;
    Lesson lesson;
    parse(&lesson, TEXT);
    const LessonQuestion *choice = lesson.blocks[4].question;
    assert_string_equal(choice->ask.text, "Which one?");
    assert_int_equal(choice->n_choices, 2);
    assert_true(choice->choices[1].is_right);
    assert_string_equal(choice->choices[1].text.text, "that");
    assert_string_equal(choice->after.text, "That it is.");
    const LessonQuestion *number = lesson.blocks[7].question;
    assert_string_equal(number->cell, "scores[0,1]");
    assert_float_equal(number->tolerance, 0.01, 0.0);
    assert_int_equal(number->cell_line, 29);
    lesson_free(&lesson);
}

static void a_stop_ends_before_commands_and_after_questions(void **state) {
    (void)state;
    Lesson lesson;
    parse(&lesson, TEXT);
    static const int FIRST[] = {0, 2, 5};
    assert_int_equal(lesson.n_stops, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lesson.stops[i].first, FIRST[i]);
    }
    assert_int_equal(lesson.stops[2].end, 8);
    lesson_free(&lesson);
}

static void faults_name_file_line_and_what_was_expected(void **state) {
    (void)state;
    static const char *const CASES[][2] = {
        {"prose\n", "x.md:1: expected a heading, \"# Title\", found none"},
        {"# t\n```question\nwhich?\n- [y] a\n```\n",
         "x.md:4: expected \"- [ ]\" or \"- [x]\", found \"- [y]...\""},
        {"# t\n```question\nwhich?\n- [ ] a\n- [ ] b\n```\n",
         "x.md:3: expected two choices or more, \"- [x]\" before the right one, or \"= stage[i,j] "
         "± tolerance\""},
        {"# t\n```question\n- [x] a\n- [ ] b\n```\n",
         "x.md:3: expected the text of a question, found none"},
        {"# t\n```question\nq\n= a[0] 0.1\n```\n",
         "x.md:4: expected \"= stage[i,j] ± tolerance\" alone, found \"= a[0] 0.1\""},
        {"# t\n```question\nq\n= a[0] ± x\n```\n",
         "x.md:4: expected \"= stage[i,j] ± tolerance\" alone, found \"= a[0] ± x\""},
        {"# t\n```question\nq\n- [x] a\nafter\n- [ ] b\n```\n",
         "x.md:6: expected the answers together, found one after text"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Lesson lesson;
        Error err = {""};
        assert_false(lesson_parse(&lesson, "x.md", CASES[i][0], strlen(CASES[i][0]), &err));
        assert_string_equal(err.text, CASES[i][1]);
    }
}

static void any_bytes_are_read_without_a_fault_of_ours(void **state) {
    (void)state;
    static const char START[] = "# t\n```question\n";
    char text[400];
    unsigned random = 7;
    static const char PIECES[] = "`\n#- [x]= []±question attend\xff\xe4\xb8";
    for (int round = 0; round < 2000; round++) {
        for (size_t i = 0; i < sizeof text; i++) {
            random = random * 1664525U + 1013904223U;
            text[i] = PIECES[(random >> 16) % (sizeof PIECES - 1)];
        }
        memcpy(text, START, sizeof START - 1);
        Lesson lesson;
        Error err = {""};
        if (lesson_parse(&lesson, "x.md", text, sizeof text, &err)) {
            lesson_free(&lesson);
        } else {
            assert_true(strncmp(err.text, "x.md:", 5) == 0);
        }
    }
}

static void claims_belong_to_the_stop_before_them(void **state) {
    (void)state;
    Lesson lesson;
    parse(&lesson, "# t\n\nprose\n\n```claim\nloss == 2.08\n\n  loss < 3\n```\n\nmore\n\n"
                   "```question\nWhich?\n- [x] this one :: loss < 3\n- [ ] that\n```\n\n"
                   "```claim\nsteps == 66\n```\n");
    assert_int_equal(lesson.n_blocks, 6);
    assert_int_equal(lesson.blocks[2].kind, LESSON_CLAIMS);
    assert_int_equal(lesson.blocks[2].n_claims, 2);
    assert_string_equal(lesson.blocks[2].claims[1].text, "loss < 3");
    assert_int_equal(lesson.blocks[2].claims[1].line, 8);
    const LessonQuestion *question = lesson.blocks[4].question;
    assert_string_equal(question->choices[0].text.text, "this one");
    assert_string_equal(question->choices[0].claim->text, "loss < 3");
    assert_int_equal(question->choices[0].claim->line, 15);
    assert_null(question->choices[1].claim);
    assert_int_equal(lesson.n_stops, 1);
    lesson_free(&lesson);
}

static void a_lesson_says_what_it_is_for(void **state) {
    (void)state;
    Lesson lesson;
    parse(&lesson, "# t\n\n```about\ngoal: to see\nminutes: 12\nneeds: 3, 4\n"
                   "simplifies: one head\nrecap: look\n```\n\nprose\n");
    assert_string_equal(lesson.about.goal, "to see");
    assert_int_equal(lesson.about.minutes, 12);
    assert_int_equal(lesson.about.n_needs, 2);
    assert_int_equal(lesson.about.needs[1], 4);
    assert_string_equal(lesson.about.simplifies, "one head");
    assert_string_equal(lesson.about.recap, "look");
    assert_int_equal(lesson.n_blocks, 2);
    lesson_free(&lesson);
}

static void a_wrong_choice_has_its_answer(void **state) {
    (void)state;
    Lesson lesson;
    parse(&lesson, "# t\n\n```question\nWhich?\n\n- [ ] this\n  It is *not* this,\n  since.\n"
                   "- [x] that\n\nThat it is.\n```\n");
    const LessonQuestion *question = lesson.blocks[1].question;
    assert_int_equal(question->n_choices, 2);
    assert_string_equal(question->choices[0].why.text, "It is not this, since.");
    assert_string_equal(question->choices[1].why.text, "");
    assert_string_equal(question->after.text, "That it is.");
    lesson_free(&lesson);
}

static void what_is_to_be_tried_has_a_goal(void **state) {
    (void)state;
    Lesson lesson;
    parse(&lesson, "# t\n\n```try\nMake it `small`.\n\n= loss < 0.1\n\nDone.\n```\n");
    const LessonBlock *block = &lesson.blocks[1];
    assert_int_equal(block->kind, LESSON_TRY);
    assert_string_equal(block->try->ask.text, "Make it small.");
    assert_string_equal(block->try->goal.text, "loss < 0.1");
    assert_int_equal(block->try->goal.line, 6);
    assert_string_equal(block->try->after.text, "Done.");
    lesson_free(&lesson);
}

static void links_lead_to_places(void **state) {
    (void)state;
    Lesson lesson;
    parse(&lesson, "# t\n\nSee [the *mask*](lesson:8@3) and [this](https://example.org).\n\n"
                   "```question\nq\n- [ ] a\n- [x] b\n\nNo link.\n```\n\n"
                   "```question\nq\n- [ ] a\n- [x] b\n\nLook [there](<lesson:|open a b>).\n```\n");
    assert_string_equal(lesson.blocks[1].text.text, "See the mask and this.");
    assert_string_equal(lesson.blocks[1].text.spoken, "See the mask (\"jump\") and this.");
    assert_string_equal(lesson.blocks[1].text.place, "8@3");
    assert_int_equal(lesson.blocks[1].text.n_places, 1);
    assert_null(lesson.blocks[2].question->after.place);
    assert_string_equal(lesson.blocks[3].question->after.place, "|open a b");
    lesson_free(&lesson);
    Error err = {""};
    const char *two = "# t\n\n[a](lesson:1)\n\n[b](lesson:2)\n";
    assert_false(lesson_parse(&lesson, "a.md", two, strlen(two), &err));
    assert_string_equal(err.text, "a.md:5: expected one link to a place of a lesson in what is "
                                  "shown at once, found 2");
}

static void faults_of_the_new_blocks_name_their_line(void **state) {
    (void)state;
    static const char *const CASES[][2] = {
        {"# t\n```about\ngoal:\n```\n", "a.md:3: expected \"goal: TEXT\""},
        {"# t\n```about\nminutes: 0\n```\n", "a.md:3: expected \"goal: TEXT\""},
        {"# t\n```about\nneeds: 3, x\n```\n", "a.md:3: expected \"goal: TEXT\""},
        {"# t\n```try\nno goal\n```\n", "a.md:3: expected what to try, then a line"},
        {"# t\n```try\nx\n\n= loss\n```\n", "a.md:5: expected == < > <= >= or is"},
        {"# t\n```claim\n\nloss =\n```\n", "a.md:4: expected == < > <= >= or is"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Lesson lesson;
        Error err = {""};
        assert_false(lesson_parse(&lesson, "a.md", CASES[i][0], strlen(CASES[i][0]), &err));
        if (strncmp(err.text, CASES[i][1], strlen(CASES[i][1])) != 0) {
            fail_msg("expected %s, found %s", CASES[i][1], err.text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lesson_says_what_it_is_for),
        cmocka_unit_test(a_wrong_choice_has_its_answer),
        cmocka_unit_test(what_is_to_be_tried_has_a_goal),
        cmocka_unit_test(links_lead_to_places),
        cmocka_unit_test(faults_of_the_new_blocks_name_their_line),
        cmocka_unit_test(claims_belong_to_the_stop_before_them),
        cmocka_unit_test(blocks_come_in_order_with_their_lines),
        cmocka_unit_test(prose_is_one_text_with_marks),
        cmocka_unit_test(questions_have_answers_and_an_afterword),
        cmocka_unit_test(a_stop_ends_before_commands_and_after_questions),
        cmocka_unit_test(faults_name_file_line_and_what_was_expected),
        cmocka_unit_test(any_bytes_are_read_without_a_fault_of_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
