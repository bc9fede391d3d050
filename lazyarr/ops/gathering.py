"""Gathers and scatters through index arrays, natively or by NumPy, with derivatives and batching."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import cast
from lazyarr.ops.scattering import are_indices
from lazyarr.ops.vmap_helpers import each, in_front, moving, on_batch

_INTP = np.dtype(np.intp)


class _AtPlaces(core.Kernel):
    """A gather through index arrays, or its transpose.

    Parameters
    ----------
    name : str
    by_numpy : callable
        The gather by NumPy, a function of ndarrays; it raises NumPy's errors.
    axes : tuple of int or None
        Memory order of the gathered array, outermost first; None for C order.
    plan : dict
        Further arguments of the native functions.
    """

    def __init__(self, name, by_numpy, axes, plan):
        self.name, self.by_numpy, self.axes, self.plan = name, by_numpy, axes, plan

    @staticmethod
    def accept(x, *indices):
        return core.Kernel.accept(x) and are_indices(indices)

    @moving
    def pull_back(self, g, out, operands, wanted):
        x, *indices = operands
        transposed = Scatter if type(self) is Gather else Gather
        made = transposed(self.name, self.by_numpy, self.axes, self.plan).node(g, indices, x.shape)
        return made, *[None] * len(indices)

    def batch(self, call, operands, batched, size):
        """Add the batch axis to the joined axes; a batched x is walked along it."""
        (x, *indices), plan, further = operands, self.plan, batched[0]
        indices = [in_front(index, is_batched, len(plan["joined"]))
                   for index, is_batched in zip(indices, batched[1:], strict=True)]
        plan = {**plan, "joined": (size, *plan["joined"]),
                "walked": (0 if further else -1, *[n + further if n >= 0 else n for n in plan["walked"]]),
                "indexed": tuple([axis + further for axis in plan["indexed"]]),
                "block": tuple([axis + further for axis in plan["block"]])}
        axes = None if self.axes is None else (0, *[axis + 1 for axis in self.axes])
        return type(self)(self.name, each(self.by_numpy, batched), axes, plan).node(x, indices, (size, *call.shape))


class Gather(_AtPlaces):
    """Elements at indices."""

    def __call__(self, out, x, *indices):
        """Fill `out` natively, or with NumPy if an index is out of bounds."""
        if not core.kernels.gather.gather(out, x, indices, **self.plan):
            out[...] = self.by_numpy(x, *indices)

    def reference(self, x, *indices):
        """Gather with NumPy."""
        return self.by_numpy(x, *indices)

    def node(self, x, indices, shape):
        """Return the pending result, an array of this shape."""
        return core.kernel(self.name, self, [x, *[cast(index, _INTP) for index in indices]], shape, x.dtype, self.axes)


class Scatter(_AtPlaces):
    """The transpose of a gather: zeros, with each element added where it was read."""

    def __call__(self, out, g, *indices):
        """Fill `out` natively, or with NumPy if it visits the indices in another order."""
        out[...] = 0
        if self.axes is None and core.kernels.scatter.scatter(
                out, np.ascontiguousarray(g), indices, **self.plan, operation=np.add) >= 0:
            return
        self._add(out, g, indices)

    def _add(self, out, g, indices):
        np.add.at(out.reshape(-1), self.by_numpy(np.arange(out.size).reshape(out.shape), *indices), g)

    def reference(self, g, *indices):
        """Scatter with NumPy."""
        out = np.zeros(self.shape, g.dtype)
        self._add(out, g, indices)
        return out

    def batch(self, call, operands, batched, size):
        """Walk along the batch axis in the result, which always has it."""
        g, *indices = operands
        return super().batch(call, [on_batch(g, batched[0], size), *indices], (True, *batched[1:]), size)

    def node(self, g, indices, shape):
        """Return the pending result, an array of this shape."""
        self.shape = shape
        return core.kernel("scatter", self, [g, *indices], shape, g.dtype)
