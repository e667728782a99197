// player.c - a lesson that is being played: its stops, the commands that wait, its question.
#include "app/learn/player.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/lesson_files.h"
#include "engine/playground/playground.h"
#include "views/text_buffer.h"

void player_init(Player *player, Reply *reply, PlayerNumber *number, void *context) {
    *player = (Player){.reply = reply, .number = number, .context = context};
}

void player_free(Player *player) {
    lesson_free(&player->lesson);
}

void player_leave(Player *player) {
    player->has_lesson = false;
    player->question = (Question){.question = NULL};
}

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

static bool load(Player *player, const char *path, Error *err) {
    Lesson lesson;
    if (!lesson_load(&lesson, path, err)) {
        return false;
    }
    if (!check_commands(&lesson, err)) {
        lesson_free(&lesson);
        return false;
    }
    lesson_free(&player->lesson);
    player->lesson = lesson;
    player->has_lesson = true;
    about_needs(player->needs, &player->lesson, player->reply->language);
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

const LessonTry *player_try(const Player *player) {
    const LessonStop *stop = player->has_lesson ? &player->lesson.stops[player->stop] : NULL;
    for (int i = stop == NULL ? 0 : stop->first; stop != NULL && i < stop->end; i++) {
        if (player->lesson.blocks[i].kind == LESSON_TRY) {
            return player->lesson.blocks[i].try;
        }
    }
    return NULL;
}

bool player_do_hint(Player *player, const Command *command, Error *err) {
    (void)command;
    const LessonTry *try = player_try(player);
    if (try == NULL) {
        return reply_fail(player->reply, err, TEXT_NO_TRY, NULL, NULL);
    }
    TextBuffer buffer = {0};
    for (int i = 0; i < try->n_solution; i++) {
        text_buffer_print(&buffer, "%s%s", i > 0 ? " → :" : ":", try->solution[i].text);
    }
    char *line = NULL;
    size_t length = 0;
    if (!text_buffer_take(&buffer, &line, &length, err)) {
        return false;
    }
    reply_say(player->reply, TEXT_HINT_IS, line, NULL);
    free(line);
    return true;
}

static void enter_stop(Player *player, int stop, int first_block) {
    player->stop = stop;
    player->furthest = stop > player->furthest ? stop : player->furthest;
    player->n_stops_entered++;
    player->is_try_done = false;
    player->queue = (Queue){first_block, 0, player->lesson.stops[stop].end};
    const LessonQuestion *question = question_of(&player->lesson, stop);
    player->question = (Question){.question = question, .is_open = question != NULL};
}

static bool opens_model(const LessonBlock *block) {
    for (int k = 0; k < block->n_commands; k++) {
        if (strncmp(block->commands[k].text, "open ", 5) == 0) {
            return true;
        }
    }
    return false;
}

void player_go(Player *player, int stop) {
    const Lesson *lesson = &player->lesson;
    int block = lesson->stops[stop].first;
    // A jump does again what the lesson did since it last opened its model.
    for (int i = lesson->stops[stop].end - 1; stop != player->stop + 1 && i >= 0; i--) {
        if (opens_model(&lesson->blocks[i])) {
            block = i;
            break;
        }
    }
    enter_stop(player, stop, block);
}

// A lesson that begins with prose alone shows its model beside it from the start.
static void enter_first_stop(Player *player) {
    const Lesson *lesson = &player->lesson;
    enter_stop(player, 0, 0);
    for (int i = 0; i < lesson->n_blocks; i++) {
        if (opens_model(&lesson->blocks[i])) {
            player->queue = i < lesson->stops[0].end ? player->queue : (Queue){i, 0, i + 1};
            return;
        }
    }
}

bool player_open(Player *player, const char *name, Error *err) {
    bool is_path = strchr(name, '/') != NULL ||
                   (strlen(name) > 3 && strcmp(name + strlen(name) - 3, ".md") == 0);
    bool ok = false;
    if (is_path && strlen(name) >= sizeof player->file) {
        return error_set(err, "%s: expected a path of less than %zu bytes", name,
                         sizeof player->file);
    }
    if (is_path) {
        snprintf(player->file, sizeof player->file, "%s", name);
        ok = load(player, name, err);
    } else {
        char *path = lesson_files_find(name, player->reply->language, player->file);
        if (path == NULL) {
            path = lesson_files_find(name, LANGUAGE_EN, player->file);
        }
        if (path == NULL) {
            return error_set(err, "\"%s\": no such lesson; `attend lessons` lists them", name);
        }
        ok = load(player, path, err);
        free(path);
    }
    if (!ok) {
        return false;
    }
    player->is_own_file = is_path;
    player->is_visited = false;
    player->furthest = 0;
    player->resume_stop = 0;
    enter_first_stop(player);
    player_load_progress(player);
    return true;
}

const LessonCommand *player_next_command(Player *player) {
    Queue *queue = &player->queue;
    while (queue->block < queue->end && player->has_lesson) {
        const LessonBlock *block = &player->lesson.blocks[queue->block];
        if (queue->command < block->n_commands) {
            return &block->commands[queue->command++];
        }
        queue->block++;
        queue->command = 0;
    }
    return NULL;
}

void player_skip_commands(Player *player) {
    player->queue = (Queue){.block = player->queue.end, .end = player->queue.end};
}

bool player_repeats(const Player *player) {
    return player->has_lesson && player->queue.block < player->lesson.stops[player->stop].first;
}

bool player_has_commands(const Player *player) {
    const Queue *queue = &player->queue;
    for (int i = queue->block; player->has_lesson && i < queue->end; i++) {
        int first = i == queue->block ? queue->command : 0;
        if (first < player->lesson.blocks[i].n_commands) {
            return true;
        }
    }
    return false;
}

// ---- questions

static void say_wrong(Player *player) {
    const LessonQuestion *question = player->question.question;
    TextBuffer right = {0};
    if (question->cell != NULL) {
        text_buffer_print(&right, "%.6g", player->question.value);
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
        reply_say(player->reply, TEXT_WRONG, text, NULL);
        player->reply->is_bad = true;
        free(text);
    }
}

static bool judge(Player *player, const char *text, Error *err) {
    Question *state = &player->question;
    const LessonQuestion *question = state->question;
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || end[strspn(end, " ")] != '\0') {
        return reply_fail(player->reply, err, TEXT_NOT_A_NUMBER, text, NULL);
    }
    if (question->cell == NULL) {
        if (number < 1.0 || number > (double)question->n_choices) {
            return error_set(err, "%s", reply_text(player->reply, TEXT_CHOOSE));
        }
        state->chosen = (int)number;
        state->was_right = question->choices[state->chosen - 1].is_right;
        return true;
    }
    Error reason = {""};
    if (!player->number(player->context, question->cell, &state->value, &reason)) {
        return error_set(err, "%s:%d: %s", player->lesson.path, question->cell_line, reason.text);
    }
    state->was_right = fabs(number - state->value) <= question->tolerance + 1e-9;
    return true;
}

