"""The array API standard, version 2024.12: each function, called as specified, equals NumPy.

The calls pass every parameter as the standard spells it. Outcomes are compared with array_api_compat's namespace for
NumPy, whose functions take the standard's parameters, too.
"""

import contextlib
import copy
import inspect
import pickle
import types
import warnings

import array_api_compat.numpy as standard
import numpy as np
import pytest

import lazyarr as la
from support.call_outcomes import outcome
from support.example_lines.table import expanded
from support.numpy_comparison import difference, lazy_operands, operands, run

xp = la.array_api

# One call a line; "@" in front: the shape of the result depends on values, which are looked at.
CALLS = """
np.arange(1, stop=7, step=2, dtype=np.float32, device='cpu')
np.arange(4, stop=None, step=1, dtype=None, device=None)
np.asarray({[1, 2]|m}, dtype=np.float32, device='cpu', copy={None|True})
np.asarray({1.5|[True]}, dtype=None, device=None, copy=None)
np.empty((0, 3), dtype=np.int8, device='cpu')
np.empty_like(empty, dtype=None, device='cpu')
np.eye(3, 4, k=1, dtype=np.float32, device='cpu')
np.eye(3, None, k=0, dtype=None, device=None)
np.from_dlpack(m, device={'cpu'|None}, copy={None|True})
np.full((2, 3), {7|2.5|True|1j}, dtype={None|np.complex64}, device='cpu')
np.full_like(m, 7, dtype={None|np.float32}, device='cpu')
np.linspace(0, 1, 5, dtype=np.float32, device='cpu', endpoint=False)
np.meshgrid(v, idx, indexing={'xy'|'ij'})
np.{ones|zeros}((2, 3), dtype={None|np.int16}, device='cpu')
np.{ones|zeros}_like(m, dtype={None|np.int16}, device='cpu')
np.{tril|triu}(t, k={0|1})

np.astype(m, np.float32, copy={True|False}, device={None|'cpu'})
np.broadcast_arrays(m, ones)
np.can_cast({np.int8|i8}, np.int32)
np.isdtype(np.int8, {'integral'|('bool', 'real floating')|np.int8})
np.result_type(f32, {i|1.0|np.int8})
[np.finfo({np.float32|f32|c.dtype}).bits, np.finfo(m).dtype]
[np.iinfo({np.int8|i8|u8.dtype}).max, np.iinfo(i8).dtype]

np.{abs|exp|expm1|sqrt|square|sin|cos|tan|sinh|cosh|tanh|asinh|atan}({m|f32|c})
np.sign({nan|i})
np.{negative|positive|reciprocal|isfinite|isinf|isnan|conj}({nan|c})
np.{acos|asin|atanh|log|log10|log1p|log2}({f32|c})
np.acosh(1 + m)
np.{ceil|floor|trunc|round}({m|i})
np.signbit(-m)
np.{real|imag}(c)
np.{add|subtract|multiply|divide|pow}({m|c}, {m[0]|2})
np.{add|subtract|multiply|floor_divide|remainder|maximum|minimum}(u8, {u8[0]|3})
np.{atan2|copysign|hypot|logaddexp|nextafter|floor_divide|remainder|maximum|minimum}(m, {m[0]|2.0})
np.{equal|not_equal}({c|i}, {i[0]|1})
np.{greater|greater_equal|less|less_equal}(i, {i[0]|1})
np.bitwise_{and|or|xor}({i|b}, {i[0]|b[0]})
np.bitwise_{left|right}_shift(u8, {u8|1})
np.bitwise_invert({i|b})
np.logical_{and|or|xor}(b, {b[0]|True})
np.logical_not(b)
np.clip(m, min={None|0.4|m[0]}, max={None|0.6})
np.clip(i, -2, 3)

np.vecdot(sq, sq)
@np.vecdot(m, c, axis={-1|0})
np.matrix_transpose(t)

np.broadcast_to(v, (2, 7))
np.concat([m, m], axis={0|1|None})
np.expand_dims(m, {0|-1|1})
np.flip(m, axis={None|0|(0, 1)})
np.moveaxis(t, 0, -1)
np.moveaxis(t, (0, 1), (2, 0))
np.permute_dims(t, (2, 0, 1))
np.repeat(m, {2|idx}, axis=0)
np.repeat(m, 2, axis=None)
np.reshape(m, (4, 3), copy={None|True|False})
np.roll(m, 2, axis={None|1})
np.roll(m, (1, 2), axis=(0, 1))
np.squeeze(ones, {0|(0, 2)})
np.stack([m, m], axis={0|-1})
np.tile(m, (2, 1))
np.unstack(m, axis={0|1})

np.arg{max|min}(m, axis={None|0}, keepdims={False|True})
np.count_nonzero(m, axis={0|1}, keepdims={False|True})
@np.nonzero(b)
np.searchsorted(v, m[0], side={'left'|'right'}, sorter=None)
np.where(b, {m|i|2}, {f32|i|1.5})
np.take(m, idx, axis=0)
np.take(v, idx, axis=None)
np.take_along_axis(m, np.argsort(m), axis=-1)
@np.unique_{all|counts|inverse}(i)
@np.unique_values({i|nan|b})
np.sort({m|i|f32|u8}, axis=-1, descending={False|True}, stable={False|True})
np.sort(m, axis=0, descending=True, stable=True)
np.argsort({m|i|i % 3}, axis={-1|0}, descending={False|True}, stable=True)

np.cumulative_{sum|prod}(m, axis=1, dtype={None|np.float32}, include_initial={False|True})
np.{max|min}({m|i}, axis={None|1|(0, 1)}, keepdims={False|True})
np.{all|any}({b|m}, axis={None|1}, keepdims={False|True})
np.diff(m, axis={-1|1}, n={1|2}, prepend=m[:, :1], append={m[:, 1:]|m})

np.fft.{fft|ifft|rfft|irfft|hfft|ihfft}({m|f32}, n={None|6}, axis=0, norm={'backward'|'ortho'|'forward'})
np.fft.{fftn|ifftn|rfftn|irfftn}(m, s=None, axes={None|(0, 1)}, norm='backward')
@np.fft.fftn(m, s=(2, 2), axes=(0, 1), norm='backward')
np.fft.fftfreq(5, d=0.5, dtype={None|np.float32}, device={None|'cpu'})
np.fft.rfftfreq(5, d=0.5, dtype={None|np.float32}, device={None|'cpu'})
np.fft.{fftshift|ifftshift}(m, axes={None|0})
"""
# Sums, which may be rounded in another order.
NEAR_CALLS = """
np.{mean|std|var|sum|prod}({m|f32}, axis={None|1}, keepdims={False|True})
np.{std|var}(m, axis=0, correction={0.0|1}, keepdims=False)
np.{sum|prod}(i8, axis=None, dtype={None|np.float32}, keepdims=False)
np.sign(c)

@np.linalg.cholesky(sq @ sq.T, upper={False|True})
np.linalg.cross(m[:, :3], m[:, 1:], axis=-1)
np.linalg.diagonal(t, offset=1)
@np.linalg.{det|inv|slogdet|svdvals}(sq)
@np.linalg.{eigh|eigvalsh}(sq + sq.T)
np.linalg.outer(v, idx)
np.linalg.matmul(m, sq)
np.linalg.tensordot(t, m, axes=([1, 2], [0, 1]))
@np.linalg.vecdot(m, m, axis={-1|0})
np.linalg.matrix_norm(t, keepdims={False|True}, ord={'fro'|1})
@np.linalg.matrix_norm(t, keepdims=False, ord='nuc')
@np.linalg.matrix_power(sq, 3)
@np.linalg.matrix_rank(sq, rtol={None|1e-3})
np.linalg.matrix_transpose(t)
@np.linalg.pinv(m, rtol={None|1e-3})
@np.linalg.qr(m, mode={'reduced'|'complete'})
@np.linalg.solve(sq, {m.T|v[:4]})
@np.linalg.svd(m, full_matrices={True|False})
np.linalg.trace(t, offset=1, dtype={None|np.float32})
np.linalg.vector_norm(m, axis={None|0}, keepdims={False|True}, ord={2|1|np.inf})
np.{matmul|tensordot}(sq, sq)
np.tensordot(t, m, axes=([1, 2], [0, 1]))
"""
ARRAY_METHODS = """
__abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__ __eq__ __float__
__floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__
__ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__ __sub__ __truediv__ __xor__ to_device
""".split()


