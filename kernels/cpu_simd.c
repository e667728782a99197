// cpu_simd.c - the inner loops of one instruction set as a table.
#include "kernels/cpu_simd.h"

void SIMD_NAME(cpu_simd_fill)(CpuSimd *simd) {
    SIMD_NAME(cpu_simd_fill_elements)(simd);
    SIMD_NAME(cpu_simd_fill_update)(simd);
    SIMD_NAME(cpu_simd_fill_softmax)(simd);
    SIMD_NAME(cpu_simd_fill_norm)(simd);
    SIMD_NAME(cpu_simd_fill_product)(simd);
    SIMD_NAME(cpu_simd_fill_thin)(simd);
    SIMD_NAME(cpu_simd_fill_quantized)(simd);
    SIMD_NAME(cpu_simd_fill_attention)(simd);
    SIMD_NAME(cpu_simd_fill_attention_grad)(simd);
}
