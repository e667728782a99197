// train_output.c - standard error as far as it is read.
#include "app/train/train_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

// Standard error once more, in a form that never waits; other programs that write to the same
// terminal or pipe still do. Files never wait by themselves.
static int open_patient(void) {
    struct stat status;
    if (fstat(STDERR_FILENO, &status) != 0 ||
        (isatty(STDERR_FILENO) != 1 && !S_ISFIFO(status.st_mode))) {
        return -1;
    }
    return open("/proc/self/fd/2", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

size_t train_output_within(const char *bytes, size_t size, int wait_ms) {
    int kept = errno;
    int own = open_patient();
    struct pollfd watched = {.fd = own >= 0 ? own : STDERR_FILENO, .events = POLLOUT};
    size_t done = 0;
    while (done < size && poll(&watched, 1, wait_ms) > 0) {
        ssize_t n = write(watched.fd, bytes + done, size - done);
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            done = size;
        } else if (n > 0) {
            done += (size_t)n;
        } else {
            break;
        }
    }
    if (own >= 0) {
        close(own);
    }
    errno = kept;
    return done;
}
