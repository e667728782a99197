// terminal_few.c - what each style looks like in the eight or sixteen colours of a terminal's own.
#include "app/terminal/terminal_few.h"

#include <assert.h>
#include <stddef.h>

enum {
    BLACK,
    RED,
    GREEN,
    YELLOW,
    BLUE,
    MAGENTA,
    CYAN,
    WHITE,
    BRIGHT_BLACK,
    BRIGHT_RED,
    BRIGHT_GREEN,
    BRIGHT_YELLOW,
    BRIGHT_BLUE,
    BRIGHT_MAGENTA,
    BRIGHT_CYAN,
    BRIGHT_WHITE,
};

// Where the contrasts leave no colour, an underline tells styles apart. A yellow ink among eight is
// bold, since the console's plain one is too dark; red, blue and magenta are too dark on black, and
// bold black would be grey.
static const FewLook DARK_8[STYLE_COUNT] = {
    [STYLE_TEXT] = {WHITE, BLACK, 0},
    [STYLE_DIM] = {CYAN, BLACK, 0},
    [STYLE_STRONG] = {WHITE, BLACK, LOOK_BOLD},
    [STYLE_EMPHASIS] = {WHITE, BLACK, LOOK_ITALIC},
    [STYLE_CODE] = {YELLOW, BLACK, LOOK_BOLD},
    [STYLE_LINK] = {CYAN, BLACK, LOOK_UNDERLINE},
    [STYLE_TITLE] = {WHITE, BLACK, LOOK_BOLD},
    [STYLE_HEADING] = {CYAN, BLACK, LOOK_BOLD},
    [STYLE_BAR] = {WHITE, BLUE, 0},
    [STYLE_KEY] = {YELLOW, BLUE, LOOK_BOLD},
    [STYLE_BORDER] = {CYAN, BLACK, 0},
    [STYLE_FOCUS] = {WHITE, BLACK, LOOK_BOLD},
    [STYLE_NUMBER] = {WHITE, BLACK, 0},
    [STYLE_NEGATIVE] = {YELLOW, BLACK, LOOK_BOLD},
    [STYLE_MASKED] = {CYAN, BLACK, 0},
    [STYLE_QUERY_LABEL] = {CYAN, BLACK, LOOK_BOLD},
    [STYLE_KEY_LABEL] = {YELLOW, BLACK, LOOK_BOLD},
    [STYLE_CURSOR] = {WHITE, RED, LOOK_BOLD},
    [STYLE_SOURCE] = {WHITE, BLUE, LOOK_BOLD | LOOK_UNDERLINE},
    [STYLE_ACTIVE] = {WHITE, BLUE, 0},
    [STYLE_HIT] = {BLACK, GREEN, 0},
    [STYLE_HALF] = {CYAN, BLACK, 0},
    [STYLE_CHANGED] = {GREEN, BLACK, LOOK_BOLD | LOOK_UNDERLINE},
    [STYLE_FORWARD] = {CYAN, BLACK, 0},
    [STYLE_BACKWARD] = {YELLOW, BLACK, LOOK_BOLD},
    [STYLE_GOOD] = {GREEN, BLACK, LOOK_BOLD},
    [STYLE_BAD] = {WHITE, RED, LOOK_BOLD},
    [STYLE_QUESTION] = {YELLOW, BLACK, LOOK_BOLD},
    [STYLE_PROMPT] = {WHITE, BLACK, LOOK_BOLD},
};

