"""Products of matrices and vectors as nodes."""
from lazyarr._core.frontend.handle cimport new_handle
from lazyarr._core.frontend.matmul_chain cimport product_of_chain
from lazyarr._core.frontend.operands cimport operand_node
from lazyarr._core.host.tunables cimport tunable
from lazyarr._core.ir.builder cimport opaque_node
from lazyarr._core.ir.const_guards cimport fast_math
from lazyarr._core.ir.node cimport FILLS, FINISHES, VIEW, first_element
from lazyarr._core.kernels.gemm cimport gemm_of
from lazyarr._core.kernels.gemv cimport VECTOR_PRODUCT, can_multiply_vector
from lazyarr._core.kernels.matmul cimport MATRIX_PRODUCT

cdef double NEVER = 1e18
cdef double BLAS_PRODUCTS = NEVER       # least multiplications for BLAS
tunable("path.blas_products", &BLAS_PRODUCTS, "products", 1, 1e18,
        "Multiplications from which on products of matrices are BLAS's.")


cdef LazyArray product(Node x, Node y, tuple shape, str name):
    """Return x @ y of matrices, stacks, or a matrix and a vector, as a native node.

    None where NumPy's function is better, and for None (operands of non-native dtypes). BLAS computes half of a
    symmetric product, and on some machines may be faster for large products, too.
    """
    cdef Node node
    cdef object kernel
    if x is None or y is None or x.typenum != y.typenum or gemm_of(x.typenum) is NULL or x.ndim < 1 or y.ndim < 1:
        return None
    if 0 in shape or x.size == 0:
        return None
    kernel = _kernel_of(x, y)
    if kernel is None:
        return None
    # a stack times one matrix is one matrix product
    if kernel is MATRIX_PRODUCT and BLAS_PRODUCTS < NEVER and x.dtype.kind in "fc" \
            and _products(x, shape) >= BLAS_PRODUCTS:
        return None
    if kernel is MATRIX_PRODUCT and x.ndim == y.ndim == 2 and x.strides[0] == y.strides[1] \
            and x.strides[1] == y.strides[0] and x.shape[0] == y.shape[1] and _begin_together(x, y):
        return None
    node = opaque_node(name, kernel, [x, y], shape, x.dtype, None)
    node.attr = FINISHES if kernel is MATRIX_PRODUCT else FILLS
    return new_handle(node, False)


cdef object _kernel_of(Node x, Node y):
    """Return the kernel for x @ y; None for vectors by vectors, stacks of vectors, and complex vectors."""
    cdef bint is_row = x.ndim == 1 or x.shape[x.ndim - 2] == 1 and (x.ndim == 2 or y.ndim > 2)
    cdef bint is_column = y.ndim == 1 or y.shape[y.ndim - 1] == 1
    cdef Node matrix = y if is_row else x
    if not is_row and not is_column:
        return MATRIX_PRODUCT
    if is_row and is_column or x.ndim > 2 or y.ndim > 2 or not can_multiply_vector(
            matrix.typenum, matrix.shape[0], matrix.shape[1], matrix.strides[0], matrix.strides[1]):
        return None
    return VECTOR_PRODUCT


cdef double _products(Node x, tuple shape):
    """Return the number of multiplications of a product of this shape, with x on the left."""
    cdef double number = x.shape[x.ndim - 1]
    for n in shape:
        number *= n
    return number


cdef bint _begin_together(Node x, Node y):
    """Return whether two nodes share their first element."""
    if x.data is not NULL and y.data is not NULL:
        return first_element(x) == first_element(y)
    return x.offset == y.offset and (<Node>x.inputs[0] if x.kind == VIEW else x) \
        is (<Node>y.inputs[0] if y.kind == VIEW else y)


cdef LazyArray product_of_matrices(object a, object b):
    """Return a @ b of a matrix or a vector and a matrix of one dtype; None for other operands."""
    cdef Node x, y
    if fast_math():
        made = product_of_chain(a, b)
        if made is not None:
            return made
    if type(a) is not LazyArray or type(b) is not LazyArray:
        return None
    x, y = operand_node(a), operand_node(b)
    if x is None or y is None or not 1 <= x.ndim <= 2 or not 1 <= y.ndim <= 2 or x.shape[x.ndim - 1] != y.shape[0]:
        return None
    if y.ndim == 1:
        return None if x.ndim == 1 else product(x, y, (x.shape[0],), "matmul")
    if x.ndim == 1:
        return product(x, y, (y.shape[1],), "matmul")
    return product(x, y, (x.shape[0], y.shape[1]), "matmul")
