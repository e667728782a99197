// terminal_stderr.c - what libraries and assertions write to standard error waits until the
// terminal is as it was.
#include "app/terminal/terminal_stderr.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

// Of the one standard error of a process; -1: not caught.
static int saved = -1;
static int caught = -1;

static void close_one(int *descriptor) {
    if (*descriptor >= 0) {
        close(*descriptor);
    }
    *descriptor = -1;
}

static void close_both(void) {
    close_one(&saved);
    close_one(&caught);
}

void stderr_catch(void) {
    if (isatty(STDERR_FILENO) != 1) {
        return; // it goes somewhere else already
    }
    caught = memfd_create("attend-stderr", MFD_CLOEXEC);
    saved = dup(STDERR_FILENO);
    if (caught < 0 || saved < 0 || dup2(caught, STDERR_FILENO) < 0) {
        close_both();
    }
}

void stderr_release(void) {
    int kept = errno;
    if (saved >= 0 && caught >= 0) {
        char bytes[1024];
        off_t at = 0;
        dup2(saved, STDERR_FILENO);
        for (ssize_t n = 0; (n = pread(caught, bytes, sizeof bytes, at)) > 0; at += n) {
            if (write(STDERR_FILENO, bytes, (size_t)n) != n) {
                break;
            }
        }
        close_both();
    }
    errno = kept;
}
