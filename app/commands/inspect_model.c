// inspect_model.c - what a model costs: parameters, memory, arithmetic, as text and JSON.
#include "app/commands/inspect_model.h"

#include "engine/files/json_text.h"

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

void inspect_model_write_text(FileWriter *out, const ModelSize *size) {
    const BatchShape *shape = &size->shape;
    file_writer_print(out, "\nmodel\n  %-12s  %zu\n", "parameters", size->n_parameters);
    write_bytes(out, "weights", size->memory.parameters, "as float32");
    write_bytes(out, "to run", size->inference_bytes, "weights and one pass");
    write_bytes(out, "to train", size->memory.total,
                "weights, gradients, AdamW's two moments and one step");
    file_writer_print(out, "  %-12s  %.4g in a pass, %.4g in a training step\n", "FLOPs",
                      size->forward_flops, size->step_flops);
    file_writer_print(out, "  %-12s  %d × %d tokens", "counted for", shape->B, shape->T);
    file_writer_print(out, shape->S > 0 ? " from %d × %d\n" : "\n", shape->B, shape->S);
}

void inspect_model_write_json(FileWriter *out, const ModelSize *size) {
    file_writer_print(out,
                      ",\"model\":{\"parameters\":%zu,\"weight_bytes\":%zu,\"run_bytes\":%zu,"
                      "\"train_bytes\":%zu,\"forward_flops\":%.17g,\"step_flops\":%.17g,"
                      "\"batch\":%d,\"length\":%d}",
                      size->n_parameters, size->memory.parameters, size->inference_bytes,
                      size->memory.total, size->forward_flops, size->step_flops, size->shape.B,
                      size->shape.T);
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
                              const ModelSize *size) {
    file_writer_print(out, "%s: %s\n\nfamily %s, vocabulary %d, width %d, %d head%s, %d layer%s\n",
                      preset->name, preset->summary, config_family_name(preset->config.family),
                      preset->config.vocab_size, preset->config.d_model, preset->config.n_heads,
                      preset->config.n_heads == 1 ? "" : "s", preset->config.n_layers,
                      preset->config.n_layers == 1 ? "" : "s");
    for (int i = 0; i < preset->n_words; i++) {
        file_writer_print(out, "%s%s", i == 0 ? "words: " : " ", preset->words[i]);
    }
    file_writer_text(out, preset->n_words > 0 ? "\n" : "");
    inspect_model_write_text(out, size);
    file_writer_text(out, "\nparameters\n");
    write_parameters(out, &declared->params, false);
}

static void write_preset_json(FileWriter *out, const Preset *preset, const Model *declared,
                              const ModelSize *size) {
    file_writer_print(out, "{\"kind\":\"preset\",\"name\":\"%s\",\"summary\":", preset->name);
    json_text_write_string(out, preset->summary);
    file_writer_text(out, ",\"config\":");
    config_write(&preset->config, out);
    inspect_model_write_json(out, size);
    file_writer_text(out, ",\"parameters\":[");
    write_parameters(out, &declared->params, true);
    file_writer_text(out, "]}\n");
}

bool inspect_model_write_preset(FileWriter *out, const char *name, bool as_json, Error *err) {
    Preset preset;
    if (!preset_load(&preset, name, err)) {
        return false;
    }
    ModelSize size;
    ModelTape built = {.nodes = {.source = NULL}};
    Model declared = {.config = preset.config}; // its parameters, by building a tape
    bool ok = model_size_count(&size, &preset.config,
                               model_size_shape(&preset.config, &preset.training), err) &&
              model_tape_build(&built, &declared, TAPE_INFER, NULL, (BatchShape){1, 1, 1},
                               TAPE_LOGITS, err);
    if (ok && as_json) {
        write_preset_json(out, &preset, &declared, &size);
    } else if (ok) {
        write_preset_text(out, &preset, &declared, &size);
    }
    model_tape_free(&built);
    model_free(&declared);
    preset_free(&preset);
    return ok;
}
