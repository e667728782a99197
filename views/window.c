// window.c - the part of a list that shows where not all of it does.
#include "views/window.h"

int window_first(int at, int shown, int count) {
    int first = at - shown / 2;
    first = first > count - shown ? count - shown : first;
    return first < 0 ? 0 : first;
}
