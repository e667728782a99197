// plain_tell.c - what is looked at, in lines of text: the stage, its numbers, the cell.
#include <stdio.h>
#include <string.h>

#include "app/learn/plain.h"
#include "engine/tape/op.h"
#include "views/tensor_table.h"

enum { PLAIN_NUMBERS = 256 };

static const char *token_text(const void *context, int32_t id, char *text, size_t size) {
    return model_input_token(context, id, text, size);
}

bool plain_tell_part(Plain *plain, const Node *node, int item, int head) {
    const Learn *learn = &plain->learn;
    FileWriter *lines = &plain->page.lines;
    const OpenModel *opened = learn->bench.playground.opened;
    const TensorLabels labels = {&opened->built.tape, &opened->built.nodes, token_text, opened};
    const Language language = learn->reply.language;
    int width = plain->page.width;
    size_t n = tensor_table_part(NULL, node, &labels, language, width, item, head);
    char sizes[SHAPE_TEXT_BYTES];
    shape_sizes_text(&node->shape, sizes);
    file_writer_print(lines, "  %s  %s  %s\n", node->stage, sizes, node->shape.axes);
    if (n <= PLAIN_NUMBERS) {
        tensor_table_part(lines, node, &labels, language, width, item, head);
    } else {
        tensor_table_summary(lines, &opened->built.tape, node, language);
    }
    if (n > PLAIN_NUMBERS) {
        plain_page_text(&plain->page, "  ", reply_text(&learn->reply, TEXT_PLAIN_MANY));
    }
    return n == shape_count(&node->shape);
}

// What is looked at: the stage, what it is for, its numbers.
static void tell_stage(Plain *plain, const Node *node) {
    const Learn *learn = &plain->learn;
    const Stepper *stepper = &learn->bench.playground.stepper;
    FileWriter *lines = &plain->page.lines;
    char a[16];
    char b[16];
    char text[REPLY_BYTES];
    snprintf(a, sizeof a, "%d", stepper->at + 1);
    snprintf(b, sizeof b, "%d", stepper->n_steps);
    text_fill(text, sizeof text, reply_text(&learn->reply, TEXT_STEP_OF), a, b);
    file_writer_print(lines, "%s\n", text);
    tensor_text_head(lines, node, learn->reply.language);
    plain_page_text(&plain->page, "  ", sentence_for_node(node, learn->reply.language));
    const OpenModel *opened = learn->bench.playground.opened;
    TensorLabels labels = {&opened->built.tape, &opened->built.nodes, token_text, opened};
    if (shape_count(&node->shape) <= PLAIN_NUMBERS) {
        tensor_table_numbers(lines, node, &labels, learn->reply.language, plain->page.width);
    } else {
        tensor_table_summary(lines, &opened->built.tape, node, learn->reply.language);
    }
}

// A row of pieces as far as a text has been put together.
static void tell_merges(Plain *plain) {
    const Merges *merges = &plain->learn.bench.merges;
    const ViewMerge *row = &merges->steps[merges->n_shown - 1];
    FileWriter *lines = &plain->page.lines;
    for (int i = 0; i < row->n_pieces; i++) {
        int end = i + 1 < row->n_pieces ? row->starts[i + 1] : row->text_length;
        file_writer_print(lines, "%s%.*s", i == 0 ? "  " : (i == row->left + 1 ? " + " : " "),
                          end - row->starts[i], row->text + row->starts[i]);
    }
    file_writer_text(lines, "\n");
    if (row->rank >= 0) {
        file_writer_print(lines, "    (%d)\n", row->rank);
    }
}

void plain_tell_cell(Plain *plain) {
    Learn *learn = &plain->learn;
    const Node *node = learn->bench.cursor.place.node;
    if (node == NULL) {
        return;
    }
    char cell[256];
    char line[320];
    size_t element = cursor_element(&learn->bench.cursor);
    learn->bench.cursor.is_explained = false;
    cursor_explain(&learn->bench.cursor);
    explain_cell_name(node, element, cell, sizeof cell);
    snprintf(line, sizeof line, "%s = %.9g", cell,
             cursor_value(&learn->bench.cursor, node, element));
    file_writer_print(&plain->page.lines, "  %s\n", line);
    if (!learn->bench.cursor.is_explained) {
        return;
    }
    const char *arithmetic = explain_text(&learn->bench.cursor.explanation, EXPLAIN_TERMS);
    size_t length = strcspn(arithmetic, "\n");
    bool says_more = strlen(line) != length || strncmp(arithmetic, line, length) != 0;
    if (says_more) {
        plain_page_text(&plain->page, "    ", arithmetic);
    }
    plain_page_text(&plain->page, "    ",
                    sentence_for_note(learn->bench.cursor.explanation.note, learn->reply.language));
}

bool plain_tell_numbers(Plain *plain) {
    Learn *learn = &plain->learn;
    const Node *node = learn->bench.cursor.place.node;
    if (learn->bench.merges.n > 0) {
        tell_merges(plain);
        return false;
    }
    if (learn->bench.playground.opened == NULL || node == NULL) {
        return false;
    }
    (void)stepper_require(&learn->bench.playground.stepper, node, NULL);
    size_t element = cursor_element(&learn->bench.cursor);
    if (plain->n_builds != learn->bench.playground.n_builds) {
        plain->n_builds = learn->bench.playground.n_builds;
        plain->told = NULL;
    }
    bool is_new = node != plain->told;
    if (is_new) {
        tell_stage(plain, node);
    }
    if (is_new || element != plain->told_element) {
        plain_tell_cell(plain);
        file_writer_text(&plain->page.lines, "\n");
    }
    plain->told = node;
    plain->told_element = element;
    return is_new;
}

void plain_tell_notice(Plain *plain) {
    Learn *learn = &plain->learn;
    if (learn->reply.text[0] != '\0') {
        plain_page_text(&plain->page, learn->reply.is_bad ? "! " : "- ", learn->reply.text);
        learn->reply.text[0] = '\0';
    }
}

void plain_tell_question(Plain *plain) {
    const LessonQuestion *question = plain->learn.player.question.question;
    if (question == NULL) {
        return;
    }
    plain_page_text(&plain->page, "? ", question->ask.spoken);
    for (int i = 0; i < question->n_choices; i++) {
        char mark[16];
        snprintf(mark, sizeof mark, "  %d  ", i + 1);
        plain_page_text(&plain->page, mark, question->choices[i].text.spoken);
    }
    if (question->cell != NULL) {
        file_writer_print(&plain->page.lines, "  %s = ?\n", question->cell);
    }
    file_writer_text(&plain->page.lines, "\n");
}
