"""Reading through index arrays: natively, or by NumPy; its transpose, and both on batches."""
import functools

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import cast, native
from lazyarr.ops.scattering import are_indices
from lazyarr.ops.vmap_helpers import each, in_front, on_batch

_INTP = np.dtype(np.intp)


def gathers(x, indices):
    """Whether the native kernel can look for indices like these in x."""
    return native(x.dtype) and are_indices(indices)


def gather(name, by_numpy, x, indices, shape, axes=None, **plan):
    """Elements of x at indices as a native node; `by_numpy` raises what there is to raise.

    Parameters
    ----------
    name : str
    by_numpy : callable
        The same by NumPy: a function of ndarrays.
    x : LazyArray
    indices : sequence of LazyArray
    shape : tuple of int
    axes : tuple of int, optional
        Of the result as they lie in memory, outermost first; C order by default.
    plan : dict
        The further arguments of the kernel.
    """
    def fill(out, x, *indices):
        if not core.gather(out, x, indices, **plan):
            out[...] = by_numpy(x, *indices)

    fill.pull_back = lambda g, out, operands, wanted: (
        scattered(name, by_numpy, operands[0].shape, g, operands[1:], axes, plan), *[None] * len(operands[1:]))
    fill.pull_back.moves = True
    fill.batch = functools.partial(_gathered_on_batch, name, by_numpy, axes, plan)
    return core.kernel(name, fill, [x, *[cast(index, _INTP) for index in indices]], shape, x.dtype, axes)


def scattered(name, by_numpy, shape, g, indices, axes, plan):
    """The transpose of `gather`: zeros of this shape, with each element of g added at the place it was taken from."""
    def fill(out, g, *indices):
        out[...] = 0
        if axes is None and core.scatter(out, np.ascontiguousarray(g), indices, **plan, operation=np.add) >= 0:
            return
        np.add.at(out.reshape(-1), by_numpy(np.arange(out.size).reshape(out.shape), *indices), g)

    fill.pull_back = lambda h, out, operands, wanted: (
        gather(name, by_numpy, h, operands[1:], operands[0].shape, axes, **plan), *[None] * len(operands[1:]))
    fill.pull_back.moves = True
    fill.batch = functools.partial(_scattered_on_batch, name, by_numpy, axes, plan)
    return core.kernel("scatter", fill, [g, *indices], shape, g.dtype)


def _gathered_on_batch(name, by_numpy, axes, plan, call, operands, batched, size):
    """Elements of each array at indices: the batch axis is one more that is joined, and walked along in x."""
    x, *indices = operands
    return gather(name, each(by_numpy, batched), x, _on_batch(plan, indices, batched[1:]), (size, *call.shape),
                   _further_back(axes), **_plan_on_batch(plan, batched[0], size))


def _scattered_on_batch(name, by_numpy, axes, plan, call, operands, batched, size):
    g, *indices = operands
    return scattered(name, each(by_numpy, (True, *batched[1:])), (size, *call.shape),
                      on_batch(g, batched[0], size), _on_batch(plan, indices, batched[1:]), _further_back(axes),
                      _plan_on_batch(plan, True, size))


def _on_batch(plan, indices, batched):
    return [in_front(index, is_batched, len(plan["joined"]))
            for index, is_batched in zip(indices, batched, strict=True)]


def _further_back(axes):
    return None if axes is None else (0, *[axis + 1 for axis in axes])


def _plan_on_batch(plan, x_is_batched, size):
    """The arguments of the kernel with one more joined axis in front."""
    walked = tuple([n + x_is_batched if n >= 0 else n for n in plan["walked"]])
    return {**plan, "joined": (size, *plan["joined"]), "walked": (0 if x_is_batched else -1, *walked),
            "indexed": tuple([axis + x_is_batched for axis in plan["indexed"]]),
            "block": tuple([axis + x_is_batched for axis in plan["block"]])}
