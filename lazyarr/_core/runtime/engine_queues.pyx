"""Connection of the native dependency engine (`simd/engine.h`) with Python: functions, exceptions, threads.

The threads of a lane are Python threads; native functions run in them without the GIL. They refer to the `Queues` of an
engine, not to the `Engine`, so an engine is closed when it is garbage-collected.
"""
from cpython.exc cimport PyErr_SetObject, PyErr_WriteUnraisable
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

cimport cython

from lazyarr._core.host.threads cimport set_busy
from lazyarr._core.runtime.native_function cimport NativeCall, NativeFunction

import atexit
import os
import weakref

cdef extern from "simd/engine_fork.h" nogil:
    ctypedef struct lz_failure:
        lz_failure* next
        int refs
        void* payload
    ctypedef struct lz_variable:
        bint deleted
    ctypedef struct lz_op
    ctypedef bint (*lz_run)(lz_op* op) noexcept nogil
    ctypedef struct lz_task:
        lz_run run
        void* arg
        void* refs[3]
        int where
        int64_t priority
        int64_t nbytes
        int lane
        bint ignores_poison
        bint deletes
    ctypedef struct lz_op:
        lz_task task
        lz_engine* engine
        lz_op* next
    ctypedef struct lz_lane:
        int wanted
        int threads
        int blocked
    ctypedef struct lz_engine:
        lz_lane** lanes
        int64_t pending
        int64_t budget
        uint64_t seed
        bint closed
        lz_op* garbage
        lz_failure* failure_garbage
        void* owner
    ctypedef struct lz_mutex:
        pass
    ctypedef enum lz_status:
        LZ_OK, LZ_NO_MEMORY, LZ_CLOSED, LZ_FOREIGN, LZ_DELETED, LZ_INTERRUPTED, LZ_DEADLOCK
    ctypedef bint (*Interrupted)() noexcept nogil
    ctypedef int (*Replace)(lz_engine* e, int lane) noexcept nogil
    lz_mutex lz_engines_lock
    int lz_forks
    bint (*lz_note_busy)(bint busy) noexcept nogil
    void lz_lock(lz_mutex* mutex)
    void lz_unlock(lz_mutex* mutex)
    lz_engine* lz_new_engine()
    void lz_free_engine(lz_engine* e)
    int lz_add_lane(lz_engine* e, int wanted)
    lz_op* lz_running()
    bint lz_runs_in(lz_engine* e)
    void lz_close_if_idle(lz_engine* e)
    lz_variable* lz_new_variable(lz_engine* e)
    void lz_disown(lz_variable* variable)
    lz_status lz_push(lz_engine* e, lz_task* task, lz_variable** read, int nread, lz_variable** mutate, int nmutate,
                      Interrupted interrupted)
    lz_status lz_wait(lz_engine* e, lz_variable* variable, Interrupted interrupted, Replace replace,
                      lz_failure** failures)
    bint lz_fail(lz_op* op, void* payload)
    void lz_drop_failure(lz_engine* e, lz_failure* failure)
    void lz_complete(lz_op* op)
    void lz_work(lz_engine* e, int number)
    void lz_close(lz_engine* e)
    int lz_watch_forks()

cdef extern from "simd/frames.h":
    PyObject* lz_frame() noexcept
    int lz_line(object code, int offset) noexcept
    PyObject* lz_frame_code(PyObject* f) noexcept
    int lz_frame_lasti(PyObject* f) noexcept

cdef extern from "Python.h":
    PyObject* PyContext_CopyCurrent() except NULL
    int PyErr_CheckSignals() noexcept
    void PyErr_SetInterrupt() noexcept

cdef enum:
    FUNCTION, CONTEXT, CODE     # indices into `task.refs`
    INLINE_NAMES = 16           # variables of a push without a heap allocation

lz_watch_forks()
lz_note_busy = set_busy
_open = weakref.WeakSet()       # queues of all engines


cdef bint _run_python(lz_op* op) noexcept nogil:
    with gil:
        return _call(op, False)


cdef bint _run_asynchronous(lz_op* op) noexcept nogil:
    with gil:
        return _call(op, True)


cdef bint _run_native(lz_op* op) noexcept nogil:
    cdef NativeCall* call = <NativeCall*>op.task.arg
    call.function(call.data)
    return True


