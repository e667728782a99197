// clock.h - a clock that never goes back, for budgets and measurements.
#ifndef ENGINE_BASE_CLOCK_H
#define ENGINE_BASE_CLOCK_H

double clock_seconds(void);
double clock_ms(void);

#endif