def calls(text):
    return [call for line in text.split("\n") if line for call in expanded(line)]


def plain(result):
    """Several results as a tuple: their class is array_api_compat's there and NumPy's here. Scalars as arrays."""
    if isinstance(result, tuple | list):
        return tuple(map(plain, result))
    return np.asarray(result) if isinstance(result, np.generic) else result


def check(call, near=False):
    evaluates, call = call.startswith("@"), call.removeprefix("@")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = run(call, standard, operands())
        assert not isinstance(want, Exception), f"{call} raises {want!r}"
        with contextlib.nullcontext() if evaluates else la.no_evaluation():
            got = run(call, xp, lazy_operands())
        problem = difference(plain(want), plain(got), near)
    assert problem is None, f"{call} gives {problem}"


@pytest.mark.parametrize("call", calls(CALLS))
def test_call(call):
    check(call)


@pytest.mark.parametrize("call", calls(NEAR_CALLS))
def test_call_that_sums(call):
    check(call, near=True)


@pytest.mark.parametrize("name", ARRAY_METHODS + "T device dtype mT ndim shape size".split())
def test_arrays_have(name):
    assert hasattr(la.LazyArray, name)


def test_constants():
    assert (xp.e, xp.pi, xp.inf, xp.newaxis) == (np.e, np.pi, np.inf, None)
    assert np.isnan(xp.nan)


