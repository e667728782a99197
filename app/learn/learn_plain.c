// learn_plain.c - the same lesson as lines of text: for pipes, for screen readers, for tests.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/learn/learn_actions.h"
#include "engine/tape/op.h"

enum { PLAIN_WIDTH = 78, PLAIN_NUMBERS = 256 };

typedef struct Plain {
    Learn learn;
    FileWriter out;
    int n_builds;     // of the tape that `told` is of
    const Node *told; // the node whose numbers were written last
    size_t told_element;
    Error fault; // of a command of the lesson
    bool reads;  // commands come from standard input
} Plain;

static void write_wrapped(FileWriter *out, const char *indent, const char *text) {
    int width = PLAIN_WIDTH - (int)strlen(indent);
    while (*text != '\0') {
        const char *next = text;
        size_t length = text_wrap(text, width, &next);
        file_writer_print(out, "%s%.*s\n", indent, (int)length, text);
        text = next;
    }
}

static const char *token_text(const void *context, int32_t id, char *text, size_t size) {
    return model_input_token(context, id, text, size);
}

// What is looked at: the stage, what it is for, its numbers, and the arithmetic of the cell.
static void tell_stage(Plain *plain, const Node *node) {
    const Learn *learn = &plain->learn;
    const Stepper *stepper = &learn->playground.stepper;
    FileWriter *out = &plain->out;
    char a[16];
    char b[16];
    char text[REPLY_BYTES];
    snprintf(a, sizeof a, "%d", stepper->at + 1);
    snprintf(b, sizeof b, "%d", stepper->n_steps);
    text_fill(text, sizeof text, reply_text(&learn->reply, TEXT_STEP_OF), a, b);
    file_writer_print(out, "%s\n", text);
    tensor_text_head(out, node);
    write_wrapped(out, "  ", sentence_for_node(node, learn->reply.language));
    const OpenModel *opened = learn->playground.opened;
    TensorLabels labels = {&opened->built.tape, &opened->built.nodes, token_text, opened};
    if (shape_count(&node->shape) <= PLAIN_NUMBERS) {
        tensor_text_numbers(out, node, &labels);
    } else {
        tensor_text_summary(out, &opened->built.tape, node);
    }
}

// A row of pieces as far as a text has been put together.
static void tell_merges(Plain *plain) {
    const Merges *merges = &plain->learn.merges;
    const ViewMerge *row = &merges->steps[merges->n_shown - 1];
    for (int i = 0; i < row->n_pieces; i++) {
        int end = i + 1 < row->n_pieces ? row->starts[i + 1] : row->text_length;
        file_writer_print(&plain->out, "%s%.*s", i == 0 ? "  " : (i == row->left + 1 ? " + " : " "),
                          end - row->starts[i], row->text + row->starts[i]);
    }
    file_writer_text(&plain->out, "\n");
    if (row->rank >= 0) {
        file_writer_print(&plain->out, "    (%d)\n", row->rank);
    }
}

static void tell_place(Plain *plain) {
    Learn *learn = &plain->learn;
    const Node *node = learn->cursor.place.node;
    if (learn->merges.n > 0) {
        tell_merges(plain);
        return;
    }
    if (learn->playground.opened == NULL || node == NULL) {
        return;
    }
    stepper_require(&learn->playground.stepper, node);
    size_t element = cursor_element(&learn->cursor);
    FileWriter *out = &plain->out;
    if (plain->n_builds != learn->playground.n_builds) {
        plain->n_builds = learn->playground.n_builds;
        plain->told = NULL;
    }
    if (node != plain->told) {
        tell_stage(plain, node);
    }
    if (node != plain->told || element != plain->told_element) {
        char cell[256];
        learn->cursor.is_explained = false;
        cursor_explain(&learn->cursor);
        explain_cell_name(node, element, cell, sizeof cell);
        file_writer_print(out, "  %s = %.9g\n", cell, cursor_value(&learn->cursor, node, element));
        if (learn->cursor.is_explained) {
            write_wrapped(out, "    ", explain_text(&learn->cursor.explanation, EXPLAIN_TERMS));
        }
    }
    if (node != plain->told || element != plain->told_element) {
        file_writer_text(out, "\n");
    }
    plain->told = node;
    plain->told_element = element;
}

static void tell_notice(Plain *plain) {
    if (plain->learn.reply.text[0] != '\0') {
        write_wrapped(&plain->out, plain->learn.reply.is_bad ? "! " : "- ",
                      plain->learn.reply.text);
        plain->learn.reply.text[0] = '\0';
    }
}

// Training without an end would never come back to a reader of lines.
enum { ENDLESS_STEPS = 300 };

