// test_screen_memory.c - however many keys are pressed, the learning screen keeps within bounds.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_screen.h"

// What undo may keep, and the allocator's own.
enum { BOUND_KB = 48 * 1024, ROUNDS = 40, KEYS_A_ROUND = 30 };

// Presses keys in rounds, and each time waits until they were all taken.
static void press(Pty *pty, const char *keys, int n_rounds) {
    char round[512] = "";
    for (int i = 0; i < KEYS_A_ROUND; i++) {
        strncat(round, keys, sizeof round - strlen(round) - 16);
    }
    for (int i = 0; i < n_rounds; i++) {
        char mark[32];
        snprintf(mark, sizeof mark, "mark%d", i);
        pty_send(pty, round);
        pty_send(pty, ":");
        pty_send(pty, mark);
        screen_expect(pty, mark);
        pty_send(pty, "\025\177"); // the line is emptied and left
    }
}

static void grows_little(const char *begin, const char *keys) {
    Pty pty;
    screen_start(&pty, 100, 30);
    pty_send(&pty, begin);
    press(&pty, keys, 2);
    long before_kb = pty_resident_kb(&pty);
    press(&pty, keys, ROUNDS);
    long after_kb = pty_resident_kb(&pty);
    if (after_kb - before_kb > BOUND_KB) {
        fail_msg("\"%s\": %ld kB after %d keys, %ld kB before", keys, after_kb,
                 ROUNDS * KEYS_A_ROUND, before_kb);
    }
    printf("\"%s\": %ld kB, %ld kB before\n", keys, after_kb, before_kb);
    screen_leave(&pty);
}

static void resets(void **state) {
    (void)state;
    grows_little("", "r");
}

static void steps_of_the_lesson(void **state) {
    (void)state;
    grows_little("", " B");
}

static void switches_and_tokens(void **state) {
    (void)state;
    grows_little("", "mg");
}

static void edits(void **state) {
    (void)state;
    grows_little(":go src.input\r", ":edit 1\r");
}

static void edits_of_what_is_computed(void **state) {
    (void)state;
    grows_little(":go encoder.0.norm1\r", ":edit 1\r");
}

static void steps_of_training(void **state) {
    (void)state;
    grows_little("", "T(c");
}

// A fixed seed: the same keys each time.
static void random_keys(void **state) {
    (void)state;
    static const char KEYS[] = "npmrgNPuUlhjk0$,.<>TcB ";
    char keys[16] = "";
    uint32_t random = 7;
    for (int i = 0; i < 12; i++) {
        random = random * 1664525U + 1013904223U;
        keys[i] = KEYS[(random >> 16) % (sizeof KEYS - 1)];
    }
    grows_little("", keys);
}

// A sanitized program holds on to memory that was freed; what it keeps otherwise is measured here.
static void hold_nothing_back(void) {
    char options[1024];
    const char *given = getenv("ASAN_OPTIONS");
    snprintf(options, sizeof options, "%s:quarantine_size_mb=1:thread_local_quarantine_size_kb=64",
             given != NULL ? given : "");
    setenv("ASAN_OPTIONS", options, 1);
}

int main(void) {
    hold_nothing_back();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resets),
        cmocka_unit_test(steps_of_the_lesson),
        cmocka_unit_test(switches_and_tokens),
        cmocka_unit_test(edits),
        cmocka_unit_test(edits_of_what_is_computed),
        cmocka_unit_test(steps_of_training),
        cmocka_unit_test(random_keys),
    };
    return cmocka_run_group_tests(tests, screen_make_folder, screen_remove_folder);
}
