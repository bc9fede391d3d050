"""Example lines whose derivatives are checked, and the operations and lines that have none.

`MORE` has additional lines by operation. `WITHOUT` has the operations that reject differentiation, `OF_NO_FLOATS` those
that map no floats to floats. Lines of other operations must be right; the exceptions are in `EXCEPT`.
"""

from support.example_lines import basic, counting, products_and_methods, reductions
from support.example_lines.table import table

MORE = table("""
matmul
    m @ m.T
    np.matmul({t|sq|v[:4]}, sq)
    np.matmul(sq, {sq|v[:4]})
    np.matmul(t, {t.mT|v[:4]})
    np.matmul(c, c.T)
    np.matmul(c, sq)
    np.matmul(t, t, axes=[(1, 2), (2, 1), (0, 1)])
vecdot
    np.vecdot({m|c}, {m|c|v[:4]})
    np.vecdot(m, m, axis=0)
    np.vecdot(t, t, axis=1, keepdims=True)
    np.vecdot(t, t, axes=[0, 0, ()])
matvec
    np.matvec({t|m}, {v[:4]|m[0]|c[0]})
vecmat
    np.vecmat({v[:3]|c[:, 0]}, {t|c})
dot
    np.dot(t, {sq|t.mT|v[:4]})
    np.dot(v[:3], {t|m})
    np.dot(c, c.T)
inner
    np.inner({t|v[:4]}, {t|sq|v[:4]})
    np.inner(c, c)
vdot
    np.vdot(c, {c|m})
tensordot
    np.tensordot(t, {sq, 1|t, ([0, 1], [0, 1])|sq, ([2], [1])})
einsum
    np.einsum('ij,jk,k->i', m, sq, sq[0])
    np.einsum('ij,ij,ij->', m, m, {m|c})
    np.einsum('ijk,kl,lk,i->jl', t, sq, sq, v[:2])
    np.einsum('{ii->|ii->i|ij->i|ij->|ij->ji|...j->...}', sq)
    np.einsum('{ii,ij->j|ij,ii->ji|ij,jj->i|ii,jj->|ij,kl->}', sq, sq)
    np.einsum('...j,jk', t, sq)
    np.einsum('i...,i...->...', t, t)
    np.einsum('...ij,...jk->...ik', t, sq)
    np.einsum('ij,jk', ones[0], ones[:, :, 0])
    np.einsum('{ij,ij->|ij,ij->j}', m, m[:1])
    np.einsum('iji->j', np.multiply.outer(sq, sq[0]))
    np.einsum(t, [0, 1, 2], sq, [2, 3], [0, 1, 3])
    np.einsum(t, [..., 2], sq, [2, 3])
    np.einsum('ij,jk,kl->il', c, c.T, c, optimize=True)
    np.einsum('bij,bjk->bik', np.tile(t, (4, 9, 8)), np.tile(t.mT, (4, 8, 9)))
convolve
    np.convolve({v|v[:4]|c[0]}, {v[:2]|v[:3]|c[1]}, '{full|same|valid}')
    np.convolve(v[:2], v[1:5], '{full|same|valid}')
correlate
    np.correlate({v|v[:4]|c[0]}, {v[:2]|v[:3]|c[1]}, '{full|same|valid}')
    np.correlate(v[:2], v[1:{5|6}], '{full|same|valid}')
linalg.solve
    np.linalg.solve(sq, {v[:4]|sq})
    np.linalg.solve(c[:, :3], c)
    np.linalg.solve(np.stack([sq, sq.T]), sq[:, :2])
linalg.inv
    np.linalg.inv({sq|c[:, :3]})
    np.linalg.inv(t[:, :, 1:])
linalg.det
    np.linalg.det({sq|c[:, :3]})
    np.linalg.det(t[:, :, 1:])
linalg.slogdet
    np.linalg.slogdet({sq|c[:, :3]})
linalg.cholesky
    np.linalg.cholesky(sq @ sq.T{|, upper=True})
    np.linalg.cholesky(c @ c.T.conj() + 3 * np.eye(3){|, upper=True})
    np.linalg.cholesky(t @ t.mT)
linalg.qr
    np.linalg.qr({m|m.T|sq|t|t.mT|c[:, :3]}{|, 'r'})
    np.linalg.qr({m|sq}, 'complete')
linalg.svd
    np.linalg.svd({m|m.T|sq|t|c}, compute_uv=False)
    np.linalg.svd({sq|m|m.T|t}, full_matrices=False)
    np.linalg.svd(sq)
    np.abs(np.linalg.svd({c|c.T}, full_matrices=False)[{0|2}])
    r = np.linalg.svd(c, full_matrices=False); r = r[0] @ r[2]
    np.linalg.svd(sq + 9 * np.eye(4), hermitian=True)
linalg.svdvals
    np.linalg.svdvals({m|t|c})
linalg.pinv
    np.linalg.pinv({m|m.T|sq|t|c|c.T})
    np.linalg.pinv(sq @ sq.T, hermitian=True)
linalg.cond
    np.linalg.cond(sq{|, 2|, -2|, 1|, -1|, np.inf|, -np.inf|, 'fro'})
    np.linalg.cond(m)
linalg.eigh
    np.linalg.eigh(sq @ sq.T, '{L|U}')
    np.linalg.eigh(sq{|, 'U'})[0]
    np.linalg.eigh(c @ c.conj().T)[0]
    np.abs(np.linalg.eigh(c @ c.conj().T)[1])
linalg.eigvalsh
    np.linalg.eigvalsh({sq|t[:, :, 1:]}, '{L|U}')
linalg.eig
    @np.linalg.eig(sq @ sq.T)
    @np.abs(np.linalg.eig(sq + np.triu(sq) * 3)[1])
    @np.linalg.eig(sq)[0]
    np.abs(np.linalg.eig(c[:, :3])[1])
linalg.eigvals
    @np.linalg.eigvals({sq|sq @ sq.T})
    np.linalg.eigvals(c[:, :3])
linalg.lstsq
    np.linalg.lstsq(m, {v[:3]|sq[:3]})
    @np.linalg.lstsq(m.T, {v[:4]|sq})
linalg.matrix_power
    np.linalg.matrix_power(sq, {0|1|2|3|-2|5})
linalg.norm
    np.linalg.norm({sq|c}, {None|'fro'|'nuc'|2|-2|1|-1|np.inf|-np.inf})
    np.linalg.norm({v|c[0]}, {None|2|1|3|2.5|np.inf|-np.inf})
    np.linalg.norm(t, axis={1|(0, 2)})
linalg.multi_dot
    np.linalg.multi_dot([v[:3], m, sq, sq[0]])
linalg.tensorinv
    np.linalg.tensorinv(sq.reshape(2, 2, 4), 2)
linalg.tensorsolve
    np.linalg.tensorsolve(sq.reshape(2, 2, 2, 2), v[:4].reshape(2, 2))
fft.fft
    np.fft.{fft|ifft|rfft|irfft|hfft|ihfft}(m, {None|1|3|4|5|8})
    np.fft.{fft|ifft|irfft|hfft}(c, {None|3|4|7}, {0|1}, '{ortho|forward|backward}')
    np.fft.{rfft|ihfft}(m, {None|3|5}, 0, '{ortho|forward}')
fft.fftn
    np.fft.{fftn|ifftn|irfftn}(c, {None|(2, 5)|(4, 4)}, axes=(0, 1), norm='{ortho|forward}')
    np.fft.{fftn|ifftn|rfftn|irfftn}(t, axes={(0, 1)|(1, 0)|(2,)})
    np.fft.{fft2|ifft2|rfft2|irfft2}(t, (3, 5))
    np.fft.rfftn(t, (2, 4), axes=(0, 2), norm='ortho')
    np.fft.{rfft2|irfft2}(t, {None|(2, 3)}, axes=(1, 0))
interp
    np.interp(m, [0, .5, 1], {[1., 2, -1]|v[:3]})
    np.interp(m, np.sort(v), v)
    np.interp(m * 3 - 1, [0, .5, 1], v[:3], left=5, right={7|None})
    np.interp(m * 9, [0.3, 1, 2], v[:3], period=3)
    np.interp(m, [0, .5, 1], c[0, :3])
    np.interp(m, [0.5], v[:1])
i0
    np.i0({m|v - .5})
sort
    np.sort({m|c|t}, {0|-1|None})
    r = m.copy(); r.sort(0)
partition
    np.partition({m|v|t}, 1)
    np.partition(m, {1|(0, 2)}, {0|None})
sort_complex
    np.sort_complex({c|v})
take
    np.take(m, {0|[0, 5, 5]|[[1, 2], [1, 1]]})
    np.take(m, [0, 5, -7], mode='{wrap|clip}')
    np.take(m, {1|[1, 1]}, {0|1})
choose
    np.choose([[0, 1, 0, 1]], {[m, v[:4]]|[v[:4], 2]|m[:2]})
    np.choose([5, -3, 1, 0], [v[:4], m[0], m[1]], mode='{wrap|clip}')
compress
    np.compress([True, False, True], m, 0)
extract
    @np.extract(m > .5, m)
select
    np.select([m > .7, m > .3], [m * m, np.sin(m)], {0|m})
piecewise
    @np.piecewise(m, [m > .5, m > .2], [lambda x: x * x, lambda x: np.sin(x), {0|lambda x: x}])
put
    r = m.copy(); np.put(r, [0, 5, 5], {v[:3]|v[:2]|v[0]})
    r = m.copy(); np.put(r, [0, 17, 5], v[:3], mode='{wrap|clip}')
    r = m.T.copy().T; np.put(r, [0, 5, 5], v[:3])
put_along_axis
    r = m.copy(); np.put_along_axis(r, np.array([[1, 1], [0, 2], [3, 0]]), {v[:2]|m[:, :2]|v[0]}, 1)
    r = m.copy(); np.put_along_axis(r, np.array([[1, 0, 2, 2]]), v[:4], 0)
place
    r = m.copy(); np.place(r, b, {v|v[:2]})
putmask
    r = m.copy(); np.putmask(r, b, {v|m * m|v[0] * 2})
fill_diagonal
    r = {m|sq}.copy(); np.fill_diagonal(r, {v[0]|v[:3]|2.0})
    r = m.T.copy(); np.fill_diagonal(r, v[:2], wrap=True)
copyto
    r = m.copy(); np.copyto(r, {v[:4]|v[0]|m * m}, where={b|b[0]})
cumprod
    np.cumprod({m|c|t}, {0|1|-1})
    np.cumprod({m|v|c})
cumulative_prod
    np.cumulative_prod(m, axis=1, include_initial=True)
cumsum
    np.cumsum({m|c|t}, {0|1|-1|None})
repeat
    np.repeat(m, {[1, 0, 3]|[2]|2}, 0)
    np.repeat(m, 2)
pad
    np.pad(m, ((1, 2), (0, 3)), '{constant|edge|linear_ramp|maximum|mean|median|minimum|reflect|symmetric|wrap}')[1:-2]
    np.pad(m, 2, '{maximum|mean|median|minimum}', stat_length=2)
    np.pad(m, 1, '{reflect|symmetric}', reflect_type='odd')
    np.pad(v, 2, 'linear_ramp', end_values=(1, {3|v[0]}))
quantile
    np.quantile(m, {.3|[.2, .7]|0|1}, {None|0|(0, 1)})
    np.quantile(m, {.31|[.2, .7]}, 1, keepdims=True)
    np.quantile(m, .37, method='{linear|lower|higher|nearest|midpoint|weibull|hazen|median_unbiased|normal_unbiased}')
    np.quantile(m, v[:2])
percentile
    np.percentile(m, {37|[22, 71]}, 0)
nanquantile
    np.nanquantile({m|nan}, {.3|[.2, .7]}, {None|1})
nanpercentile
    np.nanpercentile({m|nan}, 37, {None|1})
median
    np.median({m|v|t}, {None|0|-1})
nanmedian
    np.nanmedian({m|nan}, {None|0|-1})
linspace
    np.linspace({m|m[0, 0]}, {2.0|v[:4]}, 5)
    np.linspace(m, 3 * m, 4, endpoint=False, axis=1)
logspace
    np.logspace(m, v[:4], 3, base={10.0|2})
geomspace
    np.geomspace(m, 1 + v[:4], 4)
bincount
    @np.bincount([0, 2, 2, 1], v[:4], minlength=6)
trim_zeros
    @np.trim_zeros(np.where(v > .5, v, 0))
roots
    @np.abs(np.roots(v[:4]))
poly
    @np.poly({v[:3]|sq|c[0]})
polyint
    np.polyint(v[:4]{|, 2|, 1, [v[0]]|, 2, 3.0})
polyfit
    np.polyfit(v, v * v, {1|2})
    np.polyfit(v, np.sin(3 * v), 2, w=v)
    np.polyfit(v, np.stack([v * v, np.exp(v)], 1), 2)
    @np.polyfit(v, np.sin(3 * v), 2, cov=True)[0]
polymul
    @np.polymul(v[:3], {v[2:]|[0, 0]|[]})
polydiv
    @np.polydiv(v, [1, 2])
    @np.polydiv(v, v[:3])
polyval
    np.polyval(v[:4], m)
apply_along_axis
    @np.apply_along_axis(lambda x: x * x[0], {0|1}, m)
real_if_close
    @np.real_if_close(m + 0j)
asarray
    np.asarray(m) * 2
    np.asarray((v[0], v[1] * 2))
asanyarray
    np.asanyarray([m, m * m])
asfortranarray
    np.asfortranarray(m)
require
    np.require(m, requirements='F')
intersect1d
    @np.intersect1d(m, m[0])
setdiff1d
    @np.setdiff1d(m, v)
setxor1d
    @np.setxor1d(m, v)
union1d
    @np.union1d(m, v)
unique
    @np.unique(m)
unique_all
    @np.unique_all(m)
unique_counts
    @np.unique_counts(m)
unique_inverse
    @np.unique_inverse(m)
unique_values
    @np.unique_values(m)
array
    np.array([m[0, 0], m[1, 1] * 2, 3.0])
    np.array([[m[0], m[1] * m[2]], [m[2], v[:4]]])
full
    np.full((2, 3), v[0] * v[1])
gradient
    np.gradient(m{|, 2.0|, v[:3], v[:4], edge_order=2})
unwrap
    np.unwrap(9 * v)
unstack
    np.unstack(m * m)[1]
trapezoid
    np.trapezoid(m, {v[:4]|dx=.5})
logaddexp.reduce
    np.logaddexp.reduce(m, {0|1|None})
accumulations
    np.{maximum|minimum|fmax|fmin}.accumulate({m|t}, {0|1})
    np.{add|multiply}.accumulate({m|c}, 1)
    np.{add|multiply|maximum|minimum|fmax|fmin|logaddexp}.reduce(m, 1)
    np.{add|multiply|subtract|divide}.reduceat({m|c}, [0, 2, 1], {0|1})
    np.{maximum|minimum|fmax|fmin|hypot|logaddexp|logaddexp2|float_power|copysign}.reduceat(m, [0, 2, 1, 0], {0|1})
    np.multiply.reduceat(v, [0, 1, 0, 4, 2])
    np.multiply.reduceat(np.where(b, m, 0), [0, 1], 1)
    np.maximum.reduceat(m, [1, 3], -1, dtype='{f8|G}')
    np.{subtract|divide}.{reduce|accumulate}({m|c}, {0|1})
    np.{float_power|remainder|fmod|copysign|hypot|logaddexp2}.{reduce|accumulate}(m + .1, {0|1})
    np.{power|arctan2}.accumulate(m + .1, {0|1})
    np.logaddexp.accumulate(m, {0|1})
    np.{subtract|divide|float_power}.reduce(v)
    np.{subtract|divide}.reduce(t, 1, keepdims=True)
    np.{subtract|divide|float_power}.{reduce|accumulate}(v[:1])
    np.{multiply|add|subtract|maximum}.outer(v[:3], m)
    np.sum(m, initial=v[0])
    np.max(m, axis=0, initial={.9|v[0]})
    np.prod(m, where=b, axis=1)
ufuncs in place
    r = m.copy(); np.{add|subtract}.at(r, [0, 2, 0], {v[:4]|v[0]})
    r = m.copy(); np.{add|subtract}.at(r, ([0, 2, 0], [1, 1, 1]), v[:3])
    r = m.copy(); np.add.at(r, b, v[0])
    r = m.copy(); np.{multiply|divide|power|maximum|hypot}.at(r, [0, 2, 0], {v[:4]|v[0]})
    r = m.copy(); np.{arctan2|logaddexp|fmin|remainder}.at(r, [0, 2, 0], {v[:4]|v[0]})
    r = m.copy(); np.{multiply|divide|power|minimum}.at(r, ([0, 2, 0], [1, 1, 1]), v[:3])
    r = m.copy(); np.{multiply|divide|float_power}.at(r, {b|b[:, 0]}, v[0])
    r = m.copy(); np.{negative|square|sqrt|exp}.at(r, {[0, 2, 0]|[1]|b})
    r = t.copy(); np.{multiply|power}.at(r, (slice(None), [0, 0, 1]), {m[:, :]|v[0]})
    r = m * 2; np.multiply.at(r[1:], [0, 0], v[:4]); r = r * m
    r = m.copy(); np.multiply.at(r, [0, 0], 2.0); r = r * m
    r = c.copy(); np.{multiply|divide}.at(r, [0, 0, 1], {c[1]|c[0, 0]})
    r = m * 2; np.add.at(r[1:], [0, 0], v[:4])
    r = m.copy(); np.multiply(m, v[:4], out=r, where=b); r = r * m
    r = m.copy(); np.add(r[0], m[1], out=r[2])
assignments
    r = m.copy(); r[{[0, 2]|[0, 0]|[-1, 1]}] = {v[:4]|v[0]|m[1:]|m[1:] * m[:2]}
    r = m.copy(); r[[0, 0, 1], [1, 1, 2]] = {v[:3]|v[0]}
    r = m.copy(); r[[0, 1, 0], 1:3] {=|+=|*=} v[:2]
    r = m.copy(); r[1:, [0, 0, 3]] = v[:3]
    r = m.copy(); r[..., [0, 3]] = v[:3, None]
    r = m.copy(); r[[0, 2, 0]] += v[:4]
    r = m.copy(); r[b] = {v[0]|m[b] * m[b]|(m * m)[b]}
    r = m.copy(); r[b] *= v[0]
    r = m.copy(); r[:, b[0]] = v[0]
    r = m.copy(); r[b[:, 0]] = {v[:4]|v[0]}
    r = t.copy(); r[:, b] = v[0]
    r = t.copy(); r[1, [0, 2], ::2] = v[:2]
    r = t.copy(); r[:, [0, 1], [2, 3]] = v[:2]
    r = t.copy(); r[1][[0, 2]] = v[:4]; r = r * t
    r = t.copy(); r[1, 1:].T[[0, 1]] = v[:2]; r = r * r
    r = np.zeros(3); r[:] = [v[0], v[1] * v[2], 1.0]
    r = np.zeros((2, 2)); r[[0, 1]] = [[v[0], v[1]], [v[2], 3.0]]
    r = np.zeros(3); r.fill(v[0] * v[1])
    r = m.copy(); r.flat = {v|v[:2]}
    r = m.copy(); r.flat[[0, 5, 5]] = v[:3]
    r = m.copy(); r.flat[1:3] = v[:2]; r = r * m
    r = c.copy(); r.real = m; r.imag[0] *= v[:4]
    r = c.copy(); r[[0, 0]] = {m[:2]|c[1:]}
    r = m.copy(); r[0, 1] = r[1, 1] * r[0, 1]
elements
    sum(x * x for x in v)
    [x * y for x, y in zip(v, v[1:])]
    [row * v[:4] for row in m]
    max(v)
    [x * x for x in m.flat]
    m.flat[[0, 3, 3]] * v[:3]
    m[{1|[1, 1]|1, [0, 0, 2]|[[0], [2]], [1, 1]|..., [3, 3]|None, [1, 1]}] * 2
    m[{b|b[:, 0]|:, b[0]|[0, 2, 1], b[0][[1, 1, 2, 3]]}]
    t[{:, b|[1, 1, 0], ..., [0, 0, 1]|1, :, [0, 3]|[0, 1], 1:, None}]
    m[b] * m[b]
    np.ones(2) * [v[0], v[1]]
nothing there
    np.{sum|prod|cumsum|sort|ravel|sin|negative|flip|unwrap}(empty)
    empty @ empty.T
    np.concatenate([empty, m[:, :3]])
    np.einsum('ij,ij->j', empty, empty)
    empty[[]] * 2
    r = empty.copy(); r[:, 0] = v[0]
    np.pad(empty, 1)
""")

