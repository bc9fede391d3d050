"""The plan cache: find and make plans.

Equal fingerprints mean equal plans: a plan identifies nodes by position in the walk, and reads everything that may vary
(extents, offsets, scalar values, addresses, functions of opaque calls) from the nodes when it runs.
"""
from cpython.object cimport PyObject
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memset

cimport cython

from lazyarr._core.ir.const_guards cimport constant_of, fast_math, mark_of
from lazyarr._core.ir.fingerprint cimport Walk, hash_words, node_flags
from lazyarr._core.ir.graph_ir cimport Described, Graph, new_graph
from lazyarr._core.ir.loop_table cimport LOOP_SCANS, LOOP_SEARCHES, cheap_width
from lazyarr._core.ir.node cimport EXPAND, LEAF, MAP, OPAQUE, REDUCE, SCALAR, VIEW, Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime.memory_plan cimport find_layout, not_stored, places


@cython.final
cdef class Plan:
    """The steps that evaluate all graphs of one fingerprint; immutable.

    Printed, it lists the steps; nodes are named by their positions in the graph.
    """
    def __cinit__(self):
        self.steps, self.aliases, self.rewrites = [], [], []

    def __str__(self):
        lines = [f"{number}: {step}" for number, step in enumerate(self.steps, 1)]
        lines += [f"n{left_out} is n{computed}" for left_out, computed in self.aliases]
        return "\n".join(lines)


cdef dict _plans = {}            # key -> Plan; used only if the whole fingerprint is equal
cdef enum:
    NRECENT = 1024
cdef PyObject* _recent[NRECENT]  # by low bits of the key, borrowed from _plans: saves hashing a Python int
cdef struct CacheState:
    Py_ssize_t nbytes, limit
    uint64_t tick           # of the last lookup
    long long hits, misses, evictions

cdef CacheState _cache = CacheState(0, 64 << 20, 0, 0, 0, 0)
cdef object _schedule = None


cdef void set_schedule(object function):
    global _schedule
    _schedule = function


cdef Plan find_plan(Walk* w):
    """Return the plan of a graph, made if it is not cached."""
    cdef uint64_t key = hash_words(w.words, w.nwords)
    cdef Py_ssize_t nbytes = w.nwords * sizeof(uint32_t)
    cdef PyObject* recent = _recent[key & (NRECENT - 1)]
    cdef Plan plan
    _cache.tick += 1
    if recent is not NULL and (<Plan>recent).key == key:
        found = <object>recent
    else:
        found = _plans.get(key)
    if found is not None:
        plan = <Plan>found
        _recent[key & (NRECENT - 1)] = <PyObject*>plan
        if len(plan.fingerprint) == nbytes and memcmp(<char*>plan.fingerprint, w.words, nbytes) == 0:
            plan.tick = _cache.tick
            _cache.hits += 1
            return plan
    return _make_plan(w, key)


