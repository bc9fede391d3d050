"""Memory layout of batches: the batched counterparts of nodes and their storage.

The storage of a batch has the elements side by side, each in its old layout: a window on an element gains a stride.

    storage    |e0........|e1........|e2........|        strides (span, *strides)
    window     |  w0  w0  |  w1  w1  |  w2  w2  |        the same, on this storage
"""
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.ir.builder cimport broadcast_node, cast_node, window_of
from lazyarr._core.ir.node cimport (
    EMPTY, MAX_DIMS, VIEW, Node, count_pending, finish_layout, most_bytes, new_node, new_window, too_big)


cdef class BatchLayout:
    """The batched counterparts of the nodes of one element."""

    cdef Node form(self, int kind, Node node, npy_intp unit):
        """Return a node like this one with a batch axis, without inputs; elements lie multiples of `unit` apart."""
        cdef npy_intp shape[MAX_DIMS]
        cdef npy_intp step = max(node.itemsize, <npy_intp>1)
        cdef Node made
        if node.ndim == MAX_DIMS:
            raise ValueError(f"vmap: an array of {MAX_DIMS} dimensions cannot have one more")
        shape[0] = self.size
        memcpy(shape + 1, node.shape, node.ndim * sizeof(npy_intp))
        made = new_node(kind, node.ndim + 1, shape, node.dtype, node.typenum)
        unit = max(unit, step)
        step = (node.span + unit - 1) // unit * unit
        if <double>step * self.size > most_bytes():
            raise too_big()
        made.strides[0] = step
        memcpy(made.strides + 1, node.strides, node.ndim * sizeof(npy_intp))
        made.offset, made.span = node.offset, step * self.size
        finish_layout(made)
        return made

    cdef Node window(self, Node storage, Node batched, int nd, npy_intp* shape, npy_intp* strides, npy_intp offset,
                     Node like):
        """Return a window on an element's storage as one on the batch's, without input."""
        cdef npy_intp lengths[MAX_DIMS]
        cdef npy_intp steps[MAX_DIMS]
        if nd == MAX_DIMS:
            raise ValueError(f"vmap: an array of {MAX_DIMS} dimensions cannot have one more")
        lengths[0], steps[0] = self.size, batched.strides[0]
        memcpy(lengths + 1, shape, nd * sizeof(npy_intp))
        memcpy(steps + 1, strides, nd * sizeof(npy_intp))
        return new_window(nd + 1, lengths, steps, batched.offset + offset - storage.offset, like.dtype, like.typenum)

    cdef Node storage(self, Node node, npy_intp unit):
        """Return the batched counterpart of a storage, laid out so that windows carry over."""
        cdef Node made = self.found[node]
        cdef bint fits = made.strides[0] % unit == 0 or self.size == 1
        cdef int d
        for d in range(node.ndim):
            if node.shape[d] > 1 and node.strides[d] != made.strides[d + 1]:
                fits = False
        if not fits and node.size:
            if made.typenum < 0:
                raise TypeError(f"vmap: there are no windows on batches of {node.dtype}")
            made = self.found[node] = cast_node(made, made.typenum, self.form(EMPTY, node, unit))
        return made

    cdef Node aligned(self, Node x, int ndim):
        """Return the batched operand for an operation with `ndim` axes; it broadcasts as before."""
        cdef Node made = self.found.get(x)
        cdef npy_intp shape[MAX_DIMS]
        cdef npy_intp strides[MAX_DIMS]
        cdef int lead = ndim - x.ndim, d
        if made is None:
            return x
        if lead <= 0:
            return made
        shape[0], strides[0] = made.shape[0], made.strides[0]
        for d in range(lead):
            shape[d + 1], strides[d + 1] = 1, 0
        memcpy(shape + 1 + lead, made.shape + 1, x.ndim * sizeof(npy_intp))
        memcpy(strides + 1 + lead, made.strides + 1, x.ndim * sizeof(npy_intp))
        return window_of(made, new_window(ndim + 1, shape, strides, made.offset, made.dtype, made.typenum))

    cdef Node whole(self, Node x):
        """Return the batched operand, repeated if it does not depend on an element."""
        cdef Node made = self.found.get(x)
        if made is None:
            made = self.form(EMPTY, x, 1)
            made = broadcast_node(x, made.ndim, made.shape)
        return made

    cdef Node own_storage(self, Node old, npy_intp unit):
        """Return the batched counterpart of a storage for writing."""
        cdef Node made
        if old in self.found:
            made = self.storage(old, max(unit, <npy_intp>1))
            return made if made.kind != VIEW else cast_node(made, made.typenum, self.form(EMPTY, old, unit))
        if old.kind == EMPTY:
            made = self.form(EMPTY, old, unit)
            count_pending(made)
            return made
        return cast_node(self.whole(old), old.typenum, self.form(EMPTY, old, unit))

    cdef Node lines(self, Node x):
        """Return a batch with all axes of an element flattened into one."""
        cdef npy_intp shape[2]
        cdef npy_intp strides[2]
        cdef Node like
        cdef int d
        if not x.contiguous:
            like = new_node(EMPTY, x.ndim, x.shape, x.dtype, x.typenum)
            strides[0] = x.itemsize
            for d in range(x.ndim - 1, -1, -1):
                like.strides[d] = strides[0]
                strides[0] *= x.shape[d]
            like.span = strides[0]
            finish_layout(like)
            x = cast_node(x, x.typenum, like)
        shape[0], shape[1] = self.size, x.size // self.size
        strides[0], strides[1] = shape[1] * x.itemsize, x.itemsize
        return window_of(x, new_window(2, shape, strides, x.offset, x.dtype, x.typenum))
