"""Derivatives of indexing on a device: scattered sums, in the host's order."""

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as lnp
from lazyarr.gpu.calls import at_places
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from support.opencl_device import DRIVER, same_there, there

RNG = np.random.default_rng(11)
A = RNG.standard_normal((5, 6))
ROWS, J, MASK = np.array([2, 0, 2, 1, -3]), np.array([1, 1, 3, 0, 1]), A > 0.2
LINES = RNG.integers(0, 6, (5, 9))


def written(x, key, value):
    """Return a copy of x after a write."""
    y = x.copy()
    y[key] = value
    return y


def added(x, key, value):
    """Return a copy of x after an addition."""
    y = x.copy()
    np.add.at(y, key, value)
    return y


FORMS = {
    "rows": lambda x, i, j, b: x[i],
    "columns": lambda x, i, j, b: x[:, j],
    "columns of a transpose": lambda x, i, j, b: x.T[1:, i],
    "pairs": lambda x, i, j, b: x[i, j],
    "row and part": lambda x, i, j, b: x[i, 2:],
    "reversed": lambda x, i, j, b: x[::-1, ::2][i],
    "matrix of rows": lambda x, i, j, b: x[lnp.stack([i, j])],
    "list": lambda x, i, j, b: x[[0, 0, 1]],
    "take": lambda x, i, j, b: lnp.take(x, j),
    "take columns": lambda x, i, j, b: lnp.take(x, j, 1),
    "take one column": lambda x, i, j, b: lnp.take(x, 3, 1),
    "clipped": lambda x, i, j, b: lnp.take(x, i * 3, mode="clip"),
    "wrapped": lambda x, i, j, b: lnp.take(x, i * 3, 0, mode="wrap"),
    "lines": lambda x, i, j, b: lnp.take_along_axis(x, there(LINES), 1),
    "mask": lambda x, i, j, b: x[b],
    "mask of the values": lambda x, i, j, b: x[x > 0.2],
    "mask of rows": lambda x, i, j, b: x[b[:, 0]],
    "mask of columns": lambda x, i, j, b: x[:, b[0]],
    "compress": lambda x, i, j, b: lnp.compress(b[0], x, 1),
    "extract": lambda x, i, j, b: lnp.extract(b, x),
    "delete": lambda x, i, j, b: lnp.delete(x, [1, 2], 0),
    "repeat": lambda x, i, j, b: lnp.repeat(x, j, 0),
    "sort": lambda x, i, j, b: lnp.sort(x, 1),
    "sorted by argsort": lambda x, i, j, b: x.ravel()[lnp.argsort(x.ravel())],
    "at": lambda x, i, j, b: added(x, i, x[j]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_derivatives_have_the_hosts_bits(form, order):
    def found(put):
        i, j, b = map(put, (ROWS, J, MASK))

        def cubes(x):
            return (form(x, i, j, b) ** 3).sum()

        function = cubes if order == 1 else lambda x: (la.grad(cubes)(x) ** 2).sum()
        return la.grad(function)(put(A))

    same_there(found(there), found(la.array).numpy())


def test_the_derivative_of_interp_runs_there():
    slope = la.grad(lambda y: lnp.interp(there(J / 4), there(np.arange(6.0)), y).sum())
    same_there(slope(there(A[0])), la.grad(lambda y: lnp.interp(J / 4, np.arange(6.0), y).sum())(A[0]).numpy())


@pytest.mark.parametrize("dtype", "efdFD")
@pytest.mark.parametrize("shape", [(3, 5), (4, 1), (301, 7)])
def test_sums_at_places_of_all_dtypes(dtype, shape):
    a = RNG.standard_normal(shape).astype(dtype)
    i = RNG.integers(-shape[0], shape[0], 400)
    g = RNG.standard_normal((400, shape[1])).astype(dtype)
    wanted = np.zeros(shape, dtype)
    np.add.at(wanted, i, g)
    _, pull = la.vjp(lambda x: x[there(i)], there(a))
    same_there(pull(there(g))[0], wanted)
    wanted = np.zeros(shape, dtype)
    np.add.at(wanted.T, (slice(None), i), g.T)
    _, pull = la.vjp(lambda x: x.T[:, there(i)], there(a))
    same_there(pull(there(g).T)[0], wanted)


def test_batches_of_sums():
    rows = RNG.integers(0, 5, (3, 8))

    def found(put):
        return la.vmap(la.grad(lambda x, i: (x[i] ** 2).sum()), in_axes=(None, 0))(put(A), put(rows))

    same_there(found(there), found(la.array).numpy())


def test_a_derivative_at_places_out_of_bounds_is_numpys_error():
    i = there(np.array([0, 7])) + 0
    g = la.grad(lambda x: x[i].sum())(there(A))
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        g.numpy()
    DRIVER.host_steps.clear()


@pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc")
@pytest.mark.parametrize("text", [at_places.offset_text(2, 1, ("i32", "i64"), 0),
                                  at_places.offset_text(1, 0, ("i64",), 2),
                                  at_places.combine_text("add", "D", "D", 0, 2, 1, ("i64",), 1)],
                         ids=["checked", "clipped", "wrapped"])
def test_texts_compile_as_cuda(text):
    helpers = needed(text.text)
    assert b".entry" in nvrtc.compile_ptx("\n".join([CUDA.spellings(helpers + text.text), helpers, text.text]),
                                          "compute_80")
