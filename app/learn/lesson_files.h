// lesson_files.h - where the lessons of the program are.
#ifndef APP_LEARN_LESSON_FILES_H
#define APP_LEARN_LESSON_FILES_H

#include "views/sentences.h"

// The path of a lesson by number or name in a language, malloc; NULL where there is none. `file`
// gets its name in the folder of lessons, and may be name.
char *lesson_files_find(const char *name, Language language, char file[256]);

// Visits lessons in order, by the names of their files.
void lesson_files_list(void (*visit)(void *context, const char *file), void *context);

#endif
