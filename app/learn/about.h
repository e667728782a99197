// about.h - what a lesson says of itself: its goal at the start, what to keep in mind at the end.
#ifndef APP_LEARN_ABOUT_H
#define APP_LEARN_ABOUT_H

#include <stddef.h>

#include "engine/lessons/lesson.h"
#include "views/sentences.h"

enum { ABOUT_NEEDS_BYTES = 64, ABOUT_BYTES = 1024 };

// "3, 7": the lessons that it builds on, as far as the program has them; "" where there are none.
const char *about_needs(char out[ABOUT_NEEDS_BYTES], const Lesson *lesson, Language language);

// One paragraph before the first stop and one after the last; "" where the lesson says nothing.
// needs is what about_needs gives.
const char *about_start(char out[ABOUT_BYTES], const Lesson *lesson, const char *needs,
                        Language language);
const char *about_end(char out[ABOUT_BYTES], const Lesson *lesson, Language language);

#endif
