// learn_lesson.c - the player of lessons: stops, their commands, questions.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn_actions.h"
#include "views/text_buffer.h"

// Every command is looked at before the first runs: a fault is told with its line.
static bool check_commands(const Lesson *lesson, Error *err) {
    for (int i = 0; i < lesson->n_blocks; i++) {
        const LessonBlock *block = &lesson->blocks[i];
        for (int k = 0; k < block->n_commands; k++) {
            char *line = strdup(block->commands[k].text);
            Command command;
            Error reason = {""};
            bool ok = line != NULL && command_parse(&command, line, &reason) &&
                      (command.id != COMMAND_OPEN || playground_check(command.rest, &reason));
            free(line);
            if (!ok) {
                return error_set(err, "%s:%d: %s", lesson->path, block->commands[k].line,
                                 reason.text);
            }
        }
    }
    return true;
}

static bool load(Learn *learn, const char *path, Error *err) {
    Lesson lesson;
    if (!lesson_load(&lesson, path, err)) {
        return false;
    }
    if (!check_commands(&lesson, err)) {
        lesson_free(&lesson);
        return false;
    }
    lesson_free(&learn->lesson);
    learn->lesson = lesson;
    learn->has_lesson = true;
    return true;
}

static const LessonQuestion *question_of(const Lesson *lesson, int stop) {
    for (int i = lesson->stops[stop].first; i < lesson->stops[stop].end; i++) {
        if (lesson->blocks[i].kind == LESSON_QUESTION) {
            return lesson->blocks[i].question;
        }
    }
    return NULL;
}

static void enter_stop(Learn *learn, int stop, int first_block) {
    learn->stop = stop;
    learn->furthest = stop > learn->furthest ? stop : learn->furthest;
    learn->scroll[PANE_LESSON] = 0;
    learn->queue = (Queue){first_block, 0, learn->lesson.stops[stop].end};
    const LessonQuestion *question = question_of(&learn->lesson, stop);
    learn->question = (QuestionState){.question = question, .is_open = question != NULL};
}

static bool opens_model(const LessonBlock *block) {
    for (int k = 0; k < block->n_commands; k++) {
        if (strncmp(block->commands[k].text, "open ", 5) == 0) {
            return true;
        }
    }
    return false;
}

void learn_go_to_stop(Learn *learn, int stop) {
    const Lesson *lesson = &learn->lesson;
    int block = lesson->stops[stop].first;
    // A jump does again what the lesson did since it last opened its model.
    for (int i = lesson->stops[stop].end - 1; stop != learn->stop + 1 && i >= 0; i--) {
        if (opens_model(&lesson->blocks[i])) {
            block = i;
            break;
        }
    }
    enter_stop(learn, stop, block);
}

// A lesson that begins with prose alone shows its model beside it from the start.
static void enter_first_stop(Learn *learn) {
    const Lesson *lesson = &learn->lesson;
    enter_stop(learn, 0, 0);
    for (int i = 0; i < lesson->n_blocks; i++) {
        if (opens_model(&lesson->blocks[i])) {
            learn->queue = i < lesson->stops[0].end ? learn->queue : (Queue){i, 0, i + 1};
            return;
        }
    }
}

bool learn_open_lesson(Learn *learn, const char *name, Error *err) {
    bool is_path = strchr(name, '/') != NULL ||
                   (strlen(name) > 3 && strcmp(name + strlen(name) - 3, ".md") == 0);
    bool ok = false;
    if (is_path && strlen(name) >= sizeof learn->lesson_file) {
        return error_set(err, "%s: expected a path of less than %zu bytes", name,
                         sizeof learn->lesson_file);
    }
    if (is_path) {
        snprintf(learn->lesson_file, sizeof learn->lesson_file, "%s", name);
        ok = load(learn, name, err);
    } else {
        char *path = learn_find_lesson(name, learn->reply.language, learn->lesson_file);
        if (path == NULL) {
            path = learn_find_lesson(name, LANGUAGE_EN, learn->lesson_file);
        }
        if (path == NULL) {
            return error_set(err, "\"%s\": no such lesson; `attend lessons` lists them", name);
        }
        ok = load(learn, path, err);
        free(path);
    }
    if (!ok) {
        return false;
    }
    learn_close_model(learn); // what was done to it belonged to the lesson before
    learn->is_own_file = is_path;
    learn->overlay = OVERLAY_NONE;
    learn->furthest = 0;
    learn->resume_stop = 0;
    enter_first_stop(learn);
    learn_load_progress(learn);
    return true;
}

bool learn_run_queue(Learn *learn) {
    Queue *queue = &learn->queue;
    while (queue->block < queue->end && learn->has_lesson) {
        const LessonBlock *block = &learn->lesson.blocks[queue->block];
        if (queue->command < block->n_commands) {
            const LessonCommand *command = &block->commands[queue->command++];
            learn->reply.is_bad = false;
            learn->is_scripted = true;
            learn_execute_line(learn, command->text);
            learn->is_scripted = false;
            if (learn->reply.is_bad) {
                Error reason = {""};
                error_set(&reason, "%s:%d: %s", learn->lesson.path, command->line,
                          learn->reply.text);
                reply_complain(&learn->reply, reason.text);
                queue->block = queue->end;
            }
            return true;
        }
        queue->block++;
        queue->command = 0;
    }
    return false;
}

