"""Outcomes of calls in NumPy and lazily: dtypes and shapes of the result, or the exception's class and message."""

import warnings

import numpy as np

import lazyarr as la


def outcome(call):
    """Return ("result", dtypes and shapes) or ("error", class, message); "late" for an error on evaluation."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            got = call()
        except Exception as error:
            return "error", type(error).__name__, str(error).replace("lazyarr.LazyArray", "numpy.ndarray")
        parts = got if isinstance(got, tuple | list) else (got,)
        try:
            for part in parts:
                np.asarray(part)
        except Exception as error:
            return "late", type(error).__name__, str(error)
        return "result", *[(str(getattr(part, "dtype", "")), getattr(part, "shape", None)) for part in parts]


def difference(call, *operands):
    """Return None if `call` has the same outcome with NumPy's operands and with lazy ones, else both outcomes.

    `call` gets the operands, arrays or lazy arrays, and their namespace.
    """
    expected = outcome(lambda: call(*[x.copy() for x in operands], np))
    got = outcome(lambda: call(*[la.array(x) for x in operands], la))
    return None if got == expected else f"\n  NumPy: {expected}\n  lazy:  {got}"


def warned(function):
    """Return the messages of the RuntimeWarnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)]
