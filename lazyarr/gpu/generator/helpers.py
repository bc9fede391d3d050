"""Functions that kernels call, as C text, with the types for which they exist.

``@`` stands for the type at the end of a function's name, ``#`` for the unsigned type in which it computes, and ``%``
for a part of a complex number. Other names are those of `lazyarr.gpu.generator.dialects`.
"""

import re
from collections.abc import Mapping

from lazyarr.gpu.generator import complex_functions, functions
from lazyarr.gpu.generator.tables import TABLES

SIGNED, UNSIGNED = ("i8", "i16", "i32", "i64"), ("u8", "u16", "u32", "u64")
FLOATS, COMPLEX = ("f32", "f64"), ("c64", "c128")
MODULAR = {"i8": "u32", "u8": "u32", "i16": "u32", "u16": "u32", "i32": "u32", "u32": "u32", "i64": "u64", "u64": "u64"}
PARTS = {"c64": "f32", "c128": "f64"}

_INTEGER = {
    "negative": "return (@)(0 - (#)x);",
    "absolute": "return x < 0 ? negative_@(x) : x;",
    "left_shift": "return (u64)y < 8 * sizeof(@) ? (@)((#)x << y) : 0;",
    "gcd": """
        # a = x < 0 ? 0 - (#)x : (#)x, b = y < 0 ? 0 - (#)y : (#)y;
        while (b != 0) {
            const # rest = a % b;
            a = b;
            b = rest;
        }
        return (@)a;""",
    "lcm": """
        const @ divisor = gcd_@(x, y);
        const # a = x < 0 ? 0 - (#)x : (#)x, b = y < 0 ? 0 - (#)y : (#)y, d = divisor < 0 ? 0 - (#)divisor : (#)divisor;
        return d == 0 ? 0 : (@)(a / d * b);""",
    "power": """
        # power = 1, base = (#)x;
        for (u64 n = (u64)y; n != 0; n >>= 1) {
            if (n & 1) power *= base;
            base *= base;
        }
        return (@)power;""",
}
_SIGNED = {
    "right_shift": "return (u64)y < 8 * sizeof(@) ? x >> y : x < 0 ? -1 : 0;",
    "floor_divide": """
        if (y == 0 || y == -1) return y == 0 ? 0 : negative_@(x);
        return x / y - (x % y != 0 && (x < 0) != (y < 0));""",
    "remainder": """
        if (y == 0 || y == -1) return 0;
        const @ rest = x % y;
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;""",
    "fmod": "return y == 0 || y == -1 ? 0 : x % y;",
}
_UNSIGNED = {
    "right_shift": "return y < 8 * sizeof(@) ? x >> y : 0;",
    "floor_divide": "return y == 0 ? 0 : x / y;",
    "remainder": "return y == 0 ? 0 : x % y;",
}
_FLOAT = {
    "maximum": "return x > y || isnan(x) ? x : y;",
    "minimum": "return x < y || isnan(x) ? x : y;",
    "fmax": "return x > y || isnan(y) ? x : y;",
    "fmin": "return x < y || isnan(y) ? x : y;",
    "clip": "return minimum_@(maximum_@(x, y), z);",
    "clip_to_constants": "return isnan(y) ? y : isnan(z) ? z : x < y ? (y > z ? z : y) : x > z ? z : x;",
    "sign": "return isnan(x) ? x : (@)((x > 0) - (x < 0));",
    "heaviside": "return isnan(x) ? x : x == 0 ? y : (@)(x > 0);",
    "remainder": """
        const @ rest = fmod(x, y);
        if (y == 0) return rest;
        if (rest == 0) return copysign((@)0, y);
        return (y < 0) != (rest < 0) ? rest + y : rest;""",
    "floor_divide": """
        if (y == 0) return x / y;
        const @ rest = fmod(x, y);
        @ quotient = (x - rest) / y;
        if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
        if (quotient == 0) return signbit(x) != signbit(y) ? (@)-0.0f : (@)0;
        const @ whole = floor(quotient);
        return quotient - whole > (@)0.5f ? whole + 1 : whole;""",
    "power_to_constant": "return y == 2 ? x * x : power_@(x, y);",
    "modf_fraction": "return copysign(isinf(x) ? (@)0 : x - trunc(x), x);",
    "spacing": "return x == 0 ? LAST_@ : isfinite(x) ? @_of_bits(bits_of_@(x) + 1) - x : NAN_@;",
    "frexp_exponent": "return x == 0 || !isfinite(x) ? 0 : ilogb(x) + 1;",
    "frexp_mantissa": "return x == 0 || !isfinite(x) ? x : ldexp(x, -frexp_exponent_@(x));",
    "logaddexp": """
        if (x == y) return x + LN2_@;
        const @ less = x - y;
        return less > 0 ? x + log1p(exp(-less)) : less <= 0 ? y + log1p(exp(less)) : less;""",
    "logaddexp2": """
        if (x == y) return x + 1;
        const @ less = x - y;
        return less > 0 ? x + LOG2E_@ * log1p(exp2(-less)) : less <= 0 ? y + LOG2E_@ * log1p(exp2(less)) : less;""",
}
_HALF = {
    "maximum": "return f32_of_f16(x) >= f32_of_f16(y) || isnan(f32_of_f16(x)) ? x : y;",
    "minimum": "return f32_of_f16(x) <= f32_of_f16(y) || isnan(f32_of_f16(x)) ? x : y;",
    "fmax": "return f32_of_f16(x) >= f32_of_f16(y) || isnan(f32_of_f16(y)) ? x : y;",
    "fmin": "return f32_of_f16(x) <= f32_of_f16(y) || isnan(f32_of_f16(y)) ? x : y;",
    "nextafter": """
        const u32 size = x & 0x7fff, reach = y & 0x7fff;
        if (size > 0x7c00 || reach > 0x7c00) return 0x7e00;
        if (x == y || (size | reach) == 0) return x;
        if (size == 0) return (y & 0x8000) + 1;
        return ((x ^ y) & 0x8000) != 0 || size > reach ? x - 1 : x + 1;""",
    # for negative powers of two, the distance towards 0
    "spacing": """
        const u32 exponent = x >> 10 & 31, down = (x & 0x8000) != 0 && (x & 0x3ff) == 0 ? 1 : 0;
        if (exponent == 31) return 0x7e00;
        if (x == 0x7bff) return 0x7c00;
        if (exponent > 10 + down) return (f16)((exponent - 10 - down) << 10);
        return exponent > 1 ? (f16)(1 << (exponent - 1 - down)) : 1;""",
}
_COMPLEX = {
    "add": "return complex_@(x.x + y.x, x.y + y.y);",
    "subtract": "return complex_@(x.x - y.x, x.y - y.y);",
    # with fused multiply-add, like NumPy's loops on processors that have it
    "multiply": "return complex_@(fma(x.x, y.x, -(x.y * y.y)), fma(x.x, y.y, x.y * y.x));",
    "multiply_apart": "return complex_@(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);",
    # by Smith's algorithm
    "divide": """
        if (fabs(y.x) >= fabs(y.y)) {
            if (y.x == 0 && y.y == 0) return complex_@(x.x / fabs(y.x), x.y / fabs(y.x));
            const % ratio = y.y / y.x, scale = 1 / (y.x + y.y * ratio);
            return complex_@((x.x + x.y * ratio) * scale, (x.y - x.x * ratio) * scale);
        }
        const % ratio = y.x / y.y, scale = 1 / (y.y + y.x * ratio);
        return complex_@((x.x * ratio + x.y) * scale, (x.y * ratio - x.x) * scale);""",
    "reciprocal": """
        if (fabs(x.x) <= fabs(x.y)) {
            const % ratio = x.x / x.y, length = x.x * ratio + x.y;
            return complex_@(ratio / length, -1 / length);
        }
        const % ratio = x.y / x.x, length = x.y * ratio + x.x;
        return complex_@(1 / length, -ratio / length);""",
    "negative": "return complex_@(-x.x, -x.y);",
    "conjugate": "return complex_@(x.x, -x.y);",
    "rint": "return complex_@(rint(x.x), rint(x.y));",
    "maximum": "return isnan(x.x) || isnan(x.y) || greater_equal_@(x, y) ? x : y;",
    "minimum": "return isnan(x.x) || isnan(x.y) || less_equal_@(x, y) ? x : y;",
    "fmax": "return isnan(y.x) || isnan(y.y) || greater_equal_@(x, y) ? x : y;",
    "fmin": "return isnan(y.x) || isnan(y.y) || less_equal_@(x, y) ? x : y;",
    "clip": """
        const @ w = isnan(x.x) || isnan(x.y) || (x.x == y.x ? x.y > y.y : x.x > y.x) ? x : y;
        return isnan(w.x) || isnan(w.y) || (w.x == z.x ? w.y < z.y : w.x < z.x) ? w : z;""",
}
_COMPLEX_TO_PART = {
    "absolute": """
        const % re = fabs(x.x), im = fabs(x.y), large = re > im ? re : im, small = re > im ? im : re;
        if (isinf(re) || isinf(im)) return isinf(re) ? re : im;
        if (isnan(re) || isnan(im)) return NAN_%;
        if (large == 0) return 0;
        const % ratio = small / large;
        return sqrt(fma(ratio, ratio, (%)1)) * large;""",
}
_COMPLEX_TO_BOOL = {
    "nonzero": "return x.x != 0 || x.y != 0;",
    "isnan": "return isnan(x.x) || isnan(x.y);",
    "isinf": "return isinf(x.x) || isinf(x.y);",
    "isfinite": "return isfinite(x.x) && isfinite(x.y);",
    "equal": "return x.x == y.x && x.y == y.y;",
    # compares real parts, then imaginary ones; if two numbers have a NaN in one part, neither is less
    "less": "return (x.x < y.x && !isnan(x.y) && !isnan(y.y)) || (x.x == y.x && x.y < y.y);",
    "less_equal": "return (x.x < y.x && !isnan(x.y) && !isnan(y.y)) || (x.x == y.x && x.y <= y.y);",
    # in sorts, numbers with a NaN in the imaginary part come after others, then those with one in the real part
    "goes_before": """
        if (x.x < y.x) return !isnan(x.y) || isnan(y.y);
        if (x.x > y.x) return isnan(y.y) && !isnan(x.y);
        if (x.x == y.x || (isnan(x.x) && isnan(y.x))) return x.y < y.y || (isnan(y.y) && !isnan(x.y));
        return isnan(y.x);""",
    "greater": "return less_@(y, x);",
    "greater_equal": "return less_equal_@(y, x);",
}
_TWO = {"left_shift", "right_shift", "gcd", "lcm", "floor_divide", "remainder", "fmod", "power",
        "power_to_constant", "maximum", "minimum", "fmax", "fmin", "heaviside", "add", "subtract", "multiply",
        "multiply_apart",
        "divide", "equal", "goes_before", "less", "less_equal", "greater", "greater_equal", "logaddexp", "logaddexp2",
        "nextafter"}  # fmt: skip

