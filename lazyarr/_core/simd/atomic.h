/* Atomics for distributing blocks to threads, collecting their flags, and taking turns. */
#pragma once

#include <stddef.h>

#if defined(_MSC_VER)
#include <intrin.h>
static inline ptrdiff_t lz_fetch_add(ptrdiff_t *counter, ptrdiff_t amount)
{
    return (ptrdiff_t)_InterlockedExchangeAdd64((volatile long long *)counter, amount);
}
static inline ptrdiff_t lz_load(const ptrdiff_t *counter) { return *(const volatile ptrdiff_t *)counter; }
static inline void lz_fetch_or(int *word, int bits) { _InterlockedOr((volatile long *)word, bits); }
static inline void lz_end_turn(ptrdiff_t *turn) { _InterlockedExchangeAdd64((volatile long long *)turn, 1); }
static inline int lz_is_turn(ptrdiff_t *turn, ptrdiff_t mine)
{
    return _InterlockedExchangeAdd64((volatile long long *)turn, 0) == mine;
}
static inline void lz_yield(void) { _mm_pause(); }
static inline void lz_pause(void) { _mm_pause(); }
#else
#include <sched.h>
static inline ptrdiff_t lz_fetch_add(ptrdiff_t *counter, ptrdiff_t amount)
{
    return __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}
static inline ptrdiff_t lz_load(const ptrdiff_t *counter) { return __atomic_load_n(counter, __ATOMIC_RELAXED); }
static inline void lz_fetch_or(int *word, int bits) { __atomic_fetch_or(word, bits, __ATOMIC_RELAXED); }
static inline void lz_end_turn(ptrdiff_t *turn) { __atomic_fetch_add(turn, 1, __ATOMIC_RELEASE); }
static inline int lz_is_turn(ptrdiff_t *turn, ptrdiff_t mine) { return __atomic_load_n(turn, __ATOMIC_ACQUIRE) == mine; }
static inline void lz_yield(void) { sched_yield(); }
static inline void lz_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}
#endif

/* Wait for the previous thread's turn to end, unless all are to stop. The thread whose turn it is runs, so the wait
 * ends. */
static inline void lz_await_turn(ptrdiff_t *turn, ptrdiff_t mine, const volatile int *stop)
{
    for (int waited = 0; !lz_is_turn(turn, mine) && !*stop; waited++)
        if (waited < 1000) lz_pause();
        else lz_yield();
}
