"""Invalid input, exhausted memory and failing calls: NumPy's exceptions, after which all arrays are usable."""

import re
import traceback

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host import allocator
from support import program_runner
from support.lazy_helpers import compile_line, pending

# Invalid input, raised at the line of the operation.

WRONG = {
    "shapes": lambda xp, x: x + xp.zeros(7),
    "shapes in 2-d": lambda xp, x: x * xp.zeros((3, 4)),
    "shapes of three": lambda xp, x: xp.where(x > 0, xp.zeros(4), x),
    "in-place broadcast": lambda xp, x: x[0].__iadd__(x),
    "out shape": lambda xp, x: xp.add(x, 1, out=xp.zeros(2)),
    "out dtype": lambda xp, x: xp.add(x, 0.5, out=xp.zeros((2, 3), "int64")),
    "out is a list": lambda xp, x: xp.add(x, 1, out=[0]),
    "in-place dtype": lambda xp, x: xp.zeros((2, 3), "int64").__iadd__(x),
    "too many outs": lambda xp, x: xp.add(x, 1, out=(x, x)),
    "assigned shape": lambda xp, x: x.__setitem__(Ellipsis, xp.zeros(2)),
    "assigned shape to a slice": lambda xp, x: x.__setitem__(0, xp.zeros(2)),
    "assigned text": lambda xp, x: x.__setitem__(0, "text"),
    "assigned sequence": lambda xp, x: x.__setitem__((0, 0), [1, 2]),
    "reshape": lambda xp, x: x.reshape(4, 2),
    "reshape twice unknown": lambda xp, x: x.reshape(-1, -1),
    "transpose": lambda xp, x: x.transpose(0, 0),
    "transpose length": lambda xp, x: x.transpose(0),
    "swapaxes": lambda xp, x: x.swapaxes(0, 2),
    "squeeze": lambda xp, x: x.squeeze(axis=0),
    "expand_dims": lambda xp, x: xp.expand_dims(x, 5),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (3, 2)),
    "axis of sum": lambda xp, x: x.sum(axis=2),
    "negative axis": lambda xp, x: x.max(axis=-3),
    "axis of a function": lambda xp, x: xp.mean(x, axis=(0, 2)),
    "axis twice": lambda xp, x: x.sum(axis=(0, 0)),
    "axis of text": lambda xp, x: x.sum(axis="a"),
    "axis of argmax": lambda xp, x: x.argmax(axis=2),
    "axis of cumsum": lambda xp, x: xp.cumsum(x, axis=2),
    "axis of concatenate": lambda xp, x: xp.concatenate([x, x], axis=2),
    "axis of stack": lambda xp, x: xp.stack([x, x], axis=3),
    "axis of flip": lambda xp, x: xp.flip(x, axis=2),
    "max of nothing": lambda xp, x: x[:0].max(axis=0),
    "argmin of nothing": lambda xp, x: x[:0].argmin(),
    "dtype name": lambda xp, x: x.astype("floaty"),
    "dtype of zeros": lambda xp, x: xp.zeros(3, "int7"),
    "dtype of a ufunc": lambda xp, x: xp.add(x, 1, dtype="int8"),
    "dtype unsupported": lambda xp, x: xp.bitwise_and(x, x),
    "operator unsupported": lambda xp, x: x << 2,
    "unary unsupported": lambda xp, x: ~x,
    "text operand": lambda xp, x: x + "text",
    "object operand": lambda xp, x: x * object(),
    "boolean subtract": lambda xp, x: (x > 0) - (x > 1),
    "boolean negative": lambda xp, x: -(x > 0),
    "casting": lambda xp, x: x.astype("int64", casting="safe"),
    "python integer too large": lambda xp, x: xp.zeros(3, "int8") + 300,
    "python integer negative": lambda xp, x: xp.zeros(3, "uint8") - (-1),
    "assigned integer too large": lambda xp, x: xp.zeros(3, "int8").__setitem__(0, 300),
    "index": lambda xp, x: x[2],
    "negative index": lambda xp, x: x[0, -4],
    "index of an axis too many": lambda xp, x: x[0, 0, 0],
    "index of float": lambda xp, x: x[1.0],
    "index of text": lambda xp, x: x["a"],
    "two ellipses": lambda xp, x: x[..., ...],
    "slice of float": lambda xp, x: x[0.5:],
    "slice step": lambda xp, x: x[::0],
    "integer array index": lambda xp, x: x[[0, 5]],
    "integer array index of columns": lambda xp, x: x[:, [0, -4]],
    "index arrays": lambda xp, x: x[[0, 1], [0, 1, 2]],
    "boolean index": lambda xp, x: x[np.array([True, False, True])],
    "assigned index": lambda xp, x: x.__setitem__(2, 0),
    "assigned index array": lambda xp, x: x.__setitem__([0, 5], 0),
    "assigned boolean index": lambda xp, x: x.__setitem__(np.array([True, False, True]), 0),
    "assigned boolean count": lambda xp, x: x.__setitem__(np.ones((2, 3), bool), [1.0, 2.0]),
    "index of a scalar": lambda xp, x: x.sum()[0],
    "length of a scalar": lambda xp, x: len(x.sum()),
    "iteration over a scalar": lambda xp, x: iter(x.sum()),
    "truth of an array": lambda xp, x: bool(x),
    "truth of an empty array": lambda xp, x: bool(x[:0]),
    "float of an array": lambda xp, x: float(x),
    "int of an array": lambda xp, x: int(x),
    "index from a float": lambda xp, x: range(x[0, 0]),
    "item of an array": lambda xp, x: x.item(),
    "item out of range": lambda xp, x: x.item(6),
    "missing attribute": lambda xp, x: x.nothing,
    "missing name": lambda xp, x: xp.nothing,
    "number of arguments": lambda xp, x: xp.sin(),
    "unknown keyword": lambda xp, x: xp.sin(x, nothing=1),
    "matmul": lambda xp, x: x @ x,
    "matmul of scalars": lambda xp, x: x @ 2,
    "concatenate shapes": lambda xp, x: xp.concatenate([x, xp.zeros((2, 4))], axis=0),
    "concatenate nothing": lambda xp, x: xp.concatenate([]),
    "stack shapes": lambda xp, x: xp.stack([x, x[0]]),
    "split": lambda xp, x: xp.split(x, 4),
    "negative shape": lambda xp, x: xp.zeros(-1),
    "arange": lambda xp, x: xp.arange(0, 1, 0),
    "linspace": lambda xp, x: xp.linspace(0, 1, -1),
    "ragged": lambda xp, x: xp.array([[1, 2], [3]]),
    "clip without bounds": lambda xp, x: x.clip(a_min=1),
    "not square": lambda xp, x: xp.linalg.inv(x),
    "format": lambda xp, x: f"{x:.2f}",
    "format of a scalar": lambda xp, x: f"{x[0, 0]:q}",
    "view dtype": lambda xp, x: x.T.view("int32"),
    "assigned shape attribute": lambda xp, x: setattr(x, "shape", (7,)),
    "view of another size": lambda xp, x: xp.zeros(3, "int8").view("int64"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_raises_what_numpy_raises(name):
    x = pending([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]])
    with pytest.raises(Exception) as expected:  # noqa: PT011  # whichever NumPy raises
        WRONG[name](np, x.numpy().copy())
    x = pending(x)
    with pytest.raises(Exception) as got:  # noqa: PT011  # compared below
        WRONG[name](la, x)
    text = re.sub("module 'lazyarr(.numpy)?'", "module 'numpy'", program_runner.error_text(got.value))
    assert text == program_runner.error_text(expected.value)
    assert x.tolist() == [[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]]


