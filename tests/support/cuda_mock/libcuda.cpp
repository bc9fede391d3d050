/* A mock of CUDA's driver library: its device runs kernels that the mock of NVRTC compiled on the processor.

   What it checks, that a device would not: memory is used between its allocation and its release in the order of
   streams, and the host never touches it; kernels stay within their operands; barriers are met by whole blocks.
   Streams run at once, each with random delays, by the seed LAZYARR_MOCK_SEED. */

#include "graphs.h"

/* ---- the device ---- */

API cuInit(unsigned flags)
{
    if (initialized_by && initialized_by != getpid()) return NOT_INITIALIZED;
    Lock lock(guard);
    if (const Result result = count(__func__)) return result;
    initialized_by = getpid();
    blocks::random_bits.seed(seed());
    return flags ? INVALID_VALUE : SUCCESS;
}

API cuDriverGetVersion(int *version)
{
    *version = 12080;
    return SUCCESS;
}

static const char *describe(int result, bool is_name)
{
    switch (result) {
#define AS_CASE(name, number, text) \
    case number: return is_name ? (number ? "CUDA_ERROR_" #name : "CUDA_SUCCESS") : text;
        RESULTS(AS_CASE)
#undef AS_CASE
    }
    return nullptr;
}

API cuGetErrorName(int result, const char **name)
{
    *name = describe(result, true);
    return *name ? SUCCESS : INVALID_VALUE;
}

API cuGetErrorString(int result, const char **text)
{
    *text = describe(result, false);
    return *text ? SUCCESS : INVALID_VALUE;
}

API cuDeviceGetCount(int *number)
{
    BEGIN(false);
    *number = 1;
    return SUCCESS;
}

API cuDeviceGet(int *device, int ordinal)
{
    BEGIN(false);
    *device = ordinal;
    return ordinal ? INVALID_DEVICE : SUCCESS;
}

API cuDeviceGetName(char *name, int size, int device)
{
    BEGIN(false);
    strncpy(name, "Mock device", size);
    return device ? INVALID_DEVICE : SUCCESS;
}

API cuDeviceGetAttribute(int *value, int attribute, int device)
{
    BEGIN(false);
    static const std::map<int, int> known = {
        {MAX_THREADS_PER_BLOCK, 1024}, {MULTIPROCESSOR_COUNT, 8}, {MEMORY_POOLS_SUPPORTED, 1}};
    if (device) return INVALID_DEVICE;
    if (attribute == COMPUTE_CAPABILITY_MAJOR || attribute == COMPUTE_CAPABILITY_MINOR) {
        *value = attribute == COMPUTE_CAPABILITY_MAJOR ? capability / 10 : capability % 10;
        return SUCCESS;
    }
    auto found = known.find(attribute);
    if (found == known.end()) return INVALID_VALUE;
    *value = found->second;
    return SUCCESS;
}

API cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    BEGIN(false);
    *bytes = total_memory;
    return device ? INVALID_DEVICE : SUCCESS;
}

API cuDeviceGetDefaultMemPool(void **pool, int device)
{
    BEGIN(false);
    *pool = &default_pool;
    return device ? INVALID_DEVICE : SUCCESS;
}

API cuDevicePrimaryCtxRetain(void **context, int device)
{
    BEGIN(false);
    *context = &primary_context;
    return device ? INVALID_DEVICE : failure;
}

API cuCtxPushCurrent_v2(void *context)
{
    BEGIN(false);
    if (context != &primary_context) return INVALID_CONTEXT;
    contexts.push_back(context);
    return SUCCESS;
}

API cuCtxPopCurrent_v2(void **context)
{
    BEGIN(false);
    if (contexts.empty()) return INVALID_CONTEXT;
    if (context) *context = contexts.back();
    contexts.pop_back();
    return SUCCESS;
}

/* ---- memory ---- */

static int allocate(Address *address, size_t size, bool is_live)
{
    if (!size) return INVALID_VALUE;
    if (size > total_memory - std::min(used_memory, total_memory)) return OUT_OF_MEMORY;
    *address = reserve(size, is_live);
    return *address ? SUCCESS : OUT_OF_MEMORY;
}

/* Begin to release memory. Its bytes count as free from now on, as a later allocation in the stream gets them. */
static int give_up(Address address)
{
    auto found = allocations.find(address);
    if (found == allocations.end() || found->second.is_freed) return INVALID_VALUE;
    found->second.is_freed = true;
    used_memory -= found->second.size;
    return SUCCESS;
}

API cuMemAlloc_v2(Address *address, size_t size)
{
    BEGIN(true);
    return allocate(address, size, true);
}