# Operations that reject differentiation.
WITHOUT = frozenset("""
    arange histogram histogram2d histogram_bin_edges histogramdd intersect1d setdiff1d setxor1d union1d unique
    unique_all unique_counts unique_inverse unique_values
""".split())

# Operations that map no floats to floats, or whose results do not depend on them.
OF_NO_FLOATS = frozenset("""
    all allclose any argmax argmin argpartition argsort argwhere array2string array_equal array_equiv array_repr
    array_str bartlett base_repr binary_repr blackman bmat busday_count busday_offset can_cast common_type
    count_nonzero datetime_as_string datetime_data diag_indices diag_indices_from digitize einsum_path empty empty_like
    eye fft.fftfreq fft.rfftfreq flatnonzero format_float_positional format_float_scientific from_dlpack frombuffer
    fromfile fromfunction fromiter fromregex fromstring genfromtxt hamming hanning identity indices info is_busday
    isclose iscomplex iscomplexobj isfortran isin isneginf isposinf isreal isrealobj isscalar iterable kaiser lexsort
    linalg.matrix_rank load loadtxt mask_indices may_share_memory min_scalar_type mintypecode nanargmax nanargmin ndim
    nonzero packbits promote_types ravel_multi_index result_type row_stack save savetxt savez savez_compressed
    searchsorted shape shares_memory size tri tril_indices tril_indices_from triu_indices triu_indices_from unpackbits
    unravel_index
""".split())

