// screen_menu.c - the menu of lessons: the path, what the chosen one is for.
#include <stdio.h>

#include "app/learn/screen_private.h"
#include "views/window.h"

enum { WIDTH = 100, HEIGHT = 30 };

static bool load(Screen *screen) {
    course_load(&screen->course, screen->reply->language, screen->course_sought);
    return screen->course.n_found > 0 || screen->course_sought[0] == '\0';
}

// The lesson that is played, until it is done; else the one to go on with.
static int choose_lesson(const Screen *screen) {
    const Course *course = &screen->course;
    int at = screen->player->has_lesson ? course_find(course, screen->player->lesson.number) : -1;
    return at >= 0 && !course->lessons[at].is_done ? at : course_next(course);
}

// The chosen lesson, or the first after it that shows.
static void choose_found(Screen *screen) {
    const Course *course = &screen->course;
    for (int i = 0; i < course->n && !course->lessons[screen->menu_at].is_found; i++) {
        screen->menu_at = (screen->menu_at + 1) % course->n;
    }
}

bool screen_open_menu(Screen *screen, const char *sought) {
    text_copy(screen->course_sought, sizeof screen->course_sought, sought);
    bool is_found = load(screen);
    if (!is_found) {
        screen->course_sought[0] = '\0';
        load(screen);
    }
    bool was_open = screen->overlay == OVERLAY_MENU;
    screen->menu_at = was_open ? screen->menu_at : choose_lesson(screen);
    screen->overlay = OVERLAY_MENU;
    choose_found(screen);
    return is_found;
}

void screen_move_menu(Screen *screen, int lessons) {
    const Course *course = &screen->course;
    int step = lessons < 0 ? -1 : 1;
    int at = screen->menu_at + step;
    for (; lessons != 0 && at >= 0 && at < course->n; at += step) {
        if (course->lessons[at].is_found) {
            screen->menu_at = at;
            lessons -= step;
        }
    }
}

static void draw_lessons(const Screen *screen, const ScreenBox *box, Canvas *canvas, int height) {
    const Course *course = &screen->course;
    int at = 0;
    for (int i = 0; i < screen->menu_at; i++) {
        at += course->lessons[i].is_found;
    }
    int first = window_first(at, height, course->n_found);
    int y = -first;
    Canvas inside = box->inside;
    for (int i = 0; i < course->n; i++) {
        if (!course->lessons[i].is_found || y++ < 0 || y > height) {
            continue;
        }
        Style style = i == screen->menu_at ? STYLE_CURSOR : STYLE_TEXT;
        char line[ABOUT_BYTES];
        canvas_fill(&inside, (Rect){0, y - 1, inside.width, 1}, style, " ");
        canvas_text(&inside, 1, y - 1, style,
                    course_line(course, i, inside.width - 2, canvas->ascii, line));
    }
    screen_draw_ends(canvas, box->rect, first, course->n_found - first - height);
}

// What lesson i is for; gives its lines. canvas NULL: measures.
static int draw_goal(const Screen *screen, Canvas *canvas, Rect rect, int i) {
    char text[ABOUT_BYTES];
    text_fill(text, sizeof text, reply_text(screen->reply, TEXT_ABOUT_GOAL),
              screen->course.lessons[i].goal, NULL);
    return canvas_paragraph(canvas, rect, STYLE_TEXT, text);
}

static int draw_missing(const Screen *screen, Canvas *canvas, Rect rect) {
    char text[ABOUT_BYTES];
    text_fill(text, sizeof text, reply_text(screen->reply, TEXT_MENU_MISSING),
              screen->course.missing, NULL);
    return screen->course.missing[0] == '\0' ? 0 : canvas_paragraph(canvas, rect, STYLE_DIM, text);
}

// Below the list: what the chosen lesson is for, and which numbers there are no lessons of. The
// room is that of the longest goal. Gives the row where it begins.
static int draw_about(const Screen *screen, Canvas *inside) {
    Rect rect = {1, 0, inside->width - 2, 0};
    for (int i = 0; i < screen->course.n; i++) {
        int lines = draw_goal(screen, NULL, rect, i);
        rect.height = lines > rect.height ? lines : rect.height;
    }
    int n_missing = draw_missing(screen, NULL, rect);
    rect.y = inside->height - rect.height - n_missing;
    draw_goal(screen, inside, rect, screen->menu_at);
    draw_missing(screen, inside, (Rect){1, inside->height - n_missing, rect.width, n_missing});
    canvas_line_across(inside, 0, rect.y - 1, inside->width, STYLE_BORDER);
    return rect.y - 1;
}

void screen_draw_menu(Screen *screen, Canvas *canvas) {
    ScreenBox box = screen_open_box(screen, canvas, WIDTH, HEIGHT, TEXT_MENU_TITLE,
                                    screen->course_sought, TEXT_MENU_HINT);
    if (screen->course.language != screen->reply->language) {
        load(screen);
    }
    box.inside.cut = NULL; // it scrolls
    if (screen->course.n > 0) {
        draw_lessons(screen, &box, canvas, draw_about(screen, &box.inside));
    }
}
