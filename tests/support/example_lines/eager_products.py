"""Example lines for the native forms of products and linear algebra: see :mod:`.eager`."""

from support.example_lines.table import table

LINES = table("""
dot
    np.dot({x|s}, {x|s|2|x.T|[1]|s[0]|x[..., 0]})
    np.dot(s, s[0])
    np.dot(s[0], {s|s[0]|s[0].astype('f4')|s[:, 1]|s[0, ::-1]})
    np.dot(s, s, np.zeros((4, 4), s.dtype))
    np.dot(a=s, b=s)
    np.dot(s[0], s[0, :3])
    np.dot(s[:, :3], s)
    np.dot({s.T|s[:1]|s[:1, :1]|s[::2]}, {s|s.T|s[:, :1]|s[:1, :1]|s[0]})
    np.dot({x|x.T}, x.T[{:|:1|:, :1}])
    np.dot({s[:1, :1]|s[0, :1]} * {0|1|-1}, {s[:1, 1:2]|s[1, :1]|s[2:3, 1]})
ndarray.dot
    s.dot({s|s[0]|2|s.T|[1, 2, 3, 4]|s[:3]})
    s[0].dot({s|s[0]|s[1, ::-1]})
    s.dot(b=s)
    s.dot()
linalg.inv
    np.linalg.inv({s|s.T|s[::-1]|s * 0|s[:3]|x|s[:0, :0]|[[2.0]]|s[:1, :1]|s[None]})
    np.linalg.inv(np.stack([s, s.T]))
    np.linalg.inv(np.stack([s, s])[{::-1|:, 1:3, 1:3|:1|:0}])
    np.linalg.inv(a=s)
    np.linalg.inv(s, s)
linalg.det
    np.linalg.det({s|s.T|s[::-1]|s * 0|s[:3]|x|s[:0, :0]|[[2.0]]|s[:1, :1]|s[None]})
    np.linalg.det(np.stack([s, s.T])[{:|::-1|:, None}])
    np.linalg.det(a=s)
linalg.cholesky
    np.linalg.cholesky({s @ s.T|s|-s|s[:3]|x|s[:0, :0]|[[2.0]]|s[:1, :1]|s[None]|s * 0})
    np.linalg.cholesky(s @ s.T, upper={True|False|1})
    np.linalg.cholesky(s, True)
linalg.solve
    np.linalg.solve({s|s.T|s * 0|s[:3]|x}, {s[0]|s|s[0, ::-1]|s[0].astype('f4')|s[:, 1]|2.0|s[0, :2]})
    np.linalg.solve(s, [1, 2, 3, 4])
    np.linalg.solve(a=s, b=s[0])
    np.linalg.solve(s, {s.T|s[:, :2]|s[:, ::-2]|s[:, :0]|s[:3]|s + 0j|s.astype('i8')|x})
    np.linalg.solve(np.stack([s, s.T])[:, None], {s|np.stack([s, s])[:, None]})
    np.linalg.solve(np.stack([s, s.T]), {s|s[0]|s[None]|np.stack([s, s])|np.stack([s, s, s])|np.stack([s, s])[:, :3]})
    np.linalg.solve(s, np.stack([s, s.T])[:, :, {:|:1}])
linalg.matmul
    np.linalg.matmul({x|s|s[0]|s.T|s[:1]}, {x|s|s[0]|s.T|s[:, :1]|s[0, 0]})
    {x|x.T} @ {x|x.T|x[..., 0]|x[:1].T}
    {s|s[:1]|s[0]|s[:1, :1]|s[:, :1]} @ {s|s[:, :2]|s[:, :1]|s[:, ::-1]|s[:1]|s[:1, :1]|s[0]}
    np.stack([s, s.T]) @ {s|s[0]|np.stack([s.T, s])|np.stack([s, s])[:1]|np.stack([s, s, s])|np.stack([s, s])[::-1]}
    {s|s[0]|s[:1]} @ np.stack([s, s.T])[{:|:1|::-1}]
    np.stack([s, s.T])[:, None] @ s
inner
    np.inner({x|s|2}, {x|s|2|x.T|[1]|s[0]|x[..., 0]})
    np.inner({s|s[0]|s.T|s[:1]}, {s|s[0]|s.T|s[:1, ::-1]|s[:, :3]|s.astype('f4')})
vdot
    np.vdot({x|s|2|x[::-1]}, {x|s|2|x.T|[1]|x.ravel()})
tensordot
    np.tensordot({x|s}, {x|s|2|x.T|s[0]}, {1|2|0|-1|5|'a'|1.0|True})
    np.tensordot(s, {s|s.T|s[:3]|s[:, :3]|s.astype('f4')|[1, 2, 3, 4]}{|, 1|, axes=1})
    np.tensordot(s, {s|s.T|s[:3]}, {([1], [0])|(0, 0)|((0,), (1,))|(-1, [-2])|[0, 1]})
    np.tensordot(s, {s|s.T}, {(2, 0)|([0, 1], [1, 0])|([0], [0, 1])})
    np.tensordot(np.stack([s, s]), {s|s[0]|np.stack([s, s])}, {1|2|3})
    np.tensordot(s[:1, :1], s[:1, :{1|2}], 1)
    np.tensordot(s, s, axis=1)
outer
    np.outer({x|x.ravel()|x.ravel()[::-1]}, {x|x.ravel()|[1, 2]|2})
    np.outer(x)
linalg.outer
    np.linalg.outer({x|x.ravel()|s}, {x|x.ravel()|[1, 2]|s[0]})
kron
    np.kron({x|s|s[0]|s.T|2}, {x|s|s[0]|s[:1]|s[:, ::2]|s.astype('f4')|[1, 2]})
    np.kron(s, b=s)
cross
    np.cross({x|x[..., :3]|s[:, :3]|s[0, :3]|s[:1, 1:]|[1, 2, 3]|s[:3].T}, {s[:, 1:]|s[0, 1:]|s[0, :2]|s[::2, 1:]})
    np.cross({x[..., :3]|s[0, :3]}, {x|x[..., :3]|x.T})
    np.cross(s[:3], s[1:], axis={0|1|-1})
    np.cross(s[:, :3], s[:, 1:].astype('f4'))
    np.cross(s[:, :3])
linalg.cross
    np.linalg.cross({x|s[:, :3]|s[0, :3]}, {x|s[:, 1:]|s[0, 1:]|s[0, :2]})
    np.linalg.cross(s[:3], s[1:], axis=0)
einsum
    np.einsum('{i|ij|i->i|ij->ji|ij->|ijk->kji|...|i->ii|ii|i.j}', x)
    np.einsum('{ij,j|ij,jk->ik|ij,ij->|ii,jj->ij|i j , jk|ij|ij,j,k|ij,ik->zz|i1,j}', s, {s|s[0]|s[:3]|2|[1, 2, 3, 4]})
    np.einsum('ii->i', s)
    np.einsum('ij,jk,kl,lm{|,m}', s, s, s, s)
    np.einsum('ij,jk', s, s{|, optimize=True|, dtype='c16'})
    np.einsum(s, [0, 1])
    np.einsum('ij')
    np.einsum()
""")

