/* tanh of float64 in 256-bit vectors, with the bits of NumPy's (numpy/_core/src/umath/loops_hyperbolic.dispatch): a
 * polynomial of |x| with coefficients for each of sixteen ranges. NumPy gathers the coefficients, which takes most of
 * the time; here rows are loaded and transposed. */
#pragma once

#include "four.h"
#include "tanh_table.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
LZ_FOUR_INLINE int lz_tanh_four(const double *x, const double *unused, double *z)
{
    const __m256d v = _mm256_loadu_pd(x), size = lz_four_sizes(v);
    if (!lz_four_within(size, 0, 0x7ff0000000000000u)) return 0; /* finite */
    /* a range takes half of an exponent; the first one begins at 0, the last one ends at infinity */
    __m256i rows = _mm256_sub_epi32(_mm256_srli_epi64(LZ_BITS_OF_FOUR(size), 51), LZ_FOUR_INTEGERS(0x7f8));
    rows = _mm256_min_epi32(_mm256_max_epi32(rows, _mm256_setzero_si256()), LZ_FOUR_INTEGERS(15));
    const double *row[4];
    __m256d c[18]; /* b and c0 to c16 */
    lz_four_rows(lz_tanh_rows, 18, rows, row);
    for (int k = 0; k < 16; k += 4) {
        const double *const from[4] = {row[0] + k, row[1] + k, row[2] + k, row[3] + k};
        lz_four_transpose(from, c + k);
    }
    const double *const last[4] = {row[0] + 16, row[1] + 16, row[2] + 16, row[3] + 16};
    lz_four_pairs(last, c + 16, c + 17);

    const __m256d y = _mm256_sub_pd(size, c[0]);
    __m256d sum = c[17];
    for (int k = 16; k > 0; k--) sum = _mm256_fmadd_pd(sum, y, c[k]);
    _mm256_storeu_pd(z, _mm256_or_pd(sum, _mm256_and_pd(v, LZ_FOUR(-0.0))));
    return 1;
}
LZ_FOUR_LOOP(lz_tanh, 1)
#endif
