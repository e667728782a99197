// test_output.c - what reaches a terminal: no word of a file, a model or the command line steers
// it, whichever command prints it; a pipe gets it byte for byte.
#include "tests/support.h"

#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/shown.h"
#include "engine/base/utf8.h"
#include "tests/folder.h"

// A clipboard sequence, a colour, C1 codes as UTF-8 and as a byte, a mark that turns the line.
#define HOSTILE                                                                                    \
    "x\x1b]52;c;aGk=\x07\x1b[31m\xc2\x9b"                                                          \
    "2J\xe2\x80\xae\x9bZ\x7f"                                                                      \
    "\xe2\x80\x8b\xef\xbb\xbf"
#define HOSTILE_SHOWN                                                                              \
    "x\\x1b]52;c;aGk=\\x07\\x1b["                                                                  \
    "31m\\xc2\\x9b2J\\xe2\\x80\\xae\\x9bZ\\x7f\\xe2\\x80\\x8b\\xef\\xbb\\xbf"

// Joiners have their place: Persian "I want", a family of two.
#define JOINED "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9"

enum { MOST_WORDS = 12, OUTPUT_BYTES = 1 << 20 };

static char folder[FOLDER_PATH_BYTES];

// ---- the stream

typedef struct Kept {
    char text[512];
    size_t length;
} Kept;

static void keep(void *context, const char *bytes, size_t length) {
    Kept *kept = context;
    assert_true(kept->length + length < sizeof kept->text);
    memcpy(kept->text + kept->length, bytes, length);
    kept->length += length;
    kept->text[kept->length] = '\0';
}

static void a_stream_is_cleaned_wherever_it_is_cut(void **state) {
    (void)state;
    static const char TEXT[] = "中" HOSTILE JOINED "é\n\t🁢\xe4\xb8";
    static const char CLEAN[] = "中" HOSTILE_SHOWN JOINED "é\n\t🁢\\xe4\\xb8";
    size_t length = sizeof TEXT - 1;
    for (size_t a = 0; a <= length; a++) {
        for (size_t b = a; b <= length; b++) {
            ShownText shown = {.n_held = 0};
            Kept kept = {.length = 0};
            shown_pass(&shown, TEXT, a, keep, &kept);
            shown_pass(&shown, TEXT + a, b - a, keep, &kept);
            shown_pass(&shown, TEXT + b, length - b, keep, &kept);
            shown_end(&shown, keep, &kept);
            assert_string_equal(kept.text, CLEAN);
        }
    }
    char *line = shown_line(TEXT);
    assert_string_equal(line, "中" HOSTILE_SHOWN JOINED "é\\x0a\\x09🁢\\xe4\\xb8");
    free(line);
}

// ---- the program on a terminal

static char *path_of(const char *name) {
    static char paths[8][FOLDER_PATH_BYTES];
    static int n;
    char *path = paths[n++ % 8];
    folder_path(folder, name, path);
    return path;
}

// In the process that becomes the program; words that begin with @ lie in the folder.
static void become(const char *const *words) {
    const char *given = getenv("PROGRAM");
    const char *program = given != NULL ? given : "attend";
    char *arguments[MOST_WORDS + 2] = {strdup("attend")};
    for (int i = 0; words[i] != NULL; i++) {
        arguments[i + 1] = words[i][0] == '@' ? strdup(path_of(words[i] + 1)) : strdup(words[i]);
    }
    setenv("TERM", "dumb", 1); // no colours of ours among what is looked for
    setenv("NO_COLOR", "1", 1);
    setenv("XDG_STATE_HOME", folder, 1);
    char path[FOLDER_PATH_BYTES];
    snprintf(path, sizeof path, "%s%s", program[0] == '/' ? "" : "./", program);
    execv(path, arguments);
    _exit(127);
}

