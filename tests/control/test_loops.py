"""Loops and branches in the graph equal Python's, and so do their derivatives."""

import _thread
import gc
import signal
import threading
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.ir import node
from lazyarr._core.runtime import plan_cache, slice_update
from lazyarr.autodiff.trees import leaves
from lazyarr.control import branches
from support.finite_differences import check
from support.lazy_helpers import pending
from support.python_loops import PROGRAMS, Python


@pytest.fixture
def operands():
    rng = np.random.default_rng(7)
    return rng.standard_normal((3, 3)) + 0.3, rng.standard_normal(3) + 0.2


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_python(program, operands):
    a, v = operands
    got = program(la, la.asarray(a), la.asarray(v))
    expected = program(Python, a, v)
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=1e-14)


@pytest.mark.parametrize("program", PROGRAMS)
def test_derivatives_forward_and_reverse(program, operands):
    check(lambda a, v: program(la, a, v), operands, lambda a, v: program(Python, a, v), exact=False)


@pytest.mark.parametrize("program", PROGRAMS)
def test_second_derivatives_are_those_of_the_unrolled_loop(program, operands):
    a, v = map(la.asarray, operands)

    def hessians(c):
        def loss(a, v):
            return ((program(c, a, v) - 0.3) ** 2).sum()  # of unit vectors, too, something that varies

        return la.hessian(loss, 1)(a, v), la.hvp(loss, (a, v), (a * 2, v + 1))[0]

    with la.config(budget_nodes=10**6):  # flushes that find no plans would have later tests evaluate round by round
        for got, expected in zip(hessians(la), hessians(Python), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * float(np.abs(expected).max()))


def test_third_derivatives():
    f = la.grad(la.grad(la.grad(lambda w: la.while_loop(lambda x: x < 50, lambda x: x * w, 1.0))))
    assert float(f(3.0)) == 24 * 3
    g = la.grad(la.grad(la.grad(lambda w: la.cond(w > 1, lambda w: w ** 4, la.sin, w))))
    assert float(g(3.0)) == 24 * 3
    assert abs(float(g(0.5)) + np.cos(0.5)) < 1e-15


def test_derivatives_after_the_loop_has_run(operands):
    a, v = map(la.asarray, operands)

    def loss(a, v):
        out = la.fori_loop(0, 3, lambda i, s: la.cond(i < 2, lambda s: a @ s, la.sin, s), v)
        assert np.isfinite(out.numpy()).all()
        return out.sum()

    def unlooked(a, v):
        return la.fori_loop(0, 3, lambda i, s: la.cond(i < 2, lambda s: a @ s, la.sin, s), v).sum()

    np.testing.assert_array_equal(la.grad(loss)(a, v), la.grad(unlooked)(a, v))
    value, pull = la.vjp(lambda v: loss(a, v), v)
    value.numpy()
    np.testing.assert_array_equal(pull(1.0)[0], la.grad(unlooked, 1)(a, v))


@pytest.mark.parametrize("rounds", [0, 1, 5])
@pytest.mark.parametrize("size", [0, 2, 16])
def test_cotangents_of_weights_are_one_product(rounds, size):
    rng = np.random.default_rng(0)
    w, h, xs = (la.asarray(rng.standard_normal(shape)) for shape in [(size, size), (3, size), (rounds, 3, size)])

    def loss(c):
        def f(w, h, xs):
            return c.scan(lambda h, x: (np.tanh(x + h @ w), None), h, xs)[0].sum()

        return f

    for got, expected in zip(*[la.grad(loss(c), (0, 1, 2))(w, h, xs) for c in (la, Python)], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)


def test_the_imperative_form(operands):
    a, v = map(la.asarray, operands)
    loss = la.scan(lambda s, x: (s * x, s), v, a)[0].sum()
    got = loss.grad(a)
    np.testing.assert_allclose(got, la.grad(lambda a: Python.scan(lambda s, x: (s * x, s), v, a)[0].sum())(a))


def test_nothing_is_evaluated(operands):
    a, v = map(la.asarray, operands)
    with la.no_evaluation():
        made = [program(la, pending(a), pending(v)) for program in PROGRAMS]
        made.append(la.grad(lambda v: PROGRAMS[0](la, a, v).sum())(v))
    for x in made:
        assert np.isfinite(x.numpy()).all()


def test_plans_are_found_again_whatever_the_length_and_the_shape():
    def run(n, size):
        x = la.ones(size)
        la.fori_loop(0, n, lambda i, x: np.sin(x) * 2 + i, x).numpy()

    run(3, 5)
    before = plan_cache.stats()["misses"]
    for n, size in [(4, 5), (7, 100), (1, 3)]:
        run(n, size)
    assert plan_cache.stats()["misses"] == before


