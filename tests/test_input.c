// test_input.c - keys, mouse and pasted text out of bytes: every form of them, cut everywhere.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/terminal/input_parser.h"

enum { LOG_BYTES = 4096, SHORT_MS = 40, SLOW_MS = 300 };

// What came out, as text: "Up Ctrl-Right mouse3@4,5 paste(abc)".
typedef struct Log {
    char text[LOG_BYTES];
    size_t length;
} Log;

typedef struct Input {
    InputParser parser;
    Log log;
    double now_ms;
} Input;

static void note(Log *log, const Event *event) {
    char word[LOG_BYTES / 2] = "";
    char name[KEY_NAME_BYTES];
    switch (event->kind) {
    case EVENT_KEY:
        key_label(event->key, true, name);
        snprintf(word, sizeof word, "%s", event->key == KEY_CODE_OTHER ? "other" : name);
        break;
    case EVENT_MOUSE:
        snprintf(word, sizeof word, "mouse%d@%d,%d", (int)event->button, event->x, event->y);
        break;
    case EVENT_PASTE:
        snprintf(word, sizeof word, "paste(%s)", event->text);
        break;
    case EVENT_NONE:
    case EVENT_RESIZE:
    case EVENT_SIGNAL:
    case EVENT_HANGUP:
        fail_msg("the parser gives only what bytes say");
    }
    log->length += (size_t)snprintf(log->text + log->length, sizeof log->text - log->length, "%s%s",
                                    log->length > 0 ? " " : "", word);
    assert_true(log->length < sizeof log->text);
}

static void feed(Input *input, const char *bytes, size_t size) {
    Event event;
    input_feed(&input->parser, bytes, size, input->now_ms);
    while (input_next(&input->parser, &event)) {
        note(&input->log, &event);
    }
}

static void pass(Input *input, double ms) {
    Event event;
    double end_ms = input->now_ms + ms;
    for (int wait_ms = 0; wait_ms >= 0;) {
        wait_ms = input_wait_ms(&input->parser, input->now_ms);
        if (wait_ms >= 0 && input->now_ms + wait_ms > end_ms) {
            break;
        }
        input->now_ms += wait_ms > 0 ? wait_ms : 0;
        if (wait_ms >= 0 && input_idle(&input->parser, input->now_ms, &event)) {
            note(&input->log, &event);
        }
    }
    input->now_ms = end_ms;
}

static void expect(Input *input, const char *expected, const char *about) {
    if (strcmp(input->log.text, expected) != 0) {
        fail_msg("%s: expected \"%s\", got \"%s\"", about, expected, input->log.text);
    }
    input_free(&input->parser);
}

typedef struct Case {
    const char *bytes, *events;
    const char *late; // where a silence follows the first ESC; NULL: "Esc" and events
} Case;

