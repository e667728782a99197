// learn_plain.c - the same lesson as lines of text: for pipes, for screen readers, for tests.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/learn/plain.h"

// The right answer, for a reader who does not answer.
static void reveal(Plain *plain) {
    Learn *learn = &plain->learn;
    const LessonQuestion *question = learn->player.question.question;
    if (question == NULL || learn->player.question.is_answered) {
        return;
    }
    const Node *node = NULL;
    size_t element = 0;
    for (int i = 0; i < question->n_choices; i++) {
        if (question->choices[i].is_right) {
            plain_page_text(&plain->page, "> ", question->choices[i].text.spoken);
        }
    }
    Error err = {""};
    if (question->cell != NULL &&
        cursor_find_cell(&learn->bench.cursor, question->cell, &node, &element, &err)) {
        (void)stepper_require(&learn->bench.playground.stepper, node, NULL); // nothing ends it
        file_writer_print(&plain->page.lines, "> %s = %.6g\n", question->cell,
                          cursor_value(&learn->bench.cursor, node, element));
    } else if (question->cell != NULL) {
        plain_page_text(&plain->page, "! ", err.text);
        error_set(&plain->fault, "%s:%d: %s", learn->player.lesson.path, question->cell_line,
                  err.text);
    }
    plain_page_text(&plain->page, "  ", question->after.spoken);
    file_writer_text(&plain->page.lines, "\n");
    learn->player.question.is_answered = true;
    learn->player.question.is_open = false;
}

// Commands until the lesson is to go on; false when it was left.
static bool read_commands(Plain *plain) {
    char *line = NULL;
    size_t capacity = 0;
    bool goes_on = false;
    while (plain->reads && !plain->learn.is_over && !goes_on) {
        file_writer_text(&plain->page.lines, "> ");
        plain_page_flush(&plain->page);
        if (getline(&line, &capacity, stdin) < 0) {
            plain->reads = false;
            goes_on = isatty(STDIN_FILENO) == 0;
            file_writer_text(&plain->page.lines, "\n"); // what comes next begins a line
            break;
        }
        if (!isatty(STDIN_FILENO)) {
            file_writer_print(&plain->page.lines, "%s%s", line,
                              strchr(line, '\n') == NULL ? "\n" : "");
        }
        plain_begin_work(plain);
        goes_on = plain_take_line(plain, line);
        plain_tell_try(plain);
        plain_end_work(plain);
        plain->early_block = goes_on ? plain->early_block : -1; // what was done may be undone
    }
    free(line);
    return goes_on || (!plain->reads && !plain->learn.is_over && isatty(STDIN_FILENO) == 0);
}

static void play(Plain *plain) {
    Learn *learn = &plain->learn;
    if (plain->reads) {
        plain_page_text(&plain->page, "", reply_text(&learn->reply, TEXT_PLAIN_HELP));
        plain_tell_notice(plain);
        file_writer_text(&plain->page.lines, "\n");
    }
    learn->reply.text[0] = '\0';
    bool leads_back = learn->options.state != NULL;
    while (true) {
        plain_begin_work(plain);
        plain_tell_stop(plain);
        if (leads_back) {
            plain_tell_place(plain);
            leads_back = false;
        }
        plain_end_work(plain);
        if (!read_commands(plain)) {
            return;
        }
        reveal(plain);
        if (learn->player.stop + 1 >= learn->player.lesson.n_stops) {
            break;
        }
        player_go(&learn->player, learn->player.stop + 1);
    }
    char summary[ABOUT_BYTES];
    plain_page_text(&plain->page, "",
                    about_end(summary, &learn->player.lesson, learn->reply.language));
    plain_page_text(&plain->page, "", reply_text(&learn->reply, TEXT_PLAIN_BYE));
}

static bool run_plain(Plain *plain, const LearnOptions *options, Error *err) {
    Learn *learn = &plain->learn;
    bool is_ascii = options->terminal.ascii;
    LearnOptions all = *options;
    all.plain = true;
    if (!learn_init(learn, &all, err) ||
        !plain_page_open(&plain->page, options->plain_width, is_ascii, err)) {
        return false;
    }
    plain->early_block = -1;
    plain->reads = options->plain && (isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO));
    if (!plain->reads && learn->player.has_lesson &&
        learn->player.queue.block >= learn->player.lesson.stops[learn->player.stop].end) {
        learn->player.queue.end =
            learn->player.queue.block; // the model opens where the text says so
    }
    if (learn->player.has_lesson) {
        play(plain);
    } else if (options->state != NULL) {
        plain_tell_place(plain);
    } else {
        plain_tell_course(plain, "");
    }
    if (plain->reads && isatty(STDIN_FILENO)) {
        player_save_progress(&learn->player);
    }
    bool ok = plain_page_commit(&plain->page, err);
    return ok && (!error_is_set(&plain->fault) || error_set(err, "%s", plain->fault.text));
}

int learn_plain(const LearnOptions *options, Error *err) {
    Plain *plain = calloc(1, sizeof *plain);
    if (plain == NULL) {
        error_set(err, "out of memory");
        return 1;
    }
    bool ok = run_plain(plain, options, err);
    plain_page_close(&plain->page);
    learn_free(&plain->learn);
    free(plain);
    return ok ? 0 : 1;
}
