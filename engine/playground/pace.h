// pace.h - how many steps of training a frame does, so that the descent of the loss can be watched.
#ifndef ENGINE_PLAYGROUND_PACE_H
#define ENGINE_PLAYGROUND_PACE_H

#include <stdbool.h>

// Training without an end begins slowly and does twice as many steps a second every two seconds:
// 160 steps take 6 s, 700 take 10 s, 3,000 take 14 s. Training with an end takes 2 s, or a frame a
// step where it has fewer steps. A speed of 1 is that, one of 2 twice as fast.
enum { PACE_MAX_STEPS = 1000000000 };

typedef struct Pace {
    double watched_ms; // frames given so far
    double owed;       // the part of a step that is left over
    int n_steps;       // of the whole run; below 0: it has no end
    double speed;
    bool is_unlimited; // as many steps as the machine does
} Pace;

// A run of n_steps begins, at the speed of the one before (1 for a zeroed Pace).
void pace_begin(Pace *pace, int n_steps);

// How many steps the next frame does; of the first one at least one, of all at least none.
int pace_next(Pace *pace, double frame_ms);

// Twice as fast (1) or half as fast (-1); false where it is as fast or slow as it gets. A run that
// went on unlimited gets its speed back.
bool pace_change(Pace *pace, int direction);

#endif
