// llmc.h - GPT-2 checkpoints of llm.c: 256 int32 of header, then the tensors, one kind after the
// other.
//
// Header: 20240326, version (3: float32, 5: bfloat16), positions, vocabulary, layers, heads,
// channels, rows of the token table (the vocabulary rounded up to a multiple of 128). Tensors:
// wte, wpe, then of all layers ln_1 weight, ln_1 bias, c_attn weight, bias, c_proj weight, bias,
// ln_2 weight, bias, c_fc weight, bias, c_proj weight, bias; ln_f weight, bias. Weights of products
// are (out, in), the head is the token table. Little-endian.
#ifndef ENGINE_MODELS_LLMC_H
#define ENGINE_MODELS_LLMC_H

#include "engine/files/inspect_file.h"
#include "engine/files/tensor_data.h"
#include "engine/models/model.h"

// True where the file begins as such a checkpoint does.
bool llmc_recognize(const char *path);

// A GPT-2 from path. The header is checked against the file's size first; rows of the table past
// the vocabulary are left out. On failure the model is left as after model_free.
bool llmc_load(Model *model, const char *path, Error *err);

// What is in such a file, each kind of tensor of all layers as one, and the model that it is of.
// The numbers are not read. On failure file is left as after inspect_file_close.
bool llmc_inspect(InspectFile *file, ModelConfig *config, const char *path, Error *err);

// Writes version 3 (DTYPE_F32) or 5 (DTYPE_BF16), whole or not at all. Fails where the model is no
// GPT-2 of the form that llm.c knows: tied head, feed-forward four times the channels.
bool llmc_save(const Model *model, const char *path, Dtype dtype, Error *err);

#endif
