cdef object array_ufunc(object ufunc, str method, tuple inputs, dict kwargs)
