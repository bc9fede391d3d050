"""Rows of record arrays: read and written through, as in NumPy."""

import copy
import pickle

import numpy as np
import pytest

import lazyarr as la

DTYPE = np.dtype([("x", "i4"), ("y", "f8"), ("s", "i4", (2,)), ("n", [("u", "i2"), ("w", "U3")])])


def made(xp, dtype=DTYPE):
    array = np.zeros(4, dtype)
    array[array.dtype.names[0]] = range(4)
    return array if xp is np else la.array(array)


def written(a, xp):
    a[0]["x"] = 5
    a[1][1] = 2.5
    a[-1]["s"][1] = 7
    a[2]["n"]["w"] = "abc"
    a[2][3][0] = 9
    a[1][["x", "y"]]["x"] = 8
    for row in a:
        row["x"] += 1
    return a


def seen_later(a, xp):
    row, before, pending = a[1], a.copy(), a["x"] * 2
    a["y"][1] = 7
    row["x"] = 40
    return row["y"], row, str(row), row.item(), tuple(row[["x", "y"]]), before, pending, a[["x", "y"]]


def of_views(a, xp):
    b = a[::-2]
    b[0]["x"] = 70
    a.reshape(2, 2)[1, 0]["x"] = 60
    a.flat[1]["x"] = 50
    return a, b, b[0].base is b, a.reshape(2, 2)[1, 1]


def put_elsewhere(a, xp):
    row = a[3]
    a[0] = row
    b = xp.array([row, a[1]])
    row["x"] = 99
    return a, b, row == a[3], row == a[0], row != a[0], row in a, copy.copy(row), copy.deepcopy(row)


def objects(a, xp):
    b = xp.zeros(2, [("o", "O"), ("x", "i4")])
    b[0]["o"] = [1, 2]
    b[1]["o"] = np.arange(3)
    b[1][0][1] = 5
    return b["o"].tolist(), b[1]["o"], b[0]


def told(a, xp):
    row = a[0]
    return (type(row).__name__, isinstance(row, np.void), len(row), row.dtype, row.shape, row.flags.writeable,
            row.tobytes(), row.nbytes, repr(row), f"{row}", type(row["x"]), type(row["n"]).__name__, row[0], row[-3],
            pickle.loads(pickle.dumps(row)), list(row)[:2], row[()], row[...].shape)


@pytest.mark.parametrize("program", [written, seen_later, of_views, put_elsewhere, objects, told])
def test_rows(program):
    assert repr(program(made(la), la)) == repr(program(made(np), np))


@pytest.mark.parametrize("statement", [
    "a[0]['z']", "a[0]['z'] = 1", "a[0][4]", "a[0][4] = 1", "a[0][1.5]", "a[0][:]", "a[0][['x', 'y']] = 1",
    "a[0]['x'] = 'a'", "a[0]['s'] = [1, 2, 3]", "hash(a[0])", "a.flags.writeable = False; a[0]['x'] = 1",
    "a[()]['x'] = 3; a[0, 0]", "del a[0]['x']",
])
def test_errors(statement):
    def error(xp):
        try:
            exec(statement, {"a": made(xp)})
        except Exception as error:
            return type(error), str(error)
    assert error(la) == error(np)


def test_read_only_rows_are_hashed():
    a, b = made(np, "i4,f8"), made(la, "i4,f8")
    a.flags.writeable = b.flags.writeable = False
    assert hash(a[1]) == hash(b[1])
    assert {*a} == {*b}
