// support_places.h - places that show every view and everything else that the screen can show.
#ifndef TESTS_SUPPORT_PLACES_H
#define TESTS_SUPPORT_PLACES_H

#include <stdbool.h>

#include "app/learn/learn.h"

typedef struct SupportPlace {
    const char *name;
    const char *state; // of --at; NULL: the menu
} SupportPlace;

extern const SupportPlace SUPPORT_PLACES[];
extern const int N_SUPPORT_PLACES;

// What `attend learn --at STATE` shows there, in English.
LearnOptions support_place_options(const SupportPlace *place, ThemeName theme);

#endif
