// json_keys.c - the fields of a file that nobody here reads, named for a person.
#include "engine/files/json_keys.h"

#include <string.h>

#include "engine/base/file.h"

enum { MOST_NAMED = 8 };

static bool is_known(const char *key, const char *const *known, int n) {
    for (int i = 0; i < n; i++) {
        if (strcmp(key, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

void json_keys_name_unknown(json_t *object, const char *where, const char *const *known,
                            int n_known, Buffer *notes) {
    int n = 0;
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        const char *key = json_object_iter_key(at);
        if (is_known(key, known, n_known) || ++n > MOST_NAMED) {
            continue;
        }
        char shown[FILE_NAME_TEXT_BYTES];
        buffer_format(notes, "%s%s \"%s\"", n == 1 ? where : ",", n == 1 ? ":" : "",
                      file_shown(key, shown));
    }
    if (n > MOST_NAMED) {
        buffer_format(notes, " and %d more", n - MOST_NAMED);
    }
    if (n > 0) {
        buffer_format(notes, " %s not known, and %s no effect\n", n == 1 ? "is" : "are",
                      n == 1 ? "has" : "have");
    }
}
