/* Writes of elements to places in order: copied, or combined with the old values. */
#pragma once

#include <string.h>
#include <numpy/ndarraytypes.h>

/* Which elements, and how many: at x + at[i], values from `values + from[i]`. Where `at` is NULL, one index array that
 * has been checked names them, for each i: x + i * walked + index * stride, and values lie `step` bytes apart. */
typedef struct {
    char *x;
    const char *values;
    npy_intp n;
    const npy_intp *at, *from;
    const char *index;
    npy_intp index_step, extent, stride, walked, step;
} lz_placed;

typedef void lz_scatter(const lz_placed *p);

static inline npy_intp lz_place(const lz_placed *p, npy_intp i)
{
    npy_intp k = *(const npy_intp *)(p->index + i * p->index_step);
    return i * p->walked + (k < 0 ? k + p->extent : k) * p->stride;
}

/* Prefetch the elements that an index array names, all before the first write. */
static inline void lz_ask_for_places(const lz_placed *p)
{
#if defined(__GNUC__) || defined(__clang__)
    for (npy_intp i = 0; i < p->n; i++) __builtin_prefetch(p->x + lz_place(p, i), 1);
#endif
}

/* Collect the offsets in [first, beyond) of the places that an index array names, and those of their values; return
 * their number. Branch-free, as branches would be unpredictable. */
static inline npy_intp lz_find_own(const lz_placed *p, npy_intp first, npy_intp beyond, npy_intp *at, npy_intp *from)
{
    npy_intp own = 0;
    for (npy_intp i = 0; i < p->n; i++) {
        npy_intp place = lz_place(p, i);
        at[own] = place;
        from[own] = i * p->step;
        own += (place >= first) & (place < beyond);
    }
    return own;
}

/* STATEMENT updates *a by *b; an element is LENGTH of them. */
#define LZ_SCATTER(NAME, T, LENGTH, STATEMENT)                                                               \
    static void NAME(const lz_placed *p)                                                                     \
    {                                                                                                        \
        const npy_intp n = p->n, walked = p->walked, step = p->step, extent = p->extent, stride = p->stride; \
        const npy_intp index_step = p->index_step;                                                           \
        const npy_intp *at = p->at, *from = p->from;                                                         \
        const char *index = p->index, *values = p->values;                                                   \
        char *x = p->x;                                                                                      \
        npy_intp k;                                                                                          \
        if (at)                                                                                              \
            for (npy_intp i = 0; i < n; i++) {                                                               \
                T *a = (T *)(x + at[i]);                                                                     \
                const T *b = (const T *)(values + from[i]);                                                  \
                STATEMENT                                                                                    \
            }                                                                                                \
        else if (walked == 0 && index_step == sizeof(k) && stride == LENGTH * sizeof(T) && step == stride)   \
            for (npy_intp i = 0; i < n; i++) {                                                               \
                k = ((const npy_intp *)index)[i];                                                            \
                if (k < 0) k += extent;                                                                      \
                T *a = (T *)x + LENGTH * k;                                                                  \
                const T *b = (const T *)values + LENGTH * i;                                                 \
                STATEMENT                                                                                    \
            }                                                                                                \
        else                                                                                                 \
            for (npy_intp i = 0; i < n; i++) {                                                               \
                k = *(const npy_intp *)(index + i * index_step);                                             \
                T *a = (T *)(x + i * walked + (k < 0 ? k + extent : k) * stride);                            \
                const T *b = (const T *)(values + i * step);                                                 \
                STATEMENT                                                                                    \
            }                                                                                                \
    }

typedef struct { npy_uint64 w[2]; } lz_pair64;

#define LZ_SCATTER_COPY(T) LZ_SCATTER(lz_put_##T, T, 1, *a = *b;)
LZ_SCATTER_COPY(npy_uint8)
LZ_SCATTER_COPY(npy_uint16)
LZ_SCATTER_COPY(npy_uint32)
LZ_SCATTER_COPY(npy_uint64)
LZ_SCATTER_COPY(lz_pair64)

/* The copy of elements of `size` bytes; NULL for sizes without a special loop. */
static inline lz_scatter *lz_find_put(npy_intp size)
{
    return size == 1 ? lz_put_npy_uint8 : size == 2 ? lz_put_npy_uint16 : size == 4 ? lz_put_npy_uint32 :
           size == 8 ? lz_put_npy_uint64 : size == 16 ? lz_put_lz_pair64 : NULL;
}

