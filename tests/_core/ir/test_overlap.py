"""Arrays with overlapping elements: results of writes, and the warning for broadcast arrays.

Also writes to overlapping parts of memory through two arrays.
"""

import operator
import random

import numpy as np
import pytest

import lazyarr as la
from support import program_runner
from support.program_grammar import statements

BROADCAST = "v2 = xp.broadcast_arrays(v1, xp.zeros((2, 3)))[0]"
WINDOWS = "v2 = xp.lib.stride_tricks.sliding_window_view(v1, 2, writeable=True)"
STEPS = "v2 = xp.lib.stride_tricks.as_strided(v1, (2, 2), (v1.itemsize, v1.itemsize))"

WRITES = """
v2 -= v2
v2 %= v2 + 1
v2 += 1
v2[0] += 1; v2[1] -= v2[0]
v2[...] = v2[::-1].copy()
v2[...] = xp.arange(v2.size).reshape(v2.shape)
v2[:, 1:] *= v2[:, :-1]
v2[v2 > 1] = 7
v2[v2 > 1] = -v2[v2 > 1]
v2[v2 > 1] += v2[v2 > 1]
v2[[0, 1, 0]] = 5
xp.add(v2, v2, out=v2)
xp.add(v1[0], 3, out=v2)
xp.add(v1[0], 3, out=v2, where=xp.arange(v2.size).reshape(v2.shape) % 3 == 0)
xp.copyto(v2, 9, where=xp.arange(v2.size).reshape(v2.shape) % 2 == 0)
xp.copyto(v2, v2, where=v2 > 1)
xp.putmask(v2, xp.arange(v2.size).reshape(v2.shape) % 2 == 0, [1, 0])
xp.place(v2, v2 > 1, [1, 0, 1])
xp.put(v2, [0, -1], [4, 5])
xp.put_along_axis(v2, xp.argmax(v2, 0, keepdims=True), 1, 0)
xp.add.at(v2, [0, 1], 1)
xp.fill_diagonal(v2, 3)
v2.flat = [3, 1, 2]
v2.flat[1:] = 4
v2.sort(0)
v2.sort(1)
v2.partition(0, 0)
v2.fill(2)
v2.real = 1
v2.setfield(1, v2.dtype)
xp.sum(xp.ones((*v2.shape, 4)), axis=-1, out=v2)
xp.mean(xp.ones((*v2.shape, 4)), axis=-1, out=v2)
xp.var(xp.arange(v2.size * 4.0).reshape(*v2.shape, 4), axis=-1, out=v2)
xp.add.reduce(v1[:2] * xp.ones((3, 2)), axis=0, out=v2[0, :2])
xp.add.reduce(xp.lib.stride_tricks.as_strided(v1, (v2.shape[1], 2), (0, v1.itemsize)), axis=1, out=v2[0])
xp.add.reduce(xp.lib.stride_tricks.as_strided(v1, (*v2.shape, 2), (0, 0, v1.itemsize)), axis=2, out=v2)
xp.mean(xp.lib.stride_tricks.as_strided(v1, (*v2.shape, 2), (0, 0, v1.itemsize)), axis=2, out=v2)
xp.cumsum(v2, axis=1, out=v2)
xp.maximum.accumulate(v2, 0, out=v2)
xp.modf(v2, out=(v2, None))
xp.matmul(xp.ones((v2.shape[0], 2)), xp.ones((2, v2.shape[1])), out=v2)
xp.clip(v2, 0, 1, out=v2)
xp.nan_to_num(v2, copy=False)
xp.random.default_rng(1).shuffle(v2)
""".strip().split("\n")


def evaluate(*arrays):
    la.evaluate(*[array for array in arrays if isinstance(array, la.LazyArray)])


@pytest.mark.parametrize("pending", [True, False])
@pytest.mark.parametrize("write", WRITES)
def test_a_write_to_elements_that_share_memory(write, pending):
    for view in (BROADCAST, WINDOWS, STEPS, BROADCAST + "[::-1, 1:]", BROADCAST + "[:1]", BROADCAST + "[:0]"):
        lines = ["v1 = xp.array([1.0, 3.0, 2.0]) * 1.5", *["look(v1)"] * (not pending), view, *write.split("; ")]
        with np.errstate(all="warn"):
            program_runner.check(lines, la, evaluate, warn="subset")


@pytest.mark.parametrize("line", """
xp.broadcast_to(v2, (2, 2, 3)); xp.diagonal(v2); v2[:1]; v2[0]; v2[0, ...]; v2.T; v2.real; v2.view(); xp.asarray(v2)
v2.reshape(2, 3); xp.flip(v2); v2.squeeze(); v2.ravel(); v2[()]; v2[[0]]; v2.copy(); v2 + 1; v2[:, :0]; v2.imag
xp.broadcast_arrays(v2, xp.zeros((2, 2, 3)))[0]; xp.broadcast_arrays(v2, v2)[0]; xp.einsum('ij->ji', v2)
xp.lib.stride_tricks.as_strided(v2, (2,), (8,)); xp.lib.stride_tricks.as_strided(v2, (2,), (8,), writeable=False)
xp.lib.stride_tricks.sliding_window_view(v2, 2, 1); xp.lib.stride_tricks.sliding_window_view(v2, 2, 1, writeable=True)
xp.broadcast_arrays(xp.broadcast_to(v1, (2, 3)), xp.zeros((2, 2, 3)))[0]
""".replace("\n", "; ").strip("; ").split("; "))
def test_what_inherits_the_warning_of_a_broadcast_array(line):
    start = ["v1 = xp.array([1.0, 3.0, 2.0])", BROADCAST, f"v3 = {line}"]
    for write in ("v3 = v3", "v2 += 1", "v3 += 1", "v2.flags.writeable = False", "v2.flags.writeable = True",
                  "xp.copyto(v3, 'x')", "xp.copyto(v3, 1j, where=True)", "xp.copyto(v3, 1, where=[1])",
                  "xp.copyto(v3, xp.ones(9), where=v3 > 0)",
                  "v3[:0] = 1", "v3[9] = 1", "v3[...] = [1, 2, 3, 4, 5]", "v3.fill('x')", "v4 = v3[...]; v4[...] = 0"):
        program_runner.check([*start, *write.split("; ")], la, evaluate)


