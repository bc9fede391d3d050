"""Plans: find, make, cache and run them.

Equal fingerprints mean equal plans: a plan speaks of nodes by their position in the walk, and everything that may
change from one evaluation to the next (extents, offsets, scalar values, addresses, functions of opaque calls) is read
from the nodes themselves when it runs.

Evaluations hold one lock. Data of a node is published when its step is complete; after a failure everything that was
computed stays, so that nothing is computed twice and nothing that was overwritten is needed again.
"""
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_get_thread_ident, PyThread_release_lock,
    PyThread_type_lock, WAIT_LOCK)
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.sequence cimport PySequence_Fast_ITEMS
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memset
from numpy cimport npy_intp

cimport cython

from lazyarr._core cimport buffers
from lazyarr._core.abreast cimport Abreast, run_abreast
from lazyarr._core.arena cimport Arena, Layout, new_arena, top_of
from lazyarr._core.build cimport verify_shared
from lazyarr._core.described cimport Described, Graph, new_graph
from lazyarr._core.errors cimport report_status
from lazyarr._core.failures cimport oldest_failure, spread_failures, without_failed
from lazyarr._core.forbid cimport evaluation_forbidden
from lazyarr._core.lifetimes cimport find_layout, not_stored, places
from lazyarr._core.loops cimport LOOP_SCANS, LOOP_SEARCHES, cheap_width, compress_loop, copy_loop, expand_loop
from lazyarr._core.marks cimport fast_math, mark_of
from lazyarr._core.node cimport EXPAND, LEAF, MAP, OPAQUE, REDUCE, SCALAR, UPDATE, VIEW, Node, settle
from lazyarr._core.progress cimport begin_watch, end_watch, is_watched, tell_step
from lazyarr._core.program cimport make_program
from lazyarr._core.rows cimport ByRows, run_by_rows
from lazyarr._core.scratch cimport Lent, end_loan, lend, lend_from, lent_from
from lazyarr._core.shares cimport Shares, drop_shares, keep_shares, take_shares
from lazyarr._core.steps cimport (
    Step, free_read, label_of, run_empty, run_opaque, run_tile, run_with_epilogue)
from lazyarr._core.threads cimport end_work, expect_work, most_threads, step_ended
from lazyarr._core.walk cimport Walk, hash_words, surroundings, walk

import os
import time

from lazyarr._core.forbid import EvaluationForbidden

cdef enum:
    MAX_DEPTH = 16

cdef Walk _walks[MAX_DEPTH]
memset(_walks, 0, sizeof(_walks))


@cython.final
cdef class Plan:
    """An immutable list of steps for one fingerprint."""
    cdef bytes fingerprint
    cdef uint64_t key
    cdef list steps
    cdef readonly list described
    cdef list aliases              # (node left out, node computed in its place)
    cdef readonly list rewrites    # names of the rules that were applied
    cdef readonly list timeline    # of the last evaluation that somebody watched, see `Foresight`
    cdef double shared_ns          # work worth sharing of its steps, the last time they ran
    cdef Layout layout             # of its values in memory, for the extents it had last
    cdef uint64_t tick
    cdef Py_ssize_t nbytes
    cdef int fused


# ---- the cache -----------------------------------------------------------------------------------------

cdef dict _plans = {}            # key -> Plan; a plan is used only if its whole fingerprint is equal
cdef enum:
    NRECENT = 1024
cdef PyObject* _recent[NRECENT]  # by low bits of the key, borrowed from _plans: saves hashing a Python int
memset(_recent, 0, sizeof(_recent))
cdef Py_ssize_t _cached_bytes = 0
cdef Py_ssize_t _cache_limit = 64 << 20
cdef uint64_t _tick = 0
cdef long long _hits = 0, _misses = 0, _evictions = 0, _evaluations = 0
cdef object _schedule = None
cdef object _observer = None


cdef void set_schedule(object function):
    global _schedule
    _schedule = function


cdef void set_observer(object function):
    global _observer
    _observer = function


