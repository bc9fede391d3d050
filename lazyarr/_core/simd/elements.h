/* Elements by index and under masks, for arrays in cache: plain loops that compilers vectorise. */
#pragma once

#include <stdint.h>
#include <string.h>
#include <numpy/npy_common.h>

#include "mask.h"

/* Take elements of `width` bytes at indices; return -1, or the first position with an index out of range. */
#define LZ_TAKE(COPY) \
    for (npy_intp i = 0; i < count; i++) { \
        npy_intp at = *(const npy_intp *)(where + i * where_step); \
        if (at < 0) at += n; \
        if (at < 0 || at >= n) return i; \
        COPY; \
    } \
    return -1
#define LZ_TAKE_AS(type) LZ_TAKE(((type *)out)[i] = *(const type *)(data + at * stride))

static inline npy_intp lz_take(char *out, const char *data, npy_intp stride, npy_intp n, const char *where,
                        npy_intp where_step, npy_intp count, npy_intp width)
{
    switch (width) {
        case 8: LZ_TAKE_AS(int64_t);
        case 4: LZ_TAKE_AS(int32_t);
        case 2: LZ_TAKE_AS(int16_t);
        case 1: LZ_TAKE_AS(int8_t);
        default: LZ_TAKE(memcpy(out + i * width, data + at * stride, width));
    }
}

/* The first position with an index out of range, or -1. */
static inline npy_intp lz_find_outside(const char *where, npy_intp step, npy_intp count, npy_intp n)
{
    for (npy_intp i = 0; i < count; i++) {
        npy_intp at = *(const npy_intp *)(where + i * step);
        if ((size_t)(at + n) >= 2 * (size_t)n) return i; /* not in [-n, n - 1] */
    }
    return -1;
}

/* Write one value (step 0) or several at indices, which are in range. */
static inline void lz_put(char *data, npy_intp stride, npy_intp n, const char *where, npy_intp where_step, npy_intp count,
                   const char *values, npy_intp step, npy_intp width)
{
    for (npy_intp i = 0; i < count; i++) {
        npy_intp at = *(const npy_intp *)(where + i * where_step);
        char *to = data + (at < 0 ? at + n : at) * stride;
        if (width == 8) *(int64_t *)to = *(const int64_t *)(values + i * step);
        else memcpy(to, values + i * step, width);
    }
}

/* Interleave the 8-byte elements of two lines. */
static inline void lz_interleave(char *out, const char *a, const char *b, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++) {
        ((int64_t *)out)[2 * i] = ((const int64_t *)a)[i];
        ((int64_t *)out)[2 * i + 1] = ((const int64_t *)b)[i];
    }
}

/* Pack the elements under a mask contiguously; out has room for `found`, their number. */
static inline void lz_pack(char *out, const char *data, const char *mask, npy_intp n, npy_intp width, npy_intp found)
{
    npy_intp i, k = 0;
    if (width <= 16 && (width & (width - 1)) == 0) {
        lz_compress(data, width, mask, 1, out, width, n, width);
        return;
    }
    for (i = 0; k < found; i++)
        if (mask[i]) memcpy(out + k++ * width, data + i * width, width);
}

/* Write one value (step 0) or consecutive ones where the mask is true. */
static inline void lz_put_masked(char *data, const char *mask, npy_intp n, const char *values, npy_intp step, npy_intp width)
{
    npy_intp i = 0;
    if (width == 8 && step == 0) { /* branch-free, except to skip eight at a time */
        int64_t value, *to = (int64_t *)data;
        memcpy(&value, values, 8);
        for (; i + 8 <= n; i += 8) {
            uint64_t eight;
            memcpy(&eight, mask + i, 8);
            if (eight == 0) continue;
            for (int k = 0; k < 8; k++) to[i + k] = mask[i + k] ? value : to[i + k];
        }
        for (; i < n; i++) to[i] = mask[i] ? value : to[i];
    } else if (width == 8) { /* branch-free while values remain */
        int64_t *to = (int64_t *)data;
        for (npy_intp left = lz_count_contiguous(mask, n); left > 0 && i < n; i++) {
            npy_intp taken = mask[i] != 0;
            to[i] = taken ? *(const int64_t *)values : to[i];
            values += taken * step;
            left -= taken;
        }
    } else {
        for (; i < n; i++)
            if (mask[i]) { memcpy(data + i * width, values, width); values += step; }
    }
}
