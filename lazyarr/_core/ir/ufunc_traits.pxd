"""Traits of ufuncs from the op table; `lazyarr/ops/table.py` documents them."""

cdef enum Trait:
    AFFINE = 1
    ARITHMETIC = 2
    BY_DIVMOD = 4
    CHEAP = 8
    EXACT = 16
    EXTREMUM = 32
    IDEMPOTENT = 64
    LARGEST = 128
    MATRIX_PRODUCT = 256
    PRODUCT = 512
    RAISES = 1024
    SKIPS_NAN = 2048
    SUM = 4096
    TRUTH = 8192
    WARNS_OF_THIRD = 16384
    QUIET = 32768
    QUIET_OF_INTEGERS = 65536

cdef int keep_row(object u, double ns, object ns_of_integers, object traits, str start, object operator) except -1
cdef int traits_of(object u) except -1
cdef float cost_of(object u, bint of_integers) except -1
cdef bint shows_start(object u, str kind) except -1
cdef object operator_of(object u)
