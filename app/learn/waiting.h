// waiting.h - a command that takes long: the last line says how far it is, and a key ends it.
#ifndef APP_LEARN_WAITING_H
#define APP_LEARN_WAITING_H

#include "app/learn/texts.h"
#include "app/terminal/terminal.h"
#include "engine/base/progress.h"

enum { WAITING_KEYS = 64 };

// A zeroed one shows nothing and ends nothing. All pointers are borrowed.
typedef struct Waiting {
    Progress progress;  // for who does the work
    Terminal *terminal; // NULL: there is none
    // Without one: who is told once that a command is at work, and says whether it is to end. NULL:
    // nobody.
    void (*say)(void *listener, const char *name);
    bool (*is_asked_to_end)(void);
    void *listener;
    bool is_said;
    Canvas *canvas; // the frame that is shown
    Language language;
    const char *name; // of the command
    double begin_ms, shown_ms, asked_ms;
    int keys[WAITING_KEYS]; // n_keys that were pressed meanwhile, to be taken later
    int n_keys;
    EventKind end; // a signal or a hang-up that came meanwhile; EVENT_NONE: neither
    int signal;    // its number
} Waiting;

// A command of that name begins.
void waiting_begin(Waiting *waiting, Language language, const char *name);

// What happened meanwhile, in order but for what ends the program, which is first.
bool waiting_has_event(const Waiting *waiting);
bool waiting_take_event(Waiting *waiting, Event *event); // false: there is none

#endif
