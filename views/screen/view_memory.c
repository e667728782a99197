// view_memory.c - the memory that training a model takes, as a table that adds up.
#include <stdio.h>

#include "views/screen/view_private.h"
#include "views/screen/view_table.h"

static bool fits(const ViewState *state) {
    return state->size != NULL;
}

static void draw(const ViewState *state, Canvas *canvas) {
    const SizePlan *plan = state->size;
    const TrainerMemory *memory = &plan->size.memory;
    const Language language = state->language;
    ViewTable table = {.n = 0};
    char processes[24];
    snprintf(processes, sizeof processes, "%d", plan->n_processes);
    view_table_heading(&table, language,
                       plan->n_processes > 1 ? VIEW_TEXT_SIZE_MEMORY_OF : VIEW_TEXT_SIZE_MEMORY,
                       plan->name, processes, NULL);
    view_table_number(&table, language, VIEW_TEXT_SIZE_WEIGHTS, memory->parameters);
    view_table_number(&table, language, VIEW_TEXT_SIZE_GRADIENTS, memory->gradients);
    view_table_number(&table, language, VIEW_TEXT_SIZE_OPTIMIZER, memory->optimizer);
    view_table_number(&table, language, VIEW_TEXT_SIZE_ACTIVATIONS, memory->tape);
    view_table_number(&table, language, VIEW_TEXT_SIZE_BATCH, memory->batch);
    view_table_rule(&table);
    view_table_number(&table, language, VIEW_TEXT_SIZE_SUM, memory->total);
    view_table_number(&table, language, VIEW_TEXT_SIZE_RUNNING, plan->size.inference_bytes);
    view_table_number(&table, language, VIEW_TEXT_SIZE_TOKENS,
                      model_size_tokens(&plan->size) * (size_t)plan->n_processes);
    view_table_draw(&table, state->scroll, canvas);
}

const View view_memory = {
    .name = "memory",
    .titles = {"memory", "内存"},
    .needs = {"the numbers of a full size: :size MODEL", "一个模型的完整大小：:size 模型"},
    .min_width = TABLE_LABEL + TABLE_VALUE,
    .min_height = 4,
    .fits = fits,
    .draw = draw,
    .spoken = VIEW_SPOKEN_LINES,
    .is_whole = true};
