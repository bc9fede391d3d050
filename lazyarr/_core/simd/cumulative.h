/* Cumulative sums and products: out[i] = out[i-1] + x[i], out[0] = x[0].
 *
 * Each result depends on the one before it. So several lines are interleaved if the scanned axis is the dense one,
 * and whole rows otherwise. */
#pragma once

#include <numpy/ndarraytypes.h>

#define LZ_LINES 8

typedef struct {
    /* Scan `lines` lines, at most LZ_LINES, of n elements; distances in bytes. Unless `fresh`, continue from the
     * previous results. */
    void (*lines)(char *out, npy_intp out_pitch, npy_intp out_step, const char *x, npy_intp x_pitch, npy_intp x_step,
                  npy_intp lines, npy_intp n, int fresh);
    /* Scan n rows of `width` contiguous elements. */
    void (*rows)(char *out, npy_intp out_step, const char *x, npy_intp x_step, npy_intp width, npy_intp n, int fresh);
} lz_scan;

#define LZ_SCAN_INTERLEAVED(T, OP, COUNT, OUT_STEP, X_STEP)                                  \
    {                                                                                    \
        T last[COUNT];                                                                   \
        for (int r = 0; r < COUNT; r++) {                                                \
            const T first = *(const T *)(x + r * x_pitch);                               \
            last[r] = fresh ? first : *(T *)(out + r * out_pitch - OUT_STEP) OP first;   \
            *(T *)(out + r * out_pitch) = last[r];                                       \
        }                                                                                \
        for (npy_intp i = 1; i < n; i++)                                                 \
            for (int r = 0; r < COUNT; r++) {                                            \
                last[r] = last[r] OP * (const T *)(x + r * x_pitch + i * X_STEP);        \
                *(T *)(out + r * out_pitch + i * OUT_STEP) = last[r];                    \
            }                                                                            \
    }

#define LZ_SCAN(NAME, T, OP)                                                                                        \
    static void NAME##_lines(char *out, npy_intp out_pitch, npy_intp out_step, const char *x, npy_intp x_pitch,     \
                             npy_intp x_step, npy_intp lines, npy_intp n, int fresh)                                \
    {                                                                                                               \
        const npy_intp size = sizeof(T);                                                                            \
        if (lines == LZ_LINES) LZ_SCAN_INTERLEAVED(T, OP, LZ_LINES, out_step, x_step)                               \
        else if (lines == 1 && out_step == size && x_step == size) LZ_SCAN_INTERLEAVED(T, OP, 1, size, size)            \
        else                                                                                                        \
            for (; lines > 0; lines--, x += x_pitch, out += out_pitch)                                              \
                LZ_SCAN_INTERLEAVED(T, OP, 1, out_step, x_step)                                                         \
    }                                                                                                               \
    static void NAME##_rows(char *out, npy_intp out_step, const char *x, npy_intp x_step, npy_intp width,           \
                            npy_intp n, int fresh)                                                                  \
    {                                                                                                               \
        for (npy_intp i = 0; i < n; i++, x += x_step, out += out_step) {                                            \
            const T *last = (const T *)(out - out_step);                                                            \
            if (i == 0 && fresh)                                                                                    \
                for (npy_intp j = 0; j < width; j++) ((T *)out)[j] = ((const T *)x)[j];                             \
            else                                                                                                    \
                for (npy_intp j = 0; j < width; j++) ((T *)out)[j] = last[j] OP((const T *)x)[j];                   \
        }                                                                                                           \
    }                                                                                                               \
    static const lz_scan NAME = {NAME##_lines, NAME##_rows};

LZ_SCAN(lz_running_sum_f, float, +)
LZ_SCAN(lz_running_sum_d, double, +)
LZ_SCAN(lz_running_sum_4, npy_uint32, +)
LZ_SCAN(lz_running_sum_8, npy_uint64, +)
LZ_SCAN(lz_running_product_f, float, *)
LZ_SCAN(lz_running_product_d, double, *)
LZ_SCAN(lz_running_product_4, npy_uint32, *)
LZ_SCAN(lz_running_product_8, npy_uint64, *)

/* The loops for a dtype kind ('f', 'i', 'u') and itemsize, or NULL. Integers wrap, signed or not. */
static const lz_scan *lz_find_scan(int product, char kind, npy_intp size)
{
    static const lz_scan *const table[2][2][2] = {
        {{&lz_running_sum_4, &lz_running_sum_8}, {&lz_running_product_4, &lz_running_product_8}},
        {{&lz_running_sum_f, &lz_running_sum_d}, {&lz_running_product_f, &lz_running_product_d}}};
    if ((size == 4 || size == 8) && (kind == 'f' || kind == 'i' || kind == 'u'))
        return table[kind == 'f'][product != 0][size == 8];
    return NULL;
}