def test_integers_to_negative_powers():
    x = pending([1, 2, 3])
    y = x ** pending([1, -1, 2])
    with pytest.raises(ValueError, match="Integers to negative integer powers are not allowed"):
        y.numpy()
    assert (x.tolist(), (x + 1).tolist()) == ([1, 2, 3], [2, 3, 4])


# Memory.

def test_memory_limit():
    size = 2_000_000
    small, x = pending([1.0, 2.0]), la.zeros(size)
    with la.config(memory_limit=allocator.stats()["live_bytes"] + 8_000_000):
        y = x + 1
        with pytest.raises(MemoryError):
            y.numpy()
        with pytest.raises(MemoryError):
            la.evaluate(small, y, y * 2)
        assert small.tolist() == [1, 2]
        assert (small + 1).tolist() == [2, 3]
    assert y.shape == (size,)
    assert float((y * 2).sum()) == 2 * size


def test_memory_returns_after_a_memory_error():
    before = allocator.stats()["live_bytes"]
    with la.config(memory_limit=before + 20_000_000):
        y = [(la.zeros(1_000_000) + k) for k in range(5)]
        with pytest.raises(MemoryError):
            la.evaluate(*y)
        del y
        assert allocator.stats()["live_bytes"] <= before
        assert float((la.zeros(1_000_000) + 1).sum()) == 1_000_000


