"""Simplifications at graph construction, as documented: plans do not know extents and strides."""

import operator

import numpy as np
import pytest
import rules_page

import lazyarr as la
from lazyarr._core import api

M = np.arange(24.0).reshape(4, 6)


def names(x):
    """What a look at x computes, and reads through views: the names of its nodes, without arrays and constants."""
    return [node.name for node in la.explain(x).nodes if node.name not in ("array", "constant")]


def steps(x):
    return [step.operations for step in la.explain(x).steps]


# A line's expression, and the names of the nodes that are left of it.
ONE_VIEW = {
    "x.T.T": lambda x: x.T.T,
    "x.swapaxes(0, 1).transpose()": lambda x: x.swapaxes(0, 1).transpose(),
    "x.reshape(a).reshape(b)": lambda x: x.reshape(2, 12).reshape(3, 8),
    "x[a][b]": lambda x: x[1:][:, ::2][1:, 1:],
    "np.broadcast_to(np.broadcast_to(x, a), b)": lambda x: np.broadcast_to(np.broadcast_to(x, (3, 4, 6)), (2, 3, 4, 6)),
    "x[::-1][::-1]": lambda x: x[::-1][::-1],
    "np.squeeze(x[None])": lambda x: np.squeeze(x[None]),
    "np.moveaxis(x.T, 0, 1)": lambda x: np.moveaxis(x.T, 0, 1),
}


@pytest.mark.parametrize("view", ONE_VIEW.values(), ids=ONE_VIEW)
def test_views_of_views_are_one(view):
    y = view(la.asarray(M)) + 1
    assert names(y) == ["view", "add"]
    assert len(steps(y)) == 1
    np.testing.assert_array_equal(y, view(M) + 1)


@pytest.mark.parametrize("left", [operator.pos, np.transpose, lambda x: x[::2], lambda x: x[:, 1:]],
                         ids=["as it is", "transposed", "every other row", "columns"])
@pytest.mark.parametrize("transposed", [False, True])
def test_products_read_views(left, transposed):
    a, b = la.asarray(np.ones((6, 6)) + np.arange(6)), la.asarray(np.arange(36.0).reshape(6, 6))
    a, b = left(a) if left is not operator.pos else a, b.T if transposed else b
    product = a @ b[:a.shape[1]]
    assert len(steps(product)) == 1
    np.testing.assert_allclose(product, a.numpy() @ b.numpy()[:a.shape[1]])


@pytest.mark.parametrize("function", [
    lambda x: np.broadcast_to(x[:, None], (4, 5, 6)) * 2,
    lambda x: np.repeat(x, 3, 1) * 2,
    lambda x: np.repeat(x, 3) - 1,
    lambda x: x[:, None] + x,
], ids=["broadcast_to", "repeat", "repeat all", "outer"])
def test_what_is_repeated_is_read_where_it_is(function):
    y = function(la.asarray(M))
    assert len(steps(y)) == 1
    np.testing.assert_array_equal(y, function(M))


@pytest.mark.parametrize(("chosen", "name"), [(True, "x"), (False, "y")])
@pytest.mark.parametrize("condition", [bool, np.bool_, np.array, la.array])
def test_choices_by_a_number(condition, chosen, name):
    m = M.astype(int)
    x, y = la.asarray(m), la.asarray(-m)
    found = np.where(condition(chosen), x, y) + 1
    assert steps(found) == [("add",)]
    np.testing.assert_array_equal(found, {"x": m, "y": -m}[name] + 1)


WINDOWS = {
    "halves": lambda xp, x: xp.concatenate([x[:2], x[2:]]),
    "thirds": lambda xp, x: xp.concatenate([x[:1], x[1:3], x[3:]]),
    "columns": lambda xp, x: xp.hstack([x[:, :2], x[:, 2:]]),
    "backwards": lambda xp, x: xp.concatenate([x[::-1][:2], x[::-1][2:]]),
    "some": lambda xp, x: xp.concatenate([x[1:2], x[2:]]),
    "transposed": lambda xp, x: xp.concatenate([x.T[:2], x.T[2:]]),
    "split": lambda xp, x: xp.concatenate(xp.split(x, 2)),
}


@pytest.mark.parametrize("join", WINDOWS.values(), ids=WINDOWS)
def test_windows_that_follow_each_other_are_joined_as_one(join):
    joined, want = join(la, la.asarray(M)), join(np, M)
    assert steps(joined) == [("copy",)]
    assert len(steps(joined + 1)) <= 2
    np.testing.assert_array_equal(joined, want)
    assert joined.strides == want.strides


@pytest.mark.parametrize("join", WINDOWS.values(), ids=WINDOWS)
def test_what_is_joined_is_a_copy(join):
    x = la.array(M)
    joined = join(la, x)
    assert joined.base is None
    x[...] = 0
    joined[0, 0] += 1
    want = join(np, M)
    want[0, 0] += 1
    np.testing.assert_array_equal(joined, want)
    assert not x.any()


def test_other_windows_are_joined_part_by_part():
    x, other = la.asarray(np.arange(10.0)), la.asarray(np.arange(10.0))
    for parts in ([x[5:], x[:5]], [x[:5], x[6:]], [x[:5], x[4:]], [x[:5], other[5:]], [x[:6:2], x[6:]], [x, x]):
        with api.one_plan():
            joined = np.concatenate(parts)
        assert len(steps(joined)) == 3
        np.testing.assert_array_equal(joined, np.concatenate([part.numpy() for part in parts]))
    with api.one_plan():
        joined = np.concatenate([x[5:], x[:2], x[2:5]])
    assert len(steps(joined)) == 3
    np.testing.assert_array_equal(joined, np.concatenate([np.arange(5.0, 10), np.arange(5.0)]))


@pytest.mark.parametrize(("function", "number"), [
    (lambda x: np.clip(np.clip(x, 0, 5), 1, 3), 1),
    (lambda x: x.astype("f4").T.astype("f8"), 2),
    (lambda x: np.tile(x, (2, 1)) + 1, 2),
    (lambda x: x.astype("f4")[1:] * 2, 2),
], ids=["clip of clip", "cast of a view of a cast", "tile", "slice of a cast"])
def test_no_rules(function, number):
    """Lines of the page's last table: they are right, and take this many steps."""
    y = function(la.asarray(M))
    assert len(steps(y)) == number
    np.testing.assert_array_equal(y, function(M))


def test_the_page_has_every_line():
    text = rules_page.PAGE.read_text("utf-8")
    assert all(expression in text for expression, _, _ in rules_page.WRITTEN)
    assert all(expression in text for expression, _ in rules_page.NO_RULES)
