// prompt.c - the line that takes commands: editing and history.
#include "app/learn/prompt.h"

#include <stdio.h>
#include <string.h>

#include <utf8proc.h>

#include "app/terminal/key.h"
#include "engine/base/file.h"
#include "engine/base/utf8.h"
#include "views/text.h"

void prompt_begin(Prompt *prompt, const char *start, bool is_open) {
    text_copy(prompt->text, sizeof prompt->text, start);
    prompt->length = strlen(prompt->text);
    prompt->cursor = prompt->length;
    prompt->at = prompt->n_history;
    prompt->hint[0] = '\0';
    prompt->is_open = is_open;
}

// Whole characters. False, with the reason as the hint, where they do not fit.
static bool insert(Prompt *prompt, const Reply *reply, const char *bytes, size_t length) {
    if (prompt->length + length >= sizeof prompt->text) {
        char most[16];
        snprintf(most, sizeof most, "%d", PROMPT_BYTES - 1);
        text_fill(prompt->hint, sizeof prompt->hint, reply_text(reply, TEXT_LINE_FULL), most, NULL);
        return false;
    }
    memmove(prompt->text + prompt->cursor + length, prompt->text + prompt->cursor,
            prompt->length - prompt->cursor + 1);
    memcpy(prompt->text + prompt->cursor, bytes, length);
    prompt->length += length;
    prompt->cursor += length;
    return true;
}

static size_t before(const Prompt *prompt, size_t at) {
    while (at > 0 && ((unsigned char)prompt->text[--at] & 0xC0U) == 0x80U) {
    }
    return at;
}

static size_t after(const Prompt *prompt, size_t at) {
    while (at < prompt->length && ((unsigned char)prompt->text[++at] & 0xC0U) == 0x80U) {
    }
    return at;
}

static void erase(Prompt *prompt, size_t from, size_t to) {
    memmove(prompt->text + from, prompt->text + to, prompt->length - to + 1);
    prompt->length -= to - from;
    prompt->cursor = from;
}

// ---- history

static void remember(Prompt *prompt) {
    int n = prompt->n_history;
    if (n > 0 && strcmp(prompt->history[n - 1], prompt->text) == 0) {
        return;
    }
    if (n == PROMPT_HISTORY) {
        memmove(prompt->history[0], prompt->history[1], (size_t)(n - 1) * PROMPT_BYTES);
        n--;
    }
    memcpy(prompt->history[n], prompt->text, PROMPT_BYTES);
    prompt->n_history = n + 1;
}

static void browse(Prompt *prompt, int direction) {
    int to = prompt->at + direction;
    if (to < 0 || to > prompt->n_history) {
        return;
    }
    if (prompt->at == prompt->n_history) {
        memcpy(prompt->saved, prompt->text, sizeof prompt->saved);
    }
    const char *text = to == prompt->n_history ? prompt->saved : prompt->history[to];
    prompt->at = to;
    memcpy(prompt->text, text, PROMPT_BYTES);
    prompt->length = strlen(prompt->text);
    prompt->cursor = prompt->length;
}

// How many bytes all names have in common.
static size_t common(const char *const *names, int n) {
    size_t length = strlen(names[0]);
    for (int i = 1; i < n; i++) {
        size_t k = 0;
        while (k < length && names[i][k] == names[0][k]) {
            k++;
        }
        length = k;
    }
    return length;
}

static void list_names(Prompt *prompt, const char *const *names, int n) {
    size_t length = 0;
    prompt->hint[0] = '\0';
    for (int i = 0; n > 1 && i < n && length < sizeof prompt->hint - 1; i++) {
        length += (size_t)snprintf(prompt->hint + length, sizeof prompt->hint - length, "%s%s",
                                   i > 0 ? "  " : "", names[i]);
    }
    text_trim(prompt->hint);
}

// ---- keys

