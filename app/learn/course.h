// course.h - the lessons there are, as a path: what comes before what, and how far a person came.
#ifndef APP_LEARN_COURSE_H
#define APP_LEARN_COURSE_H

#include "app/learn/about.h"
#include "engine/base/arena.h"

typedef struct CourseLesson {
    int number, minutes;
    const char *name;  // of its file, without the ending
    const char *title; // in the language of the course
    const char *goal;  // "" where it says none
    const char *needs; // "7, 10": lessons that come before it; "" for none
    int parent;        // the last of them, by its place in the course; -1: it stands at the start
    bool is_begun, is_done;
    bool is_found; // what is sought stands in it
} CourseLesson;

// A zeroed one is empty.
typedef struct Course {
    Arena arena;
    CourseLesson *lessons; // n, in order
    int n, n_found;
    const char *missing; // "1, 2": numbers before the last one that no lesson has; "" for none
    Language language;
} Course;

// Reads all lessons and how far a person came; what was loaded before is freed. sought: a word of
// the title, the goal or the text, without regard to capitals of ASCII; "" finds all.
void course_load(Course *course, Language language, const char *sought);
void course_free(Course *course);

// Whether the text holds the word, capitals of ASCII or not; an empty word is in every text.
bool course_holds(const char *text, const char *sought);

// The lesson to go on with: the first that is not done while all before it are; else the first.
int course_next(const Course *course);

// The place of the lesson with that number, -1: there is none.
int course_find(const Course *course, int number);

// The line of lesson i: number, mark, title on its branch of the path, minutes, what comes before.
// In `columns` columns the title is cut where it has to be; 0: it is not.
const char *course_line(const Course *course, int i, int columns, bool ascii,
                        char out[ABOUT_BYTES]);

#endif
