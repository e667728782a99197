// support_log.h - the logs of two runs, compared.
#ifndef TESTS_SUPPORT_LOG_H
#define TESTS_SUPPORT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/file.h"

// Whether two log.jsonl tell the same but for the time it took. *step is the first that differs, -1
// where only the lengths do.
bool support_log_is_same(const FileBytes *a, const FileBytes *b, int64_t *step);

#endif