@pytest.mark.parametrize("function", [xp.diff, xp.std, xp.sum, xp.linalg.matrix_rank])
def test_defaults_of_the_standard_can_be_stated(function):
    x = la.arange(6.0).reshape(2, 3)
    stated = {"diff": dict(axis=-1, n=1, prepend=None, append=None), "std": dict(axis=None, correction=0.0),
              "sum": dict(axis=None, dtype=None), "matrix_rank": dict(rtol=None)}[function.__name__]
    np.testing.assert_array_equal(function(x, **stated), function(x))


def test_results_are_arrays_and_not_numbers():
    x = xp.asarray([1.0, 2.0])
    first, second = x
    with la.no_evaluation():
        results = [xp.sum(x), xp.max(x), xp.exp(first), xp.add(first, second), xp.modf(first)[1], xp.add(x[0], 1.0)]
    for result in results:
        assert type(result) is la.LazyArray
        assert not isinstance(result, float)
        assert result.__array_namespace__() is xp
        result[...] = 7
        assert float(result) == 7


def test_arrays_need_not_offer_the_namespace():
    x = la.ones(3)
    with la.config(array_namespace=False):
        assert not hasattr(x, "__array_namespace__")
    assert x.__array_namespace__() is xp


def test_lists_where_the_standard_says_so():
    assert type(xp.meshgrid(la.arange(2), la.arange(3))) is list
    assert type(xp.broadcast_arrays(la.arange(2), la.arange(1))) is list


def test_limits_are_python_floats():
    info = xp.finfo(np.float32)
    assert {type(getattr(info, name)) for name in ("eps", "max", "min", "smallest_normal")} == {float}
    assert (info.eps, info.bits, info.tiny) == (float(np.finfo("f4").eps), 32, float(np.finfo("f4").tiny))
    assert copy.copy(info).max == info.max
    assert repr(info) == repr(np.finfo("f4"))


@pytest.mark.parametrize("function", [xp.sort, xp.argsort])
def test_equal_elements_keep_their_order_in_descending_order_too(function):
    x = np.zeros(100) if function is xp.argsort else np.where(np.arange(100) % 3, 0.0, -0.0)
    got = np.asarray(function(la.array(x), descending=True))
    want = x if function is xp.sort else np.arange(100)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", [int, complex, bool])
def test_frequencies_are_real(dtype):
    with pytest.raises(ValueError, match="floating-point"):
        xp.fft.fftfreq(3, dtype=dtype)


