// learn_overlays.c - what keys mean while the menu, the help or the list of changes is open.
#include <stdio.h>
#include <string.h>

#include "app/learn/learn_keys.h"
#include "app/learn/lesson_files.h"

typedef struct Picked {
    int wanted, at;
    char file[256];
} Picked;

static void pick(void *context, const char *file) {
    Picked *picked = context;
    if (picked->at++ == picked->wanted) {
        snprintf(picked->file, sizeof picked->file, "%s", file);
    }
}

static void menu_key(Learn *learn, int key) {
    Picked picked = {.wanted = learn->screen.menu_at};
    lesson_files_list(pick, &picked);
    int n = picked.at;
    if (key == KEY_CODE_UP || key == 'k') {
        learn->screen.menu_at = n > 0 ? (learn->screen.menu_at + n - 1) % n : 0;
    } else if (key == KEY_CODE_DOWN || key == 'j') {
        learn->screen.menu_at = n > 0 ? (learn->screen.menu_at + 1) % n : 0;
    } else if (key == KEY_CODE_ENTER || key == KEY_CODE_SPACE || key == KEY_CODE_RIGHT) {
        Error err = {""};
        picked.file[strcspn(picked.file, ".")] = '\0';
        if (picked.file[0] != '\0' && !learn_open_lesson(learn, picked.file, &err)) {
            reply_complain(&learn->reply, err.text);
        }
    } else {
        CommandId id = command_of_key(key);
        if (id == COMMAND_LEAVE || id == COMMAND_QUIT || id == COMMAND_LANGUAGE ||
            id == COMMAND_THEME || id == COMMAND_REDRAW) {
            learn_execute_key(learn, id, 0);
        }
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
    CommandId id = command_of_key(key);
    int lines = key == KEY_CODE_UP || key == 'k' ? -1 : (key == KEY_CODE_DOWN || key == 'j');
    if (id == COMMAND_PAGE_UP || id == COMMAND_PAGE_DOWN) {
        learn_execute_key(learn, id, 0);
    } else if (lines != 0) {
        learn->screen.overlay_scroll =
            learn->screen.overlay_scroll + lines < 0 ? 0 : learn->screen.overlay_scroll + lines;
    } else if (id == COMMAND_LANGUAGE || id == COMMAND_THEME) {
        learn_execute_key(learn, id, 0);
    } else {
        learn->screen.overlay = OVERLAY_NONE;
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
