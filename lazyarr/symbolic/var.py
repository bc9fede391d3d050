"""`lazyarr.var`, which is NumPy's variance as well."""
import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.ops.table import TABLE
from lazyarr.symbolic.symbol import variable

_variance = core.Function("", TABLE["var"].function, waits=True)


@api_boundary
def var(a, *args, **kwargs):
    """A variable of a symbolic graph, ``var(shape, dtype, name)``; or the variance of an array, as `numpy.var`.

    It is a variable if a dtype stands in the second place, if a name is given, or if an extent in the shape is None:
    for all of these `numpy.var` raises. Anything else is NumPy's. `lazyarr.symbolic.variable` is always a variable.

    Parameters
    ----------
    a : int, None, tuple of int or None; or array_like
        The shape of the variable; None stands for an extent that may differ from one evaluation to the next.
    *args, **kwargs
        Its dtype and its name; or what `numpy.var` takes.

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
