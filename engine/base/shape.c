// shape.c - the sizes of a tensor and the letters of its axes, outermost first.
#include "engine/base/shape.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool shape_equal(const Shape *a, const Shape *b) {
    int rank = shape_rank(a);
    return rank == shape_rank(b) &&
           memcmp(a->sizes, b->sizes, (size_t)rank * sizeof a->sizes[0]) == 0;
}

void shape_axis_name(const Shape *shape, int axis, char name[4]) {
    const char *at = shape->axes;
    for (int i = 0; i < axis; i++) {
        while (shape_is_prefix(*at)) {
            at++;
        }
        at++;
    }
    int length = 0;
    while (length < 2 && shape_is_prefix(at[length])) {
        length++;
    }
    memcpy(name, at, (size_t)length + 1);
    name[length + 1] = '\0';
}

int shape_find_axis(const Shape *shape, char letter) {
    int rank = shape_rank(shape);
    for (int axis = 0; axis < rank; axis++) {
        char name[4];
        shape_axis_name(shape, axis, name);
        if (name[0] == letter && name[1] == '\0') {
            return axis;
        }
    }
    return -1;
}

Shape shape_append(const Shape *shape, const char *axis, int size) {
    Shape longer = *shape;
    int rank = shape_rank(shape);
    size_t length = strlen(longer.axes);
    assert(rank < SHAPE_MAX_RANK && length + strlen(axis) < sizeof longer.axes);
    memcpy(longer.axes + length, axis, strlen(axis) + 1);
    longer.sizes[rank] = size;
    return longer;
}

Shape shape_without_last(const Shape *shape) {
    Shape shorter = *shape;
    int rank = shape_rank(shape);
    assert(rank > 0);
    size_t length = strlen(shorter.axes) - 1;
    while (length > 0 && shape_is_prefix(shorter.axes[length - 1])) {
        length--;
    }
    shorter.axes[length] = '\0';
    shorter.sizes[rank - 1] = 0;
    return shorter;
}

const char *shape_sizes_text(const Shape *shape, char text[SHAPE_TEXT_BYTES]) {
    int rank = shape_rank(shape);
    int length = snprintf(text, SHAPE_TEXT_BYTES, "(");
    for (int i = 0; i < rank; i++) {
        length += snprintf(text + length, SHAPE_TEXT_BYTES - (size_t)length, i == 0 ? "%d" : ",%d",
                           shape->sizes[i]);
    }
    snprintf(text + length, SHAPE_TEXT_BYTES - (size_t)length, ")");
    return text;
}

const char *shape_axes_text(const Shape *shape, char text[SHAPE_TEXT_BYTES]) {
    int rank = shape_rank(shape);
    int length = snprintf(text, SHAPE_TEXT_BYTES, "(");
    for (int i = 0; i < rank; i++) {
        char name[4];
        shape_axis_name(shape, i, name);
        length +=
            snprintf(text + length, SHAPE_TEXT_BYTES - (size_t)length, i == 0 ? "%s" : ",%s", name);
    }
    snprintf(text + length, SHAPE_TEXT_BYTES - (size_t)length, ")");
    return text;
}

static const char *skip_spaces(const char *text) {
    return text + strspn(text, " ");
}

bool shape_read_indices(const Shape *shape, const char *text, int indices[SHAPE_MAX_RANK],
                        Error *err) {
    char sizes[SHAPE_TEXT_BYTES];
    shape_sizes_text(shape, sizes);
    const int rank = shape_rank(shape);
    const char *at = skip_spaces(text[0] == '[' ? text + 1 : text);
    int count = 0;
    while (text[0] == '[' && (*at != ']' || count > 0)) {
        char *end = NULL;
        long index = strtol(at, &end, 10);
        const char *sign = skip_spaces(end);
        if (end == at || (*sign != ',' && *sign != ']')) {
            return error_set(err, "expected whole numbers with commas between, found \"%s\"", text);
        }
        if (count == rank || index < 0 || index >= shape->sizes[count]) {
            return error_set(err, "of shape %s: index %d, \"%s\", is outside it", sizes, count, at);
        }
        indices[count++] = (int)index;
        at = skip_spaces(sign + (*sign == ','));
        if (*sign == ']') {
            break;
        }
    }
    if (count != rank) {
        return error_set(err, "of shape %s: expected %d %s, found %d", sizes, rank,
                         rank == 1 ? "index" : "indices", count);
    }
    return (*at == ']' && at[1] == '\0') || *text == '\0' ||
           error_set(err, "expected \"[\", indices and a last \"]\", found \"%s\"", text);
}

void shape_indices(const Shape *shape, size_t flat, int indices[SHAPE_MAX_RANK]) {
    memset(indices, 0, SHAPE_MAX_RANK * sizeof indices[0]);
    for (int i = shape_rank(shape) - 1; i >= 0; i--) {
        indices[i] = (int)(flat % (size_t)shape->sizes[i]);
        flat /= (size_t)shape->sizes[i];
    }
}

size_t shape_flat(const Shape *shape, const int indices[SHAPE_MAX_RANK]) {
    size_t flat = 0;
    int rank = shape_rank(shape);
    for (int i = 0; i < rank; i++) {
        flat = flat * (size_t)shape->sizes[i] + (size_t)indices[i];
    }
    return flat;
}