@pytest.mark.parametrize("rounds", [5, 50])
def test_nothing_is_copied_from_round_to_round(rounds):
    def swap(i, s):
        return s[1], s[0]

    def read_after_writing(i, s):
        new = s[0] * 0.5
        return new, s[0] + new

    def window(i, x):
        x[1:-1] = x[1:-1] * 0.5
        x[0] = 1
        return x

    def element(i, x):
        x[i] += 1
        return x

    for body, init in [(swap, (la.ones(8), la.zeros(8))), (read_after_writing, (la.ones(8), la.zeros(8))),
                       (window, la.ones(8) * 2), (element, la.ones(60) * 2)]:
        before = slice_update.copies()
        made = la.fori_loop(0, rounds, body, init)
        la.evaluate(*(made if isinstance(made, tuple) else (made,)))
        # what it begins with is not the loop's to overwrite
        assert slice_update.copies() - before <= 1


def test_the_derivative_computes_multiples_again():
    def peak(body):
        def f(x):
            return la.fori_loop(0, 100, lambda i, s: body(s), x).sum()

        x = la.ones(10_000)
        allocator.reset_peak()
        before = allocator.stats()["peak_bytes"]
        la.grad(f)(x).numpy()
        return allocator.stats()["peak_bytes"] - before

    def with_multiple(s):
        t = np.sin(s)
        return t * (1 + 2 * t)

    assert peak(with_multiple) < 1.1 * peak(lambda s: np.sin(s) * s)


@pytest.mark.parametrize("rounds", [1, 7, 8, 40])
def test_matrices_that_are_read_transposed_in_each_round(rounds):
    rng = np.random.default_rng(0)
    a, x = rng.standard_normal((2, 5, 5)) / 5

    def expected(a, x):
        for _ in range(rounds):
            x = a.T @ x + x @ a.T
        return x

    a_lazy, x_lazy = la.array(a), la.array(x)
    for _ in range(2):
        got = la.fori_loop(0, rounds, lambda i, s: a_lazy.T @ s + s @ a_lazy.T, x_lazy)
        np.testing.assert_allclose(got, expected(a, x), rtol=1e-12)
        a_lazy[0] += 1  # another value, the same loop
        a[0] += 1


def test_gradients_with_long_loops_are_linear_in_memory_and_leave_nothing_behind():
    def train(n):
        return la.grad(lambda w: la.fori_loop(0, n, lambda i, x: np.sin(x) * w, la.ones(10)).sum())(2.0).numpy()

    train(3)
    gc.collect()
    before = node.stats()["live"]
    train(2000)
    gc.collect()
    assert node.stats()["live"] == before


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint64, np.complex64, np.bool_, np.longdouble])
def test_dtypes_are_kept(dtype):
    x = la.ones(4, dtype)
    got = la.fori_loop(0, 3, lambda i, x: x & ~x if dtype is np.bool_ else x + x, x)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, np.zeros(4, bool) if dtype is np.bool_ else np.full(4, 8, dtype))
    state, ys = la.scan(lambda s, x: (s, x), x[0], x)
    assert state.dtype == ys.dtype == dtype


def test_numbers_of_python_take_the_dtype_of_the_state():
    assert la.fori_loop(0, 2, lambda i, x: 1, np.float32(2)).dtype == np.float32
    with pytest.raises(TypeError, match="shape \\(\\) of int64, the function gives shape \\(\\) of float64"):
        la.fori_loop(0, 2, lambda i, x: 1.5, 2)


def test_trees_and_nothing():
    state = {"a": [la.ones(2)], "b": (1.0, None)}
    got = la.fori_loop(0, 3, lambda i, s: {"a": [s["a"][0] * 2], "b": (s["b"][0] + i, None)}, state)
    np.testing.assert_array_equal(got["a"][0], [8, 8])
    assert float(got["b"][0]) == 4
    assert got["b"][1] is None
    state, ys = la.scan(lambda s, x: (s + 1, None), 0, length=4)
    assert (int(state), ys) == (4, None)
    state, ys = la.scan(lambda s, x: (s, x["p"] * 2), 0, {"p": la.arange(3)})
    np.testing.assert_array_equal(ys, [0, 2, 4])
    state, ys = la.scan(lambda s, x: (s + x, s), 0.0, la.ones(0))
    assert float(state) == 0
    assert ys.shape == (0,)


def test_bounds_that_wait():
    n = pending(la.array(4))
    assert int(la.fori_loop(0, n.sum(), lambda i, x: x + i, 0)) == 6
    assert int(la.fori_loop(0, 3, lambda i, x: la.fori_loop(0, i, lambda j, x: x + 1, x), 0)) == 3


