/* Seconds of a monotonic clock. */
#pragma once

#include <time.h>

static inline double lz_now(void)
{
    struct timespec t;
#if defined(_WIN32)
    timespec_get(&t, TIME_UTC);
#else
    clock_gettime(CLOCK_MONOTONIC, &t);
#endif
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
