/* Loops of x * y + z: of floats with one rounding, as IEEE 754's fusedMultiplyAdd; of integers modulo a power of two.
 *
 * Floats take the processor's instruction where there is one, else libm's functions, which are as exact. x86 has three
 * forms of the instruction, which prefer different operands where several are NaN; everything here uses the same one,
 * so that an element's bits do not depend on where it lies. Its first choice is x, as that of two operations is. */
#pragma once

#include <math.h>
#include <string.h>
#include <numpy/halffloat.h>
#include <numpy/ndarraytypes.h>
#include <numpy/ufuncobject.h>

/* Element by element; the compiler vectorises contiguous ones if the baseline permits. */
#define LZ_FMA_STRIDED(T, ONE)                                                                                    \
    for (npy_intp i = 0; i < n; i++)                                                                              \
        *(T *)(args[3] + i * strides[3]) = ONE(*(const T *)(args[0] + i * strides[0]),                            \
                                               *(const T *)(args[1] + i * strides[1]),                            \
                                               *(const T *)(args[2] + i * strides[2]));
#define LZ_FMA_PLAIN(S, T, ONE)                                                                                   \
    static void lz_fma_##S(char **args, npy_intp const *count, npy_intp const *strides, void *data)               \
    {                                                                                                             \
        const npy_intp size = sizeof(T), n = count[0];                                                            \
        if (strides[0] == size && strides[1] == size && strides[2] == size && strides[3] == size) {               \
            const T *x = (const T *)args[0], *y = (const T *)args[1], *z = (const T *)args[2];                    \
            T *out = (T *)args[3];                                                                                \
            for (npy_intp i = 0; i < n; i++) out[i] = ONE(x[i], y[i], z[i]);                                      \
        } else {                                                                                                  \
            LZ_FMA_STRIDED(T, ONE)                                                                                \
        }                                                                                                         \
    }

/* Unsigned, as signed types that overflow are undefined; of at least 32 bits, as narrower ones become signed. */
#define LZ_FMA_OF_INTS(x, y, z) ((npy_uint)(x) * (npy_uint)(y) + (npy_uint)(z))
#define LZ_FMA_OF_LONGS(x, y, z) ((npy_ulonglong)(x) * (npy_ulonglong)(y) + (npy_ulonglong)(z))
#define LZ_FMA_OF_BOOLS(x, y, z) ((npy_bool)((((x) != 0) & ((y) != 0)) | ((z) != 0)))
LZ_FMA_PLAIN(bool, npy_bool, LZ_FMA_OF_BOOLS)
LZ_FMA_PLAIN(byte, npy_byte, LZ_FMA_OF_INTS)
LZ_FMA_PLAIN(ubyte, npy_ubyte, LZ_FMA_OF_INTS)
LZ_FMA_PLAIN(short, npy_short, LZ_FMA_OF_INTS)
LZ_FMA_PLAIN(ushort, npy_ushort, LZ_FMA_OF_INTS)
LZ_FMA_PLAIN(int, npy_int, LZ_FMA_OF_INTS)
LZ_FMA_PLAIN(uint, npy_uint, LZ_FMA_OF_INTS)
LZ_FMA_PLAIN(long, npy_long, LZ_FMA_OF_LONGS)
LZ_FMA_PLAIN(ulong, npy_ulong, LZ_FMA_OF_LONGS)
LZ_FMA_PLAIN(longlong, npy_longlong, LZ_FMA_OF_LONGS)
LZ_FMA_PLAIN(ulonglong, npy_ulonglong, LZ_FMA_OF_LONGS)

/* Half precision, by way of double, rounds once, too. There the product, of 22 bits, is exact. The sum is exact unless
 * more than 53 bits lie between its highest and its lowest one: then either the product overflows, or it is less than
 * 2^-29 of z, which the result is. */
static inline npy_half lz_fma_of_halves(npy_half x, npy_half y, npy_half z)
{
    return npy_double_to_half(npy_half_to_double(x) * npy_half_to_double(y) + npy_half_to_double(z));
}
LZ_FMA_PLAIN(half, npy_half, lz_fma_of_halves)
LZ_FMA_PLAIN(float, npy_float, fmaf)
LZ_FMA_PLAIN(double, npy_double, fma)
LZ_FMA_PLAIN(longdouble, npy_longdouble, fmal)

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

typedef float lz_fma_8f __attribute__((vector_size(32), aligned(4), may_alias));
typedef double lz_fma_4d __attribute__((vector_size(32), aligned(8), may_alias));
typedef float lz_fma_16f __attribute__((vector_size(64), aligned(4), may_alias));
typedef double lz_fma_8d __attribute__((vector_size(64), aligned(8), may_alias));

#define LZ_FMA_ONE(T, FORMAT, TARGET)                                                                             \
    TARGET static inline __attribute__((always_inline)) T lz_fma_of_##T(T x, T y, T z)                            \
    {                                                                                                             \
        __asm__("vfmadd213" FORMAT " %2, %1, %0" : "+v"(y) : "v"(x), "v"(z)); /* y = x * y + z */                 \
        return y;                                                                                                 \
    }
LZ_FMA_ONE(float, "ss", )
LZ_FMA_ONE(double, "sd", )

/* Contiguous operands, or numbers, in vectors. A number is spread over a block that is read again and again, so that
 * one loop serves every mix: `s` is 1 for an array and 0 for a number. */
