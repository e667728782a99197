// pace.c - how many steps of training a frame does, so that the descent of the loss can be watched.
#include "engine/playground/pace.h"

#include <math.h>

static const double FIRST_RATE = 8.0;    // steps a second of a run without an end, at its beginning
static const double DOUBLES_MS = 2000.0; // after which it does twice as many
static const double WHOLE_MS = 2000.0;   // that a run with an end takes
static const double LEAST_RATE = 25.0;   // steps a second of such a run
static const double MOST_SPEED = 64.0;

void pace_begin(Pace *pace, int n_steps) {
    double speed = pace->speed > 0.0 ? pace->speed : 1.0;
    *pace = (Pace){.n_steps = n_steps, .speed = speed, .owed = 1.0};
}

static double steps_a_second(const Pace *pace) {
    if (pace->n_steps < 0) {
        return FIRST_RATE * exp2(fmin(pace->watched_ms / DOUBLES_MS, 30.0));
    }
    return fmax(1e3 * pace->n_steps / WHOLE_MS, LEAST_RATE);
}

int pace_next(Pace *pace, double frame_ms) {
    if (pace->is_unlimited) {
        return PACE_MAX_STEPS;
    }
    pace->owed += 1e-3 * frame_ms * pace->speed * steps_a_second(pace);
    pace->watched_ms += frame_ms;
    double n_steps = floor(fmin(pace->owed, PACE_MAX_STEPS));
    pace->owed -= n_steps;
    return (int)n_steps;
}

bool pace_change(Pace *pace, int direction) {
    double speed = (pace->speed > 0.0 ? pace->speed : 1.0) * (direction > 0 ? 2.0 : 0.5);
    bool was_unlimited = pace->is_unlimited;
    pace->is_unlimited = false;
    if (speed > MOST_SPEED || speed * MOST_SPEED < 1.0) {
        return was_unlimited;
    }
    pace->speed = speed;
    return true;
}
