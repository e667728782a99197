// view_private.h - the list of views: each name is a file view_NAME.c, which ends in its row,
// `const View view_NAME`.
#ifndef VIEWS_SCREEN_VIEW_PRIVATE_H
#define VIEWS_SCREEN_VIEW_PRIVATE_H

#include "views/screen/view.h"

// In the order in which `v` goes round. A forgotten row fails to link.
#define VIEW_LIST(X)                                                                               \
    X(tensor)                                                                                      \
    X(equation)                                                                                    \
    X(attention)                                                                                   \
    X(heads)                                                                                       \
    X(lines)                                                                                       \
    X(tokens)                                                                                      \
    X(points)                                                                                      \
    X(embeddings)                                                                                  \
    X(predictions)                                                                                 \
    X(loss)                                                                                        \
    X(beam)                                                                                        \
    X(training)                                                                                    \
    X(lengths)                                                                                     \
    X(size)                                                                                        \
    X(memory)                                                                                      \
    X(time)                                                                                        \
    X(distances)                                                                                   \
    X(change)                                                                                      \
    X(map)                                                                                         \
    X(explain)                                                                                     \
    X(big)                                                                                         \
    X(tape)                                                                                        \
    X(help)

#define X(name) extern const View view_##name;
VIEW_LIST(X)
#undef X

#endif
