// screen_lesson.c - a lesson's text in its pane: prose with its marks, questions, answers.
#include <stdio.h>
#include <string.h>

#include "app/learn/screen_private.h"

static Style style_of(char mark) {
    switch (mark) {
    case 's':
        return STYLE_STRONG;
    case 'e':
        return STYLE_EMPHASIS;
    case '`':
        return STYLE_CODE;
    case 'l':
        return STYLE_LINK;
    default:
        return STYLE_TEXT;
    }
}

// One line of the text, run by run of the same mark.
static void draw_line(Canvas *canvas, int x, int y, const LessonText *text, size_t from,
                      size_t length) {
    size_t at = from;
    while (at < from + length) {
        char run[512];
        size_t n = 0;
        char mark = text->marks[at];
        while (at + n < from + length && text->marks[at + n] == mark && n + 1 < sizeof run) {
            n++;
        }
        memcpy(run, text->text + at, n);
        run[n] = '\0';
        x = canvas_text(canvas, x, y, style_of(mark), run);
        at += n;
    }
}

// Draws a text with its marks from line y on; gives the line after it. canvas NULL: measures.
static int draw_prose(Canvas *canvas, int x, int y, int width, const LessonText *text) {
    const char *at = text->text;
    while (*at != '\0') {
        const char *next = at;
        size_t length = text_wrap(at, width < 1 ? 1 : width, &next);
        if (canvas != NULL) {
            draw_line(canvas, x, y, text, (size_t)(at - text->text), length);
        }
        y++;
        at = next;
    }
    return y;
}

static int draw_plain(Canvas *canvas, int x, int y, int width, Style style, const char *text) {
    int lines = canvas_paragraph(canvas, (Rect){x, y, width, 1 << 14}, style, text);
    return y + lines;
}

static int draw_answers(const Screen *screen, Canvas *canvas, int y, int width) {
    const Question *state = &screen->player->question;
    const LessonQuestion *question = state->question;
    for (int i = 0; i < question->n_choices; i++) {
        const LessonChoice *choice = &question->choices[i];
        char number[16];
        snprintf(number, sizeof number, "%d", i + 1);
        bool is_told = state->is_answered && choice->is_right;
        bool is_taken = state->is_answered && state->chosen == i + 1;
        Style style = is_told ? STYLE_GOOD : (is_taken ? STYLE_BAD : STYLE_KEY);
        const char *mark = is_told ? (canvas->ascii ? "*" : "✓") : (canvas->ascii ? "x" : "✗");
        canvas_text(canvas, 2, y, style, number);
        canvas_text(canvas, 4, y, style, is_told || is_taken ? mark : "");
        y = draw_prose(canvas, 6, y, width - 6, &choice->text);
        const LessonText *why = is_taken ? player_why(screen->player) : NULL;
        y = why != NULL ? draw_prose(canvas, 6, y, width - 6, why) : y;
    }
    return y;
}

// What is typed, then the number itself.
static int draw_number(const Screen *screen, Canvas *canvas, int y) {
    const Question *state = &screen->player->question;
    if (state->is_answered) {
        canvas_format(canvas, 2, y, STYLE_GOOD, "%s = %.6g", state->question->cell, state->value);
        return y + 1;
    }
    const char *answer = COMMANDS[COMMAND_ANSWER].name;
    size_t length = strlen(answer);
    const char *line = screen->prompt.is_open ? screen->prompt.text : "";
    bool is_typed = strncmp(line, answer, length) == 0 && line[length] == ' ';
    int x = canvas_format(canvas, 2, y, STYLE_CODE, "%s = ", state->question->cell);
    canvas_text(canvas, x, y, is_typed ? STYLE_PROMPT : STYLE_DIM,
                is_typed ? line + length + 1 : "?");
    return y + 1;
}

