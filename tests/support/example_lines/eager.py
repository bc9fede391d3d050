"""Example lines for each native form of small work: `x` is an array, `s` a square matrix.

A function's or method's name is followed by calls of all kinds: those that its native form supports, and those that it
leaves to NumPy.
"""

from support.example_lines import eager_arrange, eager_products, eager_signal, eager_statistics
from support.example_lines.table import table

FOLDS = ("sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin", "cumsum", "cumprod")
_ARGUMENTS = (
    "", "None", "0", "1", "-1", "-2", "2", "-3", "True", "1.0", "(0,)", "(0, 1)", "np.int64(0)", "axis=None", "axis=0",
    "axis=-1", "axis=1", "axis=7", "axis='a'", "1, None", "axis=0, keepdims=True", "axis=1, keepdims=True",
    "keepdims=True", "axis=-1, keepdims=False", "axis=1, keepdims=1", "1, keepdims=True", "oxis=1", "1, axis=1",
    "axis=0, out=np.zeros(4)")


def _calls(name):
    yield from (f"np.{name}({', '.join(filter(None, ('x', given)))})" for given in _ARGUMENTS)


LINES = {name: [*_calls(name)] for name in (*FOLDS, "amax", "amin", "ptp", "count_nonzero")}
LINES |= {f"ndarray.{name}": [f"x.{name}({given})" for given in _ARGUMENTS] for name in FOLDS}
for _name in "argmax", "argmin":
    LINES[f"ndarray.{_name}"] += [
        f"x{view}.{_name}({axis})" for axis in ("", "0", "1", "axis=-1", "axis=-2")
        for view in (".T", "[:, ::2]", "[::-1]", "[1:, 1:]", "[..., 0]", "[:, None][..., ::2]")]
