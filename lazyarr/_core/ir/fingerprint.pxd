"""Graph traversal: topological order and fingerprint."""
from cpython.object cimport PyObject
from libc.stdint cimport uint32_t, uint64_t
from lazyarr._core.ir.node cimport Node

cdef enum:
    ESCAPES = 1
    CONSUMABLE = 2

cdef struct Walk:
    PyObject** nodes
    int count
    int room
    PyObject** stack
    int* child
    uint32_t* words          # the fingerprint
    int nwords
    int words_room
    int* classes             # position of the first node of each shape class
    int* class_of
    int nclasses
    int* first_equal          # by node: the first equal view, constant or call of the same function
    uint64_t* equal_nodes            # hash table of those: epoch and position
    int nmet
    int met_room
    int* status
    bint remembered          # some nodes keep their history: their inputs must not be overwritten
    bint has_slices          # some views use little of their operand (slice_pushdown.pyx)
    bint is_template         # the graph is evaluated repeatedly: its nodes stay pending
    PyObject* arena          # the `Arena` of the running evaluation, or NULL
    bint failed              # evaluation found failed nodes
    bint skips_memo              # a call reported flags itself or ran on another backend: keep no memo
    bint reentered           # a nested evaluation may have completed remaining nodes

cdef int walk(Walk* w, PyObject** roots, int count) except -1
cdef uint64_t hash_words(uint32_t* words, int n) noexcept
cdef unsigned char* node_flags(Walk* w) noexcept
cdef bint cuts_enough(Node view, Node storage) noexcept
cdef bint sole_owner(PyObject* node) noexcept
cdef bint stores_nothing(Node node) noexcept
cdef void release_walk(Walk* w) noexcept
cdef bint nans_are_watched() noexcept