cdef Plan _find(Walk* w, bint* hit):
    global _tick, _hits
    cdef uint64_t key = hash_words(w.words, w.nwords)
    cdef Py_ssize_t nbytes = w.nwords * sizeof(uint32_t)
    cdef PyObject* recent = _recent[key & (NRECENT - 1)]
    cdef Plan plan
    _tick += 1
    if recent is not NULL and (<Plan>recent).key == key:
        found = <object>recent
    else:
        found = _plans.get(key)
    if found is not None:
        plan = <Plan>found
        _recent[key & (NRECENT - 1)] = <PyObject*>plan
        if len(plan.fingerprint) == nbytes and memcmp(<char*>plan.fingerprint, w.words, nbytes) == 0:
            plan.tick = _tick
            _hits += 1
            hit[0] = True
            return plan
    hit[0] = False
    return _make_plan(w, key)


cdef Graph describe(Walk* w):
    """What passes are told of the graph that was walked."""
    cdef Graph graph
    cdef Node node, below
    cdef Described* made
    cdef unsigned char* flags = surroundings(w)
    cdef int i, j, ninputs = 0, nouts = 0
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if node.data is NULL:
            ninputs += node.ninputs
            nouts += node.loop.nout if MAP <= node.kind <= EXPAND else 0
    graph = new_graph(w.count, ninputs, nouts)
    graph.fast_math = fast_math()
    ninputs = nouts = 0
    for i in range(w.count):
        node = <Node>w.nodes[i]
        made = &graph.nodes[i]
        made.shape, made.itemsize, made.flags = w.class_of[i], node.itemsize, flags[i]
        made.loop = node.loop.id if node.loop is not NULL else 0
        made.attr, made.axes, made.nbytes, made.mark = node.attr, 0, node.span, 0
        made.cheap = cheap_width(node.loop) if node.kind == MAP and node.data is NULL else 0
        made.like, made.outer, made.serial = i, False, node.serial
        if node.kind == SCALAR or node.kind == VIEW and node.data is NULL:
            made.like = w.first_like[i]
        made.ninputs = made.nouts = 0
        made.first_input, made.first_out = ninputs, nouts
        if node.data is not NULL:
            made.kind = SCALAR if node.kind == SCALAR else LEAF
            continue
        made.kind = node.kind
        if node.kind == REDUCE:
            made.axes, made.attr = node.axes, node.loop.flags & (LOOP_SEARCHES | LOOP_SCANS)
            made.outer = node.axes >> max((<Node>node.inputs[0]).ndim - 1, 0) == 0
        for j in range(node.ninputs):
            below = <Node>node.inputs[j]
            graph.inputs[ninputs + j] = below.index
            if node.kind == MAP and below.kind == SCALAR and j < 3:  # as far as the fingerprint tells
                graph.nodes[below.index].mark |= mark_of(node.loop, below)
        made.ninputs = node.ninputs
        ninputs += node.ninputs
        if MAP <= node.kind <= EXPAND:
            for j in range(node.loop.nout):
                graph.outs[nouts + j] = node.loop.sizes[node.loop.nin + j]
            made.nouts = node.loop.nout
            nouts += node.loop.nout
    return graph


cdef Plan _make_plan(Walk* w, uint64_t key):
    """Describe the graph, have it scheduled, and assemble what the schedule says."""
    global _misses, _cached_bytes
    cdef Plan plan = Plan.__new__(Plan)
    cdef Step step
    _misses += 1
    fingerprint = (<char*>w.words)[:w.nwords * sizeof(uint32_t)]
    plan.fingerprint = fingerprint
    plan.key = key
    plan.described, plan.aliases, plan.rewrites = _schedule(describe(w))
    plan.steps = []
    for kind, at, program, frees, donors, in_place, abreast, again, rows in plan.described:
        step = Step.__new__(Step)
        step.kind = kind
        step.node = at
        step.behind_kernel = kind == "epilogue"
        step.frees = frees
        step.nfrees = len(frees)
        step.donors = donors
        step.in_place = in_place
        step.abreast = abreast
        step.rows = rows
        step.moves = len(donors) > 0
        step.again = again
        if program is not None:
            for stored in program[3]:
                step.moves |= (<Node>w.nodes[<int>stored]).kind == UPDATE
            step.program = make_program(_with_moves(w, program))
            plan.fused += step.program.ninstr + step.program.nfold
        plan.steps.append(step)
    plan.tick = _tick
    plan.nbytes = 1000 + 2 * len(fingerprint) + 200 * w.count
    memset(_recent, 0, sizeof(_recent))
    old = _plans.pop(key, None)
    if old is not None:
        _cached_bytes -= (<Plan>old).nbytes
    _plans[key] = plan
    _cached_bytes += plan.nbytes
    _evict()
    return plan


