"""Products that run at once."""

cdef object product_at_once(object a, object b, str name=*)
