"""Example lines: elementwise functions, layout, indexing, sorting, creation."""

from support.example_lines.table import table

ELEMENTWISE = table("""
where
    np.where(b, {m|f32|i|c}, {i|0|2.5|i8})
    np.where(b, {1|0.5}, {0|True})
    np.where({m|i}, c, i)
    np.where(b, u8[0], 300)
    np.where(zero_d > 3, zero_d, 0)
    np.where(True, 1, 2)
    np.where(b, m)
    np.where(b, m, v)
    @np.where(b)
    @np.where(b, 'a', 'b')
clip
    np.clip({m|i|f32}, 0.2, 0.6)
    np.clip({i|i8}, -300, 300)
    np.clip(u8, -1, 100)
    np.clip(m, None, None)
    np.clip(m)
    np.clip(m, 1)
    np.clip(m, min=0.3)
    np.clip(m, 0, 1, min=3)
    np.clip(m, m[0], 0.9)
    np.clip(5, 1, 3)
    m.clip({0.2|max=0.4|0.2, 0.4})
    r = np.zeros((3, 4)); np.clip(m, 0.2, 0.6, out=r)
round
    r = np.zeros((3, 4)); np.round(m, 1, out=r)
    @r = np.zeros((3, 4), 'f4'); m.round(1, r)
    np.round({m|i|f32|f16|c|b|u8|zero_d}, {0|1|2|-1})
    ({m|i|f32|i8} * 100).round({0|2|-1})
    np.round(2.567, 1)
    np.around(m, 1)
    np.round(m, 1.5)
    m.round(30)
    @r = np.zeros((3, 4)); np.round(m, 1, out=r)
astype
    {m|i|b|f32}.astype({'f4'|'i4'|'c16'|'?'|'f2'|'u1'|int})
    c.astype({'c8'|'?'|'f8'})
    @{m|i|b}.astype({'U5'|'S3'|'>f8'})
    @{m|i|b}.astype(str)
    m.astype('i4', casting='safe')
    m.astype(float, copy=False) is m
    m.astype('f4', order='{C|F|A|K}').strides
    m.astype('zz')
    m.sum().astype('f4')
    np.astype(m, 'f4')
    np.astype(m, 'f4', device='gpu')
    np.astype([1], 'f4')
real
    np.real({c|m|3+4j})
    c.real + 1
    c[0, 0].real
    r = c.copy(); r.real = 1
    r = c.copy(); r.real.fill(0)
    r = m.copy(); r.real = 1
imag
    np.imag({c|m|2.5})
    c.T.imag
    r = c.copy(); r.imag[:] = 2
    r = m.copy(); r.imag = 1
interp
    np.interp(m, v, v)
    np.interp(m, [0, .5, 1], [1, 2, 3])
    np.interp(0.5, [0, 1], [1, 2])
    @np.interp(m, v, v[:3])
    @np.interp(m * 9, [0, 1, 2], [3, 1, 2], period=3)
angle
    np.angle({m|c})
    np.angle(c, deg=True)
fix
    np.fix(m * 5 - 2)
isclose
    np.isclose(m, {m + 1e-9|f32|2|v})
    np.isclose(nan, nan, equal_nan=True)
    np.isclose({1.0|zero_d}, 3.5)
    np.isclose(m.sum(), 3)
allclose
    @np.allclose(m, {m|m + 1})
array_equal
    @np.array_equal(m, {m|m + 1|v})
    @np.array_equal(nan, nan, equal_nan={True|False})
array_equiv
    @np.array_equiv(m, {m|m[0]|v})
nan_to_num
    np.nan_to_num({nan|i|c|zero_d})
    np.nan_to_num(nan, nan=7.0)
sinc
    np.sinc({m|f32})
isneginf
    np.isneginf(-1 / (m * 0))
isposinf
    np.isposinf(nan)
iscomplex
    np.iscomplex({c|m})
isreal
    np.isreal({c|m})
select
    np.select([b, ~b], [m, i])
    np.select([m > .5, m > .2], [1, 2], default=3)
    np.select([], [])
    np.select([m], [m])
unwrap
    np.unwrap(m * 10)
polyval
    np.polyval([1, 2, 3], m)
iscomplexobj
    np.iscomplexobj({c|m})
isrealobj
    np.isrealobj({c|m})
""")

