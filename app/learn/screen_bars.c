// screen_bars.c - the line above the panes and the line below them.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/terminal/key.h"
#include "app/learn/screen_private.h"

// ---- the header

static TextId phase_text(const Screen *screen) {
    const Stepper *stepper = &screen->bench->playground.stepper;
    if (stepper_node(stepper) == stepper->tape->loss) {
        return TEXT_LOSS;
    }
    switch (stepper_phase(stepper)) {
    case PHASE_FORWARD:
        return TEXT_FORWARD;
    case PHASE_BACKWARD:
        return TEXT_BACKWARD;
    case PHASE_UPDATE:
        return TEXT_UPDATE;
    }
    return TEXT_FORWARD;
}

typedef struct Part {
    Style style;
    char text[64];
} Part;

static int list_parts(const Screen *screen, int width, Part *parts) {
    const Playground *playground = &screen->bench->playground;
    char a[24];
    char b[24];
    int n = 0;
    snprintf(a, sizeof a, "%d", playground->stepper.at + 1);
    snprintf(b, sizeof b, "%d", playground->stepper.n_steps);
    parts[n].style = STYLE_BAR;
    text_fill(parts[n++].text, sizeof parts[0].text, reply_text(screen->reply, TEXT_STEP_OF), a, b);
    parts[n].style = STYLE_KEY;
    text_fill(parts[n++].text, sizeof parts[0].text, reply_text(screen->reply, phase_text(screen)),
              "", "");
    if (training_step(&screen->bench->playground.training) > 0) {
        snprintf(a, sizeof a, "%d", training_step(&screen->bench->playground.training));
        parts[n].style = STYLE_BAR;
        text_fill(parts[n++].text, sizeof parts[0].text,
                  reply_text(screen->reply, TEXT_TRAINED_STEPS), a, NULL);
    }
    int n_changes = playground_count_in_force(playground);
    if (n_changes > 0) {
        snprintf(a, sizeof a, "%d", n_changes);
        parts[n].style = STYLE_KEY;
        text_fill(parts[n++].text, sizeof parts[0].text, reply_text(screen->reply, TEXT_EDITED), a,
                  NULL);
    }
    if (width < SCREEN_MIN_WIDTH + 28) {
        return n; // the title needs the room
    }
    snprintf(a, sizeof a, "%llu", (unsigned long long)playground->opened->named.model.seed);
    parts[n].style = STYLE_BAR;
    text_fill(parts[n++].text, sizeof parts[0].text, reply_text(screen->reply, TEXT_SEED), a, NULL);
    return n;
}

void screen_draw_header(const Screen *screen, Canvas *canvas) {
    canvas_fill(canvas, (Rect){0, 0, canvas->width, 1}, STYLE_BAR, " ");
    int right = canvas->width - 1;
    if (screen->bench->playground.opened != NULL && screen->overlay != OVERLAY_MENU) {
        Part parts[8];
        int n = list_parts(screen, canvas->width, parts);
        int columns = 0;
        for (int i = 0; i < n; i++) {
            columns += text_columns(parts[i].text) + 2;
        }
        right = canvas->width - columns;
        int x = right;
        for (int i = 0; i < n; i++) {
            x = canvas_text(canvas, x, 0, parts[i].style, parts[i].text) + 2;
        }
    }
    char title[256] = "";
    if (screen->player->has_lesson) {
        char number[48] = "";
        size_t length = 0;
        if (screen->player->from != NULL && screen->player->from->lesson.number > 0) {
            length = (size_t)snprintf(number, sizeof number, "%d › ",
                                      screen->player->from->lesson.number);
        }
        if (screen->player->lesson.number > 0) {
            snprintf(number + length, sizeof number - length, "%d  ",
                     screen->player->lesson.number);
        }
        text_print(title, sizeof title, "%s%s", number, screen->player->lesson.title);
    }
    Canvas left = canvas_part(canvas, (Rect){0, 0, right > 2 ? right - 2 : 0, 1});
    int x = canvas_text(&left, 1, 0, STYLE_KEY, "attend");
    canvas_text_in(&left, x + 2, 0, left.width - x - 2, ALIGN_LEFT, STYLE_BAR, title);
}

