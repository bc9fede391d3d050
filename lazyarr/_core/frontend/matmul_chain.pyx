"""Chains of matrix products, evaluated in the order with the fewest multiplications.

`A @ B @ C @ v` is parsed from left to right; from right to left it costs three matrix-vector products. The order
changes rounding, so this requires `config.fast_math`. It is done when the product is built, because a plan has no
extents. An operand that is a pending product, and a temporary without other readers, is split into its factors; if
another order is cheaper, the products are rebuilt and the old ones dropped.
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
    LONGEST = 16            # most factors; finding the order is cubic in it

_matmul = np.matmul


cdef LazyArray product_of_chain(object a, object b):
    """Return a @ b with their factors in a cheaper order; None if there is none, or they are no factors."""
    cdef list factors = []
    cdef int products = LONGEST - 2    # number of products that may still be split
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
    """Append the factors of a pending product that is a left or right operand, or the node itself.

    Returns the number of multiplications in the written order.
    """
    cdef double written
    cdef Node x, y
    # references: the caller, and a temporary or another product; no other reader may exist
    if not temporary or products[0] == 0 or Py_REFCNT(<PyObject*>node) > 2 or not _is_product(node, on_left):
        factors.append(node)
        return 0
    products[0] -= 1
    x, y = <Node>node.inputs[0], <Node>node.inputs[1]
    written = _multiplications(x, y)
    written += _take_apart(x, True, True, products, factors)
    return written + _take_apart(y, False, True, products, factors)


cdef bint _is_product(Node node, bint on_left):
    """Return whether a node is a product of its dtype, with any vector at this end of the chain."""
    cdef Node x, y
    if node.kind != OPAQUE or node.data is not NULL or node.ninputs != 2 or node.ndim == 0:
        return False
    if node.payload[1] not in (MATRIX_PRODUCT, VECTOR_PRODUCT, _matmul):
        return False
    x, y = <Node>node.inputs[0], <Node>node.inputs[1]
    return _fit(x, y) and node.typenum == x.typenum and node.ndim == x.ndim + y.ndim - 2 \
        and (node.ndim == 2 or (x if on_left else y).ndim == 1)


cdef bint _fit(Node x, Node y) noexcept:
    """Return whether two matrices or vectors (not both vectors) of one dtype can be multiplied."""
    return 1 <= x.ndim <= 2 and 1 <= y.ndim <= 2 and x.ndim + y.ndim > 2 and x.typenum == y.typenum >= 0 \
        and x.shape[x.ndim - 1] == y.shape[0]


cdef double _multiplications(Node x, Node y) noexcept:
    return <double>x.size * (y.shape[1] if y.ndim == 2 else 1)


cdef LazyArray _in_order(list factors, double written):
    """Return the product of a chain in the cheapest order; None if that is no cheaper than as written."""
    cdef npy_intp extents[LONGEST + 1]
    cdef double least[LONGEST][LONGEST]       # fewest multiplications from one factor to another
    cdef int cut[LONGEST][LONGEST]            # last factor on the left of the last product
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
    """Return the product from one factor to another."""
    if first == last:
        return handle_of(<Node>factors[first])
    return call_hook("ufunc", (_matmul, (_made(factors, cut, first, cut[first][last]),
                                         _made(factors, cut, cut[first][last] + 1, last)), {}))
