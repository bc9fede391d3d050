"""Creation of LazyArrays from existing data: `asarray` shares memory, `array` copies it."""
from lazyarr._core import api as core
from lazyarr._core.host.tracebacks import hide_frames
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.deferred_operands import Deferred, deferred_among
from lazyarr.ops.devices import placed
from lazyarr.ops.table import TABLE

_array, _asarray = placed(TABLE["array"].function, "array"), placed(TABLE["asarray"].function, "asarray")


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """Convert `a` to a LazyArray, without copying an ndarray.

    The LazyArray shares the ndarray's memory. Do not write to the ndarray until everything computed from the LazyArray
    has been evaluated; ``lazyarr.config.check_views`` detects such writes. Writes to the LazyArray never change `a`.

    Parameters
    ----------
    a : array_like
        An ndarray, a LazyArray (which is returned as it is), a scalar, or nested sequences of these.
    dtype : data-type, optional
        The dtype of the result; a cast is lazy.
    order : {"C", "F", "A", "K"}, optional
        Memory layout.
    device : str, optional
        The device of the result, see `lazyarr.devices`.
    copy : bool, optional
        True: always copy. False: raise ValueError if a copy is needed. None: copy only if needed.
    like : object, optional
        As in `numpy.asarray`.

    Returns
    -------
    LazyArray

    See Also
    --------
    array : a private copy

    Examples
    --------
    >>> x = la.asarray(np.arange(3.0))
    >>> x * 2 + 1
    array([1., 3., 5.])
    """
    try:
        if isinstance(a, Deferred):
            return _deferred(a, dtype, copy is True, 0)
        try:
            made = _asarray(a, dtype, order, device=device, copy=copy, like=like)
            return core.waiting(made if isinstance(a, core.LazyArray) else core.keep_to_itself(made))
        except (TypeError, ValueError):
            if deferred_among((a,)) is None:
                raise
        return _of_parts(a, dtype, 0)
    except BaseException as error:
        hide_frames(error)
        raise


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """Create a LazyArray with its own copy of `object`.

    Parameters
    ----------
    object : array_like
        An ndarray, a LazyArray, a scalar, or nested sequences of these.
    dtype : data-type, optional
        The dtype of the result.
    copy : bool, optional
        False or None share memory as `asarray` does.
    order : {"C", "F", "A", "K"}, optional
        Memory layout.
    subok : bool, optional
        Return arrays of other classes (matrices, masked arrays) as they are.
    ndmin : int, optional
        The least number of axes; axes of length 1 are prepended.
    like : object, optional
        As in `numpy.array`.

    Returns
    -------
    LazyArray

    See Also
    --------
    asarray : without a copy

    Examples
    --------
    >>> x = la.array([[1, 2], [3, 4]])
    >>> x.sum(axis=0)
    array([4, 6])
    """
    try:
        if isinstance(object, Deferred):
            return _deferred(object, dtype, copy is True, ndmin)
        try:
            return core.waiting(_array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, like=like))
        except (TypeError, ValueError):
            if deferred_among((object,)) is None:
                raise
        return _of_parts(object, dtype, ndmin)
    except BaseException as error:
        hide_frames(error)
        raise


def _deferred(obj, dtype, copies, ndmin):
    """Return the symbol for the array of a variable, or of its shape."""
    return _of_parts(obj, dtype, ndmin) if isinstance(obj, tuple) or ndmin else obj.converted(dtype, copies)


@named("array")
def _of_parts(parts, dtype, ndmin):
    """Stack variables and parts of them, once they have values."""
    return _array(parts, dtype, ndmin=ndmin)
