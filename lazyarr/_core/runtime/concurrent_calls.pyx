"""Calls of functions at the same time, each on one thread.

What LAPACK and sorts compute gains little from more threads, or nothing; two that do not depend on each other do from a
thread each. Estimates decide: what each call takes on one thread, and how much of it threads can share.

Threads of an engine make the calls, and the one that evaluates does too. Results are published in the order of the
plan.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport log2

cimport cython
from numpy cimport npy_intp

from lazyarr._core.host.switch cimport Switch
from lazyarr._core.host.threads cimport most_threads, set_busy
from lazyarr._core.ir.fingerprint cimport Walk, nans_are_watched
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime cimport plan_cache
from lazyarr._core.runtime.arena cimport most_together
from lazyarr._core.runtime.backend_choice cimport backend_of, has_choice
from lazyarr._core.runtime.call_step cimport begin_call, end_call
from lazyarr._core.runtime.executor cimport free_read, label_of
from lazyarr._core.runtime.step_group cimport Grouping

import functools
import time

from lazyarr._core.runtime.shared_engine import shared_engine

cdef extern from "Python.h":
    int PyGC_Disable() noexcept
    int PyGC_Enable() noexcept

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
    #define LZ_ONE_AT_A_TIME 1  /* native functions hold a lock in the place of the GIL */
    #else
    #define LZ_ONE_AT_A_TIME 0
    #endif
    """
    const bint LZ_ONE_AT_A_TIME

cdef double LEAST_NS = 1e6      # of a call on one thread: to start a thread takes up to 0.1 ms
cdef double GAIN = 0.9          # of the time one after the other, at most

cdef Switch _switch = Switch()  # counts groups, and their calls
set_enabled, counts = _switch.set_enabled, _switch.counts

cdef dict _costs = {}           # by name: (nanoseconds, shared part, whether BLAS computes it)
cdef dict _blas = {}            # "limit": a function that sets the threads of BLAS
cdef dict _group = {"ended": None}  # the variable that threads read which make calls


def add_cost(str name, double ns, double shared, bint by_blas):
    """State what a call takes, of float64 on one thread, and which part of that threads share.

    `ns` is per element and row or column, whichever are fewer, of what BLAS computes; of other calls per element and
    bit of their number, and `shared` is that of one line, as threads share all of several.
    """
    _costs[name] = (ns, shared, by_blas)


def set_blas_limit(function):
    """Have function(threads) set how many threads BLAS uses; it returns how many it did, None if it cannot."""
    _blas["limit"] = function


cdef int calls_together(Walk* w, list steps, int first, double* costs) except -1:
    """How many calls from this one on are made at the same time; 1 if that would not be faster.

    `costs` has room for MOST_CALLS and gets what they take, in nanoseconds on one thread.
    """
    cdef double one_by_one = 0, shared
    cdef int threads = most_threads(), count = 0, at
    cdef Step step = <Step>steps[first]
    if LZ_ONE_AT_A_TIME or not _switch.enabled or threads < 2 or step.concurrent < 2 or w.is_template \
            or nans_are_watched():
        return 1
    for at in range(first, first + min(step.concurrent, <int>MOST_CALLS)):
        if not _estimate(<Node>w.nodes[(<Step>steps[at]).node], &costs[count], &shared):
            break
        one_by_one += costs[count] * (1 - shared + shared / threads)
        count += 1
    if count < 2 or _together(costs, count, threads) > GAIN * one_by_one and not _switch.always:
        return 1
    return count


cdef bint _estimate(Node node, double* ns, double* shared) except -1:
    """Estimate a call; False if it is to be made by itself."""
    if node.ninputs == 0 or not _switch.always and (<Node>node.inputs[0]).size < 4096:
        return False
    ns[0] = call_ns(node)
    if ns[0] < 0 or has_choice() and backend_of(node) is not None:
        return False
    _, part, by_blas = _costs[node.payload[0]]
    if by_blas and not _limits_blas():
        return False
    shared[0] = <double>part if by_blas or (<Node>node.inputs[0]).ndim == 1 else 1.0
    return _switch.always or ns[0] >= LEAST_NS


cdef double call_ns(Node node) except -2:
    """What a call with operands takes on one thread, of which that was stated; -1 for others."""
    cdef Node operand = <Node>node.inputs[0]
    cdef npy_intp rows = 1 << 62
    cdef int d
    cost = _costs.get(node.payload[0])
    if cost is None or cost[2] and operand.ndim < 2 \
            or getattr(node.payload[1], "backend", "") is None:     # a graph with the name of a call
        return -1
    if not cost[2]:
        return <double>cost[0] * operand.size * log2(operand.size + 1)
    for d in range(operand.ndim - 2, operand.ndim):
        rows = min(rows, operand.shape[d])
    return <double>cost[0] * operand.size * rows


