"""Libraries that only accept ndarrays: Numba, OpenCV, Polars, PyTorch, parts of SciPy and scikit-learn."""

import numpy as np
import pytest

import lazyarr as la

NUMBA = """
import numba
import numpy as np

@numba.njit
def squares(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    return s

@numba.njit
def add_to(x, y, k=1):
    for i in range(len(x)):
        x[i] += k * y[i]
    return x

@numba.vectorize(["float64(float64, float64)"])
def mixed(a, b):
    return a + 2 * b

@numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def running(a, out):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i]
        out[i] = total

x, y = np.arange(5.0), np.ones(5)
for line in ["squares(x)", "add_to(x, y)", "x", "mixed(x, y)", "mixed(x, 1.0)", "running(x)",
             "add_to(x[::2], y[::2], k=3)", "x", "add_to(x, y) + 1", "squares(x.sum() * x)", "add_to.py_func(x, y)",
             "x", "mixed.reduce(x)", "add_to.signatures"]:
    print(line, repr(eval(line)))
"""
OPENCV = """
import cv2
import numpy as np

image = (np.arange(64 * 64 * 3) % 255).astype(np.uint8).reshape(64, 64, 3)
corners = np.array([[1, 1], [5, 5], [1, 5]], np.int32)
for line in [
        "cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).sum()", "cv2.filter2D(image, -1, np.ones((3, 3), 'f4') / 9).sum()",
        "cv2.resize(image, (32, 32)).shape", "cv2.circle(image, (10, 10), 5, (255, 0, 0), -1).sum()", "image.sum()",
        "cv2.polylines(image, [corners], True, (1, 2, 3)).sum()", "image.sum()",
        "cv2.rectangle(image[8:, 8:].copy(), (0, 0), (5, 5), (0, 255, 0)).sum()", "image.sum()",
        "cv2.warpAffine(image, np.float32([[1, 0, 2], [0, 1, 3]]), (64, 64)).sum()",
        "len(cv2.findContours((image[..., 0] > 100).astype(np.uint8), cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)[0])",
        "cv2.inRange(image, np.array([0, 0, 0]), np.array([100, 100, 100])).sum()",
        "cv2.calcHist([image], [0], None, [256], [0, 256]).sum()", "cv2.merge([image[..., 0], image[..., 1]]).shape",
        "len(cv2.ORB_create().detect(image))", "cv2.imdecode(cv2.imencode('.png', image)[1], 1).sum()"]:
    print(line, repr(eval(line)))
"""
POLARS = """
import numpy as np
import polars as pl

x = np.arange(6.0)
frame = pl.DataFrame({"a": x, "b": np.arange(6)})
for line in ["frame.sum().rows()", "pl.DataFrame(np.ones((2, 3))).shape", "frame.filter(x > 2)['a'].to_list()",
             "frame.filter(pl.Series(x > 2)).shape", "pl.Series('a', x)[np.array([1, 2])].to_list()",
             "frame[np.array([0])].rows()", "pl.from_numpy(np.eye(2)).rows()", "frame.with_columns(c=x).rows()",
             "frame.with_columns(pl.Series('d', x)).width", "frame.select(pl.col('a') + pl.lit(x)).sum().rows()",
             "np.sqrt(frame['a']).to_list()", "frame.to_numpy().mean()", "frame['a'].is_in(np.array([1.0])).sum()"]:
    print(line, repr(eval(line)))
"""
TORCH = """
import numpy as np
import torch

x = np.arange(3.0)
shared, copied = torch.from_numpy(x), torch.tensor(x)
x += 1
for line in ["shared", "copied", "torch.as_tensor(x[1:])", "torch.asarray(x > 1)", "x + shared.numpy()"]:
    print(line, repr(eval(line)))
"""
NDIMAGE = """
import numpy as np
from scipy import ndimage
from scipy.ndimage import gaussian_filter

x = np.sin(np.arange(48.0)).reshape(6, 8)
mask, labels = x > 0, np.zeros((6, 8), np.int32)
out, places = np.zeros((6, 8)), np.zeros((2, 6, 8), np.int32)
for line in ["ndimage.label(mask, output=labels)", "labels", "ndimage.label(mask)[1]",
             "ndimage.binary_dilation(mask, output=mask)", "mask", "ndimage.binary_fill_holes(mask).sum()",
             "ndimage.distance_transform_edt(mask, distances=out)", "out",
             "ndimage.distance_transform_edt(mask, return_distances=False, return_indices=True, indices=places)",
             "places", "gaussian_filter(x, 1.0, output=out)", "out", "gaussian_filter(x, 1.0, output=np.float32).dtype",
             "ndimage.affine_transform(x, np.eye(2), output=out[:3, :4])", "out",
             "ndimage.watershed_ift((x * 9 + 9).astype(np.uint8), labels, output=labels)", "labels"]:
    print(line, repr(eval(line)))
"""
SCIPY = """
import warnings

import numpy as np
from scipy import integrate, linalg, optimize, signal, sparse, special, stats
from scipy.linalg import interpolative
from scipy.optimize import least_squares
from scipy.sparse import linalg as sparse_linalg

warnings.simplefilter("ignore")
target, weights, start = np.array([1.0, -2.0, 0.5]), np.array([1.0, 2.0, 3.0]), np.zeros(3)
bracket, height, five = np.array([0.0, 2.0]), np.zeros(20), np.array(5)
matrix = np.diag(np.arange(1.0, 13.0)) + 0.1
rhs, factors = np.arange(12.0), sparse_linalg.splu(sparse.csc_array(matrix))

def cost(w):
    return (weights * (w - target) ** 2).sum()

def gradient(w):
    return 2 * weights * (w - target)

def residuals(w):
    return weights * (w - target)

def jacobian(w):
    return np.diag(weights)

def difference(x, y, axis):
    return np.mean(x, axis) - np.mean(y, axis)

def permuted():
    options = {"n_resamples": 20_000, "rng": np.random.default_rng(0), "vectorized": True}
    return stats.permutation_test((rhs, rhs + 1.5), difference, **options).pvalue

for line in [
        *[f"optimize.minimize(cost, start, jac=gradient, method={name!r}).x" for name in ("BFGS", "L-BFGS-B", "SLSQP")],
        "optimize.minimize(lambda w: (cost(w), gradient(w)), start, jac=True, method='L-BFGS-B').jac",
        "optimize.fmin_l_bfgs_b(cost, start, fprime=gradient)[0]",
        *[f"least_squares(residuals, start, jacobian, method={name!r}).nfev" for name in ("trf", "dogbox", "lm")],
        "type(least_squares(residuals, start, jacobian).jac)", "least_squares(residuals, start, jacobian).x",
        "least_squares(residuals, start, jac_sparsity=np.eye(3)).x",
        "optimize.root_scalar(lambda x: x ** 2 - 2, bracket=bracket).root",
        "optimize.root(residuals, start, method='krylov', options={'jac_options': {'inner_M': np.eye(3)}}).success",
        "integrate.solve_ivp(lambda t, y: -y, (0, 1), start + 1, method='BDF', jac_sparsity=np.eye(3)).y[:, -1]",
        "sparse_linalg.cg(matrix, rhs)[0]", "sparse_linalg.lsqr(matrix, rhs)[0]",
        "sparse_linalg.eigsh(matrix, k=2, v0=rhs)[0]", "sparse_linalg.eigsh(matrix, k=2, sigma=1.0, v0=rhs)[0]",
        "sparse_linalg.svds(matrix, k=2, v0=rhs)[1]", "sparse_linalg.aslinearoperator(matrix) @ rhs",
        "sparse_linalg.onenormest(matrix)", "factors.solve(rhs)", "isinstance(factors, sparse_linalg.SuperLU)",
        "factors.shape, factors.L.shape", "sparse_linalg.factorized(sparse.csc_array(matrix))(rhs)",
        "sparse.coo_array(matrix).tensordot(matrix, axes=1)[0]", "sparse.csr_array(matrix).maximum(matrix * 2).sum()",
        "sparse.csr_array(matrix).minimum(matrix * 2).sum()", "linalg.lapack.dgesv(matrix, rhs)[2]", "rhs",
        "linalg.blas.daxpy(rhs, np.ones(12), a=2.0)", "linalg.blas.dgemv(1.0, matrix, rhs, y=target.repeat(4))",
        "linalg.funm(matrix, np.cos)[0]",
        "interpolative.estimate_rank(matrix, 0.5, rng=0)",
        "signal.find_peaks(np.sin(1.5 * np.arange(20.0)), height)[0]", "special.factorial(five, exact=True)",
        "permuted()", "permuted()",
        "stats.multiscale_graphcorr(rhs, rhs ** 2, reps=2, random_state=0).statistic"]:
    print(line, repr(np.round(x, 5) if isinstance(x := eval(line), np.ndarray | float) else x))
"""
SCIKIT_LEARN = """
import numpy as np
from sklearn import covariance, linear_model, utils
from sklearn.base import clone
from sklearn.feature_extraction import image
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.manifold import TSNE
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

x = np.sin(np.arange(240.0) ** 2).reshape(60, 4)
y = x @ np.array([1.0, -2.0, 0.5, 0.0])
labels, alphas, gram = (y > 0).astype(int), np.logspace(-3, 3, 7), x.T @ x
process = GaussianProcessRegressor(alpha=np.full(60, 0.1))
ridge = linear_model.Ridge()

for line in [
        "linear_model.lars_path(x, y)[0]", "linear_model.lars_path_gram(x.T @ y, gram, n_samples=60)[0]",
        "clone(process.fit(x, y)).fit(x, y).log_marginal_likelihood_value_", "type(process.alpha)",
        "TSNE(init=x[:, :2], perplexity=5, max_iter=250, random_state=0).fit_transform(x).shape",
        "GridSearchCV(ridge, {'alpha': alphas}).fit(x, y).best_params_",
        "GridSearchCV(ridge, [{'alpha': alphas}]).fit(x, y).cv_results_['mean_test_score']",
        "RandomizedSearchCV(ridge, {'alpha': alphas}, n_iter=3, random_state=0).fit(x, y).best_params_",
        "utils.compute_class_weight('balanced', classes=np.unique(labels), y=labels)",
        "image.grid_to_graph(3, 3, mask=np.eye(3, dtype=bool)[:, :, None]).nnz",
        "image.extract_patches_2d(x, (2, 2)).shape",
        "covariance.log_likelihood(np.cov(x.T), np.linalg.inv(np.cov(x.T)))"]:
    print(line, repr(np.round(v, 5) if isinstance(v := eval(line), np.ndarray | float) else v))
"""


@pytest.mark.parametrize(("library", "program"), [("numba", NUMBA), ("cv2", OPENCV), ("torch", TORCH),
                                                 ("polars", POLARS), ("scipy.ndimage", NDIMAGE), ("scipy", SCIPY),
                                                 ("sklearn", SCIKIT_LEARN)])
def test_under_the_runner_everything_is_as_with_numpy(library, program, printed_both_ways):
    pytest.importorskip(library)
    plain, lazily = printed_both_ways(program)
    assert plain
    assert lazily == plain


class Doubled:
    """What answers as a ufunc does, and is none: Numba has such objects."""

    nin = 1
    __name__ = "doubled"

    def __call__(self, x, out=None):
        if not isinstance(x, np.ndarray):
            return x.__array_ufunc__(self, "__call__", x)
        return np.multiply(x, 2, out=out)


def test_what_is_no_ufunc_of_numpys_gets_the_values():
    assert Doubled()(la.arange(3)).tolist() == [0, 2, 4]
