// terminal_guard.h - what every signal does while the terminal is ours.
#ifndef APP_TERMINAL_TERMINAL_GUARD_H
#define APP_TERMINAL_TERMINAL_GUARD_H

#include <stdbool.h>

#include "engine/base/error.h"

typedef enum SignalDeed {
    SIGNAL_ENDS,      // asks the key thread to end; where it does not in time, it ends at once
    SIGNAL_FAULT,     // restores the terminal, says what was the matter, ends by default
    SIGNAL_STOPS,     // restores the terminal, stops by default; afterwards all is shown again
    SIGNAL_CONTINUES, // our modes again, and all is shown again
    SIGNAL_RESIZES,   // all is shown in the new size
    SIGNAL_IGNORED,   // a write fails with its error instead
    SIGNAL_KEPT,      // its default is to do nothing, or it cannot be caught
} SignalDeed;

// Of any signal, 1 to SIGRTMAX. Those that were ignored when the program began (nohup; a shell's
// background) stay so where they would end or stop it.
SignalDeed guard_deed(int number);

enum {
    GUARD_DEADLINE_MS = 50,    // for the key thread to hear of a signal that ends
    GUARD_INTERRUPT_MS = 1000, // of SIGINT, which may be meant for a piece of work alone
    GUARD_CLOSING_MS = 1000    // and then to save what it has to
};

// Answers signals from here on; the calling thread is the one that draws and reads keys.
bool guard_open(Error *err);

// Afterwards signals do what they did before; one that asked to end and was not taken ends now.
void guard_close(void);

// A descriptor that becomes readable when guard_take has something to say.
int guard_descriptor(void);

// What came since the last call: *end a signal that asks to end, 0: none; *resized: the whole
// screen is to be shown again, in the size that the terminal now has.
void guard_take(int *end, bool *resized);

// The signal that was taken last came from a key, as Ctrl-C does.
bool guard_was_typed(void);

// The signal that was taken last is answered in another way: the program goes on.
void guard_stay(void);

// Between these two a frame, or a text for the clipboard, is being sent.
void guard_begin_frame(void);
void guard_end_frame(void);

// Ends the process by that signal, as if it had never been caught; where this does not end it gives
// 128 + number, an exit status. Standard output is flushed.
int guard_end_by(int number);

#endif
