"""Concurrent calls of functions, each on one thread.

LAPACK routines and sorts gain little from more threads, but independent ones gain from running concurrently. Cost
estimates decide: the time of each call on one thread, and the part of it that threads can share.

Threads of an engine make the calls, as does the evaluating thread. Results are published in plan order.
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

cdef double LEAST_NS = 1e6      # least cost of a call on one thread: starting a thread takes up to 0.1 ms
cdef double GAIN = 0.9          # largest fraction of the sequential time

cdef Switch _switch = Switch()  # counts groups and calls
set_enabled, counts = _switch.set_enabled, _switch.counts

cdef dict _costs = {}           # by name: (nanoseconds, shared part, whether BLAS computes it)
cdef dict _blas = {}            # "limit": a function that sets the threads of BLAS
cdef dict _group = {"ended": None}  # the variable that running calls read


def add_cost(str name, double ns, double shared, bint by_blas):
    """Set the cost of a call of float64 on one thread, and the fraction that threads share.

    `ns` is per element and per row or column, whichever are fewer, for BLAS calls; for others per element and bit of
    the element count, where `shared` is that of one line, as threads share several completely.
    """
    _costs[name] = (ns, shared, by_blas)


def set_blas_limit(function):
    """Set function(threads), which sets the number of BLAS threads and returns the old one, None if it cannot."""
    _blas["limit"] = function


cdef int calls_together(Walk* w, list steps, int first, double* costs) except -1:
    """Return how many calls from this one on run concurrently; 1 if that would not be faster.

    `costs` has room for MOST_CALLS and receives their times on one thread in ns.
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
    """Estimate a call; return False if it must run alone."""
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
    """Return the time of a call on one thread in ns; -1 if no cost was stated."""
    cdef Node operand = <Node>node.inputs[0]
    cdef npy_intp rows = 1 << 62
    cdef int d
    cost = _costs.get(node.payload[0])
    if cost is None or cost[2] and operand.ndim < 2 \
            or getattr(node.payload[1], "backend", "") is None:     # a graph named like a call
        return -1
    if not cost[2]:
        return <double>cost[0] * operand.size * log2(operand.size + 1)
    for d in range(operand.ndim - 2, operand.ndim):
        rows = min(rows, operand.shape[d])
    return <double>cost[0] * operand.size * rows


cdef bint _limits_blas() except -1:
    return "limit" in _blas and _blas["limit"](None) is not None


cdef double _together(double* costs, int count, int threads) noexcept:
    """Estimate the time of concurrent calls: the longest first, each on the thread that is free first."""
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
    """A queue of calls for several threads."""
    cdef Walk* w
    cdef list steps, aliases
    cdef list waiting       # indices of waiting calls, the longest last
    cdef list made          # by call: its result, its exception, or None
    cdef list times         # by call: start, duration, thread

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
    """Run calls from this step on concurrently if that is faster; return their status flags, or None."""
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
    collects = PyGC_Disable()  # a finalizer that evaluates would deadlock
    try:
        error = _make(calls, min(count, most_threads()))
    finally:
        if collects:
            PyGC_Enable()
    grouping.done = count
    if number != plan_cache.evaluations:  # a signal handler has evaluated: the rest is another graph
        w.reentered = True
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
    """Make the calls on all threads, including this one; return an exception of a signal handler, or None."""
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
        except Exception:   # no thread can start, as at exit of the interpreter: this one makes the calls
            pass
        except BaseException as error:
            raised = error
        busy = set_busy(True)  # kernels of other threads leave this one its core
        calls.work(0)
        set_busy(busy)
        while _group["ended"] is not None:  # the threads still use the memory of this evaluation
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
    """Wait until the threads that fill values of this evaluation have ended: a signal handler may read them."""
    ended = _group["ended"]
    if ended is not None:
        shared_engine().wait(ended)
        _group["ended"] = None
    return 0