# Flags: whether a tiny result z was rounded. Scaled by a power of two the result is normal, and a fused multiply-add
# yields the rounding error. x86 detects tininess after rounding.
_UNDERFLOW = {
    "multiply_underflows(@ x, @ y, @ z)": """
        if (!(fabs(z) <= TINIEST_@) || x == 0 || y == 0) return 0;
        if (z == 0) return 1;
        const @ small = fabs(x) < fabs(y) ? x * SCALE_@ : y * SCALE_@, large = fabs(x) < fabs(y) ? y : x;
        const @ product = small * large;
        return fabs(product) < TINIEST_@ * SCALE_@ && (fma(small, large, -product) != 0 || product != z * SCALE_@);""",
    "divide_underflows(@ x, @ y, @ z)": """
        if (!(fabs(z) <= TINIEST_@) || x == 0 || isinf(y)) return 0;
        if (z == 0) return 1;
        const @ scaled = x * SCALE_@, quotient = scaled / y;
        return fabs(quotient) < TINIEST_@ * SCALE_@ &&
               (fma(quotient, y, -scaled) != 0 || quotient != z * SCALE_@);""",
    # the sum has bits below the last place of z only for small operands
    "fma_underflows(@ x, @ y, @ w, @ z)": """
        if (!(fabs(z) <= TINIEST_@) || !(fabs(w) <= SMALL_@) || x == 0 || y == 0) return 0;
        const @ small = fabs(x) < fabs(y) ? x * SCALE_@ : y * SCALE_@, large = fabs(x) < fabs(y) ? y : x;
        const @ scaled = w * SCALE_@, product = small * large, result = fma(small, large, scaled);
        if (!(fabs(result) < TINIEST_@ * SCALE_@)) return 0;
        if (fabs(product) < LAST_@ * SCALE_@ || result != z * SCALE_@) return 1;
        const @ sum = product + scaled, part = sum - product;
        const @ rest = (product - (sum - part)) + (scaled - part);
        return (sum - result) + rest != -fma(small, large, -product);""",
}
# Flags of the steps of complex arithmetic, as bits.
_FLAGS = {
    "flags_of_product(@ x, @ y)": """
        const @ z = x * y;
        return (isinf(z) && isfinite(x) && isfinite(y) ? 2 : 0) | (multiply_underflows_@(x, y, z) ? 4 : 0) |
               (isnan(z) && !isnan(x) && !isnan(y) ? 8 : 0);""",
    "flags_of_fma(@ x, @ y, @ w)": """
        const @ z = fma(x, y, w);
        return (isinf(z) && isfinite(x) && isfinite(y) && isfinite(w) ? 2 : 0) |
               (fma_underflows_@(x, y, w, z) ? 4 : 0) | (isnan(z) && !isnan(x) && !isnan(y) && !isnan(w) ? 8 : 0);""",
    "flags_of_sum(@ x, @ y)": """
        const @ z = x + y;
        return (isinf(z) && isfinite(x) && isfinite(y) ? 2 : 0) | (isnan(z) && !isnan(x) && !isnan(y) ? 8 : 0);""",
    "flags_of_quotient(@ x, @ y)": """
        const @ z = x / y;
        return (y == 0 && x != 0 && isfinite(x) ? 1 : 0) | (isinf(z) && isfinite(x) && y != 0 ? 2 : 0) |
               (divide_underflows_@(x, y, z) ? 4 : 0) | (isnan(z) && !isnan(x) && !isnan(y) ? 8 : 0);""",
}
_COMPLEX_FLAGS = {
    "flags_of_multiply(@ x, @ y)": """
        return flags_of_product_%(x.y, y.y) | flags_of_product_%(x.y, y.x) |
               flags_of_fma_%(x.x, y.x, -(x.y * y.y)) | flags_of_fma_%(x.x, y.y, x.y * y.x);""",
    "flags_of_multiply_apart(@ x, @ y)": """
        return flags_of_product_%(x.x, y.x) | flags_of_product_%(x.y, y.y) |
               flags_of_product_%(x.x, y.y) | flags_of_product_%(x.y, y.x) |
               flags_of_sum_%(x.x * y.x, -(x.y * y.y)) | flags_of_sum_%(x.x * y.y, x.y * y.x);""",
    # of (x + y ratio) scale, including those of the scale itself
    "flags_of_scaling(@ x, % ratio, % scale)": """
        const % product = x.y * ratio;
        return flags_of_product_%(x.y, ratio) | flags_of_sum_%(x.x, product) |
               flags_of_product_%(x.x + product, scale);""",
    # ordered comparisons of NaNs are invalid, too
    "flags_of_divide(@ x, @ y)": """
        const bool8 is_wide = fabs(y.x) >= fabs(y.y);
        if (is_wide && y.x == 0 && y.y == 0)
            return flags_of_quotient_%(x.x, fabs(y.x)) | flags_of_quotient_%(x.y, fabs(y.x));
        const % a = is_wide ? y.x : y.y, b = is_wide ? y.y : y.x;
        const % ratio = b / a, product = b * ratio, length = a + product;
        const @ other = is_wide ? complex_@(x.y, -x.x) : complex_@(-x.x, x.y);
        return (isnan(a) || isnan(b) ? 8 : 0) | flags_of_quotient_%(b, a) | flags_of_product_%(b, ratio) |
               flags_of_sum_%(a, product) | flags_of_quotient_%(1, length) |
               flags_of_scaling_@(is_wide ? x : complex_@(x.y, x.x), ratio, 1 / length) |
               flags_of_scaling_@(other, ratio, 1 / length);""",
    "flags_of_reciprocal(@ x, @ y)": """
        const bool8 is_wide = !(fabs(x.x) <= fabs(x.y));
        const % a = is_wide ? x.x : x.y, b = is_wide ? x.y : x.x;
        const % ratio = b / a, product = b * ratio, length = a + product;
        return (isnan(a) || isnan(b) ? 8 : 0) | flags_of_quotient_%(b, a) | flags_of_product_%(b, ratio) |
               flags_of_sum_%(a, product) | flags_of_quotient_%(1, length) | flags_of_quotient_%(ratio, length);""",
}
_LIMITS = {
    "TINIEST_f32": "f32_of_bits(0x00800000u)",
    "TINIEST_f64": "f64_of_bits((u64)0x00100000 << 32)",
    "SCALE_f32": "f32_of_bits(0x71800000u)",  # 2^100
    "SCALE_f64": "f64_of_bits((u64)0x65700000 << 32)",  # 2^600
    "SMALL_f32": "f32_of_bits(0x12800000u)",  # 2^-90
    "SMALL_f64": "f64_of_bits((u64)0x03f00000 << 32)",  # 2^-960
    "LAST_f32": "f32_of_bits(1u)",
    "LAST_f64": "f64_of_bits(1)",
    "NAN_f32": "f32_of_bits(0x7fc00000u)",
    "NAN_f64": "f64_of_bits((u64)0x7ff80000 << 32)",
    "INF_f32": "f32_of_bits(0x7f800000u)",
    "INF_f64": "f64_of_bits((u64)0x7ff00000 << 32)",
    "LARGEST_f32": "f32_of_bits(0x7f7fffffu)",
    "LARGEST_f64": "f64_of_bits(((u64)0x7ff00000 << 32) - 1)",
    "EPSILON_f32": "f32_of_bits(0x34000000u)",
    "EPSILON_f64": "f64_of_bits((u64)0x3cb00000 << 32)",
    "LIMIT_OF_EXP_f32": "80.0f",  # exp of this and of its negative is normal
    "LIMIT_OF_EXP_f64": "700.0",
    "LOG2E_f32": "1.442695040888963407359924681001892137f",
    "LOG2E_f64": "1.442695040888963407359924681001892137",
    "LOG10E_f32": "0.434294481903251827651128918916605082f",
    "LOG10E_f64": "0.434294481903251827651128918916605082",
    "HALF_PI_f32": "1.570796326794896619231321691639751442f",
    "HALF_PI_f64": "1.570796326794896619231321691639751442",
    "LN2_f32": "0.693147180559945309417232121458176568f",
    "LN2_f64": "0.693147180559945309417232121458176568",
    "TWO_OVER_PI_f32": "0x1.45f306p-1f",
    "DEGREES_f32": "(180.0f / 3.141592653589793238462643383279502884f)",
    "DEGREES_f64": "(180.0 / 3.141592653589793238462643383279502884)",
    "RADIANS_f32": "(3.141592653589793238462643383279502884f / 180.0f)",
    "RADIANS_f64": "(3.141592653589793238462643383279502884 / 180.0)",
    "LEAST_i8": "-128",
    "LEAST_i16": "-32768",
    "LEAST_i32": "(-2147483647 - 1)",
    "LEAST_i64": "(-9223372036854775807l - 1)",
}
_OTHERS = {
    # index division: devices take many instructions for 64-bit division
    "quotient": """
DEVICE i64 quotient(i64 x, i64 y)
{
    return (x | y) >> 32 != 0 ? x / y : (i64)((u32)x / (u32)y);
}""",
    "compare_i64_u64": """
DEVICE i32 compare_i64_u64(i64 x, u64 y)
{
    return x < 0 || (u64)x < y ? -1 : (u64)x > y;
}""",
    "f32_of_f16": """
DEVICE f32 f32_of_f16(f16 x)
{
    const u32 sign = (u32)(x & 0x8000) << 16, size = x & 0x7fff;
    if (size >= 0x7c00) return f32_of_bits(sign | 0x7f800000u | (size & 0x3ff) << 13);
    if (size >= 0x400) return f32_of_bits(sign | ((size << 13) + 0x38000000u));
    return f32_of_bits(sign | bits_of_f32((f32)size * 5.9604644775390625e-8f));
}""",
    # added to a number whose last bit is 2^-24, this rounds subnormal results in the right place
    "f16_of_f32": """
DEVICE f16 f16_of_f32(f32 x)
{
    const u32 bits = bits_of_f32(x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return (f16)(sign | 0x7e00u | size >> 13 & 0x3ffu);
    if (size >= 0x477ff000u) return (f16)(sign | 0x7c00u);
    if (size < 0x38800000u) return (f16)(sign | (bits_of_f32(f32_of_bits(size) + 0.5f) - 0x3f000000u));
    return (f16)(sign | (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13);
}""",
    "f16_of_f64": """
DEVICE f16 f16_of_f64(f64 x)
{
    const u64 bits = bits_of_f64(x), size = bits & ~((u64)1 << 63);
    const u32 sign = (u32)(bits >> 48) & 0x8000u;
    if (size > (u64)0x7ff00000 << 32) return (f16)(sign | 0x7e00u | (u32)(size >> 42) & 0x3ffu);
    if (size >= (u64)0x40effe00 << 32) return (f16)(sign | 0x7c00u);
    if (size < (u64)0x3f100000 << 32) return (f16)(sign | (u32)(bits_of_f64(f64_of_bits(size) + 268435456.0) & 0xfffu));
    return (f16)(sign | (u32)((size - ((u64)0x3f000000 << 32) + (((u64)1 << 41) - 1) + (size >> 42 & 1)) >> 42));
}""",
    # the float64 product is exact, and so is the sum, unless one term is lost in the rounding of the other
    "fma_f16": """
DEVICE f16 fma_f16(f16 x, f16 y, f16 z)
{
    return f16_of_f64((f64)f32_of_f16(x) * (f64)f32_of_f16(y) + (f64)f32_of_f16(z));
}""",
    "flags_of_fma_f16": """
DEVICE u32 flags_of_fma_f16(f16 x, f16 y, f16 z)
{
    const f32 a = f32_of_f16(x), b = f32_of_f16(y), c = f32_of_f16(z);
    const f64 exact = (f64)a * (f64)b + (f64)c, rounded = f32_of_f16(f16_of_f64(exact));
    return (isinf(rounded) && isfinite(exact) ? 2 : 0) | (fabs(exact) < 6.103515625e-05 && rounded != exact ? 4 : 0) |
           (isnan(exact) && !isnan(a) && !isnan(b) && !isnan(c) ? 8 : 0);
}""",
    # out of range, the results are x86's
    "i32_of_f32": """
DEVICE i32 i32_of_f32(f32 x)
{
    return x >= -2147483648.0f && x < 2147483648.0f ? (i32)x : LEAST_i32;
}""",
    "i32_of_f64": """
DEVICE i32 i32_of_f64(f64 x)
{
    return x > -2147483649.0 && x < 2147483648.0 ? (i32)x : LEAST_i32;
}""",
    "i64_of_f32": """
DEVICE i64 i64_of_f32(f32 x)
{
    return x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? (i64)x : LEAST_i64;
}""",
    "i64_of_f64": """
DEVICE i64 i64_of_f64(f64 x)
{
    return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (i64)x : LEAST_i64;
}""",
    "u64_of_f32": """
DEVICE u64 u64_of_f32(f32 x)
{
    if (!(x >= 9223372036854775808.0f)) return (u64)i64_of_f32(x);
    return (u64)i64_of_f32(x - 9223372036854775808.0f) ^ (u64)1 << 63;
}""",
    "u64_of_f64": """
DEVICE u64 u64_of_f64(f64 x)
{
    if (!(x >= 9223372036854775808.0)) return (u64)i64_of_f64(x);
    return (u64)i64_of_f64(x - 9223372036854775808.0) ^ (u64)1 << 63;
}""",
    "nextafter_f32": """
DEVICE f32 nextafter_f32(f32 x, f32 y)
{
    const u32 bits = bits_of_f32(x);
    if (isnan(x) || isnan(y) || x == y) return isnan(x) ? x : y;
    if (x == 0) return copysign(f32_of_bits(1u), y);
    return f32_of_bits((x < y) == (x > 0) ? bits + 1 : bits - 1);
}""",
    "nextafter_f64": """
DEVICE f64 nextafter_f64(f64 x, f64 y)
{
    const u64 bits = bits_of_f64(x);
    if (isnan(x) || isnan(y) || x == y) return isnan(x) ? x : y;
    if (x == 0) return copysign(f64_of_bits(1), y);
    return f64_of_bits((x < y) == (x > 0) ? bits + 1 : bits - 1);
}""",
}


