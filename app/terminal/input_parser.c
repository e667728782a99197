// input_parser.c - bytes and time in, events out: a state machine that reads each sequence to its
// end.
#include "app/terminal/input_parser.h"

#include <string.h>

#include <utf8proc.h>

#include "app/terminal/input_sequence.h"

enum { ESCAPE = 27, BELL = 7, CANCEL = 24, SUBSTITUTE = 26, DELETE = 127 };

// What a state does with a byte.
typedef enum Step {
    STEP_TAKEN, // it was read
    STEP_AGAIN, // the state changed, the byte is still to be read
    STEP_EVENT, // it was read, and an event is whole
    STEP_EVENT_AGAIN,
} Step;

void input_free(InputParser *parser) {
    input_paste_free(&parser->paste);
    *parser = (InputParser){.state = INPUT_GROUND};
}

static void enter(InputParser *parser, InputState state) {
    parser->state = state;
    parser->n_sequence = 0;
    parser->is_stale = false;
}

static Step ground(InputParser *parser, Step step) {
    enter(parser, INPUT_GROUND);
    parser->has_alt = false;
    return step;
}

static Step key_event(InputParser *parser, int key, Event *event) {
    *event = (Event){.kind = EVENT_KEY, .key = parser->has_alt ? key | KEY_MOD_ALT : key};
    return ground(parser, STEP_EVENT);
}

static void keep(InputParser *parser, char byte) {
    if (parser->n_sequence < sizeof parser->sequence) {
        parser->sequence[parser->n_sequence] = byte;
    }
    parser->n_sequence++;
}

static bool is_control(char byte) {
    return (unsigned char)byte < ' ' || byte == DELETE;
}

// A byte that no sequence contains: what was begun is dropped, the byte stands for itself.
static bool breaks_off(char byte) {
    return is_control(byte) || (unsigned char)byte > DELETE;
}

// ---- characters

static size_t character_bytes(unsigned char first) {
    enum { TWO = 0xC2, THREE = 0xE0, FOUR = 0xF0, LAST = 0xF4 };
    if (first < TWO || first > LAST) {
        return 0;
    }
    return first < THREE ? 2 : (first < FOUR ? 3 : 4);
}

static Step begin_character(InputParser *parser, char byte, Event *event) {
    if ((unsigned char)byte <= DELETE) {
        int key = byte == 0 ? KEY_CODE_SPACE | KEY_MOD_CTRL : key_of_character(byte);
        return key_event(parser, key, event);
    }
    if (character_bytes((unsigned char)byte) == 0) {
        return ground(parser, STEP_TAKEN); // no UTF-8
    }
    enter(parser, INPUT_CHARACTER);
    keep(parser, byte);
    return STEP_TAKEN;
}

static Step in_character(InputParser *parser, char byte, Event *event) {
    enum { CONTINUATION = 0x80, CONTINUATION_MASK = 0xC0, LAST_C1 = 0x9F };
    if (((unsigned char)byte & CONTINUATION_MASK) != CONTINUATION) {
        return ground(parser, STEP_AGAIN);
    }
    keep(parser, byte);
    if (parser->n_sequence < character_bytes((unsigned char)parser->sequence[0])) {
        return STEP_TAKEN;
    }
    utf8proc_int32_t codepoint = 0;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)parser->sequence,
                                             (utf8proc_ssize_t)parser->n_sequence, &codepoint);
    return used > 0 && codepoint > LAST_C1 ? key_event(parser, codepoint, event)
                                           : ground(parser, STEP_TAKEN);
}

// ---- what ESC begins

// The state that a byte behind ESC opens, INPUT_GROUND: none.
static InputState opened_by(char byte) {
    switch (byte) {
    case '[':
        return INPUT_CSI;
    case 'O':
        return INPUT_SS3;
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
        return INPUT_STRING;
    default:
        return INPUT_GROUND;
    }
}

static Step in_ground(InputParser *parser, char byte, Event *event) {
    bool was_escape = parser->was_escape;
    parser->was_escape = false;
    if (byte == ESCAPE) {
        enter(parser, INPUT_ESCAPE);
        return STEP_TAKEN;
    }
    if (was_escape && opened_by(byte) != INPUT_GROUND) {
        enter(parser, INPUT_LATE);
        keep(parser, byte);
        return STEP_TAKEN;
    }
    return begin_character(parser, byte, event);
}

