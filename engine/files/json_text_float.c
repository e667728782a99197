// json_text_float.c - a float32 as the shortest decimal that reads back to it.
#include "engine/files/json_text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Powers of ten that a double holds exactly, as far as they are needed here.
static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum { LAST_POWER = 22 };

// value = digits * 10^(exponent + 1 - n_digits): exponent is that of the first digit.
typedef struct Decimal {
    uint32_t digits;
    int n_digits;
    int exponent;
} Decimal;

static double scaled(double value, int power) {
    return power >= 0 ? value * POWERS[power] : value / POWERS[-power];
}

// Whether `text_value`, the double nearest to a decimal, rounds to float32 as the decimal itself
// does. Only right between two floats may the rounding to double have hidden on which side the
// decimal is.
static bool rounds_safely(double text_value) {
    uint64_t bits;
    memcpy(&bits, &text_value, sizeof bits);
    return (bits & 0x1fffffffU) != 0x10000000U;
}

// The shortest of 6 to 9 digits that gives `value` back when it is computed in double. Fails where
// a power of ten is not exact, for very small and very big ones, and where double is not enough.
static bool find_decimal(float value, Decimal *decimal) {
    double exact = (double)value;
    int exponent = (int)floor(log10(exact));
    if (FLT_DECIMAL_DIG - 1 - exponent > LAST_POWER || exponent > LAST_POWER) {
        return false;
    }
    for (int n = FLT_DIG; n <= FLT_DECIMAL_DIG; n++) {
        int power = n - 1 - exponent;
        double digits = floor(scaled(exact, power) + 0.5);
        double back = scaled(digits, -power);
        if (!rounds_safely(back)) {
            return false;
        }
        if ((float)back == value) {
            *decimal = (Decimal){(uint32_t)digits, n, exponent};
            if (digits >= POWERS[n]) { // rounded up to one digit more, or the logarithm was
                decimal->n_digits++;
                decimal->exponent++;
            }
            return digits >= POWERS[n - 1];
        }
    }
    return false;
}

static char *append_text(char *at, const char *text, int length) {
    for (int i = 0; i < length; i++) {
        *at++ = text[i];
    }
    return at;
}

// As printf's %g lays them out: plain from 1e-4 up to numbers as long as their digits, else with an
// exponent of two digits.
static void write_decimal(const Decimal *decimal, char *at) {
    char digits[FLT_DECIMAL_DIG + 2] = "";
    int n = decimal->n_digits;
    int exponent = decimal->exponent;
    uint32_t rest = decimal->digits;
    for (int i = n - 1; i >= 0; i--) {
        digits[i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    const bool is_plain = exponent >= -4 && exponent < n;
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    if (!is_plain) {
        at = append_text(at, digits, 1);
        if (n > 1) {
            *at++ = '.';
            at = append_text(at, digits + 1, n - 1);
        }
        *at++ = 'e';
        *at++ = exponent < 0 ? '-' : '+';
        exponent = abs(exponent);
        *at++ = (char)('0' + exponent / 10);
        *at++ = (char)('0' + exponent % 10);
    } else if (exponent < 0) {
        at = append_text(at, "0.000", 1 - exponent);
        at = append_text(at, digits, n);
    } else {
        for (int i = 0; i < n || i <= exponent; i++) {
            if (i == exponent + 1) {
                *at++ = '.';
            }
            *at++ = i < n ? digits[i] : '0';
        }
    }
    *at = '\0';
}

// The slow way, for every number: print with more and more digits until one reads back.
static void search_decimal(float value, char text[JSON_TEXT_FLOAT_BYTES]) {
    // A normal number keeps six digits, so that a decimal of six or fewer is found at once.
    int digits = fabsf(value) < FLT_MIN ? 1 : FLT_DIG;
    for (; digits <= FLT_DECIMAL_DIG; digits++) {
        snprintf(text, JSON_TEXT_FLOAT_BYTES, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) {
            break;
        }
    }
    const char *point = localeconv()->decimal_point;
    char *at = point[0] == '.' ? NULL : strstr(text, point);
    if (at != NULL) {
        size_t length = strlen(point);
        at[0] = '.';
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
}

const char *json_text_float(float value, char text[JSON_TEXT_FLOAT_BYTES]) {
    Decimal decimal;
    char *at = text;
    if (!isfinite(value)) {
        snprintf(text, JSON_TEXT_FLOAT_BYTES, "%s",
                 isnan(value) ? "nan"
                 : value > 0  ? "inf"
                              : "-inf");
        return text;
    }
    if (value == 0.0F || fabsf(value) < FLT_MIN || !find_decimal(fabsf(value), &decimal)) {
        search_decimal(value, text);
        return text;
    }
    if (value < 0) {
        *at++ = '-';
    }
    write_decimal(&decimal, at);
    return text;
}
