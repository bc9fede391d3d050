/* Merging two sorted runs that lie one after the other.
 *
 * Which run the next element comes from is unpredictable: there is no branch on it, and four pieces of the result are
 * written in turns, so that the processor need not wait for one comparison to begin the next. */
#pragma once

#include <numpy/ndarraytypes.h>

#define LZ_MERGES 4

typedef struct {
    npy_intp i, j;              /* next element of the first run, of the second */
    npy_intp i_end, j_end, k;   /* k: index of the next result */
} lz_merging;

/* NumPy's order: NaN comes last. */
#define LZ_LESS_INT(a, b) ((a) < (b))
#define LZ_LESS_FLOAT(a, b) (!((b) <= (a)) & ((a) == (a)))

/* KEY(V, x): what an element x of a run of T is ordered by, a V. Equal ones of the first run come first. */
#define LZ_MERGE(NAME, T, V, KEY, LESS)                                                                               \
    /* The number of elements from the first run among the first k results. */                                              \
    static npy_intp NAME##_split(const void *values, const T *a, npy_intp na, npy_intp nb, npy_intp k)                \
    {                                                                                                                 \
        npy_intp low = k > nb ? k - nb : 0, high = k < na ? k : na;                                                   \
        while (low < high) {                                                                                          \
            const npy_intp i = low + (high - low) / 2;                                                                \
            if (LESS(KEY(V, a[na + k - i - 1]), KEY(V, a[i]))) high = i;                                              \
            else low = i + 1;                                                                                         \
        }                                                                                                             \
        return low;                                                                                                   \
    }                                                                                                                 \
    static inline void NAME##_step(const void *values, const T *a, T *out, lz_merging *m)                             \
    {                                                                                                                 \
        const npy_intp right = LESS(KEY(V, a[m->j]), KEY(V, a[m->i]));                                                \
        out[m->k++] = a[m->i + (-right & (m->j - m->i))];                                                             \
        m->j += right;                                                                                                \
        m->i += 1 - right;                                                                                            \
    }                                                                                                                 \
    static void NAME(const void *values, const void *runs, npy_intp na, npy_intp nb, void *result, npy_intp first,    \
                     npy_intp last)                                                                                   \
    {                                                                                                                 \
        const T *a = (const T *)runs;                                                                                 \
        T *out = (T *)result;                                                                                         \
        lz_merging m[LZ_MERGES];                                                                                      \
        npy_intp at = first, i = NAME##_split(values, a, na, nb, first);                                              \
        for (int s = 0; s < LZ_MERGES; s++) {                                                                         \
            const npy_intp end = first + (last - first) * (s + 1) / LZ_MERGES;                                        \
            const npy_intp i_end = NAME##_split(values, a, na, nb, end);                                              \
            m[s] = (lz_merging){i, na + at - i, i_end, na + end - i_end, at};                                         \
            i = i_end, at = end;                                                                                      \
        }                                                                                                             \
        lz_merging p = m[0], q = m[1], r = m[2], t = m[3];                                                            \
        while (p.i < p.i_end && p.j < p.j_end && q.i < q.i_end && q.j < q.j_end && r.i < r.i_end && r.j < r.j_end &&  \
               t.i < t.i_end && t.j < t.j_end) {                                                                      \
            NAME##_step(values, a, out, &p);                                                                          \
            NAME##_step(values, a, out, &q);                                                                          \
            NAME##_step(values, a, out, &r);                                                                          \
            NAME##_step(values, a, out, &t);                                                                          \
        }                                                                                                             \
        m[0] = p, m[1] = q, m[2] = r, m[3] = t;                                                                       \
        for (int s = 0; s < LZ_MERGES; s++) {                                                                         \
            p = m[s];                                                                                                 \
            while (p.i < p.i_end && p.j < p.j_end) NAME##_step(values, a, out, &p);                                   \
            while (p.i < p.i_end) out[p.k++] = a[p.i++];                                                              \
            while (p.j < p.j_end) out[p.k++] = a[p.j++];                                                              \
        }                                                                                                             \
    }

#define LZ_ITSELF(T, x) (x)
#define LZ_VALUE(T, x) (((const T *)values)[x])
#define LZ_MERGES_OF(NAME, T, LESS)                            \
    LZ_MERGE(lz_merge_##NAME, T, T, LZ_ITSELF, LESS)           \
    LZ_MERGE(lz_argmerge_##NAME, npy_intp, T, LZ_VALUE, LESS)

LZ_MERGES_OF(i4, npy_int32, LZ_LESS_INT)
LZ_MERGES_OF(u4, npy_uint32, LZ_LESS_INT)
LZ_MERGES_OF(i8, npy_int64, LZ_LESS_INT)
LZ_MERGES_OF(u8, npy_uint64, LZ_LESS_INT)
LZ_MERGES_OF(f4, float, LZ_LESS_FLOAT)
LZ_MERGES_OF(f8, double, LZ_LESS_FLOAT)

/* Merge elements [first, last) of the result of two runs of na and nb. For indices, `values` are the keys. */
typedef void (*lz_merge)(const void *values, const void *runs, npy_intp na, npy_intp nb, void *result, npy_intp first,
                         npy_intp last);

/* The merge function for a kind ('i', 'u' or 'f') and itemsize, or for indices that order them; NULL if there is none.
 * */
static lz_merge lz_find_merge(char kind, npy_intp size, int indices)
{
    static const lz_merge known[2][3][2] = {
        {{lz_merge_i4, lz_merge_i8}, {lz_merge_u4, lz_merge_u8}, {lz_merge_f4, lz_merge_f8}},
        {{lz_argmerge_i4, lz_argmerge_i8}, {lz_argmerge_u4, lz_argmerge_u8}, {lz_argmerge_f4, lz_argmerge_f8}},
    };
    const int row = kind == 'i' ? 0 : kind == 'u' ? 1 : kind == 'f' ? 2 : -1;
    return row < 0 || (size != 4 && size != 8) ? NULL : known[indices][row][size == 8];
}
