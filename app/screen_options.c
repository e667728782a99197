// screen_options.c - options that every screen of the program takes.
#include "app/screen_options.h"

#include <stdlib.h>
#include <string.h>

bool screen_language_find(Language *language, const char *value, Error *err) {
    if (strcmp(value, "en") != 0 && strcmp(value, "zh") != 0) {
        return error_set(err, "--lang: expected en or zh, found \"%s\"", value);
    }
    *language = strcmp(value, "zh") == 0 ? LANGUAGE_ZH : LANGUAGE_EN;
    return true;
}

Language screen_language_of_locale(void) {
    static const char *const NAMES[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        const char *value = getenv(NAMES[i]);
        if (value != NULL && value[0] != '\0') {
            return strncmp(value, "zh", 2) == 0 ? LANGUAGE_ZH : LANGUAGE_EN;
        }
    }
    return LANGUAGE_EN;
}
