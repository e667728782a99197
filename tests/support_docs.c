// support_docs.c - what the docs say of a field of a configuration.
#include "tests/support_docs.h"

#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "tests/folder.h"

bool support_docs_effect(const Buffer *docs, const char *heading, const char *field,
                         char effect[16]) {
    char row[120];
    const char *part = strstr(docs->bytes, heading);
    assert_non_null(part);
    const char *end = strstr(part + 1, "\n## ");
    snprintf(row, sizeof row, "\n| `%s` | ", field);
    const char *at = strstr(part, row);
    if (at == NULL || (end != NULL && at > end)) {
        return false;
    }
    if (sscanf(at + strlen(row), "%15[a-z ]", effect) != 1) {
        return false;
    }
    effect[strlen(effect) - 1] = '\0'; // the space before the bar
    return true;
}

void support_docs_read(Buffer *docs) {
    Error err = {""};
    const char *root = getenv("ATTEND_ASSETS");
    char path[FOLDER_PATH_BYTES];
    support_require(
        buffer_load(docs, folder_path(root != NULL ? root : ".", "docs/configuration.md", path),
                    &err),
        &err);
}
