"""Example lines for Fourier transforms, signals, searching and counting: see :mod:`.eager`."""

from support.example_lines.table import table

_LINE = "{x|s|x.ravel()|x[:0]|[1.0, 2.0, 3.0]|np.array([np.inf, 1.0, np.nan])}"
_LENGTHS = "{5|1|0|-1|None|2.0|True}"
_NORM = "norm={'ortho'|'forward'|'backward'|None|'zz'|s}"


def _of_line(name):
    return f"""
fft.{name}
    np.fft.{name}({_LINE})
    np.fft.{name}({{s|s[0]|s[:, 0]}}, {_LENGTHS})
    np.fft.{name}(s, 6, {{0|-1|7|1.0}})
    np.fft.{name}(x, axis={{0|-1|-2|7|None}})
    np.fft.{name}(s, n=7, {_NORM})
    np.fft.{name}(s, None, 0, 'ortho')
    np.fft.{name}(s, 4, n=3)
    np.fft.{name}(s[0], 20000)[:3]
    np.fft.{name}(s, out=np.zeros((4, 4), 'c16'))
    np.fft.{name}()
"""


def _of_axes(name):
    return f"""
fft.{name}
    np.fft.{name}({_LINE})
    np.fft.{name}(x, axes={{(0,)|(0, 1)|(-1, 0)|(0, 0)|()|(9,)|[0, 1]|None|(0.0,)}})
    np.fft.{name}(s, {_NORM})
    np.fft.{name}(s, {{None|(3, 5)|(3, -1)|(0, 2)|3}})
    np.fft.{name}(s, (3, 5), (0, 1), 'ortho')
"""


LINES = table("".join(map(_of_line, ("fft", "ifft", "rfft", "irfft"))).replace("\n\n", "\n"))
LINES |= table("".join(map(_of_axes, (
    "fft2", "ifft2", "fftn", "ifftn", "rfft2", "rfftn", "irfft2", "irfftn"))).replace("\n\n", "\n"))
