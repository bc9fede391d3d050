"""Handles and what they stand for.

A base handle holds the node that is its current value. A view holds its base handle and a window on the base's
storage, and derives a VIEW node whenever it is read, so it always shows the base's current value. Writing re-points the
base: to the new value if the whole array is written, to an UPDATE of the old one if a view is.

Base handles whose value is pending are in a list. When what is pending exceeds the budget, all of them are
evaluated in one plan (`flush`).
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF
from cpython.tuple cimport PyTuple_New

from libc.stdlib cimport free, malloc
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdint cimport uint64_t

from lazyarr._core.frontend.boolean_select cimport settle_selection
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.lazy_array cimport LazyArray, bare_handle
from lazyarr._core.frontend.memory_budget cimport forget_retained, measure_retained, retains_more
from lazyarr._core.frontend.storage cimport export, is_shared, on_memory, snapshot
from lazyarr._core.host.allocator cimport live_bytes
from lazyarr._core.ir.builder cimport cast_node, iterated_axes, opaque_node, update_node, view_node
from lazyarr._core.ir.failures cimport give_up, leave_to_looks
from lazyarr._core.ir.node cimport (
    EXPAND, MAP, OPAQUE, Node, count_recordings, history_is_kept, history_is_kept_somewhere, is_evaluated,
    pending_bytes, pending_nodes, renew, same_layout)
from lazyarr._core.ir.overlap cimport window_overlaps_itself
from lazyarr._core.ir.placeholder cimport stand_in
from lazyarr._core.runtime.evaluation cimport evaluate_nodes, flushed_bytes
from lazyarr._core.runtime.executor cimport as_ndarray
from lazyarr._core.runtime.plan_cache cimport plan_misses

cdef extern from "simd/weak.h":
    void lz_enlist(PyObject* o) noexcept
    PyObject* lz_take(PyObject* o) noexcept

cdef extern from "Python.h":
    PyObject* PyLong_FromSsize_t(Py_ssize_t value) noexcept
    void PyTuple_SET_ITEM(object t, Py_ssize_t i, PyObject* item) noexcept

import warnings

import numpy as np

from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr._core.runtime.no_evaluation import EvaluationForbidden

# ---- pending handles and the budget --------------------------------------------------------------------

cdef PyObject* _newest = NULL
cdef int _budget_nodes = 400
cdef double _budget_bytes = 512 << 20
cdef double _budget_work = <double>(1 << 30) * 12
cdef object _site_code = None
cdef int _site_lasti = 0
cdef bint _flushing = False
cdef enum:
    SPOILED = 2                # flushes in a row without a plan: what is pending does not repeat from one to the next
cdef double LARGE_ROUND = 256 << 20
cdef int _missed = 0
cdef set _writes_seen = set()  # statements that have written in this round
cdef enum:                     # what a look at a handle must attend to first
    ROUND_IS_OVER = 1
    TRACING = 2
    SEALED = 4
attention = 0


cdef void link(LazyArray handle) noexcept:
    global _newest
    if handle.linked:
        return
    lz_enlist(<PyObject*>handle)
    handle.linked = True
    handle.before = NULL
    handle.after = _newest
    if _newest is not NULL:
        (<LazyArray>_newest).before = <PyObject*>handle
    _newest = <PyObject*>handle


cdef void unlink(LazyArray handle) noexcept:
    global _newest
    if not handle.linked:
        return
    handle.linked = False
    if handle.before is not NULL:
        (<LazyArray>handle.before).after = handle.after
    else:
        _newest = handle.after
    if handle.after is not NULL:
        (<LazyArray>handle.after).before = handle.before


cdef int _in_one_plan = 0  # blocks that are running, in all threads


cdef class one_plan:
    """A block in which nothing is evaluated for the number of pending operations: `with one_plan():`.

    It is entered and left by native code, so that no signal handler can raise in between and leave it behind.
    """

    def __enter__(self):
        global _in_one_plan
        _in_one_plan += 1

    def __exit__(self, *_):
        global _in_one_plan
        _in_one_plan -= 1


cdef inline int watch_retained(PyObject* newest) except -1:
    """Find out now and then what these handles and those before them keep in memory, where it would be flushed."""
    return 0 if _in_one_plan or history_is_kept_somewhere() else measure_retained(newest, _budget_bytes)


cdef inline bint over_budget(double factor) noexcept:
    return (pending_nodes() > _budget_nodes * factor and not _in_one_plan or pending_bytes() > _budget_work * factor
            or live_bytes() - flushed_bytes() > _budget_bytes * factor or retains_more(factor))


cdef int check_budget(Node made) except -1:
    """Evaluate what is pending once it exceeds the budget, at a statement that repeats.

    The first time, here. Later, when the program comes back to the same statement, so that a loop is cut at the
    same place in every round and its plans repeat; a program that has moved on is cut at twice the budget.
    """
    global _site_code, _site_lasti, _missed
    cdef long long misses
    cdef bint retaining
    if not over_budget(1) or pending_nodes() < 2 or history_is_kept_somewhere():
        return 0
    if made.code is _site_code and made.lasti == _site_lasti or _site_code is None or over_budget(2):
        _site_code = made.code
        _site_lasti = made.lasti
        misses, retaining = plan_misses(), retains_more(1)
        flush()
        if not retaining:  # such flushes are about rounds already
            _missed = _missed % SPOILED + 1 if plan_misses() > misses else 0
    return 0


cdef int check_round(Node made) except -1:
    """Where flushes at the budget find no plans, evaluate what is pending once a statement has written twice.

    A loop whose rounds differ in what they do, or in how often, is over the budget at another place each time; its
    single rounds are alike. The flush comes when the next operation reads an operand and the statement has let go of
    its intermediates. Arrays so large that evaluating them takes longer than finding a plan wait for the budget, and
    so does what is meant for one plan.
    """
    global attention
    watch_retained(_newest)
    if _missed < SPOILED or pending_bytes() > LARGE_ROUND or history_is_kept_somewhere() or _in_one_plan:
        return check_budget(made)
    place = (id(made.code), made.lasti)
    if place in _writes_seen:
        _writes_seen.clear()
        attention |= ROUND_IS_OVER
    _writes_seen.add(place)
    return check_budget(made)


cdef int flush() except -1:
    """Evaluate the pending value of every live handle in one plan.

    An operation that fails is left pending, to fail where its value is looked at. Neither it nor what is made of it is
    tried again here.
    """
    global _flushing, attention
    cdef PyObject* p = _newest
    cdef PyObject* following
    cdef PyObject* taken
    cdef list held = [], nodes
    cdef LazyArray handle
    cdef Node node
    if _flushing:
        return 0
    attention &= ~ROUND_IS_OVER
    forget_retained()
    while p is not NULL:
        following = (<LazyArray>p).after
        if is_evaluated((<LazyArray>p).node) or (<LazyArray>p).node.poisoned:
            unlink(<LazyArray>p)
        else:
            taken = lz_take(p)
            if taken is not NULL:
                held.append(<LazyArray>taken)
                Py_DECREF(<LazyArray>taken)
        p = following
    held.reverse()
    nodes = [(<LazyArray>h).node for h in held]  # other threads may write to the handles meanwhile
    _flushing = True
    try:
        evaluate_list(nodes)
        for handle in held:
            node_of(handle)  # a selection gives up what lies outside its mask
    except EvaluationForbidden:
        pass
    except MemoryError:
        raise
    except Exception as error:
        told_later = False
        for handle, node in zip(held, nodes):
            if not is_evaluated(node):
                again = failure_of(node)
                if again is not None:
                    leave_to_looks(node)
                    if handle.node is node:
                        unlink(handle)
                    told_later |= _says_the_same(again, error)
        if not told_later:  # what it speaks of has its values nevertheless
            raise
    finally:
        _flushing = False
    return 0


cdef object failure_of(Node node):
    """Try to evaluate one node; the exception if an operation fails and will again, None if it does not."""
    try:
        evaluate_list([node])
    except MemoryError:
        raise
    except Exception as error:
        if is_evaluated(node):  # an error that is told of values that are there
            raise
        return error
    return None


cdef bint _says_the_same(object a, object b):
    if type(a) is type(b) is TracedValueError:  # of what another thread has just learnt: the text depends on the moment
        return True
    return type(a) is type(b) and a.args == b.args and getattr(a, "__notes__", None) == getattr(b, "__notes__", None)


cdef int evaluate_list(list nodes) except -1:
    cdef int n = <int>len(nodes), i
    cdef PyObject** roots
    if n == 0:
        return 0
    roots = <PyObject**>malloc(n * sizeof(PyObject*))
    if roots is NULL:
        raise MemoryError()
    try:
        for i in range(n):
            roots[i] = <PyObject*>nodes[i]
        evaluate_nodes(roots, n)
    finally:
        free(roots)
    return 0


def set_budget(nodes=None, bytes=None, work=None):
    """Bounds on what may be pending: nodes, bytes of memory held for them, bytes of results to compute."""
    global _budget_nodes, _budget_bytes, _budget_work, _missed
    if nodes is not None:
        if nodes < 1:
            raise ValueError(f"budget_nodes must be at least 1, got {nodes}")
        _budget_nodes = nodes
    if bytes is not None:
        if bytes < 0:
            raise ValueError(f"budget_bytes must not be negative, got {bytes}")
        _budget_bytes = bytes
    if work is not None:
        if work < 0:
            raise ValueError(f"budget_work must not be negative, got {work}")
        _budget_work = work
    _missed = 0  # what flushes under other bounds found says nothing about those under these


def get_budget():
    """The bounds in force."""
    return {"nodes": _budget_nodes, "bytes": int(_budget_bytes), "work": int(_budget_work)}


# ---- handles and their nodes ---------------------------------------------------------------------------

cdef bint _is_prepared = False


cpdef int prepare() except -1:
    """Have the layers above register what arrays need, unless they have."""
    global _is_prepared
    if not _is_prepared:
        call_hook("first_array", ())
        _is_prepared = True
    return 0


cdef LazyArray new_handle(Node node, bint scalar):
    cdef LazyArray handle = pending_handle(node, scalar)
    if node.failure is not None:
        give_up(node)
    elif handle.linked:
        watch_retained(handle.after)  # as it was before this operation
        check_budget(node)
    return handle


cdef LazyArray pending_handle(Node node, bint scalar):
    """A handle that what comes next must find pending, be the budget exceeded or not."""
    if not _is_prepared:
        prepare()
    cdef LazyArray handle = bare_handle()
    handle.node = node
    handle.scalar = scalar
    handle.writeable = not scalar
    if not is_evaluated(node):
        link(handle)
    return handle


cdef int check_writeable(LazyArray handle, str refusal) except -1:
    """Raise ValueError if the array is read-only; warn once where NumPy does. Whoever writes asks this first."""
    if attention & SEALED:
        refuse_outside(handle)
    if attention:
        attend(handle)
    if not handle.writeable:
        raise ValueError(refusal)
    if handle._warns_on_write:
        handle._warns_on_write = False
        warnings.warn(
            "Numpy has detected that you (may be) writing to an array with\noverlapping memory from "
            "np.broadcast_arrays. If this is intentional\nset the WRITEABLE flag True or make a copy immediately "
            "before writing.", DeprecationWarning, stacklevel=1)
    return 0


cdef Node node_of(LazyArray handle):
    """The node of the handle's current value."""
    cdef Node view
    cdef LazyArray base
    if attention:
        attend(handle)
    if handle.mask is not None:
        settle_selection(handle)
    base = handle if handle.root is None else handle.root
    if base.export is not None and is_shared(base) and not history_is_kept():
        return snapshot(handle)
    if handle.root is None:
        return handle.node
    view = view_node(handle.root.node, handle.node)
    if handle.unaligned:  # as NumPy buffers such operands
        view = opaque_node("align", np.array, [view], shape_tuple(view), view.dtype, None, iterated_axes(view))
    return view