/* The operations whose elements have one result, whatever computes them. Integers of both signs share what wraps. */
#define LZ_WRAPPING(T)                                    \
    LZ_SCATTER(lz_add_##T, T, 1, *a = (T)(*a + *b);)      \
    LZ_SCATTER(lz_subtract_##T, T, 1, *a = (T)(*a - *b);) \
    LZ_SCATTER(lz_multiply_##T, T, 1, *a = (T)(*a * *b);)
#define LZ_EXTREMA(T)                                          \
    LZ_SCATTER(lz_maximum_##T, T, 1, *a = *a >= *b ? *a : *b;) \
    LZ_SCATTER(lz_minimum_##T, T, 1, *a = *a <= *b ? *a : *b;)
#define LZ_COMPLEX(T)                                          \
    LZ_SCATTER(lz_cadd_##T, T, 2, a[0] += b[0]; a[1] += b[1];) \
    LZ_SCATTER(lz_csubtract_##T, T, 2, a[0] -= b[0]; a[1] -= b[1];)

#define LZ_EACH_UNSIGNED(X) X(npy_uint8) X(npy_uint16) X(npy_uint32) X(npy_uint64)
#define LZ_EACH_SIGNED(X) X(npy_int8) X(npy_int16) X(npy_int32) X(npy_int64)
LZ_EACH_UNSIGNED(LZ_WRAPPING) LZ_WRAPPING(npy_float32) LZ_WRAPPING(npy_float64)
LZ_EACH_SIGNED(LZ_EXTREMA) LZ_EACH_UNSIGNED(LZ_EXTREMA)
LZ_SCATTER(lz_divide_npy_float32, npy_float32, 1, *a = *a / *b;)
LZ_SCATTER(lz_divide_npy_float64, npy_float64, 1, *a = *a / *b;)
LZ_COMPLEX(npy_float32)
LZ_COMPLEX(npy_float64)

typedef struct {
    const char *name;
    const char *kinds; /* of NumPy */
    int size;
    lz_scatter *loop;
} lz_scatter_entry;

#define LZ_ENTRY(NAME, KINDS, T) {#NAME, KINDS, sizeof(T), lz_##NAME##_##T},
#define LZ_ENTRIES(KINDS, T) LZ_ENTRY(add, KINDS, T) LZ_ENTRY(subtract, KINDS, T) LZ_ENTRY(multiply, KINDS, T)
#define LZ_WHOLE(T) LZ_ENTRIES("iu", T)
#define LZ_SIGNED(T) LZ_ENTRY(maximum, "i", T) LZ_ENTRY(minimum, "i", T)
#define LZ_UNSIGNED(T) LZ_ENTRY(maximum, "u", T) LZ_ENTRY(minimum, "u", T)
#define LZ_PAIRS(T) {"add", "c", 2 * sizeof(T), lz_cadd_##T}, {"subtract", "c", 2 * sizeof(T), lz_csubtract_##T},

static const lz_scatter_entry lz_scatter_table[] = {
    LZ_EACH_UNSIGNED(LZ_WHOLE) LZ_EACH_SIGNED(LZ_SIGNED) LZ_EACH_UNSIGNED(LZ_UNSIGNED)
    LZ_ENTRIES("f", npy_float32) LZ_ENTRIES("f", npy_float64)
    LZ_ENTRY(divide, "f", npy_float32) LZ_ENTRY(divide, "f", npy_float64)
    LZ_PAIRS(npy_float32) LZ_PAIRS(npy_float64)
};

/* The loop of a ufunc for a dtype kind and itemsize; NULL if there is none. */
static inline lz_scatter *lz_find_scatter(const char *name, char kind, npy_intp size)
{
    for (size_t i = 0; i < sizeof(lz_scatter_table) / sizeof(lz_scatter_table[0]); i++) {
        const lz_scatter_entry *entry = &lz_scatter_table[i];
        if (entry->size == size && strchr(entry->kinds, kind) && strcmp(entry->name, name) == 0)
            return entry->loop;
    }
    return NULL;
}