def _builds(function):
    """What builds the graph of a call; a module itself."""
    if isinstance(function, types.ModuleType):
        return function
    return inspect.unwrap(getattr(function, "lazily", getattr(function, "ufunc", function)))


def test_every_other_name_is_that_of_numpy():
    own = {"argsort", "asarray", "broadcast_arrays", "clip", "diff", "fft", "finfo", "linalg", "meshgrid", "sort",
           "unique_values"}
    names = [name for name in dir(np) if not name.startswith("_")]
    assert {name for name in names if _builds(getattr(xp, name)) is not _builds(getattr(la.numpy, name))} == own
    assert {name for name in dir(xp.fft) if getattr(xp.fft, name) is not getattr(la.numpy.fft, name)} == \
        {"fftfreq", "rfftfreq"}
    assert set(names) <= set(dir(xp))
    with pytest.raises(AttributeError, match="nonsense"):
        xp.nonsense


def test_own_functions_can_be_pickled():
    for function in (xp.sort, xp.clip, xp.fft.fftfreq, xp.fft.fft):
        assert pickle.loads(pickle.dumps(function)) is function


# The namespace of an array, and what it tells about itself.

@pytest.mark.parametrize("version", [None, "2024.12", "2023.12", "2021.12"])
def test_namespace_of_an_array(version):
    x = la.ones(3) + 1
    with la.no_evaluation():
        assert x.__array_namespace__(api_version=version) is xp
    assert xp.__array_api_version__ == la.numpy.__array_api_version__ == np.__array_api_version__


@pytest.mark.parametrize("request_", [
    lambda x: x.__array_namespace__(api_version="2020.01"),
    lambda x: x.__array_namespace__(api_version=2024),
    lambda x: x.to_device("cpu", stream=1),
    lambda x: x.__array_namespace__().__array_namespace_info__().default_dtypes(device="gpu"),
    lambda x: x.__array_namespace__().__array_namespace_info__().dtypes(kind="text"),
])
def test_requests_that_numpy_does_not_answer_either(request_):
    assert outcome(lambda: request_(la.ones(3) + 1)) == outcome(lambda: request_(np.ones(3)))
    assert outcome(lambda: request_(np.ones(3)))[0] == "error"


@pytest.mark.parametrize("function", """
arange(3, device=d) asarray([1], device=d) astype(xp.ones(2), float, device=d) empty(3, device=d) eye(3, device=d)
empty_like(xp.ones(3), device=d) full(3, 1, device=d) full_like(xp.ones(3), 1, device=d) linspace(0, 1, 3, device=d)
ones(3, device=d) ones_like(xp.ones(3), device=d) zeros(3, device=d) zeros_like(xp.ones(3), device=d)
from_dlpack(xp.ones(3), device=d) fft.fftfreq(3, device=d) fft.rfftfreq(3, device=d)
""".replace(") ", ")\n").split("\n")[1:-1])
def test_devices(function):
    def call(namespace, device):
        return eval(f"xp.{function}", {"xp": namespace, "d": device})

    for device in ("cpu", None):
        assert call(xp, device).device == "cpu"
    for namespace in (xp, la.numpy):
        found = outcome(lambda namespace=namespace: call(namespace, "gpu"))
        assert found[:2] == outcome(lambda: call(np, "gpu"))[:2]
    assert outcome(lambda: call(np, "gpu"))[0] == "error"


def test_array_of_the_only_device():
    x = la.ones(3) + 1
    with la.no_evaluation():
        assert x.device == "cpu"
        assert x.to_device(x.device) is x
        assert x.sum().to_device("cpu").device == "cpu"


@pytest.mark.parametrize("namespace", [xp, la.numpy, la])
def test_inspection(namespace):
    info, known = namespace.__array_namespace_info__(), np.__array_namespace_info__()
    assert info.capabilities() == known.capabilities()
    assert (info.devices(), info.default_device()) == (la.devices(), known.default_device())
    assert info.default_dtypes() == known.default_dtypes()
    assert info.dtypes(kind="integral") == known.dtypes(kind="integral")
