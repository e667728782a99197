// test_file.c - files are read whole and written whole or not at all.
#include "engine/base/utf8.h"
#include "tests/support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "tests/folder.h"

typedef struct Place {
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
} Place;

static Place place;

static int make_place(void **state) {
    folder_make(place.folder);
    folder_path(place.folder, "file", place.path);
    *state = &place;
    return 0;
}

static int remove_place(void **state) {
    folder_remove(((Place *)*state)->folder);
    return 0;
}

static void assert_holds(const char *path, const char *text) {
    FileBytes file;
    Error err = {0};
    support_require(file_read(&file, path, 0, &err), &err);
    assert_int_equal(file.size_bytes, strlen(text));
    assert_string_equal((const char *)file.bytes, text);
    file_close(&file);
}

static void save_text(const char *path, const char *text) {
    Error err = {0};
    support_require(file_save(path, text, strlen(text), &err), &err);
}

static void what_was_saved_is_read_and_mapped(void **state) {
    const Place *at = *state;
    FileBytes file;
    Error err = {0};
    save_text(at->path, "first");
    assert_holds(at->path, "first");
    save_text(at->path, "second one");
    support_require(file_map(&file, at->path, &err), &err);
    assert_int_equal(file.size_bytes, 10);
    assert_memory_equal(file.bytes, "second one", 10);
    assert_true(file.is_mapped);
    file_close(&file);
    assert_int_equal(folder_count(at->folder), 1);
}

static void a_device_without_end_is_refused(void **state) {
    (void)state;
    FileBytes file;
    Error read = {0};
    Error map = {0};
    if (!file_exists("/dev/zero")) {
        printf("skipped: no /dev/zero\n");
        return;
    }
    assert_false(file_read(&file, "/dev/zero", 0, &read));
    assert_non_null(strstr(read.text, "expected at most 67108864 bytes, found more"));
    assert_false(file_map(&file, "/dev/zero", &map));
    assert_string_equal(map.text, read.text);
}

static void an_empty_file_is_no_fault_here(void **state) {
    const Place *at = *state;
    FileBytes file;
    Error err = {0};
    save_text(at->path, "");
    support_require(file_map(&file, at->path, &err), &err);
    assert_int_equal(file.size_bytes, 0);
    assert_non_null(file.bytes);
    file_close(&file);
    assert_holds(at->path, "");
}

static void faults_of_reading_name_the_file(void **state) {
    const Place *at = *state;
    FileBytes file;
    Error missing = {0};
    Error folder = {0};
    Error big = {0};
    assert_false(file_read(&file, at->path, 0, &missing));
    assert_non_null(strstr(missing.text, "/file: cannot read: No such file"));
    assert_false(file_map(&file, at->folder, &folder));
    assert_non_null(strstr(folder.text, "expected a file, found a folder"));
    save_text(at->path, "123456");
    assert_false(file_read(&file, at->path, 5, &big));
    assert_non_null(strstr(big.text, "expected at most 5 bytes, found 6"));
    assert_null(file.bytes);
}

static void an_abandoned_file_leaves_the_old_one(void **state) {
    const Place *at = *state;
    FileWriter writer;
    Error err = {0};
    save_text(at->path, "old");
    support_require(file_writer_open(&writer, at->path, &err), &err);
    assert_in_range(folder_count(at->folder), 1, 2); // the new one may have no name yet
    file_writer_text(&writer, "new");
    assert_holds(at->path, "old");
    file_writer_abandon(&writer);
    file_writer_abandon(&writer);
    assert_holds(at->path, "old");
    assert_int_equal(folder_count(at->folder), 1);
}

static void what_a_dead_writer_left_is_removed(void **state) {
    const Place *at = *state;
    char own[64];
    snprintf(own, sizeof own, ".attend-%ld-0.tmp", (long)getpid());
    const char *const names[] = {".attend-2147483646-3.tmp", own, ".attend-1x-0.tmp", "file"};
    char path[FOLDER_PATH_BYTES];
    for (int i = 0; i < 4; i++) {
        folder_path(at->folder, names[i], path);
        save_text(path, "part");
    }
    file_remove_leftovers(at->folder); // no process has the first one's number
    assert_int_equal(folder_count(at->folder), 3);
    folder_path(at->folder, names[0], path);
    assert_false(file_exists(path));
}

