// test_npy.c - .npy files are as NumPy writes them.
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/files/npy.h"
#include "tests/folder.h"

static const float FLOATS[6] = {0.5F, -1.25F, 3.0F, -INFINITY, 1e-45F, 2.0F};
static const int32_t INTS[3] = {1, 5, 4};

static void a_file_is_as_numpy_writes_it(void **state) {
    (void)state;
    // What numpy.save gives for an array of shape (2, 3) and type float32, but the numbers.
    static const char dictionary[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    static const char magic[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    char expected[128];
    FileBytes file;
    Error err = {0};
    folder_make(folder);
    folder_path(folder, "x.npy", path);
    NamedTensor tensor = tensor_data_named("x", &(Shape){"TC", {2, 3}}, DTYPE_F32, FLOATS);
    support_require(npy_save(path, &tensor, &err), &err);
    support_require(file_read(&file, path, 0, &err), &err);
    memset(expected, ' ', sizeof expected);
    memcpy(expected, magic, sizeof magic);
    memcpy(expected + 10, dictionary, sizeof dictionary - 1);
    expected[127] = '\n';
    assert_int_equal(file.size_bytes, 128 + sizeof FLOATS);
    assert_memory_equal(file.bytes, expected, 128);
    assert_memory_equal(file.bytes + 128, FLOATS, sizeof FLOATS);
    file_close(&file);
    folder_remove(folder);
}

static void headers_say_what_was_written(void **state) {
    (void)state;
    static const struct {
        Shape shape;
        Dtype dtype;
        const void *values;
        const char *descr;
    } cases[] = {
        {{"", {0}}, DTYPE_F32, FLOATS, "<f4"},
        {{"T", {3}}, DTYPE_I32, INTS, "<i4"},
        {{"TC", {0, 3}}, DTYPE_F32, FLOATS, "<f4"},
        {{"BHTSC", {1, 1, 3, 1, 2}}, DTYPE_BF16, FLOATS, "<f4"},
    };
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    folder_make(folder);
    folder_path(folder, "x.npy", path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FileBytes file;
        NpyHeader header;
        Error err = {0};
        NamedTensor tensor =
            tensor_data_named("x", &cases[i].shape, cases[i].dtype, cases[i].values);
        support_require(npy_save(path, &tensor, &err), &err);
        support_require(file_read(&file, path, 0, &err), &err);
        support_require(npy_read_header(&header, path, file.bytes, file.size_bytes, &err), &err);
        assert_string_equal(header.descr, cases[i].descr);
        assert_int_equal(header.rank, tensor.rank);
        assert_int_equal(header.count, tensor_data_count(&tensor));
        assert_int_equal(header.data_start % 64, 0);
        assert_false(header.fortran_order);
        for (int axis = 0; axis < header.rank; axis++) {
            assert_int_equal(header.sizes[axis], tensor.sizes[axis]);
        }
        file_close(&file);
    }
    folder_remove(folder);
}

static void names_are_made_safe(void **state) {
    (void)state;
    char text[NPY_NAME_BYTES];
    char longest[1000];
    assert_string_equal(npy_safe_name("encoder.0.self_attn.q", text), "encoder.0.self_attn.q.npy");
    assert_string_equal(npy_safe_name("../etc/passwd", text), "_._etc_passwd.npy");
    assert_string_equal(npy_safe_name("-rf", text), "_rf.npy");
    assert_string_equal(npy_safe_name("", text), "_.npy");
    assert_string_equal(npy_safe_name("a\nb\xe4", text), "a_b_.npy");
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(strlen(npy_safe_name(longest, text)), NPY_NAME_BYTES - 1);
    assert_string_equal(text + NPY_NAME_BYTES - 5, ".npy");
}

static void a_folder_gets_each_tensor_or_none(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char inner[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    NamedTensor tensors[2] = {tensor_data_named("a.b", &(Shape){"T", {3}}, DTYPE_F32, FLOATS),
                              tensor_data_named("a/b", &(Shape){"T", {3}}, DTYPE_I32, INTS)};
    Error err = {0};
    folder_make(folder);
    folder_path(folder, "inner", inner);
    support_require(npy_save_folder(inner, tensors, 2, &err), &err);
    assert_true(file_exists(folder_path(inner, "a.b.npy", path)));
    assert_true(file_exists(folder_path(inner, "a_b.npy", path)));
    assert_int_equal(folder_count(inner), 2);
    folder_remove(inner);
    tensors[1].name = "a.b";
    assert_false(npy_save_folder(inner, tensors, 2, &err));
    assert_string_equal(err.text, "a.b.npy: expected one tensor for this file, found two");
    assert_false(file_exists(inner));
    folder_remove(folder);
}

static void assert_header_refused(const char *text, size_t n_data, const char *sentence) {
    unsigned char bytes[600] = "\x93NUMPY\x01\x00";
    NpyHeader header;
    Error err = {0};
    size_t length = strlen(text);
    bytes[8] = (unsigned char)(length & 0xff);
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + 10, text, length + 1);
    assert_false(npy_read_header(&header, "x.npy", bytes, 10 + length + n_data, &err));
    assert_non_null(strstr(err.text, sentence));
}

static void headers_that_lie_are_refused(void **state) {
    (void)state;
    static const char odd[] = "expected a header with 'descr'";
    NpyHeader header;
    Error err = {0};
    assert_header_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 4,
                          "<f4 of shape (2) does not fit the 4 bytes of data");
    assert_header_refused("{'descr': '<f8', 'fortran_order': False, "
                          "'shape': (4294967296, 4294967296), }",
                          0, "does not fit");
    assert_header_refused("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", 8,
                          odd);
    assert_header_refused("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", 16, odd);
    assert_header_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", 8, odd);
    assert_header_refused("{'descr': '<f4', 'fortran_order': False}", 8, odd);
    assert_header_refused("{'descr': '<f4', 'shape': (2,), 'shape': (2,), }", 8, odd);
    assert_header_refused("{'descr", 0, odd);
    assert_header_refused("", 4, odd);
    assert_false(npy_read_header(&header, "x.npy",
                                 (const unsigned char *)"\x93NUMPY\x01\x00\xff\xff  ", 12, &err));
    assert_non_null(strstr(err.text, "the header claims 65535 bytes"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_as_numpy_writes_it),
        cmocka_unit_test(headers_say_what_was_written),
        cmocka_unit_test(names_are_made_safe),
        cmocka_unit_test(a_folder_gets_each_tensor_or_none),
        cmocka_unit_test(headers_that_lie_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
