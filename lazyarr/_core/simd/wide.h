/* Loops that the compiler writes a second time for AVX-512: their target, and whether this processor has it. */
#ifndef LAZYARR_WIDE_H
#define LAZYARR_WIDE_H

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define LZ_WIDE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

static int lz_has_wide(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

#endif
