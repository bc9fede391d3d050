/* Whether numbers are finite, without affecting status flags. */
#pragma once

#include <stdint.h>

/* For n float32 (size 4) or float64 (size 8). */
static inline int lz_all_finite(const char *x, npy_intp n, npy_intp size)
{
    uint64_t found = 0;
    if (size == 4) {
        const uint32_t *words = (const uint32_t *)x;
        uint32_t seen = 0;
        for (npy_intp i = 0; i < n; i++) seen |= (words[i] & 0x7f800000u) == 0x7f800000u;
        found = seen;
    }
    else {
        const uint64_t *words = (const uint64_t *)x, ones = (uint64_t)0x7ff << 52;
        for (npy_intp i = 0; i < n; i++) found |= (words[i] & ones) == ones;
    }
    return !found;
}
