// learn_state.c - the string that leads back to a place in a lesson.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn.h"
#include "engine/models/family.h"
#include "views/text_buffer.h"

// ---- the state: "13@4|open ...|mask off|go ...|cell ...", commands of the one vocabulary

static void write_input(TextBuffer *text, const ModelInput *input) {
    text_buffer_print(text, "|open %s", input->model);
    for (int i = 0; i < input->n_inputs; i++) {
        text_buffer_print(text, " --input \"%s\"", input->inputs[i]);
    }
    for (int i = 0; i < input->n_targets; i++) {
        text_buffer_print(text, " --target \"%s\"", input->targets[i]);
    }
    if (input->ids != NULL) {
        text_buffer_print(text, " --ids \"%s\"", input->ids);
    }
    if (input->target_ids != NULL) {
        text_buffer_print(text, " --target-ids \"%s\"", input->target_ids);
    }
    if (input->seed != 0) {
        text_buffer_print(text, " --seed %llu", (unsigned long long)input->seed);
    }
    text_buffer_text(text, input->untrained ? " --untrained" : "");
}

static void write_ids(TextBuffer *text, const char *option, const int32_t *ids, int n) {
    text_buffer_print(text, " %s \"", option);
    for (int i = 0; i < n; i++) {
        text_buffer_print(text, "%s%d", i > 0 ? "," : "", ids[i]);
    }
    text_buffer_text(text, "\"");
}

// Points that were added or taken away are part of the input, and so are those that weights are
// fitted to.
static bool has_own_points(const Playground *playground) {
    const OpenModel *opened = playground->opened;
    const Family *family = family_of(&opened->named.model.config);
    bool is_other = family->fit != NULL;
    for (int i = 0; i < playground->n_done; i++) {
        is_other = is_other || playground->changes[i].kind == CHANGE_IDS;
    }
    return family->n_classes > 0 && opened->batch.labels != NULL && opened->batch.shape.B == 1 &&
           is_other;
}

static void write_open(TextBuffer *text, const Playground *playground) {
    ModelInput input = playground->input;
    const Batch *batch = &playground->opened->batch;
    const bool is_own = has_own_points(playground);
    if (is_own) {
        input.n_inputs = 0;
        input.n_targets = 0;
        input.ids = NULL;
        input.target_ids = NULL;
    }
    write_input(text, &input);
    if (is_own) {
        write_ids(text, "--ids", batch->tokens, batch->shape.T);
        write_ids(text, "--target-ids", batch->labels, batch->shape.T);
    }
}

static void write_config(TextBuffer *text, const ModelConfig *was, const ModelConfig *is) {
    const struct {
        const char *name;
        int was, is;
    } sizes[] = {{"width", was->d_model, is->d_model},
                 {"layers", was->n_layers, is->n_layers},
                 {"heads", was->n_heads, is->n_heads}};
    const struct {
        const char *name;
        bool is_off;
    } switches[] = {{"mask", is->switches.without_mask},
                    {"scale", is->switches.without_scale},
                    {"residual", is->switches.without_residual},
                    {"positions", is->switches.without_positions}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].was != sizes[i].is) {
            text_buffer_print(text, "|%s %d", sizes[i].name, sizes[i].is);
        }
    }
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (switches[i].is_off) {
            text_buffer_print(text, "|%s off", switches[i].name);
        }
    }
    if (was->label_smoothing != is->label_smoothing) {
        text_buffer_print(text, "|smoothing %.9g", (double)is->label_smoothing);
    }
    if (was->layer_norm != is->layer_norm) {
        text_buffer_print(text, "|norm %s",
                          is->layer_norm == NORM_STANDARD ? "standard" : "annotated");
    }
    if (was->norm_first != is->norm_first) {
        text_buffer_print(text, "|norm %s", is->norm_first ? "pre" : "post");
    }
}