bool player_is_asking(const Player *player) {
    return player->question.question != NULL && !player->question.is_answered;
}

const LessonText *player_why(const Player *player) {
    const Question *state = &player->question;
    if (!state->is_answered || state->chosen < 1) {
        return NULL;
    }
    const LessonText *why = &state->question->choices[state->chosen - 1].why;
    return why->text == NULL || why->text[0] == '\0' ? NULL : why;
}

void player_answer(Player *player, const char *text) {
    Question *state = &player->question;
    Error err = {""};
    if (!player_is_asking(player)) {
        return;
    }
    if (!judge(player, text, &err)) {
        reply_complain(player->reply, err.text);
        return;
    }
    state->is_answered = true;
    state->is_open = false;
    if (state->was_right) {
        reply_say(player->reply, TEXT_RIGHT, NULL, NULL);
    } else {
        say_wrong(player);
    }
}

// ---- other places

bool player_do_back(Player *player, const Command *command, Error *err) {
    (void)command;
    (void)err;
    if (player->has_lesson && player->stop > 0) {
        player_go(player, player->stop - 1);
    } else {
        reply_say(player->reply, TEXT_AT_START, NULL, NULL);
    }
    return true;
}

bool player_do_resume(Player *player, const Command *command, Error *err) {
    (void)command;
    (void)err;
    bool can_resume = player->has_lesson && player->resume_stop > 0 &&
                      player->resume_stop < player->lesson.n_stops;
    if (can_resume) {
        player_go(player, player->resume_stop);
    } else {
        reply_say(player->reply, TEXT_PLAIN_NO_RESUME, NULL, NULL);
    }
    return true;
}

void player_set_language(Player *player, Language language) {
    Language before = player->reply->language;
    player->reply->language = language;
    reply_say(player->reply, TEXT_LANGUAGE_SET, NULL, NULL);
    if (!player->has_lesson || player->is_own_file || language == before) {
        return;
    }
    char file[256];
    char *path = lesson_files_find(player->file, language, file);
    Error reason = {""};
    bool ok = path != NULL && load(player, path, &reason);
    free(path);
    if (!ok) {
        reply_say(player->reply, TEXT_NO_TRANSLATION, NULL, NULL);
        return;
    }
    int last = player->lesson.n_stops - 1;
    player->stop = player->stop < last ? player->stop : last;
    player->question.question = question_of(&player->lesson, player->stop);
    player->queue.end =
        player->queue.end < player->lesson.n_blocks ? player->queue.end : player->lesson.n_blocks;
}
