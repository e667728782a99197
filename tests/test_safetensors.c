// test_safetensors.c - what a header claims is checked; what was saved comes back.
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/files/safetensors.h"
#include "tests/folder.h"

// A file with this header and n_data bytes of data, in memory of exactly its size, the caller's.
static unsigned char *make_file(const char *header, size_t n_data, size_t *size_bytes) {
    uint64_t length = strlen(header);
    *size_bytes = 8 + length + n_data;
    unsigned char *bytes = malloc(*size_bytes);
    assert_non_null(bytes);
    memcpy(bytes, &length, 8);
    for (size_t i = 0; i < length; i++) {
        bytes[8 + i] = (unsigned char)header[i];
    }
    for (size_t i = 0; i < n_data; i++) {
        bytes[8 + length + i] = (unsigned char)i;
    }
    return bytes;
}

static void assert_refused(const char *header, size_t n_data, const char *sentence) {
    Safetensors set;
    Error err = {0};
    size_t size = 0;
    unsigned char *bytes = make_file(header, n_data, &size);
    assert_false(safetensors_open_bytes(&set, "x.safetensors", bytes, size, &err));
    if (strstr(err.text, sentence) == NULL) {
        fail_msg("expected \"%s\", found \"%s\"", sentence, err.text);
    }
    assert_int_equal(strncmp(err.text, "x.safetensors", 13), 0);
    assert_null(set.tensors);
    free(bytes);
}

static void assert_accepted(const char *header, size_t n_data, int n_tensors) {
    Safetensors set;
    Error err = {0};
    size_t size = 0;
    unsigned char *bytes = make_file(header, n_data, &size);
    support_require(safetensors_open_bytes(&set, "x.safetensors", bytes, size, &err), &err);
    assert_int_equal(set.n_tensors, n_tensors);
    safetensors_close(&set);
    free(bytes);
}

#define ENTRY(name, dtype, shape, begin, end)                                                      \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":[" shape "],\"data_offsets\":[" #begin        \
    "," #end "]}"

static void unusual_files_are_accepted(void **state) {
    (void)state;
    assert_accepted("{}", 0, 0);
    assert_accepted("{}      ", 0, 0);
    assert_accepted("{\"__metadata__\":{\"format\":\"pt\"}}", 0, 0);
    assert_accepted("{\"__metadata__\":null}", 0, 0);
    assert_accepted("{" ENTRY("a", "F32", "", 0, 4) "}", 4, 1);
    assert_accepted("{" ENTRY("a", "F32", "0,3", 0, 0) "}", 0, 1);
    assert_accepted("{" ENTRY("z", "F32", "0", 4, 4) "," ENTRY("a", "F32", "1", 0, 4) "," ENTRY(
                        "b", "I64", "1", 4, 12) "}",
                    12, 3);
    assert_accepted(
        "{" ENTRY("b", "F16", "2,1,1,1,1,1,1,1", 4, 8) "," ENTRY("a", "U8", "4", 0, 4) "}", 8, 2);
    assert_accepted("{" ENTRY("", "BOOL", "1", 0, 1) "}", 1, 1);
}

static void offsets_that_lie_are_refused(void **state) {
    (void)state;
    assert_refused("{" ENTRY("a", "F32", "2", 0, 4) "}", 4,
                   "tensor \"a\": F32 of shape (2) needs 8 bytes, its data offsets [0, 4] give 4");
    assert_refused("{" ENTRY("a", "F32", "2", 0, 8) "}", 4, "pass the end: the file has 4 bytes");
    assert_refused("{" ENTRY("a", "F32", "1", 8, 4) "}", 8,
                   "expected 0 <= begin <= end, found [8, 4]");
    assert_refused("{" ENTRY("a", "F32", "1", -4, 0) "}", 8, "expected 0 <= begin <= end");
    assert_refused("{" ENTRY("a", "F32", "1", 4, 8) "}", 8,
                   "tensor \"a\": its data begin at 4, expected 0");
    assert_refused("{" ENTRY("a", "F32", "2", 0, 8) "," ENTRY("b", "F32", "1", 4, 8) "}", 8,
                   "tensor \"b\": its data begin at 4, inside \"a\", which ends at 8");
    assert_refused("{" ENTRY("a", "F32", "1", 0, 4) "," ENTRY("b", "F32", "1", 8, 12) "}", 12,
                   "tensor \"b\": its data begin at 8, expected 4");
    assert_refused("{" ENTRY("a", "F32", "1", 0, 4) "}", 8, "after 4 bytes, found 8");
    // A tensor without bytes must not lie inside another one either.
    assert_refused("{" ENTRY("a", "F32", "0", 2, 2) "," ENTRY("b", "F32", "1", 0, 4) "}", 4,
                   "tensor \"a\": its data begin at 2, inside \"b\", which ends at 4");
}

