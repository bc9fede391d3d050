"""Teams of threads: their size for a step, and the only parallel region."""
from libc.math cimport INFINITY
from libc.string cimport memset

import os

from numpy cimport npy_intp

from lazyarr._core.host.fp_status cimport lz_fetch_or, lz_fp_clear, lz_fp_take
from lazyarr._core.host.tunables cimport tunable
from lazyarr._core.host.worker_trace cimport Shares, kept_shares, note_share

cdef extern from "simd/thread_placement.h":
    ctypedef struct lz_cpus:
        pass
    int lz_claim(lz_cpus* claimed) noexcept nogil
    void lz_spread(lz_cpus* claimed) noexcept nogil
    void lz_finish(int* finished) noexcept nogil
    void lz_await(int* finished, int count) noexcept nogil

cdef extern from "simd/busy_threads.h" nogil:
    bint lz_set_busy(bint busy)
    npy_intp lz_others_busy()
    void lz_forget_others()

cdef extern from "<fenv.h>" nogil:
    int FE_ALL_EXCEPT
    ctypedef int fexcept_t
    int fegetexceptflag(fexcept_t* flags, int which)
    int fesetexceptflag(fexcept_t* flags, int which)

cdef extern from "Python.h":
    int PyErr_CheckSignals() noexcept

cdef extern from *:
    """
    #ifdef _OPENMP
    #include <omp.h>
    #define LZ_OPENMP 1
    static int lz_procs(void) { return omp_get_num_procs(); }
    static int lz_nested(void) { return omp_in_parallel(); }
    static int lz_own_number(void) { return omp_get_thread_num(); }
    #else
    #define LZ_OPENMP 0
    static int lz_procs(void) { return 1; }
    static int lz_nested(void) { return 0; }
    static int lz_own_number(void) { return 0; }
    #endif

    /* Not prange: if it does not know whether the GIL is held, Cython asks PyGILState_Check, which before Python 3.12
     * says yes to every thread once there has been a subinterpreter. */
    static void lz_parallel(int threads, void (*part)(void *, int), void *team)
    {
    #ifdef _OPENMP
        #pragma omp parallel for num_threads(threads) schedule(static, 1)
    #endif
        for (int t = 0; t < threads; t++) part(team, t);
    }
    """
    void lz_parallel(int threads, void (*part)(void*, int) noexcept nogil, void* team) noexcept nogil
    int LZ_OPENMP
    int lz_procs() noexcept nogil
    int lz_nested() noexcept nogil
    int lz_own_number() noexcept nogil

cdef extern from "simd/atomic.h":
    void lz_pause() noexcept nogil

cdef extern from "simd/clock.h":
    double lz_now() noexcept nogil

OPENMP = bool(LZ_OPENMP)


cdef double _spin_ns():
    """Return how long an idle GNU OpenMP thread spins before it sleeps (`GOMP_SPINCOUNT` pauses), in ns."""
    cdef double start, seconds = INFINITY
    cdef int _i
    rounds = os.environ.get("GOMP_SPINCOUNT", "")  # as `_core/__init__.py` or the user has set it
    if not rounds.isdigit():
        return 0
    for _ in range(3):
        start = lz_now()
        for _i in range(200):
            lz_pause()
        seconds = min(seconds, lz_now() - start)
    return seconds / 200 * 1e9 * int(rounds)


# Parallelising a step costs about 3 us while the team spins, mostly to read operands from another core's cache, and at
# least 30 us once it sleeps; a step is split only if that saves a tenth.
cdef double WORTHWHILE_NS = 9000.0
cdef double WORTH_WAKING_NS = 80000.0
cdef double STILL_SPINS_NS = min(max(30_000.0, 0.7 * _spin_ns()), 200_000.0)
tunable("threads.worthwhile_ns", &WORTHWHILE_NS, "ns", 500, 1e7,
        "Work of a step that is worth sharing among threads that are awake; each gets at least half of that.")
tunable("threads.worth_waking_ns", &WORTH_WAKING_NS, "ns", 500, 1e8, "Work of a step that is worth waking threads for.")
tunable("threads.still_spins_ns", &STILL_SPINS_NS, "ns", 100, 1e8, "How long after a step its threads are still awake.")
cdef double WATCHED_NS = 2e7         # shorter steps run to their end
cdef double SIGNAL_PERIOD_S = 0.03
cdef enum:
    BUSY = 3            # consecutive steps after which more are expected

cdef struct TeamState:
    int size                # threads per team
    bint forked             # this process is a forked child in which no team can start
    double step_ended       # end of the last step that asked for a team, in s
    double ended            # end of the last team, in s
    int steps_in_a_row      # steps in close succession
    double estimated_ns     # estimated work of all steps so far
    double shared_ns        # the same for steps long enough to parallelise
    double expected_ns  # the same, predicted for the end of the running evaluation

