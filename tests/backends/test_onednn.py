"""oneDNN's rows: same values up to rounding, what they reject, and that they run only on request."""

import ctypes
import importlib.metadata
import threading
import warnings
from math import prod

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

import lazyarr as la
from lazyarr.backends import libdnnl, onednn
from lazyarr.backends.choice import candidates
from lazyarr.backends.table import Operand, rows_of
from lazyarr.ops.windows import place
from support import conv_problems

needs_package = pytest.mark.skipif(libdnnl.path() is None, reason="needs onednn-cpu-gomp")

DRAW = np.random.default_rng(0)
SIDES = st.integers(1, 9) | st.sampled_from((16, 33, 64))
LAYOUTS = st.sampled_from([layout for layout in conv_problems.LAYOUTS if layout != "swapped"])
multiply = rows_of("matmul")["onednn"].run


def floats(*shape):
    return DRAW.standard_normal(shape).astype("f")


def operations(x):
    return [name for step in la.explain(x).steps for name in step.operations]


def assert_near(found, expected, size, terms):
    """Check the error of float32 sums: `size` bounds the sum of the terms' absolute values."""
    assert found.dtype == np.float32
    assert found.shape == expected.shape
    bound = (terms + 1) * np.finfo("f").eps * size + np.finfo("f").tiny
    assert (np.abs(found - expected) <= bound).all()


def check_product(found, a, b):
    wide = a.astype(float), b.astype(float)
    assert_near(found, np.matmul(*wide), np.matmul(*map(np.abs, wide)), a.shape[-1])


# ---- products ------------------------------------------------------------------------------------------


@needs_package
@given(SIDES, SIDES, SIDES, st.sampled_from([
    ((), ()), ((3,), ()), ((), (3,)), ((2, 3), (3,)), ((1, 3), (2, 1)), ((2, 1, 2), (1, 3, 2))]), LAYOUTS, LAYOUTS)
def test_products_of_any_layout(rows, terms, columns, stacks, first, second):
    a, b = floats(*stacks[0], rows, terms), floats(*stacks[1], terms, columns)
    a, b = conv_problems.laid_out(a, first), conv_problems.laid_out(b, second)
    check_product(multiply(a, b, out=None), a, b)
    lazy = la.asarray(a) @ la.asarray(b)
    with la.backend("onednn"):
        check_product(lazy.numpy(), a, b)


@needs_package
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "rows apart", "misaligned"])
def test_results_are_written_to_memory_of_any_layout(layout):
    a, b = floats(2, 5, 7), floats(7, 6)
    out = conv_problems.laid_out(np.zeros((2, 5, 6), "f"), layout)
    assert multiply(a, b, out=out) == 0
    check_product(out, a, b)


@needs_package
@pytest.mark.parametrize(("a", "b"), [((7,), (7, 5)), ((5, 7), (7,)), ((2, 5, 7), (7,)), ((7,), (2, 7, 5)),
                                      ((5, 1), (1, 4)), ((1, 5), (5, 1)), ((1, 1), (1, 1))])
def test_vectors_and_single_lines(a, b):
    a, b = floats(*a), floats(*b)
    made = la.asarray(a) @ la.asarray(b)
    with la.backend("onednn"):
        assert operations(made) == ["matmul [onednn]"]
        check_product(made.numpy(), a, b)


@needs_package
def test_axes_that_were_joined():
    x, y = floats(2, 3, 4), floats(4, 5)
    made = np.tensordot(la.asarray(x), la.asarray(y), 1)
    with la.backend("onednn"):
        assert operations(made) == ["dot [onednn]"]
        check_product(made.numpy(), x, y)


@needs_package
def test_transposed_operands_are_not_copied(monkeypatch):
    seen = []
    monkeypatch.setattr(libdnnl.Primitive, "run", lambda self, *arrays: seen.extend(arrays))
    a, b, out = floats(7, 5), floats(2, 6, 7), np.empty((2, 5, 6), "f")
    multiply(a.T, b.swapaxes(1, 2), out=out)
    assert [np.shares_memory(*pair) for pair in zip(seen, (a, b, out), strict=True)] == [True] * 3


# ---- convolutions --------------------------------------------------------------------------------------


def check_sum(name, function, arrays, terms, may_refuse=False):
    """A sum by oneDNN, as near to that of float64 as it may be; unless there is nothing to sum up."""
    wide = [x.astype(float) for x in arrays]
    expected, size = function(*map(la.asarray, wide)).numpy(), function(*[la.asarray(np.abs(x)) for x in wide]).numpy()
    if not expected.size or not all(x.size for x in arrays):
        return
    made = function(*map(la.asarray, arrays))
    with la.backend("onednn"):
        shown = operations(made)
        assert f"{name} [onednn]" in shown or (may_refuse and name in shown)
        assert_near(made.numpy(), expected, size, terms)


