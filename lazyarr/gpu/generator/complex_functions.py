"""Functions of complex numbers as C text, built from the device's real functions.

Special values are those of Annex G of the C standard, as in glibc. Inverse functions follow T. E. Hull, T. F.
Fairgrieve and P. T. P. Tang, "Implementing the complex arcsine and arccosine functions using exception handling", ACM
Transactions on Mathematical Software 23 (1997); `power`, `log1p` and `expm1` use NumPy's formulas.

``@`` stands for the type and ``%`` for the type of a part, as in `lazyarr.gpu.generator.helpers`.
"""

from collections.abc import Mapping

UNARY: Mapping[str, str] = {
    "exp": """
        if (x.y == 0) return complex_@(exp(x.x), x.y);
        if (isfinite(x.y)) return exp_times_%(x.x, cos(x.y), sin(x.y));
        if (!isinf(x.x)) return complex_@(NAN_%, NAN_%);
        return x.x > 0 ? complex_@(x.x, NAN_%) : complex_@(0, copysign((%)0, x.y));""",
    "exp2": "return exp_@(complex_@(x.x * LN2_%, x.y * LN2_%));",
    "expm1": """
        const % a = sin(x.y * 0.5f);
        return complex_@(expm1(x.x) * cos(x.y) - 2 * a * a, exp(x.x) * sin(x.y));""",
    "log": "return complex_@(log_of_size_%(fabs(x.x), fabs(x.y)), atan2(x.y, x.x));",
    "log2": "const @ w = log_@(x); return complex_@(w.x * LOG2E_%, w.y * LOG2E_%);",
    "log10": "const @ w = log_@(x); return complex_@(w.x * LOG10E_%, w.y * LOG10E_%);",
    "log1p": "return complex_@(log(hypot(x.x + 1, x.y)), atan2(x.y, x.x + 1));",
    "sqrt": """
        if (isinf(x.y)) return complex_@(INF_%, x.y);
        if (isnan(x.x)) return complex_@(x.x, x.x);
        if (isinf(x.x)) return x.x > 0 ? complex_@(x.x, isnan(x.y) ? x.y : copysign((%)0, x.y))
                                       : complex_@(isnan(x.y) ? x.y : 0, copysign(x.x, x.y));
        const bool8 is_large = fabs(x.x) > LARGEST_% * 0.25f || fabs(x.y) > LARGEST_% * 0.25f;
        const bool8 is_small = fabs(x.x) < 2 * TINIEST_% && fabs(x.y) < 2 * TINIEST_%;
        const % scale = is_large ? 0.0625f : is_small ? 0x1p+54f : 1, back = is_large ? 4 : is_small ? 0x1p-27f : 1;
        const % re = fabs(x.x) * scale, im = fabs(x.y) * scale;
        const % large = sqrt((hypot(re, im) + re) * 0.5f), small = large == 0 ? 0 : im / (2 * large);
        return x.x < 0 ? complex_@(small * back, copysign(large * back, x.y))
                       : complex_@(large * back, copysign(small * back, x.y));""",
    # a modulus that overflows is infinite, too
    "sign": """
        const % size = hypot(x.x, x.y);
        if (isnan(size) || (isinf(x.x) && isinf(x.y))) return complex_@(NAN_%, NAN_%);
        if (isinf(x.x)) return complex_@(copysign((%)1, x.x), 0);
        if (isinf(size)) return complex_@(0, copysign((%)1, x.y));
        return size == 0 ? complex_@(0, 0) : complex_@(x.x / size, x.y / size);""",
    "sinh": """
        if (x.y == 0) return complex_@(sinh(x.x), x.y);
        if (!isfinite(x.y)) return complex_@(x.x == 0 ? x.x : isinf(x.x) ? INF_% : NAN_%, NAN_%);
        const % c = cos(x.y), s = sin(x.y);
        if (fabs(x.x) < LIMIT_OF_EXP_%) return complex_@(sinh(x.x) * c, cosh(x.x) * s);
        const @ w = exp_times_%(fabs(x.x), c * 0.5f, s * 0.5f);
        return complex_@(x.x < 0 ? -w.x : w.x, w.y);""",
    "cosh": """
        if (x.y == 0) return complex_@(cosh(x.x), isnan(x.x) ? x.y : copysign((%)1, x.x) * x.y);
        if (!isfinite(x.y)) return complex_@(isinf(x.x) ? INF_% : NAN_%, x.x == 0 ? 0 : NAN_%);
        const % c = cos(x.y), s = sin(x.y);
        if (fabs(x.x) < LIMIT_OF_EXP_%) return complex_@(cosh(x.x) * c, sinh(x.x) * s);
        const @ w = exp_times_%(fabs(x.x), c * 0.5f, s * 0.5f);
        return complex_@(w.x, x.x < 0 ? -w.y : w.y);""",
    # the real part is sinh cosh / (sinh^2 + cos^2); it is 1 where e^-2|x| vanishes beside 1
    "tanh": """
        if (isinf(x.x)) {
            const % turn = isfinite(x.y) && fabs(x.y) > 1 ? sin(x.y) * cos(x.y) : x.y;
            return complex_@(copysign((%)1, x.x), copysign((%)0, turn));
        }
        if (x.y == 0) return complex_@(tanh(x.x), x.y);
        if (isnan(x.x) || !isfinite(x.y)) return complex_@(x.x == 0 ? x.x : NAN_%, NAN_%);
        const % c = cos(x.y), s = sin(x.y);
        if (fabs(x.x) > 22) {
            const % e = exp(-fabs(x.x));
            return complex_@(copysign((%)1, x.x), 4 * s * c * e * e);
        }
        const % h = sinh(x.x), length = h * h + c * c;
        return complex_@(h * cosh(x.x) / length, s * c / length);""",
    "sin": "const @ w = sinh_@(complex_@(x.y, x.x)); return complex_@(w.y, w.x);",
    "cos": "return cosh_@(complex_@(-x.y, x.x));",
    "tan": "const @ w = tanh_@(complex_@(x.y, x.x)); return complex_@(w.y, w.x);",
    "arcsin": """
        const @ w = arc_of_quadrant_%(fabs(x.x), fabs(x.y), 1);
        return complex_@(copysign(w.x, x.x), copysign(w.y, x.y));""",
    "arccos": """
        const @ w = arc_of_quadrant_%(fabs(x.x), fabs(x.y), 0);
        return complex_@(signbit(x.x) ? 2 * HALF_PI_% - w.x : w.x, copysign(w.y, signbit(x.y) ? (%)1 : (%)-1));""",
    "arctan": "const @ w = arctanh_@(complex_@(x.y, x.x)); return complex_@(w.y, w.x);",
    "arcsinh": "const @ w = arcsin_@(complex_@(x.y, x.x)); return complex_@(w.y, w.x);",
    "arccosh": "const @ w = arccos_@(x); return complex_@(fabs(w.y), copysign(w.x, x.y));",
    "arctanh": """
        const % re = fabs(x.x), im = fabs(x.y), far = 16 / EPSILON_%;
        if (isinf(re) || isinf(im)) return complex_@(copysign((%)0, x.x), isnan(im) ? im : copysign(HALF_PI_%, x.y));
        if (isnan(re) || isnan(im)) return complex_@(re == 0 ? x.x : NAN_%, NAN_%);
        if (re >= far || im >= far) {
            const % length = hypot(re * 0.5f, im * 0.5f);
            const % part = im <= 1 ? 1 / re : re <= 1 ? re / im / im : re / length / length * 0.25f;
            return complex_@(copysign(part, x.x), copysign(HALF_PI_%, x.y));
        }
        const % square = im >= EPSILON_% * EPSILON_% ? im * im : 0;
        const % part = re == 1 && square == 0 ? (LN2_% - log(im)) * 0.5f
                                              : log1p(4 * re / ((1 - re) * (1 - re) + square)) * 0.25f;
        const % below = re >= 0.75f || im >= 0.5f ? 0 - norm_less_one_%(re > im ? re : im, re > im ? im : re)
                                                  : (1 - re) * (1 + re) - square;
        return complex_@(copysign(part, x.x), atan2(2 * x.y, below) * 0.5f);""",
}
"""Bodies of functions of `x`."""

