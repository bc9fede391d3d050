"""Which accesses evaluate an array and which do not, one row each."""

import array
import bisect
import cmath
import copy
import hashlib
import io
import json
import math
import operator
import pickle
import struct
import textwrap
import weakref

import numpy as np
import pytest

import lazyarr as la
from support.lazy_helpers import pending


def saved(x):
    file = io.BytesIO()
    np.save(file, x)
    file.seek(0)
    return np.load(file)


def saved_in_archive(x):
    file = io.BytesIO()
    np.savez(file, x=x)
    file.seek(0)
    return np.load(file)["x"]


def written_as_text(x):
    file = io.StringIO()
    np.savetxt(file, x)
    return file.getvalue()


def dumped(x, path):
    x.tofile(path)
    return path.read_bytes()


# name: (access to an array, supported dtypes). Results are compared with NumPy's by repr.
ARRAY_LOOKS = {
    "repr": repr,
    "str": str,
    "format": format,
    "f-string": lambda x: f"{x} and {x!r:>80}",
    "percent": lambda x: "%s" % (x,),  # noqa: UP031  # percent formatting is what is tested
    "print": lambda x: print(x, file=(file := io.StringIO())) or file.getvalue(),
    "np.asarray": np.asarray,
    "np.array": np.array,
    "np.ascontiguousarray": lambda x: np.asarray(np.ascontiguousarray(x)),
    "__array__": lambda x: x.__array__(),
    "__array__ with dtype": lambda x: x.__array__("complex128"),
    "np.asarray with dtype": lambda x: np.asarray(x, "float32"),
    "tolist": lambda x: x.tolist(),
    "tobytes": lambda x: x.tobytes(),
    "tobytes in F order": lambda x: x.tobytes("F"),
    "bytes": lambda x: bytes(memoryview(x)),
    "item": lambda x: x.item(1),
    "item of two indices": lambda x: x.item((1, 1)),
    "memoryview": lambda x: memoryview(x).tolist(),
    "memoryview shape": lambda x: (memoryview(x).shape, memoryview(x).format, memoryview(x).strides),
    "hashlib": lambda x: hashlib.sha256(x).hexdigest(),
    "array.array": lambda x: array.array("d", memoryview(x).cast("B")),
    "struct": lambda x: struct.unpack_from("d", x),
    "DLPack": np.from_dlpack,
    "np.frombuffer": np.frombuffer,
    "np.save": saved,
    "np.savez": saved_in_archive,
    "np.savetxt": written_as_text,
    "list": list,
    "tuple of rows": lambda x: tuple(x)[1],
    "iteration": lambda x: [row for row in x],  # noqa: C416  # iteration is what is looked at
    "unpacking": lambda x: (lambda a, b, c: b)(*x),
    "nested loops": lambda x: [element for row in x for element in row],
    "zip": lambda x: list(zip(x, x, strict=True)),
    "enumerate": lambda x: list(enumerate(x)),
    "reversed": lambda x: [row.tolist() for row in reversed(x)],
    "map": lambda x: list(map(np.sum, x)),
    "in": lambda x: (2.5 in x, 77 in x),
    "sum of a row": lambda x: sum(x[0]),
    "sum of rows": lambda x: sum(x),
    "sorted row": lambda x: sorted(x[0], reverse=True),
    "min of a row": lambda x: (min(x[0]), max(x[0])),
    "bisect": lambda x: bisect.bisect(x[0], 2.0),
    "math.fsum": lambda x: math.fsum(x[0]),
    "truth of any": lambda x: "yes" if (x > 2).any() else "no",
    "truth of one element": lambda x: bool(x[:1, :1]),
    "assert np.allclose": lambda x: bool(np.allclose(x, x)),
    "pickle": lambda x: np.asarray(pickle.loads(pickle.dumps(x))),
    "copy.deepcopy": lambda x: np.asarray(copy.deepcopy(x)),
    "deepcopy in a container": lambda x: np.asarray(copy.deepcopy({"x": [x]})["x"][0]),
    "json": lambda x: json.dumps(x.tolist()),
    "boolean read": lambda x: np.asarray(x[x > 1]),
    "nonzero": lambda x: [np.asarray(i) for i in x.nonzero()],
    "np.unique": lambda x: np.asarray(np.unique(x)),
    "assignment into an ndarray": lambda x: assigned(np.zeros(x.shape), x),
    "np.testing": lambda x: np.testing.assert_array_equal(x, x),
    "np.array2string": np.array2string,
    "np.nditer": lambda x: [float(v) for v in np.nditer(np.asarray(x))],
}


