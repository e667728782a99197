// learn_keys.c - what a key or a paste means right now.
#include "app/learn/learn_keys.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { REDRAW_KEY = 'L' & 31 }; // Ctrl-L

// ---- a question: only what answers it is its own

// A line that owns all keys until Enter or Esc.
static void open_answer_line(Learn *learn, const char *typed) {
    char line[64];
    snprintf(line, sizeof line, "%s %s", COMMANDS[COMMAND_ANSWER].name, typed);
    prompt_begin(&learn->screen.prompt, line, true);
}

// False where the key means what it always means, so that the answer can be looked for.
static bool question_key(Learn *learn, int key) {
    bool is_number = learn->player.question.question->cell != NULL;
    bool is_digit = key >= '0' && key <= '9';
    const char typed[] = {is_digit ? (char)key : '\0', '\0'};
    if (is_number && (is_digit || key == '=')) {
        open_answer_line(learn, typed);
        return true;
    }
    if (is_digit) {
        learn_answer(learn, typed);
        return true;
    }
    if (command_of_key(key) == COMMAND_CONTINUE) {
        if (!screen_page_lesson(&learn->screen)) {
            reply_say(&learn->reply, is_number ? TEXT_TYPE_NUMBER : TEXT_CHOOSE, NULL, NULL);
        }
        return true;
    }
    return false;
}

static void press_in_prompt(Learn *learn, int key) {
    Prompt *prompt = &learn->screen.prompt;
    char line[PROMPT_BYTES];
    switch (prompt_key(prompt, &learn->reply, key)) {
    case PROMPT_WANTS_NOTHING:
        return;
    case PROMPT_WANTS_COMPLETION:
        screen_complete(&learn->screen);
        return;
    case PROMPT_WANTS_RUN:
        memcpy(line, prompt->text, sizeof line);
        learn_execute_line(learn, line);
        return;
    }
}

// A number typed before a key. False where the key is no digit of one: 0 alone is a key.
static bool count_key(Learn *learn, int key) {
    enum { MOST = 9999 };
    bool is_digit = key >= (learn->count > 0 ? '0' : '1') && key <= '9';
    if (is_digit) {
        int count = 10 * learn->count + (key - '0');
        learn->count = count < MOST ? count : MOST;
        char digits[16];
        snprintf(digits, sizeof digits, "%d", learn->count);
        reply_say(&learn->reply, TEXT_COUNTING, digits, NULL);
    }
    return is_digit;
}

// At the end of a lesson the next one follows. False where this is no end, or none follows.
static bool open_next(Learn *learn) {
    const Player *player = &learn->player;
    char name[256];
    Error err = {""};
    bool is_end = player->has_lesson && player->stop + 1 >= player->lesson.n_stops &&
                  !player_has_commands(player) &&
                  !training_is_running(&learn->bench.playground.training);
    if (!is_end || !player_find_next(player, name) || screen_page_lesson(&learn->screen)) {
        return false;
    }
    player_save_progress(player);
    if (!learn_open_lesson(learn, name, &err)) {
        reply_complain(&learn->reply, err.text);
    }
    return true;
}

static void press(Learn *learn, int key) {
    learn->reply.text[0] = '\0';
    if (learn->screen.prompt.is_open) {
        press_in_prompt(learn, key);
        return;
    }
    if (learn->screen.overlay != OVERLAY_NONE) {
        learn_overlay_key(learn, key);
        return;
    }
    if (learn->player.question.is_open && question_key(learn, key)) {
        return;
    }
    int count = learn->count;
    if (count_key(learn, key)) {
        return;
    }
    learn->count = 0;
    if (key == KEY_CODE_ESCAPE &&
        (count > 0 || workbench_stop(&learn->bench) || screen_stop(&learn->screen))) {
        return;
    }
    CommandId id = command_of_key(key);
    if (id == COMMAND_COUNT) {
        learn_say_unknown(learn, key);
    } else if (id == COMMAND_CONTINUE && open_next(learn)) {
        return;
    } else if (id != COMMAND_CONTINUE || count > 0 || !screen_page_lesson(&learn->screen)) {
        learn_execute_key(learn, id, count);
    }
}

// Pasted text presses no keys: it goes where text is typed.
static void paste(Learn *learn, const char *text) {
    learn->reply.text[0] = '\0';
    if (learn->screen.prompt.is_open) {
        prompt_paste(&learn->screen.prompt, &learn->reply, text);
        return;
    }
    const Question *question = &learn->player.question;
    if (learn->screen.overlay != OVERLAY_NONE || !question->is_open ||
        question->question->cell == NULL) {
        reply_say(&learn->reply, TEXT_PASTE_WHERE, NULL, NULL);
        return;
    }
    open_answer_line(learn, "");
    prompt_paste(&learn->screen.prompt, &learn->reply, text);
}

static void handle(Learn *learn, const Event *event) {
    int key = 0;
    waiting_begin(&learn->waiting, learn->reply.language, "attend");
    switch (event->kind) {
    case EVENT_KEY:
        if (event->key == REDRAW_KEY &&
            learn->screen.terminal != NULL) { // whatever else keys do now
            terminal_repaint(learn->screen.terminal);
            return;
        }
        press(learn, event->key);
        return;
    case EVENT_PASTE:
        paste(learn, event->text);
        return;
    case EVENT_MOUSE:
        key = learn_mouse(learn, event);
        if (key != 0) {
            press(learn, key);
        }
        return;
    case EVENT_SIGNAL:
    case EVENT_HANGUP:
        if (event->kind == EVENT_SIGNAL && event->key == SIGINT &&
            (workbench_stop(&learn->bench) || screen_stop(&learn->screen))) {
            terminal_stay(learn->screen.terminal);
            return;
        }
        learn->is_over = true;
        learn->signal = event->key;
        return;
    case EVENT_NONE:
    case EVENT_RESIZE:
        return;
    }
}

void learn_handle(Learn *learn, const Event *event) {
    handle(learn, event);
    (void)learn_visit(learn);
}
