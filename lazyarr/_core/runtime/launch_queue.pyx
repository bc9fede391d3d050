"""Queues of kernel launches that are submitted to a CUDA device together.

A launch by the driver takes the host longer than everything else for a small kernel. So launches are queued, and
submitted before anything else enters their stream. A repeated sequence is launched as a CUDA graph: one call, plus one
for each kernel whose arguments changed.

The driver is called with the GIL held, so other threads and signal handlers run before or after a method, never inside.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memmove

cimport cython

from collections import OrderedDict

cdef extern from "Python.h":
    int PyGC_Disable() noexcept
    int PyGC_Enable() noexcept

cdef enum:
    MOST_LAUNCHES = 64      # per submission: the device starts while the host prepares more
    LEAST_NODES = 4         # smallest graph
    MOST_GRAPHS = 64        # and of sequences that may become graphs, the most recent ones
    MOST_ARGUMENTS = 128    # arguments of a kernel

queue_length, least_nodes, most_graphs = MOST_LAUNCHES, LEAST_NODES, MOST_GRAPHS    # for tests

cdef struct Shape:          # the parts of a launch that a graph cannot change
    void* function
    unsigned int groups, threads
    int nlayout, npointers

cdef struct NodeParameters:     # CUDA_KERNEL_NODE_PARAMS_v2
    void* function
    unsigned int grid[3]
    unsigned int block[3]
    unsigned int shared_bytes
    void** arguments
    void** extra
    void* kernel
    void* context               # NULL: the current context

cdef struct Functions:
    int (*push)(void* context) noexcept
    int (*pop)(void** context) noexcept
    int (*launch)(void* function, unsigned int x, unsigned int y, unsigned int z, unsigned int block_x,
                  unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, void* stream,
                  void** arguments, void** extra) noexcept
    int (*create)(void** graph, unsigned int flags) noexcept
    int (*add)(void** node, void* graph, void** dependencies, size_t count, NodeParameters* parameters) noexcept
    int (*instantiate)(void** executable, void* graph, unsigned long long flags) noexcept
    int (*update)(void* executable, void* node, NodeParameters* parameters) noexcept
    int (*launch_graph)(void* executable, void* stream) noexcept
    int (*destroy)(void* graph) noexcept
    int (*destroy_executable)(void* executable) noexcept

cdef tuple _NAMES = ("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuLaunchKernel")
graph_functions = ("cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags",
                   "cuGraphExecKernelNodeSetParams_v2", "cuGraphLaunch", "cuGraphDestroy", "cuGraphExecDestroy")


@cython.final
@cython.no_gc
cdef class _Sequence:
    """A submitted sequence of launches, and its graph once it was repeated."""

    cdef bytes shapes, arguments
    cdef void* graph
    cdef void* executable
    cdef void** nodes
    cdef bint has_failed        # it cannot become a graph

    def __dealloc__(self):
        free(self.nodes)


@cython.final
cdef class LaunchQueue:
    """The pending launches of a stream.

    Parameters
    ----------
    addresses : dict
        Of the driver's functions, by name; without those of `graph_functions` no graphs are used.
    context, stream : int

    Attributes
    ----------
    failed : str
        The function that failed last.
    """

    cdef Functions functions
    cdef void* context
    cdef void* stream
    cdef readonly str failed
    cdef bint makes_graphs
    cdef int count
    cdef Shape shapes[MOST_LAUNCHES]
    cdef int firsts[MOST_LAUNCHES + 1]  # offsets of their arguments
    cdef int64_t* words                 # all arguments, concatenated
    cdef int room                       # capacity of `words`
    cdef object known                   # sequences by shapes and arguments
    cdef dict last                      # the most recent sequence by shapes

    def __init__(self, dict addresses, size_t context, size_t stream):
        cdef void** functions = <void**>&self.functions
        cdef int k
        for k, name in enumerate(_NAMES + graph_functions):
            functions[k] = <void*><size_t>addresses.get(name, 0)
        self.makes_graphs = all(name in addresses for name in graph_functions)
        self.context, self.stream = <void*>context, <void*>stream
        self.known, self.last, self.failed = OrderedDict(), {}, ""

    def __dealloc__(self):
        free(self.words)

    def __len__(self):
        return self.count

    @property
    def is_full(self):
        return self.count == MOST_LAUNCHES

    @property
    def graphs(self):
        """The number of cached graphs."""
        return sum([(<_Sequence>sequence).executable is not NULL for sequence in self.known.values()])

    def add(self, size_t function, unsigned int groups, unsigned int threads, list layout, list addresses,
            list launched):
        """Queue a launch, and set the one bool of `launched`; the queue must not be full."""
        cdef int nlayout = <int>len(layout), npointers = <int>len(addresses), first = self.firsts[self.count]
        cdef int end = first + nlayout + npointers, room = self.room, k
        cdef int64_t* words = self.words
        if self.count == MOST_LAUNCHES or npointers >= MOST_ARGUMENTS:
            raise ValueError("the launch does not fit")
        if end > room:
            room = 2 * end
            words = <int64_t*>realloc(words, room * sizeof(int64_t))
            if words is NULL:
                raise MemoryError
            self.words, self.room = words, room
        for k in range(nlayout):
            words[first + k] = layout[k]
        for k in range(npointers):
            words[first + nlayout + k] = <int64_t><size_t>addresses[k]
        self.shapes[self.count] = Shape(<void*>function, groups, threads, nlayout, npointers)
        self.count += 1
        self.firsts[self.count] = end
        launched[0] = True

    def submit(self):
        """Launch all that is queued; return a CUresult. What could not be launched stays in the queue."""
        cdef void* popped
        cdef int result
        if self.count == 0:
            return 0
        result = self.functions.push(self.context)
        if result:
            self.failed = "cuCtxPushCurrent_v2"
            return result
        try:
            if self.count >= LEAST_NODES and self.makes_graphs and self.launch_as_graph():
                self.count = 0
            else:
                result = self.launch_singly()
        finally:
            self.functions.pop(&popped)
        return result

    def forget(self):
        """Destroy all sequences and their graphs after they have run; the context is current."""
        for sequence in self.known.values():
            self.destroy(<_Sequence>sequence)
        self.known.clear()
        self.last.clear()

    cdef int launch_singly(self) noexcept:
        cdef void* arguments[MOST_ARGUMENTS]
        cdef Shape* shape
        cdef int result = 0, done = 0, k, first
        while done < self.count and result == 0:
            shape = &self.shapes[done]
            _point(shape, self.words + self.firsts[done], arguments)
            result = self.functions.launch(shape.function, shape.groups, 1, 1, shape.threads, 1, 1, 0, self.stream,
                                           arguments, NULL)
            done += result == 0
        first = self.firsts[done]
        self.count -= done
        if self.count:
            self.failed = "cuLaunchKernel"
            memmove(self.words, self.words + first, (self.firsts[done + self.count] - first) * sizeof(int64_t))
            memmove(self.shapes, self.shapes + done, self.count * sizeof(Shape))
            for k in range(self.count + 1):
                self.firsts[k] = self.firsts[done + k] - first
        return result

    cdef bint launch_as_graph(self) except -1:
        """Launch the queued sequence as a graph; return False, with nothing launched, if that saves no calls."""
        cdef _Sequence sequence
        cdef bint collects = PyGC_Disable(), done = False    # a finalizer may submit the queue
        try:
            shapes = PyBytes_FromStringAndSize(<char*>self.shapes, self.count * sizeof(Shape))
            arguments = PyBytes_FromStringAndSize(<char*>self.words, self.firsts[self.count] * sizeof(int64_t))
            key = shapes + arguments
            sequence = self.find(shapes, arguments, key)
            if sequence is None:
                sequence = _Sequence.__new__(_Sequence)
                sequence.shapes = shapes
                if len(self.known) >= MOST_GRAPHS:
                    self.drop(<_Sequence>self.known.popitem(last=False)[1])
            elif not sequence.has_failed:
                done = self.update_graph(sequence) \
                    and self.functions.launch_graph(sequence.executable, self.stream) == 0
                sequence.has_failed = not done
                if not done:
                    self.destroy(sequence)
            sequence.arguments = arguments
            self.known[key] = self.last[shapes] = sequence
            self.known.move_to_end(key)
        finally:
            if collects:
                PyGC_Enable()
        return done

    cdef _Sequence find(self, bytes shapes, bytes arguments, bytes key):
        """Return the sequence to relaunch: an equal one, or the last of equal shapes if most arguments are equal.

        The latter is no longer found by its old arguments.
        """
        cdef _Sequence sequence = self.known.get(key)
        cdef int k, changed = 0
        if sequence is None:
            sequence = self.last.get(shapes)
            if sequence is not None:
                for k in range(self.count):
                    changed += self.is_changed(sequence, k)
                if 2 * changed > self.count:
                    return None
                self.known.pop(shapes + sequence.arguments, None)
        return sequence

    cdef bint is_changed(self, _Sequence sequence, int k) noexcept:
        cdef int first = self.firsts[k]
        return memcmp(<int64_t*><char*>sequence.arguments + first, self.words + first,
                      (self.firsts[k + 1] - first) * sizeof(int64_t)) != 0

    cdef bint update_graph(self, _Sequence sequence) noexcept:
        """Create the graph of a sequence or update changed arguments; return False on failure."""
        cdef NodeParameters parameters
        cdef void* pointers[MOST_ARGUMENTS]
        cdef int k
        if sequence.executable is NULL:
            return self.make_graph(sequence)
        for k in range(self.count):
            if self.is_changed(sequence, k):
                self.describe(k, &parameters, pointers)
                if self.functions.update(sequence.executable, sequence.nodes[k], &parameters):
                    return False
        return True

    cdef bint make_graph(self, _Sequence sequence) noexcept:
        cdef NodeParameters parameters
        cdef void* pointers[MOST_ARGUMENTS]
        cdef int k
        sequence.nodes = <void**>malloc(self.count * sizeof(void*))
        if sequence.nodes is NULL or self.functions.create(&sequence.graph, 0):
            return False
        for k in range(self.count):
            self.describe(k, &parameters, pointers)
            if self.functions.add(&sequence.nodes[k], sequence.graph, sequence.nodes + k - 1 if k else NULL, k > 0,
                                  &parameters):
                return False
        return self.functions.instantiate(&sequence.executable, sequence.graph, 0) == 0

    cdef void describe(self, int k, NodeParameters* parameters, void** pointers) noexcept:
        cdef Shape* shape = &self.shapes[k]
        _point(shape, self.words + self.firsts[k], pointers)
        parameters[0] = NodeParameters(shape.function, [shape.groups, 1, 1], [shape.threads, 1, 1], 0, pointers, NULL,
                                       NULL, NULL)

    cdef int drop(self, _Sequence sequence) except -1:
        """Destroy a sequence that was removed from the cache."""
        if self.last.get(sequence.shapes) is sequence:
            del self.last[sequence.shapes]
        self.destroy(sequence)
        return 0

    cdef void destroy(self, _Sequence sequence) noexcept:
        """Destroy the graph of a sequence, if any; the driver frees it once it has run."""
        if sequence.executable is not NULL:
            self.functions.destroy_executable(sequence.executable)
        if sequence.graph is not NULL:
            self.functions.destroy(sequence.graph)
        free(sequence.nodes)
        sequence.graph = sequence.executable = sequence.nodes = NULL


cdef void _point(Shape* shape, int64_t* words, void** arguments) noexcept:
    """Set pointers to the arguments of a launch: the layout and the kernel's pointers."""
    cdef int k
    arguments[0] = words
    for k in range(shape.npointers):
        arguments[k + 1] = words + shape.nlayout + k
