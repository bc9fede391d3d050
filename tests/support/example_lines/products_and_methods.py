"""Example lines: products, statistics, operations that sum or evaluate, methods, keys."""

from support.example_lines.table import table

CONTRACTION = table("""
dot
    np.dot({m|i|b|c|f32|f16}, {m.T|v})
    np.dot({v|zero_d|2|[1, 2, 3]}, {v|m})
    np.dot(t, {t.transpose(0, 2, 1)|sq|v[:4]})
    np.dot(empty, empty.T)
    np.dot(empty.T, empty)
    v.dot(v)
    r = np.zeros((3, 3)); np.dot(m, m.T, out=r)
    @r = np.zeros((2, 3)); np.dot(m, m.T, out=r)
inner
    np.inner({m|v|t|2}, {m|v})
vdot
    np.vdot({v|c|m}, {v|c})
outer
    np.outer({v|m|2}, {v|i})
    r = np.zeros((7, 7)); np.outer(v, v, out=r)
trace
    np.trace({m|t|u8.reshape(1, 5)})
    m.trace(1)
linalg.trace
    np.linalg.trace(t)
tensordot
    np.tensordot(t, t, axes=([0, 1], [0, 1]))
    np.tensordot(m, {m.T, 1|m, 3|m})
linalg.tensordot
    np.linalg.tensordot(m, m)
linalg.outer
    np.linalg.outer(v, v)
linalg.matmul
    np.linalg.matmul(m, {m.T|m})
linalg.vecdot
    np.linalg.vecdot({m|c}, m)
linalg.det
    np.linalg.det({sq|t|m})
convolve
    np.convolve(v, {[1, 2, 3]|v}, '{full|same|valid}')
    @np.convolve({v, []|m, v})
correlate
    np.correlate(v, v[:3], '{full|same|valid}')
einsum
    np.einsum('ij,ij->ij', m, m)
    np.einsum('ij,jk', m, {m.T|m.T.astype('f4')})
    np.einsum('{ij->ji|ij->|ij|i...->...}', m)
    np.einsum('{ii|ii->i}', sq)
    np.einsum('...j,jk->...k', t, sq)
    np.einsum('i,j->ij', v, v)
    np.einsum('ij,jk,kl->il', m, m.T, m, optimize=True)
    @np.einsum('ij,jk', m, m)
    @np.einsum('{ij|ij->k|ij->ii}', v)
    @np.einsum(m, [0, 1], [1, 0])
einsum_path
    np.einsum_path('ij,jk', m, m.T)[1]
cross
    np.cross(m[:, :3], m[:, :3])
    np.cross({v[:3], [1, 2, 3]|v, v})
linalg.cross
    np.linalg.cross(v[:3], v[1:4])
linalg.norm
    np.linalg.norm({m|v|c|i|f32})
    np.linalg.norm(v, {0|1|3|np.inf|-np.inf|'zz'})
    np.linalg.norm(m, axis={0|1|(0, 1)|9}, keepdims={True|False})
    np.linalg.norm(m, {'fro'|1|np.inf|2|-2|'nuc'})
    np.linalg.norm(t, 2, axis={(0, 2)|(1, 0)|(1, 1)}, keepdims=True)
linalg.vector_norm
    np.linalg.vector_norm(m, axis=1)
linalg.matrix_norm
    np.linalg.matrix_norm(m)
    np.linalg.matrix_norm(t, ord={2|'nuc'|-1})
linalg.cholesky
    np.linalg.cholesky({sq @ sq.T|m|v})
    np.linalg.cholesky(sq @ sq.T, upper=True)
linalg.cond
    np.linalg.cond({sq|t|m|v})
    np.linalg.cond(sq, {1|-2|np.inf|'fro'|'zz'})
linalg.eig
    @np.linalg.eig({sq @ sq.T|i.T @ i|m|swapped[:, :3]})
    np.linalg.eig(c[:, :3])
linalg.eigh
    np.linalg.eigh({sq @ sq.T|c[:, :3]|m|f32[:, :3]})
    np.linalg.eigh(sq, '{U|u|X}')
linalg.eigvals
    @np.linalg.eigvals({sq @ sq.T|m|sq - sq.T})
    np.linalg.eigvals(c[:, :3])
linalg.eigvalsh
    np.linalg.eigvalsh({sq @ sq.T|t|c[:, :3]})
    np.linalg.eigvalsh(sq, '{U|X}')
linalg.inv
    np.linalg.inv({sq|m|v|i[:, 1:]|f16[:, 1:]|f32[:, 1:]|2})
linalg.lstsq
    np.linalg.lstsq(m, {v[:3]|sq[:3]|v})
    np.linalg.lstsq(m, v[:3], rcond=.5)
    @np.linalg.lstsq(m.T, v[:4])
linalg.matrix_power
    np.linalg.matrix_power(sq, {0|1|2|3|7|-1|-3|1.5})
    np.linalg.matrix_power({i|i[:, 1:]|f32[:, 1:]}, 5)
linalg.matrix_rank
    np.linalg.matrix_rank({m|sq|t|t[0] * 0})
    np.linalg.matrix_rank(sq @ sq.T, {.5|None}, hermitian=True)
    np.linalg.matrix_rank(t, rtol=.5)
    @np.linalg.matrix_rank(t, rtol=np.array([.1, .9]))
    @np.linalg.matrix_rank(v)
linalg.multi_dot
    np.linalg.multi_dot([m, m.T, {m|v[:3]|m.T}])
    np.linalg.multi_dot([v[:4], m.T, m, {m.T|v[:4]}])
    np.linalg.multi_dot([{m|m, m.T}])
linalg.pinv
    np.linalg.pinv({m|t|c|i|v})
    np.linalg.pinv(m, {.5|None})
    np.linalg.pinv(m, rtol={.5|None})
    np.linalg.pinv(m, .5, rtol=.5)
    @np.linalg.pinv(t, np.array([.1, .9]))
    np.linalg.pinv(sq @ sq.T, hermitian=True)
linalg.qr
    np.linalg.qr({m|m.T|t|c|i|v})
    np.linalg.qr({m|m.T|t}, '{complete|r|raw}')
    @np.linalg.qr(m, 'zz')
linalg.slogdet
    np.linalg.slogdet({sq|t[:, :, 1:]|c[:, :3]|m})
linalg.solve
    np.linalg.solve(sq, {v[:4]|m.T|m|v})
    np.linalg.solve(t[:, :, 1:], {t|m|v[:3]})
linalg.svd
    np.linalg.svd({m|t|c|i|v})
    np.linalg.svd({m|m.T}, full_matrices=False)
    np.linalg.svd({m|t}, compute_uv=False)
    np.linalg.svd(sq @ sq.T, hermitian={True|1})
linalg.svdvals
    np.linalg.svdvals({m|t|v})
linalg.tensorinv
    np.linalg.tensorinv(sq.reshape({2, 2, 2, 2|4, 2, 2}), {2|1|0})
linalg.tensorsolve
    np.linalg.tensorsolve(sq.reshape(2, 2, 4), {m[:2, :2]|v[:4]})
    np.linalg.tensorsolve(sq.reshape(2, 4, 2), m[:2, :2], axes=(1,))
""") | {
    f"fft.{name}": [
        *[f"np.fft.{name}({x})" for x in ("v", "m", "f32", "i", "c")],
        *[f"np.fft.{name}(m, {options})" for options in ("axis=0", "n=3", "n=8, norm='ortho'", "axis=5", "norm='zz'",
                                                         "n=1", "n=2.5", "n=-1")],
        *[f"np.fft.{name}({x})" for x in ("b", "f16", "i8", "m.astype('g')", "[1, 2, 3]")],
        f"@np.fft.{name}(m, n=0)", f"@np.fft.{name}(zero_d)", f"@np.fft.{name}(empty)",
        f"@r = np.zeros((3, 4), complex); np.fft.{name}(m, out=r)",
    ]
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
} | {
    f"fft.{name}": [
        *[f"np.fft.{name}({x})" for x in ("m", "t", "v", "f32", "c", "t, axes=(0, 1)", "m, axes=(0, 9)", "m, axes=1")],
        *[f"np.fft.{name}(t, s={s}, axes=(2, 0))" for s in ("(4, 5)", "(-1, 3)", "(3, -1)", "(3,)", "(3, 0)", "3")],
        *[f"@np.fft.{name}(m, {options})" for options in ("axes=(0, 0)", "s=(2, 3), axes=None", "axes=()",
                                                          "s=(None, 3), axes=(0, 1)")],
        f"@np.fft.{name}(empty)",
    ]
    for name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
} | table("""
fft.fftshift
    np.fft.fftshift({m|v})
    np.fft.fftshift(m, axes=1)
fft.ifftshift
    np.fft.ifftshift(v)
""")

