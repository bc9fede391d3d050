/* Maxima and sums over the windows of one line, for one type and one width of vectors; pool.h includes this file once
 * for each.
 *
 * Up to four vectors of channels of one position stay in registers over all taps of its window. There are as many
 * channels as a vector has lanes, or more: the last vector of a position may overlap the one before.
 *
 * Defined by the includer: T, LEAST (nothing is smaller), TARGET (a function attribute) and NAME(what); for vectors also
 * BYTES (of one) and I, an integer of T's size; for sums WEIGHT, the type of weights. */

#if !defined(BYTES)
typedef T NAME(v);
#define LANES 1
#define LZ_CHOOSE(c, x, y) ((c) ? (x) : (y))
#else
typedef T NAME(v) __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));
typedef I NAME(w) __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));
#define LANES ((npy_intp)(BYTES / sizeof(T)))
#define LZ_CHOOSE(c, x, y) ((V)(((NAME(w))(x) & (c)) | ((NAME(w))(y) & ~(c))))
#endif
#define V NAME(v)

TARGET LZ_INLINE void NAME(max_of)(const int vectors, const lz_windows *w, npy_intp at, npy_intp taps, T *out)
{
    V most[4];
    LZ_UNROLL for (int j = 0; j < vectors; j++) most[j] = (T)LEAST - (V){0};
    for (npy_intp r = 0; r < w->rows; r++) {
        const char *x = w->row[r] + at;
        for (npy_intp t = 0; t < taps; t++, x += w->tap)
            LZ_UNROLL for (int j = 0; j < vectors; j++)
            {
                const V value = *(const V *)((const T *)x + j * LANES);
                most[j] = LZ_CHOOSE((value > most[j]) | (value != value), value, most[j]);
            }
    }
    LZ_UNROLL for (int j = 0; j < vectors; j++) *(V *)(out + j * LANES) = most[j];
}

#define LZ_POSITIONS(ONE)                                                                  \
    const npy_intp n = w->channels;                                                        \
    for (npy_intp p = w->begin; p < w->end; p++) {                                         \
        const npy_intp at = w->first[p] * w->pixel, size = (npy_intp)sizeof(T);            \
        T *out = (T *)w->out + p * n;                                                      \
        npy_intp c = 0;                                                                    \
        for (; c + 4 * LANES <= n; c += 4 * LANES) ONE(4, at + c * size, out + c)          \
        if (c + 2 * LANES <= n) {                                                          \
            ONE(2, at + c * size, out + c)                                                 \
            c += 2 * LANES;                                                                \
        }                                                                                  \
        if (c + LANES <= n) {                                                              \
            ONE(1, at + c * size, out + c)                                                 \
            c += LANES;                                                                    \
        }                                                                                  \
        if (c < n) ONE(1, at + (n - LANES) * size, out + (n - LANES))                      \
    }

#define LZ_ONE(VECTORS, AT, OUT) { NAME(max_of)(VECTORS, w, AT, w->taps[p], OUT); }
TARGET static void NAME(max)(const lz_windows *w) { LZ_POSITIONS(LZ_ONE) }
#undef LZ_ONE

#if defined(WEIGHT)
/* A part is added to the total every so many taps, which keeps the error of large windows small. */
TARGET LZ_INLINE void NAME(sum_of)(const int vectors, const int weighted, const lz_windows *w, npy_intp at, npy_intp p,
                                   T *out)
{
    V total[4], part[4];
    npy_intp left = 64;
    const npy_intp taps = w->taps[p];
    const WEIGHT *weight = weighted ? (const WEIGHT *)w->weight + w->offset[p] : NULL;
    const T divisor = weighted ? 1 : (T)(w->divide * w->divisor[p]);
    LZ_UNROLL for (int j = 0; j < vectors; j++) total[j] = part[j] = (T)-0.0 - (V){0};
    for (npy_intp r = 0; r < w->rows; r++) {
        const char *x = w->row[r] + at;
        for (npy_intp t = 0; t < taps; t++, x += w->tap) {
            if (weighted) {
                const V factor = (T)(((const WEIGHT *)w->scale)[r] * weight[t]) - (V){0};
                LZ_UNROLL for (int j = 0; j < vectors; j++) part[j] += factor * *(const V *)((const T *)x + j * LANES);
            } else
                LZ_UNROLL for (int j = 0; j < vectors; j++) part[j] += *(const V *)((const T *)x + j * LANES);
            if (--left == 0) {
                LZ_UNROLL for (int j = 0; j < vectors; j++)
                {
                    total[j] += part[j];
                    part[j] = (T)-0.0 - (V){0};
                }
                left = 64;
            }
        }
    }
    LZ_UNROLL for (int j = 0; j < vectors; j++)
        *(V *)(out + j * LANES) = weighted ? total[j] + part[j] : (total[j] + part[j]) / divisor;
}

#define LZ_ONE(VECTORS, AT, OUT) { NAME(sum_of)(VECTORS, 0, w, AT, p, OUT); }
TARGET static void NAME(mean)(const lz_windows *w) { LZ_POSITIONS(LZ_ONE) }
#undef LZ_ONE
#define LZ_ONE(VECTORS, AT, OUT) { NAME(sum_of)(VECTORS, 1, w, AT, p, OUT); }
TARGET static void NAME(mix)(const lz_windows *w) { LZ_POSITIONS(LZ_ONE) }
#undef LZ_ONE
static const lz_pool NAME(pool) = {LANES, NAME(max), NAME(mean), NAME(mix)};
#else
static const lz_pool NAME(pool) = {LANES, NAME(max), NULL, NULL};
#endif

#undef LZ_POSITIONS
#undef LZ_CHOOSE
#undef T
#undef I
#undef LEAST
#undef WEIGHT
#undef BYTES
#undef LANES
#undef V
#undef NAME
