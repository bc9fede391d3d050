"""Inner loops that belong to no ufunc: casts, copies, choices, searches and cumulative sums."""
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.ir.loop_table cimport (
    LOOP_CHEAP, LOOP_COPY, LOOP_QUIET, LOOP_SCANS, LOOP_SEARCHES, LOOP_STEADY, LOOP_STICKY, NCODES, NPY_HALF, Loop,
    LoopFn, Scan, Search, SearchRows, descr_of, new_loop, set_type, type_size)

cnp.import_array()

cdef extern from *:
    """
    #include <numpy/arrayobject.h>
    #include <numpy/npy_2_compat.h>
    static void *lz_search(PyObject *dtype, int largest)
    {
        PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs((PyArray_Descr *)dtype);
        return (void *)(largest ? functions->argmax : functions->argmin);
    }
    """
    void* lz_search(object dtype, int largest)

cdef extern from "simd/argreduce.h":
    void* lz_find_search_rows(int largest, char kind, npy_intp size) noexcept

cdef extern from "simd/cumulative.h":
    const void* lz_find_scan(int product, char kind, npy_intp size) noexcept

cdef extern from "simd/copy.h":
    void lz_copy_loop(char** args, npy_intp* n, npy_intp* strides, void* data) noexcept nogil

cdef extern from "simd/mask.h":
    void lz_select_loop(char** args, npy_intp* n, npy_intp* strides, void* data) noexcept nogil
    void lz_compress_loop(char** args, npy_intp* n, npy_intp* strides, void* data) noexcept nogil
    void lz_expand_loop(char** args, npy_intp* n, npy_intp* strides, void* data) noexcept nogil

cdef extern from "simd/cast.h":
    void* lz_cast_loop(int source, int target) noexcept

cdef Loop* _casts[NCODES][NCODES]
cdef Loop* _copies[NCODES]
cdef Loop* _selects[NCODES]
cdef Loop* _compresses[NCODES]
cdef Loop* _expands[NCODES]
cdef Loop* _searches[2][NCODES]
cdef Loop* _scans[2][NCODES]


cdef Loop* cast_loop(int source, int target) except? NULL:
    """Return the cast between two native types; the caller issues NumPy's ComplexWarning."""
    cdef Loop* loop = _casts[source][target]
    if loop is not NULL:
        return loop
    if source == target:
        return copy_loop(source)
    loop = new_loop(<LoopFn>lz_cast_loop(source, target), NULL, 1, 1, "cast")
    set_type(loop, 0, source)
    set_type(loop, 1, target)
    loop.flags |= LOOP_STICKY | LOOP_STEADY | (
        LOOP_CHEAP if source <= cnp.NPY_DOUBLE and target <= cnp.NPY_DOUBLE else 0)
    if source < cnp.NPY_FLOAT and target != NPY_HALF:  # large numbers overflow float16
        loop.flags |= LOOP_QUIET
    loop.cost = 0.1 * max(type_size(source), type_size(target)) / 4
    _casts[source][target] = loop
    return loop


cdef Loop* _mover(Loop** known, int code, LoopFn fn, str name, tuple masks, float cost) except NULL:
    """Return a loop that moves elements of one type; `masks` marks the operands that are bools."""
    cdef Loop* loop = known[code]
    if loop is NULL:
        loop = new_loop(fn, <void*><size_t>type_size(code), len(masks) - 1, 1, name)
        for i, is_mask in enumerate(masks):
            set_type(loop, i, cnp.NPY_BOOL if is_mask else code)
        loop.flags = LOOP_STICKY | LOOP_STEADY | LOOP_QUIET | (LOOP_CHEAP if name == "where" else 0)
        loop.cost = cost * type_size(code) / 4
        known[code] = loop
    return loop


cdef Loop* copy_loop(int code) except NULL:
    cdef Loop* loop = _mover(_copies, code, <LoopFn>lz_copy_loop, "copy", (False, False), 0.03)
    loop.flags |= LOOP_COPY
    return loop


cdef Loop* select_loop(int code) except NULL:
    """Return the loop of np.where: (bool, T, T) -> T."""
    return _mover(_selects, code, <LoopFn>lz_select_loop, "where", (True, False, False, False), 0.08)


cdef Loop* compress_loop(int code) except NULL:
    """Return the loop that packs elements under a mask to the front: (T, bool) -> T."""
    return _mover(_compresses, code, <LoopFn>lz_compress_loop, "compress", (False, True, False), 0.2)


cdef Loop* expand_loop(int code) except NULL:
    """Return the loop that scatters packed elements under a mask over old ones: (T, bool, T) -> T."""
    return _mover(_expands, code, <LoopFn>lz_expand_loop, "expand", (False, True, False, False), 0.2)


cdef Loop* search_loop(int code, bint largest) except NULL:
    """Return the argmin or argmax loop along an axis: T -> intp."""
    cdef Loop* loop = _searches[largest][code]
    if loop is NULL:
        loop = new_loop(NULL, NULL, 1, 1, "argmax" if largest else "argmin")
        loop.search = <Search>lz_search(descr_of(code), largest)
        dtype = descr_of(code)
        loop.search_rows = <SearchRows>lz_find_search_rows(largest, ord(dtype.kind), dtype.itemsize)
        set_type(loop, 0, code)
        set_type(loop, 1, cnp.NPY_INTP)
        loop.flags = LOOP_SEARCHES
        loop.cost = 0.05 * type_size(code)
        _searches[largest][code] = loop
    return loop


cdef Loop* scan_loop(int code, bint product) except? NULL:
    """Return the cumulative sum or product along an axis: T -> T; NULL where NumPy's is better."""
    cdef Loop* loop = _scans[product][code]
    cdef object dtype = descr_of(code)
    cdef const Scan* scan = <const Scan*>lz_find_scan(product, ord(dtype.kind), dtype.itemsize)
    if loop is NULL and scan is not NULL:
        loop = new_loop(NULL, NULL, 1, 1, "multiply.accumulate" if product else "add.accumulate")
        loop.scan = scan
        set_type(loop, 0, code)
        set_type(loop, 1, code)
        loop.flags |= LOOP_SCANS
        loop.cost = 0.5
        _scans[product][code] = loop
    return loop