static int draw_question(const Screen *screen, Canvas *canvas, int y, int width) {
    const Question *state = &screen->player->question;
    const LessonQuestion *question = state->question;
    canvas_text(canvas, 0, y, STYLE_QUESTION, "?");
    y = draw_prose(canvas, 2, y, width - 2, &question->ask);
    y = question->cell != NULL ? draw_number(screen, canvas, y)
                               : draw_answers(screen, canvas, y, width);
    if (state->is_answered) {
        return draw_prose(canvas, 2, y, width - 2, &question->after);
    }
    if (state->is_open) {
        TextId hint = question->cell != NULL ? TEXT_TYPE_NUMBER : TEXT_CHOOSE;
        y = draw_plain(canvas, 2, y, width - 2, STYLE_DIM, reply_text(screen->reply, hint));
    }
    return y;
}

// What is to be tried; once it is done, what the lesson says then.
static int draw_try(const Screen *screen, Canvas *canvas, int y, int width, const LessonTry *try) {
    bool is_done = screen->player->is_try_done;
    canvas_text(canvas, 0, y, is_done ? STYLE_GOOD : STYLE_QUESTION,
                is_done ? (canvas->ascii ? "*" : "✓") : "?");
    y = draw_prose(canvas, 2, y, width - 2, &try->ask);
    return is_done ? draw_prose(canvas, 2, y, width - 2, &try->after)
                   : draw_plain(canvas, 2, y, width - 2, STYLE_DIM,
                                reply_text(screen->reply, TEXT_TRY_HINT));
}

static int draw_block(const Screen *screen, Canvas *canvas, int y, int width,
                      const LessonBlock *block) {
    switch (block->kind) {
    case LESSON_HEADING:
        return block->level == 1 ? y
                                 : draw_plain(canvas, 0, y, width, STYLE_HEADING, block->text.text);
    case LESSON_PROSE:
        return draw_prose(canvas, 2 * block->level, y, width - 2 * block->level, &block->text);
    case LESSON_CODE:
        return draw_prose(canvas, 2, y, width - 2, &block->text);
    case LESSON_COMMANDS:
    case LESSON_CLAIMS:
        return y;
    case LESSON_TRY:
        return draw_try(screen, canvas, y, width, block->try);
    case LESSON_QUESTION:
        return draw_question(screen, canvas, y, width);
    }
    return y;
}

// Above the first stop: the goal, how long it takes, what comes before.
static int draw_start(const Screen *screen, Canvas *canvas, int y) {
    const Player *player = screen->player;
    char text[ABOUT_BYTES];
    about_start(text, &player->lesson, player->needs, screen->reply->language);
    bool is_here = player->stop == 0 && text[0] != '\0';
    return is_here ? draw_plain(canvas, 0, y, canvas->width, STYLE_DIM, text) + 1 : y;
}

// Below the last one, once its question is answered.
static int draw_end(const Screen *screen, Canvas *canvas, int y) {
    const Player *player = screen->player;
    char text[ABOUT_BYTES];
    about_end(text, &player->lesson, screen->reply->language);
    bool is_here = player->stop + 1 == player->lesson.n_stops && text[0] != '\0' &&
                   (player->question.question == NULL || !player->question.is_open);
    return is_here ? draw_plain(canvas, 0, y + 1, canvas->width, STYLE_DIM, text) : y;
}

int screen_draw_lesson(const Screen *screen, Canvas *canvas, int scroll) {
    const LessonStop *stop = &screen->player->lesson.stops[screen->player->stop];
    int y = draw_start(screen, canvas, -scroll);
    LessonBlockKind last = LESSON_HEADING;
    for (int i = stop->first; i < stop->end; i++) {
        const LessonBlock *block = &screen->player->lesson.blocks[i];
        bool is_list = block->kind == LESSON_PROSE && block->level > 0;
        int before = y;
        y = draw_block(screen, canvas, y + (y > -scroll && last != LESSON_HEADING && !is_list),
                       canvas->width, block);
        bool is_empty = block->kind == LESSON_COMMANDS || block->kind == LESSON_CLAIMS ||
                        (block->kind == LESSON_HEADING && block->level == 1);
        y = is_empty ? before : y;
        last = is_empty ? last : block->kind;
    }
    return draw_end(screen, canvas, y) + scroll;
}