static void shapes_that_overflow_are_refused(void **state) {
    (void)state;
    assert_refused("{" ENTRY("a", "F32", "4294967296,4294967296", 0, 0) "}", 0, "beyond 64 bits");
    assert_refused("{" ENTRY("a", "F64", "4611686018427387904", 0, 0) "}", 0, "64 bits count");
    assert_refused("{" ENTRY("a", "F32", "99999999999999999999", 0, 0) "}", 0, "too big integer");
    assert_refused("{" ENTRY("a", "F32", "-1", 0, 4) "}", 4, "found a negative one");
    assert_refused("{" ENTRY("a", "F32", "1.0", 0, 4) "}", 4, "found a fraction");
    assert_refused("{" ENTRY("a", "F32", "1,1,1,1,1,1,1,1,1", 0, 4) "}", 4,
                   "expected at most 8 axes, found 9");
}

static void headers_that_are_something_else_are_refused(void **state) {
    (void)state;
    assert_refused("[]", 0, "expected a header that begins with {");
    assert_refused("", 0, "found none");
    assert_refused("{x", 0, "expected valid JSON");
    assert_refused("{\"a\":[]}", 0, "tensor \"a\": expected an object");
    assert_refused("{\"a\":{}}", 0, "tensor \"a\": \"dtype\": expected a string, found nothing");
    assert_refused("{" ENTRY("a", "F33", "1", 0, 4) "}", 4, "tensor \"a\": unknown dtype \"F33\"");
    assert_refused("{" ENTRY("a", "F33", "1", 0, 4) "}", 4,
                   "expected F32, F16, BF16, F64, F8_E4M3, F8_E5M2, an integer type or BOOL");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4,
                   "\"shape\": expected an array, found nothing");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 4,
                   "expected two integers");
    assert_refused("{\"__metadata__\":{\"n\":1}}", 0, "\"n\": expected a string, found an integer");
    assert_refused("{\"__metadata__\":3}", 0, "\"__metadata__\": expected an object");
    assert_refused("{" ENTRY("a", "F32", "1", 0, 4) "," ENTRY("a", "F32", "1", 0, 4) "}", 4,
                   "duplicate object key");
    assert_refused("{\"a\\nb\":1}", 0, "tensor \"a\\x0ab\": expected an object");
}

static void deep_headers_are_refused(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    char *header = malloc(DEPTH + 6);
    assert_non_null(header);
    memcpy(header, "{\"a\":", 5);
    memset(header + 5, '[', DEPTH);
    header[DEPTH + 5] = '\0';
    assert_refused(header, 0, "maximum parsing depth reached");
    free(header);
}

static void the_length_is_checked_before_it_is_used(void **state) {
    (void)state;
    static const unsigned char lengths[][8] = {
        {255, 255, 255, 255, 255, 255, 255, 255}, {0, 0, 0, 0, 0, 0, 0, 128}, {3}, {0, 0, 0, 1}};
    Safetensors set;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        unsigned char bytes[10] = {[8] = '{', [9] = '}'};
        Error err = {0};
        memcpy(bytes, lengths[i], 8);
        assert_false(safetensors_open_bytes(&set, "x", bytes, sizeof bytes, &err));
        assert_non_null(strstr(err.text, "bytes, the file has 2 after its first 8"));
    }
    Error err = {0};
    assert_false(safetensors_open_bytes(&set, "x", lengths[0], 7, &err));
    assert_non_null(strstr(err.text, "which starts with 8 bytes, found 7"));
}

// ---- numbers

