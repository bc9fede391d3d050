/* One register tile of a matrix product, the sums of depthwise convolutions, and products of a matrix and a vector, for
 * one type and one instruction set; gemm_types.h includes this file once for each.
 *
 *     c[i][j] (+)= sum over t of a[i, t] * b[t][j]        i < rows, j < columns
 *
 * The sums stay in registers over all terms: ROWS x 2 vectors, or half as many rows and 4 vectors. The terms of a are
 * runs of neighbours that start anywhere (`lz_terms`), and its rows lie `step` elements apart; or its rows are
 * neighbours, and its terms lie `step` apart. The one serves matrices and convolutions, the other transposed matrices
 * and gradients of weights. b is read in panels of two vectors.
 *
 * Defined by the includer: T, BYTES (a vector's), ROWS, TARGET (a function attribute) and NAME(what). */

#if defined(LZ_NO_VECTORS)
typedef T NAME(v);
#define LANES 1
#else
typedef T NAME(v) __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));
#define LANES ((npy_intp)(BYTES / sizeof(T)))
#endif
#define V NAME(v)

/* Inlined for each number of rows and vectors, so that the sums are registers. */
TARGET LZ_INLINE void NAME(sums)(const int rows, const int vectors, const int rows_adjoin, const lz_terms *terms,
                                 const T *a, npy_intp step, const T *b, npy_intp ldb, npy_intp panel, T *c,
                                 npy_intp ldc, int add)
{
    V sums[ROWS][4];
    LZ_UNROLL for (int i = 0; i < rows; i++)
        LZ_UNROLL for (int j = 0; j < vectors; j++)
            sums[i][j] = (V){0};
    npy_intp apart = step * sizeof(T), thrice = 3 * apart;
    for (npy_intp run = 0; run < terms->runs; run++) {
        const char *x = (const char *)(a + terms->start[run]), *x5 = x + 5 * apart, *x10 = x5 + 5 * apart;
        for (npy_intp t = 0; t < terms->length; t++, b += ldb) {
            V y[4];
            LZ_OPAQUE(x); LZ_OPAQUE(x5); LZ_OPAQUE(x10); LZ_OPAQUE(apart); LZ_OPAQUE(thrice);
            LZ_UNROLL for (int j = 0; j < vectors; j++)
            {
                y[j] = *(const V *)(b + j / 2 * panel + j % 2 * LANES);
                LZ_PREFETCH(b + (vectors + j) * LANES); /* the next tile's, where b is not packed */
            }
            LZ_UNROLL for (int i = 0; i < rows; i++)
            {
                const char *row = i < 5 ? x : i < 10 ? x5 : x10;
                const int k = i % 5;
                const T *value = rows_adjoin ? (const T *)x + i : (const T *)(row + (k == 3 ? thrice : k * apart));
                const V all = *value - (V){0}; /* in all lanes */
                LZ_UNROLL for (int j = 0; j < vectors; j++) sums[i][j] += all * y[j];
            }
            x += rows_adjoin ? apart : (npy_intp)sizeof(T), x5 += sizeof(T), x10 += sizeof(T);
        }
    }
    LZ_UNROLL for (int i = 0; i < rows; i++)
        LZ_UNROLL for (int j = 0; j < vectors; j++)
        {
            if (add) sums[i][j] += *(const V *)(c + i * ldc + j * LANES); /* block by block: errors stay small */
            *(V *)(c + i * ldc + j * LANES) = sums[i][j];
        }
}

#define LZ_CASE(R, VECTORS)                                                                       \
    case (R) * 4 + (VECTORS) - 1:                                                                 \
        NAME(sums)(R, VECTORS, rows_adjoin, terms, a, step, b, ldb, panel, c, ldc, add);         \
        return;
#define LZ_NARROW(R) LZ_CASE(R, 1) LZ_CASE(R, 2)
#define LZ_ALL(R) LZ_NARROW(R) LZ_CASE(R, 4)

TARGET LZ_INLINE void NAME(choose)(const int rows_adjoin, int rows, int vectors, const lz_terms *terms, const T *a,
                                   npy_intp step, const T *b, npy_intp ldb, npy_intp panel, T *c, npy_intp ldc,
                                   int add)
{
    switch (rows * 4 + vectors - 1) {
        LZ_ALL(1) LZ_ALL(2)
#if ROWS >= 6
        LZ_ALL(3) LZ_NARROW(4) LZ_NARROW(5) LZ_NARROW(6)
#endif
#if ROWS >= 14
        LZ_CASE(4, 4) LZ_CASE(5, 4) LZ_CASE(6, 4) LZ_ALL(7)
        LZ_NARROW(8) LZ_NARROW(9) LZ_NARROW(10) LZ_NARROW(11) LZ_NARROW(12) LZ_NARROW(13) LZ_NARROW(14)
#endif
    }
}
#undef LZ_CASE
#undef LZ_NARROW
#undef LZ_ALL