def test_arguments_may_be_written_to():
    x = la.ones(3)

    def body(i, y):
        y += x
        y[0] = 7
        return y

    np.testing.assert_array_equal(la.fori_loop(0, 2, body, x), [7, 3, 3])
    np.testing.assert_array_equal(x, [1, 1, 1])


def test_errors_name_what_differs():
    x = la.ones(3)
    with pytest.raises(TypeError, match=r"\['h'\] begins with shape \(3,\) of float64, the function gives shape \(2"):
        la.scan(lambda s, _: ({"h": s["h"][:2]}, None), {"h": x}, length=2)
    with pytest.raises(TypeError, match="float64, the function gives shape \\(3,\\) of float32"):
        la.while_loop(lambda x: x[0] < 3, lambda x: x.astype(np.float32), x)
    with pytest.raises(TypeError, match="condition must give one boolean, got shape \\(3,\\) of bool"):
        la.while_loop(lambda x: x < 3, lambda x: x, x)
    with pytest.raises(TypeError, match=r"result g gives shape \(\) of float64, f gives shape \(3,\)"):
        la.cond(x.sum() > 1, lambda x: x, lambda x: x.sum(), x)
    with pytest.raises(TypeError, match="condition must be one boolean"):
        la.cond(x, la.sin, la.cos, x)
    with pytest.raises(TypeError, match="function 0 gives shape \\(3,\\) of float64, function 1 gives tuple"):
        la.switch(1, [lambda x: x, lambda x: (x, x)], x)
    with pytest.raises(TypeError, match="index must be one integer"):
        la.switch(1.0, [la.sin], x)
    with pytest.raises(ValueError, match="no functions"):
        la.switch(1, [], x)
    with pytest.raises(ValueError, match=r"xs\[1\] has length 4, where 3 is expected"):
        la.scan(lambda s, x: (s, None), 0, (x, la.ones(4)))
    with pytest.raises(ValueError, match="length must be given"):
        la.scan(lambda s, x: (s, None), 0)
    with pytest.raises(TypeError, match="scan: length must consist of integers"):
        la.scan(lambda s, x: (s, None), 0, length=2.5)
    with pytest.raises(ValueError, match="no axis"):
        la.scan(lambda s, x: (s, None), 0, 3.0)
    with pytest.raises(TypeError, match="upper must be one integer"):
        la.fori_loop(0, 2.5, lambda i, x: x, 0)
    with pytest.raises(OverflowError, match="upper must be an int64, got 9223372036854775808"):
        la.fori_loop(2**63 - 1, 2**63, lambda i, x: x, 0)
    with pytest.raises(TypeError, match="must be an array of numbers"):
        la.fori_loop(0, 2, lambda i, x: x, "text")
    with pytest.raises(IndexError, match="index 5 chooses none of 2"):
        la.switch(la.array(5), [la.sin, la.cos], x).numpy()


@pytest.mark.parametrize("call", [
    lambda x: la.while_loop(lambda s: s[0] < 3, lambda s: s, x), lambda x: la.fori_loop(0, 2, lambda i, s: s, x),
    lambda x: la.while_loop(lambda s: s[0] < 3, lambda s: x, la.ones(3)), lambda x: la.cond(x, la.sin, la.cos, 1.0),
    lambda x: la.while_loop(lambda s: s[0] < 3, lambda s: (x, s), la.ones(3)), lambda x: la.switch(x, [la.sin], 1.0),
    lambda x: la.scan(lambda s, x: (s, x), 0, x), lambda x: la.scan(lambda s, _: (s, x), 0, length=1),
    lambda x: la.switch(0, [la.sin], x), lambda x: la.checkpoint(la.sin)(x), lambda x: la.checkpoint(lambda _: x)(1.0)])
