// prompt.c - the line that takes commands: editing and history.
#include "app/learn/prompt.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <utf8proc.h>

#include "app/terminal/key.h"
#include "engine/base/file.h"
#include "engine/base/utf8.h"
#include "views/text.h"

const char *const PROMPT_KEYS[PROMPT_KEY_COUNT] = {
#define X(id, keys) keys,
    PROMPT_KEY_LIST(X)
#undef X
};

void prompt_begin(Prompt *prompt, const char *start, bool is_open) {
    text_copy(prompt->text, sizeof prompt->text, start);
    prompt->length = strlen(prompt->text);
    prompt->cursor = prompt->length;
    prompt->proposed = 0;
    prompt->at = prompt->n_history;
    prompt->hint[0] = '\0';
    prompt->is_open = is_open;
}

void prompt_propose(Prompt *prompt, size_t proposed) {
    prompt->proposed = proposed < prompt->length ? proposed : 0;
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

// A proposal gives way to what is typed.
static void replace_proposal(Prompt *prompt) {
    if (prompt->proposed > 0) {
        erase(prompt, prompt->proposed, prompt->length);
        prompt->proposed = 0;
    }
}

// Erases what can be put in again.
static void cut(Prompt *prompt, size_t from, size_t to) {
    if (to > from) {
        memcpy(prompt->erased, prompt->text + from, to - from);
        prompt->erased[to - from] = '\0';
        erase(prompt, from, to);
    }
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
        text_print(prompt->hint + length, sizeof prompt->hint - length, "%s%s", i > 0 ? "  " : "",
                   names[i]);
        length = strlen(prompt->hint);
    }
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

// Ctrl-W erases to the space before, as readline does; Alt-B stops at every sign between words.
static size_t space_before(const Prompt *prompt) {
    size_t at = prompt->cursor;
    while (at > 0 && prompt->text[at - 1] == ' ') {
        at--;
    }
    while (at > 0 && prompt->text[at - 1] != ' ') {
        at--;
    }
    return at;
}

static bool is_of_word(char c) {
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80U;
}

static size_t word_before(const Prompt *prompt) {
    size_t at = prompt->cursor;
    while (at > 0 && !is_of_word(prompt->text[at - 1])) {
        at--;
    }
    while (at > 0 && is_of_word(prompt->text[at - 1])) {
        at--;
    }
    return at;
}

static size_t word_after(const Prompt *prompt) {
    size_t at = prompt->cursor;
    while (at < prompt->length && !is_of_word(prompt->text[at])) {
        at++;
    }
    while (at < prompt->length && is_of_word(prompt->text[at])) {
        at++;
    }
    return at;
}

static void move_cursor(Prompt *prompt, PromptKey key) {
    size_t at = prompt->cursor;
    switch ((int)key) {
    case PROMPT_START:
        at = 0;
        break;
    case PROMPT_END:
        at = prompt->length;
        break;
    case PROMPT_BACK:
        at = before(prompt, at);
        break;
    case PROMPT_FORWARD:
        at = after(prompt, at);
        break;
    case PROMPT_WORD_BACK:
        at = word_before(prompt);
        break;
    case PROMPT_WORD_FORWARD:
        at = word_after(prompt);
        break;
    default:
        break;
    }
    prompt->cursor = at;
}

static void take_from(Prompt *prompt, PromptKey key, bool is_to_space) {
    size_t at = prompt->cursor;
    switch ((int)key) {
    case PROMPT_ERASE_BACK:
        prompt->is_open = prompt->length > 0;
        erase(prompt, before(prompt, at), at);
        return;
    case PROMPT_ERASE:
        erase(prompt, at, after(prompt, at));
        return;
    case PROMPT_ERASE_WORD_BACK:
        cut(prompt, is_to_space ? space_before(prompt) : word_before(prompt), at);
        return;
    case PROMPT_ERASE_WORD:
        cut(prompt, at, word_after(prompt));
        return;
    case PROMPT_ERASE_TO_START:
        cut(prompt, 0, at);
        return;
    case PROMPT_ERASE_TO_END:
        cut(prompt, at, prompt->length);
        return;
    default:
        return;
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

static PromptKey find_key(int key) {
    int id = 0;
    while (id < PROMPT_KEY_COUNT && !key_is_among(key, PROMPT_KEYS[id])) {
        id++;
    }
    return (PromptKey)id;
}

static void type(Prompt *prompt, const Reply *reply, int key) {
    char bytes[8] = {0};
    key = key == KEY_CODE_SPACE ? ' ' : key;
    if (key < ' ' || key >= KEY_CODE_UP) {
        return; // one that means nothing in a line
    }
    replace_proposal(prompt);
    utf8proc_ssize_t size = utf8proc_encode_char(key, (utf8proc_uint8_t *)bytes);
    insert(prompt, reply, bytes, (size_t)size);
}

PromptWants prompt_key(Prompt *prompt, const Reply *reply, int key) {
    const PromptKey id = find_key(key);
    prompt->hint[0] = '\0';
    if (id == PROMPT_KEY_COUNT) {
        type(prompt, reply, key);
        return PROMPT_WANTS_NOTHING;
    }
    prompt->proposed = 0;
    switch (id) {
    case PROMPT_RUN:
        return enter(prompt);
    case PROMPT_CLOSE:
        prompt->is_open = false;
        return PROMPT_WANTS_NOTHING;
    case PROMPT_COMPLETE:
        return PROMPT_WANTS_COMPLETION;
    case PROMPT_EARLIER:
    case PROMPT_LATER:
        browse(prompt, id == PROMPT_EARLIER ? -1 : 1);
        return PROMPT_WANTS_NOTHING;
    case PROMPT_START:
    case PROMPT_END:
    case PROMPT_BACK:
    case PROMPT_FORWARD:
    case PROMPT_WORD_BACK:
    case PROMPT_WORD_FORWARD:
        move_cursor(prompt, id);
        return PROMPT_WANTS_NOTHING;
    case PROMPT_ERASE_BACK:
    case PROMPT_ERASE:
    case PROMPT_ERASE_WORD_BACK:
    case PROMPT_ERASE_WORD:
    case PROMPT_ERASE_TO_START:
    case PROMPT_ERASE_TO_END:
        take_from(prompt, id, key < ' ');
        return PROMPT_WANTS_NOTHING;
    case PROMPT_YANK:
        insert(prompt, reply, prompt->erased, strlen(prompt->erased));
        return PROMPT_WANTS_NOTHING;
    case PROMPT_KEY_COUNT:
        break;
    }
    return PROMPT_WANTS_NOTHING;
}

void prompt_paste(Prompt *prompt, const Reply *reply, const char *text) {
    size_t length = strlen(text);
    replace_proposal(prompt);
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