cdef bint _run_nothing(lz_op* op) noexcept nogil:
    return True


cdef bint _call(lz_op* op, bint asynchronous) noexcept:
    """Call an operation's function in the context of its push; return False if `on_complete` ends it later."""
    cdef OnComplete on_complete = None
    function, context = <object>op.task.refs[FUNCTION], <object>op.task.refs[CONTEXT]
    try:
        if not asynchronous:
            context.run(function)
        else:
            on_complete = OnComplete.__new__(OnComplete)
            on_complete.op, on_complete.forks, on_complete.queues = op, lz_forks, <Queues>op.engine.owner
            context.run(function, on_complete)
    except BaseException as error:
        if not asynchronous:
            _fail(op, error)
        elif on_complete.op is NULL:    # `on_complete` was called before
            _report(error, function)
        else:
            on_complete(error)
    if not asynchronous:
        _release(op)
    return not asynchronous


cdef int _fail(lz_op* op, object error) noexcept:
    """Make an operation fail; a note names the statement that pushed it."""
    if op.task.refs[CODE] is not NULL:
        code = <object>op.task.refs[CODE]
        try:
            line = lz_line(code, op.task.where)
            error.add_note(f"lazyarr: pushed at {code.co_filename}:{line} in {code.co_qualname}")
        except Exception:  # some exceptions take no notes
            pass
    if isinstance(error, KeyboardInterrupt):
        PyErr_SetInterrupt()  # also interrupts the main thread
    Py_INCREF(error)
    if not lz_fail(op, <void*>error):
        lz_fail(op, NULL)
    return 0


cdef int _release(lz_op* op) noexcept:
    for k in range(3):
        held = <PyObject*>op.task.refs[k]
        op.task.refs[k] = NULL
        Py_XDECREF(held)
    return 0


cdef bint _interrupted() noexcept nogil:
    with gil:
        return PyErr_CheckSignals() != 0


cdef int _replace(lz_engine* e, int lane) noexcept nogil:
    with gil:
        try:
            (<Queues>e.owner).start_threads(lane)
        except BaseException as error:
            if e.lanes[lane].threads == e.lanes[lane].blocked:
                e.lanes[lane].wanted = 0
            _report(error, None)
    return 0


@cython.no_gc_clear  # `__dealloc__` needs the queues
cdef class OnComplete:
    """Ends an asynchronous operation: `on_complete()`, or `on_complete(error)` if it failed.

    Call it once, from any thread. An operation whose `on_complete` is lost fails.
    """

    cdef lz_op* op
    cdef int forks
    cdef Queues queues          # alive until the operation has ended

    def __call__(self, error=None):
        cdef lz_op* op = self.op
        if op is NULL:
            raise RuntimeError("on_complete was already called")
        if error is not None and not isinstance(error, BaseException):
            raise TypeError(f"an operation fails with an exception, not with {error!r}")
        self.op = NULL
        if self.forks != lz_forks and lz_running() is not op:
            return  # it runs in the parent process
        if error is not None:
            _fail(op, error)
        _release(op)
        with nogil:
            lz_complete(op)

    def __dealloc__(self):
        if self.op is not NULL:
            self(RuntimeError("an asynchronous operation has lost its on_complete without calling it"))


@cython.no_gc_clear  # `__dealloc__` needs the queues
cdef class Variable:
    """A variable that operations of an engine read and mutate; see `Engine.new_variable`."""

    def __dealloc__(self):
        if self.variable is not NULL:
            lz_disown(<lz_variable*>self.variable)

    def __repr__(self):
        return f"<Variable {self.name}>" if self.name is not None else f"<Variable at {id(self):#x}>"


