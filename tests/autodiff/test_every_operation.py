"""Every operation of the table has a right derivative, rejects differentiation, or has none."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr.ops.table import TABLE
from support.example_lines.derivatives import EXCEPT, OF_NO_FLOATS, WITHOUT, all_lines
from support.example_lines.products_and_methods import KEYS
from support.finite_differences import Line

LINES = all_lines()
EXCEPTED = {line for listed in EXCEPT.values() for line in listed}
ROWS = {name for name, op in TABLE.items() if not isinstance(op.function, np.ufunc)}
# Only in some versions of NumPy, or deprecated.
SOME_VERSIONS = {"row_stack"}


@pytest.mark.parametrize("name", sorted(ROWS | LINES.keys()))
def test_lines(name):
    outcomes = {line: Line(line).outcome() for line in dict.fromkeys(LINES.get(name, []))}
    wrong = {line: found for line, found in outcomes.items()
             if found not in ("right", "none") and line not in EXCEPTED
             and not (name in WITHOUT and found.startswith("refused"))}
    assert wrong == {}
    known = set(outcomes.values())
    if name in WITHOUT:
        assert known - {"none", "right"}, "nothing refuses"
    elif name in OF_NO_FLOATS:
        assert known <= {"none"}
    elif name in ROWS:
        assert "right" in known, "no line shows its derivative"


@pytest.mark.parametrize("line", sorted(EXCEPTED))
def test_exceptions_are_needed(line):
    assert Line(line).outcome() != "right"


def test_lists_name_operations():
    assert WITHOUT | OF_NO_FLOATS <= ROWS | SOME_VERSIONS
    assert not WITHOUT & OF_NO_FLOATS
    assert {line for listed in LINES.values() for line in listed} >= EXCEPTED


@pytest.mark.parametrize("key", KEYS)
def test_keys(key):
    for line in (f"m[{key}]", *[f"r = m.copy(); r[{key}] = {value}" for value in
                                ("v[0]", "m[0, 0] * 2", f"m[{key}]", f"m[{key}] * m[{key}]")]):
        found = Line(line).outcome()
        assert found in ("right", "none") or (key in ("True", "False") and found.startswith("refused")), line


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_refusals_name_what_refuses(name):
    refused = [found for found in (Line(line).outcome(False) for line in LINES[name]) if found.startswith("refused")]
    assert all(name[:9] in found for found in refused), refused


@pytest.mark.parametrize("dtype", ["float32", "complex64", "longdouble"])
@pytest.mark.parametrize("line", [
    "np.fft.fft(m)", "np.linalg.svd(m, full_matrices=False)[1]", "np.linalg.pinv(m)", "np.cumprod(m, 1)",
    "np.sort(m)", "np.einsum('ij,ik,il->jkl', m, m, m)", "np.convolve(m[0], m[1])", "np.median(m, 0)",
    "np.pad(m, 1, 'mean')", "r = m.copy(); r[[0, 0]] = m[1:]", "np.interp(m, [0, .5, 1], m[0, :3])",
    "np.linalg.qr(m)[1]", "np.linalg.norm(m, 'nuc')", "m.var(0)", "np.linalg.solve(m[:, :3], m)",
])
def test_gradients_have_the_dtype_of_their_arguments(line, dtype):
    known = Line(line)
    m, = known.arrays
    if (dtype == "longdouble" and "linalg" in line) or (dtype != "float32" and "interp" in line):
        return  # NumPy has none
    with np.errstate(all="ignore"):
        found, pull = la.vjp(known.with_lazyarr, la.array(m, dtype))
        gradient, = pull([np.ones(x.shape, x.dtype) for x in found])
        _, expected = la.vjp(known.with_lazyarr, la.array(m))
        expected, = expected([np.ones(x.shape) for x in found])
    assert gradient.dtype == dtype
    np.testing.assert_allclose(np.asarray(gradient), expected, rtol=2e-3, atol=2e-3)


def test_draws_refuse():
    for draw in (lambda x: la.random.default_rng(0).normal(x), lambda x: la.random.normal(x * 2),
                 lambda x: la.random.default_rng(0).normal(x * 2, size=(5000, 3))):
        with pytest.raises(la.NotDifferentiable, match="normal"):
            la.grad(lambda x, draw=draw: draw(x).sum())(la.ones(3))
