// json_keys.h - the fields of a file that nobody here reads, named for a person.
#ifndef ENGINE_FILES_JSON_KEYS_H
#define ENGINE_FILES_JSON_KEYS_H

#include <jansson.h>

#include "engine/base/buffer.h"

// Appends a line that names the fields of object that are not among the n known ones; nothing where
// there are none.
void json_keys_name_unknown(json_t *object, const char *where, const char *const *known, int n,
                            Buffer *notes);

#endif
