/* Windows over one line of positions, for one type and one width of vectors: included by pooling_types.h.
 *
 * Up to four vectors of channels of one position stay in registers over all taps of its window. There are as many
 * channels as a vector has lanes, or more: the last vector of a position may overlap the one before.
 *
 * Defined by the includer: T, TARGET (a function attribute) and NAME(what); BYTES (of a vector) and I (an integer of T's
 * size), if there are vectors; WEIGHT, the type of weights, for floats; SMALL, if T is smaller than a place, so that no
 * vector of it finds places. */

#if !defined(BYTES) || !defined(SMALL)
#define PLACES
#endif
#if defined(WEIGHT)
#define LEAST (T)(-INFINITY) /* the smallest value */
#else
#define LEAST (T)((T)-1 > 0 ? 0 : NPY_MIN_INT64 >> (64 - 8 * sizeof(T)))
#endif
#define V NAME(v) /* elements */
#define W NAME(w) /* integers or bools per lane */
#define P NAME(p) /* places of as many elements, in memory */
#define P8 NAME(p8) /* narrow ones */
#if !defined(BYTES)
typedef T V;
typedef npy_int32 W, P;
typedef npy_int8 P8;
#define LANES 1
#define LZ_BITS(x) (x)
#define LZ_CHOOSE(c, x, y) ((c) ? (x) : (y))
#define LZ_KEEP(c, x) ((c) ? (x) : 0)
#define LZ_CONVERT(x, TO) (x)
#else
typedef T V __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));
typedef I W __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));
#define LANES ((npy_intp)(BYTES / sizeof(T)))
typedef npy_int32 P __attribute__((vector_size(BYTES / sizeof(T) * 4), aligned(4), may_alias));
typedef npy_int8 P8 __attribute__((vector_size(BYTES / sizeof(T)), aligned(1), may_alias));
#define LZ_BITS(x) ((W)(x))
#define LZ_CHOOSE(c, x, y) (((x) & (c)) | ((y) & ~(c)))
#define LZ_KEEP(c, x) ((V)((W)(x) & (c)))
#define LZ_CONVERT(x, TO) __builtin_convertvector(x, TO)
#endif
#define LZ_VECTORS(j) LZ_UNROLL for (int j = 0; j < vectors; j++)

/* A function of a line: CALL is for position p and `vectors` vectors of channels from c on. */
#define LZ_WITH(VECTORS, CALL) { enum { vectors = VECTORS }; CALL; }
#define LZ_LINE(WHAT, CALL)                                                                     \
    TARGET static void NAME(WHAT)(const lz_windows *w)                                          \
    {                                                                                           \
        for (npy_intp p = w->begin; p < w->end; p++) {                                          \
            npy_intp c = 0;                                                                     \
            for (; c + 4 * LANES <= w->channels; c += 4 * LANES) LZ_WITH(4, CALL)               \
            for (; c + 2 * LANES <= w->channels; c += 2 * LANES) LZ_WITH(2, CALL)               \
            for (; c + LANES <= w->channels; c += LANES) LZ_WITH(1, CALL)                       \
            if (c < w->channels) {                                                              \
                c = w->channels - LANES;                                                        \
                LZ_WITH(1, CALL)                                                                \
            }                                                                                   \
        }                                                                                       \
    }

