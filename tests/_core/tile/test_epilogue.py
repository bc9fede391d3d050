"""Epilogues of kernels: they are used, with the same bits, errors and memory as separate steps."""

import functools
import signal

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host import allocator
from lazyarr._core.tile import epilogue
from support.epilogue_units import draw, units
from support.feature_switches import assert_same_bits, switched


def both(make):
    """Return the arrays of make() with epilogues, and their units; bits must equal those without."""
    results = make()
    counted = units(results)
    with switched(epilogue, False):
        expected = make()
        assert units(expected)[1] == 0
    assert_same_bits(results, expected)
    return [np.asarray(result) for result in results], counted


# Programs of a kernel's result, and operands of its dtype: r and c as rows and columns, m of its shape.
PROGRAMS = {
    "row": lambda y, r, c, m: [y + r],
    "column": lambda y, r, c, m: [c - y],
    "matrix": lambda y, r, c, m: [m * y],
    "scalar": lambda y, r, c, m: [y * 3],
    "chain": lambda y, r, c, m: [np.maximum(y * r + m, r[0])],
    "strided": lambda y, r, c, m: [y + m[..., ::-1]],
    "broadcast": lambda y, r, c, m: [y + m[..., :1, :] * c],
    "squared": lambda y, r, c, m: [y * y + y],
    "cast": lambda y, r, c, m: [(y + r).astype("complex128")],
    "compared": lambda y, r, c, m: [y == m],
    "several": lambda y, r, c, m: (lambda z: [z, z * m, z + c])(y - r),
    "selected": lambda y, r, c, m: [np.where(m == r, y, m)],
}

PRODUCTS = [  # a's shape, b's
    ((2000, 32), (32, 64)), ((3001, 5), (5, 3)), ((517, 33), (33, 400)), ((40, 300), (300, 700)), ((600, 7), (7, 1000)),
    ((900, 1000), (1000, 20)), ((5, 200, 16), (16, 24)), ((7, 90, 16), (7, 16, 30)), ((300, 8, 8), (300, 8, 8)),
    ((3, 1, 50, 4), (2, 4, 500)),
]


@functools.cache
def product_operands(dtype):
    """Yield a, b, the other operands and NumPy's product, for each problem."""
    rng, found = np.random.default_rng(0), []
    for left, right in PRODUCTS:
        a, b = draw(rng, left, dtype), draw(rng, right, dtype)
        product = a @ b
        shape = product.shape
        found.append((a, b, [draw(rng, part, dtype) for part in (shape[-1:], (*shape[:-1], 1), shape)], product))
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_products(threads, name, dtype):
    handed = 0
    for number, (left, right, arrays, product) in enumerate(product_operands(dtype)):
        a, b, *others = [la.asarray(x) for x in (left, right, *arrays)]
        if number % 3 == 0:  # rows that do not adjoin
            a = la.asarray(np.repeat(left, 2, axis=-1))[..., ::2]
        results, (whole, part) = both(lambda a=a, b=b, others=others: PROGRAMS[name](a @ b, *others))
        assert part <= whole > 0
        handed += part
        expected = PROGRAMS[name](product, *arrays)
        for got, other in zip(results, expected, strict=True):
            if other.dtype != bool:
                np.testing.assert_allclose(got, other, rtol=1e-3, atol=1e-2)
    assert handed > 0


