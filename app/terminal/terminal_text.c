// terminal_text.c - whether lines of text on standard output or error may have colours.
#include "app/terminal/terminal_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

bool terminal_text_has_colour(int fd) {
    static const char CYAN[] = "\033[36m";
    const char *kind = getenv("TERM");
    const char *no_colour = getenv("NO_COLOR");
    if (isatty(fd) == 0 || kind == NULL || kind[0] == '\0' ||
        (no_colour != NULL && no_colour[0] != '\0') || setupterm(kind, fd, &(int){0}) == ERR) {
        return false;
    }
    const char *sequence =
        max_colors >= 8 && set_a_foreground != NULL
            ? tparm(set_a_foreground, (long)COLOR_CYAN, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L)
            : NULL;
    bool has_colour = sequence != NULL && strcmp(sequence, CYAN) == 0;
    del_curterm(cur_term);
    return has_colour;
}
