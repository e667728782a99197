// support_node.h - a node's numbers where they lie, for tests that read and set them on the CPU.
#ifndef TESTS_SUPPORT_NODE_H
#define TESTS_SUPPORT_NODE_H

#include "engine/tape/tape.h"

static inline float *support_numbers(const Node *node) {
    return node->array.data; // the bits of ids, too
}

static inline int32_t *support_ids(const Node *node) {
    return array_ids(node->array);
}

static inline float *support_saved(const Node *node) {
    return array_floats(node->saved);
}

#endif
