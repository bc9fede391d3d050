/* Arithmetic of float32 and float64 in vectors of 512 or 256 bits, alone and in pairs, and sums in many lanes.
 *
 * NumPy's own loops for + - * / stop at 256 bits. Each of these operations is rounded once and exactly as IEEE 754
 * says, so other vectors give the same bits and the same status flags; that is why only these operations stand here,
 * and no product is ever contracted with a sum. Which of two NaN is the result IEEE 754 leaves open: it is the first.
 * Layouts other than contiguous and scalar go to NumPy's loop (`lz_arith.own`).
 *
 * Sums need not be bit-identical, only no less accurate: NumPy adds blocks of up to 128 in 8 lanes of 8 to 16 terms and
 * combines blocks pairwise; `lz_sum_*` adds blocks of up to 32 vectors in the lanes of four, up to 8 terms each, and
 * combines them, and in the end the lanes, pairwise. */
#pragma once

#include <fenv.h>
#include <string.h>
#include <numpy/ndarraytypes.h>

typedef void (*lz_inner)(char **, npy_intp const *, npy_intp const *, void *);

typedef struct {
    lz_inner own; /* NumPy's loop and its data */
    void *data;
} lz_arith;

/* Run a loop of one operand on n contiguous elements; return the flags that it raises, besides those that are `up`. The
 * loop is volatile: its arithmetic has to stay between clearing and reading the status. */
static inline int lz_flags_of(lz_inner volatile loop, void *data, const void *x, void *z, npy_intp n, npy_intp size, int up)
{
    char *args[2] = {(char *)x, (char *)z};
    const npy_intp strides[2] = {size, size};
    feclearexcept(FE_ALL_EXCEPT);
    if (up) feraiseexcept(up);
    loop(args, &n, strides, data);
    return fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
}