static const FewLook DARK_16[STYLE_COUNT] = {
    [STYLE_TEXT] = {WHITE, BLACK, 0},
    [STYLE_DIM] = {CYAN, BLACK, 0},
    [STYLE_STRONG] = {BRIGHT_WHITE, BLACK, LOOK_BOLD},
    [STYLE_EMPHASIS] = {BRIGHT_WHITE, BLACK, LOOK_ITALIC},
    [STYLE_CODE] = {BRIGHT_YELLOW, BLACK, 0},
    [STYLE_LINK] = {BRIGHT_CYAN, BLACK, LOOK_UNDERLINE},
    [STYLE_TITLE] = {BRIGHT_WHITE, BLACK, LOOK_BOLD},
    [STYLE_HEADING] = {BRIGHT_CYAN, BLACK, LOOK_BOLD},
    [STYLE_BAR] = {BRIGHT_WHITE, BLUE, 0},
    [STYLE_KEY] = {BRIGHT_YELLOW, BLUE, LOOK_BOLD},
    [STYLE_BORDER] = {BRIGHT_BLUE, BLACK, 0},
    [STYLE_FOCUS] = {BRIGHT_CYAN, BLACK, LOOK_BOLD},
    [STYLE_NUMBER] = {WHITE, BLACK, 0},
    [STYLE_NEGATIVE] = {BRIGHT_RED, BLACK, 0},
    [STYLE_MASKED] = {CYAN, BLACK, 0},
    [STYLE_QUERY_LABEL] = {BRIGHT_CYAN, BLACK, LOOK_BOLD},
    [STYLE_KEY_LABEL] = {BRIGHT_YELLOW, BLACK, LOOK_BOLD},
    [STYLE_CURSOR] = {BRIGHT_WHITE, RED, LOOK_BOLD},
    [STYLE_SOURCE] = {BRIGHT_WHITE, BLUE, LOOK_UNDERLINE},
    [STYLE_ACTIVE] = {BRIGHT_WHITE, BLUE, 0},
    [STYLE_HIT] = {BLACK, BRIGHT_GREEN, 0},
    [STYLE_HALF] = {BRIGHT_CYAN, BLACK, 0},
    [STYLE_CHANGED] = {BRIGHT_MAGENTA, BLACK, LOOK_BOLD},
    [STYLE_FORWARD] = {CYAN, BLACK, 0},
    [STYLE_BACKWARD] = {BRIGHT_RED, BLACK, 0},
    [STYLE_GOOD] = {BRIGHT_GREEN, BLACK, LOOK_BOLD},
    [STYLE_BAD] = {BRIGHT_RED, BLACK, LOOK_BOLD},
    [STYLE_QUESTION] = {BRIGHT_YELLOW, BLACK, LOOK_BOLD},
    [STYLE_PROMPT] = {BRIGHT_WHITE, BLACK, 0},
};

static const FewLook LIGHT_8[STYLE_COUNT] = {
    [STYLE_TEXT] = {BLACK, WHITE, 0},
    [STYLE_DIM] = {BLUE, WHITE, 0},
    [STYLE_STRONG] = {BLACK, WHITE, LOOK_UNDERLINE},
    [STYLE_EMPHASIS] = {BLACK, WHITE, LOOK_ITALIC},
    [STYLE_CODE] = {BLUE, WHITE, 0},
    [STYLE_LINK] = {BLUE, WHITE, LOOK_UNDERLINE},
    [STYLE_TITLE] = {BLACK, WHITE, LOOK_UNDERLINE},
    [STYLE_HEADING] = {BLUE, WHITE, LOOK_UNDERLINE},
    [STYLE_BAR] = {WHITE, BLUE, 0},
    [STYLE_KEY] = {YELLOW, BLUE, LOOK_BOLD},
    [STYLE_BORDER] = {BLUE, WHITE, 0},
    [STYLE_FOCUS] = {BLACK, WHITE, 0},
    [STYLE_NUMBER] = {BLACK, WHITE, 0},
    [STYLE_NEGATIVE] = {BLUE, WHITE, 0},
    [STYLE_MASKED] = {BLUE, WHITE, 0},
    [STYLE_QUERY_LABEL] = {BLUE, WHITE, 0},
    [STYLE_KEY_LABEL] = {BLACK, WHITE, LOOK_UNDERLINE},
    [STYLE_CURSOR] = {WHITE, RED, LOOK_BOLD},
    [STYLE_SOURCE] = {BLACK, CYAN, LOOK_UNDERLINE},
    [STYLE_ACTIVE] = {WHITE, BLUE, 0},
    [STYLE_HIT] = {BLACK, GREEN, 0},
    [STYLE_HALF] = {BLUE, WHITE, 0},
    [STYLE_CHANGED] = {BLUE, WHITE, LOOK_UNDERLINE},
    [STYLE_FORWARD] = {BLUE, WHITE, 0},
    [STYLE_BACKWARD] = {BLACK, WHITE, 0},
    [STYLE_GOOD] = {BLACK, GREEN, 0},
    [STYLE_BAD] = {WHITE, RED, LOOK_BOLD},
    [STYLE_QUESTION] = {BLACK, WHITE, LOOK_UNDERLINE},
    [STYLE_PROMPT] = {BLACK, WHITE, 0},
};

