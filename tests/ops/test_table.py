"""The table of operations: complete, consistent, and every row tested."""

import functools
import inspect
import re
import types

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api as core
from lazyarr.numpy.namespace import OWN
from lazyarr.ops import numpy_fallback, ufunc_rows
from lazyarr.ops import table as registry
from lazyarr.ops.table import IMMEDIATE, KINDS, NATIVE, OPAQUE, TABLE, TRAITS
from lazyarr.ops.ufunc_rows import UFUNCS
from support.example_lines import basic, counting, products_and_methods, reductions

TESTED = {name for table in (
    basic.ELEMENTWISE, basic.LAYOUT, basic.INDEXING, basic.SORTING, basic.CREATION, counting.EXACT, counting.NEAR,
    products_and_methods.CONTRACTION, products_and_methods.STATISTICS, products_and_methods.IMMEDIATE,
    products_and_methods.IMMEDIATE_NEAR, reductions.REDUCTIONS,
) for name in table}
# Files are tested in numpy/test_namespace.py and test_what_evaluates.py, with a folder to write to.
FILES = {"save", "savez", "savez_compressed", "savetxt", "load", "loadtxt", "fromfile", "fromregex", "genfromtxt"}
# Only in some versions of NumPy, or deprecated.
SOME_VERSIONS = {"row_stack", "from_dlpack"}


def functions(module):
    for name in dir(module):
        obj = getattr(module, name)
        if not name.startswith("_") and callable(obj) and not isinstance(obj, type | types.ModuleType):
            yield name, obj


@pytest.mark.parametrize("module", [np, np.linalg, np.fft], ids=lambda module: module.__name__)
def test_every_function_of_numpy_has_a_row(module):
    by_hand = {"frompyfunc", "asmatrix", "c_", "r_", "mgrid", "ogrid", "s_", "index_exp"}
    missing = [name for name, function in functions(module)
               if registry.find(function) is None and name not in OWN | by_hand]
    assert missing == []


def test_every_row_is_under_test():
    untested = {name for name, op in TABLE.items() if not isinstance(op.function, np.ufunc)} - TESTED
    assert untested == FILES | SOME_VERSIONS & TABLE.keys()


def test_no_test_without_a_row():
    assert TESTED - TABLE.keys() == set()


@pytest.mark.parametrize("name", TABLE)
def test_row(name):
    op = TABLE[name]
    assert op.name == name
    assert op.kind in KINDS
    assert op.doc.endswith(".")
    assert callable(op.function)
    assert op.numpy
    for counterpart in op.numpy:
        assert registry.find(counterpart) is op
    if isinstance(op.function, np.ufunc):
        assert op.cost > 0
        assert op.kind == (OPAQUE if op.function.signature else NATIVE)
    else:
        assert op.cost is None
        assert op.function.__doc__


def test_every_ufunc_has_an_estimated_cost():
    ufuncs = {name for name, op in TABLE.items() if isinstance(op.function, np.ufunc)}
    assert ufuncs == {name for name, op in UFUNCS.items() if op.function is not None}
    assert ufuncs <= set(re.findall(r'^_(?:row|extremum)\("(\w+)"', inspect.getsource(ufunc_rows), re.MULTILINE))


@pytest.mark.parametrize("name", UFUNCS)
def test_row_of_a_ufunc(name):
    op = UFUNCS[name]
    assert op.traits <= TRAITS.keys()
    for other in (op.opposite, op.combined_by, op.inverse and op.inverse[0]):
        assert other is None or other in UFUNCS
    if op.opposite is not None:
        assert UFUNCS[op.opposite].opposite == name
    if op.function is not None and op.function.nin == 2 and "commutative" in op.traits:
        kinds = "?" if op.function.types[0].startswith("??") else "l"
        x, y = np.array([0, 1, 1, 0]).astype(kinds), np.array([1, 1, 0, 0]).astype(kinds)
        np.testing.assert_array_equal(op.function(x, y), op.function(y, x))
        if "idempotent" in op.traits:
            np.testing.assert_array_equal(op.function(x, x), x)