/* Index of a wide operation, as in `lz_pair_loop`; -1 for any other. */
static inline int lz_arith_number(const char *name)
{
    static const char *const names[] = {"add", "subtract", "multiply", "divide"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

/* Prefetch distance in bytes for folds of data from memory: the hardware prefetcher stops at page ends. In a cache,
 * prefetching would cost as much as reading. */
#define LZ_AHEAD 2048
#define LZ_ASK(PLACE, AHEAD) do { if (AHEAD) __builtin_prefetch((const char *)(PLACE) + (AHEAD)); } while (0)

/* The same for one run read from front to back: further ahead, into the second-level cache. */
#define LZ_FAR_AHEAD 8192
#define LZ_ASK_FAR(PLACE, STREAMS) \
    do { if (STREAMS) __builtin_prefetch((const char *)(PLACE) + LZ_FAR_AHEAD, 0, 2); } while (0)

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

typedef float lz_v8f __attribute__((vector_size(32), aligned(4), may_alias));
typedef double lz_v4d __attribute__((vector_size(32), aligned(8), may_alias));
typedef float lz_v16f __attribute__((vector_size(64), aligned(4), may_alias));
typedef double lz_v8d __attribute__((vector_size(64), aligned(8), may_alias));

static int lz_wide_supported(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") != 0;
}

/* lz_add_of_T(x, y) and so on: x + y, where T is a type of numbers or of vectors. Compilers exchange the operands of
 * sums and products, so that either of two NaN may be the result; the instruction itself prefers the first one. */
#define LZ_ORDERED(T, NAME, INSTRUCTION, TARGET)                                                                  \
    TARGET static inline __attribute__((always_inline)) T lz_##NAME##_of_##T(T x, T y)                            \
    {                                                                                                             \
        T z;                                                                                                      \
        __asm__(INSTRUCTION " %2, %1, %0" : "=v"(z) : "v"(x), "v"(y));                                            \
        return z;                                                                                                 \
    }
#define LZ_AS_WRITTEN(T, NAME, OP, TARGET)                                                                        \
    TARGET static inline __attribute__((always_inline)) T lz_##NAME##_of_##T(T x, T y) { return x OP y; }
#define LZ_OPERATIONS(T, S, TARGET)                                                                               \
    LZ_ORDERED(T, add, "vadd" S, TARGET) LZ_AS_WRITTEN(T, subtract, -, TARGET)                                    \
    LZ_ORDERED(T, multiply, "vmul" S, TARGET) LZ_AS_WRITTEN(T, divide, /, TARGET)
LZ_OPERATIONS(float, "ss", )
LZ_OPERATIONS(double, "sd", )

/* Four vectors per iteration, then one, then single elements. X(i, V) and Y(i, V) read operands at element i. */
#define LZ_ROUNDS(T, V, OP, X, Y)                                                                                 \
    {                                                                                                             \
        const npy_intp w = sizeof(V) / sizeof(T);                                                                 \
        npy_intp i = 0;                                                                                           \
        for (; i + 4 * w <= n; i += 4 * w) {                                                                      \
            V r0 = lz_##OP##_of_##V(X(i, V), Y(i, V));                                                            \
            V r1 = lz_##OP##_of_##V(X(i + w, V), Y(i + w, V));                                                    \
            V r2 = lz_##OP##_of_##V(X(i + 2 * w, V), Y(i + 2 * w, V));                                            \
            V r3 = lz_##OP##_of_##V(X(i + 3 * w, V), Y(i + 3 * w, V));                                            \
            *(V *)(z + i) = r0; *(V *)(z + i + w) = r1; *(V *)(z + i + 2 * w) = r2; *(V *)(z + i + 3 * w) = r3;   \
        }                                                                                                         \
        for (; i + w <= n; i += w) *(V *)(z + i) = lz_##OP##_of_##V(X(i, V), Y(i, V));                            \
        for (; i < n; i++) z[i] = lz_##OP##_of_##T(X(i, T), Y(i, T));                                             \
    }
#define LZ_AT_X(i, V) (*(const V *)(x + (i)))
#define LZ_AT_Y(i, V) (*(const V *)(y + (i)))
#define LZ_ONE_X(i, V) LZ_ONE_##V(x0)
#define LZ_ONE_Y(i, V) LZ_ONE_##V(y0)
#define LZ_ONE_float(s) (s)
#define LZ_ONE_double(s) (s)
#define LZ_ONE_lz_v8f(s) (s##v)
#define LZ_ONE_lz_v4d(s) (s##v)
#define LZ_ONE_lz_v16f(s) (s##v)
#define LZ_ONE_lz_v8d(s) (s##v)

#define LZ_ARITH(NAME, T, V, OP)                                                                                  \
    LZ_TARGET static void NAME(char **args, npy_intp const *count, npy_intp const *strides, void *data)          \
    {                                                                                                             \
        const npy_intp size = sizeof(T), n = count[0];                                                            \
        const T *x = (const T *)args[0], *y = (const T *)args[1];                                                 \
        T *z = (T *)args[2];                                                                                      \
        if (strides[2] == size && strides[0] == size && strides[1] == size) {                                     \
            LZ_ROUNDS(T, V, OP, LZ_AT_X, LZ_AT_Y)                                                                 \
        } else if (strides[2] == size && strides[0] == size && strides[1] == 0) {                                 \
            const T y0 = *y; const V y0v = y0 - (V){0};                                                           \
            LZ_ROUNDS(T, V, OP, LZ_AT_X, LZ_ONE_Y)                                                                \
        } else if (strides[2] == size && strides[0] == 0 && strides[1] == size) {                                 \
            const T x0 = *x; const V x0v = x0 - (V){0};                                                           \
            LZ_ROUNDS(T, V, OP, LZ_ONE_X, LZ_AT_Y)                                                                \
        } else {                                                                                                  \
            ((const lz_arith *)data)->own(args, count, strides, ((const lz_arith *)data)->data);                  \
        }                                                                                                         \
    }

#define LZ_SUM(NAME, T, V)                                                                                        \
    LZ_TARGET static V NAME##_lanes(const T *x, npy_intp n, int streams)                                          \
    {                                                                                                             \
        const npy_intp w = sizeof(V) / sizeof(T);                                                                 \
        if (n > 32 * w) {                                                                                         \
            const npy_intp half = (n / 2 + w - 1) / w * w;                                                        \
            return NAME##_lanes(x, half, streams) + NAME##_lanes(x + half, n - half, streams);                    \
        }                                                                                                         \
        V a = -(V){0}, b = a, c = a, d = a; /* -0.0, the neutral element of addition */                             \
        npy_intp i = 0;                                                                                           \
        for (; i + 4 * w <= n; i += 4 * w) {                                                                      \
            for (npy_intp k = 0; k < 4 * w; k += w) LZ_ASK_FAR(x + i + k, streams);                               \
            a += *(const V *)(x + i);                                                                             \
            b += *(const V *)(x + i + w);                                                                         \
            c += *(const V *)(x + i + 2 * w);                                                                     \
            d += *(const V *)(x + i + 3 * w);                                                                     \
        }                                                                                                         \
        if (i + w <= n) { a += *(const V *)(x + i); i += w; }                                                     \
        if (i + w <= n) { b += *(const V *)(x + i); i += w; }                                                     \
        if (i + w <= n) { c += *(const V *)(x + i); i += w; }                                                     \
        if (i < n) {                                                                                              \
            T lane[sizeof(V) / sizeof(T)];                                                                        \
            for (npy_intp k = 0; k < w; k++) lane[k] = i + k < n ? x[i + k] : (T)-0.0;                            \
            d += *(const V *)lane;                                                                                \
        }                                                                                                         \
        return (a + b) + (c + d);                                                                                 \
    }                                                                                                             \
    LZ_TARGET static T NAME(const T *x, npy_intp n, int streams)                                                  \
    {                                                                                                             \
        T lane[sizeof(V) / sizeof(T)];                                                                            \
        const V sum = NAME##_lanes(x, n, streams);                                                                \
        memcpy(lane, &sum, sizeof(V));                                                                            \
        for (npy_intp h = sizeof(V) / sizeof(T) / 2; h > 0; h /= 2)                                               \
            for (npy_intp k = 0; k < h; k++) lane[k] += lane[k + h];                                              \
        return lane[0];                                                                                           \
    }

/* Addition also sums: then the accumulator is the first operand and the output, with stride 0. */
#define LZ_ADD(NAME, T, V, PLAIN, SUM)                                                                            \
    static void NAME(char **args, npy_intp const *count, npy_intp const *strides, void *data)                    \
    {                                                                                                             \
        if (strides[0] == 0 && strides[2] == 0 && args[0] == args[2] && strides[1] == (npy_intp)sizeof(T) &&      \
            count[0] >= 32)                                                                                       \
            *(T *)args[2] += SUM((const T *)args[1], count[0], 0);                                                \
        else                                                                                                      \
            PLAIN(args, count, strides, data);                                                                    \
    }

#define LZ_FAMILY(T, V, S)                                                                                        \
    LZ_ARITH(lz_add_plain_##S, T, V, add)                                                                         \
    LZ_SUM(lz_sum_##S, T, V)                                                                                      \
    LZ_ADD(lz_add_##S, T, V, lz_add_plain_##S, lz_sum_##S)                                                        \
    LZ_ARITH(lz_subtract_##S, T, V, subtract)                                                                     \
    LZ_ARITH(lz_multiply_##S, T, V, multiply)                                                                     \
    LZ_ARITH(lz_divide_##S, T, V, divide)

/* Two operations in one pass: (x P y) Q z, or z Q (x P y). Both are rounded, so the bits are those of two passes.
 *
 * Operands are contiguous or one scalar. A scalar is spread over a block of vectors that is read again and again, so
 * that one loop serves every mix: `s` is 1 for an array and 0 for a scalar. */
#define LZ_PAIR(NAME, T, V, P, Q, LEFT)                                                                           \
    LZ_TARGET static void NAME(char **args, npy_intp const *count, npy_intp const *strides, void *data)          \
    {                                                                                                             \
        const npy_intp w = sizeof(V) / sizeof(T), n = count[0];                                                   \
        T spread[3][4 * sizeof(V) / sizeof(T)];                                                                   \
        const T *p[3];                                                                                            \
        npy_intp s[3], i = 0;                                                                                     \
        T *out = (T *)args[3];                                                                                    \
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
            V t0 = lz_##P##_of_##V(*(const V *)(x + i * sx), *(const V *)(y + i * sy));                           \
            V t1 = lz_##P##_of_##V(*(const V *)(x + i * sx + w), *(const V *)(y + i * sy + w));                   \
            V t2 = lz_##P##_of_##V(*(const V *)(x + i * sx + 2 * w), *(const V *)(y + i * sy + 2 * w));           \
            V t3 = lz_##P##_of_##V(*(const V *)(x + i * sx + 3 * w), *(const V *)(y + i * sy + 3 * w));           \
            V z0 = *(const V *)(z + i * sz), z1 = *(const V *)(z + i * sz + w);                                   \
            V z2 = *(const V *)(z + i * sz + 2 * w), z3 = *(const V *)(z + i * sz + 3 * w);                       \
            *(V *)(out + i) = LEFT ? lz_##Q##_of_##V(t0, z0) : lz_##Q##_of_##V(z0, t0);                           \
            *(V *)(out + i + w) = LEFT ? lz_##Q##_of_##V(t1, z1) : lz_##Q##_of_##V(z1, t1);                       \
            *(V *)(out + i + 2 * w) = LEFT ? lz_##Q##_of_##V(t2, z2) : lz_##Q##_of_##V(z2, t2);                   \
            *(V *)(out + i + 3 * w) = LEFT ? lz_##Q##_of_##V(t3, z3) : lz_##Q##_of_##V(z3, t3);                   \
        }                                                                                                         \
        for (; i < n; i++) {                                                                                      \
            T t = lz_##P##_of_##T(x[i * sx], y[i * sy]), c = z[i * sz];                                           \
            out[i] = LEFT ? lz_##Q##_of_##T(t, c) : lz_##Q##_of_##T(c, t);                                        \
        }                                                                                                         \
    }
#define LZ_PAIR_OF(S, T, V, P, Q)                                                                                 \
    LZ_PAIR(lz_##P##_##Q##_left_##S, T, V, P, Q, 1) LZ_PAIR(lz_##P##_##Q##_right_##S, T, V, P, Q, 0)
#define LZ_PAIRS(S, T, V, P)                                                                                      \
    LZ_PAIR_OF(S, T, V, P, add) LZ_PAIR_OF(S, T, V, P, subtract) LZ_PAIR_OF(S, T, V, P, multiply)                 \
    LZ_PAIR_OF(S, T, V, P, divide)
#define LZ_ALL_PAIRS(S, T, V)                                                                                     \
    LZ_PAIRS(S, T, V, add) LZ_PAIRS(S, T, V, subtract) LZ_PAIRS(S, T, V, multiply) LZ_PAIRS(S, T, V, divide)

/* All of the above with 256-bit, then 512-bit vectors. */
#define LZ_WIDTH(T, V, S, INSTRUCTIONS)                                                                           \
    LZ_OPERATIONS(V, INSTRUCTIONS, LZ_TARGET) LZ_FAMILY(T, V, S) LZ_ALL_PAIRS(S, T, V)
#define LZ_TARGET __attribute__((target("avx2")))
LZ_WIDTH(float, lz_v8f, f8, "ps")
LZ_WIDTH(double, lz_v4d, d4, "pd")
#undef LZ_TARGET
#define LZ_TARGET __attribute__((target("avx512f")))
LZ_WIDTH(float, lz_v16f, f16, "ps")
LZ_WIDTH(double, lz_v8d, d8, "pd")

#define LZ_BOTH(S, P, Q) {lz_##P##_##Q##_left_##S, lz_##P##_##Q##_right_##S}
#define LZ_PAIR_ROW(S, P) {LZ_BOTH(S, P, add), LZ_BOTH(S, P, subtract), LZ_BOTH(S, P, multiply), LZ_BOTH(S, P, divide)}
#define LZ_PAIR_TABLE(S) {LZ_PAIR_ROW(S, add), LZ_PAIR_ROW(S, subtract), LZ_PAIR_ROW(S, multiply), LZ_PAIR_ROW(S, divide)}
static const lz_inner lz_pair_table[2][2][4][4][2] = {
    {LZ_PAIR_TABLE(f8), LZ_PAIR_TABLE(d4)}, {LZ_PAIR_TABLE(f16), LZ_PAIR_TABLE(d8)}};

/* The loop for two operations (0 add, 1 subtract, 2 multiply, 3 divide) with wide loops on this processor; the first is
 * the left or the right operand of the second. */
static lz_inner lz_pair_loop(int first, int second, int is_right, int is_double)
{
    return lz_pair_table[lz_wide_supported()][is_double][first][second][is_right];
}

/* The wide loop for an operation of float (0) or double (1), NULL if there is none on this processor. */
static lz_inner lz_wide_loop(const char *name, int is_double)
{
#define LZ_ARITH_ROW(NAME) {{lz_##NAME##_f8, lz_##NAME##_d4}, {lz_##NAME##_f16, lz_##NAME##_d8}}
    static const lz_inner table[4][2][2] = {
        LZ_ARITH_ROW(add), LZ_ARITH_ROW(subtract), LZ_ARITH_ROW(multiply), LZ_ARITH_ROW(divide)};
    const int number = lz_arith_number(name), wide = lz_wide_supported();
    return number < 0 || (!wide && !__builtin_cpu_supports("avx2")) ? NULL : table[number][wide][is_double];
}

#else
static lz_inner lz_pair_loop(int first, int second, int is_right, int is_double) { return NULL; }
static lz_inner lz_wide_loop(const char *name, int is_double) { return NULL; }
#endif
