"""Graphs described for passes: what can be said of each node without its extents.

Everything a plan depends on is here, and nothing else, but for what storage takes at present and when nodes were made,
hints for the order of steps: graphs with otherwise equal descriptions have one plan. Positions identify nodes;
inputs come before the nodes that read them. A pass takes a description and returns another one.
"""
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from numpy cimport NPY_DOUBLE

from typing import NamedTuple

from lazyarr._core.ir.node cimport REDUCE


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
        Of a VIEW or SCALAR, the position of the same one before it, otherwise -1.
    nbytes, serial : int
        Hints: what its storage takes, and a number that grows from node to node as they are made.
    mark : int
        Of a SCALAR, which constant it is (`const_guards.pxd`).
    cheap : int
        Of a cheap operation, the bytes of its widest operand, otherwise 0.
    outer : bool
        Of a REDUCE, whether the last axis is kept.
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


cdef class Graph:
    """The description of a graph.

    Parameters
    ----------
    infos : iterable of NodeInfo or tuple
    fast_math : bool
        Whether rewrite rules that change bits apply.
    """
    def __init__(self, infos=(), bint fast_math=False):
        cdef int i, first_input = 0, first_out = 0, j
        cdef Described* node
        infos = [NodeInfo(*info) for info in infos]
        self.fast_math = fast_math
        _allocate(self, len(infos), sum([len(info.inputs) for info in infos]), sum([len(info.outs) for info in infos]))
        for i in range(self.count):
            info = infos[i]
            node = &self.nodes[i]
            node.kind, node.shape, node.itemsize, node.flags = info.kind, info.shape, info.itemsize, info.flags
            node.loop, node.axes, node.like = info.loop, 0, i if info.like < 0 else info.like
            node.nbytes, node.mark, node.cheap = info.nbytes, info.mark, info.cheap
            node.outer, node.serial, node.typenum = info.outer, info.serial, info.typenum
            if node.kind == REDUCE:
                node.axes, node.attr = info.attr & 0xffffffffffffffff, info.attr >> 64
            else:
                node.attr = info.attr
            node.ninputs, node.first_input = len(info.inputs), first_input
            node.nouts, node.first_out = len(info.outs), first_out
            for j in range(node.ninputs):
                self.inputs[first_input + j] = info.inputs[j]
            for j in range(node.nouts):
                self.outs[first_out + j] = info.outs[j]
            first_input += node.ninputs
            first_out += node.nouts

    def __dealloc__(self):
        free(self.nodes)
        free(self.inputs)
        free(self.outs)

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
            node.kind, tuple([self.inputs[node.first_input + j] for j in range(node.ninputs)]), node.shape,
            node.itemsize, node.flags, node.loop, tuple([self.outs[node.first_out + j] for j in range(node.nouts)]),
            node.axes | <object>node.attr << 64 if node.kind == REDUCE else node.attr,
            -1 if node.like == i else node.like, node.nbytes, node.mark, node.cheap, node.outer,
            node.serial, node.typenum)

    cdef Graph copy(self):
        cdef Graph made = Graph.__new__(Graph)
        _allocate(made, self.count, self.ninputs, self.nouts)
        made.fast_math = self.fast_math
        memcpy(made.nodes, self.nodes, self.count * sizeof(Described))
        memcpy(made.inputs, self.inputs, self.ninputs * sizeof(int))
        memcpy(made.outs, self.outs, self.nouts * sizeof(int))
        return made

    cdef int add_inputs(self, int count) except -1:
        """Reserve room for the inputs of a node that gets more of them; `inputs` may move."""
        cdef int first = self.ninputs
        cdef int* grown
        if first + count > self.room:
            grown = <int*>realloc(self.inputs, 2 * (first + count) * sizeof(int))
            if grown is NULL:
                raise MemoryError()
            self.inputs, self.room = grown, 2 * (first + count)
        self.ninputs += count
        return first


cdef Graph new_graph(int count, int ninputs, int nouts):
    """A description of `count` nodes, to be filled in."""
    cdef Graph made = Graph.__new__(Graph)
    _allocate(made, count, ninputs, nouts)
    return made


cdef int _allocate(Graph graph, int count, int ninputs, int nouts) except -1:
    free(graph.nodes)
    free(graph.inputs)
    free(graph.outs)
    graph.count = 0
    graph.nodes = <Described*>malloc((count + 1) * sizeof(Described))
    graph.inputs = <int*>malloc((ninputs + 1) * sizeof(int))
    graph.outs = <int*>malloc((nouts + 1) * sizeof(int))
    if graph.nodes is NULL or graph.inputs is NULL or graph.outs is NULL:
        raise MemoryError()
    graph.count, graph.ninputs, graph.nouts, graph.room = count, ninputs, nouts, ninputs
    return 0