static PromptWants enter(Prompt *prompt) {
    prompt->is_open = false;
    if (prompt->text[strspn(prompt->text, " ")] == '\0') {
        return PROMPT_WANTS_NOTHING;
    }
    remember(prompt);
    return PROMPT_WANTS_RUN;
}

enum { CTRL_A = 1, CTRL_E = 5, CTRL_K = 11, CTRL_U = 21, CTRL_W = 23 };

static size_t word_start(const Prompt *prompt, size_t at) {
    while (at > 0 && prompt->text[at - 1] == ' ') {
        at--;
    }
    while (at > 0 && prompt->text[at - 1] != ' ') {
        at--;
    }
    return at;
}

// Keys that move within the line or take from it; false: another one.
static bool edit_key(Prompt *prompt, int key) {
    size_t at = prompt->cursor;
    switch (key) {
    case KEY_CODE_LEFT:
        prompt->cursor = before(prompt, at);
        return true;
    case KEY_CODE_RIGHT:
        prompt->cursor = after(prompt, at);
        return true;
    case KEY_CODE_HOME:
    case CTRL_A:
        prompt->cursor = 0;
        return true;
    case KEY_CODE_END:
    case CTRL_E:
        prompt->cursor = prompt->length;
        return true;
    case KEY_CODE_BACKSPACE:
        prompt->is_open = prompt->length > 0;
        erase(prompt, before(prompt, at), at);
        return true;
    case KEY_CODE_DELETE:
        erase(prompt, at, after(prompt, at));
        return true;
    case CTRL_K:
        erase(prompt, at, prompt->length);
        return true;
    case CTRL_U:
        erase(prompt, 0, at);
        return true;
    case CTRL_W:
        erase(prompt, word_start(prompt, at), at);
        return true;
    default:
        return false;
    }
}

void prompt_complete(Prompt *prompt, const Reply *reply, const char *start,
                     const char *const *names, int n, bool is_command) {
    prompt->hint[0] = '\0';
    if (n == 0) {
        return;
    }
    size_t typed = strlen(start);
    prompt->cursor = prompt->length;
    bool fits = insert(prompt, reply, names[0] + typed, common(names, n) - typed);
    fits = fits && (n > 1 || !is_command || insert(prompt, reply, " ", 1));
    if (fits) {
        list_names(prompt, names, n);
    }
}

PromptWants prompt_key(Prompt *prompt, const Reply *reply, int key) {
    prompt->hint[0] = '\0';
    switch (key) {
    case KEY_CODE_ENTER:
        return enter(prompt);
    case KEY_CODE_ESCAPE:
        prompt->is_open = false;
        return PROMPT_WANTS_NOTHING;
    case KEY_CODE_TAB:
        return PROMPT_WANTS_COMPLETION;
    case KEY_CODE_UP:
    case KEY_CODE_DOWN:
        browse(prompt, key == KEY_CODE_UP ? -1 : 1);
        return PROMPT_WANTS_NOTHING;
    default:
        break;
    }
    key = key == KEY_CODE_SPACE ? ' ' : key;
    if (!edit_key(prompt, key) && key >= ' ' && key < KEY_CODE_UP) {
        char bytes[8] = {0};
        utf8proc_ssize_t size = utf8proc_encode_char(key, (utf8proc_uint8_t *)bytes);
        insert(prompt, reply, bytes, (size_t)size);
    }
    return PROMPT_WANTS_NOTHING;
}

void prompt_paste(Prompt *prompt, const Reply *reply, const char *text) {
    size_t length = strlen(text);
    if (prompt->length + length >= sizeof prompt->text) {
        insert(prompt, reply, text, length);
        return;
    }
    while (*text != '\0') {
        int32_t code = 0;
        size_t size = utf8_character(text, &code);
        bool is_plain = !utf8_is_control(code);
        insert(prompt, reply, is_plain ? text : " ", is_plain ? size : 1);
        text += size;
    }
}