LINES |= table("""
zeros
    np.zeros({3|()|(2, 3)|0|(0, 2)|-1|2.0|[2, 3]|True|np.int64(3)|'a'|None})
    np.zeros({3|(2, 1)}, {x.dtype|'f4'|int|'zz'|None|object|'U3'|'>f8'})
    np.zeros(3, dtype={x.dtype|bool|'c16'|'i2'})
    np.zeros(shape=(2, 3))
    np.zeros((2, 3), float, 'F')
    np.zeros()
    np.zeros(2, 3)
empty
    np.empty({0|(0, 2)|(3, 0)|-1|2.0|'a'}, {x.dtype|'f4'|None|'zz'})
    np.empty(0, dtype=x.dtype)
    np.empty((0, 2), order='F')
linspace
    np.linspace({0|-1.5|True|10**20|np.float64(0.3)|np.nan|'a'}, {1|2.5|-3|np.float64(7)|np.inf|None}, {2|5|1|0|-1|2.0})
    np.linspace(0, 1)
    np.linspace(0, 1, num=4)
    np.linspace(2, 2, 3)
    np.linspace(0, x[:1], 3)
eye
    np.eye({3|1|0|-1|2.0|True|np.int64(2)|'a'|200})
    np.eye(3, {2|None|'a'})
    np.eye(3, k=1)
identity
    np.identity({3|1|0|-1|2.0|True|'a'})
clip
    np.clip(x, {0|0.5|-1|np.float32(1)|np.nan|None|'a'|10**30}, {2|1.5|np.int64(3)|None|1j})
    np.clip(x, 0)
    np.clip(x, 1, 2, None)
    np.clip(x, a_min=0, a_max=1)
    np.clip(x, x, 2)
ndarray.clip
    x.clip({0|0.5|-1|np.nan|None}, {2|1.5|None})
    x.clip(0)
    x.clip(min=0, max=1)
    x.clip()
sort
    np.sort(x)
    np.sort(x, {0|-1|None|1|'a'})
    np.sort(x, axis=0)
    np.sort(x, kind='stable')
take
    np.take(x, {0|[0]|np.array([0, 0, -1])|np.array([[0], [-1]])|np.array([99])|np.array([True])|np.array([0.0])})
    np.take(x, {[0, -1]|[0, 99]|[True, 0]|[0, True]|[2**70]|[]|[0.0]|[[0], [-1]]}, {0|1|None})
    np.take(x, np.array([0, -1]), {0|1|-1|None|'a'})
    np.take(x, np.array([0, 0]), axis=0)
    np.take(x, np.array([9, 0]), mode='wrap')
    np.take(x, np.array([], 'i8'))
ndarray.take
    x.take({0|[0]|[0, -1]|[-1, 0, 7]|[0, np.int64(0)]|np.array([0, 0, -1])|np.array([99])})
    x.take([0, -1], axis={0|None})
    x.take(np.array([0, -1]), {0|None})
swapaxes
    np.swapaxes(x, {0|1|-1|'a'|2.0}, {0|-1|5})
    np.swapaxes(x, 0)
ndarray.swapaxes
    x.swapaxes({0|1|-1}, {0|-1|5})
squeeze
    np.squeeze({x|x[None]|x[..., None]})
    np.squeeze(x[None], {0|1|None|(0,)})
ndarray.squeeze
    {x|x[None]}.squeeze()
    x[None].squeeze({0|1})
flip
    np.flip(x)
    np.flip(x, {0|-1|1|None|(0,)|'a'|2.0})
    np.flip(x, axis=0)
expand_dims
    np.expand_dims(x, {0|-1|1|2|7|(0, 1)|'a'|None})
    np.expand_dims(x, axis=0)
broadcast_to
    np.broadcast_to(x, {x.shape|(2, *x.shape)|(3,)|()|5|'a'|(2.0,)})
    np.broadcast_to(x, shape=(1, *x.shape))
    np.broadcast_to(x, (2, *x.shape), True)
ones
    np.ones({3|()|(2, 3)|0|-1|(2, -1)|2.0|[2, 3]})
    np.ones({3|(2, 3)}, {x.dtype|'f2'|int|'zz'|None|object|'U3'|'>f8'|bool|'g'})
    np.ones(3, dtype={x.dtype|'M8[s]'|'c8'})
full
    np.full({3|()|(2, 3)|0|-1}, {1|2.5|True|1j|np.float32(2)|np.int8(3)|'a'|None|2**63|10**30|np.nan|-0.0})
    np.full(3, 1, {x.dtype|'f4'|'u1'})
    np.full(3, 300, 'u1')
    np.full((2, 3), [1, 2, 3])
    np.full({2|(2, 4)}, x)
arange
    np.arange({5|0|-3|2.5|True|None|'a'|2**70|-2**70|np.int8(3)})
    np.arange({1|-2|2.0}, {4|-4|2.5|2**70})
    np.arange(-2**62, 2**62)
    np.arange(2**62, 2**62 + 3)
    np.arange(0, 5, {1|2|-1|0|0.5})
    np.arange(5, dtype={'f4'|'i1'|x.dtype})
    np.arange(stop=3)
zeros_like
    np.zeros_like(x)
    np.zeros_like(x, {'f4'|None|'zz'})
    np.zeros_like({x[:0]|3|[1, 2]|x.T})
empty_like
    np.empty_like(x[:0])
    np.empty_like({x[:0]|[]}, 'f4')
array
    np.array({x|x.T|[x, x]|5|[1.0, 2.0]|[1.0, 2]|[]|[1, 2.5]|[[1.0], [2.0]]|(1.0, 2.0)|[True, 1.0]|[1.0, 'a']})
    np.array([np.float64(1), 2.0])
    np.array([1.0, np.float64(2), np.float32(3)])
    np.array({[1, 2]|(1, 2.5)|[[1, 2], [3, 4.5]]|([1, 2], (3, 4))|[[1, 2], [3]]|[[1], 2]|[[], []]|[[[1.0]]]})
    np.array([[1, True]])
    np.array([1, 2], np.dtype('i8', metadata={'a': 1})).dtype.metadata
    np.zeros(3, np.dtype('f8', metadata={'a': 1})).dtype.metadata
    np.array({[2**53 + 1, 0.5]|[2**63]|[-2**63, 1]|[2**63, 1.0]|[[2**70]]|[2**60, 3.0]}, {float|int})
    np.array({[2**53 + 1, 0.5]|[2**63]|[-2**63, 1]|[2**63, 1.0]|[[2**70]]|[2**60, 3.0]})
    np.array({(1, 2)|[1.0, 2]|[[1, 2]]}, {dtype=float|float|int|'i8'|None|'i4'})
    np.array([1.0, None])
    np.array([[1.0], [1.0, 2.0]])
    np.array({x|[1.0, 2.0]}, {'f4'|'c16'|x.dtype|'zz'|object})
    np.array({x|[1.5]}, dtype={int|'f4'|None})
    np.array(x, copy={True|False|None})
    np.array(x, order='F')
    np.array(x, ndmin=1)
    r = np.array(x); r[...] = 0; r = x
asarray
    np.asarray({x|[1.0, 2.0]|[]|5|(1, 2)|[x, x]})
    np.asarray(x) is x
    np.asarray({x|[1.0]}, {'f4'|x.dtype})
    np.asarray(x, order='F')
asanyarray
    np.asanyarray({x|x[::-1]|[1.0, 2.0]|5})
    np.asanyarray(x) is x
    np.asanyarray({x|x.T}, {'f4'|x.dtype|'zz'})
    np.asanyarray(x, order='F')
ascontiguousarray
    np.ascontiguousarray({x|x[::-1]|x.T|x[0]|[1.0, 2.0]|5})
    np.ascontiguousarray({x|x.T}, {'f4'|x.dtype|'zz'})
    np.ascontiguousarray(x) is x
    r = np.ascontiguousarray(x); r[...] = 0; r = x
    r = np.ascontiguousarray(x.T); r[...] = 0; r = x
    np.ascontiguousarray(x, like=x)
asfortranarray
    np.asfortranarray({x|x[::-1]|x.T|x[0]|[1.0, 2.0]|5})
    np.asfortranarray(x.T, {'f4'|x.dtype|'zz'})
    r = np.asfortranarray(x); r[...] = 0; r = x
asarray_chkfinite
    np.asarray_chkfinite({x|x[::-1]|x * np.nan|[1.0, 2.0]|[np.inf]|5})
    np.asarray_chkfinite(x, {'f4'|'zz'})
    np.asarray_chkfinite(x) is x
require
    np.require({x|x[::-1]|[1.0, 2.0]|5})
    np.require(x, {'f4'|x.dtype|'zz'}, {None|'F'|['C', 'A']|['W', 'O']|'E'|'Q'})
    r = np.require(x, None, 'W'); r[...] = 0; r = x
    np.require(x) is x
copy
    np.copy({x|x.T|[1.0]|3})
    np.copy(x, {'F'|'C'|'A'|'K'|'z'})
    np.copy(x, subok=True)
    r = np.copy(x); r[...] = 0; r = x
ndarray.copy
    x.copy()
    x.copy({'F'|'A'|'K'|'z'|order='F'|3})
    r = x.copy(); r[...] = 0; r = x
ndarray.fill
    x.fill({0|1|2.5|True|np.nan|300|-1|1j|np.float32(1.5)|np.int64(7)|'a'|None|2**70|[1]|[1, 2, 3]}); r = x
    x.fill({x|x[:1]|x.sum()}); r = x
    x.fill(); r = x
    x.fill(1, 2); r = x
    x.fill(value=3); r = x
    x.flags.writeable = False; x.fill(1); r = x
copyto
    np.copyto(x, {x|0|x[:1]|x[::-1]|2.5|1j|[1]|x.astype('f8')|x.T|'a'|300|None}); r = x
    np.copyto(x[:2], x[1:3]); r = x
    np.copyto(x[1:], x[:-1]); r = x
    np.copyto(x, x.astype('i1'), casting={'unsafe'|'no'}); r = x
    np.copyto(x, 0, where={x != 0|True|False}); r = x
    np.copyto(dst=x, src=x); r = x
    np.copyto(5, x); r = x
    x.flags.writeable = False; np.copyto(x, x); r = x
astype
    np.astype({x|x.T|[1.0]|5}, {'f4'|float|np.dtype('i2')|bool|'c8'|x.dtype|'zz'|None})
    np.astype(x, 'f8', copy=False)
    np.astype(x, dtype='i4')
    np.astype(x, 'f4', device='cpu')
ndarray.conj
    x.conj()
    x.conj({None|x|1})
    (x * 1j).conj()
    x[..., ::2].conj()
    (x * (1 + 2j))[::-1].conj()
ndarray.conjugate
    x.conjugate()
    (x * 1j).conjugate()
    x.conjugate(out={x|None})
ndarray.astype
    x.astype({float|int|bool|complex|'f2'|'f4'|'f8'|'g'|'u1'|'i1'|'i8'|'q'|'c8'|'D'|'G'|x.dtype})
    x.astype({'zz'|None|'U3'|'S2'|object|'>f8'|'M8[s]'})
    x.astype(dtype='f4')
    x.astype('f8', {'F'|'K'|'C'})
    x.astype(x.dtype, copy=False) is x
    x.astype('i2', casting={'safe'|'same_kind'|'unsafe'})
    x.astype()
    r = x.astype(x.dtype); r[...] = 0; r = x
where
    np.where(x > 0, x, {x|0|1|2.5|1j|True|300|-1|2**70|x[:1]|x[::-1]|np.float32(2)|np.int8(1)|'a'|None|[1]})
    np.where(x > 0, {0|2.5|True|1j}, {x|0|0.5|False|1})
    np.where(x, x, 0)
    np.where({True|0|[True]}, x, 0)
    np.where(x > 0, x.T, x)
    np.where(x > 0, x, x.astype('f4'))
    [places.tolist() for places in np.where(x > 0)]
    np.where(x > 0, x)
    np.where(x > 0, x, x, x)
diff
    np.diff(x)
    np.diff(x, {1|2|0|-1})
    np.diff(x, axis={0|1|5})
    np.diff(x, prepend=0)
    np.diff({x[:1]|x[:0]|x[::-1]|3|[1, 4]})
ndarray.reshape
    x.reshape({-1|(-1,)|()|1|(1, -1)|(-1, 1)|(-1, -1)|(0, -1)|-2|(3, 4)|3, 4|4, 3|2, -1|5|12})
    x.reshape({2.0|'a'|[4, 3]|None|(4, (3,))|2**40|2**70})
    x.reshape()
    x.reshape(-1, order={'C'|'F'|'A'|'z'})
    x.reshape(shape=-1)
    x.reshape(-1, copy={True|False})
    x.reshape(np.int64(-1))
    x.T.reshape(-1)
    x[::-1].reshape({-1|1, -1|-1, 1})
reshape
    np.reshape(x, {-1|(-1,)|()|(1, -1)|(-1, -1)|(3, 4)|(4, 3)|5|2.0|'a'|[4, 3]|None})
    np.reshape(x, 3, 4)
    np.reshape(x, -1, 'F')
    np.reshape(x, shape=-1)
    np.reshape(x)
    np.reshape([1, 2], (2, 1))
ravel
    np.ravel({x|x.T|x[::-1]|x[:1]|3|[[1], [2]]})
    np.ravel(x, {'F'|'A'|'K'|'z'})
ndarray.ravel
    x.ravel()
    x.ravel({'F'|'A'|'K'|'z'|order='F'})
    x.T.ravel()
ndarray.transpose
    x.transpose()
    x.transpose({None|0|(0,)|0, 1|1, 0|(1, 0)|(0, 0)|-1, 0|5|'a'|2.0})
transpose
    np.transpose({x|[[1, 2]]|3})
    np.transpose(x, {None|(0,)|(1, 0)|(0, 0)|5})
    np.transpose(x, axes=None)
""")
for _area in (eager_arrange, eager_products, eager_signal, eager_statistics):
    LINES |= _area.LINES