# Matrices on which LAPACK terminates quickly, unlike some with NaNs or infinities.
_TAME = "x[~(abs(x) < 99)] = 1; s[~(abs(s) < 99)] = 2; r ="
_OF_TAME = table("""
linalg.norm
    np.linalg.norm({x|x.ravel()|x[:0]|x.T|x.ravel()[::2]})
    np.linalg.norm({x|x.ravel()}, {1|2|None|np.inf|-np.inf|'fro'|'nuc'|-1|-2|0|3|1.0|'f'|'a'|[1]})
    np.linalg.norm(x, axis={0|1|-1|2|(0, 1)|(0,)|None|1.0|True})
    np.linalg.norm(x, {1|2|np.inf|-np.inf|None|0|'fro'}, {0|-1})
    np.linalg.norm(x, axis=0, keepdims={True|False})
    np.linalg.norm(x, order=1)
linalg.slogdet
    np.linalg.slogdet({s|s.T|s * 0|s[:3]|x|s[:0, :0]|[[2.0]]|s[:1, :1]|np.stack([s, s.T])})
    np.linalg.slogdet(a=s)
linalg.lstsq
    np.linalg.lstsq({s|s[:3]|s[:, :3]|s.T|s * 0}, {s[0]|s|s[:, 1]|s[:3]|s[0, :3]|2.0|s[:, :1]})
    np.linalg.lstsq(s[:, :2], s[0], {None|0.1|1e-3|-1|1})
    np.linalg.lstsq(s[:, :2], b=s, rcond=None)
    np.linalg.lstsq(s, s[0] + 0j)
    np.linalg.lstsq(s[:, :0], s[0])
    np.linalg.lstsq(s)
linalg.svd
    np.linalg.svd({x|s|s[:3]|s[:, :2]|s.T|s[::-1]|np.stack([s, s.T])|s[:0]|s[0]|[[1.0]]})
    np.linalg.svd(s[:3], {False|True|1|False, False|True, True|False, True, True})
    np.linalg.svd(s[:, :3], {full_matrices=False|compute_uv=False|True, compute_uv=True|hermitian=False|uv=1})
    np.linalg.svd(s, hermitian=True)
linalg.svdvals
    np.linalg.svdvals({x|s|s[:3]|np.stack([s, s.T])|[[1.0]]})
    np.linalg.svdvals(a=s)
linalg.eigh
    np.linalg.eigh({x|s|s.T|s[:3]|np.stack([s, s.T])|s[:0, :0]|[[1.0]]})
    np.linalg.eigh(s, {'L'|'U'|'u'|'X'|1})
    np.linalg.eigh(s, UPLO='U')
linalg.eigvalsh
    np.linalg.eigvalsh({x|s|s.T|s[:3]|np.stack([s, s.T])|s[:0, :0]|[[1.0]]})
    np.linalg.eigvalsh(s, {'L'|'U'|'u'|'X'|1})
linalg.eig
    np.linalg.eig({x|s|s.T|s + s.T|s[:3]|np.stack([s, s.T])|np.stack([s, s])[::-1]|s[:0, :0]|[[1.0]]})
    np.linalg.eig(s / 0)
    np.linalg.eig(a=s)
linalg.eigvals
    np.linalg.eigvals({x|s|s.T|s + s.T|s[:3]|np.stack([s, s.T])|s[:0, :0]|[[1.0]]})
    np.linalg.eigvals(s[:, ::-1] / 0)
linalg.qr
    np.linalg.qr({x|s|s.T|s[:3]|s[:, :3]|s[:, ::-2]|np.stack([s, s.T])[:, :, :3]|s[:0]|s[0]|[[1.0]]})
    np.linalg.qr({s[:3]|s[:, :3]}, {'reduced'|'complete'|'r'|'raw'|'economic'|'full'|'a'|1})
    np.linalg.qr(s[:, :3], mode='complete')
linalg.pinv
    np.linalg.pinv({x|s|s.T|s[:3]|s[:, :2]|s * 0|np.stack([s, s.T])|s[:1]|[[1.0]]})
    np.linalg.pinv(s, {0.1|rcond=0.1|rtol=0.1})
linalg.matrix_rank
    np.linalg.matrix_rank({x|s|s[:3]|s * 0|s[0]|s[0] * 0|np.stack([s, s.T])|2.0})
    np.linalg.matrix_rank(s, {0.1|tol=0.1|rtol=0.1|hermitian=True})
linalg.cond
    np.linalg.cond({x|s|s[:3]|s * 0|np.stack([s, s.T])|s[:0]|[[1.0]]})
    np.linalg.cond(s, {None|2|-2|1|'fro'|np.inf|2.0|p=2})
linalg.matrix_power
    np.linalg.matrix_power({s|s.T|s[:3]|x|np.stack([s, s.T])}, {0|1|2|3|4|7|-1|-2|1.5|True})
    np.linalg.matrix_power(s, n=2)
    np.linalg.matrix_power(s, 1) is s
linalg.multi_dot
    np.linalg.multi_dot([s, s])
    np.linalg.multi_dot([{s|s[:1]|s[:, :3]|s[0]}, {s|s[:, :1]|s[:3]}, {s|s[:, :2]|s[0]|s.astype('f4')}])
    np.linalg.multi_dot([s, s, s, s])
    np.linalg.multi_dot((s, s, s))
    np.linalg.multi_dot([s])
""")
LINES |= {name: [f"{_TAME} {line}" for line in lines] for name, lines in _OF_TAME.items()}
