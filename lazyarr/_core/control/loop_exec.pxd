"""Loop execution."""
from lazyarr._core.control.runner cimport Runner
from lazyarr._core.control.subgraph cimport Subgraph
from lazyarr._core.ir.device_function cimport DeviceFunction

cdef class Loop(DeviceFunction):
    cdef readonly Subgraph body, test
    cdef readonly int ncarry, nxs, nys
    cdef readonly Py_ssize_t length
    cdef readonly object start
    cdef readonly tuple tapes
    cdef readonly list groups  # by resulting tape: output indices of the body
    cdef readonly bint reverse
    cdef Runner run_body, run_test

    cdef list _run_on(self, int device, object operands)
    cdef list _run(self, Runner body, Runner test, tuple arrays)
    cdef bint _may_run_on_rows(self, Runner body, Py_ssize_t rounds) except -1
    cdef Py_ssize_t _run_on_rows(self, Runner body, Py_ssize_t* n, Py_ssize_t done, tuple arrays, list tapes,
                                 list stacks, list kept) except -1
    cdef bint _goes_on(self, Runner body, Runner test) except -1
    cdef int _begin_round(self, Py_ssize_t done, Py_ssize_t n) except -1
    cdef list _run_there(self, Runner body, Runner test, list operands)
    cdef bint _goes_on_there(self, Runner body, Runner test) except -1
