"""Calls of scikit-learn and SciPy under array API dispatch, run on NumPy's arrays and on lazy ones.

SciPy reads SCIPY_ARRAY_API on import, so `main` runs in a separate process that sets it. For each line it prints the
kinds of its values and how they differ; `test_dispatch.py` has the expectations.
"""

import json
import os
import sys
import warnings

IMPORTS = """
import numpy as np
from scipy import cluster, fft, integrate, linalg, ndimage, signal, spatial, special, stats
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.metrics import accuracy_score, mean_squared_error, pairwise, r2_score
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, PolynomialFeatures, StandardScaler
"""
# Results are arrays of the operands' namespace: LazyArrays.
SCIKIT_LEARN = """
StandardScaler().fit(X).transform(X)
StandardScaler().fit(X).mean_
StandardScaler().fit(X).var_
MinMaxScaler().fit_transform(X)
MaxAbsScaler().fit_transform(X)
Normalizer().fit_transform(X)
PolynomialFeatures(2).fit_transform(X)
PCA(3, svd_solver="full").fit_transform(X)
PCA(3, svd_solver="full").fit(X).components_
PCA(2, svd_solver="covariance_eigh", whiten=True).fit_transform(X)
PCA(3, svd_solver="covariance_eigh").fit(X).explained_variance_
PCA(2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0).fit_transform(X)
Ridge(alpha=0.5, solver="svd").fit(X, t).predict(X)
Ridge(alpha=0.5, solver="svd").fit(X, t).coef_
RidgeCV().fit(X, t).predict(X)
LinearDiscriminantAnalysis().fit(X, y).classes_
LinearDiscriminantAnalysis().fit(X, y).predict(X)
LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
LinearDiscriminantAnalysis().fit(X, y).transform(X)
LinearDiscriminantAnalysis().fit(X, y).coef_
GaussianNB().fit(X, y).predict(X)
GaussianMixture(2, init_params="random_from_data", random_state=0).fit(X).means_
pairwise.euclidean_distances(X)
pairwise.euclidean_distances(X, X[:9] + 1)
pairwise.cosine_similarity(X)
pairwise.cosine_distances(X, X[:9])
pairwise.rbf_kernel(X)
pairwise.linear_kernel(X)
pairwise.polynomial_kernel(X)
pairwise.sigmoid_kernel(X)
pairwise.laplacian_kernel(X)
pairwise.chi2_kernel(X * X)
pairwise.manhattan_distances(X, X[:9])
pairwise.paired_euclidean_distances(X, X + 1)
pairwise.pairwise_distances(X, metric="euclidean")
pairwise.pairwise_kernels(X, metric="rbf")
""".strip().splitlines()
SCIPY = """
signal.sosfilt(sos, x)
signal.lfilter(b, b, x)
signal.filtfilt(b, b, x)
signal.hilbert(x)
signal.convolve(x, z)
signal.fftconvolve(x, z, mode="same")
signal.oaconvolve(x, z)
signal.correlate(x, z)
signal.detrend(x)
signal.resample(x, 150)
signal.resample_poly(x, 3, 2)
signal.medfilt(x, 5)
signal.savgol_filter(x, 11, 3)
signal.wiener(x, 5)
signal.freqz(b)
stats.zscore(x)
stats.zmap(x, z)
stats.ttest_ind(x, z)
stats.ttest_rel(x, z)
stats.ttest_1samp(x, 0)
stats.describe(x)
stats.pearsonr(x, z)
stats.spearmanr(x, z)
stats.f_oneway(x, z, p)
stats.skew(x)
stats.kurtosis(x)
stats.moment(x, 3)
stats.sem(x)
stats.variation(p)
stats.gmean(p)
stats.hmean(p)
stats.tmean(x)
stats.iqr(x)
stats.mode(i)
stats.bartlett(x, z)
stats.levene(x, z)
stats.kruskal(x, z)
stats.mannwhitneyu(x, z)
stats.normaltest(x)
stats.jarque_bera(x)
stats.entropy(p)
stats.rankdata(x)
stats.circmean(x)
stats.chisquare(p * 0 + 16)
special.expit(x)
special.gammaln(p)
special.logsumexp(x)
special.logsumexp(m, axis=0)
special.softmax(m, axis=1)
special.xlogy(p, p)
special.entr(p)
ndimage.gaussian_filter(m, 1.0)
ndimage.uniform_filter(m, 3)
ndimage.median_filter(m, 3)
ndimage.convolve(m, m[:3, :3])
ndimage.sobel(m)
ndimage.label(m > 0)[0]
ndimage.zoom(m, 2)
ndimage.rotate(m, 30)
ndimage.map_coordinates(m, m[:2] * 3 + 8)
ndimage.sum_labels(x, i, index=i[:3])
ndimage.center_of_mass(p)
fft.fft(x)
fft.rfft(x)
fft.irfft(fft.rfft(x))
fft.ifftn(m)
fft.dct(x)
fft.dstn(m)
fft.fftshift(m)
integrate.trapezoid(x)
integrate.cumulative_trapezoid(x)
cluster.vq.whiten(m)
spatial.distance.pdist(m)
""".strip().splitlines()
# Scores are Python numbers, and linear algebra returns ndarrays.
CONVERTED = """
accuracy_score(y, y)
mean_squared_error(t, t + 1)
r2_score(t, t + 0.1)
Ridge(alpha=0.5, solver="svd").fit(X, t).score(X, t)
signal.welch(x, nperseg=64)
stats.norm.pdf(x)
linalg.solve(s, x[:16])
linalg.svd(m)
stats.iqr(x[:0])
stats.tmin(x[:0])
""".strip().splitlines()
# Dispatch rejects mixed namespaces.
MIXED = """
signal.sosfilt(np.asarray(sos), x)
stats.ttest_ind(x, np.asarray(z))
""".strip().splitlines()


