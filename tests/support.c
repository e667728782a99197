// support.c - what every test program needs before cmocka, and helpers they share.
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void support_require(bool ok, const Error *err) {
    if (!ok) {
        fail_msg("%s", err->text[0] != '\0' ? err->text : "failed without a sentence");
    }
}

Device *support_device_open(int n_threads) {
    Error err = {""};
    Device *device = device_open(getenv("ATTEND_TEST_DEVICE"), n_threads, NULL, &err);
    support_require(device != NULL, &err);
    return device;
}

// Half a unit of the last digit that is written.
static double half_unit(const char *text) {
    const char *point = strchr(text, '.');
    const char *exponent = strchr(text, 'e');
    size_t length = exponent != NULL ? (size_t)(exponent - text) : strlen(text);
    int decimals = point != NULL ? (int)(length - (size_t)(point - text)) - 1 : 0;
    int power = exponent != NULL ? (int)strtol(exponent + 1, NULL, 10) : 0;
    return 0.5000001 * pow(10.0, power - decimals);
}

bool support_says(const char *text, double value) {
    if (strcmp(text, "-∞") == 0) {
        return isinf(value) && value < 0.0;
    }
    if (strcmp(text, "≈0") == 0) {
        return fabs(value) < 1e-9;
    }
    char *end = NULL;
    double printed = strtod(text, &end);
    return end != text && fabs(printed - value) <= half_unit(text) + 1e-12;
}