def test_a_writeable_view_of_a_read_only_array_is_not_broadcast():
    program_runner.check(["v1 = xp.arange(3)", "v2 = v1[:1]", "v1.flags.writeable = False",
                          "v3 = xp.broadcast_arrays(v2, xp.zeros(4))[0]",
                          "v4 = xp.broadcast_arrays(v1[:1], xp.zeros(4))[0]",
                          "v1.flags.writeable = True", "v5 = xp.broadcast_arrays(v2, xp.zeros(4))[0]"], la, evaluate)


@pytest.mark.parametrize("view", ["v3", "v3[::-1]", "v3[:, 0]"])
def test_windows_that_may_be_written_to_are_broadcast_whatever_their_base_may(view):
    program_runner.check(["v1 = xp.arange(4)", "v2 = v1[1:]", "v1.flags.writeable = False",
                          "v3 = xp.lib.stride_tricks.sliding_window_view(v2, 1, writeable=True)",
                          f"v4 = xp.broadcast_arrays({view}, xp.zeros((2, 3, 1)))[0]",
                          "v5 = xp.broadcast_arrays(v2, xp.zeros((2, 3)))[0]"], la, evaluate)


@pytest.mark.parametrize("seed", range(10))
def test_programs_with_arrays_that_overlap_themselves(seed):
    kinds = ("overlapping_view", "in_place", "assign", "overlap", "output", "fill", "masked", "write_by_function",
             "several_outputs", "view", "look")
    for number in range(30):
        lines = statements.write(random.Random(1000 * seed + number), 12, kinds)
        with np.errstate(all="ignore"):
            program_runner.check(lines, la, evaluate)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint64"])
@pytest.mark.parametrize("step", [4, 8, -8])
def test_negatives_of_elements_at_any_distance(dtype, step):
    # NumPy 2.4 has a bug in place if elements are four or eight apart; a copy is negated correctly
    x = np.arange(1, 161).astype(dtype)
    expected = x.copy()
    expected[::step] = -x[::step].copy()
    for write in ("v[...] = -v", "np.negative(v, out=v)", "v *= 1; np.negative(v, out=v)"):
        y = la.array(x)
        exec(write, {"np": la.numpy, "v": y[::step]})
        np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite", "signbit"])
def test_classes_of_floats_where_results_lie_apart(name, dtype):
    # NumPy 2.4 mixes up results of float32 and float64 that are not contiguous
    rng = np.random.default_rng(0)
    x = rng.choice([1.0, -2.0, np.nan, -np.inf, -0.0], (3, 150, 4)).astype(dtype)
    expected = getattr(np, name)(x)
    for xp in la, la.numpy:
        out = xp.zeros((3, 150, 4, 3), bool)
        getattr(xp, name)(xp.asarray(x), out=out[..., 1])
        np.testing.assert_array_equal(out.numpy(), np.stack([expected * 0, expected, expected * 0], axis=-1))
        rows = xp.lib.stride_tricks.sliding_window_view(xp.array(x), 2, axis=1)
        found = getattr(xp, name)(rows).numpy()
        np.testing.assert_array_equal(found, np.stack([expected[:, :-1], expected[:, 1:]], axis=-1))


WRITTEN_OVER = {
    "reversed": lambda xp, x, y: operator.setitem(x, slice(None, None, -1), y),
    "moved up": lambda xp, x, y: operator.setitem(x, slice(1, None), y[:-1]),
    "moved down": lambda xp, x, y: operator.setitem(x, slice(None, -1), y[1:]),
    "added": lambda xp, x, y: operator.iadd(x[1:], y[:-1]),
    "out": lambda xp, x, y: xp.add(y, 1, out=x[::-1]),
    "out of two": lambda xp, x, y: xp.multiply(y[1:], y[:-1], out=x[1:]),
    "copyto": lambda xp, x, y: xp.copyto(x[::-1], y),
    "by a list": lambda xp, x, y: operator.setitem(x, np.arange(len(x))[::-1], y),
    "itself": lambda xp, x, y: operator.setitem(x, ..., y),
}


@pytest.mark.parametrize("shape", [(5,), (2, 3), (40,), (30_000,)])
@pytest.mark.parametrize("other", ["ndarray on it", "array on the ndarray"])
@pytest.mark.parametrize("write", WRITTEN_OVER.values(), ids=WRITTEN_OVER)
def test_values_in_the_memory_of_others_that_are_written_over(write, other, shape):
    expected = np.arange(float(np.prod(shape))).reshape(shape)
    memory = expected.copy()
    write(np, expected, expected)
    if other == "ndarray on it":
        x = la.numpy.array(memory)
        y = np.asarray(x)
    else:
        x, y = la.numpy.asarray(memory), la.numpy.asarray(memory)
    write(la.numpy, x, y)
    assert x.tolist() == y.tolist() == expected.tolist()