// All that the program sends to its terminal, standard error too.
static size_t run_on_terminal(const char *const *words, char *output) {
    int master = -1;
    size_t length = 0;
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    pid_t pid = forkpty(&master, NULL, NULL, &size);
    if (pid == 0) {
        become(words);
    }
    assert_true(pid > 0);
    assert_int_equal(write(master, "\x04\x04\x04", 3), 3); // who reads finds the end
    for (ssize_t n = 0; (n = read(master, output + length, OUTPUT_BYTES - 1 - length)) > 0;) {
        length += (size_t)n;
    }
    output[length] = '\0';
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 127);
    close(master);
    return length;
}

static void assert_harmless(const char *const *words, const char *output, size_t length) {
    for (size_t at = 0, n = 0; at < length; at += n) {
        int32_t code = utf8_next(output + at, length - at, &n);
        bool is_line_end = code == '\n' || code == '\r' || code == '\t';
        if (!is_line_end && utf8_is_hidden(code)) {
            fail_msg("attend %s %s: %02x in \"%.80s\"", words[0], words[1] == NULL ? "" : words[1],
                     (unsigned)(unsigned char)output[at], output + (at > 40 ? at - 40 : 0));
        }
    }
}

// The words are hostile on purpose, and made of parts.
// NOLINTBEGIN(misc-misleading-bidirectional,bugprone-suspicious-missing-comma)
#define COMMON(command)                                                                            \
    {command, HOSTILE}, {command, "--" HOSTILE}, {command, "-" HOSTILE},                           \
        {command, "--model", HOSTILE}, {command, "--help", HOSTILE}, {                             \
        command, "--help=" HOSTILE                                                                 \
    }

