// learn_keys.c - what a key, a click or a paste means right now.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/learn/lesson_files.h"
#include "app/learn/learn.h"

static void run_command(Learn *learn, CommandId id) {
    const Command command = {id, ""};
    Error err = {""};
    if (!learn_execute(learn, &command, &err)) {
        reply_complain(&learn->reply, err.text);
    }
}

// ---- a question takes the keys

static void type_number(Learn *learn, int key) {
    Question *question = &learn->player.question;
    size_t length = strlen(question->typed);
    bool is_part = key < 128 && key > 0 && strchr("0123456789.-+e", key) != NULL;
    if (is_part && length + 1 == sizeof question->typed) {
        char most[16];
        snprintf(most, sizeof most, "%zu", length);
        reply_say(&learn->reply, TEXT_LINE_FULL, most, NULL);
    } else if (is_part) {
        question->typed[length] = (char)key;
        question->typed[length + 1] = '\0';
    }
}

enum { REDRAW_KEY = 'L' & 31 }; // Ctrl-L

static bool is_allowed_meanwhile(CommandId id) {
    return id == COMMAND_ASIDE || id == COMMAND_QUIT || id == COMMAND_PAGE_UP ||
           id == COMMAND_PAGE_DOWN || id == COMMAND_HELP || id == COMMAND_LANGUAGE ||
           id == COMMAND_THEME || id == COMMAND_REDRAW || id == COMMAND_PROMPT;
}

static void question_key(Learn *learn, int key) {
    Question *question = &learn->player.question;
    bool is_number = question->question->cell != NULL;
    CommandId id = command_of_key(key);
    if (key == KEY_CODE_SPACE && screen_page_lesson(&learn->screen)) {
        return;
    }
    if (!is_number && key >= '1' && key <= '9') {
        const char typed[] = {(char)key, '\0'};
        learn_answer(learn, typed);
        return;
    }
    if (is_number && key == KEY_CODE_ENTER) {
        learn_answer(learn, question->typed);
        question->typed[0] = '\0';
        return;
    }
    if (is_number && key == KEY_CODE_BACKSPACE) {
        size_t length = strlen(question->typed);
        question->typed[length > 0 ? length - 1 : 0] = '\0';
        return;
    }
    if (id < COMMAND_COUNT && is_allowed_meanwhile(id)) {
        run_command(learn, id);
        return;
    }
    if (is_number) {
        type_number(learn, key);
    }
}

// ---- overlays

typedef struct Picked {
    int wanted, at;
    char file[256];
} Picked;

static void pick(void *context, const char *file) {
    Picked *picked = context;
    if (picked->at++ == picked->wanted) {
        snprintf(picked->file, sizeof picked->file, "%s", file);
    }
}

static void menu_key(Learn *learn, int key) {
    Picked picked = {.wanted = learn->screen.menu_at};
    lesson_files_list(pick, &picked);
    int n = picked.at;
    if (key == KEY_CODE_UP || key == 'k') {
        learn->screen.menu_at = n > 0 ? (learn->screen.menu_at + n - 1) % n : 0;
    } else if (key == KEY_CODE_DOWN || key == 'j') {
        learn->screen.menu_at = n > 0 ? (learn->screen.menu_at + 1) % n : 0;
    } else if (key == KEY_CODE_ENTER || key == KEY_CODE_SPACE || key == KEY_CODE_RIGHT) {
        Error err = {""};
        picked.file[strcspn(picked.file, ".")] = '\0';
        if (picked.file[0] != '\0' && !learn_open_lesson(learn, picked.file, &err)) {
            reply_complain(&learn->reply, err.text);
        }
    } else {
        CommandId id = command_of_key(key);
        if (id == COMMAND_LEAVE || id == COMMAND_QUIT || id == COMMAND_LANGUAGE ||
            id == COMMAND_THEME || id == COMMAND_REDRAW) {
            run_command(learn, id);
        }
    }
}

