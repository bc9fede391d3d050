"""One-hot encoding."""
import operator
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray
from lazyarr.nn.annotations import Operand
from lazyarr.ops.arguments import array_argument
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.operands import cast, lazy


@named("nn.one_hot")
def one_hot(indices: Operand, num_classes: SupportsIndex, *, dtype: npt.DTypeLike = np.float32,
            axis: SupportsIndex = -1) -> LazyArray:
    """Encode each index as a vector with a single one.

    Parameters
    ----------
    indices : array_like of int
        An index outside [0, num_classes) gives zeros, as in jax.nn.one_hot.
    num_classes : int
        The length of the new axis.
    dtype : dtype_like, optional
        The dtype of the result: bool or numeric.
    axis : int, optional
        The position of the new axis in the result; last by default.

    Returns
    -------
    LazyArray
        The shape of `indices` with a new axis.

    Raises
    ------
    TypeError
        For indices that are not integers, or a dtype that is not numeric.
    ValueError
        For a negative number of classes.
    numpy.exceptions.AxisError
        For an axis that the result does not have.

    Examples
    --------
    >>> la.nn.one_hot(la.array([2, 0, 3]), 3, dtype=int)
    array([[0, 0, 1],
           [1, 0, 0],
           [0, 0, 0]])
    """
    x = array_argument(indices, "one_hot: indices")
    if x.dtype.kind not in "iu":
        raise TypeError(f"one_hot: indices must be integers, got dtype {x.dtype}")
    dtype = np.dtype(dtype)
    if dtype.kind not in "biufc":
        raise TypeError(f"one_hot: dtype must be numeric, got {dtype}")
    count = operator.index(num_classes)
    if count < 0:
        raise ValueError(f"one_hot: num_classes must not be negative, got {count}")
    axis = np.lib.array_utils.normalize_axis_index(operator.index(axis), x.ndim + 1)
    x = cast(x, x.dtype.newbyteorder("="))
    # Numbers of classes in the dtype of the indices: those it does not hold are no index.
    held = min(count, np.iinfo(x.dtype).max + 1)
    classes = lazy(np.arange(held, dtype=x.dtype).reshape((held,) + (1,) * (x.ndim - axis)))
    hot = cast(core.ufunc(np.equal, (reshape_array(x, (*x.shape[:axis], 1, *x.shape[axis:])), classes)), dtype)
    if held == count:
        return hot
    out = core.full((*x.shape[:axis], count, *x.shape[axis:]), 0, dtype)
    core.assign(out[(slice(None),) * axis + (slice(held),)], hot)
    return out