# Calls of a ufunc f, and operators, with arrays x and y of any two kinds.
UNARY = """
np.f(x)
np.f(x, y)
np.f(x, out=y)
np.f(x, x)
np.f(x[1:], y[:-1])
np.f(x, dtype=y.dtype)
np.f(x, where=x != 0, out=y)
np.f(x[()])
np.f(*x.reshape(-1)[:1])
np.f([1, 2])
""".strip().splitlines()
BINARY = """
np.f(x, y)
np.f(x, y, y)
np.f(x, y, out=y)
np.f(x, x, out=x)
np.f(x, y, dtype=x.dtype)
np.f(x, 2)
np.f(2.5, x)
np.f(x, -1, x)
np.f(x, np.float32(1.5))
np.f(np.int8(3), x)
np.f(x, np.longdouble(2), y)
np.f(x, True)
np.f(x, 1j)
np.f(x, 300)
np.f(x, None)
np.f(x, 'a')
np.f(x, [1])
np.f(1, 2.5)
np.f(x[1:], y[:-1])
np.f(x, x[::-1])
""".strip().splitlines()
OPERATORS = """
x o y
x o x
x o 2
2.5 o x
x o np.float32(1.5)
np.int8(3) o x
x o 1j
x o 300
x o 'a'
x o [1]
[1] o x
x o= y; r = x
x o= 2; r = x
x o= 2.5; r = x
x o= x; r = x
x[1:] o= x[:-1]; r = x
x[::-1] o= x; r = x
y = x; y o= y[:1]; r = x
x.reshape(-1)[0] o 2
""".strip().splitlines()

