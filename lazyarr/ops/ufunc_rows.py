"""The rows of ufuncs: everything known about an elementwise operation, one row each.

    _row("minimum", 0.2, "cheap extremum ...", neutral=inf, derivative=(of x, of y), fold="extremum", combined_by=...)

The number is the cost: nanoseconds per element on one core with operands in cache, a compromise where float32 and
float64, or processors with and without 512-bit vectors, differ. Costs decide whether to use threads; `python -m lazyarr
tune` measures them. `integers` is the cost for integers, if different, and `svml` the cost with Intel's vector library,
which NumPy uses on Linux on processors with 512-bit vectors.

A derivative is an expression per operand for that operand's cotangent: `g` is the cotangent of the result `out`, and
`x`, `y`, `z` are the operands. Functions are NumPy's ufuncs, `where` selects, and `0` is a derivative that is zero
wherever it exists. `derivatives` compiles them at the first differentiation. They are complex derivatives, without
conjugation; `of_complex` replaces them where the function is not holomorphic.
"""
import functools
import math
import operator
import sys

import numpy as np

from lazyarr._core.ir import inner_loops
from lazyarr._core.ir.own_ufuncs import OWN, ufunc_named
from lazyarr.ops.table import NATIVE, OPAQUE, Op, add, find

UFUNCS: dict[str, Op] = {}
"""The rows by the ufuncs' names, those included that NumPy keeps to itself or SciPy has."""

_LN2, _LN10, _PI = math.log(2), math.log(10), math.pi
_HAS_SVML = sys.platform == "linux" and \
    np._core._multiarray_umath.__cpu_features__.get("AVX512_SKX")  # type: ignore[attr-defined]  # private


def _row(name, cost=None, traits="", *, svml=None, **meaning):
    """Declare the row of a ufunc; if NumPy or lazyarr has it, add it to the table and to the core."""
    cost = svml if svml is not None and _HAS_SVML else cost
    ufunc = None if cost is None else ufunc_named(name)
    kind = OPAQUE if ufunc is not None and ufunc.signature else NATIVE
    owner = "NumPy" if hasattr(np, name) else "lazyarr" if name in OWN else "SciPy"
    op = UFUNCS[name] = Op(name, ufunc, () if ufunc is None else (ufunc,), kind, cost, f"{owner}'s ufunc {name}.",
                           frozenset(traits.split()), **meaning)
    if ufunc is not None:
        add(op)
        inner_loops.set_row(ufunc, cost, op.integers, op.traits, op.start, op.operator)


# ---- arithmetic ----------------------------------------------------------------------------------------

_row("positive", 0.3, "exact quiet", operator=operator.pos, derivative=("g",))
_row("negative", 0.1, "cheap exact quiet", operator=operator.neg, derivative=("-g",))
_row("add", 0.2, "cheap arithmetic affine commutative sum quiet_of_integers", operator=operator.add, neutral=0,
     start="fc", derivative=("g", "g"), fold="sum", combined_by="add")
_row("subtract", 0.2, "cheap arithmetic affine quiet_of_integers", operator=operator.sub, neutral=0,
     derivative=("g", "-g"), combined_by="add")
_row("multiply", 0.2, "cheap arithmetic affine commutative product quiet_of_integers", operator=operator.mul, neutral=1,
     start="c", derivative=("g * y", "g * x"), fold="product", combined_by="multiply")
_row("fma", 0.3, "cheap exact", derivative=("g * y", "g * x", "g"))
_row("divide", 0.3, "arithmetic", operator=operator.truediv, neutral=1, derivative=("g / y", "-g * out / y"),
     combined_by="multiply")
_row("reciprocal", 0.3, "exact", derivative=("-g * out * out",))
_row("square", 0.2, "cheap arithmetic quiet_of_integers", derivative=("g * (2 * x)",))
_row("sqrt", 0.3, "exact", derivative=("g / (2 * out)",))
_row("cbrt", 5.0, svml=0.3, derivative=("g / (3 * out * out)",))
_row("power", 10.0, "raises", svml=0.6, integers=1.0, operator=operator.pow, neutral=1,
     derivative=("g * (y * power(where(y == 0, where(absolute(x) > 0, x, 1), x), y - 1))",
                 "g * (out * log(where(x == 0, 1, x)))"))
_row("float_power", 10.0, neutral=1,
     derivative=("g * (y * float_power(where(y == 0, where(absolute(x) > 0, x, 1), x), y - 1))",
                 "g * (out * log(where(x == 0, 1, x)))"))
