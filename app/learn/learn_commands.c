// learn_commands.c - from a command to the function that carries it out, and what is said of it.
#include <stdio.h>
#include <string.h>

#include "app/learn/learn_actions.h"

static const Action ACTIONS[COMMAND_COUNT] = {
    [COMMAND_NEXT] = act_step,
    [COMMAND_BACK] = act_step,
    [COMMAND_INTO] = act_step,
    [COMMAND_OUT] = act_step,
    [COMMAND_OVER] = act_step,
    [COMMAND_OVER_BACK] = act_step,
    [COMMAND_FIRST] = act_step,
    [COMMAND_LAST] = act_step,
    [COMMAND_LOSS] = act_step,
    [COMMAND_GO] = act_go,
    [COMMAND_SHOW] = act_go,
    [COMMAND_SEARCH] = act_search,
    [COMMAND_SEARCH_NEXT] = act_search,
    [COMMAND_SEARCH_BACK] = act_search,
    [COMMAND_UP] = act_move,
    [COMMAND_DOWN] = act_move,
    [COMMAND_LEFT] = act_move,
    [COMMAND_RIGHT] = act_move,
    [COMMAND_CELL] = act_cell,
    [COMMAND_FOLLOW] = act_follow,
    [COMMAND_RETURN] = act_return,
    [COMMAND_HEAD_BACK] = act_slice,
    [COMMAND_HEAD_NEXT] = act_slice,
    [COMMAND_ITEM_BACK] = act_slice,
    [COMMAND_ITEM_NEXT] = act_slice,
    [COMMAND_LAYER_BACK] = act_layer,
    [COMMAND_LAYER_NEXT] = act_layer,
    [COMMAND_COPY] = act_copy,
    [COMMAND_VIEW] = act_view,
    [COMMAND_VIEW_BACK] = act_view,
    [COMMAND_PANE_NEXT] = act_pane,
    [COMMAND_PANE_BACK] = act_pane,
    [COMMAND_PAGE_UP] = act_pane,
    [COMMAND_PAGE_DOWN] = act_pane,
    [COMMAND_ZOOM] = act_toggle,
    [COMMAND_SPOTLIGHT] = act_toggle,
    [COMMAND_BIG] = act_toggle,
    [COMMAND_HEAT] = act_heat,
    [COMMAND_EXPORT] = act_export,
    [COMMAND_THEME] = act_theme,
    [COMMAND_LANGUAGE] = act_language,
    [COMMAND_HELP] = act_overlay,
    [COMMAND_STATE] = act_state,
    [COMMAND_REDRAW] = act_redraw,
    [COMMAND_EDIT] = act_edit,
    [COMMAND_UNDO] = act_undo,
    [COMMAND_REDO] = act_undo,
    [COMMAND_RESET] = act_reset,
    [COMMAND_CHANGE] = act_overlay,
    [COMMAND_MASK] = act_switch,
    [COMMAND_SCALE] = act_switch,
    [COMMAND_RESIDUAL] = act_switch,
    [COMMAND_POSITIONS] = act_switch,
    [COMMAND_NORM] = act_size,
    [COMMAND_HEADS] = act_size,
    [COMMAND_LAYERS] = act_size,
    [COMMAND_WIDTH] = act_size,
    [COMMAND_SEED] = act_open,
    [COMMAND_INPUT] = act_open,
    [COMMAND_OPEN] = act_open,
    [COMMAND_TRAIN] = act_train,
    [COMMAND_TRAIN_STEP] = act_train,
    [COMMAND_SCRUB_BACK] = act_scrub,
    [COMMAND_SCRUB_NEXT] = act_scrub,
    [COMMAND_COMPARE] = act_compare,
    [COMMAND_DECODE] = act_decode,
    [COMMAND_BEAM] = act_decode,
    [COMMAND_TEMPERATURE] = act_sampling,
    [COMMAND_TOP_K] = act_sampling,
    [COMMAND_TOP_P] = act_sampling,
    [COMMAND_TOKENS] = act_tokens,
    [COMMAND_PROMPT] = act_prompt,
    [COMMAND_CONTINUE] = act_lesson,
    [COMMAND_ANSWER] = act_lesson,
    [COMMAND_ASIDE] = act_lesson,
    [COMMAND_LESSON_BACK] = act_lesson,
    [COMMAND_RESUME] = act_lesson,
    [COMMAND_LEAVE] = act_leave,
    [COMMAND_QUIT] = act_leave,
};

// Those that mean something before a model is open.
static bool needs_model(CommandId id) {
    return id <= COMMAND_COPY
               ? id != COMMAND_CONTINUE && id != COMMAND_SEARCH
               : (id >= COMMAND_EDIT && id <= COMMAND_SEED && id != COMMAND_CHANGE) ||
                     (id >= COMMAND_TRAIN && id <= COMMAND_TOKENS);
}

bool learn_execute(Learn *learn, const Command *command, Error *err) {
    if (needs_model(command->id) && learn->playground.opened == NULL) {
        return error_set(err, "%s", learn_text(learn, TEXT_NOTHING_OPEN));
    }
    learn->is_warned = learn->is_warned && learn->warned == command->id;
    int n_done = learn->playground.n_done;
    bool was_open = learn->playground.opened != NULL;
    bool ok = ACTIONS[command->id](learn, command, err);
    if (learn->playground.n_done > n_done && was_open && command->id != COMMAND_REDO) {
        char what[PROMPT_BYTES];
        snprintf(what, sizeof what, "%s %s", COMMANDS[command->id].name, command->rest);
        what[strlen(what) - (command->rest[0] == '\0')] = '\0';
        playground_name_changes(&learn->playground, n_done, what);
    }
    return ok;
}

void learn_execute_line(Learn *learn, const char *line) {
    char copy[PROMPT_BYTES];
    snprintf(copy, sizeof copy, "%s", line);
    Command command;
    Error err = {""};
    if (!command_parse(&command, copy, &err) || !learn_execute(learn, &command, &err)) {
        learn_complain(learn, err.text);
    }
}

const char *learn_text(const Learn *learn, TextId id) {
    return text_of(learn->language, id);
}

void learn_say(Learn *learn, TextId id, const char *a, const char *b) {
    text_fill(learn->notice, sizeof learn->notice, learn_text(learn, id), a, b);
    learn->notice_is_bad = false;
}

void learn_complain(Learn *learn, const char *sentence) {
    snprintf(learn->notice, sizeof learn->notice, "%s", sentence);
    learn->notice_is_bad = sentence[0] != '\0';
}
