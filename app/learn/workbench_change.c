// workbench_change.c - changing the model: a number, a switch, a size, the input, all of it; undo.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/workbench.h"
#include "engine/files/json_text.h"

// Of a size that is typed.
enum { MOST_LAYERS = 64, MOST_CHANNELS = 1024 };

bool workbench_do_edit(Workbench *bench, const Command *command, Error *err) {
    // What the tape says of its nodes is for reading; this one is to be changed.
    Tape *tape = &bench->playground.opened->built.tape;
    Node *node = tape->nodes[bench->cursor.place.node->id];
    size_t element = cursor_element(&bench->cursor);
    char cell[REPLY_BYTES];
    char value[JSON_TEXT_FLOAT_BYTES]; // the shortest digits that are this number
    if (command->rest[0] == '\0') {
        if (!stepper_require(&bench->playground.stepper, node, err)) {
            return false;
        }
        json_text_float((float)cursor_value(&bench->cursor, node, element), value);
        reply_propose(bench->reply, "edit ", value);
        return true;
    }
    errno = 0;
    float number = strtof(command->rest, NULL);
    if (errno == ERANGE && (isinf(number) || number == 0.0F)) { // else it is small, and held
        return reply_fail(bench->reply, err, TEXT_BEYOND_FLOAT, command->rest, NULL);
    }
    if (!before_keep(&bench->before, &bench->playground, err) ||
        !playground_edit(&bench->playground, node, element, number, err)) {
        return false;
    }
    cursor_changed(&bench->cursor);
    explain_cell_name(node, element, cell, sizeof cell);
    json_text_float(number, value);
    reply_say(bench->reply, TEXT_NUMBER_SET, cell, value);
    return true;
}

bool workbench_do_reset(Workbench *bench, const Command *command, Error *err) {
    if (!workbench_may_lose(bench, command)) {
        return true;
    }
    Shown shown = workbench_shown(bench);
    if (!before_keep(&bench->before, &bench->playground, err) ||
        !playground_reset(&bench->playground, err)) {
        return false;
    }
    workbench_after_rebuild(bench, &shown);
    bool is_kept = bench->playground.n_done > 0;
    reply_say(bench->reply, is_kept ? TEXT_RESET_DONE : TEXT_RESET_FOR_GOOD, NULL, NULL);
    return true;
}

static bool configure(Workbench *bench, const ModelConfig *config, Error *err) {
    Shown shown = workbench_shown(bench);
    if (!before_keep(&bench->before, &bench->playground, err) ||
        !playground_configure(&bench->playground, config, err)) {
        return false;
    }
    workbench_after_rebuild(bench, &shown);
    return true;
}

bool workbench_do_switch(Workbench *bench, const Command *command, Error *err) {
    ModelConfig config = bench->playground.opened->named.model.config;
    bool *without = &config.switches.without_mask;
    TextId name = TEXT_MASK;
    if (command->id == COMMAND_SCALE) {
        without = &config.switches.without_scale;
        name = TEXT_SCALE;
    } else if (command->id == COMMAND_RESIDUAL) {
        without = &config.switches.without_residual;
        name = TEXT_RESIDUAL;
    } else if (command->id == COMMAND_POSITIONS) {
        without = &config.switches.without_positions;
        name = TEXT_POSITIONS;
    }
    int on = command_switch(command);
    bool was_without = *without;
    *without = on < 0 ? !*without : on == 0;
    if (*without != was_without && !configure(bench, &config, err)) {
        return false;
    }
    reply_say(bench->reply, *without ? TEXT_SWITCHED_OFF : TEXT_SWITCHED_ON,
              reply_text(bench->reply, name), NULL);
    return true;
}

static void say_size(Workbench *bench, TextId name, const char *value) {
    char a[24];
    char b[24];
    if (bench->playground.n_redrawn == 0) {
        reply_say(bench->reply, TEXT_SET_TO, reply_text(bench->reply, name), value);
        return;
    }
    snprintf(a, sizeof a, "%d", bench->playground.n_redrawn);
    snprintf(b, sizeof b, "%d", bench->playground.n_kept);
    reply_say(bench->reply, TEXT_REDRAWN, a, b);
}

// Its place or its formula; without a word the other place.
static void set_norm(ModelConfig *config, const char *word) {
    if (strcmp(word, "standard") == 0) {
        config->layer_norm = NORM_STANDARD;
    } else if (strcmp(word, "annotated") == 0) {
        config->layer_norm = NORM_ANNOTATED;
    } else {
        config->norm_first = word[0] == '\0' ? !config->norm_first : strcmp(word, "pre") == 0;
    }
}

