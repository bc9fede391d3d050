"""Evaluation: find the plan for the roots and run its steps.

Evaluations hold one lock. A node's data is published when its step is complete. After a failure all computed data
stays, so nothing is computed twice and no overwritten value is needed again.
"""
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.sequence cimport PySequence_Fast_ITEMS
from libc.string cimport memset
from numpy cimport npy_intp

from lazyarr._core.host cimport allocator
from lazyarr._core.host.device_table cimport device_name
from lazyarr._core.host.run_context cimport MAX_DEPTH, RunContext, current_run
from lazyarr._core.host.threads cimport end_work, expect_work, most_threads, step_ended
from lazyarr._core.host.worker_trace cimport Shares, drop_shares, keep_shares, take_shares
from lazyarr._core.host.workspace cimport end_loan, lend, set_workspace_start, workspace_start
from lazyarr._core.ir.failures cimport fail_node, oldest_failure, spread_failures, without_failed
from lazyarr._core.ir.fingerprint cimport Walk, walk
from lazyarr._core.ir.fp_errors cimport report_status
from lazyarr._core.ir.history cimport make_leaf
from lazyarr._core.ir.leaf cimport verify_shared
from lazyarr._core.ir.node cimport EMPTY, LEAF, OPAQUE, REPEAT, RESULT, VIEW, Node, has_value
from lazyarr._core.ir.slice_pushdown cimport walk_with_slices
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime cimport plan_cache
from lazyarr._core.runtime.accelerator cimport on_accelerator, run_on_accelerator, status_words
from lazyarr._core.runtime.arena cimport Arena, Layout, new_arena, top_of
from lazyarr._core.runtime.backend_choice cimport called_name
from lazyarr._core.runtime.call_step cimport run_opaque, run_with_epilogue
from lazyarr._core.runtime.concurrent_calls cimport run_calls, wait_for_calls
from lazyarr._core.runtime.concurrent_steps cimport run_concurrent
from lazyarr._core.runtime.evaluation_lock cimport enter, leave
from lazyarr._core.runtime.executor cimport forget, free_read, label_of, run_empty, run_tile
from lazyarr._core.runtime.memo cimport Recollection, end_recall, memo_is_on, recall, release_results
from lazyarr._core.runtime.memory_plan cimport find_layout
from lazyarr._core.runtime.no_evaluation cimport evaluation_forbidden, refusal
from lazyarr._core.runtime.plan_cache cimport Plan, find_plan, plan_misses
from lazyarr._core.runtime.progress cimport begin_watch, end_watch, is_watched, report_step
from lazyarr._core.runtime.reference cimport compute_nodes, uses_reference
from lazyarr._core.runtime.row_fusion cimport run_by_rows
from lazyarr._core.runtime.status_words cimport StatusWords, forget_unread, leave_unread
from lazyarr._core.runtime.step_group cimport Grouping

import os
import time


cdef extern from "Python.h":
    int PyGC_Disable() noexcept
    int PyGC_Enable() noexcept

cdef Walk _walks[MAX_DEPTH]

cdef object _observer = None


cdef void set_observer(object function):
    global _observer
    _observer = function


cdef object observer():
    """Return the observer of evaluations, or None."""
    return _observer


cdef int evaluate_nodes(PyObject** roots, int count, bint fetch=True) except -1:
    """Evaluate all roots. Roots are not VIEWs; those with data are skipped.

    Values on devices stay there unless `fetch` is set.
    """
    cdef int i
    if evaluation_forbidden():
        raise refusal(<Node>roots[0])
    for i in range(count):
        if (<Node>roots[i]).devices:
            return evaluate_on_devices(roots, count, fetch)
    return evaluate_graph(roots, count)


cdef int evaluate_graph(PyObject** roots, int count) except -1:
    """Evaluate roots that are on one device together with all their dependencies.

    Callbacks (warning handlers, the observer) run after the lock is released: they may wait for a lock that another
    evaluating thread holds.
    """
    cdef Walk* w
    cdef RunContext* run
    cdef list news = []
    run = enter()
    try:
        try:
            w = &_walks[run.depth - 1]
            if run.depth == 1 and is_watched():
                begin_watch()
            _evaluate_to_end(w, roots, count, news)
        finally:
            w.count = 0
            if run.depth == 1:
                end_watch()
            leave()
    finally:
        if news:
            _report(news)
    return 0


