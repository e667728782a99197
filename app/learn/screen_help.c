// screen_help.c - the help: the keys and names of all commands, and the keys of a line.
#include "app/learn/screen_private.h"
#include "app/terminal/key.h"

enum { KEYS_BYTES = 48, MOST_LINES = COMMAND_COUNT + PROMPT_KEY_COUNT };

static const TextId LINE_TEXTS[PROMPT_KEY_COUNT] = {
#define X(id, keys) TEXT_LINE_##id,
    PROMPT_KEY_LIST(X)
#undef X
};

typedef struct Help {
    ViewKey lines[MOST_LINES];
    char keys[MOST_LINES][KEYS_BYTES];
    int n;
} Help;

static void add(Help *help, const Screen *screen, const char *keys, const char *name,
                const char *text) {
    int n = help->n;
    const char *labels = key_labels(keys, screen->ascii, help->keys[n], sizeof help->keys[n]);
    const char *sought = screen->help_sought;
    help->lines[n] = (ViewKey){labels, name, text};
    help->n +=
        course_holds(labels, sought) || course_holds(name, sought) || course_holds(text, sought);
}

// The lines that hold what is sought.
static void collect(const Screen *screen, Help *help) {
    Language language = screen->reply->language;
    help->n = 0;
    for (int id = 0; id < COMMAND_COUNT; id++) {
        add(help, screen, COMMANDS[id].keys, COMMANDS[id].name, text_help(language, (CommandId)id));
    }
    for (int id = 0; id < PROMPT_KEY_COUNT; id++) {
        add(help, screen, PROMPT_KEYS[id], text_of(language, TEXT_IN_LINE),
            text_of(language, LINE_TEXTS[id]));
    }
}

bool screen_do_help(Screen *screen, const Command *command, Error *err) {
    Help help;
    screen->under = screen->overlay == OVERLAY_HELP ? screen->under : screen->overlay;
    screen->overlay = OVERLAY_HELP;
    screen->overlay_scroll = 0;
    text_copy(screen->help_sought, sizeof screen->help_sought, command->rest);
    collect(screen, &help);
    if (help.n == 0) {
        screen->help_sought[0] = '\0';
        return reply_fail(screen->reply, err, TEXT_HELP_NONE, command->rest, NULL);
    }
    return true;
}

void screen_close_overlay(Screen *screen) {
    bool shows_other = screen->overlay == OVERLAY_HELP && screen->under != OVERLAY_HELP;
    screen->overlay = shows_other ? screen->under : OVERLAY_NONE;
}

bool screen_scroll_help(Screen *screen, int lines) {
    int last = screen->overlay_lines - screen->overlay_rows;
    int to = screen->overlay_scroll + lines;
    to = to > last ? last : to;
    to = to < 0 ? 0 : to;
    bool moved = to != screen->overlay_scroll;
    screen->overlay_scroll = to;
    return moved;
}

void screen_draw_help(Screen *screen, Canvas *canvas) {
    ScreenBox box = screen_open_box(screen, canvas, 100, MOST_LINES + 12, TEXT_HELP_TITLE,
                                    screen->help_sought, TEXT_HELP_HINT);
    Help help;
    collect(screen, &help);
    ViewState state = {.keys = help.lines, .n_keys = help.n, .language = screen->reply->language};
    Canvas nowhere = {.width = box.inside.width}; // nothing shows: it only measures
    screen->overlay_rows = box.inside.height;
    screen->overlay_lines = view_draw_help(&state, &nowhere);
    screen_scroll_help(screen, 0);
    state.scroll = screen->overlay_scroll;
    view_draw_help(&state, &box.inside);
    screen_draw_ends(canvas, box.rect, state.scroll,
                     screen->overlay_lines - state.scroll - screen->overlay_rows);
}
