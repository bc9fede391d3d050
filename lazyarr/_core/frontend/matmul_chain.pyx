"""Chains of matrix products, computed in the order that takes the fewest multiplications.

`A @ B @ C @ v` reads from left to right, and from right to left it costs a matrix times a vector three times. Real
numbers do not mind, floats round otherwise: so this is done under `config.fast_math` alone. It is done where products
are written, because a plan knows no extents. An operand of the new product that is a pending product itself, and a
temporary with no other consumer, is taken apart into its factors; if another order of all factors is cheaper,
products are made anew in that order, and the old ones are dropped with their temporaries.
"""
from cpython.object cimport PyObject
from cpython.ref cimport _Py_REFCNT as Py_REFCNT

from numpy cimport npy_intp

from lazyarr._core.frontend.handle cimport node_of
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.views cimport handle_of
from lazyarr._core.ir.node cimport OPAQUE, Node
from lazyarr._core.kernels.gemv cimport VECTOR_PRODUCT
from lazyarr._core.kernels.matmul cimport MATRIX_PRODUCT

import numpy as np

cdef extern from *:
    """
    /* Whether an operand of an operator is what another one has just given, and no variable has it. */
    static inline int lz_is_temporary(PyObject* operand) {
    #if PY_VERSION_HEX >= 0x030E0000
        return PyUnstable_Object_IsUniqueReferencedTemporary(operand);
    #else
        return Py_REFCNT(operand) == 1;
    #endif
    }
    """
    bint lz_is_temporary(PyObject* operand) noexcept

cdef enum:
    LONGEST = 16            # factors; the order is found in this number cubed

_matmul = np.matmul


cdef LazyArray product_of_chain(object a, object b):
    """a @ b, their factors multiplied in a cheaper order; None where there is none, or where they are no factors."""
    cdef list factors = []
    cdef int products = LONGEST - 2    # that may be taken apart
    cdef double written
    cdef Node x, y
    if not lz_is_temporary(<PyObject*>a) and not lz_is_temporary(<PyObject*>b) \
            or type(a) is not LazyArray or type(b) is not LazyArray:
        return None
    x, y = node_of(<LazyArray>a), node_of(<LazyArray>b)
    if not _fit(x, y):
        return None
    written = _multiplications(x, y)
    written += _take_apart(x, True, lz_is_temporary(<PyObject*>a), &products, factors)
    written += _take_apart(y, False, lz_is_temporary(<PyObject*>b), &products, factors)
    return _in_order(factors, written) if len(factors) > 2 else None


cdef double _take_apart(Node node, bint on_left, bint temporary, int* products, list factors):
    """Append the factors of a pending product, which is the left or the right operand of another one, or the node
    itself; the multiplications that it was written with."""
    cdef double written
    cdef Node x, y
    # the caller holds the node, and so does a temporary or another product; no other consumer may
    if not temporary or products[0] == 0 or Py_REFCNT(<PyObject*>node) > 2 or not _is_product(node, on_left):
        factors.append(node)
        return 0
    products[0] -= 1
    x, y = <Node>node.inputs[0], <Node>node.inputs[1]
    written = _multiplications(x, y)
    written += _take_apart(x, True, True, products, factors)
    return written + _take_apart(y, False, True, products, factors)


cdef bint _is_product(Node node, bint on_left):
    """Whether a node is a product of two of its dtype, with any vector among them at this end of the chain."""
    cdef Node x, y
    if node.kind != OPAQUE or node.data is not NULL or node.ninputs != 2 or node.ndim == 0:
        return False
    if node.payload[1] not in (MATRIX_PRODUCT, VECTOR_PRODUCT, _matmul):
        return False
    x, y = <Node>node.inputs[0], <Node>node.inputs[1]
    return _fit(x, y) and node.typenum == x.typenum and node.ndim == x.ndim + y.ndim - 2 \
        and (node.ndim == 2 or (x if on_left else y).ndim == 1)


cdef bint _fit(Node x, Node y) noexcept:
    """Whether these are matrices or vectors of one dtype, and at least one a matrix, that can be multiplied."""
    return 1 <= x.ndim <= 2 and 1 <= y.ndim <= 2 and x.ndim + y.ndim > 2 and x.typenum == y.typenum >= 0 \
        and x.shape[x.ndim - 1] == y.shape[0]


cdef double _multiplications(Node x, Node y) noexcept:
    return <double>x.size * (y.shape[1] if y.ndim == 2 else 1)


cdef LazyArray _in_order(list factors, double written):
    """The product of a chain in the cheapest order, None if that is no cheaper than as it was written."""
    cdef npy_intp extents[LONGEST + 1]
    cdef double least[LONGEST][LONGEST]       # multiplications from one factor to another
    cdef int cut[LONGEST][LONGEST]            # the last factor on the left of the last product
    cdef double total
    cdef int n = <int>len(factors), first, last, k, length
    cdef Node x
    for k in range(n):
        x = factors[k]
        extents[k] = x.shape[0] if x.ndim == 2 else 1 if k == 0 else x.shape[0]
        least[k][k] = 0
    extents[n] = x.shape[1] if x.ndim == 2 else 1
    for length in range(2, n + 1):
        for first in range(n - length + 1):
            last = first + length - 1
            for k in range(first, last):
                total = least[first][k] + least[k + 1][last] \
                    + <double>extents[first] * <double>extents[k + 1] * <double>extents[last + 1]
                if k == first or total < least[first][last]:
                    least[first][last], cut[first][last] = total, k
    return _made(factors, cut, 0, n - 1) if least[0][n - 1] < written else None


cdef LazyArray _made(list factors, int[LONGEST]* cut, int first, int last):
    """The product from one factor to another."""
    if first == last:
        return handle_of(<Node>factors[first])
    return call_hook("ufunc", (_matmul, (_made(factors, cut, first, cut[first][last]),
                                         _made(factors, cut, cut[first][last] + 1, last)), {}))
