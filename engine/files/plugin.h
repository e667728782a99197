// plugin.h - shared objects of ours, opened when they are first needed.
#ifndef ENGINE_FILES_PLUGIN_H
#define ENGINE_FILES_PLUGIN_H

#include <stdbool.h>

#include "engine/base/error.h"

// What `symbol` names in attend-NAME.so, which is looked for beside the running program, then in
// ../lib/attend from there, then in PREFIX/lib/attend, and nowhere else. It stays open to the end.
// NULL where it is not there or does not have it, with a sentence.
bool plugin_exists(const char *name);
const void *plugin_open(const char *name, const char *symbol, Error *err);

#endif