cdef tuple _with_moves(Walk* w, tuple program):
    """Fill in the loops of instructions that move elements of a node: they depend on its type."""
    space, loads, registers, stores, instrs, folds = program
    named = []
    for loop, at, mode, operands in instrs:
        if type(loop) is tuple:
            name, moved = loop
            loop = _move(name, (<Node>w.nodes[moved]).typenum)
        named.append((loop, at, mode, operands))
    return space, loads, registers, stores, tuple(named), folds


cdef int _move(str name, int code) except -1:
    if name == "copy":
        return copy_loop(code).id
    return compress_loop(code).id if name == "compress" else expand_loop(code).id


cdef _evict():
    """Drop the least recently used plans while the cache is over its limit."""
    global _cached_bytes, _evictions
    if _cached_bytes <= _cache_limit:
        return
    memset(_recent, 0, sizeof(_recent))
    by_age = sorted(_plans.values(), key=_plan_tick)
    for plan in by_age:
        if _cached_bytes <= _cache_limit * 3 // 4:
            break
        del _plans[(<Plan>plan).key]
        _cached_bytes -= (<Plan>plan).nbytes
        _evictions += 1


def _plan_tick(Plan plan):
    return plan.tick


def stats():
    """Cache hits and misses, evictions, plans and bytes held, evaluations run."""
    return {"hits": _hits, "misses": _misses, "evictions": _evictions, "plans": len(_plans),
            "cached_bytes": _cached_bytes, "evaluations": _evaluations}


def reset_stats():
    """Set the counters to zero; plans stay cached."""
    global _hits, _misses, _evictions, _evaluations
    _hits = _misses = _evictions = _evaluations = 0


def clear():
    """Forget all plans."""
    global _cached_bytes
    memset(_recent, 0, sizeof(_recent))
    _plans.clear()
    _cached_bytes = 0


def get_cache_limit():
    """Bytes the plan cache may hold."""
    return _cache_limit


def set_cache_limit(Py_ssize_t nbytes):
    """Let the plan cache hold `nbytes`; the least recently used plans go first."""
    global _cache_limit
    if nbytes < 0:
        raise ValueError(f"cache_limit must not be negative, got {nbytes}")
    _cache_limit = nbytes
    _evict()


# ---- one evaluation at a time --------------------------------------------------------------------------
# Who evaluates is known under the GIL; only a thread that has to wait touches the gate, a lock that is locked but for
# the moment between the end of an evaluation and the start of a waiting thread.

cdef unsigned long _owner = 0
cdef int _depth = 0
cdef int _waiting = 0
cdef bint _gate_open = False
cdef PyThread_type_lock _gate = PyThread_allocate_lock()
PyThread_acquire_lock(_gate, WAIT_LOCK)


cdef int enter() except -1:
    """Wait until no other thread evaluates or walks."""
    global _owner, _depth, _waiting, _gate_open
    cdef unsigned long me = PyThread_get_thread_ident()
    if _depth and _owner == me:
        if _depth == MAX_DEPTH:
            raise RecursionError("evaluations nested too deeply")
        _depth += 1
        return 0
    while _depth:
        _waiting += 1
        with nogil:
            PyThread_acquire_lock(_gate, WAIT_LOCK)
        _gate_open = False
        _waiting -= 1
    _owner = me
    _depth = 1
    return 0


cdef void leave() noexcept:
    global _owner, _depth, _gate_open
    _depth -= 1
    if _depth == 0:
        _owner = 0
        if _waiting and not _gate_open:
            _gate_open = True
            PyThread_release_lock(_gate)


cdef class held:
    """A block during which no other thread evaluates: `with held():`."""

    def __enter__(self):
        enter()

    def __exit__(self, *_):
        leave()


