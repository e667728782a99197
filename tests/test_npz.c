// test_npz.c - what is in a .npz file, and files that are broken in every way.
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "engine/base/buffer.h"
#include "engine/files/inspect_file.h"
#include "engine/files/npz.h"
#include "tests/folder.h"

static void put(Buffer *file, uint64_t number, int n_bytes) {
    for (int i = 0; i < n_bytes; i++, number >>= 8) {
        const char byte = (char)(number & 255);
        buffer_append(file, &byte, 1);
    }
}

// An array of zeros as NumPy writes it.
static void write_npy(Buffer *npy, const char *shape, size_t n_numbers) {
    char text[119];
    static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    const int length = snprintf(text, sizeof text,
                                "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape);
    memset(text + length, ' ', sizeof text - 1 - (size_t)length);
    text[117] = '\n';
    buffer_append(npy, magic, sizeof magic);
    buffer_append(npy, text, 118);
    for (size_t i = 0; i < n_numbers; i++) {
        put(npy, 0, 4);
    }
}

static void pack(const Buffer *from, Buffer *to) {
    z_stream stream = {.next_in = (Bytef *)from->bytes, .avail_in = (uInt)from->length};
    char room[4096];
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_out = (Bytef *)room;
    stream.avail_out = sizeof room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    buffer_append(to, room, sizeof room - stream.avail_out);
    deflateEnd(&stream);
}

// One entry: its local part, and its part of the list. is_wide: with numbers of 64 bits.
static void add_entry(Buffer *file, Buffer *list, const char *name, const Buffer *npy, bool packs,
                      bool is_wide) {
    Buffer data = {0};
    const size_t local = file->length;
    if (packs) {
        pack(npy, &data);
    } else {
        buffer_append(&data, npy->bytes, npy->length);
    }
    const int method = packs ? 8 : 0;
    buffer_append(file, "PK\3\4", 4);
    put(file, 20, 2);
    put(file, 0, 2);
    put(file, (uint64_t)method, 2);
    put(file, 0, 8); // time and sum
    put(file, data.length, 4);
    put(file, npy->length, 4);
    put(file, strlen(name), 2);
    put(file, 0, 2);
    buffer_append_text(file, name);
    buffer_append(file, data.bytes, data.length);
    buffer_append(list, "PK\1\2", 4);
    put(list, 20, 2);
    put(list, 20, 2);
    put(list, 0, 2);
    put(list, (uint64_t)method, 2);
    put(list, 0, 8);
    put(list, is_wide ? 0xffffffff : data.length, 4);
    put(list, is_wide ? 0xffffffff : npy->length, 4);
    put(list, strlen(name), 2);
    put(list, is_wide ? 20 : 0, 2);
    put(list, 0, 10); // comment, disk, attributes
    put(list, local, 4);
    buffer_append_text(list, name);
    if (is_wide) {
        put(list, 1, 2);
        put(list, 16, 2);
        put(list, npy->length, 8);
        put(list, data.length, 8);
    }
    buffer_free(&data);
}

static void write_archive(Buffer *file) {
    Buffer list = {0};
    Buffer npy = {0};
    write_npy(&npy, "(2, 3)", 6);
    add_entry(file, &list, "a.npy", &npy, false, false);
    add_entry(file, &list, "packed.npy", &npy, true, false);
    npy.length = 0;
    write_npy(&npy, "()", 1);
    add_entry(file, &list, "wide.npy", &npy, true, true);
    const size_t at = file->length;
    buffer_append(file, list.bytes, list.length);
    buffer_append(file, "PK\5\6", 4);
    put(file, 0, 4);
    put(file, 3, 2);
    put(file, 3, 2);
    put(file, list.length, 4);
    put(file, at, 4);
    put(file, 0, 2);
    buffer_free(&list);
    buffer_free(&npy);
}

static bool read_archive(const Buffer *file, size_t length, int *n_entries, Error *err) {
    Arena arena = {0};
    NpzEntry *entries = NULL;
    unsigned char *copy = malloc(length + 1); // so that a byte too far is seen
    assert_non_null(copy);
    memcpy(copy, file->bytes, length);
    const bool ok = npz_read(&entries, n_entries, &arena, "x.npz", copy, length, err);
    free(copy);
    arena_free(&arena);
    return ok;
}

static void an_archive_says_what_is_in_it(void **state) {
    (void)state;
    Buffer file = {0};
    InspectFile found = {.n_tensors = 0};
    Error err = {""};
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    write_archive(&file);
    folder_make(folder);
    support_require(buffer_save(&file, folder_path(folder, "x.npz", path), &err) &&
                        inspect_file_open(&found, path, &err),
                    &err);
    assert_int_equal(found.n_tensors, 3);
    assert_int_equal(found.n_numbers, 13);
    assert_string_equal(inspect_file_kind_name(found.kind), "npz");
    const InspectTensor *tensors = found.tensors;
    if (tensors == NULL) {
        fail_msg("it lists no tensors");
        return;
    }
    assert_string_equal(tensors[0].name, "a");
    assert_string_equal(tensors[1].name, "packed");
    assert_int_equal(tensors[1].rank, 2);
    assert_int_equal(tensors[1].sizes[1], 3);
    assert_string_equal(tensors[2].name, "wide");
    assert_int_equal(tensors[2].rank, 0);
    inspect_file_close(&found);
    buffer_free(&file);
    folder_remove(folder);
}

static void one_that_ends_early_is_refused(void **state) {
    (void)state;
    Buffer file = {0};
    write_archive(&file);
    for (size_t length = 0; length < file.length; length++) {
        int n_entries = 0;
        Error err = {""};
        if (read_archive(&file, length, &n_entries, &err) || err.text[0] == '\0') {
            fail_msg("%zu of %zu bytes: %s", length, file.length, err.text);
        }
    }
    buffer_free(&file);
}

// Each byte with other values: what comes is the archive, another one or a sentence.
static void bytes_that_are_broken_do_no_harm(void **state) {
    (void)state;
    static const unsigned char WRONG[] = {0, 1, 0x7f, 0x80, 0xff};
    Buffer file = {0};
    write_archive(&file);
    for (size_t at = 0; at < file.length; at++) {
        const char right = file.bytes[at];
        for (size_t i = 0; i < sizeof WRONG; i++) {
            int n_entries = 0;
            Error err = {""};
            file.bytes[at] = (char)WRONG[i];
            assert_true(read_archive(&file, file.length, &n_entries, &err) != error_is_set(&err));
        }
        file.bytes[at] = right;
    }
    buffer_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_archive_says_what_is_in_it),
        cmocka_unit_test(one_that_ends_early_is_refused),
        cmocka_unit_test(bytes_that_are_broken_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
