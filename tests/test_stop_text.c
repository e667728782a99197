// test_stop_text.c - text in pieces ends before the first stop string, wherever the pieces end.
#include "tests/support.h"

#include <string.h>

#include "engine/generation/stop_text.h"

// Feeds text in pieces of n bytes; true where a stop string was met.
static bool feed(const char *const *strings, int n_strings, const char *text, size_t n,
                 const char *expected) {
    StopText stop = {.strings = strings, .n_strings = n_strings};
    Buffer output = {0};
    for (size_t at = 0; at < strlen(text); at += n) {
        size_t left = strlen(text) - at;
        stop_text_append(&stop, text + at, left < n ? left : n, &output);
        assert_true(strncmp(output.bytes == NULL ? "" : output.bytes, expected, output.length) ==
                    0);
    }
    bool is_stopped = stop.is_stopped;
    stop_text_finish(&stop, &output);
    assert_string_equal(output.bytes == NULL ? "" : output.bytes, expected);
    buffer_free(&output);
    return is_stopped;
}

static void the_first_stop_string_ends_the_text(void **state) {
    (void)state;
    const char *const strings[] = {"END", "\n\n"};
    for (size_t n = 1; n < 12; n++) {
        assert_true(feed(strings, 2, "one EN two\nthree END four\n\n", n, "one EN two\nthree "));
        assert_true(feed(strings, 2, "a\n\nEND", n, "a"));
        assert_true(feed(strings, 2, "ENEND", n, "EN"));
        assert_true(feed(strings, 2, "END", n, ""));
    }
}

static void a_beginning_alone_is_text(void **state) {
    (void)state;
    const char *const strings[] = {"abcabd"};
    for (size_t n = 1; n < 8; n++) {
        assert_false(feed(strings, 1, "xabcab", n, "xabcab"));
        assert_true(feed(strings, 1, "abcabcabd!", n, "abc"));
    }
}

static void without_stop_strings_everything_passes_at_once(void **state) {
    (void)state;
    StopText stop = {.n_strings = 0};
    Buffer output = {0};
    stop_text_append(&stop, "all of it", 9, &output);
    assert_string_equal(output.bytes, "all of it");
    stop_text_finish(&stop, &output);
    buffer_free(&output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_stop_string_ends_the_text),
        cmocka_unit_test(a_beginning_alone_is_text),
        cmocka_unit_test(without_stop_strings_everything_passes_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
