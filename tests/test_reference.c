// test_reference.c - every stage, gradient, loss and trained parameter against PyTorch in float64.
#include "tests/support.h"
#include "tests/support_node.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/model.h"
#include "engine/tape/op.h"
#include "engine/tape/optimizer.h"
#include "engine/files/safetensors.h"

// ATTEND_REFERENCE names another folder of cases, made with make_reference.py --seed or --set.
static const char *reference_folder(void) {
    const char *folder = getenv("ATTEND_REFERENCE");
    return folder != NULL ? folder : "tests/reference";
}

typedef struct Case {
    char folder[512];
    Model model;
    Safetensors expected;
    ModelTape built;
    double worst; // error seen, in units of the tolerance
    char worst_name[128];
} Case;

static Device *device;

static const double TOLERANCE = 5e-6;

static int32_t *read_ids(const Case *test, const char *name, int *rows, int *columns) {
    const StoredTensor *tensor = safetensors_find(&test->expected, name);
    assert_non_null(tensor);
    Error err = {""};
    int32_t *ids = calloc(tensor->count, sizeof *ids);
    support_require(safetensors_copy_ints(tensor, ids, &err), &err);
    *rows = (int)tensor->sizes[0];
    *columns = (int)tensor->sizes[1];
    return ids;
}

static void set_ids(const Case *test, Node *node, const char *name) {
    int rows = 0;
    int columns = 0;
    int32_t *ids = read_ids(test, name, &rows, &columns);
    tape_set_ids(&test->built.tape, node, ids);
    free(ids);
}

static void open_case(Case *test, TapeMode mode, Optimizer *optimizer) {
    Error err = {""};
    char path[600];
    support_require(model_load(&test->model, test->folder, &err), &err);
    snprintf(path, sizeof path, "%s/expected.safetensors", test->folder);
    support_require(safetensors_open(&test->expected, path, &err), &err);
    bool has_source = config_has_two_sides(&test->model.config);
    BatchShape shape = {0};
    int rows = 0;
    free(read_ids(test, has_source ? "tgt.tokens" : "tokens", &shape.B, &shape.T));
    if (has_source) {
        free(read_ids(test, "src.tokens", &rows, &shape.S));
    }
    support_require(
        model_tape_build(&test->built, &test->model, mode, device, shape, TAPE_GRADIENTS, &err),
        &err);
    if (optimizer != NULL) {
        OptimizerConfig config = optimizer_defaults();
        assert_true(optimizer_init(optimizer, &config, &test->model.params));
        if (mode == TAPE_WATCH) {
            optimizer_append(optimizer, &test->built.tape);
        }
    }
    support_require(tape_allocate(&test->built.tape, &err), &err);
    set_ids(test, test->built.nodes.tokens, has_source ? "tgt.tokens" : "tokens");
    set_ids(test, test->built.nodes.labels, "labels");
    if (has_source) {
        set_ids(test, test->built.nodes.source, "src.tokens");
    }
}

static void close_case(Case *test) {
    model_tape_free(&test->built);
    model_free(&test->model);
    safetensors_close(&test->expected);
}

static void compare(Case *test, const char *name, const StoredTensor *tensor, const float *found) {
    Error err = {""};
    float *expected = calloc(tensor->count, sizeof *expected);
    support_require(safetensors_copy_floats(tensor, expected, &err), &err);
    for (size_t i = 0; i < tensor->count; i++) {
        double want = (double)expected[i];
        double got = (double)found[i];
        if (isinf(want) || isinf(got)) {
            if (want != got) {
                fail_msg("%s: %s[%zu]: expected %g, found %g", test->folder, name, i, want, got);
            }
            continue;
        }
        double error = fabs(want - got) / fmax(1.0, fabs(want)) / TOLERANCE;
        if (!(error <= test->worst)) {
            test->worst = error;
            snprintf(test->worst_name, sizeof test->worst_name, "%s[%zu]", name, i);
        }
        if (!(error <= 1.0)) {
            fail_msg("%s: %s[%zu]: expected %.9g, found %.9g", test->folder, name, i, want, got);
        }
    }
    free(expected);
}

static void require_shape(const Case *test, const StoredTensor *tensor, const Shape *shape) {
    // NumPy wrote single numbers with one axis of size 1.
    bool is_scalar = shape_rank(shape) == 0 && tensor->rank == 1 && tensor->count == 1;
    bool is_same = is_scalar || tensor->rank == shape_rank(shape);
    for (int i = 0; is_same && !is_scalar && i < tensor->rank; i++) {
        is_same = tensor->sizes[i] == shape->sizes[i];
    }
    if (!is_same) {
        char wanted[TENSOR_DATA_SIZES_BYTES];
        char found[SHAPE_TEXT_BYTES];
        fail_msg("%s: %s: expected shape %s, found %s", test->folder, tensor->name,
                 safetensors_sizes_text(tensor, wanted), shape_sizes_text(shape, found));
    }
}

static void compare_stage(Case *test, const StoredTensor *tensor) {
    const char *name = tensor->name;
    if (strncmp(name, "after.", 6) == 0 || strcmp(name, "steps.loss") == 0) {
        return;
    }
    const Node *node = tape_find(&test->built.tape, name);
    if (node == NULL) {
        fail_msg("%s: there is no stage %s", test->folder, name);
        return;
    }
    require_shape(test, tensor, &node->shape);
    // The script's `positions` of GPT-2 is a view of the table, saved after the five updates had
    // changed it: what was added is the table's own rows.
    if (test->model.config.family == FAMILY_GPT2 && strcmp(name, "positions") == 0) {
        const Params *params = &test->model.params;
        const float *rows = params_values(params, params_find(params, "transformer.wpe.weight"));
        assert_memory_equal(tape_values(&test->built.tape, node), rows,
                            tensor->count * sizeof *rows);
        return;
    }
    if (!node_holds_ids(node)) {
        compare(test, name, tensor, tape_values(&test->built.tape, node));
    }
}

