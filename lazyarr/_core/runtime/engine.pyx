"""Engine: runs functions in the order required by the variables that they read and mutate."""
from libc.stdint cimport int64_t

from lazyarr._core.runtime.engine_queues cimport Queues, Variable, check_owner
from lazyarr._core.runtime.native_function cimport NativeFunction

from lazyarr._core.runtime.policies import Policy, Pool


cdef class Operator:
    """A function bound to the variables that it reads and mutates; see `Engine.new_operator`."""

    cdef readonly object function, read, mutate, lane
    cdef readonly bint asynchronous

    def __init__(self, function, read, mutate, lane, asynchronous):
        self.function, self.read, self.mutate = function, tuple(read), tuple(mutate)
        self.lane, self.asynchronous = lane, asynchronous

    def __repr__(self):
        return f"<Operator {self.function!r}>"


cdef class Engine:
    """Runs functions as soon as the variables that they read and mutate are free, in the order of pushes.

    Functions that read the same variable run side by side. One that mutates it waits for all earlier ones that name it,
    and later ones that name it wait for this one. So the results are those of running one function after the other. The
    engine knows neither what a function does nor what a variable stands for: memory, a random generator, a file.

    Parameters
    ----------
    policy : Pool, ThreadPerDevice or Serial, optional
        Which threads run the functions. By default a `Pool`.
    budget : int, optional
        Bytes that pending operations may have together, as given to `push(..., nbytes=)`. A push that exceeds it waits
        until enough operations have ended and earlier pushes that wait have gone; one that is larger than the budget
        waits until no others that count are pending. One from inside an operation does not wait. By default there is no
        bound.

    Notes
    -----
    A function that raises poisons the variables that it mutates: functions that name these do not run, and poison what
    they mutate in turn. `wait` raises the exception, with a note that says which statement pushed the function, and
    the variable is clean again.

    Functions run in a copy of the context (`contextvars`) in which they were pushed, so `np.errstate` applies.

    A random generator is a variable that draws mutate; so numbers do not depend on how many threads there are.

    The design follows MXNet's engine [1]_.

    References
    ----------
    .. [1] T. Chen et al., "MXNet: A Flexible and Efficient Machine Learning Library for Heterogeneous Distributed
       Systems", 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from lazyarr.runtime import Engine
    >>> values = {"a": 1}
    >>> with Engine() as engine:
    ...     a, b, c = (engine.new_variable(name) for name in "abc")
    ...     engine.push(lambda: values.update(b=values["a"] + 1), read=[a], mutate=[b])
    ...     engine.push(lambda: values.update(c=values["a"] + 2), read=[a], mutate=[c])  # beside the one before
    ...     engine.push(lambda: values.update(a=values["c"] * 2), read=[c], mutate=[a])
    ...     engine.wait(a)
    >>> values
    {'a': 6, 'b': 2, 'c': 3}
    """

    cdef Queues queues
    cdef object __weakref__

    def __cinit__(self, policy=None, *, budget=None):
        if budget is not None and budget <= 0:
            raise ValueError(f"budget has to be positive, not {budget}")
        if not isinstance(policy, Policy | None):
            raise TypeError(f"policy must be a Pool, ThreadPerDevice or Serial, got {type(policy).__name__}")
        self.queues = Queues(Pool() if policy is None else policy, budget or 0)

    def __del__(self):
        if self.queues is not None:
            self.queues.close(wait=False)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.close()
        else:
            self.queues.drain()

    def __repr__(self):
        state = "closed" if self.queues.is_closed() else f"{self.queues.pending()} pending"
        return f"<Engine {self.queues.policy!r}, {state}>"

    def __reduce__(self):
        raise TypeError("an engine can be neither copied nor pickled")

    @property
    def policy(self):
        """The policy: which threads run the functions."""
        return self.queues.policy

    @property
    def pending(self):
        """The number of operations that were pushed and have not ended."""
        return self.queues.pending()

    def new_variable(self, name=None):
        """Return a new variable; its name is for messages.

        Returns
        -------
        Variable
        """
        return self.queues.new_variable(name)

    def new_operator(self, fn, read=(), mutate=(), *, lane=None, asynchronous=False):
        """Bind a function to variables, to push it again and again.

        Parameters
        ----------
        fn, read, mutate, lane, asynchronous
            As for `push`.

        Returns
        -------
        Operator
            What `push` takes in place of a function.
        """
        cdef Operator made = Operator(fn, read, mutate, lane, asynchronous)
        _check_function(fn, asynchronous)
        for variable in made.read + made.mutate:
            check_owner(self.queues, variable)
        return made

    def push(self, fn, read=(), mutate=(), *, int priority=0, lane=None, int64_t nbytes=0, asynchronous=False):
        """Run a function once the variables are free.

        Parameters
        ----------
        fn : callable, NativeFunction or Operator
            Called without arguments; its result is dropped.
        read, mutate : sequence of Variable, optional
            What the function reads and changes. A variable that is named twice counts once, as mutated if it is in
            both.
        priority : int, optional
            Ready operations of a higher priority are run first. One step of priority overtakes up to 256 pushes, so
            that none waits for ever.
        lane : hashable, optional
            Which threads run it, see the policies; "compute" by default.
        nbytes : int, optional
            What it counts for towards the engine's budget.
        asynchronous : bool, optional
            The function gets an argument, `on_complete`, and its operation ends when that is called, from any thread:
            `on_complete()`, or `on_complete(error)` with an exception.

        Raises
        ------
        ValueError
            If a variable belongs to another engine or has been deleted. Nothing has been pushed then.
        RuntimeError
            If the engine is closed.
        """
        cdef Operator operator
        if type(fn) is Operator:
            operator = fn
            if read or mutate:
                raise TypeError(f"{fn!r} names its variables itself")
            fn, read, mutate = operator.function, operator.read, operator.mutate
            lane, asynchronous = operator.lane, operator.asynchronous
        else:
            _check_function(fn, asynchronous)
        if nbytes < 0:
            raise ValueError(f"nbytes has to be 0 or more, not {nbytes}")
        self.queues.push(fn, tuple(read), tuple(mutate), priority, "compute" if lane is None else lane, nbytes,
                         asynchronous, False)

    def delete_variable(self, Variable variable not None, fn=None):
        """Delete a variable once all operations pushed so far that name it have ended; run a function then.

        Operations that name it afterwards are refused. The function runs even if the variable is poisoned, so it can
        free what the variable stands for.

        Raises
        ------
        ValueError
            If the variable belongs to another engine or has been deleted before.
        """
        if fn is not None:
            _check_function(fn, False)
        self.queues.push(fn, (), (variable,), 0, "compute", 0, False, True)

    def wait(self, Variable variable not None):
        """Wait until all operations pushed so far that name a variable have ended.

        Raises
        ------
        Exception
            What an operation that should have written the variable failed with; the variable is clean afterwards.
        ValueError
            If the variable belongs to another engine or has been deleted.
        RuntimeError
            If it is called inside an operation that must end before the wait can.
        """
        check_owner(self.queues, variable)
        for error in self.queues.wait(variable):
            raise error

    def wait_all(self):
        """Wait until all operations pushed so far have ended.

        Raises
        ------
        Exception
            What an operation failed with, if no wait has raised it before; an ExceptionGroup if there are several.
            All variables are clean afterwards.
        RuntimeError
            Inside an operation, which cannot wait for its own end.
        """
        _raise(self.queues.wait(None))

    def close(self):
        """Run what is pending, and what that pushes, then end the threads; the engine takes no more pushes.

        Raises
        ------
        Exception
            As `wait_all` does.
        RuntimeError
            Inside an operation of this engine, which goes on.
        """
        _raise(self.queues.finish())


cdef int _raise(list errors) except -1:
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise BaseExceptionGroup("several operations failed", errors)
    return 0


cdef int _check_function(fn, bint asynchronous) except -1:
    if type(fn) is NativeFunction:
        if (<NativeFunction>fn).call.function is NULL:
            raise ValueError("a NativeFunction that was not initialised")
        if asynchronous:
            raise TypeError("a NativeFunction cannot be asynchronous: it has nothing to call on_complete with")
    elif not callable(fn):
        raise TypeError(f"{fn!r} is neither callable nor a NativeFunction")
    return 0
