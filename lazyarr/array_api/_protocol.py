"""How libraries find the namespace: `LazyArray.__array_namespace__`, which arrays can be told not to have."""
import functools

import numpy as np

_is_offered = True


def set_offered(on):
    """Set whether arrays have `__array_namespace__`."""
    global _is_offered
    _is_offered = on


def is_offered():
    """Whether they have."""
    return _is_offered


def offering(namespace):
    """The property `__array_namespace__` of arrays, which gives a method that returns the namespace.

    Parameters
    ----------
    namespace : module

    Returns
    -------
    property
    """
    def array_namespace(self, /, *, api_version=None):
        np.empty(0).__array_namespace__(api_version=api_version)  # raises for a version that is not there
        return namespace

    def get(self):
        """The namespace of the array API standard for this array: `lazyarr.array_api`."""
        if not _is_offered:
            raise AttributeError("'LazyArray' object has no attribute '__array_namespace__': "
                                 "lazyarr.config.array_namespace is False")
        return functools.partial(array_namespace, self)

    return property(get)