LAYOUT = table("""
reshape
    m.T.reshape(-1, order={'f'|'c'|'a'|None|'k'})
    m.reshape({2**40, 2**40|2**70|(2**32, 2**32)|[3, -1]|-1, -1|5, -1})
    empty.reshape({2**32, 2**32|0, -1|-1})
    np.reshape({m|F|m.T|m[:, ::2]}, {(4, 3)|12|-1|(2, -1)|(2, 3, 2)|(5,)|(-1, -1)|(1, 3, 4, 1)}, order='{C|F|A}')
    m.reshape({4, 3|-1|2, 2, 3|(6, 2)})
    np.reshape(m, (4, 3), order='K')
    np.reshape([1, 2, 3, 4], (2, 2))
    empty.reshape({-1|3, 0|(0,)|-1, 0})
    zero_d.reshape(1, 1)
    m.T.reshape(-1, copy={True|False|None})
    r = m.copy(); r.reshape(4, 3)[0] = 9
    r = m.copy(); r.T.reshape(-1)[0] = 9
    r = m.copy(); r[:, :2].reshape(3, 1, 2)[0] = 9
    r = m.copy(); x = r.reshape(2, 6); x += 1
    r = m.copy(); r.shape = (4, 3)
    r = m.copy(); r.shape = (5, 3)
    r = m.T; r.shape = (12,)
    r = m[:]; r.shape = (2, 6)
ravel
    {m|F|m.T|t.transpose(1, 0, 2)|t[::-1]}.ravel('{C|F|A|K}')
    np.ravel([[1, 2], [3, 4]])
    r = m.copy(); r.ravel()[0] = 9
    r = m.copy(); r.flatten()[0] = 9
    {m|F|t.transpose(2, 0, 1)}.flatten('{C|F|A|K}')
transpose
    m.transpose({np.array([1, 0])|(True, 0)|[1.0, 0]|0|0, 0|2, 0|-1, 0})
    np.transpose(v, 0)
    np.transpose(t)
    t.transpose({1, 0, 2|(2, 0, 1)|None|0, 0, 1|0, 1|0, 1, 9})
    np.permute_dims(t, (1, 0, 2))
    t.T
    {t|v}.mT
    r = m.copy(); r.T[0] = 5
matrix_transpose
    np.matrix_transpose({t|v})
linalg.matrix_transpose
    np.linalg.matrix_transpose({t|v})
swapaxes
    np.swapaxes(t, {0, 2|0, -1|0, 7|1.5, 0})
    r = m.copy(); r.swapaxes(0, 1)[1] = 5
moveaxis
    np.moveaxis(t, {0, -1|[0, 1], [1, 0]|0, 9})
    r = m.copy(); np.moveaxis(r, 0, 1)[1] = 3
rollaxis
    np.rollaxis(t, {2|0, 3|9})
squeeze
    np.squeeze(ones, {0|2|(0, 2)|1|7|None})
    r = m.copy(); r.squeeze()[0] = 1
expand_dims
    np.expand_dims(m, {0|(0, 3)|9})
    r = v.copy(); np.expand_dims(r, 0)[:] = 1
atleast_1d
    np.atleast_1d(zero_d)
    np.atleast_1d(zero_d, m)
atleast_2d
    np.atleast_2d({zero_d|v})
    r = v.copy(); np.atleast_2d(r)[0, 1] = 9
atleast_3d
    np.atleast_3d({zero_d|v|m|t})
flip
    np.flip(m, {None|0|(0, 1)|9})
    r = m.copy(); np.flip(r)[0] = 5
fliplr
    np.fliplr({m|v})
flipud
    np.flipud({m|v})
rot90
    np.rot90(m, {0|1|2|3|-1})
    np.rot90(v)
    r = m.copy(); np.rot90(r)[0] = 5
roll
    np.roll(v, {2|-1|9})
    np.roll(m, {1|1, 0|(1, 2), (0, 1)|1, 9})
diagonal
    np.diagonal(m, {0|1|-1|9})
    np.diagonal(t, 0, 1, 2)
    np.diagonal(t, axis1=0, axis2=0)
    v.diagonal()
    r = m.copy(); r.diagonal()[0] = 1
linalg.diagonal
    np.linalg.diagonal(t)
diag
    np.diag({v|m|t})
    np.diag(v, {2|-2})
diagflat
    np.diagflat(m, 1)
tril
    np.tril(m)
    np.tril(t, -1)
triu
    np.triu(m, 1)
array_split
    np.array_split(v, 3)
split
    np.split(m, 2, axis=1)
    np.split(m, 5)
    np.split(v, [2, 4])
    r = m.copy(); np.split(r, 2, axis=1)[1][:] = 5
hsplit
    np.hsplit({m|zero_d}, 2)
vsplit
    np.vsplit(m, 3)
dsplit
    np.dsplit(t, 2)
unstack
    np.unstack(m, axis={0|1|5})
    np.unstack(zero_d)
broadcast_to
    np.broadcast_to(v, {(3, 7)|(3, 6)})
    np.broadcast_to({m|zero_d}, 3)
    np.broadcast_to(v, (3, 7))[0].flags.writeable
    r = np.broadcast_to(v, (3, 7)); r[0] = 1
broadcast_arrays
    np.broadcast_arrays(m, {m[0]|2|v})
    r = m.copy(); np.broadcast_arrays(r, v[:4])[0][0] = 1
as_strided
    np.lib.stride_tricks.as_strided(v, (3,), (16,))
    np.lib.stride_tricks.as_strided(m, (2, 2), (8, 8), writeable=False)
sliding_window_view
    np.lib.stride_tricks.sliding_window_view(v, {3|9})
    np.lib.stride_tricks.sliding_window_view(m, (2, 2))
concatenate
    np.concatenate([m, {m|i|b|v|t|[[1, 2, 3, 4]]}])
    np.concatenate([m, m], axis={1|-1|5|None})
    np.concatenate([i8, u8[:4].reshape(1, 4)])
    np.concatenate({[]|[zero_d, zero_d]|m|t})
    np.concat([F, F]).strides
    np.concatenate([m, m], dtype={'f4'|'i4'|'c8'})
    np.concatenate([m, m], dtype='i4', casting='unsafe')
    np.concatenate([swapped, swapped])
    r = np.zeros((6, 4)); np.concatenate([m, m], out=r)
    r = np.zeros((5, 4)); np.concatenate([m, m], out=r)
stack
    np.stack([v, v])
    np.stack([m, m], axis={1|2|4})
    np.stack({[]|[m, v]|[m.min(), m.max()]})
vstack
    np.vstack({[v, v]|[m, m]|[m, v]|[]})
hstack
    np.hstack({[v, v]|[m, m]|[m, v]|[1, v]})
dstack
    np.dstack({[v, v]|[m, m]|[m, v]})
column_stack
    np.column_stack({[v, v]|[m, m]|[m, v]})
block
    np.block([[m, m], [m, m]])
append
    np.append(v, {3|[1, 2]|v})
    np.append(m, m, axis=0)
tile
    np.tile({v|m|zero_d}, {2|(2, 3)})
repeat
    np.repeat({v|m}, 2)
    np.repeat(m, {2|3}, axis={0|1|9})
    np.repeat(m, [1, 2, 0], axis=0)
    @np.repeat(v, {-1|[1, 2]|2.5})
resize
    np.resize(v, (2, 5))
pad
    np.pad({m|v}, 1, mode='{constant|edge|reflect|symmetric|wrap|maximum|mean|minimum}')
    np.pad(m, ((1, 2), (0, 3)), constant_values=5)
    np.pad(m, -1)
    @np.pad(v, 2, mode='linear_ramp')
kron
    np.kron({v|m}, m)
isfortran
    np.isfortran({F|m|v})
shape
    np.shape({m|2})
ndim
    np.ndim(m)
size
    np.size(m)
    np.size(m, {1|7})
iterable
    np.iterable({m|zero_d})
isscalar
    np.isscalar({m|m.sum()|2|'a'})
promote_types
    np.promote_types({'f4'|m}, 'i8')
datetime_data
    np.datetime_data({'M8[25s]'|m})
result_type
    np.result_type({m|f32|i8}, {f32|1.0|1})
can_cast
    np.can_cast(m.dtype, 'f4')
common_type
    np.common_type(m, f32)
""")

