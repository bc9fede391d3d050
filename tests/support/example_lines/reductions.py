"""Example lines for each reduction."""

from support.example_lines.table import expanded, table

ALL = """sum prod max min any all mean var std ptp count_nonzero argmax argmin cumsum cumprod
         nansum nanprod nanmax nanmin nanmean nanvar nanstd nancumsum nancumprod""".split()
ONE_AXIS = {"argmax", "argmin", "cumsum", "cumprod", "nancumsum", "nancumprod"}
WITH_DTYPE = {"sum", "prod", "mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd"}
EXTREMA = {"max", "min", "nanmax", "nanmin"}
OPERANDS = "{v|m|t|f32|f16|i|u8|b|F|zero_d|i8|nan|c}"


def _lines(name):
    f = f"np.{name}"
    yield f"{f}({OPERANDS})"
    yield f"{f}({OPERANDS}, axis=0)"
    yield f"{f}({{m|t|i|F}}, axis={{1|-1|5|1.5}})"
    yield f"{f}(empty)"
    yield f"{f}(empty, axis={{0|1}})"
    yield f"{f}({{[1, 2, 3]|3}})"
    yield f"@{f}(swapped)"
    if name not in ONE_AXIS:
        yield f"{f}(t, axis={{(0, 2)|(0, 0)|(0, 7)|()}}, keepdims={{True|False}})"
        yield f"{f}(t, keepdims=True)"
    if name in WITH_DTYPE:
        yield f"{f}(m, dtype='f4')"
        yield f"{f}(i, dtype={{'f4'|int}}, axis=0)"
        yield f"{f}(c, axis=1)"
        yield f"{f}(m, axis={{None|0}}, where={{b|b[0]|v > 1}})"
        yield f"r = np.zeros({{4|3}}); {f}(m, axis=0, out=r)"
        yield f"r = np.zeros(4, 'f4'); {f}(m, axis=0, out=r)"
    if name in EXTREMA:
        yield f"{f}(m, where=b, initial=0)"
        yield f"{f}(m, where=b)"
        yield f"{f}(m, initial=0.5, axis=0)"
        yield f"{f}(empty, axis={{None|0}}, initial=1)"
        yield f"{f}(i8, initial=300)"
        yield f"r = np.zeros(4); {f}(m, axis=0, out=r)"


REDUCTIONS = {name: [line for template in _lines(name) for line in expanded(template)] for name in ALL}

SPECIAL = table("""
var
    np.var(m, {ddof=1|correction=1|ddof=1.5|ddof=20})
    np.var(m, ddof=1, correction=1)
    np.std(m, axis=0, mean=np.mean(m, axis=0, keepdims=True))
    np.nanvar(nan, ddof=1, axis=1)
sum
    np.sum(m, initial=3)
    np.sum(m, where=m)
    np.sum(m > 0.5, axis=0)
    (m * 0).sum() + (u8 + u8).sum()
    m.sum({0|axis=1, dtype='f4'|0, None, None, True})
    np.sum([m, m])
    np.amax(m), np.amin(m), m.max(0), m.min(axis=1), m.mean(0), m.std(1), m.prod(1), m.any(), m.all(1)
""")
SPECIAL["sum"][-2] = "@" + SPECIAL["sum"][-2]  # NumPy assembles a list of arrays

UFUNC_METHODS = [line for template in [
    "np.{add|multiply|maximum|logical_or|subtract|fmax|hypot|divide}.reduce({m|t[0]}, axis={0|1|None|4})",
    "np.{add|multiply|maximum|subtract}.reduce(t, axis={(0, 1)|(1, 1)})",
    "np.{bitwise_or|bitwise_xor|add}.reduce(i, keepdims=True)",
    "np.{add|multiply|maximum|subtract}.accumulate(m, axis={0|1|4})",
    "np.{add|bitwise_and}.accumulate({i8|b})",
    "np.add.accumulate(3)",
    "np.{add|hypot|subtract|less}.outer({m[0]|v|2}, m[1])",
    "np.{add|multiply}.reduceat({m|i|i8|F}, {[0, 2]|idx|[[0]]|v}, axis={0|1|9})",
    "@np.add.reduceat(m, [.5])",
    "np.add.reduceat(m, [0, 9])",
    "np.add.reduceat(m, np.argmin(m, axis=0), {0|1}, {None|'f4'|complex})",
    "r = m.copy(); np.add.at(r, {[0, 0, 1]|idx|1|(idx, idx)|(slice(None), [1, 1])|b|7|'a'}, 1.0)",
    "r = m.copy(); np.add.at(r, np.argmax(m, axis=1) % 3, {m[0]|m[:3]|v|i[0]|c[0]|[1, 2, 3, 4]})",
    "r = i.copy(); np.add.at(r, [0, 0], {2.5|i8[0]|True})",
    "r = m.copy(); np.{negative|sqrt}.at(r, [0, 1])",
    "r = m.copy(); np.maximum.at(r[:, 1], [0, 0], v[:2])",
    "r = m.copy(); np.add.at(r, [0, 1])",
    "np.add.reduce({i8|b|f16|u8})",
    "np.add.reduce(m, dtype='{i4|f4|c16}')",
    "np.{add|maximum}.reduce(m, initial=1)",
    "@np.subtract.reduce(m, initial=1)",
    "np.add.reduce(m, where=b)",
    "np.subtract.reduce(m, where=b)",
    "np.{sin|divmod}.reduce(m)",
    "r = np.zeros(4); np.add.reduce(m, out=r)",
    "r = np.zeros((3, 4)); np.add.accumulate(m, out=r)",
    "r = np.zeros((2, 4)); np.add.accumulate(m, out=r)",
] for line in expanded(template)]
