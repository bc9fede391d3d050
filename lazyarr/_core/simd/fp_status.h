/* Floating-point status of the current thread, in NumPy's bits (divide 1, overflow 2, underflow 4, invalid 8).
 *
 * On x86-64 there are two status registers: MXCSR for SSE/AVX arithmetic, and the x87 status word for long double; C
 * libraries raise some flags on purpose in the latter (feraiseexcept). Reading either is one instruction, while
 * <fenv.h> saves and restores the whole x87 environment to clear a flag, which is tens of times slower. */
#pragma once

#include <fenv.h>

#define LZ_FLAGS (FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID) /* on x86-64 these are bits of both registers */

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <xmmintrin.h>

static inline int lz_fp_raised(void)
{
    unsigned short x87;
    __asm__ volatile("fnstsw %0" : "=a"(x87));
    return (int)(_mm_getcsr() | x87) & LZ_FLAGS;
}
static inline void lz_fp_clear(void)
{
    __asm__ volatile("fnclex");
    _mm_setcsr(_mm_getcsr() & ~(unsigned)LZ_FLAGS);
}
#else
static inline int lz_fp_raised(void) { return fetestexcept(LZ_FLAGS); }
static inline void lz_fp_clear(void) { feclearexcept(LZ_FLAGS); }
#endif

static inline int lz_fp_take(void)
{
    const int raised = lz_fp_raised();
    if (!raised) return 0;
    lz_fp_clear();
    return (raised & FE_DIVBYZERO ? 1 : 0) | (raised & FE_OVERFLOW ? 2 : 0) | (raised & FE_UNDERFLOW ? 4 : 0) |
           (raised & FE_INVALID ? 8 : 0);
}
