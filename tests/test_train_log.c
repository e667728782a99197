// test_train_log.c - log.jsonl is cut where a run goes on; event files are what TensorBoard reads.
#include "tests/support.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/train/tensorboard.h"
#include "app/train/train_log.h"
#include "engine/base/file.h"
#include "engine/files/json_text.h"

enum { PATH_BYTES = 256 };

static int open_folder(void **state) {
    char *folder = calloc(1, PATH_BYTES);
    snprintf(folder, PATH_BYTES, "/tmp/attend-log-XXXXXX");
    assert_non_null(mkdtemp(folder));
    *state = folder;
    return 0;
}

static int close_folder(void **state) {
    char command[PATH_BYTES + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a folder of our own
    free(*state);
    return 0;
}

// ---- event files

static void the_checksum_is_castagnolis(void **state) {
    (void)state;
    // RFC 3720, B.4: 32 bytes of 0, of 255, and rising; and the customary check value.
    unsigned char bytes[32] = {0};
    assert_int_equal(tensorboard_crc(bytes, 32), 0x8A9136AA);
    memset(bytes, 0xFF, sizeof bytes);
    assert_int_equal(tensorboard_crc(bytes, 32), 0x62A8AB43);
    for (int i = 0; i < 32; i++) {
        bytes[i] = (unsigned char)i;
    }
    assert_int_equal(tensorboard_crc(bytes, 32), 0x46DD794E);
    assert_int_equal(tensorboard_crc((const unsigned char *)"123456789", 9), 0xE3069283);
}

typedef struct Reader {
    const unsigned char *at;
    const unsigned char *end;
} Reader;

static uint64_t read_varint(Reader *reader) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        assert_true(reader->at < reader->end);
        unsigned char byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
}

static Reader read_bytes(Reader *reader, size_t n) {
    assert_true((size_t)(reader->end - reader->at) >= n);
    Reader bytes = {reader->at, reader->at + n};
    reader->at += n;
    return bytes;
}

static void require_number(Reader *reader, uint64_t expected) {
    assert_int_equal(read_varint(reader), expected);
}

// A record's data; both checksums are held against it.
static Reader read_record(Reader *file) {
    uint64_t length = 0;
    uint32_t crc = 0;
    Reader head = read_bytes(file, 8);
    memcpy(&length, head.at, 8);
    memcpy(&crc, read_bytes(file, 4).at, 4);
    assert_int_equal(crc, tensorboard_masked_crc(head.at, 8));
    Reader data = read_bytes(file, length);
    memcpy(&crc, read_bytes(file, 4).at, 4);
    assert_int_equal(crc, tensorboard_masked_crc(data.at, length));
    require_number(&data, 1 << 3 | 1); // wall_time, double
    double seconds = 0.0;
    memcpy(&seconds, read_bytes(&data, 8).at, 8);
    assert_true(seconds > 1e9 && seconds < 1e11);
    return data;
}

static void require_scalar(Reader *file, uint64_t step, const char *tag, float value) {
    Reader event = read_record(file);
    float found = 0.0F;
    require_number(&event, 2 << 3); // step, varint
    require_number(&event, step);
    require_number(&event, 5 << 3 | 2); // summary
    Reader summary = read_bytes(&event, read_varint(&event));
    assert_true(event.at == event.end);
    require_number(&summary, 1 << 3 | 2); // value
    Reader entry = read_bytes(&summary, read_varint(&summary));
    assert_true(summary.at == summary.end);
    require_number(&entry, 1 << 3 | 2); // tag
    Reader name = read_bytes(&entry, read_varint(&entry));
    assert_int_equal(name.end - name.at, strlen(tag));
    assert_memory_equal(name.at, tag, strlen(tag));
    require_number(&entry, 2 << 3 | 5); // simple_value, float
    memcpy(&found, read_bytes(&entry, 4).at, 4);
    assert_true(found == value);
    assert_true(entry.at == entry.end);
}

static void find_file(const char *folder, const char *begin, char path[2 * PATH_BYTES]) {
    DIR *entries = opendir(folder);
    path[0] = '\0';
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0) {
            snprintf(path, 2 * PATH_BYTES, "%s/%.200s", folder, entry->d_name);
        }
    }
    closedir(entries);
    assert_true(path[0] != '\0');
}

static void an_event_file_reads_back(void **state) {
    const char *folder = *state;
    TensorBoard board;
    FileBytes file;
    Error err = {""};
    char path[2 * PATH_BYTES];
    support_require(tensorboard_open(&board, folder, 0, &err), &err);
    tensorboard_scalar(&board, 1, "loss", 2.5);
    tensorboard_scalar(&board, 300, "held_out_loss", 0.1);
    tensorboard_close(&board);
    find_file(folder, "events.out.tfevents.", path);
    support_require(file_read(&file, path, 0, &err), &err);
    Reader reader = {file.bytes, file.bytes + file.size_bytes};
    Reader version = read_record(&reader);
    require_number(&version, 3 << 3 | 2);
    require_number(&version, 13);
    assert_memory_equal(version.at, "brain.Event:2", 13);
    Reader restart = read_record(&reader);
    require_number(&restart, 2 << 3);
    require_number(&restart, 1);          // of a new run, too: a killed one may lie beside it
    require_number(&restart, 7 << 3 | 2); // session_log
    require_number(&restart, 2);
    require_number(&restart, 1 << 3); // status
    require_number(&restart, 1);      // START
    assert_true(restart.at == restart.end);
    require_scalar(&reader, 1, "loss", 2.5F);
    require_scalar(&reader, 300, "held_out_loss", 0.1F);
    assert_true(reader.at == reader.end);
    file_close(&file);
}