static void half_precision_is_exact_both_ways(void **state) {
    (void)state;
    assert_true(dtype_float_from_f16(0x0001) == 0x1p-24F); // the least subnormal
    assert_true(dtype_float_from_f16(0x03ff) == 1023 * 0x1p-24F);
    assert_true(dtype_float_from_f16(0x0400) == 0x1p-14F);
    assert_true(dtype_float_from_f16(0x3555) == 0x1.554p-2F);
    assert_true(dtype_float_from_f16(0xfbff) == -65504.0F);
    assert_true(dtype_float_from_f16(0x7c00) == INFINITY);
    assert_true(isnan(dtype_float_from_f16(0x7e01)));
    assert_true(signbit(dtype_float_from_f16(0x8000)) != 0);
    for (uint32_t bits = 0; bits <= 0xffff; bits++) {
        float half = dtype_float_from_f16((uint16_t)bits);
        float brain = dtype_float_from_bf16((uint16_t)bits);
        if (!isnan(half)) {
            assert_int_equal(dtype_f16_from_float(half), bits);
        } else {
            assert_true(isnan(dtype_float_from_f16(dtype_f16_from_float(half))));
        }
        if (!isnan(brain)) {
            assert_int_equal(dtype_bf16_from_float(brain), bits);
        } else {
            assert_true(isnan(dtype_float_from_bf16(dtype_bf16_from_float(brain))));
        }
    }
}

static void rounding_is_to_nearest_even(void **state) {
    (void)state;
    assert_int_equal(dtype_f16_from_float(1.0F + 0x1p-11F), 0x3c00);     // a tie, down to even
    assert_int_equal(dtype_f16_from_float(1.0F + 3 * 0x1p-11F), 0x3c02); // a tie, up to even
    assert_int_equal(dtype_f16_from_float(1.0F + 0x1.01p-11F), 0x3c01);
    assert_int_equal(dtype_f16_from_float(65519.9F), 0x7bff);
    assert_int_equal(dtype_f16_from_float(65520.0F), 0x7c00);
    assert_int_equal(dtype_f16_from_float(0x1p-25F), 0x0000);
    assert_int_equal(dtype_f16_from_float(0x1.8p-25F), 0x0001);
    assert_int_equal(dtype_f16_from_float(0x1.ffep-15F), 0x0400); // the carry makes it normal
    assert_int_equal(dtype_f16_from_float(-FLT_MAX), 0xfc00);
    assert_int_equal(dtype_bf16_from_float(1.0F + 0x1p-8F), 0x3f80);
    assert_int_equal(dtype_bf16_from_float(1.0F + 3 * 0x1p-8F), 0x3f82);
    assert_int_equal(dtype_bf16_from_float(FLT_MAX), 0x7f80);
}

static void integers_of_every_width_are_read(void **state) {
    (void)state;
    static const unsigned char bytes[16] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                            0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00};
    int32_t values[16];
    size_t bad = 0;
    assert_true(tensor_data_to_ints(values, bytes, DTYPE_I8, 1, NULL));
    assert_int_equal(values[0], -2);
    assert_true(tensor_data_to_ints(values, bytes, DTYPE_U8, 1, NULL));
    assert_int_equal(values[0], 254);
    assert_true(tensor_data_to_ints(values, bytes, DTYPE_I16, 2, NULL));
    assert_int_equal(values[1], -1);
    assert_true(tensor_data_to_ints(values, bytes, DTYPE_U16, 1, NULL));
    assert_int_equal(values[0], 65534);
    assert_false(tensor_data_to_ints(values, bytes, DTYPE_I64, 2, &bad));
    assert_int_equal(bad, 1);
    assert_int_equal(values[0], -2);
    assert_false(tensor_data_to_ints(values, bytes, DTYPE_U64, 1, &bad));
    assert_int_equal(bad, 0);
    assert_false(tensor_data_to_ints(values, bytes, DTYPE_U32, 1, NULL));
}

// ---- what was saved comes back

static const float FLOATS[6] = {0.5F, -1.25F, 3.0F, -INFINITY, 65504.0F, 0x1p-24F};
static const int32_t INTS[2] = {-7, 2000000000};

// F16 first, so that the writer has something to put in order.
static void make_tensors(NamedTensor tensors[5]) {
    tensors[0] = tensor_data_named("half", &(Shape){"TC", {2, 3}}, DTYPE_F16, FLOATS);
    tensors[1] = tensor_data_named("ids \"\n\xe4\xb8\xad", &(Shape){"T", {2}}, DTYPE_I32, INTS);
    tensors[2] = tensor_data_named("full", &(Shape){"CT", {3, 2}}, DTYPE_F32, FLOATS);
    tensors[3] = tensor_data_named("one", &(Shape){"", {0}}, DTYPE_F32, FLOATS + 1);
    tensors[4] = tensor_data_named("brain", &(Shape){"T", {4}}, DTYPE_BF16, FLOATS);
}