@pytest.mark.parametrize("name", [name for name, op in UFUNCS.items() if op.neutral is not None])
def test_a_neutral_element_changes_no_fold(name):
    op = UFUNCS[name]
    x = np.array([3.0, 2.0, 0.5])
    # not by `reduce`: with AVX-512 NumPy's of `power` takes each exponent for the first base
    np.testing.assert_allclose(functools.reduce(op.function, [*x, op.neutral]), functools.reduce(op.function, x))


@pytest.mark.parametrize("name", [name for name, op in UFUNCS.items() if op.combined_by is not None])
def test_what_follows_the_first_operand_can_be_combined(name):
    op = UFUNCS[name]
    x = np.array([3.0, 2.0, 0.5])
    combined = op.function(x[0], UFUNCS[op.combined_by].function.reduce(x[1:]))
    np.testing.assert_allclose(op.function.reduce(x), combined)


@pytest.mark.parametrize("name", [name for name, op in UFUNCS.items()
                                  if op.cost is not None and op.function.nin == 2 and op.function.nout == 1])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_folds_of_one_element_are_numpys(name):
    """NumPy begins them with the identity, where there is one."""
    for values in ([-4], [-0.0], [2.5], [np.inf], [np.nan], [complex(np.inf, 1)], [True]):
        x = np.array(values)
        try:
            expected = np.asarray(UFUNCS[name].function.reduce(x))  # which may be a Python object
        except (TypeError, RuntimeError):  # there is no loop; it has core dimensions
            continue
        made = np.asarray(UFUNCS[name].function.reduce(la.asarray(x)))
        assert made.dtype == expected.dtype
        assert made.tobytes() == expected.tobytes(), values


def test_a_name_or_counterpart_appears_once():
    op = TABLE["sum"]
    with pytest.raises(ValueError, match="already in the table"):
        registry.add(op)
    with pytest.raises(ValueError, match="already has a row"):
        registry.add(registry.Op("again", op.function, op.numpy, NATIVE))
    with pytest.raises(ValueError, match="unknown kind"):
        registry.add(registry.Op("new", op.function, (len,), "sometimes"))


def test_find_of_what_has_no_row():
    assert registry.find(len) is None
    assert registry.find([]) is None


def test_immediate_rows_say_why():
    rows = {name: op for name, op in TABLE.items() if op.kind == IMMEDIATE and not name.startswith("linalg.")}
    assert rows.keys() <= numpy_fallback.REASON.keys()
    for name, op in rows.items():
        assert numpy_fallback.REASON[name] in op.doc


@pytest.fixture
def opaque_names():
    names = []
    core.set_hook("fallback", names.append)
    yield names
    from lazyarr.inspect import fallbacks
    core.set_hook("fallback", fallbacks._joined_graph)


@pytest.mark.parametrize("build", [
    lambda x: x.sum(), lambda x: x.mean(axis=0), lambda x: x.std(), lambda x: la.where(x > 1, x, 0.0),
    lambda x: la.clip(x, 0, 1), lambda x: la.round(x, 2), lambda x: la.concatenate([x, x]), lambda x: la.pad(x, 1),
    lambda x: la.nansum(x), lambda x: la.diff(x), lambda x: la.linalg.norm(x, axis=1), lambda x: la.isclose(x, 1),
    lambda x: la.roll(x, 1), lambda x: la.repeat(x, 2), lambda x: x.astype("f4").reshape(-1)[::2],
    lambda x: la.sort(x, 0), lambda x: x.argsort(), lambda x: x[:, [1, 2]], lambda x: la.take(x, [1, 2], 0),
    lambda x: la.take_along_axis(x, la.array([[1], [0], [1]]), 1), lambda x: la.logsumexp(x, 0),
    lambda x: la.linalg.norm(x), lambda x: la.linalg.vector_norm(x, axis=(1, 0)), lambda x: la.is_triangular(x),
])
def test_native_rows_build_no_opaque_node(build, opaque_names):
    build(la.ones((3, 4)))
    assert opaque_names == []


def test_opaque_rows_are_reported(opaque_names):
    la.partition(la.ones(3), 1)
    la.maximum.accumulate(la.ones(3))
    assert opaque_names == ["partition", "maximum.accumulate"]
