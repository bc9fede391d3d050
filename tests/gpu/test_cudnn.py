"""Convolutions and their gradients by cuDNN."""

import gc
import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr import nn
from lazyarr.gpu.libraries import cudnn, loading
from lazyarr.gpu.libraries.cudnn import LIBRARY
from support import conv_problems
from support.cuda_device import DRIVER, another_driver, there
from support.cuda_libraries import made_by, mock, needing
from support.examples import examples
from support.opencl_device import values

RNG = np.random.default_rng(5)
library = needing(LIBRARY)


def check(function, *operands, library=LIBRARY):
    """Compare with the host's result, relative to the summands."""
    with np.errstate(all="ignore"):
        got = made_by(library, lambda: function(*map(there, operands)))
        wanted = function(*map(la.asarray, operands)).numpy()
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    assert abs(got - wanted).max(initial=0) <= 100 * np.finfo(got.dtype).eps * abs(wanted).max(initial=1)


def check_all(x, w, **options):
    """Compare a convolution and its gradients."""
    rank = x.ndim - 2
    conv = getattr(nn, f"conv{rank}d")
    by_input, by_weight = (getattr(nn.grad, f"conv{rank}d_{name}") for name in ("input", "weight"))
    shape = conv(la.asarray(x), la.asarray(w), **options).shape
    y = values(RNG, shape, x.dtype.char)
    check(lambda x, w: conv(x, w, **options), x, w)
    check(lambda w, y: by_input(x.shape, w, y, **options), w, y)
    check(lambda x, y: by_weight(x, w.shape, y, **options), x, y)


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("options", [
    {}, {"padding": 1}, {"stride": 2, "padding": 2}, {"dilation": 2, "padding": "same"},
    {"groups": 2, "stride": 2, "padding": "valid"}])
def test_convolutions_and_gradients(rank, dtype, options):
    channels = 4 // options.get("groups", 1)
    check_all(values(RNG, (2, *(7, 6, 5)[:rank], 4), dtype), values(RNG, (*(3, 3, 3)[:rank], channels, 6), dtype),
              **options)


@examples(40)
@given(conv_problems.problems(), st.sampled_from("fd"))
def test_any_problem(problem, dtype):
    rng = np.random.default_rng(problem.seed)
    x, w, y = (values(rng, shape, dtype) for shape in (problem.x, problem.w, problem.y))
    given, rank = {**problem.given, "groups": problem.groups}, problem.ndim
    by_input, by_weight = (getattr(nn.grad, f"conv{rank}d_{name}") for name in ("input", "weight"))
    check(lambda x, w: getattr(nn, f"conv{rank}d")(x, w, **given), x, w, library=...)
    check(lambda w, y: by_input(x.shape, w, y, **given), w, y, library=...)
    check(lambda x, y: by_weight(x, w.shape, y, **given), x, y, library=...)


def test_transposed_convolutions():
    for stride in (1, 2):
        check(lambda x, w, stride=stride: nn.conv_transpose2d(x, w, stride=stride, padding="valid"),
              values(RNG, (2, 5, 6, 4), "f"), values(RNG, (2, 3, 7, 4), "f"))


def test_arrays_that_suit_are_not_copied(monkeypatch):
    copied = []
    copy = cudnn.arranged.copy
    monkeypatch.setattr(cudnn.arranged, "copy", lambda driver, call, x, *more: copied.append(x.shape)
                        or copy(driver, call, x, *more))
    x, w = values(RNG, (2, 5, 6, 4), "f"), values(RNG, (3, 2, 4, 7), "f")
    check(nn.conv2d, x, w)
    assert copied == [(7, 3, 2, 4)]
    check(lambda x, w: nn.conv2d(x[:, ::2], w), x, w)
    assert copied[1:] == [(2, 3, 6, 4), (7, 3, 2, 4)]


@pytest.mark.parametrize(("dtype", "options"), [
    ("f", {"padding": [(0, 1), (1, 1)]}), ("f", {"stride": 2, "padding": [(2, 0), (1, 1)]}), ("F", {}), ("D", {})])
def test_what_cudnn_does_not_take_is_ours(dtype, options):
    check(lambda x, w: nn.conv2d(x, w, **options), values(RNG, (2, 5, 6, 4), dtype),
          values(RNG, (3, 3, 4, 6), dtype), library=None)


def test_integers_are_ours():
    x, w = values(RNG, (2, 5, 6, 4), "i"), values(RNG, (3, 3, 4, 6), "i")
    np.testing.assert_array_equal(made_by(None, lambda: nn.conv2d(there(x), there(w))),
                                  nn.conv2d(la.asarray(x), la.asarray(w)).numpy())


def test_float16_is_computed_in_float32():
    x, w = values(RNG, (2, 5, 6, 4), "e"), values(RNG, (3, 3, 4, 6), "e")
    check(nn.conv2d, x, w)


# ---- warnings ------------------------------------------------------------------------------------------


def messages(function, *operands):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        function(*map(there, operands)).numpy()
    return sorted(str(warning.message).split(" encountered")[0] for warning in seen)


@pytest.mark.parametrize("sums", ["forward", "input", "weight"])
@pytest.mark.parametrize(("value", "other", "wanted"), [
    (1e30, 1e30, ["overflow"]), (np.inf, 1.0, []), (np.nan, 1.0, []), (np.inf, 0.0, ["invalid value"]), (1.0, 1.0, [])])
