// lesson_private.h - what the files of the lesson reader share.
#ifndef ENGINE_LESSONS_LESSON_PRIVATE_H
#define ENGINE_LESSONS_LESSON_PRIVATE_H

#include <cmark.h>

#include "engine/lessons/lesson.h"

// A text with its marks while it grows, in an arena.
typedef struct LessonWriter {
    Arena *arena;
    char *text;
    char *marks;
    char *spoken;
    size_t length, capacity;
    size_t spoken_length, spoken_capacity;
    bool is_unspoken; // what is written now has been said in other words
    const char *place;
    int n_places;
} LessonWriter;

// A line of a fence, without spaces around, in the arena.
typedef struct LessonLine {
    const char *text;
    int number; // in the file
} LessonLine;

// The next line of *body that is not empty, *number being that of its first; false at its end.
bool lesson_next_line(Arena *arena, const char **body, int *number, LessonLine *line);

void lesson_write(LessonWriter *writer, const char *bytes, size_t length, char mark);
LessonText lesson_written(LessonWriter *writer);

// The inline parts of a paragraph or heading. A line's end becomes a space, between Chinese
// characters nothing.
void lesson_write_inlines(LessonWriter *writer, cmark_node *block);

// A text within a fence, as Markdown.
LessonText lesson_read_prose(Arena *arena, const char *text, size_t length);

// The body of a question; line is that of its first line.
bool lesson_read_question(LessonQuestion *question, Arena *arena, const char *path, int line,
                          const char *body, Error *err);

// The body of a block that says what the lesson is for, and of one that asks for something to be
// tried; line is that of its first line.
bool lesson_read_about(LessonAbout *about, Arena *arena, const char *path, int line,
                       const char *body, Error *err);
bool lesson_read_try(LessonTry *try, Arena *arena, const char *path, int line, const char *body,
                     Error *err);

#endif