INDEXING = table("""
take
    np.take(m, {0|[0, 1]|[50]|idx})
    np.take(m, idx, axis={0|1|9})
    np.take(m, {[50]|[-50, 50]}, mode='{wrap|clip}')
    m.take([0, 11])
    np.take(empty, {[0]|[]}, axis=0)
    @np.take(m, [0.5])
    r = np.zeros(3); np.take(v, idx, out=r)
    @r = np.zeros(3, 'f4'); np.take(v, idx, out=r, mode='clip')
take_along_axis
    np.take_along_axis(m, np.argsort(m, axis=0), axis=0)
put_along_axis
    r = m.copy(); np.put_along_axis(r, np.argmax(r, axis=1)[:, None], 9, axis=1)
copyto
    r = m.copy(); np.copyto(r, {1|m[0]|v|'x'})
    r = m.copy(); np.copyto(r, m[0], where={b|b[0]|v > 1|m})
    r = i.copy(); np.copyto(r, {m|2.5|7})
    r = i.copy(); np.copyto(r, m, casting='unsafe')
diag_indices_from
    np.diag_indices_from(sq)
tril_indices_from
    np.tril_indices_from(m)
triu_indices_from
    np.triu_indices_from(m)
""")

SORTING = table("""
sort
    np.sort({m|i|F|nan})
    np.sort(m, axis={0|None|7})
    np.sort(m, kind='{stable|zz}')
    @np.sort(zero_d)
    np.sort(zero_d, axis=None)
    r = m.copy(); r.sort()
    r = m.copy(); r.sort(axis=0)
    x = m.copy(); x[0].sort(); r = x
argsort
    np.argsort({m|i})
    m.argsort(axis={0|None})
    @np.argsort(zero_d)
    np.argsort(zero_d, axis=None)
partition
    np.partition(v, 3)[3]
    np.partition(v, {[1, 3]|(2, -1)|[True]|[9]|1.5})[3]
    @np.partition(v, 30)
    r = v.copy(); r.partition(2); r = r[2]
argpartition
    np.argpartition(v, 3).shape
sort_complex
    np.sort_complex(c)
searchsorted
    np.searchsorted(np.sort(v), m)
    np.searchsorted(v, [.1, .2], side='right')
    v.searchsorted(0.5)
    np.searchsorted(v, m, sorter=np.argsort(v))
    np.searchsorted({v|i[0]}, .5, '{left|zz}', [3, 2, 1, 0])
    np.searchsorted({m|zero_d}, 1)
isin
    np.isin(i, {[1, 2]|idx})
    np.isin(i, idx, invert=True)
    np.isin({i|m}, idx, kind='{table|sort|zz}')
""")