static void change_key(Learn *learn, int key) {
    static const struct {
        int key;
        CommandId id;
        const char *prompt; // NULL: the command as it is
    } KEYS[] = {
        {'m', COMMAND_MASK, NULL},        {'s', COMMAND_SCALE, NULL},
        {'r', COMMAND_RESIDUAL, NULL},    {'p', COMMAND_POSITIONS, NULL},
        {'n', COMMAND_NORM, NULL},        {'h', COMMAND_HEADS, "heads "},
        {'l', COMMAND_LAYERS, "layers "}, {'w', COMMAND_WIDTH, "width "},
        {'i', COMMAND_INPUT, "input "},   {'d', COMMAND_SEED, "seed "},
    };
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        if (KEYS[i].key != key) {
            continue;
        }
        if (KEYS[i].prompt != NULL) {
            learn->screen.overlay = OVERLAY_NONE;
            prompt_begin(&learn->screen.prompt, KEYS[i].prompt, true);
        } else {
            run_command(learn, KEYS[i].id);
        }
        return;
    }
    learn->screen.overlay = OVERLAY_NONE;
}

static void help_key(Learn *learn, int key) {
    CommandId id = command_of_key(key);
    int lines = key == KEY_CODE_UP || key == 'k' ? -1 : (key == KEY_CODE_DOWN || key == 'j');
    if (id == COMMAND_PAGE_UP || id == COMMAND_PAGE_DOWN) {
        run_command(learn, id);
    } else if (lines != 0) {
        learn->screen.overlay_scroll =
            learn->screen.overlay_scroll + lines < 0 ? 0 : learn->screen.overlay_scroll + lines;
    } else if (id == COMMAND_LANGUAGE || id == COMMAND_THEME) {
        run_command(learn, id);
    } else {
        learn->screen.overlay = OVERLAY_NONE;
    }
}

static void press_in_prompt(Learn *learn, int key) {
    Prompt *prompt = &learn->screen.prompt;
    char line[PROMPT_BYTES];
    switch (prompt_key(prompt, &learn->reply, key)) {
    case PROMPT_WANTS_NOTHING:
        return;
    case PROMPT_WANTS_COMPLETION:
        screen_complete(&learn->screen);
        return;
    case PROMPT_WANTS_RUN:
        memcpy(line, prompt->text, sizeof line);
        learn_execute_line(learn, line);
        return;
    }
}

static void handle_key(Learn *learn, int key) {
    learn->reply.text[0] = '\0';
    if (learn->screen.prompt.is_open) {
        press_in_prompt(learn, key);
        return;
    }
    if (learn->screen.overlay == OVERLAY_MENU) {
        menu_key(learn, key);
        return;
    }
    if (learn->screen.overlay == OVERLAY_HELP) {
        help_key(learn, key);
        return;
    }
    if (learn->screen.overlay == OVERLAY_CHANGE) {
        change_key(learn, key);
        return;
    }
    if (learn->player.question.is_open) {
        question_key(learn, key);
        return;
    }
    if (key == KEY_CODE_ESCAPE && workbench_stop(&learn->bench)) {
        return;
    }
    CommandId id = command_of_key(key);
    if (id == COMMAND_CONTINUE && screen_page_lesson(&learn->screen)) {
        return;
    }
    if (id < COMMAND_COUNT) {
        run_command(learn, id);
    }
}

// ---- mouse

static bool is_inside(Rect rect, int x, int y) {
    return x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;
}

static void click_view(Learn *learn, ViewState *state, int width, int height, int x, int y) {
    const View *view = screen_view(&learn->screen, state);
    const Node *node = NULL;
    size_t element = 0;
    if (view == NULL || view->hit == NULL) {
        return;
    }
    view_prepare(view, state, &learn->screen.workspace);
    if (!view->hit(state, width, height, x, y, &node, &element)) {
        return;
    }
    if (node != learn->bench.cursor.place.node) {
        cursor_visit(&learn->bench.cursor, node, element);
    } else {
        cursor_set_element(&learn->bench.cursor, element);
    }
}

static void click_pane(Learn *learn, Pane pane, Rect rect, int x, int y) {
    learn->screen.focus = pane;
    if (learn->bench.playground.opened == NULL) {
        return;
    }
    ViewTraining training;
    ViewState state = screen_view_state(&learn->screen, &training);
    int width = rect.width - 2;
    int height = rect.height - 2;
    if (pane == PANE_TAPE) {
        const Node *node = view_tape_node_at(&state, height, y - rect.y - 1);
        if (node != NULL && stepper_go(&learn->bench.playground.stepper, node)) {
            cursor_look_at_step(&learn->bench.cursor);
        }
    } else if (pane == PANE_VIEW && state.node != NULL) {
        click_view(learn, &state, width, height, x - rect.x - 1, y - rect.y - 1);
    }
}

