/* Threads outside the teams that keep a core busy: those of dependency engines running an operation. */
#pragma once

#include "atomic.h"
#include "sync.h"

static ptrdiff_t lz_busy;
static LZ_THREAD_LOCAL int lz_is_busy;      /* whether the calling thread is counted */

/* Count the calling thread as busy, or no longer; return the old state. */
static int lz_set_busy(int busy)
{
    const int was = lz_is_busy;
    if (was != busy) {
        lz_fetch_add(&lz_busy, busy - was);
        lz_is_busy = busy;
    }
    return was;
}

/* The number of busy threads other than the calling one. */
static inline ptrdiff_t lz_others_busy(void)
{
    const ptrdiff_t busy = lz_load(&lz_busy);
    return busy ? busy - lz_is_busy : 0;
}

/* A forked child has only the calling thread. */
static void lz_forget_others(void) { lz_busy = lz_is_busy; }