CREATION = table("""
zeros
    np.zeros({3|(2, 3)|()|[2, 2]|(0, 3)|-1|(2, -3)|2.5|'a'|np.int64(3)})
    np.zeros((2, 3), {int|'f4'|'zz'|'U4'})
    np.zeros((2, 3), dtype=complex, order='F').strides
    np.zeros(3, device='cpu')
    np.zeros(3, like=m)
ones
    np.ones({3|(2, 3)|-1}, dtype={float|'i4'})
empty
    np.empty({3|(2, 3)|-1}, dtype={float|'i4'}).shape
full
    np.full(3, {2.5|'a'|True|1j})
    np.full((2, 2), 2.5, int)
    np.full(2, {[1, 2]|[1, 2, 3]})
    @np.full(3, idx, str)
    @np.full_like(m, i, 'U3')
    np.full(3, 300, 'u1')
    np.full((2, 2), m.max())
zeros_like
    np.zeros_like({m|i|5})
    np.zeros_like({F|m.T|t.transpose(1, 0, 2)}).strides
    np.zeros_like(m, shape=(2, 2), dtype='i4')
ones_like
    np.ones_like({m|f32})
empty_like
    np.empty_like({m|F|[1, 2]}).shape
full_like
    np.full_like({m|i}, 2.7)
    np.full_like(u8, 300)
arange
    np.arange({5|1, 5, .5|0|3, dtype='f4'})
    @np.arange(zero_d)
linspace
    np.linspace(0, 1, {5|-1})
    np.linspace(0, 1, 5, retstep=True)
    @np.linspace(m.min(), m.max(), 5)
logspace
    np.logspace(0, 2, 3)
geomspace
    np.geomspace(1, 8, 4)
eye
    np.eye(3, 4, 1, int)
identity
    np.identity(3)
tri
    np.tri(3, k=1)
indices
    np.indices((2, 3))
fromfunction
    np.fromfunction(lambda i, j: i + j, (2, 3))
array
    np.array({5|[1, 2]|m|'abc'|[1, 'a']|[[1, 2], [3]]})
    np.array(m, {'f4'|order='F'|ndmin=4|copy=False, dtype='f4'})
    np.array(m, copy={False|None}) is m
    np.array(m.max())
    @np.array({[m, m]|[m.min(), 1]|[[m.min(), 2], [3, m.max()]]|[v, m]})
asarray
    np.asarray(m) is m
    np.asarray(m, dtype='f4')
    np.asarray([1, 2])
asanyarray
    np.asanyarray(m) is m
ascontiguousarray
    np.ascontiguousarray({F|zero_d})
asfortranarray
    np.asfortranarray(m).flags.f_contiguous
require
    np.require(m, 'f4', ['F'])
    np.require(m, requirements=['C', 'F'])
copy
    np.copy({m|[1, 2]})
    np.copy({F|t.transpose(2, 0, 1)}, order='{C|F|A|K}').strides
frombuffer
    np.frombuffer(b'abcd', dtype='u1')
meshgrid
    np.meshgrid(v, v[:3], {indexing='xy'|indexing='ij'|sparse=True|copy=False|indexing='zz'})
    np.meshgrid()
vander
    np.vander(v[:3])
    np.vander(v[:3], 4, True)
fft.fftfreq
    np.fft.fftfreq(5, .1)
fft.rfftfreq
    np.fft.rfftfreq(5)
""")
