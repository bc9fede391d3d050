"""vmap over NumPy's functions: the lines that stand for each row of the table, on a batch of their operands."""
import re
import warnings

import lines
import lines_counting
import lines_near
import lines_reductions
import numpy as np
import pytest
import values
from side_by_side import operands

import lazyarr as la
from lazyarr.ops.registry import IMMEDIATE, TABLE

EXACT = lines.ELEMENTWISE | lines.LAYOUT | lines.INDEXING | lines.SORTING | lines.CREATION | \
    lines_counting.EXACT | lines_near.IMMEDIATE
NEAR = lines_near.CONTRACTION | lines_near.STATISTICS | lines_counting.NEAR | lines_near.IMMEDIATE_NEAR | \
    lines_reductions.REDUCTIONS
# The order in memory of one element of a batch is no subject here.
ORDERED = re.compile(r"""order=|flatten\(|ravel\(|strides|flags|F\b""")


class NoArrays(Exception):
    """The result of a line is not made of arrays."""


def batches(line):
    """Return the operands that a line names, three of each: as they are, turned round, as they are."""
    return {name: np.ascontiguousarray(np.stack([x, x[..., ::-1] if x.ndim else x + 1, x]))
            for name, x in operands().items() if re.search(rf"\b{name}\b", line) and x.dtype.isnative}


def as_function(line, names):
    """Return a line as a function of these operands that gives a list of arrays."""
    others = {name: la.array(x) for name, x in operands().items() if name not in names}

    def f(*args):
        variables = {**others, **dict(zip(names, args, strict=True)), "np": la}
        if ";" in line:
            exec(line, variables)
            made = variables["r"]
        else:
            made = eval(line, variables)
        found = flattened(made)
        if not found or not all(isinstance(x, la.LazyArray | np.ndarray | np.generic) for x in found):
            raise NoArrays
        return list(map(la.asarray, found))

    return f


def flattened(made):
    return [x for part in made for x in flattened(part)] if isinstance(made, tuple | list) else [made]


def elements(given, i):
    return [la.array(x[i]) if x.ndim > 1 else la.array(x)[i] for x in given.values()]


def stacked(f, given):
    """Return f for each element, side by side; None where that is no array, or the line is wrong."""
    try:
        found = [[y.numpy() for y in f(*elements(given, i))] for i in range(3)]
        return [np.stack(several) for several in zip(*found, strict=True)]
    except Exception:
        return None


@pytest.mark.parametrize("name", EXACT | NEAR)
def test_function(name):
    same = values.near_values if name in NEAR else values.same_values
    for text in (EXACT | NEAR)[name]:
        line = text.removeprefix("@")
        given = batches(line)
        if not given or ORDERED.search(line):
            continue
        f = as_function(line, list(given))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = stacked(f, given)
            if expected is None:
                continue
            try:
                found = la.vmap(f)(*map(la.array, given.values()))
            except la.TracedValueError:
                assert text != line or TABLE[name].kind == IMMEDIATE, f"{line} looks at values"
                continue
            for got, wanted in zip([y.numpy() for y in found], expected, strict=True):
                assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype), line
                assert np.all(same(wanted, got)), line
