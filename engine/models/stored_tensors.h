// stored_tensors.h - what a weights file holds beside a model's parameters: used, or named.
#ifndef ENGINE_MODELS_STORED_TENSORS_H
#define ENGINE_MODELS_STORED_TENSORS_H

#include "engine/base/buffer.h"
#include "engine/files/safetensors.h"
#include "engine/models/config.h"
#include "engine/tape/params.h"

// The name under which the file has a parameter: GPT-2's own files leave "transformer." out.
const char *stored_tensor_name(const Safetensors *file, const char *name);

// Whether both are there with other sizes or other numbers.
bool stored_tensors_differ(const Safetensors *file, const char *a, const char *b);

// Appends a sentence to notes that names the tensors which no parameter is read from, but those
// that the family knows to have no effect. Nothing where all are used.
void stored_tensors_name_unused(const Safetensors *file, const ModelConfig *config,
                                const Params *params, Buffer *notes);

#endif