STATISTICS = table("""
diff
    np.diff({v|m|b|i})
    np.diff(m, axis=0, n=2)
    np.diff(m, prepend=0)
ediff1d
    np.ediff1d(v)
    np.ediff1d(v, to_begin=0)
gradient
    np.gradient({v|m})
    np.gradient(m, axis=0)
    np.gradient(v, 2.0)
    np.gradient(m, 1, 2, edge_order=2)
    np.gradient(v[:1])
trapezoid
    np.trapezoid({v|m, dx=.5|v, v})
cumulative_sum
    np.cumulative_sum({v|m})
    np.cumulative_sum(m, axis=1, include_initial=True)
cumulative_prod
    np.cumulative_prod(v)
average
    np.average({v|m})
    np.average(m, axis=1, returned=True)
    @np.average(m, axis=0, weights=[1, 2, 3])
cov
    np.cov({m|v})
    np.cov(m, rowvar=False, bias=True)
    np.cov(v, v)
corrcoef
    np.corrcoef(m)
median
    np.median({v|m|t|i|nan|f32})
    np.median(t, axis={0|(0, 1)|-1|9}, keepdims={True|False})
    np.median(zero_d)
    @np.median({empty|zero_d, 0})
    r = np.zeros(4); np.median(m, 0, out=r)
    @r = np.zeros(4, 'f4'); np.median(m, 0, out=r)
nanmedian
    np.nanmedian({nan|m|i})
    np.nanmedian(nan, axis=0, keepdims=True)
quantile
    np.quantile({m|i|f32}, {.3|[.1, .9]|1})
    np.quantile(m, .5, axis={0|5}, method='{linear|nearest}')
    np.quantile(m, 2)
    np.quantile(m, [.2, .7], axis={1|None}, weights={m|i * i|v}, method='inverted_cdf')
    np.quantile(m, .5, axis=0, weights={v[:3]|v}, method='inverted_cdf')
    r = np.zeros((2, 4)); np.quantile(m, [.2, .7], axis=0, out=r)
percentile
    np.percentile({m|f32}, [[10, 20], [30, 40]], axis=1)
    np.percentile(f32, 30, keepdims=True)
nanquantile
    np.nanquantile(nan, .5, axis=0)
nanpercentile
    np.nanpercentile(nan, [10, 50], axis=1)
""")