// ---- the footer

enum { HINT_KEYS_BYTES = 2 * KEY_NAME_BYTES + 2 };

// Places before the others: the link of the text and the way back from one; what answers a question
// that is open, and what puts it aside.
enum { PLACE_BACK = -3, PLACE_LINK, PLACE_ANSWER, PLACE_ASIDE, PLACE_FIRST };

typedef struct Hint {
    char keys[HINT_KEYS_BYTES]; // as they are read: "n/p"
    CommandId id;               // that a click does; COMMAND_COUNT: there is no such place
} Hint;

static Hint question_hint(const Screen *screen, int place) {
    Hint hint = {.id = place == PLACE_ASIDE ? COMMAND_ASIDE : COMMAND_ANSWER};
    const LessonQuestion *question = screen->player->question.question;
    if (place == PLACE_ASIDE) {
        snprintf(hint.keys, sizeof hint.keys, "%s", COMMANDS[COMMAND_ASIDE].keys);
    } else if (question->cell != NULL) {
        snprintf(hint.keys, sizeof hint.keys, "0-9 =");
    } else {
        snprintf(hint.keys, sizeof hint.keys, "1-%d", question->n_choices);
    }
    return hint;
}

// The first key of each command that stands at a place of the line; one of them has the word.
static Hint hint_at(const Screen *screen, int place) {
    Hint hint = {.id = COMMAND_COUNT};
    size_t length = 0;
    if (place == PLACE_BACK || place == PLACE_LINK) {
        hint.id = place == PLACE_BACK ? COMMAND_JUMP_BACK : COMMAND_JUMP;
        snprintf(hint.keys, sizeof hint.keys, "%s", COMMANDS[hint.id].keys);
        return hint;
    }
    if (place < PLACE_FIRST) {
        return question_hint(screen, place);
    }
    for (int id = 0; id < COMMAND_COUNT; id++) {
        const char *keys = COMMANDS[id].keys;
        if (COMMANDS[id].hint != place) {
            continue;
        }
        const char *between = length == 0 ? "" : (isalpha((unsigned char)keys[0]) ? "/" : " ");
        length += (size_t)snprintf(hint.keys + length, sizeof hint.keys - length, "%s%.*s", between,
                                   (int)strcspn(keys, " "), keys);
        hint.id =
            text_hint(screen->reply->language, (CommandId)id) != NULL ? (CommandId)id : hint.id;
    }
    return hint;
}

// What has no use now has no place; an open question waits, and what answers it stands where "go
// on" stood.
static bool has_place(const Screen *screen, int place) {
    bool is_asking = screen->player->question.is_open;
    switch (place) {
    case PLACE_BACK:
        return screen->player->from != NULL;
    case PLACE_LINK:
        return player_link(screen->player) != NULL;
    case PLACE_ANSWER:
    case PLACE_ASIDE:
        return is_asking;
    case PLACE_FIRST:
        return !is_asking;
    default:
        return true;
    }
}

// Visits the hints that fit; gives the command of the one at column x, COMMAND_COUNT: none. canvas
// may be NULL.
static CommandId hints(const Screen *screen, Canvas *canvas, int width, int x) {
    int at = 1;
    CommandId found = COMMAND_COUNT;
    for (int place = PLACE_BACK;; place++) {
        if (!has_place(screen, place)) {
            continue;
        }
        const Hint hint = hint_at(screen, place);
        if (hint.id == COMMAND_COUNT) {
            return found;
        }
        const char *text = text_hint(screen->reply->language, hint.id);
        int columns = text_columns(hint.keys) + 1 + text_columns(text);
        if (at + columns > width) {
            return found;
        }
        if (x >= at && x < at + columns) {
            found = hint.id;
        }
        if (canvas != NULL) {
            int after = canvas_text(canvas, at, 0, STYLE_KEY, hint.keys);
            canvas_text(canvas, after + 1, 0, STYLE_BAR, text);
        }
        at += columns + 2;
    }
}