static void compare_after(Case *test, const StoredTensor *tensor) {
    if (strncmp(tensor->name, "after.", 6) != 0) {
        return;
    }
    char name[256];
    snprintf(name, sizeof name, "%s", tensor->name + 6);
    const Params *params = &test->model.params;
    const Parameter *parameter = params_find(params, name);
    size_t first = 0;
    if (parameter == NULL) { // [q | k | v] without the key third
        char *dot = strrchr(name, '.');
        bool is_third = strcmp(dot, ".query") == 0 || strcmp(dot, ".value") == 0;
        if (!is_third) { // projections that the script declares for the single form, and never uses
            assert_int_equal(test->model.config.heads, STORY_SINGLE);
            return;
        }
        first = strcmp(dot, ".value") == 0 ? 2 * tensor->count : 0;
        *dot = '\0';
        parameter = params_find(params, name);
    }
    assert_non_null(parameter);
    compare(test, tensor->name, tensor, params_values(params, parameter) + first);
}

static void train_five_steps(Case *test, Optimizer *optimizer) {
    Tape *tape = &test->built.tape;
    float losses[5];
    for (int step = 0; step < 5; step++) {
        float lr = optimizer->config.lr;
        if (tape->mode == TAPE_WATCH) {
            tape_run_range(tape, 0, tape->n_nodes);
            optimizer_prepare(optimizer, tape, lr);
            tape_run(tape);
            losses[step] = *tape_values(tape, tape->loss);
            optimizer_commit(optimizer, tape);
        } else {
            tape_run(tape);
            losses[step] = *tape_values(tape, tape->loss);
            optimizer_step(optimizer, &test->model.params, tape->gradients, lr, 1.0F, device, NULL);
        }
    }
    compare(test, "steps.loss", safetensors_find(&test->expected, "steps.loss"), losses);
    for (int i = 0; i < test->expected.n_tensors; i++) {
        compare_after(test, &test->expected.tensors[i]);
    }
}

typedef void (*CaseTest)(Case *test);

static void for_each_case(CaseTest run) {
    DIR *folder = opendir(reference_folder());
    assert_non_null(folder);
    int n_cases = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        Case test = {.worst = 0.0};
        snprintf(test.folder, sizeof test.folder, "%s/%s", reference_folder(), entry->d_name);
        char path[600];
        snprintf(path, sizeof path, "%s/config.json", test.folder);
        if (entry->d_name[0] == '.' || !file_exists(path)) {
            continue;
        }
        run(&test);
        printf("%-40s worst %.2f of the tolerance, at %s\n", entry->d_name, test.worst,
               test.worst_name);
        n_cases++;
    }
    closedir(folder);
    assert_true(n_cases > 0);
}

static void watch_case(Case *test) {
    open_case(test, TAPE_WATCH, NULL);
    tape_run(&test->built.tape);
    for (int i = 0; i < test->expected.n_tensors; i++) {
        compare_stage(test, &test->expected.tensors[i]);
    }
    close_case(test);
}

static void every_stage_and_gradient_is_pytorchs(void **state) {
    (void)state;
    for_each_case(watch_case);
}

static void watch_training(Case *test) {
    Optimizer optimizer = {0};
    open_case(test, TAPE_WATCH, &optimizer);
    train_five_steps(test, &optimizer);
    close_case(test);
    optimizer_free(&optimizer);
}

static void five_watched_updates_are_pytorchs(void **state) {
    (void)state;
    for_each_case(watch_training);
}

static void train_case(Case *test) {
    Optimizer optimizer = {0};
    open_case(test, TAPE_TRAIN, &optimizer);
    train_five_steps(test, &optimizer);
    close_case(test);
    optimizer_free(&optimizer);
}

static void five_steps_of_the_trainers_tape_are_pytorchs(void **state) {
    (void)state;
    for_each_case(train_case);
}

// The fused tape shares memory, so only what lasts can be read afterwards: loss, logits' role,
// parameters' gradients.
static void fused_case(Case *test) {
    open_case(test, TAPE_TRAIN, NULL);
    const Tape *tape = &test->built.tape;
    tape_run(tape);
    for (int i = 0; i < test->model.params.count; i++) {
        const Parameter *parameter = &test->model.params.items[i];
        char name[300];
        snprintf(name, sizeof name, "grad.%s", parameter->name);
        const StoredTensor *tensor = safetensors_find(&test->expected, name);
        if (tensor != NULL) {
            compare(test, name, tensor, tape_gradients(tape) + parameter->offset);
        }
    }
    close_case(test);
}

static void the_fused_tape_has_the_same_gradients(void **state) {
    (void)state;
    for_each_case(fused_case);
}

int main(void) {
    device = support_device_open(2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stage_and_gradient_is_pytorchs),
        cmocka_unit_test(five_watched_updates_are_pytorchs),
        cmocka_unit_test(five_steps_of_the_trainers_tape_are_pytorchs),
        cmocka_unit_test(the_fused_tape_has_the_same_gradients),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(device);
    return failed;
}
