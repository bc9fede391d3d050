"""SciPy without array API dispatch: its ufuncs are lazy, everything else reads the values."""

import numpy as np
import pytest
import scipy
from scipy import integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats
from scipy.sparse import linalg as sparse_linalg

import lazyarr as la
from support import lazy_helpers

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(2, 200))
M = RNG.normal(size=(6, 6))
ARRAYS = {"x": X, "z": Z, "p": np.abs(X) + 0.5, "m": M, "s": M @ M.T + 6 * np.eye(6), "v": M[0], "i": np.arange(6)}
NAMES = {
    "integrate": integrate, "interpolate": interpolate, "linalg": linalg, "ndimage": ndimage, "optimize": optimize,
    "signal": signal, "sparse": sparse, "sparse_linalg": sparse_linalg, "spatial": spatial, "special": special,
    "stats": stats, "sos": signal.butter(4, 0.2, output="sos"),
}


def evaluate(line, lazily):
    arrays = {name: lazy_helpers.pending(x) if lazily else x for name, x in ARRAYS.items()}
    return eval(line, NAMES | {"np": la if lazily else np} | arrays)


@pytest.mark.parametrize("line", [
    "special.expit(x)", "special.gammaln(p)", "special.erf(x)", "special.xlogy(p, p)", "special.jv(1, x)",
    "special.betainc(2.0, 3.0, special.expit(x))", "special.ndtr(x) + x", "special.zeta(p + 1)", "special.i0(x[3])",
    "special.eval_legendre(3, x)", "special.hankel1(0, p)",
])
def test_ufuncs_and_what_is_made_of_them_wait(line):
    with la.no_evaluation():
        got = evaluate(line, True)
    expected = evaluate(line, False)
    assert type(got) is la.LazyArray
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize("call", [
    "gammainc(p, q)", "pbdv(c, p)", "xlogy(p, q)", "rel_entr(p, c.T)", "jv(p[::2], q)", "expit(m.T[1:])",
    "erf(m[:, ::-1])", "betainc(p, q, q / 9)", "fresnel(m[:, 1:])",
])
@pytest.mark.parametrize("wrap", [la.array, la.numpy.array])
def test_ufuncs_of_operands_of_several_axes(call, wrap):
    """SciPy's loops move the pointers that they are given."""
    arrays = {"p": ARRAYS["p"][:6, None], "q": ARRAYS["p"][6:11], "c": np.arange(6.0)[:, None], "m": M}
    names = {name: getattr(special, name) for name in ("gammainc", "pbdv", "xlogy", "rel_entr", "jv", "expit", "erf",
                                                       "betainc", "fresnel")}
    expected = eval(call, names | arrays)
    for _ in range(20):
        got = eval(call, names | {name: wrap(x) for name, x in arrays.items()})
        for e, g in zip(expected, got, strict=True) if isinstance(expected, tuple) else [(expected, got)]:
            np.testing.assert_allclose(np.asarray(g), e, rtol=1e-12)


# Functions of arrays; an expression's values are compared.
LINES = """
    special.logsumexp(x)
    special.softmax(m, axis=1)
    signal.sosfilt(sos, x)
    signal.hilbert(x)
    signal.convolve(x, z)
    signal.welch(x, nperseg=64)[1]
    signal.find_peaks(x)[0]
    signal.lfilter([1.0], [1.0, 0.5], x)
    stats.zscore(x)
    stats.ttest_ind(x, z)
    stats.describe(x)[2:]
    stats.pearsonr(x, z)[:]
    stats.linregress(x, z)[:]
    stats.norm.fit(x)
    stats.gaussian_kde(x)(z)
    stats.ks_2samp(x, z)[:]
    stats.bootstrap((x,), np.mean, n_resamples=20, rng=0).confidence_interval
    ndimage.gaussian_filter(m, 1.0)
    ndimage.label(m > 0)[0]
    ndimage.generic_filter(m, np.mean, 3)
    linalg.solve(s, v)
    linalg.lu(m)
    linalg.eigh(s)
    linalg.expm(m)
    linalg.cho_solve(linalg.cho_factor(s), v)
    linalg.block_diag(m, s)
    optimize.minimize(lambda w: ((w - v) ** 2).sum(), v * 0).x
    optimize.minimize(lambda w: ((w - v) ** 2).sum(), v * 0, method="Nelder-Mead", options={"maxiter": 50}).x
    optimize.least_squares(lambda w: s @ w - v, v * 0).x
    optimize.curve_fit(lambda w, a, c: a * w + c, x, 2 * x + 1)[0]
    optimize.root(lambda w: s @ w - v, v * 0).x
    optimize.brentq(lambda w: (x - w).sum(), -5, 5)
    optimize.minimize_scalar(lambda w: ((x - w) ** 2).sum()).x
    optimize.nnls(m, v)[0]
    optimize.linear_sum_assignment(m)
    integrate.quad(lambda w: (v * w).sum(), 0, 1)
    integrate.solve_ivp(lambda t, w: -s @ w, (0, 0.1), v).y
    integrate.odeint(lambda w, t: -s @ w, v, [0, 0.1, 0.2])
    integrate.simpson(x)
    interpolate.CubicSpline(i, v)(p[:5])
    interpolate.RegularGridInterpolator((i, i), m)(p[:8].reshape(4, 2))
    interpolate.interp1d(i, v)(2.5)
    spatial.KDTree(m).query(m[:2] * 1.1)
    spatial.distance.cdist(m, s)
    sparse.csr_array(m) @ v
    sparse.coo_array((v, (i, i))).toarray()
    sparse_linalg.spsolve(sparse.csc_array(s), v)
    sparse_linalg.LinearOperator((6, 6), matvec=lambda w: s @ w) @ v
""".strip().splitlines()


