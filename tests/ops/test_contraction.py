"""Products along given axes: lazy, with NumPy's shapes, layouts and errors."""

import numpy as np
import pytest

import lazyarr as la
from support.numpy_comparison import check, lazy_operands, operands, run

LINES = [
    *[f"np.matmul(t, t, axes=[{axes}])" for axes in (
        "(1, 2), (2, 1), (0, 1)", "(-1, -2), (1, -1), (0, 2)", "(0, 2), (2, 1), (1, 0)", "(1, 2), (2, 1), (2, 1)",
        "(1, 2)", "1, 2, 3", "(1, 2), (2, 1), (0, 5)")],
    *[f"np.matmul(t, v[:4], axes=[(1, 2), {axes}])" for axes in ("(0,), (0,)", "0, 0", "0, 1", "0")],
    *[f"np.vecdot(t, t, {axes})" for axes in ("axis=0", "axis=1, keepdims=True", "axis=-3, keepdims=True", "axis=5",
                                              "axes=[0, 0]", "axes=[(1,), (1,), ()]", "keepdims=True")],
    "np.vecdot(v, v, keepdims=True)", "np.vecdot(c, c, axis=0)", "np.matmul(m, m.T, axis=1)",
    "np.matmul(t, t.swapaxes(1, 2), order='F', axes=[(1, 2), (1, 2), (0, 1)])", "np.linalg.vecdot(t, t, axis=1)",
    "r = np.zeros((3, 2, 3)); np.matmul(t, t, axes=[(1, 2), (2, 1), (0, 2)], out=r)",
]


@pytest.mark.parametrize("line", LINES)
def test_axes_of_products(line):
    check(line, lazy=True, near=True)
    want = run(line, np, operands())
    if isinstance(want, np.ndarray) and "out" not in line:
        got = run(line, la, lazy_operands())
        axes = [axis for axis in range(want.ndim) if want.shape[axis] > 1]
        assert [got.strides[k] for k in axes] == [want.strides[k] for k in axes]


def test_axes_and_keepdims_at_once():
    check("np.vecdot(t, t, axes=[0, 0, 0], keepdims=True)", lazy=False, near=True)