def _after_fork_in_child():
    """The thread that evaluated does not exist here; a fork inside an evaluation keeps its own."""
    global _gate, _gate_open, _depth, _owner, _waiting
    _gate = PyThread_allocate_lock()
    PyThread_acquire_lock(_gate, WAIT_LOCK)
    _gate_open = False
    _waiting = 0
    if not (_depth and _owner == PyThread_get_thread_ident()):
        _depth = 0
        _owner = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


# ---- evaluation ----------------------------------------------------------------------------------------

cdef double _flushed_bytes = 0


cdef double flushed_bytes() noexcept:
    """Live bytes of the pool when the last evaluation ended."""
    return _flushed_bytes


cdef long long plan_misses() noexcept:
    return _misses


cdef int evaluate_nodes(PyObject** roots, int count) except -1:
    """Give every root its data. Roots are not VIEWs; those that have data already are skipped.

    Callbacks of the program (warning handlers, the observer) run after the lock is released: they may wait for a lock
    that another thread holds while it evaluates.
    """
    cdef Walk* w
    cdef list news = []
    if evaluation_forbidden():
        raise EvaluationForbidden("an evaluation was asked for inside lazyarr.no_evaluation()")
    enter()
    try:
        try:
            w = &_walks[_depth - 1]
            if _depth == 1 and is_watched():
                begin_watch()
            _evaluate_to_end(w, roots, count, news)
        finally:
            if _depth == 1:
                end_watch()
            leave()
    finally:
        if news:
            _tell(news)
    return 0


cdef int _tell(list news) except -1:
    """Report floating-point flags, and tell the observer what was evaluated."""
    for item in news:
        if type(item) is list:
            report_status(item)
        else:
            observer, record = item
            observer(record)
    return 0


cdef int _evaluate_to_end(Walk* w, PyObject** roots, int count, list news) except -1:
    """Run what the roots need, in as many evaluations as others leave it to."""
    _evaluate(w, roots, count, news)
    while w.overtaken:  # what is left is another graph
        _evaluate(w, roots, count, news)
    return 0


cdef int _evaluate(Walk* w, PyObject** roots, int count, list news) except -1:
    """Find the plan for what the roots need, and run it; append to `news` what callbacks are to report afterwards."""
    global _evaluations, _flushed_bytes
    cdef int i
    cdef bint hit = False
    cdef Plan plan
    walk(w, roots, count)
    if w.failed:
        return _evaluate_others(w, roots, count, news)
    plan = _find(w, &hit)
    _evaluations += 1
    w.overtaken = False
    for i in range(w.count):
        Py_INCREF(<object>w.nodes[i])
        w.status[i] = 0
    try:
        for i in range(w.count):
            if (<Node>w.nodes[i]).kind == LEAF and (<Node>w.nodes[i]).payload is not None:
                verify_shared(<Node>w.nodes[i])
        if _observer is None:
            _run(w, plan, news)
        else:
            _run_observed(w, plan, hit, news)
    finally:
        for i in range(w.count):
            Py_DECREF(<object>w.nodes[i])
        _flushed_bytes = buffers.live_bytes()
    return 0


cdef int _evaluate_others(Walk* w, PyObject** roots, int count, list news) except -1:
    """Evaluate the roots that are made of nothing that has failed, and raise what the others fail with."""
    cdef list others
    spread_failures(w)
    others = without_failed(roots, count)
    if others:
        _evaluate_to_end(w, PySequence_Fast_ITEMS(others), <int>len(others), news)
    raise oldest_failure(roots, count)


cdef int _run_observed(Walk* w, Plan plan, bint hit, list news) except -1:
    cdef list names = []
    cdef double nbytes = 0, started
    cdef int i
    cdef Node node
    cdef Shares* shares = keep_shares(most_threads())
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if node.data is NULL and node.kind == OPAQUE:
            names.append(node.payload[0])
        if node.kind != VIEW:
            nbytes += node.span
    observer = _observer
    plan.timeline = None
    started = time.perf_counter()
    try:
        _run(w, plan, news)
    finally:
        drop_shares(shares)
    news.append((observer, {
        "steps": len(plan.steps), "ops": w.count, "fused": plan.fused, "bytes": int(nbytes),
        "seconds": time.perf_counter() - started, "hit": hit, "opaque": names, "began": started,
        "timeline": plan.timeline or [],
        "kinds": [step.kind for step in plan.described]}))
    return 0


