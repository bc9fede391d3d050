"""The functions whose steps run on the host although their operands are on a device: those of a table, and no others.
"""
import re
from collections import Counter

import pytest

import lazyarr as la
import lazyarr.numpy as lnp
from lazyarr.inspect import fallbacks
from lazyarr.ops.table import TABLE
from lazyarr.ops.ufunc_rows import UFUNCS
from support.example_lines import basic, counting, products_and_methods, reductions
from support.host_steps import FAMILIES, READ
from support.numpy_comparison import operands, run
from support.opencl_device import DEVICE, DRIVER

LINES: dict[str, list[str]] = {}
for _module in (basic, counting, reductions, products_and_methods):
    for _name, _table in vars(_module).items():
        if _name.isupper() and isinstance(_table, dict):
            for _function, _lines in _table.items():
                LINES.setdefault(_function, []).extend([line.removeprefix("@") for line in _lines])
for _name, _op in UFUNCS.items():
    _ufunc = _op.function
    if _name in TABLE and _ufunc is not None and _ufunc.signature is None:
        LINES[_name] = [f"np.{_name}({', '.join([x] * _ufunc.nin)})" for x in ("m", "i", "c", "b")]
LINES |= {"matmul": ["sq @ m.T"], "vecdot": ["np.vecdot(m, m)"], "matvec": ["np.matvec(sq, m)"],
          "vecmat": ["np.vecmat(m, sq)"]}
ALLOWED = {function: family for family in FAMILIES for function in family.functions.split()}


def used(line):
    """Return the operands of a line that reads arrays and writes to none on the host."""
    names = set(compile(line, "", "exec").co_names) & operands().keys()
    return set() if "swapped" in names or line.startswith("r = np.") else names


def arrays_in(obj):
    if isinstance(obj, la.ndarray):
        return [obj]
    return [x for item in obj for x in arrays_in(item)] if isinstance(obj, list | tuple) else []


def host_steps(line):
    """Return the names of the steps that a line runs on the host."""
    given = {name: la.array(x).to_device(DEVICE) for name, x in operands().items() if name in used(line)}
    la.report().clear()
    made = run(line, lnp, given)
    if isinstance(made, Exception):
        return set()
    try:
        la.evaluate(*arrays_in(made))
    except Exception:   # which the host finds
        return set()
    at_once = {row.name for row in la.report() if not row.lazily and row.reason != fallbacks.SMALL}
    return {name for name, _ in DRIVER.host_steps} | at_once - READ


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", [name for name in TABLE if any(map(used, LINES.get(name, ())))])
def test_steps_on_the_host_are_those_of_the_table(function):
    steps = set().union(*[host_steps(line) for line in LINES[function] if used(line)])
    family = ALLOWED.get(function)
    if family is None:
        assert not steps, "add the function to the table of steps on the host, with the reason"
    else:
        assert steps, "the function takes no step on the host any more: take it out of the table"
        assert {step for step in steps if not re.fullmatch(family.steps, step)} == set()


def test_functions_of_the_table_are_there():
    named = [name for family in FAMILIES for name in family.functions.split()]
    assert not [name for name, count in Counter(named).items() if count > 1]
    assert not set(named) - TABLE.keys()


def test_counts():
    """Print the number of functions of each family: `pytest -s -k counts`."""
    print(f"\n{len(ALLOWED)} of {len(TABLE)} functions may take a step on the host:")
    for family in FAMILIES:
        print(f"{len(family.functions.split()):5}  {family.reason}")
    assert len(ALLOWED) < len(TABLE) / 4
