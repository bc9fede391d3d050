"""The walk over a graph: its nodes in order, and its fingerprint."""
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
    int* first_like          # position of the first equal view or constant, or of the first call of the same function
    uint64_t* met            # a table of these: the number of the walk, then a position
    int nmet
    int met_room
    int* status
    bint remembered          # some nodes keep their history: what they read must not be overwritten
    bint has_slices          # views show parts of what is computed for little else (slice_pushdown.pyx)
    bint is_template         # its nodes run again: they do not settle
    PyObject* arena          # an `Arena`, of the evaluation that runs; or NULL
    bint failed              # some of its nodes have failed, which their evaluation would find
    bint unkept              # a call has reported flags by itself or had another backend: the memo keeps nothing
    bint overtaken           # an evaluation inside its evaluation may have completed what it still had to run

cdef int walk(Walk* w, PyObject** roots, int count) except -1
cdef uint64_t hash_words(uint32_t* words, int n) noexcept
cdef unsigned char* surroundings(Walk* w) noexcept
cdef bint cuts_enough(Node view, Node storage) noexcept
cdef bint sole_owner(PyObject* node) noexcept
cdef bint stores_nothing(Node node) noexcept
cdef void release_walk(Walk* w) noexcept
cdef bint nans_are_watched() noexcept
