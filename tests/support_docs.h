// support_docs.h - what the docs say of a field of a configuration.
#ifndef TESTS_SUPPORT_DOCS_H
#define TESTS_SUPPORT_DOCS_H

#include <stdbool.h>

#include "engine/base/buffer.h"

// docs/configuration.md; the caller's to free.
void support_docs_read(Buffer *docs);

// Of the field's row under the heading ("\n## config.json\n"): "used", "refused" or "no effect".
// False: no row.
bool support_docs_effect(const Buffer *docs, const char *heading, const char *field,
                         char effect[16]);

#endif
