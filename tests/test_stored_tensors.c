// test_stored_tensors.c - what a weights file holds beside the parameters is used or named: a head
// of its own, tensors of other models, layers that the configuration does not count.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/files/safetensors.h"
#include "engine/models/model.h"
#include "tests/folder.h"

enum { V = 5, C = 4, N_TENSORS = 24 };

static const char CONFIG[] = "{\"model_type\": \"gpt2\", \"vocab_size\": 5, \"n_positions\": 3, "
                             "\"n_embd\": 4, \"n_head\": 1, "
                             "\"n_layer\": 1%s}";

typedef struct File {
    char names[N_TENSORS][64];
    float values[N_TENSORS][64];
    NamedTensor tensors[N_TENSORS];
    int n;
} File;

static void add(File *file, const char *name, const char *axes, int rows, int columns) {
    assert_true(file->n < N_TENSORS);
    float *values = file->values[file->n];
    snprintf(file->names[file->n], sizeof file->names[0], "%s", name);
    for (int i = 0; i < rows * columns; i++) {
        values[i] = 0.01F * (float)(i + file->n);
    }
    Shape shape = {"", {rows, columns}};
    snprintf(shape.axes, sizeof shape.axes, "%s", axes);
    if (axes[1] == '\0') {
        shape.sizes[0] = columns;
        shape.sizes[1] = 0;
    }
    file->tensors[file->n] = tensor_data_named(file->names[file->n], &shape, DTYPE_F32, values);
    file->n++;
}

// All parameters of the little GPT-2, with prefix before their names.
static void add_model(File *file, const char *prefix) {
    static const struct {
        const char *name, *axes;
        int rows, columns;
    } PARTS[] = {{"wte.weight", "VC", V, C},
                 {"wpe.weight", "TC", 3, C},
                 {"h.0.ln_1.weight", "C", 1, C},
                 {"h.0.ln_1.bias", "C", 1, C},
                 {"h.0.attn.c_attn.weight", "CF", C, 3 * C},
                 {"h.0.attn.c_attn.bias", "C", 1, 3 * C},
                 {"h.0.attn.c_proj.weight", "CF", C, C},
                 {"h.0.attn.c_proj.bias", "C", 1, C},
                 {"h.0.ln_2.weight", "C", 1, C},
                 {"h.0.ln_2.bias", "C", 1, C},
                 {"h.0.mlp.c_fc.weight", "CF", C, 4 * C},
                 {"h.0.mlp.c_fc.bias", "C", 1, 4 * C},
                 {"h.0.mlp.c_proj.weight", "CF", 4 * C, C},
                 {"h.0.mlp.c_proj.bias", "C", 1, C},
                 {"ln_f.weight", "C", 1, C},
                 {"ln_f.bias", "C", 1, C}};
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, PARTS[i].name);
        add(file, name, PARTS[i].axes, PARTS[i].rows, PARTS[i].columns);
    }
}

static void load(Model *model, const File *file, const char *extra) {
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES + 32];
    char config[512];
    Error err = {""};
    folder_make(folder);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    support_require(safetensors_save(path, file->tensors, file->n, NULL, 0, &err), &err);
    snprintf(path, sizeof path, "%s/config.json", folder);
    snprintf(config, sizeof config, CONFIG, extra);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(config, out);
    fclose(out);
    support_require(model_load(model, folder, &err), &err);
    folder_remove(folder);
}

static const char *notes_of(const Model *model) {
    return model->notes.length > 0 ? model->notes.bytes : "";
}

static void a_head_that_differs_from_the_table_is_kept(void **state) {
    (void)state;
    static const char *const SAYS[] = {"", ", \"tie_word_embeddings\": true"};
    for (int i = 0; i < 2; i++) {
        File *file = calloc(1, sizeof *file);
        Model model;
        add_model(file, "transformer.");
        add(file, "lm_head.weight", "VC", V, C);
        load(&model, file, SAYS[i]);
        assert_false(model.config.tie_embeddings);
        const Parameter *head = params_find(&model.params, "lm_head.weight");
        assert_non_null(head);
        assert_memory_equal(params_values(&model.params, head), file->values[file->n - 1],
                            V * C * sizeof(float));
        assert_non_null(strstr(
            notes_of(&model), "lm_head.weight differs from transformer.wte.weight: both are kept"));
        model_free(&model);
        free(file);
    }
}

static void a_head_that_is_the_table_is_tied_without_a_word(void **state) {
    (void)state;
    File *file = calloc(1, sizeof *file);
    Model model;
    add_model(file, "");
    add(file, "lm_head.weight", "VC", V, C);
    memcpy(file->values[file->n - 1], file->values[0], V * C * sizeof(float));
    add(file, "h.0.attn.bias", "TS", 3, 3); // the causal mask
    load(&model, file, "");
    assert_true(model.config.tie_embeddings);
    assert_string_equal(notes_of(&model), "");
    model_free(&model);
    free(file);
}

static void what_is_not_used_is_named(void **state) {
    (void)state;
    File *file = calloc(1, sizeof *file);
    Model model;
    add_model(file, "transformer.");
    add(file, "score.weight", "VC", 2, C);
    add(file, "transformer.h.1.ln_1.weight", "C", 1, C); // a layer beyond n_layer
    add(file, "wte.weight", "VC", V, C);                 // the name without its prefix as well
    add(file, "h.0.attn.c_attn.lora_A.weight", "VC", 2, C);
    load(&model, file, "");
    assert_non_null(strstr(notes_of(&model), "4 tensors are not used: "));
    static const char *const NAMES[] = {"score.weight", "transformer.h.1.ln_1.weight",
                                        " wte.weight", "h.0.attn.c_attn.lora_A.weight"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strstr(notes_of(&model), NAMES[i]) == NULL) {
            fail_msg("%s is not named in \"%s\"", NAMES[i], notes_of(&model));
        }
    }
    model_free(&model);
    free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_that_differs_from_the_table_is_kept),
        cmocka_unit_test(a_head_that_is_the_table_is_tied_without_a_word),
        cmocka_unit_test(what_is_not_used_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