static const Case CASES[] = {
    // characters
    {"n", "n", NULL},
    {"a b", "a Space b", NULL},
    {"\r", "Enter", NULL},
    {"\t", "Tab", NULL},
    {"\177", "Bksp", NULL},
    {"\b", "Bksp", NULL},
    {"\014", "Ctrl-L", NULL},
    {"é", "é", NULL},
    {"中", "中", NULL},
    {"\360\237\246\270", "\360\237\246\270", NULL},
    {"x\351y", "x y", NULL},         // Latin-1
    {"\344\270n", "n", NULL},        // a character cut off
    {"\302\233A", "A", NULL},        // C1 as UTF-8
    {"\300\200\377n", "n", NULL},    // never UTF-8
    {"\355\240\200n", "n", NULL},    // a surrogate
    {"\364\220\200\200n", "n", NULL} // beyond the last
    ,
    // Escape and Alt
    {"\033", "Esc", "Esc"},
    {"\033b", "Alt-b", "Esc b"},
    {"\033F", "Alt-F", "Esc F"},
    {"\033é", "Alt-é", "Esc é"},
    {"\033\r", "Alt-Enter", "Esc Enter"},
    {"\033\177", "Alt-Bksp", "Esc Bksp"},
    {"\033.", "Alt-.", "Esc ."},
    {"\033\033", "Esc Esc", "Esc Esc"},
    {"\033\033x", "Esc Alt-x", "Esc Alt-x"},
    // xterm
    {"\033[A", "Up", NULL},
    {"\033[B", "Down", NULL},
    {"\033[C", "Right", NULL},
    {"\033[D", "Left", NULL},
    {"\033OA", "Up", NULL},
    {"\033OD", "Left", NULL},
    {"\033[H", "Home", NULL},
    {"\033[F", "End", NULL},
    {"\033OH", "Home", NULL},
    {"\033OF", "End", NULL},
    {"\033[1;5C", "Ctrl-Right", NULL},
    {"\033[1;2A", "Shift-Up", NULL},
    {"\033[1;3D", "Alt-Left", NULL},
    {"\033[1;6H", "Ctrl-Shift-Home", NULL},
    {"\033[1;8F", "Ctrl-Alt-Shift-End", NULL},
    {"\033[5C", "Ctrl-Right", NULL}, // an older form
    {"\033O5C", "Ctrl-Right", NULL},
    {"\033[1;1A", "Up", NULL},
    {"\033[1;9A", "other", NULL}, // Meta
    {"\033[5~", "PgUp", NULL},
    {"\033[6~", "PgDn", NULL},
    {"\033[6;5~", "Ctrl-PgDn", NULL},
    {"\033[2~", "Ins", NULL},
    {"\033[3~", "Del", NULL},
    {"\033[3;5~", "Ctrl-Del", NULL},
    {"\033[Z", "Shift-Tab", NULL},
    {"\033OP\033OQ\033OR\033OS", "F1 F2 F3 F4", NULL},
    {"\033[15~\033[17~\033[18~\033[19~", "F5 F6 F7 F8", NULL},
    {"\033[20~\033[21~\033[23~\033[24~", "F9 F10 F11 F12", NULL},
    {"\033[1;2P", "Shift-F1", NULL},
    {"\033[15;5~", "Ctrl-F5", NULL},
    {"\033[27;5;108~", "Ctrl-L", NULL}, // modifyOtherKeys
    {"\033[27;2;13~", "Shift-Enter", NULL},
    {"\033[27;3;98~", "Alt-b", NULL},
    {"\033[27;2;33~", "!", NULL},
    {"\033OM", "Enter", NULL}, // the numeric keypad
    {"\033Ok\033Om\033Oq", "+ - 1", NULL},
    // rxvt
    {"\033[7~\033[8~", "Home End", NULL},
    {"\033[7^", "Ctrl-Home", NULL},
    {"\033[8$", "Shift-End", NULL},
    {"\033[5@", "Ctrl-Shift-PgUp", NULL},
    {"\033Oc", "Ctrl-Right", NULL},
    {"\033[d", "Shift-Left", NULL},
    {"\033\033[A", "Alt-Up", "Esc Up"},
    {"\033\033Od", "Ctrl-Alt-Left", "Esc Ctrl-Left"},
    {"\033[11~\033[12~\033[13~\033[14~", "F1 F2 F3 F4", NULL},
    // PuTTY, screen and the Linux console
    {"\033[1~\033[4~", "Home End", NULL},
    {"\033[[A\033[[E", "F1 F5", NULL},
    // kitty
    {"\033[13;2u", "Shift-Enter", NULL},
    {"\033[13u", "Enter", NULL},
    {"\033[27u", "Esc", NULL},
    {"\033[9;2u", "Shift-Tab", NULL},
    {"\033[97;5u", "Ctrl-A", NULL},
    {"\033[97;3u", "Alt-a", NULL},
    {"\033[97:65;2u", "A", NULL},
    {"\033[49:33;2u", "!", NULL},
    {"\033[97;1:3u", "", NULL}, // let go
    {"\033[97;5:2u", "Ctrl-A", NULL},
    {"\033[97;65u", "a", NULL},    // Caps Lock
    {"\033[97;9u", "other", NULL}, // Super
    {"\033[32;5u", "Ctrl-Space", NULL},
    {"\033[127;5u", "Ctrl-Bksp", NULL},
    {"\033[57417;5u", "Ctrl-Left", NULL},
    {"\033[57400u", "1", NULL},
    {"\033[57358u", "other", NULL},
    {"\033[1;1:3A", "", NULL},
    // the mouse
    {"\033[<0;5;7M\033[<0;5;7m", "mouse0@4,6", NULL},
    {"\033[<2;1;1M", "mouse2@0,0", NULL},
    {"\033[<64;3;4M\033[<65;3;4M", "mouse3@2,3 mouse4@2,3", NULL},
    {"\033[<66;3;4M\033[<67;3;4M", "mouse5@2,3 mouse6@2,3", NULL}, // sideways
    {"\033[<81;3;4M", "mouse4@2,3", NULL},                         // with Ctrl
    {"\033[<35;3;4M\033[<128;3;4M\033[<0;0;0M", "", NULL},
    {"\033[<0;1M\033[<M", "", NULL},
    {"\033[M !\"\033[M#!\"", "mouse0@0,1", NULL}, // X10, let go
    {"\033[Ma\377\360", "mouse4@222,207", NULL},
    {"\033[0;5;7M", "", NULL}, // rxvt 1015
    // what has no meaning here
    {"\033[12;40Rn", "n", NULL}, // where the cursor stands
    {"\033[1;2Rn", "n", NULL},
    {"\033[?62;1;6cn", "n", NULL},
    {"\033[>41;390;0cn", "n", NULL},
    {"\033[0nn", "n", NULL},
    {"\033[?2004;1$yn", "n", NULL},
    {"\033[4;1$yn", "n", NULL},
    {"\033[In\033[On", "n n", NULL}, // focus
    {"\033[8;24;80tn", "n", NULL},
    {"\033[99~n", "n", NULL},
    {"\033[201~n", "n", NULL},
    {"\033[ qn", "n", NULL},
    {"\033Ozn", "n", NULL},
    {"\033[[Zn", "n", NULL},
    {"\033]11;rgb:1e1e/1e1e/1e1e\033\\n", "n", NULL},
    {"\033]52;c;aGk=\an", "n", NULL},
    {"\033P1+r544e=787465726d\033\\n", "n", NULL},
    {"\033_Gi=1;OK\033\\n", "n", NULL},
    {"\033^x\033\\n", "n", NULL},
    {"\033Xx\033\\n", "n", NULL},
    {"\033]0;中\033\\n", "n", NULL},
    // what is cut off swallows no key
    {"\033[<0;12n", "n", NULL},
    {"\033[<0;12\033[A", "Up", NULL},
    {"\033[1;5\rn", "Enter n", NULL},
    {"\033[1;5\033[B", "Down", NULL},
    {"\033[1;5é", "é", NULL},
    {"\033O\033[B", "Down", NULL},
    {"\033]0;x\033[B", "Down", NULL},
    {"\033[M \033[B", "Down", NULL},
    // pasted text
    {"\033[200~abc\033[201~n", "paste(abc) n", NULL},
    {"\033[200~\033[201~n", "paste() n", NULL},
    {"\033[200~a\033[A\033\033[20\033[201~n", "paste(a\033[A\033\033[20) n", NULL},
    {"\033[200~中\r\n\tx\033[201~", "paste(中\r\n\tx)", NULL},
};

