"""The only gate to threads: every parallel loop of the package asks here how many to use, and runs here."""
from numpy cimport npy_intp

from lazyarr._core.host.fp_status cimport lz_fetch_add

ctypedef void (*Share)(void* job, int thread, int threads) noexcept nogil
ctypedef void (*Body)(void* job, int thread, npy_intp first, npy_intp end) noexcept nogil

cdef double LONGEST_UNINTERRUPTED_NS

cdef struct Watch:          # what happens while a step runs: whether a signal handler has raised
    double seen             # when thread 0 last looked, in seconds; infinite where it never does
    bint stopped
    int flags               # raised floating-point flags

cdef struct WorkQueues:     # units of a job, dealt to the threads of a team, which take them from each other in the end
    npy_intp units
    npy_intp grab           # units that a thread takes at a time
    int count               # queues, one a thread; or one that all threads take from in turn
    bint is_shared          # between threads
    npy_intp* next          # the next unit of each queue, a cache line apart (`QUEUE_STEP`)
    npy_intp* ends          # the end of each queue; NULL where units are dealt evenly

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
    """Where the share of a thread begins if units are dealt evenly; it ends where the next thread's begins."""
    return units * thread // threads


cdef inline npy_intp take_units(WorkQueues* queues, int thread, int* turn, npy_intp* end) noexcept nogil:
    """Take the next units from a thread's own queue, then from the other threads'; -1 when there are none.

    `turn`, 0 in the beginning, counts the queues that were found empty. The units taken end at `end`.
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