int screen_hint_key_at(const Screen *screen, int x) {
    bool shows = screen->reply->text[0] == '\0' && !screen->prompt.is_open;
    CommandId id = shows ? hints(screen, NULL, screen->canvas.width, x) : COMMAND_COUNT;
    int key = 0;
    if (id == COMMAND_ANSWER && screen->player->question.question->cell != NULL) {
        key = '=';
    } else if (id < COMMAND_COUNT) {
        key_find(&key, COMMANDS[id].keys, strcspn(COMMANDS[id].keys, " "));
    }
    return key;
}

static void draw_training(const Screen *screen, Canvas *footer) {
    char step[24];
    char loss[24];
    char text[REPLY_BYTES];
    const TrainingRun *run = &screen->bench->playground.training.run;
    snprintf(step, sizeof step, "%d", run->n_steps);
    snprintf(loss, sizeof loss, "%.4f", (double)training_run_loss(run));
    text_fill(text, sizeof text, reply_text(screen->reply, TEXT_TRAINING), step, loss);
    int x = canvas_text(footer, 1, 0, STYLE_BAR, text);
    canvas_text_in(footer, x + 3, 0, footer->width - x - 4, ALIGN_LEFT, STYLE_BAR,
                   reply_text(screen->reply, TEXT_TRAINING_KEYS));
}

// The line that is typed from where the cursor still shows; *cursor_columns lie before it.
static const char *prompt_shown(const Screen *screen, int width, int *cursor_columns) {
    const Prompt *prompt = &screen->prompt;
    const char *end = prompt->text + prompt->cursor;
    const char *start = prompt->text;
    int columns = 0;
    TextCluster cluster;
    for (const char *at = start; text_next_cluster(&at, end, &cluster);) {
        columns += cluster.width;
    }
    while (columns > width - 2 && text_next_cluster(&start, end, &cluster)) {
        columns -= cluster.width;
    }
    *cursor_columns = columns;
    return start;
}

void screen_draw_footer(const Screen *screen, Canvas *footer) {
    canvas_fill(footer, (Rect){0, 0, footer->width, footer->height}, STYLE_BAR, " ");
    if (screen->prompt.is_open) {
        canvas_fill(footer, (Rect){0, 0, footer->width, 1}, STYLE_PROMPT, " ");
        canvas_text(footer, 0, 0, STYLE_PROMPT, ":");
        int columns = 0;
        const char *text = prompt_shown(screen, footer->width, &columns);
        canvas_text(footer, 1, 0, STYLE_PROMPT, text);
        if (screen->prompt.proposed > 0) { // it gives way to what is typed
            const char *proposal = screen->prompt.text + screen->prompt.proposed;
            int width = text_columns(proposal);
            canvas_text(footer, 1 + columns - width, 0, STYLE_CURSOR, proposal);
        }
        return;
    }
    if (screen->reply->text[0] != '\0') {
        canvas_paragraph(footer, (Rect){1, 0, footer->width - 2, footer->height},
                         screen->reply->is_bad ? STYLE_BAD : STYLE_BAR, screen->reply->text);
        return;
    }
    if (screen->overlay == OVERLAY_MENU) {
        return; // the menu says itself what its keys are
    }
    if (training_is_running(&screen->bench->playground.training)) {
        draw_training(screen, footer);
        return;
    }
    hints(screen, footer, footer->width, -1);
}

void screen_prompt_cursor(const Screen *screen, int height, int *x, int *y) {
    *x = -1;
    *y = height - 1;
    if (screen->prompt.is_open) {
        int columns = 0;
        prompt_shown(screen, screen->canvas.width, &columns);
        *x = 1 + columns;
    }
}
