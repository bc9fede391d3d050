"""vmap of random programs, compared with the program on each element."""
import re
import warnings

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api as core
from support import program_runner, sample_values, strategies
from support.program_grammar import statements

SIZE = 3
KINDS = [kind for kind in statements.KINDS if kind not in ("look", "show", "delete", "change_ndarray")]
MADE = re.compile(r"^(\w+) = xp\.array\((make\(.*\))\)$")


def data_of(lines):
    """Return the arrays that a program begins with by name: a batch of each, of the same values in other places."""
    found = {}
    for line in lines:
        if matched := MADE.match(line):
            x = eval(matched[2], {"make": sample_values.make})
            found[matched[1]] = np.stack([np.roll(x.reshape(-1), i).reshape(x.shape) for i in range(SIZE)])
    return found


def run(lines, given, skipped, may_skip):
    """Run a program on these arrays and return what it has computed by name.

    Lines that raise are noted and left out from then on, if that may be.
    """
    variables = {"xp": la, "np": np, "make": sample_values.make, **given}
    for number, line in enumerate(lines):
        if number in skipped or MADE.match(line):
            continue
        try:
            exec(program_runner.compiled(line), variables)
        except Exception:
            if not may_skip:
                raise
            skipped.add(number)
    # what is chosen by a mask has no shape before the mask is known
    return {name: x for name, x in variables.items()
            if re.fullmatch(r"[vt]\d+", name) and isinstance(x, la.LazyArray) and not core.is_selection(x)}


def elements(x, i):
    return la.array(x[i]) if x.ndim > 1 else la.array(x)[i]


# How the elements lie in memory: the batch as vmap gets it, and along which axis.
LAYOUTS = {
    "side by side": (la.array, 0),
    "interleaved": (lambda x: la.array(np.moveaxis(x, 0, -1).copy()), -1),
    "the last one first": (lambda x: la.array(x[::-1].copy())[::-1], 0),
    "in part of an array": (lambda x: la.array(np.pad(x, [(1, 2)] * x.ndim))[(slice(1, -2),) * x.ndim], 0),
}


def problem_of(lines, layout="side by side"):
    """Say how the program differs between the batch and its elements; None if it does not."""
    lay_out, axis = LAYOUTS[layout]
    given, skipped = data_of(lines), set()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if not given:
            return None
        batches = {name: lay_out(x) for name, x in given.items()}
        found = la.vmap(lambda args: run(lines, args, skipped, True), axis)(batches)
        try:
            singly = [run(lines, {name: elements(x, i) for name, x in given.items()}, skipped, False)
                      for i in range(SIZE)]
            expected = {name: np.stack([one[name].numpy() for one in singly])
                        for name in found if all(name in one for one in singly)}
        except (ValueError, IndexError, OverflowError, ZeroDivisionError):
            return None  # an error that depends on values
        for name, wanted in expected.items():
            got = found[name].numpy()
            if (got.shape, got.dtype) != (wanted.shape, wanted.dtype):
                return f"{name} is {got.dtype}{got.shape}, expected {wanted.dtype}{wanted.shape}"
            same = sample_values.near_values if name[0] == "t" else sample_values.same_values
            if not np.all(same(wanted, got)):
                return f"{name} is {got!r}, expected {wanted!r}"
    return None


@hypothesis.given(strategies.programs(length=16, kinds=KINDS), st.sampled_from([*LAYOUTS]))
def test_random_programs(lines, layout):
    problem = problem_of(lines, layout)
    assert problem is None, "\n".join([problem, layout, *lines])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lines", [
    ["v0 = xp.array(make('float64', (3, 2), 1))", "v1 = v0.T", "v1[0] += v1[1]", "v0 *= v1.T"],
])
def test_programs(lines, layout):
    assert problem_of(lines, layout) is None
