// waiting.c - a command that takes long: the last line says how far it is, and a key ends it.
#include "app/learn/waiting.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/clock.h"

// Shorter work says nothing of itself.
enum { PATIENCE_MS = 100, SHOW_MS = 50, ASK_MS = 10 };

static void show(const Waiting *waiting) {
    Canvas *canvas = waiting->canvas;
    if (canvas->cells == NULL) {
        return;
    }
    char percent[16];
    char text[256];
    snprintf(percent, sizeof percent, "%d %%", (int)(100.0 * waiting->progress.part));
    text_fill(text, sizeof text, text_of(waiting->language, TEXT_BUSY), waiting->name, percent);
    int y = canvas->height - 1;
    canvas_fill(canvas, (Rect){0, y, canvas->width, 1}, STYLE_BAR, " ");
    canvas_text_in(canvas, 1, y, canvas->width - 2, ALIGN_LEFT, STYLE_BAR, text);
    terminal_show(waiting->terminal, canvas, -1, -1);
}

// What has happened since it was last asked; other keys are kept as long as there is room.
static bool is_to_end(Waiting *waiting) {
    Event event;
    while (waiting->n_keys < WAITING_KEYS) {
        terminal_wait(waiting->terminal, 0, &event);
        switch (event.kind) {
        case EVENT_NONE:
            return false;
        case EVENT_KEY:
            if (event.key == KEY_CODE_ESCAPE) {
                return true;
            }
            waiting->keys[waiting->n_keys++] = event.key;
            break;
        case EVENT_SIGNAL:
        case EVENT_HANGUP:
            if (event.kind == EVENT_SIGNAL && event.key == SIGINT) {
                terminal_stay(waiting->terminal);
                return true;
            }
            waiting->end = event.kind;
            waiting->signal = event.key;
            return true;
        case EVENT_PASTE:
        case EVENT_MOUSE:
        case EVENT_RESIZE: // the next frame has the new size
            break;
        }
    }
    return false;
}

static bool goes_on_unseen(Waiting *waiting, double now_ms) {
    if (waiting->say == NULL) {
        return true;
    }
    if (!waiting->is_said && now_ms >= waiting->begin_ms + PATIENCE_MS) {
        waiting->say(waiting->listener, waiting->name);
        waiting->is_said = true;
    }
    return !waiting->is_asked_to_end();
}

static bool goes_on(Progress *progress) {
    Waiting *waiting = progress->context;
    double now_ms = clock_ms();
    if (waiting->terminal == NULL) {
        return goes_on_unseen(waiting, now_ms);
    }
    if (now_ms < waiting->begin_ms + PATIENCE_MS || now_ms < waiting->asked_ms + ASK_MS) {
        return true;
    }
    if (now_ms >= waiting->shown_ms + SHOW_MS) {
        show(waiting);
        waiting->shown_ms = now_ms;
    }
    waiting->asked_ms = clock_ms();
    return !is_to_end(waiting);
}

void waiting_begin(Waiting *waiting, Language language, const char *name) {
    waiting->progress = (Progress){.goes_on = goes_on, .context = waiting};
    waiting->language = language;
    waiting->name = name;
    waiting->begin_ms = clock_ms();
    waiting->is_said = false;
}

bool waiting_has_event(const Waiting *waiting) {
    return waiting->end != EVENT_NONE || waiting->n_keys > 0;
}

bool waiting_take_event(Waiting *waiting, Event *event) {
    if (!waiting_has_event(waiting)) {
        return false;
    }
    if (waiting->end != EVENT_NONE) {
        event->kind = waiting->end;
        event->key = waiting->signal;
        return true;
    }
    event->kind = EVENT_KEY;
    event->key = waiting->keys[0];
    waiting->n_keys--;
    memmove(waiting->keys, waiting->keys + 1, (size_t)waiting->n_keys * sizeof *waiting->keys);
    return true;
}
