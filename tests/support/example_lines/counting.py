"""Example lines: counting, packing, choosing, polynomials."""

from support.example_lines.table import table

EXACT = table("""
choose
    np.choose(i % 2, {[m, m * 2]|[m, 2.5]|[f32, 2.5]|[m[0], i]|[i8, 300]|t[:, :, :1]|[]|m})
    (i % 2).choose([m, m * 2])
    np.choose({0|idx|[0, 1, 1]|b|m}, [v[:3], [1, 2, 3], 4])
    np.choose(i, [m, m], mode='{wrap|clip|zz}')
    r = np.zeros((3, 4)); np.choose(i % 2, [m, -m], out=r)
    @r = np.zeros((3, 4), 'f4'); np.choose(i % 2, [m, -m], r)
    np.choose(i % 2, [m, v])
    np.choose(zero_d > 3, [1, 2])
compress
    np.compress([True, False, True], {m|F}, axis={0|None|9})
    m.compress([True, False])
    np.compress({[0, 1, 1, 1, 1]|[[True]]|True}, m, 0)
    @np.compress(b[0], m, axis=1)
    r = np.zeros((2, 4)); np.compress([1, 0, 1], m, 0, r)
delete
    np.delete(v, {1|-1|[0, 2]|[]|9|slice(1, 9, 2)|[True, False, True, True, True, True, True]|[0.5]})
    np.delete({m|F|t}, {1|[0, 0]|[-1]}, {0|1|None|9})
    @np.delete(v, idx)
insert
    np.insert(v, {1|[1]|9|-1}, 5)
    np.insert({m|F}, {1|[-1]}, 7.5, axis={0|1|None})
    @np.insert({m|F}, {[0, 2]|[]|slice(0, 3)}, 7.5, axis={0|1|None})
    np.insert(m, 1, v[:4], axis=0)
    np.insert(i, 1, 2.7, axis=1)
ix_
    np.ix_([0, 1], idx)
    np.ix_(idx, np.argmax(m, axis=1))
    @np.ix_(idx, b[0])
    np.ix_({m|v|[]})
    @m[np.ix_([0, 1], idx)]
piecewise
    np.piecewise({v|m[0]|i[0]}, [v[:4] < .5, v[:4] >= .5], [1, 2])
    np.piecewise({v|i|f32}, [v < .5], [1.5, -1])
    np.piecewise(m, [b], [1.5])
    np.piecewise(m, [b, ~b, b], [1, 2, 3, 4])
    np.piecewise(m, [b], [1, 2, 3])
    @np.piecewise(v, [v < .5, v >= .5], [lambda x: -x, lambda x: x])
    @np.piecewise(v, {v < .5|True}, [3, 4])
apply_over_axes
    np.apply_over_axes(np.{max|sum}, t, {[0, 2]|1|[5]})
digitize
    np.digitize({m|f32|zero_d|v[0]|i|.3|c}, [.2, .5])
    np.digitize(m, [.5, .2, .7])
    np.digitize(m, {[.5, .2]|v[:1]|[]|m}, right=True)
    np.digitize(m, np.sort(v))
histogram
    np.histogram({m|v|f32|i|u8|f16}, {5|1|0|-2|2.5|[0, .5, 1]|[.5, 0]|m})
    np.histogram(v, 3, {(0, 1)|(0.25, .75)|(1, 0)|(0, np.nan)|(1, 1)|[0, 1]|(0, 1, 2)})
    np.histogram(m, 3, weights={m|i|c|f32|v})
    np.histogram(m, 3, density=True)
    np.histogram(v, np.sort(v))
    np.histogram(v, 4, (v.min(), v.max() * .5))
    np.histogram(v, 4, (0, v.max()))
    @np.histogram({m, 'auto'|b, 3|empty, 3|[1, 2, 3]})
histogram_bin_edges
    np.histogram_bin_edges(m, {4|[0, 1, 2]})
    np.histogram_bin_edges(f32, 4, (0, 1))
    @np.histogram_bin_edges(m, 'sturges')
histogram2d
    np.histogram2d(v, v, {3|[2, 3]|[[0, .5, 1], 3]|[0, .5, 1]})
    np.histogram2d(v, v * v, 3, density=True)
    np.histogram2d(v, v, 3, weights={v|m[0]})
    np.histogram2d(v, v, 3, [[0, 1], [0, v.max()]])
    np.histogram2d(v, m[0])
histogramdd
    np.histogramdd({m|m[0]|f32|[v, v]}, 2)
    np.histogramdd(m, {[1, 2, 3, 2]|[2, 3]|[np.sort(v), 1, 2, [0, 1]]|0|2.5})
    np.histogramdd(m, 2, density=True)
    np.histogramdd(m, 2, [(0, 1), None, (0, .5), (0, m.max())])
    np.histogramdd(m, 2, weights={v[:3]|v})
    np.histogramdd([v, m[0]], 2)
    np.histogramdd(m, 2)[0].strides
lexsort
    np.lexsort({(v, v)|(i[0], m[0])|m|t|(m, i)|(v, m)|(v[0],)|[]|5})
    np.lexsort(m, axis={0|-1|3})
    np.lexsort((i, i), axis=0)
nanargmax
    np.nanargmax({nan|i|m|empty|c|f16})
    np.nanargmax(m, axis={0|-1|7}, keepdims={True|False})
    r = np.zeros(4, int); np.nanargmax(m, 0, out=r)
    @r = np.zeros(4, 'i4'); np.nanargmax(m, 0, out=r)
nanargmin
    np.nanargmin({nan|i|m|zero_d})
    np.nanargmin(m, axis=1)
packbits
    np.packbits({b|i8|i|m|zero_d|b.T|[1, 0, 1]})
    np.packbits({b|i8|t > .5}, axis={0|-1|7}, bitorder='{big|little|zz}')
unpackbits
    np.unpackbits({u8|i|zero_d|u8[:0]})
    np.unpackbits(u8.reshape(1, 5), axis={0|1|7}, count={3|-2|None|100|-99})
    np.unpackbits(u8, bitorder='{little|zz}')
ravel_multi_index
    np.ravel_multi_index(([0, 1], [1, 2]), (3, 4))
    np.ravel_multi_index((idx, np.argmax(m, axis=1)), {(3, 4)|(3,)|3|(3, 'a')}, order='{C|F|K}')
    np.ravel_multi_index((i, i[0]), (3, 4), mode={'clip'|('wrap', 'clip')|'zz'})
    np.ravel_multi_index(np.abs(i) % 3, (3, 3, 3))
    np.ravel_multi_index((v, v), (3, 4))
    np.ravel_multi_index(([0, 3], {[1, 7]|idx[1:] * 0}), (3, 4))
    np.ravel_multi_index((idx, v[:2] > 0), (3, 4))
    np.ravel_multi_index((idx[0], 1), (3, 4))
unravel_index
    np.unravel_index({idx|np.argmax(m, axis=1)|[[5, 1]]|np.abs(i)|v}, {(3, 4)|12|(3, 'a')}, order='{C|F}')
    np.unravel_index(np.abs(i), (3, 4))[1].strides
    @np.unravel_index({m.argmax()|5|50|[50]}, (3, 4))
put
    r = m.copy(); np.put(r, {[0, 5]|-1|idx|[[0, 1], [2, 3]]|[]|[1.7]|[True, False]}, 9)
    r = m.copy(); r.put([0, 5], {[1, 2]|v|m[0]|[]})
    r = i.copy(); np.put(r, [0, 5], {2.7|m|[2.7]|'a'})
    r = i8.copy(); np.put(r, [0, 1], {300|i|[300]})
    r = m.copy(); np.put(r, {50|[0, 50]|[.5]|v}, 1)
    r = m.copy(); np.put(r, [0, 50], 1, mode='{wrap|clip|zz}')
    r = m.copy(); np.put(r, np.argmax(m, axis=1), v)
    r = m.copy(); np.put(r[:, ::2], [0, 3], [7, 8])
    r = m.T.copy(); np.put(r, [0, 3], r[0])
    r = empty.copy(); np.put(r, [0], 1)
    r = m.copy(); r.setflags(write=False); np.put(r, 0, 1)
place
    r = m.copy(); np.place(r, {b|i > 0|i|v[:3]|b[:0]|b.T}, [1, 2])
    r = m.copy(); np.place(r, m > .5, {v|i|7|c})
    r = i.copy(); np.place(r, b, {[2.7]|m[0]|8})
    r = m.copy(); np.place(r[1:, ::-1], b[1:], v)
    r = m.copy(); np.place(r, b & False, [])
putmask
    r = m.copy(); np.putmask(r, {b|i > 0|i|b[0]|[True]}, {[1, 2]|v|m * 2|c})
    r = i.copy(); np.putmask(r, b, {m|[2.7]|i8})
    r = m.copy(); np.putmask(r[:, 1:], b[:, 1:], v)
fill_diagonal
    r = m.copy(); np.fill_diagonal(r, {[1, 2]|v|m[0]|m.max()|[]|'a'})
    r = np.zeros((7, 3)); np.fill_diagonal(r, {4|v}, wrap=True)
    r = m.T.copy(); np.fill_diagonal(r, v, {True|False})
    r = sq.reshape(2, 2, 2, 2).copy(); np.fill_diagonal(r, v)
    r = {v|t}.copy(); np.fill_diagonal(r, 1)
    r = i.copy(); np.fill_diagonal(r, {2.7|v|1j})
""")

NEAR = table("""
i0
    np.i0({m|f32|i|c|zero_d|3})
poly
    np.poly({[1, 2]|v|i[0]|f32[0]|[]|3})
    @np.poly({sq|c[0]})
polyadd
    np.polyadd({v|[1, 2]|i[0]|3}, {v|[1, 2]|m[0]|2.5})
    @np.polyadd(v, np.poly1d([1, 2]))
polysub
    np.polysub({v|[1, 2]}, {v|[1, 2]})
polyder
    np.polyder({v|i[0]}, {1|2|0|9|-1})
polyint
    np.polyint({v|i[0]|f32[0]}, {1|2|0|-1})
    np.polyint(v, 2, k={[1, 2]|3|[1]|[1, 2, 3]})
    @np.polyint({m|zero_d})
polyfit
    np.polyfit(v, 2 * v, {1|2|0|-1|'a'})
    np.polyfit({v|f32.ravel()[:7]}, t.reshape(-1)[:14].reshape(7, 2), 2)
    np.polyfit(v, v * v, 2, w={v|m[0]|m})
    np.polyfit({m|v[:0]|v[:3]}, v, 1)
    @np.polyfit(v, v * v, 1, cov=True)
    @np.polyfit(v, v * v, 1, full=True)[0]
""")
