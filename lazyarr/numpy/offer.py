"""`LazyArray.__array_namespace__`, by which libraries discover the namespace; it can be disabled."""
import types

import numpy as np

from lazyarr._core.host.api_boundary import api_boundary

_is_offered = True


def set_offered(on):
    """Set whether arrays have `__array_namespace__`."""
    global _is_offered
    _is_offered = on


def is_offered():
    """Return whether arrays have `__array_namespace__`."""
    return _is_offered


class Offer:
    """The attribute `__array_namespace__` of arrays, a method that returns the namespace."""

    def __init__(self, namespace):
        @api_boundary
        def array_namespace(self, /, *, api_version=None):
            """Return the namespace of the array API standard for this array: `lazyarr.array_api`."""
            np.empty(0).__array_namespace__(api_version=api_version)  # raises for a version that is not there
            return namespace

        self._method = array_namespace

    def __get__(self, array, owner=None):
        if not _is_offered:
            raise AttributeError("'LazyArray' object has no attribute '__array_namespace__': "
                                 "lazyarr.config.array_namespace is False")
        return self._method if array is None else types.MethodType(self._method, array)
