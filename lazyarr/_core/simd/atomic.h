/* What dealing out blocks to threads, and collecting their flags, needs. */
#ifndef LAZYARR_ATOMIC_H
#define LAZYARR_ATOMIC_H

#include <stddef.h>

#if defined(_MSC_VER)
#include <intrin.h>
static inline ptrdiff_t lz_fetch_add(ptrdiff_t *counter, ptrdiff_t amount)
{
    return (ptrdiff_t)_InterlockedExchangeAdd64((volatile long long *)counter, amount);
}
static inline void lz_fetch_or(int *word, int bits) { _InterlockedOr((volatile long *)word, bits); }
#else
static inline ptrdiff_t lz_fetch_add(ptrdiff_t *counter, ptrdiff_t amount)
{
    return __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}
static inline void lz_fetch_or(int *word, int bits) { __atomic_fetch_or(word, bits, __ATOMIC_RELAXED); }
#endif

#endif
