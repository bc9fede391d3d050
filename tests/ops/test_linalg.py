"""Linear algebra: LAPACK's results, deferred, for batches and dtypes of every kind."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr._core import api as core
from support.lazy_helpers import compile_line, pending
from support.numpy_comparison import difference

DTYPES = ["float64", "float32", "complex128", "complex64", "int64", "bool", "float16", ">f8", "object"]
CALLS = {
    "inv": lambda np, a, b: np.linalg.inv(a),
    "solve": lambda np, a, b: np.linalg.solve(a, b),
    "solve for a vector": lambda np, a, b: np.linalg.solve(a, b[(0,) * (b.ndim - 1)] if b.size else b),
    "det": lambda np, a, b: np.linalg.det(a),
    "slogdet": lambda np, a, b: np.linalg.slogdet(a),
    "svd": lambda np, a, b: np.linalg.svd(a),
    "svd, reduced": lambda np, a, b: np.linalg.svd(a, full_matrices=False),
    "svd, Hermitian": lambda np, a, b: np.linalg.svd(a, hermitian=True),
    "svdvals": lambda np, a, b: np.linalg.svdvals(a),
    "eigh": lambda np, a, b: np.linalg.eigh(a, "U"),
    "eigvalsh": lambda np, a, b: np.linalg.eigvalsh(a),
    "eig": lambda np, a, b: np.linalg.eig(a),
    "eigvals": lambda np, a, b: np.linalg.eigvals(a),
    "qr": lambda np, a, b: np.linalg.qr(a),
    "qr, complete": lambda np, a, b: np.linalg.qr(a, mode="complete"),
    "qr, raw": lambda np, a, b: np.linalg.qr(a, mode="raw"),
    "qr, R": lambda np, a, b: np.linalg.qr(a, mode="r"),
    "cholesky": lambda np, a, b: np.linalg.cholesky(a @ a.swapaxes(-1, -2).conj(), upper=True),
    "lstsq": lambda np, a, b: np.linalg.lstsq(a, b),
    "pinv": lambda np, a, b: np.linalg.pinv(a),
    "cond": lambda np, a, b: np.linalg.cond(a, 1),
    "matrix_rank": lambda np, a, b: np.linalg.matrix_rank(a),
    "matrix_power": lambda np, a, b: np.linalg.matrix_power(a, 3),
    "matrix_power, negative": lambda np, a, b: np.linalg.matrix_power(a, -1),
    "multi_dot": lambda np, a, b: np.linalg.multi_dot([a, b, b.T]),
    "tensorinv": lambda np, a, b: np.linalg.tensorinv(a, 1),
    "tensorsolve": lambda np, a, b: np.linalg.tensorsolve(a, b),
    "spectral norm": lambda np, a, b: np.linalg.norm(a, 2, axis=(-2, -1)),
    "nuclear norm": lambda np, a, b: np.linalg.matrix_norm(a, ord="nuc"),
}
# What looks at values: see the head of lazyarr/ops/linalg.py.
LOOKS = {"eig", "eigvals", "lstsq"}


@st.composite
def systems(draw):
    """Two stacks of matrices that belong together more often than not."""
    n = draw(st.integers(0, 4))
    m = draw(st.one_of(st.just(n), st.integers(0, 4)))
    stack = draw(st.sampled_from([(), (), (3,), (2, 1), (0,)]))
    other = draw(st.sampled_from([stack, stack, (), (2,)]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))

    def matrix(*shape):
        x = 4 * rng.standard_normal(shape)
        if draw(st.booleans()):
            x = np.moveaxis(np.moveaxis(x, -1, 0).copy(), 0, -1)
        return (x + 1j * rng.standard_normal(shape) if dtype.kind == "c" else x).astype(dtype)

    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    a, b = matrix(*stack, m, n), matrix(*other, m, draw(st.integers(0, 3)))
    return (a[..., 0] if draw(st.integers(0, 9)) == 0 and n else a), b


def outcome(call, *operands):
    """Return what a call gives or raises, at once or when its results are looked at."""
    try:
        result = call(*operands)
        for part in result if isinstance(result, tuple) else (result,):
            np.asarray(part)
    except Exception as error:
        return error
    return result


@pytest.mark.parametrize("name", CALLS)
@given(operands=systems())
def test_results_and_errors_are_numpys(name, operands):
    call = CALLS[name]
    a, b = operands
    lazy_a, lazy_b = [pending(x) if x.dtype.kind in "biufc" and x.dtype.isnative else la.array(x) for x in operands]
    looks = name in LOOKS or not core.is_pending(lazy_a) or (name == "matrix_rank" and a.ndim < 2)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = outcome(lambda: call(np, a, b))
        if isinstance(want, Exception) or looks:
            got = outcome(lambda: call(la, lazy_a, lazy_b))
        else:
            with la.no_evaluation():
                got = call(la, lazy_a, lazy_b)
        problem = difference(want, got, near=True)
    assert problem is None, problem


MISTAKES = [
    "inv(m)", "inv(v)", "det(m)", "slogdet(m)", "solve(sq, v)", "solve(m, m)", "solve(sq, m)", "eigh(m)",
    "eigh(sq, 'X')", "eigvalsh(m)", "eig(m)", "cholesky(m)", "cholesky(v)", "svd(v)", "svdvals(v)", "qr(v)",
    "qr(sq, 'zz')", "cond(v)", "cond(m, 1)", "cond(sq, 'zz')", "cond(sq[:0])", "lstsq(m, v)", "pinv(v)",
    "matrix_power(m, 2)", "matrix_power(sq, 1.5)", "multi_dot([m])", "multi_dot([m, m])", "multi_dot([m, m.T, m.T])",
    "tensorinv(sq, 0)", "tensorsolve(m, v)", "norm(t, 2)", "inv(sq.astype('f2'))", "svd(sq.astype('longdouble'))",
    "inv(sq, 1)", "qr(sq, md=1)",
]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_of_form_are_raised_at_the_call(mistake):
    arrays = {"m": np.ones((3, 4)), "v": np.ones(7), "sq": np.eye(4), "t": np.ones((2, 3, 4))}
    want = outcome(lambda: eval(f"np.linalg.{mistake}", {"np": np, **arrays}))
    assert isinstance(want, Exception)
    lazy = {name: pending(x) for name, x in arrays.items()}
    with pytest.raises(type(want)) as got:
        eval(f"np.linalg.{mistake}", {"np": la, **lazy})
    assert str(got.value) == str(want)


@pytest.mark.parametrize("line, message", [
    ("np.linalg.inv(x)", "Singular matrix"), ("np.linalg.solve(x, x)", "Singular matrix"),
    ("np.linalg.cholesky(x)", "Matrix is not positive definite"), ("np.linalg.matrix_power(x, -2)", "Singular matrix"),
    ("np.linalg.svd(x / x).S", "SVD did not converge"), ("np.linalg.eigh(x / x)[1]", "Eigenvalues did not converge"),
])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_the_values_tell_is_raised_by_the_evaluation(line, message):
    x = pending(np.zeros((3, 3)))
    y = compile_line(f"y = {line}", x=x, np=la)["y"]
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError, match=message) as error:
            y.numpy()
        assert "created at user_script.py:3" in error.value.__notes__[0]
    np.testing.assert_array_equal(x, np.zeros((3, 3)))


def test_several_results_come_from_one_call():
    calls = []

    def halves(x):
        calls.append(x.shape)
        return x / 2, x * 2

    x = np.arange(4.0)
    first, second = core.opaque_multi("halves", halves, [pending(x)], [((4,), float), ((4,), float)])
    total = first.sum()
    total.numpy()
    np.testing.assert_array_equal(second * 1, x * 2)
    np.testing.assert_array_equal(first, x / 2)
    assert calls == [(4,)]


def test_results_of_one_call_are_looked_at_apart():
    x = np.random.default_rng(0).random((5, 3))
    u, s, vh = la.linalg.svd(pending(x), full_matrices=False)
    norm = s.sum() * 2
    del s
    norm.numpy()
    again = (u * vh[0]).sum(axis=1)
    want = np.linalg.svd(x, full_matrices=False)
    np.testing.assert_allclose(again.numpy(), (want.U * want.Vh[0]).sum(axis=1))
    u += 1  # nothing else sees what is changed in place
    np.testing.assert_array_equal(vh.numpy(), want.Vh)
    np.testing.assert_array_equal(u.numpy(), want.U + 1)


def test_eigenvalues_are_real_or_complex_as_numpys():
    rotation = np.array([[0.0, -1], [1, 0]])
    for x in (rotation, rotation @ rotation):
        want = np.linalg.eig(x)
        assert difference(want, la.linalg.eig(pending(x))) is None
        assert difference(np.linalg.eigvals(x), la.linalg.eigvals(pending(x))) is None
    z = pending(rotation + 0j)
    with la.no_evaluation():
        values, _ = la.linalg.eig(z)
        again = la.linalg.eigvals(z)
    np.testing.assert_array_equal(values, np.linalg.eigvals(rotation + 0j))
    np.testing.assert_array_equal(again, values)


def test_least_squares_wait_where_the_residuals_are_known():
    x = np.random.default_rng(0).random((2, 4))
    z = pending(x)
    with la.no_evaluation():
        got = la.linalg.lstsq(z, z[:, 0])
    for wanted, found in ((np.linalg.lstsq(x, x[:, 0]), got), (np.linalg.lstsq(x.T, x[0]), la.linalg.lstsq(z.T, z[0]))):
        if la.config.device == "cpu":
            assert difference(wanted, found) is None
        else:   # where it is composed of a singular value decomposition
            for want, have in zip(wanted, found, strict=True):
                np.testing.assert_allclose(have, want, rtol=1e-13, atol=1e-15)


SINGULAR = {
    "cholesky": lambda xp, n: xp.linalg.cholesky(-xp.eye(n) * 2),
    "inv": lambda xp, n: xp.linalg.inv(xp.zeros((n, n)) * 2),
    "lstsq": lambda xp, n: xp.linalg.lstsq(xp.full((n, n), xp.nan) * 2, xp.ones(n), rcond=None),
    "matrix_power": lambda xp, n: xp.linalg.matrix_power(xp.zeros((n, n)) * 2, -1),
    "pinv": lambda xp, n: xp.linalg.pinv(xp.full((n, n), xp.nan) * 2),
    "solve": lambda xp, n: xp.linalg.solve(xp.zeros((n, n)) * 2, xp.ones(n)),
    "svd": lambda xp, n: xp.linalg.svd(xp.full((n, n), xp.nan) * 2),
    "tensorinv": lambda xp, n: xp.linalg.tensorinv(xp.zeros((n, n)) * 2, 1),
    "tensorsolve": lambda xp, n: xp.linalg.tensorsolve(xp.zeros((n, n)) * 2, xp.ones(n)),
}


@pytest.mark.host_only("errors that values lead to come when the array is evaluated")
@pytest.mark.parametrize("n", [3, 150, 520])
@pytest.mark.parametrize("function", SINGULAR.values(), ids=SINGULAR)
def test_lapack_raises_at_the_line_in_the_drop_in_face(function, n):
    for xp in np, la.numpy:
        with pytest.raises(np.linalg.LinAlgError):
            function(xp, n)
