// train_watch_screen.c - the screen of --watch: keys, a little reading, a frame; asleep when idle.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/train/train_progress.h"
#include "app/watch/train_watch.h"
#include "engine/base/clock.h"
#include "views/screen/view.h"

enum { LIVE_WAIT_MS = 250, IDLE_WAIT_MS = 1000, SLICE_MS = 15, FRAME_MS = 80, KEYS_BYTES = 48 };

typedef struct WatchScreen {
    TrainWatch *watch;
    Terminal *terminal;
    Canvas canvas;
    ThemeName theme;
    bool ascii;
    bool has_help, is_over;
    bool is_stale; // what is shown is not the newest
    int scroll;    // of the help
    int signal;    // that asked to end; 0: none
} WatchScreen;

// ---- keys

typedef enum WatchAction {
    WATCH_HELP,
    WATCH_LEAVE,
    WATCH_ZOOM_IN,
    WATCH_ZOOM_OUT,
    WATCH_WHOLE,
    WATCH_AXIS,
    WATCH_COMPARE,
    WATCH_THEME,
    WATCH_LANGUAGE,
    WATCH_REDRAW,
    WATCH_ACTION_COUNT,
} WatchAction;

typedef struct WatchKey {
    const char *keys; // names, spaces between
    const char *name;
    const char *help[LANGUAGE_COUNT];
    const char *hint[LANGUAGE_COUNT]; // in the last line; NULL: not there
} WatchKey;

static const WatchKey KEYS[WATCH_ACTION_COUNT] = {
    [WATCH_HELP] = {"?", "help", {"These keys.", "这些按键。"}, {"help", "帮助"}},
    [WATCH_LEAVE] = {"q Esc Q",
                     "leave",
                     {"Leaves; the run continues.", "离开；训练不受影响。"},
                     {"leave", "离开"}},
    [WATCH_ZOOM_IN] = {"+ = Right",
                       "zoom-in",
                       {"Shows fewer of the last steps.", "只看更近的几步。"},
                       {"closer", "放大"}},
    [WATCH_ZOOM_OUT] = {"- Left",
                        "zoom-out",
                        {"Shows more of the last steps.", "多看以前的步。"},
                        {"wider", "缩小"}},
    [WATCH_WHOLE] = {"0 Home", "whole", {"The whole run.", "整个训练过程。"}, {"whole", "全程"}},
    [WATCH_AXIS] = {"a",
                    "axis",
                    {"The axis of the loss: from 0, fitted to the curve, or logarithmic.",
                     "损失轴：从 0 起、贴合数据或对数。"},
                    {"axis", "轴"}},
    [WATCH_COMPARE] = {"c",
                       "compare",
                       {"Shows or hides the run of --with.",
                        "显示或隐藏 --with 给出的另一次训练。"},
                       {"compare", "对比"}},
    [WATCH_THEME] = {"d", "theme", {"The next theme.", "换一个主题。"}, {NULL, NULL}},
    [WATCH_LANGUAGE] = {"w", "language", {"中文", "English"}, {NULL, NULL}},
    [WATCH_REDRAW] = {"Ctrl-L", "redraw", {"Redraws the screen.", "重画屏幕。"}, {NULL, NULL}},
};

static bool can(const WatchScreen *screen, WatchAction action) {
    return action != WATCH_COMPARE || screen->watch->n_runs > 1;
}

static void act(WatchScreen *screen, WatchAction action) {
    TrainWatch *watch = screen->watch;
    switch (action) {
    case WATCH_ZOOM_IN:
        train_watch_zoom(watch, 1);
        return;
    case WATCH_ZOOM_OUT:
        train_watch_zoom(watch, -1);
        return;
    case WATCH_WHOLE:
        watch->window = 0;
        return;
    case WATCH_AXIS:
        watch->scale = (ChartScale)((watch->scale + 1) % CHART_SCALE_COUNT);
        return;
    case WATCH_COMPARE:
        watch->has_other = !watch->has_other;
        return;
    case WATCH_THEME:
        screen->theme = (ThemeName)((screen->theme + 1) % THEME_COUNT);
        terminal_set_theme(screen->terminal, screen->theme);
        return;
    case WATCH_LANGUAGE:
        watch->language = watch->language == LANGUAGE_EN ? LANGUAGE_ZH : LANGUAGE_EN;
        return;
    case WATCH_HELP:
        screen->has_help = true;
        screen->scroll = 0;
        return;
    case WATCH_REDRAW:
        terminal_repaint(screen->terminal);
        return;
    case WATCH_LEAVE:
        screen->is_over = true;
        return;
    case WATCH_ACTION_COUNT:
        return;
    }
}

// The help scrolls, and any other key takes it away.
static void press_in_help(WatchScreen *screen, int key) {
    if (key_is_among(key, "Down j PgDn Space")) {
        screen->scroll++;
    } else if (key_is_among(key, "Up k PgUp")) {
        screen->scroll -= screen->scroll > 0;
    } else {
        screen->has_help = false;
    }
}