BINARY: Mapping[str, str] = {
    "power": """
        if (y.x == 0 && y.y == 0) return complex_@(1, 0);
        if (x.x == 0 && x.y == 0) return y.x > 0 ? complex_@(0, 0) : complex_@(NAN_%, NAN_%);
        if (y.y == 0 && fabs(y.x) < 100 && y.x == trunc(y.x)) return whole_power_@(x, (i32)y.x);
        return exp_@(product_@(y, log_@(x)));""",
    "plain_product": "return complex_@(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);",
    # infinite if an operand is, like C's multiplication
    "product": """
        if (!is_infinite_product_@(x, y)) return plain_product_@(x, y);
        const @ w = plain_product_@(direction_@(x), direction_@(y));
        return complex_@(w.x * INF_%, w.y * INF_%);""",
}
"""Bodies of functions of `x` and `y`."""

OTHERS: Mapping[str, str] = {
    "bool8 is_infinite_product_@(@ x, @ y)": """
        const @ z = plain_product_@(x, y);
        return isnan(z.x) && isnan(z.y) &&
               (isinf(x.x) || isinf(x.y) || isinf(y.x) || isinf(y.y) ||
                isinf(x.x * y.x) || isinf(x.y * y.y) || isinf(x.x * y.y) || isinf(x.y * y.x));""",
    "@ direction_@(@ x)": """
        if (isinf(x.x) || isinf(x.y))
            x = complex_@(copysign((%)(isinf(x.x) ? 1 : 0), x.x), copysign((%)(isinf(x.y) ? 1 : 0), x.y));
        return complex_@(isnan(x.x) ? copysign((%)0, x.x) : x.x, isnan(x.y) ? copysign((%)0, x.y) : x.y);""",
    "@ whole_power_@(@ x, i32 n)": """
        if (n == 1) return x;
        if (n == 2) return plain_product_@(x, x);
        if (n == 3) return plain_product_@(x, plain_product_@(x, x));
        @ power = complex_@(1, 0);
        for (u32 left = n < 0 ? -n : n; left != 0; left >>= 1) {
            if (left & 1) power = plain_product_@(power, x);
            x = plain_product_@(x, x);
        }
        return n < 0 ? divide_@(complex_@(1, 0), power) : power;""",
    # e^x c and e^x s, which may be in range even if e^x is not
    "@ exp_times_%(% x, % c, % s)": """
        const bool8 is_usual = fabs(x) < LIMIT_OF_EXP_%;
        const % e = exp(is_usual ? x : x * 0.5f), rest = is_usual ? 1 : e;
        return complex_@(e * c * rest, e * s * rest);""",
    "% rest_of_sum_%(% x, % y)": """
        const % sum = x + y, part = sum - x;
        return (x - (sum - part)) + (y - part);""",
    # for 1/2 < x < 2 and 0 <= y <= x, accurate where x^2 + y^2 - 1 cancels
    "% norm_less_one_%(% x, % y)": """
        const % xx = x * x, yy = y * y, less = xx - 1, sum = less + yy;
        const % xx_rest = fma(x, x, -xx), yy_rest = fma(y, y, -yy), rest = xx_rest + yy_rest;
        return sum + rest + (rest_of_sum_%(sum, rest) + rest_of_sum_%(xx, -1) + rest_of_sum_%(less, yy)
                             + rest_of_sum_%(xx_rest, yy_rest));""",
    "% log_of_size_%(% x, % y)": """
        const % large = x > y ? x : y, small = x > y ? y : x;
        if (large > 0.5f && large < 2 && small <= large) return log1p(norm_less_one_%(large, small)) * 0.5f;
        if (large > LARGEST_% * 0.25f) return log(hypot(x * 0.25f, y * 0.25f)) + 2 * LN2_%;
        if (large < TINIEST_% && large != 0) return log(hypot(x * 0x1p+54f, y * 0x1p+54f)) - 54 * LN2_%;
        return log(hypot(x, y));""",
    # arcsine or arccosine of x + iy, both parts non-negative
    "@ arc_of_quadrant_%(% x, % y, bool8 is_sine)": """
        const % least = sqrt(TINIEST_%) * 4, most = sqrt(LARGEST_%) * 0.125f, more = x + 1;
        if (isinf(x) || isinf(y)) return complex_@(is_sine ? atan2(x, y) : atan2(y, x), INF_%);
        if (isnan(x) || isnan(y)) return complex_@(x == 0 && is_sine ? 0 : x == 0 ? HALF_PI_% : NAN_%, NAN_%);
        if (x > most || y > most) {
            const % size = log_of_size_%(x, y) + LN2_%;
            return complex_@(is_sine ? atan2(x, y) : atan2(y, x), size);
        }
        if (y <= least) {
            if (x < 1 && y <= EPSILON_% * (1 - x))
                return complex_@(is_sine ? asin(x) : acos(x), y / sqrt((1 - x) * more));
            if (x > 1 && y <= EPSILON_% * (x - 1)) {
                const % root = sqrt((x - 1) * more);
                return complex_@(is_sine ? HALF_PI_% : y / root, log1p(x - 1 + root));
            }
            const % root = sqrt(y);
            return complex_@(is_sine ? HALF_PI_% - root : root, root);
        }
        const % r = hypot(more, y), s = hypot(x - 1, y), a = (r + s) * 0.5f, b = x / a, ax = a + x;
        % angle, length;
        if (b <= 0.6417f)
            angle = is_sine ? asin(b) : acos(b);
        else {
            const % t = x <= 1 ? sqrt(ax * 0.5f * (y * y / (r + more) + (s + (1 - x))))
                               : y * sqrt((ax / (r + more) + ax / (s + (x - 1))) * 0.5f);
            angle = is_sine ? atan(x / t) : atan(t / x);
        }
        if (a <= 1.5f) {
            const % rest = (y * y / (r + more) + (x < 1 ? y * y / (s + (1 - x)) : s + (x - 1))) * 0.5f;
            length = log1p(rest + sqrt(rest * (a + 1)));
        } else
            length = log(a + sqrt(a * a - 1));
        return complex_@(angle, length);""",
}
"""Bodies of others, by what stands before them."""