def _define(head: str, body: str, kind: str) -> str:
    """Return a function for one type, as text."""
    if kind in PARTS:
        head, body = head.replace("%", PARTS[kind]), body.replace("%", PARTS[kind])
    body = body.replace("@", kind).replace("#", MODULAR.get(kind, kind))
    lines = [f"    {line.removeprefix(' ' * 8)}" for line in body.strip("\n").split("\n")]
    return "\n".join(["", f"DEVICE {head}".replace("@", kind), "{", *lines, "}"])


def _all() -> dict[str, str]:
    found = {**_OTHERS, **functions.FUNCTIONS, **TABLES}
    for family, kinds, result in (
        (_INTEGER, SIGNED + UNSIGNED, "@"), (_SIGNED, SIGNED, "@"), (_UNSIGNED, UNSIGNED, "@"), (_FLOAT, FLOATS, "@"),
        (_HALF, ("f16",), "@"), (_COMPLEX, COMPLEX, "@"), (_COMPLEX_TO_PART, COMPLEX, "%"),
        (_COMPLEX_TO_BOOL, COMPLEX, "bool8"), (complex_functions.UNARY, COMPLEX, "@"),
        (complex_functions.BINARY, COMPLEX, "@"),
    ):  # fmt: skip
        for name, body in family.items():
            is_binary = name in _TWO or family is complex_functions.BINARY
            parameters = "@ x, @ y, @ z" if name.startswith("clip") else "@ x, @ y" if is_binary else "@ x"
            returned = "i32" if name == "frexp_exponent" else result
            for kind in kinds:
                found[f"{name}_{kind}"] = _define(f"{returned} {name}_@({parameters})", body, kind)
    for family, kinds, result in ((_UNDERFLOW, FLOATS, "bool8"), (_FLAGS, FLOATS, "u32"),
                                  (_COMPLEX_FLAGS, COMPLEX, "u32")):  # fmt: skip
        for head, body in family.items():
            name, _, parameters = head.partition("(")
            for kind in kinds:
                found[f"{name}_{kind}"] = _define(f"{result} {name}_@({parameters}", body, kind)
    for head, body in {**complex_functions.OTHERS, **complex_functions.FLAGS}.items():
        for kind in COMPLEX:
            name = head.partition("(")[0].split()[1].replace("@", kind).replace("%", PARTS[kind])
            found[name] = _define(head, body, kind)
    return found


FUNCTIONS: Mapping[str, str] = _all()
"""Texts of all functions and tables, by name."""


def needed(text: str) -> str:
    """Return the constants and functions that a text needs, each after its own dependencies."""
    functions: dict[str, str] = {}
    constants: set[str] = set()
    stack = [(name, False) for name in reversed(re.findall(r"\w+", text))]
    while stack:
        name, is_ready = stack.pop()
        if name in _LIMITS:
            constants.add(name)
        elif is_ready:
            functions.setdefault(name, FUNCTIONS[name])
        elif name in FUNCTIONS and name not in functions:
            stack.append((name, True))
            stack += [(used, False) for used in reversed(re.findall(r"\w+", FUNCTIONS[name])) if used != name]
    lines = [f"#define {name} {value}" for name, value in _LIMITS.items() if name in constants]
    return "\n".join([*lines, *functions.values()])
