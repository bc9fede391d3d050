"""Random programs as functions: traced to graphs, they return and write the same.

So do graphs declared on variables, some with unknown extents, stored graphs, and repeated evaluations.
"""

import random

import numpy as np
import pytest
from rewrites import told

import lazyarr as la
from lazyarr.symbolic.symbol import Symbol
from support import sample_values
from support.program_grammar import statements

COMMON = {"xp": la, "np": np, "make": sample_values.make, "look": lambda *arrays: None, "show": lambda value: None}


def split(seed):
    """The lines that make arrays, and those that do something with them."""
    source = random.Random(seed)
    length = source.choice((6, 10, 16))
    lines = statements.write(source, length, statements.PURE_KINDS if source.random() < 0.5 else None)
    lines = [line for line in lines if not line.startswith(("show", "look"))]
    first = next((k for k, line in enumerate(lines) if "make(" not in line), len(lines))
    return lines[:first], lines[first:]


def variables(namespace):
    return {name: value for name, value in namespace.items() if name[0] in "vt" and name[1:].isdigit()}


def outcomes(makers, lines, wrap):
    """What two calls give and leave of their arguments."""
    def function(given):
        namespace = COMMON | given
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
        namespace = dict(COMMON)
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


def declared(source):
    """A program's arrays, symbols of their forms, what it makes of these by name, and of arrays, as a function."""
    lines = [line for line in statements.write(source, 12, statements.PURE_KINDS)
             if not line.startswith(("show", "look")) and "squeeze" not in line]  # which leaves unknown extents alone
    on_arrays = dict(COMMON)
    made = [k for k, line in enumerate(lines) if "make(" in line]
    for k in made:
        exec(lines[k], on_arrays)
    given = {name: x.numpy() for name, x in variables(on_arrays).items()}
    symbols = {name: la.var([None if source.random() < 0.5 else n for n in x.shape], x.dtype, name=name)
               for name, x in given.items()}
    on_symbols, kept = on_arrays | symbols, []
    for k, line in enumerate(lines):
        if k in made:
            continue
        try:
            exec(line, tried := dict(on_symbols))
            exec(line, both := dict(on_arrays))
        except Exception:
            continue
        on_symbols, on_arrays = tried, both
        kept.append(line)
    outputs = {name: y for name, y in variables(on_symbols).items() if isinstance(y, Symbol) and name not in symbols}
    others = {name: x for name, x in on_arrays.items() if name not in given and name not in outputs}

    def wanted(arrays):
        namespace = others | {name: la.array(x) for name, x in arrays.items()}
        for line in kept:
            exec(line, namespace)
        return {name: told(namespace[name]) for name in outputs}

    return given, symbols, outputs, wanted


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_graphs_on_variables(seed, tmp_path):
    source, outputs = random.Random(seed), {}
    while not outputs:
        given, symbols, outputs, wanted = declared(source)
    declared_graph = la.graph(symbols.values(), outputs)
    declared_graph.save(tmp_path / "graph")
    with np.errstate(all="ignore"):
        for graph in (declared_graph, la.load_graph(tmp_path / "graph")):
            arrays = dict(given)
            graph.assign(**arrays)
            for name in [*given, *given]:  # each of them changes alone, twice
                arrays[name] = np.roll(arrays[name], 1)
                graph.assign(**{name: arrays[name]})
                expected = wanted(arrays)
                for results in (graph.evaluate(), graph(**arrays)):
                    assert {key: told(y) for key, y in results.items()} == expected
