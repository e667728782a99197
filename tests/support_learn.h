// support_learn.h - the learning screen without a terminal: keys go in, frames come out.
#ifndef TESTS_SUPPORT_LEARN_H
#define TESTS_SUPPORT_LEARN_H

#include "app/learn/learn.h"

Learn *support_learn_open(const LearnOptions *options);
void support_learn_close(Learn *learn);

// Does all that waits to be done: a lesson's commands, training, nodes.
void support_learn_finish(Learn *learn);

void support_learn_press(Learn *learn, int key);
void support_learn_type(Learn *learn, const char *keys); // each character is a key

// What the screen shows as text, with its styles or without; to be freed.
char *support_learn_frame(Learn *learn, int width, int height);
char *support_learn_text(Learn *learn, int width, int height);

#endif