API cuMemFree_v2(Address address)
{
    BEGIN(true);
    if (!address) return SUCCESS;
    if (const int result = give_up(address)) return result;
    finish_all(lock);
    release(address);
    return failure;
}

API cuMemAllocAsync(Address *address, size_t size, Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    if (const int result = allocate(address, size, false)) return result;
    enqueue(stream, [at = *address] {
        Lock lock(guard);
        allocations[at].is_live = true;
    });
    return SUCCESS;
}

API cuMemFreeAsync(Address address, Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    if (const int result = give_up(address)) return result;
    enqueue(stream, [address] {
        Lock running(execution), lock(guard);
        release(address);
    });
    return SUCCESS;
}

API cuMemGetInfo_v2(size_t *available, size_t *total)
{
    BEGIN(true);
    *total = total_memory;
    *available = total_memory - std::min(used_memory, total_memory);
    return SUCCESS;
}

API cuMemPoolSetAttribute(void *pool, int, void *)
{
    BEGIN(false);
    return pool == &default_pool ? SUCCESS : INVALID_VALUE;
}

/* What is freed is never kept. */
API cuMemPoolTrimTo(void *pool, size_t)
{
    BEGIN(false);
    return pool == &default_pool ? SUCCESS : INVALID_VALUE;
}

API cuPointerGetAttribute(void *value, int attribute, Address address)
{
    BEGIN(true);
    if (attribute != DEVICE_ORDINAL || !find(address, 0)) return INVALID_VALUE;
    *static_cast<int *>(value) = 0;
    return SUCCESS;
}

API cuMemHostAlloc(void **at, size_t size, unsigned)
{
    BEGIN(true);
    *at = size ? aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE) : nullptr;
    if (!*at) return size ? OUT_OF_MEMORY : INVALID_VALUE;
    pinned[static_cast<char *>(*at)] = size;
    return SUCCESS;
}

API cuMemFreeHost(void *at)
{
    BEGIN(true);
    if (!pinned.count(static_cast<char *>(at))) return INVALID_VALUE;
    finish_all(lock);
    pinned.erase(static_cast<char *>(at));
    free(at);
    return SUCCESS;
}

/* ---- copies ---- */

/* Whether memory is allocated, as far as a call can know. */
static bool is_known(Address address, size_t size)
{
    const Allocation *const found = find(address, size);
    return found && !found->is_freed;
}

static char *locked_memory_at(Address address, size_t size)
{
    Lock lock(guard);
    return memory_at(address, size);
}

/* From memory that is not pinned, the bytes are taken at once. */
API cuMemcpyHtoDAsync_v2(Address target, const void *source, size_t size, Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    if (!is_known(target, size)) return INVALID_VALUE;
    std::shared_ptr<std::vector<char>> taken;
    if (!is_pinned(source, size)) {
        const char *const first = static_cast<const char *>(source);
        taken = std::make_shared<std::vector<char>>(first, first + size);
        source = taken->data();
    }
    run_in(stream, "copy", [target, source, size, taken] {
        if (char *const to = locked_memory_at(target, size)) memcpy(to, source, size);
    });
    return SUCCESS;
}

/* To memory that is not pinned, the call returns when the copy is done. */
API cuMemcpyDtoHAsync_v2(void *target, Address source, size_t size, Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    if (!is_known(source, size)) return INVALID_VALUE;
    run_in(stream, "copy", [target, source, size] {
        if (const char *const from = locked_memory_at(source, size)) memcpy(target, from, size);
    });
    if (!is_pinned(target, size)) finish(lock, stream);
    return failure;
}

API cuMemcpyDtoDAsync_v2(Address target, Address source, size_t size, Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    if (!is_known(target, size) || !is_known(source, size)) return INVALID_VALUE;
    run_in(stream, "copy", [target, source, size] {
        char *const to = locked_memory_at(target, size);
        const char *const from = locked_memory_at(source, size);
        if (to && from) memmove(to, from, size);
    });
    return SUCCESS;
}

template <class Value>
static int fill(Address target, Value value, size_t number, Stream *stream)
{
    if (target % sizeof value || !is_known(target, number * sizeof value)) return INVALID_VALUE;
    run_in(stream, "fill", [=] {
        char *const to = locked_memory_at(target, number * sizeof value);
        if (to) std::fill_n(reinterpret_cast<Value *>(to), number, value);
    });
    return SUCCESS;
}

API cuMemsetD8Async(Address target, unsigned char value, size_t number, Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    return fill(target, value, number, stream);
}

API cuMemsetD32Async(Address target, unsigned value, size_t number, Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    return fill(target, value, number, stream);
}

/* ---- streams and events ---- */