cdef bint _limits_blas() except -1:
    return "limit" in _blas and _blas["limit"](None) is not None


cdef double _together(double* costs, int count, int threads) noexcept:
    """Estimate how long calls take at the same time: the longest is dealt first, to the thread that is free first."""
    cdef double ends[MOST_CALLS]
    cdef bint dealt[MOST_CALLS]
    cdef double last = 0
    cdef int k, i, _k, largest, soonest
    threads = min(threads, count)
    for k in range(count):
        ends[k], dealt[k] = 0, False
    for _k in range(count):
        largest = -1
        for i in range(count):
            if not dealt[i] and (largest < 0 or costs[i] > costs[largest]):
                largest = i
        dealt[largest] = True
        soonest = 0
        for i in range(threads):
            if ends[i] < ends[soonest]:
                soonest = i
        ends[soonest] += costs[largest]
        last = max(last, ends[soonest])
    return last


@cython.final
cdef class _Calls:
    """Calls to be made by several threads."""
    cdef Walk* w
    cdef list steps, aliases
    cdef list waiting       # their numbers, the longest last
    cdef list made          # of each call what it returned, an exception that it raised, or None
    cdef list times         # of each when it began, how long it took, the thread

    def work(self, int thread):
        """Make calls until none waits."""
        cdef int k
        while self.waiting:
            k = self.waiting.pop()
            began = time.perf_counter()
            try:
                self.made[k] = begin_call(self.w, <Step>self.steps[k], self.aliases), None
            except BaseException as error:
                self.made[k] = None, error
            self.times[k] = began, time.perf_counter() - began, thread


cdef list run_calls(Walk* w, list steps, int first, list aliases, Grouping* grouping, list timeline):
    """Make calls from this step on at the same time, if that is faster; return their status flags, None for none."""
    cdef double costs[MOST_CALLS]
    cdef int count = most_together(w, first, calls_together(w, steps, first, costs)), k
    cdef long long number = plan_cache.evaluations
    cdef bint collects
    cdef _Calls calls
    cdef list raised = None, found, labels
    grouping.alone = first + max(count, 1)
    if count < 2:
        return None
    calls = _Calls.__new__(_Calls)
    calls.w, calls.steps, calls.aliases = w, steps[first:first + count], aliases
    calls.made, calls.times = [None] * count, [None] * count
    calls.waiting = [k for _, k in sorted([(costs[k], k) for k in range(count)])]
    labels = [label_of(w, <Step>step) for step in calls.steps]
    collects = PyGC_Disable()  # a finalizer that evaluates would wait for this evaluation
    try:
        error = _make(calls, min(count, most_threads()))
    finally:
        if collects:
            PyGC_Enable()
    grouping.done = count
    if number != plan_cache.evaluations:  # a signal handler has evaluated: what is left is another graph
        w.overtaken = True
    else:
        for k in range(count):
            try:
                found = end_call(w, <Step>calls.steps[k], calls.made[k], aliases)
            except BaseException as failure:
                error = failure if error is None else error
                continue
            if found is not None:
                raised = found if raised is None else raised + found
            free_read(w, <Step>calls.steps[k])
            if timeline is not None:
                began, seconds, thread = calls.times[k]
                timeline.append((labels[k], began, seconds, thread, ()))
    if error is not None:
        raise error
    _switch.runs += 1
    _switch.parts += count
    return raised


cdef object _make(_Calls calls, int threads):
    """Have threads make the calls, this one among them; return what a signal handler has raised meanwhile, or None."""
    cdef bint busy
    engine = shared_engine()
    ended = engine.new_variable("calls")
    raised = None
    limit = _blas.get("limit")
    before = None if limit is None else limit(1)
    try:
        _group["ended"] = ended
        try:
            for k in range(1, threads):
                engine.push(functools.partial(calls.work, k), read=[ended], lane=("call", k))
        except Exception:   # no thread can begin, as at the end of the interpreter: this one makes the calls
            pass
        except BaseException as error:
            raised = error
        busy = set_busy(True)  # kernels of the others leave this thread its core
        calls.work(0)
        set_busy(busy)
        while _group["ended"] is not None:  # the threads go on in the memory of this evaluation
            try:
                wait_for_calls()
                PyErr_CheckSignals()
            except BaseException as error:
                raised = error
    finally:
        _group["ended"] = None
        if before is not None:
            limit(before)
    return raised


cdef int wait_for_calls() except -1:
    """Wait until the threads have ended that fill values of this evaluation, which a signal handler may look at."""
    ended = _group["ended"]
    if ended is not None:
        shared_engine().wait(ended)
        _group["ended"] = None
    return 0