// PANE_COUNT: none.
static Pane pane_at(const Learn *learn, int x, int y) {
    Layout layout =
        screen_layout(&learn->screen, learn->screen.canvas.width, learn->screen.canvas.height);
    int pane = 0;
    while (pane < PANE_COUNT && !is_inside(layout.panes[pane], x, y)) {
        pane++;
    }
    return (Pane)pane;
}

// The wheel moves what lies under it, whatever pane the keys belong to: sideways only in the view,
// and only the lesson's text while a question or a line that is typed takes the keys.
static void turn_wheel(Learn *learn, const Event *event) {
    bool is_sideways = event->button == MOUSE_WHEEL_LEFT || event->button == MOUSE_WHEEL_RIGHT;
    if (learn->screen.overlay != OVERLAY_NONE) {
        if (!is_sideways && learn->screen.overlay != OVERLAY_CHANGE) {
            handle_key(learn, event->button == MOUSE_UP ? KEY_CODE_UP : KEY_CODE_DOWN);
        }
        return;
    }
    Pane pane = pane_at(learn, event->x, event->y);
    bool is_taken = learn->player.question.is_open || learn->screen.prompt.is_open;
    if (pane == PANE_COUNT || (is_sideways && pane != PANE_VIEW) ||
        (is_taken && pane != PANE_LESSON)) {
        return;
    }
    Pane focus = learn->screen.focus;
    learn->reply.text[0] = '\0';
    learn->screen.focus = pane;
    run_command(learn, is_sideways
                           ? (event->button == MOUSE_WHEEL_LEFT ? COMMAND_LEFT : COMMAND_RIGHT)
                           : (event->button == MOUSE_UP ? COMMAND_UP : COMMAND_DOWN));
    learn->screen.focus = focus;
}

static void handle_mouse(Learn *learn, const Event *event) {
    if (event->button >= MOUSE_UP) {
        turn_wheel(learn, event);
        return;
    }
    if (learn->screen.overlay != OVERLAY_NONE || learn->screen.prompt.is_open) {
        return;
    }
    Layout layout =
        screen_layout(&learn->screen, learn->screen.canvas.width, learn->screen.canvas.height);
    Pane pane = pane_at(learn, event->x, event->y);
    if (pane < PANE_COUNT) {
        click_pane(learn, pane, layout.panes[pane], event->x, event->y);
        return;
    }
    int key = screen_hint_key_at(&learn->screen, event->x);
    if (is_inside(layout.footer, event->x, event->y) && key != 0) {
        handle_key(learn, key);
    }
}

// Pasted text presses no keys: it goes where text is typed.
static void paste(Learn *learn, const char *text) {
    learn->reply.text[0] = '\0';
    if (learn->screen.prompt.is_open) {
        prompt_paste(&learn->screen.prompt, &learn->reply, text);
        return;
    }
    const Question *question = &learn->player.question;
    if (learn->screen.overlay != OVERLAY_NONE || !question->is_open ||
        question->question->cell == NULL) {
        reply_say(&learn->reply, TEXT_PASTE_WHERE, NULL, NULL);
        return;
    }
    for (; *text != '\0'; text++) {
        type_number(learn, (unsigned char)*text);
    }
}

void learn_handle(Learn *learn, const Event *event) {
    waiting_begin(&learn->waiting, learn->reply.language, "attend");
    switch (event->kind) {
    case EVENT_KEY:
        if (event->key == REDRAW_KEY &&
            learn->screen.terminal != NULL) { // whatever else keys do now
            terminal_repaint(learn->screen.terminal);
            return;
        }
        handle_key(learn, event->key);
        return;
    case EVENT_PASTE:
        paste(learn, event->text);
        return;
    case EVENT_MOUSE:
        handle_mouse(learn, event);
        return;
    case EVENT_SIGNAL:
    case EVENT_HANGUP:
        if (event->kind == EVENT_SIGNAL && event->key == SIGINT && workbench_stop(&learn->bench)) {
            terminal_stay(learn->screen.terminal);
            return;
        }
        learn->is_over = true;
        learn->signal = event->key;
        return;
    case EVENT_NONE:
    case EVENT_RESIZE:
        return;
    }
}
