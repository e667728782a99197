// stored_tensors.c - what a weights file holds beside a model's parameters: used, or named.
#include "engine/models/stored_tensors.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/plural.h"
#include "engine/models/family.h"

enum { MOST_NAMED = 8 };

const char *stored_tensor_name(const Safetensors *file, const char *name) {
    static const char PREFIX[] = "transformer.";
    size_t length = sizeof PREFIX - 1;
    if (safetensors_find(file, name) == NULL && strncmp(name, PREFIX, length) == 0 &&
        safetensors_find(file, name + length) != NULL) {
        return name + length;
    }
    return name;
}

static bool numbers_differ(const StoredTensor *a, const StoredTensor *b) {
    if (a->dtype == b->dtype) {
        return a->size_bytes != b->size_bytes || memcmp(a->bytes, b->bytes, a->size_bytes) != 0;
    }
    bool differ = !dtype_is_float(a->dtype) || !dtype_is_float(b->dtype);
    for (size_t i = 0; !differ && i < a->count; i++) {
        float left = 0.0F;
        float right = 0.0F;
        tensor_data_to_floats(&left, a->bytes + i * dtype_bytes(a->dtype), a->dtype, 1);
        tensor_data_to_floats(&right, b->bytes + i * dtype_bytes(b->dtype), b->dtype, 1);
        differ = left != right;
    }
    return differ;
}

bool stored_tensors_differ(const Safetensors *file, const char *a, const char *b) {
    const StoredTensor *left = safetensors_find(file, a);
    const StoredTensor *right = safetensors_find(file, b);
    if (left == NULL || right == NULL) {
        return false;
    }
    bool same_sizes =
        left->rank == right->rank &&
        memcmp(left->sizes, right->sizes, (size_t)left->rank * sizeof left->sizes[0]) == 0;
    return !same_sizes || numbers_differ(left, right);
}

static bool is_read(const Safetensors *file, const Params *params, const char *name) {
    for (int i = 0; i < params->count; i++) {
        if (strcmp(stored_tensor_name(file, params->items[i].name), name) == 0) {
            return true;
        }
    }
    return false;
}

void stored_tensors_name_unused(const Safetensors *file, const ModelConfig *config,
                                const Params *params, Buffer *notes) {
    const Family *family = family_of(config);
    Buffer names = {0};
    int n = 0;
    for (int i = 0; i < file->n_tensors; i++) {
        const char *name = file->tensors[i].name;
        bool is_idle = family->is_idle != NULL && family->is_idle(config, file, name);
        if (is_idle || is_read(file, params, name)) {
            continue;
        }
        if (n++ < MOST_NAMED) {
            char shown[FILE_NAME_TEXT_BYTES];
            buffer_format(&names, "%s%s", n == 1 ? "" : ", ", file_shown(name, shown));
        }
    }
    if (n > 0) {
        char path[FILE_NAME_TEXT_BYTES];
        buffer_format(notes, "%s: %d tensor%s not used: %s", file_shown(file->path, path), n,
                      n == 1 ? " is" : "s are", names.bytes);
        if (n > MOST_NAMED) {
            buffer_format(notes, " and %d more", n - MOST_NAMED);
        }
        buffer_append_text(notes, "\n");
    }
    buffer_free(&names);
}