static void write_edits(TextBuffer *text, const Playground *playground) {
    const Tape *tape = playground_tape(playground);
    for (int i = 0; i < playground->n_done; i++) {
        const Change *change = &playground->changes[i];
        bool is_in_force =
            change->kind == CHANGE_NUMBER && playground_is_in_force(playground, change);
        const Node *node = is_in_force ? tape_find(tape, change->stage) : NULL;
        if (node != NULL) {
            char cell[256];
            explain_cell_name(node, change->element, cell, sizeof cell);
            text_buffer_print(text, "|cell %s|edit %.9g", cell, (double)change->after);
        }
    }
}

static void write_sampling(TextBuffer *text, const SamplingConfig *was, const SamplingConfig *is) {
    if (was->temperature != is->temperature) {
        text_buffer_print(text, "|temperature %.17g", is->temperature);
    }
    if (was->top_k != is->top_k) {
        text_buffer_print(text, "|top-k %d", is->top_k);
    }
    if (was->top_p != is->top_p) {
        text_buffer_print(text, "|top-p %.17g", is->top_p);
    }
}

// What was decoded, each token with the settings it was chosen with, and the present settings.
static void write_decoding(TextBuffer *text, const Playground *playground) {
    const PlaygroundText *decoded = &playground->text;
    const Node *tokens = playground->opened->built.nodes.tokens;
    SamplingConfig was = sampling_greedy();
    if (decoded->is_decoding) {
        text_buffer_print(text, "|cell %s[%d,0]", tokens->stage, decoded->item);
    }
    for (int i = decoded->n_given - 1; decoded->draws != NULL && i <= decoded->draws->position;
         i++) {
        const SamplingConfig *is = &sampling_find_draw(decoded->draws, i)->made.config;
        write_sampling(text, &was, is);
        text_buffer_text(text, "|decode");
        was = *is;
    }
    write_sampling(text, &was, &playground->sampling);
}

char *learn_state(const Learn *learn) {
    TextBuffer text = {0};
    const Playground *playground = &learn->bench.playground;
    if (learn->player.has_lesson) {
        text_buffer_print(&text, "%s@%d", learn->player.file, learn->player.stop + 1);
    }
    if (playground->opened != NULL) {
        write_open(&text, playground);
        write_config(&text, &playground->config, &playground->opened->named.model.config);
        if (learn->bench.playground.training.run.n_steps > 0) {
            text_buffer_print(&text, "|train %d", training_step(&learn->bench.playground.training));
        }
        text_buffer_text(&text, learn->bench.lengths.n > 0 ? "|lengths" : "");
        text_buffer_text(&text, learn->bench.distances.is_there[DISTANCE_LOOP] ? "|distances" : "");
        if (learn->bench.size.name[0] != '\0') {
            text_buffer_print(&text, "|size %s", learn->bench.size.question);
        }
        if (playground->text.typed != NULL) {
            text_buffer_print(&text, "|input %s", playground->text.typed);
        }
        write_edits(&text, playground);
        write_decoding(&text, playground);
        text_buffer_print(&text, "|go %s", stepper_node(&playground->stepper)->stage);
        char cell[256];
        explain_cell_name(learn->bench.cursor.place.node, cursor_element(&learn->bench.cursor),
                          cell, sizeof cell);
        text_buffer_print(&text, "|%s %s", strchr(cell, '[') != NULL ? "cell" : "show", cell);
        ViewTraining training;
        ViewState state = screen_view_state(&learn->screen, &training);
        const View *view = screen_view(&learn->screen, &state);
        text_buffer_print(&text, "|view %s", view == NULL ? "" : view->name);
        text_buffer_text(&text, learn->screen.scale == HEAT_PER_ROW ? "|heat row" : "");
    }
    char *all = NULL;
    size_t length = 0;
    return text_buffer_take(&text, &all, &length, NULL) ? all : NULL;
}

char *learn_quoted(const char *state) {
    TextBuffer text = {0};
    for (; *state != '\0'; state++) {
        text_buffer_append(&text, state, 1);
        text_buffer_text(&text, *state == '\'' ? "\\''" : "");
    }
    char *all = NULL;
    size_t length = 0;
    return text_buffer_take(&text, &all, &length, NULL) ? all : NULL;
}