@pytest.mark.parametrize("line", [line.strip() for line in LINES])
def test_values(line):
    expected, got = evaluate(line, False), evaluate(line, True)
    for e, g in zip(expected, got, strict=True) if isinstance(expected, tuple) else [(expected, got)]:
        assert np.asarray(g).dtype == np.asarray(e).dtype
        np.testing.assert_allclose(np.asarray(g), np.asarray(e), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("line", [
    pytest.param("sparse_linalg.cg(s, v)", marks=pytest.mark.skipif(
        np.lib.NumpyVersion(scipy.__version__) >= "1.18.0", reason="SciPy takes its values")),
    "linalg.funm(s, np.exp)",
    "optimize.minimize(lambda w: ((w - v) ** 2).sum(), v * 0, jac=lambda w: 2 * (w - v), method='L-BFGS-B')",
])
def test_what_asks_for_the_type_of_ndarrays_refuses(line):
    evaluate(line, False)
    with pytest.raises(TypeError):
        evaluate(line, True)


def test_values_are_taken_where_the_type_is_asked_for():
    s, v = lazy_helpers.pending(ARRAYS["s"]), lazy_helpers.pending(ARRAYS["v"])
    expected, _ = sparse_linalg.cg(ARRAYS["s"], ARRAYS["v"])
    np.testing.assert_allclose(sparse_linalg.cg(s.numpy(), v.numpy())[0], expected, rtol=1e-9)
    function, gradient = lambda w: ((w - v) ** 2).sum(), lambda w: (2 * (w - v)).numpy()
    found = optimize.minimize(function, v * 0, jac=gradient, method="L-BFGS-B")
    np.testing.assert_allclose(found.x, ARRAYS["v"], rtol=1e-6)


@pytest.mark.parametrize("operation", [
    "x + o", "o + x", "x - o", "o - x", "x * o", "o / x", "x == o", "o == x", "x != o", "x < o", "o >= x", "x @ o",
    "o @ x", "o - x[0]", "x[:, :1] + o", "v - o", "o == v", "v @ o",
])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
@pytest.mark.filterwarnings("ignore")  # 0 / 0, and comparisons that are inefficient
def test_sparse_arrays_on_either_side(kind, operation):
    def run(x, v):
        result = eval(operation, {"x": x, "v": v, "o": kind(np.where(np.abs(M) > 1, M, 0))})
        return result.toarray() if sparse.issparse(result) else np.asarray(result)
    for pending in lazy_helpers.pending, la.array:
        np.testing.assert_array_equal(run(pending(M), pending(M[1])), run(M, M[1]))


class Doubled:
    """Takes operands that are of the type ndarray, or scalars of NumPy."""
    __array_priority__ = 10

    def __add__(self, other):
        if not isinstance(other, np.ndarray | np.number):
            return NotImplemented
        return "sum", type(other), np.asarray(other) * 2

    __radd__ = __lt__ = __gt__ = __add__


@pytest.mark.parametrize("operation", ["x + o", "o + x", "x < o", "o < x", "x[0] + o", "o + x[0]", "o > x[0]"])
def test_what_refuses_lazy_arrays_gets_the_values(operation):
    expected = eval(operation, {"x": X, "o": Doubled()})
    got = eval(operation, {"x": lazy_helpers.pending(X), "o": Doubled()})
    assert got[:2] == expected[:2]
    np.testing.assert_array_equal(got[2], expected[2])
    with pytest.raises(TypeError):
        eval(operation, {"x": lazy_helpers.pending(X), "o": type("Refusing", (), {"__array_priority__": 10})()})


@pytest.mark.parametrize("call", [
    "ndimage.label(x > 0, output=o)", "ndimage.binary_dilation(x > 0, output=o)",
    "ndimage.distance_transform_edt(x > 0, distances=o)",
])
def test_outputs_that_only_ndarrays_are(call):
    """Whatever else is given counts as a dtype, or is not written to."""
    def written(o, given):
        try:
            eval(call, NAMES | {"x": X, "o": given})
        except RuntimeError:
            return None
        return np.asarray(o).tolist()
    dtype = bool if "binary" in call else float if "distance" in call else np.int32
    expected, zeros = np.zeros(200, dtype), np.zeros(200, dtype)
    expected = written(expected, expected)
    lazily = la.zeros(200, dtype)
    assert written(lazily, lazily) in (None, zeros.tolist())
    lazily = la.zeros(200, dtype)
    assert written(lazily, np.asarray(lazily)) == expected


def test_functions_of_f2py_overwrite_what_is_no_ndarray():
    product = {}
    for name, y in {"ndarray": X[:6].copy(), "lazy": la.array(X[:6]), "values": la.array(X[:6])}.items():
        given = y.numpy() if name == "values" else y
        product[name] = linalg.blas.dgemv(1.0, M, M[0], y=given, beta=1.0)
        np.testing.assert_allclose(product[name], product["ndarray"])
        np.testing.assert_array_equal(np.asarray(y), product["lazy"] if name == "lazy" else X[:6])


def test_bounds_of_peaks_that_are_arrays():
    height = lazy_helpers.pending(np.zeros(200))
    with pytest.raises(ValueError, match="broadcast"):
        signal.find_peaks(X, height=height)
    np.testing.assert_array_equal(signal.find_peaks(X, height=height.numpy())[0], signal.find_peaks(X, height=0)[0])
