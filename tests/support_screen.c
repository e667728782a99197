// support_screen.c - the learning screen on a terminal of our own, with a state folder of its own.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/folder.h"
#include "tests/support_screen.h"

static char folder[FOLDER_PATH_BYTES];

int screen_make_folder(void **state) {
    (void)state;
    setenv("ATTEND_ASSETS", ".", 0);
    folder_make(folder);
    return 0;
}

int screen_remove_folder(void **state) {
    (void)state;
    char path[FOLDER_PATH_BYTES];
    if (access(folder_path(folder, "attend", path), F_OK) == 0) {
        folder_remove(path);
    }
    folder_remove(folder);
    return 0;
}

const char *screen_folder(void) {
    return folder;
}

const char *const *screen_environment(void) {
    static char home[FOLDER_PATH_BYTES + 16];
    static const char *all[] = {home, NULL};
    snprintf(home, sizeof home, "XDG_STATE_HOME=%s", folder);
    return all;
}

const char *const SCREEN_LESSON[] = {"learn", "13", NULL};

void screen_show_numbers(Pty *pty) {
    screen_expect(pty, "map: src.tokens");
    pty_send(pty, ":view tensor\r");
    screen_expect(pty, "tensor: src.tokens");
}

void screen_start(Pty *pty, int width, int height) {
    pty_start(pty, SCREEN_KIND, width, height, SCREEN_LESSON, screen_environment());
    screen_show_numbers(pty);
}

void screen_expect(Pty *pty, const char *text) {
    if (!pty_wait_for(pty, text)) {
        pty_print(pty);
        fail_msg("the screen does not show \"%s\"", text);
    }
}

void screen_leave(Pty *pty) {
    pty_send(pty, "Q");
    assert_int_equal(pty_end(pty), 0);
    assert_false(pty->is_alternate);
    assert_false(pty->cursor_is_off);
    assert_false(pty->has_paste);
    assert_false(pty->has_mouse);
    if (pty->n_unknown > 0) {
        fail_msg("the terminal does not know %s", pty->unknown);
    }
}

static void decode_base64(const char *code, char *text, size_t size) {
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0;
    int n_bits = 0;
    size_t length = 0;
    for (; *code != '\0' && *code != '=' && length + 1 < size; code++) {
        const char *digit = strchr(DIGITS, *code);
        assert_non_null(digit);
        bits = bits << 6 | (unsigned)(digit - DIGITS);
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            text[length++] = (char)(bits >> n_bits & 255U);
        }
    }
    text[length] = '\0';
}

void screen_copy_cell(Pty *pty, char *text, size_t size) {
    pty->copied[0] = '\0';
    pty_send(pty, "y");
    for (int i = 0; i < 500 && pty->copied[0] == '\0'; i++) {
        pty_step(pty, 20);
    }
    if (pty->copied[0] == '\0') {
        pty_print(pty);
        fail_msg("y copies nothing");
    }
    decode_base64(pty->copied, text, size);
}