static const FewLook LIGHT_16[STYLE_COUNT] = {
    [STYLE_TEXT] = {BLACK, BRIGHT_WHITE, 0},
    [STYLE_DIM] = {BRIGHT_BLUE, BRIGHT_WHITE, 0},
    [STYLE_STRONG] = {BLACK, BRIGHT_WHITE, LOOK_UNDERLINE},
    [STYLE_EMPHASIS] = {BLACK, BRIGHT_WHITE, LOOK_ITALIC},
    [STYLE_CODE] = {RED, BRIGHT_WHITE, 0},
    [STYLE_LINK] = {BLUE, BRIGHT_WHITE, LOOK_UNDERLINE},
    [STYLE_TITLE] = {BLUE, BRIGHT_WHITE, LOOK_BOLD},
    [STYLE_HEADING] = {BLUE, BRIGHT_WHITE, LOOK_BOLD},
    [STYLE_BAR] = {BLACK, WHITE, 0},
    [STYLE_KEY] = {BLUE, WHITE, 0},
    [STYLE_BORDER] = {BRIGHT_BLACK, BRIGHT_WHITE, 0},
    [STYLE_FOCUS] = {BLUE, BRIGHT_WHITE, LOOK_BOLD},
    [STYLE_NUMBER] = {BLACK, BRIGHT_WHITE, 0},
    [STYLE_NEGATIVE] = {RED, BRIGHT_WHITE, 0},
    [STYLE_MASKED] = {BRIGHT_BLUE, BRIGHT_WHITE, 0},
    [STYLE_QUERY_LABEL] = {BLUE, BRIGHT_WHITE, LOOK_BOLD},
    [STYLE_KEY_LABEL] = {RED, BRIGHT_WHITE, 0},
    [STYLE_CURSOR] = {BRIGHT_WHITE, RED, LOOK_BOLD},
    [STYLE_SOURCE] = {BLACK, BRIGHT_CYAN, LOOK_UNDERLINE},
    [STYLE_ACTIVE] = {BLACK, WHITE, 0},
    [STYLE_HIT] = {BLACK, BRIGHT_GREEN, 0},
    [STYLE_HALF] = {BLUE, BRIGHT_WHITE, 0},
    [STYLE_CHANGED] = {RED, BRIGHT_WHITE, LOOK_UNDERLINE},
    [STYLE_FORWARD] = {BLUE, BRIGHT_WHITE, 0},
    [STYLE_BACKWARD] = {RED, BRIGHT_WHITE, 0},
    [STYLE_GOOD] = {BLACK, BRIGHT_GREEN, 0},
    [STYLE_BAD] = {RED, BRIGHT_WHITE, LOOK_UNDERLINE},
    [STYLE_QUESTION] = {BLUE, BRIGHT_WHITE, LOOK_BOLD},
    [STYLE_PROMPT] = {BLACK, BRIGHT_WHITE, 0},
};

// Bold may make an ink bright, which is read better on black and worse on white.
static bool may_be_bold(ThemeName theme, bool has_sixteen, const FewLook *look) {
    bool is_on_light = look->paper == WHITE || look->paper >= BRIGHT_GREEN;
    if (look->ink == BLACK) {
        return false;
    }
    return !is_on_light || (theme == THEME_LIGHT && has_sixteen && look->paper == BRIGHT_WHITE &&
                            look->ink == BLUE);
}

FewLook few_look(ThemeName theme, bool has_sixteen, Style style, unsigned added) {
    assert(theme != THEME_MONO);
    const FewLook *dark = has_sixteen ? DARK_16 : DARK_8;
    const FewLook *light = has_sixteen ? LIGHT_16 : LIGHT_8;
    FewLook look = (theme == THEME_DARK ? dark : light)[style];
    if ((added & LOOK_BOLD) != 0 && !may_be_bold(theme, has_sixteen, &look)) {
        added = (added & ~(unsigned)LOOK_BOLD) | LOOK_UNDERLINE;
    }
    look.attributes = (unsigned char)(look.attributes | added);
    return look;
}

// Dark to light with both palettes; a yellow paper is dark in the one and light in the other. None
// is the paper of the page.
FewLook few_heat(ThemeName theme, bool has_sixteen, int entry) {
    static const FewLook EIGHT[] = {
        {WHITE, BLUE, 0}, {BLACK, GREEN, 0}, {BLACK, CYAN, 0}, {BLACK, WHITE, 0}};
    static const FewLook SIXTEEN[] = {{BRIGHT_WHITE, BLUE, 0}, {BLACK, GREEN, 0},
                                      {BLACK, CYAN, 0},        {BLACK, BRIGHT_GREEN, 0},
                                      {BLACK, BRIGHT_CYAN, 0}, {BLACK, BRIGHT_YELLOW, 0}};
    if (entry < 0 || entry >= PALETTE_ENTRIES) { // masked and whatever else is on no scale
        return few_look(theme, has_sixteen, STYLE_NUMBER, 0);
    }
    size_t n = has_sixteen ? sizeof SIXTEEN / sizeof SIXTEEN[0] : sizeof EIGHT / sizeof EIGHT[0];
    n -= theme == THEME_LIGHT && !has_sixteen; // whose page is white
    return (has_sixteen ? SIXTEEN : EIGHT)[(size_t)entry * n / PALETTE_ENTRIES];
}
