// cmd_learn.c - `attend learn`: the walk through "dog run" as plain text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/model_input.h"
#include "app/stages.h"
#include "views/sentences.h"
#include "views/tensor_text.h"

static const char *token_text(const void *context, int32_t id, char *text, size_t size) {
    return model_input_token(context, id, text, size);
}

static void write_stage(FileWriter *out, const Node *node, int step, int n_steps,
                        const TensorLabels *labels) {
    file_writer_print(out, "step %d of %d\n", step, n_steps);
    tensor_text_head(out, node);
    file_writer_print(out, "  %s\n", sentence_for_node(node, LANGUAGE_EN));
    if (shape_count(&node->shape) <= TENSOR_TEXT_WHOLE) {
        tensor_text_numbers(out, node, labels);
    } else {
        tensor_text_summary(out, node);
    }
    file_writer_text(out, "\n");
}

static bool walk(OpenModel *opened, Error *err) {
    const Tape *tape = &opened->built.tape;
    FileWriter out = {0};
    Node **nodes = calloc((size_t)tape->n_nodes + 1, sizeof(Node *));
    if (nodes == NULL || !file_writer_open(&out, "-", err)) {
        free(nodes);
        return error_set(err, "out of memory");
    }
    const StagePatterns all = {.count = 0};
    int n_nodes = stages_select(tape, &all, true, nodes);
    TensorLabels labels = {&opened->built.nodes, token_text, opened};
    file_writer_print(&out,
                      "13 The whole Transformer: \"dog run\" and \"cat sleep\" through %s\n\n",
                      opened->named.name);
    for (int i = 0; i < n_nodes; i++) {
        write_stage(&out, nodes[i], i + 1, n_nodes, &labels);
    }
    free(nodes);
    return file_writer_commit(&out, err);
}

int app_learn(int argc, char **argv) {
    Error err = {""};
    if (argc > 1 && strcmp(argv[1], "13") != 0) {
        error_set(&err, "\"%s\": no such lesson; there is 13, the whole Transformer", argv[1]);
        return app_wrong("learn", &err);
    }
    ModelInput input = {.model = "toy-copy", .ids = "1,5,4;1,3,6"};
    OpenModel opened;
    if (!model_input_open(&opened, &input, TAPE_WATCH, TAPE_GRADIENTS, &err)) {
        return app_failed("learn", &err);
    }
    model_input_run(&opened);
    bool ok = walk(&opened, &err);
    model_input_close(&opened);
    return ok ? APP_OK : app_failed("learn", &err);
}
