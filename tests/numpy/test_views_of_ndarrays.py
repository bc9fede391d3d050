"""lazyarr.numpy's views of ndarrays: each side sees the other's writes, as in NumPy."""
import numpy as np
import pytest

import lazyarr as la
from lazyarr import numpy as face
from lazyarr.numpy.namespace import _VIEWS, OWN

CASES = {
    "array_split": lambda xp, a: xp.array_split(a, 3)[0],
    "as_strided": lambda xp, a: xp.lib.stride_tricks.as_strided(a, (2,), (8,)),
    "asarray_chkfinite": lambda xp, a: xp.asarray_chkfinite(a),
    "astype": lambda xp, a: xp.astype(a, float, copy=False),
    "atleast_1d": lambda xp, a: xp.atleast_1d(a),
    "atleast_2d": lambda xp, a: xp.atleast_2d(0, a)[1],
    "atleast_3d": lambda xp, a: xp.atleast_3d(a),
    "broadcast_arrays": lambda xp, a: xp.broadcast_arrays(0, a)[1],
    "broadcast_to": lambda xp, a: xp.broadcast_to(a, (2, *a.shape)),
    "diag": lambda xp, a: xp.diag(a),
    "diagonal": lambda xp, a: xp.diagonal(a, 1),
    "dsplit": lambda xp, a: xp.dsplit(xp.atleast_3d(a), 1)[0],
    "einsum": lambda xp, a: xp.einsum("ii->i", a),
    "expand_dims": lambda xp, a: xp.expand_dims(a, 0),
    "flip": lambda xp, a: xp.flip(a),
    "fliplr": lambda xp, a: xp.fliplr(a),
    "flipud": lambda xp, a: xp.flipud(a),
    "hsplit": lambda xp, a: xp.hsplit(a, 2)[1],
    "imag": lambda xp, a: xp.imag(a.view(complex)),
    "ix_": lambda xp, a: xp.ix_(a.view("i8")[0])[0],
    "linalg.diagonal": lambda xp, a: xp.linalg.diagonal(a),
    "linalg.matrix_transpose": lambda xp, a: xp.linalg.matrix_transpose(a),
    "matrix_transpose": lambda xp, a: xp.matrix_transpose(a),
    "meshgrid": lambda xp, a: xp.meshgrid(a[0], a[1], copy=False)[1],
    "moveaxis": lambda xp, a: xp.moveaxis(a, 0, 1),
    "nan_to_num": lambda xp, a: xp.nan_to_num(a, copy=False),
    "permute_dims": lambda xp, a: xp.permute_dims(a),
    "ravel": lambda xp, a: xp.ravel(a),
    "real": lambda xp, a: xp.real(a.view(complex)),
    "real_if_close": lambda xp, a: xp.real_if_close(a),
    "reshape": lambda xp, a: xp.reshape(a, (2, -1)),
    "rollaxis": lambda xp, a: xp.rollaxis(a, 1),
    "rot90": lambda xp, a: xp.rot90(a),
    "sliding_window_view": lambda xp, a: xp.lib.stride_tricks.sliding_window_view(a, (2, 2), writeable=True),
    "split": lambda xp, a: xp.split(a, 2)[1],
    "squeeze": lambda xp, a: xp.squeeze(a[:1]),
    "swapaxes": lambda xp, a: xp.swapaxes(a, 0, 1),
    "transpose": lambda xp, a: xp.transpose(a),
    "trim_zeros": lambda xp, a: xp.trim_zeros(a[0]),
    "unstack": lambda xp, a: xp.unstack(a)[2],
    "vsplit": lambda xp, a: xp.vsplit(a, 2)[0],
}


def test_all_views_are_here():
    assert CASES.keys() == _VIEWS


@pytest.mark.filterwarnings("ignore")
def test_other_functions_share_what_numpy_shares():
    functions = {name: getattr(np, name) for name in {*np.__all__} - _VIEWS - OWN}
    functions = {name: f for name, f in functions.items() if callable(f) and not isinstance(f, type | np.ufunc)}
    for name, function in sorted(functions.items()):
        a = np.arange(16.0).reshape(4, 4)
        try:
            expected = function(a)
        except Exception:  # it takes other arguments
            continue
        if isinstance(expected, np.ndarray):
            given = getattr(face, name)(a)
            assert np.shares_memory(np.asarray(given), a) == np.shares_memory(expected, a), name


@pytest.mark.parametrize("size", [4, 400])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:future versions:FutureWarning", "ignore:Numpy has detected:DeprecationWarning")
def test_writes_are_seen_on_both_sides(name, size):
    expected, a = (np.arange(1.0, 1 + size * size).reshape(size, size) for _ in range(2))
    want, got = CASES[name](np, expected), CASES[name](face, a)
    assert type(got) is la.LazyArray
    expected[1:3], a[1:3] = 77, 77
    assert np.asarray(got + 0).tolist() == (want + 0).tolist()
    assert got.flags.writeable == want.flags.writeable
    if want.flags.writeable:
        want[...], got[...] = 5, 5
        got += 1
        want += 1
    assert a.tolist() == expected.tolist()
    assert got.tolist() == want.tolist()
