// course.c - the lessons there are, as a path: what comes before what, and how far a person came.
#include "app/learn/course.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/learn/lesson_files.h"
#include "app/learn/player.h"
#include "app/learn/texts.h"
#include "views/text.h"

enum { MOST_LESSONS = 99, NUMBER_COLUMNS = 5, GAP = 2, BRANCH_BYTES = 128, LEAST_TITLE = 8 };

bool course_holds(const char *text, const char *sought) {
    size_t length = strlen(sought);
    for (; text != NULL && *text != '\0'; text++) {
        if (strncasecmp(text, sought, length) == 0) {
            return true;
        }
    }
    return length == 0;
}

static bool lesson_holds(const Lesson *lesson, const char *sought) {
    char number[16];
    snprintf(number, sizeof number, "%d", lesson->number);
    bool is_found = strcmp(number, sought) == 0 || course_holds(lesson->title, sought) ||
                    course_holds(lesson->about.goal, sought) ||
                    course_holds(lesson->about.recap, sought);
    for (int i = 0; !is_found && i < lesson->n_blocks; i++) {
        is_found = course_holds(lesson->blocks[i].text.text, sought);
    }
    return is_found;
}

int course_find(const Course *course, int number) {
    for (int i = 0; i < course->n; i++) {
        if (course->lessons[i].number == number) {
            return i;
        }
    }
    return -1;
}

// The last lesson before it that it builds on, of those that are there.
static int find_parent(const Course *course, const LessonAbout *about) {
    int parent = -1;
    for (int i = 0; i < about->n_needs; i++) {
        int at = course_find(course, about->needs[i]);
        parent = at > parent ? at : parent;
    }
    return parent;
}

typedef struct Loading {
    Course *course;
    const char *sought;
} Loading;

static void add_lesson(void *context, const char *file) {
    const Loading *loading = context;
    Course *course = loading->course;
    char name[256];
    char *path = lesson_files_find(file, course->language, name);
    Lesson lesson = {.n_stops = 0};
    if (path != NULL && course->n < MOST_LESSONS && lesson_load(&lesson, path, NULL)) {
        Arena *arena = &course->arena;
        char needs[ABOUT_NEEDS_BYTES];
        const int reached = player_reached(name);
        name[strcspn(name, ".")] = '\0';
        course->lessons[course->n] = (CourseLesson){
            .number = lesson.number,
            .minutes = lesson.about.minutes,
            .name = arena_text(arena, name),
            .title = arena_text(arena, lesson.title),
            .goal = arena_text(arena, lesson.about.goal == NULL ? "" : lesson.about.goal),
            .needs = arena_text(arena, about_needs(needs, &lesson, course->language)),
            .parent = find_parent(course, &lesson.about),
            .is_begun = reached >= 0,
            .is_done = reached + 1 >= lesson.n_stops,
            .is_found = lesson_holds(&lesson, loading->sought)};
        course->n_found += course->lessons[course->n++].is_found;
    }
    lesson_free(&lesson);
    free(path);
}

static const char *list_missing(Course *course) {
    char text[512] = "";
    size_t length = 0;
    int last = course->n > 0 ? course->lessons[course->n - 1].number : 0;
    for (int number = 1; number < last && length + 8 < sizeof text; number++) {
        if (course_find(course, number) < 0) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%d",
                                       length > 0 ? ", " : "", number);
        }
    }
    return arena_text(&course->arena, text);
}

void course_load(Course *course, Language language, const char *sought) {
    course_free(course);
    course->language = language;
    course->lessons = arena_allocate(&course->arena, MOST_LESSONS * sizeof *course->lessons);
    Loading loading = {course, sought};
    lesson_files_list(add_lesson, &loading);
    course->missing = list_missing(course);
}

void course_free(Course *course) {
    arena_free(&course->arena);
    *course = (Course){.n = 0};
}

int course_next(const Course *course) {
    for (int i = 0; i < course->n; i++) {
        if (!course->lessons[i].is_done) {
            return i;
        }
    }
    return 0;
}

// ---- a line

static bool has_later_sibling(const Course *course, int i) {
    for (int k = i + 1; k < course->n; k++) {
        if (course->lessons[k].parent == course->lessons[i].parent) {
            return true;
        }
    }
    return false;
}

