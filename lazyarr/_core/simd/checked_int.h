/* Integer arithmetic that reports overflow in the floating-point status, as NumPy's scalars do and arrays do not. */
#pragma once

#include <string.h>
#include <fenv.h>
#include <numpy/ndarraytypes.h>

typedef void (*lz_checked)(char **, npy_intp const *, npy_intp const *, void *);

#if defined(__GNUC__) || defined(__clang__)

/* OVERFLOWS sets *out from one operand, a, or two, and returns whether it overflowed. */
#define LZ_CHECKED(NAME, T, IS_UNARY, OVERFLOWS)                                                 \
    static void NAME(char **args, npy_intp const *count, npy_intp const *strides, void *data)   \
    {                                                                                            \
        const int last = 1 - IS_UNARY; /* the operand; the result follows it */                  \
        for (npy_intp i = 0; i < count[0]; i++) {                                                \
            const T a = *(const T *)(args[0] + i * strides[0]);                                  \
            const T b = *(const T *)(args[last] + i * strides[last]);                            \
            T *out = (T *)(args[last + 1] + i * strides[last + 1]);                              \
            (void)b;                                                                             \
            if (OVERFLOWS) feraiseexcept(FE_OVERFLOW);                                           \
        }                                                                                        \
    }

#define LZ_EACH_INTEGER(X, OP, IS_UNARY, OVERFLOWS)                                                                    \
    X(lz_checked_##OP##_b, npy_byte, IS_UNARY, OVERFLOWS) X(lz_checked_##OP##_B, npy_ubyte, IS_UNARY, OVERFLOWS)       \
    X(lz_checked_##OP##_h, npy_short, IS_UNARY, OVERFLOWS) X(lz_checked_##OP##_H, npy_ushort, IS_UNARY, OVERFLOWS)     \
    X(lz_checked_##OP##_i, npy_int, IS_UNARY, OVERFLOWS) X(lz_checked_##OP##_I, npy_uint, IS_UNARY, OVERFLOWS)         \
    X(lz_checked_##OP##_l, npy_long, IS_UNARY, OVERFLOWS) X(lz_checked_##OP##_L, npy_ulong, IS_UNARY, OVERFLOWS)       \
    X(lz_checked_##OP##_q, npy_longlong, IS_UNARY, OVERFLOWS) X(lz_checked_##OP##_Q, npy_ulonglong, IS_UNARY, OVERFLOWS)
LZ_EACH_INTEGER(LZ_CHECKED, add, 0, __builtin_add_overflow(a, b, out))
LZ_EACH_INTEGER(LZ_CHECKED, subtract, 0, __builtin_sub_overflow(a, b, out))
LZ_EACH_INTEGER(LZ_CHECKED, multiply, 0, __builtin_mul_overflow(a, b, out))
LZ_EACH_INTEGER(LZ_CHECKED, negative, 1, __builtin_sub_overflow(0, a, out))
LZ_EACH_INTEGER(LZ_CHECKED, absolute, 1, a < 0 ? __builtin_sub_overflow(0, a, out) : (*out = a, 0))

#define LZ_LISTED(NAME, T, IS_UNARY, OVERFLOWS) NAME,
/* The loop of an operation for an integer type; NULL for other operations and types. */
static lz_checked lz_checked_loop(const char *name, int typenum)
{
    static const struct { const char *name; lz_checked loops[10]; } table[] = {
        {"add", {LZ_EACH_INTEGER(LZ_LISTED, add, , )}}, {"subtract", {LZ_EACH_INTEGER(LZ_LISTED, subtract, , )}},
        {"multiply", {LZ_EACH_INTEGER(LZ_LISTED, multiply, , )}}, {"negative", {LZ_EACH_INTEGER(LZ_LISTED, negative, , )}},
        {"absolute", {LZ_EACH_INTEGER(LZ_LISTED, absolute, , )}}};
    if (typenum < NPY_BYTE || typenum > NPY_ULONGLONG) return NULL;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (!strcmp(table[i].name, name)) return table[i].loops[typenum - NPY_BYTE];
    return NULL;
}
#else
static lz_checked lz_checked_loop(const char *name, int typenum) { return NULL; }
#endif
