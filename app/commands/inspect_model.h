// inspect_model.h - what a model costs: parameters, memory, arithmetic, as text and JSON.
#ifndef APP_COMMANDS_INSPECT_MODEL_H
#define APP_COMMANDS_INSPECT_MODEL_H

#include "engine/training/model_size.h"

// The lines under "model", and the same as members of a JSON object (each with a comma in front).
void inspect_model_write_text(FileWriter *out, const ModelSize *size);
void inspect_model_write_json(FileWriter *out, const ModelSize *size);

// A preset: what it is, its words, parameters with shapes, costs.
bool inspect_model_write_preset(FileWriter *out, const char *name, bool as_json, Error *err);

#endif
