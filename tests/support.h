// support.h - what every test program needs before cmocka, and helpers they share.
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/error.h"

// Fails the test with the sentence of err when `ok` is false.
void support_require(bool ok, const Error *err);

#endif