def test_arrays_with_semantics_of_their_own_are_refused(call):
    with pytest.raises(TypeError, match="MaskedArray"):
        call(np.ma.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("call", [
    lambda x: la.fori_loop(0, 2, lambda i, s: s + x, x), lambda x: la.scan(lambda s, x: (s + x, x), 0.0, x)[1],
    lambda x: la.cond(True, la.sin, la.cos, x), lambda x: la.checkpoint(la.sin)(x), lambda x: la.vmap(la.sin)(x)])
def test_arrays_of_the_other_byte_order(call):
    x = np.arange(3.0)
    y = call(la.array(x.astype(x.dtype.newbyteorder())))
    assert y.dtype.isnative
    np.testing.assert_array_equal(y, call(la.array(x)))


def test_values_cannot_be_looked_at():
    for body in (float, lambda x: x if x > 0 else -x, lambda x: la.ones(3)[x > 0], lambda x: np.zeros(4)[x]):
        with pytest.raises(la.TracedValueError, match="stands for an argument has no value"):
            la.fori_loop(0, 2, lambda i, x, body=body: body(x), 1)
    np.testing.assert_array_equal(la.ones(3) + 1, 2)


@pytest.mark.parametrize("name", ["array", "asarray"])
def test_arrays_of_elements_are_made_by_lazyarrs_functions(name):
    def swapped(library):
        return la.fori_loop(0, 3, lambda i, x: getattr(library, name)([x[1], x[0]]), la.array([1.0, 2.0]))

    np.testing.assert_array_equal(swapped(la), [2.0, 1.0])
    with pytest.raises(la.TracedValueError, match=r"make arrays with lazyarr\.array") as raised:
        swapped(np)
    assert "unknown" not in "".join(raised.value.__notes__)


def test_a_negative_index_passes_the_operands_through(operands):
    a, v = map(la.asarray, operands)
    functions = [lambda v: v * a[0], la.sin]
    for index in (-1, -7):
        np.testing.assert_array_equal(la.switch(index, functions, v), v)
        np.testing.assert_array_equal(la.grad(lambda v, i: la.switch(i, functions, v).sum())(v, index), np.ones(3))
    with pytest.raises(IndexError, match="index -1"):
        la.switch(-1, [lambda v: v.sum()], v).numpy()


def test_branches_keep_what_derivatives_read_once():
    def alive():
        gc.collect()
        switches = [y for y in gc.get_objects() if type(y) is branches.Switch]
        return len(switches), sum(len(branch.groups) for y in switches for branch in y.branches)

    def f(x):
        return la.cond(x.sum() > 0, lambda x: la.sin(x) * x, lambda x: x * x * x, x).sum()

    def looking(x):
        y = called(x)
        y.numpy()
        return y

    called, x = la.jit(f), la.array([1.0, 2.0, 3.0])
    before = alive()
    for gradient in (lambda: called(x).grad(x), lambda: la.grad(looking)(x)):
        for rounds in range(4):
            np.testing.assert_allclose(gradient(), np.sin(x) + np.cos(x) * x, rtol=1e-15)
            if not rounds:
                traced = alive()
        assert before < alive() == traced


def test_only_the_chosen_branch_runs():
    with np.errstate(all="raise"):
        got = la.cond(la.array(False), lambda x: 1 / x, lambda x: x, la.zeros(3))
        np.testing.assert_array_equal(got, np.zeros(3))
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        la.cond(la.array(True), lambda x: 1 / x, lambda x: x, la.zeros(3)).numpy()


def test_warnings_and_errors_of_rounds():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        got = la.fori_loop(0, 3, lambda i, x: la.log(x - i), 2.0).numpy()
    assert np.isnan(got)
    assert any("invalid value encountered in log" in str(w.message) for w in caught)
    x = la.ones(4) * 2
    with np.errstate(divide="raise"):
        y = la.fori_loop(0, 3, lambda i, x: x / (1 - i), x)
    for _ in range(2):
        with pytest.raises(FloatingPointError, match="divide"):
            y.numpy()
    np.testing.assert_array_equal(x, np.full(4, 2.0))


def test_other_threads_have_their_turn_during_a_loop_of_small_rounds():
    y = la.fori_loop(0, 10**7, lambda i, s: la.fori_loop(0, 2, lambda i, s: s * 1.0, s), la.ones(3))
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        y.numpy()
    timer.join()


def test_interrupts_stop_a_loop_and_leave_it_usable():
    x = la.ones(4)
    limit = la.array(0)
    y = la.while_loop(lambda s: s[0] > limit, lambda s: (s[0] + 1, s[1] * 1.0), (1, x))[1]
    before = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            y.numpy()
    finally:
        signal.signal(signal.SIGALRM, before)
    np.testing.assert_array_equal(la.fori_loop(0, 2, lambda i, x: x + 1, x), np.full(4, 3.0))


# ---- results that are one of several ----


@pytest.mark.parametrize("call", [
    lambda c, x: la.fori_loop(0, 2, lambda i, s: s + x, c),
    lambda c, x: la.scan(lambda s, y: (s + y, s * 2), c, x[None])[1],
    lambda c, x: la.scan(lambda s, y: (s + y, s * 2), c, x[None]),
    lambda c, x: np.linalg.eigh(np.outer(c, c) + np.eye(2)),
    lambda c, x: la.cond(x[0] > 1, lambda: c + x, lambda: c - x),
    lambda c, x: np.linalg.slogdet(np.outer(c, x))[0],
    lambda c, x: la.while_loop(lambda s: s.sum() < 9, lambda s: s + 1 + abs(x), c),
    lambda c, x: la.jit(np.sort)(x - c)], ids=range(8))
@pytest.mark.parametrize("reverse", [False, True])
def test_what_a_call_gives_is_stacked(call, reverse):
    c, xs = la.asarray([1.0, 2.0]), la.asarray(np.arange(6.0).reshape(3, 2))
    last, stacked = la.scan(lambda c, x: (c + x, call(c, x)), c, xs, reverse=reverse)
    rows = []
    for x in [*xs][::-1 if reverse else 1]:
        rows.append(leaves(call(c, x)))
        c = c + x
    np.testing.assert_array_equal(last, c)
    for made, *parts in zip(leaves(stacked), *rows[::-1 if reverse else 1], strict=True):
        np.testing.assert_array_equal(made, np.stack(parts))


def test_loops_whose_results_are_those_of_loops_have_derivatives():
    def inner(c, x):
        return la.scan(lambda d, y: (d * 0.9 + np.sin(y), d), c, np.stack([x, x * 2]))

    def loss(c, xs):
        last, stacked = la.scan(inner, c, xs)
        return (stacked ** 2).sum() + last.prod()

    def unrolled(c, xs):
        total = 0
        for x in xs:
            for y in (x, x * 2):
                total = total + (c ** 2).sum()
                c = c * 0.9 + np.sin(y)
        return total + c.prod()

    c, xs = la.asarray([1.0, 2.0]), la.asarray(np.arange(6.0).reshape(3, 2))
    assert loss(c, xs) == pytest.approx(float(unrolled(c, xs)))
    for made, expected in zip(la.grad(loss, (0, 1))(c, xs), la.grad(unrolled, (0, 1))(c, xs), strict=True):
        np.testing.assert_allclose(made, expected)


# ---- what is known though values are not ----

KNOWN = np.array([True, False, True])


@pytest.mark.parametrize("function", [
    lambda x: x[KNOWN].sum(), lambda x: (x[KNOWN] * 2 + 1)[::-1].prod(), lambda x: x[la.asarray(KNOWN)][0],
    lambda x: x[np.arange(3) > 0].max() * len(x[KNOWN]), lambda x: sum(y * y for y in x[KNOWN]),
    lambda x: np.where(x > 0, x, 1)[KNOWN].sum(), lambda x: np.outer(x, x)[KNOWN].sum()], ids=range(7))
def test_elements_under_a_mask_that_is_known(function):
    x = np.array([1.0, -2.0, 3.0])
    expected = np.asarray(function(la.asarray(x)))
    batch = np.stack([x, 2 * x, x[::-1]])
    np.testing.assert_array_equal(la.fori_loop(0, 1, lambda i, y: y * 0 + function(y), la.asarray(x)), [expected] * 3)
    np.testing.assert_array_equal(la.cond(la.asarray(x)[0] > 0, function, lambda x: x[0], la.asarray(x)), expected)
    np.testing.assert_array_equal(la.vmap(function)(la.asarray(batch)), [function(la.asarray(row)) for row in batch])
    gradients = [la.grad(function)(la.asarray(row)) for row in batch]
    np.testing.assert_allclose(la.vmap(la.grad(function))(la.asarray(batch)), gradients)
    np.testing.assert_allclose(la.grad(la.checkpoint(function))(la.asarray(x)), gradients[0])


def test_rows_and_elements_one_by_one():
    def rotated(i, state):
        x, y, z = state
        return np.stack([y, z, x + i])

    state = la.asarray([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(la.fori_loop(0, 4, rotated, state), [3.0, 5.0, 4.0])
    np.testing.assert_array_equal(la.jacobian(lambda x: la.fori_loop(0, 4, rotated, x))(state), np.eye(3)[[1, 2, 0]])
    m = np.arange(6.0).reshape(3, 2)
    last, sums = la.scan(lambda total, row: (total + sum(row), [*row][1] * 2), la.asarray(0.0), la.asarray(m))
    assert last == m.sum()
    np.testing.assert_array_equal(sums, m[:, 1] * 2)
    weighted = la.vmap(lambda x: sum(i * row.sum() for i, row in enumerate(x)))
    np.testing.assert_array_equal(weighted(la.asarray([m, -m])), [23.0, -23.0])
    np.testing.assert_array_equal(la.vmap(lambda p: np.polyval(p, 2.0))(la.asarray(m.T)), [8.0, 15.0])
