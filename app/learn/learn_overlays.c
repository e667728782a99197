// learn_overlays.c - what keys mean while the menu, the help or the list of changes is open.
#include <stdio.h>

#include "app/learn/learn_keys.h"

void learn_say_unknown(Learn *learn, int key) {
    char name[KEY_NAME_BYTES];
    key_label(key, learn->screen.ascii, name);
    if (name[0] != '\0') { // else it is none that a person would know by a name
        reply_say(&learn->reply, TEXT_UNKNOWN_KEY, name, NULL);
    }
}

// A lesson's number, digit by digit: 1, then 13.
static void menu_digit(Learn *learn, int digit) {
    const Course *course = &learn->screen.course;
    char text[16];
    int number = 10 * learn->count + digit;
    bool is_begun = false;
    for (int i = 0; i < course->n; i++) {
        is_begun = is_begun || course->lessons[i].number / 10 == number;
    }
    int at = course_find(course, number);
    if (at < 0 && !is_begun && learn->count > 0) {
        learn->count = 0; // it begins another number
        menu_digit(learn, digit);
        return;
    }
    snprintf(text, sizeof text, "%d", number);
    learn->count = number <= 9 ? number : 0;
    if (at >= 0) {
        learn->screen.menu_at = at;
    }
    reply_say(&learn->reply,
              at >= 0 ? TEXT_MENU_OPENS : (is_begun ? TEXT_MENU_DIGIT : TEXT_MENU_NO_NUMBER), text,
              NULL);
}

static void open_chosen(Learn *learn) {
    const Course *course = &learn->screen.course;
    Error err = {""};
    player_save_progress(&learn->player);
    if (course->n > 0 &&
        !learn_open_lesson(learn, course->lessons[learn->screen.menu_at].name, &err)) {
        reply_complain(&learn->reply, err.text);
    }
}

// How far a key moves in a list of so many lines, 0: not at all.
static int steps_of_key(int key, int page, int all) {
    const CommandId id = command_of_key(key);
    switch ((int)id) {
    case COMMAND_UP:
        return -1;
    case COMMAND_DOWN:
        return 1;
    case COMMAND_PAGE_UP:
        return -page;
    case COMMAND_PAGE_DOWN:
        return page;
    case COMMAND_FIRST:
        return -all;
    case COMMAND_LAST:
        return all;
    default:
        return 0;
    }
}

static bool is_for_menu(CommandId id) {
    static const CommandId IDS[] = {COMMAND_LEAVE,  COMMAND_QUIT, COMMAND_LANGUAGE, COMMAND_THEME,
                                    COMMAND_REDRAW, COMMAND_HELP, COMMAND_ASIDE,    COMMAND_PROMPT};
    for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
        if (IDS[i] == id) {
            return true;
        }
    }
    return false;
}

static void menu_key(Learn *learn, int key) {
    enum { PAGE = 8 };
    const CommandId id = command_of_key(key);
    if (key >= (learn->count > 0 ? '0' : '1') && key <= '9') {
        menu_digit(learn, key - '0');
        return;
    }
    learn->count = 0;
    int steps = steps_of_key(key, PAGE, learn->screen.course.n);
    if (steps != 0) {
        screen_move_menu(&learn->screen, steps);
    } else if (key == KEY_CODE_ENTER || key == KEY_CODE_SPACE || key == KEY_CODE_RIGHT) {
        open_chosen(learn);
    } else if (id == COMMAND_SEARCH) {
        prompt_begin(&learn->screen.prompt, "lessons ", true);
    } else if (is_for_menu(id)) {
        learn_execute_key(learn, id, 0);
    } else {
        learn_say_unknown(learn, key);
    }
}

static void change_key(Learn *learn, int key) {
    static const struct {
        int key;
        CommandId id;
        const char *prompt; // NULL: the command as it is
    } KEYS[] = {
        {'m', COMMAND_MASK, NULL},        {'s', COMMAND_SCALE, NULL},
        {'r', COMMAND_RESIDUAL, NULL},    {'p', COMMAND_POSITIONS, NULL},
        {'n', COMMAND_NORM, NULL},        {'h', COMMAND_HEADS, "heads "},
        {'l', COMMAND_LAYERS, "layers "}, {'w', COMMAND_WIDTH, "width "},
        {'i', COMMAND_INPUT, "input "},   {'d', COMMAND_SEED, "seed "},
    };
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        if (KEYS[i].key != key) {
            continue;
        }
        if (KEYS[i].prompt != NULL) {
            learn->screen.overlay = OVERLAY_NONE;
            prompt_begin(&learn->screen.prompt, KEYS[i].prompt, true);
        } else {
            learn_execute_key(learn, KEYS[i].id, 0);
        }
        return;
    }
    learn->screen.overlay = OVERLAY_NONE;
}

static void help_key(Learn *learn, int key) {
    Screen *screen = &learn->screen;
    const CommandId id = command_of_key(key);
    int steps = steps_of_key(key, screen->overlay_rows - 1, screen->overlay_lines);
    if (steps != 0) {
        if (!screen_scroll_help(screen, steps)) {
            reply_say(&learn->reply, steps < 0 ? TEXT_AT_START : TEXT_AT_END, NULL, NULL);
        }
    } else if (id == COMMAND_SEARCH) {
        prompt_begin(&screen->prompt, "help ", true);
    } else if (id == COMMAND_LANGUAGE || id == COMMAND_THEME) {
        learn_execute_key(learn, id, 0);
    } else {
        screen_close_overlay(screen);
    }
}

void learn_overlay_key(Learn *learn, int key) {
    switch (learn->screen.overlay) {
    case OVERLAY_NONE:
        return;
    case OVERLAY_MENU:
        menu_key(learn, key);
        return;
    case OVERLAY_HELP:
        help_key(learn, key);
        return;
    case OVERLAY_CHANGE:
        change_key(learn, key);
        return;
    }
}
