"""Example lines for native forms that arrange arrays and make grids: see :mod:`.eager`."""

from support.example_lines.table import table

LINES = table("""
ndim
    np.ndim({x|x + x|x[0]|x[:, None]|x[x == x]|3|[[1, 2]]})
    np.ndim()
    np.ndim(a=x)
shape
    np.shape({x|x + x|x[0]|x[:, None]|x[x == x]|3|[[1, 2]]})
    np.shape(x, 1)
isscalar
    np.isscalar({x|x + x|x[0]|x.ravel()[0]|3|2.5|'a'|None|[1]})
    np.isscalar(element=x)
    np.isscalar({|x, x})
size
    np.size({x|x + x|x[0]|x[:, None]|x[x == x]|3|[[1, 2]]})
    np.size(x, {0|-1|7|None|(0,)|'a'})
iterable
    np.iterable({x|x + x|x[0]|x[..., 0]|x.sum()|3|[3]})
iscomplexobj
    np.iscomplexobj({x|x + x|x[0]|x[x == x]|3|1j|[1j]})
isrealobj
    np.isrealobj({x|x + x|x[0]|x[x == x]|3|1j|[1j]})
append
    np.append(x, {1|2.5|True|1j|np.float32(2)|np.int64(3)|x|x.T|x[:1]|[1, 2]|'a'|None|2**70|x.astype('i8')|x.sum()})
    np.append(x, {x|x[:1]|x > 0|5}, {0|1|-1|None|7|'a'})
    np.append(x, x, axis={0|1})
    np.append(arr=x, values=1)
    np.append(x)
    np.append([1, 2], x)
    r = np.append(x, x); r[...] = 0; r = x
insert
    np.insert(x, {0|1|-1|7|-99|True|1.0|None}, {1|2.5|True|300|1j|'a'|None|np.float32(1.5)|np.int64(2)})
    np.insert(x, {0|1|-1}, {1|2.5|x[0]|x[..., 0]|x.ravel()|x.astype('f4')|[1, 2]}, {0|1|-1|5})
    np.insert(x, 1, {5|x.ravel()|x.ravel()[::-1]}, axis={0|1|None})
    np.insert(x, {[0, 1]|slice(0, 2)|np.array([0])|[]}, 3)
    np.insert(x, 0)
    np.insert(x, obj=0, values=2)
delete
    np.delete(x, {0|1|-1|3|99|True|1.0|None|2**70})
    np.delete(x, {0|1|-1|5}, {0|1|-1|None|7})
    np.delete(x, {[0]|[1, -1]|[0, 0]|[99]|[]|np.array([0, -1])|np.array([True])|np.array([0, 2])[::-1]|slice(0, 2)})
    np.delete(x, {[0]|[1, -1]|np.array([0, 1])|slice(0, 2)|np.array([True, False, True])}, {0|1})
    np.delete(x, {x != 0|x.ravel() != 0})
    np.delete({x[None]|x[..., None]}, [0, 0], 0)
    np.delete(x, obj=0, axis=0)
    np.delete(x)
concatenate
    np.concatenate({[x]|[x, x]|(x, x, x)|[x, x[:1]]|[x.T, x.T]|[x, x.astype('f4')]|[x, [1, 2]]|[]|[x, 5]})
    np.concatenate({[x, x[None]]|[x, x[..., :1]]|[x, x > 0]|[x > 0, x]|[x[None], x[None]]})
    np.concatenate([x, x], {0|1|-1|None|5|'a'})
    np.concatenate([x, x[..., :1]], {1|-1|2})
    np.concatenate([x, x], axis={0|1|None})
    np.concatenate([x, x], dtype='f4')
    np.concatenate([x.astype(int), x.astype(float), x > 0])
    r = np.concatenate([x]); r[...] = 0; r = x
stack
    np.stack({[x]|[x, x]|(x, x, x)|[x, x[:1]]|[x.T, x.T]|[x, x.astype('f4')]|[]|[x, 5]})
    np.stack([x, x], {0|1|-1|5|None|2|-2})
    np.stack([x, x], axis={-1|1})
    np.concatenate([s[:, :2], s[:, :0]], axis=1)
vstack
    np.vstack({[x]|[x, x]|(x, x, x)|[x, x[:1]]|[x, x[..., :1]]|[x.T, x.T]|[x, x.astype('f4')]|[]|[x, 5]})
    np.vstack({[x, x[0]]|[x[0], x]|[x, x > 0]})
    np.vstack(tup=[x, x])
    np.vstack([x, x], dtype='f4')
hstack
    np.hstack({[x]|[x, x]|(x, x, x)|[x, x[:1]]|[x.T, x.T]|[x, x.astype('f4')]|[]|[x, 5]|[x, x[..., :1]]|[x[:1], x]})
    np.hstack([x, x], casting='no')
dstack
    np.dstack({[x]|[x, x]|(x, x, x)|[x, x[:1]]|[x.T, x.T]|[x, x.astype('f4')]|[]|[x, 5]|[x[::-1], x]|[x, x[None]]})
    np.dstack(tup=[x, x])
column_stack
    np.column_stack({[x]|[x, x]|(x, x, x)|[x, x[:1]]|[x.T, x.T]|[x, x > 0]|[]|[x, 5]|[x[::-1], x]|[x, x[..., 0]]})
    np.column_stack([x[..., 0], x])
roll
    np.roll(x, {0|1|-1|7|-100|2**70|2.0|True|(1, 2)|np.int64(2)|'a'|None})
    np.roll(x, {1|-1|5}, {0|1|-1|None|7|(0, 1)|True})
    np.roll(x, 1, axis={0|1|-1|None|9})
    np.roll({x[None]|x[..., None]}, 1)
    np.roll(x)
    np.roll([1, 2, 3], 1)
ndarray.flatten
    x.flatten()
    x.flatten({'F'|'C'|'K'|'z'|order='F'|3})
    r = x.flatten(); r[...] = 0; r = x
repeat
    np.repeat(x, {0|1|2|3|-1|True|2.0|[1, 2]|np.array([2])|2**70|None})
    np.repeat(x, {1|2}, {0|1|-1|None|7|'a'})
    np.repeat(x, 3, axis={0|1})
    np.repeat(x, repeats=2)
    np.repeat([1, 2], 2)
    np.repeat(x)
ndarray.repeat
    x.repeat({0|1|2|-1|2.0|[1, 2]|True})
    x.repeat(2, {0|1|None|7})
    x.repeat(repeats=2, axis=0)
    x.repeat()
tile
    np.tile(x, {0|1|2|3|-1|True|2.0|(2, 3)|(1, 1)|(2, 1)|(1, 2)|[2, 2]|(2, 1, 3)|(1,)|()|np.int64(2)|'a'|(0, 2)})
    np.tile(x, reps=2)
    np.tile([1, 2], 2)
    np.tile(x)
pad
    np.pad(x, {0|1|3|-1|True|2.0|(1, 2)|(0, 1)|[2, 1]|((1, 2),)|(2,)|((1, 2), (0, 3))|((1,), (2,))|2**70|None|'a'})
    np.pad(x, {1|(2, 0)|((0, 1), (2, 3))}, {'constant'|'edge'|'wrap'|'reflect'|'symmetric'|'maximum'|'zz'|None})
    np.pad(x, 7, mode={'edge'|'wrap'|'reflect'|'symmetric'})
    np.pad(x, {1|(1, 2)}, constant_values={5|2.5|True|1j|300|-1|np.nan|(1, 2)|np.float32(0.5)|'a'|None})
    np.pad(x, 1, mode='edge', constant_values=3)
    np.pad(x, 1, 'reflect', reflect_type='odd')
    np.pad(array=x, pad_width=1)
    np.pad(x, 1, 'constant', 2)
    np.pad(x)
triu
    np.triu({x|s|s.T|s[:, :2]|s[:2]|[[1, 2], [3, 4]]})
    np.triu(x, {0|1|-1|7|-7|True|1.0|None|'a'|2**70})
    np.triu(x, k=1)
    np.triu()
tril
    np.tril({x|s|s.T|s[:, :2]|s[:2]|[[1, 2], [3, 4]]})
    np.tril(x, {0|1|-1|7|-7|True|1.0|None|'a'|2**70})
    np.tril(x, k=-1)
diag
    np.diag({x|s|s.T|s[:, :2]|s[:2, ::-1]|x.ravel()|x.ravel()[::2]|[1, 2]|3})
    np.diag({x|x.ravel()[:5]}, {0|1|-1|7|-7|True|1.0|None|'a'})
    np.diag(x, k=1)
    r = s.copy(); np.diag(r)[0] = 3; r = s
    r = s[...]; d = np.diag(r); r[...] = 7; r = d
diagflat
    np.diagflat({x|s.T|x.ravel()[::2]|[1, 2]|3})
    np.diagflat(x, {0|1|-1|7|True|1.0|None|'a'})
    np.diagflat(x, k=1)
diagonal
    np.diagonal(x)
    np.diagonal(s, {0|1|-1|3|4|-9|True|1.0|None})
    np.diagonal(x, offset=1)
    np.diagonal(x, 0, {1, 0|0, 0|0, 5})
    d = np.diagonal(s); s[...] = 7; r = d
ndarray.diagonal
    x.diagonal()
    s.diagonal({0|1|-1|4|1.0})
    s.diagonal(offset=1)
    s.diagonal(axis1=1, axis2=0)
trace
    np.trace({x|s|s.T|s[::-1]|s[:, :3]})
    np.trace(x, {0|1|-1|9|True|1.0|None})
    np.trace(s, offset=1)
    np.trace(s, dtype='f4')
    np.trace()
ndarray.trace
    {x|s}.trace()
    s.trace({0|1|-1|9|1.0})
    s.trace(offset=1)
kron
    np.kron({x|s}, {x|s|s[0]|2|x.T|s[:1]|[1, 2]})
    np.kron(s[0], {s[1]|s[1].astype('f4')|s[:, 1]|s[0, ::-1]})
    np.kron(x)
meshgrid
    np.meshgrid(x)
    np.meshgrid(x, {x|s[0]|2|[1, 2]|s[0, ::-1]})
    np.meshgrid(s[0], s[1, :3], {s[2, 1:]|x.ravel()[:3]})
    np.meshgrid(s[0], s[1, :3], indexing={'xy'|'ij'|'zz'|None})
    np.meshgrid(s[0], s[1, :3], sparse={True|False|1}, indexing='ij')
    np.meshgrid(s[0], s[1, :3], copy={True|False})
    np.meshgrid(s[0], s[1, :3], s[0, :2], sparse=True)
    r = np.meshgrid(s[0], s[1])[0]; r[...] = 0; r = s
indices
    np.indices({(2, 3)|(3,)|()|(2, 0)|[2, 3]|3|(2, -1)|(2.0,)|(2, 1, 3)|x.shape|'a'|(np.int64(2),)})
    np.indices((2, 3), {int|'f4'|x.dtype})
    np.indices((2, 3), sparse=True)
    np.indices(dimensions=(2, 3))
nonzero
    np.nonzero({x|x > 0|x[:0]|x[::-1]|x != x|(x > 0)[None]|s|s.T})
    np.nonzero()
ndarray.nonzero
    x.nonzero()
    (x > 0).nonzero()
flatnonzero
    np.flatnonzero({x|x > 0|x[::-1] > 0|x.T|x != x|s})
    np.flatnonzero([0, 1])
argwhere
    np.argwhere({x|x > 0|x[:0]|x != x|s|s.T|(x > 0)[..., None]|[0, 1]|3})
    np.argwhere()
atleast_1d
    np.atleast_1d({x|3|[1]})
    np.atleast_1d(x, {s|2})
    np.atleast_1d(x) is x
    np.atleast_1d()
atleast_2d
    np.atleast_2d({x|x[::-1]|3|[1]})
    np.atleast_2d(x, {s|2|s[0]})
    np.atleast_2d(s) is s
atleast_3d
    np.atleast_3d({x|x[::-1]|s.T|3|[1]})
    np.atleast_3d(x, {s|2|s[0]})
ix_
    np.ix_({np.array([0, 2])|np.array([1, 0])[::-1]|[0, 1]|np.array([True, False])|x|np.array([], int)})
    np.ix_(np.array([0, 2]), {np.array([1, 2, 3])|[1]|np.array([True, False])|x.ravel()})
    s[np.ix_(np.array([0, 2]), np.array([1, 0]))]
    np.ix_()
moveaxis
    np.moveaxis(x, {0|1|-1|7|'a'|True}, {0|1|-1|2|9})
    np.moveaxis(x, [0], [-1])
    np.moveaxis(x, source=0, destination=1)
    np.moveaxis(x, 0)
rollaxis
    np.rollaxis(x, {0|1|-1|2|7|'a'})
    np.rollaxis(x, {0|1|2}, {0|1|-1|2|3|9|None})
    np.rollaxis(x, axis=1)
rot90
    np.rot90(x)
    np.rot90(x, {0|1|2|3|4|-1|2.0|True|'a'})
    np.rot90(x, 1, {(1, 0)|(0, 0)|(0, 5)})
    np.rot90(x, k=2)
fliplr
    np.fliplr({x|s|[[1, 2]]})
    np.fliplr(m=x)
flipud
    np.flipud({x|s|[[1, 2]]})
    np.flipud(m=x)
split
    np.split(x, {1|2|3|5|0|-1|True|2.0|'a'|None|np.int64(2)|[1]|[1, 3]|[3, 1]|[-2, 99]|(2,)|[]|[1.0]|np.array([1])})
    np.split(x, {1|2|[1]}, {0|1|-1|7|'a'|None})
    np.split(x, 2, axis={0|1})
    np.split(x, indices_or_sections=1)
    np.split(x)
    r = np.split(x, [1])[0]; r[...] = 0; r = x
array_split
    np.array_split(x, {1|2|3|5|0|-1|True|2.0|'a'|None|[1]|[1, 3]|[]})
    np.array_split(x, {1|3|[1]}, {0|1|-1|7})
    np.array_split(x, 2, axis={0|1})
hsplit
    np.hsplit(x, {1|2|0|[1]|2.0})
    np.hsplit(s, 2)
vsplit
    np.vsplit(x, {1|2|0|[1]|2.0})
    np.vsplit(s, 2)
dsplit
    np.dsplit(x, {1|2|0|[1]})
    np.dsplit(s[None], 2)
broadcast_arrays
    np.broadcast_arrays(x, {x|s|s[0]|2|1.5|[1]|x[:1]|x.T|True|1j|'a'|None|x.sum()})
    np.broadcast_arrays(x)
    np.broadcast_arrays(x, s[0, :1], s[:1, :1])
    np.broadcast_arrays(x, 2, subok=True)
    r = np.broadcast_arrays(s, s[0])[1]; r[0] = 5; r = s
    x.flags.writeable = False; r = [a.flags.writeable for a in np.broadcast_arrays(x, s)]
    np.broadcast_arrays(x, 1)[0] is x
    np.broadcast_arrays()
ndarray.sort
    x.sort(); r = x
    x.sort({0|-1|1|None|'a'|True}); r = x
    x.sort(axis={0|None}); r = x
    x.sort(kind='stable'); r = x
    x[::-1].sort(); r = x
    s[:, 1].sort(); r = s
    x.flags.writeable = False; x.sort(); r = x
argsort
    np.argsort({x.ravel()[:2]|x|x > 0})
    np.argsort(s, {0|1|-1|None|2|'a'})
    np.argsort(x, axis={0|-1})
    np.argsort(x, kind='stable')
    np.argsort([3, 1])
ndarray.argsort
    {x|s.T}.argsort()
    s.argsort({0|1|-1|None|2})
    x.argsort(axis=0)
    x.argsort(kind='stable')
ones_like
    np.ones_like(x)
    np.ones_like(x, {'f4'|None|'zz'})
    np.ones_like({x[:0]|3|[1, 2]|x.T})
full_like
    np.full_like(x, {1|2.5|True|1j|300|-1|np.float32(2)|np.int8(3)|'a'|None|2**63|np.nan|x[:1]|x})
    np.full_like(x, 1, {'f4'|None|'zz'})
    np.full_like({x[:0]|3|[1, 2]|x.T}, 2)
    np.full_like(x, fill_value=2)
""")
