// inspect_model.c - what a model costs: parameters, memory, arithmetic, from its configuration
// alone.
#include "app/commands/inspect_model.h"

#include "engine/files/json_text.h"
#include "engine/tape/tape_cost.h"
#include "engine/training/trainer.h"

// The tape of one forward pass. Its parameters are declared by building it; they are never
// allocated.
static bool plan_inference(Model *model, const ModelConfig *config, BatchShape shape,
                           size_t *tape_bytes, double *flops, Error *err) {
    ModelTape built;
    *model = (Model){.config = *config};
    bool ok = model_tape_build(&built, model, TAPE_INFER, NULL, shape, TAPE_LOGITS, err);
    if (ok) {
        ok = tape_lay_out(&built.tape, err);
        *tape_bytes = built.tape.block_bytes;
        *flops = tape_product_flops(&built.tape);
        model_tape_free(&built);
    }
    return ok;
}

static BatchShape shape_of(const ModelConfig *config, const TrainingConfig *training) {
    int length = config->n_positions > 0 ? config->n_positions : 64;
    BatchShape shape = {.B = 1, .T = length};
    if (training != NULL) {
        shape = (BatchShape){.B = training->batch, .T = training->length};
    }
    shape.S = config_has_two_sides(config) ? shape.T : 0;
    return shape;
}

bool inspect_model_costs(ModelCosts *costs, const ModelConfig *config,
                         const TrainingConfig *training, Error *err) {
    *costs = (ModelCosts){.shape = shape_of(config, training)};
    TrainerOptions options = {.batch = costs->shape.B, .accumulate = 1};
    TrainerMemory memory;
    Model model;
    size_t tape_bytes = 0;
    bool ok = trainer_plan_memory(config, &options, costs->shape, &memory, &costs->n_parameters,
                                  &costs->step_flops, err) &&
              plan_inference(&model, config, costs->shape, &tape_bytes, &costs->forward_flops, err);
    if (ok) {
        costs->weight_bytes = memory.parameters;
        costs->training_bytes = memory.total;
        costs->inference_bytes = memory.parameters + tape_bytes;
        model_free(&model);
    }
    return ok;
}

static void write_bytes(FileWriter *out, const char *name, size_t size_bytes, const char *what) {
    static const char *const UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)size_bytes;
    size_t unit = 0;
    while (size >= 1024.0 && unit + 1 < sizeof UNITS / sizeof UNITS[0]) {
        size /= 1024.0;
        unit++;
    }
    file_writer_print(out, "  %-12s  %.4g %s, %s\n", name, size, UNITS[unit], what);
}

void inspect_model_write_text(FileWriter *out, const ModelCosts *costs) {
    const BatchShape *shape = &costs->shape;
    file_writer_print(out, "\nmodel\n  %-12s  %zu\n", "parameters", costs->n_parameters);
    write_bytes(out, "weights", costs->weight_bytes, "as float32");
    write_bytes(out, "to run", costs->inference_bytes, "weights and one pass");
    write_bytes(out, "to train", costs->training_bytes,
                "weights, gradients, AdamW's two moments and one step");
    file_writer_print(out, "  %-12s  %.4g in a pass, %.4g in a training step\n", "FLOPs",
                      costs->forward_flops, costs->step_flops);
    file_writer_print(out, "  %-12s  %d × %d tokens", "counted for", shape->B, shape->T);
    file_writer_print(out, shape->S > 0 ? " from %d × %d\n" : "\n", shape->B, shape->S);
}

void inspect_model_write_json(FileWriter *out, const ModelCosts *costs) {
    file_writer_print(out,
                      ",\"model\":{\"parameters\":%zu,\"weight_bytes\":%zu,\"run_bytes\":%zu,"
                      "\"train_bytes\":%zu,\"forward_flops\":%.17g,\"step_flops\":%.17g,"
                      "\"batch\":%d,\"length\":%d}",
                      costs->n_parameters, costs->weight_bytes, costs->inference_bytes,
                      costs->training_bytes, costs->forward_flops, costs->step_flops,
                      costs->shape.B, costs->shape.T);
}

// ---- presets

static void write_parameters(FileWriter *out, const Params *params, bool as_json) {
    for (int i = 0; i < params->count; i++) {
        const Parameter *parameter = &params->items[i];
        char sizes[SHAPE_TEXT_BYTES];
        char axes[SHAPE_TEXT_BYTES];
        shape_sizes_text(&parameter->shape, sizes);
        shape_axes_text(&parameter->shape, axes);
        if (as_json) {
            file_writer_print(out, "%s\n{\"name\":\"%s\",\"shape\":\"%s\",\"numbers\":%zu}",
                              i == 0 ? "" : ",", parameter->name, sizes,
                              shape_count(&parameter->shape));
        } else {
            file_writer_print(out, "  %-48s %-14s %-8s %10zu\n", parameter->name, sizes, axes,
                              shape_count(&parameter->shape));
        }
    }
}

static void write_preset_text(FileWriter *out, const Preset *preset, const Model *declared,
                              const ModelCosts *costs) {
    file_writer_print(out, "%s: %s\n\nfamily %s, vocabulary %d, width %d, %d head%s, %d layer%s\n",
                      preset->name, preset->summary, config_family_name(preset->config.family),
                      preset->config.vocab_size, preset->config.d_model, preset->config.n_heads,
                      preset->config.n_heads == 1 ? "" : "s", preset->config.n_layers,
                      preset->config.n_layers == 1 ? "" : "s");
    for (int i = 0; i < preset->n_words; i++) {
        file_writer_print(out, "%s%s", i == 0 ? "words: " : " ", preset->words[i]);
    }
    file_writer_text(out, preset->n_words > 0 ? "\n" : "");
    inspect_model_write_text(out, costs);
    file_writer_text(out, "\nparameters\n");
    write_parameters(out, &declared->params, false);
}

static void write_preset_json(FileWriter *out, const Preset *preset, const Model *declared,
                              const ModelCosts *costs) {
    file_writer_print(out, "{\"kind\":\"preset\",\"name\":\"%s\",\"summary\":", preset->name);
    json_text_write_string(out, preset->summary);
    file_writer_text(out, ",\"config\":");
    config_write(&preset->config, out);
    inspect_model_write_json(out, costs);
    file_writer_text(out, ",\"parameters\":[");
    write_parameters(out, &declared->params, true);
    file_writer_text(out, "]}\n");
}

bool inspect_model_write_preset(FileWriter *out, const char *name, bool as_json, Error *err) {
    Preset preset;
    if (!preset_load(&preset, name, err)) {
        return false;
    }
    ModelCosts costs;
    Model declared = {.seed = 0};
    size_t tape_bytes = 0;
    double flops = 0.0;
    bool ok =
        inspect_model_costs(&costs, &preset.config, &preset.training, err) &&
        plan_inference(&declared, &preset.config, (BatchShape){1, 1, 1}, &tape_bytes, &flops, err);
    if (ok && as_json) {
        write_preset_json(out, &preset, &declared, &costs);
    } else if (ok) {
        write_preset_text(out, &preset, &declared, &costs);
    }
    model_free(&declared);
    preset_free(&preset);
    return ok;
}