cdef TeamState _teams = TeamState(lz_procs(), 0, 0, 0, 0, 0, 0, 0)
# Overwriting cannot be undone, so such a step is not interrupted: it must be short.
cdef double LONGEST_UNINTERRUPTED_NS = 1e8


cdef void step_ended(double work_ns) noexcept nogil:
    """Record the end of a step that asked for a team."""
    if work_ns >= WORTHWHILE_NS:
        _teams.step_ended = lz_now()


cdef bint _is_awake() noexcept nogil:
    """Return whether a team still spins, or steps follow closely enough to keep it awake."""
    cdef double now = lz_now()
    _teams.steps_in_a_row = _teams.steps_in_a_row + 1 if (now - _teams.step_ended) * 1e9 < STILL_SPINS_NS else 0
    return (now - _teams.ended) * 1e9 < STILL_SPINS_NS or _teams.steps_in_a_row >= BUSY


cdef double expect_work(double work_ns) noexcept:
    """Announce the parallelisable work of an evaluation; return a value for `end_work`."""
    _teams.expected_ns = _teams.shared_ns + work_ns
    return _teams.shared_ns


cdef double end_work(double start) noexcept:
    """End the announcement; return the actual parallelisable work."""
    _teams.expected_ns = 0
    return _teams.shared_ns - start


cdef int team_size(double work_ns) noexcept nogil:
    """Return the number of threads for a step and record its estimated cost. Call `step_ended` afterwards."""
    book_work(work_ns)
    return team_for(work_ns)


cdef void book_work(double work_ns) noexcept nogil:
    """Record a step's estimated cost; `team_size` does so itself."""
    _teams.estimated_ns += work_ns


cdef bint is_small(double work_ns) noexcept nogil:
    """Return whether a step alone does not justify waking a team."""
    return work_ns < WORTH_WAKING_NS


cdef int team_for(double work_ns) noexcept nogil:
    """Return the number of threads for a step, without recording its work; `step_ended` follows.

    Wakes a sleeping team for a long step, or if the evaluation has enough parallelisable work left.
    """
    if _teams.size <= 1 or work_ns < WORTHWHILE_NS or _teams.forked or lz_nested():
        return 1
    cdef double rest = _teams.expected_ns - _teams.shared_ns
    _teams.shared_ns += work_ns
    if not _is_awake() and max(work_ns, rest) < WORTH_WAKING_NS:
        return 1
    cdef double wanted = work_ns / (WORTHWHILE_NS / 2)
    return <int>min(<double>free_threads(), wanted)


cdef int most_threads() noexcept nogil:
    """Return the most threads that a step gets."""
    return _teams.size


cdef int free_threads() noexcept nogil:
    """Return the most threads that a step gets now, leaving cores to other busy threads."""
    return <int>max(_teams.size - lz_others_busy(), <npy_intp>1)


cdef bint set_busy(bint busy) noexcept nogil:
    """Set whether the calling thread, outside the teams, keeps a core busy; return the old value."""
    return lz_set_busy(busy)


cdef void start_watch(Watch* watch, double work_ns) noexcept nogil:
    """Begin polling for an interruptible step."""
    watch.stopped = False
    watch.flags = 0
    watch.seen = lz_now() if work_ns > WATCHED_NS else INFINITY


cdef bint must_stop(Watch* watch, int thread) noexcept nogil:
    """Return whether to stop; all threads of a step poll this between pieces of work.

    Thread 0, which began the step, runs pending signal handlers now and then, preserving status flags. If one raises,
    its exception becomes the step's after all threads have stopped.
    """
    cdef fexcept_t flags
    if thread == 0 and watch.seen != INFINITY and lz_now() - watch.seen > SIGNAL_PERIOD_S:
        watch.seen = lz_now()
        fegetexceptflag(&flags, FE_ALL_EXCEPT)
        with gil:
            watch.stopped = PyErr_CheckSignals() != 0
        fesetexceptflag(&flags, FE_ALL_EXCEPT)
    return watch.stopped


cdef void deal_evenly(WorkQueues* queues, npy_intp units, npy_intp grab, int count, int threads) noexcept nogil:
    """Deal units evenly to `count` queues of a team, whose `next` is allocated.

    Shares are the same in every run, so that a core finds its data in its cache.
    """
    cdef int k
    queues.units, queues.grab, queues.count, queues.is_shared, queues.ends = units, grab, count, threads > 1, NULL
    for k in range(count):
        queues.next[QUEUE_STEP * k] = first_of_share(units, k, count)


