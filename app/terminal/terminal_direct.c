// terminal_direct.c - a description of terminals with 24-bit colour, which base systems lack.
#include "app/terminal/terminal_direct.h"

#include <stdlib.h>
#include <string.h>

// A terminfo entry of our own, compiled by tic -x from tests/attend-direct.ti, in the form that the
// variable TERMINFO takes.
static const char INFO[] =
    "b64:"
    "HgI3AA8ADwBpAdkBYXR0ZW5kLWRpcmVjdHwyNC1iaXQgY29sb3VycyBvbiB3aGF0IHVuZGVyc3RhbmRz"
    "IHh0ZXJtAAABAAABAAAAAQAAAAABAVAAAAAIAAAAGAAAAP//////////////////////////////////"
    "//////////////////8AAAABAAABAP//AAACAAQA//8VAB0AIQAlAP//MABBAEMARwBOAP//UABXAP//"
    "WwD//18AYwD//////////2cAbAD//3UA////////egD//38AhAD//40AlAD///////+dAP//////////"
    "//////////+jAP//pwD///////+pAP//rgD/////////////////////////////////////sgD/////"
    "tgD//7oAvwDEAP///////8gAzADUAP///////////////////////////////////////9wA5QDuAPcA"
    "//8AAQkBEgH//xsB/////////////////////////////yQBJwEyATUBNwH///////86Af//////////"
    "////////////////////////PAH///////////////////////////////////////9AAf//////////"
    "////////////////////////////////////////////////////////////////////////////////"
    "////////////////////////////////////////////////////////////////////////////////"
    "////////////////////////////////////////////////////////////////////////////////"
    "//////////////////////////9EAf//////////////////////////////////////////////////"
    "/////////////////////0kB//////////////////////////////////9SAf//////////////////"
    "/////1cB////////////////////////////////////////////////////////////////////////"
    "////////////////XQH///////9hAZ0BBwANABtbJWklcDElZDslcDIlZHIAG1tIG1sySgAbW0sAG1tK"
    "ABtbJWklcDElZEcAG1slaSVwMSVkOyVwMiVkSAAKABtbSAAbWz8yNWwACAAbWz8yNWgAG1tDABtbQQAb"
    "W1AAG1tNABtbMW0AG1s/MTA0OWgAG1sybQAbWzdtABtbNG0AG1slcDElZFgAGyhCG1ttABtbPzEwNDls"
    "ABtbMjRtABtbTAB/ABtbM34AG09CABtPSAAbT0QAG1s2fgAbWzV+ABtPQwAbT0EAG1s/MWwbPgAbWz8x"
    "aBs9ABtbJXAxJWRQABtbJXAxJWRNABtbJXAxJWRCABtbJXAxJWRAABtbJXAxJWRMABtbJXAxJWREABtb"
    "JXAxJWRDABtbJXAxJWRBABs4ABtbJWklcDElZGQAGzcACgAbTQAJABtbWgAbT0YAG1sxSwAbWzM5OzQ5"
    "bQAbWzNtABtbMjNtABtbPAAbWzM4OzI7JXAxJXs2NTUzNn0lLyVkOyVwMSV7MjU2fSUvJXsyNTV9JSYl"
    "ZDslcDElezI1NX0lJiVkbQAbWzQ4OzI7JXAxJXs2NTUzNn0lLyVkOyVwMSV7MjU2fSUvJXsyNTV9JSYl"
    "ZDslcDElezI1NX0lJiVkbQAAAQAAAAAAAQAEAAEAAABSR0IA";

bool terminal_direct_fits(const char *kind) {
    static const char *const KINDS[] = {"xterm",   "tmux",    "screen", "alacritty", "foot",
                                        "wezterm", "konsole", "vte",    "iterm"};
    static const char ENDING[] = "-direct"; // a description of that kind sends small numbers
    size_t length = strlen(kind);           // as palette colours: ours does not
    size_t size = sizeof ENDING - 1;
    const char *said = getenv("COLORTERM");
    bool says_so =
        (said != NULL && (strcmp(said, "truecolor") == 0 || strcmp(said, "24bit") == 0)) ||
        (length > size && strcmp(kind + length - size, ENDING) == 0);
    for (size_t i = 0; says_so && i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (strncmp(kind, KINDS[i], strlen(KINDS[i])) == 0) {
            return true;
        }
    }
    return false;
}

char *terminal_direct_enter(void) {
    const char *before = getenv("TERMINFO");
    char *saved = before == NULL ? NULL : strdup(before);
    setenv("TERMINFO", INFO, 1);
    return saved;
}

void terminal_direct_leave(char *saved) {
    if (saved != NULL) {
        setenv("TERMINFO", saved, 1);
    } else {
        unsetenv("TERMINFO");
    }
    free(saved);
}
