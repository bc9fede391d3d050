"""A line of Python for each operation, with arrays of any size: what `every_op` times.

Examples of NumPy's operations are in `LINES`, those of others, such as `la.nn`, in `OWN_LINES`: a name, followed by an
expression, or by statements that leave their result in `r`. A line sees the namespace as `np` and the arrays of
`operands` by name, in `OWN_LINES` also those of `images`. Lines of elementwise ufuncs are generated from their loops.
tests/test_benchmarks.py runs every line, and compares with NumPy where possible.
"""

import io
import math
import tempfile

import numpy as np

# Powers of four, so that all extents in `operands` are whole numbers.
SMALL, MEDIUM = 256, 65_536


def operands(n):
    """Return the arrays of about n elements for the lines, by name, and other values.

    `v` is 1-d, `m` a square matrix of side k, `t` has shape (q, q, k) with q * q = k. `sq` is invertible, `sym`
    symmetric and positive definite. `few` has 16 sorted numbers, `point` two, `ints` small integers.
    """
    rng = np.random.default_rng(0)
    k = math.isqrt(n)
    q = math.isqrt(k)
    v = rng.random(n) + 0.1
    m = rng.random((k, k)) + 0.1
    sq = m + k * np.eye(k)
    return {
        "n": n, "k": k, "q": q, "io": io, "tempfile": tempfile,
        "v": v,
        "m": m,
        "t": v.reshape(q, q, k),
        "sq": sq,
        "sym": sq + sq.T,
        "triples": rng.random((n // 4, 3)),
        "few": np.sort(rng.random(16)),
        "nan": np.where(m > 0.9, np.nan, m),
        "c": m + 1j * m.T,
        "ints": rng.integers(0, 60, n),
        "bytes_": rng.integers(0, 256, n, np.uint8),
        "b": m > 0.6,
        "order": rng.permutation(n),
        "rows": rng.permutation(k),
        "days": np.datetime64("2020-01-01", "D") + rng.integers(0, 1000, n),
        "text": " ".join(map(str, range(n // 16))),
    }


def images(n):
    """Return float32 images of about n elements with 16 channels, and weights with 3 taps per axis, by name.

    `x1`, `x2` and `x3` have one, two and three spatial axes; `w1` to `w3` are their weights, `g1` to `g3` gradients of
    their shape, `h1` to `h3` gradients of half the extents.
    """
    rng = np.random.default_rng(0)
    found = {"S": {}}
    for ndim in (1, 2, 3):
        extents = [2 * max(1, round((n / 16) ** (1 / ndim) / 2))] * ndim
        for name, shape in (("x", (1, *extents, 16)), ("w", (*[3] * ndim, 16, 16)), ("g", (1, *extents, 16)),
                            ("h", (1, *[extent // 2 for extent in extents], 16))):
            found[f"{name}{ndim}"] = rng.random(shape, np.float32)
            found["S"][f"{name}{ndim}"] = shape
    found["cols"] = rng.random((*found["x2"].shape[:3], 9 * 16), np.float32)
    return found


def ufunc_operands(ufunc, n):
    """Return arrays of the first of float64, int64, bool and timedelta64 for which the ufunc has a loop, by name."""
    loop = next(loop for kind in "dl?m" for loop in ufunc.types if loop.startswith(kind))
    values = np.linspace(0.1, 0.9, n)
    make = {"d": values.astype, "?": lambda dtype: values > 0.5, "m": lambda dtype: np.arange(n).astype("m8[s]")}
    arrays = [make.get(code, lambda dtype: np.arange(n).astype(dtype) % 60 + 1)(code) for code in loop[: ufunc.nin]]
    return dict(zip("abc", arrays, strict=False))


def function(line, namespace, variables):
    """Return a function of no arguments that runs a line and returns its result."""
    body = f"{line}; return r" if ";" in line else f"return {line}"
    found = {**variables, "np": namespace}
    exec(f"def example(): {body}", found)
    return found["example"]


def table(text):
    """Return {operation: line}."""
    pairs = [line.split(maxsplit=1) for line in text.strip().splitlines()]
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an operation has two examples")
    return found


LINES = table("""
all                         np.all(m > 0, axis=0)
allclose                    np.allclose(m, m + 1e-12)
angle                       np.angle(c)
any                         np.any(m > 2, axis=0)
append                      np.append(v, few)
apply_along_axis            np.apply_along_axis(sorted, 0, m[:, :4])
apply_over_axes             np.apply_over_axes(np.sum, t, (0, 2))
arange                      np.arange(n)
argmax                      np.argmax(m, axis=1)
argmin                      np.argmin(m, axis=1)
argpartition                np.argpartition(v, n // 2)[n // 2]
argsort                     np.argsort(m, axis=1)
argwhere                    np.argwhere(b)
array                       np.array(m)
array2string                np.array2string(v)
array_equal                 np.array_equal(m, m + 0)
array_equiv                 np.array_equiv(m, m + 0)
array_repr                  np.array_repr(v)
array_split                 np.array_split(v, 5)
array_str                   np.array_str(v)
as_strided                  np.lib.stride_tricks.as_strided(v, (n // 2, 2), (16, 8)) + 1
asanyarray                  np.asanyarray(m) + 1
asarray                     np.asarray(m) + 1
asarray_chkfinite           np.asarray_chkfinite(m)
ascontiguousarray           np.ascontiguousarray(m.T)
asfortranarray              np.asfortranarray(m)
astype                      np.astype(m, 'f4')
atleast_1d                  np.atleast_1d(v) + 1
atleast_2d                  np.atleast_2d(v) + 1
atleast_3d                  np.atleast_3d(v) + 1
average                     np.average(m, axis=0, weights=m)
bartlett                    np.bartlett(n)
base_repr                   np.base_repr(n, 7)
binary_repr                 np.binary_repr(n)
bincount                    np.bincount(ints)
blackman                    np.blackman(n)
block                       np.block([[m, m], [m, m]])
bmat                        np.bmat([[m, m], [m, m]]).shape
broadcast_arrays            np.broadcast_arrays(m, m[0])[1] + 1
broadcast_to                np.broadcast_to(m[0], (k, k)) + 1
busday_count                np.busday_count(days, '2024-01-01')
busday_offset               np.busday_offset(days, 5, roll='forward')
can_cast                    np.can_cast(m.dtype, 'f4')
choose                      np.choose(ints % 2, [v, ints])
clip                        np.clip(m, 0.3, 0.8)
column_stack                np.column_stack([v, v])
common_type                 np.common_type(m, c)
compress                    np.compress(b[0], m, axis=1)
concatenate                 np.concatenate([m, m], axis=1)
convolve                    np.convolve(v, few, 'same')
copy                        np.copy(m)
copyto                      r = m.copy(); np.copyto(r, m[0], where=b)
corrcoef                    np.corrcoef(m)
correlate                   np.correlate(v, few, 'same')
count_nonzero               np.count_nonzero(b, axis=0)
cov                         np.cov(m)
cross                       np.cross(triples, triples[::-1])
cumprod                     np.cumprod(m, axis=1)
cumsum                      np.cumsum(m, axis=1)
cumulative_prod             np.cumulative_prod(m, axis=1)
cumulative_sum              np.cumulative_sum(m, axis=1)
datetime_as_string          np.datetime_as_string(days).shape
datetime_data               np.datetime_data('M8[25s]')
delete                      np.delete(v, 7)
diag                        np.diag(m[0])
diag_indices                np.diag_indices(k)
diag_indices_from           np.diag_indices_from(m)
diagflat                    np.diagflat(m[0])
diagonal                    np.diagonal(m) + 1
diff                        np.diff(m)
digitize                    np.digitize(v, few)
dot                         np.dot(m, m)
dsplit                      np.dsplit(t, 2)
dstack                      np.dstack([m, m])
ediff1d                     np.ediff1d(v)
einsum                      np.einsum('ij,ij->i', m, m)
einsum_path                 np.einsum_path('ij,jk,kl', m, m, m)[0]
empty                       np.empty((k, k)).shape
empty_like                  np.empty_like(m).shape
expand_dims                 np.expand_dims(m, 1) + 1
extract                     np.extract(b, m)
eye                         np.eye(k)
fft.fft                     np.fft.fft(m)
fft.fft2                    np.fft.fft2(m)
fft.fftfreq                 np.fft.fftfreq(n)
fft.fftn                    np.fft.fftn(t)
fft.fftshift                np.fft.fftshift(m)
fft.hfft                    np.fft.hfft(c)
fft.ifft                    np.fft.ifft(m)
fft.ifft2                   np.fft.ifft2(m)
fft.ifftn                   np.fft.ifftn(t)
fft.ifftshift               np.fft.ifftshift(m)
fft.ihfft                   np.fft.ihfft(m)
fft.irfft                   np.fft.irfft(c)
fft.irfft2                  np.fft.irfft2(c)
fft.irfftn                  np.fft.irfftn(c)
fft.rfft                    np.fft.rfft(m)
fft.rfft2                   np.fft.rfft2(m)
fft.rfftfreq                np.fft.rfftfreq(n)
fft.rfftn                   np.fft.rfftn(t)
fill_diagonal               r = m.copy(); np.fill_diagonal(r, 5)
fix                         np.fix(m * 5 - 2)
flatnonzero                 np.flatnonzero(b)
flip                        np.flip(m) + 1
fliplr                      np.fliplr(m) + 1
flipud                      np.flipud(m) + 1
format_float_positional     np.format_float_positional(v[0])
format_float_scientific     np.format_float_scientific(v[0])
from_dlpack                 np.from_dlpack(m) + 1
frombuffer                  np.frombuffer(text.encode(), 'u1') + 1
fromfile                    f = tempfile.TemporaryFile(); f.write(text.encode()); f.seek(0); r = np.fromfile(f, 'u1')
fromfunction                np.fromfunction(lambda i, j: i + j, (k, k))
fromiter                    np.fromiter(range(n), int)
fromregex                   np.fromregex(io.StringIO(text), '([0-9]+)', [('number', 'i8')])['number']
fromstring                  np.fromstring(text, sep=' ')
full                        np.full((k, k), 2.5)
full_like                   np.full_like(m, 2.5)
genfromtxt                  np.genfromtxt(io.StringIO(text))
geomspace                   np.geomspace(1, 8, n)
gradient                    np.gradient(m, axis=0)
hamming                     np.hamming(n)
hanning                     np.hanning(n)
histogram                   np.histogram(v, 16)
histogram2d                 np.histogram2d(v, v, 4)
histogram_bin_edges         np.histogram_bin_edges(v, 16)
histogramdd                 np.histogramdd(triples, 4)
hsplit                      np.hsplit(m, 2)
hstack                      np.hstack([m, m])
i0                          np.i0(m)
identity                    np.identity(k)
imag                        np.imag(c) + 1
indices                     np.indices((k, k))
info                        np.info(m, output=io.StringIO())
inner                       np.inner(m, m)
insert                      np.insert(v, 7, 0.5)
interp                      np.interp(v, few, few)
intersect1d                 np.intersect1d(ints, order)
is_busday                   np.is_busday(days)
isclose                     np.isclose(m, m.T)
iscomplex                   np.iscomplex(c)
iscomplexobj                np.iscomplexobj(c)
isfortran                   np.isfortran(m.T)
isin                        np.isin(ints, [3, 7, 11])
isneginf                    np.isneginf(m)
isposinf                    np.isposinf(m)
isreal                      np.isreal(c)
isrealobj                   np.isrealobj(c)
isscalar                    np.isscalar(m)
iterable                    np.iterable(m)
ix_                         m[np.ix_(rows, rows)]
kaiser                      np.kaiser(n, 2)
kron                        np.kron(m, few.reshape(4, 4))
lexsort                     np.lexsort((v, ints))
linalg.cholesky             np.linalg.cholesky(sym)
linalg.cond                 np.linalg.cond(sq)
linalg.cross                np.linalg.cross(triples, triples[::-1])
linalg.det                  np.linalg.det(sq / k)
linalg.diagonal             np.linalg.diagonal(t) + 1
linalg.eig                  np.linalg.eig(sym[:16, :16])
linalg.eigh                 np.linalg.eigh(sym)[0]
linalg.eigvals              np.linalg.eigvals(sym[:16, :16])
linalg.eigvalsh             np.linalg.eigvalsh(sym)
linalg.inv                  np.linalg.inv(sq)
linalg.lstsq                np.linalg.lstsq(m[:, :8], v[:k])[0]
linalg.matmul               np.linalg.matmul(m, m)
linalg.matrix_norm          np.linalg.matrix_norm(t)
linalg.matrix_power         np.linalg.matrix_power(m, 3)
linalg.matrix_rank          np.linalg.matrix_rank(m)
linalg.matrix_transpose     np.linalg.matrix_transpose(t) + 1
linalg.multi_dot            np.linalg.multi_dot([m, m, m[:, :4]])
linalg.norm                 np.linalg.norm(m, axis=1)
linalg.outer                np.linalg.outer(m[0], m[1])
linalg.pinv                 np.linalg.pinv(sq)
linalg.qr                   np.linalg.qr(m, 'r')
linalg.slogdet              np.linalg.slogdet(sq)
linalg.solve                np.linalg.solve(sq, m)
linalg.svd                  np.linalg.svd(m)[1]
linalg.svdvals              np.linalg.svdvals(m)
linalg.tensordot            np.linalg.tensordot(t, t, axes=([0, 1], [0, 1]))
linalg.tensorinv            np.linalg.tensorinv(sq.reshape(q, q, k))
linalg.tensorsolve          np.linalg.tensorsolve(sq.reshape(q, q, k), m[:q, :q])
linalg.trace                np.linalg.trace(t)
linalg.vecdot               np.linalg.vecdot(m, m)
linalg.vector_norm          np.linalg.vector_norm(m, axis=1)
linspace                    np.linspace(0, 1, n)
load                        f = io.BytesIO(); np.save(f, m); f.seek(0); r = np.load(f)
loadtxt                     np.loadtxt(io.StringIO(text))
logspace                    np.logspace(0, 2, n)
mask_indices                np.mask_indices(k, np.triu)
matmul                      m @ m
matrix_transpose            np.matrix_transpose(t) + 1
matvec                      np.matvec(m, m[0])
max                         np.max(m, axis=0)
may_share_memory            np.may_share_memory(m, m[::2])
mean                        np.mean(m, axis=0)
median                      np.median(m, axis=0)
meshgrid                    np.meshgrid(m[0], m[1])
min                         np.min(m, axis=0)
min_scalar_type             np.min_scalar_type(n)
mintypecode                 np.mintypecode(['d', 'f'])
moveaxis                    np.moveaxis(t, 0, -1) + 1
nan_to_num                  np.nan_to_num(nan)
nanargmax                   np.nanargmax(nan, axis=1)
nanargmin                   np.nanargmin(nan, axis=1)
nancumprod                  np.nancumprod(nan, axis=1)
nancumsum                   np.nancumsum(nan, axis=1)
nanmax                      np.nanmax(nan, axis=0)
nanmean                     np.nanmean(nan, axis=0)
nanmedian                   np.nanmedian(nan, axis=0)
nanmin                      np.nanmin(nan, axis=0)
nanpercentile               np.nanpercentile(nan, 30)
nanprod                     np.nanprod(nan, axis=0)
nanquantile                 np.nanquantile(nan, 0.3)
nanstd                      np.nanstd(nan, axis=0)
nansum                      np.nansum(nan, axis=0)
nanvar                      np.nanvar(nan, axis=0)
ndim                        np.ndim(m)
nonzero                     np.nonzero(b)
ones                        np.ones((k, k))
ones_like                   np.ones_like(m)
outer                       np.outer(m[0], m[1])
packbits                    np.packbits(b)
pad                         np.pad(m, 1)
partition                   np.partition(v, n // 2)[n // 2]
percentile                  np.percentile(m, 30, axis=0)
piecewise                   np.piecewise(v, [v < 0.5, v >= 0.5], [1, 2])
place                       r = m.copy(); np.place(r, b, few)
poly                        np.poly(few)
polyadd                     np.polyadd(v, few)
polyder                     np.polyder(v)
polydiv                     np.polydiv(v[:k], few[:4])[0].shape
polyfit                     np.polyfit(v, 2 * v, 1)
polyint                     np.polyint(v)
polymul                     np.polymul(v, few)
polysub                     np.polysub(v, few)
polyval                     np.polyval(few, v)
prod                        np.prod(m, axis=0)
promote_types               np.promote_types('f4', 'i8')
ptp                         np.ptp(m, axis=0)
put                         r = m.copy(); np.put(r, order, v)
put_along_axis              r = m.copy(); np.put_along_axis(r, rows[:, None], 9, axis=1)
putmask                     r = m.copy(); np.putmask(r, b, 0.5)
quantile                    np.quantile(m, 0.3, axis=0)
ravel                       np.ravel(m.T)
ravel_multi_index           np.ravel_multi_index((ints, ints), (60, 60))
real                        np.real(c) + 1
real_if_close               np.real_if_close(m + 0j)
repeat                      np.repeat(m, 2, axis=1)
require                     np.require(m, 'f4', ['F'])
reshape                     np.reshape(m, (2, -1)) + 1
resize                      np.resize(m, (3, k))
result_type                 np.result_type(m, 1.5)
roll                        np.roll(m, 3)
rollaxis                    np.rollaxis(t, 2) + 1
roots                       np.roots(few)
rot90                       np.rot90(m) + 1
round                       np.round(m, 2)
row_stack                   np.row_stack([m, m])
save                        f = io.BytesIO(); np.save(f, m); r = f.tell()
savetxt                     f = io.StringIO(); np.savetxt(f, m); r = f.tell()
savez                       f = io.BytesIO(); np.savez(f, m=m); r = f.tell()
savez_compressed            f = io.BytesIO(); np.savez_compressed(f, m=m); r = f.tell()
searchsorted                np.searchsorted(few, v)
select                      np.select([b, m > 0.3], [m, v[0]])
setdiff1d                   np.setdiff1d(order, ints)
setxor1d                    np.setxor1d(order, ints)
shape                       np.shape(m)
shares_memory               np.shares_memory(m, m[::2])
sinc                        np.sinc(m)
size                        np.size(m)
sliding_window_view         np.lib.stride_tricks.sliding_window_view(v, 4) + 1
sort                        np.sort(m)
sort_complex                np.sort_complex(c)
split                       np.split(m, 2)
squeeze                     np.squeeze(m[:, None]) + 1
stack                       np.stack([m, m])
std                         np.std(m, axis=0)
sum                         np.sum(m, axis=0)
swapaxes                    np.swapaxes(t, 0, 2) + 1
take                        np.take(m, rows, axis=1)
take_along_axis             np.take_along_axis(m, rows[:, None], axis=1)
tensordot                   np.tensordot(t, t, axes=([0, 1], [0, 1]))
tile                        np.tile(m, 2)
trace                       np.trace(m)
transpose                   np.transpose(m) + 1
trapezoid                   np.trapezoid(m)
tri                         np.tri(k)
tril                        np.tril(m)
tril_indices                np.tril_indices(k)
tril_indices_from           np.tril_indices_from(m)
trim_zeros                  np.trim_zeros(v)
triu                        np.triu(m)
triu_indices                np.triu_indices(k)
triu_indices_from           np.triu_indices_from(m)
union1d                     np.union1d(order, ints)
unique                      np.unique(ints)
unique_all                  np.unique_all(ints)
unique_counts               np.unique_counts(ints)
unique_inverse              np.unique_inverse(ints)
unique_values               np.sort(np.unique_values(ints))
unpackbits                  np.unpackbits(bytes_)
unravel_index               np.unravel_index(order, (k, k))
unstack                     np.unstack(m[:4])
unwrap                      np.unwrap(m * 10)
vander                      np.vander(v[:k], 4)
var                         np.var(m, axis=0)
vdot                        np.vdot(v, v)
vecdot                      np.vecdot(m, m)
vecmat                      np.vecmat(m[0], m)
vsplit                      np.vsplit(m, 2)
vstack                      np.vstack([m, m])
where                       np.where(b, m, 0.5)
zeros                       np.zeros((k, k))
zeros_like                  np.zeros_like(m)
""")

OWN_LINES = table("""
delay                       np.delay(abs, m, shape=m.shape, dtype=m.dtype)
fma                         np.fma(m, m, 0.5)
is_hermitian                np.is_hermitian(sym)
is_symmetric                np.is_symmetric(sym)
is_triangular               np.is_triangular(sq)
logsumexp                   np.logsumexp(m, 1)
nn.adaptive_avg_pool1d      np.nn.adaptive_avg_pool1d(x1, 2)
nn.adaptive_avg_pool2d      np.nn.adaptive_avg_pool2d(x2, 2)
nn.adaptive_avg_pool3d      np.nn.adaptive_avg_pool3d(x3, 2)
nn.avg_pool1d               np.nn.avg_pool1d(x1, 2)
nn.avg_pool2d               np.nn.avg_pool2d(x2, 2)
nn.avg_pool3d               np.nn.avg_pool3d(x3, 2)
nn.col2im                   np.nn.col2im(cols, S['x2'], (3, 3), padding=1)
nn.conv1d                   np.nn.conv1d(x1, w1, padding=1)
nn.conv2d                   np.nn.conv2d(x2, w2, padding=1)
nn.conv3d                   np.nn.conv3d(x3, w3, padding=1)
nn.conv_transpose1d         np.nn.conv_transpose1d(x1, w1, padding=1)
nn.conv_transpose2d         np.nn.conv_transpose2d(x2, w2, padding=1)
nn.conv_transpose3d         np.nn.conv_transpose3d(x3, w3, padding=1)
nn.im2col                   np.nn.im2col(x2, (3, 3), padding=1)
nn.max_pool1d               np.nn.max_pool1d(x1, 2)
nn.max_pool2d               np.nn.max_pool2d(x2, 2)
nn.max_pool3d               np.nn.max_pool3d(x3, 2)
nn.one_hot                  np.nn.one_hot(ints, 60)
nn.upsample                 np.nn.upsample(x2, 2)
nn.grad.adaptive_avg_pool1d np.nn.grad.adaptive_avg_pool1d(S['x1'], h1)
nn.grad.adaptive_avg_pool2d np.nn.grad.adaptive_avg_pool2d(S['x2'], h2)
nn.grad.adaptive_avg_pool3d np.nn.grad.adaptive_avg_pool3d(S['x3'], h3)
nn.grad.avg_pool1d          np.nn.grad.avg_pool1d(S['x1'], h1, 2)
nn.grad.avg_pool2d          np.nn.grad.avg_pool2d(S['x2'], h2, 2)
nn.grad.avg_pool3d          np.nn.grad.avg_pool3d(S['x3'], h3, 2)
nn.grad.conv1d_input        np.nn.grad.conv1d_input(S['x1'], w1, g1, padding=1)
nn.grad.conv1d_weight       np.nn.grad.conv1d_weight(x1, S['w1'], g1, padding=1)
nn.grad.conv2d_input        np.nn.grad.conv2d_input(S['x2'], w2, g2, padding=1)
nn.grad.conv2d_weight       np.nn.grad.conv2d_weight(x2, S['w2'], g2, padding=1)
nn.grad.conv3d_input        np.nn.grad.conv3d_input(S['x3'], w3, g3, padding=1)
nn.grad.conv3d_weight       np.nn.grad.conv3d_weight(x3, S['w3'], g3, padding=1)
nn.grad.max_pool1d          np.nn.grad.max_pool1d(x1, h1, 2)
nn.grad.max_pool2d          np.nn.grad.max_pool2d(x2, h2, 2)
nn.grad.max_pool3d          np.nn.grad.max_pool3d(x3, h3, 2)
nn.grad.upsample            np.nn.grad.upsample(S['h2'], g2, 2)
""")

# Elementwise ufuncs, each under its own name.
UFUNCS = {ufunc.__name__: ufunc for ufunc in vars(np).values()
          if isinstance(ufunc, np.ufunc) and ufunc.signature is None}
LINES |= {name: f"np.{name}({', '.join('abc'[: ufunc.nin])})" for name, ufunc in UFUNCS.items()}


def arguments(name, n):
    """Return the variables of an operation's line, by name."""
    if name in UFUNCS:
        return ufunc_operands(UFUNCS[name], n)
    return operands(n) | images(n) if name in OWN_LINES else operands(n)
