// test_convert.c - llm.c's files: their bytes, there and back, and what is refused.
#include "tests/support_tape.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/models/llmc.h"
#include "tests/folder.h"

enum { HEADER_BYTES = 1024, V = 13, C = 12, P = 300, L = 2, ROWS = 128 };

static char folder[FOLDER_PATH_BYTES];

static void open_model(Model *model) {
    Error err = {""};
    ModelConfig config = support_config(FAMILY_GPT2);
    config.d_ff = 4 * C;
    support_require(model_init(model, &config, 5, &err), &err);
    for (int i = 0; i < model->params.count; i++) { // no two alike, biases not 0
        const Parameter *parameter = &model->params.items[i];
        float *values = params_change(&model->params, parameter);
        for (size_t k = 0; k < shape_count(&parameter->shape); k++) {
            values[k] += (float)((k + 17 * (size_t)i) % 1000) * 0.0078125F;
        }
    }
}

static float number_at(const FileBytes *file, size_t index) {
    float value = 0.0F;
    memcpy(&value, file->bytes + HEADER_BYTES + index * sizeof value, sizeof value);
    return value;
}

static float value_of(const Model *model, const char *name, size_t index) {
    const Parameter *parameter = params_find(&model->params, name);
    assert_non_null(parameter);
    return params_values(&model->params, parameter)[index];
}

static void the_file_is_laid_out_as_llmc_reads_it(void **state) {
    (void)state;
    Error err = {""};
    Model model;
    char path[FOLDER_PATH_BYTES];
    open_model(&model);
    folder_path(folder, "layout.bin", path);
    support_require(llmc_save(&model, path, DTYPE_F32, &err), &err);
    FileBytes file = {0};
    support_require(file_read(&file, path, 0, &err), &err);
    const int32_t header[] = {20240326, 3, P, V, L, 3, C, ROWS};
    assert_memory_equal(file.bytes, header, sizeof header);
    for (size_t i = sizeof header; i < HEADER_BYTES; i++) {
        assert_int_equal(file.bytes[i], 0);
    }
    size_t at = 0;
    assert_true(number_at(&file, V * C - 1) ==
                value_of(&model, "transformer.wte.weight", V * C - 1));
    assert_true(number_at(&file, V * C) == 0.0F); // rows past the vocabulary
    at += ROWS * C;
    assert_true(number_at(&file, at) == value_of(&model, "transformer.wpe.weight", 0));
    at += P * C;
    assert_true(number_at(&file, at + C) == value_of(&model, "transformer.h.1.ln_1.weight", 0));
    at += 2 * L * C;
    // c_attn.weight (3C,C): output 1, input 0 is ours at (0,1); layer 1 follows layer 0.
    assert_true(number_at(&file, at + C) ==
                value_of(&model, "transformer.h.0.attn.c_attn.weight", 1));
    at += 3 * C * C;
    assert_true(number_at(&file, at + 1) ==
                value_of(&model, "transformer.h.1.attn.c_attn.weight", 3 * C));
    assert_true(number_at(&file, (file.size_bytes - HEADER_BYTES) / 4 - 1) ==
                value_of(&model, "transformer.ln_f.bias", C - 1));
    file_close(&file);
    model_free(&model);
}

static void there_and_back_is_the_same_model(void **state) {
    (void)state;
    Error err = {""};
    Model model;
    Model back = {.seed = 0};
    char path[FOLDER_PATH_BYTES];
    open_model(&model);
    folder_path(folder, "back.bin", path);
    support_require(llmc_save(&model, path, DTYPE_F32, &err) && llmc_load(&back, path, &err), &err);
    assert_int_equal(back.config.vocab_size, V);
    assert_int_equal(back.config.n_positions, P);
    assert_int_equal(back.config.n_heads, 3);
    assert_int_equal(back.config.d_ff, 4 * C);
    assert_int_equal(back.params.n_values, model.params.n_values);
    assert_memory_equal(back.params.values, model.params.values,
                        model.params.n_values * sizeof(float));
    model_free(&back);
    support_require(llmc_save(&model, path, DTYPE_BF16, &err) && llmc_load(&back, path, &err),
                    &err);
    for (size_t i = 0; i < model.params.n_values; i++) {
        float rounded = dtype_float_from_bf16(dtype_bf16_from_float(model.params.values[i]));
        assert_true(back.params.values[i] == rounded);
    }
    model_free(&back);
    model_free(&model);
}

