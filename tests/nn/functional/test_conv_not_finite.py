"""Infinities and NaN in convolutions, on every code path: padding is multiplied like any pixel, and flags are raised.
"""

import contextlib
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr._core.kernels import conv_packing
from support import conv_problems, reference_kernels

DTYPES = (*conv_problems.NATIVE, "float16", "longdouble")

shares = st.sampled_from((0, 0.02, 0.3))


@contextlib.contextmanager
def path(name):
    """Force one code path wherever possible."""
    least, conv_packing._LEAST_WORK = conv_packing._LEAST_WORK, 0 if name == "joined" else 1 << 60
    try:
        with la.config.tuning({"path.winograd": 1000 if name == "Winograd" else 0.001}):
            yield
    finally:
        conv_packing._LEAST_WORK = least


@st.composite
def winograds(draw):
    """Draw problems that Winograd's convolution supports."""
    extents = draw(st.tuples(*[st.integers(3, 12)] * 2))
    pads = draw(st.tuples(*[st.tuples(*[st.integers(0, 2)] * 2)] * 2))
    channels, columns, batch = draw(st.integers(1, 20)), draw(st.integers(1, 40)), draw(st.integers(1, 2))
    count = [n + sum(pad) - 2 for n, pad in zip(extents, pads, strict=True)]
    return conv_problems.Problem((batch, *extents, channels), (3, 3, channels, columns), {"padding": pads},
                                 ((1, 1), pads, (1, 1)), 1, (batch, *count, columns), ("C", "C"),
                                 draw(st.integers(0, 2)), draw(st.integers(0, 1000)))


def sprinkled(x, seed, share, others):
    """Replace some elements by non-finite numbers."""
    rng = np.random.default_rng(seed)
    x = np.array(x)
    parts = [x.real, x.imag] if x.dtype.kind == "c" else [x]
    for part in parts:
        part[rng.random(x.shape) < share] = rng.choice(others)
    return x


def exact_kinds(operation, a, b):
    """Return operation(a, b) in real arithmetic: complex products are (ac - bd, ad + bc) everywhere."""
    with np.errstate(all="ignore"):
        if a.dtype.kind != "c":
            return [operation(a.astype(float), b.astype(float))]
        re_a, im_a, re_b, im_b = [part.astype(float) for part in (a.real, a.imag, b.real, b.imag)]
        return [operation(re_a, re_b) - operation(im_a, im_b), operation(re_a, im_b) + operation(im_a, re_b)]


def assert_same_kinds(make, expected, told):
    """Compare which results are NaN, infinite and finite; if `told`, also the warnings."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("always")
        got = np.asarray(make())
    parts = [got.real, got.imag] if got.dtype.kind == "c" else [got]
    for part, other in zip(parts, expected, strict=True):
        part, other = np.asarray(part, float), np.where(np.isfinite(other), 0, other)
        np.testing.assert_array_equal(np.where(np.isfinite(part), 0, part), other)
    if told:
        invalid = any(np.isnan(other).any() for other in expected)
        messages = {str(warning.message).partition(" encountered")[0] for warning in caught}
        assert messages == ({"invalid value"} if invalid else set())
        assert all("encountered in conv" in str(warning.message) for warning in caught)


@given(st.sampled_from(("direct", "joined")), conv_problems.problems(), st.sampled_from(DTYPES), shares, shares,
       st.booleans(), st.integers(1, 2))
def test_against_the_reference(name, problem, dtype, of_x, of_w, nan, threads):
    with path(name), la.config(num_threads=threads), conv_problems.vectors(problem.width):
        compare(problem, dtype, of_x, of_w, nan)


@given(winograds(), shares, shares, st.booleans(), st.integers(1, 2))
def test_winograd_against_the_reference(problem, of_x, of_w, nan, threads):
    with path("Winograd"), la.config(num_threads=threads), conv_problems.vectors(problem.width):
        compare(problem, "float32", of_x, of_w, nan)


def compare(problem, dtype, of_x, of_w, nan):
    """Compare the convolution and its gradients, with these shares of non-finite elements in the operands."""
    others = [np.inf, -np.inf, np.nan] if nan else [np.inf, -np.inf]
    x, w, g = [sprinkled(problem.array(shape, dtype), problem.seed + i, share, others)
               for i, (shape, share) in enumerate(((problem.x, of_x), (problem.w, of_w), (problem.y, of_x)))]
    settings, groups = problem.settings, problem.groups
    keywords = {**problem.given, "groups": groups}
    forward = getattr(la.nn, f"conv{problem.ndim}d")
    for_input, for_weight = [getattr(la.nn.grad, f"conv{problem.ndim}d_{name}") for name in ("input", "weight")]
    for make, operation, a, b in (
        (lambda: forward(x, w, **keywords), lambda x, w: reference_kernels.conv(x, w, *settings, groups), x, w),
        (lambda: for_input(x.shape, w, g, **keywords),
         lambda w, g: reference_kernels.conv_input(x.shape, w, g, *settings, groups), w, g),
        (lambda: for_weight(x, w.shape, g, **keywords),
         lambda x, g: reference_kernels.conv_weight(x, w.shape, g, *settings, groups), x, g),
    ):
        assert_same_kinds(make, exact_kinds(operation, a, b), not nan)


CASES = {  # what computes x's extents and weights, and its name
    "direct": (lambda x: la.nn.conv2d(x, np.ones((2, 3, 8, 20), x.dtype)), "conv2d"),
    "Winograd": (lambda x: la.nn.conv2d(x, np.ones((3, 3, 8, 20), x.dtype)), "conv2d"),
    "joined": (lambda x: la.nn.conv2d(x, np.ones((3, 3, 8, 2), x.dtype)), "conv2d"),
    "each channel": (lambda x: la.nn.conv2d(x, np.ones((3, 3, 1, 8), x.dtype), groups=8), "conv2d"),
    "groups": (lambda x: la.nn.conv2d(x, np.ones((3, 3, 4, 6), x.dtype), groups=2), "conv2d"),
    "transposed": (lambda x: la.nn.conv_transpose2d(x, np.ones((3, 3, 20, 8), x.dtype)), "conv_transpose2d"),
    "for the weights": (lambda x: la.nn.grad.conv2d_weight(x, (3, 3, 8, 5), np.ones((1, 10, 10, 5), x.dtype)),
                        "conv2d_weight"),
    "for weights of each channel": (lambda x: la.nn.grad.conv2d_weight(
        x, (3, 3, 1, 8), np.ones((1, 10, 10, 8), x.dtype), groups=8), "conv2d_weight"),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float64", "longdouble"])
@pytest.mark.parametrize("case", CASES)
def test_flags_are_told_of(case, dtype, threads):
    make, name = CASES[case]
    x = np.ones((1, 12, 12, 8), dtype)
    great = x.copy()
    great[0, 5, 6:8] = np.finfo(dtype).max
    infinite = x.copy()
    infinite[0, 5, 6], infinite[0, 5, 7] = np.inf, -np.inf
    with path(case), la.config(num_threads=threads), np.errstate(all="warn"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            make(x).numpy()
        with pytest.warns(RuntimeWarning, match=f"overflow encountered in {name}$"):
            make(great).numpy()
        with pytest.warns(RuntimeWarning, match=f"invalid value encountered in {name}$"):
            make(infinite).numpy()
    with np.errstate(all="raise"):
        result = make(great)
    for _ in range(2):
        with pytest.raises(FloatingPointError, match=f"overflow encountered in {name}\n"):
            result.numpy()
    with np.errstate(all="ignore"):
        make(infinite).numpy()
