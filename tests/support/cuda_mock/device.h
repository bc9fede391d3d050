/* The state of the mock: memory, streams and errors. What is shared is guarded by `guard`. */
#ifndef CUDA_MOCK_DEVICE_H
#define CUDA_MOCK_DEVICE_H

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "results.h"

typedef uint64_t Address;

/* An address of the device is that of the memory behind it, moved to where no process has any memory. */
constexpr Address AWAY = Address(1) << 50;
constexpr size_t ALIGNMENT = 256, PAGE = 4096, MEMORY = size_t(1) << 30;

struct Allocation {
    char *memory, *mapping;
    size_t size, mapped;
    bool is_live;  /* to what runs in a stream now */
    bool is_freed; /* by a call whose turn in its stream has not come */
};

/* A point in a stream. */
struct Mark {
    bool is_reached = false;
};
typedef std::shared_ptr<Mark> MarkPointer;

struct Stream {
    std::deque<std::function<void()>> queue;
    uint64_t issued = 0, finished = 0;
    bool is_blocking, is_held = false;
    std::minstd_rand delays;
};

struct Event {
    MarkPointer mark;
};

/* None of these is ever destroyed: the threads of streams run until the process ends. */
static std::mutex &guard = *new std::mutex, &execution = *new std::mutex;
static std::condition_variable &changed = *new std::condition_variable;
static std::map<Address, Allocation> &allocations = *new std::map<Address, Allocation>;
static std::map<char *, size_t> &pinned = *new std::map<char *, size_t>;
static std::set<Stream *> &streams = *new std::set<Stream *>;
static std::set<Event *> &events = *new std::set<Event *>;
static std::map<std::string, long> &counts = *new std::map<std::string, long>;
static Stream *null_stream, *thread_stream;
static Result failure = SUCCESS; /* of the device, which stays */
static size_t total_memory = MEMORY, used_memory;

typedef std::unique_lock<std::mutex> Lock;

/* ---- errors ---- */

struct Injection {
    int after;
    Result result;
};
static std::map<std::string, Injection> &injections = *new std::map<std::string, Injection>;

/* Count a call, or what a stream runs, and return the failure that a test has asked for. */
static Result count(const char *name)
{
    counts[name]++;
    auto found = injections.find(name);
    if (found == injections.end() || found->second.after-- > 0) return SUCCESS;
    const Result result = found->second.result;
    injections.erase(found);
    return result;
}

/* ---- memory ---- */

/* Reserve memory; its end lies before a page that nothing may touch. */
static Address reserve(size_t size, bool is_live)
{
    const size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, pages = (size + PAGE - 1) / PAGE * PAGE;
    void *const found = mmap(nullptr, pages + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) return 0;
    char *const mapping = static_cast<char *>(found), *const memory = mapping + pages - rounded;
    mprotect(mapping, pages, PROT_READ | PROT_WRITE);
    memset(memory, 0xa5, size);
    const Address address = reinterpret_cast<Address>(memory) + AWAY;
    allocations[address] = {memory, mapping, size, pages + PAGE, is_live, false};
    used_memory += size;
    return address;
}

/* The allocation with some bytes, which may be none at its end. */
static Allocation *find(Address address, size_t size)
{
    auto next = allocations.upper_bound(address);
    if (next == allocations.begin()) return nullptr;
    auto found = std::prev(next);
    return address + size <= found->first + found->second.size ? &found->second : nullptr;
}

static void release(Address address)
{
    auto found = allocations.find(address);
    munmap(found->second.mapping, found->second.mapped);
    allocations.erase(found);
}

/* For what runs in a stream: the memory behind an address, or null, after which the device has failed. */
static char *memory_at(Address address, size_t size)
{
    const Allocation *const found = find(address, size);
    if (found && found->is_live) return reinterpret_cast<char *>(address - AWAY);
    if (!failure) failure = ILLEGAL_ADDRESS;
    return nullptr;
}

static bool is_pinned(const void *at, size_t size)
{
    const char *const first = static_cast<const char *>(at);
    auto next = pinned.upper_bound(const_cast<char *>(first));
    if (next == pinned.begin()) return false;
    auto found = std::prev(next);
    return first + size <= found->first + found->second;
}

/* ---- streams ---- */

static void work(Stream *stream)
{
    Lock lock(guard);
    for (;;) {
        changed.wait(lock, [&] { return !stream->queue.empty() && !stream->is_held; });
        std::function<void()> task = std::move(stream->queue.front());
        stream->queue.pop_front();
        lock.unlock();
        if (stream->delays() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(stream->delays() % 300));
        task();
        task = nullptr;
        lock.lock();
        stream->finished++;
        changed.notify_all();
    }
}

static unsigned seed()
{
    const char *const text = getenv("LAZYARR_MOCK_SEED");
    return text ? atoi(text) : 1;
}

/* The guard is held. */
static Stream *new_stream(bool is_blocking)
{
    Stream *const stream = new Stream;
    stream->is_blocking = is_blocking;
    stream->delays.seed(seed() + streams.size());
    streams.insert(stream);
    sigset_t all, old; /* signals are for the threads of the program */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    std::thread(work, stream).detach();
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return stream;
}

static void push(Stream *stream, std::function<void()> task)
{
    stream->queue.push_back(std::move(task));
    stream->issued++;
    changed.notify_all();
}

static MarkPointer record(Stream *stream)
{
    MarkPointer mark = std::make_shared<Mark>();
    push(stream, [mark] {
        Lock lock(guard);
        mark->is_reached = true;
        changed.notify_all();
    });
    return mark;
}

static void wait_for(Stream *stream, MarkPointer mark)
{
    push(stream, [mark] {
        Lock lock(guard);
        changed.wait(lock, [&] { return mark->is_reached; });
    });
}

/* Enqueue what a call asks for. The null stream and those that are created as blocking wait for each other. */
static void enqueue(Stream *stream, std::function<void()> task)
{
    if (stream == null_stream) {
        for (Stream *other : streams)
            if (other->is_blocking && other != stream && other->issued > other->finished)
                wait_for(stream, record(other));
    } else if (stream->is_blocking && null_stream && null_stream->issued > null_stream->finished) {
        wait_for(stream, record(null_stream));
    }
    push(stream, std::move(task));
}

/* Wait until all is done that was enqueued by now. */
static void finish(Lock &lock, Stream *stream)
{
    const uint64_t issued = stream->issued;
    changed.wait(lock, [&] { return stream->finished >= issued; });
}

static void finish_all(Lock &lock)
{
    const std::vector<Stream *> known(streams.begin(), streams.end());
    for (Stream *stream : known) finish(lock, stream);
}

#endif
