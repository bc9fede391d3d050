/* The three transforms of Winograd's convolution for one instruction set; winograd.h includes this file once for each.
 *
 * Defined by the includer: BYTES (a vector's), TARGET (a function attribute) and NAME(what). */

#if defined(LZ_NO_VECTORS)
typedef float NAME(v);
#define LANES 1
#else
typedef float NAME(v) __attribute__((vector_size(BYTES), aligned(sizeof(float)), may_alias));
#define LANES ((npy_intp)(BYTES / sizeof(float)))
#endif
#define V NAME(v)

/* The first `count` lanes, zeros in the others. */
TARGET LZ_INLINE V NAME(load)(const float *x, const npy_intp count)
{
    V v = {0};
    if (count >= LANES) return *(const V *)x;
    memcpy(&v, x, (size_t)count * sizeof(float));
    return v;
}

TARGET LZ_INLINE void NAME(store)(float *x, V v, const npy_intp count)
{
    if (count >= LANES)
        *(V *)x = v;
    else
        memcpy(x, &v, (size_t)count * sizeof(float));
}

TARGET LZ_INLINE void NAME(gather_some)(npy_intp c, npy_intp count, const float *const *x, float *v, npy_intp apart)
{
    V d[4][4], t[4];
    LZ_UNROLL for (int j = 0; j < 4; j++)
    {
        LZ_UNROLL for (int i = 0; i < 4; i++) t[i] = NAME(load)(x[4 * i + j] + c, count);
        d[0][j] = t[0] - t[2], d[1][j] = t[1] + t[2], d[2][j] = t[2] - t[1], d[3][j] = t[1] - t[3];
    }
    v += c;
    LZ_UNROLL for (int i = 0; i < 4; i++, v += 4 * apart)
    {
        NAME(store)(v, d[i][0] - d[i][2], count);
        NAME(store)(v + apart, d[i][1] + d[i][2], count);
        NAME(store)(v + 2 * apart, d[i][2] - d[i][1], count);
        NAME(store)(v + 3 * apart, d[i][1] - d[i][3], count);
    }
}

TARGET static void NAME(gather)(npy_intp channels, const float *const *x, float *v, npy_intp apart)
{
    npy_intp c = 0;
    for (; c + LANES <= channels; c += LANES) NAME(gather_some)(c, LANES, x, v, apart);
    if (c < channels) NAME(gather_some)(c, channels - c, x, v, apart);
}

TARGET static void NAME(turn)(npy_intp count, const float *w, npy_intp tap, float *u, npy_intp apart)
{
    for (npy_intp k = 0; k < count; k += LANES) {
        V g[4][3], sum;
        LZ_UNROLL for (int j = 0; j < 3; j++)
        {
            const V a = *(const V *)(w + j * tap + k), b = *(const V *)(w + (3 + j) * tap + k),
                    c = *(const V *)(w + (6 + j) * tap + k);
            sum = (a + c) * 0.5f;
            g[0][j] = a, g[1][j] = sum + b * 0.5f, g[2][j] = sum - b * 0.5f, g[3][j] = c;
        }
        LZ_UNROLL for (int i = 0; i < 4; i++)
        {
            float *to = u + 4 * i * apart + k;
            sum = (g[i][0] + g[i][2]) * 0.5f;
            *(V *)to = g[i][0];
            *(V *)(to + apart) = sum + g[i][1] * 0.5f;
            *(V *)(to + 2 * apart) = sum - g[i][1] * 0.5f;
            *(V *)(to + 3 * apart) = g[i][2];
        }
    }
}

TARGET LZ_INLINE void NAME(scatter_some)(npy_intp k, npy_intp count, const float *m, npy_intp apart, float *const *y,
                                         float *check)
{
    V t[2][4], seen = *(const V *)check;
    LZ_UNROLL for (int j = 0; j < 4; j++)
    {
        const V a = NAME(load)(m + j * apart + k, count), b = NAME(load)(m + (4 + j) * apart + k, count),
                c = NAME(load)(m + (8 + j) * apart + k, count), d = NAME(load)(m + (12 + j) * apart + k, count);
        t[0][j] = a + b + c, t[1][j] = b - c - d;
    }
    LZ_UNROLL for (int i = 0; i < 2; i++)
    {
        const V left = t[i][0] + t[i][1] + t[i][2], right = t[i][1] - t[i][2] - t[i][3];
        NAME(store)(y[2 * i] + k, left, count);
        NAME(store)(y[2 * i + 1] + k, right, count);
        seen += (left - left) + (right - right);
    }
    *(V *)check = seen;
}

TARGET static void NAME(scatter)(npy_intp columns, const float *m, npy_intp apart, float *const *y, float *check)
{
    npy_intp k = 0;
    for (; k + LANES <= columns; k += LANES) NAME(scatter_some)(k, LANES, m, apart, y, check);
    if (k < columns) NAME(scatter_some)(k, columns - k, m, apart, y, check);
}

static const lz_winograd NAME(winograd) = {2 * LANES, NAME(gather), NAME(turn), NAME(scatter)};

#undef V
#undef BYTES
#undef LANES
#undef NAME
