/* Folds of runs, of many short rows, and of rows into one row, in 512-bit vectors: sum, maximum and minimum of float32
 * and float64.
 *
 * The loops of ufuncs fold one row a call, or add one row to another. Here sixteen (eight) rows are folded together:
 *
 *     v0 v1 v2 ... v15     a vector of partial results each row; then neighbouring lanes of neighbouring vectors are
 *     \/    \/   \/        combined until one vector holds the results of all rows, in order
 *
 * and rows go into one another eight at a time. Like a ufunc's loop for folding, maximum and minimum pass NaN on. */
#ifndef LAZYARR_FOLDLOOPS_H
#define LAZYARR_FOLDLOOPS_H

#include <string.h>
#include <numpy/ndarraytypes.h>

#include "arith.h"

typedef struct {
    /* `streams`: x comes from memory */
    /* out[0] = fold of x[0..n), contiguous; n > 0 */
    void (*run)(const char *x, npy_intp n, int streams, char *out);
    /* out[r] = fold of x[r][0..length), rows contiguous and one after the other; length > 0 */
    void (*rows)(const char *x, npy_intp rows, npy_intp length, int streams, char *out);
    /* out[j] = fold of x[0..rows)[j], and of out[j] unless `fresh`; rows lie `stride` bytes apart, rows > 0;
     * `out` may be the first of them */
    void (*columns)(const char *x, npy_intp stride, npy_intp rows, npy_intp width, int streams, char *out,
                    int fresh);
} lz_fold;

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

#define LZ_FOLD_TARGET __attribute__((target("avx512f")))
#define LZ_FOLD_INLINE LZ_FOLD_TARGET static inline __attribute__((always_inline))

/* a where it is NaN or better than b, else b; so of two zeros the later one, as in NumPy's elementwise loops. The
 * instruction takes b where either is NaN, and would raise a flag for that. */
#define LZ_PICK(NAME, V, S, BETTER)                                                                  \
    LZ_FOLD_INLINE V NAME(V a, V b)                                                                  \
    {                                                                                                \
        return _mm512_mask_mov_##S(_mm512_##BETTER##_round_##S(a, b, _MM_FROUND_NO_EXC),             \
                                   _mm512_cmp_##S##_mask(a, a, _CMP_UNORD_Q), a);                    \
    }
LZ_PICK(lz_larger_ps, __m512, ps, max)
LZ_PICK(lz_larger_pd, __m512d, pd, max)
LZ_PICK(lz_smaller_ps, __m512, ps, min)
LZ_PICK(lz_smaller_pd, __m512d, pd, min)

#define LZ_EVEN_ps _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0)
#define LZ_EVEN_pd _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0)
#define LZ_ODD_ps _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1)
#define LZ_ODD_pd _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1)

/* bytes of narrow rows that are read together */
#define LZ_COLUMNS 4096

/* elements up to which rows are folded abreast: of more and longer ones the processor loses track */
#define LZ_ABREAST 512
#define LZ_UNROLL _Pragma("GCC unroll 16")

/* All lines of a stretch of memory at once: asked for one by one between other instructions, they come later. A longer
 * one than this would push out what is being read. */
#define LZ_AT_ONCE 16384
static inline __attribute__((always_inline)) void lz_ask_for_all(const char *x, npy_intp bytes)
{
    for (npy_intp k = 0; k < bytes; k += 64) __builtin_prefetch(x + k);
}