LINES |= table("""
fft.fftshift
    np.fft.fftshift({x|s|x[:0]|[1, 2, 3]})
    np.fft.fftshift(x, {0|-1|(0,)|(0, 1)|None|9|[0]})
fft.ifftshift
    np.fft.ifftshift({x|s|x[:0]|[1, 2, 3]})
    np.fft.ifftshift(x, axes={0|-1|(0,)|None|9})
fft.fftfreq
    np.fft.fftfreq({5|4|1|0|-1|2.0|True|np.int64(4)|'a'|x})
    np.fft.fftfreq({7|8}, {0.1|2|0|0.0|-3|np.inf|np.nan|1e-320|np.float64(0.5)|None|'a'|10**400|x})
    np.fft.fftfreq(n=4, d=0.3)
    np.fft.fftfreq(4, device='{cpu|gpu}')
fft.rfftfreq
    np.fft.rfftfreq({5|4|1|0|-1|2.0|True|'a'})
    np.fft.rfftfreq({7|8}, {0.1|2|0|0.0|1e-320|np.float64(0.5)|None|10**400})
    np.fft.rfftfreq(n=4, d=0.3)
convolve
    np.convolve(x, {x|x.ravel()|s[0]|s[0, ::-1]|[1, 2]|2|[]})
    np.convolve(s[0], x.ravel())
    np.convolve(s[0], s[:, 1], {'full'|'same'|'valid'|'f'|1|None})
    np.convolve(s[:, 0], s[0, :2], mode={'full'|'same'|'valid'})
    np.convolve(s[0].real.copy(), np.array([1.0, np.inf, np.nan]))
    np.convolve(s[0])
correlate
    np.correlate(x, {x|x.ravel()|s[0]|s[0, ::-1]|[1, 2]|2|[]})
    np.correlate(s[0], s[:, 1], {'full'|'same'|'valid'|'f'|1|None})
    np.correlate(s[:, 0], s[0, :2], mode={'full'|'same'|'valid'})
    np.correlate(s[0, :2], s[:, 0], 'full')
interp
    np.interp(x, [0, 1], [1, 2])
    np.interp({x|0.5|0|-9|99.0|np.nan|np.inf|np.float64(1.5)|s[0, 0]|'a'}, np.arange(4.0), np.arange(4.0) ** 2)
    np.interp(x, np.array([0.0, 1.0, 1.0, 2.0]), np.array([1.0, 5.0, 2.0, 3.0]))
    np.interp(x, np.array([0.0, 0.1, np.inf]), np.array([1.0, 5.0, 2.0]))
    np.interp({x|0.5}, np.array([-1.0, 0.1, 3.3]), np.array([1.0, np.inf, np.nan]))
    np.interp(0.5, {np.array([0.0, 1.0])|np.array([0])|x}, {np.array([1.0, 3.0])|np.array([1.0])|np.array([1j, 2j])|x})
    np.interp(0.5, np.array([0.0, 1.0]), np.array([2.0, 3.0]), {left=9|right=2|period=3|7, 8})
    np.interp(np.array([np.nan, -np.nan, 0.25, -1, 0.0, 1.0, 7]), np.array([0.0, 1.0]), np.array([2.0, 3.3]))
    np.interp({0.5|7|np.nan|np.array([0.5, 7.0])|x|s[:1]}, np.arange(200.0), np.arange(200.0) ** 2)
    np.interp({0.5|np.array([0.5, 7.0])}, np.arange(200.0)[::-1].copy(), np.arange(200.0))
searchsorted
    np.searchsorted(x, {x|s[0]|s[0, 0]|0.5|1|True|'a'|10**30|np.nan|[0, 1]|x[:0]|None})
    np.searchsorted(np.sort(x.ravel()), {x|s|x.ravel()|s[:, 0]|1|0.5|np.float32(0.5)|np.nan})
    np.searchsorted(np.sort(x.ravel()), x, {'left'|'right'|'l'|None|1})
    np.searchsorted(np.sort(x.ravel()), x.ravel(), side='{left|right}')
    np.searchsorted(x.ravel(), x.ravel(), sorter=np.argsort(x.ravel()))
    np.searchsorted(np.array([np.nan, 1.0]), {1.0|np.nan|x})
    np.searchsorted(np.array([1.0, np.nan]), {1.0|np.nan|x})
    np.searchsorted({np.arange(200.0)|np.arange(200.0)[::-1].copy()}, {7.0|9|x|s[:1]}, 'right')
    np.searchsorted(np.arange(200.0), np.array([3.5, 4.0, np.nan]))
    np.searchsorted(np.arange(200), {7|-9.0|np.array([3, 4])[::-1]|x|np.int64(3)})
ndarray.searchsorted
    x.searchsorted({x|s[0]|s[0, 0]|0.5|1})
    np.sort(x.ravel()).searchsorted({x|1|0.5|np.nan}, {'left'|'right'|'zz'})
    np.sort(x.ravel()).searchsorted(v=1, side='right')
    x.searchsorted()
random.random
    np.random.default_rng(3).random({5|0|-1|2.0|None|(2, 3)|True|20000|np.int64(3)|'a'})
    np.random.default_rng(3).random()
    np.random.default_rng(3).random(5, 'f4')
    np.random.default_rng(3).random(size=4)
    np.random.{Philox|SFC64|MT19937}(3).random_raw()
    np.random.Generator(np.random.{Philox|SFC64|MT19937}(3)).random(5)
    np.random.RandomState(3).random({4|None})
    r = np.random.default_rng(3); r = [r.random(3), r.integers(0, 9, 3), r.random(), r.random(2), r.standard_normal(2)]
    np.random.seed(3); r = [np.random.random(3), np.random.random(), np.random.rand(2)]
random.random_sample
    np.random.seed(3); r = [np.random.random_sample({|3|(2, 2)|()|size=2|-1}), np.random.random_sample()]
random.rand
    np.random.seed(3); r = [np.random.rand({|3|2, 0|2, 3|(2,)|-1|1.5|x}), np.random.randn(2), np.random.rand()]
    r = np.random.RandomState(3).rand({|3|2, 2})
random.standard_normal
    r = np.random.default_rng(3); r = [r.standard_normal({|3|(2, 3)|()|size=2|-1|2.0|'a'|20000}), r.standard_normal()]
    r = np.random.default_rng(3); r = [r.standard_normal(3, 'f4'), r.standard_normal(3)]
    np.random.seed(3); r = [np.random.standard_normal({|3|(1, 2)}), np.random.standard_normal()]
random.standard_exponential
    r = np.random.default_rng(3); r = [r.standard_exponential({|3|(2, 3)|3, method='inv'}), r.standard_exponential()]
random.uniform
    r = np.random.default_rng(3); r = [r.uniform({|2|-1, 2|2, -1|0.5, 1.5, 4|low=-1, size=(2, 2)}), r.random()]
    r = np.random.default_rng(3); r = [r.uniform({0, x|0, np.inf|-1e308, 1e308}), r.random()]
    np.random.seed(3); r = [np.random.uniform({|2|-1, 2|2, -1|0.5, 1.5, 4|high=3, size=2}), np.random.random()]
    np.random.seed(3); r = [np.random.uniform({0, [1, 2]|1, 1}), np.random.random()]
    r = np.random.default_rng(3).uniform({-1e308|1 << 70}, 1e308, 3)
random.normal
    r = np.random.default_rng(3); r = [r.normal({|2|-1, 2|2, -1|2, 0|0.5, 1.5, 4|scale=3, size=(2, 2)}), r.normal()]
    r = np.random.default_rng(3); r = [r.normal({0, x|np.nan}), r.normal()]
    np.random.seed(3); r = [np.random.normal({|2|-1, 2, 5|2, -1}), np.random.normal()]
random.exponential
    r = np.random.default_rng(3); r = [r.exponential({|2|-1|0|0.5, 4|scale=3, size=(2, 2)|x|np.nan}), r.exponential()]
    np.random.seed(3); r = [np.random.exponential({|2|-1|2, 3}), np.random.exponential()]
random.integers
    r = np.random.default_rng(3); r = [r.integers({5|0|-5, 5|5, 5|0, 1 << 40, 3|7, size=(2, 2)}), r.integers(9)]
    r = np.random.default_rng(3); r = [r.integers({high=3|low=3|9, None, 4|1 << 70|2.5|x|np.int64(5)}), r.integers(9)]
    r = np.random.default_rng(3); r = [r.integers(0, {9, 5, 'i4'|9, 5, endpoint=True|1 << 33, ()}), r.integers(9)]
    r = np.random.default_rng(3); r = [r.integers(9), r.random(), r.integers(9), r.integers(1 << 61), r.normal()]
    type(np.random.default_rng(3).integers(3))
random.randint
    np.random.seed(3); r = [np.random.randint({5|0|-5, 5|5, 5|0, 1 << 40, 3|7, size=(2, 2)}), np.random.randint(9)]
    np.random.seed(3); r = [np.random.randint({high=3|9, None, 4|2, 9, ()}), np.random.randint(9)]
    np.random.seed(3); r = [np.random.randint(9), np.random.rand(), np.random.randint(9, size=3), np.random.randn()]
    r = np.random.RandomState(3).randint({5|-5, 5, 3|0, 300, 4, 'u2'})
    type(np.random.randint(3))
bincount
    np.bincount({np.array([1, 2, 2, 5])|np.array([], 'i8')|np.array([-1])|np.array([[1]])|np.array([True])|x})
    np.bincount(np.array([1, 3, 1, 0])[{::-1|::2|1:}])
    np.bincount(np.array([1, 3]), {None|x|x.ravel()|np.array([0.5, 2.5])|[1, 2]})
    np.bincount(np.array([1, 3]), np.array([{1j|np.nan}, 2]))
    np.bincount(np.array([1, 3, 1]), weights=np.array([1e308, 2.0, 1e308]))
    np.bincount(np.array([1, 3]), minlength={6|0|1|-1|None|2.0|True})
    np.bincount(np.array([1, 3]), None, 6)
    np.bincount(np.array([1, 3]), np.array([0.5, 2.5]), 7)
    np.bincount(np.array([1, 1 << 62, -1]))
""")
