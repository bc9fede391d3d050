/* The functions on a line of all types for one width of vectors; pooling.h includes this file once for each.
 *
 * Defined by the includer: BITS (of a vector; 1 for none) and TARGET (a function attribute). Wide vectors are for floats
 * alone. */

#define LZ_PASTE(type, bits, x) lz_##type##_##bits##_##x
#define LZ_NAME(type, bits, x) LZ_PASTE(type, bits, x)
#if BITS > 1
#define BYTES (BITS / 8)
#endif

#define WEIGHT double
#define T float
#define I npy_int32
#define NAME(x) LZ_NAME(f, BITS, x)
#include "pooling_line.h"
#define T double
#define I npy_int64
#define NAME(x) LZ_NAME(d, BITS, x)
#include "pooling_line.h"
#undef WEIGHT
#if BITS == 1
#define WEIGHT npy_longdouble
#define T npy_longdouble
#define NAME(x) LZ_NAME(g, BITS, x)
#include "pooling_line.h"
#undef WEIGHT
#endif
#if BITS <= 128
#define SMALL
#define T npy_int8
#define I npy_int8
#define NAME(x) LZ_NAME(i1, BITS, x)
#include "pooling_line.h"
#define T npy_uint8
#define I npy_int8
#define NAME(x) LZ_NAME(u1, BITS, x)
#include "pooling_line.h"
#define T npy_int16
#define I npy_int16
#define NAME(x) LZ_NAME(i2, BITS, x)
#include "pooling_line.h"
#define T npy_uint16
#define I npy_int16
#define NAME(x) LZ_NAME(u2, BITS, x)
#include "pooling_line.h"
#undef SMALL
#define T npy_int32
#define I npy_int32
#define NAME(x) LZ_NAME(i4, BITS, x)
#include "pooling_line.h"
#define T npy_uint32
#define I npy_int32
#define NAME(x) LZ_NAME(u4, BITS, x)
#include "pooling_line.h"
#define T npy_int64
#define I npy_int64
#define NAME(x) LZ_NAME(i8, BITS, x)
#include "pooling_line.h"
#define T npy_uint64
#define I npy_int64
#define NAME(x) LZ_NAME(u8, BITS, x)
#include "pooling_line.h"
#endif

#undef BITS
#undef BYTES
#undef TARGET
#undef LZ_PASTE
#undef LZ_NAME
