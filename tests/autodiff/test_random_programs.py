"""Random programs with in-place writes through views, index arrays and masks: derivatives against differences."""

from hypothesis import given
from hypothesis import strategies as st

from support.example_lines.table import expanded
from support.finite_differences import Line

STATEMENTS = [statement for line in """
    y = np.{sin|tanh|negative}(y)
    y = y * x + y
    y = np.{where(x > .4, y, x)|maximum(y, x)|minimum(y, x * .7)}
    y = {y[::-1]|y[:, ::-1]|np.roll(y, 1, 1)|y.T.copy().T|y.reshape(4, 3).reshape(3, 4)}
    y = np.{sort|cumsum|flip}(y, {0|1})
    y = np.cumprod(y, 1)
    y = np.concatenate([y[1:], x[:1]])
    y = {y @ np.ones((4, 4)) / 4|np.take(y, [2, 0, 2], 0)|np.einsum('ij,kj,kl->il', y, x, y) / 4}
    y = np.stack([y[0], y[2] * y[1], x[1]])
    y = np.array([y[0] * 2, y[1], x[2]])
    y -= y.mean({0|1, keepdims=True})
    y[1:] {=|+=|*=} y[:-1]
    y[{0|-1}] = {x[1] * y[2]|y[0].sum()|2.5}
    y[:, {0|2}] {=|-=} {x[:, 1]|y[0, 0]}
    y[{0|1}, {1|2}] {=|+=|*=} {x[0, 0]|y[2, 3]}
    y[{[0, 2]|[1, 1]}] {=|+=} {x[1:]|y[:2]|x[0]}
    y[:, [3, 0, 3]] {=|*=} {x[:, :3]|y[:, 1:]}
    y[[0, 2, 0], [1, 1, 1]] {=|+=} {x[0, :3]|y[:, 2]}
    y[x > .5] {=|*=} {x[x > .5]|y[x > .5]|3.0}
    y[x > .5] = {x[0, 0]|np.sqrt(y * y + 1)[x > .5]}
    y[x[:, 0] > .4] = {x[0]|y[2]}
    v = y[::2]; v {+=|*=} {x[:2]|y[1]}
    v = y.T[1:3]; v[...] = {v * v|x.T[:2]|v[::-1]}
    v = y[1]; v[[0, 0, 2]] = x[0, :3]; y = y * v
    v = y.reshape(-1); v[3:9] = v[2:8] * 2
    np.multiply(y, x, out=y, where=x > {.3|.7})
    np.{add|multiply}(y[0], x[1], out=y[2])
    np.sin(x, out=y{|[:]})
    np.copyto(y, {x|x[0]|y[::-1]}, where=x > .6)
    np.{add|subtract}.at(y, [0, 0, 2], {x|y})
    np.put(y, [1, 5, 1], {x[0, :3]|y[1, :3]})
    np.put_along_axis(y, np.array([[0, 1, 1, 2]]), x[:1], 0)
    np.fill_diagonal(y, x[0, :3])
    np.place(y, x > .5, x[1])
    y.flat[1::3] = x[1]
    y.fill(x[1, 1]); y += x
""".strip().splitlines() for statement in expanded(line.strip())]


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=8))
def test_programs(statements):
    program = "; ".join(["x = m * 1", "y = x.copy()", *statements, "r = y"])
    assert Line(program).outcome() == "right", program
