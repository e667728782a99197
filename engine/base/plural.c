// plural.c - one line, two lines.
#include "engine/base/plural.h"

const char *plural(long long n) {
    return n == 1 ? "" : "s";
}