FLAGS: Mapping[str, str] = {
    # flags implied by a result z; a zero part has underflowed unless x has a zero part
    "u32 flags_of_function_@(@ x, @ z)": """
        const bool8 is_finite = isfinite(x.x) && isfinite(x.y), is_nan = isnan(x.x) || isnan(x.y);
        const bool8 is_part = x.x != 0 && x.y != 0;
        return (is_finite && (isinf(z.x) || isinf(z.y)) ? 2 : 0) |
               (is_finite && (is_tiny_%(z.x, is_part) || is_tiny_%(z.y, is_part)) ? 4 : 0) |
               (!is_nan && (isnan(z.x) || isnan(z.y)) ? 8 : 0);""",
    "bool8 is_tiny_%(% x, bool8 may_be_zero)": "return fabs(x) < TINIEST_% && (x != 0 || may_be_zero);",
    "u32 flags_of_sign_@(@ x)": """
        const % size = hypot(x.x, x.y);
        if (isinf(size)) return isinf(x.x) || isinf(x.y) ? 0 : 2;
        return size == 0 ? 0 : flags_of_quotient_%(x.x, size) | flags_of_quotient_%(x.y, size);""",
    "u32 flags_of_power_@(@ x, @ y)": """
        if (y.x == 0 && y.y == 0) return 0;
        if (x.x == 0 && x.y == 0) return y.x > 0 ? 0 : 8;
        const @ z = power_@(x, y);
        if (y.y == 0 && fabs(y.x) < 100 && y.x == trunc(y.x))
            return flags_of_function_@(x, z) | (y.x < 0 && isnan(z.x) ? 8 : 0);
        const @ l = log_@(x), w = product_@(y, l);
        const u32 made = flags_of_product_%(y.x, l.x) | flags_of_product_%(y.y, l.y) | flags_of_product_%(y.x, l.y) |
                         flags_of_product_%(y.y, l.x) | flags_of_sum_%(y.x * l.x, -(y.y * l.y)) |
                         flags_of_sum_%(y.x * l.y, y.y * l.x);
        const bool8 is_nan = isnan(z.x) && isnan(z.y) && !(isnan(w.x) && isnan(w.y));
        const bool8 is_zero_of_infinite = is_infinite_product_@(y, l) && (isnan(w.x) || isnan(w.y));
        const bool8 is_no_number = isnan(y.x) && y.y == 0;
        return flags_of_function_@(w, z) | (made & 10u) | (is_nan || is_zero_of_infinite || is_no_number ? 8 : 0);""",
}
"""Bodies of functions that find status flags, as bits."""
