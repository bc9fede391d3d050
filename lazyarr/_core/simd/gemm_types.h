/* The tiles of all types for one instruction set; gemm.h includes this file once for each.
 *
 * Defined by the includer: BITS (a vector's), TARGET (a function attribute) and ROWS (of a tile). */

#define BYTES (BITS / 8)
#define LZ_PASTE(type, bits, x) lz_##type##_##bits##_##x
#define LZ_NAME(type, bits, x) LZ_PASTE(type, bits, x)

#define T float
#define NAME(x) LZ_NAME(f, BITS, x)
#include "gemm_tile.h"
#define T double
#define NAME(x) LZ_NAME(d, BITS, x)
#include "gemm_tile.h"
#define T npy_int32
#define NAME(x) LZ_NAME(i, BITS, x)
#include "gemm_tile.h"
#define T npy_int64
#define NAME(x) LZ_NAME(l, BITS, x)
#include "gemm_tile.h"

#undef BITS
#undef TARGET
#undef ROWS
#undef BYTES
#undef LZ_PASTE
#undef LZ_NAME
