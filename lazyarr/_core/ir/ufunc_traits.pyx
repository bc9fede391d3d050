"""What the rows of operations say about ufuncs, as the layers above state it. Of one without a row nothing is known."""
cdef dict _rows = {}      # by ufunc

# Those that the core asks for; rows have more.
cdef dict _TRAITS = {
    "affine": <int>AFFINE, "arithmetic": <int>ARITHMETIC, "by_divmod": <int>BY_DIVMOD, "cheap": <int>CHEAP,
    "exact": <int>EXACT, "extremum": <int>EXTREMUM, "idempotent": <int>IDEMPOTENT, "largest": <int>LARGEST,
    "matrix_product": <int>MATRIX_PRODUCT, "product": <int>PRODUCT, "raises": <int>RAISES,
    "quiet": <int>QUIET, "quiet_of_integers": <int>QUIET_OF_INTEGERS, "skips_nan": <int>SKIPS_NAN, "sum": <int>SUM,
    "truth": <int>TRUTH, "warns_of_third": <int>WARNS_OF_THIRD}


cdef class _Row:
    cdef double cost                # ns of a float32 on one core
    cdef object cost_of_integers    # of an int32, if it is another one
    cdef int traits
    cdef str start                  # kinds of dtypes in which it shows what NumPy begins folds with
    cdef object operator            # Python's, or None


cdef int keep_row(object u, double ns, object ns_of_integers, object traits, str start, object operator) except -1:
    """Keep what the row of a ufunc says."""
    cdef _Row row = _Row()
    row.cost, row.cost_of_integers, row.start, row.operator = ns, ns_of_integers, start, operator
    for name in traits:
        row.traits |= <int>_TRAITS.get(name, 0)
    _rows[u] = row
    return 0


cdef int traits_of(object u) except -1:
    """The traits of a ufunc that the core asks for, a bit each."""
    cdef _Row row = _rows.get(u)
    return 0 if row is None else row.traits


cdef float cost_of(object u, bint of_integers) except -1:
    """What an element of 32 bits costs, in nanoseconds."""
    cdef _Row row = _rows.get(u)
    if row is None:
        return 0.06
    return row.cost if not of_integers or row.cost_of_integers is None else row.cost_of_integers


cdef bint shows_start(object u, str kind) except -1:
    """Whether it shows in elements of this kind that NumPy begins folds with the ufunc's identity."""
    cdef _Row row = _rows.get(u)
    return row is not None and kind in row.start


cdef object operator_of(object u):
    """Python's operator for a ufunc, as a function; None if it has none."""
    cdef _Row row = _rows.get(u)
    return None if row is None else row.operator


def get_cost(u):
    """What a float32 element of ufunc `u` is said to cost on one core, in nanoseconds."""
    return (<_Row?>_rows[u]).cost


def revise_cost(u, double ns_per_element):
    """Have a float32 element of ufunc `u` cost something else; an int32 too, if its own cost was not stated."""
    cdef _Row row = _rows[u]
    row.cost = ns_per_element
