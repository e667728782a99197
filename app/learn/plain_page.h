// plain_page.h - lines of text on their way to a reader: clean, wrapped, with ASCII signs if asked.
#ifndef APP_LEARN_PLAIN_PAGE_H
#define APP_LEARN_PLAIN_PAGE_H

#include "engine/base/file.h"

enum { PLAIN_MIN_WIDTH = 40, PLAIN_WIDTH = 80, PLAIN_MAX_WIDTH = 1000 };

// What is written to `lines` is told by the next flush; a zeroed page can be closed.
typedef struct PlainPage {
    FileWriter lines; // in memory
    FileWriter out;   // standard output
    int width;
    bool ascii; // our signs as ASCII words; what a person brought stays
} PlainPage;

// width 0: that of the terminal where there is one, else PLAIN_WIDTH.
bool plain_page_open(PlainPage *page, int width, bool ascii, Error *err);

// A text broken to lines, each with the indent in front; after a mark such as "? " the next lines
// have spaces.
void plain_page_text(PlainPage *page, const char *indent, const char *text);

// Sends the lines: control codes as "\x1b", a line that is too wide broken at spaces, what follows
// under it. False once standard output cannot be written.
bool plain_page_flush(PlainPage *page);

// Sends one line that must stay whole: to be copied by hand or by a program.
void plain_page_whole(PlainPage *page, const char *line);

bool plain_page_commit(PlainPage *page, Error *err);
void plain_page_close(PlainPage *page);

#endif
