"""Functions as C text that follow the host's algorithms: the same operations in the same order, so that bits agree.

exp, log, sin and cos of float32, and tanh, are NumPy's own. Powers, sin and cos of large float32, and exp, log, sin and
cos of float64 are glibc's, whose exp, log and pow come from Arm's Optimized Routines. `agreement` checks whether the
host uses these algorithms. Names are those of `lazyarr.gpu.generator.dialects`.
"""

from collections.abc import Mapping

FUNCTIONS: Mapping[str, str] = {
    # rational approximations
    "exp_f32": """
DEVICE f32 exp_f32(f32 x)
{
    if (isnan(x)) return x;
    if (x >= 88.72283935546875f) return INF_f32;
    if (x <= -103.97208404541015625f) return 0;
    const f32 k = x * LOG2E_f32 + 12582912.0f - 12582912.0f;
    const f32 y = fma(k, -1.42860677e-6f, fma(k, -6.93145752e-1f, x));
    f32 p = fma(5.082762527590693718096e-04f, y, 6.757896990527504603057e-03f);
    p = fma(p, y, 5.114512081637298353406e-02f);
    p = fma(p, y, 2.473615434895520810817e-01f);
    p = fma(p, y, 7.257664613233124478488e-01f);
    p = fma(p, y, 9.999999999980870924916e-01f);
    f32 q = fma(2.159509375685829852307e-02f, y, -2.742335390411667452936e-01f);
    q = fma(q, y, 1.0f);
    return ldexp(p / q, (i32)k);
}""",
    "log_f32": """
DEVICE f32 log_f32(f32 x)
{
    if (!(x > 0)) return x == 0 ? -INF_f32 : NAN_f32;
    if (isinf(x)) return x;
    const i32 bits = (i32)bits_of_f32(x < TINIEST_f32 ? x * 8388608.0f : x);
    f32 k = (f32)((bits >> 23) - (x < TINIEST_f32 ? 149 : 126)), m = f32_of_bits((bits & 0x7fffff) | 0x3f000000);
    if (m <= 0.707106781186547524400844362104849039f) {
        m += m;
        k -= 1;
    }
    const f32 y = m - 1;
    f32 p = fma(2.589979117907922693523e-02f, y, 3.808837741388407920751e-01f);
    p = fma(p, y, 1.480000633576506585156e+00f);
    p = fma(p, y, 2.112677543073053063722e+00f);
    p = fma(p, y, 9.999999999999998702752e-01f);
    p = fma(p, y, 0.0f);
    f32 q = fma(5.875095403124574342950e-03f, y, 1.546476374983906719538e-01f);
    q = fma(q, y, 9.864942958519418960339e-01f);
    q = fma(q, y, 2.453006071784736363091e+00f);
    q = fma(q, y, 2.612677543073109236779e+00f);
    q = fma(q, y, 1.0f);
    return fma(k, 0.693147180559945309417232121458176568f, p / q);
}""",
    # table-driven piecewise polynomials
    "tanh_f32": """
DEVICE f32 tanh_f32(f32 x)
{
    const u32 bits = bits_of_f32(x), top = bits & 0x7fe00000u;
    if (isnan(x)) return NAN_f32;
    if (top > 0x7f000000u) return copysign(1.0f, x);
    const u32 row = top < 0x3d400000u ? 0 : top > 0x41200000u ? 248 : (top - 0x3d400000u) >> 21 << 3;
    const f32 y = fabs(x) - TANH_f32[row + 7];
    f32 r = TANH_f32[row];
    for (u32 k = 1; k < 7; k++) r = fma(r, y, TANH_f32[row + k]);
    return f32_of_bits(bits_of_f32(r) | (bits & 0x80000000u));
}""",
    "tanh_f64": """
DEVICE f64 tanh_f64(f64 x)
{
    const u32 top = (u32)(bits_of_f64(x) >> 32) & 0x7ff80000u;
    if (isnan(x)) return NAN_f64;
    if (top > 0x7fe00000u) return copysign(1.0, x);
    const u32 row = 18 * (top < 0x3fc00000u ? 0 : top > 0x40380000u ? 15 : (top - 0x3fc00000u) >> 19);
    const f64 y = fabs(x) - TANH_f64[row];
    f64 r = TANH_f64[row + 17];
    for (u32 k = 16; k > 0; k--) r = fma(r, y, TANH_f64[row + k]);
    return f64_of_bits(bits_of_f64(r) | (bits_of_f64(x) & (u64)1 << 63));
}""",
    # the sine of x + turn pi/2: Cody and Waite's argument reduction, then a polynomial
    "rest_f32": """
DEVICE f32 rest_f32(f32 x, f32 k)
{
    return fma(k, -0x1.846988p-48f, fma(k, -0x1.5110b4p-22f, fma(k, -0x1.921fb0p+0f, x)));
}""",
    "sine_f32": """
DEVICE f32 sine_f32(f32 yy)
{
    const f32 r = fma(fma(0x1.7d3bbcp-19f, yy, -0x1.a06bbap-13f), yy, 0x1.11119ap-7f);
    return fma(r, yy, -0x1.555556p-3f);
}""",
    "sincos_f32": """
DEVICE f32 sincos_f32(f32 x, u32 turn)
{
    if (!(fabs(x) <= (turn ? 71476.0625f : 117435.992f))) return isfinite(x) ? sincos_of_large_f32(x, turn) : NAN_f32;
    const f32 k = fma(x, TWO_OVER_PI_f32, 12582912.0f) - 12582912.0f;
    const f32 y = rest_f32(x, k), yy = y * y;
    const u32 n = (u32)(i32)k + turn;
    f32 r = fma(fma(0x1.98e616p-16f, yy, -0x1.6c06dcp-10f), yy, 0x1.55553cp-5f);
    r = (n & 1) != 0 ? fma(fma(r, yy, -0.5f), yy, 1.0f) : fma(fma(sine_f32(yy), yy, 0.0f), y, y);
    return (n & 2) != 0 ? 0 - r : r;
}""",
    "flags_of_sincos_f32": """
DEVICE u32 flags_of_sincos_f32(f32 x, u32 turn)
{
    if (!(fabs(x) <= (turn ? 71476.0625f : 117435.992f))) return isinf(x) ? 8 : 0;
    const f32 k = fma(x, TWO_OVER_PI_f32, 12582912.0f) - 12582912.0f;
    const f32 y = rest_f32(x, k), yy = y * y, sine = sine_f32(yy), part = sine * yy;
    return multiply_underflows_f32(y, y, yy) ||
           multiply_underflows_f32(sine, yy, part) || fma_underflows_f32(part, y, y, fma(part, y, y)) ? 4 : 0;
}""",
    # in float64, with the polynomials of Arm's Optimized Routines, as in glibc
    "sincos_of_large_f32": """
DEVICE f32 sincos_of_large_f32(f32 x, u32 turn)
{
    u32 n = turn;
    const f64 y = reduced_f64(fabs((f64)x), &n).x, yy = y * y;
    if (x < 0 && turn == 0) n += 2;
    f64 r;
    if ((n & 1) != 0) {
        const f64 c = fma(yy, 0x1.99343027bf8c3p-16, -0x1.6c087e89a359dp-10);
        r = fma(yy * yy, 0x1.55553e1068f19p-5, fma(yy, -0x1.ffffffd0c621cp-2, 1.0));
        r = fma(yy * yy * yy, c, r);
    } else {
        const f64 yyy = y * yy, s = fma(yy, -0x1.994eb3774cf24p-13, 0x1.1107605230bc4p-7);
        r = fma(yyy * yy, s, fma(yyy, -0x1.555545995a603p-3, y));
    }
    return (f32)((n & 2) != 0 ? -r : r);
}""",
    # x = k pi/2 + a + da, modulo 2 pi, for positive x; uses only the bits of 2/pi that matter, and adds k to n
    "reduced_f64": """
DEVICE c128 reduced_f64(f64 x, u32 *n)
{
    const u64 bits = bits_of_f64(x), m = (bits & ((u64)1 << 52) - 1) | (u64)1 << 52;
    const u32 place = (u32)(bits >> 52) - 1013;
    u64 w[3];
    for (u32 k = 0; k < 3; k++) {
        const u32 at = (place >> 5) + 2 * k, shift = place & 31;
        w[k] = ((u64)TWO_OVER_PI[at] << 32 | TWO_OVER_PI[at + 1]) << shift | (u64)TWO_OVER_PI[at + 2] << shift >> 32;
    }
    const u64 p1 = m * w[1] + high_product_u64(m, w[2]);
    const u64 p0 = m * w[0] + high_product_u64(m, w[1]) + (p1 < m * w[1]);
    u64 high = p0 << 2 | p1 >> 62, low = p1 << 2 | m * w[2] >> 62;
    const bool8 is_below = high >> 63;
    *n += (u32)(p0 >> 62) + is_below;
    if (is_below) {
        low = 0 - low;
        high = ~high + (low == 0);
    }
    const f64 first = (f64)(high >> 11) * 0x1p-53, second = (f64)(high & 2047) * 0x1p-64, sum = first + second;
    const f64 rest = (second - (sum - first)) + (f64)(low >> 11) * 0x1p-117;
    const f64 a = sum + rest, da = rest - (a - sum);
    const f64 product = a * 0x1.921fb54442d18p+0;
    const f64 error = fma(a, 0x1.921fb54442d18p+0, -product)
                      + fma(a, 0x1.1a62633145c07p-54, da * 0x1.921fb54442d18p+0);
    const f64 angle = product + error, lost = error - (angle - product);
    return is_below ? complex_c128(-angle, -lost) : complex_c128(angle, lost);
}""",
    # S. Gal's accurate tables method, see lazyarr/_core/simd/sincos.h
    "sincos_f64": """
DEVICE f64 sincos_f64(f64 x, u32 turn)
{
    const f64 size = fabs(x);
    f64 a = size, da = 0;
    u32 n = turn;
    if (!isfinite(x)) return NAN_f64;
    if (size < (turn ? 0x1p-27 : 0x1p-26)) return turn ? 1 : x;
    if (size >= 0x1.921fbp+26) {
        const c128 y = reduced_f64(size, &n);
        a = y.x;
        da = y.y;
    } else if (size >= 0x1.368fdp+1) {
        const f64 shift = 0x1.8p+52 + turn, sum = fma(size, 0x1.45f306dc9c883p-1, shift), k = sum - shift;
        const f64 rest = fma(-k, -0x1.dde973cp-27, fma(-k, 0x1.921fb58p+0, size));
        const f64 b = fma(-k, -0x1.cb3b398p-55, rest), lost = fma(-k, -0x1.cb3b398p-55, rest - b);
        a = fma(-k, -0x1.d747f23e32ed7p-83, b);
        da = lost + fma(-k, -0x1.d747f23e32ed7p-83, b - a);
        n = (u32)bits_of_f64(sum);
    } else if (size >= 0.85546875) {
        const f64 less = 0x1.921fb54442d18p+0 - size;
        da = 0x1.1a62633145c07p-54;
        a = turn ? less + da : less;
        da = turn ? (less - a) + da : da;
        n = 1 - turn;
    }
    const bool8 is_cosine = n & 1, is_below = signbit(a) != 0;
    const bool8 flips = ((n >> 1 & 1) != 0) != (!turn && x < 0);
    const f64 r = sincos_of_reduced_f64(fabs(a), is_below ? -da : da, is_cosine);
    return (flips != (!is_cosine && is_below)) ? -r : r;
}""",
    "sincos_of_reduced_f64": """
DEVICE f64 sincos_of_reduced_f64(f64 a, f64 da, bool8 is_cosine)
{
    if (!is_cosine && a < 0.126) {
        const f64 aa = a * a;
        f64 s = fma(aa, -0x1.addffc2fcdf59p-26, 0x1.71de27b9a7ed9p-19);
        s = fma(aa, s, -0x1.a01a019db08b8p-13);
        s = fma(aa, s, 0x1.1111111110ecep-7);
        s = fma(aa, s, -0x1.5555555555555p-3);
        return a + fma(aa, fma(s, a, -(da * 0.5)), da);
    }
    const f64 k = a + 0x1.8p+45;
    const u32 row = ((u32)bits_of_f64(k) & 127u) << 2;
    const f64 near = is_cosine ? SINCOS_f64[row + 2] : SINCOS_f64[row];
    const f64 near_rest = is_cosine ? SINCOS_f64[row + 3] : SINCOS_f64[row + 1];
    const f64 other = is_cosine ? -SINCOS_f64[row] : SINCOS_f64[row + 2];
    const f64 other_rest = is_cosine ? -SINCOS_f64[row + 1] : SINCOS_f64[row + 3];
    const f64 part = a - (k - 0x1.8p+45), r = is_cosine ? part + da : part, rr = r * r;
    f64 p = fma(rr, 0x1.11110e829872fp-7, -0x1.5555555555515p-3);
    f64 q = rr * fma(rr, fma(rr, 0x1.6c16bedd9e239p-10, -0x1.5555555555535p-5), 0.5);
    p = fma(r * rr, p, is_cosine ? r : da);
    p = is_cosine ? p : r + p;
    q = is_cosine ? q : fma(r, da, q);
    return near + fma(p, other, fma(-q, near, fma(other_rest, p, near_rest)));
}""",
    # e^(x + rest), or its negative: 2^(n/128) from a table, times a polynomial of the remainder
    "exp_of_sum_f64": """
DEVICE f64 exp_of_sum_f64(f64 x, f64 rest, bool8 is_negative)
{
    const f64 one = is_negative ? -1.0 : 1.0;
    if (!(fabs(x) >= 0x1p-54)) return (1 + x) * one;
    if (fabs(x) >= 1024) return (x < 0 ? 0 : INF_f64) * one;
    const f64 shifted = fma(x, 0x1.71547652b82fep+7, 0x1.8p+52), k = shifted - 0x1.8p+52;
    const f64 y = fma(k, -0x1.cf79abc9e3b3ap-47, fma(k, -0x1.62e42fefa0000p-8, x)) + rest, yy = y * y;
    const u64 n = bits_of_f64(shifted);
    const u32 row = ((u32)n & 127u) << 1;
    const u64 bits = EXP_BITS[row + 1] + ((n + ((u64)is_negative << 18)) << 45);
    const f64 low = fma(y, 0x1.555555555543cp-3, 0x1.ffffffffffdbdp-2);
    const f64 high = fma(y, 0x1.1111167a4d017p-7, 0x1.55555cf172b91p-5);
    const f64 p = fma(yy * yy, high, fma(low, yy, y + f64_of_bits(EXP_BITS[row])));
    if (fabs(x) < 512) return fma(f64_of_bits(bits), p, f64_of_bits(bits));
    if (x > 0) {
        const f64 scale = f64_of_bits(bits - ((u64)1009 << 52));
        return fma(scale, p, scale) * 0x1p+1009;
    }
    const f64 scale = f64_of_bits(bits + ((u64)1022 << 52)), product = scale * p;
    f64 r = scale + product;
    if (fabs(r) < 1) {
        const f64 sum = r + one;
        r = ((((one - sum) + r) + ((scale - r) + product)) + sum) - one;
        if (r == 0) r = copysign(0.0, one);
    }
    return r * 0x1p-1022;
}""",
    "exp_f64": """
DEVICE f64 exp_f64(f64 x)
{
    return exp_of_sum_f64(x, 0, 0);
}""",
    # k log(2) + log(c) + log(x / (2^k c)), with c from a table; a polynomial near 1
    "log_f64": """
DEVICE f64 log_f64(f64 x)
{
    if (!(x > 0)) return x == 0 ? -INF_f64 : NAN_f64;
    if (isinf(x)) return x;
    const u64 bits = x < TINIEST_f64 ? bits_of_f64(x * 0x1p+52) - ((u64)52 << 52) : bits_of_f64(x);
    if (bits - (u64)0x3fee000000000000 < (u64)0x3090000000000) {
        const f64 y = x - 1, yy = y * y, yyy = y * yy;
        f64 p = fma(yy, 0x1.78182f7afd085p-4, fma(y, -0x1.999eb43b068ffp-4, 0x1.c7184282ad6cap-4));
        p = fma(yyy, -0x1.5521375d145cdp-4, p);
        p = fma(p, yyy, fma(yy, -0x1.fffffa4423d65p-4, fma(y, 0x1.24924a344de3p-3, -0x1.55555556745a7p-3)));
        p = fma(p, yyy, fma(yy, 0x1.999999995dd0cp-3, fma(y, -0x1.ffffffffffdcbp-3, 0x1.5555555555577p-2)));
        const f64 high = fma(-0x1p+27, y, fma(y, 0x1p+27, y)), low = y - high, square = high * high;
        const f64 sum = fma(square, -0.5, y);
        return sum + fma(p, yyy, fma(-0.5 * low, y + high, fma(square, -0.5, y - sum)));
    }
    const u64 place = bits - (u64)0x3fe6000000000000;
    const u32 row = ((u32)(place >> 45) & 127u) << 1;
    const f64 k = (f64)((i64)place >> 52), m = f64_of_bits(bits - (place & (u64)0xfff << 52));
    const f64 y = fma(m, LOG_f64[row], -1.0), yy = y * y;
    const f64 first = fma(k, 0x1.62e42fefa38p-1, LOG_f64[row + 1]), sum = first + y;
    f64 p = fma(y, -0x1.55575e506c89fp-3, 0x1.999b324f10111p-3);
    p = fma(p, yy, fma(y, -0x1.fffffffeb459p-3, 0x1.555555551305bp-2));
    return fma(y * yy, p, fma(yy, -0x1.0000000000001p-1, fma(k, 0x1.ef35793c7673p-45, (first - sum) + y))) + sum;
}""",
    # the logarithm of a positive number, and its rounding error
    "log_and_rest_f64": """
DEVICE c128 log_and_rest_f64(f64 x)
{
    const u64 bits = x < TINIEST_f64 ? bits_of_f64(x * 0x1p+52) - ((u64)52 << 52) : bits_of_f64(x);
    const u64 place = bits - (u64)0x3fe6955500000000;
    const u32 row = 3 * ((u32)(place >> 45) & 127u);
    const f64 k = (f64)((i64)place >> 52), m = f64_of_bits(bits - (place & (u64)0xfff << 52));
    const f64 y = fma(m, LOG_AND_REST_f64[row], -1.0);
    const f64 first = fma(k, 0x1.62e42fefa38p-1, LOG_AND_REST_f64[row + 1]), second = first + y;
    const f64 lost = fma(k, 0x1.ef35793c7673p-45, LOG_AND_REST_f64[row + 2]) + ((first - second) + y);
    const f64 part = -0.5 * y, square = y * part, cube = y * square, sum = second + square;
    f64 p = fma(y, 0x1.0002b8b263fc3p+0, -0x1.2495b9b4845e9p+0);
    p = fma(p, square, fma(y, -0x1.555555529a47ap-1, 0x1.999999959554ep-1));
    p = fma(square, p, fma(y, 0x1.0000000000006p-1, -0x1.555555555556p-1));
    const f64 rest = fma(cube, p, lost + fma(part, y, -square) + ((second - sum) + square)), r = sum + rest;
    return complex_c128(r, (sum - r) + rest);
}""",
    # whether the algorithms below apply: x finite, not 0, and whole exponents for negative x
    "has_usual_power_f64": """
DEVICE bool8 has_usual_power_f64(f64 x, f64 y)
{
    return isfinite(x) && isfinite(y) && x != 0 && y != 0 && (x > 0 || y == trunc(y));
}""",
    "is_odd_f64": """
DEVICE bool8 is_odd_f64(f64 x)
{
    return x == trunc(x) && x * 0.5 != trunc(x * 0.5);
}""",
    "unusual_power_f64": """
DEVICE f64 unusual_power_f64(f64 x, f64 y)
{
    if (y == 0 || x == 1) return 1;
    if (isnan(x) || isnan(y)) return NAN_f64;
    if (isinf(y)) return fabs(x) == 1 ? 1 : (fabs(x) < 1) == (y > 0) ? 0 : INF_f64;
    if (x != 0 && !isinf(x)) return NAN_f64;
    const f64 size = (x == 0) == (y > 0) ? 0 : INF_f64;
    return signbit(x) != 0 && is_odd_f64(y) ? -size : size;
}""",
    "power_f64": """
DEVICE f64 power_f64(f64 x, f64 y)
{
    if (!has_usual_power_f64(x, y)) return unusual_power_f64(x, y);
    if (fabs(x) == 1 || fabs(y) < 0x1p-65) return x < 0 && is_odd_f64(y) ? -1 : 1;
    if (fabs(y) >= 0x1p+63) return (fabs(x) > 1) == (y > 0) ? INF_f64 : 0;
    const c128 l = log_and_rest_f64(fabs(x));
    const f64 product = y * l.x;
    return exp_of_sum_f64(product, fma(y, l.y, fma(l.x, y, -product)), x < 0 && is_odd_f64(y));
}""",
    "power_f32": """
DEVICE f32 power_f32(f32 x, f32 y)
{
    return (f32)wide_power_f32(x, y);
}""",
    # in float64, as powf computes it before rounding
    "wide_power_f32": """
DEVICE f64 wide_power_f32(f32 x, f32 y)
{
    if (!has_usual_power_f64(x, y)) return unusual_power_f64(x, y);
    const bool8 is_negative = x < 0 && is_odd_f64(y);
    const f32 size = fabs(x);
    const u32 bits = size < TINIEST_f32 ? bits_of_f32(size * 8388608.0f) - (23u << 23) : bits_of_f32(size);
    const u32 place = bits - 0x3f330000u, row = (place >> 19 & 15u) << 1;
    const f64 k = (f64)((i32)place >> 23), m = (f64)f32_of_bits(bits - (place & 0xff800000u));
    const f64 z = fma(m, LOG2_f64[row], -1.0), zz = z * z;
    f64 p = fma(z, 0x1.ec70a6ca7baddp-2, -0x1.7154748bef6c8p-1);
    p = fma(p, zz, fma(z, 0x1.71547652ab82bp+0, k + LOG2_f64[row + 1]));
    p = fma(fma(z, 0x1.27616c9496e0bp-2, -0x1.71969a075c67ap-2), zz * zz, p);
    const f64 exponent = (f64)y * p;
    if (exponent <= -150.0 || exponent > 0x1.fffffffd1d571p+6)
        return (exponent < 0 ? 0x1p-200 : 0x1p+200) * (is_negative ? -1.0 : 1.0);
    const f64 shifted = exponent + 0x1.8p+47, rest = exponent - (shifted - 0x1.8p+47);
    const u64 n = bits_of_f64(shifted), scale = EXP_BITS[(((u32)n & 31u) << 3) + 1];
    f64 r = fma(rest, 0x1.62e42ff0c52d6p-1, 1.0);
    r = fma(fma(rest, 0x1.c6af84b912394p-5, 0x1.ebfce50fac4f3p-3), rest * rest, r);
    return r * f64_of_bits(scale + ((n + ((u64)is_negative << 16)) << 47));
}""",
}
"""Texts of the functions, by name."""