def assigned(n, x):
    n[...] = x
    return n


@pytest.mark.parametrize("name", ARRAY_LOOKS)
def test_looking_at_an_array(name, evaluations):
    values = [[0.5, 1.5], [2.5, -0.0], [4.0, 5.0]]
    expected = ARRAY_LOOKS[name](np.array(values))
    got = ARRAY_LOOKS[name](pending(values))
    assert repr(got) == repr(expected)
    assert evaluations


@pytest.mark.parametrize("name", ARRAY_LOOKS)
def test_looking_is_forbidden_without_evaluation(name):
    x = pending([[0.5, 1.5], [2.5, 3.5], [4.0, 5.0]])
    with la.no_evaluation(), pytest.raises(la.EvaluationForbidden):
        ARRAY_LOOKS[name](x)
    ARRAY_LOOKS[name](x)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_gives_a_lazy_array(protocol):
    x = pending([1.0, 2.0])
    y = pickle.loads(pickle.dumps(x, protocol))
    assert type(y) is la.LazyArray
    y += 1
    assert (x.tolist(), y.tolist()) == ([1, 2], [2, 3])


def test_pickles_of_before_are_read():
    text = pickle.dumps(pending([1.0, 2.0]), 0)
    old = text.replace(b"lazyarr._core.frontend.lazy_array", b"lazyarr._core.array")
    assert old != text
    assert pickle.loads(old).tolist() == [1, 2]


@pytest.mark.parametrize("function", [copy.copy, copy.deepcopy])
def test_copies_are_independent(function):
    x = pending([1.0, 2.0])
    y = function(x)
    assert type(y) is la.LazyArray
    y += 1
    x *= 5
    assert (x.tolist(), y.tolist()) == ([5, 10], [2, 3])


def test_joblib():
    joblib = pytest.importorskip("joblib")
    x = pending([[1.0, 2.0], [3.0, 4.0]])
    assert joblib.hash(x) == joblib.hash(pending([[1.0, 2.0], [3.0, 4.0]]))
    assert joblib.hash(x) != joblib.hash(pending([[1.0, 2.0], [3.0, 5.0]]))
    file = io.BytesIO()
    joblib.dump(x, file)
    file.seek(0)
    assert joblib.load(file).tolist() == x.tolist()


def test_files(tmp_path):
    x, expected = pending([1.0, 2.0]), np.array([1.0, 2.0])
    assert dumped(x, tmp_path / "lazy") == dumped(expected, tmp_path / "numpy")
    np.save(tmp_path / "x.npy", x)
    assert la.load(tmp_path / "x.npy").tolist() == [1, 2]
    (tmp_path / "raw").write_bytes(x)
    assert (tmp_path / "raw").read_bytes() == expected.tobytes()


def test_the_buffer_of_a_read_only_array_is_read_only():
    x = pending([1.0, 2.0])
    x.flags.writeable = False
    view = memoryview(x)
    assert view.readonly
    with pytest.raises(TypeError, match="cannot modify read-only memory"):
        view[0] = 3.0


