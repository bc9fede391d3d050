/* Floating-point status of the current thread, in NumPy's bits (divide 1, overflow 2, underflow 4, invalid 8).
 *
 * On x86-64 there are two status registers: MXCSR for SSE/AVX arithmetic, and the x87 status word for long double; C
 * libraries raise some flags on purpose in the latter (feraiseexcept). Reading either is one instruction, while
 * <fenv.h> saves and restores the whole x87 environment to clear a flag, which is tens of times slower. */
#ifndef LAZYARR_FP_STATUS_H
#define LAZYARR_FP_STATUS_H

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <xmmintrin.h>

#define LZ_FLAGS 0x1du /* in both registers: invalid 0x01, divide 0x04, overflow 0x08, underflow 0x10 */

static inline unsigned lz_fp_raised(void)
{
    unsigned short x87;
    __asm__ volatile("fnstsw %0" : "=a"(x87));
    return (_mm_getcsr() | x87) & LZ_FLAGS;
}
static inline void lz_fp_clear(void)
{
    __asm__ volatile("fnclex");
    _mm_setcsr(_mm_getcsr() & ~LZ_FLAGS);
}
static inline int lz_fp_take(void)
{
    unsigned raised = lz_fp_raised();
    if (!raised) return 0;
    lz_fp_clear();
    return ((raised & 0x04) ? 1 : 0) | ((raised & 0x08) ? 2 : 0) | ((raised & 0x10) ? 4 : 0) | ((raised & 0x01) ? 8 : 0);
}
#else
#include <fenv.h>

#define LZ_FLAGS (FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID)

static inline void lz_fp_clear(void) { feclearexcept(LZ_FLAGS); }
static inline int lz_fp_take(void)
{
    int raised = fetestexcept(LZ_FLAGS);
    if (!raised) return 0;
    feclearexcept(LZ_FLAGS);
    return ((raised & FE_DIVBYZERO) ? 1 : 0) | ((raised & FE_OVERFLOW) ? 2 : 0) |
           ((raised & FE_UNDERFLOW) ? 4 : 0) | ((raised & FE_INVALID) ? 8 : 0);
}
#endif

#endif