static void a_failed_write_is_told_by_commit(void **state) {
    const Place *at = *state;
    FileWriter writer;
    Error err = {0};
    save_text(at->path, "old");
    support_require(file_writer_open(&writer, at->path, &err), &err);
    int good = writer.descriptor;
    writer.descriptor = open(at->path, O_RDONLY); // every write to it fails
    file_writer_text(&writer, "new");
    assert_false(file_writer_commit(&writer, &err));
    assert_non_null(strstr(err.text, "/file: cannot write: Bad file descriptor"));
    close(good);
    assert_holds(at->path, "old");
    assert_int_equal(folder_count(at->folder), 1);
}

static void a_full_device_is_told(void **state) {
    (void)state;
    FileWriter writer;
    Error err = {0};
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full\n");
        return;
    }
    support_require(file_writer_open(&writer, "/dev/full", &err), &err);
    assert_true(writer.is_direct);
    file_writer_text(&writer, "text");
    assert_false(file_writer_commit(&writer, &err));
    assert_string_equal(err.text, "/dev/full: cannot write: No space left on device");
}

static void big_writes_arrive_whole(void **state) {
    const Place *at = *state;
    enum { SIZE = 300 * 1000 };
    FileWriter writer;
    FileBytes file;
    Error err = {0};
    unsigned char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (unsigned char)(i * 7 % 251);
    }
    support_require(file_writer_open(&writer, at->path, &err), &err);
    file_writer_write(&writer, bytes, 1);
    file_writer_write(&writer, bytes + 1, 70000);
    for (size_t i = 70001; i < SIZE; i++) {
        file_writer_write(&writer, bytes + i, 1);
    }
    assert_int_equal(writer.written_bytes, SIZE);
    support_require(file_writer_commit(&writer, &err), &err);
    support_require(file_map(&file, at->path, &err), &err);
    assert_int_equal(file.size_bytes, SIZE);
    assert_memory_equal(file.bytes, bytes, SIZE);
    file_close(&file);
    free(bytes);
}