static void save_tensors(const char *path) {
    static const SafetensorsPair metadata[] = {{"format", "pt"}, {"step", "12"}};
    NamedTensor tensors[5];
    Error err = {0};
    make_tensors(tensors);
    support_require(safetensors_save(path, tensors, 5, metadata, 2, &err), &err);
}

static void saved_tensors_come_back(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    Safetensors set;
    Error err = {0};
    float floats[6];
    int32_t ints[2];
    folder_make(folder);
    save_tensors(folder_path(folder, "model.safetensors", path));
    support_require(safetensors_open(&set, folder, &err), &err); // the folder finds the file in it
    assert_int_equal(set.n_tensors, 5);
    assert_int_equal(set.n_metadata, 2);
    assert_string_equal(set.metadata[1].key, "step");
    assert_string_equal(set.metadata[1].value, "12");
    const Shape shape = {"TC", {2, 3}};
    support_require(safetensors_read_floats(&set, "half", &shape, floats, &err), &err);
    assert_memory_equal(floats, FLOATS, sizeof floats);
    const Shape one = {"", {0}};
    support_require(safetensors_read_floats(&set, "one", &one, floats, &err), &err);
    assert_true(floats[0] == FLOATS[1]);
    const StoredTensor *ids = safetensors_find(&set, "ids \"\n\xe4\xb8\xad");
    assert_non_null(ids);
    support_require(safetensors_copy_ints(ids, ints, &err), &err);
    assert_memory_equal(ints, INTS, sizeof ints);
    for (int i = 0; i < set.n_tensors; i++) {
        size_t place = (size_t)(set.tensors[i].bytes - set.files[0].bytes);
        assert_int_equal(place % dtype_bytes(set.tensors[i].dtype), 0);
    }
    safetensors_close(&set);
    folder_remove(folder);
}

static void missing_and_wrong_tensors_are_named(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    char text[1200];
    Safetensors set;
    Error missing = {0};
    Error wrong = {0};
    Error type = {0};
    Error err = {0};
    float floats[6] = {0};
    int32_t ints[6] = {0};
    folder_make(folder);
    save_tensors(folder_path(folder, "x.safetensors", path));
    support_require(safetensors_open(&set, path, &err), &err);
    const Shape shape = {"TC", {2, 3}};
    assert_false(safetensors_read_floats(&set, "absent", &shape, floats, &missing));
    snprintf(text, sizeof text,
             "%s: expected a tensor \"absent\" of shape (2,3), found none of that name", path);
    assert_string_equal(missing.text, text);
    assert_false(safetensors_read_floats(&set, "full", &shape, floats, &wrong));
    snprintf(text, sizeof text, "%s: tensor \"full\": expected shape (2,3), found (3,2)", path);
    assert_string_equal(wrong.text, text);
    assert_false(safetensors_copy_ints(safetensors_find(&set, "half"), ints, &type));
    assert_non_null(strstr(type.text, "tensor \"half\": expected integers, found F16"));
    safetensors_close(&set);
    folder_remove(folder);
}

static void the_same_tensors_give_the_same_bytes(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    FileBytes first;
    FileBytes second;
    Error err = {0};
    folder_make(folder);
    folder_path(folder, "x", path);
    save_tensors(path);
    support_require(file_read(&first, path, 0, &err), &err);
    save_tensors(path);
    support_require(file_read(&second, path, 0, &err), &err);
    assert_int_equal(first.size_bytes, second.size_bytes);
    assert_memory_equal(first.bytes, second.bytes, first.size_bytes);
    uint64_t length;
    memcpy(&length, first.bytes, sizeof length);
    assert_int_equal(length % 8, 0);
    file_close(&first);
    file_close(&second);
    folder_remove(folder);
}