#define LZ_FMA_WIDE(NAME, T, V, FORMAT, TARGET)                                                                   \
    LZ_FMA_ONE(V, FORMAT, TARGET)                                                                                 \
    TARGET static void NAME(char **args, npy_intp const *count, npy_intp const *strides, void *data)              \
    {                                                                                                             \
        const npy_intp w = sizeof(V) / sizeof(T), size = sizeof(T), n = count[0];                                 \
        T spread[3][4 * sizeof(V) / sizeof(T)];                                                                   \
        const T *p[3];                                                                                            \
        npy_intp s[3], i = 0;                                                                                     \
        T *out = (T *)args[3];                                                                                    \
        int is_strided = strides[3] != size;                                                                      \
        for (int k = 0; k < 3; k++) is_strided |= strides[k] != size && strides[k] != 0;                          \
        if (is_strided) {                                                                                         \
            LZ_FMA_STRIDED(T, lz_fma_of_##T)                                                                      \
            return;                                                                                               \
        }                                                                                                         \
        for (int k = 0; k < 3; k++) {                                                                             \
            s[k] = strides[k] != 0;                                                                               \
            p[k] = (const T *)args[k];                                                                            \
            if (!s[k]) {                                                                                          \
                for (npy_intp j = 0; j < 4 * w; j++) spread[k][j] = *p[k];                                        \
                p[k] = spread[k];                                                                                 \
            }                                                                                                     \
        }                                                                                                         \
        const T *x = p[0], *y = p[1], *z = p[2];                                                                  \
        const npy_intp sx = s[0], sy = s[1], sz = s[2];                                                           \
        for (; i + 4 * w <= n; i += 4 * w) {                                                                      \
            const V *xs = (const V *)(x + i * sx), *ys = (const V *)(y + i * sy), *zs = (const V *)(z + i * sz);  \
            V r0 = lz_fma_of_##V(xs[0], ys[0], zs[0]), r1 = lz_fma_of_##V(xs[1], ys[1], zs[1]);                   \
            V r2 = lz_fma_of_##V(xs[2], ys[2], zs[2]), r3 = lz_fma_of_##V(xs[3], ys[3], zs[3]);                   \
            V *outs = (V *)(out + i);                                                                             \
            outs[0] = r0; outs[1] = r1; outs[2] = r2; outs[3] = r3;                                               \
        }                                                                                                         \
        for (; i < n; i++) out[i] = lz_fma_of_##T(x[i * sx], y[i * sy], z[i * sz]);                               \
    }
LZ_FMA_WIDE(lz_fma_f8, float, lz_fma_8f, "ps", __attribute__((target("avx2,fma"))))
LZ_FMA_WIDE(lz_fma_d4, double, lz_fma_4d, "pd", __attribute__((target("avx2,fma"))))
LZ_FMA_WIDE(lz_fma_f16, float, lz_fma_16f, "ps", __attribute__((target("avx512f"))))
LZ_FMA_WIDE(lz_fma_d8, double, lz_fma_8d, "pd", __attribute__((target("avx512f"))))

/* Vector width of this processor: 2 for 512 bits, 1 for 256, 0 without FMA. */
static int lz_fma_widest(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return 2;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#define LZ_FMA_FLOATS {{lz_fma_float, lz_fma_double}, {lz_fma_f8, lz_fma_d4}, {lz_fma_f16, lz_fma_d8}}
#else
static int lz_fma_widest(void) { return 0; }
#define LZ_FMA_FLOATS {{lz_fma_float, lz_fma_double}}
#endif

enum { LZ_FMA_LOOPS = 15 };
#define LZ_FOUR(TYPE) TYPE, TYPE, TYPE, TYPE
static char lz_fma_types[4 * LZ_FMA_LOOPS] = {
    LZ_FOUR(NPY_BOOL), LZ_FOUR(NPY_BYTE), LZ_FOUR(NPY_UBYTE), LZ_FOUR(NPY_SHORT), LZ_FOUR(NPY_USHORT),
    LZ_FOUR(NPY_INT), LZ_FOUR(NPY_UINT), LZ_FOUR(NPY_LONG), LZ_FOUR(NPY_ULONG), LZ_FOUR(NPY_LONGLONG),
    LZ_FOUR(NPY_ULONGLONG), LZ_FOUR(NPY_HALF), LZ_FOUR(NPY_FLOAT), LZ_FOUR(NPY_DOUBLE), LZ_FOUR(NPY_LONGDOUBLE)};

/* The loops by the rows of `lz_fma_types`, for vectors of a width. NumPy keeps the pointer. */
static PyUFuncGenericFunction *lz_fma_loops(int width)
{
    static const PyUFuncGenericFunction floats[3][2] = LZ_FMA_FLOATS;
    static PyUFuncGenericFunction loops[3][LZ_FMA_LOOPS];
    const PyUFuncGenericFunction made[LZ_FMA_LOOPS] = {
        lz_fma_bool, lz_fma_byte, lz_fma_ubyte, lz_fma_short, lz_fma_ushort, lz_fma_int, lz_fma_uint, lz_fma_long,
        lz_fma_ulong, lz_fma_longlong, lz_fma_ulonglong, lz_fma_half, floats[width][0], floats[width][1],
        lz_fma_longdouble};
    memcpy(loops[width], made, sizeof(made));
    return loops[width];
}