TARGET static void NAME(tile)(int rows, npy_intp columns, const lz_terms *terms, const void *pa, npy_intp step,
                              int rows_adjoin, const void *pb, npy_intp ldb, npy_intp panel, void *pc, npy_intp ldc,
                              int add)
{
    T part[ROWS * 4 * LANES], *c = (T *)pc;
    const T *a = (const T *)pa, *b = (const T *)pb;
    const int vectors = columns <= LANES ? 1 : columns <= 2 * LANES ? 2 : 4;
    const npy_intp padded = vectors * LANES, ld = columns < padded ? padded : ldc;
    const size_t bytes = (size_t)columns * sizeof(T);
    if (columns < padded) { /* b is padded; the result is not */
        for (npy_intp i = 0; add && i < rows; i++) memcpy(part + i * padded, c + i * ldc, bytes);
        c = part;
    }
    if (rows_adjoin)
        NAME(choose)(1, rows, vectors, terms, a, step, b, ldb, panel, c, ld, add);
    else
        NAME(choose)(0, rows, vectors, terms, a, step, b, ldb, panel, c, ld, add);
    if (columns < padded)
        for (npy_intp i = 0; i < rows; i++) memcpy((T *)pc + i * ldc, part + i * padded, bytes);
}

/* Depthwise: `vectors` vectors of channels, or one channel (0). */
TARGET LZ_INLINE void NAME(channels)(const int vectors, npy_intp positions, npy_intp taps, const npy_intp *start,
                                     const npy_intp *start_w, const T *x, npy_intp step, const T *w, T *y, npy_intp ldy)
{
    for (npy_intp p = 0; p < positions; p++, x += step, y += ldy) {
        V sums[4];
        T sum = 0;
        LZ_UNROLL for (int j = 0; j < vectors; j++) sums[j] = (V){0};
        for (npy_intp t = 0; t < taps; t++) {
            LZ_UNROLL for (int j = 0; j < vectors; j++)
                sums[j] += *(const V *)(x + start[t] + j * LANES) * *(const V *)(w + start_w[t] + j * LANES);
            if (!vectors) sum += x[start[t]] * w[start_w[t]];
        }
        LZ_UNROLL for (int j = 0; j < vectors; j++) *(V *)(y + j * LANES) = sums[j];
        if (!vectors) *y = sum;
    }
}

TARGET LZ_INLINE void NAME(products)(const int vectors, npy_intp positions, npy_intp taps, const npy_intp *start,
                                     const npy_intp *start_w, const T *x, npy_intp step, T *w, const T *y, npy_intp ldy)
{
    for (npy_intp t = 0; t < taps; t++) {
        V sums[4];
        T sum = 0;
        LZ_UNROLL for (int j = 0; j < vectors; j++) sums[j] = (V){0};
        for (npy_intp p = 0; p < positions; p++) {
            LZ_UNROLL for (int j = 0; j < vectors; j++)
                sums[j] += *(const V *)(x + start[t] + p * step + j * LANES) * *(const V *)(y + p * ldy + j * LANES);
            if (!vectors) sum += x[start[t] + p * step] * y[p * ldy];
        }
        LZ_UNROLL for (int j = 0; j < vectors; j++) *(V *)(w + start_w[t] + j * LANES) += sums[j];
        if (!vectors) w[start_w[t]] += sum;
    }
}

#define LZ_BY_CHANNELS(FUNCTION)                                                                              \
    npy_intp c = 0;                                                                                           \
    for (; c + 4 * LANES <= channels; c += 4 * LANES)                                                         \
        NAME(FUNCTION)(4, positions, taps, start, start_w, x + c, step, w + c, y + c, ldy);                   \
    for (; c + LANES <= channels; c += LANES)                                                                 \
        NAME(FUNCTION)(1, positions, taps, start, start_w, x + c, step, w + c, y + c, ldy);                   \
    for (; c < channels; c++) NAME(FUNCTION)(0, positions, taps, start, start_w, x + c, step, w + c, y + c, ldy);

TARGET static void NAME(each_channel)(npy_intp positions, npy_intp channels, npy_intp taps, const npy_intp *start,
                                      const npy_intp *start_w, const void *px, npy_intp step, const void *pw,
                                      void *py, npy_intp ldy)
{
    const T *x = (const T *)px, *w = (const T *)pw;
    T *y = (T *)py;
    LZ_BY_CHANNELS(channels)
}