static void write_header(const char *path, const int32_t *numbers, size_t size_bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    char zeros[HEADER_BYTES] = {0};
    memcpy(zeros, numbers, 8 * sizeof *numbers);
    fwrite(zeros, 1, sizeof zeros, file);
    for (size_t i = sizeof zeros; i < size_bytes; i++) {
        fputc(0, file);
    }
    fclose(file);
}

static void files_that_cannot_be_are_refused(void **state) {
    (void)state;
    static const struct {
        int32_t header[8];
        const char *sentence;
    } CASES[] = {
        {{20240326, 1, 8, 5, 1, 1, 4, 128}, "version 1, expected 3 (float32) or 5 (bfloat16)"},
        {{20240326, 3, 8, 5, 1, 1, 4, 128}, "bytes, expected"},
        {{20240326, 3, 8, 5, -1, 1, 4, 128}, "header number 4 is -1"},
        {{20240326, 3, 8, 5, 1, 1, 2147483647, 128}, "header number 6 is 2147483647"},
        {{20240326, 3, 8, 200, 1, 1, 4, 128}, "no fewer rows"},
        {{20240326, 3, 8, 5, 1, 3, 4, 128}, "heads that divide the channels"},
        {{20240327, 3, 8, 5, 1, 1, 4, 128}, "expected a checkpoint of llm.c"},
    };
    char path[FOLDER_PATH_BYTES];
    folder_path(folder, "bad.bin", path);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Error err = {""};
        Model model;
        write_header(path, CASES[i].header, 2000);
        assert_false(llmc_load(&model, path, &err));
        if (strstr(err.text, CASES[i].sentence) == NULL) {
            fail_msg("case %zu: expected \"%s\", found \"%s\"", i, CASES[i].sentence, err.text);
        }
    }
}

static void a_model_that_llmc_cannot_hold_is_refused(void **state) {
    (void)state;
    Error err = {""};
    Model model;
    char path[FOLDER_PATH_BYTES];
    folder_path(folder, "refused.bin", path);
    ModelConfig config = support_config(FAMILY_STORY);
    support_require(model_init(&model, &config, 1, &err), &err);
    assert_false(llmc_save(&model, path, DTYPE_F32, &err));
    assert_non_null(strstr(err.text, "gpt2"));
    model_free(&model);
    config = support_config(FAMILY_GPT2);
    config.tie_embeddings = false;
    err = (Error){""};
    support_require(model_init(&model, &config, 1, &err), &err);
    assert_false(llmc_save(&model, path, DTYPE_F32, &err));
    assert_non_null(strstr(err.text, "token table"));
    assert_false(file_exists(path));
    model_free(&model);
}

static void a_folder_in_sixteen_bits_loads_as_its_rounded_numbers(void **state) {
    (void)state;
    Error err = {""};
    Model model;
    Model back = {.seed = 0};
    char path[FOLDER_PATH_BYTES];
    open_model(&model);
    support_require(model_save_as(&model, folder_path(folder, "half", path), DTYPE_F16, &err) &&
                        model_load(&back, path, &err),
                    &err);
    assert_non_null(back.params.values);
    for (size_t i = 0; back.params.values != NULL && i < model.params.n_values; i++) {
        float rounded = dtype_float_from_f16(dtype_f16_from_float(model.params.values[i]));
        assert_true(back.params.values[i] == rounded);
    }
    model_free(&back);
    model_free(&model);
    folder_remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_laid_out_as_llmc_reads_it),
        cmocka_unit_test(there_and_back_is_the_same_model),
        cmocka_unit_test(files_that_cannot_be_are_refused),
        cmocka_unit_test(a_model_that_llmc_cannot_hold_is_refused),
        cmocka_unit_test(a_folder_in_sixteen_bits_loads_as_its_rounded_numbers),
    };
    folder_make(folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove(folder);
    return failed;
}
