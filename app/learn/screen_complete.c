// screen_complete.c - the names that complete what is typed in the prompt.
#include <string.h>

#include "app/learn/screen.h"

enum { MAX_NAMES = 64 };

static int words_that_begin(const char *const *words, int n_words, const char *start,
                            const char **names) {
    int n = 0;
    for (int i = 0; i < n_words; i++) {
        if (strncmp(words[i], start, strlen(start)) == 0) {
            names[n++] = words[i];
        }
    }
    return n;
}

static int complete_view(const Screen *screen, const char *start, const char **names) {
    ViewTraining training;
    ViewState state = screen_view_state(screen, &training);
    int n = 0;
    for (int i = 0; VIEWS[i] != NULL && n < MAX_NAMES; i++) {
        if (VIEWS[i]->fits(&state) && strncmp(VIEWS[i]->name, start, strlen(start)) == 0) {
            names[n++] = VIEWS[i]->name;
        }
    }
    return n;
}

// Names that are no one else's are made in the arena.
static int complete_argument(const Screen *screen, CommandId id, const char *start, Arena *arena,
                             const char **names) {
    static const char *const SWITCHES[] = {"on", "off"};
    static const char *const THEMES[] = {"dark", "light", "mono"};
    static const char *const LANGUAGES[] = {"en", "zh"};
    static const char *const SCALES[] = {"linear", "row"};
    static const char *const NORMS[] = {"pre", "post", "standard", "annotated"};
    switch ((int)COMMANDS[id].argument) {
    case ARGUMENT_STAGE:
    case ARGUMENT_CELL:
    case ARGUMENT_TEXT:
        return screen->bench->playground.opened == NULL || id == COMMAND_INPUT
                   ? 0
                   : stepper_complete(&screen->bench->playground.stepper, start, arena, names,
                                      MAX_NAMES);
    case ARGUMENT_VIEW:
        return screen->bench->playground.opened == NULL ? 0 : complete_view(screen, start, names);
    case ARGUMENT_SWITCH:
        return words_that_begin(SWITCHES, 2, start, names);
    case ARGUMENT_THEME:
        return words_that_begin(THEMES, 3, start, names);
    case ARGUMENT_LANGUAGE:
        return words_that_begin(LANGUAGES, 2, start, names);
    case ARGUMENT_HEAT:
        return words_that_begin(SCALES, 2, start, names);
    case ARGUMENT_NORM:
        return words_that_begin(NORMS, 4, start, names);
    default:
        return 0;
    }
}

void screen_complete(Screen *screen) {
    Prompt *prompt = &screen->prompt;
    const char *names[MAX_NAMES];
    size_t space = strcspn(prompt->text, " ");
    bool is_name = space >= prompt->cursor;
    const char *start = prompt->text;
    Arena arena = {0};
    int n = 0;
    if (is_name) {
        n = command_complete(start, names, MAX_NAMES);
    } else {
        char name[PROMPT_BYTES];
        memcpy(name, prompt->text, space);
        name[space] = '\0';
        Command command = {COMMAND_COUNT, ""};
        command_parse(&command, name, NULL);
        start += space + strspn(prompt->text + space, " ");
        n = command.id == COMMAND_COUNT
                ? 0
                : complete_argument(screen, command.id, start, &arena, names);
    }
    prompt_complete(prompt, screen->reply, start, names, n > MAX_NAMES ? MAX_NAMES : n, is_name);
    arena_free(&arena);
}
