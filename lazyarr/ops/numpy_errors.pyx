"""Functions and methods that leave errors and foreign operands to NumPy's.

Native, because every call passes through here.
"""
from lazyarr._core.frontend.hooks cimport call_hook, defer

import functools

from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr.ops.deferred_operands import deferred_among
from lazyarr.ops.operands import Foreign
from lazyarr.ops.rehearsal import WRONG_FORM, OwnError, explain


def guarded(function, numpy_function, bint checks_out):
    """`function`, which leaves to NumPy's what is NumPy's.

    Operands with array semantics of their own go to NumPy's function, which takes the same arguments; where the form of
    a call is wrong, the error is NumPy's. With `checks_out`, a call with `out` is rehearsed beforehand: each step of
    NumPy's reductions has rules of its own for it.
    """
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            if checks_out and kwargs.get("out") is not None:
                explain(numpy_function, args, kwargs)
            defer(1)  # what a function is composed of stays a graph
            try:
                return function(*args, **kwargs)
            finally:
                defer(-1)
        except Foreign:
            found = deferred_among((*args, *kwargs.values()))
            if found is None:
                return call_hook("function_of_values", (numpy_function, args, kwargs))
        except (OwnError, TracedValueError):
            raise
        except WRONG_FORM:
            found = deferred_among((*args, *kwargs.values()))
            if found is None:
                explain(numpy_function, args, kwargs)
                raise
        return found.computed(call.stored_as, call, *args, **kwargs)

    call.stored_as = None
    return call
