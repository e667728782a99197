// about.c - what a lesson says of itself: its goal at the start, what to keep in mind at the end.
#include "app/learn/about.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/lesson_files.h"
#include "app/learn/texts.h"
#include "views/text.h"

const char *about_needs(char out[ABOUT_NEEDS_BYTES], const Lesson *lesson, Language language) {
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < lesson->about.n_needs && length + 8 < ABOUT_NEEDS_BYTES; i++) {
        char number[16];
        char file[256];
        snprintf(number, sizeof number, "%d", lesson->about.needs[i]);
        char *path = lesson_files_find(number, language, file);
        if (path != NULL) {
            length += (size_t)snprintf(out + length, ABOUT_NEEDS_BYTES - length, "%s%s",
                                       length == 0 ? "" : ", ", number);
        }
        free(path);
    }
    return out;
}

// Appends a sentence about one thing, where there is something to say.
static void add(char out[ABOUT_BYTES], Language language, TextId id, const char *what) {
    if (what == NULL || what[0] == '\0') {
        return;
    }
    char sentence[ABOUT_BYTES];
    text_fill(sentence, sizeof sentence, text_of(language, id), what, NULL);
    size_t length = strlen(out);
    bool is_apart = length > 0 && language == LANGUAGE_EN;
    text_print(out + length, ABOUT_BYTES - length, "%s%s", is_apart ? " " : "", sentence);
}

const char *about_start(char out[ABOUT_BYTES], const Lesson *lesson, const char *needs,
                        Language language) {
    char minutes[16] = "";
    if (lesson->about.minutes > 0) {
        snprintf(minutes, sizeof minutes, "%d", lesson->about.minutes);
    }
    out[0] = '\0';
    add(out, language, TEXT_ABOUT_GOAL, lesson->about.goal);
    add(out, language, TEXT_ABOUT_MINUTES, minutes);
    add(out, language, strchr(needs, ',') == NULL ? TEXT_ABOUT_NEED : TEXT_ABOUT_NEEDS, needs);
    return out;
}

const char *about_end(char out[ABOUT_BYTES], const Lesson *lesson, Language language) {
    out[0] = '\0';
    add(out, language, TEXT_ABOUT_RECAP, lesson->about.recap);
    add(out, language, TEXT_ABOUT_SIMPLIFIES, lesson->about.simplifies);
    return out;
}
