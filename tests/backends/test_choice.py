"""Requested backends: which one runs, how it is reported, and what is rejected."""

import signal
import threading
import warnings

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as lnp
from lazyarr._core.runtime import reference
from lazyarr.backends import table

A = np.linspace(-1, 1, 12).reshape(3, 4) + np.eye(3, 4)
SQUARE = A @ A.T + 3 * np.eye(3)


@pytest.fixture
def registered():
    """Register backends for the length of a test."""
    made = []

    def register(operation, name, run, **options):
        made.append(la.backends.register(operation, name, run, **options))
        return made[-1]

    yield register
    for row in made:
        la.backends.unregister(row.operation, row.name)


def inverse_with(note):
    def run(a):
        note.append(a.shape)
        return np.linalg.inv(a)

    return run


def operations(x):
    return [name for step in la.explain(x).steps for name in step.operations]


def test_nothing_is_asked_for_at_first():
    assert la.config.backend is None


@pytest.mark.parametrize("value", ["numpy", {"matmul": "numpy"}, {"matmul": "numpy", "*": "scipy"}, {}])
def test_config_gives_back_what_is_set(value):
    with la.config(backend=value):
        assert la.config.backend == (value or None)
    assert la.config.backend is None


def test_the_backend_that_runs_is_shown():
    x = la.asarray(A)
    y = x @ x.reshape(4, 3) + 1
    assert operations(y) == ["matmul", "add"]
    with la.backend("numpy"):
        assert operations(y) == ["matmul [numpy]", "add"]
        with la.profile() as profile:
            assert np.array_equal(y, A @ A.reshape(4, 3) + 1)
        assert "matmul [numpy]" in str(profile)
    assert operations(x @ x.reshape(4, 3)) == ["matmul"]


def test_blocks_add_operations():
    with la.backend("numpy", "matmul"), la.backend("scipy", ["linalg.inv", "linalg.det"]):
        assert la.config.backend == {"matmul": "numpy", "linalg.inv": "scipy", "linalg.det": "scipy"}
        with la.backend("scipy"):
            assert la.config.backend == "scipy"


def test_a_decorated_function_asks_for_it():
    @la.backend("scipy", "linalg.inv")
    def invert(x):
        return operations(np.linalg.inv(x))

    assert invert(la.asarray(SQUARE)) == ["linalg.inv [scipy]"]
    assert la.config.backend is None


def test_small_arrays_of_the_drop_in_face_are_asked_for_too(registered):
    seen = []
    registered("linalg.inv", "mine", inverse_with(seen))
    with la.backend("mine"):
        y = lnp.linalg.inv(lnp.array(SQUARE))
    assert np.array_equal(y, np.linalg.inv(SQUARE))
    assert seen == []
    with la.backend("mine"):
        float(lnp.linalg.inv(lnp.array(SQUARE))[0, 0])
    assert seen == [(3, 3)]


def test_a_backend_may_refuse(registered):
    seen = []
    registered("linalg.inv", "mine", inverse_with(seen), accepts=lambda a: a.shape == (3, 3) and a.dtype == float)
    x, small = la.asarray(SQUARE), la.asarray(SQUARE[:2, :2])
    with la.backend("mine"):
        assert operations(np.linalg.inv(x)) == ["linalg.inv [mine]"]
        assert operations(np.linalg.inv(small)) == ["linalg.inv"]
        assert operations(np.linalg.inv(x.astype("f4"))) == ["cast", "linalg.inv"]
        la.evaluate(np.linalg.inv(x), np.linalg.inv(small))
    assert seen == [(3, 3)]


def test_fixed_arguments_are_handed_on(registered):
    seen = []

    def run(x, **options):
        seen.append(options)
        return np.fft.fft(x, **options)

    registered("fft.fft", "mine", run)
    with la.backend("mine"):
        y = np.fft.fft(la.asarray(A), 6, axis=0, norm="ortho").numpy()
    assert np.array_equal(y, np.fft.fft(A, 6, axis=0, norm="ortho"))
    assert seen == [{"n": 6, "axis": 0, "norm": "ortho"}]


def test_several_results(registered):
    registered("linalg.eigh", "mine", lambda a: tuple(np.linalg.eigh(a)))
    with la.backend("mine"):
        values, vectors = np.linalg.eigh(la.asarray(SQUARE))
        assert np.allclose(vectors * values @ vectors.T, SQUARE)