static Step in_escape(InputParser *parser, char byte, Event *event) {
    InputState state = opened_by(byte);
    if (state != INPUT_GROUND) {
        enter(parser, state); // has_alt stays: rxvt puts an ESC before the arrows
        return STEP_TAKEN;
    }
    if (byte == ESCAPE && !parser->has_alt) {
        parser->has_alt = true;
        return STEP_TAKEN;
    }
    if (parser->has_alt) { // the Escape key, then ESC and this byte
        *event = (Event){.kind = EVENT_KEY, .key = KEY_CODE_ESCAPE};
        parser->has_alt = false;
        return STEP_EVENT_AGAIN;
    }
    parser->has_alt = true;
    return begin_character(parser, byte, event);
}

// The byte that opens a sequence and the one after it came together: nobody typed them.
static Step in_late(InputParser *parser, char byte) {
    (void)byte;
    enter(parser, opened_by(parser->sequence[0]));
    return STEP_AGAIN;
}

// ---- whole sequences

static Step end_sequence(InputParser *parser, SequenceMeaning meaning, Event *event) {
    bool was_stale = parser->is_stale;
    switch (meaning) {
    case SEQUENCE_EVENT:
        if (event->kind == EVENT_KEY && parser->has_alt) {
            event->key |= KEY_MOD_ALT;
        }
        return ground(parser, STEP_EVENT);
    case SEQUENCE_PASTE:
        ground(parser, STEP_TAKEN);
        enter(parser, INPUT_PASTE);
        input_paste_begin(&parser->paste);
        return STEP_TAKEN;
    case SEQUENCE_UNKNOWN:
        // What was cut off long ago has not swallowed the key that came now.
        return ground(parser, was_stale ? STEP_AGAIN : STEP_TAKEN);
    case SEQUENCE_REPORT:
        break;
    }
    return ground(parser, STEP_TAKEN);
}

static bool is_number(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    return length > 0;
}

// rxvt ends its keys with Shift by '$', which elsewhere stands before the end.
static bool is_final(const InputParser *parser, char byte) {
    return (byte >= '@' && byte <= '~') ||
           (byte == '$' && parser->n_sequence < sizeof parser->sequence &&
            is_number(parser->sequence, parser->n_sequence));
}

static Step in_csi(InputParser *parser, char byte, Event *event) {
    bool is_mouse = parser->n_sequence > 0 && parser->sequence[0] == '<';
    bool is_of_mouse = (byte >= '0' && byte <= ';') || byte == 'M' || byte == 'm';
    if (breaks_off(byte) || (is_mouse && !is_of_mouse)) {
        return ground(parser, STEP_AGAIN);
    }
    if (parser->n_sequence == 0 && (byte == 'M' || byte == '[')) {
        enter(parser, byte == 'M' ? INPUT_MOUSE : INPUT_CONSOLE);
        return STEP_TAKEN;
    }
    bool is_whole = is_final(parser, byte);
    keep(parser, byte);
    if (!is_whole) {
        return STEP_TAKEN;
    }
    bool fits = parser->n_sequence <= sizeof parser->sequence;
    return end_sequence(parser,
                        fits ? sequence_of_csi(parser->sequence, parser->n_sequence, event)
                             : SEQUENCE_REPORT,
                        event);
}

static Step in_ss3(InputParser *parser, char byte, Event *event) {
    if (breaks_off(byte)) {
        return ground(parser, STEP_AGAIN);
    }
    keep(parser, byte);
    if (byte >= '0' && byte <= ';' && parser->n_sequence < sizeof parser->sequence) {
        return STEP_TAKEN;
    }
    return end_sequence(parser, sequence_of_ss3(parser->sequence, parser->n_sequence, event),
                        event);
}

static Step in_console(InputParser *parser, char byte, Event *event) {
    return breaks_off(byte) ? ground(parser, STEP_AGAIN)
                            : end_sequence(parser, sequence_of_console(byte, event), event);
}

static Step in_mouse(InputParser *parser, char byte, Event *event) {
    enum { OFFSET = 32, X10_BYTES = 3, LET_GO = 3 };
    if ((unsigned char)byte < OFFSET || parser->is_stale) {
        return ground(parser, STEP_AGAIN);
    }
    keep(parser, byte);
    if (parser->n_sequence < X10_BYTES) {
        return STEP_TAKEN;
    }
    const unsigned char *numbers = (const unsigned char *)parser->sequence;
    return end_sequence(parser,
                        sequence_of_mouse(numbers[0] - OFFSET, numbers[1] - OFFSET,
                                          numbers[2] - OFFSET, true, event),
                        event);
}

static Step in_string(InputParser *parser, char byte) {
    if (parser->is_stale) {
        return ground(parser, STEP_AGAIN);
    }
    if (byte == ESCAPE) {
        enter(parser, INPUT_STRING_ESCAPE);
        return STEP_TAKEN;
    }
    bool ends = byte == BELL || byte == CANCEL || byte == SUBSTITUTE;
    return ends ? ground(parser, STEP_TAKEN) : STEP_TAKEN;
}