cdef class Queues:
    """The native engine, its lanes by name, and their threads."""

    def __cinit__(self, policy, int64_t budget):
        self.engine = lz_new_engine()
        if self.engine is NULL:
            raise MemoryError()
        self.policy, self.lanes, self.threads = policy, {}, []
        self.engine.budget = budget
        self.engine.seed = policy.seed
        self.engine.owner = <void*>self
        _open.add(self)

    def __dealloc__(self):
        if self.engine is not NULL:
            for error in self.wait(None):
                _report(error, None)
            lz_free_engine(self.engine)

    cdef Variable new_variable(self, name):
        cdef Variable made = Variable.__new__(Variable)
        made.variable = lz_new_variable(self.engine)
        if made.variable is NULL:
            raise MemoryError()
        made.queues, made.name = self, name
        return made

    cdef bint is_closed(self):
        return self.engine.closed

    cdef int64_t pending(self):
        return self.engine.pending

    cdef int lane(self, name) except -1:
        """Return the number of a lane; create it with its threads on first use."""
        found = self.lanes.get(name)
        if found is None:
            wanted = self.policy.workers(name)
            if wanted < 0:
                raise ValueError(f"{self.policy!r} asks for {wanted} threads")
            found = self.lanes.get(name)  # another thread may have created it
        if found is None:
            found = lz_add_lane(self.engine, wanted)
            if found < 0:
                raise MemoryError()
            self.lanes[name] = found
        self.start_threads(found)
        return found

    cdef int start_threads(self, int number) except -1:
        """Start the threads a lane wants, besides those that wait inside operations.

        If no thread can be started, as at interpreter exit, the threads that push and wait run the operations.
        """
        cdef lz_lane* lane = self.engine.lanes[number]
        while 0 < lane.wanted and lane.threads - lane.blocked < lane.wanted and not self.engine.closed:
            self.count_thread(number, 1)
            try:
                self.threads = [each for each in self.threads if each.is_alive()]
                from threading import Thread  # few programs need it

                name = f"lazyarr {list(self.lanes)[number]}"
                thread = Thread(target=_work, args=(self, number), name=name, daemon=True)
                thread.start()
                self.threads.append(thread)
            except BaseException as error:
                self.count_thread(number, -1)
                if type(error) is not RuntimeError:
                    raise
                if lane.threads == lane.blocked:
                    lane.wanted = 0
                break
        return 0

    cdef int count_thread(self, int number, int count) except -1:
        cdef lz_lane* lane = self.engine.lanes[number]
        with nogil:
            lz_lock(&lz_engines_lock)
            lane.threads += count
            lz_unlock(&lz_engines_lock)
        return 0

    cdef int push(self, fn, tuple read, tuple mutate, int priority, lane, int64_t nbytes, bint asynchronous,
                  bint deletes) except -1:
        """Push a function (None: nothing to run). A deleting operation runs even if its variable is poisoned."""
        cdef lz_variable* names[INLINE_NAMES]
        cdef lz_variable** named = names
        cdef lz_task task
        cdef lz_status status
        cdef PyObject* frame = lz_frame()
        cdef int nread = <int>len(read), nmutate = <int>len(mutate), forks = lz_forks, k
        self.collect()
        task.lane = self.lane(lane)
        if nread + nmutate > INLINE_NAMES:
            named = <lz_variable**>malloc((nread + nmutate) * sizeof(lz_variable*))
            if named is NULL:
                raise MemoryError()
        try:
            for k in range(nread + nmutate):
                variable = read[k] if k < nread else mutate[k - nread]
                check_owner(self, variable)
                named[k] = <lz_variable*>(<Variable>variable).variable
            task.priority, task.nbytes, task.ignores_poison, task.deletes = priority, nbytes, deletes, deletes
            task.run, task.arg, task.where = _run_nothing, NULL, 0
            task.refs[CONTEXT] = task.refs[CODE] = NULL
            Py_INCREF(fn)
            task.refs[FUNCTION] = <void*>fn
            if frame is not NULL:
                task.refs[CODE] = <void*>lz_frame_code(frame)
                task.where = lz_frame_lasti(frame)
            if type(fn) is NativeFunction:
                task.run, task.arg = _run_native, &(<NativeFunction>fn).call
            elif fn is not None:
                task.run = _run_asynchronous if asynchronous else _run_python
                task.refs[CONTEXT] = <void*>PyContext_CopyCurrent()
            with nogil:
                status = lz_push(self.engine, &task, named, nread, named + nread, nmutate, _interrupted)
            if status != LZ_OK:
                for k in range(3):
                    Py_XDECREF(<PyObject*>task.refs[k])
                _refuse(status, self, read + mutate)
            if forks != lz_forks:  # forked in a signal handler while it waited: the child has no threads yet
                self.start_threads(task.lane)
        finally:
            if named is not names:
                free(named)
        return 0

    cdef list wait(self, Variable named):
        """Wait for a variable, or for all if it is None; return the exceptions that poisoned them."""
        cdef lz_failure* failures
        cdef lz_failure* failure
        cdef lz_variable* variable = NULL if named is None else <lz_variable*>named.variable
        cdef lz_status status
        cdef list errors = []
        with nogil:
            status = lz_wait(self.engine, variable, _interrupted, _replace, &failures)
        if status != LZ_OK:
            _refuse(status, self, (named,))
        while failures is not NULL:
            failure, failures = failures, failures.next if variable is NULL else NULL
            errors.append(MemoryError() if failure.payload is NULL else <object>failure.payload)
            with nogil:
                lz_lock(&lz_engines_lock)
                lz_drop_failure(self.engine, failure)
                lz_unlock(&lz_engines_lock)
        self.collect()
        return errors

    cdef int collect(self) except -1:
        """Release the references of operations and failures that ended in threads without the GIL."""
        cdef lz_op* op
        cdef lz_op* next_op
        cdef lz_failure* failure
        cdef lz_failure* next_failure
        if self.engine.garbage is NULL and self.engine.failure_garbage is NULL:
            return 0
        with nogil:
            lz_lock(&lz_engines_lock)
            op, failure = self.engine.garbage, self.engine.failure_garbage
            self.engine.garbage, self.engine.failure_garbage = NULL, NULL
            lz_unlock(&lz_engines_lock)
        while op is not NULL:
            next_op = op.next
            _release(op)
            free(op)
            op = next_op
        while failure is not NULL:
            next_failure = failure.next
            Py_XDECREF(<PyObject*>failure.payload)
            free(failure)
            failure = next_failure
        return 0

    def close(self, wait=True):
        """Refuse further pushes; the threads end when nothing is pending."""
        with nogil:
            lz_close(self.engine)
        if wait:
            for thread in self.threads:
                thread.join()
            self.collect()

    cdef list finish(self):
        """Run what is pending and what that pushes, then close; return exceptions that no wait has raised."""
        cdef list errors
        if lz_runs_in(self.engine):
            _refuse(LZ_DEADLOCK, self, ())
        errors = self.wait(None)
        while not self.engine.closed:
            errors += self.wait(None)
            with nogil:
                lz_close_if_idle(self.engine)
        self.close()
        return errors + self.wait(None)

    def drain(self):
        """Finish, and report exceptions like those of destructors."""
        for error in self.finish():
            _report(error, None)