_row("floor_divide", 15.0, integers=1.0, operator=operator.floordiv, derivative=("0", "0"))
_row("remainder", 8.0, "by_divmod", integers=1.0, operator=operator.mod, derivative=("g", "-g * floor_divide(x, y)"))
_row("divmod", 15.0, integers=1.0, operator=divmod, derivative={1: ("g", "-g * floor_divide(x, y)"), 0: ("0", "0")})
_row("fmod", 15.0, integers=1.0, derivative=("g", "-g * trunc(x / y)"))
_row("modf", 2.0, derivative={0: ("g",), 1: ("0",)})
_row("frexp", 0.3, derivative={0: ("g * where(x == 0, 1, out / x)",)})
_row("ldexp", 0.3, derivative=("ldexp(g, y)", "0"))
_row("hypot", 8.0, neutral=0, start="f", fold="norm", combined_by="hypot",
     derivative=("g * where(out == 0, 0, x / where(out == 0, 1, out))",
                 "g * where(out == 0, 0, y / where(out == 0, 1, out))"))
_row("gcd", 15.0, "quiet_of_integers", start="i")
_row("lcm", 15.0)
_row("absolute", 0.1, "cheap exact quiet", operator=operator.abs, derivative=("g * sign(x)",),
     of_complex=("g * conjugate(sign(x))",))
_row("fabs", 1.0, "exact quiet", derivative=("g * sign(x)",))
_row("copysign", 0.5, "exact quiet", derivative=("g * (sign(x) * copysign(1.0, y))", "0"))
_row("conjugate", 0.3, "exact quiet", derivative=("conjugate(g)",))
_row("nextafter", 5.0, "not_differentiable")
_row("spacing", 5.0, "not_differentiable")

# ---- steps, flat on both sides -------------------------------------------------------------------------

_row("sign", 0.5, "exact quiet", derivative=("0",),
     of_complex=("where(out == 0, 0, g - conjugate(g * out * out)) / where(x == 0, 1, 2 * absolute(x))",))
_row("floor", 0.1, "exact rounding", derivative=("0",))
_row("ceil", 0.1, "exact rounding", derivative=("0",))
_row("trunc", 0.1, "exact rounding", derivative=("0",))
_row("rint", 0.1, "exact rounding", derivative=("0",))
_row("heaviside", 2.0, derivative=("0", "where(x == 0, g, 0)"))

# ---- selections; ties share the cotangent equally -------------------------------------------------------

_extremum = functools.partial(
    _row, fold="extremum",
    derivative=("where(x == y, g / 2, where(x == out, g, 0))", "where(x == y, g / 2, where(y == out, g, 0))"))
_extremum("maximum", 0.2, "cheap commutative extremum idempotent largest warns_of_third quiet_of_integers",
          neutral=-np.inf, combined_by="maximum")
_extremum("minimum", 0.2, "cheap commutative extremum idempotent warns_of_third quiet_of_integers", neutral=np.inf,
          combined_by="minimum")
_extremum("fmax", 0.2, "commutative extremum idempotent largest skips_nan quiet_of_integers", neutral=-np.inf,
          combined_by="fmax")
_extremum("fmin", 0.2, "commutative extremum idempotent skips_nan quiet_of_integers", neutral=np.inf,
          combined_by="fmin")
_row("clip", derivative=("where(x == out, where(y > z, 0, g), 0)", "where(x < y, where(y == out, g, 0), 0)",
                         "where(maximum(x, y) > z, g, 0)"))

# ---- exponentials and logarithms -----------------------------------------------------------------------

_row("exp", 2.0, svml=0.3, derivative=("g * out",), inverse=("log", -1.0))
_row("log", 2.0, svml=0.3, derivative=("g / x",), inverse=("exp", 1e4))
_row("exp2", 2.0, svml=0.3, derivative=(f"g * (out * {_LN2!r})",), inverse=("log2", -1.0))
_row("log2", 2.0, svml=0.3, derivative=(f"g / (x * {_LN2!r})",), inverse=("exp2", 1e4))
_row("expm1", 5.0, svml=0.3, derivative=("g * (out + 1)",), inverse=("log1p", -2.0))
_row("log1p", 5.0, svml=0.3, derivative=("g / (x + 1)",), inverse=("expm1", 1e4))
_row("log10", 5.0, svml=0.3, derivative=(f"g / (x * {_LN10!r})",))
_row("logaddexp", 20.0, neutral=-np.inf, start="f", fold="softmax", combined_by="logaddexp",
     derivative=("g * where(isinf(out), where(x == y, 0.5, where(x == out, 1, 0)), exp(x - out))",
                 "g * where(isinf(out), where(x == y, 0.5, where(y == out, 1, 0)), exp(y - out))"))
_row("logaddexp2", 20.0, neutral=-np.inf, start="f", fold="softmax of powers of 2", combined_by="logaddexp2",
     derivative=("g * where(isinf(out), where(x == y, 0.5, where(x == out, 1, 0)), exp2(x - out))",
                 "g * where(isinf(out), where(x == y, 0.5, where(y == out, 1, 0)), exp2(y - out))"))

# ---- angles --------------------------------------------------------------------------------------------