@pytest.mark.parametrize(("operation", "call", "run", "what"), [
    ("linalg.inv", np.linalg.inv, lambda a: a[:1], r"linalg.inv \[mine\] returned an array of shape \(1, 3\)"),
    ("linalg.inv", np.linalg.inv, lambda a: a.astype("f4"), r"linalg.inv \[mine\] returned .* float32"),
    ("linalg.eigh", np.linalg.eigh, lambda a: a, r"linalg.eigh \[mine\] must return a tuple of 2 arrays"),
    ("sort", np.sort, lambda a, **_: a[:1], r"sort \[mine\] returned an array of shape \(1, 3\)"),
])
def test_a_backend_that_returns_another_form_is_an_error(registered, operation, call, run, what):
    registered(operation, "mine", run)
    y = call(la.asarray(SQUARE))
    y = y[0] if isinstance(y, tuple) else y
    with la.backend("mine"), pytest.raises(RuntimeError, match=what):
        y.numpy()
    expected = call(SQUARE)
    assert np.array_equal(y, expected[0] if isinstance(expected, tuple) else expected)  # by its own function


def test_errors_name_the_operation_and_the_backend(registered):
    def fail(a):
        raise ValueError("not today")

    registered("linalg.inv", "mine", fail)
    y = np.linalg.inv(la.asarray(SQUARE)) + 1
    with la.backend("mine"):
        for _ in range(2):
            with pytest.raises(ValueError, match="not today") as caught:
                y.numpy()
            assert any("linalg.inv [mine]" in note and "test_choice.py" in note for note in caught.value.__notes__)
    assert np.array_equal(y, np.linalg.inv(SQUARE) + 1)


def test_the_cheapest_exact_backend_runs_unasked(registered):
    registered("linalg.inv", "numpy", np.linalg.inv, cost=lambda a: 1000 * a.size)
    registered("linalg.inv", "large only", np.linalg.inv, cost=lambda a: 5000 + 10 * a.size, exact=True)
    registered("linalg.inv", "inexact", np.linalg.inv, cost=lambda a: 0)
    assert operations(np.linalg.inv(la.asarray(SQUARE))) == ["linalg.inv [large only]"]
    assert operations(np.linalg.inv(la.asarray(SQUARE[:2, :2]))) == ["linalg.inv"]


def test_exact_leaves_out_what_may_round_differently():
    x = la.asarray(SQUARE)
    with la.config(exact=True), la.backend("scipy"):
        assert operations(np.linalg.inv(x)) == ["linalg.inv"]
    with la.config(exact=True), la.backend("numpy"):
        assert operations(np.sort(x)) == ["sort [numpy]"]


def test_traced_loops_and_derivatives(registered):
    seen = []
    registered("linalg.inv", "mine", inverse_with(seen))
    x = la.asarray(SQUARE)
    plain = la.fori_loop(0, 3, lambda i, y: np.linalg.inv(y) + i, x).numpy()
    with la.backend("mine"):
        assert np.array_equal(la.fori_loop(0, 3, lambda i, y: np.linalg.inv(y) + i, x), plain)
        assert len(seen) == 3
        gradient = la.grad(lambda a: np.linalg.inv(a).sum())(x)
        inverse = np.linalg.inv(SQUARE)
        assert np.allclose(gradient, -np.outer(inverse.sum(0), inverse.sum(1)))


def test_kernels_with_what_comes_after_them():
    draw = np.random.default_rng(0)
    a, b = draw.random((200, 300)), draw.random((300, 400))
    with la.backend("numpy"):
        y = np.tanh(la.asarray(a) @ la.asarray(b) / 100) * 2
        assert operations(y)[0] == "matmul [numpy]"
        assert np.array_equal(y, np.tanh(a @ b / 100) * 2)


