// support.h - what every test program needs before cmocka, and helpers they share.
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/error.h"
#include "engine/devices/device.h"

// Fails the test with the sentence of err when `ok` is false.
void support_require(bool ok, const Error *err);

// What a test computes with: the CPU, or the device that ATTEND_TEST_DEVICE names. The caller's,
// for device_close.
Device *support_device_open(int n_threads);

// True where a text as the screen writes numbers, "-0.41", "1.2e-5", "≈0", "-∞", is that value as
// far as its digits go.
bool support_says(const char *text, double value);

#endif