def data():
    """Return the arrays of the lines, by name."""
    import numpy as np
    from scipy import signal

    rng = np.random.default_rng(0)
    m, X = rng.normal(size=(16, 16)), rng.normal(size=(60, 5)) * [1, 2, 7, 1, 1]
    x, z = rng.normal(size=(2, 200))
    return {
        "X": X, "y": (X[:, 0] + 0.3 * x[:60] > 0).astype(np.int64) + 3, "t": X @ np.arange(5.0) + 1,
        "x": x, "z": z, "p": np.abs(x) + 0.5, "i": rng.integers(0, 5, 200), "m": m, "s": m @ m.T + 16 * np.eye(16),
        "sos": signal.butter(4, 0.2, output="sos"), "b": np.array([1.0, 0.3, 0.2]),
    }


def flat(value):
    """Return the numbers and arrays in a result, flattening named tuples and objects with attributes."""
    if isinstance(value, (tuple, list)):
        return [item for part in value for item in flat(part)]
    return [item for part in vars(value).values() for item in flat(part)] if hasattr(value, "statistic") else [value]


def difference(expected, got):
    """Describe how two lists of results differ, or return None."""
    import numpy as np

    if len(expected) != len(got):
        return f"{len(expected)} values, got {len(got)}"
    for e, g in zip(map(np.asarray, expected), map(np.asarray, got), strict=True):
        if (e.shape, e.dtype) != (g.shape, g.dtype):
            return f"{e.dtype}{e.shape}, got {g.dtype}{g.shape}"
        if not np.allclose(e, g, rtol=1e-9, atol=1e-11, equal_nan=True):
            return f"{e}, got {g}"
    return None


def main():
    os.environ["SCIPY_ARRAY_API"] = "1"
    import numpy as np
    import sklearn

    import lazyarr as la

    names, told = {}, {}
    exec(IMPORTS, names)
    warnings.simplefilter("ignore")
    for line in SCIKIT_LEARN + SCIPY + CONVERTED + MIXED:
        arrays = data()
        pending = {name: la.asarray(x) * np.ones((), x.dtype) for name, x in arrays.items()}
        with sklearn.config_context(array_api_dispatch=True):
            expected = flat(eval(line, names | arrays))
            try:
                got = flat(eval(line, names | pending))
            except (TypeError, ValueError) as error:
                told[line] = str(error)
                continue
        kinds = sorted({type(value).__name__ for value in got})
        told[line] = difference(expected, got) or ", ".join(kinds)
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