CONVOLUTIONS = {  # x's shape, w's, options
    "1 x 1": ((2, 30, 40, 16), (1, 1, 16, 24), {}),
    "1 x 1 with strides": ((1, 61, 40, 5), (1, 1, 5, 33), {"stride": 2}),
    "3 x 3": ((2, 25, 31, 8), (3, 3, 8, 20), {"padding": 1}),
    "a wide line": ((1, 3, 3000, 8), (3, 3, 8, 20), {"padding": 1}),
    "many terms": ((1, 20, 20, 700), (3, 3, 700, 20), {"padding": "same"}),
    "depthwise": ((2, 40, 40, 24), (3, 3, 1, 24), {"groups": 24, "dilation": 2}),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolutions(threads, case, dtype):
    rng = np.random.default_rng(1)
    shape, taps, options = CONVOLUTIONS[case]
    x, w = (la.asarray(draw(rng, each, dtype)) for each in (shape, taps))
    handed = 0
    shape = la.nn.conv2d(x, w, **options).shape
    others = [la.asarray(draw(rng, part, dtype)) for part in (shape[-1:], (*shape[:-1], 1), shape)]
    for name, program in PROGRAMS.items():
        _, (whole, part) = both(lambda program=program: program(la.nn.conv2d(x, w, **options), *others))
        assert whole > 0, name
        handed += part
    # with several threads columns may be split; complex groups are computed one by one
    if threads == 1 and (np.dtype(dtype).kind != "c" or case != "depthwise"):
        assert handed > 0


@pytest.mark.parametrize("stride", [1, (2, 1), (3, 1), 2])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_for_inputs(threads, dtype, stride):
    """Of several sums, each for some of the lines, whole lines are handed over."""
    rng = np.random.default_rng(5)
    g, w = (la.asarray(draw(rng, shape, dtype)) for shape in ((1, 9, 1500, 8), (2, 3, 20, 8)))
    row = la.asarray(draw(rng, 20, dtype))
    _, (whole, handed) = both(lambda: [np.maximum(la.nn.conv_transpose2d(g, w, stride=stride) + row, 0) * 2])
    assert whole > 0
    if threads == 1:  # several may divide the columns
        assert (handed > 0) == (stride != 2)


def layers(dtype):
    """Layers of networks: typical epilogues, always used on one thread."""
    rng = np.random.default_rng(2)
    a, b, row, matrix = (la.asarray(draw(rng, s, dtype)) for s in ((3000, 32), (32, 64), 64, (3000, 64)))
    x, w, bias = (la.asarray(draw(rng, s, dtype)) for s in ((1, 64, 64, 16), (1, 1, 16, 32), 32))
    yield lambda: [a @ b + row]
    yield lambda: [a @ b + matrix]
    yield lambda: [np.maximum(a @ b * 2 + matrix, 0)]
    yield lambda: [np.maximum(la.nn.conv2d(x, w) + bias, 0)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_layers_are_handed_over_whole(dtype):
    with la.config(num_threads=1):
        for make in layers(dtype):
            _, (whole, part) = both(make)
            assert whole == part > 0


# Convolutions that recompute lines with non-finite results: shapes of x and w, and the function.
REPEATED = {
    "Winograd": ((2, 66, 66, 64), (3, 3, 64, 64), lambda x, w: la.nn.conv2d(x, w, padding=1)),
    "Winograd, odd": ((1, 67, 45, 64), (3, 3, 64, 70), la.nn.conv2d),
    "Winograd, planes": ((1, 5, 40, 45, 64), (1, 3, 3, 64, 64), lambda x, w: la.nn.conv3d(x, w, padding=(0, 1, 1))),
    "joined": ((2, 66, 66, 64), (3, 3, 64, 3), la.nn.conv2d),
    "joined, some left": ((2, 69, 66, 64), (5, 5, 64, 3), la.nn.conv2d),
    "joined, float64": ((1, 69, 66, 64), (5, 5, 64, 3), lambda x, w: la.nn.conv2d(x.astype("f8"), w.astype("f8"))),
    "joined, complex": ((1, 69, 66, 32), (5, 5, 32, 3), lambda x, w: la.nn.conv2d(x * (1 + 2j), w)),
    "joined, of a gradient": ((2, 69, 35, 64), (5, 5, 3, 64), lambda g, w: la.nn.grad.conv2d_input(
        (2, 69, 68, 3), w, g, stride=(1, 2), padding=(2, 3))),
    "joined, of a gradient with steps": ((1, 45, 35, 64), (1, 5, 3, 64), lambda g, w: la.nn.grad.conv2d_input(
        (1, 89, 70, 3), w, g, stride=2, padding=(0, 2))),
}


@pytest.mark.parametrize("case", REPEATED)
def test_lines_that_are_not_finite_are_computed_anew(threads, case):
    rng = np.random.default_rng(3)
    shape, taps, convolution = REPEATED[case]
    x, w = (la.asarray(draw(rng, each, "float32")) for each in (shape, taps))
    infinite = np.array(x)
    for line, value in ((0, np.inf), (30, np.nan), (31, -np.inf), (shape[-3] - 1, 3e38)):
        infinite[(-1, *[0] * (infinite.ndim - 4), line, 12, 5)] = value
    infinite = la.asarray(infinite)

    def followed(image):
        return [np.maximum(convolution(image, w) - 1, 0) * 2]

    with np.errstate(all="ignore"):
        _, (whole, handed) = both(lambda: followed(x))
        _, (_, of_infinite) = both(lambda: followed(infinite))
        with la.config(exact=True):
            expected = np.asarray(convolution(infinite, w))
        got = np.asarray(convolution(infinite, w))
    if "steps" not in case:  # whose lines do not adjoin
        assert whole >= handed > of_infinite > 0
        assert threads > 1 or whole == handed
    assert np.array_equal(np.isfinite(got), np.isfinite(expected))
    assert not np.isfinite(got).all()


def operands(dtype="float64"):
    rng = np.random.default_rng(4)
    return [draw(rng, s, dtype) for s in ((500, 6), (6, 40), 40)]


def lazy_operands():
    return [la.asarray(x) for x in operands()]


def runs_behind(*results):
    return units(results)[0] > 0


def test_results_that_are_wanted_elsewhere_are_kept():
    a, b, row = lazy_operands()
    product = a @ b
    result = product + row
    assert not runs_behind(result)
    expected = np.asarray(a @ b)
    np.testing.assert_array_equal(product, expected)
    np.testing.assert_array_equal(result, expected + np.asarray(row))


@pytest.mark.parametrize("make", [
    lambda y, row: [y[1:] + y[:-1]],
    lambda y, row: [y + y[::-1]],
    lambda y, row: [(y + row).sum(axis=0)],
    lambda y, row: [y.T + 1],
    lambda y, row: [y + np.ones((3, 1, 1))],
    lambda y, row: [y + 1, y[:, :20] @ row[:20]],
], ids=["windows", "turned", "a sum", "transposed", "broadcast", "read twice"])
def test_other_readers_wait_for_the_whole_result(make):
    a, b, row = lazy_operands()
    results = make(a @ b, row)
    assert not runs_behind(*results)
    expected = make(np.asarray(lazy_operands()[0] @ b), np.asarray(row))
    for got, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(got, other, rtol=1e-12)


def test_an_update_in_place_does_not_run_behind_a_kernel():
    a, b, row = lazy_operands()
    x = la.ones((501, 40))
    x[1:] = a @ b + row
    assert not runs_behind(x)
    np.testing.assert_array_equal(x[1:], a @ b + row)
    np.testing.assert_array_equal(x[0], 1)


def test_a_step_between_a_kernel_and_its_reader_does_not_part_them():
    a, b, row = lazy_operands()
    result = a @ b + np.sort(np.exp(row) + 1)
    assert runs_behind(result)
    np.testing.assert_allclose(result, np.asarray(a) @ np.asarray(b) + np.sort(np.exp(np.asarray(row)) + 1))


def test_several_kernels_before_one_program():
    a, b, row = lazy_operands()
    result = (a @ b) * (a @ (b * 2)) + row
    assert runs_behind(result)
    product = np.asarray(a) @ np.asarray(b)
    np.testing.assert_allclose(result, product * (2 * product) + np.asarray(row))


class Copy(api.Kernel):
    """A copy that may hand parts over, or not."""

    def __init__(self, hands_over):
        self.hands_over = hands_over

    def __call__(self, out, x):
        np.copyto(out, x)


def test_kernels_that_hand_nothing_over_have_other_plans():
    x = la.ones((30, 20))
    for hands_over in (True, False, True):
        copied = api.kernel("copy", Copy(hands_over), [x], x.shape, x.dtype)
        result = copied + 1
        del copied
        assert runs_behind(result) == hands_over
        assert (result.numpy() == 2).all()


# ---- errors --------------------------------------------------------------------------------------------


def overflowing():
    """Return products of which some overflow, and an operand with which others do."""
    a, b = np.full((400, 4), 1e200), np.full((4, 50), 1e100)
    a[300] = 1e250
    return la.asarray(a), la.asarray(b)


def test_warnings_name_the_kernel_and_the_operations(threads):
    a, b = overflowing()

    def make():
        with np.errstate(all="warn"):
            y = a @ b
            y = y * 1e10
            return y - y
    with pytest.warns(RuntimeWarning) as caught:
        result = make().numpy()
    first = make.__code__.co_firstlineno
    told = [(str(warning.message), warning.lineno - first) for warning in caught]
    assert told == [("overflow encountered in matmul", 2), ("overflow encountered in multiply", 3),
                    ("invalid value encountered in subtract", 4)]
    assert np.isnan(result).all()
    assert all(warning.filename == __file__ for warning in caught)


def test_flags_of_results_that_do_not_take_the_kernels_memory_are_told_of(threads):
    a, b = la.ones((400, 4), "f4"), la.ones((4, 50), "f4")
    with pytest.warns(RuntimeWarning) as caught:
        ((a @ b).astype("f8") * 1e200 * 1e200 + 1).numpy()
    assert {str(warning.message) for warning in caught} == {"overflow encountered in multiply"}


def test_a_kernel_without_flags_does_not_get_the_programs():
    a, b, row = lazy_operands()
    with pytest.warns(RuntimeWarning) as caught, np.errstate(all="warn"):
        (a @ b / (row * 0)).numpy()
    assert {str(warning.message) for warning in caught} == {"divide by zero encountered in divide"}


@pytest.mark.parametrize("where", ["kernel", "program", "program with a copy"])
def test_errors_leave_arrays_that_can_be_evaluated(threads, where):
    a, b = overflowing()
    with np.errstate(all="ignore"):
        y = a @ b
    if where == "kernel":
        with np.errstate(all="raise"):
            y = a @ b
    with np.errstate(over="ignore" if where == "kernel" else "raise"):
        result = y * 1e10
    with np.errstate(all="ignore"):
        if where == "program with a copy":
            result = result.astype("complex128")
    with pytest.raises(FloatingPointError, match="overflow encountered in " + ("mat" if where == "kernel" else "")):
        result.numpy()
    assert (a + 1).shape == (400, 4)
    if where == "kernel":  # its result is not kept
        with pytest.raises(FloatingPointError, match="overflow encountered in matmul"):
            result.numpy()
    np.testing.assert_array_equal(a @ (b * 0), 0)


def test_too_little_memory_names_the_kernel_and_loses_nothing():
    a, b, row = (la.asarray(x) for x in (np.ones((4000, 4)), np.ones((4, 500)), np.ones(500)))
    result = a @ b + row
    with la.config(memory_limit=allocator.stats()["live_bytes"] + (1 << 20)), pytest.raises(MemoryError) as caught:
        result.numpy()
    assert "matmul" in caught.value.__notes__[0]
    np.testing.assert_array_equal(result, 5)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", [
    "la.ones((2_000_000, 2)) @ la.ones((2, 16))",
    "la.nn.conv2d(la.ones((8, 512, 512, 2)), la.ones((1, 1, 2, 16)))",
])
def test_ctrl_c(run_python, call, threads):
    """It stops both together, and they can be run again; a handler may evaluate products in between."""
    output = run_python(f"""
        import signal, time, numpy as np, lazyarr as la
        la.config.num_threads = {threads}
        la.config.budget_bytes = la.config.budget_work = 10**15
        handled = []
        def handler(number, frame):
            small = la.ones((300, 4)) @ la.ones((4, 30)) + la.ones(30)
            handled.append(float(small.numpy().sum()))
            if len(handled) == 2:
                raise KeyboardInterrupt
            signal.setitimer(signal.ITIMER_REAL, 0.1)
        signal.signal(signal.SIGALRM, handler)
        result = np.logaddexp(np.logaddexp(np.logaddexp({call}, 1), 2), 3)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            result.numpy()
        except KeyboardInterrupt:
            print("interrupted")
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(handled == [45000.0, 45000.0], (la.arange(3) + 2).tolist())
        expected = np.logaddexp(np.logaddexp(np.logaddexp(2.0, 1), 2), 3)
        print(np.allclose([result.min(), result.max()], expected, rtol=1e-12))
    """)
    assert output.splitlines() == ["interrupted", "True [2, 3, 4]", "True"]


# ---- memory --------------------------------------------------------------------------------------------


def peaks(make):
    """Return the peak memory of an evaluation with epilogues and without."""
    for enabled in (True, False):
        result = make()
        live = allocator.stats()["live_bytes"]
        allocator.reset_peak()
        with switched(epilogue, enabled):
            la.evaluate(result)
        yield allocator.stats()["peak_bytes"] - live


def test_the_result_takes_the_memory_of_the_kernels():
    a, b, row = (la.asarray(x) for x in (np.ones((4000, 4)), np.ones((4, 500)), np.ones(500)))
    fused, apart = peaks(lambda: np.maximum(a @ b * 2 + row, 0))
    assert 4000 * 500 * 8 <= fused <= apart


def test_what_the_kernel_reads_is_not_kept_for_a_copy():
    """If the program's result needs its own memory, and the kernel's input dies, they run separately."""
    a, b = (la.asarray(x) for x in (np.ones((400, 50)), np.ones((50, 50))))
    dying, living = ((a + 1) @ b).astype("complex128"), (a @ b).astype("complex128")
    assert not runs_behind(dying)
    assert runs_behind(living)