enum { N_CASES = sizeof CASES / sizeof CASES[0] };

static void every_sequence_is_read_whole(void **state) {
    (void)state;
    for (int i = 0; i < N_CASES; i++) {
        Input input = {.now_ms = 1e6};
        feed(&input, CASES[i].bytes, strlen(CASES[i].bytes));
        pass(&input, SLOW_MS);
        expect(&input, CASES[i].events, CASES[i].bytes + (CASES[i].bytes[0] == '\033'));
    }
}

// ESC ends the first piece: the time alone says that it is the Escape key.
static void expect_after_escape(Input *input, const Case *test) {
    char expected[LOG_BYTES];
    snprintf(expected, sizeof expected, "Esc%s%s", test->events[0] != '\0' ? " " : "",
             test->events);
    expect(input, test->late != NULL ? test->late : expected, test->bytes + 1);
}

static bool ends_with_bare_escape(const char *bytes, size_t cut) {
    return cut > 0 && bytes[cut - 1] == '\033';
}

static void slowness_makes_no_letters_of_a_sequence(void **state) {
    (void)state;
    static const int DELAYS_MS[] = {0, 10, SHORT_MS, SLOW_MS, 900};
    for (int i = 0; i < N_CASES; i++) {
        size_t size = strlen(CASES[i].bytes);
        for (size_t cut = 1; cut < size; cut++) {
            for (size_t k = 0; k < sizeof DELAYS_MS / sizeof DELAYS_MS[0]; k++) {
                bool is_key =
                    DELAYS_MS[k] > INPUT_ESCAPE_MS && ends_with_bare_escape(CASES[i].bytes, cut);
                if (is_key && cut > 1) {
                    continue; // in the midst of several: the next test
                }
                Input input = {.now_ms = 1e6};
                feed(&input, CASES[i].bytes, cut);
                pass(&input, DELAYS_MS[k]);
                feed(&input, CASES[i].bytes + cut, size - cut);
                pass(&input, SLOW_MS);
                if (is_key) {
                    expect_after_escape(&input, &CASES[i]);
                } else {
                    expect(&input, CASES[i].events, CASES[i].bytes + 1);
                }
            }
        }
    }
}

