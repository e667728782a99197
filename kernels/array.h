// array.h - numbers in a device's memory, and how each of them is kept.
#ifndef KERNELS_ARRAY_H
#define KERNELS_ARRAY_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Format {
    FORMAT_F32,
    FORMAT_I32, // ids
} Format;

// Borrowed; data NULL: there is none.
typedef struct Array {
    void *data;
    Format format;
} Array;

static inline size_t format_bytes(Format format) {
    switch (format) {
    case FORMAT_F32:
        return sizeof(float);
    case FORMAT_I32:
        return sizeof(int32_t);
    }
    return 0;
}

static inline Array array_none(void) {
    return (Array){NULL, FORMAT_F32};
}

static inline Array array_of(float *values) {
    return (Array){values, FORMAT_F32};
}

static inline Array array_of_ids(int32_t *ids) {
    return (Array){ids, FORMAT_I32};
}

// The numbers from that element on.
static inline Array array_at(Array array, size_t element) {
    return (Array){(char *)array.data + element * format_bytes(array.format), array.format};
}

// For who may touch the device's memory and knows what is in it.
static inline float *array_floats(Array array) {
    assert(array.data == NULL || array.format == FORMAT_F32);
    return array.data;
}

static inline int32_t *array_ids(Array array) {
    assert(array.data == NULL || array.format == FORMAT_I32);
    return array.data;
}

#endif
