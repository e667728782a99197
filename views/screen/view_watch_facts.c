// view_watch_facts.c - the numbers of a run, and in words how it stands.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/screen/view_matrix.h"
#include "views/screen/view_texts.h"
#include "views/screen/view_watch.h"

enum {
    VALUE_BYTES = 80,
    SENTENCE_BYTES = 512,
    MOST_FACTS = 16,
    ROWS_FOR_TWO = 24,
    NUMBER_COLUMNS = 8
};

// A line: what marks it in the chart, what it is, its value.
typedef struct Fact {
    const char *sign; // NULL: it is not in the chart
    Style sign_style;
    char label[VALUE_BYTES];
    char value[VALUE_BYTES];
    bool is_missing;
} Fact;

typedef struct Facts {
    Fact facts[MOST_FACTS];
    int n;
} Facts;

static const char *text_of(const ViewWatch *watch, ViewTextId id) {
    return view_text(watch->language, id);
}

// Fills {a} of a text with a whole number.
static void fill_number(const ViewWatch *watch, ViewTextId id, int64_t number,
                        char text[VALUE_BYTES]) {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    view_text_fill(text, VALUE_BYTES, text_of(watch, id), digits, NULL, NULL);
}

// ---- the list

static Fact *add(Facts *facts, const char *label) {
    Fact *fact = &facts->facts[facts->n];
    facts->n += facts->n + 1 < MOST_FACTS;
    *fact = (Fact){.sign = NULL};
    snprintf(fact->label, sizeof fact->label, "%s", label);
    return fact;
}

// NULL where the value is not known.
static Fact *add_number(Facts *facts, const char *label, double value) {
    char number[VIEW_NUMBER_BYTES];
    if (isnan(value)) {
        return NULL;
    }
    Fact *fact = add(facts, label);
    snprintf(fact->value, sizeof fact->value, "%s",
             view_number_text(value, NUMBER_COLUMNS, number));
    return fact;
}

static void mark(Fact *fact, WatchSign sign) {
    if (fact != NULL) {
        fact->sign = sign.text;
        fact->sign_style = sign.style;
    }
}

// The best loss and its step are two lines, or one.
static void add_best(const ViewWatch *watch, const WatchRun *run, bool is_short, Facts *facts) {
    char step[VALUE_BYTES];
    Fact *best = add_number(facts, text_of(watch, VIEW_TEXT_BEST), run->best);
    if (best == NULL) {
        return;
    }
    fill_number(watch, VIEW_TEXT_AT_STEP, run->best_step, step);
    if (is_short) {
        size_t length = strlen(best->value);
        snprintf(best->value + length, sizeof best->value - length, " %s", step);
    } else {
        memcpy(add(facts, "")->value, step, sizeof step);
    }
}

static void add_losses(const ViewWatch *watch, const WatchRun *run, bool ascii, Facts *facts) {
    bool is_other = run == &watch->other;
    mark(add_number(facts, text_of(watch, VIEW_TEXT_TRAINING_LOSS), run->loss),
         view_watch_sign(is_other ? WATCH_SIGN_OTHER_LOSS : WATCH_SIGN_LOSS, ascii));
    mark(add_number(facts, text_of(watch, VIEW_TEXT_HELD_OUT), run->held_out),
         view_watch_sign(is_other ? WATCH_SIGN_OTHER_HELD_OUT : WATCH_SIGN_HELD_OUT, ascii));
}

static void add_time_left(const ViewWatch *watch, const WatchRun *run, Facts *facts) {
    if (run->state == WATCH_RUNNING && !isnan(run->seconds_left)) {
        char text[TEXT_DURATION_BYTES];
        snprintf(add(facts, text_of(watch, VIEW_TEXT_TIME_LEFT))->value, VALUE_BYTES, "%s",
                 text_duration(run->seconds_left, text));
    }
}

static void add_speeds(const ViewWatch *watch, const WatchRun *run, Facts *facts) {
    if (!isnan(run->tokens_per_second)) {
        snprintf(add(facts, text_of(watch, VIEW_TEXT_TOKENS_PER_SECOND))->value, VALUE_BYTES,
                 "%.0f", run->tokens_per_second);
    }
    if (!isnan(run->matrix_share)) {
        snprintf(add(facts, text_of(watch, VIEW_TEXT_MATRIX_SHARE))->value, VALUE_BYTES, "%.0f %%",
                 100.0 * run->matrix_share);
    }
}

static void add_checkpoint(const ViewWatch *watch, const WatchRun *run, Facts *facts) {
    Fact *fact = add(facts, text_of(watch, VIEW_TEXT_CHECKPOINT));
    fact->is_missing = run->checkpoint == 0;
    if (fact->is_missing) {
        snprintf(fact->value, sizeof fact->value, "%s", text_of(watch, VIEW_TEXT_NONE_YET));
    } else {
        fill_number(watch, VIEW_TEXT_STEP, run->checkpoint, fact->value);
    }
}

