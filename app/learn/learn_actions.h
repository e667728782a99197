// learn_actions.h - the commands that join the lesson, the model and the screen.
#ifndef APP_LEARN_LEARN_ACTIONS_H
#define APP_LEARN_LEARN_ACTIONS_H

#include "app/learn/learn.h"

bool learn_do_search(Learn *learn, const Command *command, Error *err);
bool learn_do_language(Learn *learn, const Command *command, Error *err);
bool learn_do_state(Learn *learn, const Command *command, Error *err);
bool learn_do_leave(Learn *learn, const Command *command, Error *err);
bool learn_do_aside(Learn *learn, const Command *command, Error *err);

#endif
