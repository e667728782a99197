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

static void add(Help *help, bool ascii, const char *keys, const char *name, const char *text) {
    int n = help->n++;
    help->lines[n] =
        (ViewKey){key_labels(keys, ascii, help->keys[n], sizeof help->keys[n]), name, text};
}

void screen_draw_help(const Screen *screen, Canvas *canvas) {
    Canvas inside =
        screen_open_box(screen, canvas, 100, MOST_LINES + 12, TEXT_HELP_TITLE, TEXT_HELP_HINT);
    Help help = {.n = 0};
    Language language = screen->reply->language;
    for (int id = 0; id < COMMAND_COUNT; id++) {
        add(&help, screen->ascii, COMMANDS[id].keys, COMMANDS[id].name,
            text_help(language, (CommandId)id));
    }
    for (int id = 0; id < PROMPT_KEY_COUNT; id++) {
        add(&help, screen->ascii, PROMPT_KEYS[id], text_of(language, TEXT_IN_LINE),
            text_of(language, LINE_TEXTS[id]));
    }
    ViewState state = {.keys = help.lines,
                       .n_keys = help.n,
                       .language = language,
                       .scroll = screen->overlay_scroll};
    view_draw_help(&state, &inside);
}
