// tensor_data.h - the number types that files hold, and a tensor on its way into a file.
#ifndef ENGINE_FILES_TENSOR_DATA_H
#define ENGINE_FILES_TENSOR_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/shape.h"

enum { TENSOR_DATA_MAX_RANK = 8, TENSOR_DATA_SIZES_BYTES = 8 * 21 + 3 };

// Name in safetensors files, bytes of one number.
#define DTYPE_LIST(X)                                                                              \
    X(BOOL, 1)                                                                                     \
    X(U8, 1)                                                                                       \
    X(I8, 1)                                                                                       \
    X(F8_E5M2, 1)                                                                                  \
    X(F8_E4M3, 1)                                                                                  \
    X(U16, 2)                                                                                      \
    X(I16, 2)                                                                                      \
    X(F16, 2)                                                                                      \
    X(BF16, 2)                                                                                     \
    X(U32, 4)                                                                                      \
    X(I32, 4)                                                                                      \
    X(F32, 4)                                                                                      \
    X(U64, 8)                                                                                      \
    X(I64, 8)                                                                                      \
    X(F64, 8)

typedef enum Dtype {
#define X(name, bytes) DTYPE_##name,
    DTYPE_LIST(X)
#undef X
        DTYPE_COUNT,
} Dtype;

const char *dtype_name(Dtype dtype);
size_t dtype_bytes(Dtype dtype);

// False where no dtype has this name.
bool dtype_find(const char *name, Dtype *dtype);

// F32, F16, BF16, F64: what tensor_data_to_floats understands.
bool dtype_is_float(Dtype dtype);
// The signed, unsigned and BOOL ones: what tensor_data_to_ints understands.
bool dtype_is_integer(Dtype dtype);

// One number from its bits. Both ways exact where the target can hold it, else rounded to the
// nearest, ties to even; too big becomes infinite; subnormals, infinities and NaN are kept.
float dtype_float_from_f16(uint16_t bits);
float dtype_float_from_bf16(uint16_t bits);
uint16_t dtype_f16_from_float(float value);
uint16_t dtype_bf16_from_float(float value);

// `count` little-endian numbers at bytes (any alignment), turned into float32 or int32. The first
// asserts dtype_is_float, the second dtype_is_integer; *bad (may be NULL) gets the position of the
// first integer that int32 cannot hold, then the result is false.
void tensor_data_to_floats(float *values, const unsigned char *bytes, Dtype dtype, size_t count);
bool tensor_data_to_ints(int32_t *values, const unsigned char *bytes, Dtype dtype, size_t count,
                         size_t *bad);

// How many finite numbers become infinite on that way: of the file's numbers to float32, and of
// float32 to dtype. *first (may be NULL) gets the place of the first.
size_t tensor_data_overflows(const unsigned char *bytes, Dtype dtype, size_t count, size_t *first);
size_t dtype_overflows(Dtype dtype, const float *values, size_t count, size_t *first);
// How many that are not 0 become 0 on the way to dtype; how many are not finite before it.
size_t dtype_vanishes(Dtype dtype, const float *values, size_t count, size_t *first);
size_t dtype_not_finite(Dtype dtype, const float *values, size_t count, size_t *first);

// A tensor to be written. Borrows name and values: `const int32_t *` when dtype is I32, else
// `const float *`, turned into dtype (F32, F16 or BF16) as it is written. Rank 0 is one number.
typedef struct NamedTensor {
    const char *name;
    Dtype dtype;
    int rank;
    int sizes[TENSOR_DATA_MAX_RANK];
    const void *values;
} NamedTensor;

// With the sizes of shape.
NamedTensor tensor_data_named(const char *name, const Shape *shape, Dtype dtype,
                              const void *values);
size_t tensor_data_count(const NamedTensor *tensor);

// The bytes of numbers first .. first + count - 1 as they stand in a file, into bytes.
void tensor_data_encode(const NamedTensor *tensor, size_t first, size_t count,
                        unsigned char *bytes);

// "(2,3,8)", "()" for rank 0. Returns text.
const char *tensor_data_sizes_text(const int64_t *sizes, int rank,
                                   char text[TENSOR_DATA_SIZES_BYTES]);

#endif