static const char *const COMMANDS[][MOST_WORDS] = {
    {HOSTILE},
    {"help", HOSTILE},
    COMMON("learn"),
    COMMON("lessons"),
    COMMON("trace"),
    COMMON("explain"),
    COMMON("heatmap"),
    COMMON("inspect"),
    COMMON("tokenize"),
    COMMON("tokenizer"),
    COMMON("train"),
    COMMON("generate"),
    COMMON("translate"),
    COMMON("eval"),
    COMMON("convert"),
    COMMON("devices"),
    COMMON("bench"),
    {"learn", "--lang", HOSTILE},
    {"learn", "--theme", HOSTILE},
    {"learn", "--color", HOSTILE},
    {"learn", "--autoplay", HOSTILE},
    {"learn", "--plain", "--at", HOSTILE},
    {"learn", "--plain", "--at", "|" HOSTILE},
    {"learn", "--plain", "--at", "|open toy-copy --ids \"" HOSTILE "\""},
    {"learn", "--plain", "--at", "|open toy-copy --ids \"1,5,4\"|go " HOSTILE},
    {"learn", "--plain", "--at", "|open toy-copy --ids \"1,5,4\"|input " HOSTILE "|state"},
    {"learn", "--plain", "@own.md"},
    {"learn", "--check", "@own.md"},
    {"learn", "@fault.md"},
    {"learn", "--plain", "@" HOSTILE ".md"},
    {"lessons", "--lang", HOSTILE},
    {"trace", "--model", "toy-copy", "--input", HOSTILE},
    {"trace", "--model", "toy-copy", "--ids", HOSTILE},
    {"trace", "--model", "toy-copy", "--ids", "1,5,4", "--stage", HOSTILE},
    {"trace", "--model", "toy-copy", "--ids", "1,5,4", "--format", HOSTILE},
    {"trace", "--model", "toy-copy", "--ids", "1,5,4", "-o", "/" HOSTILE "/x"},
    {"trace", "--model", "@hostile"},
    {"trace", "--model", "@words", "--ids", "1,5,4"},
    {"explain", "--model", "toy-copy", "--ids", "1,5,4", HOSTILE},
    {"explain", "--model", "toy-copy", "--ids", "1,5,4", "logits[0," HOSTILE "]"},
    {"explain", "--model", "@words", "--ids", "1,5,4", "logits[0,1,5]"},
    {"heatmap", "--model", "toy-copy", "--ids", "1,5,4", "-o", HOSTILE},
    {"heatmap", "--model", "toy-copy", "--ids", "1,5,4", "--palette", HOSTILE},
    {"heatmap", "--model", "@words", "--ids", "1,5,4", "--values", "-o", "@a.svg"},
    {"inspect", "@" HOSTILE ".safetensors"},
    {"inspect", "@" HOSTILE ".safetensors", "--format", "json"},
    {"inspect", "@hostile"},
    {"inspect", "@words"},
    {"inspect", "toy-copy", "--format", HOSTILE},
    {"tokenize", "--tokenizer", "@words", "dog x"},
    {"tokenize", "--tokenizer", "@bytes", HOSTILE},
    {"tokenize", "--tokenizer", "@bytes", "--steps", HOSTILE},
    {"tokenize", "--tokenizer", "@bytes", "--format", "pieces", HOSTILE},
    {"tokenize", "--tokenizer", "@bytes", "--decode", "--input", "@ids"},
    {"tokenize", "--tokenizer", "@bytes", "--decode", HOSTILE},
    {"tokenize", "--tokenizer", HOSTILE, "a"},
    {"tokenizer", "train", "--data", "@" HOSTILE ".md", "--vocab-size", "40", "-o", "@" HOSTILE},
    {"tokenizer", "train", "--data", HOSTILE, "--vocab-size", "40", "-o", "@t"},
    {"tokenizer", "train", "--data", "@own.md", "--vocab-size", HOSTILE, "-o", "@t"},
    {"train", "--preset", HOSTILE, "-o", "@run"},
    {"train", "--preset", "toy-copy", "--data", HOSTILE, "-o", "@run"},
    {"train", "--preset", "toy-copy", "--device", HOSTILE, "-o", "@run"},
    {"train", "--preset", "toy-copy", "--schedule", HOSTILE, "-o", "@run"},
    {"train", "--preset", "toy-copy", "--steps", "2", "-o", "@" HOSTILE "-run"},
    {"train", "--preset", "toy-copy", "--steps", "2", "-o", "@" HOSTILE "-run"},
    {"train", "--config", "@hostile/config.json", "-o", "@run"},
    {"train", "--watch", HOSTILE},
    {"generate", "--model", "toy-copy", "--prompt", HOSTILE},
    {"generate", "--model", "@hostile", "--prompt", HOSTILE},
    {"translate", "--model", "toy-copy", HOSTILE},
    {"translate", "--model", "@words", "dog run"},
    {"translate", "--model", "@words", "--explain", "dog run"},
    {"eval", "--model", "toy-copy", "--data", HOSTILE},
    {"eval", "--model", "toy-copy", "--data", "@own.md"},
    {"convert", "toy-copy", "@" HOSTILE "-model"},
    {"convert", HOSTILE, HOSTILE},
    {"convert", "@hostile", "@out"},
    {"bench", "--format", HOSTILE},
};

static void no_command_sends_a_control_code(void **state) {
    (void)state;
    int n_shown = 0;
    char *output = malloc(OUTPUT_BYTES);
    assert_non_null(output);
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        size_t length = run_on_terminal(COMMANDS[i], output);
        assert_harmless(COMMANDS[i], output, length);
        n_shown += strstr(output, "\\x1b") != NULL;
    }
    assert_true(n_shown > 60); // they did say the words
    free(output);
}

