// tensorboard.c - writes event files that TensorBoard reads.
#include "app/train/tensorboard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/file.h"

enum { RECORD_BYTES = 256 };

uint32_t tensorboard_crc(const unsigned char *bytes, size_t n) {
    const uint32_t polynomial = 0x82F63B78; // Castagnoli's, its bits turned around
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
        }
    }
    return ~crc;
}

uint32_t tensorboard_masked_crc(const unsigned char *bytes, size_t n) {
    uint32_t crc = tensorboard_crc(bytes, n);
    return (crc >> 15 | crc << 17) + 0xA282EAD8;
}

typedef struct Message {
    unsigned char bytes[RECORD_BYTES];
    size_t n;
} Message;

static void put(Message *message, const void *bytes, size_t n) {
    memcpy(message->bytes + message->n, bytes, n);
    message->n += n;
}

static void put_varint(Message *message, uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        message->bytes[message->n++] = (unsigned char)(value | 0x80);
    }
    message->bytes[message->n++] = (unsigned char)value;
}

enum { WIRE_VARINT = 0, WIRE_DOUBLE = 1, WIRE_BYTES = 2, WIRE_FLOAT = 5 };

static void put_field(Message *message, uint32_t number, uint32_t wire) {
    put_varint(message, number << 3 | wire);
}

static void put_bytes(Message *message, uint32_t number, const void *bytes, size_t n) {
    put_field(message, number, WIRE_BYTES);
    put_varint(message, n);
    put(message, bytes, n);
}

static void begin_event(Message *message, int64_t step) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double seconds = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    put_field(message, 1, WIRE_DOUBLE);
    put(message, &seconds, sizeof seconds);
    if (step > 0) {
        put_field(message, 2, WIRE_VARINT);
        put_varint(message, (uint64_t)step);
    }
}

// In one write, so that a killed program leaves whole records.
static void write_record(TensorBoard *board, const Message *message) {
    unsigned char record[RECORD_BYTES + 16];
    uint64_t length = message->n;
    memcpy(record, &length, 8);
    uint32_t crc = tensorboard_masked_crc(record, 8);
    memcpy(record + 8, &crc, 4);
    memcpy(record + 12, message->bytes, message->n);
    crc = tensorboard_masked_crc(message->bytes, message->n);
    memcpy(record + 12 + message->n, &crc, 4);
    size_t n = message->n + 16;
    board->failed = board->failed || write(board->descriptor, record, n) != (ssize_t)n;
}

static void write_version(TensorBoard *board) {
    Message event = {.n = 0};
    begin_event(&event, 0);
    put_bytes(&event, 3, "brain.Event:2", 13);
    write_record(board, &event);
}

static void write_restart(TensorBoard *board, int64_t step) {
    Message session = {.n = 0};
    put_field(&session, 1, WIRE_VARINT);
    put_varint(&session, 1);
    Message event = {.n = 0};
    begin_event(&event, step);
    put_bytes(&event, 7, session.bytes, session.n);
    write_record(board, &event);
}

bool tensorboard_open(TensorBoard *board, const char *folder, int64_t steps_done, Error *err) {
    char host[64] = "host";
    char name[128];
    *board = (TensorBoard){.descriptor = -1};
    (void)gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "events.out.tfevents.%010lld.%s.%ld", (long long)time(NULL), host,
             (long)getpid());
    char *path = file_join(folder, name);
    board->descriptor =
        path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (board->descriptor < 0) {
        error_set(err, "%s: cannot write: %s", path == NULL ? name : path, strerror(errno));
        free(path);
        return false;
    }
    free(path);
    board->is_open = true;
    write_version(board);
    write_restart(board, steps_done + 1); // of a new run, too: one that was killed may be there
    return true;
}

void tensorboard_close(TensorBoard *board) {
    if (board->is_open) {
        close(board->descriptor);
    }
    *board = (TensorBoard){.descriptor = -1};
}

void tensorboard_scalar(TensorBoard *board, int64_t step, const char *tag, double value) {
    if (!board->is_open || board->failed) {
        return;
    }
    Message entry = {.n = 0};
    float number = (float)value;
    put_bytes(&entry, 1, tag, strnlen(tag, 100));
    put_field(&entry, 2, WIRE_FLOAT);
    put(&entry, &number, sizeof number);
    Message summary = {.n = 0};
    put_bytes(&summary, 1, entry.bytes, entry.n);
    Message event = {.n = 0};
    begin_event(&event, step);
    put_bytes(&event, 5, summary.bytes, summary.n);
    write_record(board, &event);
}