static void names_must_differ(void **state) {
    (void)state;
    NamedTensor tensors[5];
    Error twice = {0};
    Error taken = {0};
    make_tensors(tensors);
    tensors[4].name = "half";
    assert_false(safetensors_save("/dev/null", tensors, 5, NULL, 0, &twice));
    assert_string_equal(twice.text, "tensor \"half\": expected each name once, found it twice");
    tensors[4].name = "__metadata__";
    assert_false(safetensors_save("/dev/null", tensors, 5, NULL, 0, &taken));
    assert_non_null(strstr(taken.text, "is taken by the file format"));
}

// ---- folders of shards

static void save_text(const char *folder, const char *name, const char *text) {
    char path[FOLDER_PATH_BYTES];
    Error err = {0};
    support_require(file_save(folder_path(folder, name, path), text, strlen(text), &err), &err);
}

static void save_shard(const char *folder, const char *name, const char *tensor, float value) {
    char path[FOLDER_PATH_BYTES];
    Error err = {0};
    NamedTensor one = tensor_data_named(tensor, &(Shape){"T", {1}}, DTYPE_F32, &value);
    support_require(safetensors_save(folder_path(folder, name, path), &one, 1, NULL, 0, &err),
                    &err);
}

static void assert_index_refused(const char *folder, const char *index, const char *sentence) {
    Safetensors set;
    Error err = {0};
    save_text(folder, "model.safetensors.index.json", index);
    assert_false(safetensors_open(&set, folder, &err));
    if (strstr(err.text, sentence) == NULL) {
        fail_msg("expected \"%s\", found \"%s\"", sentence, err.text);
    }
}

static void shards_open_as_one_set(void **state) {
    (void)state;
    static const char index[] = "{\"metadata\": {\"total_size\": 8}, \"weight_map\": "
                                "{\"a\": \"1.safetensors\", \"b\": \"2.safetensors\"}}";
    const Shape shape = {"T", {1}};
    char folder[FOLDER_PATH_BYTES];
    Safetensors set;
    Error err = {0};
    Error none = {0};
    float value = 0;
    folder_make(folder);
    assert_false(safetensors_open(&set, folder, &none));
    assert_non_null(strstr(none.text, "found neither"));
    save_shard(folder, "1.safetensors", "a", 1.5F);
    save_shard(folder, "2.safetensors", "b", 2.5F);
    save_text(folder, "model.safetensors.index.json", index);
    support_require(safetensors_open(&set, folder, &err), &err);
    assert_int_equal(set.n_files, 2);
    support_require(safetensors_read_floats(&set, "b", &shape, &value, &err), &err);
    assert_true(value == 2.5F);
    safetensors_close(&set);

    assert_index_refused(folder, "{}", "expected an object \"weight_map\"");
    assert_index_refused(folder, "{\"weight_map\": {\"a\": \"../1.safetensors\"}}",
                         "expected the name of a file in the same folder");
    assert_index_refused(folder, "{\"weight_map\": {\"a\": \"3.safetensors\"}}", "No such file");
    assert_index_refused(folder,
                         "{\"weight_map\": {\"b\": \"1.safetensors\", \"a\": \"2.safetensors\"}}",
                         "tensor \"b\" is not in 1.safetensors");
    save_shard(folder, "2.safetensors", "a", 2.5F);
    assert_index_refused(folder, index, "is also in");
    folder_remove(folder);
}

// ---- mutations: whatever stands in a header, it is refused with a sentence or safe to use

static uint32_t draw(uint32_t *state, uint32_t below) {
    *state = *state * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)*state * below >> 32);
}

static const char FUZZ_HEADER[] =
    "{\"__metadata__\":{\"format\":\"pt\"}," ENTRY("a.weight", "F32", "2,3", 0, 24) "," ENTRY(
        "b", "I64", "1", 24, 32) "," ENTRY("c", "BF16", "0,4", 32, 32) "," ENTRY("d", "F16", "", 32,
                                                                                 34) "}   ";

