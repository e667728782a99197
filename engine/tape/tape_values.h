// tape_values.h - the host's copies of a tape's numbers, for the files of the tape.
#ifndef ENGINE_TAPE_TAPE_VALUES_H
#define ENGINE_TAPE_TAPE_VALUES_H

#include "engine/tape/tape.h"

// None of a tape whose memory is the host's. False without memory.
bool tape_mirrors_open(Tape *tape);
void tape_mirrors_close(Tape *tape);

// The node has run: what the host knew of it is old.
void tape_mirrors_forget(const Tape *tape, const Node *node);

#endif
