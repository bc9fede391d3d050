"""Residuals: the values of each round that a loop or a branch keeps for its derivative, in tapes.

The derivative of a loop runs from the last round to the first. A tape owns the memory of values as the rounds left it;
nothing is copied.
"""
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

cimport cython
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.control.leaf_memory cimport owner_of, put_in_place
from lazyarr._core.ir.ndarrays cimport as_ndarray, writeable_array
from lazyarr._core.ir.node cimport LEAF, Node, finish_layout, new_node
from lazyarr._core.ir.placeholder cimport node_like

import numpy as np

cnp.import_array()


@cython.final
cdef class Tape:
    """Memory of values computed in each round; missing values are zero.

    So are columns after the last: a derivative may not reach all values that a tape was made for.
    """

    def __cinit__(self, int columns, Py_ssize_t rounds):
        self.columns = columns
        self.owners = []
        self.grow(rounds)

    def __dealloc__(self):
        free(self.data)

    cdef int grow(self, Py_ssize_t rounds) except -1:
        """Make room for at least `rounds` rounds."""
        cdef char** grown
        if rounds <= self.rounds:
            return 0
        if rounds > self.room:
            grown = <char**>realloc(self.data, 2 * rounds * (self.columns + 1) * sizeof(char*))
            if grown is NULL:
                raise MemoryError()
            self.data = grown
            self.room = 2 * rounds
        self.owners.extend([None] * ((rounds - self.rounds) * self.columns))
        self.rounds = rounds
        return 0

    cdef int write(self, Py_ssize_t t, list nodes, tuple outputs) except -1:
        """Store outputs of round t; nothing for output -1."""
        cdef Py_ssize_t at = t * self.columns
        cdef Node node
        cdef int k, which
        if t >= self.rounds:
            self.grow(t + 1)
        for k in range(self.columns):
            which = outputs[k]
            if which >= 0:
                node = nodes[which]
                self.owners[at + k] = owner_of(node)
                self.data[at + k] = node.data
        return 0

    cdef int put(self, Py_ssize_t t, int column, object owner, char* data) except -1:
        """Store the memory at `data` as a value of round t, for which there is room."""
        self.owners[t * self.columns + column] = owner
        self.data[t * self.columns + column] = data
        return 0


cdef int read_tape(object tape, Py_ssize_t t, int column, Node leaf) except -1:
    """Point a leaf at a value of round t: for a sum of tapes at the sum, for a missing value at zeros."""
    _read(tape, t, column, leaf)
    return put_in_place(leaf)


cdef int _read(object tape, Py_ssize_t t, int column, Node leaf) except -1:
    cdef Tape kept
    cdef Py_ssize_t at
    if type(tape) is tuple:
        return _read_sum(<tuple>tape, t, column, leaf)
    if type(tape) is Shared:
        return _read_shared((<Shared>tape).tape, t, column, leaf)
    if tape is not None:
        kept = <Tape?>tape
        at = t * kept.columns + column
        if column < kept.columns and kept.owners[at] is not None:
            leaf.owner = kept.owners[at]
            leaf.data = kept.data[at]
            return 0
    return point_at(leaf, np.array(None, object) if leaf.typenum < 0 else np.zeros(leaf.span, np.uint8))


cdef int point_at(Node leaf, object memory) except -1:
    leaf.owner = memory
    leaf.data = <char*>cnp.PyArray_DATA(<cnp.ndarray>memory)
    return 0


cdef int _read_sum(tuple tapes, Py_ssize_t t, int column, Node leaf) except -1:
    cdef list values = []
    cdef Node one = node_like(leaf, LEAF)    # on the host
    for tape in tapes:
        read_tape(tape, t, column, one)
        values.append(as_ndarray(one))
    if leaf.typenum < 0:
        out = np.empty((), object)
        out[()] = _sum_of([value.item() for value in values])
        return point_at(leaf, out)
    point_at(one, np.zeros(leaf.span, np.uint8))
    writeable_array(one)[...] = sum(values)
    leaf.owner, leaf.data = one.owner, one.data
    return 0


@cython.final
cdef class Shared:
    """A tape shared by all elements of a batch, read like one whose columns are batches."""
    cdef object tape


cdef int _read_shared(object tape, Py_ssize_t t, int column, Node leaf) except -1:
    cdef Node one, all = node_like(leaf, LEAF)
    if leaf.typenum < 0:
        _read(tape, t, column, leaf)
        return point_at(leaf, share_tape(as_ndarray(leaf)))
    one = new_node(LEAF, leaf.ndim - 1, leaf.shape + 1, leaf.dtype, leaf.typenum)
    memcpy(one.strides, leaf.strides + 1, one.ndim * sizeof(npy_intp))
    one.offset, one.span = leaf.offset, leaf.span // leaf.shape[0]
    finish_layout(one)
    read_tape(tape, t, column, one)
    point_at(all, np.zeros(leaf.span, np.uint8))
    writeable_array(all)[...] = as_ndarray(one)
    leaf.owner, leaf.data = all.owner, all.data
    return 0


def share_tape(array):
    """Wrap the tape in a 0-d array as one whose columns are batches."""
    cdef Shared made = Shared.__new__(Shared)
    made.tape = array.item()
    return wrapped(made)


cdef object _sum_of(list tapes):
    """Return the lazy sum of tapes of the same form."""
    cdef list flat = []
    for tape in tapes:
        if tape is not None:
            flat += tape if type(tape) is tuple else (tape,)
    return tuple(flat) if len(flat) > 1 else flat[0] if flat else None


def add_tapes(*arrays):
    """Return an array of the sums of the tapes in arrays of one shape."""
    out = np.empty(arrays[0].shape, object)
    for place in np.ndindex(out.shape):
        out[place] = _sum_of([array[place] for array in arrays])
    return out


add_tapes.pull_back = lambda g, out, operands, wanted: [g] * len(operands)


cdef object wrapped(object tape):
    out = np.empty((), object)
    out[()] = tape
    return out
