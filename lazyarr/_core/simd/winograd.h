/* Transforms of Winograd's convolution F(2x2, 3x3), of float32.
 *
 * After Lavin and Gray, "Fast algorithms for convolutional neural networks" (CVPR 2016). Four results, two by two, come
 * from 4 x 4 pixels d and 3 x 3 weights g by 16 products instead of 36:
 *
 *     y = A' [(G g G') * (B' d B)] A
 *
 *          1  0 -1  0            1   0   0          1  1  1  0
 *     B' = 0  1  1  0       G = .5  .5  .5     A' = 0  1 -1 -1
 *          0 -1  1  0           .5 -.5  .5
 *          0  1  0 -1            0   0   1
 */
#pragma once

#include "gemm.h"

enum { LZ_WIDEST = 16 }; /* lanes of the widest vectors */

typedef struct {
    npy_intp panel; /* panel width of the products' tiles: two vectors */
    /* B' d B of one tile, all channels: x points to its 16 pixels; v takes 16 results `apart` elements from each other */
    void (*gather)(npy_intp channels, const float *const *x, float *v, npy_intp apart);
    /* G g G' of `count` weights, whole vectors: w holds nine taps, `tap` elements from each other */
    void (*turn)(npy_intp count, const float *w, npy_intp tap, float *u, npy_intp apart);
    /* A' m A of one tile, all columns, to four positions; LZ_WIDEST lanes of `check` become NaN if one is not finite */
    void (*scatter)(npy_intp columns, const float *m, npy_intp apart, float *const *y, float *check);
} lz_winograd;

#define TARGET
#define BYTES 16
#define NAME(x) lz_128_##x
#include "winograd_tile.h"
#undef TARGET

#if defined(LZ_X86)
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define NAME(x) lz_256_##x
#include "winograd_tile.h"
#undef TARGET

#define TARGET __attribute__((target("avx512f,avx512dq")))
#define BYTES 64
#define NAME(x) lz_512_##x
#include "winograd_tile.h"
#undef TARGET
#endif

/* The transforms with the vector width of tiles with such panels. */
static const lz_winograd *lz_find_winograd(npy_intp panel)
{
#if defined(LZ_X86)
    if (panel == lz_512_winograd.panel) return &lz_512_winograd;
    if (panel == lz_256_winograd.panel) return &lz_256_winograd;
#endif
    return &lz_128_winograd;
}
