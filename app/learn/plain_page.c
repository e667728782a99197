// plain_page.c - lines of text on their way to a reader: clean, wrapped, with ASCII signs if asked.
#include "app/learn/plain_page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/utf8.h"
#include "views/text.h"
#include "views/text_buffer.h"

static int width_of_terminal(void) {
    struct winsize size = {0};
    bool has_size = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    int width = has_size && size.ws_col > 0 ? size.ws_col : PLAIN_WIDTH;
    return width < PLAIN_MIN_WIDTH ? PLAIN_MIN_WIDTH
                                   : (width > PLAIN_MAX_WIDTH ? PLAIN_MAX_WIDTH : width);
}

bool plain_page_open(PlainPage *page, int width, bool ascii, Error *err) {
    *page = (PlainPage){.width = width > 0 ? width : width_of_terminal(), .ascii = ascii};
    return file_writer_open_memory(&page->lines, err) && file_writer_open(&page->out, "-", err);
}

// ---- one line

// Signs that --ascii spells.
static const char *spelled(const char *glyph, size_t length) {
    static const char *const SIGNS[][2] = {
        {"…", "..."},   {"·", "*"},      {"√", "sqrt"},  {"≈", "~"},  {"×", "x"},    {"−", "-"},
        {"–", "-"},     {"—", "-"},      {"→", "->"},    {"←", "<-"}, {"↑", "up"},   {"↓", "down"},
        {"∞", "inf"},   {"≤", "<="},     {"≥", ">="},    {"≠", "!="}, {"²", "^2"},   {"³", "^3"},
        {"ᵀ", "^T"},    {"Σ", "sum"},    {"σ", "sigma"}, {"μ", "mu"}, {"β", "beta"}, {"π", "pi"},
        {"γ", "gamma"}, {"ε", "eps"},    {"÷", "/"},     {"±", "+-"}, {"•", "-"},    {"▁", "_"},
        {"▸", ">"},     {"▾", "v"},      {"●", "*"},     {"○", "o"},  {"✓", "*"},    {"✗", "x"},
        {"“", "\""},    {"”", "\""},     {"‘", "'"},     {"’", "'"},  {"─", "-"},    {"│", "|"},
        {"┌", "+"},     {"┐", "+"},      {"└", "+"},     {"┘", "+"},  {"├", "+"},    {"┤", "+"},
        {"┬", "+"},     {"┴", "+"},      {"┼", "+"},     {"░", "."},  {"▒", ":"},    {"▓", "#"},
        {"█", "#"},     {"■", "#"},      {"┊", "!"},     {"Ġ", "_"},  {"∂", "d"},    {"φ", "phi"},
        {"η", "eta"},   {"λ", "lambda"}, {"α", "alpha"}, {"∈", "in"}, {"ₜ", "_t"},   {"ᵢ", "_i"},
        {"⊙", "*"},     {"½", "1/2"},    {"‖", "||"},
    };
    for (size_t i = 0; i < sizeof SIGNS / sizeof SIGNS[0]; i++) {
        if (strlen(SIGNS[i][0]) == length && memcmp(SIGNS[i][0], glyph, length) == 0) {
            return SIGNS[i][1];
        }
    }
    return NULL;
}

// The line as it may be sent; malloc, NULL without memory.
static char *cleaned(const PlainPage *page, const char *line) {
    TextBuffer text = {0};
    while (*line != '\0') {
        int32_t code = 0;
        size_t length = utf8_character(line, &code);
        const char *sign = page->ascii ? spelled(line, length) : NULL;
        for (size_t i = 0; utf8_is_hidden(code) && i < length; i++) {
            text_buffer_print(&text, "\\x%02x", (unsigned)(unsigned char)line[i]);
        }
        if (sign != NULL) {
            text_buffer_text(&text, sign);
        } else if (!utf8_is_hidden(code)) {
            text_buffer_append(&text, line, length);
        }
        line += length;
    }
    char *all = NULL;
    size_t length = 0;
    return text_buffer_take(&text, &all, &length, NULL) ? all : NULL;
}

// Where the text of a line begins: after spaces, a mark and the number of a choice.
static size_t indent_of(const char *line) {
    size_t indent = strspn(line, " ");
    if (strchr("-!?>:#", line[indent]) != NULL && line[indent] != '\0' && line[indent + 1] == ' ') {
        return indent + 2;
    }
    size_t digits = strspn(line + indent, "0123456789");
    return digits > 0 && strncmp(line + indent + digits, "  ", 2) == 0 ? indent + digits + 2
                                                                       : indent;
}

// Without the spaces that a broken line ends with.
static size_t without_end(const char *text, size_t length) {
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    return length;
}

static void send_line(PlainPage *page, const char *line) {
    if (text_columns(line) <= page->width) {
        file_writer_print(&page->out, "%s\n", line);
        return;
    }
    size_t indent = indent_of(line);
    indent = indent > (size_t)page->width / 2 ? 0 : indent;
    file_writer_write(&page->out, line, indent);
    for (const char *at = line + indent; *at != '\0';) {
        const char *next = at;
        size_t length = text_wrap(at, page->width - (int)indent, &next);
        file_writer_print(&page->out, "%*s%.*s\n", at == line + indent ? 0 : (int)indent, "",
                          (int)without_end(at, length), at);
        at = next;
    }
}

bool plain_page_flush(PlainPage *page) {
    FileBytes bytes = {0};
    Error err = {""};
    if (!file_writer_take(&page->lines, &bytes, &err)) {
        return false;
    }
    char *text = (char *)bytes.memory;
    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        char *clean = cleaned(page, line);
        if (clean != NULL && end != NULL) {
            send_line(page, clean);
        } else if (clean != NULL) {
            file_writer_text(&page->out, clean); // what waits for an answer on its line
        }
        free(clean);
        line = end == NULL ? NULL : end + 1;
    }
    file_close(&bytes);
    file_writer_flush(&page->out);
    return file_writer_open_memory(&page->lines, &err);
}

void plain_page_whole(PlainPage *page, const char *line) {
    plain_page_flush(page);
    const PlainPage exact = {.ascii = false};
    char *clean = cleaned(&exact, line);
    file_writer_print(&page->out, "%s\n", clean == NULL ? "" : clean);
    free(clean);
}

void plain_page_text(PlainPage *page, const char *indent, const char *text) {
    int columns = text_columns(indent);
    bool is_first = true;
    while (*text != '\0') {
        const char *next = text;
        size_t length = text_wrap(text, page->width - columns, &next);
        file_writer_print(&page->lines, "%s%*s%.*s\n", is_first ? indent : "",
                          is_first ? 0 : columns, "", (int)without_end(text, length), text);
        is_first = false;
        text = next;
    }
}

bool plain_page_commit(PlainPage *page, Error *err) {
    bool ok = plain_page_flush(page);
    ok = file_writer_commit(&page->out, err) && ok;
    return ok || error_set(err, "out of memory");
}

void plain_page_close(PlainPage *page) {
    file_writer_abandon(&page->lines);
    file_writer_abandon(&page->out);
}