# Lines that evaluate their arguments: only the results are compared.
IMMEDIATE = table("""
apply_along_axis
    np.apply_along_axis(lambda x: x * 2, 1, m)
argwhere
    np.argwhere({b|m > .3})
array2string
    np.array2string(m, precision=3)
array_repr
    np.array_repr({m|i})
array_str
    np.array_str(m)
asarray_chkfinite
    np.asarray_chkfinite({m|nan})
base_repr
    np.base_repr(5)
binary_repr
    np.binary_repr(5)
bincount
    np.bincount(idx)
busday_count
    np.busday_count('2011-01', '2011-02')
busday_offset
    np.busday_offset('2011-10', 0, roll='forward')
datetime_as_string
    np.datetime_as_string(np.array(['2000-01-01'], 'M8[D]'))
extract
    np.extract(b, m)
flatnonzero
    np.flatnonzero(b)
format_float_positional
    np.format_float_positional(m.sum(), precision=3)
format_float_scientific
    np.format_float_scientific(m.max(), precision=3)
info
    np.info(m, output=__import__('io').StringIO())
intersect1d
    np.intersect1d(i, [1, 2, 3])
is_busday
    np.is_busday(np.array(['2011-07-01'], 'M8[D]'))
mask_indices
    np.mask_indices(3, np.triu)
may_share_memory
    np.may_share_memory(m, i)
min_scalar_type
    np.min_scalar_type({m|300})
mintypecode
    np.mintypecode(['d', 'f'])
nonzero
    np.nonzero({b|m > .5})
    b.nonzero()
real_if_close
    np.real_if_close({c|c - c.imag * 1j})
setdiff1d
    np.setdiff1d(i, [1])
setxor1d
    np.setxor1d(i, [1, 77])
shares_memory
    np.shares_memory(m, i)
tril_indices
    np.tril_indices(3)
triu_indices
    np.triu_indices(3)
diag_indices
    np.diag_indices(3)
trim_zeros
    np.trim_zeros(np.array([0, 1, 0]))
union1d
    np.union1d(i, [77])
unique
    np.unique(i)
    np.unique(i, return_counts=True, return_inverse=True)
unique_all
    np.unique_all(i)
unique_counts
    np.unique_counts(i)
unique_inverse
    np.unique_inverse(i)
unique_values
    np.unique_values(i)
fromiter
    np.fromiter([1, 2], int)
fromstring
    np.fromstring('1 2', sep=' ')
bmat
    np.bmat([[np.matrix([1])]]).tolist()
""")

