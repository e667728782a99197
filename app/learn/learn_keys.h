// learn_keys.h - the files that take apart what keys and the mouse mean.
#ifndef APP_LEARN_LEARN_KEYS_H
#define APP_LEARN_LEARN_KEYS_H

#include "app/learn/learn.h"

// ---- learn_overlays.c
void learn_overlay_key(Learn *learn, int key); // while one is open
void learn_say_unknown(Learn *learn, int key);

// ---- learn_mouse.c
// Does what the mouse says, or gives the key that it stands for; 0: none.
int learn_mouse(Learn *learn, const Event *event);

#endif
