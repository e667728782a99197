// trace_output.c - the stages of a run written in each format.
#include "app/commands/trace_output.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/family.h"
#include "engine/files/json_text.h"
#include "engine/files/npy.h"
#include "engine/files/safetensors.h"
#include "views/sentences.h"
#include "views/tensor_text.h"

bool trace_output_find_format(const char *name, TraceFormat *format, Error *err) {
    static const char *const NAMES[] = {"text", "json", "safetensors", "npy"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *format = (TraceFormat)i;
            return true;
        }
    }
    return error_set(err, "--format: expected text, json, safetensors or npy, found \"%s\"", name);
}

static const char *token_text(const void *context, int32_t id, char *text, size_t size) {
    return model_input_token(context, id, text, size);
}

static void write_text(const TraceOutput *output, FileWriter *out) {
    const Tape *tape = &output->opened->built.tape;
    TensorLabels labels = {tape, &output->opened->built.nodes, token_text, output->opened};
    const NamedModel *named = &output->opened->named;
    if (family_of(&named->model.config)->fit != NULL) {
        file_writer_print(out, "%s, fitted to these points\n\n", named->name);
    } else if (!named->is_trained) {
        file_writer_print(out, "%s, untrained, seed %llu\n\n", named->name,
                          (unsigned long long)named->model.seed);
    } else {
        file_writer_print(out, "%s, trained\n\n", named->name);
    }
    for (int i = 0; i < output->n_nodes; i++) {
        const Node *node = output->nodes[i];
        tensor_text_head(out, node, LANGUAGE_EN);
        if (output->is_whole || shape_count(&node->shape) <= TENSOR_TEXT_WHOLE) {
            tensor_text_numbers(out, node, &labels);
        } else {
            tensor_text_summary(out, tape, node);
        }
        file_writer_text(out, "\n");
    }
}

// Shape as it stands in a file: a single number has one axis of size 1.
static Shape stored_shape(const Node *node) {
    return shape_rank(&node->shape) == 0 ? (Shape){"C", {1}} : node->shape;
}

static void write_json_value(FileWriter *out, const Tape *tape, const Node *node, size_t element) {
    if (node_holds_ids(node)) {
        file_writer_print(out, "%d", tape_ids(tape, node)[element]);
    } else {
        json_text_write_float(out, tape_values(tape, node)[element]);
    }
}

// Nested as the axes are.
static void write_json_data(FileWriter *out, const Tape *tape, const Node *node,
                            const Shape *shape) {
    int rank = shape_rank(shape);
    size_t count = shape_count(shape);
    for (size_t element = 0; element < count; element++) {
        size_t block = 1;
        for (int axis = rank - 1; axis >= 0; axis--) {
            block *= (size_t)shape->sizes[axis];
            assert(block > 0);
            file_writer_text(out, element % block == 0 ? "[" : "");
        }
        write_json_value(out, tape, node, element);
        block = 1;
        for (int axis = rank - 1; axis >= 0; axis--) {
            block *= (size_t)shape->sizes[axis];
            assert(block > 0);
            file_writer_text(out, (element + 1) % block == 0 ? "]" : "");
        }
        file_writer_text(out, element + 1 < count ? "," : "");
    }
}

static void write_json_stage(FileWriter *out, const Tape *tape, const Node *node) {
    Shape shape = stored_shape(node);
    file_writer_text(out, "{\"name\":");
    json_text_write_string(out, node->stage);
    file_writer_text(out, ",\"shape\":[");
    for (int i = 0; i < shape_rank(&shape); i++) {
        file_writer_print(out, "%s%d", i == 0 ? "" : ",", shape.sizes[i]);
    }
    file_writer_text(out, "],\"axes\":[");
    for (int i = 0; i < shape_rank(&node->shape); i++) {
        char name[4];
        shape_axis_name(&node->shape, i, name);
        file_writer_print(out, "%s\"%s\"", i == 0 ? "" : ",", name);
    }
    file_writer_text(out, "],\"data\":");
    write_json_data(out, tape, node, &shape);
    file_writer_text(out, "}");
}

static void write_json(const TraceOutput *output, FileWriter *out) {
    const NamedModel *named = &output->opened->named;
    file_writer_text(out, "{\"model\":");
    json_text_write_string(out, named->name);
    file_writer_print(out, ",\"trained\":%s,\"seed\":%llu,\"stages\":[\n",
                      named->is_trained ? "true" : "false", (unsigned long long)named->model.seed);
    for (int i = 0; i < output->n_nodes; i++) {
        write_json_stage(out, &output->opened->built.tape, output->nodes[i]);
        file_writer_text(out, i + 1 < output->n_nodes ? ",\n" : "\n");
    }
    file_writer_text(out, "]}\n");
}

static bool write_lines(const TraceOutput *output, TraceFormat format, Error *err) {
    FileWriter writer = {0};
    if (!file_writer_open(&writer, output->path, err)) {
        return false;
    }
    if (format == TRACE_JSON) {
        write_json(output, &writer);
    } else {
        write_text(output, &writer);
    }
    return file_writer_commit(&writer, err);
}

static bool write_npy(const TraceOutput *output, const NamedTensor *tensors, Error *err) {
    bool is_folder =
        strcmp(output->path, "-") != 0 && (output->n_nodes > 1 || file_is_folder(output->path) ||
                                           output->path[strlen(output->path) - 1] == '/');
    if (is_folder) {
        return npy_save_folder(output->path, tensors, output->n_nodes, err);
    }
    if (output->n_nodes != 1) {
        return error_set(
            err, "npy holds one stage and %d are asked for: expected --stage NAME, or -o FOLDER",
            output->n_nodes);
    }
    return npy_save(output->path, &tensors[0], err);
}

static bool write_tensors(const TraceOutput *output, TraceFormat format, Error *err) {
    NamedTensor *tensors = calloc((size_t)output->n_nodes + 1, sizeof *tensors);
    if (tensors == NULL) {
        return error_set(err, "out of memory");
    }
    const Tape *tape = &output->opened->built.tape;
    for (int i = 0; i < output->n_nodes; i++) {
        const Node *node = output->nodes[i];
        Shape shape = stored_shape(node);
        bool is_int = node_holds_ids(node);
        tensors[i] = tensor_data_named(node->stage, &shape, is_int ? DTYPE_I32 : DTYPE_F32,
                                       is_int ? (const void *)tape_ids(tape, node)
                                              : (const void *)tape_values(tape, node));
    }
    bool ok = format == TRACE_NPY
                  ? write_npy(output, tensors, err)
                  : safetensors_save(output->path, tensors, output->n_nodes, NULL, 0, err);
    free(tensors);
    return ok;
}

bool trace_output_write(const TraceOutput *output, TraceFormat format, Error *err) {
    switch (format) {
    case TRACE_TEXT:
    case TRACE_JSON:
        return write_lines(output, format, err);
    case TRACE_SAFETENSORS:
    case TRACE_NPY:
        return write_tensors(output, format, err);
    }
    return false;
}