static void byte_for_byte_is_the_same(void **state) {
    (void)state;
    for (int i = 0; i < N_CASES; i++) {
        Input input = {.now_ms = 1e6};
        for (size_t at = 0; CASES[i].bytes[at] != '\0'; at++) {
            feed(&input, CASES[i].bytes + at, 1);
            pass(&input, ends_with_bare_escape(CASES[i].bytes, at + 1) ? SHORT_MS : SLOW_MS);
        }
        pass(&input, SLOW_MS);
        expect(&input, CASES[i].events, CASES[i].bytes);
    }
}

static void a_typed_bracket_after_escape_is_a_key(void **state) {
    (void)state;
    static const char TYPED[] = "[O]P";
    for (size_t i = 0; TYPED[i] != '\0'; i++) {
        Input input = {.now_ms = 1e6};
        char expected[16];
        snprintf(expected, sizeof expected, "Esc %c A", TYPED[i]);
        feed(&input, "\033", 1);
        pass(&input, SLOW_MS);
        feed(&input, TYPED + i, 1);
        pass(&input, SLOW_MS);
        feed(&input, "A", 1);
        expect(&input, expected, "typed");
    }
}

// A sequence that was cut off for good: after a silence the keys are keys again.
static void what_was_cut_off_long_ago_swallows_nothing(void **state) {
    (void)state;
    static const char *const CUT[] = {"\033[<0;12;", "\033[1;5", "\033[",       "\033O", "\033[[",
                                      "\033[M !",    "\033]0;x", "\033P+r\033", "\344",  "\033[?1"};
    for (size_t i = 0; i < sizeof CUT / sizeof CUT[0]; i++) {
        Input input = {.now_ms = 1e6};
        feed(&input, CUT[i], strlen(CUT[i]));
        pass(&input, 2.0 * INPUT_STALE_MS);
        feed(&input, "g", 1);
        pass(&input, SLOW_MS);
        feed(&input, "n", 1);
        pass(&input, SLOW_MS);
        bool is_private = strcmp(CUT[i], "\033[?1") == 0; // it ends as a report does
        bool is_alt = strcmp(CUT[i], "\033P+r\033") == 0;
        expect(&input, is_private ? "n" : (is_alt ? "Alt-g n" : "g n"), CUT[i] + 1);
    }
}

static void a_paste_of_any_size_comes_whole(void **state) {
    (void)state;
    enum { SIZE = 3000000, PIECE = 1000 };
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    for (int i = 0; i < SIZE; i++) {
        text[i] = (char)(i % 97 == 0 ? '\033' : 'a' + i % 26);
    }
    text[SIZE] = '\0';
    InputParser parser = {.n = 0};
    Event event = {.kind = EVENT_NONE};
    input_feed(&parser, "\033[200~", 6, 0.0);
    assert_false(input_next(&parser, &event));
    for (int i = 0; i < SIZE; i += PIECE) {
        input_feed(&parser, text + i, PIECE, i);
        assert_false(input_next(&parser, &event));
    }
    input_feed(&parser, "\033[201~n", 7, SIZE);
    assert_true(input_next(&parser, &event));
    assert_int_equal(event.kind, EVENT_PASTE);
    assert_int_equal(event.length, SIZE);
    assert_memory_equal(event.text, text, SIZE);
    assert_false(event.is_cut);
    assert_true(input_next(&parser, &event));
    assert_int_equal(event.key, 'n');
    assert_null(parser.paste.text); // so much is not kept
    input_free(&parser);
    free(text);
}

static void escape_ends_a_paste_whose_end_never_comes(void **state) {
    (void)state;
    Input input = {.now_ms = 1e6};
    feed(&input, "\033[200~ab", 8);
    pass(&input, 60000.0);
    feed(&input, "c\033", 2);
    pass(&input, 2.0 * INPUT_STALE_MS);
    feed(&input, "[201~", 5); // it comes after all
    feed(&input, "n", 1);
    expect(&input, "paste(abc) n", "paste");
}

