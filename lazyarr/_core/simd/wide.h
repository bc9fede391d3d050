/* Vectors that the compiler writes instructions for: how loops over them are unrolled and inlined, and loops that it
 * writes a second time for AVX-512. */
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#if LAZYARR_DEBUG || LAZYARR_SANITIZE /* unrolled, and with a check at each access, it takes long to compile */
#define LZ_UNROLL
#define LZ_INLINE static __attribute__((noinline))
#else
#define LZ_UNROLL _Pragma("GCC unroll 16")
#define LZ_INLINE static inline __attribute__((always_inline))
#endif
#else
#define LZ_UNROLL
#define LZ_INLINE static inline
#define LZ_NO_VECTORS
#endif

#if defined(__x86_64__) && !defined(LZ_NO_VECTORS)
#define LZ_X86 1
#define LZ_WIDE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

static inline int lz_has_wide(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
#define LZ_WIDE_TARGET
static inline int lz_has_wide(void) { return 0; }
#endif