cdef Node layout_of(LazyArray handle):
    """A node with the handle's shape, strides and dtype: its value, or a view's window."""
    if handle.mask is not None:
        settle_selection(handle)
    return handle.node


cdef int force(LazyArray handle) except -1:
    """See to it that the handle's storage has data."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    cdef PyObject* root[1]
    if attention:
        attend(handle)
    if handle.mask is not None:
        settle_selection(handle)
    if not is_evaluated(base.node):
        held = base.node
        root[0] = <PyObject*>held
        evaluate_nodes(root, 1)
        if base.node is held:
            unlink(base)
    return 0


cdef object value_of(LazyArray handle):
    """A read-only ndarray on the current value."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    force(handle)
    if base.export is not None and is_shared(base):
        return on_memory(handle, base.export, False)
    return as_ndarray(handle.node if handle.root is None else view_node(handle.root.node, handle.node))


cdef object lend(LazyArray handle):
    """An ndarray on the current value for others, who may write to it if the array can be written to."""
    force(handle)
    lent = export(handle)
    if lent is None:
        lent = value_of(handle)
        if handle.node.size == 0 and handle.writeable and not handle.scalar:
            lent = np.empty_like(lent)  # which nothing can be written to either
    return lent


cdef int _write_shared(LazyArray handle, Node value) except -1:
    """Write to storage that others see, at once."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    cdef PyObject* root = <PyObject*>value
    evaluate_nodes(&root, 1)
    np.copyto(on_memory(handle, base.export, True), as_ndarray(value), casting="unsafe")
    renew(base.node)
    return 0


cdef int write(LazyArray handle, Node value, bint fresh) except -1:
    """Make `value` (of the handle's shape and dtype) the handle's contents.

    `fresh`: the node was made for this write and nothing else holds it, so it may become the base's value itself.
    """
    cdef Node old
    cdef LazyArray base
    check_writeable(handle, "assignment destination is read-only")
    if handle.root is not None:
        base = handle.root
        if value.size == 0:
            return 0
        # a field of records; or elements of which one hides another, to be written one after the other
        if base.node.typenum < 0 or handle.unaligned or window_overlaps_itself(handle.node):
            call_hook("setitem", (handle, Ellipsis, new_handle(value, False)))
            return 0
        if is_shared(base):
            return _write_shared(handle, value)
        base.node = update_node(base.node, handle.node, value)
    else:
        base = handle
        if is_shared(base):
            return _write_shared(handle, value)
        old = base.node
        if not (fresh and (value.kind == MAP or value.kind == EXPAND) and same_layout(value, old)):
            value = cast_node(value, old.typenum, old)
        value.waits |= old.waits
        base.node = value
    link(base)
    return check_round(base.node) if base.node.failure is None else give_up(base.node)


# ---- functions whose graph is learnt -------------------------------------------------------------------

cdef dict _outside = None       # by id of a handle: it, its node, what stands for it, was it linked
cdef uint64_t _since = 0
cdef unsigned long _tracer = 0


cdef int attend(LazyArray handle) except -1:
    """Flush at the end of a round; have something without a value stand for an array from outside a traced function."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    cdef Node made
    if attention & ROUND_IS_OVER and not history_is_kept_somewhere():
        flush()
    if not is_from_outside(handle):
        return 0
    if base.mask is not None:
        settle_selection(base)
    made = stand_in(base.node, OPAQUE)
    _outside[id(base)] = base, base.node, made, base.linked
    base.node = made
    return 0


cdef dict _sealed = {}  # by thread: of each of its blocks the serial number before it, and ids of what it may write to


cdef class sealed:
    """A block in which this thread cannot write to arrays that were made before it: `with sealed(given):`.

    For functions that are called once, to learn their graph: what they left in an array from outside would have no
    value afterwards.

    Parameters
    ----------
    given : list of LazyArray
        Arrays that can be written to nevertheless.
    """
    cdef list given

    def __init__(self, list given):
        self.given = given

    def __enter__(self):
        global attention
        blocks = _sealed.setdefault(PyThread_get_thread_ident(), [])
        blocks.append(((<Node>Node.__new__(Node)).serial, {id(x) for x in self.given}))
        attention |= SEALED

    def __exit__(self, *_):
        global attention
        thread = PyThread_get_thread_ident()
        _sealed[thread].pop()
        if not _sealed[thread]:
            del _sealed[thread]
        if not _sealed:
            attention &= ~SEALED


cdef tuple _block_around(Node node):
    """The block that this thread is in, if a node was made before it."""
    if not attention & SEALED:
        return None
    blocks = _sealed.get(PyThread_get_thread_ident())
    if blocks is None:
        return None
    block = blocks[len(blocks) - 1]
    return block if node.serial < <uint64_t>block[0] else None


cdef bint is_sealed(Node node) except -1:
    """Whether this thread is in such a block, and a node was made before it."""
    return _block_around(node) is not None


cdef int refuse_outside(LazyArray handle) except -1:
    """Raise TypeError for an array that was made before the block that this thread is in."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    cdef tuple block = _block_around(base.node)
    if block is not None and id(base) not in block[1]:
        raise TypeError(
            f"a function that is called to learn its graph cannot write to an array of {base.node.dtype} and shape "
            f"{shape_tuple(base.node)} from outside, which would have no value afterwards: it must return what is to "
            "be written")
    return 0


cdef class tracing:
    """A block in which arrays made before it have no values in this thread, when they are read or written.

    Afterwards they are as before: what was written to them is left in `after`. History is kept meanwhile, so nothing is
    evaluated at the budget. Blocks do not nest; other threads must not use the arrays.

    Attributes
    ----------
    arrays : list of LazyArray
        Those that were read or written.
    stand_ins : list of LazyArray
        What stood for each.
    after : list of LazyArray or None
        What each became; None for those that were not written.
    """
    cdef readonly list arrays, stand_ins, after

    def __enter__(self):
        global attention, _outside, _since, _tracer
        if _outside is not None:
            raise RuntimeError("a function is being traced already")
        if attention & ROUND_IS_OVER and not history_is_kept_somewhere():
            flush()
        _outside = {}
        _since = (<Node>Node.__new__(Node)).serial
        _tracer = PyThread_get_thread_ident()
        attention |= TRACING
        count_recordings(1)
        return self

    def __exit__(self, *_):
        global attention, _outside
        cdef LazyArray base
        cdef Node node, made
        cdef bint linked
        found = list(_outside.values())
        count_recordings(-1)
        attention &= ~TRACING
        _outside = None
        self.arrays = [base for base, _, _, _ in found]
        self.stand_ins = [pending_handle(made, base.scalar) for base, _, made, _ in found]
        self.after = []
        for base, node, made, linked in found:
            self.after.append(None if base.node is made else pending_handle(base.node, base.scalar))
            base.node = node
            if linked:
                link(base)
            else:
                unlink(base)


def is_tracing():
    """Whether a block of `tracing` is running in this thread."""
    return _outside is not None and _tracer == PyThread_get_thread_ident()


cdef bint is_from_outside(LazyArray handle) noexcept:
    """Whether something is to stand for the array when it is looked at, which has not happened yet."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    return attention & TRACING and base.node.serial < _since and _tracer == PyThread_get_thread_ident()


cdef object shape_tuple(Node node):
    cdef tuple made = PyTuple_New(node.ndim)
    cdef PyObject* extent
    cdef int d
    for d in range(node.ndim):
        extent = PyLong_FromSsize_t(node.shape[d])
        if extent is NULL:
            raise MemoryError()
        PyTuple_SET_ITEM(made, d, extent)  # which takes the reference over
    return made


cdef object dummy(object operand):
    """An array of the operand's shape and dtype that costs nothing, to have NumPy raise its own errors on."""
    if isinstance(operand, LazyArray):
        return np.broadcast_to(np.ones((), (<LazyArray>operand).node.dtype), shape_tuple(layout_of(<LazyArray>operand)))
    return operand
