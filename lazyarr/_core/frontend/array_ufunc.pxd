"""`LazyArray.__array_ufunc__`."""

cdef object array_ufunc(object ufunc, str method, tuple inputs, dict kwargs)
