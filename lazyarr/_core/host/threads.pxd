"""The only gate to threads: each parallel loop of the package gets its team size here, and runs here."""
from numpy cimport npy_intp

from lazyarr._core.host.fp_status cimport lz_fetch_add

ctypedef void (*Share)(void* job, int thread, int threads) noexcept nogil
ctypedef void (*Body)(void* job, int thread, npy_intp first, npy_intp end) noexcept nogil

cdef double LONGEST_UNINTERRUPTED_NS

cdef struct Watch:          # polling state of a running step: whether a signal handler has raised
    double seen             # when thread 0 last polled, in seconds; infinite: never
    bint stopped
    int flags               # status flags

cdef struct WorkQueues:     # units of a job in queues, with work stealing
    npy_intp units
    npy_intp grab           # units taken at a time
    int count               # number of queues: one per thread, or one for all
    bint is_shared          # between threads
    npy_intp* next          # next unit of each queue, a cache line apart (`QUEUE_STEP`)
    npy_intp* ends          # end of each queue; NULL: units are dealt evenly

cdef enum:
    QUEUE_STEP = 8          # numbers in a cache line

cdef int team_size(double work_ns) noexcept nogil
cdef int team_for(double work_ns) noexcept nogil
cdef void book_work(double work_ns) noexcept nogil
cdef double expect_work(double work_ns) noexcept
cdef double end_work(double start) noexcept
cdef bint is_small(double work_ns) noexcept nogil
cdef int most_threads() noexcept nogil
cdef int free_threads() noexcept nogil
cdef bint set_busy(bint busy) noexcept nogil
cdef void step_ended(double work_ns) noexcept nogil
cdef void start_watch(Watch* watch, double work_ns) noexcept nogil
cdef bint must_stop(Watch* watch, int thread) noexcept nogil
cdef void run_team(int threads, Share share, void* job) noexcept nogil
cdef void parallel_for(npy_intp units, int threads, Body body, void* job) noexcept nogil
cdef int own_number() noexcept nogil
cdef void deal_evenly(WorkQueues* queues, npy_intp units, npy_intp grab, int count, int threads) noexcept nogil
cdef void deal_by_cost(WorkQueues* queues, double* costs, int units, int threads) noexcept nogil
cdef int run_watched(Watch* watch, double work_ns, int threads, Share share, void* job) except -1


cdef inline npy_intp first_of_share(npy_intp units, int thread, int threads) noexcept nogil:
    """Return the first unit of a thread's share if units are dealt evenly; it ends at the next thread's."""
    return units * thread // threads


cdef inline npy_intp take_units(WorkQueues* queues, int thread, int* turn, npy_intp* end) noexcept nogil:
    """Take the next units from a thread's own queue, then from other threads'; -1 if there are none.

    `turn`, initially 0, counts empty queues. `end` is set to the end of the units taken.
    """
    cdef npy_intp first
    cdef int queue
    while turn[0] < queues.count:
        queue = (thread + turn[0]) % queues.count
        end[0] = queues.ends[queue] if queues.ends is not NULL \
            else first_of_share(queues.units, queue + 1, queues.count)
        if queues.is_shared:
            first = lz_fetch_add(&queues.next[QUEUE_STEP * queue], queues.grab)
        else:
            first = queues.next[QUEUE_STEP * queue]
            queues.next[QUEUE_STEP * queue] += queues.grab
        if first < end[0]:
            end[0] = min(first + queues.grab, end[0])
            return first
        turn[0] += 1
    return -1
