"""Common mistakes that NumPy rejects: statements over `np` and the arrays m, v, s, i, z, e, locked.

The errors are the same as NumPy's, word for word.
"""

NUMPYS = """
    m + v
    m @ m
    v @ m
    np.dot(m, m)
    np.add(m, v)
    np.add(v, v, out=m)
    np.concatenate([m, v])
    np.stack([m, v])
    np.split(v, 2)
    np.reshape(m, (5, 5))
    m.reshape(7)
    np.sum(m, axis=5)
    m.max(axis=(0, 0))
    np.sort(m, axis=4)
    np.sum(m, axiss=1)
    np.sum(m, dtype='nonsense')
    m.astype('nonsense')
    m[7]
    m[0, 9]
    m[1, 2, 3]
    m['a']
    m[np.array([True, False])]
    np.take(v, 10)
    m.__setitem__(9, 1)
    m.__setitem__(0, v)
    bool(m)
    float(m)
    int(m)
    m.item(99)
    np.array([[1], [1, 2]])
    np.zeros(-1)
    np.linalg.inv(m)
    np.linalg.solve(s, v)
    np.einsum('ij,jk', m, m)
    np.einsum('ij->k', m)
    np.pad(m, 'x')
    np.percentile(v, 200)
    np.histogram(v, bins='nonsense')
    np.broadcast_to(m, (2, 2))
    np.swapaxes(m, 0, 5)
    np.moveaxis(m, 0, 5)
    np.linspace(0, 1, -1)
    np.arange(0, 1, 0)
    np.vstack([])
    np.random.default_rng(0).normal(scale=-1)
    np.random.default_rng(0).choice(3, p=[1])
    locked.__setitem__(0, 1)
    locked.sort()
    locked.__iadd__(1)
    m.numpy_nonsense
    np.loadtxt('/nonsense')
    np.load('/nonsense')
    m.shpae
    m.avg()
    m.tolist2
    m.resahpe(2, 6)
    m.sum(axs=0)
    m.sum(0, axis=0)
    m.mean(axes=1)
    m.reshape(2, 6, ordr='C')
    m.astype(float, cpy=True)
    m.sort(axiss=0)
    np.sum(m, axes=0)
    np.mean(m, keepdim=True)
    np.zeros((2, 3), dtyp=float)
    np.ones(3, shape=2)
    np.full((2, 3))
    np.full((2, 3), 1, 2, 3, 4)
    np.concatenate(m, axes=0)
    np.stack([m, m], axs=1)
    np.linspace(0, 1, nums=5)
    np.arange()
    np.sqrt()
    np.sqrt(m, m, m)
    np.add(m)
    np.add(m, m, m, m)
    np.sqrt(m, outt=m)
    np.add(m, m, wher=True)
    np.add(m, m, out=i)
    np.add(m, m, out=np.zeros((3, 4), int))
    np.add(v, v, out=3)
    np.sqrt(v, out=(v, v))
    np.add(v, v, dtype=int)
    np.add(v, 'a')
    np.sum(m, out=np.zeros(2))
    np.matmul(m, m, out=m)
    np.where(m > 0, m)
    np.where(m > 0, m, v)
    m[np.ones((3, 3), bool)]
    m[:, np.ones(3, bool)]
    v[np.array([0, 7])]
    v[[0, -9]]
    v[np.array([0.5])]
    v[1.0]
    v[None, 1, 2]
    m[..., ...]
    m[::0]
    m['a', 1]
    m[5] = 1
    m[np.array([0, 7])] = 1
    m[0] = v
    m[m > 3] = v
    m[:, 0] = 'a'
    v[:] = m
    v[2] = [1, 2]
    v[np.array([True, False])] = 1
    i[0] = 'a'
    i[0] = 1j
    v += m
    v += 1j
    i += 0.5
    i /= 2
    i //= 0.5
    v @= m
    i &= 1.0
    ~v
    v & 1
    v << 1
    -np.array([True])
    np.array([True]) - np.array([False])
    v % 'a'
    v ** None
    locked += 1
    locked[...] = 0
    locked.fill(0)
    locked.partition(1)
    np.copyto(locked, 1)
    np.put(locked, 0, 1)
    np.add(locked, 1, out=locked)
    np.broadcast_to(v, (2, 5))[0] = 1
    m.reshape(5, -1)
    m.reshape(-1, -1)
    m.reshape('a')
    m.shape = (5, 5)
    m.transpose(0, 0)
    m.transpose(0)
    m.transpose(0, 3)
    m.squeeze(0)
    m.swapaxes(0)
    np.expand_dims(m, 5)
    np.concatenate([m, s])
    np.concatenate([])
    np.vstack([m, v])
    np.hstack([m, v])
    np.column_stack([m, v])
    np.dstack([m, s])
    np.block([[m, s], [m]])
    np.einsum('ij,jk->ik', m, m)
    np.einsum('ij,jk->il', m, s)
    np.einsum('ij', m, m)
    np.einsum('i j k', m)
    np.einsum('ijk', m)
    np.einsum('ij->i$', m)
    np.einsum(m)
    np.einsum()
    np.tensordot(m, m, axes=1)
    np.dot(m, v)
    np.vdot(m, v)
    np.inner(m, v)
    np.outer(m)
    np.cross(m, m)
    np.kron()
    np.linalg.det(m)
    np.linalg.inv(v)
    np.linalg.inv(np.zeros((3, 3)))
    np.linalg.solve(m, v)
    np.linalg.eig(m)
    np.linalg.norm(m, 'nonsense')
    np.linalg.norm(m, axis=(0, 1, 2))
    np.linalg.qr(m, mode='x')
    np.linalg.svd(v)
    np.linalg.matrix_power(m, 2)
    np.linalg.matrix_power(s, 0.5)
    np.linalg.lstsq(m, v)
    np.fft.fft(m, n=0)
    np.fft.fft(m, axis=3)
    np.fft.ifft2(v)
    np.fft.fft(v, norm='x')
    np.fft.fft('a')
    np.random.default_rng(0).integers(5, 2)
    np.random.default_rng('a')
    np.random.rand('a')
    np.random.normal(size=-1)
    np.random.default_rng(0).permutation(z)
    np.random.default_rng(0).choice(v, 9, replace=False)
    if m: pass
    if e: pass
    bool(np.array([1, 2]) > 0)
    while v < 3: pass
    m and v
    not m
    for x in z: pass
    iter(z)
    len(z)
    list(z)
    z[0]
    z[0] = 1
    a, b = v
    a, b = z
    int(v)
    complex(v)
    range(z)
    [1, 2, 3][z]
    [1, 2, 3][v]
    m.item()
    m.item('a')
    m.item(1, 2, 3)
    m.view('i3')
    np.array('a', float)
    np.array([1, 'a'], float)
    np.array([[1, 2], [3]], float)
    np.array(v, dtype='flaot')
    np.maximum.reduce(e)
    e.max()
    e.argmax()
    np.max(e)
    np.argmin(np.zeros((0, 3)), axis=0)
    np.maximum.accumulate(z)
    np.add.reduce(m, axis=7)
    np.add.reduceat(v, [9])
    np.add.nonsense
    np.multiply.outr(v, v)
    np.sort(v, kind='x')
    np.argsort(m, axis=7)
    np.searchsorted(m, 1)
    np.searchsorted(v, 1, side='x')
    np.partition(v, 9)
    np.unique(m, axis=9)
    np.split(v, [1, 2], axis=3)
    np.array_split(v, 0)
    np.tile(v, 'a')
    np.repeat(v, [1, 2])
    np.repeat(v, -1)
    np.roll(m, 1, axis=5)
    np.flip(m, 4)
    np.rot90(v)
    np.pad(v, 1, mode='x')
    np.pad(v, (1, 2, 3))
    np.pad(v, -1)
    np.take(m, [9], axis=0)
    np.take(v, 0, axis=2)
    np.take_along_axis(m, i, 0)
    np.choose(i, [v, v])
    np.select([m > 0], [m, m])
    np.interp(v, v, m)
    np.histogram(v, bins=0)
    np.histogram(v, range=(2, 1))
    np.bincount(v)
    np.bincount(-i)
    np.digitize(v, [1, 3, 2])
    np.quantile(v, 2)
    np.percentile(m, 50, method='x')
    np.median(m, axis=7)
    np.average(v, weights=[1])
    np.average(v, weights=np.zeros(5))
    np.cov(m, ddof='a')
    np.convolve(v, e)
    np.convolve(m, v)
    np.correlate(v, v, 'x')
    np.polyfit(v, m, 2)
    np.polyval()
    np.diff(m, n=-1)
    np.diff(z)
    np.trapezoid(v, m)
    np.meshgrid(v, v, indexing='xx')
    np.ix_(m)
    np.unravel_index(99, (3, 4))
    np.ravel_multi_index((3, 9), (3, 4))
    np.diag(np.zeros((2, 2, 2)))
    np.tril(z)
    np.trace(v)
    np.eye('a')
    np.identity(-1)
    np.fromiter(v)
    np.frombuffer(b'abc', float)
    np.fromstring('1 a', sep=' ')
    np.save('/nonsense/x.npy', m)
    np.loadtxt(['1 a'])
    np.loadtxt(['1 2', '3'])
    np.genfromtxt(['1 2', '3'])
    np.errstate(divde='raise')
    np.ma.masked_arra
    np.lib.stride_trick
    np.vectorize(lambda x: x)(v, v)
    np.apply_along_axis(lambda x: x, 5, m)
    np.fromfunction(3, (2,))
    np.frompyfunc(lambda x: x, 1, 'a')
    np.nditer(m, 'x')
    np.broadcast_arrays(m, v)
    np.result_type()
    np.can_cast(3.0, 'i4')
    np.array2string(m, nonsense=1)
    np.isclose(m, v)
    np.array_equal(m)
    np.testing.assert_array_equal(m, v)
    np.testing.assert_allclose(v, v + 1)
    np.lib.stride_tricks.sliding_window_view(v, 9)
    np.lib.stride_tricks.as_strided(v, 3, strides='a')
    np.insert(v, 99, 1)
    np.delete(v, 99)
    np.resize(v, -1)
    np.divmod(v, 'a')
    np.ldexp(v, v)
    np.bitwise_and(v, v)
    np.matvec(m, v)
    np.nan_to_num(v, nann=1)
    np.round(v, 'a')
    np.ones((2, 3)).round(decimal=2)
    np.floor(['a'])
    np.sin('a')
    np.exp(None)
    np.sum(['a', 'b'], axis=3)
    np.array([1, None]).sum()
    np.datetime64('nonsense')
    np.array(['2020-13-01'], 'M8[D]')
    m.flat[99]
    m.flat = 'a'
    m.T = v
    m.size = 3
    m.nonsense = 3
    v.imag = 3
    del m.shape
    del v[0]
    m.setflags(writ=True)
    locked.setflags(write=3, a=2)
    m.choose(v)
    m.take([99])
    m.dot(v)
    m.put(99, 1)
    m.argmax(3)
    m.diagonal(0, 0, 0)
    m.ravel('X')
    m.copy('X')
    m.flatten(3)
    m.repeat(-1)
    m.trace(axis1=0, axis2=0)
    m.byteswap(3, 4)
    m.tobytes('X')
    m.tofile('/nonsense/a')
    m.round('a')
    m.std(ddof='a')
    m.searchsorted(1)
    m.nonzero(2)
    z.nonzero()
    m.compress([True] * 9, axis=0)
"""