cdef int _report(list news) except -1:
    """Report floating-point flags, and evaluations to the observer."""
    for item in news:
        if type(item) is list:
            report_status(item)
        else:
            listener, record = item
            listener(record)
    return 0


cdef int _evaluate_to_end(Walk* w, PyObject** roots, int count, list news) except -1:
    """Run what the roots need, repeatedly if a nested evaluation interferes."""
    _evaluate(w, roots, count, news)
    while w.reentered:  # the rest is another graph
        _evaluate(w, roots, count, news)
    return 0


cdef int _evaluate(Walk* w, PyObject** roots, int count, list news) except -1:
    """Find the plan for what the roots need and run it; append reports for callbacks to `news`."""
    cdef int i
    cdef bint hit, collects, by_nodes
    cdef long long misses = plan_misses()
    cdef Plan plan = None
    cdef Recollection recollection = None
    cdef Py_ssize_t known_news = len(news)
    cdef bint succeeded = False
    if w != _walks:  # nested in an evaluation, whose threads may be making calls
        wait_for_calls()
    collects = PyGC_Disable()  # a finalizer may evaluate, and renumber nodes
    try:
        if uses_reference():
            walk(w, roots, count)
        else:
            walk_with_slices(w, roots, count)
        by_nodes = uses_reference() and not on_accelerator(w)
        if not w.failed and not by_nodes:
            if memo_is_on():
                recollection = recall(w, roots, count)
            plan = find_plan(w)
            plan.layout = find_layout(w, plan.steps, plan.layout)
    finally:
        if collects:
            PyGC_Enable()
    if w.failed:
        return _evaluate_others(w, roots, count, news)
    hit = plan_misses() == misses
    plan_cache.evaluations += 1
    w.reentered = False
    for i in range(w.count):
        Py_INCREF(<object>w.nodes[i])
        w.status[i] = 0
    try:
        for i in range(w.count):
            if (<Node>w.nodes[i]).kind == LEAF and (<Node>w.nodes[i]).payload is not None:
                verify_shared(<Node>w.nodes[i])
        if by_nodes:
            _run_by_nodes(w, news)
        elif _observer is None:
            _run(w, plan, news)
        else:
            _run_observed(w, plan, hit, news)
        succeeded = recollection is not None and not (w.reentered or w.skips_memo or _has_flags(news, known_news))
    finally:
        if recollection is not None:
            end_recall(w, recollection, succeeded)
        for i in range(w.count):
            Py_DECREF(<object>w.nodes[i])
        allocator.note_evaluation()
    return 0


cdef bint _has_flags(list news, Py_ssize_t first):
    """Return whether `news` has floating-point flags from `first` on."""
    cdef Py_ssize_t i
    for i in range(first, len(news)):
        if type(news[i]) is list:
            return True
    return False


cdef int _evaluate_others(Walk* w, PyObject** roots, int count, list news) except -1:
    """Evaluate the roots that depend on no failed node, then raise the failure of the others."""
    cdef list others
    spread_failures(w)
    others = without_failed(roots, count)
    if others:
        _evaluate_to_end(w, PySequence_Fast_ITEMS(others), <int>len(others), news)
    raise oldest_failure(roots, count)


cdef int _run_observed(Walk* w, Plan plan, bint hit, list news) except -1:
    cdef list names = []
    cdef double nbytes = _bytes_of(w), started
    cdef Step step
    cdef Shares* shares = keep_shares(most_threads())
    for step in plan.steps:
        if (step.program is None or step.behind_kernel) and (<Node>w.nodes[step.node]).kind == OPAQUE:
            names.append(called_name(<Node>w.nodes[step.node]))
    listener = _observer
    plan.timeline = None
    started = time.perf_counter()
    try:
        _run(w, plan, news)
    finally:
        drop_shares(shares)
    news.append((listener, {
        "steps": len(plan.steps), "ops": w.count, "fused": plan.fused, "bytes": int(nbytes),
        "seconds": time.perf_counter() - started, "hit": hit, "opaque": names, "began": started,
        "timeline": plan.timeline or [],
        "kinds": [step.kind for step in plan.steps], "device": _device_of(w)}))
    return 0


