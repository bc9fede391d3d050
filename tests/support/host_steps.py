"""The only functions whose steps run on the host although their operands are on a device, with reasons."""
from typing import NamedTuple


class Family(NamedTuple):
    """Functions whose steps run on the host for one reason.

    Attributes
    ----------
    reason : str
    steps : str
        Pattern of the steps' names.
    functions : str
        Names of the functions.
    """

    reason: str
    steps: str
    functions: str


READ = frozenset("""
    nonzero boolean_index unique histogram histogramdd bincount compress delete argwhere flatnonzero extract
    linalg.lstsq
""".split())
"""What is counted as done at once because a number or a condition is read; kernels do the rest."""

FAMILIES = [
    Family("LAPACK's decompositions and solutions, which on CUDA devices are cuSOLVER's", r"linalg\.\w+", """
        linalg.cholesky linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.qr linalg.slogdet
        linalg.solve linalg.svd linalg.svdvals linalg.matrix_power linalg.tensorinv linalg.tensorsolve
        linalg.cond linalg.lstsq linalg.matrix_norm linalg.matrix_rank linalg.norm linalg.pinv
    """),
    Family("running folds of no elements", r"(where, )?(multiply|add)\.accumulate(\.reduce)?",
           "cumprod cumsum nancumprod nancumsum"),
    Family("powers of integers to an array of exponents, of which a negative one is an error", "cast, power", "power"),
    Family("places of extrema of complex numbers and of no elements", r"arg(max|min)\.reduce", "argmax argmin"),
    Family("a warning of empty slices, where there are some", "check: .*", "mean var std nanmean nanvar nanstd"),
    Family("order statistics of what is no NaN, or with weights", r"\w+", """
        nanmedian nanpercentile nanquantile quantile
    """),
    Family("transforms of float16 and longdouble; of no elements, of repeated axes",
           r"fft\.\w+|cast|conjugate", """
        fft.fft fft.fft2 fft.fftn fft.ifft fft.ifft2 fft.ifftn fft.rfft fft.rfft2 fft.rfftn fft.irfft fft.irfft2
        fft.irfftn fft.hfft fft.ihfft
    """),
    Family("strings, and results that are no arrays", r"\w+", """
        astype full where array2string array_repr array_str format_float_positional format_float_scientific
    """),
    Family("functions of the program's own, which get arrays of the host", r"\w+", "apply_along_axis piecewise"),
    Family("a dtype or an error that depends on values", r"\w+", """
        asarray_chkfinite min_scalar_type real_if_close unravel_index
    """),
    Family("polynomials from roots and by their coefficients, of which there are few", r"\w+", """
        poly polyadd polydiv polyfit polyint polymul
    """),
    Family("arguments of other kinds: an order of equal elements that is the host's, an algorithm by name, no bins, no "
           "values, limits on a device, float16, ...", r"\w+", """
        argsort digitize einsum fill_diagonal histogram histogram2d histogram_bin_edges histogramdd isin median place
        repeat round take
    """),
    Family("no kernel yet", r"\w+", "i0 sort_complex"),
]
