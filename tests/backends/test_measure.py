"""Measurement of backends: what is measured, how it is used, and that values change only by rounding."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr.backends import tuner
from lazyarr.backends.choice import measured
from lazyarr.backends.measured import Measured
from lazyarr.backends.table import Operand

SQUARE = np.eye(6) * 3 + np.linspace(0, 1, 36).reshape(6, 6)


@pytest.fixture(autouse=True)
def forgotten():
    """Nothing is measured before and after a test."""
    la.backends.forget()
    yield
    la.backends.forget()


@pytest.fixture
def slow():
    """A slow and a fast backend of inverses."""
    def slowly(a):
        for _ in range(200):
            made = np.linalg.inv(a)
        return made

    la.backends.register("linalg.inv", "slow", slowly)
    yield
    la.backends.unregister("linalg.inv", "slow")


def operations(x):
    return [name for step in la.explain(x).steps for name in step.operations]


def test_the_fastest_is_used_from_then_on(monkeypatch):
    monkeypatch.setattr(tuner, "times", lambda ways, seconds: dict.fromkeys(ways, 1.0) | {"scipy": 0.5})
    x = la.asarray(SQUARE)
    with la.backends.measure() as found:
        assert np.allclose(np.linalg.inv(x).numpy() @ SQUARE, np.eye(6))
    assert found == {"linalg.inv(float64[6, 6])": {"numpy": 1.0, "scipy": 0.5}}
    assert operations(np.linalg.inv(x)) == ["linalg.inv [scipy]"]
    near, far = la.asarray(SQUARE[:4, :4].copy()), la.asarray(SQUARE[:3, :3].copy())
    assert operations(np.linalg.inv(near)) == ["linalg.inv [scipy]"]
    assert operations(np.linalg.inv(far)) == ["linalg.inv"]
    with la.config(exact=True):
        assert operations(np.linalg.inv(x)) == ["linalg.inv"]
    with la.backends.measure() as again:
        np.linalg.inv(x).numpy()
    assert again == {}
    la.backends.forget()
    assert operations(np.linalg.inv(x)) == ["linalg.inv"]


def test_near_ties_keep_what_is_there(monkeypatch):
    monkeypatch.setattr(tuner, "times", lambda ways, seconds: dict.fromkeys(ways, 1.0) | {"scipy": 0.98})
    x = la.asarray(SQUARE)
    with la.backends.measure():
        np.linalg.inv(x).numpy()
    assert operations(np.linalg.inv(x)) == ["linalg.inv"]


def test_real_times(slow):
    x = la.asarray(SQUARE)
    with la.backends.measure(0.01) as found:
        np.linalg.inv(x).numpy()
    (taken,) = found.values()
    assert set(taken) == {"numpy", "scipy", "slow"}
    assert taken["slow"] > 20 * taken["numpy"]
    assert operations(np.linalg.inv(x)) != ["linalg.inv [slow]"]


def test_what_is_estimated_to_be_slow_is_not_tried():
    def never(a):
        raise AssertionError

    la.backends.register("linalg.inv", "numpy", np.linalg.inv, cost=lambda a: 1000)
    la.backends.register("linalg.inv", "slow", never, cost=lambda a: 5000)
    try:
        with la.backends.measure(0) as found:
            np.linalg.inv(la.asarray(SQUARE)).numpy()
        assert [sorted(taken) for taken in found.values()] == [["numpy", "scipy"]]
    finally:
        la.backends.unregister("linalg.inv", "numpy")
        la.backends.unregister("linalg.inv", "slow")


def test_a_backend_that_fails_is_left_out():
    def fail(a):
        raise ValueError

    la.backends.register("linalg.inv", "broken", fail)
    try:
        with la.backends.measure(0) as found:
            assert np.allclose(np.linalg.inv(la.asarray(SQUARE)).numpy() @ SQUARE, np.eye(6))
        assert [sorted(taken) for taken in found.values()] == [["numpy", "scipy"]]
    finally:
        la.backends.unregister("linalg.inv", "broken")


def test_errors_of_the_call_itself_are_raised():
    y = np.linalg.inv(la.asarray(np.ones((3, 3))))
    with la.backends.measure(0) as found, pytest.raises(np.linalg.LinAlgError):
        y.numpy()
    assert found == {}
    assert not measured


@pytest.mark.parametrize("call", [
    lambda x: x @ x, lambda x: np.sort(x), lambda x: np.argsort(x, 0), lambda x: np.tanh(x @ x) + x,
    lambda x: np.fft.fft(x), lambda x: np.einsum("ij,kj->i", x, x), lambda x: np.linalg.inv(x) * 2])
def test_results_are_those_without(call):
    x = la.asarray(np.random.default_rng(0).random((50, 50)) + np.eye(50))
    expected = call(x).numpy()
    with la.backends.measure(0):
        measured_once = call(x).numpy()
    assert np.allclose(measured_once, expected)
    assert np.allclose(call(x), expected)


def test_warnings_come_once():
    large = la.asarray(np.full((3, 3), 1e300))
    with la.backends.measure(0), pytest.warns(RuntimeWarning, match="overflow") as caught:
        (large @ large).numpy()
    assert len(caught) == 1


def test_graphs_measure_on_arrays(monkeypatch, tmp_path):
    monkeypatch.setenv("LAZYARR_TUNING", str(tmp_path / "tuning.json"))
    x = la.var((None, 6), name="x")
    g = la.graph(x, np.tanh(x @ SQUARE))
    found = g.autotune({"x": np.ones((5, 6))}, 0)
    assert [*found] == ["matmul(float64[5, 6], float64[6, 6])"]
    assert (tmp_path / "tuning.json").exists()
    assert g.autotune([np.ones((5, 6))]) == {}
    g.assign(np.ones((50, 6)))
    assert [*g.autotune(seconds=0, save=False)] == ["matmul(float64[50, 6], float64[6, 6])"]


@pytest.mark.parametrize("seconds", [-1, float("nan"), "1", True])
def test_budgets_are_checked(seconds):
    with pytest.raises(ValueError, match="the budget must be seconds"), la.backends.measure(seconds):
        pass


def forms(*shapes, dtype="f8"):
    return [Operand(shape, np.dtype(dtype), np.empty(shape, dtype).strides) for shape in shapes]


def test_measurements_hold_for_what_is_near():
    table = Measured()
    table.put("matmul", {}, forms((100, 10), (10, 40)), "numpy")
    table.put("matmul", {}, forms((400, 10), (10, 40)), "native")
    assert table.of("matmul", {}, forms((100, 10), (10, 40))) == "numpy"
    assert table.of("matmul", {}, forms((140, 12), (12, 30))) == "numpy"
    assert table.of("matmul", {}, forms((300, 10), (10, 40))) == "native"
    for others in (forms((1000, 10), (10, 40)), forms((100, 10), (10, 40), dtype="f4"), forms((100, 10), (10,)),
                   forms((0, 10), (10, 40))):
        assert table.of("matmul", {}, others) is None
    assert table.of("matmul", {"a": 1}, forms((100, 10), (10, 40))) is None
    again = Measured()
    again.update(table.as_json())
    assert again.as_json() == table.as_json()
    assert len(again) == 2


@pytest.mark.parametrize("wrong", [[], {"a": 1}, {"a": {"1": 2}}, {"a": {"x": "numpy"}}, {"a": {"-3": "numpy"}}])
def test_what_no_table_gave_is_refused(wrong):
    table = Measured()
    with pytest.raises(ValueError, match=r"what it says|invalid literal"):
        table.update(wrong)
    assert not table


def test_scalars_and_layouts_are_kinds_of_their_own():
    table = Measured()
    x = np.empty((3, 4))
    for k, array in enumerate((x, x.T, x[::2], np.empty(()))):
        table.put("sort", {}, [Operand(array.shape, array.dtype, array.strides)], str(k))
    assert len(table.as_json()) == 3  # a scalar is in C order


def test_blocks_in_blocks():
    x = la.asarray(SQUARE)
    with la.backends.measure(0) as outer:
        with la.backends.measure(0) as inner:
            np.sort(x).numpy()
        np.fft.fft(x).numpy()
    assert [*inner] == ["sort(float64[6, 6], axis=1, algorithm=0)"]
    assert [*outer] == ["fft.fft(float64[6, 6], n=None, axis=1, norm=None)"]


def test_other_rows_are_measured_anew():
    x = la.asarray(SQUARE)
    with la.backends.measure(0):
        np.linalg.inv(x).numpy()
    la.backends.register("linalg.inv", "mine", np.linalg.inv)
    try:
        with la.backends.measure(0) as found:
            np.linalg.inv(x).numpy()
        assert [sorted(taken) for taken in found.values()] == [["mine", "numpy", "scipy"]]
    finally:
        la.backends.unregister("linalg.inv", "mine")
    assert not measured


def test_few_measurements_are_kept(monkeypatch):
    monkeypatch.setattr("lazyarr.backends.measured.MOST", 3)
    table = Measured()
    for axis in range(5):
        table.put("sort", {"axis": axis}, forms((3, 4)), "numpy")
    assert [kind[:11] for kind in table.as_json()] == ["sort(axis=2", "sort(axis=3", "sort(axis=4"]


@pytest.mark.parametrize(("operation", "call"), [("linalg.inv", np.linalg.inv), ("sort", np.sort)])
def test_a_backend_that_returns_another_form_is_left_out(operation, call):
    la.backends.register(operation, "bad", lambda a, **_: a[:1])
    try:
        with la.backends.measure(0) as found:
            assert np.array_equal(call(la.asarray(SQUARE)), call(SQUARE))
        assert all("bad" not in taken for taken in found.values())
    finally:
        la.backends.unregister(operation, "bad")


def test_what_is_exact_is_measured_by_itself():
    x = la.asarray(SQUARE)
    with la.config(exact=True), la.backends.measure(0) as exact:
        np.sort(x).numpy()
        np.linalg.inv(x).numpy()
    with la.backends.measure(0) as all_of_them:
        np.sort(x).numpy()
        np.linalg.inv(x).numpy()
    assert (len(exact), len(all_of_them)) == (1, 2)


def test_a_fastest_backend_that_is_gone_is_measured_anew():
    x = la.asarray(SQUARE)
    form = [Operand((6, 6), np.dtype(float), (48, 8))]
    measured.put("linalg.inv", {}, form, "of another process")
    with la.backends.measure(0) as found:
        np.linalg.inv(x).numpy()
    assert len(found) == 1
