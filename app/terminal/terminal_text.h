// terminal_text.h - whether lines of text on standard output or error may have colours.
#ifndef APP_TERMINAL_TERMINAL_TEXT_H
#define APP_TERMINAL_TERMINAL_TEXT_H

#include <stdbool.h>

// True where fd is a terminal, its kind has colours and takes them in the usual sequences (ESC [ 36
// m and its like), and nobody has set NO_COLOR. Every command that colours text asks this.
bool terminal_text_has_colour(int fd);

#endif