static void press(WatchScreen *screen, int key) {
    if (screen->has_help && !key_is_among(key, KEYS[WATCH_REDRAW].keys)) {
        press_in_help(screen, key);
        return;
    }
    for (int action = 0; action < WATCH_ACTION_COUNT; action++) {
        if (can(screen, (WatchAction)action) && key_is_among(key, KEYS[action].keys)) {
            act(screen, (WatchAction)action);
            return;
        }
    }
}

static void handle(WatchScreen *screen, const Event *event) {
    switch (event->kind) {
    case EVENT_KEY:
        press(screen, event->key);
        return;
    case EVENT_SIGNAL:
    case EVENT_HANGUP:
        screen->signal = event->key;
        screen->is_over = true;
        return;
    case EVENT_NONE:
    case EVENT_PASTE:
    case EVENT_MOUSE:
    case EVENT_RESIZE:
        return;
    }
}

// ---- drawing

static void draw_footer(const WatchScreen *screen, Canvas *canvas) {
    int y = canvas->height - 1;
    int at = 1;
    Language language = screen->watch->language;
    canvas_fill(canvas, (Rect){0, y, canvas->width, 1}, STYLE_BAR, " ");
    for (int action = 0; action < WATCH_ACTION_COUNT; action++) {
        const char *hint = KEYS[action].hint[language];
        if (hint == NULL || !can(screen, (WatchAction)action)) {
            continue;
        }
        const char *keys = KEYS[action].keys;
        char first[KEY_NAME_BYTES];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(keys, " "), keys);
        if (at + text_columns(first) + 1 + text_columns(hint) >= canvas->width) {
            continue;
        }
        at = canvas_text(canvas, at, y, STYLE_KEY, first);
        at = canvas_text(canvas, at + 1, y, STYLE_BAR, hint) + 2;
    }
}

static void draw_help(const WatchScreen *screen, Canvas *canvas) {
    char keys[WATCH_ACTION_COUNT][KEYS_BYTES];
    ViewKey lines[WATCH_ACTION_COUNT];
    Language language = screen->watch->language;
    for (int i = 0; i < WATCH_ACTION_COUNT; i++) {
        lines[i] = (ViewKey){key_labels(KEYS[i].keys, screen->ascii, keys[i], sizeof keys[i]),
                             KEYS[i].name, KEYS[i].help[language]};
    }
    int width = canvas->width < 72 ? canvas->width : 72;
    int height = canvas->height - 2 < 16 ? canvas->height - 2 : 16;
    Rect rect = {(canvas->width - width) / 2, 1, width, height};
    Canvas part = canvas_part(canvas, rect);
    canvas_clear(&part, STYLE_TEXT);
    Canvas inside = canvas_box(&part, (Rect){0, 0, width, height}, STYLE_FOCUS,
                               view_help_title(language), NULL);
    ViewState state = {.keys = lines,
                       .n_keys = WATCH_ACTION_COUNT,
                       .language = language,
                       .scroll = screen->scroll};
    view_draw_help(&state, &inside);
}

static void show(WatchScreen *screen) {
    int width = 1;
    int height = 1;
    terminal_size(screen->terminal, &width, &height);
    if (!canvas_fit(&screen->canvas, width, height)) {
        return;
    }
    Canvas *canvas = &screen->canvas;
    canvas->ascii = screen->ascii;
    canvas_clear(canvas, STYLE_TEXT);
    Canvas upper = canvas_part(canvas, (Rect){0, 0, canvas->width, canvas->height - 1});
    ViewWatch view = train_watch_view(screen->watch, canvas->width);
    view_watch_draw(&view, &upper);
    draw_footer(screen, canvas);
    if (screen->has_help) {
        draw_help(screen, canvas);
    }
    terminal_show(screen->terminal, canvas, -1, -1);
}

// ---- the loop

static void loop(WatchScreen *screen) {
    double shown = 0.0;
    screen->is_stale = true;
    while (!screen->is_over) {
        screen->is_stale = train_watch_read(screen->watch, SLICE_MS) || screen->is_stale;
        bool has_more = train_watch_has_more(screen->watch);
        double now = clock_seconds();
        // While a long log is read a frame is drawn now and then.
        if (screen->is_stale && (!has_more || (now - shown) * 1e3 >= FRAME_MS)) {
            show(screen);
            shown = now;
            screen->is_stale = false;
        }
        Event event;
        int wait_ms = train_watch_is_live(screen->watch) ? LIVE_WAIT_MS : IDLE_WAIT_MS;
        terminal_wait(screen->terminal, has_more ? 0 : wait_ms, &event);
        while (event.kind != EVENT_NONE && !screen->is_over) {
            handle(screen, &event);
            screen->is_stale = true;
            shown = 0.0; // it is answered at once
            terminal_wait(screen->terminal, 0, &event);
        }
    }
}

int train_watch_screen(TrainWatch *watch, Error *err) {
    WatchScreen screen = {.watch = watch, .theme = watch->terminal.theme};
    screen.terminal = terminal_open(&watch->terminal, err);
    if (screen.terminal == NULL) {
        return APP_FAILED;
    }
    screen.ascii = terminal_is_ascii(screen.terminal);
    loop(&screen);
    terminal_close(screen.terminal);
    canvas_free(&screen.canvas);
    return screen.signal != 0 ? terminal_end_by(screen.signal) : APP_OK;
}