static void a_long_sequence_is_dropped_whole(void **state) {
    (void)state;
    Input input = {.now_ms = 1e6};
    feed(&input, "\033[", 2);
    for (int i = 0; i < 3 * INPUT_SEQUENCE_BYTES; i++) {
        feed(&input, "1;", 2);
    }
    feed(&input, "An", 2);
    feed(&input, "\033O", 2);
    for (int i = 0; i < INPUT_SEQUENCE_BYTES; i++) {
        feed(&input, "1", 1);
    }
    feed(&input, "n", 1);
    expect(&input, "n n", "long");
}

// ---- at random, always the same

static unsigned random_state = 12345;

static unsigned random_below(unsigned n) {
    random_state = random_state * 1664525U + 1013904223U;
    return (random_state >> 8) % n;
}

static void pieces_at_random_give_the_same_events(void **state) {
    (void)state;
    enum { N_ROUNDS = 3000, N_TOGETHER = 6, MOST_BYTES = 1024 };
    for (int round = 0; round < N_ROUNDS; round++) {
        char bytes[MOST_BYTES] = "";
        char expected[LOG_BYTES] = "";
        size_t n_bytes = 0;
        size_t n_expected = 0;
        for (int i = 0; i < N_TOGETHER; i++) {
            const Case *test = &CASES[random_below(N_CASES)];
            size_t size = strlen(test->bytes);
            if (test->bytes[size - 1] == '\033') {
                continue; // with what follows it would be another sequence
            }
            const char *space = n_expected > 0 && test->events[0] != '\0' ? " " : "";
            n_bytes += (size_t)snprintf(bytes + n_bytes, sizeof bytes - n_bytes, "%s", test->bytes);
            n_expected += (size_t)snprintf(expected + n_expected, sizeof expected - n_expected,
                                           "%s%s", space, test->events);
        }
        Input input = {.now_ms = 1e6};
        size_t size = strlen(bytes);
        for (size_t at = 0; at < size;) {
            size_t piece = 1 + random_below(8);
            piece = piece < size - at ? piece : size - at;
            feed(&input, bytes + at, piece);
            at += piece;
            pass(&input, random_below(ends_with_bare_escape(bytes, at) ? SHORT_MS : 900));
        }
        pass(&input, SLOW_MS);
        expect(&input, expected, bytes);
    }
}

// Whatever came: after a silence, Escape and another silence, keys are keys.
static void rubbish_leaves_no_trace(void **state) {
    (void)state;
    static const char LIKELY[] = "\033\033[[O;0123456789<?$M~ARun]P\\\a\r\n \177\200\344\270\377";
    for (int round = 0; round < 20000; round++) {
        Input input = {.now_ms = 1e6};
        unsigned n_pieces = 1 + random_below(6);
        for (unsigned i = 0; i < n_pieces; i++) {
            char bytes[32];
            unsigned size = 1 + random_below(sizeof bytes);
            for (unsigned k = 0; k < size; k++) {
                bytes[k] = random_below(3) > 0 ? LIKELY[random_below(sizeof LIKELY - 1)]
                                               : (char)random_below(256);
            }
            feed(&input, bytes, size);
            pass(&input, random_below(100));
        }
        pass(&input, 2.0 * INPUT_STALE_MS);
        feed(&input, "\033", 1);
        pass(&input, 2.0 * INPUT_STALE_MS);
        size_t before = input.log.length;
        feed(&input, "gn", 2);
        assert_string_equal(input.log.text + before + (before > 0), "g n");
        input_free(&input.parser);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sequence_is_read_whole),
        cmocka_unit_test(slowness_makes_no_letters_of_a_sequence),
        cmocka_unit_test(byte_for_byte_is_the_same),
        cmocka_unit_test(a_typed_bracket_after_escape_is_a_key),
        cmocka_unit_test(what_was_cut_off_long_ago_swallows_nothing),
        cmocka_unit_test(a_paste_of_any_size_comes_whole),
        cmocka_unit_test(escape_ends_a_paste_whose_end_never_comes),
        cmocka_unit_test(a_long_sequence_is_dropped_whole),
        cmocka_unit_test(pieces_at_random_give_the_same_events),
        cmocka_unit_test(rubbish_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