# Lines that are wrong or rejected, although their operation has a derivative elsewhere; by reason.
EXCEPT = table("""
at a step, or the derivative is infinite
    np.round(zero_d, 0)
    m.round(30)
    np.{std|nanstd}(zero_d)
    np.nanstd(zero_d, axis=0)
    np.{std|nanstd}(t, axis=(), keepdims={True|False})
    np.{std|nanstd}(m, axis=0, where=b)
not precise enough for differences
    c.astype('c8')
    np.concatenate([m, m], dtype='c8')
    np.einsum('ij,jk', m, m.T.astype('f4'))
no function of its argument: signs and phases of eigenvectors are arbitrary
    np.linalg.{eig|eigh}(c[:, :3])
small singular values taken for zero
    np.linalg.lstsq(m, v[:3], rcond=.5)
    np.linalg.pinv(m, {.5|rtol=.5})
    @np.linalg.pinv(t, np.array([.1, .9]))
vectors that the argument does not determine, or in LAPACK's own form
    np.linalg.svd({m|t|c})
    np.linalg.qr({m|m.T|t}, 'raw')
    np.linalg.qr(m.T, 'complete')
no number of the machine
    @m.astype('>f8')
    r = m.astype('>f8'); r.byteswap(True)
    m.byteswap()
    r = m.copy(); s = r.byteswap(inplace=True); r = r, s is r
unusual calls, which run at once
    @np.repeat(v, 2.5)
    @np.take(m, [0.5])
    @np.piecewise(v, {v < .5|True}, [3, 4])
    @r = np.zeros((3, 4), complex); np.fft.{fft|ifft|hfft}(m, out=r)
    @np.fft.{|i|r|ir}fft{2|n}(m, {axes=(0, 0)|s=(2, 3), axes=None|s=(None, 3), axes=(0, 1)})
weighted
    np.quantile(m, [.2, .7], axis={1|None}, weights={m|i * i}, method='inverted_cdf')
    np.quantile(m, .5, axis=0, weights=v[:3], method='inverted_cdf')
""")

TABLES = (basic.ELEMENTWISE, basic.LAYOUT, basic.INDEXING, basic.SORTING, basic.CREATION, counting.EXACT,
          counting.NEAR, products_and_methods.IMMEDIATE, products_and_methods.IMMEDIATE_NEAR,
          products_and_methods.CONTRACTION, products_and_methods.STATISTICS, products_and_methods.METHODS,
          reductions.REDUCTIONS, MORE)


def all_lines():
    """Return {operation: lines} of all tables."""
    found: dict[str, list[str]] = {}
    for listed in TABLES:
        for name, own in listed.items():
            found.setdefault(name, []).extend(own)
    return found