static Step in_string_escape(InputParser *parser, char byte) {
    if (byte == '\\') {
        return ground(parser, STEP_TAKEN);
    }
    ground(parser, STEP_TAKEN);
    enter(parser, INPUT_ESCAPE);
    return STEP_AGAIN;
}

// ---- pasted text

static Step end_paste(InputParser *parser, Event *event) {
    input_paste_event(&parser->paste, event);
    parser->pasted_ms = parser->fed_ms;
    return ground(parser, STEP_EVENT);
}

bool input_is_pasting(const InputParser *parser, double now_ms) {
    static const char BEGIN[] = "\033[200~";
    bool was_just_now = parser->pasted_ms > 0.0 && now_ms - parser->pasted_ms < INPUT_PASTED_MS;
    return parser->state == INPUT_PASTE || was_just_now ||
           memmem(parser->bytes + parser->at, parser->n - parser->at, BEGIN, sizeof BEGIN - 1) !=
               NULL;
}

// ---- the machine

void input_feed(InputParser *parser, const char *bytes, size_t size, double now_ms) {
    size = size < INPUT_BYTES ? size : INPUT_BYTES;
    memcpy(parser->bytes, bytes, size);
    parser->at = 0;
    parser->n = size;
    parser->is_stale = parser->is_stale || now_ms - parser->fed_ms > INPUT_STALE_MS;
    parser->fed_ms = now_ms;
}

static Step step(InputParser *parser, char byte, Event *event) {
    switch (parser->state) {
    case INPUT_GROUND:
        return in_ground(parser, byte, event);
    case INPUT_ESCAPE:
        return in_escape(parser, byte, event);
    case INPUT_LATE:
        return in_late(parser, byte);
    case INPUT_CSI:
        return in_csi(parser, byte, event);
    case INPUT_CONSOLE:
        return in_console(parser, byte, event);
    case INPUT_SS3:
        return in_ss3(parser, byte, event);
    case INPUT_MOUSE:
        return in_mouse(parser, byte, event);
    case INPUT_STRING:
        return in_string(parser, byte);
    case INPUT_STRING_ESCAPE:
        return in_string_escape(parser, byte);
    case INPUT_CHARACTER:
        return in_character(parser, byte, event);
    case INPUT_PASTE:
        return input_paste_take(&parser->paste, byte) ? end_paste(parser, event) : STEP_TAKEN;
    }
    return STEP_TAKEN;
}

bool input_next(InputParser *parser, Event *event) {
    if (parser->state != INPUT_PASTE) {
        input_paste_forget(&parser->paste);
    }
    while (parser->at < parser->n) {
        Step done = step(parser, parser->bytes[parser->at], event);
        parser->at += done == STEP_TAKEN || done == STEP_EVENT;
        if (done == STEP_EVENT || done == STEP_EVENT_AGAIN) {
            return true;
        }
    }
    return false;
}

// ---- time

// How long the state lasts when nothing comes; -1: for ever.
static int lasts_ms(const InputParser *parser) {
    if (parser->state == INPUT_ESCAPE || parser->state == INPUT_LATE) {
        return INPUT_ESCAPE_MS;
    }
    // Escape ends a paste whose end never came.
    return parser->state == INPUT_PASTE && input_paste_has_escape(&parser->paste) ? INPUT_STALE_MS
                                                                                  : -1;
}

int input_wait_ms(const InputParser *parser, double now_ms) {
    int lasts = lasts_ms(parser);
    if (lasts < 0) {
        return -1;
    }
    double left_ms = parser->fed_ms + lasts - now_ms;
    return left_ms <= 0.0 ? 0 : (int)left_ms + 1;
}

bool input_idle(InputParser *parser, double now_ms, Event *event) {
    if (lasts_ms(parser) < 0 || now_ms - parser->fed_ms < lasts_ms(parser)) {
        return false;
    }
    if (parser->state == INPUT_PASTE) {
        end_paste(parser, event);
        parser->was_escape = true;
        return true;
    }
    if (parser->state == INPUT_LATE) {
        char byte = parser->sequence[0];
        return key_event(parser, (unsigned char)byte, event) == STEP_EVENT;
    }
    bool has_two = parser->has_alt;
    *event = (Event){.kind = EVENT_KEY, .key = KEY_CODE_ESCAPE};
    ground(parser, STEP_EVENT);
    parser->was_escape = !has_two;
    if (has_two) { // ESC ESC: the second is given by the next call
        enter(parser, INPUT_ESCAPE);
    }
    return true;
}
