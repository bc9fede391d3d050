"""Groups of consecutive steps that run together."""
from lazyarr._core.host.switch cimport Switch
from lazyarr._core.host.threads cimport Share, Watch, WorkQueues
from lazyarr._core.host.worker_trace cimport Span
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.row_blocks cimport Team

cdef struct Grouping:   # state of one run of a plan, initially zero
    int done            # steps that just ran together
    int alone           # the first step that may be grouped; earlier ones run alone
    double work         # their work in ns on one thread
    bint asked, allowed

cdef struct GroupJob:       # state shared by the threads of a group
    Team team
    WorkQueues queues   # queues of programs, or of blocks of rows
    int shared          # the program that all threads share, or -1
    Watch watch
    Span* spans         # by program and thread: when it ran; NULL if not observed

cdef class StepGroup:
    # set by the caller
    cdef Walk* w
    cdef list steps, aliases
    cdef list timeline      # None: not observed
    cdef int first, threads
    cdef Switch switch      # counts such groups
    cdef Share share        # function of each thread
    cdef double work
    cdef bint runs_to_end   # cannot be interrupted
    # set by `prepare`
    cdef int count          # of steps
    cdef list placed        # by step: allocations to undo, whether old values are overwritten
    cdef GroupJob job

    cdef list run(self, int wanted, Grouping* grouping)
    cdef int prepare(self, int wanted) except -1
    cdef int leave(self, bint forget) except -1
    # overridden by kinds of groups
    cdef int place(self, Step step, list moved, bint* overwrites) except -1
    cdef bint lay_out(self, int k, TileProgram p, list moved, bint overwrites) except -1
    cdef int deal(self) except -1
    cdef tuple times(self, int k)

cdef bint may_group(Walk* w, Grouping* grouping) except -1
cdef bint are_harmless(Walk* w) except -1