static void train(Plain *plain) {
    Learn *learn = &plain->learn;
    Error err = {""};
    int n_done = 0;
    if (!playground_train(&learn->playground, 50.0, &n_done, &err)) {
        learn->playground.training.n_wanted = 0;
        reply_complain(&learn->reply, err.text);
    }
    plain->told = NULL;
    if (!training_is_running(&learn->playground.training) &&
        learn->playground.training.run.n_steps > 0) {
        int last = learn->playground.training.run.n_steps - 1;
        char a[16];
        char b[24];
        snprintf(a, sizeof a, "%d", last + 1);
        snprintf(b, sizeof b, "%.4f", (double)learn->playground.training.run.losses[last]);
        reply_say(&learn->reply, TEXT_TRAIN_STOPPED, a, b);
    }
    tell_notice(plain);
}

// The next command of the lesson, and where it leads.
static void tell_command(Plain *plain) {
    Learn *learn = &plain->learn;
    const Queue *queue = &learn->queue;
    const LessonBlock *block = &learn->lesson.blocks[queue->block];
    if (queue->command < block->n_commands) {
        file_writer_print(&plain->out, ": %s\n", block->commands[queue->command].text);
    }
    learn_run_queue(learn);
    if (learn->reply.is_bad && learn->reply.text[0] != '\0') {
        error_set(&plain->fault, "%s", learn->reply.text);
    }
    tell_notice(plain);
    if (!training_is_running(&learn->playground.training)) {
        tell_place(plain);
    }
}

// Runs to the end what a command began: a lesson's commands, training that has an end.
static void finish_work(Plain *plain) {
    Learn *learn = &plain->learn;
    while (training_is_running(&learn->playground.training) || learn_has_queue(learn)) {
        if (training_is_running(&learn->playground.training)) {
            learn->playground.training.n_wanted = learn->playground.training.n_wanted < 0
                                                      ? ENDLESS_STEPS
                                                      : learn->playground.training.n_wanted;
            train(plain);
        } else {
            tell_command(plain);
        }
    }
}

static void tell_question(Plain *plain) {
    const Learn *learn = &plain->learn;
    const LessonQuestion *question = learn->question.question;
    if (question == NULL) {
        return;
    }
    write_wrapped(&plain->out, "? ", question->ask.text);
    for (int i = 0; i < question->n_choices; i++) {
        char mark[16];
        snprintf(mark, sizeof mark, "  %d  ", i + 1);
        write_wrapped(&plain->out, mark, question->choices[i].text.text);
    }
    if (question->cell != NULL) {
        file_writer_print(&plain->out, "  %s = ?\n", question->cell);
    }
    file_writer_text(&plain->out, "\n");
}

// The right answer, for a reader who does not answer.
static void reveal(Plain *plain) {
    Learn *learn = &plain->learn;
    const LessonQuestion *question = learn->question.question;
    if (question == NULL || learn->question.is_answered) {
        return;
    }
    const Node *node = NULL;
    size_t element = 0;
    for (int i = 0; i < question->n_choices; i++) {
        if (question->choices[i].is_right) {
            write_wrapped(&plain->out, "> ", question->choices[i].text.text);
        }
    }
    Error err = {""};
    if (question->cell != NULL &&
        cursor_find_cell(&learn->cursor, question->cell, &node, &element, &err)) {
        stepper_require(&learn->playground.stepper, node);
        file_writer_print(&plain->out, "> %s = %.6g\n", question->cell,
                          cursor_value(&learn->cursor, node, element));
    } else if (question->cell != NULL) {
        write_wrapped(&plain->out, "! ", err.text);
        error_set(&plain->fault, "%s:%d: %s", learn->lesson.path, question->cell_line, err.text);
    }
    write_wrapped(&plain->out, "  ", question->after.text);
    file_writer_text(&plain->out, "\n");
    learn->question.is_answered = true;
    learn->question.is_open = false;
}

static void tell_block(Plain *plain, const LessonBlock *block) {
    static const char *const INDENTS[] = {"", "  ", "    "};
    FileWriter *out = &plain->out;
    switch (block->kind) {
    case LESSON_HEADING:
        file_writer_print(out, "%s %s\n\n", block->level == 1 ? "#" : "##", block->text.text);
        return;
    case LESSON_PROSE:
        write_wrapped(out, INDENTS[block->level > 2 ? 2 : block->level], block->text.text);
        file_writer_text(out, "\n");
        return;
    case LESSON_CODE:
        write_wrapped(out, "    ", block->text.text);
        file_writer_text(out, "\n");
        return;
    case LESSON_COMMANDS:
        finish_work(plain);
        if (plain->learn.merges.n == 0) {
            tell_place(plain);
        }
        return;
    case LESSON_CLAIMS: // a check evaluates them, see learn_check.c
        return;
    case LESSON_TRY:
        write_wrapped(out, "  ", block->try->ask.text);
        file_writer_text(out, "\n");
        return;
    case LESSON_QUESTION:
        tell_question(plain);
        return;
    }
}