TARGET static void NAME(each_weight)(npy_intp positions, npy_intp channels, npy_intp taps, const npy_intp *start,
                                     const npy_intp *start_w, const void *px, npy_intp step, void *pw, const void *py,
                                     npy_intp ldy)
{
    const T *x = (const T *)px, *y = (const T *)py;
    T *w = (T *)pw;
    LZ_BY_CHANNELS(products)
}
#undef LZ_BY_CHANNELS

TARGET LZ_INLINE void NAME(add)(const int rows, npy_intp columns, const T *a, const T *b, npy_intp ldb, T *y, int add)
{
    npy_intp j = 0;
    for (; j + LANES <= columns; j += LANES) {
        V sum = (*a - (V){0}) * *(const V *)(b + j);
        LZ_UNROLL for (int i = 1; i < rows; i++) sum += (a[i] - (V){0}) * *(const V *)(b + i * ldb + j);
        if (add) sum += *(const V *)(y + j);
        *(V *)(y + j) = sum;
    }
    for (; j < columns; j++) {
        T sum = *a * b[j];
        for (int i = 1; i < rows; i++) sum += a[i] * b[i * ldb + j];
        y[j] = add ? y[j] + sum : sum;
    }
}

TARGET static void NAME(add_rows)(npy_intp rows, npy_intp columns, const void *pa, const void *pb, npy_intp ldb,
                                  void *py)
{
    const T ones[4] = {1, 1, 1, 1}, *a = pa ? (const T *)pa : ones, *b = (const T *)pb;
    npy_intp i = 0;
    for (; i + 4 <= rows; i += 4) NAME(add)(4, columns, pa ? a + i : a, b + i * ldb, ldb, (T *)py, i > 0);
    for (; i < rows; i++) NAME(add)(1, columns, pa ? a + i : a, b + i * ldb, ldb, (T *)py, i > 0);
}

/* Rows take turns, so that the sums of one wait while those of the others are added. */
TARGET LZ_INLINE void NAME(dots)(const int rows, npy_intp terms, const T *a, npy_intp lda, const T *v, T *y, int add)
{
    V sums[4][2];
    T lanes[4][LANES], rests[4] = {0};
    npy_intp t = 0;
    LZ_UNROLL for (int i = 0; i < rows; i++) sums[i][0] = sums[i][1] = (V){0};
    for (; t + 2 * LANES <= terms; t += 2 * LANES)
        LZ_UNROLL for (int i = 0; i < rows; i++)
            LZ_UNROLL for (int j = 0; j < 2; j++)
                sums[i][j] += *(const V *)(a + i * lda + t + j * LANES) * *(const V *)(v + t + j * LANES);
    if (t + LANES <= terms) {
        LZ_UNROLL for (int i = 0; i < rows; i++) sums[i][0] += *(const V *)(a + i * lda + t) * *(const V *)(v + t);
        t += LANES;
    }
    for (; t < terms; t++)
        LZ_UNROLL for (int i = 0; i < rows; i++) rests[i] += a[i * lda + t] * v[t];
    LZ_UNROLL for (int i = 0; i < rows; i++) *(V *)lanes[i] = sums[i][0] + sums[i][1];
    LZ_UNROLL for (npy_intp width = LANES / 2; width > 0; width /= 2)
        LZ_UNROLL for (int i = 0; i < rows; i++)
            LZ_UNROLL for (npy_intp lane = 0; lane < width; lane++) lanes[i][lane] += lanes[i][lane + width];
    LZ_UNROLL for (int i = 0; i < rows; i++) y[i] = (add ? y[i] : 0) + (lanes[i][0] + rests[i]);
}

#define SUMMED 2048 /* terms, so that their part of v stays in the first cache, and errors stay small */
TARGET static void NAME(sum_rows)(npy_intp rows, npy_intp terms, const void *pa, npy_intp lda, const void *pv, void *py)
{
    for (npy_intp t = 0; t < terms; t += SUMMED) {
        const npy_intp n = terms - t < SUMMED ? terms - t : SUMMED;
        const T *a = (const T *)pa + t, *v = (const T *)pv + t;
        npy_intp i = 0;
        for (; i + 4 <= rows; i += 4) NAME(dots)(4, n, a + i * lda, lda, v, (T *)py + i, t > 0);
        for (; i < rows; i++) NAME(dots)(1, n, a + i * lda, lda, v, (T *)py + i, t > 0);
    }
}
#undef SUMMED

static const lz_gemm NAME(gemm) = {sizeof(T), ROWS, 2 * LANES, NAME(tile),
                                   {sizeof(T) == 4 ? lz_pack_4 : lz_pack_8,
                                    sizeof(T) == 4 ? lz_pack_complex_4 : lz_pack_complex_8},
                                   NAME(each_channel), NAME(each_weight), NAME(add_rows), NAME(sum_rows)};

#undef T
#undef V
#undef LANES
#undef NAME
