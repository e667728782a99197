// model_size.c - what a model takes: parameters, memory and arithmetic, from its configuration
// alone.
#include "engine/training/model_size.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tape/tape_cost.h"

// ---- parts

// "encoder.layers.0.norm1.weight" is of "encoder.layers.norm" in layer 0; what is in no layer is of
// all but its last word. Gives the layer, 0 where there is none.
static int part_of(const char *parameter, char name[MODEL_SIZE_NAME]) {
    const char *number = parameter;
    while (*number != '\0' && !isdigit((unsigned char)*number)) {
        number += strcspn(number, ".");
        number += *number == '.';
    }
    if (*number == '\0') {
        const char *last = strrchr(parameter, '.');
        int length = last == NULL ? (int)strlen(parameter) : (int)(last - parameter);
        snprintf(name, MODEL_SIZE_NAME, "%.*s", length, parameter);
        return 0;
    }
    char *word = NULL;
    int layer = (int)strtol(number, &word, 10);
    word += *word == '.';
    size_t n = strcspn(word, ".");
    while (n > 1 && (isdigit((unsigned char)word[n - 1]) || word[n - 1] == '_')) {
        n--;
    }
    snprintf(name, MODEL_SIZE_NAME, "%.*s%.*s", (int)(number - parameter), parameter, (int)n, word);
    return layer;
}

static ModelPart *find_part(ModelSize *size, const char *name) {
    for (int i = 0; i < size->n_parts; i++) {
        if (strcmp(size->parts[i].name, name) == 0) {
            return &size->parts[i];
        }
    }
    assert(size->n_parts < MODEL_SIZE_PARTS);
    ModelPart *part = &size->parts[size->n_parts++];
    snprintf(part->name, sizeof part->name, "%s", name);
    return part;
}

static void count_parts(ModelSize *size, const Params *params) {
    for (int i = 0; i < params->count; i++) {
        char name[MODEL_SIZE_NAME];
        int layer = part_of(params->items[i].name, name);
        ModelPart *part = find_part(size, name);
        part->n_layers = part->n_layers > layer ? part->n_layers : layer + 1;
        part->n_parameters += shape_count(&params->items[i].shape);
    }
}

// ---- one pass and one step

// Parameters are declared by building the tape of a pass; they are never allocated.
static bool plan_pass(ModelSize *size, const ModelConfig *config, Error *err) {
    ModelTape built;
    Model model = {.config = *config};
    bool ok = model_tape_build(&built, &model, TAPE_INFER, NULL, size->shape, TAPE_LOGITS, err) &&
              tape_lay_out(&built.tape, err);
    if (ok) {
        size->inference_bytes = size->memory.parameters + built.tape.block_bytes;
        size->forward_flops = tape_product_flops(&built.tape);
        count_parts(size, &model.params);
    }
    model_tape_free(&built);
    model_free(&model);
    return ok;
}

BatchShape model_size_shape(const ModelConfig *config, const TrainingConfig *training) {
    int length = config->n_positions > 0 ? config->n_positions : 64;
    BatchShape shape = {.B = 1, .T = length};
    if (training != NULL) {
        shape = (BatchShape){.B = training->batch, .T = training->length};
    }
    shape.S = config_has_two_sides(config) ? shape.T : 0;
    return shape;
}

bool model_size_count(ModelSize *size, const ModelConfig *config, BatchShape shape, Error *err) {
    *size = (ModelSize){.shape = shape};
    TrainerOptions options = {.batch = shape.B, .accumulate = 1};
    return trainer_plan_memory(config, &options, shape, &size->memory, &size->n_parameters,
                               &size->step_flops, err) &&
           plan_pass(size, config, err);
}

size_t model_size_tokens(const ModelSize *size) {
    return (size_t)size->shape.B * ((size_t)size->shape.T + (size_t)size->shape.S);
}

bool model_size_find(const ModelSize *size, const char *name, double *value) {
    const struct {
        const char *name;
        double value;
    } NUMBERS[] = {
        {"parameters", (double)size->n_parameters},
        {"weights", (double)size->memory.parameters},
        {"gradients", (double)size->memory.gradients},
        {"optimizer", (double)size->memory.optimizer},
        {"activations", (double)size->memory.tape},
        {"batch", (double)size->memory.batch},
        {"training", (double)size->memory.total},
        {"running", (double)size->inference_bytes},
        {"pass", size->forward_flops},
        {"step", size->step_flops},
    };
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        if (strcmp(NUMBERS[i].name, name) == 0) {
            *value = NUMBERS[i].value;
            return true;
        }
    }
    for (int i = 0; i < size->n_parts; i++) {
        if (strcmp(size->parts[i].name, name) == 0) {
            *value = (double)size->parts[i].n_parameters;
            return true;
        }
    }
    return false;
}
