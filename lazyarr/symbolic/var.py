"""`lazyarr.var`: a variable of a symbolic graph, or NumPy's variance."""
import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.ops.table import TABLE
from lazyarr.symbolic.symbol import variable

_variance = core.Function("", TABLE["var"].function, waits=True)


@api_boundary
def var(a, *args, **kwargs):
    """Create a variable of a symbolic graph, ``var(shape, dtype, name)``; or compute a variance, as `numpy.var` does.

    It creates a variable if the second argument is a dtype, a name is given, or an extent of the shape is None; for all
    of these `numpy.var` would raise. All other calls are those of NumPy's function. `lazyarr.symbolic.variable` always
    creates a variable.

    Parameters
    ----------
    a : int, None, tuple of int or None; or array_like
        The shape of the variable, with None for an extent that may differ between evaluations; or an array.
    *args, **kwargs
        The dtype and the name of the variable; or other arguments of `numpy.var`.

    Returns
    -------
    Symbol or LazyArray

    See Also
    --------
    graph, numpy.var

    Examples
    --------
    >>> import lazyarr as la
    >>> la.var((None, 3), "float32", "x")
    <var 'x': of shape (None, 3), float32>
    >>> la.var((1, 3))
    np.float64(1.0)
    """
    second = args[0] if args else None
    if "name" in kwargs or isinstance(second, str | type | np.dtype) or a is None \
            or (isinstance(a, tuple | list) and any(n is None for n in a)):
        return variable(a, *args, **kwargs)
    return _variance(a, *args, **kwargs)
