"""Derivatives of elementwise operations, row by row: against finite differences, forward against reverse, twice."""

import warnings

import numpy as np
import pytest
import scipy.special

import lazyarr as la
from lazyarr._core.ir.own_ufuncs import OWN
from lazyarr.ops.ufunc_rows import UFUNCS as ROWS
from support.finite_differences import check, numerical

UFUNCS = {ufunc.__name__: ufunc for ufunc in vars(np).values() if isinstance(ufunc, np.ufunc)} | OWN
UFUNCS |= {name: getattr(scipy.special, name) for name in ("erf", "erfc", "expit")}
# Where functions are real and smooth, if not between 0.2 and 0.9.
DOMAINS = {"arccosh": (1.2, 3), "sin": (-3, 3), "cos": (-3, 3), "tan": (-1, 1), "log": (0.2, 5), "sign": (-2, 2),
           "tanh": (-2, 2), "arctan": (-3, 3), "absolute": (0.5, 2), "exp": (-1, 1)}


def lazily(name):
    """What users call: the ufunc of lazyarr's namespace, or another library's own."""
    return getattr(la, name) if hasattr(np, name) or name in OWN else UFUNCS[name]


def operands(name, nin, shape=(3, 4)):
    rng = np.random.default_rng(len(name))
    low, high = DOMAINS.get(name, (0.2, 0.9))
    made = [rng.uniform(low, high, shape) for _ in range(nin)]
    if name in ("remainder", "fmod", "divmod", "floor_divide"):  # away from the steps
        made[0] = made[1] * (rng.integers(1, 5, shape) + rng.uniform(0.3, 0.7, shape))
    if name == "clip":
        made = [rng.uniform(-1, 1, shape), np.full(shape, -0.51), np.full(shape, 0.52)]
    return made


def second(f, weights):
    """How f changes along the weights, as a function with derivatives of its own."""
    def derivative(*arrays):
        return sum((g * w).sum() for g, w in zip(la.vjp(f, *arrays)[1](weights[-1]), weights, strict=False))

    return derivative


SINGLE = sorted(name for name, op in ROWS.items()
                if isinstance(op.derivative, tuple) and name not in ("clip", "ldexp"))


@pytest.mark.parametrize("name", SINGLE)
def test_against_differences(name):
    ufunc = UFUNCS[name]
    arrays = operands(name, ufunc.nin)
    check(lazily(name), arrays, ufunc)
    if ufunc.nin == 2:  # broadcast both ways
        check(lazily(name), [arrays[0], arrays[1][:1]], ufunc)
        check(lazily(name), [arrays[0][:, :1], arrays[1]], ufunc)
        check(lazily(name), [arrays[0][0, 0], arrays[1]], ufunc)


@pytest.mark.parametrize("name", SINGLE)
def test_second_order(name):
    ufunc = UFUNCS[name]
    arrays = operands(name, ufunc.nin)
    weights = [np.random.default_rng(1).standard_normal(x.shape) for x in (*arrays, arrays[0])]
    first = second(lazily(name), weights)
    gradients = la.grad(first, tuple(range(len(arrays))))(*[la.asarray(x) for x in arrays])
    directions = [np.random.default_rng(2).standard_normal(x.shape) for x in arrays]
    along = sum(float((np.asarray(g) * d).sum()) for g, d in zip(gradients, directions, strict=True))
    expected = numerical(lambda *a: float(first(*[la.asarray(x) for x in a])), arrays, directions)
    np.testing.assert_allclose(along, expected, rtol=1e-4, atol=1e-4)


def test_those_with_several_operands_or_results():
    x, low, high = operands("clip", 3)
    check(la.clip, [x, low, high], np.clip)
    check(lambda x: la.ldexp(x, 3), [x], lambda x: np.ldexp(x, 3))
    check(lambda x: la.modf(x * 3)[0], [x], lambda x: np.modf(x * 3)[0])
    check(lambda x: la.frexp(x * 3)[0] * x, [x], lambda x: np.frexp(x * 3)[0] * x)
    assert la.grad(la.grad(lambda x: la.frexp(x)[0] * x))(3.0) == 0.5
    check(lambda x, y: la.divmod(x, y)[1], operands("divmod", 2), lambda x, y: np.divmod(x, y)[1])
    check(lambda c, x: la.where(c > 0.5, x * 2, x * x), operands("add", 2),
          lambda c, x: np.where(c > 0.5, x * 2, x * x))


@pytest.mark.parametrize("name", sorted({name for name, u in UFUNCS.items() if not u.signature} - {"clip", "ldexp"}))
def test_every_ufunc_has_a_row_or_says_that_it_has_none(name):
    ufunc = UFUNCS[name]
    rows, states_none = ROWS[name].derivative is not None, "not_differentiable" in ROWS[name].traits
    floats = [t for t in ufunc.types if set(t.split("->")[0]) <= set("d") and set(t.split("->")[1]) & set("d")]
    assert rows != states_none or not floats
    if states_none:
        arguments = [la.ones(3)] * ufunc.nin
        with pytest.raises(la.NotDifferentiable, match=name):
            la.grad(lambda x: (getattr(la, name)(x, *arguments[1:])[0] if ufunc.nout > 1 else
                               getattr(la, name)(x, *arguments[1:])).sum())(arguments[0])


