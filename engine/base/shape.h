// shape.h - the sizes of a tensor and the letters of its axes, outermost first.
#ifndef ENGINE_BASE_SHAPE_H
#define ENGINE_BASE_SHAPE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

enum { SHAPE_MAX_RANK = 5, SHAPE_TEXT_BYTES = 96 };

// Axis letters: B batch, T position, S source or key position, C channels, H heads, D head width,
// F feed-forward width, V vocabulary. A multiple is written with a prefix: "3C", "2V", "NC".
// (Shape){"BTC", {2, 3, 8}} has rank 3; (Shape){"BT3C", {2, 3, 24}} too; (Shape){""} is one number.
typedef struct Shape {
    char axes[16];
    int sizes[SHAPE_MAX_RANK];
} Shape;

// Asked for many times in every step, so they stand here.

// A digit or N in front belongs to the letter behind it.
static inline bool shape_is_prefix(char c) {
    return (c >= '0' && c <= '9') || c == 'N';
}

static inline int shape_rank(const Shape *shape) {
    int rank = 0;
    for (const char *at = shape->axes; *at != '\0'; at++) {
        rank += !shape_is_prefix(*at);
    }
    assert(rank <= SHAPE_MAX_RANK);
    return rank;
}

static inline size_t shape_count(const Shape *shape) {
    size_t count = 1;
    int rank = shape_rank(shape);
    for (int i = 0; i < rank; i++) {
        count *= (size_t)shape->sizes[i];
    }
    return count;
}

// Size of the last axis, 1 for a single number.
static inline int shape_width(const Shape *shape) {
    int rank = shape_rank(shape);
    return rank == 0 ? 1 : shape->sizes[rank - 1];
}

// How many such rows there are.
static inline size_t shape_rows(const Shape *shape) {
    size_t count = 1;
    int rank = shape_rank(shape);
    for (int i = 0; i + 1 < rank; i++) {
        count *= (size_t)shape->sizes[i];
    }
    return count;
}

// Same rank and sizes; the letters may differ (T and S name the same positions in self-attention).
bool shape_equal(const Shape *a, const Shape *b);

// The letters of axis i, "T" or "3C", into name (4 bytes).
void shape_axis_name(const Shape *shape, int axis, char name[4]);

// Which axis is called by that one letter, -1: none.
int shape_find_axis(const Shape *shape, char letter);

// Appends to and takes off the end: shape_append(&(Shape){"BT", {2, 3}}, "C", 8) is (B,T,C).
Shape shape_append(const Shape *shape, const char *axis, int size);
Shape shape_without_last(const Shape *shape);

// "(2,3,8)" and "(B,T,C)", into text, which is also returned.
const char *shape_sizes_text(const Shape *shape, char text[SHAPE_TEXT_BYTES]);
const char *shape_axes_text(const Shape *shape, char text[SHAPE_TEXT_BYTES]);

// "[0,1,2]" of a cell "memory[0,1,2]", one index an axis, whole; spaces may stand around them.
// False with what is wrong, and where.
bool shape_read_indices(const Shape *shape, const char *text, int indices[SHAPE_MAX_RANK],
                        Error *err);

// The indices of element number `flat`, outermost first, and back.
void shape_indices(const Shape *shape, size_t flat, int indices[SHAPE_MAX_RANK]);
size_t shape_flat(const Shape *shape, const int indices[SHAPE_MAX_RANK]);

#endif
