"""Traits of ufuncs from the op table. Nothing is known about a ufunc without a row."""
cdef dict _rows = {}      # by ufunc

# The traits that the core needs; rows have more.
cdef dict _TRAITS = {
    "affine": <int>AFFINE, "arithmetic": <int>ARITHMETIC, "by_divmod": <int>BY_DIVMOD, "cheap": <int>CHEAP,
    "exact": <int>EXACT, "extremum": <int>EXTREMUM, "idempotent": <int>IDEMPOTENT, "largest": <int>LARGEST,
    "matrix_product": <int>MATRIX_PRODUCT, "product": <int>PRODUCT, "raises": <int>RAISES,
    "quiet": <int>QUIET, "quiet_of_integers": <int>QUIET_OF_INTEGERS, "skips_nan": <int>SKIPS_NAN, "sum": <int>SUM,
    "truth": <int>TRUTH, "warns_of_third": <int>WARNS_OF_THIRD}


cdef class _Row:
    cdef double cost                # ns per float32 on one core
    cdef object cost_of_integers    # ns per int32 if different
    cdef int traits
    cdef str start                  # dtype kinds for which the initial value of reductions matters
    cdef object operator            # Python's, or None


cdef int keep_row(object u, double ns, object ns_of_integers, object traits, str start, object operator) except -1:
    """Store the row of a ufunc."""
    cdef _Row row = _Row()
    row.cost, row.cost_of_integers, row.start, row.operator = ns, ns_of_integers, start, operator
    for name in traits:
        row.traits |= <int>_TRAITS.get(name, 0)
    _rows[u] = row
    return 0


cdef int traits_of(object u) except -1:
    """Return the traits of a ufunc that the core needs, as bits."""
    cdef _Row row = _rows.get(u)
    return 0 if row is None else row.traits


cdef float cost_of(object u, bint of_integers) except -1:
    """Return the cost in ns of a 32-bit element."""
    cdef _Row row = _rows.get(u)
    if row is None:
        return 0.06
    return row.cost if not of_integers or row.cost_of_integers is None else row.cost_of_integers


cdef bint shows_start(object u, str kind) except -1:
    """Return whether the initial value of reductions matters for this dtype kind."""
    cdef _Row row = _rows.get(u)
    return row is not None and kind in row.start


cdef object operator_of(object u):
    """Return Python's operator function for a ufunc; None if it has none."""
    cdef _Row row = _rows.get(u)
    return None if row is None else row.operator


def get_cost(u):
    """Return the stated cost in ns of a float32 element of ufunc `u` on one core."""
    return (<_Row?>_rows[u]).cost


def revise_cost(u, double ns_per_element):
    """Set the cost in ns of a float32 element of ufunc `u`; also of an int32 if that was not stated."""
    cdef _Row row = _rows[u]
    row.cost = ns_per_element