// ---- log.jsonl

static void append_steps(const char *folder, int64_t last_step, int64_t first, int64_t last) {
    TrainLog log;
    Error err = {""};
    support_require(train_log_open(&log, folder, last_step, &err), &err);
    for (int64_t step = first; step <= last; step++) {
        TrainLogEntry entry = train_log_entry(step);
        entry.loss = 1.0 / (double)(step + 2);
        support_require(train_log_append(&log, &entry, &err), &err);
    }
    train_log_close(&log);
}

static void require_log(const char *folder, int64_t n_steps) {
    FileBytes file;
    Error err = {""};
    char path[2 * PATH_BYTES];
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    support_require(file_read(&file, path, 0, &err), &err);
    const char *line = (const char *)file.bytes;
    for (int64_t step = 1; step <= n_steps; step++) {
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        json_t *object = json_text_parse(line, (size_t)(end - line), path, &err);
        support_require(object != NULL, &err);
        assert_int_equal(json_integer_value(json_object_get(object, "step")), step);
        assert_true(json_real_value(json_object_get(object, "loss")) == 1.0 / (double)(step + 2));
        assert_null(json_object_get(object, "held_out_loss"));
        json_decref(object);
        line = end + 1;
    }
    assert_int_equal(*line, '\0');
    file_close(&file);
}

static void a_log_is_cut_where_the_run_goes_on(void **state) {
    const char *folder = *state;
    char path[2 * PATH_BYTES];
    append_steps(folder, 0, 1, 9);
    append_steps(folder, 6, 7, 8); // taken up at step 6
    require_log(folder, 8);
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    FILE *file = fopen(path, "a"); // killed within a line
    assert_non_null(file);
    fputs("{\"step\":9,\"lo", file);
    fclose(file);
    append_steps(folder, 8, 9, 10);
    require_log(folder, 10);
}

static void a_sample_is_one_line_whatever_it_says(void **state) {
    const char *folder = *state;
    TrainLog log;
    FileBytes file;
    Error err = {""};
    char path[2 * PATH_BYTES];
    support_require(train_log_open(&log, folder, 0, &err), &err);
    TrainLogEntry entry = train_log_entry(1);
    entry.sample = "one\n\"two\"\x1b[31m";
    support_require(train_log_append(&log, &entry, &err), &err);
    train_log_close(&log);
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    support_require(file_read(&file, path, 0, &err), &err);
    json_t *object = json_text_parse((const char *)file.bytes, file.size_bytes, path, &err);
    support_require(object != NULL, &err);
    assert_string_equal(json_string_value(json_object_get(object, "sample")), entry.sample);
    assert_null(memchr(file.bytes, '\x1b', file.size_bytes));
    json_decref(object);
    file_close(&file);
}

static void a_line_reads_back(void **state) {
    const char *folder = *state;
    TrainLog log;
    TrainLogEntry read;
    FileBytes file;
    Error err = {""};
    json_t *object = NULL;
    char path[2 * PATH_BYTES];
    TrainLogEntry entry = {.step = 7,
                           .loss = 1.0 / 3.0,
                           .held_out_loss = 2.0 / 3.0,
                           .lr = 0.25,
                           .norm = 1.0 / 7.0,
                           .tokens_per_second = 512.0,
                           .seconds = 12.5,
                           .matrix_share = 0.75,
                           .n_steps = 60,
                           .sample = "a \"b\""};
    support_require(train_log_open(&log, folder, 0, &err), &err);
    support_require(train_log_append(&log, &entry, &err), &err);
    train_log_close(&log);
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    support_require(file_read(&file, path, 0, &err), &err);
    assert_true(train_log_read(&read, &object, (const char *)file.bytes, file.size_bytes - 1));
    assert_string_equal(read.sample, entry.sample);
    read.sample = entry.sample;
    assert_memory_equal(&read, &entry, sizeof read);
    json_decref(object);
    file_close(&file);
    assert_true(train_log_read(&read, &object, "{\"step\":3}", 10));
    assert_true(isnan(read.loss) && isnan(read.held_out_loss) && isnan(read.matrix_share));
    assert_int_equal(read.n_steps, 0);
    assert_null(read.sample);
    json_decref(object);
    assert_false(train_log_read(&read, &object, "{\"loss\":3}", 10));
    assert_null(object);
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checksum_is_castagnolis),
        FOLDER_TEST(an_event_file_reads_back),
        FOLDER_TEST(a_log_is_cut_where_the_run_goes_on),
        FOLDER_TEST(a_sample_is_one_line_whatever_it_says),
        FOLDER_TEST(a_line_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