cdef str _device_of(Walk* w):
    """Return the device of a walk: that of its last node, a root."""
    return device_name((<Node>w.nodes[w.count - 1]).device if w.count else 0)


cdef double _bytes_of(Walk* w) noexcept:
    """Return the total size of all values of a walk."""
    cdef double nbytes = 0
    cdef int i
    for i in range(w.count):
        if (<Node>w.nodes[i]).kind != VIEW:
            nbytes += (<Node>w.nodes[i]).span
    return nbytes


cdef int _run_by_nodes(Walk* w, list news) except -1:
    """Evaluate the graph on the reference backend; drop values not wanted outside at the end."""
    cdef list raised = [], timeline = None if _observer is None else []
    cdef list steps = None if _observer is None else _nodes_as_steps(w)
    cdef double nbytes = _bytes_of(w), began = time.perf_counter()
    listener = _observer
    try:
        compute_nodes(w, raised, timeline)
    except BaseException as error:
        _keep_computed(w, error)
        raise
    finally:
        if raised:
            news.append(raised)
    if w.reentered:
        _make_leaves(w)
    else:
        _forget_values(w)
    if listener is not None:
        news.append((listener, {
            "steps": len(steps), "ops": w.count, "fused": 0, "bytes": int(nbytes),
            "seconds": time.perf_counter() - began, "hit": False, "opaque": [name for _, name in steps if name],
            "began": began, "timeline": timeline, "kinds": [kind for kind, _ in steps], "device": _device_of(w)}))
    return 0


cdef list _nodes_as_steps(Walk* w):
    """Return for each pending node its kind as a step, and the name of its call."""
    cdef list steps = []
    cdef Node node
    cdef int i
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if node.kind == OPAQUE or node.kind == REPEAT:
            steps.append(("opaque", node.payload[0]))
        elif node.kind != VIEW and node.kind != RESULT and not has_value(node):
            steps.append(("empty" if node.kind == EMPTY else "tile", None))
    return steps


cdef int _run(Walk* w, Plan plan, list news) except -1:
    cdef Layout layout = plan.layout
    cdef Arena arena = None if on_accelerator(w) else new_arena(layout)
    cdef double start = expect_work(plan.shared_ns)
    if arena is not None:
        w.arena = <PyObject*>arena
        lend(arena.block)
    try:
        raised = run_steps(w, plan)
    except BaseException as error:
        _keep_computed(w, error)
        raise
    finally:
        plan.shared_ns = end_work(start)
        if arena is not None:
            w.arena, layout.room = NULL, max(layout.room, end_loan())
    if w.reentered:
        _make_leaves(w)
    if raised is not None:
        news.append(raised)
    return 0


cdef list run_steps(Walk* w, Plan plan, StatusWords words=None):
    """Run the steps of a plan; return the status flags, or None.

    Flags of device kernels stay in `words` if that is given.
    """
    cdef list raised, found
    if words is not None or not on_accelerator(w):
        return _run_steps(w, plan, words)
    words = status_words(w)
    try:
        raised = _run_steps(w, plan, words)
        found = words.take_all()
    except BaseException:
        leave_unread(words)
        raise
    return raised if found is None else found if raised is None else raised + found