def test_an_impossible_size():
    with pytest.raises(MemoryError):
        (la.zeros((2**20, 2**20)) + 1).numpy()
    with pytest.raises(ValueError, match=r"too big|Maximum allowed"):
        la.zeros((2**40, 2**40))
    assert (la.zeros(2) + 1).tolist() == [1, 1]


def test_an_array_that_cannot_be_computed_does_not_fail_others_when_the_budget_is_spent():
    x = pending([1.0, 2.0])
    with np.errstate(all="raise"):
        bad = x / 0
    y = x
    with la.config(budget_nodes=2):
        for _ in range(50):
            y = y + 1
            y[0] = 5
        assert y.tolist() == [5, 52]
    with pytest.raises(FloatingPointError):
        bad.numpy()


# Opaque calls.

def failing(x):
    raise OSError("the disk is full")


def test_an_opaque_call_that_raises():
    x = pending([1.0, 2.0])
    y = compile_line('y = opaque("my_call", failing, [x], (2,), np.dtype(float))',
                     opaque=api.opaque, failing=failing, x=x, np=np)["y"]
    z = y + 1
    for array_ in (z, y, z):
        with pytest.raises(OSError, match="the disk is full") as caught:
            array_.numpy()
        text = "".join(traceback.format_exception(caught.value))
        assert "my_call" in text
        assert re.search(r"user_script\.py\D+3\b", text)
    assert (x.tolist(), (x * 2).tolist(), z.shape) == ([1, 2], [2, 4], (2,))


def test_errors_quote_the_line_to_debug():
    x = la.asarray(np.zeros(3))
    for debug in (False, True):
        with np.errstate(all="raise"):
            y = 1 / x  # made here
        with la.config(debug=debug), pytest.raises(FloatingPointError) as caught:
            y.numpy()
        note, *quoted = caught.value.__notes__[0].splitlines()
        assert f"in divide, created at {__file__}:" in note
        assert quoted == (["    y = 1 / x  # made here"] if debug else [])
    namespace = {"x": x, "np": np}
    exec("with np.errstate(all='raise'): y = 1 / x", namespace)
    with la.config(debug=True), pytest.raises(FloatingPointError) as caught:
        namespace["y"].numpy()
    assert caught.value.__notes__ == ["lazyarr: in divide, created at <string>:1 in <module>"]  # there is no such file


def test_an_opaque_call_that_returns_another_shape():
    y = api.opaque("my_call", lambda x: x[:1], [pending([1.0, 2.0])], (2,), np.dtype(float))
    with pytest.raises(RuntimeError, match="my_call"):
        y.numpy()


def test_an_opaque_call_cannot_change_its_inputs():
    x = pending([1.0, 2.0])
    y = api.opaque("my_call", lambda x: x.__iadd__(1), [x], (2,), np.dtype(float))
    with pytest.raises(ValueError, match="read-only"):
        y.numpy()
    assert x.tolist() == [1, 2]


def test_a_singular_matrix():
    x = la.zeros((2, 2))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        la.linalg.inv(x).numpy()
    assert (x + 1).tolist() == [[1, 1], [1, 1]]


def test_a_user_ufunc_that_raises():
    def half(x):
        if x > 1:
            raise LookupError("no half of that")
        return x / 2

    u = np.frompyfunc(half, 1, 1)
    assert la.asarray(u(pending([0.5, 1.0]))).tolist() == [0.25, 0.5]
    with pytest.raises(LookupError, match="no half of that"):
        np.asarray(u(pending([0.5, 2.0])))


def test_a_listener_that_raises_leaves_arrays_usable():
    def listener(record):
        raise RuntimeError("the listener failed")

    x = pending([1.0])
    with la.config(on_evaluate=listener), pytest.raises(RuntimeError, match="the listener failed"):
        x.numpy()
    assert x.tolist() == [1]
