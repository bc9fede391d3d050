"""Functions and methods that leave errors and foreign operands to NumPy.

Native, because every call passes through here.
"""
from lazyarr._core.frontend.hooks cimport call_hook, defer

import functools

from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr.ops.deferred_operands import deferred_among
from lazyarr.ops.operands import Foreign
from lazyarr.ops.rehearsal import WRONG_FORM, OwnError, explain


def guarded(function, numpy_function, bint checks_out):
    """Wrap `function` so that NumPy handles what only it should.

    Operands with array semantics of their own go to NumPy's function, which has the same parameters; invalid calls get
    NumPy's error. With `checks_out`, calls with `out` are rehearsed first: each step of NumPy's reductions has its own
    rules for it.
    """
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            if checks_out and kwargs.get("out") is not None:
                explain(numpy_function, args, kwargs)
            defer(1)  # the parts of a composed function stay in the graph
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
