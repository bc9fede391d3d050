/* Placement of OpenMP threads, for schedulers that put two of a team on one core.
 *
 * Linux may wake a sleeping worker on the core of the thread that wakes it, another core idle beside them (under KVM
 * it does so often: a halted virtual core does not count as idle). The two then sleep and wake each other alternately,
 * and a step takes several times longer than on one thread. So a worker that finds its core claimed by another thread
 * of its team moves to one that is not, and keeps off that core until it meets a claim again (`lz_spread`); and the
 * thread that waits for the others lets them run in its place, rather than spin on the core they need (`lz_await`). */
#pragma once

#if defined(__linux__)
#include <sched.h>

#include "atomic.h"

typedef cpu_set_t lz_cpus;
#define LZ_WORD (8 * (int)sizeof(((cpu_set_t *)0)->__bits[0]))

/* Claim the calling thread's core; return false if another thread of the team has it. */
static int lz_claim(lz_cpus *claimed)
{
    const int cpu = sched_getcpu();
    if (cpu < 0 || cpu >= CPU_SETSIZE) return 1;
    const unsigned long bit = 1UL << cpu % LZ_WORD;
    return !(__atomic_fetch_or(&claimed->__bits[cpu / LZ_WORD], bit, __ATOMIC_RELAXED) & bit);
}

static void lz_spread(lz_cpus *claimed)
{
    static __thread cpu_set_t allowed, vacant; /* this thread's original affinity mask, and the part that it uses */
    cpu_set_t now;
    if (lz_claim(claimed) || sched_getaffinity(0, sizeof(now), &now)) return;
    if (!CPU_EQUAL(&now, &vacant)) allowed = now; /* changed by others since */
    for (int i = 0; i < CPU_SETSIZE / LZ_WORD; i++)
        vacant.__bits[i] = allowed.__bits[i] & ~__atomic_load_n(&claimed->__bits[i], __ATOMIC_RELAXED);
    if (CPU_COUNT(&vacant) == 0) vacant = allowed;
    sched_setaffinity(0, sizeof(vacant), &vacant);
}

static void lz_finish(int *finished) { __atomic_fetch_add(finished, 1, __ATOMIC_RELEASE); }

/* Wait until `count` threads have finished, for about a millisecond; the barrier after it does the rest. */
static void lz_await(const int *finished, int count)
{
    for (int turn = 0; turn < 2000; turn++) {
        if (__atomic_load_n(finished, __ATOMIC_ACQUIRE) >= count) return;
        if (turn < 64) lz_pause();
        else sched_yield();
    }
}
#else
typedef int lz_cpus;
static int lz_claim(lz_cpus *claimed) { (void)claimed; return 1; }
static void lz_spread(lz_cpus *claimed) { (void)claimed; }
static void lz_finish(int *finished) { (void)finished; }
static void lz_await(const int *finished, int count) { (void)finished; (void)count; }
#endif
