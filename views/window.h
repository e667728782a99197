// window.h - the part of a list that shows where not all of it does.
#ifndef VIEWS_WINDOW_H
#define VIEWS_WINDOW_H

// The first of `shown` rows out of `count`, so that row `at` stands in the middle, or as near to it
// as the ends allow. at -1: no row is looked at, the list shows from its start.
int window_first(int at, int shown, int count);

#endif