static void decoded_text_is_shown_on_a_terminal_and_exact_in_a_pipe(void **state) {
    (void)state;
    static const char *const WORDS[MOST_WORDS] = {"tokenize", "--tokenizer", "@bytes",
                                                  "--decode", "--input",     "@ids"};
    char *output = malloc(OUTPUT_BYTES);
    assert_non_null(output);
    run_on_terminal(WORDS, output);
    assert_non_null(strstr(output, HOSTILE_SHOWN));
    free(output);
    char line[2048];
    const char *given = getenv("PROGRAM");
    const char *program = given != NULL ? given : "attend";
    snprintf(line, sizeof line, "%s%s tokenize --tokenizer '%s' --decode < '%s' > '%s'",
             program[0] == '/' ? "" : "./", program, path_of("bytes"), path_of("ids"),
             path_of("decoded"));
    assert_int_equal(system(line), 0); // NOLINT(cert-env33-c): the program itself
    FileBytes bytes = {0};
    Error err = {""};
    support_require(file_read(&bytes, path_of("decoded"), 0, &err), &err);
    assert_true(bytes.size_bytes >= strlen(HOSTILE));
    assert_memory_equal(bytes.bytes, HOSTILE, strlen(HOSTILE));
    file_close(&bytes);
}

// ---- hostile files

static void write_file(const char *name, const void *bytes, size_t length) {
    Error err = {""};
    support_require(file_save(path_of(name), bytes, length, &err), &err);
}

static void write_text(const char *name, const char *text) {
    write_file(name, text, strlen(text));
}

static void shell(const char *format, const char *a, const char *b) {
    char line[4096];
    const char *given = getenv("PROGRAM");
    const char *program = given != NULL ? given : "attend";
    char command[FOLDER_PATH_BYTES];
    snprintf(command, sizeof command, "%s%s", program[0] == '/' ? "" : "./", program);
    setenv("ATTEND", command, 1);
    setenv("A", a, 1);
    setenv("B", b, 1);
    snprintf(line, sizeof line, "%s", format);
    assert_int_equal(system(line), 0); // NOLINT(cert-env33-c): the program itself
}

static int make_files(void **state) {
    (void)state;
    folder_make(folder);
    write_text("own.md", "# t" HOSTILE "\n\n" HOSTILE "\n\n```attend\nopen toy-copy --ids "
                         "\"1,5,4\"\n```\n\n```claim\nloss == 7\n```\n\n```question\n" HOSTILE
                         "\n- [ ] a" HOSTILE "\n- [x] b\n```\n");
    write_text(HOSTILE ".md", "# t\n\nA text of words, words, and a text of words again.\n");
    write_text("fault.md", "# t\n```attend\n" HOSTILE "\n```\n");
    static const char HEADER[] =
        "{\"x\\u001b]52;c;aGk=\\u0007\\u009b2J\\u202e\":{\"dtype\":\"F32\",\"shape\":[1],"
        "\"data_offsets\":[0,4]}}";
    char file[256] = {0};
    file[0] = (char)(sizeof HEADER - 1);
    memcpy(file + 8, HEADER, sizeof HEADER - 1);
    write_file(HOSTILE ".safetensors", file, 8 + sizeof HEADER - 1 + 4);
    assert_int_equal(mkdir(path_of("hostile"), 0777), 0);
    write_text("hostile/config.json", "{\"model_type\": \"x\\u001b]52;c;aGk=\\u0007\\u009b2J\"}\n");
    // A model of words, one of which is hostile.
    shell("\"$ATTEND\" convert toy-copy \"$A\" 2> /dev/null", path_of("words"), "");
    shell("printf 's/dog/do\\033[31mg/' > \"$B\" && sed -i -f \"$B\" \"$A/model.tokenizer\"",
          path_of("words"), path_of("script"));
    // Every byte is a piece of this one.
    shell("cp -r tests/byte_level \"$A\"", path_of("bytes"), "");
    write_text("text", HOSTILE);
    shell("\"$ATTEND\" tokenize --tokenizer \"$A\" --format ids < \"$A/../text\" > \"$B\"",
          path_of("bytes"), path_of("ids"));
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    shell("rm -r \"$A\"", folder, "");
    return 0;
}

// NOLINTEND(misc-misleading-bidirectional,bugprone-suspicious-missing-comma)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_is_cleaned_wherever_it_is_cut),
        cmocka_unit_test(no_command_sends_a_control_code),
        cmocka_unit_test(decoded_text_is_shown_on_a_terminal_and_exact_in_a_pipe),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
