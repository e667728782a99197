// tokenizer_load.c - finds out what kind of tokenizer file a path is, and writes the three we
// write.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/tokenizers/tokenizer_private.h"

// path's folder, with its slash, and then name.
static void append_beside(Buffer *buffer, const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    buffer_append(buffer, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
    buffer_append_text(buffer, name);
}

static bool load_merges_beside(Tokenizer *tokenizer, const char *path, bool path_is_merges,
                               Error *err) {
    static const char *const VOCABULARIES[] = {"vocab.json", "encoder.json", NULL};
    static const char *const MERGES[] = {"merges.txt", "vocab.bpe", NULL};
    const char *const *names = path_is_merges ? VOCABULARIES : MERGES;
    bool ok = false;
    Buffer beside = {0};
    for (int i = 0; names[i] != NULL && beside.length == 0; i++) {
        append_beside(&beside, path, names[i]);
        if (!file_exists(beside.bytes)) {
            beside.length = 0;
        }
    }
    if (beside.length == 0) {
        ok = error_set(err, "%s: expected %s or %s beside it", path, names[0], names[1]);
    } else if (path_is_merges) {
        ok = gpt2_files_load(tokenizer, beside.bytes, path, err);
    } else {
        ok = gpt2_files_load(tokenizer, path, beside.bytes, err);
    }
    buffer_free(&beside);
    return ok;
}

static bool is_base64(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
}

// "IQ== 0": base64, a space, a digit.
static bool looks_like_ranks(const Buffer *text) {
    size_t i = 0;
    while (i < text->length && is_base64(text->bytes[i])) {
        i++;
    }
    return i > 0 && i + 1 < text->length && text->bytes[i] == ' ' && text->bytes[i + 1] >= '0' &&
           text->bytes[i + 1] <= '9';
}

static bool load_file(Tokenizer *tokenizer, const char *path, Error *err) {
    Buffer text = {0};
    if (!buffer_load(&text, path, err)) {
        buffer_free(&text);
        return false;
    }
    bool ok = false;
    if (text.length == 0) {
        ok = error_set(err, "%s: is empty, expected a tokenizer", path);
    } else if (strncmp(text.bytes, "attend tokenizer ", 17) == 0) {
        ok = tokenizer_read_lines(tokenizer, path, &text, err);
    } else if (file_has_ending(path, "vocab.json") || file_has_ending(path, "encoder.json")) {
        ok = load_merges_beside(tokenizer, path, false, err);
    } else if (file_has_ending(path, "merges.txt") || strncmp(text.bytes, "#version", 8) == 0) {
        ok = load_merges_beside(tokenizer, path, true, err);
    } else if (text.bytes[0] == '{' || file_has_ending(path, ".json")) {
        ok = hf_tokenizer_load(tokenizer, path, err);
    } else if (looks_like_ranks(&text)) {
        ok = gpt2_files_load_ranks(tokenizer, path, err);
    } else if (file_has_ending(path, ".model") ||
               text.bytes[0] == '\n') { // field 1, length-delimited
        ok = model_file_load(tokenizer, path, err);
    } else {
        ok = error_set(err,
                       "%s: expected a .tokenizer text file, a SentencePiece .model, a "
                       "tokenizer.json, vocab.json with merges.txt, or a .bpe rank file",
                       path);
    }
    buffer_free(&text);
    return ok;
}

// The one file in the folder whose name ends so; more than one is refused, none leaves found empty.
static bool find_ending(const char *folder, const char *end, Buffer *found, Error *err) {
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return error_set(err, "%s: %s", folder, strerror(errno));
    }
    bool ok = true;
    for (const struct dirent *entry; ok && (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] == '.' || !file_has_ending(entry->d_name, end)) {
            continue;
        }
        if (found->length > 0) {
            ok = error_set(err, "%s: holds %s and %s, expected one: name the file itself", folder,
                           strrchr(found->bytes, '/') + 1, entry->d_name);
        } else {
            buffer_format(found, "%s/%s", folder, entry->d_name);
        }
    }
    closedir(entries);
    return ok;
}

// found stays empty where there is none.
static bool find_in_folder(const char *folder, Buffer *found, Error *err) {
    static const char *const ENDS[] = {".tokenizer", "tokenizer.txt", ".model", "tokenizer.json",
                                       "vocab.json", "encoder.json",  ".bpe",   ".tiktoken"};
    bool ok = true;
    for (size_t i = 0; ok && found->length == 0 && i < sizeof ENDS / sizeof ENDS[0]; i++) {
        ok = find_ending(folder, ENDS[i], found, err);
    }
    return ok;
}

bool tokenizer_is_in(const char *folder) {
    Buffer found = {0};
    const bool is_there = !find_in_folder(folder, &found, NULL) || found.length > 0;
    buffer_free(&found);
    return is_there;
}

static bool load_folder(Tokenizer *tokenizer, const char *folder, Error *err) {
    Buffer found = {0};
    bool ok = find_in_folder(folder, &found, err);
    if (ok && found.length == 0) {
        ok = error_set(err,
                       "%s: holds no tokenizer; expected a .tokenizer file, a .model, "
                       "tokenizer.json, vocab.json with merges.txt, or a .bpe file",
                       folder);
    }
    ok = ok && load_file(tokenizer, found.bytes, err);
    buffer_free(&found);
    return ok;
}

bool tokenizer_load(Tokenizer *tokenizer, const char *path, Error *err) {
    *tokenizer = (Tokenizer){0};
    struct stat about;
    if (stat(path, &about) != 0) {
        return error_set(err, "%s: %s", path, strerror(errno));
    }
    const bool ok = S_ISDIR(about.st_mode) ? load_folder(tokenizer, path, err)
                                           : load_file(tokenizer, path, err);
    if (!ok) {
        tokenizer_free(tokenizer);
    }
    return ok;
}

bool tokenizer_save(const Tokenizer *tokenizer, const char *path, Error *err) {
    if (file_has_ending(path, ".model")) {
        if (tokenizer->kind != TOKENIZER_SENTENCEPIECE) {
            return error_set(err,
                             "%s: a .model holds the SentencePiece kind only; expected another "
                             "name, such as .tokenizer, for our text file",
                             path);
        }
        return model_file_save(tokenizer, path, err);
    }
    if (file_has_ending(path, ".json")) {
        return hf_tokenizer_save(tokenizer, path, err);
    }
    Buffer lines = {0};
    tokenizer_write_lines(tokenizer, &lines);
    const bool ok = buffer_save(&lines, path, err);
    buffer_free(&lines);
    return ok;
}
