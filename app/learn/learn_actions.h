// learn_actions.h - one function a command, or a few commands; a table says which.
#ifndef APP_LEARN_LEARN_ACTIONS_H
#define APP_LEARN_LEARN_ACTIONS_H

#include "app/learn/learn.h"

bool act_search(Learn *learn, const Command *command, Error *err);

// ---- learn_place.c and learn_follow.c
bool act_move(Learn *learn, const Command *command, Error *err);
bool act_follow(Learn *learn, const Command *command, Error *err);
bool act_return(Learn *learn, const Command *command, Error *err);

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