IMMEDIATE_NEAR = table("""
bartlett
    np.bartlett(5)
blackman
    np.blackman(5)
hamming
    np.hamming(5)
hanning
    np.hanning(5)
kaiser
    np.kaiser(5, 2)
polydiv
    np.polydiv(v, [1, 2])
polymul
    np.polymul(v, v)
roots
    np.roots([1, -3, 2])
""")

METHODS = table("""
lazy
    m.view({'i8'|np.float32|'f2'|'V3'})
    m.T.view('f4')
    m.view()
    {c|m}.conj()
    m.conj() is m
    m.copy('{C|F|A|K}').strides
    m.flags.{c_contiguous|f_contiguous|writeable|owndata|aligned|forc}
    m.flags['F_CONTIGUOUS']
    m.T.flags.owndata
    m.device
    m.to_device('cpu')
    m.getfield('f4', 4)
    m.flat[{3|1:4}]
    m.flat.copy()
    m.sort(axis=9)
    r = m.copy(); r.fill(2)
    r = i8.copy(); r.fill(300)
    r = np.zeros(2, object); r.fill(np.array(3))
    m.copy().fill(v)
    r = m.copy(); r.flat[3] = 9
    r = m.copy(); r.flat = 7
    r = m.copy(); r.dtype = 'i8'
    r = m.copy(); r[0].setfield(1, 'f8')
    r = m.copy(); r.setflags(write=False); r[0] = 1
    r = m.copy(); r.flags.writeable = False; r += 1
    r = m.copy(); r.resize((2, 3), refcheck=False)
    r = m.copy(); r.resize(5, 4, refcheck=False)
    r = m.copy(); r.resize({2, 3|5, 4|2, 6|0|-1|'a'})
    r = m.copy(); r.resize()
    r = m.T.copy('K'); r.resize({2, 3|5, 4}); r = r, r.strides
    r = t.transpose(1, 0, 2).copy('K'); r.resize(3)
    r = m.copy()[1:]; r.resize({4, 2|3})
    r = m.copy(); s = r; r.resize({2, 3|4, 3})
    r = m.copy(); s = r[1:]; r.resize({2, 3|4, 3})
    r = {m|m.T}.copy('K'); s = r[1:]; r.resize({2, 6|12|4, 3}); r[1:] *= 5; r = r, s
    r = m.copy(); r.resize(3, nonsense=1)
    r = m.copy(); r.setflags(align=False); r.setflags(uic=True)
at once
    m.byteswap()
    r = m.copy(); s = r.byteswap(inplace=True); r = r, s is r
    r = i8.copy(); r[::2].byteswap(True)
    r = m.astype('>f8'); r.byteswap(True)
    r = m.copy(); r.flags.writeable = False; r.byteswap(True)
    r = m.astype('>f8'); r.flags.writeable = False; r.byteswap(True)
    {m|m.round()}.astype(int, casting='same_value')
    m.tolist()
    m.item({0|1, 2|77})
    m.tobytes('F')
    m.flat[[1, 2]]
    list(m.flat)
    m.data.shape
    r = m.copy(); r.flat[::2] = [1, 2]
    r = m.T.copy('K'); r.flat[2] = 5
    str({m|i|c}) + repr(f32)
    f'{m.sum():.3f}'
    '%.3f' % m.sum()
""")

MASKS = ["b", "b[0]", "b[:, 0]", ":, b[0]", "m > 0.5", "b, 0", "b.T", "True", "False", "[True, False, True]", "v > 9"]
KEYS = [
    *MASKS, "idx", "[0, 2]", "idx, idx", "idx[:, None], idx", "1, [0, 1]", "[0, 1], 1", ":, idx", "idx, :", "..., idx",
    "None, idx", "idx, None", "[[0, 1], [1, 2]]", "np.array([5])", "[0, -1]", "[]", "[0, 3]", "1.5", "'a'",
    "idx, idx[:2]", "idx.astype(float)", "slice(None), [0, 0, 3]", "::-1, idx", "idx[0]", "idx[0], idx[1]",
    "i.argmax(axis=0)[:2] % 3",
]
