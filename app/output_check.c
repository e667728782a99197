// output_check.c - what is written must not replace what is read.
#include "app/output_check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"

// The files that a model and its tokenizer are made of; others in its folder may be anybody's.
static bool is_of_model(const char *name) {
    static const char *const STARTS[] = {"model.",     "model-", "tokenizer", "config.json",
                                         "generation", "vocab.", "merges.",   "state.json"};
    for (size_t i = 0; i < sizeof STARTS / sizeof STARTS[0]; i++) {
        if (strncmp(name, STARTS[i], strlen(STARTS[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_in(const char *output, const char *folder) {
    DIR *entries = opendir(folder);
    bool found = false;
    for (const struct dirent *entry;
         entries != NULL && !found && (entry = readdir(entries)) != NULL;) {
        char *path = is_of_model(entry->d_name) ? file_join(folder, entry->d_name) : NULL;
        found = path != NULL && file_is_same(output, path);
        free(path);
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return found;
}

// The same file or folder; or one of a model's folder, read or written as a whole, and a file of
// it.
static bool would_replace(const char *output, const char *read) {
    return file_is_same(output, read) || (!file_is_folder(output) && is_in(output, read)) ||
           (!file_is_folder(read) && is_in(read, output));
}

bool output_check(const char *output, const char *read, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    if (output == NULL || read == NULL || strcmp(output, "-") == 0 || !file_exists(output) ||
        !would_replace(output, read)) {
        return true;
    }
    return error_set(err, "%s: is the %s that is read: expected another name",
                     file_shown(output, shown),
                     !file_is_folder(output)      ? "file"
                     : file_is_same(output, read) ? "folder"
                                                  : "folder of the file");
}