#define LZ_OF_TAPS(r, x, t)                                                                                  \
    for (npy_intp r = 0, taps = w->taps[p], at = w->first[p] * w->pixel + c * (npy_intp)sizeof(T); r < w->rows; r++) { \
        const char *x = w->row[r] + at;                                                                      \
        for (npy_intp t = 0; t < taps; t++, x += w->tap) {
#define LZ_END }}

/* ---- maxima ---- */

TARGET LZ_INLINE void NAME(max_of)(const int vectors, const lz_windows *w, npy_intp p, npy_intp c)
{
    T *out = (T *)w->out + p * w->channels + c;
    V most[4];
    LZ_VECTORS(j) most[j] = LEAST - (V){0};
    LZ_OF_TAPS(r, x, t)
        LZ_VECTORS(j)
        {
            LZ_ASK(x + j * sizeof(V));
            const V value = *(const V *)(x + j * sizeof(V));
            most[j] = (V)LZ_CHOOSE((value > most[j]) | (value != value), LZ_BITS(value), LZ_BITS(most[j]));
        }
    LZ_END
    LZ_VECTORS(j) *(V *)(out + j * LANES) = most[j];
}

LZ_LINE(max, NAME(max_of)(vectors, w, p, c))

/* ---- places of maxima: the number of the first tap that holds one, -1 without taps. NaN is a maximum ---- */

#if defined(PLACES)
TARGET LZ_INLINE void NAME(places_of)(const int vectors, const lz_windows *w, npy_intp p, npy_intp c)
{
    const npy_intp out = p * w->channels + c;
    const npy_int32 none = w->rows && w->taps[p] ? w->row_number[0] + (npy_int32)w->number[p] : -1;
    V most[4];
    W place[4];
    LZ_VECTORS(j)
    {
        most[j] = LEAST - (V){0};
        place[j] = none - (W){0};
    }
    LZ_OF_TAPS(r, x, t)
        const W here = (npy_int32)(w->row_number[r] + w->number[p] + t * w->number_step) - (W){0};
        LZ_VECTORS(j)
        {
            const V value = *(const V *)(x + j * sizeof(V));
            const W better = (value > most[j]) | ((value != value) & (most[j] == most[j]));
            most[j] = (V)LZ_CHOOSE(better, LZ_BITS(value), LZ_BITS(most[j]));
            place[j] = LZ_CHOOSE(better, here, place[j]);
        }
    LZ_END
    LZ_VECTORS(j)
    {
        if (w->narrow) *(P8 *)((npy_int8 *)w->place_out + out + j * LANES) = LZ_CONVERT(place[j], P8);
        else *(P *)((npy_int32 *)w->place_out + out + j * LANES) = LZ_CONVERT(place[j], P);
    }
}

LZ_LINE(places, NAME(places_of)(vectors, w, p, c))
#endif

#if defined(WEIGHT)

/* ---- sums of those elements whose place it is ---- */

TARGET LZ_INLINE void NAME(back_to)(const int vectors, const int narrow, const lz_windows *w, npy_intp p, npy_intp c)
{
    T *out = (T *)w->out + p * w->channels + c;
    V sum[4];
    LZ_VECTORS(j) sum[j] = (V){0};
    LZ_OF_TAPS(r, x, t)
        const W here = (npy_int32)(w->row_number[r] + w->number[p] + t * w->number_step) - (W){0};
        const npy_intp at = (const T *)x - (const T *)w->source;
        LZ_VECTORS(j)
        {
            const W theirs = narrow ? LZ_CONVERT(*(const P8 *)((const npy_int8 *)w->place + at + j * LANES), W)
                                    : LZ_CONVERT(*(const P *)((const npy_int32 *)w->place + at + j * LANES), W);
            sum[j] += LZ_KEEP(theirs == here, *(const V *)(x + j * sizeof(V)));
        }
    LZ_END
    LZ_VECTORS(j) *(V *)(out + j * LANES) = sum[j];
}

LZ_LINE(give_back_wide, NAME(back_to)(vectors, 0, w, p, c))
LZ_LINE(give_back_narrow, NAME(back_to)(vectors, 1, w, p, c))
TARGET static void NAME(give_back)(const lz_windows *w)
{
    (w->narrow ? NAME(give_back_narrow) : NAME(give_back_wide))(w);
}

/* ---- sums: every 128 terms of one level make one of the next, which keeps the error of large windows small ---- */

#define LZ_CARRY(from, to)              \
    LZ_VECTORS(j)                       \
    {                                   \
        to[j] += from[j];               \
        from[j] = (T)-0.0 - (V){0};     \
    }

TARGET LZ_INLINE void NAME(sum_of)(const int vectors, const int weighted, const lz_windows *w, npy_intp p, npy_intp c)
{
    T *out = (T *)w->out + p * w->channels + c;
    V total[4], middle[4], part[4];
    npy_intp terms = 0;
    const WEIGHT *weight = weighted ? (const WEIGHT *)w->weight + w->offset[p] : NULL;
    const T divisor = weighted ? 1 : (T)(w->divide * w->divisor[p]);
    LZ_VECTORS(j) total[j] = middle[j] = part[j] = (T)-0.0 - (V){0}; /* neutral element of addition, also for signed zeros */
    LZ_OF_TAPS(r, x, t)
        if (weighted) {
            const V factor = (T)(((const WEIGHT *)w->scale)[r] * weight[t]) - (V){0};
            LZ_VECTORS(j) part[j] += factor * *(const V *)(x + j * sizeof(V));
        } else
            LZ_VECTORS(j)
            {
                LZ_ASK(x + j * sizeof(V));
                part[j] += *(const V *)(x + j * sizeof(V));
            }
        if (++terms % 128 == 0) {
            LZ_CARRY(part, middle)
            if (terms % (128 * 128) == 0) { LZ_CARRY(middle, total) }
        }
    LZ_END
    LZ_VECTORS(j)
    {
        V sum = total[j] + (middle[j] + part[j]);
        if (!weighted) sum = sum / divisor;
        *(V *)(out + j * LANES) = sum;
    }
}

LZ_LINE(mean, NAME(sum_of)(vectors, 0, w, p, c))
LZ_LINE(mix, NAME(sum_of)(vectors, 1, w, p, c))
#undef LZ_CARRY
static const lz_pool NAME(pool) = {LANES, {NAME(max), NAME(mean), NAME(mix), NAME(places), NAME(give_back)}};
#elif defined(PLACES)
static const lz_pool NAME(pool) = {LANES, {NAME(max), NULL, NULL, NAME(places), NULL}};
#else
static const lz_pool NAME(pool) = {LANES, {NAME(max), NULL, NULL, NULL, NULL}};
#endif

#undef LZ_VECTORS
#undef LZ_WITH
#undef LZ_LINE
#undef LZ_OF_TAPS
#undef LZ_END
#undef LZ_BITS
#undef LZ_CHOOSE
#undef LZ_KEEP
#undef LZ_CONVERT
#undef T
#undef I
#undef LEAST
#undef PLACES
#undef LANES
#undef V
#undef W
#undef P
#undef P8
#undef NAME
