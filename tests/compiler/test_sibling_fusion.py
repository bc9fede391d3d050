"""Programs that read the same arrays are fused into one pass."""

import numpy as np
import pytest

import lazyarr as la


def ones_and_more():
    return la.array(np.random.default_rng(0).random((7, 1300)).astype("f4") + 1)


def steps(*arrays):
    return [step.operations for step in la.explain(*arrays).steps]


def checked(*pairs):
    """Evaluate lazy arrays in one plan and compare each with NumPy's."""
    la.evaluate(*[made for made, _ in pairs])
    for made, wanted in pairs:
        if made.ndim == 2:
            assert made.numpy().tobytes() == wanted.tobytes()
        else:
            np.testing.assert_allclose(made, wanted, rtol=1e-5)


def test_results_of_the_same_arrays():
    x = ones_and_more()
    n = x.numpy()
    assert len(steps(x * 2 + 1, x * x - 3)) == 1
    assert len(steps(x.min(), x.max())) == 1
    assert len(steps(np.sin(x), x.sum(1), (x * x).sum(1))) == 1
    checked((x * 2 + 1, n * 2 + 1), (x * x - 3, n * n - 3))
    checked((x.min(), n.min()), (x.max(), n.max()), (x.sum(), n.sum()))
    checked((np.sin(x), np.sin(n)), (x.sum(1), n.sum(1)), ((x * x).sum(1), (n * n).sum(1)))


def test_one_may_read_more_than_the_other():
    x = ones_and_more()
    n = x.numpy()
    y, m = x + 1, n + 1
    la.evaluate(y)
    assert len(steps(x * y, y - 1)) == 1
    assert len(steps(x * y, y.sum())) == 1
    checked((x * y, n * m), (y - 1, m - 1), (y.max(), m.max()))


@pytest.mark.parametrize("two", [
    lambda x, y: (x.min(), y.max()),                    # of different arrays
    lambda x, y: (x + x * y, np.sin(y) - x.copy().T[::-1].T),
    lambda x, y: (x.sum(0), x.sum(1)),                  # along other axes
    lambda x, y: (x.sum(0), x.max(0)),                  # which fold where they lie
    lambda x, y: (x.argmax(1), x.max(1)),
    lambda x, y: (x.cumsum(1), x * 2),
    lambda x, y: (np.sort(x * 2), np.sort(x * 3)),      # both would lie in memory at once
    lambda x, y: (x.copy(), x.sum()),
])
def test_others_stay_apart(two):
    x = ones_and_more()
    y = la.array(x.numpy() + 1)
    made = two(x, y)
    assert len(steps(*made)) >= 2
    for got, wanted in zip(made, two(x.numpy(), y.numpy()), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_what_waits_for_the_other_stays_apart():
    x = ones_and_more()
    n = x.numpy()
    total = x.sum()
    assert len(steps(total, (x - total).max())) == 2
    checked((total, n.sum()), ((x - total).max(), (n - n.sum()).max()))


def test_results_that_can_come_last_do():
    x = la.array(np.arange(1 << 20, dtype="f4"))
    doubled, total = x * 2, x.sum()
    large = np.sort(np.sin(x - total))
    assert "sort" not in str(steps(doubled, large)[-1])
    assert la.explain(doubled, large).memory.planned == la.explain(large).memory.planned
    checked((total, x.numpy().sum()))


def test_programs_keep_their_size():
    x = ones_and_more()
    n = x.numpy()
    many = [np.sin(x * k) for k in range(40)]
    assert max(len(operations) for operations in steps(*many)) <= 16
    checked(*[(made, np.sin(n * np.float32(k))) for k, made in enumerate(many)])


def test_old_values_are_read_before_they_are_overwritten():
    n = np.arange(5000.0)
    x = la.array(n) + 0
    low, high, square = x.min(), x.max(), x * x
    x += 1
    checked((low, n.min()), (high, n.max()))
    assert square.tolist() == (n * n).tolist()
    assert x.tolist() == (n + 1).tolist()


def test_errors_are_told_of_each_in_the_order_of_the_program():
    n = np.array([-1.0, 0.0, 4.0])
    x = la.array(n)
    roots, quotients = np.sqrt(x), 1 / x
    with pytest.warns(RuntimeWarning) as told:
        la.evaluate(quotients, roots)
    assert [str(w.message) for w in told] == [
        "invalid value encountered in sqrt", "divide by zero encountered in divide"]


def test_an_error_in_one_leaves_the_other():
    x = la.array([0.0, 4.0])
    with np.errstate(divide="raise"):
        quotients = 1 / x
    doubled = x * 2
    with pytest.raises(FloatingPointError, match="divide by zero"):
        la.evaluate(quotients, doubled)
    assert doubled.tolist() == [0, 8]
    with pytest.raises(FloatingPointError, match="divide by zero"):
        quotients.numpy()