bool workbench_do_size(Workbench *bench, const Command *command, Error *err) {
    ModelConfig config = bench->playground.opened->named.model.config;
    char value[32];
    TextId name = TEXT_NORM;
    if (command->id == COMMAND_NORM) {
        set_norm(&config, command->rest);
        snprintf(value, sizeof value, "%s, %s", config.norm_first ? "pre" : "post",
                 config.layer_norm == NORM_STANDARD ? "standard" : "annotated");
    } else {
        int *size = command->id == COMMAND_HEADS    ? &config.n_heads
                    : command->id == COMMAND_LAYERS ? &config.n_layers
                                                    : &config.d_model;
        name = command->id == COMMAND_HEADS    ? TEXT_HEADS
               : command->id == COMMAND_LAYERS ? TEXT_LAYERS
                                               : TEXT_WIDTH;
        long wanted = command_count(command, 0);
        long most = command->id == COMMAND_LAYERS ? MOST_LAYERS : MOST_CHANNELS;
        if (wanted < 1 || wanted > most) {
            return error_set(err, "%s: expected a number from 1 to %ld", COMMANDS[command->id].name,
                             most);
        }
        *size = (int)wanted;
        snprintf(value, sizeof value, "%d", *size);
    }
    if (!workbench_may_lose(bench, command)) {
        return true;
    }
    if (!configure(bench, &config, err)) {
        return false;
    }
    say_size(bench, name, value);
    return true;
}

bool workbench_do_smoothing(Workbench *bench, const Command *command, Error *err) {
    ModelConfig config = bench->playground.opened->named.model.config;
    char value[32];
    snprintf(value, sizeof value, "%.9g", (double)config.label_smoothing);
    if (command->rest[0] == '\0') {
        char line[48];
        snprintf(line, sizeof line, "smoothing %s", value);
        reply_ask(bench->reply, line);
        return true;
    }
    float smoothing = strtof(command->rest, NULL);
    if (!(smoothing >= 0.0F && smoothing < 1.0F)) {
        return error_set(err, "smoothing: expected a number from 0 to below 1, found \"%.40s\"",
                         command->rest);
    }
    config.label_smoothing = smoothing;
    if (!configure(bench, &config, err)) {
        return false;
    }
    snprintf(value, sizeof value, "%.9g", (double)smoothing);
    reply_say(bench->reply, TEXT_SET_TO, reply_text(bench->reply, TEXT_SMOOTHING), value);
    return true;
}

static bool open_line(Workbench *bench, const Command *command, Error *err) {
    if (!workbench_may_lose(bench, command)) {
        return true;
    }
    if (!playground_open(&bench->playground, command->rest, err)) {
        return false;
    }
    bench->cursor.place = (Place){.node = NULL};
    before_forget(&bench->before);
    cursor_forget(&bench->cursor);
    const OpenModel *opened = bench->playground.opened;
    if (error_is_set(&opened->notice)) {
        reply_say(bench->reply, TEXT_MODEL_NOTE, opened->notice.text, NULL);
    } else if (opened->named.model.notes.length > 0) {
        reply_say(bench->reply, TEXT_MODEL_NOTE, opened->named.model.notes.bytes, NULL);
    }
    return true;
}

bool workbench_do_open(Workbench *bench, const Command *command, Error *err) {
    Playground *playground = &bench->playground;
    if (command->id == COMMAND_OPEN) {
        return open_line(bench, command, err);
    }
    if (command->id == COMMAND_INPUT && command->rest[0] == '\0') {
        reply_ask(bench->reply, "input ");
        return true;
    }
    bool is_seed = command->id == COMMAND_SEED;
    if (is_seed && !workbench_may_lose(bench, command)) {
        return true;
    }
    Shown shown = workbench_shown(bench);
    bool ok = before_keep(&bench->before, &bench->playground, err);
    if (ok) {
        ok = is_seed ? playground_seed(playground, (uint64_t)command_count(command, 1), err)
                     : playground_input(playground, command->rest, err);
    }
    if (ok) {
        workbench_after_rebuild(bench, &shown);
    }
    return ok;
}

bool workbench_do_undo(Workbench *bench, const Command *command, Error *err) {
    Playground *playground = &bench->playground;
    Error reason = {""};
    bool is_undo = command->id == COMMAND_UNDO;
    if (!before_keep(&bench->before, &bench->playground, err)) {
        return false;
    }
    bench->before.is_undo = is_undo;
    Shown shown = workbench_shown(bench);
    int n_builds = playground->n_builds;
    int number = is_undo ? playground->n_done - 1 : playground->n_done;
    bool ok = is_undo ? playground_undo(playground, &reason) : playground_redo(playground, &reason);
    if (!ok && error_is_set(&reason)) {
        return error_set(err, "%s", reason.text);
    }
    if (!ok) {
        reply_say(bench->reply, is_undo ? TEXT_NOTHING_UNDO : TEXT_NOTHING_REDO, NULL, NULL);
        return true;
    }
    const Change *change = &playground->changes[number];
    if (playground->n_builds != n_builds) {
        workbench_after_rebuild(bench, &shown);
    }
    cursor_changed(&bench->cursor);
    reply_say(bench->reply, is_undo ? TEXT_UNDONE : TEXT_REDONE, change->what, NULL);
    return true;
}