/* NEUTRAL: what a lane holds that no element falls into; FIRST: what the fold of one element is */
#define LZ_FOLD(NAME, T, V, S, LANES, MASK, OP, NEUTRAL, FIRST)                                                       \
    LZ_FOLD_INLINE V NAME##_row(const T *x, npy_intp length, npy_intp ahead)                                          \
    {                                                                                                                 \
        V sum = length >= LANES ? _mm512_loadu_##S(x) : _mm512_set1_##S(NEUTRAL);                                     \
        npy_intp i = length >= LANES ? LANES : 0;                                                                     \
        LZ_ASK(x, ahead);                                                                                             \
        for (; i + LANES <= length; i += LANES) {                                                                     \
            LZ_ASK(x + i, ahead);                                                                                     \
            sum = OP(sum, _mm512_loadu_##S(x + i));                                                                   \
        }                                                                                                             \
        if (i < length) {                                                                                             \
            const MASK rest = (MASK)((1u << (length - i)) - 1);                                                       \
            sum = _mm512_mask_mov_##S(sum, rest, OP(sum, _mm512_maskz_loadu_##S(rest, x + i)));                       \
        }                                                                                                             \
        return sum;                                                                                                   \
    }                                                                                                                 \
    LZ_FOLD_INLINE V NAME##_neighbours(V a, V b)                                                                      \
    {                                                                                                                 \
        return OP(_mm512_permutex2var_##S(a, LZ_EVEN_##S, b), _mm512_permutex2var_##S(a, LZ_ODD_##S, b));             \
    }                                                                                                                 \
    /* LANES short rows side by side: their vectors need not wait for each other */                                   \
    LZ_FOLD_INLINE void NAME##_abreast(const T *x, npy_intp length, V *part)                                          \
    {                                                                                                                 \
        const MASK rest = (MASK)((1u << (length % LANES)) - 1);                                                       \
        npy_intp j = 0;                                                                                               \
        if (length >= LANES) {                                                                                        \
            LZ_UNROLL for (int i = 0; i < LANES; i++) part[i] = _mm512_loadu_##S(x + i * length);                     \
            for (j = LANES; j + LANES <= length; j += LANES)                                                          \
                LZ_UNROLL for (int i = 0; i < LANES; i++)                                                             \
                    part[i] = OP(part[i], _mm512_loadu_##S(x + i * length + j));                                      \
        } else                                                                                                        \
            LZ_UNROLL for (int i = 0; i < LANES; i++) part[i] = _mm512_set1_##S(NEUTRAL);                             \
        if (rest)                                                                                                     \
            LZ_UNROLL for (int i = 0; i < LANES; i++) {                                                               \
                const V last = _mm512_maskz_loadu_##S(rest, x + i * length + j);                                      \
                part[i] = _mm512_mask_mov_##S(part[i], rest, OP(part[i], last));                                      \
            }                                                                                                         \
    }                                                                                                                 \
    LZ_FOLD_INLINE void NAME##_rows_of(const char *px, npy_intp rows, npy_intp length, int streams, char *out)        \
    {                                                                                                                 \
        const T *x = (const T *)px;                                                                                   \
        const npy_intp group = LANES * length * (npy_intp)sizeof(T);                                                  \
        const int all_at_once = streams && group <= LZ_AT_ONCE;                                                       \
        const npy_intp ahead = streams && !all_at_once ? LZ_AHEAD : 0;                                                \
        for (npy_intp r = 0; r < rows; r += LANES) {                                                                  \
            const npy_intp n = rows - r < LANES ? rows - r : LANES;                                                   \
            V part[LANES];                                                                                            \
            if (all_at_once)                                                                                          \
                lz_ask_for_all((const char *)(x + r * length) + (group > LZ_AHEAD ? group : LZ_AHEAD), group);        \
            if (n == LANES && LANES * length <= LZ_ABREAST) NAME##_abreast(x + r * length, length, part);             \
            else                                                                                                      \
                for (npy_intp i = 0; i < LANES; i++)                                                                  \
                    part[i] = NAME##_row(x + (r + (i < n ? i : 0)) * length, length, ahead);                          \
            for (int left = LANES / 2; left; left /= 2)                                                               \
                for (int i = 0; i < left; i++) part[i] = NAME##_neighbours(part[2 * i], part[2 * i + 1]);             \
            _mm512_mask_storeu_##S((T *)out + r, (MASK)((1u << n) - 1), FIRST(part[0]));                              \
        }                                                                                                             \
    }                                                                                                                 \
    LZ_FOLD_TARGET static void NAME##_rows(const char *x, npy_intp rows, npy_intp length, int streams, char *out)     \
    {                                                                                                                 \
        if (streams) NAME##_rows_of(x, rows, length, 1, out);                                                         \
        else NAME##_rows_of(x, rows, length, 0, out);                                                                 \
    }                                                                                                                 \
    /* the fold of four or eight rows, by pairs, which need not wait for each other */                                \
    LZ_FOLD_INLINE V NAME##_down(const char *x, npy_intp stride, int rows, npy_intp ahead, MASK some)                 \
    {                                                                                                                 \
        V part[8];                                                                                                    \
        for (int r = 0; r < rows; r++) {                                                                              \
            LZ_ASK(x + r * stride, ahead);                                                                            \
            part[r] = _mm512_maskz_loadu_##S(some, x + r * stride);                                                   \
        }                                                                                                             \
        for (int left = rows / 2; left; left /= 2)                                                                    \
            for (int r = 0; r < left; r++) part[r] = OP(part[2 * r], part[2 * r + 1]);                                \
        return part[0];                                                                                               \
    }                                                                                                                 \
    LZ_FOLD_INLINE void NAME##_columns_of(const char *x, npy_intp stride, npy_intp rows, npy_intp width,              \
                                          int streams, char *out, int fresh)                                          \
    {                                                                                                                 \
        const npy_intp bytes = width * (npy_intp)sizeof(T);                                                           \
        /* rows that are read together: they stay in the cache while column after column goes through them */         \
        const npy_intp group = stride > 0 && stride < LZ_COLUMNS / 8 ? LZ_COLUMNS / stride & ~(npy_intp)7 : 8;        \
        const int narrow = stride > 0 && stride <= LZ_AHEAD && group * stride <= LZ_AT_ONCE;                          \
        const npy_intp ahead = streams && !narrow ? LZ_AHEAD : 0;                                                     \
        for (; rows > 0; rows -= group, x += group * stride, fresh = 0) {                                             \
            if (streams && narrow) lz_ask_for_all(x + group * stride, group * stride);                                \
            const npy_intp n = rows < group ? rows : group;                                                           \
            for (npy_intp j = 0; j < bytes; j += 64) {                                                                \
                const MASK some = bytes - j >= 64 ? (MASK)-1 : (MASK)((1u << (width % LANES)) - 1);                   \
                const char *p = x + j;                                                                                \
                npy_intp r = 0;                                                                                       \
                V sum;                                                                                                \
                if (!fresh) sum = _mm512_maskz_loadu_##S(some, out + j);                                              \
                else if (n >= 8) sum = FIRST(NAME##_down(p, stride, 8, ahead, some)), r = 8;                          \
                else sum = FIRST(_mm512_maskz_loadu_##S(some, p)), r = 1;                                             \
                for (; r + 8 <= n; r += 8) sum = OP(sum, NAME##_down(p + r * stride, stride, 8, ahead, some));        \
                for (; r + 4 <= n; r += 4) sum = OP(sum, NAME##_down(p + r * stride, stride, 4, ahead, some));        \
                for (; r < n; r++) sum = OP(sum, _mm512_maskz_loadu_##S(some, p + r * stride));                       \
                _mm512_mask_storeu_##S(out + j, some, sum);                                                           \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    LZ_FOLD_TARGET static void NAME##_columns(const char *x, npy_intp stride, npy_intp rows, npy_intp width,          \
                                              int streams, char *out, int fresh)                                      \
    {                                                                                                                 \
        if (streams) NAME##_columns_of(x, stride, rows, width, 1, out, fresh);                                        \
        else NAME##_columns_of(x, stride, rows, width, 0, out, fresh);                                                \
    }

/* Maximum and minimum of a run. */
#define LZ_FOLD_RUN(NAME, T, V, S, LANES, OP, NEUTRAL)                                                                \
    LZ_FOLD_TARGET static void NAME##_run(const char *px, npy_intp n, int streams, char *out)                         \
    {                                                                                                                 \
        const T *x = (const T *)px;                                                                                   \
        const npy_intp ahead = streams ? LZ_AHEAD : 0;                                                                \
        V part[4];                                                                                                    \
        npy_intp i = 0;                                                                                               \
        for (int k = 0; k < 4; k++) part[k] = _mm512_set1_##S(NEUTRAL);                                               \
        for (; i + 4 * LANES <= n; i += 4 * LANES)                                                                    \
            for (int k = 0; k < 4; k++) {                                                                             \
                LZ_ASK_FAR(x + i + k * LANES, streams);                                                               \
                part[k] = OP(part[k], _mm512_loadu_##S(x + i + k * LANES));                                           \
            }                                                                                                         \
        if (i < n) part[0] = OP(part[0], NAME##_row(x + i, n - i, ahead));                                            \
        part[0] = OP(OP(part[0], part[1]), OP(part[2], part[3]));                                                     \
        for (int lanes = LANES; lanes > 1; lanes /= 2) part[0] = NAME##_neighbours(part[0], part[0]);                 \
        _mm512_mask_storeu_##S(out, 1, part[0]);                                                                      \
    }

/* A sum of a run is that of the wide addition. */
#define LZ_SUM_RUN(S, T, SUM)                                                                                         \
    static void lz_fold_add_##S##_run(const char *x, npy_intp n, int streams, char *out)                              \
    {                                                                                                                 \
        *(T *)out = 0 + SUM((const T *)x, n, streams);                                                                \
    }
LZ_SUM_RUN(f, float, lz_sum_f16)
LZ_SUM_RUN(d, double, lz_sum_d8)

/* Sums begin with 0, so that one of -0.0 alone is 0. */
#define LZ_FROM_ZERO_ps(x) _mm512_add_ps(x, _mm512_setzero_ps())
#define LZ_FROM_ZERO_pd(x) _mm512_add_pd(x, _mm512_setzero_pd())
LZ_FOLD(lz_fold_add_f, float, __m512, ps, 16, __mmask16, _mm512_add_ps, -0.0, LZ_FROM_ZERO_ps)
LZ_FOLD(lz_fold_add_d, double, __m512d, pd, 8, __mmask8, _mm512_add_pd, -0.0, LZ_FROM_ZERO_pd)

#define LZ_EXTREMA(NAME, S_F, S_D, NEUTRAL)                                          \
    LZ_FOLD(lz_fold_##NAME##_f, float, __m512, ps, 16, __mmask16, S_F, NEUTRAL, )    \
    LZ_FOLD(lz_fold_##NAME##_d, double, __m512d, pd, 8, __mmask8, S_D, NEUTRAL, )    \
    LZ_FOLD_RUN(lz_fold_##NAME##_f, float, __m512, ps, 16, S_F, NEUTRAL)             \
    LZ_FOLD_RUN(lz_fold_##NAME##_d, double, __m512d, pd, 8, S_D, NEUTRAL)
LZ_EXTREMA(maximum, lz_larger_ps, lz_larger_pd, -__builtin_inf())
LZ_EXTREMA(minimum, lz_smaller_ps, lz_smaller_pd, __builtin_inf())

/* The folds for an operation of float (0) or double (1), NULL if there are none on this processor. */
static const lz_fold *lz_find_fold(const char *name, int is_double)
{
#define LZ_ONE_FOLD(NAME, S) {lz_fold_##NAME##_##S##_run, lz_fold_##NAME##_##S##_rows, lz_fold_##NAME##_##S##_columns}
    static const struct { const char *name; lz_fold folds[2]; } table[] = {
        {"add", {LZ_ONE_FOLD(add, f), LZ_ONE_FOLD(add, d)}},
        {"maximum", {LZ_ONE_FOLD(maximum, f), LZ_ONE_FOLD(maximum, d)}},
        {"minimum", {LZ_ONE_FOLD(minimum, f), LZ_ONE_FOLD(minimum, d)}}};
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512f")) return NULL;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (!strcmp(table[i].name, name)) return &table[i].folds[is_double];
    return NULL;
}
#else
static const lz_fold *lz_find_fold(const char *name, int is_double)
{
    (void)name;
    (void)is_double;
    return NULL;
}
#endif
#endif