def test_overflow_and_invalid_values_are_reported(monkeypatch, sums, value, other, wanted):
    a, b = np.ones((1, 4, 4, 2), "f"), np.ones((3, 3, 2, 2), "f")
    call, options = nn.conv2d, {"padding": 1}
    if sums == "input":
        def call(y, w, **options):
            return nn.grad.conv2d_input(a.shape, w, y, **options)
    if sums == "weight":
        b = a.copy()

        def call(x, y, **options):
            return nn.grad.conv2d_weight(x, (3, 3, 2, 2), y, **options)

    a[0, 1, 2, 1], b[...] = value, other
    found = messages(lambda x, y: call(x, y, **options), a, b)
    assert found == wanted
    monkeypatch.setattr(loading.Library, "functions", lambda *arguments: None)
    assert messages(lambda x, y: call(x, y, **options), a, b) == found      # those of our kernels


# ---- algorithms, workspace, errors ---------------------------------------------------------------------


def problem_of(dtype="f"):
    return values(RNG, (2, 5, 6, 4), dtype), values(RNG, (3, 3, 4, 6), dtype)


def test_algorithms_are_chosen_once_for_a_problem():
    counted, (x, w) = mock(), problem_of()
    cudnn.plans.cache_clear()
    before = counted.mock_count(b"cudnnGetConvolutionForwardAlgorithm_v7")
    for _ in range(3):
        check(nn.conv2d, x, w)
    assert counted.mock_count(b"cudnnGetConvolutionForwardAlgorithm_v7") == before + 1
    check(nn.conv2d, x[:, 1:], w)
    assert counted.mock_count(b"cudnnGetConvolutionForwardAlgorithm_v7") == before + 2


def chosen(monkeypatch):
    """Record the algorithms and workspace sizes of calls."""
    functions, seen = LIBRARY.functions(DRIVER._version), []
    convolve = functions.cudnnConvolutionForward

    def noted(*arguments):
        seen.append((arguments[7], arguments[9]))
        return convolve(*arguments)

    monkeypatch.setattr(functions, "cudnnConvolutionForward", noted)
    cudnn.plans.cache_clear()
    return seen


def test_algorithms_add_products_in_a_fixed_order(monkeypatch):
    seen = chosen(monkeypatch)
    check(nn.conv2d, *problem_of())
    assert seen == [(1, 4096)]      # not Winograd's, which comes first


def test_an_algorithm_with_too_large_a_workspace_is_passed_over(monkeypatch):
    seen = chosen(monkeypatch)
    monkeypatch.setattr(cudnn, "_MOST_WORKSPACE", 4000)
    check(nn.conv2d, *problem_of())
    assert seen == [(0, 0)]


def test_without_room_for_a_workspace_another_algorithm_is_taken(monkeypatch):
    seen, workspace = chosen(monkeypatch), type(DRIVER).workspace

    def full(self, nbytes):
        if nbytes == 4096:
            raise MemoryError("no room")
        return workspace(self, nbytes)

    monkeypatch.setattr(type(DRIVER), "workspace", full)
    check(nn.conv2d, *problem_of())
    assert seen == [(0, 0)]


def test_what_has_no_algorithm_is_ours(monkeypatch):
    monkeypatch.setattr(cudnn, "_ALGORITHMS", dict.fromkeys(("forward", "input", "weight"), ()))
    cudnn.plans.cache_clear()
    check(nn.conv2d, *problem_of(), library=None)
    cudnn.plans.cache_clear()


@pytest.mark.parametrize("function", ["cudnnGetConvolutionForwardAlgorithm_v7", "cudnnConvolutionForward"])
def test_what_the_library_refuses_is_ours(monkeypatch, function):
    def refuse(*arguments):
        raise loading.LibraryError(function, "CUDNN_STATUS_NOT_SUPPORTED_SHAPE", False)

    monkeypatch.setattr(LIBRARY.functions(DRIVER._version), function, refuse)
    cudnn.plans.cache_clear()
    check(nn.conv2d, *problem_of(), library=None)
    cudnn.plans.cache_clear()


@pytest.mark.parametrize(("status", "name"), [(5000, "CUDNN_STATUS_EXECUTION_FAILED"), (77, "status 77")])
def test_a_failing_call_is_an_error_that_names_device_and_function(status, name):
    counted, (x, w) = mock(), problem_of()
    y = nn.conv2d(there(x), there(w))
    counted.mock_fail(b"cudnnConvolutionForward", 0, status)
    with pytest.raises(RuntimeError, match=f"cuda:0 .* has failed: {name}, in cudnnConvolutionForward"):
        y.numpy()
    np.testing.assert_allclose(y.numpy(), nn.conv2d(la.asarray(x), la.asarray(w)).numpy(), rtol=1e-5, atol=1e-5)


def test_descriptors_are_destroyed_with_their_plan():
    counted, device = mock(), another_driver()
    names = [f"cudnn{what}{kind}Descriptor".encode() for kind in ("Tensor", "Filter", "Convolution")
             for what in ("Create", "Destroy")]
    problem = cudnn.Problem("forward", "f", 1, (1, 2, 3, 3), (2, 2, 1, 1), (1, 2, 3, 3), (0, 0), (1, 1), (1, 1))
    before = [counted.mock_count(name) for name in names]
    handles = loading.Handles(LIBRARY, cudnn.plans(problem).make, cudnn.plans(problem).destroy)
    device.run_library(handles, lambda functions, plan: None, [])
    del handles
    gc.collect()
    device.run_library(cudnn.HANDLES, lambda functions, handle: None, [])
    assert [counted.mock_count(name) - count for name, count in zip(names, before, strict=True)] == [2, 2, 1, 1, 1, 1]


def test_a_library_for_a_newer_driver_is_not_used():
    mock()
    loading.Library.functions.cache_clear()
    assert LIBRARY.functions(11) is None        # the mock is for CUDA 12
    assert LIBRARY.functions(12) is not None
    loading.Library.functions.cache_clear()
