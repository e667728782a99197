// output.c - what commands write to standard output and standard error; nothing else in app/ does.
#include "app/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/shown.h"

// Half a character of what was printed last, as stdio itself holds bytes back.
static ShownText held;

static void put(void *context, const char *bytes, size_t length) {
    fwrite(bytes, 1, length, context);
}

bool output_is_terminal(void) {
    static int is_terminal = -1;
    if (is_terminal < 0) {
        is_terminal = isatty(STDOUT_FILENO);
    }
    return is_terminal == 1;
}

void output_bytes(const char *bytes, size_t length) {
    if (output_is_terminal()) {
        shown_pass(&held, bytes, length, put, stdout);
    } else {
        fwrite(bytes, 1, length, stdout);
    }
}

void output_text(const char *text) {
    output_bytes(text, strlen(text));
}

// The text in `room`, or in memory of its own where it is longer; NULL without memory.
__attribute__((format(printf, 3, 0))) static char *
write_text(char *room, size_t size, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(room, size, format, arguments);
    char *text = room;
    if (length >= (int)size) {
        text = malloc((size_t)length + 1);
        if (text != NULL) {
            vsnprintf(text, (size_t)length + 1, format, again);
        }
    }
    va_end(again);
    return text;
}

void output_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!output_is_terminal()) {
        vprintf(format, arguments);
    } else {
        char room[1024];
        char *text = write_text(room, sizeof room, format, arguments);
        output_text(text == NULL ? "" : text);
        if (text != room) {
            free(text);
        }
    }
    va_end(arguments);
}

void output_sequence(const char *sequence) {
    shown_end(&held, put, stdout);
    fputs(sequence, stdout);
}

void output_flush(void) {
    shown_end(&held, put, stdout);
    fflush(stdout);
}

void output_say(const char *format, ...) {
    char room[1024];
    va_list arguments;
    va_start(arguments, format);
    char *text = write_text(room, sizeof room, format, arguments);
    va_end(arguments);
    char *line = text == NULL ? NULL : shown_line(text);
    output_flush();
    fprintf(stderr, "%s\n", line == NULL ? "out of memory" : line);
    free(line);
    if (text != room) {
        free(text);
    }
}

void output_say_lines(const char *start, const char *lines) {
    while (*lines != '\0') {
        const size_t length = strcspn(lines, "\n");
        output_say("%s: %.*s", start, (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}
