/* What all functions of the mock begin with, and what they have run in streams. */
#ifndef CUDA_MOCK_CALLS_H
#define CUDA_MOCK_CALLS_H

#include "device.h"

#define API extern "C" __attribute__((visibility("default"))) int

static int initialized_by;
static int capability = 90;
static thread_local std::vector<void *> &contexts = *new std::vector<void *>;
static char primary_context, default_pool; /* handles are their addresses */

/* What each call begins with, under the guard: it is counted, and fails if a test asked for it or the device has
   failed. */
static Result enter(const char *name, bool needs_context)
{
    if (const Result result = count(name)) return result;
    if (!needs_context) return SUCCESS;
    return contexts.empty() ? INVALID_CONTEXT : failure;
}

/* A forked child cannot use the library of its parent, whose guard may be held in its memory. */
#define BEGIN(needs_context)                                                     \
    if (initialized_by != getpid()) return NOT_INITIALIZED;                      \
    Lock lock(guard);                                                            \
    do {                                                                         \
        if (const Result result = enter(__func__, needs_context)) return result; \
    } while (0)

/* The stream of a handle: 0 and 1 are the default stream, 2 is that of each thread, of which there is one here. */
static Stream *stream_of(Stream *handle)
{
    const size_t number = reinterpret_cast<size_t>(handle);
    if (number > 2) return handle;
    Stream *&known = number == 2 ? thread_stream : null_stream;
    return known ? known : (known = new_stream(true));
}

/* The same; returns from a call whose handle is none. */
#define STREAM(stream, handle)                \
    Stream *const stream = stream_of(handle); \
    if (!streams.count(stream)) return INVALID_HANDLE

/* Run in a stream what touches memory of the device, unless that has failed. The mutex keeps memory from being released
   meanwhile, and is not the guard, so that calls do not wait for copies. */
static void run_in(Stream *stream, const char *name, std::function<void()> task)
{
    enqueue(stream, [name, task] {
        Lock running(execution);
        {
            Lock lock(guard);
            const Result injected = count(name);
            if (!failure) failure = injected;
            if (failure) return;
        }
        task();
    });
}

#endif