bool learn_has_queue(const Learn *learn) {
    const Queue *queue = &learn->queue;
    for (int i = queue->block; learn->has_lesson && i < queue->end; i++) {
        int first = i == queue->block ? queue->command : 0;
        if (first < learn->lesson.blocks[i].n_commands) {
            return true;
        }
    }
    return false;
}

// ---- questions

static void say_wrong(Learn *learn) {
    const LessonQuestion *question = learn->question.question;
    TextBuffer right = {0};
    if (question->cell != NULL) {
        text_buffer_print(&right, "%.6g", learn->question.value);
    }
    for (int i = 0; i < question->n_choices; i++) {
        if (question->choices[i].is_right) {
            text_buffer_text(&right, right.length > 0 ? " / " : "");
            text_buffer_text(&right, question->choices[i].text.text);
        }
    }
    char *text = NULL;
    size_t length = 0;
    if (text_buffer_take(&right, &text, &length, NULL)) {
        reply_say(&learn->reply, TEXT_WRONG, text, NULL);
        learn->reply.is_bad = true;
        free(text);
    }
}

static bool judge(Learn *learn, const char *text, Error *err) {
    QuestionState *state = &learn->question;
    const LessonQuestion *question = state->question;
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || end[strspn(end, " ")] != '\0') {
        return reply_fail(&learn->reply, err, TEXT_NOT_A_NUMBER, text, NULL);
    }
    if (question->cell == NULL) {
        if (number < 1.0 || number > (double)question->n_choices) {
            return error_set(err, "%s", reply_text(&learn->reply, TEXT_CHOOSE));
        }
        state->was_right = question->choices[(int)number - 1].is_right;
        return true;
    }
    const Node *node = NULL;
    size_t element = 0;
    Error reason = {""};
    if (learn->playground.opened == NULL ||
        !cursor_find_cell(&learn->cursor, question->cell, &node, &element, &reason)) {
        return error_set(err, "%s:%d: %s", learn->lesson.path, question->cell_line, reason.text);
    }
    stepper_require(&learn->playground.stepper, node);
    state->value = cursor_value(&learn->cursor, node, element);
    state->was_right = fabs(number - state->value) <= question->tolerance + 1e-9;
    return true;
}

// What this stop has begun comes first; false while training takes its time.
static bool finish_queue(Learn *learn) {
    while (learn_has_queue(learn) && learn->playground.training.n_wanted <= 0) {
        learn_run_queue(learn);
    }
    return !learn_has_queue(learn);
}

void learn_answer(Learn *learn, const char *text) {
    QuestionState *state = &learn->question;
    Error err = {""};
    if (state->question == NULL || state->is_answered) {
        return;
    }
    if (!finish_queue(learn) || learn->playground.training.n_wanted > 0) {
        reply_say(&learn->reply, TEXT_WORKING, NULL, NULL);
        return;
    }
    if (!judge(learn, text, &err)) {
        reply_complain(&learn->reply, err.text);
        return;
    }
    state->is_answered = true;
    state->is_open = false;
    if (state->was_right) {
        reply_say(&learn->reply, TEXT_RIGHT, NULL, NULL);
    } else {
        say_wrong(learn);
    }
}

bool act_lesson(Learn *learn, const Command *command, Error *err) {
    (void)err;
    switch ((int)command->id) {
    case COMMAND_ANSWER:
        learn_answer(learn, command->rest);
        return true;
    case COMMAND_ASIDE:
        learn->overlay = learn->overlay == OVERLAY_MENU ? OVERLAY_MENU : OVERLAY_NONE;
        if (learn->question.is_open) {
            learn->question.is_open = false;
            reply_say(&learn->reply, TEXT_PUT_ASIDE, NULL, NULL);
        }
        return true;
    case COMMAND_RESUME:
        if (learn->has_lesson && learn->resume_stop > 0 &&
            learn->resume_stop < learn->lesson.n_stops) {
            learn_go_to_stop(learn, learn->resume_stop);
        }
        return true;
    case COMMAND_LESSON_BACK:
        if (learn->has_lesson && learn->stop > 0) {
            learn_go_to_stop(learn, learn->stop - 1);
        }
        return true;
    default:
        break;
    }
    if (!finish_queue(learn)) {
        return true;
    }
    if (!learn->has_lesson || learn->stop + 1 >= learn->lesson.n_stops) {
        reply_say(&learn->reply, TEXT_LESSON_END, NULL, NULL);
        return true;
    }
    learn_go_to_stop(learn, learn->stop + 1);
    return true;
}

bool learn_switch_language(Learn *learn, Language language, Error *err) {
    (void)err;
    Language before = learn->reply.language;
    learn->reply.language = language;
    reply_say(&learn->reply, TEXT_LANGUAGE_SET, NULL, NULL);
    if (!learn->has_lesson || learn->is_own_file || language == before) {
        return true;
    }
    char file[256];
    char *path = learn_find_lesson(learn->lesson_file, language, file);
    Error reason = {""};
    bool ok = path != NULL && load(learn, path, &reason);
    free(path);
    if (!ok) {
        reply_say(&learn->reply, TEXT_NO_TRANSLATION, NULL, NULL);
        return true;
    }
    int last = learn->lesson.n_stops - 1;
    learn->stop = learn->stop < last ? learn->stop : last;
    learn->question.question = question_of(&learn->lesson, learn->stop);
    learn->queue.end =
        learn->queue.end < learn->lesson.n_blocks ? learn->queue.end : learn->lesson.n_blocks;
    return true;
}
