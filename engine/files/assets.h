// assets.h - where the program's own files are: presets, small models, palettes, lessons.
#ifndef ENGINE_FILES_ASSETS_H
#define ENGINE_FILES_ASSETS_H

#include <stdbool.h>

// The path of an own file, "assets/presets/toy-copy.json": under ATTEND_ASSETS where that is set,
// else beside the program, else in ../share/attend from there, else under PREFIX/share/attend.
// malloc, the caller's; NULL where there is none.
char *assets_find(const char *relative);

// Calls visit with the name of every file in an own folder, in alphabetical order, of the first
// place that has it.
void assets_list(const char *relative, void (*visit)(void *context, const char *name),
                 void *context);

#endif