static void tell_stop(Plain *plain) {
    const Lesson *lesson = &plain->learn.lesson;
    const LessonStop *stop = &lesson->stops[plain->learn.stop];
    for (int i = stop->first; i < stop->end; i++) {
        tell_block(plain, &lesson->blocks[i]);
    }
    finish_work(plain);
}

static void tell_help(Plain *plain) {
    for (int id = 0; id < COMMAND_COUNT; id++) {
        file_writer_print(&plain->out, "  %-13s %s\n", COMMANDS[id].name,
                          text_help(plain->learn.reply.language, (CommandId)id));
    }
}

// One typed line; true when the lesson is to go on.
static bool take_line(Plain *plain, char *line) {
    Learn *learn = &plain->learn;
    line[strcspn(line, "\n")] = '\0';
    int stop = learn->stop;
    if (line[strspn(line, " ")] == '\0' || strcmp(line, "continue") == 0) {
        return true;
    }
    if (strcmp(line, "help") == 0) {
        tell_help(plain);
        return false;
    }
    bool was_answered = learn->question.is_answered;
    learn_execute_line(learn, line);
    tell_notice(plain);
    finish_work(plain);
    if (learn->question.is_answered && !was_answered) {
        write_wrapped(&plain->out, "  ", learn->question.question->after.text);
        file_writer_text(&plain->out, "\n");
        return false;
    }
    if (learn->stop != stop) {
        tell_stop(plain);
    } else if (!learn->is_over) {
        tell_place(plain);
    }
    return false;
}

// Commands until the lesson is to go on; false when it was left.
static bool read_commands(Plain *plain) {
    char line[PROMPT_BYTES];
    while (plain->reads && !plain->learn.is_over) {
        file_writer_text(&plain->out, "> ");
        file_writer_flush(&plain->out);
        if (fgets(line, sizeof line, stdin) == NULL) {
            plain->reads = false;
            return isatty(STDIN_FILENO) == 0;
        }
        if (!isatty(STDIN_FILENO)) {
            file_writer_print(&plain->out, "%s%s", line, strchr(line, '\n') == NULL ? "\n" : "");
        }
        if (take_line(plain, line)) {
            return true;
        }
    }
    return !plain->learn.is_over;
}

static void play(Plain *plain) {
    Learn *learn = &plain->learn;
    if (plain->reads) {
        write_wrapped(&plain->out, "", reply_text(&learn->reply, TEXT_PLAIN_HELP));
        file_writer_text(&plain->out, "\n");
    }
    while (true) {
        tell_stop(plain);
        if (!read_commands(plain)) {
            return;
        }
        reveal(plain);
        if (learn->stop + 1 >= learn->lesson.n_stops) {
            break;
        }
        learn_go_to_stop(learn, learn->stop + 1);
    }
    write_wrapped(&plain->out, "", reply_text(&learn->reply, TEXT_PLAIN_BYE));
}

static void write_title(void *context, const char *file) {
    Plain *plain = context;
    char name[256];
    char *path = learn_find_lesson(file, plain->learn.reply.language, name);
    Lesson lesson = {0};
    if (path != NULL && lesson_load(&lesson, path, NULL)) {
        file_writer_print(&plain->out, "%2d  %s\n", lesson.number, lesson.title);
    }
    lesson_free(&lesson);
    free(path);
}

static bool run_plain(Plain *plain, const LearnOptions *options, Error *err) {
    Learn *learn = &plain->learn;
    if (!learn_init(learn, options, err) || !file_writer_open(&plain->out, "-", err)) {
        return false;
    }
    plain->reads = options->plain && (isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO));
    learn->reply.text[0] = '\0';
    if (!plain->reads && learn->has_lesson &&
        learn->queue.block >= learn->lesson.stops[learn->stop].end) {
        learn->queue.end = learn->queue.block; // the model opens where the text says so
    }
    if (learn->has_lesson) {
        play(plain);
    } else if (options->state != NULL) {
        tell_place(plain);
    } else {
        learn_list_lessons(write_title, plain);
    }
    bool ok = file_writer_commit(&plain->out, err);
    return ok && (!error_is_set(&plain->fault) || error_set(err, "%s", plain->fault.text));
}

int learn_plain(const LearnOptions *options, Error *err) {
    Plain *plain = calloc(1, sizeof *plain);
    if (plain == NULL) {
        error_set(err, "out of memory");
        return 1;
    }
    bool ok = run_plain(plain, options, err);
    file_writer_abandon(&plain->out);
    learn_free(&plain->learn);
    free(plain);
    return ok ? 0 : 1;
}
