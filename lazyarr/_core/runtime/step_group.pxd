"""Groups of consecutive steps of a plan that run together."""
from lazyarr._core.host.switch cimport Switch
from lazyarr._core.host.threads cimport Share, Watch, WorkQueues
from lazyarr._core.host.worker_trace cimport Span
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.row_blocks cimport Team

cdef struct Grouping:   # in one run of a plan; zeros to begin with
    int done            # how many steps have just run together
    int alone           # the first step that may be tried again; those before it run by themselves
    double work         # of theirs, in nanoseconds on one thread
    bint asked, allowed

cdef struct GroupJob:       # what the threads of a group see
    Team team
    WorkQueues queues   # of programs, or of blocks of rows
    int shared          # the one program that all threads share, -1 if there is none
    Watch watch
    Span* spans         # by program and thread: when it worked on that; NULL if nobody wants to know

cdef class StepGroup:
    # given
    cdef Walk* w
    cdef list steps, aliases
    cdef list timeline      # None if the evaluation is not observed
    cdef int first, threads
    cdef Switch switch      # that counts such groups
    cdef Share share        # what each thread runs
    cdef double work
    cdef bint runs_to_end   # is not interrupted
    # prepared
    cdef int count          # of steps
    cdef list placed        # of each step: what has moved, whether old values are overwritten
    cdef GroupJob job

    cdef list run(self, int wanted, Grouping* grouping)
    cdef int prepare(self, int wanted) except -1
    cdef int leave(self, bint forget) except -1
    # what kinds of groups differ in
    cdef int place(self, Step step, list moved, bint* overwrites) except -1
    cdef bint lay_out(self, int k, TileProgram p, list moved, bint overwrites) except -1
    cdef int deal(self) except -1
    cdef tuple times(self, int k)

cdef bint may_group(Walk* w, Grouping* grouping) except -1
cdef bint are_harmless(Walk* w) except -1