cdef list _run_steps(Walk* w, Plan plan, StatusWords words):
    cdef Step step
    cdef Grouping grouping
    cdef list raised = None, seen
    cdef int at = 0, count = len(plan.steps)
    cdef bint watched = _observer is not None and not w.is_template
    cdef bint followed = current_run().depth == 1 and not w.is_template and is_watched()
    cdef bint first = not followed  # a follower may run anything
    cdef long long number = plan_cache.evaluations
    cdef double began = 0
    cdef str label = None
    cdef list timeline = [] if watched else None
    cdef npy_intp free_from = workspace_start()
    cdef bint elsewhere = words is not None
    if uses_reference() and not elsewhere:
        raised = []
        compute_nodes(w, raised, None)
        return raised or None
    memset(&grouping, 0, sizeof(grouping))
    while at < count:
        step = <Step>plan.steps[at]
        set_workspace_start(top_of(w, at, free_from))
        if watched or followed:
            label = label_of(w, step)  # before the nodes drop their operands
        if followed and is_watched():
            report_step(at, count, label)
        if watched:
            began = time.perf_counter()
        if not first:  # each of many steps may be too short, or overwrite too much, to be interrupted
            PyErr_CheckSignals()
            if number != plan_cache.evaluations and not w.is_template:
                w.reentered = True
                break
        first, seen, grouping.done = False, None, 0
        if step.rows > 1 and not elsewhere:
            seen = run_by_rows(w, plan.steps, at, plan.aliases, &grouping, timeline)
        if not grouping.done and step.concurrent > 1 and at >= grouping.alone and not elsewhere:
            if step.kind == "opaque":
                seen = run_calls(w, plan.steps, at, plan.aliases, &grouping, timeline)
            else:
                seen = run_concurrent(w, plan.steps, at, plan.aliases, &grouping, timeline)
        if elsewhere:
            seen = run_on_accelerator(w, step, plan.aliases, _run_step, words)
            if watched:     # the timeline has the time of each step
                words.wait()
        elif not grouping.done:
            seen = _run_step(w, step, plan.aliases)
        if seen is not None:
            raised = seen if raised is None else raised + seen
        if elsewhere:
            words.found = raised
        if grouping.done:
            at += grouping.done
            if w.reentered:
                break
            continue
        if step.nfrees:
            free_read(w, step)
        if watched:
            timeline.append((label, began, time.perf_counter() - began, 0, take_shares()))
        at += 1
        if at == grouping.alone:
            step_ended(grouping.work)
    if watched and not w.reentered:
        plan.timeline = timeline
    return raised


cdef list _run_step(Walk* w, Step step, list aliases):
    """Run one step by itself; return the status flags, or None."""
    if step.behind_kernel:
        return run_with_epilogue(w, step, aliases)
    if step.program is not None:
        return run_tile(w, step, aliases)
    if step.kind == "opaque":
        return run_opaque(w, step, aliases)
    run_empty(w, step)
    return None


cdef int _keep_computed(Walk* w, object error) except -1:
    """After a failure, keep all computed data and fail the dependants of failed nodes."""
    _make_leaves(w)
    spread_failures(w)
    if isinstance(error, MemoryError):
        release_results()
    return 0


cdef int _make_leaves(Walk* w) except -1:
    """Turn nodes with data into leaves, so that the rest can be evaluated from there."""
    cdef int i
    cdef Node node
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if node.data is not NULL and node.kind != VIEW and not has_value(node):
            make_leaf(node)
    return 0


cdef void _forget_values(Walk* w) noexcept:
    """Drop the values of pending nodes."""
    cdef Node node
    cdef int i
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if node.kind != VIEW and not has_value(node):
            forget(node)


cdef int add_walked(set nodes) except -1:
    """Add the addresses of the nodes of all running evaluations."""
    cdef int d, i
    for d in range(MAX_DEPTH):
        for i in range(_walks[d].count):
            nodes.add(<size_t>_walks[d].nodes[i])
    return 0


def _after_fork_in_child():
    """Fail what a lost thread was computing: it may have overwritten operands."""
    cdef Walk* w
    cdef Node node
    cdef int d, i
    forget_unread()
    if current_run().depth:
        return
    error = RuntimeError("another thread was computing this array when the process was forked")
    for d in range(MAX_DEPTH):
        w = &_walks[d]
        for i in range(w.count):
            node = <Node>w.nodes[i]
            if node.data is not NULL and node.kind != VIEW and not has_value(node):
                forget(node)
                fail_node(node, error, "an evaluation of the parent")
        spread_failures(w)
        w.count = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
