"""Writes under masks of small arrays with operands that are pending, because they are costly: at once, as in NumPy."""

import numpy as np
import pytest

import lazyarr.numpy as xp
from lazyarr._core import api as core

N = 100
POWERS = {
    "all": lambda f, x: (x > -1, x[x > -1] ** 1.5),
    "most": lambda f, x: (x > 0.1, x[x > 0.1] ** 1.5),
    "rows": lambda f, x: (x[:, 0] > 0.1, x[x[:, 0] > 0.1] ** 1.5),
    "mask kept": lambda f, x: (m := x > 0.1, f.exp(x[m]) ** 2),
}


def written(operands):
    """Return an array of NumPy and one of lazyarr after a write under a mask whose value was pending."""
    drawn = np.random.default_rng(1).random((N, N))
    want, got = drawn.copy(), xp.array(drawn)
    mask, value = operands(np, want)
    want[mask] = value
    mask, value = operands(xp, got)
    assert core.is_pending(value)
    got[mask] = value
    return want, got


@pytest.mark.parametrize("operands", POWERS.values(), ids=POWERS)
def test_a_pending_value_is_written_at_once(operands):
    want, got = written(operands)
    assert not core.is_pending(got)
    assert np.array_equal(got, want)


def test_values_for_whole_rows_or_all_elements_join_the_graph():
    """They are written in one pass with what computes them."""
    for operands in (lambda f, x: (x > 0.1, f.exp(f.tile(x, (9, 1))).sum()),
                     lambda f, x: (x[:, 0] > 0.1, f.exp(f.tile(x, (9, 1))).sum(axis=0))):
        want, got = written(operands)
        assert core.is_pending(got)
        assert np.allclose(got, want, rtol=1e-13)


def test_a_failing_value_raises_where_it_is_written_and_changes_nothing():
    got = xp.zeros((N, N))
    with np.errstate(divide="raise"):
        value = got[got == 0] ** -1.5
        with pytest.raises(FloatingPointError):
            got[got == 0] = value
    assert not got.any()
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        got[got == 0] = got[got == 0] ** -1.5
    with pytest.raises(ValueError, match="cannot assign"):
        got[got > 0] = xp.exp(got[1:][got[1:] > 0])