cdef void deal_by_cost(WorkQueues* queues, double* costs, int units, int threads) noexcept nogil:
    """Deal units of different cost to one queue per thread; `next` and `ends` are allocated."""
    cdef double total = 0, dealt = 0
    cdef int k, t
    queues.units, queues.grab, queues.count, queues.is_shared = units, 1, threads, threads > 1
    for k in range(units):
        total += costs[k]
    k = 0
    for t in range(threads):
        queues.next[QUEUE_STEP * t] = k
        while k < units and (t == threads - 1 or dealt < total * (t + 1) / threads):
            dealt += costs[k]
            k += 1
        queues.ends[t] = k


cdef struct Team:
    lz_cpus claimed         # cores
    int threads
    int finished            # number of finished threads
    Shares* kept            # NULL: not observed
    Share share
    void* job


cdef void run_team(int threads, Share share, void* job) noexcept nogil:
    """Call share(job, thread, threads) on each thread of a team, and wait for all."""
    cdef Team team
    if threads == 1:
        share(job, 0, 1)
        return
    memset(&team, 0, sizeof(team))
    team.threads = threads
    team.kept = kept_shares()
    lz_claim(&team.claimed)
    team.share, team.job = share, job
    lz_parallel(threads, _take_part, &team)
    _teams.ended = lz_now()


cdef void _take_part(void* whole, int thread) noexcept nogil:
    cdef Team* team = <Team*>whole
    cdef double began
    if thread:
        lz_spread(&team.claimed)
    began = 0.0 if team.kept is NULL else lz_now()
    team.share(team.job, thread, team.threads)
    if team.kept is not NULL:
        note_share(team.kept, own_number(), began, lz_now())
    if thread:
        lz_finish(&team.finished)
    else:
        lz_await(&team.finished, team.threads - 1)


cdef struct Loop:
    npy_intp units
    Body body
    void* job


cdef void parallel_for(npy_intp units, int threads, Body body, void* job) noexcept nogil:
    """Call body(job, thread, first, end) on each thread for its share of evenly dealt units.

    If units differ in cost, or a step may be interrupted, use `WorkQueues` instead.
    """
    cdef Loop loop
    loop.units, loop.body, loop.job = units, body, job
    run_team(threads, _run_range, &loop)


cdef void _run_range(void* whole, int thread, int threads) noexcept nogil:
    cdef Loop* loop = <Loop*>whole
    loop.body(loop.job, thread, first_of_share(loop.units, thread, threads),
              first_of_share(loop.units, thread + 1, threads))


cdef int own_number() noexcept nogil:
    """Return this thread's index in its team; it has several shares if OpenMP started fewer threads."""
    return lz_own_number()


cdef struct Watched:
    Watch* watch
    Share share
    void* job


cdef int run_watched(Watch* watch, double work_ns, int threads, Share share, void* job) except -1:
    """Run a step on a team whose threads poll `must_stop`; return the status flags."""
    cdef Watched watched
    watched.watch, watched.share, watched.job = watch, share, job
    start_watch(watch, work_ns)
    with nogil:
        run_team(threads, _share_watched, &watched)
    step_ended(work_ns)
    return -1 if watch.stopped else watch.flags


cdef void _share_watched(void* whole, int thread, int threads) noexcept nogil:
    cdef Watched* watched = <Watched*>whole
    lz_fp_clear()
    watched.share(watched.job, thread, threads)
    lz_fetch_or(&watched.watch.flags, lz_fp_take())


cdef void _do_nothing(void* job, int thread, int threads) noexcept nogil:
    pass


def time_team(int threads, int times, double gap):
    """Return the seconds that each of `times` idle teams takes, `gap` seconds apart; for tuning."""
    cdef list seconds = []
    cdef double start, end
    cdef int _i
    if _teams.forked or lz_nested():
        threads = 1
    for _i in range(times):
        with nogil:
            start = lz_now()
            run_team(threads, _do_nothing, NULL)
            end = lz_now()
            while lz_now() - end < gap:
                pass
        seconds.append(end - start)
    return seconds


def estimated_ns():
    """Return the estimated cost of all steps so far, in ns on one core; tuning uses differences."""
    return _teams.estimated_ns


def set_num_threads(int n):
    """Use at most `n` threads (at least 1) in every evaluation from now on."""
    if n < 1:
        raise ValueError(f"num_threads must be at least 1, got {n}")
    _teams.size = n


def get_num_threads():
    """Return the number of threads an evaluation may use."""
    return _teams.size


def get_free_threads():
    """Return how many threads a library may use for a step now: one where no team can start."""
    return 1 if _teams.forked or lz_nested() else free_threads()


def others_busy():
    """Return how many threads beside the teams are busy, the calling one not counted."""
    return lz_others_busy()


def _after_fork_in_child():
    _teams.forked = 1
    lz_forget_others()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
