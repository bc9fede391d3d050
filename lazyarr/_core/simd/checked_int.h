/* Integer arithmetic that reports overflow in the floating-point status, as NumPy's scalars do and arrays do not. */
#ifndef LAZYARR_CHECKED_INT_H
#define LAZYARR_CHECKED_INT_H

#include <string.h>
#include <fenv.h>
#include <numpy/ndarraytypes.h>

typedef void (*lz_checked)(char **, npy_intp const *, npy_intp const *, void *);

#if defined(__GNUC__) || defined(__clang__)

#define LZ_CHECKED(NAME, T, OVERFLOWS)                                                           \
    static void NAME(char **args, npy_intp const *count, npy_intp const *strides, void *data)   \
    {                                                                                            \
        const int last = 1 - (OVERFLOWS##_is_unary); /* operand, the result comes after it */    \
        (void)data;                                                                              \
        for (npy_intp i = 0; i < count[0]; i++) {                                                \
            const T a = *(const T *)(args[0] + i * strides[0]);                                  \
            const T b = *(const T *)(args[last] + i * strides[last]);                            \
            T *out = (T *)(args[last + 1] + i * strides[last + 1]);                              \
            (void)b;                                                                             \
            if (OVERFLOWS(T, a, b, out)) feraiseexcept(FE_OVERFLOW);                             \
        }                                                                                        \
    }
#define LZ_ADD_OVERFLOWS(T, a, b, out) __builtin_add_overflow(a, b, out)
#define LZ_SUBTRACT_OVERFLOWS(T, a, b, out) __builtin_sub_overflow(a, b, out)
#define LZ_MULTIPLY_OVERFLOWS(T, a, b, out) __builtin_mul_overflow(a, b, out)
#define LZ_NEGATIVE_OVERFLOWS(T, a, b, out) __builtin_sub_overflow((T)0, a, out)
#define LZ_ABSOLUTE_OVERFLOWS(T, a, b, out) (a < 0 ? __builtin_sub_overflow((T)0, a, out) : (*out = a, 0))
#define LZ_ADD_OVERFLOWS_is_unary 0
#define LZ_SUBTRACT_OVERFLOWS_is_unary 0
#define LZ_MULTIPLY_OVERFLOWS_is_unary 0
#define LZ_NEGATIVE_OVERFLOWS_is_unary 1
#define LZ_ABSOLUTE_OVERFLOWS_is_unary 1

#define LZ_EACH_INTEGER(X, OP, OVERFLOWS)                                                                    \
    X(lz_checked_##OP##_b, npy_byte, OVERFLOWS) X(lz_checked_##OP##_B, npy_ubyte, OVERFLOWS)                 \
    X(lz_checked_##OP##_h, npy_short, OVERFLOWS) X(lz_checked_##OP##_H, npy_ushort, OVERFLOWS)               \
    X(lz_checked_##OP##_i, npy_int, OVERFLOWS) X(lz_checked_##OP##_I, npy_uint, OVERFLOWS)                   \
    X(lz_checked_##OP##_l, npy_long, OVERFLOWS) X(lz_checked_##OP##_L, npy_ulong, OVERFLOWS)                 \
    X(lz_checked_##OP##_q, npy_longlong, OVERFLOWS) X(lz_checked_##OP##_Q, npy_ulonglong, OVERFLOWS)
LZ_EACH_INTEGER(LZ_CHECKED, add, LZ_ADD_OVERFLOWS)
LZ_EACH_INTEGER(LZ_CHECKED, subtract, LZ_SUBTRACT_OVERFLOWS)
LZ_EACH_INTEGER(LZ_CHECKED, multiply, LZ_MULTIPLY_OVERFLOWS)
LZ_EACH_INTEGER(LZ_CHECKED, negative, LZ_NEGATIVE_OVERFLOWS)
LZ_EACH_INTEGER(LZ_CHECKED, absolute, LZ_ABSOLUTE_OVERFLOWS)

#define LZ_LISTED(NAME, T, OVERFLOWS) NAME,
/* The loop of an operation for an integer type, NULL for other operations and types. */
static lz_checked lz_checked_loop(const char *name, int typenum)
{
    static const struct { const char *name; lz_checked loops[10]; } table[] = {
        {"add", {LZ_EACH_INTEGER(LZ_LISTED, add, )}}, {"subtract", {LZ_EACH_INTEGER(LZ_LISTED, subtract, )}},
        {"multiply", {LZ_EACH_INTEGER(LZ_LISTED, multiply, )}}, {"negative", {LZ_EACH_INTEGER(LZ_LISTED, negative, )}},
        {"absolute", {LZ_EACH_INTEGER(LZ_LISTED, absolute, )}}};
    if (typenum < NPY_BYTE || typenum > NPY_ULONGLONG) return NULL;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (!strcmp(table[i].name, name)) return table[i].loops[typenum - NPY_BYTE];
    return NULL;
}
#else
static lz_checked lz_checked_loop(const char *name, int typenum)
{
    (void)name;
    (void)typenum;
    return NULL;
}
#endif
#endif
