"""Costs of calls that are worth running concurrently, each on one thread.

Measured with NumPy 2.4's OpenBLAS on two cores, Zen 4 and Zen 5, on 500 x 500 matrices and a million elements. LAPACK
routines made of matrix-vector products gain nothing from a second thread, or lose.
"""
from lazyarr._core.runtime import concurrent_calls
from lazyarr.ops import blas_threads

# ns per element and row, and the fraction that threads share.
_OF_MATRICES = {
    "inv": (0.1, 0.6), "solve": (0.1, 0.5), "det": (0.024, 0.0), "slogdet": (0.024, 0.0), "cholesky": (0.013, 0.0),
    "qr": (0.12, 0.0), "svd": (0.4, 0.0), "svdvals": (0.16, 0.0), "pinv": (0.5, 0.0), "eigh": (0.18, 0.0),
    "eigvalsh": (0.07, 0.0), "eig": (1.0, 0.0), "eigvals": (0.65, 0.0), "lstsq": (0.8, 0.0), "cond": (0.16, 0.0),
    "matrix_rank": (0.16, 0.0),
}
# The same per element and bit of the element count, and the fraction of one line that threads share. These are times of
# the fastest processors (sorts take ten times as long on a Zen 4 as on a Zen 5): underestimates do no harm beside a
# longer call, but overestimates do beside a shorter one.
_OF_LINES = {"sort": (0.3, 0.9), "argsort": (0.8, 0.0), "fft.rfft": (0.4, 0.0), "fft.irfft": (0.4, 0.0),
             **{f"fft.{_name}": (0.8, 0.0) for _name in ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn")}}

for _name, (_ns, _shared) in _OF_MATRICES.items():
    concurrent_calls.add_cost(f"linalg.{_name}", _ns, _shared, True)
for _name, (_ns, _shared) in _OF_LINES.items():
    concurrent_calls.add_cost(_name, _ns, _shared, False)
concurrent_calls.set_blas_limit(blas_threads.limit)
