// lesson_about.c - what a lesson says of itself, and what it asks a person to try at its end.
#include <stdlib.h>
#include <string.h>

#include "engine/lessons/lesson_private.h"

// The value of a line "key: value", NULL where it is of another key.
static const char *value_of(const char *line, const char *key) {
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0 || line[length] != ':') {
        return NULL;
    }
    const char *value = line + length + 1;
    return value + strspn(value, " ");
}

// "3, 4" as numbers of lessons.
static bool read_needs(LessonAbout *about, const char *value) {
    while (*value != '\0') {
        char *end = NULL;
        long number = strtol(value, &end, 10);
        if (end == value || number < 1 || number > 999 || about->n_needs == LESSON_MAX_NEEDS) {
            return false;
        }
        about->needs[about->n_needs++] = (int)number;
        value = end + strspn(end, ", ");
    }
    return true;
}

static bool read_minutes(LessonAbout *about, const char *value) {
    char *end = NULL;
    long minutes = strtol(value, &end, 10);
    about->minutes = minutes > 0 && minutes <= 240 ? (int)minutes : 0;
    return end != value && *end == '\0' && about->minutes > 0;
}

static bool read_about_line(LessonAbout *about, const char *line) {
    const char *value = NULL;
    if ((value = value_of(line, "goal")) != NULL) {
        about->goal = value;
        return *value != '\0';
    }
    if ((value = value_of(line, "simplifies")) != NULL) {
        about->simplifies = value;
        return *value != '\0';
    }
    if ((value = value_of(line, "recap")) != NULL) {
        about->recap = value;
        return *value != '\0';
    }
    if ((value = value_of(line, "minutes")) != NULL) {
        return read_minutes(about, value);
    }
    value = value_of(line, "needs");
    return value != NULL && read_needs(about, value);
}

bool lesson_read_about(LessonAbout *about, Arena *arena, const char *path, int line,
                       const char *body, Error *err) {
    LessonLine at;
    while (lesson_next_line(arena, &body, &line, &at)) {
        if (!read_about_line(about, at.text)) {
            return error_set(err,
                             "%s:%d: expected \"goal: TEXT\", \"minutes: NUMBER\", \"needs: 3, "
                             "4\", \"simplifies: TEXT\" or \"recap: TEXT\", found \"%s\"",
                             path, at.number, at.text);
        }
    }
    return true;
}

// Lines "> COMMAND" before the goal; what is left of the text is what to try.
static LessonText read_solution(LessonTry *try, Arena *arena, int line, const char *body,
                                const char *goal) {
    LessonWriter ask = {.arena = arena};
    size_t n_lines = 1;
    for (const char *at = body; at < goal; at++) {
        n_lines += *at == '\n';
    }
    try->solution = arena_allocate(arena, n_lines * sizeof *try->solution);
    for (; body < goal; line++) {
        size_t length = strcspn(body, "\n");
        if (strncmp(body, "> ", 2) == 0) {
            try->solution[try->n_solution++] =
                (LessonCommand){arena_format(arena, "%.*s", (int)length - 2, body + 2), line};
        } else {
            lesson_write(&ask, body, length, '.');
            lesson_write(&ask, "\n", 1, '.');
        }
        body += length + 1;
    }
    LessonText raw = lesson_written(&ask);
    return lesson_read_prose(arena, raw.text, strlen(raw.text));
}

bool lesson_read_try(LessonTry *try, Arena *arena, const char *path, int line, const char *body,
                     Error *err) {
    const char *goal = strstr(body, "\n= ");
    if (goal == NULL) {
        return error_set(err,
                         "%s:%d: expected what to try, then a line \"= CLAIM\" that says when it "
                         "is done",
                         path, line);
    }
    int goal_line = line + 1;
    for (const char *at = body; at < goal; at++) {
        goal_line += *at == '\n';
    }
    size_t length = strcspn(goal + 1, "\n");
    const char *after = goal + 1 + length;
    const char *text = arena_format(arena, "%.*s", (int)length - 2, goal + 3);
    try->ask = read_solution(try, arena, line, body, goal);
    try->after = lesson_read_prose(arena, after, strlen(after));
    return claim_parse(&try->goal, arena, path, goal_line, text, err);
}
