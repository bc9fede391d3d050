/* CUDA C++ as C++: what the texts of lazyarr's kernels use of it. */
#include "interface.h"

#undef _GLIBCXX_USE_STD_SPEC_FUNCS /* no kernel calls them: a fifth of the time in which one is compiled */
#include <math.h>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __constant__
#define __shared__ static /* blocks run one at a time */

static mock_position mock_here;
#define threadIdx mock_here.thread
#define blockIdx mock_here.block
#define blockDim mock_here.block_size
#define gridDim mock_here.grid
#define __syncthreads() mock_here.barrier()


template <class To, class From>
static inline To mock_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
static inline unsigned __float_as_uint(float x) { return mock_bits<unsigned>(x); }
static inline float __uint_as_float(unsigned x) { return mock_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return mock_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return mock_bits<double>(x); }

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned __int128)x * y >> 64;
}

/* Race detection: the compiler instruments each memory access of a kernel with a call of one of these functions, which
   are not instrumented themselves. */
#ifdef MOCK_RACES
#define UNSEEN __attribute__((noinline, no_sanitize("thread")))
#define ACCESS(kind, name, size)                                     \
    extern "C" UNSEEN void __tsan_##name(void *at)                   \
    {                                                                \
        mock_here.access(at, size, kind, __builtin_return_address(0)); \
    }
#define ACCESSES(size) ACCESS(0, read##size, size) ACCESS(1, write##size, size)
#define UNALIGNED(size) ACCESS(0, unaligned_read##size, size) ACCESS(1, unaligned_write##size, size)
ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)
UNALIGNED(2) UNALIGNED(4) UNALIGNED(8) UNALIGNED(16)
extern "C" UNSEEN void __tsan_read_range(void *at, size_t size)
{
    mock_here.access(at, size, 0, __builtin_return_address(0));
}
extern "C" UNSEEN void __tsan_write_range(void *at, size_t size)
{
    mock_here.access(at, size, 1, __builtin_return_address(0));
}
extern "C" UNSEEN void __tsan_init() {}
extern "C" UNSEEN void __tsan_func_entry(void *) {}
extern "C" UNSEEN void __tsan_func_exit() {}
#define ATOMIC(at) mock_here.access(at, sizeof *(at), 2, __builtin_return_address(0))
#else
#define UNSEEN inline
#define ATOMIC(at)
#endif

/* One thread runs at a time, so that plain operations are atomic. */
#define ATOMIC_FUNCTION(name, value)                     \
    static UNSEEN unsigned name(unsigned *at, unsigned x) \
    {                                                    \
        ATOMIC(at);                                      \
        const unsigned old = *at;                        \
        *at = value;                                     \
        return old;                                      \
    }
ATOMIC_FUNCTION(atomicOr, old | x)
ATOMIC_FUNCTION(atomicAdd, old + x)
ATOMIC_FUNCTION(atomicMax, old > x ? old : x)
ATOMIC_FUNCTION(atomicExch, x)

/* A kernel's row in the table of its shared object. */
template <auto kernel>
struct mock_entry;

template <class... Types, void (*kernel)(Types...)>
struct mock_entry<kernel> {
    static constexpr mock_parameter parameters[] = {{sizeof(Types), std::is_pointer_v<Types>}..., {0, false}};
    static constexpr size_t nparameters = sizeof...(Types);

    static void call(void **arguments) { call_with(arguments, std::index_sequence_for<Types...>()); }

    template <size_t... place>
    static void call_with(void **arguments, std::index_sequence<place...>)
    {
        kernel(*static_cast<Types *>(arguments[place])...);
    }
};

#define MOCK_KERNEL(kernel) \
    {#kernel, mock_entry<kernel>::call, mock_entry<kernel>::parameters, mock_entry<kernel>::nparameters}
