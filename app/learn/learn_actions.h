// learn_actions.h - one function a command, or a few commands; a table says which.
#ifndef APP_LEARN_LEARN_ACTIONS_H
#define APP_LEARN_LEARN_ACTIONS_H

#include "app/learn/learn.h"

// ---- learn_step.c
bool act_step(Learn *learn, const Command *command, Error *err);
bool act_go(Learn *learn, const Command *command, Error *err);
bool act_search(Learn *learn, const Command *command, Error *err);

// ---- learn_place.c and learn_follow.c
bool act_move(Learn *learn, const Command *command, Error *err);
bool act_follow(Learn *learn, const Command *command, Error *err);
bool act_return(Learn *learn, const Command *command, Error *err);

// ---- learn_change.c
bool act_edit(Learn *learn, const Command *command, Error *err);
bool act_reset(Learn *learn, const Command *command, Error *err);
bool act_switch(Learn *learn, const Command *command, Error *err);
bool act_size(Learn *learn, const Command *command, Error *err);
bool act_open(Learn *learn, const Command *command, Error *err);
bool act_undo(Learn *learn, const Command *command, Error *err);

// ---- learn_train.c
bool act_train(Learn *learn, const Command *command, Error *err);
bool act_scrub(Learn *learn, const Command *command, Error *err);
bool act_compare(Learn *learn, const Command *command, Error *err);
bool act_decode(Learn *learn, const Command *command, Error *err);

bool act_sampling(Learn *learn, const Command *command, Error *err);

// ---- learn_tokens.c
bool act_tokens(Learn *learn, const Command *command, Error *err);

// ---- learn_screen.c
bool act_view(Learn *learn, const Command *command, Error *err);
bool act_pane(Learn *learn, const Command *command, Error *err);
bool act_toggle(Learn *learn, const Command *command, Error *err);
bool act_overlay(Learn *learn, const Command *command, Error *err);
bool act_heat(Learn *learn, const Command *command, Error *err);
bool act_theme(Learn *learn, const Command *command, Error *err);
bool act_language(Learn *learn, const Command *command, Error *err);
bool act_copy(Learn *learn, const Command *command, Error *err);
bool act_state(Learn *learn, const Command *command, Error *err);
bool act_redraw(Learn *learn, const Command *command, Error *err);
bool act_leave(Learn *learn, const Command *command, Error *err);
bool act_prompt(Learn *learn, const Command *command, Error *err);

// ---- learn_export.c
bool act_export(Learn *learn, const Command *command, Error *err);

bool act_aside(Learn *learn, const Command *command, Error *err);

#endif