def test_a_branch_not_taken_gives_no_nan():
    x = la.array([-1.0, 0.0, 4.0])
    with np.errstate(all="ignore"):
        g = la.grad(lambda x: la.where(x > 0, la.sqrt(la.where(x > 0, x, 1)), 0).sum())(x).numpy()
        np.testing.assert_array_equal(g, [0, 0, 0.25])
        masked = la.grad(lambda x: la.sqrt(x, where=x > 0, out=la.zeros(3)).sum())(x).numpy()
    np.testing.assert_array_equal(masked, [0, 0, 0.25])


def test_known_value():
    def f(x, y):
        return ((x * la.sin(x + x) + la.sqrt(x) / 7) * la.maximum(y, 0)).sum()

    assert abs(float(la.grad(f, 1)(la.ones((2, 2)), 2.0)) - 4.20861827873129801) < 1e-15


@pytest.mark.parametrize("f, derivative", [
    (lambda z: z * z * z, lambda z: 3 * z * z), (la.exp, np.exp), (la.sin, np.cos),
    (lambda z: 1 / z, lambda z: -1 / z**2), (la.sqrt, lambda z: 0.5 / np.sqrt(z)), (la.log, lambda z: 1 / z),
    (lambda z: z ** 2.5, lambda z: 2.5 * z ** 1.5),
])
def test_functions_with_complex_derivatives(f, derivative):
    z = np.array([1 + 2j, 0.5 - 1j, 2 + 0.1j])
    _, pull = la.vjp(f, la.asarray(z))
    np.testing.assert_allclose(pull(np.ones(3, complex))[0], derivative(z), rtol=1e-12)


def test_real_functions_of_complex_numbers_in_jax_s_convention():
    z = np.array([3 + 4j, -1 + 1j])
    gradient = la.grad(lambda z: la.absolute(z).sum())(la.asarray(z)).numpy()
    np.testing.assert_allclose(gradient, np.conj(z) / abs(z))
    gradient = la.grad(lambda z: (z.real ** 2 + 3 * z.imag).sum())(la.asarray(z)).numpy()
    np.testing.assert_allclose(gradient, 2 * z.real - 3j)
    gradient = la.grad(lambda z: (z * la.conj(z)).real.sum())(la.asarray(z)).numpy()
    np.testing.assert_allclose(gradient, 2 * np.conj(z))


def test_the_sign_of_complex_numbers():
    z = np.array([3 + 4j, -1 + 1j, 0.5 - 2j])
    weights = np.array([1 - 2j, 3 + 1j, -1j])
    for f in (lambda z: (np.sign(z) * weights).real.sum(), lambda z: np.absolute(np.sign(z) - 0.3).sum()):
        g = np.asarray(la.grad(f)(la.asarray(z)))
        for k, step in np.ndindex(3, 2):
            d = np.zeros(3, complex)
            d[k] = 1e-6 * (1, 1j)[step]
            slope = (np.asarray(f(la.asarray(z + d))) - np.asarray(f(la.asarray(z - d)))) / 2e-6
            assert abs((g[k] * (1, 1j)[step]).real - slope) < 1e-8
    np.testing.assert_array_equal(la.grad(lambda z: np.sign(z).real.sum())(la.asarray([0j, 2 + 0j])), [0, 0])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
def test_absolute_values_are_flat_in_second_order(dtype):
    x = la.asarray(np.array([-2.0, -0.0, 0.0, 3.0], dtype))
    gradient = la.grad(lambda x: abs(x).sum())(x)
    assert gradient.dtype == dtype
    np.testing.assert_array_equal(gradient, [-1, 0, 0, 1])
    np.testing.assert_array_equal(la.hessian(lambda x: abs(x).sum())(x), np.zeros((4, 4)))


@pytest.mark.parametrize("to", ["f2", "f4", "f8", "g", "F", "D"])
@pytest.mark.parametrize("of", ["f2", "f4", "f8", "g", "F", "D"])
def test_derivatives_through_casts(of, to):
    x = la.asarray(np.array([0.5, -1.5, 2.0], of))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        _, pull = la.vjp(lambda x: (x * x).astype(to), x)
        made = pull(np.array([1, 2, 3], to))[0]
    assert made.dtype == of
    np.testing.assert_array_equal(made, np.array([1, -6, 12], of))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
def test_bessel_functions_of_all_floats(dtype):
    x = la.asarray(np.array([-1.5, 0.0, 0.5], dtype))
    made = la.grad(lambda x: np.i0(x).sum())(x)
    assert made.dtype == dtype
    tolerance = 1e-3 if dtype == "f2" else 1e-6
    np.testing.assert_allclose(made.astype(float), scipy.special.i1([-1.5, 0, 0.5]), rtol=tolerance)