def test_warnings_are_those_of_numpy():
    large = la.asarray(np.full((2, 2), 1e300))
    with la.backend("numpy"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (large @ large).numpy()
    assert ["overflow" in str(w.message) for w in caught] == [True]
    with la.backend("numpy"), np.errstate(over="raise"), pytest.raises(FloatingPointError):
        (large @ large).numpy()


def test_threads_that_evaluate_meanwhile():
    x = la.asarray(SQUARE)
    failed = []

    def work():
        for _ in range(200):
            if not np.allclose(np.linalg.inv(x * 1) @ x, np.eye(3)):
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        with la.backend("scipy"):
            pass
    for thread in threads:
        thread.join()
    assert not failed


@pytest.mark.parametrize(("call", "error", "what"), [
    (lambda: la.backend("nmpy"), ValueError, "no backend 'nmpy'; there are"),
    (lambda: la.backend("numpy", "matmull"), ValueError, "did you mean 'matmul'"),
    (lambda: la.backend("numpy", "sin"), ValueError, "backends cannot compute 'sin'"),
    (lambda: la.config(backend=3), TypeError, "must be a name, a mapping"),
    (lambda: la.config(backend={"matmul": None}), ValueError, "no backend None"),
    (lambda: la.backends.register("matmul", "numpy", np.matmul), ValueError, "matmul has a backend 'numpy'"),
    (lambda: la.backends.register("no such", "mine", np.matmul), ValueError, "backends cannot compute 'no such'"),
    (lambda: la.backends.register("matmul", "", np.matmul), ValueError, "needs a name"),
    (lambda: la.backends.register("matmul", "*", np.matmul), ValueError, "needs a name"),
    (lambda: la.backends.register("matmul", "native", np.matmul), ValueError, "needs a name of its own, got 'native'"),
    (lambda: la.backends.register("matmul", "reference", np.matmul), ValueError, "needs a name of its own"),
    (lambda: la.backends.register("matmul", "mine", 3), TypeError, "run must be callable, got int"),
    (lambda: la.backends.register("matmul", "mine", np.matmul, cost=3), TypeError, "cost must be callable"),
    (lambda: la.backends.unregister("matmul", "mine"), ValueError, "matmul has no backend 'mine'"),
    (lambda: la.backends.known("no such"), ValueError, "backends cannot compute 'no such'; they can compute argsort"),
])
def test_wrong_input(call, error, what):
    with pytest.raises(error, match=what):
        call()
    assert la.config.backend is None


def test_operations_are_those_that_evaluations_call():
    assert {"matmul", "sort", "conv2d", "linalg.inv", "fft.rfft", "einsum", "linalg.svd"} <= table.operations()
    assert not {"add", "dot", "take", "median"} & table.operations()


def test_arguments_of_other_types_are_other_calls(registered):
    seen = []

    def run(a, **options):
        seen.append([*map(repr, options.values())])
        return np.linalg.pinv(a, **options)

    registered("linalg.pinv", "mine", run)
    with la.backend("mine"):
        for hermitian in (True, 1, 1.0):
            np.linalg.pinv(la.asarray(SQUARE), hermitian=hermitian).numpy()
    assert seen == [["True"], ["1"], ["1.0"]]


@pytest.mark.parametrize("call", [
    lambda x: np.tanh(x @ x.T + 1).sum(0), lambda x: np.sort(x, 0)[::-1], lambda x: np.linalg.inv(x @ x.T),
    lambda x: np.where(x > 0, x, -x) // 0.25, lambda x: la.fori_loop(0, 3, lambda i, y: y * y + i, x),
    lambda x: la.grad(lambda y: (y @ y.T).sum())(x)])
def test_the_reference_computes_the_same(call):
    expected = call(la.asarray(A)).numpy()
    with la.backend("reference"):
        assert reference.is_enabled()
        assert np.allclose(call(la.asarray(A)), expected, rtol=1e-13)
    assert not reference.is_enabled()


def test_the_reference_of_single_operations():
    x = la.asarray(A)
    with la.backend("reference", ["matmul", "sort"]):
        assert not reference.is_enabled()
        assert operations(np.sort(x @ x.T)) == ["matmul", "sort [reference]"]  # a symmetric product is NumPy's
        assert operations(x @ x.T[:, :2].copy()) == ["copy", "matmul [reference]"]
        assert np.array_equal(np.sort(x), np.sort(A))


def test_a_backend_may_change_what_it_returned(registered):
    kept = np.zeros((3, 3))

    def run(a):
        kept[...] = np.linalg.inv(a)
        return kept

    registered("linalg.inv", "mine", run)
    with la.backend("mine"):
        y = np.linalg.inv(la.asarray(SQUARE))
        y.numpy()
        np.linalg.inv(la.asarray(2 * SQUARE)).numpy()
    assert np.array_equal(y, np.linalg.inv(SQUARE))


def test_a_backend_may_return_its_operand(registered):
    registered("linalg.inv", "mine", lambda a: a)
    x = la.array(SQUARE)
    with la.backend("mine"):
        y = np.linalg.inv(x)
        y[0, 0] = 5
        x[0, 0] = 7
        assert np.array_equal(y[0], [5, *SQUARE[0, 1:]])
        assert np.array_equal(x[0], [7, *SQUARE[0, 1:]])


def test_a_backend_that_asks_for_itself_is_an_error(registered):
    registered("linalg.inv", "mine", lambda a: np.linalg.inv(la.asarray(a)).numpy())
    y = np.linalg.inv(la.asarray(SQUARE))
    with la.backend("mine"), pytest.raises(RecursionError) as caught:
        y.numpy()
    assert "linalg.inv [mine]" in caught.value.__notes__[0]
    assert np.array_equal(y, np.linalg.inv(SQUARE))


def test_an_interrupt_does_not_keep_a_block_in_force(registered):
    began, go_on = threading.Event(), threading.Event()

    def slowly(a):
        began.set()
        go_on.wait()
        return np.linalg.inv(a)

    registered("linalg.inv", "mine", slowly)
    y = np.linalg.inv(la.asarray(SQUARE))
    thread = threading.Thread(target=y.numpy)
    timers = [threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]), threading.Timer(0.4, go_on.set)]

    @la.backend("mine")
    def interrupted():
        thread.start()
        began.wait()
        for timer in timers:
            timer.start()

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    thread.join()
    assert la.config.backend is None
    assert np.array_equal(y, np.linalg.inv(SQUARE))


