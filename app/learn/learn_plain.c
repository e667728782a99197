// learn_plain.c - the same lesson as lines of text: for pipes, for screen readers, for tests.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/learn/lesson_files.h"
#include "app/learn/learn_actions.h"
#include "app/learn/plain.h"

// Training without an end would never come back to a reader of lines.
enum { ENDLESS_STEPS = 300 };

static void train(Plain *plain) {
    Learn *learn = &plain->learn;
    Error err = {""};
    int n_done = 0;
    if (!playground_train(&learn->bench.playground, 50.0, &n_done, &err)) {
        learn->bench.playground.training.n_wanted = 0;
        reply_complain(&learn->reply, err.text);
    }
    plain->told = NULL;
    if (!training_is_running(&learn->bench.playground.training) &&
        learn->bench.playground.training.run.n_steps > 0) {
        int last = learn->bench.playground.training.run.n_steps - 1;
        char a[16];
        char b[24];
        snprintf(a, sizeof a, "%d", last + 1);
        snprintf(b, sizeof b, "%.4f", (double)learn->bench.playground.training.run.losses[last]);
        reply_say(&learn->reply, TEXT_TRAIN_STOPPED, a, b);
    }
    plain_tell_notice(plain);
}

// The next command that the lesson runs; NULL: none is left.
static const LessonCommand *next_command(const Learn *learn) {
    const Queue *queue = &learn->player.queue;
    for (int i = queue->block; i < queue->end; i++) {
        const LessonBlock *block = &learn->player.lesson.blocks[i];
        int first = i == queue->block ? queue->command : 0;
        if (first < block->n_commands) {
            return &block->commands[first];
        }
    }
    return NULL;
}

static bool is_of_drawing(const LessonCommand *next) {
    Command command = {COMMAND_COUNT, ""};
    char *line = next == NULL ? NULL : strdup(next->text);
    bool ok = line != NULL && command_parse(&command, line, NULL);
    free(line);
    return ok && plain_draws_tokens(command.id);
}

// The next command of the lesson, and where it leads.
static void tell_command(Plain *plain) {
    Learn *learn = &plain->learn;
    const LessonCommand *next = next_command(learn);
    bool draws = is_of_drawing(next);
    if (next != NULL) {
        file_writer_print(&plain->page.lines, ": %s\n", next->text);
    }
    learn_run_queue(learn);
    if (learn->reply.is_bad && learn->reply.text[0] != '\0') {
        error_set(&plain->fault, "%s", learn->reply.text);
    }
    plain_tell_notice(plain);
    if (draws) {
        plain_tell_lines(plain);
    } else if (!training_is_running(&learn->bench.playground.training)) {
        plain_tell_place(plain);
    }
}

// Runs to the end what a command began: a lesson's commands, training that has an end.
void plain_finish_work(Plain *plain) {
    Learn *learn = &plain->learn;
    while (training_is_running(&learn->bench.playground.training) ||
           player_has_commands(&learn->player)) {
        if (training_is_running(&learn->bench.playground.training)) {
            learn->bench.playground.training.n_wanted =
                learn->bench.playground.training.n_wanted < 0
                    ? ENDLESS_STEPS
                    : learn->bench.playground.training.n_wanted;
            train(plain);
        } else {
            tell_command(plain);
        }
    }
}

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

static void tell_block(Plain *plain, int number) {
    static const char *const INDENTS[] = {"", "  ", "    "};
    const LessonBlock *block = &plain->learn.player.lesson.blocks[number];
    PlainPage *page = &plain->page;
    switch (block->kind) {
    case LESSON_HEADING:
        file_writer_print(&page->lines, "%s %s\n\n", block->level == 1 ? "#" : "##",
                          block->text.spoken);
        return;
    case LESSON_PROSE:
        plain_page_text(page, INDENTS[block->level > 2 ? 2 : block->level], block->text.spoken);
        break;
    case LESSON_CODE:
        plain_page_text(page, "    ", block->text.spoken);
        break;
    case LESSON_COMMANDS:
        if (number == plain->early_block) { // its model is open, and was told
            plain->learn.player.queue.block = number + 1;
            plain->learn.player.queue.command = 0;
        }
        plain->early_block = -1;
        plain_finish_work(plain);
        if (plain->learn.bench.merges.n == 0) {
            plain_tell_place(plain);
        }
        return;
    case LESSON_CLAIMS: // a check evaluates them, see learn_check.c
        return;
    case LESSON_TRY:
        plain_page_text(page, "  ", block->try->ask.spoken);
        break;
    case LESSON_QUESTION:
        plain_tell_question(plain);
        return;
    }
    file_writer_text(&page->lines, "\n");
}

void plain_tell_stop(Plain *plain) {
    const Lesson *lesson = &plain->learn.player.lesson;
    const LessonStop *stop = &lesson->stops[plain->learn.player.stop];
    // A lesson that begins with prose opens its model before the text that it stands in.
    bool is_early =
        plain->learn.player.queue.block >= stop->end && player_has_commands(&plain->learn.player);
    for (int i = stop->first; i < stop->end; i++) {
        tell_block(plain, i);
    }
    if (is_early) {
        plain->early_block = plain->learn.player.queue.block;
    }
    plain_finish_work(plain);
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
            break;
        }
        if (!isatty(STDIN_FILENO)) {
            file_writer_print(&plain->page.lines, "%s%s", line,
                              strchr(line, '\n') == NULL ? "\n" : "");
        }
        goes_on = plain_take_line(plain, line);
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
        plain_tell_stop(plain);
        if (leads_back) {
            plain_tell_place(plain);
            leads_back = false;
        }
        if (!read_commands(plain)) {
            return;
        }
        reveal(plain);
        if (learn->player.stop + 1 >= learn->player.lesson.n_stops) {
            break;
        }
        player_go(&learn->player, learn->player.stop + 1);
    }
    plain_page_text(&plain->page, "", reply_text(&learn->reply, TEXT_PLAIN_BYE));
}

static void write_title(void *context, const char *file) {
    Plain *plain = context;
    char name[256];
    char *path = lesson_files_find(file, plain->learn.reply.language, name);
    Lesson lesson = {0};
    if (path != NULL && lesson_load(&lesson, path, NULL)) {
        file_writer_print(&plain->page.lines, "%2d  %s\n", lesson.number, lesson.title);
    }
    lesson_free(&lesson);
    free(path);
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
        lesson_files_list(write_title, plain);
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
