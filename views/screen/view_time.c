// view_time.c - the arithmetic that training a model takes, and its time on a device.
#include <stdio.h>

#include "views/screen/view_private.h"
#include "views/screen/view_table.h"

enum { FLOPS_BYTES = 24 };

// "3.209 TFLOP": a number of up to four digits and its unit.
static const char *flops_text(double value, char text[FLOPS_BYTES]) {
    static const char *const UNITS[] = {"", "K", "M", "G", "T", "P", "E", "Z"};
    size_t i = 0;
    while (value >= 999.95 && i + 1 < sizeof UNITS / sizeof UNITS[0]) {
        value /= 1000.0;
        i++;
    }
    snprintf(text, FLOPS_BYTES, "%.4g %sFLOP", value, UNITS[i]);
    return text;
}

static const char *time_text(double seconds, char text[TEXT_DURATION_BYTES]) {
    if (seconds >= 60.0) {
        return text_duration(seconds, text);
    }
    bool is_short = seconds < 0.1;
    snprintf(text, TEXT_DURATION_BYTES, "%.3g %s", seconds * (is_short ? 1e3 : 1.0),
             is_short ? "ms" : "s");
    return text;
}

static bool fits(const ViewState *state) {
    return state->size != NULL;
}

static void add_time(ViewTable *table, const SizePlan *plan, Language language) {
    char text[TEXT_DURATION_BYTES];
    char speed[FLOPS_BYTES];
    char percent[24];
    double seconds = size_plan_seconds(plan);
    snprintf(percent, sizeof percent, "%g", plan->percent);
    view_table_heading(table, language,
                       plan->is_said ? VIEW_TEXT_SIZE_TIME : VIEW_TEXT_SIZE_TIME_HERE,
                       flops_text(plan->flops, speed), percent, NULL);
    view_table_value(table, language, VIEW_TEXT_SIZE_ONE_STEP, NULL, time_text(seconds, text));
    if (plan->n_steps > 0) {
        char steps[TEXT_GROUPED_BYTES];
        view_table_value(table, language, VIEW_TEXT_SIZE_STEPS,
                         text_grouped((size_t)plan->n_steps, steps),
                         time_text(seconds * (double)plan->n_steps, text));
    }
}

static void draw(const ViewState *state, Canvas *canvas) {
    const SizePlan *plan = state->size;
    const Language language = state->language;
    ViewTable table = {.n = 0};
    char text[FLOPS_BYTES];
    char processes[24];
    snprintf(processes, sizeof processes, "%d", plan->n_processes);
    view_table_heading(&table, language,
                       plan->n_processes > 1 ? VIEW_TEXT_SIZE_FLOPS_OF : VIEW_TEXT_SIZE_FLOPS,
                       plan->name, processes, NULL);
    view_table_value(&table, language, VIEW_TEXT_SIZE_PASS, NULL,
                     flops_text(plan->size.forward_flops, text));
    view_table_value(&table, language, VIEW_TEXT_SIZE_STEP, NULL,
                     flops_text(plan->size.step_flops, text));
    if (plan->flops > 0.0) {
        add_time(&table, plan, language);
    }
    view_table_draw(&table, state->scroll, canvas);
}

const View view_time = {
    .name = "time",
    .titles = {"arithmetic and time", "运算量与时间"},
    .needs = {"the numbers of a full size: :size MODEL", "一个模型的完整大小：:size 模型"},
    .min_width = TABLE_LABEL + TABLE_VALUE,
    .min_height = 4,
    .fits = fits,
    .draw = draw,
    .spoken = VIEW_SPOKEN_LINES,
    .is_whole = true};