@needs_package
@given(conv_problems.problems())
def test_convolutions_and_their_gradients(problem):
    x, w, y = [conv_problems.data("float32", shape, problem.seed) for shape in (problem.x, problem.w, problem.y)]
    x, w = [conv_problems.laid_out(*pair) for pair in zip((x, w), problem.layouts, strict=True)]
    assume("swapped" not in problem.layouts)
    ndim, given = problem.ndim, {**problem.given, "groups": problem.groups}
    nn, grad = la.nn, la.nn.grad
    check_sum(f"conv{ndim}d", lambda x, w: getattr(nn, f"conv{ndim}d")(x, w, **given), (x, w), prod(w.shape[:-1]))
    check_sum(f"conv{ndim}d_input", lambda w, y: getattr(grad, f"conv{ndim}d_input")(x.shape, w, y, **given), (w, y),
              prod(w.shape) // w.shape[-2] // problem.groups if w.size else 0)
    check_sum(f"conv{ndim}d_weight", lambda x, y: getattr(grad, f"conv{ndim}d_weight")(x, w.shape, y, **given), (x, y),
              prod(y.shape[:-1]))


@needs_package
@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2), st.integers(0, 2),
       st.sampled_from((1, 2)))
def test_transposed_convolutions(ndim, taps, stride, dilation, padding, output_padding, groups):
    reach = (taps - 1) * dilation + 1
    assume(output_padding < max(stride, dilation) and 2 * padding < reach + output_padding)
    x, w = floats(2, *(4, 5, 3)[:ndim], 6), floats(*[taps] * ndim, 3, 6)
    given = {"stride": stride, "padding": padding, "output_padding": output_padding, "dilation": dilation,
             "groups": groups}
    check_sum(f"conv_transpose{ndim}d", lambda x, w: getattr(la.nn, f"conv_transpose{ndim}d")(x, w, **given), (x, w),
              taps**ndim * 6 // groups, may_refuse=output_padding - padding >= stride)


@needs_package
@pytest.mark.parametrize("sums", ["forward", "weight"])
def test_weights_are_converted_to_a_layout_that_suits(sums):
    x, w, y = (2, 14, 14, 32), (3, 3, 32, 64), (2, 12, 12, 64)
    windows = place(x, (3, 3), 1, 0, 1)
    if onednn._convolution(sums, x, w, y, windows, 1, 1)._convert is None:
        pytest.skip("this processor takes them as they are")
    f = la.nn.conv2d if sums == "forward" else lambda x, y: la.nn.grad.conv2d_weight(x, w, y)
    check_sum("conv2d" if sums == "forward" else "conv2d_weight", f, (floats(*x), floats(*(
        w if sums == "forward" else y))), 9 * 32 if sums == "forward" else prod(y[:-1]))


@needs_package
def test_a_network_is_differentiated():
    x, w, v = floats(4, 10, 10, 3), floats(3, 3, 3, 8), floats(8 * 64, 5)

    def loss(w, v):
        hidden = la.nn.relu(la.nn.conv2d(la.asarray(x), w))
        return ((hidden.reshape(4, -1) @ v) ** 2).mean()

    expected = [g.numpy() for g in la.grad(loss, (0, 1))(w, v)]
    with la.backend("onednn"):
        for found, plain in zip(la.grad(loss, (0, 1))(w, v), expected, strict=True):
            assert np.allclose(found, plain, rtol=1e-4, atol=1e-4 * np.abs(plain).max())


# ---- what is refused -----------------------------------------------------------------------------------


def form(*shape, dtype="float32"):
    return Operand(shape, np.dtype(dtype), (0,) * len(shape))


@needs_package
@pytest.mark.parametrize(("a", "b"), [
    (form(4, 4, dtype="float64"), form(4, 4, dtype="float64")), (form(4, 4), form(4, 4, dtype=">f4")),
    (form(4, 0), form(0, 4)), (form(0, 4), form(4, 4)), (form(4), form(4)), (form(2, 2**30), form(2**30, 2)),
    (form(*[1] * 13), form(1, 1))])
def test_products_it_refuses(a, b):
    assert "onednn" in candidates("matmul", None, {}, [form(4, 4), form(4, 4)])
    assert "onednn" not in candidates("matmul", None, {}, [a, b])


@needs_package
@pytest.mark.parametrize("change", [
    {"dtype": "float64"}, {"x": (0, 8, 8, 4)}, {"windows": {"positions": (0, 6)}}, {"windows": {"before": (2**30, 0)}},
    {"windows": {"positions": (5, 6)}}])
def test_convolutions_it_refuses(change):
    def found(dtype="float32", x=(2, 8, 8, 4), windows=()):
        whole = place((2, 8, 8, 4), (3, 3), 1, 0, 1)._replace(**dict(windows))
        forms = [form(*x, dtype=dtype), form(3, 3, 4, 4, dtype=dtype)]
        return candidates("conv2d", None, {"sums": "forward", "windows": whole, "groups": 1}, forms)

    assert "onednn" in found()
    assert "onednn" not in found(**change)


# ---- when it runs --------------------------------------------------------------------------------------


@needs_package
def test_it_runs_only_when_asked_for_or_measured():
    made = la.asarray(floats(64, 64)) @ la.asarray(floats(64, 64))
    assert operations(made) == ["matmul"]
    with la.config(exact=True), la.backend("onednn"):
        assert operations(made) == ["matmul"]
    with la.backends.measure(0) as found:
        la.evaluate(made)
    la.backends.forget()
    assert [sorted(taken) for taken in found.values()] == [["native", "numpy", "onednn"]]


@needs_package
def test_the_library_is_loaded_by_the_first_call(run_python):
    assert run_python("""
        import numpy as np, lazyarr as la

        def is_loaded():
            with open("/proc/self/maps") as maps:
                return "libdnnl" in maps.read()

        x = la.asarray(np.ones((8, 8), "f"))
        with la.backend("onednn"):
            y = x @ (x + 1)
            print(is_loaded(), la.explain(y).steps[-1].operations)
            print(float(y[0, 0]), is_loaded())
    """) == "False ('matmul [onednn]',)\n16.0 True\n"


@needs_package
def test_primitives_are_kept():
    x, w = la.asarray(floats(2, 9, 9, 5)), la.asarray(floats(3, 3, 5, 7))
    a, b = la.asarray(floats(11, 13)), la.asarray(floats(13, 17))
    with la.backend("onednn"):
        la.evaluate(la.nn.conv2d(x, w), a @ b)
        before = [kept.cache_info().misses for kept in (onednn._product, onednn._convolution)]
        la.evaluate(la.nn.conv2d(x + 1, w), (a * 2) @ b)
        assert [kept.cache_info().misses for kept in (onednn._product, onednn._convolution)] == before
    assert onednn._product.cache_info().maxsize == onednn._convolution.cache_info().maxsize == onednn._KEPT


@needs_package
def test_what_is_not_kept_is_destroyed(monkeypatch):
    gone, function = [], libdnnl.library().function

    def watched(name):
        if name.endswith("_destroy"):
            return lambda made: [gone.append(name), function(name)(made)]
        return function(name)

    libdnnl.engine(), libdnnl._options()
    monkeypatch.setattr(libdnnl.library(), "function", watched)
    onednn._product.__wrapped__((3, 3), (3, 3), (3, 1), (3, 3), (3, 1), 1)
    assert sorted(gone) == [*["memory_desc_destroy"] * 3, "primitive_desc_destroy", "primitive_destroy"]


@needs_package
def test_threads_are_those_of_the_setting(monkeypatch):
    seen, run = [], libdnnl.Primitive.run

    def watched(self, *arrays):
        seen.append(libdnnl.library().get_threads())
        run(self, *arrays)

    monkeypatch.setattr(libdnnl.Primitive, "run", watched)
    x, y = floats(200, 300), floats(300, 200)
    before = libdnnl.library().get_threads()
    for count in (1, 2, 3):
        with la.config(num_threads=count), la.backend("onednn"):
            check_product((la.asarray(x) @ la.asarray(y)).numpy(), x, y)
    assert seen == [1, 2, 3]
    assert libdnnl.library().get_threads() == before


@needs_package
def test_several_threads_run_one_primitive():
    problems = [(floats(64, 200), floats(200, 96)) for _ in range(4)]
    found = [[] for _ in problems]

    def work(k):
        for _ in range(50):
            found[k].append(multiply(*problems[k], out=None))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for (a, b), made in zip(problems, found, strict=True):
        assert len(made) == 50
        for each in made:
            check_product(each, a, b)


@needs_package
def test_a_forked_child(run_python):
    assert run_python("""
        import os, numpy as np, lazyarr as la

        x, w = la.asarray(np.ones((8, 30, 30, 16), "f")), la.asarray(np.ones((3, 3, 16, 32), "f"))
        a = la.asarray(np.ones((300, 300), "f"))
        with la.config(num_threads=2), la.backend("onednn"):
            def results():
                return float(la.nn.conv2d(x, w)[0, 0, 0, 0]), float((a @ (a + 1))[0, 0])

            expected = results()
            child = os.fork()
            if child == 0:
                os._exit(results() != expected)
            print(expected, os.waitpid(child, 0)[1], results() == expected)
    """) == "(144.0, 600.0) 0 True\n"


# ---- errors --------------------------------------------------------------------------------------------


@needs_package
@pytest.mark.parametrize(("a", "what"), [(np.full((4, 4), 1e30, "f"), ["overflow"]), (
    np.array([[np.inf, -np.inf]], "f").repeat(4, 0), ["invalid"]), (np.full((4, 4), np.nan, "f"), []), (
    np.full((4, 4), np.inf, "f"), []), (np.full((4, 4), 3e37, "f"), [])])
def test_floating_point_errors_are_reported(a, what):
    b = np.full((a.shape[1], 3), 1e30 if what == ["overflow"] else 1, "f")
    with la.backend("onednn"):
        made = la.asarray(a) @ la.asarray(b)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made.numpy()
        assert [str(w.message).split()[0] for w in caught] == what
        if what:
            with np.errstate(all="raise"), pytest.raises(FloatingPointError, match=what[0]):
                (la.asarray(a) @ la.asarray(b)).numpy()


@needs_package
def test_products_that_numpy_computes_report_them_too():
    x = la.asarray(np.full((4, 4), 1e30, "f"))
    with la.backend("onednn"):
        assert operations(x @ x.T) == ["matmul [onednn]"]
        with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
            (x @ x.T).numpy()


@needs_package
def test_convolutions_report_them():
    x, w = la.asarray(np.full((1, 4, 4, 1), 1e30, "f")), la.asarray(np.full((2, 2, 1, 1), 1e30, "f"))
    with la.backend("onednn"), np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        la.nn.conv2d(x, w).numpy()


@needs_package
def test_errors_of_the_library(monkeypatch):
    def fail(*key):
        libdnnl.layout((3, 3), (1, 1))  # elements overlap

    made = la.asarray(floats(4, 5)) @ la.asarray(floats(5, 6))
    with la.backend("onednn"), monkeypatch.context() as patched:
        patched.setattr(onednn, "_product", fail)
        with pytest.raises(RuntimeError, match="dnnl_memory_desc_create_with_strides returned invalid_arg") as caught:
            made.numpy()
    assert "matmul [onednn]" in caught.value.__notes__[0]
    assert made.numpy().shape == (4, 6)


@needs_package
def test_the_library_is_out_of_memory(monkeypatch):
    function = libdnnl.library().function
    monkeypatch.setattr(libdnnl.library(), "function", lambda name: (
        function(name) if name == "status2str" else lambda *arguments: 1))
    with pytest.raises(MemoryError, match="dnnl_engine_create returned out_of_memory"):
        libdnnl.library().call("engine_create", ctypes.c_void_p())


# ---- without the package -------------------------------------------------------------------------------


def test_without_the_package_it_cannot_be_asked_for(monkeypatch):
    monkeypatch.setattr(libdnnl, "path", lambda: None)
    for ask in (lambda: la.backend("onednn"), lambda: la.config(backend={"matmul": "onednn"}),
                lambda: la.backend("onednn", "conv2d"), libdnnl.Library):
        with pytest.raises(ImportError, match=r"onednn needs the package onednn-cpu-gomp.*'lazyarr\[onednn\]'"):
            ask()
    assert la.config.backend is None
    assert "onednn" not in candidates("matmul", None, {}, [form(4, 4), form(4, 4)])


def test_packages_without_the_library(monkeypatch):
    def missing(package):
        raise importlib.metadata.PackageNotFoundError(package)

    for files in (missing, lambda package: None, lambda package: [importlib.metadata.PackagePath("lib/other.so")]):
        monkeypatch.setattr(importlib.metadata, "files", files)
        assert libdnnl.path.__wrapped__() is None


def test_a_library_that_cannot_be_loaded(monkeypatch, tmp_path):
    (tmp_path / "libdnnl.so.3").write_text("no library")
    monkeypatch.setattr(libdnnl, "path", lambda: str(tmp_path / "libdnnl.so.3"))
    with pytest.raises(ImportError, match=r"the library of onednn-cpu-gomp cannot be loaded: .*libdnnl"):
        libdnnl.Library()
