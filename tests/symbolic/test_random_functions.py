"""Random programs as functions: learnt as graphs they give what they give as they are, and write what they write."""

import random

import grammar
import numpy as np
import pytest
import values
from rewrites import told

import lazyarr as la


def split(seed):
    """The lines that make arrays, and those that do something with them."""
    source = random.Random(seed)
    lines = grammar.write(source, source.choice((6, 10, 16)), grammar.PURE_KINDS if source.random() < 0.5 else None)
    lines = [line for line in lines if not line.startswith(("show", "look"))]
    first = next((k for k, line in enumerate(lines) if "make(" not in line), len(lines))
    return lines[:first], lines[first:]


def variables(namespace):
    return {name: value for name, value in namespace.items() if name[0] in "vt" and name[1:].isdigit()}


def outcomes(makers, lines, wrap):
    """What two calls give and leave of their arguments."""
    common = {"xp": la, "np": np, "make": values.make, "look": lambda *arrays: None, "show": lambda value: None}

    def function(given):
        namespace = common | given
        for line in lines:
            try:
                exec(line, namespace)
            except la.TracedValueError:
                raise
            except Exception:
                continue  # so is it for the function itself
        return variables(namespace)

    called, found = wrap(function), []
    for _ in range(2):
        namespace = dict(common)
        for line in makers:
            exec(line, namespace)
        given = variables(namespace)
        results = called(given)
        found.append([{name: told(value) for name, value in tree.items()} for tree in (results, given)])
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_functions(seed):
    makers, lines = split(seed)
    with np.errstate(all="ignore"):
        assert outcomes(makers, lines, la.jit) == outcomes(makers, lines, lambda f: f)
