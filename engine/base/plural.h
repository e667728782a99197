// plural.h - one line, two lines.
#ifndef ENGINE_BASE_PLURAL_H
#define ENGINE_BASE_PLURAL_H

// "" for 1, else "s": printf("%d line%s", n, plural(n)).
const char *plural(long long n);

#endif
