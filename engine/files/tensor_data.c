// tensor_data.c - the number types that files hold, and a tensor on its way into a file.
#include "engine/files/tensor_data.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian, and so are we");

static const struct {
    const char *name;
    size_t bytes;
} DTYPES[DTYPE_COUNT] = {
#define X(name, bytes) [DTYPE_##name] = {#name, bytes},
    DTYPE_LIST(X)
#undef X
};

const char *dtype_name(Dtype dtype) {
    return DTYPES[dtype].name;
}

size_t dtype_bytes(Dtype dtype) {
    return DTYPES[dtype].bytes;
}

bool dtype_find(const char *name, Dtype *dtype) {
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (strcmp(DTYPES[i].name, name) == 0) {
            *dtype = (Dtype)i;
            return true;
        }
    }
    return false;
}

bool dtype_is_float(Dtype dtype) {
    return dtype == DTYPE_F32 || dtype == DTYPE_F16 || dtype == DTYPE_BF16 || dtype == DTYPE_F64;
}

bool dtype_is_integer(Dtype dtype) {
    return !dtype_is_float(dtype) && dtype != DTYPE_F8_E4M3 && dtype != DTYPE_F8_E5M2;
}

static float float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_from_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Half precision (IEEE 754): sign, 5 bits of exponent (bias 15), 10 of fraction.
float dtype_float_from_f16(uint16_t bits) {
    uint32_t sign = (uint32_t)(bits & 0x8000U) << 16;
    uint32_t exponent = bits >> 10 & 0x1fU;
    uint32_t fraction = bits & 0x3ffU;
    if (exponent == 0x1f) {
        return float_from_bits(sign | 0x7f800000U | fraction << 13);
    }
    if (exponent == 0) { // zero or subnormal: fraction * 2^-24, exact in float32
        float value = (float)fraction * 0x1p-24F;
        return sign != 0 ? -value : value;
    }
    return float_from_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

float dtype_float_from_bf16(uint16_t bits) {
    return float_from_bits((uint32_t)bits << 16);
}

uint16_t dtype_f16_from_float(float value) {
    uint32_t bits = bits_from_float(value);
    uint32_t sign = bits >> 16 & 0x8000U;
    uint32_t rest = bits & 0x7fffffffU;
    if (rest > 0x7f800000U) { // NaN: kept quiet, with what fits of its payload
        return (uint16_t)(sign | 0x7e00U | (rest >> 13 & 0x3ffU));
    }
    if (rest >= 0x477ff000U) { // 65520 and more rounds to infinity
        return (uint16_t)(sign | 0x7c00U);
    }
    if (rest < 0x38800000U) { // below 2^-14: a multiple of 2^-24, which lrintf rounds to even
        float steps = float_from_bits(rest) * 0x1p24F;
        return (uint16_t)(sign | (uint32_t)lrintf(steps));
    }
    // A carry out of the fraction moves into the exponent, as it should.
    uint32_t rounded = rest + 0xfffU + (rest >> 13 & 1U) - ((127U - 15U) << 23);
    return (uint16_t)(sign | rounded >> 13);
}

uint16_t dtype_bf16_from_float(float value) {
    uint32_t bits = bits_from_float(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) {
        return (uint16_t)(bits >> 16 | 0x40U); // quiet, so that it does not become infinite
    }
    return (uint16_t)((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

// Copies number i out of bytes of any alignment.
#define NUMBER_AT(type, bytes, i, number)                                                          \
    type number;                                                                                   \
    memcpy(&(number), (bytes) + (i) * sizeof(number), sizeof(number))

void tensor_data_to_floats(float *values, const unsigned char *bytes, Dtype dtype, size_t count) {
    assert(dtype_is_float(dtype));
    if (count == 0) {
        return;
    }
    if (dtype == DTYPE_F32) {
        memcpy(values, bytes, count * sizeof *values);
        return;
    }
    if (dtype == DTYPE_F64) {
        for (size_t i = 0; i < count; i++) {
            NUMBER_AT(double, bytes, i, number);
            values[i] = (float)number;
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        NUMBER_AT(uint16_t, bytes, i, bits);
        values[i] = dtype == DTYPE_F16 ? dtype_float_from_f16(bits) : dtype_float_from_bf16(bits);
    }
}

static void note_first(size_t n_before, size_t i, size_t *first) {
    if (n_before == 0 && first != NULL) {
        *first = i;
    }
}

size_t tensor_data_overflows(const unsigned char *bytes, Dtype dtype, size_t count, size_t *first) {
    size_t n = 0;
    for (size_t i = 0; dtype == DTYPE_F64 && i < count; i++) { // the others hold less than float32
        NUMBER_AT(double, bytes, i, number);
        if (isfinite(number) && !isfinite((float)number)) {
            note_first(n++, i, first);
        }
    }
    return n;
}

static uint16_t narrow_bits(Dtype dtype, float value) {
    return dtype == DTYPE_F16 ? dtype_f16_from_float(value) : dtype_bf16_from_float(value);
}

static bool overflows(Dtype dtype, float value) {
    uint16_t bits = narrow_bits(dtype, value);
    uint16_t exponent = dtype == DTYPE_F16 ? 0x7c00U : 0x7f80U;
    return isfinite(value) && (bits & 0x7fffU) == exponent;
}

size_t dtype_overflows(Dtype dtype, const float *values, size_t count, size_t *first) {
    size_t n = 0;
    bool is_narrow = dtype == DTYPE_F16 || dtype == DTYPE_BF16;
    for (size_t i = 0; is_narrow && i < count; i++) {
        if (overflows(dtype, values[i])) {
            note_first(n++, i, first);
        }
    }
    return n;
}

size_t dtype_vanishes(Dtype dtype, const float *values, size_t count, size_t *first) {
    size_t n = 0;
    bool is_narrow = dtype == DTYPE_F16 || dtype == DTYPE_BF16;
    for (size_t i = 0; is_narrow && i < count; i++) {
        if (values[i] != 0.0F && (narrow_bits(dtype, values[i]) & 0x7fffU) == 0) {
            note_first(n++, i, first);
        }
    }
    return n;
}

size_t dtype_not_finite(Dtype dtype, const float *values, size_t count, size_t *first) {
    (void)dtype;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            note_first(n++, i, first);
        }
    }
    return n;
}

// Number i as int64_t; a U64 beyond that gives the largest, which int32 does not hold either.
static int64_t integer_at(const unsigned char *bytes, Dtype dtype, size_t i) {
    size_t width = dtype_bytes(dtype);
    uint64_t number = 0;
    memcpy(&number, bytes + i * width, width);
    if (dtype == DTYPE_I8 || dtype == DTYPE_I16 || dtype == DTYPE_I32) {
        uint64_t sign = 1ULL << (8 * width - 1);
        return (int64_t)((number ^ sign) - sign);
    }
    return dtype == DTYPE_U64 && number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

bool tensor_data_to_ints(int32_t *values, const unsigned char *bytes, Dtype dtype, size_t count,
                         size_t *bad) {
    assert(dtype_is_integer(dtype));
    for (size_t i = 0; i < count; i++) {
        int64_t number = integer_at(bytes, dtype, i);
        if (number < INT32_MIN || number > INT32_MAX) {
            if (bad != NULL) {
                *bad = i;
            }
            return false;
        }
        values[i] = (int32_t)number;
    }
    return true;
}

NamedTensor tensor_data_named(const char *name, const Shape *shape, Dtype dtype,
                              const void *values) {
    NamedTensor tensor = {
        .name = name, .dtype = dtype, .rank = shape_rank(shape), .values = values};
    memcpy(tensor.sizes, shape->sizes, (size_t)tensor.rank * sizeof tensor.sizes[0]);
    return tensor;
}

size_t tensor_data_count(const NamedTensor *tensor) {
    size_t count = 1;
    for (int i = 0; i < tensor->rank; i++) {
        count *= (size_t)tensor->sizes[i];
    }
    return count;
}

void tensor_data_encode(const NamedTensor *tensor, size_t first, size_t count,
                        unsigned char *bytes) {
    assert(tensor->dtype == DTYPE_F32 || tensor->dtype == DTYPE_I32 || tensor->dtype == DTYPE_F16 ||
           tensor->dtype == DTYPE_BF16);
    if (count == 0) {
        return;
    }
    const float *floats = tensor->values;
    if (tensor->dtype == DTYPE_F32 || tensor->dtype == DTYPE_I32) { // both have 4 bytes
        memcpy(bytes, floats + first, count * sizeof *floats);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        float value = floats[first + i];
        uint16_t bits =
            tensor->dtype == DTYPE_F16 ? dtype_f16_from_float(value) : dtype_bf16_from_float(value);
        memcpy(bytes + i * sizeof bits, &bits, sizeof bits);
    }
}

const char *tensor_data_sizes_text(const int64_t *sizes, int rank,
                                   char text[TENSOR_DATA_SIZES_BYTES]) {
    size_t used = (size_t)snprintf(text, TENSOR_DATA_SIZES_BYTES, "(");
    for (int i = 0; i < rank; i++) {
        used += (size_t)snprintf(text + used, TENSOR_DATA_SIZES_BYTES - used,
                                 i == 0 ? "%lld" : ",%lld", (long long)sizes[i]);
    }
    snprintf(text + used, TENSOR_DATA_SIZES_BYTES - used, ")");
    return text;
}
