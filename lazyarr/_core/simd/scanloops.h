/* Running sums and products: out[i] = out[i-1] + x[i], out[0] = x[0].
 *
 * Each result waits for the one before it. So several lines are taken abreast where the scanned axis is the dense one,
 * and whole rows where it is another. */
#ifndef LAZYARR_SCANLOOPS_H
#define LAZYARR_SCANLOOPS_H

#include <numpy/ndarraytypes.h>

#define LZ_ABREAST 8

typedef struct {
    /* `lines` lines, at most LZ_ABREAST, of n elements; all distances in bytes */
    void (*lines)(char *out, npy_intp out_pitch, npy_intp out_step, const char *x, npy_intp x_pitch, npy_intp x_step,
                  npy_intp lines, npy_intp n);
    /* n rows of `width` contiguous elements */
    void (*rows)(char *out, npy_intp out_step, const char *x, npy_intp x_step, npy_intp width, npy_intp n);
} lz_scan;

#define LZ_SCAN_ABREAST(T, OP, COUNT)                                                    \
    {                                                                                    \
        T last[COUNT];                                                                   \
        for (int r = 0; r < COUNT; r++)                                                  \
            last[r] = *(T *)(out + r * out_pitch) = *(const T *)(x + r * x_pitch);       \
        for (npy_intp i = 1; i < n; i++)                                                 \
            for (int r = 0; r < COUNT; r++) {                                            \
                last[r] = last[r] OP * (const T *)(x + r * x_pitch + i * x_step);        \
                *(T *)(out + r * out_pitch + i * out_step) = last[r];                    \
            }                                                                            \
    }

#define LZ_SCAN(NAME, T, OP)                                                                                        \
    static void NAME##_lines(char *out, npy_intp out_pitch, npy_intp out_step, const char *x, npy_intp x_pitch,     \
                             npy_intp x_step, npy_intp lines, npy_intp n)                                           \
    {                                                                                                               \
        if (lines == LZ_ABREAST) LZ_SCAN_ABREAST(T, OP, LZ_ABREAST)                                                 \
        else                                                                                                        \
            for (; lines > 0; lines--, x += x_pitch, out += out_pitch) LZ_SCAN_ABREAST(T, OP, 1)                    \
    }                                                                                                               \
    static void NAME##_rows(char *out, npy_intp out_step, const char *x, npy_intp x_step, npy_intp width, npy_intp n) \
    {                                                                                                               \
        for (npy_intp j = 0; j < width; j++) ((T *)out)[j] = ((const T *)x)[j];                                     \
        for (npy_intp i = 1; i < n; i++) {                                                                          \
            const T *last = (const T *)out;                                                                         \
            x += x_step;                                                                                            \
            out += out_step;                                                                                        \
            for (npy_intp j = 0; j < width; j++) ((T *)out)[j] = last[j] OP((const T *)x)[j];                       \
        }                                                                                                           \
    }                                                                                                               \
    static const lz_scan NAME = {NAME##_lines, NAME##_rows};

LZ_SCAN(lz_sum_f, float, +)
LZ_SCAN(lz_sum_d, double, +)
LZ_SCAN(lz_sum_4, npy_uint32, +)
LZ_SCAN(lz_sum_8, npy_uint64, +)
LZ_SCAN(lz_product_f, float, *)
LZ_SCAN(lz_product_d, double, *)
LZ_SCAN(lz_product_4, npy_uint32, *)
LZ_SCAN(lz_product_8, npy_uint64, *)

/* The loops for a kind of dtype ('f', 'i', 'u') and its size, NULL if there are none. Integers wrap, signed or not. */
static const lz_scan *lz_find_scan(int product, char kind, npy_intp size)
{
    if (kind == 'f')
        return size == 4 ? product ? &lz_product_f : &lz_sum_f : size == 8 ? product ? &lz_product_d : &lz_sum_d : NULL;
    if (kind == 'i' || kind == 'u')
        return size == 4 ? product ? &lz_product_4 : &lz_sum_4 : size == 8 ? product ? &lz_product_8 : &lz_sum_8 : NULL;
    return NULL;
}

#endif
