// input_parser.h - bytes and time in, events out: every sequence that a terminal sends is read to
// its end, and what has no meaning here is dropped whole.
#ifndef APP_TERMINAL_INPUT_PARSER_H
#define APP_TERMINAL_INPUT_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "app/terminal/event.h"
#include "app/terminal/input_paste.h"

enum {
    INPUT_BYTES = 4096,        // that can be fed at once
    INPUT_SEQUENCE_BYTES = 64, // a longer sequence is dropped
    INPUT_ESCAPE_MS = 50,      // then a lone ESC is the Escape key
    INPUT_PASTED_MS = 100,     // nobody presses a key so soon after a paste
    INPUT_STALE_MS = 1000,     // after such a silence a sequence was probably cut off
};

typedef enum InputState {
    INPUT_GROUND,
    INPUT_ESCAPE,        // ESC, or ESC ESC where has_alt
    INPUT_LATE,          // the Escape key was given, then came what opens a sequence
    INPUT_CSI,           // ESC [
    INPUT_CONSOLE,       // ESC [ [
    INPUT_SS3,           // ESC O
    INPUT_MOUSE,         // ESC [ M and three bytes
    INPUT_STRING,        // OSC, DCS, SOS, PM or APC, to its end
    INPUT_STRING_ESCAPE, // ESC within one
    INPUT_CHARACTER,     // UTF-8
    INPUT_PASTE,         // between ESC [200~ and ESC [201~
} InputState;

typedef struct InputParser {
    InputState state;
    char bytes[INPUT_BYTES]; // fed, not yet read: those from at to n
    size_t at, n;
    double fed_ms;                       // when the last bytes came
    bool is_stale;                       // a long silence lies within this sequence
    bool has_alt;                        // ESC stands before it
    double pasted_ms;                    // when a paste ended last; 0: none did
    bool was_escape;                     // the Escape key was given because time was over
    char sequence[INPUT_SEQUENCE_BYTES]; // what came behind its first bytes
    size_t n_sequence;                   // may be larger than the array: the rest was not kept
    InputPaste paste;
} InputParser;

// A zeroed parser is ready.
void input_free(InputParser *parser);

// Takes bytes that came at now_ms; size is at most INPUT_BYTES, and all earlier ones have been
// read: input_next gave false.
void input_feed(InputParser *parser, const char *bytes, size_t size, double now_ms);

// The next event of the bytes that were fed; false: they are all read.
bool input_next(InputParser *parser, Event *event);

// To be called when no bytes wait: what is decided by time alone, such as the Escape key.
bool input_idle(InputParser *parser, double now_ms, Event *event);

// True while text is being pasted, or was just now, or is among what was fed and not read yet.
bool input_is_pasting(const InputParser *parser, double now_ms);

// How long until input_idle has something to say, -1: it has nothing to wait for.
int input_wait_ms(const InputParser *parser, double now_ms);

#endif