# Scalars: name: access, for the given kinds of number.
SCALAR_LOOKS = {
    "float": (float, (3.75, 7, True)),
    "int": (int, (3.75, -3.75, 7, True)),
    "complex": (complex, (3.75, 7, 1 + 2j)),
    "bool": (bool, (3.75, 0.0, 7, True, 0j)),
    "not": (operator.not_, (3.75, 0)),
    "index": (operator.index, (7, -2)),
    "item": (lambda s: s.item(), (3.75, 7, True, 1 + 2j)),
    "tolist": (lambda s: s.tolist(), (3.75, 7, True, 1 + 2j)),
    "repr": (repr, (3.75, 7, True, 1 + 2j)),
    "str": (str, (3.75, 7, True, 1 + 2j)),
    "f-string": (lambda s: f"{s}", (3.75, 7, True)),
    "f-string .3f": (lambda s: f"{s:.3f}", (3.75, 7)),
    "f-string width": (lambda s: f"{s:>12}|{s:<8}|{s:+}", (3.75, 7)),
    "f-string e": (lambda s: f"{s:e} {s:g}", (3.75, 7)),
    "f-string d": (lambda s: f"{s:05d} {s:x} {s:,}", (7, 123456)),
    "format": (lambda s: format(s, "8.2f"), (3.75, 7)),
    "str.format": ("{:.1f}".format, (3.75, 7)),
    "percent": (lambda s: "%d %.2f %s" % (s, s, s), (3.75, 7)),  # noqa: UP031  # likewise
    "round": (round, (3.75, 2.5, 7)),
    "round to digits": (lambda s: round(s, 1), (3.75, 7)),
    "math.floor": (lambda s: (math.floor(s), math.ceil(s)), (3.75, -3.75, 7)),
    "math.trunc": (math.trunc, (3.75, -3.75)),
    "math.sqrt": (math.sqrt, (3.75, 7)),
    "math.sin": (math.sin, (3.75, 7)),
    "math.log": (lambda s: math.log(s, 2), (3.75, 7)),
    "math.isnan": (lambda s: (math.isnan(s), math.isfinite(s)), (3.75, 7)),
    "math.hypot": (lambda s: math.hypot(s, s), (3.75, 7)),
    "math.isclose": (lambda s: math.isclose(s, 3.75), (3.75, 7)),
    "math.factorial": (math.factorial, (7,)),
    "math.gcd": (lambda s: math.gcd(s, 21), (7,)),
    "cmath.sqrt": (cmath.sqrt, (3.75, 1 + 2j)),
    "hash": (hash, (3.75, 7, True, 1 + 2j)),
    "set": (lambda s: len({s, s.item()}), (3.75, 7)),
    "dict key": (lambda s: {3.75: "a", 7: "b"}[s], (3.75, 7)),
    "range": (lambda s: list(range(s)), (7,)),
    "list index": (lambda s: "abcdefghij"[s], (7, -2)),
    "list slice": (lambda s: "abcdefghij"[:s], (7, -2)),
    "bytes": (lambda s: bytes([s, s]), (7,)),
    "chr": (lambda s: (chr(s), hex(s), bin(s), oct(s)), (7, 65)),
    "comparison": (lambda s: "less" if s < 4 else "more", (3.75, 7)),
    "chained comparison": (lambda s: 1 < s < 5, (3.75, 7)),
    "min and max": (lambda s: (min(s, 5), max(s, 5)), (3.75, 7)),
    "sorted": (lambda s: sorted([5, s, 1]), (3.75, 7)),
    "sum": (lambda s: float(sum([s, s, 1])), (3.75, 7)),
    "struct": (lambda s: struct.pack("d", s), (3.75, 7)),
    "json": (lambda s: json.dumps(s.item()), (3.75, 7)),
    "ndarray index": (lambda s: np.arange(10)[s], (7, -2)),
    "ndarray slice": (lambda s: np.arange(10)[s:].tolist(), (7, -2)),
    "shape": (lambda s: np.zeros((s, 2)).shape, (7,)),
    "reshape": (lambda s: np.zeros(14).reshape(s, -1).shape, (7,)),
    "axis": (lambda s: np.zeros((2, 3)).sum(axis=s).shape, (1,)),
    "np.save": (saved, (3.75, 7)),
    "pickle": (lambda s: float(pickle.loads(pickle.dumps(s))), (3.75, 7)),
    "np.isscalar of item": (lambda s: np.isscalar(s.item()), (3.75, 7)),
    "is_integer": (lambda s: s.is_integer(), (3.75, 4.0)),
    "textwrap width": (lambda s: textwrap.shorten("a b c d e f g h", s), (7,)),
}
SCALAR_CASES = [(name, number) for name, (_, numbers) in SCALAR_LOOKS.items() for number in numbers]


