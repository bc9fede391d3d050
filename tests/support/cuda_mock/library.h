/* What the mocks of NVIDIA's libraries share: handles, streams, and matrices in memory of the device. */
#ifndef CUDA_MOCK_LIBRARY_H
#define CUDA_MOCK_LIBRARY_H

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#define API extern "C" __attribute__((visibility("default"))) int

typedef uint64_t Address;

extern "C" int mock_enter(const char *name);
extern "C" int mock_enqueue(void *stream, void (*task)(void *), std::shared_ptr<void> *owned);
extern "C" char *mock_memory(Address address, size_t size);

/* What a call begins with; tests ask for a status of the library by its number. */
#define ENTER()                                            \
    do {                                                   \
        if (const int status = mock_enter(__func__)) return status; \
    } while (0)

struct Handle {
    void *stream = nullptr;
};

/* The handles that there are. */
template <class Kind>
struct Known {
    std::mutex guard;
    std::set<Kind *> all;

    Kind *add(Kind *made)
    {
        std::lock_guard<std::mutex> lock(guard);
        return *all.insert(made).first;
    }
    bool has(Kind *handle)
    {
        std::lock_guard<std::mutex> lock(guard);
        return all.count(handle);
    }
    bool remove(Kind *handle)
    {
        std::lock_guard<std::mutex> lock(guard);
        if (!all.erase(handle)) return false;
        delete handle;
        return true;
    }
};

/* The functions of a library's handles, and its status for one that is unknown. */
#define HANDLES(create, destroy, set_stream, unknown)          \
    static Known<Handle> &handles = *new Known<Handle>;        \
    API create(Handle **handle)                                \
    {                                                          \
        ENTER();                                               \
        *handle = handles.add(new Handle);                     \
        return 0;                                              \
    }                                                          \
    API destroy(Handle *handle)                                \
    {                                                          \
        ENTER();                                               \
        return handles.remove(handle) ? 0 : unknown;           \
    }                                                          \
    API set_stream(Handle *handle, void *stream)               \
    {                                                          \
        ENTER();                                               \
        if (!handles.has(handle)) return unknown;              \
        handle->stream = stream;                               \
        return 0;                                              \
    }

/* Run a function in a stream. */
static inline int enqueue(void *stream, std::function<void()> function)
{
    std::shared_ptr<void> owned = std::make_shared<std::function<void()>>(std::move(function));
    return mock_enqueue(stream, [](void *task) { (*static_cast<std::function<void()> *>(task))(); }, &owned);
}

/* A matrix column by column; null if not all of it is memory of the device, which has failed then. */
template <class Element>
static Element *matrix_at(Address address, size_t rows, size_t columns, size_t distance)
{
    const size_t count = rows && columns ? rows + (columns - 1) * distance : 0;
    if (address % sizeof(Element)) address = 0; /* of which nothing is memory */
    return reinterpret_cast<Element *>(mock_memory(address, count * sizeof(Element)));
}

#endif
