"""Invalid calls of methods and functions: NumPy's exception class and message, raised by the call.

Each line is an expression of an array x; xp is numpy for an ndarray and lazyarr for a lazy array.
"""

import numpy as np
import pytest

from support import call_outcomes

AXES = ["9", "-3", "'a'", "1.0", "(0, 0)", "(0, -2)", "(0, 1)", "True", "None", "()", "[0]", "(0.5,)", "(0, 5)",
        "np.int64(1)", "1j"]
DTYPES = ["'U3'", "'nonsense'", "'i1'", "bool", "'c8'", "3", "'M8[s]'", "'f4'", "'i4,i4'", "object"]
OUTPUTS = ["xp.zeros(7)", "xp.zeros(())", "xp.zeros(4, 'i1')", "xp.zeros(4, bool)", "3", "[1]", "xp.zeros(4, 'U2')",
           "xp.zeros((3, 4))", "xp.zeros((3, 4), 'i1')", "xp.broadcast_to(xp.zeros(1), (4,))", "()", "xp.zeros((1, 4))",
           "xp.zeros(4, 'i8')"]
STARTS = ["1", "None", "'abc'", "1.5", "np.ones(4)", "1j", "10**30", "300", "[1, 2]"]
MASKS = ["1", "1.0", "None", "'a'", "np.array([[True], [False], [True]])", "np.ones(7, bool)", "np.ones((3, 4), int)",
         "False", "np.ones((2, 3, 4), bool)", "[True, False, True, False]"]
CORRECTIONS = ["'a'", "None", "1.5", "99", "-1", "1j", "[1]"]

# Keyword arguments of reductions.
WITH_START = "sum prod max min nansum nanprod nanmax nanmin"
WITH_MASK = "sum prod max min any all mean var std nansum nanmean nanvar nanmax"
WITH_DTYPE = "sum prod mean var std nansum nanprod nanmean nanvar nanstd cumsum cumprod nancumsum"
WITHOUT_KEEPDIMS = "cumsum cumprod nancumsum count_nonzero"
# NumPy itself crashes for some outputs of cumsum and cumprod.
WITHOUT_OUT = "count_nonzero cumsum cumprod nancumsum median nanmedian"
REDUCTIONS = sorted({*WITH_START.split(), *WITH_MASK.split(), *WITH_DTYPE.split(),
                     "argmax", "argmin", "ptp", "median", "nanmedian", "count_nonzero"})


def reduction_lines(name):
    """Yield expressions for a reduction as a function and, if it exists, as a method."""
    forms = [f"np.{name}(x, ", *([f"x.{name}("] if hasattr(np.ndarray, name) else [])]
    for form in forms:
        yield from (f"{form}axis={axis})" for axis in AXES)
        if name in WITH_DTYPE.split():
            yield from (f"{form}dtype={dtype})" for dtype in DTYPES)
        if name not in WITHOUT_OUT.split():
            yield from (f"{form}out={out})" for out in OUTPUTS)
            yield from (f"{form}axis=0, out={out})" for out in OUTPUTS)
        if name not in WITHOUT_KEEPDIMS.split():
            yield from (f"{form}axis=0, keepdims={keepdims})" for keepdims in ("'a'", "None", "2", "True"))
        if name in WITH_START.split():
            yield from (f"{form}initial={start})" for start in STARTS)
        if name in WITH_MASK.split():
            yield from (f"{form}where={mask})" for mask in MASKS)
            yield from (f"{form}where={mask}, initial=0, axis=0)" for mask in MASKS)
        if name in ("var", "std", "nanvar", "nanstd"):
            yield from (f"{form}{word}={value})" for word in ("ddof", "correction") for value in CORRECTIONS)
            yield f"{form}ddof=1, correction=1)"
        yield f"{form}nonsense=1)"
        yield f"{form}0, None, None, None, None, None, None, None, None)"