@pytest.mark.parametrize(("name", "number"), SCALAR_CASES)
def test_looking_at_a_scalar(name, number, evaluations):
    look = SCALAR_LOOKS[name][0]
    expected = look(np.array([number, number])[1])
    got = look(pending([number, number])[1])
    assert repr(got) == repr(expected)
    assert evaluations


# struct replaces the error that float() raised.
@pytest.mark.parametrize(("name", "number"), [case for case in SCALAR_CASES if case[0] != "struct"])
def test_looking_at_a_scalar_is_forbidden_without_evaluation(name, number):
    look, s = SCALAR_LOOKS[name][0], pending([number, number])[1]
    with la.no_evaluation(), pytest.raises(la.EvaluationForbidden):
        look(s)
    look(s)


@pytest.mark.parametrize("result", [
    lambda xp, x: x.sum(), lambda xp, x: x.max(), lambda xp, x: x[1], lambda xp, x: xp.sin(x[0]),
    lambda xp, x: x.sum() + 1, lambda xp, x: xp.mean(x), lambda xp, x: x.argmax(), lambda xp, x: (x > 1).all(),
    lambda xp, x: xp.float32(2) * x[1], lambda xp, x: -x[0], lambda xp, x: x.std(), lambda xp, x: xp.count_nonzero(x),
])
def test_scalars_read_like_numpys(result):
    x = np.array([0.5, 1.5, 4.0])
    expected, got = result(np, x), result(la, pending(x))
    assert repr(got) == repr(expected)
    assert f"{got}" == f"{expected}"
    assert hash(got) == hash(expected)


def test_arrays_are_not_hashable():
    for x in (la.zeros(3), la.array(3.0)):
        with pytest.raises(TypeError, match="unhashable"):
            hash(x)


# Nothing else evaluates. Each row builds something, without accessing values.

