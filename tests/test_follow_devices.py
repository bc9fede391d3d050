"""Functions return arrays on the device of their operands, or are listed here with the reason."""
import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as lnp
from lazyarr.ops.table import TABLE
from support.example_lines import basic, counting, reductions
from support.numpy_comparison import operands, run

DEVICE = "cpu:1"
TABLES = (basic.ELEMENTWISE, basic.LAYOUT, basic.INDEXING, basic.SORTING, counting.EXACT, counting.NEAR,
          reductions.REDUCTIONS, reductions.SPECIAL)
EXCEPT = {
    "broadcast_arrays": "each follows its own operand",
    "ix_": "each follows its own operand",
    **dict.fromkeys(("histogram", "histogram2d", "histogramdd", "histogram_bin_edges"), "edges that are given stay"),
    "diag_indices_from": "made of the shape alone",
    "tril_indices_from": "made of the shape alone",
    "triu_indices_from": "made of the shape alone",
}


def lines_of(name):
    """Return the lines that use arrays and do not write to one on the host."""
    for table in TABLES:
        for line in table.get(name, ()):
            line = line.removeprefix("@")
            used = set(compile(line, "", "exec").co_names)
            if used & operands().keys() and "swapped" not in used and not line.startswith("r = np."):
                yield line


def on_device():
    """Return the operands of the lines, on the device if it supports their dtypes."""
    arrays = {name: la.array(x) for name, x in operands().items()}
    return {name: x if name == "swapped" else x.to_device(DEVICE) for name, x in arrays.items()}


def arrays_in(obj):
    if isinstance(obj, la.ndarray):
        return [obj]
    return [x for item in obj for x in arrays_in(item)] if isinstance(obj, list | tuple) else []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in TABLE if any(True for line in lines_of(name))])
def test_results_follow_their_operands(name):
    left = {line for line in lines_of(name) for x in arrays_in(run(line, lnp, on_device()))
            if x.device != DEVICE and x.dtype.kind in "biufc" and x.dtype.isnative}
    assert not left or name in EXCEPT


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", "pad insert select vander cross apply_along_axis unique linalg.eig imag sum".split())
def test_values_are_those_of_the_host(name):
    for line in lines_of(name):
        expected = run(line, lnp, {name: la.array(x) for name, x in operands().items()})
        found = run(line, lnp, on_device())
        assert type(found) is type(expected), line
        for x, y in zip(arrays_in(found), arrays_in(expected), strict=True):
            assert x.dtype == y.dtype, line
            np.testing.assert_array_equal(x, y, err_msg=line, strict=True)


def test_a_mask_beside_slices_says_how_many_values_there_are():
    x, mask = lnp.zeros((3, 6)).to_device(DEVICE), lnp.ones(6, bool).to_device(DEVICE)
    mask[[0, 3]] = False
    x[:, mask] = lnp.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(x[:, [1, 2, 4, 5]], np.arange(12.0).reshape(3, 4))
