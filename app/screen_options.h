// screen_options.h - options that every screen of the program takes.
#ifndef APP_SCREEN_OPTIONS_H
#define APP_SCREEN_OPTIONS_H

#include "engine/base/error.h"
#include "views/sentences.h"

// What --lang says: en or zh.
bool screen_language_find(Language *language, const char *value, Error *err);

// What the person's locale says: a Chinese one has a Chinese screen.
Language screen_language_of_locale(void);

#endif