QUIET = {
    "attributes": lambda x: (x.shape, x.dtype, x.ndim, x.size, x.nbytes, x.itemsize, x.strides, len(x)),
    "type": lambda x: (type(x), isinstance(x, la.LazyArray), callable(x), id(x), x is x),
    "hasattr": lambda x: (hasattr(x, "sum"), hasattr(x, "nothing"), dir(x)),
    "weakref": lambda x: weakref.ref(x),
    "operators": lambda x: (x + 1, 2 - x, x * x, x / 3, x // 2, x % 2, x ** 2, -x, +x, abs(x), divmod(x, 2)),
    "matmul": lambda x: x.T @ x,
    "comparisons": lambda x: (x < 1, x == x, x != 0, (x > 0) & (x < 1), ~(x > 0), x == None),  # noqa: E711
    "ndarray operand": lambda x: (x + np.ones(2), np.ones(2) * x, np.float32(2) * x),
    "in place": lambda x: (x.__iadd__(1), x.__imul__(x), x.__isub__(x[0])),
    "slices": lambda x: (x[0], x[1:], x[::-1, 0], x[..., None], x[0, 0], x[()]),
    "slice assignment": lambda x: (x.__setitem__(0, 1), x.__setitem__((slice(1, None), 0), x[1:, 1])),
    "boolean assignment": lambda x: x.__setitem__(x > 1, 0),
    "boolean assignment of an array": lambda x: x.__setitem__(x > 1, 1.0),
    "index assignment": lambda x: x.__setitem__([0, 1], 5),
    "index read": lambda x: (x[[0, 1]], x[[0, 1], [1, 1]], x[:, [0]]),
    "overlap": lambda x: x[1:].__iadd__(x[:-1]),
    "views": lambda x: (x.T, x.reshape(-1), x.ravel(), x.transpose(1, 0), x.swapaxes(0, 1), x.squeeze(),
                        x.view("int64"), x.real, x.imag, x.diagonal(), np.expand_dims(x, 0),
                        np.broadcast_to(x, (2, 3, 2))),
    "copies": lambda x: (x.copy(), x.astype("float32"), x.flatten(), la.array(x), la.asarray(x)),
    "ufuncs": lambda x: (np.sin(x), la.exp(x), np.add(x, 1), la.hypot(x, 2), np.modf(x), la.isnan(x)),
    "ufunc with out": lambda x: np.add(x, 1, out=x),
    "ufunc with where": lambda x: np.add(x, 1, out=x, where=x > 0),
    "ufunc with dtype": lambda x: la.add(x, 1, dtype="float32"),
    "ufunc methods": lambda x: (np.add.reduce(x), np.add.accumulate(x), np.multiply.outer(x, x)),
    "reductions": lambda x: (x.sum(), x.mean(0), np.max(x), x.min(axis=(0, 1)), x.any(), x.all(1), x.argmax(), x.prod(),
                             np.std(x), x.var(0, keepdims=True), np.count_nonzero(x, axis=0), x.cumsum()),
    "arithmetic with scalars": lambda x: (x.sum() * 2 + x[0, 0] / x.max()),
    "where and clip": lambda x: (np.where(x > 1, x, 0), x.clip(0, 1), np.clip(x, None, 2)),
    "joining": lambda x: (np.concatenate([x, x]), la.stack([x, x]), np.vstack([x, x]), np.hstack((x, x))),
    "creation": lambda x: (np.zeros_like(x), la.ones(3), la.arange(5), la.full_like(x, 2), la.empty((2, 2))),
    "shape functions": lambda x: (np.shape(x), np.ndim(x), np.size(x), np.result_type(x, 1.0), np.iscomplexobj(x)),
    "rearranging": lambda x: (np.flip(x), np.roll(x, 1), np.tile(x, 2), np.moveaxis(x, 0, 1), np.split(x, 3)),
    "sorting": lambda x: (np.sort(x), x.argsort(), np.median(x)),
    "products": lambda x: (np.dot(x.T, x), np.vdot(x, x), np.tensordot(x, x), np.einsum("ij,ij->", x, x)),
    "differences": lambda x: (np.diff(x, axis=0), np.cumsum(x, axis=1), np.gradient(x[:, 0])),
    "del": lambda x: operator.delitem({0: x}, 0),
    "containers": lambda x: ([x], {"x": x}, (x, x), {id(x): x}),
}


@pytest.mark.parametrize("name", QUIET)
def test_building_evaluates_nothing(name, evaluations):
    x = pending([[0.5, 1.5], [2.5, 3.5], [4.0, 5.0]])
    with la.no_evaluation():
        results = QUIET[name](x)
    assert not evaluations
    x.numpy()
    del results
    assert len(evaluations) == 1


def test_a_value_is_computed_once():
    calls = []

    def function(x):
        calls.append(1)
        return x + 1

    x = la._core.api.opaque("counted", function, [pending([1.0, 2.0])], (2,), np.dtype(float))
    y = x * 2
    for _ in range(3):
        y.numpy()
        str(x)
        float(x[0])
        x[1:].tolist()
        (x + y).numpy()
    assert len(calls) == 1


def test_several_roots_are_one_evaluation(evaluations):
    x = pending([1.0, 2.0])
    y, z = np.sin(x) + 1, np.sin(x) * 2
    la.evaluate(x, y, z)
    assert len(evaluations) == 1
    with la.no_evaluation():
        assert (x.tolist(), len(y.tolist()), len(z.tolist())) == ([1, 2], 2, 2)


def test_evaluating_twice_does_nothing(evaluations):
    x = pending([1.0])
    la.evaluate(x)
    la.evaluate(x, x)
    la.evaluate()
    assert len(evaluations) == 1


def test_evaluate_refuses_what_is_not_an_array():
    with pytest.raises(TypeError):
        la.evaluate("text")


def test_no_evaluation_ends_with_its_block():
    x = pending([1.0])
    with pytest.raises(ZeroDivisionError), la.no_evaluation():
        1 / 0
    with la.no_evaluation():
        with la.no_evaluation(), pytest.raises(la.EvaluationForbidden):
            x.numpy()
        with pytest.raises(la.EvaluationForbidden):
            x.numpy()
    assert x.tolist() == [1]


def test_evaluation_forbidden_is_a_runtime_error():
    assert issubclass(la.EvaluationForbidden, RuntimeError)
