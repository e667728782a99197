// tensorboard.h - writes event files that TensorBoard reads.
//
// A file is a row of records: length (8 bytes, little-endian), masked CRC-32C of these 8 bytes,
// the data, masked CRC-32C of the data. The data is a protobuf Event: wall_time (1, double), step
// (2, varint), file_version (3) in the first, and summary (5) with value (1) of tag (1) and
// simple_value (2, float); where a run is taken up again session_log (7) with status (1) START (1):
// what earlier files say of its step and those after it is forgotten.
#ifndef APP_TRAIN_TENSORBOARD_H
#define APP_TRAIN_TENSORBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

typedef struct TensorBoard {
    int descriptor;
    bool is_open; // false in a zeroed one
    bool failed;  // a write failed: what follows is not written
} TensorBoard;

// Begins a new file in the folder; several in one folder are one run. steps_done: after which the
// run goes on; 0: a new run.
bool tensorboard_open(TensorBoard *board, const char *folder, int64_t steps_done, Error *err);
void tensorboard_close(TensorBoard *board);

// Takes a closed one, and does nothing then. tag: at most 100 bytes.
void tensorboard_scalar(TensorBoard *board, int64_t step, const char *tag, double value);

// CRC-32C (Castagnoli) and how the format disguises it.
uint32_t tensorboard_crc(const unsigned char *bytes, size_t n);
uint32_t tensorboard_masked_crc(const unsigned char *bytes, size_t n);

#endif
