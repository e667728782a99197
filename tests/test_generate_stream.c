// test_generate_stream.c - `attend generate` through a pipe: what comes at once is whole
// characters.
#include "engine/base/utf8.h"
#include "tests/support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/buffer.h"
#include "engine/base/file.h"
#include "engine/models/model.h"
#include "engine/tokenizers/byte_level/byte_map.h"
#include "tests/folder.h"

enum { PLACES = 64, BYTES = 256 };

static const char TEXT[] = "x日本語 🙂 äöü €, 한국!";

// A model that says TEXT byte by byte: the position alone decides what comes next.
static void save_model(const char *folder) {
    Error err = {""};
    Model model;
    const ModelConfig config = {.family = FAMILY_GPT2,
                                .vocab_size = BYTES,
                                .d_model = PLACES,
                                .n_heads = 1,
                                .n_layers = 1,
                                .d_ff = 4,
                                .n_positions = PLACES,
                                .layer_norm_eps = 1e-5F,
                                .pad_id = -1,
                                .bos_id = -1,
                                .eos_id = -1};
    support_require(model_init_zeros(&model, &config, &err), &err);
    Params *params = &model.params;
    float *places = params_change(params, params_find(params, "transformer.wpe.weight"));
    float *head = params_change(params, params_find(params, "lm_head.weight"));
    float *gain = params_change(params, params_find(params, "transformer.ln_f.weight"));
    for (size_t t = 0; t < PLACES; t++) {
        const unsigned char next = t + 1 < sizeof TEXT ? (unsigned char)TEXT[t + 1] : '.';
        places[t * PLACES + t] = 1.0F;
        head[next * (size_t)PLACES + t] = 1.0F;
        gain[t] = 1.0F;
    }
    support_require(model_save(&model, folder, &err), &err);
    model_free(&model);
}

// Each byte is a token of its own.
static void save_tokenizer(const char *folder) {
    Error err = {""};
    char path[FOLDER_PATH_BYTES];
    Buffer vocab = {0};
    for (int byte = 0; byte < BYTES; byte++) {
        const int32_t letter = byte_map_character((uint8_t)byte);
        buffer_format(&vocab, "%s\"\\u%04x\": %d", byte == 0 ? "{" : ", ", (unsigned)letter, byte);
    }
    buffer_append_text(&vocab, "}\n");
    support_require(buffer_save(&vocab, folder_path(folder, "vocab.json", path), &err), &err);
    vocab.length = 0;
    buffer_append_text(&vocab, "#version: 0.2\n");
    support_require(buffer_save(&vocab, folder_path(folder, "merges.txt", path), &err), &err);
    buffer_free(&vocab);
}

static pid_t start(const char *folder, const char *n_tokens, int output) {
    const char *given = getenv("PROGRAM");
    const char *program = given != NULL ? given : "attend";
    char path[FOLDER_PATH_BYTES];
    snprintf(path, sizeof path, "%s%s", strchr(program, '/') == NULL ? "./" : "", program);
    const pid_t child = fork();
    if (child == 0) {
        dup2(output, STDOUT_FILENO);
        execl(path, path, "generate", "--model", folder, "--prompt", "x", "--temperature", "0",
              "--tokens", n_tokens, "--threads", "1", (char *)NULL);
        _exit(127);
    }
    return child;
}

static void assert_whole(const char *chunk) {
    for (const char *at = chunk; *at != '\0';) {
        int32_t code = 0;
        at += utf8_character(at, &code);
        if (code < 0) {
            fail_msg("\"%s\" came at once", chunk);
        }
    }
}

// What was written in one go is read in one go. Returns how often that was.
static int read_chunks(const char *folder, int n_tokens, Buffer *text) {
    int ends[2];
    char number[16];
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_DIRECT), 0);
    snprintf(number, sizeof number, "%d", n_tokens);
    const pid_t child = start(folder, number, ends[1]);
    close(ends[1]);
    char chunk[4096];
    int n_chunks = 0;
    for (ssize_t n = 0; (n = read(ends[0], chunk, sizeof chunk - 1)) > 0; n_chunks++) {
        chunk[n] = '\0';
        assert_whole(chunk);
        buffer_append(text, chunk, (size_t)n);
    }
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return n_chunks;
}

static char folder[FOLDER_PATH_BYTES];

static void every_chunk_is_whole_characters(void **state) {
    (void)state;
    Buffer text = {0};
    const int n_chunks = read_chunks(folder, sizeof TEXT - 2, &text);
    assert_int_equal(text.length, sizeof TEXT); // and a line end
    assert_memory_equal(text.bytes, TEXT, sizeof TEXT - 1);
    assert_in_range(n_chunks, 17, 18); // 17 characters, and the line end
    buffer_free(&text);
}

static void half_a_character_at_the_end_is_one_mark(void **state) {
    (void)state;
    Buffer text = {0};
    read_chunks(folder, 2, &text); // two of the three bytes of 日
    assert_string_equal(text.bytes, "x\xEF\xBF\xBD\n");
    buffer_free(&text);
}

static int open_folder(void **state) {
    (void)state;
    folder_make(folder);
    save_model(folder);
    save_tokenizer(folder);
    return 0;
}

static int close_folder(void **state) {
    (void)state;
    folder_remove(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_is_whole_characters),
        cmocka_unit_test(half_a_character_at_the_end_is_one_mark),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
