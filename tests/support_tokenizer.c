// support_tokenizer.c - tokenizers that tests read from texts of their own, and write.
#include "tests/support_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support.h"

enum { PATH_BYTES = 40 };

static void make_file(char path[PATH_BYTES], const char *end) {
    snprintf(path, PATH_BYTES, "/tmp/attend-test-XXXXXX%s", end);
    const int file = mkstemps(path, (int)strlen(end));
    assert_true(file >= 0);
    close(file);
}

bool support_load_tokenizer(Tokenizer *tokenizer, const Buffer *text, const char *end, Error *err) {
    char path[PATH_BYTES];
    make_file(path, end);
    support_require(buffer_save(text, path, err), err);
    const bool ok = tokenizer_load(tokenizer, path, err);
    unlink(path);
    return ok;
}

void support_reload_tokenizer(const Tokenizer *tokenizer, const char *end, Tokenizer *again) {
    char path[PATH_BYTES];
    Error err = {""};
    make_file(path, end);
    support_require(tokenizer_save(tokenizer, path, &err), &err);
    support_require(tokenizer_load(again, path, &err), &err);
    unlink(path);
    if (end[0] == '\0') {
        char hashes[2][17];
        tokenizer_hash(tokenizer, hashes[0]);
        tokenizer_hash(again, hashes[1]);
        assert_string_equal(hashes[0], hashes[1]);
    }
}
