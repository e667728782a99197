// plural.h - one line, two lines.
#ifndef ENGINE_BASE_PLURAL_H
#define ENGINE_BASE_PLURAL_H

// "" for 1, else "s", for a format such as "%d line%s".
const char *plural(long long n);

#endif