LINES = """
x.reshape(5); x.reshape((5, 2)); x.reshape(-1, -1); x.reshape(-2, 6); x.reshape("a"); x.reshape(1.5)
x.reshape((3, 4.0)); x.reshape(None); x.reshape(0); x.reshape(-1, 0); x.reshape(-1, 5); x.reshape(()); x.reshape({})
x[::3].T.view("i2"); x.T[::3].view("i2"); x[:, :3].view("c16"); x[:, ::2].view("i1")
x.reshape(3, "a"); x.reshape(2**70); np.reshape(x, 12, order="X"); np.reshape(x, 12, copy="a"); np.reshape(x)
np.reshape(x.T, 12, copy=False); x.reshape(12, nonsense=1)
x.transpose(0); x.transpose(0, 0); x.transpose(0, 1, 2); x.transpose((0, 5)); x.transpose("a"); x.transpose((0.5, 1))
x.transpose(0, None); x.transpose(None); np.transpose(x, 0); np.transpose(x, (0, 0)); np.transpose(x, "ab")
x.swapaxes(0); x.swapaxes(0, 5); x.swapaxes(0, "a"); x.swapaxes(0, 1.0); x.swapaxes(); x.swapaxes(0, 1, 2)
x.swapaxes(-3, 0); x.swapaxes((0,), 1); np.swapaxes(x, 0, 9); np.swapaxes(x, "a", 0)
x.squeeze(0); x.squeeze(5); x.squeeze("a"); x.squeeze((0, 0)); x.squeeze(1.0); x.squeeze([0]); np.squeeze(x, (0, 9))
np.expand_dims(x, 5); np.expand_dims(x, "a"); np.expand_dims(x, (0, 0)); np.expand_dims(x, 1.0)
np.expand_dims(x, None); np.expand_dims(x, (0, 9)); np.expand_dims(x, True)
np.moveaxis(x, 0, 9); np.moveaxis(x, "a", 0); np.moveaxis(x, (0, 1), 0); np.moveaxis(x, (0, 0), (0, 1))
np.rollaxis(x, 9); np.rollaxis(x, "a"); np.matrix_transpose(x[0]); np.unstack(x, axis=9)
x.repeat(-1); x.repeat([1, 2]); x.repeat(1.5); x.repeat("a"); x.repeat(2, 5); x.repeat(2, "a"); x.repeat([1, 2, -3], 0)
x.repeat([[1, 2]], 0); x.repeat(); x.repeat(None); x.repeat([1.5, 2, 1], 0); x.repeat(2, 1.0); x.repeat(2, (0,))
x.take([0, 99]); x.take([0.5]); x.take("a"); x.take(None); x.take([0], 5); x.take([0], "a"); x.take([0], 0, None, "bad")
x.take([0], 0, None, 3); x.take(); x.take([9], 1); x.take([0], 1.0); x.take(slice(0, 1)); x.take([0], 0, 3)
x.take([[0]], (0,)); x.take([0], None, xp.zeros(7))
x.choose([1, 2]); x.choose(3); x.choose([]); x.choose([np.ones(7)]); x.choose([1, 2], None, "bad"); x.choose()
x.clip(1, 2, 3); x.clip("a", "b"); x.clip(np.ones(7), 2); x.clip(1j, 2); x.clip([1, 2], None); x.clip(None, "a")
x.clip(1, 2, xp.zeros(7)); x.clip(1, 2, xp.zeros((3, 4), "i1")); np.clip(x); np.clip(x, 1); np.clip(x, 1, 2, min=3)
np.clip(x, "a", 2); np.clip(x, 1, 2, dtype="nonsense"); np.clip(x, 1, 2, nonsense=1); np.clip(x, 1, 2, out=3)
x.astype(); x.astype("nonsense"); x.astype("i1"); x.astype(3); x.astype("i1", "X"); x.astype("i1", "K", "bad")
x.astype("i1", "K", "safe"); x.astype("i1", "K", 3); x.astype("i1", "K", "unsafe", 2); x.astype("U3"); x.astype("M8[s]")
x.astype("f8", "F", "no"); x.astype("i1", 1); x.astype("i4,i4"); np.astype(x, "nonsense")
np.astype(x, "i1", device="gpu")
x.view("nonsense"); x.view(3); x.view("f4"); x.view("c16"); x.view("U1"); x.view(object); x.view("V8")
x.view("f8", "a")
x.ravel("X"); x.ravel(1); x.ravel("C", "D"); x.ravel("k"); x.flatten("X"); x.flatten(1); x.copy("X")
x.copy(1); x.copy("f")
x.fill("a"); x.fill([1, 2]); x.fill(); x.fill(1j); x.fill(1, 2)
x.diagonal(0, 0, 0); x.diagonal(0, 0, 5); x.diagonal("a"); x.diagonal(1.5); x.diagonal(9); x.trace(0, 0, 0)
x.trace("a"); x.trace(0, 0, 1, "nonsense"); x.trace(0, 0, 1, None, xp.zeros(7)); x.trace(1.5)
x.sort(5); x.sort("a"); x.sort(0, "bad"); x.sort(0, None, "f"); x.sort(None); x.sort(1.0); x.argsort(5); x.argsort("a")
x.argsort(0, "bad"); x.partition(99); x.partition("a"); x.partition(0, 5); x.partition(0, "a"); x.partition()
x.argpartition(99); x.argpartition("a"); x.argpartition(1.5); np.sort(x, 9); np.sort(x, kind="bad")
np.sort(x, order="f"); np.sort(x, stable=True, kind="quicksort"); np.partition(x, 9)
x.searchsorted(1); x[0].searchsorted(1, "bad"); x.searchsorted(); np.digitize(x, x); np.quantile(x, 2)
np.quantile(x, "a"); np.quantile(x, 0.5, method="bad"); np.quantile(x, 0.5, axis=9); np.percentile(x, 101)
np.percentile(x, 50, axis=(0, 0)); np.interp(x, [1, 2], [1]); np.histogram(x, "bad"); np.bincount(x)
x.round("a"); x.round(1.5); x.round(1, 3); x.round(1, xp.zeros(7)); np.round(x, "a"); x.nonzero(1)
x.item(99); x.item("a"); x.item(0, 99); x.item(); x.compress([1], 5); x.compress("a"); x.compress()
x.dot(np.ones(7)); x.dot("a"); x.dot(); x.dot(np.ones((4, 2)), 3); x.put([99], 1); x.put([0], "a"); x.put()
x.resize(-1); x.resize("a"); x.conj(1); x.conj(xp.zeros(7)); x.getfield("i1", 99); x.setfield(1, "nonsense")
x.tobytes("X"); x["a"]; x[99]; x[0, 0, 0]; x[1.5]; x[0, 99]; x[..., ...]; x[np.ones(7, bool)]; x[[0, 99]]
x[:, ::0]; x[(0, 1), (0, 1, 2)]; x.__setitem__(0, [1, 2]); x.__setitem__(99, 1); x.__setitem__(0, "a")
x.__setitem__(slice(None), np.ones(7)); x.__setitem__(0, None); x.__setitem__(0, 1j); x.__setitem__([0, 99], 1)
np.concatenate([]); np.concatenate([x, x[:, :2]]); np.concatenate([x, x], 5); np.concatenate([x, x], "a")
np.concatenate([x, x[0]]); np.concatenate([x, 1]); np.concatenate([x, x], out=xp.zeros(7))
np.concatenate([x, x], dtype="i1"); np.concatenate([x, x], dtype="nonsense"); np.concatenate([x, x], casting="bad")
np.concatenate([x, x], dtype="f4", out=xp.zeros((6, 4))); np.concatenate([x, x], 1.0); np.concatenate([x, x], out=3)
np.concatenate([x, x], True); np.stack([x, x[:2]]); np.stack([x, x], 5); np.stack([x, x], "a")
np.stack([x, x], out=xp.zeros(7)); np.stack([x, x], dtype="i1"); np.stack([x, x], casting="bad")
np.vstack([x, x[:, :2]]); np.hstack([x, x[:2]]); np.dstack([x, x[:2]]); np.block([x, [x]]); np.append(x, x[0], axis=0)
np.split(x, 2); np.split(x, 5); np.split(x, "a"); np.split(x, 2, 9); np.split(x, 0); np.split(x, 2.0)
np.split(x, 3, "a")
np.hsplit(x, 3); np.vsplit(x, 2); np.dsplit(x, 2); np.array_split(x, 0); np.vsplit(x[0], 2)
np.broadcast_to(x, (3, 5)); np.broadcast_to(x, 5); np.broadcast_to(x, "a"); np.broadcast_to(x, (-1, 4))
np.broadcast_to(x, (3, 4.0)); np.broadcast_to(x, None); np.broadcast_to(x, ()); np.broadcast_arrays(x, x[:, :2])
np.pad(x, -1); np.pad(x, "a"); np.pad(x, 1.5); np.pad(x, (1, 2, 3)); np.pad(x, 1, "bad"); np.pad(x, None)
np.pad(x, 1, "edge", nonsense=1); np.pad(x, 1, "reflect", reflect_type="bad")
np.roll(x, "a"); np.roll(x, 1.5); np.roll(x, 1, 9); np.roll(x, 1, "a"); np.roll(x, (1, 2), (0, 1, 1)); np.roll(x, None)
np.flip(x, 9); np.flip(x, "a"); np.flip(x, (0, 0)); np.fliplr(x[0]); np.rot90(x[0]); np.rot90(x, 1, (0, 9))
np.where(x, 1); np.where(x, x[:, :2], x); np.where(x, "a", x); np.where(); np.where(x, x, x, x)
np.tile(x, "a"); np.tile(x, -1); np.diff(x, -1); np.diff(x, axis=9); np.diff(x, "a"); np.gradient(x, axis=9)
np.gradient(x, 1, 2, 3); np.dot(x, x); np.inner(x, x[:, :2]); np.tensordot(x, x, 9); np.tensordot(x, x)
np.vdot(x, x[0]); np.einsum("ij,jk", x, x); np.einsum("ij", x, x); np.einsum("i", x); np.einsum("ij->ik", x)
np.einsum("i$", x); np.einsum("ij->ii", x); np.einsum("ij", x, dtype="nonsense"); np.kron(x, "a"); np.trace(x[0])
x @ x; x @ 1; x @ "a"; np.convolve(x, x[0]); np.convolve(x[0], x[0], "bad"); np.linalg.det(x); np.linalg.inv(x)
np.linalg.norm(x, "bad"); np.linalg.norm(x, axis=9); np.fft.fft(x, axis=9); np.fft.fft(x, -1); np.fft.fft(x, norm="bad")
np.zeros_like(x, dtype="nonsense"); np.full_like(x, [1, 2]); np.empty_like(x, shape=-1); np.ones_like(x, shape="a")
np.array(x, dtype="nonsense"); np.copyto(x, np.ones(7)); np.copyto(x, 1j); np.copyto(x, "a")
np.copyto(x, 1, casting="bad"); np.copyto(x, 1, where=np.ones(7, bool)); np.putmask(x, np.ones(7, bool), 1)
np.average(x, weights=np.ones(7)); np.insert(x, 99, 1); np.delete(x, 99); np.unwrap(x, axis=9)
np.isclose(x, np.ones(7))
setattr(x, "shape", 5); setattr(x, "shape", "a"); setattr(x, "imag", 1); bool(x); int(x); float(x); complex(x); hash(x)
x + "a"; x + None; x + object(); x + [1, 2]; "a" + x; None - x; x < "a"; x & 1.5; x << 1.5; x == np.ones(7)
divmod(x, "a"); x.__iadd__("a"); x.__iadd__(1j); x.__iadd__(np.ones(7)); x.__itruediv__(2); -(x > 1)
x + 300; x + 10**30
"""
EXPRESSIONS = [line.strip() for line in LINES.replace("\n", ";").split(";") if line.strip()]
ARRAYS = [("d", (3, 4)), ("i", (3, 4)), ("?", (3, 4)), ("d", (0, 4)), ("F", (3, 4)), ("B", (3, 4))]


def check(expression, char, shape):
    code = compile(expression, "expression", "eval")
    x = np.array(np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3 + 1, char)
    problem = call_outcomes.difference(lambda x, xp: eval(code, {"x": x, "xp": xp, "np": np}), x)
    assert problem is None, (expression, char, shape, problem)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    for expression in reduction_lines(name):
        for char, shape in ARRAYS:
            check(expression, char, shape)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_methods_and_functions(expression):
    for char, shape in ARRAYS:
        check(expression, char, shape)