def test_results_that_are_read_one_after_the_other(registered):
    registered("linalg.eigh", "mine", lambda a: tuple(np.linalg.eigh(a)), accepts=lambda a: a.ndim == 2)
    with la.backend("mine"):
        values, vectors = np.linalg.eigh(la.asarray(SQUARE))
        assert np.array_equal(values, np.linalg.eigh(SQUARE)[0])
        assert np.array_equal(vectors, np.linalg.eigh(SQUARE)[1])


def test_a_choice_that_changes_meanwhile_is_harmless(registered):
    answers = iter([False, True] * 10)
    registered("matmul", "mine", np.matmul, accepts=lambda a, b, **_: next(answers))
    draw = np.random.default_rng(0)
    a, b = draw.random((400, 300)), draw.random((300, 400))
    with la.backend("mine"):
        y = ((la.asarray(a) @ la.asarray(b)) * 2).astype("f4")  # the product itself is not stored
        assert np.allclose(y, a @ b * 2, rtol=1e-6)


def test_reference_kernels_are_not_mixed_up():
    x = np.arange(16.0).reshape(4, 4)
    lazy = la.asarray(x)
    with la.backend("reference"), la.backend("native", "matmul"):
        for axis in (0, 1):
            assert np.array_equal(np.repeat(lazy[:2, :2], 2, axis), np.repeat(x[:2, :2], 2, axis))
            places = np.argsort(-x, axis)
            assert np.array_equal(np.take_along_axis(lazy, places, axis), np.take_along_axis(x, places, axis))


def test_what_a_backend_with_out_returns_means_nothing(registered):
    registered("matmul", "mine", lambda a, b, out: np.matmul(a, b, out=out), out=True)
    x = la.asarray(A)
    with la.backend("mine"):
        assert operations(x @ x.reshape(4, 3)) == ["matmul [mine]"]
        assert np.array_equal(x @ x.reshape(4, 3), A @ A.reshape(4, 3))
        assert np.array_equal(x @ x.T, A @ A.T)  # NumPy's call, which has nothing to write to


def test_blocks_add_to_what_is_in_force_when_they_begin():
    @la.backend("scipy", "linalg.inv")
    def wanted():
        return la.config.backend

    with la.backend("numpy", "matmul"):
        assert wanted() == {"matmul": "numpy", "linalg.inv": "scipy"}
    assert wanted() == {"linalg.inv": "scipy"}


def test_a_backend_may_go_while_it_is_asked_for():
    la.backends.register("linalg.inv", "mine", np.linalg.inv)
    with la.backend("mine"):
        with la.backend("numpy"):
            la.backends.unregister("linalg.inv", "mine")
        assert la.config.backend == "mine"
        with la.backend("numpy", "matmul"):
            assert operations(np.linalg.inv(la.asarray(SQUARE))) == ["linalg.inv"]
    assert la.config.backend is None


@pytest.mark.parametrize("asked", ["accepts", "cost"])
def test_errors_of_what_is_asked_about_calls_name_it(registered, asked):
    def fail(a):
        raise ValueError("not today")

    registered("linalg.inv", "numpy", np.linalg.inv, cost=lambda a: 1)
    registered("linalg.inv", "mine", np.linalg.inv, **{"cost": lambda a: 0} | {asked: fail}, exact=True)
    with pytest.raises(ValueError, match="not today") as caught:
        np.linalg.inv(la.asarray(SQUARE)).numpy()
    assert "linalg.inv [mine]" in caught.value.__notes__[0]
    assert caught.value.__context__ is None


def test_zeros_with_signs_are_other_arguments(registered):
    seen = []

    def run(a, rcond):
        seen.append(repr(rcond))
        return np.linalg.pinv(a, rcond)

    registered("linalg.pinv", "mine", run)
    with la.backend("mine"):
        for rcond in (0.0, -0.0):
            np.linalg.pinv(la.asarray(SQUARE), rcond=rcond).numpy()
    assert seen == ["0.0", "-0.0"]