API cuStreamCreate(Stream **handle, unsigned flags)
{
    BEGIN(true);
    *handle = new_stream(!(flags & 1));
    return SUCCESS;
}

API cuStreamSynchronize(Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    finish(lock, stream);
    return failure;
}

API cuStreamQuery(Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    return stream->finished < stream->issued ? NOT_READY : failure;
}

API cuCtxSynchronize()
{
    BEGIN(true);
    finish_all(lock);
    return failure;
}

API cuStreamWaitEvent(Stream *handle, Event *event, unsigned)
{
    BEGIN(true);
    STREAM(stream, handle);
    if (!events.count(event)) return INVALID_HANDLE;
    if (event->mark) wait_for(stream, event->mark);
    return SUCCESS;
}

API cuEventCreate(Event **handle, unsigned)
{
    BEGIN(true);
    events.insert(*handle = new Event);
    return SUCCESS;
}

API cuEventDestroy_v2(Event *event)
{
    BEGIN(true);
    if (!events.erase(event)) return INVALID_HANDLE;
    delete event;
    return SUCCESS;
}

API cuEventRecord(Event *event, Stream *handle)
{
    BEGIN(true);
    STREAM(stream, handle);
    if (!events.count(event)) return INVALID_HANDLE;
    event->mark = record(stream);
    return SUCCESS;
}

API cuEventQuery(Event *event)
{
    BEGIN(true);
    if (!events.count(event)) return INVALID_HANDLE;
    return event->mark && !event->mark->is_reached ? NOT_READY : SUCCESS;
}

API cuEventSynchronize(Event *event)
{
    BEGIN(true);
    if (!events.count(event)) return INVALID_HANDLE;
    if (const MarkPointer mark = event->mark) changed.wait(lock, [&] { return mark->is_reached; });
    return failure;
}

/* ---- for the mocks of other libraries, which are linked with this one ---- */

/* What each of their calls begins with: a failure that a test has asked for, or for want of a context. */
API mock_enter(const char *name)
{
    if (initialized_by != getpid()) return NOT_INITIALIZED;
    Lock lock(guard);
    return enter(name, true);
}

/* Run a task in a stream, which owns what it gets. */
API mock_enqueue(Stream *handle, void (*task)(void *), std::shared_ptr<void> *owned)
{
    BEGIN(true);
    STREAM(stream, handle);
    run_in(stream, "library", [task, owned = *owned] { task(owned.get()); });
    return SUCCESS;
}

/* For tasks: the memory behind an address; null if it is not a live part of an allocation, and the device has failed. */
extern "C" __attribute__((visibility("default"))) char *mock_memory(Address address, size_t size)
{
    return locked_memory_at(address, size);
}

/* ---- for tests ---- */

/* Have a call of a function fail, or what streams run: "copy", "fill", "kernel"; after so many that succeed. */
API mock_fail(const char *name, int after, int result)
{
    Lock lock(guard);
    injections[name] = {after, Result(result)};
    return SUCCESS;
}

/* Hold a stream before what it would run next, or let it go on. */
API mock_hold(Stream *handle, int is_held)
{
    Lock lock(guard);
    STREAM(stream, handle);
    stream->is_held = is_held;
    changed.notify_all();
    return SUCCESS;
}

API mock_set_memory(size_t bytes)
{
    Lock lock(guard);
    total_memory = bytes;
    return SUCCESS;
}

API mock_set_capability(int number)
{
    Lock lock(guard);
    capability = number;
    return SUCCESS;
}

API mock_lose_device()
{
    Lock lock(guard);
    failure = ECC_UNCORRECTABLE;
    return SUCCESS;
}

/* Let all streams go on and wait for them, then forget failures, limits and counts. What is allocated stays. */
API mock_reset()
{
    Lock lock(guard);
    for (Stream *stream : streams) stream->is_held = false;
    changed.notify_all();
    finish_all(lock);
    failure = SUCCESS;
    injections.clear();
    counts.clear();
    total_memory = MEMORY;
    capability = 90;
    return SUCCESS;
}

/* How often a function was called or something ran in streams; or how many "allocations", "bytes", "modules", "streams",
   "events" or instantiated "graphs" there are, and "pinned" pieces. */
extern "C" __attribute__((visibility("default"))) long mock_count(const char *name)
{
    Lock lock(guard);
    const std::string what = name;
    if (what == "allocations") return allocations.size();
    if (what == "bytes") return used_memory;
    if (what == "pinned") return pinned.size();
    if (what == "modules") return modules.size();
    if (what == "streams") return streams.size();
    if (what == "events") return events.size();
    if (what == "graphs") return executables.size();
    return counts[what];
}
