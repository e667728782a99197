// support.c - what every test program needs before cmocka, and helpers they share.
#include "tests/support.h"

void support_require(bool ok, const Error *err) {
    if (!ok) {
        fail_msg("%s", err->text[0] != '\0' ? err->text : "failed without a sentence");
    }
}