// What is a chart of its own goes first where room is short.
static Facts list_facts(const ViewWatch *watch, bool is_short, bool ascii) {
    Facts facts = {.n = 0};
    const WatchRun *run = &watch->run;
    add_losses(watch, run, ascii, &facts);
    add_best(watch, run, false, &facts);
    if (!is_short) {
        add_number(&facts, text_of(watch, VIEW_TEXT_GRADIENT_NORM), run->norm);
        add_number(&facts, text_of(watch, VIEW_TEXT_LEARNING_RATE), run->rate);
    }
    add_speeds(watch, run, &facts);
    add_time_left(watch, run, &facts);
    add_checkpoint(watch, run, &facts);
    return facts;
}

// In the order in which a narrow screen has room for them.
static Facts list_short_facts(const ViewWatch *watch, bool ascii) {
    Facts facts = {.n = 0};
    const WatchRun *run = &watch->run;
    add_losses(watch, run, ascii, &facts);
    add_time_left(watch, run, &facts);
    add_best(watch, run, true, &facts);
    add_speeds(watch, run, &facts);
    add_checkpoint(watch, run, &facts);
    add_number(&facts, text_of(watch, VIEW_TEXT_LEARNING_RATE), run->rate);
    add_number(&facts, text_of(watch, VIEW_TEXT_GRADIENT_NORM), run->norm);
    return facts;
}

static Facts list_other_facts(const ViewWatch *watch, bool ascii) {
    Facts facts = {.n = 0};
    if (watch->run.step != watch->other.step) {
        char label[VALUE_BYTES];
        fill_number(watch, VIEW_TEXT_AT_STEP, watch->run.step, label);
        add_number(&facts, label, watch->other_loss_here);
    }
    add_losses(watch, &watch->other, ascii, &facts);
    add_best(watch, &watch->other, false, &facts);
    return facts;
}

// Label and value, the value in a column of its own where the labels' width is given.
static int draw_fact(const Fact *fact, Canvas *canvas, int x, int y, int label_columns) {
    int after = canvas_text(canvas, x, y, STYLE_DIM, fact->label);
    after = label_columns > 0 ? x + label_columns : after;
    return canvas_text(canvas, after + 1, y, fact->is_missing ? STYLE_DIM : STYLE_NUMBER,
                       fact->value);
}

static int draw_sign(const Fact *fact, Canvas *canvas, int x, int y) {
    return fact->sign == NULL ? x : canvas_text(canvas, x, y, fact->sign_style, fact->sign) + 1;
}

static int draw_list(const Facts *facts, Canvas *canvas, int y) {
    int widest = 1;
    for (int i = 0; i < facts->n; i++) {
        int columns = text_columns(facts->facts[i].label);
        widest = columns > widest ? columns : widest;
    }
    for (int i = 0; i < facts->n; i++) {
        draw_sign(&facts->facts[i], canvas, 0, y);
        draw_fact(&facts->facts[i], canvas, 2, y++, widest);
    }
    return y;
}

// ---- in words

static ViewTextId state_text(const WatchRun *run) {
    switch (run->state) {
    case WATCH_RUNNING:
        return VIEW_TEXT_RUNNING;
    case WATCH_FINISHED:
        return VIEW_TEXT_FINISHED;
    case WATCH_STOPPED:
        return VIEW_TEXT_STOPPED;
    case WATCH_IDLE:
        return VIEW_TEXT_NOBODY_TRAINS;
    }
    return VIEW_TEXT_RUNNING;
}

static Style state_style(const WatchRun *run) {
    return run->state == WATCH_STOPPED ? STYLE_BAD : STYLE_GOOD;
}

// What is to be known of a run beside its numbers; false: nothing (more).
static bool sentence(const ViewWatch *watch, const WatchRun *run, int i, Style *style,
                     char text[SENTENCE_BYTES]) {
    char a[24];
    char b[24];
    *style = STYLE_TEXT;
    text[0] = '\0';
    if (i == 0 && run->part_read < 1.0) {
        snprintf(a, sizeof a, "%.0f", 100.0 * run->part_read);
        view_text_fill(text, SENTENCE_BYTES, text_of(watch, VIEW_TEXT_READING), a, NULL, NULL);
    } else if (i == 0 && run->step == 0) {
        bool is_live = run->state == WATCH_RUNNING;
        snprintf(text, SENTENCE_BYTES, "%s",
                 text_of(watch, is_live ? VIEW_TEXT_NO_STEPS : VIEW_TEXT_NEVER_BEGUN));
    } else if (i == 0 && run->state == WATCH_STOPPED) {
        view_text_fill(text, SENTENCE_BYTES, text_of(watch, VIEW_TEXT_GO_ON), run->name, NULL,
                       NULL);
    } else if (i == 1 && run->n_broken > 0) {
        *style = STYLE_BAD;
        snprintf(a, sizeof a, "%lld", (long long)run->n_broken);
        snprintf(b, sizeof b, "%lld", (long long)run->first_broken);
        view_text_fill(text, SENTENCE_BYTES, text_of(watch, VIEW_TEXT_BROKEN_LINES), a, b, NULL);
    }
    return i < 2;
}