// The branches of the path that lead to a lesson: "│ └ ". Of lessons that were sought no path
// shows.
static void write_branch(const Course *course, int i, bool ascii, char out[BRANCH_BYTES]) {
    int path[MOST_LESSONS];
    int n = 0;
    size_t length = 0;
    bool is_whole = course->n_found == course->n;
    for (int at = i; is_whole && course->lessons[at].parent >= 0; at = course->lessons[at].parent) {
        path[n++] = at;
    }
    out[0] = '\0';
    while (n-- > 0 && length + 8 < BRANCH_BYTES) {
        bool goes_on = has_later_sibling(course, path[n]);
        const char *here = ascii ? "+ " : (goes_on ? "├ " : "└ ");
        const char *beside = !goes_on ? "  " : (ascii ? "| " : "│ ");
        length += (size_t)snprintf(out + length, BRANCH_BYTES - length, "%s",
                                   path[n] == i ? here : beside);
    }
}

static int title_columns(const Course *course, int i, bool ascii) {
    char branch[BRANCH_BYTES];
    write_branch(course, i, ascii, branch);
    return text_columns(branch) + text_columns(course->lessons[i].title);
}

static void append_column(char out[ABOUT_BYTES], int place, const char *text) {
    size_t length = strlen(out);
    int room = place - text_columns(out);
    text_print(out + length, ABOUT_BYTES - length, "%*s%s", room > 0 ? room : 0, "", text);
}

static const char *minutes_of(const Course *course, int i, char out[64]) {
    char number[16];
    snprintf(number, sizeof number, "%d", course->lessons[i].minutes);
    return course->lessons[i].minutes == 0
               ? ""
               : text_fill(out, 64, text_of(course->language, TEXT_LIST_MINUTES), number, NULL);
}

static const char *needs_of(const Course *course, int i, char out[128]) {
    const char *needs = course->lessons[i].needs;
    return needs[0] == '\0'
               ? ""
               : text_fill(out, 128, text_of(course->language, TEXT_LIST_NEEDS), needs, NULL);
}

typedef struct Widths {
    int title, minutes, needs;
} Widths;

static int larger(int a, int b) {
    return a > b ? a : b;
}

static Widths widths_of(const Course *course, int columns, bool ascii) {
    Widths widths = {0, 0, 0};
    for (int i = 0; i < course->n; i++) {
        char minutes[64];
        char needs[128];
        widths.title = larger(widths.title, title_columns(course, i, ascii));
        widths.minutes = larger(widths.minutes, text_columns(minutes_of(course, i, minutes)));
        widths.needs = larger(widths.needs, text_columns(needs_of(course, i, needs)));
    }
    int room = columns - NUMBER_COLUMNS - widths.minutes - widths.needs - 2 * GAP;
    bool is_narrow = columns > 0 && room < widths.title;
    widths.title = is_narrow ? larger(room, LEAST_TITLE) : widths.title;
    return widths;
}

static void append_title(const Course *course, int i, int columns, bool ascii,
                         char out[ABOUT_BYTES]) {
    char branch[BRANCH_BYTES];
    char text[ABOUT_BYTES / 2];
    write_branch(course, i, ascii, branch);
    text_print(text, sizeof text, "%s%s", branch, course->lessons[i].title);
    if (text_columns(text) > columns) {
        text[text_fit(text, columns - 1, NULL)] = '\0';
        append_column(out, 0, text);
        append_column(out, 0, ascii ? "~" : "…");
        return;
    }
    append_column(out, 0, text);
}

const char *course_line(const Course *course, int i, int columns, bool ascii,
                        char out[ABOUT_BYTES]) {
    const CourseLesson *lesson = &course->lessons[i];
    const Widths widths = widths_of(course, columns, ascii);
    const char *mark = lesson->is_done ? (ascii ? "*" : "✓") : (lesson->is_begun ? "·" : " ");
    snprintf(out, ABOUT_BYTES, "%2d %s ", lesson->number, mark);
    append_title(course, i, widths.title, ascii, out);
    int place = NUMBER_COLUMNS + widths.title + GAP;
    if (lesson->minutes > 0) {
        char minutes[64];
        append_column(out, place, minutes_of(course, i, minutes));
    }
    if (lesson->needs[0] != '\0') {
        char needs[128];
        append_column(out, place + widths.minutes + GAP, needs_of(course, i, needs));
    }
    return out;
}