_row("sin", 3.0, svml=0.3, derivative=("g * cos(x)",))
_row("cos", 3.0, svml=0.3, derivative=("-g * sin(x)",))
_row("tan", 5.0, svml=0.3, derivative=("g * (out * out + 1)",))
_row("arcsin", 5.0, svml=0.3, derivative=("g / sqrt(1 - x * x)",))
_row("arccos", 5.0, svml=0.3, derivative=("-g / sqrt(1 - x * x)",))
_row("arctan", 5.0, svml=0.3, derivative=("g / (x * x + 1)",))
_row("arctan2", 10.0, svml=0.6, derivative=("g * (y / (x * x + y * y))", "-g * (x / (x * x + y * y))"))
_row("sinh", 5.0, svml=0.3, derivative=("g * cosh(x)",))
_row("cosh", 5.0, svml=0.3, derivative=("g * sinh(x)",))
_row("tanh", 3.0, svml=0.3, derivative=("g * (1 - out * out)",))
_row("arcsinh", 5.0, svml=0.3, derivative=("g / sqrt(x * x + 1)",))
_row("arccosh", 5.0, svml=0.3, derivative=("g / (sqrt(x - 1) * sqrt(x + 1))",))
_row("arctanh", 5.0, svml=0.3, derivative=("g / (1 - x * x)",))
_row("degrees", 1.0, derivative=(f"g * {180 / _PI!r}",))
_row("rad2deg", 1.0, derivative=(f"g * {180 / _PI!r}",))
_row("radians", 1.0, derivative=(f"g * {_PI / 180!r}",))
_row("deg2rad", 1.0, derivative=(f"g * {_PI / 180!r}",))

# ---- comparisons and predicates ------------------------------------------------------------------------

_row("equal", 0.1, "cheap commutative exact quiet", operator=operator.eq, opposite="not_equal")
_row("not_equal", 0.1, "cheap commutative exact quiet", operator=operator.ne, opposite="equal")
_row("less", 0.1, "cheap exact ordering quiet", operator=operator.lt, opposite="greater_equal")
_row("less_equal", 0.1, "cheap exact ordering quiet", operator=operator.le, opposite="greater")
_row("greater", 0.1, "cheap exact ordering quiet", operator=operator.gt, opposite="less_equal")
_row("greater_equal", 0.1, "cheap exact ordering quiet", operator=operator.ge, opposite="less")
_row("isnan", 0.1, "cheap exact quiet")
_row("isinf", 0.1, "cheap exact quiet")
_row("isfinite", 0.1, "cheap exact quiet")
_row("signbit", 0.1, "cheap exact quiet")
_row("isnat", 0.3)

# ---- bits and truth values -----------------------------------------------------------------------------

_row("bitwise_and", 0.2, "bits cheap commutative idempotent quiet_of_integers", operator=operator.and_)
_row("bitwise_or", 0.2, "bits cheap commutative idempotent quiet_of_integers", operator=operator.or_)
_row("bitwise_xor", 0.2, "bits cheap commutative quiet_of_integers", operator=operator.xor)
_row("invert", 0.1, "bits cheap complement quiet_of_integers", operator=operator.invert)
_row("left_shift", 0.2, "quiet_of_integers", operator=operator.lshift)
_row("right_shift", 0.2, "quiet_of_integers", operator=operator.rshift)
_row("bitwise_count", 0.5, "quiet_of_integers")
_row("logical_and", 1.0, "commutative exact idempotent truth quiet_of_integers")
_row("logical_or", 1.0, "commutative exact idempotent truth quiet_of_integers")
_row("logical_xor", 1.0, "commutative exact truth quiet_of_integers")
_row("logical_not", 0.5, "cheap complement exact truth quiet_of_integers")

# ---- matrix products: cost per multiplication and addition ----------------------------------------------

_row("matmul", 0.5, "matrix_product", operator=operator.matmul)
_row("vecdot", 0.5)
_row("matvec", 0.5)
_row("vecmat", 0.5)

# ---- of scipy.special ----------------------------------------------------------------------------------

_row("erf", derivative=(f"g * (exp(-x * x) * {2 / math.sqrt(_PI)!r})",))
_row("erfc", derivative=(f"-g * (exp(-x * x) * {2 / math.sqrt(_PI)!r})",))
_row("expit", derivative=("g * (out * (1 - out))",))


for _ufunc in dict.fromkeys(obj for obj in vars(np).values() if isinstance(obj, np.ufunc)):
    if _ufunc.__name__ not in UFUNCS:  # of a newer NumPy
        _row(_ufunc.__name__, 1.0)


def combining(ufunc):
    """Return the ufunc that combines all operands after the first, or None."""
    by = find(ufunc).combined_by
    return None if by is None else UFUNCS[by].function


def has_trait(ufunc, trait):
    """Return whether the row of a ufunc has a trait.

    Examples
    --------
    >>> has_trait(np.fmax, "extremum")
    True
    """
    op = find(ufunc)
    return op is not None and trait in op.traits