cdef int _report(error, function) noexcept:
    """Report an exception by `sys.unraisablehook`."""
    PyErr_SetObject(type(error), error)
    PyErr_WriteUnraisable(function)
    return 0


def _work(Queues queues, int number):
    with nogil:
        lz_work(queues.engine, number)
    queues.collect()


def _forget_threads():
    for queues in list(_open):
        (<Queues>queues).threads = []


def _drain():
    """Run what is pending before the interpreter exits."""
    for queues in list(_open):
        try:
            queues.drain()
        except BaseException as error:  # drain the others nevertheless
            _report(error, queues)


atexit.register(_drain)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


cdef int _refuse(lz_status status, Queues queues, tuple variables) except -1:
    """Raise the reason for a refused push or wait."""
    cdef lz_op* op
    if status == LZ_INTERRUPTED:
        return -1  # the exception of the signal handler is set
    if status == LZ_NO_MEMORY:
        raise MemoryError()
    if status == LZ_CLOSED:
        raise RuntimeError("the engine is closed: it takes no more operations")
    if status == LZ_DEADLOCK:
        op = lz_running()
        function = <object>op.task.refs[FUNCTION] if op.task.refs[FUNCTION] is not NULL else "an operation"
        raise RuntimeError(f"a wait inside {function!r} would never end: what it waits for needs {function!r} to end")
    for each in variables:
        if (<Variable>each).queues is not queues:
            raise ValueError(f"{each!r} belongs to another engine")
    for each in variables:
        if (<lz_variable*>(<Variable>each).variable).deleted:
            raise ValueError(f"{each!r} has been deleted")
    raise AssertionError("refused without a reason")


cdef int check_owner(Queues queues, variable) except -1:
    """Raise unless something is a variable of this engine."""
    if type(variable) is not Variable:
        raise TypeError(f"an operation names Variables, not {variable!r}")
    if (<Variable>variable).queues is not queues:
        _refuse(LZ_FOREIGN, queues, (variable,))
    return 0
