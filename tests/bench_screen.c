// bench_screen.c - times of the learning screen, through a pty: first frame, key to frame, bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/support_pty.h"

enum { STARTS = 21, KEYS = 200 };

static int compare(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static const char *const LESSON[] = {"learn", "13", NULL};
static const char *const ENVIRONMENT[] = {"XDG_STATE_HOME=/nonexistent", NULL};

// From fork until the last line of the frame is there.
static void first_frames(int width, int height) {
    double times[STARTS];
    long resident_kb = 0;
    size_t n_bytes = 0;
    for (int i = 0; i < STARTS; i++) {
        Pty pty;
        double start_ms = clock_ms();
        pty_start(&pty, "xterm-256color", width, height, LESSON, ENVIRONMENT);
        while (strstr(pty_row(&pty, height - 1), "Space") == NULL && pty_step(&pty, 100)) {
        }
        times[i] = clock_ms() - start_ms;
        pty_settle(&pty, 50);
        n_bytes = pty.n_bytes;
        resident_kb = pty_resident_kb(&pty);
        pty_send(&pty, "Q");
        pty_end(&pty);
    }
    qsort(times, STARTS, sizeof times[0], compare);
    printf("first frame %3dx%-3d  %6.1f ms median  %6.1f ms worst  %zu bytes  %ld kB resident\n",
           width, height, times[STARTS / 2], times[STARTS - 1], n_bytes, resident_kb);
}

// From a key until what it changes has arrived: the header's number of the step.
static void keys_to_frames(int width, int height, const char *before, const char *what) {
    double times[KEYS];
    Pty pty;
    pty_start(&pty, "xterm-256color", width, height, LESSON, ENVIRONMENT);
    pty_wait_for(&pty, "step 1 of ");
    pty_send(&pty, before);
    pty_settle(&pty, before[0] == '\0' ? 50 : 0);
    usleep(100000);
    size_t n_bytes = pty.n_bytes;
    for (int i = 0; i < KEYS; i++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "step %d of ", i + 2);
        double start_ms = clock_ms();
        pty_send(&pty, "n");
        while (strstr(pty_row(&pty, 0), wanted) == NULL && pty_step(&pty, 1000)) {
        }
        times[i] = clock_ms() - start_ms;
    }
    pty_settle(&pty, before[0] == '\0' ? 50 : 0);
    n_bytes = (pty.n_bytes - n_bytes) / KEYS;
    pty_send(&pty, "Q");
    pty_end(&pty);
    qsort(times, KEYS, sizeof times[0], compare);
    printf("key to frame %3dx%-3d %-9s %6.2f ms median  %6.2f ms 99 of 100  %zu bytes a key\n",
           width, height, what, times[KEYS / 2], times[KEYS * 99 / 100], n_bytes);
}

int main(void) {
    first_frames(80, 24);
    first_frames(100, 30);
    first_frames(200, 60);
    keys_to_frames(100, 30, "", "idle");
    keys_to_frames(200, 60, "", "idle");
    keys_to_frames(100, 30, "t", "training");
    keys_to_frames(200, 60, "t", "training");
    return 0;
}