// Changes the header a few times; its length stays right, so that the parser gets to see it.
static void mutate(char *header, size_t capacity, uint32_t *random) {
    static const char bits[] = "{}[],:\"\\-+.0123456789eE \n\xff\x80u/ntf";
    static const char *const pieces[] = {"18446744073709551616",
                                         "9223372036854775807",
                                         "-1",
                                         "[[[[",
                                         "\"dtype\":",
                                         "\"shape\":[4611686018427387904,2]",
                                         "null",
                                         "34",
                                         "1e400",
                                         "\\u0000",
                                         "\"a.weight\":{}",
                                         "0,0,0,0,0,0,0,0"};
    for (uint32_t n = 1 + draw(random, 3); n > 0; n--) {
        size_t length = strlen(header);
        size_t at = draw(random, (uint32_t)length);
        const char *piece = pieces[draw(random, sizeof pieces / sizeof pieces[0])];
        size_t cut = 1 + draw(random, 6);
        switch (draw(random, 4)) {
        case 0: // another character
            header[at] = bits[draw(random, sizeof bits - 1)];
            break;
        case 1: // a piece put in
            if (length + strlen(piece) < capacity) {
                memmove(header + at + strlen(piece), header + at, length - at + 1);
                memcpy(header + at, piece, strlen(piece));
            }
            break;
        case 2: // some taken out
            cut = cut < length - at ? cut : length - at;
            memmove(header + at, header + at + cut, length - at - cut + 1);
            break;
        default: // another digit
            at += strcspn(header + at, "0123456789");
            if (header[at] != '\0') {
                header[at] = (char)('0' + draw(random, 10));
            }
            break;
        }
        if (header[0] == '\0') {
            return;
        }
    }
}

// Reads every number that the set says it has.
static void use_tensors(const Safetensors *set, size_t n_data) {
    size_t total = 0;
    for (int i = 0; i < set->n_tensors; i++) {
        const StoredTensor *tensor = &set->tensors[i];
        Error err = {0};
        void *values = malloc(tensor->count * sizeof(float) + 1);
        assert_non_null(values);
        assert_ptr_equal(safetensors_find(set, tensor->name), tensor);
        if (dtype_is_float(tensor->dtype)) {
            support_require(safetensors_copy_floats(tensor, values, &err), &err);
        } else {
            (void)safetensors_copy_ints(tensor, values, &err);
        }
        total += tensor->size_bytes;
        free(values);
    }
    assert_int_equal(total, n_data);
}

static void mutated_headers_are_refused_or_safe(void **state) {
    (void)state;
    enum { ROUNDS = 6000, CAPACITY = 1024, DATA = 34 };
    uint32_t random = 2017;
    int n_accepted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char header[CAPACITY];
        Safetensors set;
        Error err = {0};
        size_t size = 0;
        memcpy(header, FUZZ_HEADER, sizeof FUZZ_HEADER);
        mutate(header, CAPACITY, &random);
        unsigned char *bytes = make_file(header, DATA, &size);
        if (draw(&random, 16) == 0) { // now and then the length lies, or the file is cut
            bytes[draw(&random, 8)] ^= (unsigned char)(1U << draw(&random, 8));
        } else if (draw(&random, 16) == 0) {
            size = draw(&random, (uint32_t)size);
            unsigned char *shorter = malloc(size > 0 ? size : 1); // so that ASan sees a step beyond
            assert_non_null(shorter);
            memcpy(shorter, bytes, size);
            free(bytes);
            bytes = shorter;
        }
        if (safetensors_open_bytes(&set, "x", bytes, size, &err)) {
            use_tensors(&set, DATA);
            safetensors_close(&set);
            n_accepted++;
        } else {
            assert_true(error_is_set(&err));
            assert_null(strchr(err.text, '\n'));
        }
        free(bytes);
    }
    assert_in_range(n_accepted, 1, ROUNDS / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unusual_files_are_accepted),
        cmocka_unit_test(offsets_that_lie_are_refused),
        cmocka_unit_test(shapes_that_overflow_are_refused),
        cmocka_unit_test(headers_that_are_something_else_are_refused),
        cmocka_unit_test(deep_headers_are_refused),
        cmocka_unit_test(the_length_is_checked_before_it_is_used),
        cmocka_unit_test(half_precision_is_exact_both_ways),
        cmocka_unit_test(rounding_is_to_nearest_even),
        cmocka_unit_test(integers_of_every_width_are_read),
        cmocka_unit_test(saved_tensors_come_back),
        cmocka_unit_test(missing_and_wrong_tensors_are_named),
        cmocka_unit_test(the_same_tensors_give_the_same_bytes),
        cmocka_unit_test(names_must_differ),
        cmocka_unit_test(shards_open_as_one_set),
        cmocka_unit_test(mutated_headers_are_refused_or_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