static void symbolic_links_stay_links(void **state) {
    const Place *at = *state;
    char link[FOLDER_PATH_BYTES];
    char dangling[FOLDER_PATH_BYTES];
    char made[FOLDER_PATH_BYTES];
    struct stat info;
    folder_path(at->folder, "link", link);
    folder_path(at->folder, "dangling", dangling);
    folder_path(at->folder, "made", made);
    save_text(at->path, "old");
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(symlink(made, dangling), 0);
    save_text(link, "new");
    save_text(dangling, "made");
    assert_holds(at->path, "new");
    assert_holds(made, "made");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(dangling, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

// Its checksums would no longer fit, and nobody could go on from it.
static void a_checkpoint_is_not_written_into(void **state) {
    const Place *at = *state;
    char path[FOLDER_PATH_BYTES];
    char link[FOLDER_PATH_BYTES];
    char elsewhere[FOLDER_PATH_BYTES];
    save_text(at->path, "weights");
    save_text(folder_path(at->folder, "optimizer.safetensors", path), "x");
    save_text(at->path, "whole"); // not before it has its state
    save_text(folder_path(at->folder, "state.json", path), "{}");
    folder_make(elsewhere);
    assert_int_equal(symlink(at->path, folder_path(elsewhere, "link", link)), 0);
    const char *const PATHS[] = {at->path, link, folder_path(at->folder, "new", path)};
    for (size_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; i++) {
        FileWriter writer;
        Error err = {""};
        assert_false(file_writer_open(&writer, PATHS[i], &err));
        assert_non_null(strstr(err.text, "checkpoint of a run"));
    }
    assert_holds(at->path, "whole");
    folder_remove(elsewhere);
}

static void a_circle_of_links_is_a_sentence(void **state) {
    const Place *at = *state;
    Error err = {0};
    assert_int_equal(symlink("file", at->path), 0);
    assert_false(file_save(at->path, "x", 1, &err));
    assert_non_null(strstr(err.text, "/file: cannot write: Too many levels of symbolic links"));
}

static void the_mode_of_a_replaced_file_is_kept(void **state) {
    const Place *at = *state;
    struct stat info;
    save_text(at->path, "old");
    assert_int_equal(chmod(at->path, 0640), 0);
    save_text(at->path, "new");
    assert_int_equal(stat(at->path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
}

static void where_nothing_can_be_written_is_said(void **state) {
    const Place *at = *state;
    Error folder = {0};
    Error missing = {0};
    Error empty = {0};
    char path[FOLDER_PATH_BYTES];
    assert_false(file_save(at->folder, "x", 1, &folder));
    assert_non_null(strstr(folder.text, "it is a folder, expected the name of a file"));
    assert_false(file_save(folder_path(at->folder, "none/file", path), "x", 1, &missing));
    assert_non_null(strstr(missing.text, "none/file: cannot write: No such file or directory"));
    assert_false(file_save("", "x", 1, &empty));
    assert_non_null(strstr(empty.text, "found an empty one"));
}

static void no_file_but_a_device_is_written_directly(void **state) {
    (void)state;
    struct stat info;
    save_text("/dev/null", "text");
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void a_fifo_is_written_directly(void **state) {
    const Place *at = *state;
    char text[32] = "";
    struct stat info;
    assert_int_equal(mkfifo(at->path, 0600), 0);
    int both = open(at->path, O_RDWR | O_NONBLOCK); // so that neither side waits for the other
    assert_true(both >= 0);
    save_text(at->path, "through the fifo");
    assert_int_equal(read(both, text, sizeof text), 16);
    assert_string_equal(text, "through the fifo");
    close(both);
    assert_int_equal(stat(at->path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
}

static void a_pipe_is_read_to_its_end(void **state) {
    (void)state;
    int ends[2];
    char path[64];
    FileBytes file;
    Error err = {0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "through the pipe", 16), 16);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    support_require(file_map(&file, path, &err), &err);
    assert_int_equal(file.size_bytes, 16);
    assert_false(file.is_mapped);
    assert_memory_equal(file.bytes, "through the pipe", 16);
    file_close(&file);
    close(ends[0]);
}

static void names_from_outside_are_made_harmless(void **state) {
    (void)state;
    static const char turned[] = {'\xe2', '\x80', '\xae', '!', '\0'}; // right to left from here
    char text[FILE_NAME_TEXT_BYTES];
    char longest[400];
    assert_string_equal(file_shown("a\n\x1b[31mb", text), "a\\x0a\\x1b[31mb");
    assert_string_equal(file_shown("d\xc3\xa9j\xc3\xa0 \xe4\xb8\xad", text),
                        "d\xc3\xa9j\xc3\xa0 \xe4\xb8\xad");
    assert_string_equal(file_shown("\xff\xc3", text), "\\xff\\xc3");
    assert_string_equal(file_shown(turned, text), "\\xe2\\x80\\xae!");
    memset(longest, '\n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    file_shown(longest, text);
    assert_true(strlen(text) < FILE_NAME_TEXT_BYTES);
    assert_string_equal(text + strlen(text) - 3, "...");
}

static void folders_are_made_once(void **state) {
    const Place *at = *state;
    bool made = false;
    Error err = {0};
    char inner[FOLDER_PATH_BYTES];
    folder_path(at->folder, "inner", inner);
    support_require(file_make_folder(inner, &made, &err), &err);
    assert_true(made);
    support_require(file_make_folder(inner, &made, &err), &err);
    assert_false(made);
    rmdir(inner);
    save_text(inner, "");
    assert_false(file_make_folder(inner, NULL, &err));
    assert_non_null(strstr(err.text, "expected a folder, found a file"));
}

static void a_text_is_made_in_memory(void **state) {
    (void)state;
    FileWriter writer;
    FileBytes text;
    Error err = {0};
    support_require(file_writer_open_memory(&writer, &err), &err);
    for (int i = 0; i < 20000; i++) {
        file_writer_print(&writer, "%07d\n", i);
    }
    support_require(file_writer_take(&writer, &text, &err), &err);
    assert_int_equal(text.size_bytes, 160000);
    assert_string_equal((const char *)text.bytes + 160000 - 8, "0019999\n");
    file_close(&text);
}

// Python's bytes.decode("utf-8", "replace") of the same bytes, with ? for U+FFFD: random ones, most
// of them such as begin or go on with a character.
static void broken_characters_are_counted_as_unicode_says(void **state) {
    (void)state;
    static const unsigned char BYTES[] = {
        0xBF, 0xFF, 0xBF, 0xA0, 0x5A, 0x8F, 0x8F, 0x5A, 0x9F, 0xF4, 0xFF, 0xE1, 0xE6, 0x97,
        0xA5, 0xC3, 0xA9, 0x20, 0xDF, 0x61, 0xE0, 0x2B, 0x90, 0xE0, 0xF5, 0x8F, 0xBF, 0xE6,
        0x97, 0xA5, 0xED, 0xDF, 0xED, 0xF4, 0xA0, 0x90, 0x5A, 0x9F, 0x8F, 0xFF, 0xE6, 0x97,
        0xA5, 0x06, 0x90, 0x80, 0xEF, 0xF4, 0x9F, 0x61, 0x8F, 0x61, 0x9F, 0xED, 0x90, 0x80,
        0x90, 0x80, 0xC2, 0xF1, 0x8F, 0xFF, 0xE1, 0x90, 0xC3, 0xA9, 0xBF, 0x9F, 0xC3, 0xA9,
        0x20, 0xEF, 0x20, 0x90, 0xEF, 0x20, 0x5A, 0xE0, 0x20, 0x8F, 0x9F, 0x5A, 0xC0, 0x90,
        0x20, 0xA0, 0xF0, 0x90, 0xE1, 0xDF, 0x20, 0xA1, 0x90, 0xE6, 0x97, 0xA5,
        0, // the end
    };
    static const char EXPECTED[] = "????Z??Z????日é ?a?+?????日??????Z???日\006???"
                                   "??a?a?퐀??????é??é ? ?? Z? ??Z?? ???? ??日";
    char found[sizeof EXPECTED] = "";
    size_t used = 0;
    for (size_t at = 0; BYTES[at] != 0;) {
        int32_t code = 0;
        const char *text = (const char *)BYTES + at;
        size_t length = utf8_character(text, &code);
        size_t n = code < 0 ? 1 : length;
        assert_true(used + n < sizeof found);
        memcpy(found + used, code < 0 ? "?" : text, n);
        used += n;
        at += length;
    }
    assert_string_equal(found, EXPECTED);
}

#define AT_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        AT_PLACE(what_was_saved_is_read_and_mapped),
        AT_PLACE(a_device_without_end_is_refused),
        AT_PLACE(an_empty_file_is_no_fault_here),
        AT_PLACE(faults_of_reading_name_the_file),
        AT_PLACE(an_abandoned_file_leaves_the_old_one),
        AT_PLACE(what_a_dead_writer_left_is_removed),
        AT_PLACE(a_failed_write_is_told_by_commit),
        cmocka_unit_test(a_full_device_is_told),
        AT_PLACE(big_writes_arrive_whole),
        AT_PLACE(symbolic_links_stay_links),
        AT_PLACE(a_checkpoint_is_not_written_into),
        AT_PLACE(a_circle_of_links_is_a_sentence),
        AT_PLACE(the_mode_of_a_replaced_file_is_kept),
        AT_PLACE(where_nothing_can_be_written_is_said),
        cmocka_unit_test(no_file_but_a_device_is_written_directly),
        AT_PLACE(a_fifo_is_written_directly),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
        cmocka_unit_test(names_from_outside_are_made_harmless),
        cmocka_unit_test(broken_characters_are_counted_as_unicode_says),
        AT_PLACE(folders_are_made_once),
        cmocka_unit_test(a_text_is_made_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
