"""Graph descriptions: the input of compiler passes, without extents.

A description has all that a plan depends on, and two hints for the order of steps: the present size of storage and the
order of creation. Graphs whose descriptions are equal but for the hints share a plan. Nodes are identified by position;
inputs come before their readers. A pass takes a description and returns a new one.
"""
from libc.string cimport memcpy, memset

from numpy cimport NPY_DOUBLE

from typing import NamedTuple

from lazyarr._core.ir.node cimport REDUCE


cdef enum:
    BLOCK = 8192            # bytes allocated at a time


class NodeInfo(NamedTuple):
    """A node as passes see it, to make and read descriptions in Python.

    Attributes
    ----------
    kind, flags, loop, attr : int
        As in `node.pxd` and `fingerprint.pxd`; of a REDUCE, ``attr`` has its axes as bits and, above 64 of them,
        whether it searches or scans.
    inputs : tuple of int
        Positions of its operands.
    shape : int
        The number of its shape among those that occur.
    itemsize, typenum : int
        Bytes an element, and NumPy's number of the dtype.
    outs : tuple of int
        Item sizes of the loop's outputs.
    like : int
        Of a VIEW or SCALAR, the position of the same one before it; of an OPAQUE, of the first call of the same
        function, whatever its operands; otherwise -1.
    nbytes, serial : int
        Hints: what its storage takes, and a number that grows from node to node as they are made.
    mark : int
        Of a SCALAR, which constant it is (`const_guards.pxd`).
    cheap : int
        Of a cheap operation, the bytes of its widest operand, otherwise 0.
    outer : bool
        Of a REDUCE, whether the last axis is kept.
    contiguous : bool
        Whether what is computed lies in C order.
    """

    kind: int
    inputs: tuple
    shape: int
    itemsize: int
    flags: int
    loop: int
    outs: tuple
    attr: int
    like: int = -1
    nbytes: float = 0
    mark: int = 0
    cheap: int = 0
    outer: bool = False
    serial: int = 0
    typenum: int = NPY_DOUBLE
    contiguous: bool = True


cdef class Graph:
    """The description of a graph.

    Parameters
    ----------
    infos : iterable of NodeInfo or tuple
    fast_math : bool
        Whether rewrite rules that change bits apply.
    """
    def __init__(self, infos=(), bint fast_math=False):
        cdef int i, j
        cdef Described* node
        infos = [NodeInfo(*info) for info in infos]
        self.fast_math = fast_math
        _make_room(self, <int>len(infos))
        for i in range(self.count):
            info = infos[i]
            node = &self.nodes[i]
            node.kind, node.shape, node.itemsize, node.flags = info.kind, info.shape, info.itemsize, info.flags
            node.loop, node.like = info.loop, i if info.like < 0 else info.like
            node.nbytes, node.mark, node.cheap = info.nbytes, info.mark, info.cheap
            node.outer, node.serial, node.typenum = info.outer, info.serial, info.typenum
            node.contiguous = info.contiguous
            if node.kind == REDUCE:
                node.axes, node.attr = info.attr & 0xffffffffffffffff, info.attr >> 64
            else:
                node.attr = info.attr
            node.ninputs, node.inputs = len(info.inputs), self.ints(len(info.inputs))
            node.nouts, node.outs = len(info.outs), self.ints(len(info.outs))
            for j in range(node.ninputs):
                node.inputs[j] = info.inputs[j]
            for j in range(node.nouts):
                node.outs[j] = info.outs[j]

    def __len__(self):
        return self.count

    def __iter__(self):
        for i in range(self.count):
            yield self[i]

    def __getitem__(self, Py_ssize_t i):
        cdef Described* node
        cdef int j
        if not 0 <= i < self.count:
            raise IndexError(f"a graph of {self.count} nodes has no node {i}")
        node = &self.nodes[i]
        return NodeInfo(
            node.kind, tuple([j for j in node.inputs[:node.ninputs]]), node.shape, node.itemsize, node.flags, node.loop,
            tuple([j for j in node.outs[:node.nouts]]),
            node.axes | <object>node.attr << 64 if node.kind == REDUCE else node.attr,
            -1 if node.like == i else node.like, node.nbytes, node.mark, node.cheap, node.outer,
            node.serial, node.typenum, node.contiguous)

    cdef Graph copy(self):
        cdef Graph made = new_graph(self.count)
        cdef Described* node
        cdef int* inputs
        cdef int i, ninputs = 0
        made.fast_math = self.fast_math
        made.memory.append(self)  # keeps `outs` alive
        memcpy(made.nodes, self.nodes, self.count * sizeof(Described))
        for i in range(self.count):
            ninputs += self.nodes[i].ninputs
        inputs = made.ints(ninputs)
        for i in range(self.count):
            node = &made.nodes[i]
            memcpy(inputs, node.inputs, node.ninputs * sizeof(int))
            node.inputs = inputs
            inputs += node.ninputs
        return made

    cdef void* zeros(self, size_t nbytes) except NULL:
        """Return zeroed memory that lives as long as the graph."""
        cdef char* made
        nbytes = (nbytes + 8) & ~<size_t>7  # aligned, and never NULL
        if nbytes > self.left:
            self.left = max(nbytes, <size_t>BLOCK)
            block = bytearray(self.left)
            self.memory.append(block)
            self.free = block
        made = self.free
        self.free += nbytes
        self.left -= nbytes
        return made

    cdef int* ints(self, Py_ssize_t count, int value=0) except NULL:
        """Return an array of `count` ints, all 0 or all -1, that lives as long as the graph."""
        cdef int* made = <int*>self.zeros(count * sizeof(int))
        if value:
            memset(made, 0xff, count * sizeof(int))
        return made


cdef Graph new_graph(int count):
    """Return an empty description of `count` nodes."""
    cdef Graph made = Graph.__new__(Graph)
    _make_room(made, count)
    return made


cdef int _make_room(Graph graph, int count) except -1:
    graph.count, graph.memory = 0, []
    graph.nodes = <Described*>graph.zeros(count * sizeof(Described))
    graph.count = count
    return 0
