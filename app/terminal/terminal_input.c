// terminal_input.c - waits for what comes from the terminal: bytes for the parser, and signals.
#include "app/terminal/terminal_input.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "app/terminal/terminal_guard.h"
#include "engine/base/clock.h"

enum { BROKEN = POLLHUP | POLLERR | POLLNVAL };

// What was done at standard input or by signals; 0: nothing, -1: no poll.
static int watch(int wait_ms, short *input) {
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = guard_descriptor(), .events = POLLIN}};
    int n = poll(watched, 2, wait_ms);
    *input = n > 0 ? watched[0].revents : (short)0;
    return n;
}

bool terminal_input_is_waiting(const InputParser *parser) {
    short input = 0;
    return parser->at < parser->n || watch(0, &input) > 0;
}

// False where the terminal is gone.
static bool read_bytes(InputParser *parser) {
    char bytes[INPUT_BYTES];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0) {
        input_feed(parser, bytes, (size_t)n, clock_ms());
    }
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

// A control code that was pasted has sent the signal: what stood around it is there, or comes now.
static bool was_pasted(InputParser *parser) {
    enum { AROUND_MS = 20 };
    short input = 0;
    if (parser->at == parser->n && !input_is_pasting(parser, clock_ms()) &&
        watch(AROUND_MS, &input) > 0 && (input & POLLIN) != 0) {
        (void)read_bytes(parser); // where the terminal is gone this is seen again
    }
    return input_is_pasting(parser, clock_ms());
}

static bool take_signal(InputParser *parser, Event *event) {
    int end = 0;
    bool is_resized = false;
    guard_take(&end, &is_resized);
    if (end != 0 && guard_was_typed() && was_pasted(parser)) {
        guard_stay();
        end = 0;
    }
    if (end != 0) {
        *event = (Event){.kind = end == SIGHUP ? EVENT_HANGUP : EVENT_SIGNAL, .key = end};
        return true;
    }
    if (is_resized) {
        *event = (Event){.kind = EVENT_RESIZE};
    }
    return is_resized;
}

// The shorter of two times to wait, -1 being for ever.
static int sooner(int a_ms, int b_ms) {
    return a_ms < 0 ? b_ms : (b_ms < 0 || a_ms < b_ms ? a_ms : b_ms);
}

static int left_until(double end_ms) {
    double left_ms = end_ms - clock_ms();
    return left_ms <= 0.0 ? 0 : (int)left_ms + 1;
}

void terminal_input_wait(InputParser *parser, int timeout_ms, Event *event) {
    double end_ms = clock_ms() + timeout_ms;
    *event = (Event){.kind = EVENT_NONE};
    while (!take_signal(parser, event) && !input_next(parser, event)) {
        short input = 0;
        int left_ms = timeout_ms < 0 ? -1 : left_until(end_ms);
        int n = watch(sooner(left_ms, input_wait_ms(parser, clock_ms())), &input);
        bool is_gone = (input & POLLIN) != 0 ? !read_bytes(parser) : (input & BROKEN) != 0;
        if (is_gone) {
            *event = (Event){.kind = EVENT_HANGUP, .key = SIGHUP};
            return;
        }
        if (n != 0) {
            continue;
        }
        if (input_idle(parser, clock_ms(), event) || left_ms == 0 ||
            (timeout_ms >= 0 && left_until(end_ms) == 0)) {
            return;
        }
    }
}