int view_watch_draw_sentences(const ViewWatch *watch, const WatchRun *run, Canvas *canvas, int y) {
    char text[SENTENCE_BYTES];
    Style style = STYLE_TEXT;
    for (int i = 0; sentence(watch, run, i, &style, text); i++) {
        if (text[0] != '\0') {
            y += canvas_paragraph(canvas, (Rect){0, y, canvas->width, canvas->height - y}, style,
                                  text);
        }
    }
    return y;
}

// ---- the parts of the view

static void step_text(const ViewWatch *watch, const WatchRun *run, char text[VALUE_BYTES]) {
    char step[24];
    char all[24];
    snprintf(step, sizeof step, "%lld", (long long)run->step);
    snprintf(all, sizeof all, "%lld", (long long)run->n_steps);
    view_text_fill(text, VALUE_BYTES,
                   text_of(watch, run->n_steps > 0 ? VIEW_TEXT_STEP_OF_RUN : VIEW_TEXT_STEP), step,
                   all, NULL);
}

// Of a run: its name, how it stands, how far it is.
static int draw_heading(const ViewWatch *watch, const WatchRun *run, Canvas *canvas, int y) {
    char text[VALUE_BYTES];
    canvas_text_in(canvas, 0, y++, canvas->width, ALIGN_LEFT, STYLE_HEADING, run->name);
    canvas_text(canvas, 0, y, state_style(run), text_of(watch, state_text(run)));
    step_text(watch, run, text);
    int x = text_columns(text_of(watch, state_text(run))) + 2;
    canvas_text(canvas, x, y, STYLE_TEXT, text);
    return y + 1;
}

int view_watch_draw_facts(const ViewWatch *watch, Canvas *canvas) {
    bool is_short = watch->has_other && canvas->height < ROWS_FOR_TWO;
    Facts facts = list_facts(watch, is_short, canvas->ascii);
    int y = draw_list(&facts, canvas, 0);
    y = view_watch_draw_sentences(watch, &watch->run, canvas, y);
    if (watch->has_other) {
        Facts others = list_other_facts(watch, canvas->ascii);
        y = draw_heading(watch, &watch->other, canvas, y + 1);
        y = draw_list(&others, canvas, y);
        y = view_watch_draw_sentences(watch, &watch->other, canvas, y);
    }
    return y;
}

void view_watch_draw_short_facts(const ViewWatch *watch, Canvas *canvas) {
    Facts facts = list_short_facts(watch, canvas->ascii);
    int x = 0;
    int y = 0;
    for (int i = 0; i < facts.n; i++) {
        const Fact *fact = &facts.facts[i];
        int columns = text_columns(fact->label) + 1 + text_columns(fact->value);
        columns += fact->sign == NULL ? 0 : 2;
        if (x > 0 && x + columns > canvas->width) {
            x = 0;
            y++;
        }
        x = draw_fact(fact, canvas, draw_sign(fact, canvas, x, y), y, 0) + 2;
    }
}

void view_watch_draw_header(const ViewWatch *watch, Canvas *canvas) {
    const WatchRun *run = &watch->run;
    char step[VALUE_BYTES];
    canvas_fill(canvas, (Rect){0, 0, canvas->width, 1}, STYLE_BAR, " ");
    step_text(watch, run, step);
    const char *state = text_of(watch, state_text(run));
    int columns = text_columns(step) + text_columns(state) + 4;
    int x = canvas->width - columns;
    x = canvas_text(canvas, x < 0 ? 0 : x, 0, STYLE_BAR, step);
    canvas_text(canvas, x + 2, 0, STYLE_KEY, state);
    Canvas left = canvas_part(canvas, (Rect){0, 0, canvas->width - columns - 2, 1});
    x = canvas_text(&left, 1, 0, STYLE_KEY, "attend");
    canvas_text_in(&left, x + 2, 0, left.width - x - 2, ALIGN_LEFT, STYLE_BAR, run->name);
}

WatchSign view_watch_sign(WatchSignId id, bool ascii) {
    switch (id) {
    case WATCH_SIGN_LOSS:
        return (WatchSign){ascii ? "*" : "—", STYLE_GOOD};
    case WATCH_SIGN_HELD_OUT:
        return (WatchSign){"o", STYLE_KEY_LABEL};
    case WATCH_SIGN_OTHER_LOSS:
        return (WatchSign){ascii ? "." : "·", STYLE_DIM};
    case WATCH_SIGN_OTHER_HELD_OUT:
        break;
    }
    return (WatchSign){"x", STYLE_DIM};
}