cdef Graph describe(Walk* w):
    """Return the description of a walked graph for compiler passes."""
    cdef Graph graph
    cdef Node node, below, constant
    cdef Described* made
    cdef unsigned char* flags = node_flags(w)
    cdef int* inputs
    cdef int i, j, ninputs = 0
    for i in range(w.count):
        node = <Node>w.nodes[i]
        ninputs += node.ninputs if node.data is NULL else 0
    graph = new_graph(w.count)
    graph.fast_math = fast_math()
    inputs = graph.ints(ninputs)
    for i in range(w.count):
        node = <Node>w.nodes[i]
        made = &graph.nodes[i]
        made.shape, made.itemsize, made.typenum = w.class_of[i], node.itemsize, node.typenum
        made.flags, made.attr, made.nbytes, made.serial = flags[i], node.attr, node.span, node.serial
        made.loop = node.loop.id if node.loop is not NULL else 0
        made.like = w.first_equal[i] if node.kind == SCALAR \
            or node.data is NULL and (node.kind == VIEW or node.kind == OPAQUE) else i
        made.inputs = inputs
        if node.data is not NULL:
            made.kind = SCALAR if node.kind == SCALAR else LEAF
            continue
        made.kind, made.contiguous = node.kind, node.contiguous
        if node.kind == MAP:
            made.cheap = cheap_width(node.loop)
        if node.kind == REDUCE:
            made.axes, made.attr = node.axes, node.loop.flags & (LOOP_SEARCHES | LOOP_SCANS)
            made.outer = node.axes >> max((<Node>node.inputs[0]).ndim - 1, 0) == 0
        for j in range(node.ninputs):
            below = <Node>node.inputs[j]
            inputs[j] = below.index
            constant = constant_of(below) if node.kind == MAP and j < 3 else None  # consistent with the fingerprint
            if constant is not None:
                graph.nodes[constant.index].mark |= mark_of(node.loop, constant)
        made.ninputs = node.ninputs
        inputs += node.ninputs
        if MAP <= node.kind <= EXPAND:
            made.nouts, made.outs = node.loop.nout, node.loop.sizes + node.loop.nin
    return graph


cdef Plan _make_plan(Walk* w, uint64_t key):
    """Describe and compile the graph."""
    cdef Plan plan = Plan.__new__(Plan)
    cdef Step step
    _cache.misses += 1
    fingerprint = (<char*>w.words)[:w.nwords * sizeof(uint32_t)]
    plan.fingerprint = fingerprint
    plan.key = key
    plan.steps, plan.aliases, plan.rewrites = _schedule(describe(w))
    for step in plan.steps:
        if step.program is not None:
            plan.fused += step.program.ninstr + step.program.nfold
    plan.tick = _cache.tick
    plan.nbytes = 1000 + 2 * len(fingerprint) + 200 * w.count
    memset(_recent, 0, sizeof(_recent))
    old = _plans.pop(key, None)
    if old is not None:
        _cache.nbytes -= (<Plan>old).nbytes
    _plans[key] = plan
    _cache.nbytes += plan.nbytes
    _evict()
    return plan


cdef _evict():
    """Drop the least recently used plans while the cache is over its limit."""
    if _cache.nbytes <= _cache.limit:
        return
    memset(_recent, 0, sizeof(_recent))
    by_age = sorted(_plans.values(), key=_plan_tick)
    for plan in by_age:
        if _cache.nbytes <= _cache.limit * 3 // 4:
            break
        del _plans[(<Plan>plan).key]
        _cache.nbytes -= (<Plan>plan).nbytes
        _cache.evictions += 1


def _plan_tick(Plan plan):
    return plan.tick


def stats():
    """Return cache hits, misses, evictions, plans, bytes held, and evaluations."""
    return {"hits": _cache.hits, "misses": _cache.misses, "evictions": _cache.evictions, "plans": len(_plans),
            "cached_bytes": _cache.nbytes, "evaluations": evaluations}


def reset_stats():
    """Set the counters to zero; plans stay cached."""
    global evaluations
    _cache.hits = _cache.misses = _cache.evictions = evaluations = 0


def clear():
    """Drop all plans."""
    memset(_recent, 0, sizeof(_recent))
    _plans.clear()
    _cache.nbytes = 0


def get_cache_limit():
    """Return the limit of the plan cache in bytes."""
    return _cache.limit


def set_cache_limit(Py_ssize_t nbytes):
    """Set the limit of the plan cache in bytes; the least recently used plans go first."""
    if nbytes < 0:
        raise ValueError(f"cache_limit must not be negative, got {nbytes}")
    _cache.limit = nbytes
    _evict()


cdef long long plan_misses() noexcept:
    return _cache.misses


cdef tuple memory_of_values(Walk* w, Plan plan):
    """Return the nodes that are never in memory as a whole, and the arena offsets of the first nodes of slots."""
    return not_stored(w, plan.steps), places(find_layout(w, plan.steps, plan.layout))
