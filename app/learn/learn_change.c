// learn_change.c - changing the model: a number, a switch, a size, the input, all of it; undo.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn_actions.h"

void learn_after_rebuild(Learn *learn, const LearnShown *shown) {
    cursor_forget(&learn->cursor);
    const Node *node = shown->stage[0] == '\0'
                           ? NULL
                           : tape_find(playground_tape(&learn->playground), shown->stage);
    if (node != NULL) {
        (void)stepper_require(&learn->playground.stepper, node, NULL); // or it is run later
        cursor_look_at(&learn->cursor, node);
    }
}

LearnShown learn_shown(const Learn *learn) {
    LearnShown shown = {""};
    if (learn->cursor.place.node != NULL) {
        snprintf(shown.stage, sizeof shown.stage, "%s", learn->cursor.place.node->stage);
    }
    return shown;
}

bool learn_may_lose(Learn *learn, const Command *command) {
    const Playground *playground = &learn->playground;
    bool has_changes = playground->n_done > 0 || training_step(&learn->playground.training) > 0;
    bool is_said = learn->is_warned && learn->warned == command->id;
    learn->is_warned = false;
    if (playground->opened == NULL || !has_changes || playground_can_keep(playground) || is_said ||
        learn->is_scripted) {
        return true;
    }
    learn->is_warned = true;
    learn->warned = command->id;
    reply_say(&learn->reply, TEXT_CANNOT_KEEP, COMMANDS[command->id].name, NULL);
    return false;
}

bool act_edit(Learn *learn, const Command *command, Error *err) {
    // What the tape says of its nodes is for reading; this one is to be changed.
    Tape *tape = &learn->playground.opened->built.tape;
    Node *node = tape->nodes[learn->cursor.place.node->id];
    size_t element = cursor_element(&learn->cursor);
    char cell[REPLY_BYTES];
    char value[32];
    if (command->rest[0] == '\0') {
        snprintf(cell, sizeof cell, "edit %.6g", cursor_value(&learn->cursor, node, element));
        reply_ask(&learn->reply, cell);
        return true;
    }
    learn_keep_before(learn);
    float number = strtof(command->rest, NULL);
    if (!playground_edit(&learn->playground, node, element, number, err)) {
        return false;
    }
    cursor_changed(&learn->cursor);
    explain_cell_name(node, element, cell, sizeof cell);
    snprintf(value, sizeof value, "%.6g", (double)number);
    reply_say(&learn->reply, TEXT_NUMBER_SET, cell, value);
    return true;
}

bool act_reset(Learn *learn, const Command *command, Error *err) {
    if (!learn_may_lose(learn, command)) {
        return true;
    }
    LearnShown shown = learn_shown(learn);
    learn_keep_before(learn);
    if (!playground_reset(&learn->playground, err)) {
        return false;
    }
    learn_after_rebuild(learn, &shown);
    bool is_kept = learn->playground.n_done > 0;
    reply_say(&learn->reply, is_kept ? TEXT_RESET_DONE : TEXT_RESET_FOR_GOOD, NULL, NULL);
    return true;
}

static bool configure(Learn *learn, const ModelConfig *config, Error *err) {
    learn_keep_before(learn);
    LearnShown shown = learn_shown(learn);
    if (!playground_configure(&learn->playground, config, err)) {
        return false;
    }
    learn_after_rebuild(learn, &shown);
    return true;
}

bool act_switch(Learn *learn, const Command *command, Error *err) {
    ModelConfig config = learn->playground.opened->named.model.config;
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
    if (*without != was_without && !configure(learn, &config, err)) {
        return false;
    }
    reply_say(&learn->reply, *without ? TEXT_SWITCHED_OFF : TEXT_SWITCHED_ON,
              reply_text(&learn->reply, name), NULL);
    return true;
}

static void say_size(Learn *learn, TextId name, const char *value) {
    char a[24];
    char b[24];
    if (learn->playground.n_redrawn == 0) {
        reply_say(&learn->reply, TEXT_SET_TO, reply_text(&learn->reply, name), value);
        return;
    }
    snprintf(a, sizeof a, "%d", learn->playground.n_redrawn);
    snprintf(b, sizeof b, "%d", learn->playground.n_kept);
    reply_say(&learn->reply, TEXT_REDRAWN, a, b);
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

bool act_size(Learn *learn, const Command *command, Error *err) {
    ModelConfig config = learn->playground.opened->named.model.config;
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
        if (wanted < 1 || wanted > 1024) {
            return error_set(err, "%s: expected a number from 1 to 1024",
                             COMMANDS[command->id].name);
        }
        *size = (int)wanted;
        snprintf(value, sizeof value, "%d", *size);
    }
    if (!learn_may_lose(learn, command)) {
        return true;
    }
    if (!configure(learn, &config, err)) {
        return false;
    }
    say_size(learn, name, value);
    return true;
}

void learn_close_model(Learn *learn) {
    learn_forget_before(learn);
    cursor_close(&learn->cursor);
    playground_close(&learn->playground);
}

static bool open_line(Learn *learn, const Command *command, Error *err) {
    if (!learn_may_lose(learn, command)) {
        return true;
    }
    if (!playground_open(&learn->playground, command->rest, err)) {
        return false;
    }
    learn->cursor.place = (Place){.node = NULL};
    learn_forget_before(learn);
    cursor_forget(&learn->cursor);
    return true;
}

bool act_open(Learn *learn, const Command *command, Error *err) {
    Playground *playground = &learn->playground;
    if (command->id == COMMAND_OPEN) {
        return open_line(learn, command, err);
    }
    if (command->id == COMMAND_INPUT && command->rest[0] == '\0') {
        reply_ask(&learn->reply, "input ");
        return true;
    }
    bool is_seed = command->id == COMMAND_SEED;
    if (is_seed && !learn_may_lose(learn, command)) {
        return true;
    }
    LearnShown shown = learn_shown(learn);
    learn_keep_before(learn);
    bool ok = is_seed ? playground_seed(playground, (uint64_t)command_count(command, 1), err)
                      : playground_input(playground, command->rest, err);
    if (ok) {
        learn_after_rebuild(learn, &shown);
    }
    return ok;
}

bool act_undo(Learn *learn, const Command *command, Error *err) {
    Playground *playground = &learn->playground;
    Error reason = {""};
    bool is_undo = command->id == COMMAND_UNDO;
    learn_keep_before(learn);
    LearnShown shown = learn_shown(learn);
    int n_builds = playground->n_builds;
    int number = is_undo ? playground->n_done - 1 : playground->n_done;
    bool ok = is_undo ? playground_undo(playground, &reason) : playground_redo(playground, &reason);
    if (!ok && error_is_set(&reason)) {
        return error_set(err, "%s", reason.text);
    }
    if (!ok) {
        reply_say(&learn->reply, is_undo ? TEXT_NOTHING_UNDO : TEXT_NOTHING_REDO, NULL, NULL);
        return true;
    }
    const Change *change = &playground->changes[number];
    if (playground->n_builds != n_builds) {
        learn_after_rebuild(learn, &shown);
    }
    cursor_changed(&learn->cursor);
    reply_say(&learn->reply, is_undo ? TEXT_UNDONE : TEXT_REDONE, change->what, NULL);
    return true;
}