# Lines that write to x, 6 float64 elements; `a` is another such array.
WRITES = """
x += 1
x[2] = 7
x[1:3] = [8, 9]
x[[0, 1]] = 5
x[x > 0] = 2
x[np.array([0, -1])] = a[:2]
x[1:] = x[:-1]
x[::-1] += x
x[:] = x[::-1]
x.flat[1] = 7
x.flat[:2] = 7
x.real = 3
x.fill(4)
x.sort()
x.partition(1)
x.put([0], [5])
x.byteswap(True)
x.setfield(4, 'f8')
x.resize(6)
x.clip(0, 1, x)
x.view('i8')[0] = 4
x.reshape(2, 3)[1] = 4
x.reshape(3, 2).T[0] += a[:3]
x.ravel()[0] = 4
np.split(x, 3)[0][0] = 4
np.real(x)[0] = 4
np.flip(x)[0] = 4
np.diagonal(x.reshape(2, 3)).copy()[0] = 4
np.atleast_2d(x)[0, 1] = 4
np.add(a, a, x)
np.add(a, a, out=x)
np.add(x[:-1], x[1:], x[1:])
np.modf(a, x, np.zeros(6))
np.divmod(a, 2, x, np.zeros(6))
np.add.at(x, [0, 0], 5)
np.add.reduce(np.ones((2, 6)), 0, None, x)
np.add.accumulate(np.ones(6), 0, None, x)
np.matmul(np.ones((6, 6)), a, x)
np.matmul(np.ones((6, 6)), a, out=x)
np.vecmat(a, np.ones((6, 6)), x)
np.dot(np.ones((6, 6)), a, x)
np.dot(np.ones((6, 6)), a, out=x)
np.ones((6, 6)).dot(a, x)
np.clip(a, 0, 1, x)
a.clip(0, 1, x)
np.cumsum(a, 0, None, x)
a.cumsum(0, None, x)
np.cumprod(a, 0, None, x)
np.sum(np.ones((2, 6)), 0, None, x)
np.ones((2, 6)).mean(0, None, x)
np.var(np.ones((2, 6)), 0, None, x)
np.max(np.ones((2, 6)), 0, x)
np.take(a, [0, 1, 2, 3, 2, 1], 0, x)
a.take([0, 1, 2, 3, 2, 1], 0, x)
np.compress([1, 1, 1, 1, 1, 1], a, 0, x)
np.choose([0, 1, 0, 1, 0, 1], [a, a], x)
np.concatenate((a[:2], a[:4]), 0, x)
np.stack(list(a), 0, x)
np.round(a, 0, x)
a.round(0, x)
np.trace(np.ones((2, 2, 6)), 0, 0, 1, None, x)
np.einsum('i->i', a, out=x)
np.median(np.ones((2, 6)), 0, x)
np.median(x, 0, None, True)
np.percentile(x, 30, None, None, True)
np.percentile(x, 30, overwrite_input=True)
np.nan_to_num(x, False, 3)
np.nan_to_num(x, copy=False, nan=3)
np.fill_diagonal(x.reshape(2, 3), 7)
np.putmask(x, x > 0, a)
np.place(x, x > 0, [5])
np.put(x, [0], [5])
np.copyto(x, a)
np.put_along_axis(x, np.array([1]), 3, 0)
np.lib.stride_tricks.as_strided(x, (2,), (8,))[0] = 4
np.random.default_rng(0).random(None, 'f8', x)
np.random.default_rng(0).standard_normal(out=x)
np.random.default_rng(0).shuffle(x)
np.random.default_rng(0).permuted(x, out=x)
np.modf(a, x, np.zeros(6))
np.modf(a, out=(x, np.zeros(6)))
np.modf(a, out=(np.zeros(6), x))
np.divmod(a, 2, out=(x, np.zeros(6)))
for part in np.nditer(x, op_flags=['readwrite']): part[...] = 5
""".strip().splitlines()
