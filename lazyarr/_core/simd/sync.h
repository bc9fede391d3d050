/* The platform's mutex and condition variable. */
#ifndef LAZYARR_SYNC_H
#define LAZYARR_SYNC_H

#if defined(_WIN32)
#include <windows.h>

typedef SRWLOCK lz_mutex;
typedef CONDITION_VARIABLE lz_condition;
#define LZ_MUTEX_INIT SRWLOCK_INIT
static inline void lz_lock(lz_mutex *m) { AcquireSRWLockExclusive(m); }
static inline void lz_unlock(lz_mutex *m) { ReleaseSRWLockExclusive(m); }
static inline void lz_condition_init(lz_condition *c) { InitializeConditionVariable(c); }
static inline void lz_condition_destroy(lz_condition *c) { (void)c; }
static inline void lz_signal(lz_condition *c) { WakeConditionVariable(c); }
static inline void lz_broadcast(lz_condition *c) { WakeAllConditionVariable(c); }
static inline void lz_wait_on(lz_condition *c, lz_mutex *m) { SleepConditionVariableSRW(c, m, INFINITE, 0); }
/* Return whether the wait has timed out. */
static inline int lz_wait_for(lz_condition *c, lz_mutex *m, int milliseconds)
{
    return !SleepConditionVariableSRW(c, m, milliseconds, 0);
}
#define LZ_THREAD_LOCAL __declspec(thread)
#else
#include <pthread.h>
#include <time.h>

typedef pthread_mutex_t lz_mutex;
typedef pthread_cond_t lz_condition;
#define LZ_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
static inline void lz_lock(lz_mutex *m) { pthread_mutex_lock(m); }
static inline void lz_unlock(lz_mutex *m) { pthread_mutex_unlock(m); }
static inline void lz_condition_destroy(lz_condition *c) { pthread_cond_destroy(c); }
static inline void lz_signal(lz_condition *c) { pthread_cond_signal(c); }
static inline void lz_broadcast(lz_condition *c) { pthread_cond_broadcast(c); }
static inline void lz_wait_on(lz_condition *c, lz_mutex *m) { pthread_cond_wait(c, m); }
#if defined(__APPLE__)
static inline void lz_condition_init(lz_condition *c) { pthread_cond_init(c, NULL); }
static inline int lz_wait_for(lz_condition *c, lz_mutex *m, int milliseconds)
{
    struct timespec left = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    return pthread_cond_timedwait_relative_np(c, m, &left) != 0;
}
#else
static inline void lz_condition_init(lz_condition *c)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attributes);
    pthread_condattr_destroy(&attributes);
}
static inline int lz_wait_for(lz_condition *c, lz_mutex *m, int milliseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    end.tv_sec += milliseconds / 1000 + end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(c, m, &end) != 0;
}
#endif
#define LZ_THREAD_LOCAL __thread
#endif

#endif