cdef int _run(Walk* w, Plan plan, list news) except -1:
    cdef Layout layout = find_layout(w, plan.steps, plan.layout)
    cdef Arena arena = new_arena(layout)
    cdef Lent lent
    cdef double start = expect_work(plan.shared_ns)
    plan.layout = layout
    if arena is not None:
        w.arena, lent = <PyObject*>arena, lend(arena.block)
    try:
        raised = run_steps(w, plan)
    except BaseException:
        _settle_frontier(w)
        spread_failures(w)
        raise
    finally:
        plan.shared_ns = end_work(start)
        if arena is not None:
            w.arena, layout.room = NULL, max(layout.room, end_loan(lent))
    if w.overtaken:
        _settle_frontier(w)
    if raised is not None:
        news.append(raised)
    return 0


cdef list run_steps(Walk* w, object found):
    """Run the steps of a plan; gives the status flags that came up, None if there are none."""
    cdef Plan plan = found
    cdef Step step
    cdef Abreast abreast
    cdef ByRows by_rows
    cdef list raised = None, seen
    cdef int at = 0, count = len(plan.steps)
    cdef bint watched = _observer is not None and not w.is_template
    cdef bint followed = _depth == 1 and not w.is_template and is_watched()
    cdef bint first = not followed  # who follows may have run anything
    cdef long long number = _evaluations
    cdef double began = 0
    cdef str label = None
    cdef list timeline = [] if watched else None
    cdef npy_intp free_from = lent_from()
    memset(&abreast, 0, sizeof(abreast))
    memset(&by_rows, 0, sizeof(by_rows))
    while at < count:
        step = <Step>plan.steps[at]
        lend_from(top_of(w, at, free_from))
        if watched or followed:
            label = label_of(w, step)  # while the nodes say how they are computed
        if followed and is_watched():
            tell_step(at, count, label)
        if watched:
            began = time.perf_counter()
        if not first:  # many steps in a row may each be too short, or overwrite too much, to be interrupted
            PyErr_CheckSignals()
            if number != _evaluations and not w.is_template:
                w.overtaken = True
                break
        first = False
        if step.rows > 1:
            seen = run_by_rows(w, plan.steps, at, plan.aliases, &by_rows, timeline)
            if by_rows.done:
                if seen is not None:
                    raised = seen if raised is None else raised + seen
                at += by_rows.done
                continue
        if step.abreast > 1 and at >= abreast.alone:
            seen = run_abreast(w, plan.steps, at, plan.aliases, &abreast, timeline)
            if abreast.done:
                if seen is not None:
                    raised = seen if raised is None else raised + seen
                at += abreast.done
                continue
        if step.behind_kernel:
            seen = run_with_epilogue(w, step, plan.aliases)
        elif step.program is not None:
            seen = run_tile(w, step, plan.aliases)
        elif step.kind == "opaque":
            seen = run_opaque(w, step)
        else:
            seen = None
            run_empty(w, step)
        if seen is not None:
            raised = seen if raised is None else raised + seen
        if step.nfrees:
            free_read(w, step)
        if watched:
            timeline.append((label, began, time.perf_counter() - began, 0, take_shares()))
        at += 1
        if at == abreast.alone:
            step_ended(abreast.work)
    if watched and not w.overtaken:
        plan.timeline = timeline
    return raised


cdef tuple memory_of_values(Walk* w, object found):
    """Nodes of whose values only a part is in memory at any time; of the others, where those lie that are first in the
    arena, by node."""
    cdef Plan plan = found
    return not_stored(w, plan.steps), places(find_layout(w, plan.steps, plan.layout))


cdef object find_plan(Walk* w):
    """The plan of a graph, made if there is none yet."""
    cdef bint hit
    return _find(w, &hit)


cdef tuple steps_of(object found):
    """The steps of a plan, and which nodes are left out for others, as running them takes it."""
    cdef Plan plan = found
    return plan.steps, plan.aliases


cdef int _settle_frontier(Walk* w) except -1:
    """After a failure: what has data keeps it, so that the rest can be evaluated from there."""
    cdef int i
    cdef Node node
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if node.data is not NULL and node.kind not in (LEAF, SCALAR, VIEW):
            settle(node)
    return 0
